//! Elements, lines and parts of a tensor, one after the other, and functions of elements.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::{Positions, Strided};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::same_extents;
use super::operand::WholeOperand;
use super::{loops, methods};
use crate::tensor::{Elements, Tensor, TensorMut, TensorRef};

/// `tensor.map(function)`.
pub(super) fn map<T: Stored, S: Extents, U: Stored>(
    view: &TensorRef<'_, T, S>,
    function: impl FnMut(T) -> U,
) -> Result<Tensor<U, S>, Error> {
    let layout = Strided::row_major(view.extents())?;
    let elements = match view.as_slice() {
        Some(from) => loops::written(layout.len(), |to| loops::map_in_order(from, to, function))?,
        None => {
            let mut elements = Owned::with_room(layout.len())?;
            elements.extend(view.elements().copied().map(function));
            elements
        }
    };
    Ok(Tensor::from_parts(elements, layout))
}

/// The same of a function that may be called in any order, on several threads.
pub(super) fn each<T: Stored, S: Extents, U: Stored>(
    view: &TensorRef<'_, T, S>,
    function: impl Fn(T) -> U + Copy + Sync,
) -> Result<Tensor<U, S>, Error> {
    let Some(from) = view.as_slice() else { return map(view, function) };
    let layout = Strided::row_major(view.extents())?;
    Ok(Tensor::from_parts(loops::written(layout.len(), |to| loops::map(from, to, function))?, layout))
}

/// A function of the elements of two views of the same extents, which may be called in any order, on several threads.
pub(super) fn each_pair<T: Stored, S: Extents, U: Stored, V: Stored>(
    left: &TensorRef<'_, T, S>,
    right: &TensorRef<'_, U>,
    function: impl Fn(T, U) -> V + Copy + Sync,
) -> Result<Tensor<V, S>, Error> {
    let layout = Strided::row_major(left.extents())?;
    let elements = match (left.as_slice(), right.as_slice()) {
        (Some(left), Some(right)) => loops::written(layout.len(), |to| loops::zip(left, right, to, function))?,
        _ => in_order(left, right, function)?,
    };
    Ok(Tensor::from_parts(elements, layout))
}

/// The same in C order, one after the other.
fn in_order<T: Stored, S: Extents, U: Stored, V: Stored>(
    left: &TensorRef<'_, T, S>,
    right: &TensorRef<'_, U>,
    mut function: impl FnMut(T, U) -> V,
) -> Result<Owned<V>, Error> {
    let mut elements = Owned::with_room(left.len())?;
    elements.extend(left.elements().zip(right.elements()).map(|(x, y)| function(*x, *y)));
    Ok(elements)
}

/// How many elements are true.
pub(super) fn count<S: Extents>(mask: &TensorRef<'_, bool, S>) -> usize {
    match mask.as_slice() {
        Some(truths) => loops::count(truths),
        None => mask.elements().filter(|&&x| x).count(),
    }
}

/// Whether an element is true, or false.
pub(super) fn contains<S: Extents>(mask: &TensorRef<'_, bool, S>, truth: bool) -> bool {
    match mask.as_slice() {
        Some(truths) => loops::contains(truths, truth),
        None => mask.elements().any(|&x| x == truth),
    }
}

fn zip_map<T: Stored, S: Extents, U: Stored, V: Stored>(
    view: &TensorRef<'_, T, S>,
    other: impl WholeOperand<U>,
    function: impl FnMut(T, U) -> V,
) -> Result<Tensor<V, S>, Error> {
    let other = other.read();
    same_extents("`zip_map` of two tensors", view.extents(), other.extents())?;
    let layout = Strided::row_major(view.extents())?;
    let elements = match (view.as_slice(), other.as_slice()) {
        (Some(left), Some(right)) => loops::written(layout.len(), |to| loops::zip_in_order(left, right, to, function))?,
        _ => in_order(view, &other, function)?,
    };
    Ok(Tensor::from_parts(elements, layout))
}

/// The parts of a view along an axis.
fn parts<'a, T: Stored, S: Extents>(view: &TensorRef<'a, T, S>, axis: usize) -> Result<Vec<TensorRef<'a, T>>, Error> {
    // A missing axis is said by the selection, also where the axis would have no index.
    view.slice(axis, ..)?;
    // Collected results would not know how many there are, and move again and again.
    let (mut parts, number) = (Vec::new(), view.extents()[axis]);
    let bytes = number as u128 * size_of::<TensorRef<'a, T>>() as u128;
    parts.try_reserve_exact(number).map_err(|_| Error::new(ErrorKind::Memory { bytes }))?;
    for index in 0..number {
        parts.push(view.chip(axis, index)?);
    }
    Ok(parts)
}

/// The lines of a tensor along one axis, as views of rank 1: see [`Tensor::lanes`].
#[derive(Clone)]
pub struct Lanes<'a, T: Stored> {
    /// The tensor without the axis: each element is the first of a lane.
    starts: Positions<Strided>,
    elements: &'a [T],
    extent: usize,
    stride: isize,
}

impl<'a, T: Stored> Iterator for Lanes<'a, T> {
    type Item = TensorRef<'a, T>;

    fn next(&mut self) -> Option<TensorRef<'a, T>> {
        let start = self.starts.next()?;
        let lane = TensorRef::strided([self.extent], &[self.stride], start, self.elements);
        Some(lane.unwrap_or_else(|error| unreachable!("a lane lies inside its tensor: {error}")))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.starts.size_hint()
    }
}

pub(super) fn lanes<'a, T: Stored, S: Extents>(view: &TensorRef<'a, T, S>, axis: usize) -> Result<Lanes<'a, T>, Error> {
    let rank = view.rank();
    super::axes::checked(axis, rank)?;
    let (elements, layout) = view.located();
    let (extent, stride) = (layout.extents()[axis], layout.strides()[axis]);
    // Of lanes without elements there are none to begin.
    let starts = if extent == 0 { Strided::row_major(&[0])? } else { layout.chip(axis, 0) };
    Ok(Lanes { starts: starts.into_positions(), elements, extent, stride })
}

/// All elements, the last index running fastest.
fn iter<'a, T: Stored, S: Extents>(view: &TensorRef<'a, T, S>) -> Elements<'a, T> {
    view.elements()
}

methods!(impl[T: Stored] {
    /// A function of each element, as a new tensor, perhaps of another type.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, -2.0], [3.0, -4.0]])?;
    /// assert_eq!(a.map(|x| x > 0.0)?, Tensor::from_array([[true, false], [true, false]])?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    #[doc(alias("apply", "vectorize", "broadcast"))]
    fn map[U: Stored](function: impl FnMut(T) -> U) -> Result<Tensor<U, S>, Error> = map;

    /// A function of each element and the element of another tensor at the same index, as a new tensor.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let (a, b) = (Tensor::from_array([1.0, 5.0])?, Tensor::from_array([2, 3])?);
    /// assert_eq!(a.zip_map(&b, |x: f64, n: i32| x.powi(n))?.as_slice(), [1.0, 125.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents differ, [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the
    /// system has no memory for the result.
    #[doc(alias("zip", "broadcast", "map2"))]
    fn zip_map[U: Stored, V: Stored](other: impl WholeOperand<U>, function: impl FnMut(T, U) -> V) -> Result<Tensor<V, S>, Error> = zip_map;

    /// All elements, the last index running fastest. `for x in &a` does the same.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(a.iter().sum::<f64>(), 10.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("flat", "ravel", "values"))]
    fn iter() -> Elements<'_, T> = iter;

    /// The lines along an axis, as views of rank 1: one for each index of the other axes, the last of them running fastest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// let columns: Vec<f64> = a.lanes(0)?.map(|column| column[[0]] * column[[1]]).collect();
    /// assert_eq!(columns, [4.0, 10.0, 18.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis.
    #[doc(alias("apply_along_axis", "rows", "columns", "eachrow", "eachcol"))]
    fn lanes(axis: usize) -> Result<Lanes<'_, T>, Error> = lanes;

    /// The parts at each index of an axis, as views without this axis: the rows of a matrix, along axis 0.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])?;
    /// let sums: Vec<f64> = a.chips(0)?.iter().map(|row| row.sum()).collect();
    /// assert_eq!(sums, [6.0, 15.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis.
    #[doc(alias("axis_iter", "outer_iter", "eachslice", "unstack", "unbind"))]
    fn chips(axis: usize) -> Result<Vec<TensorRef<'_, T>>, Error> = parts;
});

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// Replaces each element by a function of it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let mut a = Tensor::from_array([1.0, 4.0])?;
    /// a.map_inplace(f64::sqrt);
    /// assert_eq!(a.as_slice(), [1.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    #[doc(alias("apply", "mapv_inplace"))]
    pub fn map_inplace(&mut self, function: impl FnMut(T) -> T) {
        self.view_mut().map_inplace(function);
    }

    /// All elements, writable, the last index running fastest.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let mut a = Tensor::from_array([[1, 2], [3, 4]])?;
    /// for (n, x) in a.iter_mut().enumerate() {
    ///     *x *= n as i32;
    /// }
    /// assert_eq!(a.as_slice(), [0, 2, 6, 12]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    /// If the tensor was given another [layout](Tensor::layout), as [`as_mut_slice`](Tensor::as_mut_slice) does.
    #[doc(alias("nditer"))]
    #[track_caller]
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.as_mut_slice().iter_mut()
    }
}

impl<T: Stored, S: Extents> TensorMut<'_, T, S> {
    /// Replaces each element by a function of it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let mut a = Tensor::from_array([[1, 2], [3, 4]])?;
    /// a.view_mut().chip(1, 0)?.map_inplace(|x| -x);
    /// assert_eq!(a.as_slice(), [-1, 2, -3, 4]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn map_inplace(&mut self, mut function: impl FnMut(T) -> T) {
        if let Some(slice) = self.as_mut_slice() {
            return loops::update_in_order(slice, function);
        }
        let (elements, layout) = self.parts_mut();
        layout.positions().for_each(|position| elements[position] = function(elements[position]));
    }
}

impl<'a, T: Stored, S: Extents> IntoIterator for &'a Tensor<T, S> {
    type Item = &'a T;
    type IntoIter = Elements<'a, T>;
    fn into_iter(self) -> Elements<'a, T> {
        self.iter()
    }
}

impl<'a, T: Stored, S: Extents> IntoIterator for &TensorRef<'a, T, S> {
    type Item = &'a T;
    type IntoIter = Elements<'a, T>;
    fn into_iter(self) -> Elements<'a, T> {
        self.elements()
    }
}

impl<'a, T: Stored, S: Extents> IntoIterator for TensorRef<'a, T, S> {
    type Item = &'a T;
    type IntoIter = Elements<'a, T>;
    fn into_iter(self) -> Elements<'a, T> {
        self.elements()
    }
}

impl<'a, T: Stored, S: Extents> IntoIterator for &'a mut Tensor<T, S> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    #[track_caller]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
