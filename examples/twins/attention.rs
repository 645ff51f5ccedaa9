//! Attention of several heads with a causal mask: softmax(Q·K / √d)·V.

use tensorwrapper::prelude::*;

fn wave(shape: &[usize]) -> Result<Tensor<f64>, Error> {
    let all = Tensor::arange(1..1 + shape.iter().product::<usize>() as i64)?;
    Ok(all.map(f64::sin)?.reshape(shape)?.0)
}

fn attention(x: &Tensor<f64>, [wq, wk, wv, wo]: [&Tensor<f64>; 4]) -> Result<Tensor<f64>, Error> {
    let mask = Tensor::<f64>::filled([x.extents()[0]; 2], -1e30)?.triu(1)?;
    let scale = (wq.extents()[2] as f64).sqrt();
    try_tensor! {
        let q[h, s, d] = x[s, m] * wq[h, m, d];
        let k[h, s, d] = x[s, m] * wk[h, m, d];
        let v[h, s, d] = x[s, m] * wv[h, m, d];
        let scores[h, s, t] = q[h, s, d] * k[h, t, d] / scale + 1[h] * mask[s, t];
        let weights[h, s, t] = exp(scores[h, s, t] - 1[t] * max(u; scores[h, s, u]));
        let y[s, m] = weights[h, s, t] / sum(u; weights[h, s, u]) * v[h, t, d] * wo[h, d, m];
        y
    }
    .map(Tensor::into_dyn)
}

pub fn run() -> Result<f64, Error> {
    let (w, x, wo) = (wave(&[2, 8, 4])?, wave(&[6, 8])?, wave(&[2, 4, 8])?);
    let y = attention(&x, [&w, &(&w + 0.1), &(&w - 0.2), &wo])?;
    try_tensor!([] = norm(y[s, m]))
}
