//! [`TensorRef`]: borrowed elements, read through any strides.

use std::fmt;
use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::dense::Tensor;
use super::extents::{checked_extents, row_major_of};
use super::located::{Located, indexing, metadata, placement};
use super::{copy, select};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::{Positions, Strided};
use tensorwrapper_core::shape::{Extents, IntoShape, Shape};
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::stored::Stored;

/// A tensor borrowed for reading.
///
/// A view addresses its elements through strides, so its slices, chips, permutations and diagonals are views of the same
/// elements and copy nothing.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::TensorRef;
/// let elements = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let matrix = TensorRef::from_slice([2, 3], &elements)?;
/// let last_columns = matrix.slice(1, 1..)?;
/// assert!(last_columns.elements().eq(&[2.0, 3.0, 5.0, 6.0]));
/// assert!(matrix.permute(&[1, 0])?.chip(0, 2)?.elements().eq(&[3.0, 6.0]));
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Arguments of functions
///
/// A function that takes `impl Into<TensorRef<'a, f64, Shape![_, _]>>` accepts a reference to any matrix, whatever the compiler knows of
/// its extents. `Shape![3, _]` accepts matrices whose type says that they have three rows; [`Shape`] accepts tensors of any rank.
/// `&mut` converts to [`TensorMut`](crate::TensorMut) in the same way.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Const, Shape, StaticTensor, Tensor, TensorRef};
/// fn largest<'a>(matrix: impl Into<TensorRef<'a, f64, Shape![_, _]>>) -> f64 {
///     matrix.into().elements().fold(0.0, |largest, x| x.abs().max(largest))
/// }
/// let known: Tensor<f64, Shape![2, 3]> = Tensor::filled((Const, Const), 1.5)?;
/// let unknown: Tensor<f64, Shape![_, _]> = Tensor::filled((2, 3), 2.5)?;
/// let fixed = StaticTensor::<f64, Shape![1, 2]>::new([[0.5, -3.5]]);
/// assert_eq!([largest(&known), largest(&unknown), largest(&unknown.view()), largest(&fixed)], [1.5, 2.5, 2.5, 3.5]);
/// // An array of extents makes a tensor of run-time rank; a tuple makes one whose rank the compiler knows.
/// let any_rank: Tensor<f64> = Tensor::filled([2, 3], 1.0)?;
/// assert_eq!(largest(any_rank.view().into_typed::<Shape![_, _]>()?), 1.0);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// # Arrays of other libraries
///
/// With the features `ndarray`, `faer` and `nalgebra`, the arrays of these libraries convert to views, and views convert to
/// their array views: by `from` if the conversion always succeeds, otherwise by `try_from`. Nothing is copied.
/// [`TensorMut`](crate::TensorMut) converts in the same way, for writing.
///
#[cfg_attr(feature = "ndarray", doc = "```")]
#[cfg_attr(not(feature = "ndarray"), doc = "```ignore")]
/// use ndarray::{ArrayView2, array};
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{TensorRef, einsum};
/// let a = array![[1.0, 2.0], [3.0, 4.0]];
/// let product = einsum::<f64>("ij,jk->ik", &[&TensorRef::from(&a), &TensorRef::try_from(a.t())?])?;
/// let product = ArrayView2::try_from(product.view())?;
/// assert_eq!(product, array![[5.0, 11.0], [11.0, 25.0]]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// | from | by | refused |
/// |---|---|---|
/// | `&Array`, `&mut Array` | `from` | |
/// | `ArrayView`, `ArrayViewMut` | `try_from` | gaps |
/// | `&Col`, `&Row`, and `&mut` | `from` | |
/// | `&Mat` | `try_from` | gaps: `faer` pads columns to 64 bytes |
/// | `&mut Mat` | `try_from` | nothing; the padding is set to zero |
/// | `MatRef`, `ColRef`, `RowRef` and `…Mut` | `try_from` | gaps |
/// | `&SMatrix`, `&SVector`, `&DVector`, and `&mut` | `from` | |
/// | `&DMatrix`, `&mut DMatrix` | `try_from` | a matrix without rows and with more columns than a tensor can have |
/// | `MatrixView`, `MatrixViewMut` | `try_from` | gaps |
///
/// A view has gaps where it leaves out elements that lie between its own: some of the rows of a matrix stored by columns, say.
/// Other code may be writing to those elements, or the memory may be uninitialised, so such a view is refused. Copy it, or
/// borrow the whole array and select the part here.
///
/// In the other direction gaps do not matter. `ndarray` accepts every view for reading, and for writing the views whose strides
/// do not interleave. `faer` accepts every view of rank 1 or 2. `nalgebra` accepts strides above 0, and strides that are known
/// only at run time with `DMatrixView<f64, Dyn, Dyn>`. Otherwise the conversion fails only if the other type has another rank
/// or other extents.
#[derive(Clone)]
pub struct TensorRef<'a, T: Stored, S: Extents = Shape> {
    pub(super) located: Located<&'a [T]>,
    shape: PhantomData<fn() -> S>,
}

impl<'a, T: Stored, S: Extents> TensorRef<'a, T, S> {
    pub(super) fn from_located(located: Located<&'a [T]>) -> TensorRef<'a, T, S> {
        debug_assert_eq!(S::check(located.layout.extents()), Ok(()));
        TensorRef { located, shape: PhantomData }
    }

    /// Elements in C order as a tensor.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the shape does not fit `S`, or needs another number of
    /// elements.
    pub fn from_slice(shape: impl IntoShape<S>, elements: &'a [T]) -> Result<Self, Error> {
        let layout = row_major_of(shape, elements.len())?;
        Ok(TensorRef::from_located(Located::on_host(elements, layout)))
    }

    /// Elements addressed through strides: index `[i, j]` is at `offset + i * strides[0] + j * strides[1]`. Strides count
    /// elements, may be negative, and may be 0.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::TensorRef;
    /// let backwards = TensorRef::strided([3], &[-1], 2, &[1.0, 2.0, 3.0])?;
    /// assert!(backwards.elements().eq(&[3.0, 2.0, 1.0]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the shape does not fit `S`, the number of strides is not
    /// the rank, or an index would fall outside the elements.
    #[doc(alias("as_strided"))]
    pub fn strided(shape: impl IntoShape<S>, strides: &[isize], offset: usize, elements: &'a [T]) -> Result<Self, Error> {
        let layout = Strided::within(&checked_extents(shape)?, strides, offset, elements.len())?;
        Ok(TensorRef::from_located(Located::on_host(elements, layout)))
    }

    metadata!();
    placement!();

    /// The element at an index; `None` if the index is out of range or has another rank.
    pub fn get(&self, index: &[usize]) -> Option<T> {
        self.located.get(index).copied()
    }

    /// All elements in C order, if they are stored in that order without gaps.
    pub fn as_slice(&self) -> Option<&'a [T]> {
        let (layout, start) = (&self.located.layout, self.located.layout.offset());
        match layout.len() {
            0 => Some(&[]),
            len => layout.is_row_major().then(|| &self.located.data[start..start + len]),
        }
    }

    /// All elements, the last index running fastest.
    pub fn elements(&self) -> Elements<'a, T> {
        Elements::new(self.located.data, &self.located.layout)
    }

    /// Copies the elements into a new tensor.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    #[doc(alias("copy", "contiguous", "ascontiguousarray"))]
    pub fn to_tensor(&self) -> Result<Tensor<T, S>, Error> {
        let layout = Strided::row_major(self.extents())?;
        let elements = copy::in_c_order(self.located.data, &self.located.layout)?;
        Ok(Tensor::from_located(self.located.with_both(elements, layout)))
    }

    /// Converts to the shape type [`Shape`], with which the compiler knows nothing of the extents.
    #[must_use]
    pub fn into_dyn(self) -> TensorRef<'a, T> {
        TensorRef::from_located(self.located)
    }

    /// Converts to another shape type `S2`, which says what the compiler knows of the extents.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<TensorRef<'a, T, S2>, Error> {
        S2::check(self.extents())?;
        Ok(TensorRef::from_located(self.located))
    }

    /// The part in a range of an axis, whose indices then count from 0 again.
    ///
    /// # Errors
    /// [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) when the range reaches outside of the axis,
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when it ends before it begins or there is no such axis.
    #[doc(alias("narrow", "getindex"))]
    pub fn slice(&self, axis: usize, range: impl RangeBounds<usize>) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::slice(&self.located.layout, axis, range)?))
    }

    /// The part at one index of an axis; that axis disappears.
    ///
    /// # Errors
    /// [`ErrorKind::Bounds`](crate::ErrorKind::Bounds) when there is no such index,
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis.
    #[doc(alias("take", "select", "index_select", "selectdim"))]
    pub fn chip(&self, axis: usize, index: usize) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::chip(&self.located.layout, axis, index)?))
    }

    /// The axes in another order: axis `n` of the result is axis `axes[n]` of this view.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when `axes` does not name each axis once.
    #[doc(alias("permutedims", "transpose", "swapaxes", "moveaxis", "PermutedDimsArray"))]
    pub fn permute(&self, axes: &[usize]) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::permute(&self.located.layout, axes)?))
    }

    /// The elements whose indices along two axes are equal. The two axes become one, in the place of the first.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the axes are one, differ in extent, or do not exist.
    #[doc(alias("diag"))]
    pub fn diagonal(&self, axis_a: usize, axis_b: usize) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::diagonal(&self.located.layout, axis_a, axis_b)?))
    }

    /// The same elements with one axis reversed.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis.
    #[doc(alias("flip", "fliplr", "flipud"))]
    pub fn reverse(&self, axis: usize) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::reverse(&self.located.layout, axis)?))
    }

    /// Every `step`-th index of an axis, starting at the first.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there is no such axis, or `step` is 0.
    #[doc(alias("stride", "slice"))]
    pub fn step(&self, axis: usize, step: usize) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::step(&self.located.layout, axis, step)?))
    }

    /// The same elements with a new axis before axis `axis`, along which every element is repeated `extent` times.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::TensorRef;
    /// let rows = TensorRef::<f64>::from_slice([2], &[1.0, 2.0])?.repeat(0, 3)?;
    /// assert_eq!((rows.extents(), rows.strides()), (&[3, 2][..], &[0, 1][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when there are fewer than `axis` axes, or when the number of elements
    /// overflows.
    #[doc(alias("broadcast_to", "expand", "expand_dims", "newaxis"))]
    pub fn repeat(&self, axis: usize, extent: usize) -> Result<TensorRef<'a, T>, Error> {
        Ok(self.through(select::repeat(&self.located.layout, axis, extent)?))
    }

    /// The same elements in C order with other extents, without a copy. Axes that are not contiguous with each other in memory
    /// cannot be merged or split differently; the error names them.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::TensorRef;
    /// let elements = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    /// let matrix = TensorRef::<f64>::from_slice([2, 3], &elements)?;
    /// assert_eq!(matrix.reshape([3, 2])?[[1, 0]], 3.0);
    /// assert_eq!(
    ///     matrix.permute(&[1, 0])?.reshape([6]).unwrap_err().to_string(),
    ///     "extents [3, 2] do not become [6] without a copy: axes 0 to 1 have strides [1, 3], which are not crossed as one axis"
    /// );
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the extents do not fit `S2`, need another number of elements, or
    /// need a copy.
    #[doc(alias("ravel", "flatten", "squeeze", "unsqueeze", "expand_dims", "newaxis"))]
    pub fn reshape<S2: Extents>(&self, shape: impl IntoShape<S2>) -> Result<TensorRef<'a, T, S2>, Error> {
        let layout = select::reshape(&self.located.layout, &checked_extents(shape)?)?;
        Ok(TensorRef::from_located(self.located.with_both(self.located.data, layout)))
    }

    /// The same view, as tensors have it.
    pub(crate) fn view(&self) -> TensorRef<'_, T, S> {
        self.clone()
    }

    /// The elements, and where they lie.
    pub(crate) fn located(&self) -> (&'a [T], &Strided) {
        (self.located.data, &self.located.layout)
    }

    /// The elements, their type erased, and where they lie, if equations compute with them.
    pub(crate) fn numbers(&self) -> Option<(SliceRef<'a>, &Strided)> {
        Some((T::numbers(self.located.data)?, &self.located.layout))
    }

    fn through(&self, layout: Strided) -> TensorRef<'a, T> {
        TensorRef::from_located(self.located.with_both(self.located.data, layout))
    }
}

impl<'a, T: Element, S: Extents> TensorRef<'a, T, S> {
    /// The element type, as a value.
    pub fn dtype(&self) -> Dtype {
        T::DTYPE
    }

    /// The elements, their type erased, and where they lie.
    pub(crate) fn parts(&self) -> (SliceRef<'_>, &Strided) {
        (T::erase(self.located.data), &self.located.layout)
    }

    /// The same view, its element type erased.
    #[cfg(test)]
    pub(crate) fn erase(&self) -> super::AnyRef<'a> {
        super::AnyRef { data: T::erase(self.located.data), layout: self.located.layout.clone() }
    }
}

indexing!([T: Stored, S: Extents] TensorRef<'_, T, S>);

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// The whole tensor, borrowed.
    #[must_use]
    pub fn view(&self) -> TensorRef<'_, T, S> {
        let placement = self.placement().clone();
        TensorRef::from_located(Located { placement, ..self.located.with_data(&*self.located.data) })
    }
}

/// Compares extents and elements. The shape types and the layouts in memory do not matter.
impl<T: Stored, S: Extents, S2: Extents> PartialEq<Tensor<T, S2>> for Tensor<T, S> {
    fn eq(&self, other: &Tensor<T, S2>) -> bool {
        self.view() == other.view()
    }
}

/// Compares extents and elements, whatever their layouts in memory.
impl<T: Stored, S: Extents, S2: Extents> PartialEq<TensorRef<'_, T, S2>> for TensorRef<'_, T, S> {
    fn eq(&self, other: &TensorRef<'_, T, S2>) -> bool {
        self.extents() == other.extents()
            && match (self.as_slice(), other.as_slice()) {
                (Some(a), Some(b)) => a == b,
                _ => self.elements().eq(other.elements()),
            }
    }
}

/// Iterator over all elements of a view, the last index running fastest; see [`TensorRef::elements`].
#[derive(Clone)]
pub struct Elements<'a, T> {
    data: &'a [T],
    /// What is left of the elements that follow each other in memory, and how many of them do so each time.
    run: std::slice::Iter<'a, T>,
    length: usize,
    /// Where the runs begin that are left.
    starts: Positions<Strided>,
}

impl<'a, T> Elements<'a, T> {
    fn new(data: &'a [T], layout: &Strided) -> Elements<'a, T> {
        let none = || layout.clone().slice(0, 0, 0).into_positions();
        let (start, last) = (layout.offset(), layout.rank().wrapping_sub(1));
        if layout.rank() > 0 && layout.is_row_major() && !layout.is_empty() {
            let run = data[start..start + layout.len()].iter();
            return Elements { data, run, length: 1, starts: none() };
        }
        if layout.rank() > 0 && layout.strides()[last] == 1 && !layout.is_empty() {
            let starts = layout.chip(last, 0).into_positions();
            return Elements { data, run: [].iter(), length: layout.extents()[last], starts };
        }
        Elements { data, run: [].iter(), length: 1, starts: layout.clone().into_positions() }
    }
}

impl<'a, T> Iterator for Elements<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        if let Some(element) = self.run.next() {
            return Some(element);
        }
        let start = self.starts.next()?;
        self.run = self.data[start..start + self.length].iter();
        self.run.next()
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a T) -> B>(self, first: B, mut function: F) -> B {
        let folded = self.run.fold(first, &mut function);
        self.starts.fold(folded, |folded, start| self.data[start..start + self.length].iter().fold(folded, &mut function))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.run.len() + self.starts.len() * self.length;
        (left, Some(left))
    }
}

impl<T> ExactSizeIterator for Elements<'_, T> {}

impl<T> fmt::Debug for Elements<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Elements({} left)", self.len())
    }
}
