//! The lowest eigenvector of a symmetric operator, which is only applied (C. Lanczos, J. Res. Natl. Bur. Stand. 45, 255 (1950)),
//! with every vector made orthogonal to all before it. Knows nothing of chains, or of how vectors are stored.

use tensorwrapper::prelude::*;

/// Vectors of the basis.
const MOST: usize = 24;
/// How near the vector comes to an eigenvector, of the length of what is applied.
const RESIDUAL: f64 = 1e-13;

/// What an operator is applied to.
pub(crate) trait Vector: Sized {
    fn overlap(&self, other: &Self) -> Result<f64, Error>;

    /// Adds a part of another vector.
    fn add(&mut self, part: f64, other: &Self) -> Result<(), Error>;

    /// Multiplies it by a number, where it is: vectors are long, and nobody needs the old one.
    fn scale(&mut self, number: f64) -> Result<(), Error>;

    /// The same of length 1.
    fn unit(mut self) -> Result<Self, Error> {
        self.scale(1.0 / self.overlap(&self)?.sqrt())?;
        Ok(self)
    }
}

/// The lowest eigenvalue and its vector, of length 1, as a basis that begins with `start` has them.
pub(crate) fn ground<V: Vector>(apply: impl Fn(&V) -> Result<V, Error>, start: V) -> Result<(f64, V), Error> {
    let mut basis = vec![start.unit()?];
    let mut H = Tensor::<f64, Shape![_, _]>::zeros((MOST, MOST))?;
    loop {
        let n = basis.len() - 1;
        let mut w = apply(&basis[n])?;
        let length = w.overlap(&w)?.sqrt();
        // Twice, so that rounding leaves nothing of the others.
        for _ in 0..2 {
            for (m, v) in basis.iter().enumerate() {
                let part = v.overlap(&w)?;
                H[[m, n]] += part;
                w.add(-part, v)?;
            }
        }
        let rest = w.overlap(&w)?.sqrt();
        let size = n + 1;
        let (E, C) = try_tensor!(([k], [m, k]) = eigh(0.5 * H[m in ..size, n in ..size] + 0.5 * H[n in ..size, m in ..size]))?;
        if size == MOST || (rest * C[[n, 0]]).abs() <= RESIDUAL * length.max(1.0) || rest <= RESIDUAL * length {
            let mut x = basis.remove(0);
            x.scale(C[[0, 0]])?;
            for (m, v) in basis.iter().enumerate() {
                x.add(C[[m + 1, 0]], v)?;
            }
            return Ok((E[[0]], x.unit()?));
        }
        H[[size, n]] = rest;
        w.scale(1.0 / rest)?;
        basis.push(w);
    }
}

/// Whether an operator is as it is seen from either side of these vectors.
pub(crate) fn is_symmetric<V: Vector>(apply: impl Fn(&V) -> Result<V, Error>, x: V, y: V) -> Result<bool, Error> {
    let (x, y) = (x.unit()?, y.unit()?);
    let (Hx, Hy) = (apply(&x)?, apply(&y)?);
    let scale = Hx.overlap(&Hx)?.sqrt() + Hy.overlap(&Hy)?.sqrt();
    Ok((x.overlap(&Hy)? - Hx.overlap(&y)?).abs() <= 1e-10 * scale.max(f64::MIN_POSITIVE))
}
