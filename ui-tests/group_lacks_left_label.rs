//! Groups that are whole terms: their addends are terms.

use tensorwrapper::prelude::*;

fn equations(a: &Tensor<f64, Shape![2, 3]>, v: &Tensor<f64, Shape![3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([i, j] = (a[i, j] + v[j]));
    let _ = tensor!([i, j] = a[i, j] - 0.5 * (a[i, j] + 1.0));
    tensor!(c[i, j] += a[i, j] + v[j]);
    // Elsewhere a group is an operand like another.
    let _ = tensor!([i, j] = a[i, j] * (a[i, j] + v[j]) + tanh(a[i, j] + v[j]));
}

fn main() {}
