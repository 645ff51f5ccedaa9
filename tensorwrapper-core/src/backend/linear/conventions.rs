//! Signs, phases and scales of factors, chosen so that a matrix has the same factors on every device.

use super::algorithms::Algorithms;
use super::magnitude::square;
use super::matrix::Matrix;
use crate::element::{Dtype, Element};

/// The machine epsilon: the distance from 1 to the next larger number of the element type.
pub fn epsilon<T: Element>() -> f64 {
    if T::DTYPE.real() == Dtype::F32 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// Divides a matrix by a power of two, so that its largest element is about 1; returns the exponent, a multiple of `step`.
///
/// The division is exact, except for elements that are negligibly small beside the largest. A matrix is left as it is if the squares of
/// its elements are far from the limits of their range.
pub(crate) fn normalise<T: Element>(on: &dyn Algorithms<T>, matrix: &mut Matrix<T>, step: i32) -> i32 {
    let exponent = exponent_of::<T>(on.largest_part(&matrix.data), step);
    scale(matrix, -exponent);
    exponent
}

/// The exponent of the power of two that a matrix is divided by, given its largest part; 0 if the matrix is left as it is.
pub fn exponent_of<T: Element>(largest: f64, step: i32) -> i32 {
    // The bounds are those of the exponents below. No logarithm is taken where there is nothing to do.
    let most = if T::DTYPE.real() == Dtype::F32 { 20 } else { 200 };
    if largest == 0.0 || largest.is_infinite() || largest < power(most + 1) && largest >= power(-most) {
        return 0;
    }
    let exponent = (largest.log2().floor() as i32).div_euclid(step) * step;
    if exponent.abs() <= most { 0 } else { exponent }
}

/// 2ᵏ, made from the bits of its exponent.
pub fn power(k: i32) -> f64 {
    f64::from_bits(((k + 1023) as u64) << 52)
}

/// The exponent of the largest power of two that is not larger than a positive number.
pub fn exponent_at(x: f64) -> i32 {
    // Of the smallest numbers the bits have no exponent.
    let (x, below) = if x < f64::MIN_POSITIVE { (x * power(64), 64) } else { (x, 0) };
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023 - below
}

/// Multiplies a matrix by 2ᵏ.
pub(crate) fn scale<T: Element>(matrix: &mut Matrix<T>, k: i32) {
    if k != 0 {
        matrix.data.iter_mut().for_each(|x| *x = times_power(*x, k));
    }
}

/// x·2ᵏ for |k| up to 3000.
pub fn times_power<T: Element>(x: T, k: i32) -> T {
    // One factor alone may lie outside of the numbers that f64 holds.
    let third = k / 3;
    T::from_complex(x.to_complex() * power(third) * power(third) * power(k - 2 * third))
}

/// The relative difference up to which components count as equally large, so that a matrix has the same vectors on every device.
pub fn phase_tolerance<T: Element>() -> f64 {
    if T::DTYPE.real() == Dtype::F32 { 1e-3 } else { 1e-7 }
}

/// The position of the largest component, and the number of modulus one that makes it real and positive. If several are equally large, it
/// is the first of them; `None` if all are zero.
pub(crate) fn phase<T: Element>(components: &[T], largest: &dyn Fn(&[T]) -> f64) -> Option<(usize, T)> {
    let tolerance = phase_tolerance::<T>();
    let largest = largest(components);
    if largest == 0.0 {
        return None;
    }
    let limit = largest * (1.0 - tolerance) * (1.0 - tolerance);
    let pivot = components.iter().position(|&x| square(x) >= limit)?;
    Some((pivot, conjugate_phase(components[pivot])))
}

/// The number of modulus one whose product with `x` is real and positive: x̄ / |x|.
pub fn conjugate_phase<T: Element>(x: T) -> T {
    let x = x.to_complex();
    if !T::DTYPE.is_complex() && !x.re.is_nan() {
        return if x.re < 0.0 { -T::ONE } else { T::ONE };
    }
    T::from_complex(x.conj() / x.norm())
}

/// Makes the largest component of each column real and positive; `largest` finds the largest |x|² of some components.
pub(crate) fn set_phases<T: Element>(vectors: &mut Matrix<T>, largest: &dyn Fn(&[T]) -> f64) {
    for column in 0..vectors.columns {
        set_column_phase(vectors, column, largest);
    }
}

/// Makes the largest component of a column real and positive; returns the factor that did.
pub(crate) fn set_column_phase<T: Element>(vectors: &mut Matrix<T>, column: usize, largest: &dyn Fn(&[T]) -> f64) -> Option<T> {
    set_phase(vectors.column_mut(column), largest)
}

/// Makes the largest component of a vector real and positive; returns the factor that did.
pub fn set_phase<T: Element>(vector: &mut [T], largest: &dyn Fn(&[T]) -> f64) -> Option<T> {
    let (pivot, phase) = phase(vector, largest)?;
    if phase != T::ONE {
        vector.iter_mut().for_each(|x| *x *= phase);
        vector[pivot] = T::from_real(vector[pivot].re());
    }
    Some(phase)
}
