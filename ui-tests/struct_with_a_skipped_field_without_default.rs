//! A skipped field that has no default value, which a struct that is loaded needs.
use tensorwrapper::{Tensors, prelude::*};

#[derive(Clone)]
struct Molecule;

#[derive(Clone, Tensors)]
struct Amplitudes {
    t1: Tensor<f64>,
    #[tensors(skip)]
    molecule: Molecule,
}

fn main() {}
