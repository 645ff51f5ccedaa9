//! Nothing leaves the block.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64, Shape![2, 3]>) {
    tensor! {
        let w[i, j] = a[i, j];
    }
}

fn main() {}
