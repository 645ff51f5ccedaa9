//! The counter of a loop where a position is meant.

use tensorwrapper::prelude::*;

fn rows(st: &mut Tensor<f64, Shape![3, 2]>, rows: &[Tensor<f64, Shape![2]>]) {
    for (k, r) in rows.iter().enumerate() {
        tensor!(st[k, j] = r[j]);
    }
}

fn main() {}
