//! Eigenvalues of matrices whose elements have very different sizes.

use super::*;

/// Symmetric matrices of so many rows: graded by several steps an index, of one number, and of a number beside what is almost nothing.
fn graded(n: usize) -> Vec<Matrix> {
    let of = |element: &dyn Fn(usize, usize) -> f64| (0..n * n).map(|p| element(p / n, p % n).into()).collect::<Matrix>();
    let mut all = vec![of(&|_, _| 1.0), of(&|i, j| if i + j == 0 { 1.0 } else { 1e-310 * (i + j) as f64 })];
    for step in [1.0, 8.0, 10.0, 15.0, 30.0] {
        all.push(of(&|i, j| (-step * (i + j) as f64).exp()));
        all.push(of(&|i, j| (-step * (i + j) as f64).exp() * if i == j { 2.0 } else { 1.0 }));
        all.push(of(&|i, j| (step * (i + j) as f64 - step * 2.0 * n as f64).exp() * if i == j { 2.0 } else { 1.0 }));
    }
    all
}

#[test]
fn eigenvectors_of_graded_matrices_solve_their_equation() {
    for n in [3, 8, 9, 16, 24, 32, 33] {
        let matrices = graded(n);
        for matrix in matrices {
            let real = Placed::of(&[1, n, n], matrix.iter().map(|x| x.re).collect::<Vec<f64>>());
            let complex = Placed::of(&[1, n, n], matrix.clone());
            let single = Placed::of(&[1, n, n], matrix.iter().map(|x| x.re as f32).collect::<Vec<f32>>());
            let matrices = [vec![matrix]];
            for device in Cpu::forms() {
                check_eigh::<f64>(&device, [1, n, n], std::slice::from_ref(&real), &matrices);
                check_eigh::<Complex<f64>>(&device, [1, n, n], std::slice::from_ref(&complex), &matrices);
                check_eigh::<f32>(&device, [1, n, n], std::slice::from_ref(&single), &matrices);
            }
        }
    }
}
