//! The largest singular values alone: a random block of vectors is multiplied by the matrix and its adjoint until what it spans
//! holds them. Where their residuals do not become as small as rounding soon, the caller decomposes the whole matrix.
//!
//! Source: N. Halko, P. G. Martinsson, J. A. Tropp, "Finding Structure with Randomness", SIAM Rev. 53, 217 (2011), algorithms
//! 4.4 and 5.1.

use num_complex::Complex;

use crate::backend::linear::{Algorithms, Matrix, Svd, epsilon};
use crate::element::Element;

/// Vectors beyond those that are wanted.
const MORE: usize = 16;

/// Multiplications by the matrix and its adjoint before it is given up.
const ROUNDS: usize = 4;

/// Rows and columns by wanted values from which on a part is cheaper than the whole.
const WORTH: usize = 6;

/// The factors of the `count` largest singular values, if they are found as accurate as by decomposing the whole matrix.
pub(super) fn leading<T: Element>(on: &dyn Algorithms<T>, a: &Matrix<T>, count: usize) -> Option<Svd<T>> {
    let least = a.rows.min(a.columns);
    let width = count + MORE;
    if least < 64 || least < WORTH * width {
        return None;
    }
    let adjoint = a.adjoint();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut draw = || {
        // SplitMix64: the same numbers in every run.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 * (-52f64).exp2() - 1.0
    };
    let data = (0..a.columns * width).map(|_| T::from_complex(Complex::new(draw(), draw()))).collect();
    let mut block = Matrix { rows: a.columns, columns: width, data };
    let mut before = f64::INFINITY;
    for _ in 0..ROUNDS {
        let (q, _) = on.qr(on.multiply(a, &block), false);
        // A·Aᴴ·Q and the small matrix Qᴴ·A at once.
        let image = on.multiply(&adjoint, &q);
        let (u, s, v) = on.svd(image.adjoint(), false).ok()?;
        let (u, v) = (on.multiply(&q, &u).first_columns(count), v.first_rows(count));
        let residual = residual(on, a, &u, &s[..count], &v);
        let largest = s[0].to_complex().re;
        if residual <= 4.0 * epsilon::<T>() * largest * (least as f64).sqrt() {
            return Some((u, s[..count].to_vec(), v));
        }
        // Too slow to arrive in the rounds that are left.
        if residual > before * 1e-3 {
            return None;
        }
        before = residual;
        let (q, _) = on.qr(image, false);
        block = q;
    }
    None
}

/// The largest length of a column of A·Vᴴ − U·s. That of Aᴴ·U − Vᴴ·s is rounding, by the way that they were made.
fn residual<T: Element>(on: &dyn Algorithms<T>, a: &Matrix<T>, u: &Matrix<T>, s: &[T::Real], v: &Matrix<T>) -> f64 {
    let image = on.multiply(a, &v.adjoint());
    let column = |n: usize| {
        let own = T::from_real(s[n]);
        image.column(n).iter().zip(u.column(n)).map(|(x, y)| (*x - *y * own).to_complex().norm_sqr()).sum::<f64>()
    };
    (0..s.len()).map(column).fold(0.0, f64::max).sqrt()
}
