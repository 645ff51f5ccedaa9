//! An enum.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
enum Amplitudes {
    Singles(Tensor<f64>),
}

fn main() {}
