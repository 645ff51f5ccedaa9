//! Where the largest and the smallest elements are.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, MultiIndex};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;
use tensorwrapper_cpu::{first, first_of_columns, first_of_lines};

use super::axes::checked;
use super::iteration::lanes;
use super::{loops, methods};
use crate::tensor::{Tensor, TensorRef, index_of};

/// The number of the first element that none is ahead of, in C order; of the first NaN, if there is one.
fn best<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, is_ahead: impl Fn(T, T) -> bool + Copy) -> Option<usize> {
    match view.as_slice() {
        Some(elements) => first(elements, is_ahead),
        None => first(&view.elements().copied().collect::<Vec<T>>(), is_ahead),
    }
}

fn argmax<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<MultiIndex> {
    best(view, |x, y| x > y).map(|number| index_of(view.extents(), number))
}

fn argmin<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Option<MultiIndex> {
    best(view, |x, y| x < y).map(|number| index_of(view.extents(), number))
}

fn along<T: Stored + PartialOrd, S: Extents>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    is_ahead: impl Fn(T, T) -> bool + Copy,
) -> Result<Tensor<i64>, Error> {
    checked(axis, view.rank())?;
    let mut extents = view.extents().to_vec();
    let extent = extents.remove(axis);
    let layout = Strided::row_major(&extents)?;
    if extent == 0 && !layout.is_empty() {
        let message = format!("extents {:?} have no element along axis {axis}", view.extents());
        return Err(Error::new(ErrorKind::Undefined(message)));
    }
    if layout.is_empty() {
        return Ok(Tensor::from_parts(Owned::zeros(0)?, layout));
    }
    let columns: usize = view.extents()[axis + 1..].iter().product();
    if let Some(elements) = view.as_slice().filter(|_| columns == 1) {
        let result = loops::written(layout.len(), |to| first_of_lines((elements, extent), to, is_ahead, |at| at as i64))?;
        return Ok(Tensor::from_parts(result, layout));
    }
    if let Some(elements) = view.as_slice() {
        let (mut result, mut ahead) = (Owned::for_results(layout.len())?, vec![T::NOTHING; columns]);
        for (at, elements) in result.chunks_exact_mut(columns).zip(elements.chunks_exact(extent * columns)) {
            first_of_columns((elements, columns), at, &mut ahead, is_ahead, |at| at as i64);
        }
        return Ok(Tensor::from_parts(result, layout));
    }
    let mut result = Owned::with_room(layout.len())?;
    result.extend(lanes(view, axis)?.map(|lane| best(&lane, is_ahead).map_or(0, |n| n as i64)));
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
    #[doc(alias("findmax", "indmax"))]
    fn argmax() -> Option<MultiIndex> = argmax;

    /// The index of the smallest element, the first of equal ones; `None` if there is no element. NaN counts as the smallest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[5.0, 7.0], [1.0, 4.0]])?;
    /// assert_eq!(a.argmin(), Some([1, 0].into()));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("findmin", "indmin"))]
    fn argmin() -> Option<MultiIndex> = argmin;

    /// Where along an axis, which disappears, the largest elements are: the first of equal ones, and the first NaN if there is one.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 7.0, 2.0], [5.0, 4.0, 5.0]])?;
    /// assert_eq!(a.argmax_along(1)?.as_slice(), [1, 0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) when
    /// it has no index, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn argmax_along(axis: usize) -> Result<Tensor<i64>, Error> = argmax_along;

    /// Where along an axis, which disappears, the smallest elements are.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 7.0, 2.0], [5.0, 4.0, 5.0]])?;
    /// assert_eq!(a.argmin_along(0)?.as_slice(), [0, 1, 0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`argmax_along`](Tensor::argmax_along).
    fn argmin_along(axis: usize) -> Result<Tensor<i64>, Error> = argmin_along;
});
