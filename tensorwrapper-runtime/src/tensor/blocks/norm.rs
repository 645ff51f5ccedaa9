//! Frobenius norms of elements, whose squares need not be numbers of their type.

use tensorwrapper_core::element::Element;

/// Whether no square that matters was too large or too small for any type of elements.
pub(super) fn is_exact(square: f64) -> bool {
    (1e-25..1e25).contains(&square)
}

/// The root of the sum of squares of absolute values.
pub(crate) fn norm<T: Element>(elements: &[T]) -> f64 {
    let square: f64 = elements.iter().map(|x| x.to_complex().norm_sqr()).sum();
    if is_exact(square) || square.is_nan() {
        return square.sqrt();
    }
    // Divided by the largest, so that squares neither overflow nor vanish.
    let sizes = || elements.iter().map(|x| x.to_complex().norm());
    let largest = sizes().fold(0.0, f64::max);
    if largest == 0.0 || largest.is_infinite() {
        return largest;
    }
    largest * sizes().map(|size| (size / largest).powi(2)).sum::<f64>().sqrt()
}
