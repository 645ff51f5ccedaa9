//! [`StaticTensor`]: elements inline, every extent known to the compiler.
//!
//! Elements are held as nested arrays, because the compiler can remove all bounds checks from loops over `[[T; M]; N]`.

use std::mem::MaybeUninit;
use std::ops::{Index, IndexMut};

use super::AnyRef;
use super::dense::Tensor;
use super::located::{Located, no_such_element};
use super::view::TensorRef;
use super::view_mut::TensorMut;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Extents, NestedArray, StaticExtents};

/// A tensor that holds its elements inline, on the stack or in a constant. All its extents are constants, and it has at most 8
/// axes.
///
/// Equations whose operands are all static become loops over constants: nothing is allocated, recorded or planned, and the
/// result is static too. In an equation with other tensors, static tensors are ordinary operands.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Shape, StaticTensor};
/// const SWAP: StaticTensor<f64, Shape![2, 2]> = StaticTensor::new([[0.0, 1.0], [1.0, 0.0]]);
/// let mut t = SWAP; // a copy, as of an array
/// t[[0, 0]] = 5.0;
/// assert_eq!(t.as_slice(), [5.0, 1.0, 1.0, 0.0]);
/// assert_eq!(t.extents(), [2, 2]);
/// ```
#[derive(Clone, Copy)]
pub struct StaticTensor<T: Element, S: StaticExtents> {
    elements: S::Nested<T>,
}

impl<T: Element, S: StaticExtents> StaticTensor<T, S> {
    /// A tensor of the elements of nested arrays, or a tensor of rank 0 from a plain number.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::StaticTensor;
    /// let t = StaticTensor::new([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]); // a StaticTensor<f64, Shape![2, 3]>
    /// assert_eq!(t[[1, 0]], 4.0);
    /// ```
    pub const fn new<A>(elements: A) -> Self
    where
        A: NestedArray<Elem = T, Extents = S>,
        S: StaticExtents<Nested<T> = A>,
    {
        StaticTensor { elements }
    }

    #[inline(always)]
    pub(crate) fn from_nested(elements: S::Nested<T>) -> Self {
        StaticTensor { elements }
    }

    /// A tensor of the elements that a function writes into memory in C order. It hands the memory back, all of it written.
    #[inline(always)]
    pub(crate) fn written(write: impl for<'p> FnOnce(&'p mut [MaybeUninit<T>]) -> &'p mut [T]) -> Self {
        // SAFETY: what comes back is written.
        StaticTensor { elements: unsafe { written::<T, S>(write).assume_init() } }
    }

    #[inline(always)]
    pub(crate) fn nested(&self) -> &S::Nested<T> {
        &self.elements
    }

    #[inline(always)]
    pub(crate) fn nested_mut(&mut self) -> &mut S::Nested<T> {
        &mut self.elements
    }

    /// A tensor of zeros.
    #[inline]
    pub fn zeros() -> Self {
        Self::filled(T::ZERO)
    }

    /// A tensor whose elements are all the same.
    #[inline]
    pub fn filled(value: T) -> Self {
        StaticTensor { elements: S::repeat(value) }
    }

    /// A tensor whose elements are computed from their indices, in C order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, StaticTensor};
    /// let t: StaticTensor<f32, Shape![2, 2]> = StaticTensor::from_fn(|i| (10 * i[0] + i[1]) as f32);
    /// assert_eq!(t.as_slice(), [0.0, 1.0, 10.0, 11.0]);
    /// ```
    pub fn from_fn(mut element: impl FnMut(&[usize]) -> T) -> Self {
        // Static shapes have at most 8 axes.
        let mut index = [0; 8];
        let index = &mut index[..S::EXTENTS.len()];
        let mut tensor = Self::zeros();
        for place in tensor.as_mut_slice() {
            *place = element(index);
            for (i, &extent) in index.iter_mut().zip(S::EXTENTS).rev() {
                *i += 1;
                if *i < extent {
                    break;
                }
                *i = 0;
            }
        }
        tensor
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &'static [usize] {
        S::EXTENTS
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        S::EXTENTS.len()
    }

    /// Number of elements: the product of the extents, 1 for rank 0.
    pub fn len(&self) -> usize {
        self.as_slice().len()
    }

    /// Whether there is no element, because some extent is 0.
    pub fn is_empty(&self) -> bool {
        self.as_slice().is_empty()
    }

    /// The element type, as a value.
    pub fn dtype(&self) -> Dtype {
        T::DTYPE
    }

    /// All elements in C order: the last index runs fastest.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        S::slice(&self.elements)
    }

    /// All elements in C order, writable.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        S::slice_mut(&mut self.elements)
    }

    /// The elements as nested arrays.
    pub fn into_nested(self) -> S::Nested<T> {
        self.elements
    }

    /// The element at an index; `None` if the index is out of range or has another rank.
    pub fn get(&self, index: &[usize]) -> Option<T> {
        position::<S>(index).map(|p| self.as_slice()[p])
    }

    /// The element at an index, writable; `None` if the index is out of range or has another rank.
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        position::<S>(index).map(|p| &mut self.as_mut_slice()[p])
    }

    /// The whole tensor, borrowed.
    pub fn view(&self) -> TensorRef<'_, T, S> {
        TensorRef::from_located(Located::on_host(self.as_slice(), layout::<S>()))
    }

    /// The whole tensor, borrowed for writing.
    pub fn view_mut(&mut self) -> TensorMut<'_, T, S> {
        TensorMut::from_located(Located::on_host(self.as_mut_slice(), layout::<S>()))
    }

    /// A [`Tensor`] of the same elements and extents.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for it.
    pub fn to_tensor(&self) -> Result<Tensor<T, S>, Error> {
        self.view().to_tensor()
    }

    pub(crate) fn erase(&self) -> AnyRef<'_> {
        AnyRef { data: T::erase(self.as_slice()), layout: layout::<S>() }
    }

    /// The elements, writable, and where they lie.
    pub(crate) fn parts_mut(&mut self) -> (&mut [T], Strided) {
        (self.as_mut_slice(), layout::<S>())
    }
}

/// Memory of zeros.
#[inline(always)]
pub(crate) fn zeroed<T: Element>(place: &mut [MaybeUninit<T>]) -> &mut [T] {
    place.iter_mut().for_each(|element| _ = element.write(T::ZERO));
    // SAFETY: every element was just written.
    unsafe { place.assume_init_mut() }
}

/// The elements of [`StaticTensor::written`]. This function is not inlined and only passes its memory on, so the compiler can
/// use the memory of the final tensor, and nothing is copied.
#[inline(never)]
fn written<T: Element, S: StaticExtents>(
    write: impl for<'p> FnOnce(&'p mut [MaybeUninit<T>]) -> &'p mut [T],
) -> MaybeUninit<S::Nested<T>> {
    let mut elements = MaybeUninit::<S::Nested<T>>::uninit();
    write_all::<T, S>(&mut elements, write);
    elements
}

/// Has all elements written.
#[inline(never)]
fn write_all<T: Element, S: StaticExtents>(
    elements: &mut MaybeUninit<S::Nested<T>>,
    write: impl for<'p> FnOnce(&'p mut [MaybeUninit<T>]) -> &'p mut [T],
) {
    let len = const { size_of::<S::Nested<T>>() / size_of::<T>() };
    // SAFETY: nested arrays are their elements, one behind the other, and these may be uninitialised.
    let place = unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr().cast::<MaybeUninit<T>>(), len) };
    let start = place.as_ptr().cast::<T>();
    let written = write(place);
    // A slice of elements is initialised, and this one is all of the memory.
    assert!(written.as_ptr() == start && written.len() == len, "the memory is handed back whole");
}

pub(super) fn layout<S: StaticExtents>() -> Strided {
    // The type holds as many elements as the extents say, so their number does not overflow.
    Strided::row_major(S::EXTENTS).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The position of an index in C order.
#[inline]
fn position<S: StaticExtents>(index: &[usize]) -> Option<usize> {
    let inside = index.len() == S::EXTENTS.len() && index.iter().zip(S::EXTENTS).all(|(i, extent)| i < extent);
    inside.then(|| index.iter().zip(S::EXTENTS).fold(0, |position, (i, extent)| position * extent + i))
}

/// `t[[i, j]]`, as slices are indexed.
///
/// # Panics
/// When the index is out of range or of another rank.
impl<T: Element, S: StaticExtents, const R: usize> Index<[usize; R]> for StaticTensor<T, S> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, index: [usize; R]) -> &T {
        match position::<S>(&index) {
            Some(position) => &self.as_slice()[position],
            None => no_such_element(&index, &layout::<S>()),
        }
    }
}

/// `t[[i, j]] = x`, as slices are indexed.
///
/// # Panics
/// When the index is out of range or of another rank.
impl<T: Element, S: StaticExtents, const R: usize> IndexMut<[usize; R]> for StaticTensor<T, S> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, index: [usize; R]) -> &mut T {
        match position::<S>(&index) {
            Some(position) => &mut self.as_mut_slice()[position],
            None => no_such_element(&index, &layout::<S>()),
        }
    }
}

/// All zeros.
impl<T: Element, S: StaticExtents> Default for StaticTensor<T, S> {
    fn default() -> Self {
        Self::zeros()
    }
}

/// Equal elements.
impl<T: Element, S: StaticExtents> PartialEq for StaticTensor<T, S> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

/// Equal extents and equal elements.
impl<T: Element, S: StaticExtents, S2: Extents> PartialEq<Tensor<T, S2>> for StaticTensor<T, S> {
    fn eq(&self, other: &Tensor<T, S2>) -> bool {
        self.extents() == other.extents() && self.as_slice() == other.as_slice()
    }
}

/// Copies the elements of a tensor that has the extents of `S`; otherwise fails with
/// [`ErrorKind::Shape`](crate::ErrorKind::Shape).
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Shape, StaticTensor, Tensor};
/// let tensor = Tensor::<f64>::zeros([2, 2])?;
/// let fixed: StaticTensor<f64, Shape![2, 2]> = (&tensor).try_into()?;
/// assert_eq!(fixed, tensor);
/// assert!(StaticTensor::<f64, Shape![4]>::try_from(&tensor).is_err());
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
impl<T: Element, S: StaticExtents, S2: Extents> TryFrom<&Tensor<T, S2>> for StaticTensor<T, S> {
    type Error = Error;
    fn try_from(tensor: &Tensor<T, S2>) -> Result<Self, Error> {
        tensor.view().try_into()
    }
}

/// Copies the elements of a tensor that has the extents of `S`; otherwise fails as for a reference.
impl<T: Element, S: StaticExtents, S2: Extents> TryFrom<Tensor<T, S2>> for StaticTensor<T, S> {
    type Error = Error;
    fn try_from(tensor: Tensor<T, S2>) -> Result<Self, Error> {
        tensor.view().try_into()
    }
}

/// Copies the elements of a view that has the extents of `S`; otherwise fails as for a tensor.
impl<T: Element, S: StaticExtents, S2: Extents> TryFrom<TensorRef<'_, T, S2>> for StaticTensor<T, S> {
    type Error = Error;
    fn try_from(view: TensorRef<'_, T, S2>) -> Result<Self, Error> {
        S::check(view.extents())?;
        let mut tensor = Self::zeros();
        for (place, &element) in tensor.as_mut_slice().iter_mut().zip(view.elements()) {
            *place = element;
        }
        Ok(tensor)
    }
}
