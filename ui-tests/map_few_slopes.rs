//! A function of two arguments with one slope, and one of one argument with a comma too many.
use tensorwrapper::prelude::*;

fn equations(a: &Tensor<f64>, b: &Tensor<f64>) {
    let (f, fx) = (|x: f64, y: f64| x * y, |_: f64, y: f64| y);
    let _ = tensor!([i] = map(f, fx; a[i], b[i]));
    let _ = tensor!([i] = map(f, fx, fx, fx; a[i], b[i]));
    let _ = tensor!([i] = map(f64::sin, , f64::cos; a[i]));
}

fn main() {}
