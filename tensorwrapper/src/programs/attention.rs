//! Attention of several heads with a causal mask: softmax(Q·K / √d)·V.

use tensorwrapper::prelude::*;

pub fn run() -> Result<f64, Error> {
    let wave = |shape: &[usize]| {
        let mut n = 0f64;
        Tensor::<f64>::from_fn(shape, |_| {
            n += 1.0;
            n.sin()
        })
    };
    let (w, x, wo) = (wave(&[2, 8, 4])?, wave(&[6, 8])?, wave(&[2, 4, 8])?);
    // Queries and keys of each head, multiplied without being kept.
    let scores = einsum!("sm,hmd,tn,hnd->hst", x, w, x, &w + 0.1) / (w.extents()[2] as f64).sqrt();
    // Nobody attends to what comes later.
    let weights = tensor!([h, s, t] = select(iota[s] < iota[t]; 0.0, exp(scores[h, s, t] - max(u; scores[h, s, u]))));
    let y = einsum!("hst,hs,tn,hnd,hdm->sm", weights, 1.0 / weights.sum_along(2)?, x, &w - 0.2, wo);
    Ok(y.norm())
}
