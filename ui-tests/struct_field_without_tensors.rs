//! A field that holds no tensors.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
struct Amplitudes {
    t1: Tensor<f64>,
    label: String,
}

fn main() {}
