//! An extent of an index that no equation of the block has.

use tensorwrapper::prelude::*;

fn equation(a: &Tensor<f64>, nocc: usize, nvir: usize) -> Tensor<f64, Shape![_]> {
    tensor! {
        where i, j: nocc; a: nvir;
        let x[i, j] = a[i, j];
        [i] = x[i, j] * x[i, j]
    }
}

fn main() {}
