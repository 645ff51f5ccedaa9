//! A slope that takes another number of arguments than its function, and one with another result.
use tensorwrapper::prelude::*;

fn equations(a: &Tensor<f64>) {
    let _ = tensor!([i] = map(|x: f64| x * x, |x: f64, y: f64| x + y; a[i]));
    let _ = tensor!([i] = map(|x: f64| x * x, |x: f64| x > 0.0; a[i]));
}

fn main() {}
