//! A struct of tensors that does not derive `Tensors`, as a variable.
use tensorwrapper::prelude::*;

struct Amplitudes {
    t1: Tensor<f64>,
}

fn main() {
    let t = Amplitudes { t1: Tensor::zeros([2]).unwrap() };
    let loss = (t.t1.at("i") * t.t1.at("i")).record("").unwrap();
    let _ = loss.grad(&t);
}
