//! A field that holds no tensors, and is the first.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
struct Amplitudes {
    energy: f64,
    t1: Tensor<f64>,
}

fn main() {}
