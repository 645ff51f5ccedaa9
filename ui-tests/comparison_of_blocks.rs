//! The values of a comparison over a block tensor.
use tensorwrapper::{Blocks, tensor};

fn positive(a: &Blocks<f64>) {
    let _ = tensor!([i, j] = a[i, j] > 0.0);
}

fn main() {}
