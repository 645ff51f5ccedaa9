//! An attribute that there is not, and one in the wrong place.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone, Tensors)]
#[tensors(skip)]
struct Amplitudes {
    #[tensors(ignore)]
    t1: Tensor<f64>,
}

fn main() {}
