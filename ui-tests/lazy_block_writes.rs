//! A block that is only recorded writes a tensor.

use tensorwrapper::prelude::*;

fn equation(graph: &Graph, a: &Tensor<f64, Shape![2, 3]>, c: &mut Tensor<f64, Shape![2, 3]>) {
    tensor! {
        in graph;
        c[i, j] = 2.0 * a[i, j];
    };
}

fn main() {}
