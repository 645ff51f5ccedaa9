//! Fields are named as they are written.

use tensorwrapper::prelude::*;

struct Amplitudes {
    t1: Tensor<f64, Shape![2, 3]>,
    t2: (Tensor<f64, Shape![4, 5]>, Tensor<f64, Shape![4, 5]>),
}

impl Amplitudes {
    fn energy(&self) -> f64 {
        tensor!([] = self.t1[i, a] * self.t2.0[a, i])
    }
}

fn main() {}
