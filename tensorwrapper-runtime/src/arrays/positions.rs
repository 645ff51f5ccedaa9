//! Where the largest and the smallest elements are.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, MultiIndex};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::checked;
use super::iteration::lanes;
use super::methods;
use crate::tensor::{Tensor, TensorRef};

/// The number of the first element that none is ahead of; the first NaN, if there is one.
pub(super) fn first<'a, T: Stored + PartialOrd>(
    elements: impl Iterator<Item = &'a T>,
    is_ahead: impl Fn(&T, &T) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, &T)> = None;
    for (n, x) in elements.enumerate() {
        if x.partial_cmp(x).is_none() {
            return Some(n);
        }
        if best.is_none_or(|(_, most)| is_ahead(x, most)) {
            best = Some((n, x));
        }
    }
    best.map(|(n, _)| n)
}

/// The multi-index of an element by its number in C order.
fn index_of(extents: &[usize], mut number: usize) -> MultiIndex {
    let mut index = vec![0; extents.len()];
    for (index, &extent) in index.iter_mut().zip(extents).rev() {
        (*index, number) = (number % extent, number / extent);
    }
    index.into_iter().collect()
}

fn argmax<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<MultiIndex> {
    first(view.elements(), |x, y| x > y).map(|number| index_of(view.extents(), number))
}

fn argmin<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<MultiIndex> {
    first(view.elements(), |x, y| x < y).map(|number| index_of(view.extents(), number))
}

fn along<T: Stored + PartialOrd, S: Extents>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    is_ahead: impl Fn(&T, &T) -> bool,
) -> Result<Tensor<i64>, Error> {
    checked(axis, view.rank())?;
    let mut extents = view.extents().to_vec();
    let extent = extents.remove(axis);
    let layout = Strided::row_major(&extents)?;
    if extent == 0 && !layout.is_empty() {
        let message = format!("extents {:?} have no element along axis {axis}", view.extents());
        return Err(Error::new(ErrorKind::Undefined(message)));
    }
    let mut result = Owned::with_room(layout.len())?;
    result.extend(lanes(view, axis)?.map(|lane| first(lane.elements(), &is_ahead).map_or(0, |n| n as i64)));
    Ok(Tensor::from_parts(result, layout))
}

fn argmax_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<i64>, Error> {
    along(view, axis, |x, y| x > y)
}

fn argmin_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<i64>, Error> {
    along(view, axis, |x, y| x < y)
}

methods!(impl[T: Stored + PartialOrd] {
    /// The index of the largest element, the first of equal ones; `None` if there is no element. NaN counts as the largest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 7.0], [5.0, 4.0]])?;
    /// let at = a.argmax().expect("there are elements");
    /// assert_eq!((&at[..], a[&at]), (&[0, 1][..], 7.0));
    /// assert_eq!(a.argmax_along(0)?.as_slice(), [1, 0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    fn argmax() -> Option<MultiIndex> = argmax;

    /// The index of the smallest element, the first of equal ones; `None` if there is no element. NaN counts as the smallest.
    fn argmin() -> Option<MultiIndex> = argmin;

    /// Where along an axis, which disappears, the largest elements are: the first of equal ones, and the first NaN if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) when it
    /// has no index, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn argmax_along(axis: usize) -> Result<Tensor<i64>, Error> = argmax_along;

    /// Where along an axis, which disappears, the smallest elements are.
    ///
    /// # Errors
    /// As [`argmax_along`](Tensor::argmax_along).
    fn argmin_along(axis: usize) -> Result<Tensor<i64>, Error> = argmin_along;
});
