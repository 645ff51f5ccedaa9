//! A direction that is another struct than its variable.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
struct Singles {
    t1: Tensor<f64>,
}

#[derive(Clone, Tensors)]
struct Doubles {
    t2: Tensor<f64>,
}

fn main() {
    let (t, d) = (Singles { t1: Tensor::zeros([2]).unwrap() }, Doubles { t2: Tensor::zeros([2]).unwrap() });
    let loss = (t.t1.at("i") * t.t1.at("i")).record("").unwrap();
    let _ = loss.hvp((&t, &d));
}
