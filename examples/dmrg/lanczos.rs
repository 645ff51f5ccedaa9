//! The lowest eigenvector of a symmetric operator on two sites, which is only applied (C. Lanczos, J. Res. Natl. Bur. Stand. 45,
//! 255 (1950)), with every vector made orthogonal to all before it.

use tensorwrapper::prelude::*;

use super::chain::Pair;

/// Vectors of the basis.
const MOST: usize = 24;
/// How near the vector comes to an eigenvector, of the length of what is applied.
const RESIDUAL: f64 = 1e-13;

/// The lowest eigenvalue and its vector, of length 1, as a basis that begins with `start` has them.
pub(crate) fn ground(apply: impl Fn(&Pair) -> Result<Pair, Error>, start: &Pair) -> Result<(f64, Pair), Error> {
    let mut basis = vec![unit(start)?];
    let mut H = Tensor::<f64, Shape![_, _]>::zeros((MOST, MOST))?;
    loop {
        let n = basis.len() - 1;
        let mut w = apply(&basis[n])?;
        let length = overlap(&w, &w)?.sqrt();
        // Twice, so that rounding leaves nothing of the others.
        for _ in 0..2 {
            for (m, v) in basis.iter().enumerate() {
                let part = overlap(v, &w)?;
                H[[m, n]] += part;
                try_tensor!(w[a, s, t, b] -= part * v[a, s, t, b])?;
            }
        }
        let rest = overlap(&w, &w)?.sqrt();
        let size = n + 1;
        let (E, C) = try_tensor!(([k], [m, k]) = eigh(0.5 * H[m in ..size, n in ..size] + 0.5 * H[n in ..size, m in ..size]))?;
        if size == MOST || (rest * C[[n, 0]]).abs() <= RESIDUAL * length.max(1.0) || rest <= RESIDUAL * length {
            let mut x = try_tensor!([a, s, t, b] = 0.0 * w[a, s, t, b])?;
            for (m, v) in basis.iter().enumerate() {
                let part = C[[m, 0]];
                try_tensor!(x[a, s, t, b] += part * v[a, s, t, b])?;
            }
            return Ok((E[[0]], unit(&x)?));
        }
        H[[size, n]] = rest;
        basis.push(unit(&w)?);
    }
}

pub(crate) fn overlap(x: &Pair, y: &Pair) -> Result<f64, Error> {
    try_tensor!([] = x[a, s, t, b] * y[a, s, t, b])
}

/// The same of length 1.
pub(crate) fn unit(x: &Pair) -> Result<Pair, Error> {
    let length = overlap(x, x)?.sqrt();
    try_tensor!([a, s, t, b] = x[a, s, t, b] / length)
}
