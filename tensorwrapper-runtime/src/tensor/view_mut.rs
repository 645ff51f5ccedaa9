//! [`TensorMut`]: borrowed elements, written through strides with which no two indices lead to the same element.

use std::marker::PhantomData;
use std::ops::RangeBounds;

use super::dense::{Tensor, host};
use super::extents::{checked_extents, row_major_of};
use super::located::{Located, indexing, metadata, placement};
use super::select;
use super::view::TensorRef;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, IntoShape, Shape};
use tensorwrapper_core::stored::Stored;

/// A tensor borrowed for writing. No two of its indices lead to the same element.
///
/// Selections consume the view, because only one view may write at a time. Call [`reborrow`](TensorMut::reborrow) first to keep
/// it.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::TensorMut;
/// let mut elements = [0.0; 6];
/// let mut matrix = TensorMut::from_slice([2, 3], &mut elements)?;
/// matrix[[1, 2]] = 1.0;
/// matrix.chip(1, 0)?[[0]] = 2.0; // the first column's first element
/// assert_eq!(elements, [2.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
pub struct TensorMut<'a, T: Stored, S: Extents = Shape> {
    /// The layout is injective.
    pub(super) located: Located<&'a mut [T]>,
    shape: PhantomData<fn() -> S>,
}

impl<'a, T: Stored, S: Extents> TensorMut<'a, T, S> {
    pub(super) fn from_located(located: Located<&'a mut [T]>) -> TensorMut<'a, T, S> {
        debug_assert_eq!(S::check(located.layout.extents()), Ok(()));
        TensorMut { located, shape: PhantomData }
    }

    /// Elements in C order as a tensor.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the shape does not fit `S`, or needs another number of elements.
    pub fn from_slice(shape: impl IntoShape<S>, elements: &'a mut [T]) -> Result<Self, Error> {
        let layout = row_major_of(shape, elements.len())?;
        Ok(TensorMut::from_located(Located::on_host(elements, layout)))
    }

    /// Elements addressed through strides; see [`TensorRef::strided`].
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the shape does not fit `S`, the number of strides is not the rank, an index would fall outside
    /// the elements, or two indices would lead to the same element.
    pub fn strided(shape: impl IntoShape<S>, strides: &[isize], offset: usize, elements: &'a mut [T]) -> Result<Self, Error> {
        let extents = checked_extents(shape)?;
        let layout = Strided::within(&extents, strides, offset, elements.len())?;
        if !layout.is_injective() {
            return Err(Error::new(ErrorKind::Shape(format!(
                "extents {extents:?} with strides {strides:?} lead two indices to one element, which cannot be written"
            ))));
        }
        Ok(TensorMut::from_located(Located::on_host(elements, layout)))
    }

    metadata!();
    placement!();

    /// The element at an index; `None` if the index is out of range or has another rank.
    pub fn get(&self, index: &[usize]) -> Option<T> {
        self.located.get(index).copied()
    }

    /// The element at an index, writable; `None` if the index is out of range or has another rank.
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        self.located.get_mut(index)
    }

    /// All elements in C order, writable, if they are stored in that order without gaps.
    pub fn as_mut_slice(&mut self) -> Option<&mut [T]> {
        let Located { data, layout, .. } = &mut self.located;
        match layout.len() {
            0 => Some(&mut []),
            len => layout.is_row_major().then(|| &mut data[layout.offset()..][..len]),
        }
    }

    /// The same view for reading.
    #[must_use]
    pub fn view(&self) -> TensorRef<'_, T, S> {
        TensorRef::from_located(self.located.with_data(&*self.located.data))
    }

    /// The same view with a shorter lifetime, after which this view can be used again.
    #[must_use]
    pub fn reborrow(&mut self) -> TensorMut<'_, T, S> {
        let Located { data, layout, placement, preferred } = &mut self.located;
        let (layout, placement, preferred) = (layout.clone(), placement.clone(), *preferred);
        TensorMut::from_located(Located { data, layout, placement, preferred })
    }

    /// Converts to the shape type [`Shape`], with which the compiler knows nothing of the extents.
    #[must_use]
    pub fn into_dyn(self) -> TensorMut<'a, T> {
        TensorMut::from_located(self.located)
    }

    /// Converts to another shape type `S2`, which says what the compiler knows of the extents.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<TensorMut<'a, T, S2>, Error> {
        S2::check(self.extents())?;
        Ok(TensorMut::from_located(self.located))
    }

    /// The part in a range of an axis, whose indices then count from 0 again.
    ///
    /// # Errors
    /// As [`TensorRef::slice`].
    pub fn slice(self, axis: usize, range: impl RangeBounds<usize>) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::slice(&self.located.layout, axis, range)?;
        Ok(self.through(layout))
    }

    /// The part at one index of an axis; that axis disappears.
    ///
    /// # Errors
    /// As [`TensorRef::chip`].
    pub fn chip(self, axis: usize, index: usize) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::chip(&self.located.layout, axis, index)?;
        Ok(self.through(layout))
    }

    /// The axes in another order: axis `n` of the result is axis `axes[n]` of this view.
    ///
    /// # Errors
    /// As [`TensorRef::permute`].
    pub fn permute(self, axes: &[usize]) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::permute(&self.located.layout, axes)?;
        Ok(self.through(layout))
    }

    /// The elements whose indices along two axes are equal. The two axes become one, in the place of the first.
    ///
    /// # Errors
    /// As [`TensorRef::diagonal`].
    pub fn diagonal(self, axis_a: usize, axis_b: usize) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::diagonal(&self.located.layout, axis_a, axis_b)?;
        Ok(self.through(layout))
    }

    /// The same elements with one axis reversed.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis.
    pub fn reverse(self, axis: usize) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::reverse(&self.located.layout, axis)?;
        Ok(self.through(layout))
    }

    /// Every `step`-th index of an axis, starting at the first.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis, or `step` is 0.
    pub fn step(self, axis: usize, step: usize) -> Result<TensorMut<'a, T>, Error> {
        let layout = select::step(&self.located.layout, axis, step)?;
        Ok(self.through(layout))
    }

    /// The same elements in C order with other extents, without a copy.
    ///
    /// # Errors
    /// As [`TensorRef::reshape`].
    pub fn reshape<S2: Extents>(self, shape: impl IntoShape<S2>) -> Result<TensorMut<'a, T, S2>, Error> {
        let layout = select::reshape(&self.located.layout, &checked_extents(shape)?)?;
        Ok(TensorMut::from_located(self.located.with_layout(layout)))
    }

    fn through(self, layout: Strided) -> TensorMut<'a, T> {
        TensorMut::from_located(self.located.with_layout(layout))
    }

    /// The elements, and where they lie.
    pub(crate) fn located(&self) -> (&[T], &Strided) {
        (self.located.data, &self.located.layout)
    }

    /// The elements, writable, and where they lie.
    pub(crate) fn parts_mut(&mut self) -> (&mut [T], &Strided) {
        (self.located.data, &self.located.layout)
    }
}

impl<'a, T: Element, S: Extents> TensorMut<'a, T, S> {
    /// The element type, as a value.
    pub fn dtype(&self) -> Dtype {
        T::DTYPE
    }
}

indexing!(mut [T: Stored, S: Extents] TensorMut<'_, T, S>);

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// The whole tensor, borrowed for writing.
    #[must_use]
    pub fn view_mut(&mut self) -> TensorMut<'_, T, S> {
        let Located { data, layout, preferred, .. } = &mut self.located;
        let (layout, placement, preferred) = (layout.clone(), host(data).clone(), *preferred);
        TensorMut::from_located(Located { data: &mut **data, layout, placement, preferred })
    }
}
