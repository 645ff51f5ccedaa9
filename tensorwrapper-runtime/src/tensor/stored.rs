//! Tensors in other layouts than the default: any order of the axes, and padding.
//!
//! The layout does not change the value of a tensor; it decides whether elements must be copied when the tensor is passed to
//! code that expects another layout.
//!
//! `as_slice` means C order and panics for such a tensor, as indexing out of range does: results of equations never have
//! another layout, and a slice in an unexpected order would be a silent error.

use std::sync::Arc;

use super::any::AnyTensor;
use super::dense::Tensor;
use super::extents::checked_extents;
use super::located::Located;
use super::view::TensorRef;
use super::view_mut::TensorMut;
use super::{copy, select};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::{Fill, Layout, Logical, Physical, Strided};
use tensorwrapper_core::shape::{Extents, IntoShape};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;
use tensorwrapper_notation::sentence::{are, counted};

/// What a conversion did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moved {
    /// Nothing: the same memory with another layout.
    Nothing,
    /// The elements were copied into memory of their own.
    Elements,
}

/// Layouts.
impl<T: Element, S: Extents> Tensor<T, S> {
    /// A tensor of elements that are already stored in this layout, padding included. No element is copied. The padding is
    /// assumed to hold what the layout says, which is not checked.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Layout, Tensor};
    /// let columns = Layout::column_major(2);
    /// let t = Tensor::<f64>::from_memory([2, 3], &columns, vec![1.0, 4.0, 2.0, 5.0, 3.0, 6.0])?;
    /// assert_eq!(t[[1, 2]], 6.0);
    /// assert!(t.view().elements().eq(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the extents do not fit `S` or the layout, or the layout needs another number of elements,
    /// padding included; [`ErrorKind::Unsupported`] for a layout with tiles or in memory other than the host's.
    pub fn from_memory(shape: impl IntoShape<S>, layout: &Layout, memory: Vec<T>) -> Result<Self, Error> {
        let strided = covering::<T, S>(shape, layout, memory.len())?;
        Ok(Tensor::in_layout(Located::on_host(memory.into(), strided), kept(layout)))
    }

    /// How the tensor is stored.
    pub fn layout(&self) -> Layout {
        written_down(self.layout.as_deref(), self.rank())
    }

    /// The logical description: element type and extents.
    pub fn logical(&self) -> Logical {
        Logical::new(T::DTYPE, self.extents()).expect("the tensor exists")
    }

    /// Element type, extents and layout; its text is like `f64[2,3]{0,1}`.
    pub fn physical(&self) -> Physical {
        Physical::new(self.logical(), self.layout()).expect("the tensor exists")
    }

    /// All memory of the tensor, in the order of its layout, padding included.
    pub fn memory(&self) -> &[T] {
        &self.located.data
    }

    /// All memory of the tensor, in the order of its layout, padding included, without the extents.
    pub fn into_memory(self) -> Vec<T> {
        self.located.data.into_vec()
    }

    /// The same tensor in another layout, and whether that required a copy. No copy is made if every element is already in its
    /// place; otherwise the elements are copied and the padding is filled anew.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Layout, Moved, Tensor};
    /// let t = Tensor::<f64>::from_slice([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let (t, moved) = t.relayout(&Layout::column_major(2))?;
    /// assert_eq!((t.memory(), moved), (&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0][..], Moved::Elements));
    /// let row = Tensor::<f64>::zeros([1, 3])?;
    /// assert_eq!(row.relayout(&Layout::column_major(2))?.1, Moved::Nothing);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the layout has another rank or pads an axis to less than its extent,
    /// [`ErrorKind::Unsupported`] for tiles and for memory other than the host's, [`ErrorKind::Memory`] when the system has no
    /// memory for a copy.
    #[doc(alias("asfortranarray", "ascontiguousarray"))]
    pub fn relayout(mut self, layout: &Layout) -> Result<(Self, Moved), Error> {
        let physical = stored::<T>(self.extents(), layout)?;
        let (strided, len) = (strided(&physical), physical.buffer_len());
        let same_padding = [Fill::Unknown, self.layout().fill()].contains(&layout.fill()) || len == self.len();
        if len == self.located.data.len() && same_padding && self.located.layout.leads_like(&strided) {
            (self.located.layout, self.layout) = (strided, kept(layout));
            return Ok((self, Moved::Nothing));
        }
        let mut memory = if len == self.len() { Owned::zeros(len)? } else { Owned::filled(len, layout.fill().value())? };
        tensorwrapper_cpu::copy(&self.located.data, &self.located.layout, &mut memory, &strided)?;
        Ok((Tensor::in_layout(self.located.with_both(memory, strided), kept(layout)), Moved::Elements))
    }
}

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// The same elements in C order with other extents. No copy is made if the layout can be read with the new extents; otherwise the
    /// elements are copied in C order. A reshaped view is never a copy: the error of [`TensorRef::reshape`] says why it would have to be.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let t = Tensor::<f64>::from_slice([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// let memory = t.memory().as_ptr();
    /// let t = t.reshape([3, 2])?;
    /// assert_eq!((t[[1, 0]], t.memory().as_ptr()), (3.0, memory));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the extents do not fit `S2` or need another number of elements, [`ErrorKind::Memory`] when the
    /// system has no memory for a copy.
    #[doc(alias("ravel", "flatten", "squeeze", "unsqueeze", "expand_dims", "newaxis", "vec"))]
    pub fn reshape<S2: Extents>(self, shape: impl IntoShape<S2>) -> Result<Tensor<T, S2>, Error> {
        let extents = checked_extents(shape)?;
        if self.is_plain() {
            let strided = select::reshape(&self.located.layout, &extents)?;
            return Ok(Tensor::in_layout(self.located.with_layout(strided), None));
        }
        // Of a layout that cannot be read like that, and of another number of elements, which is an error.
        if let Some(physical) = self.known_physical()
            && let Some(physical) = physical.align(&Logical::new(physical.logical().dtype(), &extents[..])?)?
        {
            let located = self.located.with_layout(strided(&physical));
            return Ok(Tensor::in_layout(located, kept(physical.layout())));
        }
        let strided = select::reshape(&Strided::row_major(self.extents())?, &extents)?;
        let copy = copy::in_c_order(&self.located.data, &self.located.layout)?;
        Ok(Tensor::in_layout(self.located.with_both(copy, strided), None))
    }

    /// Whether the elements are stored in C order without padding.
    pub(crate) fn is_plain(&self) -> bool {
        self.located.data.len() == self.len() && self.located.layout.is_row_major()
    }

    /// Panics if the elements are not stored in C order without padding.
    #[track_caller]
    pub(super) fn assert_plain(&self) {
        assert!(
            self.is_plain(),
            "elements in C order were asked for, but the tensor is stored as `{}`: `memory` has them as they are, `relayout` \
             and `into_vec` bring them into order, `view().elements()` walks them",
            self.stored_as()
        );
    }

    /// Element type, extents and layout, if equations compute with the elements.
    fn known_physical(&self) -> Option<Physical> {
        let logical = Logical::new(T::numbers(&[])?.dtype(), self.extents()).ok()?;
        Physical::new(logical, written_down(self.layout.as_deref(), self.rank())).ok()
    }

    /// The same for people, of any elements.
    fn stored_as(&self) -> String {
        let layout = written_down(self.layout.as_deref(), self.rank());
        let of_others = || format!("{}{:?}{layout}", T::NAME, self.extents());
        self.known_physical().map_or_else(of_others, |physical| physical.to_string())
    }
}

impl<'a, T: Element, S: Extents> TensorRef<'a, T, S> {
    /// A view of elements that are stored in this layout, padding included; see [`Tensor::from_memory`].
    ///
    /// # Errors
    /// As [`Tensor::from_memory`].
    pub fn from_memory(shape: impl IntoShape<S>, layout: &Layout, memory: &'a [T]) -> Result<Self, Error> {
        let strided = covering::<T, S>(shape, layout, memory.len())?;
        Ok(TensorRef::from_located(Located::on_host(memory, strided)))
    }

    /// The layout of the elements, starting at the first element of the view: the order of the axes, with gaps between elements
    /// as padding. `None` if an axis is reversed or repeats its elements, or if the view is a diagonal of two axes.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let t = Tensor::<f64>::zeros([4, 6])?;
    /// let corner = t.view().slice(0, 1..3)?.slice(1, 2..4)?.permute(&[1, 0])?;
    /// assert_eq!(corner.layout().map(|layout| layout.to_string()), Some("{0,1:W(6,2)}".to_string()));
    /// assert_eq!(t.view().reverse(0)?.layout(), None);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn layout(&self) -> Option<Layout> {
        Layout::of_strided(&self.located.layout)
    }
}

impl AnyTensor {
    /// How the tensor is stored.
    pub fn layout(&self) -> Layout {
        written_down(self.layout.as_deref(), self.rank())
    }

    /// Element type, extents and layout.
    pub fn physical(&self) -> Physical {
        let logical = Logical::new(self.dtype(), self.extents()).expect("the tensor exists");
        Physical::new(logical, self.layout()).expect("the tensor exists")
    }
}

impl<'a, T: Element, S: Extents> TensorMut<'a, T, S> {
    /// A view of elements that are stored in this layout, padding included; see [`Tensor::from_memory`].
    ///
    /// # Errors
    /// As [`Tensor::from_memory`].
    pub fn from_memory(shape: impl IntoShape<S>, layout: &Layout, memory: &'a mut [T]) -> Result<Self, Error> {
        let strided = covering::<T, S>(shape, layout, memory.len())?;
        Ok(TensorMut::from_located(Located::on_host(memory, strided)))
    }
}

/// A layout that tensors can have, with its extents.
fn stored<T: Element>(extents: &[usize], layout: &Layout) -> Result<Physical, Error> {
    let physical = Physical::new(Logical::new(T::DTYPE, extents)?, layout.clone())?;
    let unsupported = |message| Err(Error::new(ErrorKind::Unsupported(message)));
    if !layout.tiles().is_empty() {
        return unsupported(format!(
            "a dense tensor is not computed in tiles, as `{physical}` has them; `Physical::store` and `load` convert"
        ));
    }
    match layout.memory_space() {
        0 => Ok(physical),
        space => unsupported(format!("memory {space} of `{physical}` is not the host's, which is 0")),
    }
}

fn strided(physical: &Physical) -> Strided {
    physical.strided().expect("a layout without tiles has strides")
}

/// The strides of a layout for which this many elements of memory are given.
fn covering<T: Element, S: Extents>(shape: impl IntoShape<S>, layout: &Layout, given: usize) -> Result<Strided, Error> {
    let physical = stored::<T>(&checked_extents(shape)?, layout)?;
    match physical.buffer_len() {
        needed if needed == given => Ok(strided(&physical)),
        needed => {
            let message =
                format!("`{physical}` takes {} of memory, but {given} {} given", counted(needed, "element"), are(given));
            Err(Error::new(ErrorKind::Shape(message)))
        }
    }
}

/// The layout that was stored by [`kept`].
fn written_down(layout: Option<&Layout>, rank: usize) -> Layout {
    layout.cloned().unwrap_or_else(|| Layout::row_major(rank))
}

/// The layout to store with a tensor; `None` for the default layout.
fn kept(layout: &Layout) -> Option<Arc<Layout>> {
    (*layout != Layout::row_major(layout.rank())).then(|| Arc::new(layout.clone()))
}
