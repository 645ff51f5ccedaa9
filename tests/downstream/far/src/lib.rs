//! A program that knows the library through another crate only.

#![forbid(unsafe_code)]
#![deny(warnings, clippy::pedantic)]
#![allow(clippy::many_single_char_names, reason = "as in mathematics")]

use middle::{Error, Tensor, product, scale, scaled, squares};

/// Everything that the crate between offers.
///
/// # Errors
/// Extents that do not agree.
pub fn all(a: &Tensor<f64>, b: &Tensor<f64>, x: f64) -> Result<f64, Error> {
    let mut c = product!(a, &b.clone(); p q r)?;
    let d = scaled!(0.5 * [i, j] = a[i, k] * b[k, j] + a[j, i]);
    scale!(c by x + 1.0);
    Ok(squares(&c.into_dyn())? + squares(&d.into_dyn())?)
}

#[cfg(test)]
mod tests {
    use super::{Error, Tensor, all};

    #[test]
    fn macros_of_another_crate_mean_what_they_say() -> Result<(), Error> {
        let a = Tensor::<f64>::from_slice([2, 2], &[1.0, 2.0, 3.0, 4.0])?;
        // c = 2·a·a, d = 0.5·(a·a + aᵀ)
        let (c, d) = ([14.0, 20.0, 30.0, 44.0], [4.0, 6.5, 8.5, 13.0]);
        let squares = |x: [f64; 4]| x.iter().map(|x| x * x).sum::<f64>();
        assert!((all(&a, &a, 1.0)? - squares(c) - squares(d)).abs() < 1e-12);
        Ok(())
    }
}
