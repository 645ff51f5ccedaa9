//! A struct that borrows.
use tensorwrapper::{TensorRef, Tensors};

#[derive(Clone, Tensors)]
struct Amplitudes<'t> {
    t1: TensorRef<'t, f64>,
}

fn main() {}
