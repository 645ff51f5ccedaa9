//! Determinants from the pivots of elimination. A determinant is a number near 1 and a power of two, because products of pivots can leave
//! the range of numbers although the logarithm of the determinant does not.

use num_complex::Complex;

use super::algorithms::Algorithms;
use super::conventions::{exponent_at, power, times_power};
use super::failure::Failure;
use super::magnitude::{is_finite, largest_of, part_size};
use super::matrix::Matrix;
use crate::element::{Dtype, Element};

/// A determinant: a number whose larger part is from 1 to 2, times a power of two; or 0.
#[derive(Clone, Copy, Debug)]
pub struct Determinant {
    number: Complex<f64>,
    exponent: i64,
}

impl Determinant {
    /// The product of the pivots, with the sign of the row exchanges; `None` if elimination left the range of numbers.
    #[inline]
    pub fn of<T: Element>(is_odd: bool, diagonal: impl Iterator<Item = T>) -> Option<Determinant> {
        let mut product = Determinant { number: Complex::from(if is_odd { -1.0 } else { 1.0 }), exponent: 0 };
        for pivot in diagonal {
            if pivot == T::ZERO {
                return Some(Determinant { number: Complex::ZERO, exponent: 0 });
            }
            if !is_finite(pivot) {
                return None;
            }
            product.multiply(near_one(pivot.to_complex()));
        }
        Some(product)
    }

    fn multiply(&mut self, (number, exponent): (Complex<f64>, i32)) {
        let (number, more) = near_one(number * self.number);
        *self = Determinant { number, exponent: self.exponent + i64::from(exponent) + i64::from(more) };
    }

    /// The determinant as a number; `None` if it is too large for the type.
    pub fn value<T: Element>(self) -> Option<T> {
        Some(self.nearest()).filter(|&value| is_finite(value))
    }

    /// The determinant as a number, of which a part that is too large for the type is infinite.
    pub fn nearest<T: Element>(self) -> T {
        // Beyond these powers of two everything is zero or too large.
        let value: Complex<f64> = times_power(self.number, self.exponent.clamp(-2500, 2500) as i32);
        T::from_complex(value)
    }

    /// The phase of the determinant; 0 if it is 0.
    pub fn sign<T: Element>(self) -> T {
        let size = self.number.norm();
        if size == 0.0 { T::ZERO } else { T::from_complex(self.number / size) }
    }

    /// The logarithm of the absolute value; −∞ if the determinant is 0.
    pub fn logarithm(self) -> f64 {
        self.number.norm().ln() + self.exponent as f64 * std::f64::consts::LN_2
    }
}

/// A number that is not zero as one near 1 and a power of two.
#[inline]
fn near_one(x: Complex<f64>) -> (Complex<f64>, i32) {
    let exponent = exponent_at(x.re.abs().max(x.im.abs()));
    // One factor holds all but the ends of the range.
    (if exponent.abs() < 1000 { x * power(-exponent) } else { times_power(x, -exponent) }, exponent)
}

/// The determinant of a matrix; `again` makes the matrix once more.
///
/// # Errors
/// [`Failure::Overflow`] where elimination leaves the range even of a matrix whose rows were scaled.
pub(crate) fn determinant<T: Element>(
    on: &dyn Algorithms<T>,
    mut a: Matrix<T>,
    again: &dyn Fn() -> Matrix<T>,
) -> Result<Determinant, Failure> {
    if a.rows == 0 {
        return Ok(Determinant { number: Complex::ONE, exponent: 0 });
    }
    let diagonal = |a: &Matrix<T>| -> Vec<T> { (0..a.rows).map(|n| a.at(n, n)).collect() };
    let order = on.lu(&mut a, again);
    if let Some(found) = Determinant::of(is_odd(&order), diagonal(&a).into_iter()) {
        return Ok(found);
    }
    // Only now, because there may be something that is so much smaller than the rest of its row that no scaling serves both.
    let (mut a, exponent) = smaller(again()).ok_or(Failure::Overflow)?;
    let scaled = a.clone();
    let order = on.lu(&mut a, &|| scaled.clone());
    let mut found = Determinant::of(is_odd(&order), diagonal(&a).into_iter()).ok_or(Failure::Overflow)?;
    if found.number != Complex::ZERO {
        found.exponent += exponent;
    }
    Ok(found)
}

/// The matrix with its rows scaled so that elimination has room, and the exponent of the power of two that its determinant was divided
/// by; `None` if a number would lose digits.
fn smaller<T: Element>(mut a: Matrix<T>) -> Option<(Matrix<T>, i64)> {
    let least = if T::DTYPE.real() == Dtype::F32 { f64::from(f32::MIN_POSITIVE) } else { f64::MIN_POSITIVE };
    let loses = |before: f64, after: f64| before != 0.0 && after.abs() < least;
    // The middle between 1 and the largest number.
    let room = if T::DTYPE.real() == Dtype::F32 { 64 } else { 512 };
    let mut all = 0;
    for n in 0..a.rows {
        let row: Vec<T> = (0..a.columns).map(|column| a.at(n, column)).collect();
        let more = exponent_at(largest_of(&row, part_size)) - room;
        if more > 0 {
            for (column, &before) in row.iter().enumerate() {
                let after = times_power(before, -more);
                let [x, y] = [before, after].map(|x| x.to_complex());
                if loses(x.re, y.re) || loses(x.im, y.im) {
                    return None;
                }
                *a.at_mut(n, column) = after;
            }
            all += i64::from(more);
        }
    }
    Some((a, all))
}

/// The sign of a permutation.
fn is_odd(order: &[usize]) -> bool {
    let (mut seen, mut odd) = (vec![false; order.len()], false);
    for start in 0..order.len() {
        let (mut at, mut length) = (start, 0);
        while !seen[at] {
            seen[at] = true;
            at = order[at];
            length += 1;
        }
        odd ^= length > 0 && length % 2 == 0;
    }
    odd
}
