//! A network of two layers, fitted to a function by gradient descent; the gradients are derived.

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    let x = Tensor::linspace(-1.0, 1.0, 21)?;
    let n = Tensor::linspace(0.0, 7f64, 8)?;
    // Of each neuron its weight, its bias, and its weight in the sum.
    let mut p = tensorwrapper::stack(0, [n.cos()?, 0.0 * &n, n.sin()? / 2.0])?;
    let mut c = Tensor::scalar(0.0);
    let mut loss = 0.0;
    // The loss is that before a step, so that the last one is that after 200.
    for _ in 0..=200 {
        loss = tensor! {
            let L = mean(s; powi(sum(h; p[2, h] * tanh(x[s] * p[0, h] + p[1, h])) + c[] - sin(3.0 * x[s]), 2));
            p[k, h] -= 0.3 * grad(L; p[k, h]);
            c[] -= 0.3 * grad(L; c[]);
            L
        };
    }
    Ok(loss)
}
