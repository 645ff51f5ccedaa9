//! Const parameters of an `impl`.

use tensorwrapper::prelude::*;

struct Layer<const IN: usize, const OUT: usize> {
    weight: Tensor<f64, Shape![OUT, IN]>,
    bias: Tensor<f64, Shape![OUT]>,
}

impl<const IN: usize, const OUT: usize> Layer<IN, OUT> {
    fn forward(&self, x: &Tensor<f64, Shape![OUT]>) -> Tensor<f64, Shape![OUT]> {
        tensor!([o] = self.weight[o, i] * x[i] + self.bias[o])
    }
}

fn main() {}
