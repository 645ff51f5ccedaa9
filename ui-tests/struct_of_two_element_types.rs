//! Tensors of two element types.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
struct Amplitudes<O: Len> {
    t1: Tensor<f64, (O,)>,
    t2: Vec<Tensor<f32, (O,)>>,
}

fn main() {}
