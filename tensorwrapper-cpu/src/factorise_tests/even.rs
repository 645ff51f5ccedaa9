//! Batches that kernels bring side by side, with NaN in the triangle that is not read.

use super::*;

#[test]
fn eigenvectors_of_even_batches_read_the_lower_triangle_alone() {
    let mut rng = StdRng::seed_from_u64(24);
    let items = 21;
    for (n, lies) in [8, 16].into_iter().flat_map(|n| Lies::EVENLY.map(|lies| (n, lies))) {
        let matrices: Vec<Matrix> = (0..items).map(|_| hermitian::<f64>(&mut rng, n, false)).collect();
        let mut input = place::<f64>(&mut rng, &[items, n, n], &matrices, lies);
        let positions: Vec<usize> = input.layout.positions().collect();
        for (_, position) in positions.into_iter().enumerate().filter(|(p, _)| p % n > p / n % n) {
            input.data[position] = f64::NAN;
        }
        for device in &Cpu::forms() {
            check_eigh(device, [items, n, n], std::slice::from_ref(&input), std::slice::from_ref(&matrices));
        }
    }
}
