//! What element types are to `faer`, and matrices as it sees them. Knows no algorithm.

use faer::traits::ComplexField;
use faer::{MatMut, MatRef};

use super::panels::Panelled;
use super::stripes::Striped;
use super::transpose::Transposable;
use tensorwrapper_core::backend::linear::{Failure, Matrix};
use tensorwrapper_core::element::Element;

pub(super) fn view<T: Element>(a: &Matrix<T>) -> MatRef<'_, T> {
    MatRef::from_column_major_slice(&a.data, a.rows, a.columns)
}

pub(super) fn view_mut<T: Element>(a: &mut Matrix<T>) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_mut(&mut a.data, a.rows, a.columns)
}

/// What elements are for faer.
pub(super) trait Number:
    ComplexField + General + Panelled + Striped + Transposable + Element<Real = <Self as ComplexField>::Real>
{
}
impl<T: ComplexField + General + Panelled + Striped + Transposable + Element<Real = <T as ComplexField>::Real>> Number for T {}

/// The decompositions that real and complex matrices have of their own.
pub(super) trait General: Element {
    /// Eigenvalues and eigenvectors; of a real matrix the real and the imaginary part of the vector that belongs to the upper one of
    /// two conjugates are two columns.
    fn decompose(a: &Matrix<Self>) -> Result<(Vec<Self::Complex>, Matrix<Self>), Failure>;
}
