//! A struct that has nothing but fields that are skipped.
use tensorwrapper::Tensors;

#[derive(Clone, Tensors)]
struct Settings {
    #[tensors(skip)]
    tolerance: f64,
}

fn main() {}
