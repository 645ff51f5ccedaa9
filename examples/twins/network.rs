//! A network of two layers, fitted to a function by gradient descent; the gradients are derived.

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    let x = Tensor::linspace(-1.0, 1.0, 21)?;
    let y = x.map(|x| f64::sin(3.0 * x))?;
    let n = Tensor::<f64, _>::arange(0..8)?;
    let (mut w1, mut w2) = (n.map(f64::cos)?, n.map(f64::sin)? / 2.0);
    let (mut b1, mut b2) = (Tensor::<f64, Shape![_]>::zeros((8,))?, Tensor::scalar(0.0));
    let mut loss = 0.0;
    for _ in 0..=200 {
        let (now, by_w1, by_b1, by_w2, by_b2) = try_tensor! {
            let error[s] = w2[h] * tanh(x[s] * w1[h] + 1[s] * b1[h]) + b2[] * 1[s] - y[s];
            let L = error[s] * error[s] / 21.0;
            let (a[h], b[h], c[h], d[]) = grad(L; w1[h], b1[h], w2[h], b2[]);
            (L, a, b, c, d)
        }?;
        loss = now;
        w1 -= 0.3 * &by_w1;
        b1 -= 0.3 * &by_b1;
        w2 -= 0.3 * &by_w2;
        b2 -= 0.3 * &by_b2;
    }
    Ok(loss)
}
