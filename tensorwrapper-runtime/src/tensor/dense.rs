//! [`Tensor`]: owned, dense elements.

use std::marker::PhantomData;
use std::sync::Arc;

use super::located::{Located, indexing, metadata};
use super::{Placement, copy};
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::{Layout, Strided};
use tensorwrapper_core::shape::{Extents, Shape};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::stored::Stored;

/// The placement of elements that are only in ordinary host memory.
static HOST: Placement = Placement::HOST;
/// The placement of elements that are only in pinned host memory.
static PINNED: Placement = Placement::PINNED;

/// Where on the host elements lie.
pub(super) fn host<T: Stored>(elements: &Owned<T>) -> &'static Placement {
    if elements.is_pinned() { &PINNED } else { &HOST }
}

/// A dense tensor that owns its elements.
///
/// `S` says what the compiler knows of the extents: all of them (`Shape![3, 4]`), some (`Shape![3, _]`), the rank
/// (`Shape![_, _]`), or nothing ([`Shape`], the default). `S` holds no values, so `Tensor<f64>` and `Tensor<f64, Shape![3, _]>`
/// have the same representation in memory, and [`into_dyn`](Tensor::into_dyn) and [`into_typed`](Tensor::into_typed) copy
/// nothing.
///
/// Elements are stored in C order, unless the tensor is given another [`Layout`]. Equations read any layout without converting
/// it first.
///
/// It can hold the numbers of equations ([`Element`]), integers and truth values ([`Stored`](crate::Stored)).
///
/// # Whole tensors
///
/// Equations say more and compute a whole block at once. For what needs no labels there are operators and methods. They compute on the
/// host, and each makes its result at once. Axes are counted from 0; nothing is broadcast.
///
/// | what | |
/// |---|---|
/// | operators | `&a + &b`, `-`, `*`, `/` element by element, with numbers `2.0 * &a`, `-&a`, `+=`, real numbers as factors and divisors of complex tensors; `!`, `&` and `\|` of truth values. An owned operand on the left gives its memory to the result |
/// | made of | [`from_fn`](Tensor::from_fn), [`from_array`](Tensor::from_array), [`zeros`](Tensor::zeros), [`ones`](Tensor::ones), [`filled`](Tensor::filled), [`eye`](Tensor::eye), [`arange`](Tensor::arange), [`linspace`](Tensor::linspace); with the feature `rand` also `random`, `uniform` and `normal` |
/// | all elements | [`sum`](Tensor::sum), [`prod`](Tensor::prod), [`mean`](Tensor::mean), [`var`](Tensor::var), [`std`](Tensor::std), [`sample_var`](Tensor::sample_var), [`sample_std`](Tensor::sample_std), [`norm`](Tensor::norm), [`max`](Tensor::max), [`min`](Tensor::min), [`argmax`](Tensor::argmax), [`argmin`](Tensor::argmin) |
/// | along axes | [`sum_along`](Tensor::sum_along), [`prod_along`](Tensor::prod_along), [`mean_along`](Tensor::mean_along), [`var_along`](Tensor::var_along), [`std_along`](Tensor::std_along), [`sample_var_along`](Tensor::sample_var_along), [`sample_std_along`](Tensor::sample_std_along), [`max_along`](Tensor::max_along), [`min_along`](Tensor::min_along), [`argmax_along`](Tensor::argmax_along), [`argmin_along`](Tensor::argmin_along); [`cumsum_along`](Tensor::cumsum_along), [`cumprod_along`](Tensor::cumprod_along), [`sort_along`](Tensor::sort_along), [`argsort_along`](Tensor::argsort_along) |
/// | one by one | [`iter`](Tensor::iter), [`map`](Tensor::map), [`map_inplace`](Tensor::map_inplace), [`zip_map`](Tensor::zip_map), [`lanes`](Tensor::lanes), [`chips`](Tensor::chips), [`abs`](Tensor::abs), [`exp`](Tensor::exp), [`ln`](Tensor::ln), [`sqrt`](Tensor::sqrt), [`sin`](Tensor::sin), [`cos`](Tensor::cos), [`tanh`](Tensor::tanh), [`powi`](Tensor::powi), [`powf`](Tensor::powf), [`clip`](Tensor::clip), [`round`](Tensor::round), [`floor`](Tensor::floor), [`ceil`](Tensor::ceil), [`sign`](Tensor::sign) |
/// | compared | [`less`](Tensor::less), [`less_equal`](Tensor::less_equal), [`greater`](Tensor::greater), [`greater_equal`](Tensor::greater_equal), [`equal`](Tensor::equal), [`not_equal`](Tensor::not_equal), [`allclose`](Tensor::allclose); [`select`](crate::select), [`compress`](Tensor::compress), [`count`](Tensor::count), [`all`](Tensor::all), [`any`](Tensor::any), [`unique`](Tensor::unique) |
/// | joined, divided | [`concatenate`](crate::concatenate), [`stack`](crate::stack), [`split`](Tensor::split), [`split_at`](Tensor::split_at), [`pad`](Tensor::pad), [`roll`](Tensor::roll), [`tile`](Tensor::tile); [`take`](Tensor::take), [`take_along`](Tensor::take_along) by indices |
/// | matrices | [`t`](Tensor::t), [`transpose`](Tensor::transpose), [`permute`](Tensor::permute), [`matmul`](Tensor::matmul), [`diag`](Tensor::diag), [`tril`](Tensor::tril), [`triu`](Tensor::triu), [`dot`](Tensor::dot), [`outer`](Tensor::outer), [`kron`](Tensor::kron); decompositions are in [`linalg`](crate::linalg) |
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Tensor, select};
/// let a = Tensor::<f64, _>::from_array([[1.0, -2.0], [3.0, -4.0]])?;
/// let b = 2.0 * &a + 1.0;
/// assert_eq!(b.as_slice(), [3.0, -3.0, 7.0, -7.0]);
/// let mut c = &a / 2.0 - b.t();
/// c += 1.0;
/// assert_eq!((-c).as_slice(), [1.5, 7.0, -5.5, -6.0]);
/// assert_eq!((b.sum(), b.max_along(0)?.as_slice()), (0.0, &[7.0, -3.0][..]));
/// assert_eq!(select(&b.greater(0.0)?, &b, 0.0)?.as_slice(), [3.0, 0.0, 7.0, 0.0]);
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
///
/// Operators have no way to return an error. Extents that do not fit are a compile error where the compiler knows them; else an operator
/// panics with the same sentence, as `tensor!` does. Methods return a [`Result`].
///
/// # Indices and shapes
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Shape, Tensor};
/// let t = Tensor::<f64, _>::from_fn([2, 3], |index| (10 * index[0] + index[1]) as f64)?;
/// assert_eq!(t.extents(), [2, 3]);
/// assert_eq!(t[[1, 2]], 12.0);
/// assert_eq!(t.as_slice(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
///
/// let t: Tensor<f64, Shape![2, _]> = t.into_typed()?; // two rows, and the compiler knows it
/// assert!(t.into_dyn().into_typed::<Shape![3, _]>().is_err());
/// # Ok::<(), tensorwrapper_runtime::Error>(())
/// ```
#[doc(alias("ndarray", "array", "ITensor"))]
#[derive(Clone)]
pub struct Tensor<T: Stored, S: Extents = Shape> {
    /// The layout starts at the first element, and no two indices lead to the same element.
    pub(super) located: Located<Owned<T>>,
    /// How the elements are stored; `None` means in C order without padding.
    pub(super) layout: Option<Arc<Layout>>,
    shape: PhantomData<fn() -> S>,
}

impl<T: Stored, S: Extents> Tensor<T, S> {
    /// Puts elements and their layout together. The caller must have checked that they fit: this function checks nothing.
    pub(crate) fn from_parts(elements: impl Into<Owned<T>>, layout: Strided) -> Tensor<T, S> {
        Tensor::from_located(Located::on_host(elements.into(), layout))
    }

    pub(super) fn from_located(located: Located<Owned<T>>) -> Tensor<T, S> {
        debug_assert!(located.layout.is_row_major(), "{:?} is not row-major", located.layout);
        debug_assert_eq!(located.layout.len(), located.data.len(), "{:?} does not cover the elements", located.layout);
        Tensor::in_layout(located, None)
    }

    /// Elements in any layout; `None` is C order without padding.
    pub(super) fn in_layout(located: Located<Owned<T>>, layout: Option<Arc<Layout>>) -> Tensor<T, S> {
        let strided = &located.layout;
        debug_assert!(strided.is_empty() || strided.offset() == 0, "{strided:?} starts elsewhere");
        debug_assert!(strided.reach().is_some_and(|reach| reach <= located.data.len()), "{strided:?} reaches outside");
        debug_assert_eq!(S::check(strided.extents()), Ok(()));
        Tensor { located, layout, shape: PhantomData }
    }

    metadata!();

    /// Where the elements are: on the device that has a copy of them, otherwise on the host.
    pub fn placement(&self) -> &Placement {
        if self.located.data.is_mirrored() { &self.located.placement } else { host(&self.located.data) }
    }

    /// All elements in C order: the last index runs fastest.
    ///
    /// # Panics
    /// If the tensor was given another [layout](Tensor::layout). Results of equations never have one. If the layout is not
    /// known, use `view().as_slice()`, which returns an `Option`.
    #[doc(alias("data", "storage"))]
    #[track_caller]
    pub fn as_slice(&self) -> &[T] {
        self.assert_plain();
        &self.located.data
    }

    /// All elements in C order, writable.
    ///
    /// # Panics
    /// If the tensor was given another [layout](Tensor::layout). Results of equations never have one. If the layout is not
    /// known, use `view().as_slice()`, which returns an `Option`.
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self.assert_plain();
        &mut self.located.data
    }

    /// All elements in C order, without the extents. No memory is allocated. Elements of 4 KiB and more may be moved within
    /// their allocation, in which they began at a cache line. The elements of a tensor in another [layout](Tensor::layout) are
    /// copied.
    ///
    /// # Panics
    /// If the system has no memory for such a copy.
    #[doc(alias("ravel", "flatten", "vec", "tolist"))]
    pub fn into_vec(self) -> Vec<T> {
        if self.is_plain() {
            return self.located.data.into_vec();
        }
        copy::in_c_order(&self.located.data, &self.located.layout).unwrap_or_else(|error| panic!("{error}")).into_vec()
    }

    /// The element at an index; `None` if the index is out of range or has another rank.
    #[doc(alias("item", "getindex"))]
    pub fn get(&self, index: &[usize]) -> Option<T> {
        self.located.get(index).copied()
    }

    /// The element at an index, writable; `None` if the index is out of range or has another rank.
    #[doc(alias("setindex"))]
    pub fn get_mut(&mut self, index: &[usize]) -> Option<&mut T> {
        self.located.get_mut(index)
    }

    /// Converts to the shape type [`Shape`], with which the compiler knows nothing of the extents.
    #[must_use]
    pub fn into_dyn(self) -> Tensor<T> {
        Tensor::in_layout(self.located, self.layout)
    }

    /// Converts to another shape type `S2`, which says what the compiler knows of the extents. No element moves.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) when the rank or a constant extent differs.
    pub fn into_typed<S2: Extents>(self) -> Result<Tensor<T, S2>, Error> {
        S2::check(self.extents())?;
        Ok(Tensor::in_layout(self.located, self.layout))
    }

    /// Says that a device has a copy of the elements.
    pub(crate) fn set_mirror(&mut self, copy: tensorwrapper_core::storage::device_mirror::Copy, device: super::ComputeDevice) {
        self.located.placement = Placement::of(device);
        self.located.data.set_mirror(copy);
    }

    /// Moves the elements to pages of their own, which `pin` then pins.
    ///
    /// # Errors
    /// What `pin` reports, and a lack of memory for the pages.
    pub(crate) fn pin(
        &mut self,
        pin: impl FnOnce(std::ops::Range<usize>) -> Result<tensorwrapper_core::storage::device_mirror::Copy, Error>,
    ) -> Result<(), Error> {
        self.located.data = Owned::in_pages(&self.located.data, pin)?;
        Ok(())
    }

    /// No device has a copy of the elements from now on.
    pub(crate) fn drop_mirror(&mut self) {
        self.located.data.drop_mirror();
    }

    /// Takes other elements of the same number; extents, placement and preferences stay.
    pub(crate) fn replace_elements(&mut self, elements: Owned<T>) {
        debug_assert!(self.is_plain() && self.len() == elements.len(), "elements in C order replace such");
        self.located.data = elements;
    }

    /// The elements, and where they lie.
    pub(crate) fn located(&self) -> (&[T], &Strided) {
        (&self.located.data, &self.located.layout)
    }

    /// The elements, writable, and where they lie.
    pub(crate) fn parts_mut(&mut self) -> (&mut [T], &Strided) {
        (&mut self.located.data, &self.located.layout)
    }
}

impl<T: Element, S: Extents> Tensor<T, S> {
    /// The element type, as a value.
    pub fn dtype(&self) -> Dtype {
        T::DTYPE
    }

    /// The elements, their type erased, and where they lie.
    pub(crate) fn parts(&self) -> (SliceRef<'_>, &Strided) {
        (T::erase(&self.located.data), &self.located.layout)
    }

    /// The whole tensor, borrowed, its element type erased.
    #[cfg(test)]
    pub(crate) fn erase(&self) -> super::AnyRef<'_> {
        self.view().erase()
    }
}

indexing!(mut [T: Stored, S: Extents] Tensor<T, S>);
