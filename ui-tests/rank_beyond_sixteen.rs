//! More indices than a tuple has entries.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    let _ = tensor!([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q] = a[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q]);
}

fn main() {}
