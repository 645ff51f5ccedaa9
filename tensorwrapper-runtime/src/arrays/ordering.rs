//! Sorted lines, running sums, and the different elements of a tensor.
//!
//! Elements are ordered by `<`; NaN comes last, as in NumPy.

use std::cmp::Ordering;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::{Number, Stored};

use super::axes::checked;
use super::iteration::lanes;
use super::methods;
use crate::tensor::{Tensor, TensorRef};

/// A total order: by `<`, and NaN behind everything.
fn order<T: PartialOrd>(x: &T, y: &T) -> Ordering {
    let is_nan = |x: &T| x.partial_cmp(x).is_none();
    x.partial_cmp(y).unwrap_or_else(|| is_nan(x).cmp(&is_nan(y)))
}

/// A tensor of the same extents, whose lines along an axis are made from those of a view by a function that writes one.
fn by_lines<T: Stored, S: Extents, U: Stored>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    mut write: impl FnMut(&[T], &mut Vec<U>),
) -> Result<Tensor<U, S>, Error> {
    let (rank, extents) = (view.rank(), view.extents());
    checked(axis, rank)?;
    let layout = Strided::row_major(extents)?;
    let mut result: Tensor<U, S> = Tensor::from_parts(Owned::zeros(layout.len())?, layout);
    let (mut line, mut written) = (Vec::with_capacity(extents[axis]), Vec::with_capacity(extents[axis]));
    let (elements, to) = result.parts_mut();
    let stride = to.strides()[axis] as usize;
    // The first elements of the lines stand in the same order here and there.
    let starts = if extents[axis] == 0 { Strided::row_major(&[0])? } else { to.chip(axis, 0) };
    for (lane, start) in lanes(view, axis)?.zip(starts.into_positions()) {
        line.clear();
        line.extend(lane.elements().copied());
        written.clear();
        write(&line, &mut written);
        written.iter().enumerate().for_each(|(n, x)| elements[start + n * stride] = *x);
    }
    Ok(result)
}

fn sort_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    by_lines(view, axis, |line, sorted| {
        sorted.extend_from_slice(line);
        sorted.sort_by(order);
    })
}

fn argsort_along<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<i64, S>, Error> {
    by_lines(view, axis, |line, sorted| {
        sorted.extend(0..line.len() as i64);
        sorted.sort_by(|&x, &y| order(&line[x as usize], &line[y as usize]));
    })
}

fn running<T: Number>(line: &[T], start: T, function: impl Fn(T, T) -> T, written: &mut Vec<T>) {
    let mut total = start;
    written.extend(line.iter().map(|&x| {
        total = function(total, x);
        total
    }));
}

fn cumsum_along<T: Number, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    by_lines(view, axis, |line, sums| running(line, T::NOTHING, T::plus, sums))
}

fn cumprod_along<T: Number, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize) -> Result<Tensor<T, S>, Error> {
    by_lines(view, axis, |line, products| running(line, T::UNIT, T::times, products))
}

fn unique<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, (Dyn,)>, Error> {
    let mut elements: Vec<T> = Vec::new();
    elements.extend(view.elements());
    elements.sort_by(order);
    elements.dedup_by(|x, y| order(x, y).is_eq());
    Tensor::from_vec((elements.len(),), elements)
}

methods!(impl[T: Stored + PartialOrd] {
    /// The same elements in ascending order along an axis, NaN last. Equal elements keep their order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[3.0, 1.0, 2.0], [0.5, 4.0, 0.0]])?;
    /// assert_eq!(a.sort_along(1)?.as_slice(), [1.0, 2.0, 3.0, 0.0, 0.5, 4.0]);
    /// assert_eq!(a.argsort_along(1)?.as_slice(), [1, 2, 0, 2, 0, 1]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the
    /// system has no memory for the result.
    fn sort_along(axis: usize) -> Result<Tensor<T, S>, Error> = sort_along;

    /// Where along an axis the elements are that [`sort_along`](Tensor::sort_along) puts there.
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    fn argsort_along(axis: usize) -> Result<Tensor<i64, S>, Error> = argsort_along;

    /// The different elements in ascending order, each once; NaN last, and once.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn unique() -> Result<Tensor<T, (Dyn,)>, Error> = unique;
});

methods!(impl[T: Number] {
    /// The running sums along an axis: each element and all before it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1, 2, 3], [4, 5, 6]])?;
    /// assert_eq!(a.cumsum_along(1)?.as_slice(), [1, 3, 6, 4, 9, 15]);
    /// assert_eq!(a.cumprod_along(0)?.as_slice(), [1, 2, 3, 4, 10, 18]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    fn cumsum_along(axis: usize) -> Result<Tensor<T, S>, Error> = cumsum_along;

    /// The running products along an axis.
    ///
    /// # Errors
    /// As [`sort_along`](Tensor::sort_along).
    fn cumprod_along(axis: usize) -> Result<Tensor<T, S>, Error> = cumprod_along;
});
