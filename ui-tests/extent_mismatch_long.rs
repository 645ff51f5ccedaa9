//! One wrong factor in a long equation.

use tensorwrapper::prelude::*;

fn equation(r: &mut Tensor<f64, Shape![2, 2, 3, 3]>,
    v: &Tensor<f64, Shape![2, 2, 3, 3]>,
    t: &Tensor<f64, Shape![2, 2, 3, 3]>,
    w: &Tensor<f64, Shape![2, 2, 2, 2]>,
    u: &Tensor<f64, Shape![3, 3, 4, 3]>,
    f: &Tensor<f64, Shape![3, 3]>,
    g: &Tensor<f64, Shape![2, 2]>) {
    tensor!(r[i, j, a, b] = v[i, j, a, b] + f[a, c] * t[i, j, c, b] + f[b, c] * t[i, j, a, c]
        - g[k, i] * t[k, j, a, b] - g[k, j] * t[i, k, a, b]
        + 0.5 * w[i, j, k, l] * t[k, l, a, b] + 0.5 * t[i, j, c, d] * u[c, d, a, b]
        + v[i, k, a, c] * t[k, j, c, b] - v[i, k, b, c] * t[k, j, c, a]
        - v[j, k, a, c] * t[k, i, b, c] + v[j, k, b, c] * t[k, i, c, a]);
}

fn main() {}
