//! Elements taken from a tensor: those that a mask keeps, and those at indices that another tensor has.

use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extents};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::{checked, same_extents};
use super::iteration::count;
use super::methods;
use super::operand::WholeOperand;
use super::runs::{Runs, in_runs};
use crate::tensor::{Tensor, TensorRef, out_of_range};

fn compress<T: Stored, S: Extents>(
    view: &TensorRef<'_, T, S>,
    mask: impl WholeOperand<bool>,
) -> Result<Tensor<T, (Dyn,)>, Error> {
    let mask = mask.read();
    same_extents("`compress` by a mask", view.extents(), mask.extents())?;
    let count = count(&mask);
    // One element more than are kept, so that each is written before it is known whether it is.
    let mut elements = Owned::for_results(count + 1)?;
    let mut next = 0;
    for (x, &is_kept) in view.elements().zip(mask.elements()) {
        elements[next] = *x;
        next += usize::from(is_kept);
    }
    let mut elements = elements.into_vec();
    elements.truncate(count);
    let layout = Strided::row_major(&[elements.len()])?;
    Ok(Tensor::from_parts(elements, layout))
}

/// An index, if an axis of this extent has it.
fn inside(index: i64, extent: usize) -> Option<usize> {
    usize::try_from(index).ok().filter(|&index| index < extent)
}

/// The indices along an axis of this extent, in C order.
///
/// # Errors
/// [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) at the first one that the axis does not have.
fn indices(taken: &TensorRef<'_, i64>, axis: usize, extent: usize) -> Result<Vec<usize>, Error> {
    let found = |&index: &i64| inside(index, extent).ok_or_else(|| out_of_range(index.to_string(), axis, extent));
    taken.elements().map(found).collect()
}

fn take<T: Stored, S: Extents>(view: &TensorRef<'_, T, S>, axis: usize, at: impl WholeOperand<i64>) -> Result<Tensor<T>, Error> {
    let extent = view.extents()[checked(axis, view.rank())?];
    let at = at.read();
    let [before, after] = [&view.extents()[..axis], &view.extents()[axis + 1..]];
    let layout = Strided::row_major(&[before, at.extents(), after].concat())?;
    let taken = indices(&at, axis, extent)?;
    let mut elements = Owned::with_room(layout.len())?;
    if !layout.is_empty() {
        in_runs(view, |source| Taken { source, axis, indices: &taken }.append(0, source.start, &mut elements))?;
    }
    Ok(Tensor::from_parts(elements, layout))
}

/// Indices taken along an axis.
struct Taken<'a, T> {
    source: &'a Runs<'a, T>,
    axis: usize,
    indices: &'a [usize],
}

impl<T: Stored> Taken<'_, T> {
    /// Appends what is taken of the axes from this one on, of which the tensor's first element is at this position.
    fn append(&self, axis: usize, start: usize, into: &mut Owned<T>) {
        let next = |n: usize| self.source.position(axis, start, n);
        if axis == self.axis {
            self.indices.iter().for_each(|&n| self.source.append_to(axis + 1, next(n), into));
        } else {
            (0..self.source.extents[axis]).for_each(|n| self.append(axis + 1, next(n), into));
        }
    }
}

fn take_along<T: Stored, S: Extents>(
    view: &TensorRef<'_, T, S>,
    axis: usize,
    at: impl WholeOperand<i64>,
) -> Result<Tensor<T>, Error> {
    let extent = view.extents()[checked(axis, view.rank())?];
    let at = at.read();
    let mut extents = view.extents().to_vec();
    extents[axis] = if at.rank() == extents.len() { at.extents()[axis] } else { extent };
    same_extents(&format!("`take_along` axis {axis}"), &extents, at.extents())?;
    let layout = Strided::row_major(&extents)?;
    let mut result = Owned::with_room(layout.len())?;
    if extent == 0 {
        indices(&at, axis, 0)?;
    } else if !layout.is_empty() {
        let lanes = Lanes { source: Runs::new(view), axis };
        in_runs(&at, |at| lanes.append([lanes.source.start, at.start], 0, at, &mut result))??;
    }
    Ok(Tensor::from_parts(result, layout))
}

/// Lanes along an axis, of which each index of the other axes has one.
struct Lanes<'a, T> {
    source: Runs<'a, T>,
    axis: usize,
}

impl<T: Stored> Lanes<'_, T> {
    /// Appends what the indices take of the axes from this one on. `lane` is the position of the lanes' first element, and `start` that
    /// of the first index.
    fn append(&self, [lane, start]: [usize; 2], axis: usize, at: &Runs<'_, i64>, into: &mut Owned<T>) -> Result<(), Error> {
        let (source, along) = (&self.source, self.axis);
        // Along the lanes' own axis the lane stays.
        let lane_at = |n: usize| if axis == along { lane } else { source.position(axis, lane, n) };
        if axis + 1 < at.extents.len() {
            return (0..at.extents[axis])
                .try_for_each(|n| self.append([lane_at(n), at.position(axis, start, n)], axis + 1, at, into));
        }
        let (extent, mut outside) = (source.extents[along], None);
        at.each(axis, start, &mut |indices| {
            into.extend(indices.iter().enumerate().map(|(n, &index)| {
                // Reported below; until then the first element stands for it.
                let index = inside(index, extent).unwrap_or_else(|| {
                    outside.get_or_insert(index);
                    0
                });
                source.elements[source.position(along, lane_at(n), index)]
            }));
        });
        outside.map_or(Ok(()), |index: i64| Err(out_of_range(index.to_string(), along, extent)))
    }
}

methods!(impl[T: Stored] {
    /// What the tensor has at these indices along an axis. The axes of the indices stand in the place of this axis: NumPy's
    /// `take(a, indices, axis)`. The same index may be taken several times.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])?;
    /// assert_eq!(a.take(0, Tensor::from_array([2, 0])?)?, Tensor::from_array([[5.0, 6.0], [1.0, 2.0]])?);
    /// // The rows in the order of their first elements.
    /// let order = a.view().chip(1, 0)?.argsort_along(0)?;
    /// assert_eq!(a.take(0, order)?, a);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) when an
    /// index is negative or beyond its extent, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the
    /// result.
    #[doc(alias("gather", "index_select", "fancy_indexing"))]
    fn take(axis: usize, at: impl WholeOperand<i64>) -> Result<Tensor<T>, Error> = take;

    /// For each index of the other axes, what the tensor has at these indices along an axis: NumPy's `take_along_axis`. The indices have
    /// the tensor's extents, but for this axis; those of [`argsort_along`](Tensor::argsort_along) sort the tensor.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]])?;
    /// assert_eq!(a.take_along(1, a.argsort_along(1)?)?, a.sort_along(1)?);
    /// assert_eq!(a.take_along(1, Tensor::from_array([[0], [1]])?)?.as_slice(), [3.0, 6.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis or other extents differ,
    /// [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) when an index is negative or beyond the axis,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("take_along_axis", "take_along_dim", "gather"))]
    fn take_along(axis: usize, at: impl WholeOperand<i64>) -> Result<Tensor<T>, Error> = take_along;

    /// The elements at which a mask of the same extents is true, in C order: NumPy's `a[mask]`.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([1.0, -2.0, 3.0])?;
    /// assert_eq!(a.compress(a.greater(0.0)?)?.as_slice(), [1.0, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the
    /// system has no memory for the result.
    #[doc(alias("mask", "filter", "extract", "boolean_mask"))]
    fn compress(mask: impl WholeOperand<bool>) -> Result<Tensor<T, (Dyn,)>, Error> = compress;
});
