//! Views from and to `ndarray`.
//!
//! ```
//! use ndarray::{Array2, ArrayView2, array};
//! # use tensorwrapper_runtime as tensorwrapper;
//! use tensorwrapper::{Error, Shape, TensorMut, TensorRef};
//!
//! let mut a: Array2<f64> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
//! let t: TensorRef<'_, f64, Shape![_, _]> = TensorRef::from(&a);
//! assert_eq!(t[[1, 0]], 4.0);
//! let columns = TensorRef::try_from(a.t())?; // a view: refused where it has gaps
//! assert_eq!(columns[[2, 1]], 6.0);
//! let back = ArrayView2::from(columns);
//! assert_eq!(back, a.t());
//! TensorMut::from(&mut a)[[0, 0]] = 10.0;
//! assert_eq!(a[[0, 0]], 10.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! An [`Array`] is borrowed as a whole, even if it was sliced. A view with gaps is refused, because `ndarray` lets several
//! writers hold parts of one array.

use ::ndarray::{
    Array, ArrayView, ArrayViewD, ArrayViewMut, Axis, Dimension, Ix0, Ix1, Ix2, Ix3, Ix4, Ix5, Ix6, IxDyn, ShapeBuilder,
};

use super::{Foreign, Gaps, Told, check_rank, read, write};
use crate::tensor::{TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Dyn, Extent, Extents, Shape};

const VIEW: &str = "a view of `ndarray`";
const GAPS: Gaps =
    Gaps::Refused("copy it with `to_owned()`, or borrow the whole `Array` and select with `slice` and `step` of the tensor");

/// A dimension type of `ndarray`, and the shape type that it becomes.
pub trait Axes: Dimension {
    /// `Shape![_, _]` for `Ix2`, and [`Shape`] if the number of axes is known only at run time.
    type Shape: Extents;
}

/// A number of axes that the compiler knows.
pub trait FixedAxes: Axes {}

impl Axes for IxDyn {
    type Shape = Shape;
}

fn told_by<'v>(extents: &'v [usize], strides: &'v [isize], gaps: Gaps) -> Foreign<'v> {
    Foreign { name: VIEW, extents, strides, gaps }
}

/// Borrows the whole array, whatever its layout in memory.
impl<'a, T: Element, D: Axes> From<&'a Array<T, D>> for TensorRef<'a, T, D::Shape> {
    fn from(array: &'a Array<T, D>) -> Self {
        let foreign = told_by(array.shape(), array.strides(), Gaps::Borrowed);
        // SAFETY: all elements lie in the one vector that the array owns and nobody else reaches while the array is borrowed.
        // All of that vector is initialised, gaps too, because the safe `into_raw_vec_and_offset` gives it away.
        unsafe { read(array.as_ptr(), &foreign) }.expect("`ndarray` keeps extents and strides inside of memory")
    }
}

/// Borrows the whole array, whatever its layout in memory.
impl<'a, T: Element, D: Axes> From<&'a mut Array<T, D>> for TensorMut<'a, T, D::Shape> {
    fn from(array: &'a mut Array<T, D>) -> Self {
        let first = array.as_mut_ptr();
        let foreign = told_by(array.shape(), array.strides(), Gaps::Borrowed);
        // SAFETY: as for reading, and the array is borrowed for writing.
        unsafe { write(first, &foreign) }.expect("`ndarray` keeps the elements of an array apart and inside of memory")
    }
}

/// Refuses a view with gaps between its elements.
impl<'a, T: Element, D: Axes> TryFrom<ArrayView<'a, T, D>> for TensorRef<'a, T, D::Shape> {
    type Error = Error;

    fn try_from(view: ArrayView<'a, T, D>) -> Result<Self, Error> {
        let foreign = told_by(view.shape(), view.strides(), GAPS);
        // SAFETY: a view borrows its elements for `'a`, and no others are asked for.
        unsafe { read(view.as_ptr(), &foreign) }
    }
}

/// Refuses a view with gaps between its elements.
impl<'a, T: Element, D: Axes> TryFrom<ArrayViewMut<'a, T, D>> for TensorMut<'a, T, D::Shape> {
    type Error = Error;

    fn try_from(mut view: ArrayViewMut<'a, T, D>) -> Result<Self, Error> {
        let first = view.as_mut_ptr();
        let foreign = told_by(view.shape(), view.strides(), GAPS);
        // SAFETY: the view, which is consumed, borrows its elements for `'a` alone, and no others are asked for.
        unsafe { write(first, &foreign) }
    }
}

impl<'a, T: Element, S: Extents> From<TensorRef<'a, T, S>> for ArrayViewD<'a, T> {
    fn from(tensor: TensorRef<'a, T, S>) -> Self {
        reading(tensor)
    }
}

/// Refuses a tensor of another rank.
impl<'a, T: Element, D: FixedAxes> TryFrom<TensorRef<'a, T>> for ArrayView<'a, T, D> {
    type Error = Error;

    fn try_from(tensor: TensorRef<'a, T>) -> Result<Self, Error> {
        check_axes::<D>(tensor.extents(), "ndarray::ArrayView")?;
        Ok(reading(tensor))
    }
}

/// Refuses a tensor of another rank, and strides in which no axis steps over all elements of those with smaller strides.
impl<'a, T: Element, S: Extents, D: Dimension> TryFrom<TensorMut<'a, T, S>> for ArrayViewMut<'a, T, D> {
    type Error = Error;

    fn try_from(tensor: TensorMut<'a, T, S>) -> Result<Self, Error> {
        check_axes::<D>(tensor.extents(), "ndarray::ArrayViewMut")?;
        let told = Told::of(&tensor.located.layout);
        let elements = &mut tensor.located.data[told.range.clone()];
        let mut view = match elements.is_empty() {
            true => ArrayViewMut::from_shape(dimension::<D>(&told.extents), elements),
            false => ArrayViewMut::from_shape(dimension::<D>(&told.extents).strides(steps::<D>(&told)), elements),
        }
        .map_err(|_| {
            Error::new(ErrorKind::Shape(format!(
                "`ndarray` writes through no strides that interleave: extents {:?} with strides {:?}",
                told.extents, told.strides
            )))
        })?;
        backwards(&told).for_each(|axis| view.invert_axis(axis));
        Ok(view)
    }
}

/// The view of `ndarray`, which has the rank of the tensor.
fn reading<'a, T: Element, S: Extents, D: Dimension>(tensor: TensorRef<'a, T, S>) -> ArrayView<'a, T, D> {
    let told = Told::of(&tensor.located.layout);
    let elements = &tensor.located.data[told.range.clone()];
    let mut view = match elements.is_empty() {
        true => ArrayView::from_shape(dimension::<D>(&told.extents), elements),
        false => ArrayView::from_shape(dimension::<D>(&told.extents).strides(steps::<D>(&told)), elements),
    }
    .expect("the elements of a view lie in its slice, as `ndarray` wants them");
    backwards(&told).for_each(|axis| view.invert_axis(axis));
    view
}

fn dimension<D: Dimension>(numbers: &[usize]) -> D {
    let mut dimension = D::zeros(numbers.len());
    dimension.slice_mut().copy_from_slice(numbers);
    dimension
}

/// Strides forwards: `ndarray` begins at the lowest element, and axes are turned around afterwards.
fn steps<D: Dimension>(told: &Told) -> D {
    dimension(&told.strides.iter().map(|stride| stride.unsigned_abs()).collect::<Vec<_>>())
}

fn backwards(told: &Told) -> impl Iterator<Item = Axis> {
    told.strides.iter().enumerate().filter(|&(_, &stride)| stride < 0).map(|(axis, _)| Axis(axis))
}

fn check_axes<D: Dimension>(extents: &[usize], target: &str) -> Result<(), Error> {
    check_rank(extents, D::NDIM.unwrap_or(extents.len()), target)
}

macro_rules! ranks {
    (@dyn $E:ident) => { Dyn };
    ($($D:ident [$($E:ident),*];)*) => { $(
        impl Axes for $D {
            type Shape = ($(ranks!(@dyn $E),)*);
        }
        impl FixedAxes for $D {}
        impl<'a, T: Element, $($E: Extent),*> From<TensorRef<'a, T, ($($E,)*)>> for ArrayView<'a, T, $D> {
            fn from(tensor: TensorRef<'a, T, ($($E,)*)>) -> Self {
                reading(tensor)
            }
        }
    )* };
}

ranks! {
    Ix0 [];
    Ix1 [A];
    Ix2 [A, B];
    Ix3 [A, B, C];
    Ix4 [A, B, C, D];
    Ix5 [A, B, C, D, E];
    Ix6 [A, B, C, D, E, F];
}
