//! Equations in generic functions: over extents, shapes and elements.

use super::{assert_close, assert_type, reference, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

fn gram<const N: usize, const M: usize>(a: &Tensor<f64, Shape![N, M]>) -> Tensor<f64, Shape![M, M]> {
    tensor!([i, j] = a[k, i] * a[k, j])
}

fn product<const N: usize>(a: &Tensor<f64, Shape![N, _]>, b: &Tensor<f64, Shape![_, N]>) -> Tensor<f64, Shape![N, N]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

fn outer<D: Len, E: Len>(x: &Tensor<f64, (D,)>, y: &Tensor<f64, (E,)>) -> Tensor<f64, (D, E)> {
    tensor!([i, j] = x[i] * y[j])
}

fn symmetric<D: Len>(a: &Tensor<f64, (D, D)>) -> Tensor<f64, (D, D)> {
    tensor!([i, j] = 0.5 * (a[i, j] + a[j, i]))
}

fn row_sums<D: Extent, E: Extent>(a: &Tensor<f64, (D, E)>) -> Tensor<f64, (D,)> {
    tensor!([i] = sum(k; a[i, k]))
}

fn trace<S: Extents>(a: &Tensor<f64, S>) -> Result<f64, Error> {
    try_tensor!([] = a[i, i])
}

fn norm<T: Element, S: Extents>(a: &Tensor<T, S>) -> Result<T, Error> {
    try_tensor!([] = a[i, j] * conj(a[i, j]))
}

fn scale<T: Element, S: Extents>(a: &mut Tensor<T, S>, factor: T) -> Result<(), Error> {
    try_tensor!(a[i, j] *= factor)
}

fn axpy<T: Element, D: Len>(x: &Tensor<T, (D,)>, y: &mut Tensor<T, (D,)>) {
    tensor!(y[i] += 2.0 * x[i]);
}

fn transform<T: Element>(h: &Tensor<T>, c: &Tensor<T>) -> Tensor<T> {
    tensor! {
        let half[m, j] = h[m, n] * c[n, j];
        let full[i, j] = conj(c[m, i]) * half[m, j];
        full
    }
    .into_dyn()
}

#[test]
fn over_constants() {
    let a: Tensor<f64, Shape![2, 3]> = sample((Const, Const), 1);
    assert_close(&gram(&a), &reference(&(a.at("ki") * a.at("kj")), "ij"));
    let b: Tensor<f64, Shape![2, _]> = sample((Const, 4), 1);
    let c: Tensor<f64, Shape![_, 2]> = sample((4, Const), 2);
    assert_close(&product(&b, &c), &reference(&(b.at("ik") * c.at("kj")), "ij"));
}

#[test]
fn over_extents() {
    let (x, y): (Tensor<f64, Shape![2]>, Tensor<f64, Shape![_]>) = (sample((Const,), 1), sample((3,), 2));
    let found = outer(&x, &y);
    assert_type::<Tensor<f64, Shape![2, _]>>(&found);
    assert_close(&found, &reference(&(x.at("i") * y.at("j")), "ij"));
    let s = sample((3, 3), 3);
    assert_close(&symmetric(&s), &reference(&(0.5 * (s.at("ij") + s.at("ji"))), "ij"));
    let fixed: Tensor<f64, Shape![3, 3]> = sample((Const, Const), 3);
    assert_close(&symmetric(&fixed), &symmetric(&s));
    assert_close(&row_sums(&found), &reference(&found.at("ik"), "i"));
}

#[test]
fn over_shapes_and_elements() {
    let a = sample::<Shape>([2, 2], 1);
    assert!((trace(&a).unwrap() - a[[0, 0]] - a[[1, 1]]).abs() < 1e-14);
    let fixed: Tensor<f64, Shape![2, 2]> = sample((Const, Const), 1);
    assert_eq!(trace(&fixed).unwrap(), trace(&a).unwrap());
    // Rank and extents that the compiler could not see.
    assert_eq!(trace(&sample::<Shape>([2, 2, 2], 1)).unwrap_err().to_string(), "`a` has rank 3 but 2 indices are given");
    assert_eq!(trace(&sample((2, 3), 1)).unwrap_err().to_string(), "index `i` has extent 2 on axis 0 of `a` but 3 on axis 1");
    let z = Tensor::<Complex<f32>>::filled([2, 2], Complex::new(3.0, 4.0)).unwrap();
    assert_eq!(norm(&z).unwrap(), Complex::new(100.0, 0.0));
    assert_eq!(norm(&Tensor::<f32>::filled([1, 2], 2.0).unwrap()).unwrap(), 8.0);
    let mut z = z;
    scale(&mut z, Complex::new(0.0, 1.0)).unwrap();
    assert_eq!(z[[0, 0]], Complex::new(-4.0, 3.0));
    let mut y = sample((3,), 2);
    let x = sample((3,), 1);
    let before = y.clone();
    axpy(&x, &mut y);
    assert_close(&y, &reference(&(before.at("i") + 2.0 * x.at("i")), "i"));
    let c = sample::<Shape>([2, 2], 5);
    assert_close(&transform(&a, &c), &reference(&(c.at("mi") * a.at("mn") * c.at("nj")), "ij"));
}

/// The rank is known to the run alone, or to one operand.
#[test]
fn run_time_rank_beside_static_rank() {
    let (any, fixed): (Tensor<f64>, Tensor<f64, Shape![3, 4]>) = (sample([2, 3], 1), sample((Const, Const), 2));
    let found = tensor!([i, j] = any[i, k] * fixed[k, j]);
    assert_type::<Tensor<f64, Shape![_, 4]>>(&found);
    assert_close(&found, &reference(&(any.at("ik") * fixed.at("kj")), "ij"));
    let error = try_tensor!([i, j] = any[i, j] * fixed[i, j]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "index `i` has extent 2 in `any` but 3 in `fixed`\nindex `j` has extent 3 in `any` but 4 in `fixed`"
    );
}
