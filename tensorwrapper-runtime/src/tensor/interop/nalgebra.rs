//! Views from and to `nalgebra`.
//!
//! ```
//! use nalgebra::{DMatrixView, DVector, Dyn, SMatrix};
//! # use tensorwrapper_runtime as tensorwrapper;
//! use tensorwrapper::{Error, Shape, Tensor, TensorRef};
//!
//! let m = SMatrix::<f64, 2, 3>::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0);
//! let t: TensorRef<'_, f64, Shape![2, 3]> = TensorRef::from(&m);
//! assert_eq!(t[[1, 0]], 4.0);
//! let v = DVector::from_vec(vec![1.0, 2.0]);
//! let x: TensorRef<'_, f64, Shape![_]> = (&v).into(); // the vector; `Shape![_, 1]` is the matrix of one column
//! assert_eq!(x[[1]], 2.0);
//!
//! let tensor = Tensor::<f64>::from_fn([2, 3], |i| (3 * i[0] + i[1]) as f64)?;
//! let back = DMatrixView::<f64, Dyn, Dyn>::try_from(tensor.view())?; // rows of a `Tensor` are not 1 apart
//! assert_eq!(back[(1, 0)], 3.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! Matrices that own their elements have no gaps. A matrix whose type has one column converts to a tensor of rank 1 or 2,
//! depending on the requested shape type.

use ::nalgebra::{
    ArrayStorage, Const as Constant, Dim, Dyn as Dynamic, IsContiguous, Matrix, MatrixView, MatrixViewMut, RawStorage,
    RawStorageMut, U1, VecStorage,
};

use super::{Foreign, Gaps, Told, check_rank, read, write};
use crate::tensor::located::Located;
use crate::tensor::{TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Const, Dyn, Extent, Extents};

const VIEW: &str = "a view of `nalgebra`";
const GAPS: Gaps =
    Gaps::Refused("copy it with `clone_owned()`, or borrow the whole matrix and select with `slice` and `step` of the tensor");

/// An extent type of `nalgebra` and the extent type that it becomes.
pub trait Length: Dim {
    /// The extent's type.
    type Extent: Extent;
}

impl Length for Dynamic {
    type Extent = Dyn;
}

impl<const N: usize> Length for Constant<N> {
    type Extent = Const<N>;
}

/// The layout of elements in the order of columns.
fn in_columns(extents: &[usize], elements: usize) -> Result<Strided, Error> {
    let strides = [1, extents[0] as isize];
    Strided::within(extents, &strides[..extents.len()], 0, elements)
}

/// Matrices that own their elements: `$extents` of the `$rank` axes that their shape type has.
macro_rules! owners {
    ($([$($generics:tt)*] $Storage:ty, $R:ty, $C:ty => $S:ty, $rank:literal;)*) => { $(
        impl<'a, T: Element, $($generics)*> From<&'a Matrix<T, $R, $C, $Storage>> for TensorRef<'a, T, $S> {
            fn from(matrix: &'a Matrix<T, $R, $C, $Storage>) -> Self {
                let (extents, elements) = ([matrix.nrows(), matrix.ncols()], matrix.as_slice());
                let layout = in_columns(&extents[..$rank], elements.len()).expect("a matrix lies in its own memory");
                TensorRef::from_located(Located::on_host(elements, layout))
            }
        }

        impl<'a, T: Element, $($generics)*> From<&'a mut Matrix<T, $R, $C, $Storage>> for TensorMut<'a, T, $S> {
            fn from(matrix: &'a mut Matrix<T, $R, $C, $Storage>) -> Self {
                let (extents, elements) = ([matrix.nrows(), matrix.ncols()], matrix.as_mut_slice());
                let layout = in_columns(&extents[..$rank], elements.len()).expect("a matrix lies in its own memory");
                TensorMut::from_located(Located::on_host(elements, layout))
            }
        }
    )* };
}

owners! {
    [const R: usize, const C: usize] ArrayStorage<T, R, C>, Constant<R>, Constant<C> => (Const<R>, Const<C>), 2;
    [const R: usize] ArrayStorage<T, R, 1>, Constant<R>, U1 => (Const<R>,), 1;
    [] VecStorage<T, Dynamic, U1>, Dynamic, U1 => (Dyn,), 1;
}

/// Refuses a matrix that has no elements but more columns or rows than a tensor can have.
impl<'a, T: Element, R: Length, C: Length> TryFrom<&'a Matrix<T, R, C, VecStorage<T, R, C>>>
    for TensorRef<'a, T, (R::Extent, C::Extent)>
where
    VecStorage<T, R, C>: RawStorage<T, R, C> + IsContiguous,
{
    type Error = Error;

    fn try_from(matrix: &'a Matrix<T, R, C, VecStorage<T, R, C>>) -> Result<Self, Error> {
        let layout = in_columns(&[matrix.nrows(), matrix.ncols()], matrix.len())?;
        Ok(TensorRef::from_located(Located::on_host(matrix.as_slice(), layout)))
    }
}

/// Refuses a matrix that has no elements but more columns or rows than a tensor can have.
impl<'a, T: Element, R: Length, C: Length> TryFrom<&'a mut Matrix<T, R, C, VecStorage<T, R, C>>>
    for TensorMut<'a, T, (R::Extent, C::Extent)>
where
    VecStorage<T, R, C>: RawStorageMut<T, R, C> + IsContiguous,
{
    type Error = Error;

    fn try_from(matrix: &'a mut Matrix<T, R, C, VecStorage<T, R, C>>) -> Result<Self, Error> {
        let layout = in_columns(&[matrix.nrows(), matrix.ncols()], matrix.len())?;
        Ok(TensorMut::from_located(Located::on_host(matrix.as_mut_slice(), layout)))
    }
}

/// Views: the first `$rank` of rows and columns.
macro_rules! views {
    ($([$($C:ident)?] $Columns:ty => $S:ty, $rank:literal;)*) => { $(
        /// Refuses a view with gaps between its elements.
        impl<'a, T: Element, R: Length, $($C: Length,)? RS: Dim, CS: Dim> TryFrom<MatrixView<'a, T, R, $Columns, RS, CS>>
            for TensorRef<'a, T, $S>
        {
            type Error = Error;

            fn try_from(view: MatrixView<'a, T, R, $Columns, RS, CS>) -> Result<Self, Error> {
                let ((rows, columns), (row, column)) = (view.shape(), view.strides());
                let (extents, strides) = ([rows, columns], [row as isize, column as isize]);
                let foreign =
                    Foreign { name: VIEW, extents: &extents[..$rank], strides: &strides[..$rank], gaps: GAPS };
                // SAFETY: the view borrows its elements for `'a`, and no others are asked for.
                unsafe { read(view.as_ptr(), &foreign) }
            }
        }

        /// Refuses a view with gaps between its elements.
        impl<'a, T: Element, R: Length, $($C: Length,)? RS: Dim, CS: Dim> TryFrom<MatrixViewMut<'a, T, R, $Columns, RS, CS>>
            for TensorMut<'a, T, $S>
        {
            type Error = Error;

            fn try_from(mut view: MatrixViewMut<'a, T, R, $Columns, RS, CS>) -> Result<Self, Error> {
                let ((rows, columns), (row, column)) = (view.shape(), view.strides());
                let (extents, strides) = ([rows, columns], [row as isize, column as isize]);
                let foreign =
                    Foreign { name: VIEW, extents: &extents[..$rank], strides: &strides[..$rank], gaps: GAPS };
                // SAFETY: the view, which is consumed, borrows its elements for `'a` alone, and no others are asked for.
                unsafe { write(view.as_mut_ptr(), &foreign) }
            }
        }
    )* };
}

views! {
    [C] C => (R::Extent, C::Extent), 2;
    [] U1 => (R::Extent,), 1;
}

/// Converts a tensor of rank 2 to a matrix, and a tensor of rank 1 to a column if the target type has one column. Refuses
/// strides that are negative or 0, and extents or strides other than those of the target type.
impl<'a, T: Element, S: Extents, R: Dim, C: Dim, RS: Dim, CS: Dim> TryFrom<TensorRef<'a, T, S>>
    for MatrixView<'a, T, R, C, RS, CS>
{
    type Error = Error;

    fn try_from(tensor: TensorRef<'a, T, S>) -> Result<Self, Error> {
        let Parts { told, rows, columns, row, column } = Parts::of(&tensor.located.layout)?;
        let elements = &tensor.located.data[told.range];
        Ok(MatrixView::from_slice_with_strides_generic(elements, rows, columns, row, column))
    }
}

/// As for reading.
impl<'a, T: Element, S: Extents, R: Dim, C: Dim, RS: Dim, CS: Dim> TryFrom<TensorMut<'a, T, S>>
    for MatrixViewMut<'a, T, R, C, RS, CS>
{
    type Error = Error;

    fn try_from(tensor: TensorMut<'a, T, S>) -> Result<Self, Error> {
        let Parts { told, rows, columns, row, column } = Parts::of(&tensor.located.layout)?;
        let elements = &mut tensor.located.data[told.range];
        Ok(MatrixViewMut::from_slice_with_strides_generic(elements, rows, columns, row, column))
    }
}

/// A view of ours in the types of `nalgebra`.
struct Parts<R, C, RS, CS> {
    told: Told,
    rows: R,
    columns: C,
    row: RS,
    column: CS,
}

impl<R: Dim, C: Dim, RS: Dim, CS: Dim> Parts<R, C, RS, CS> {
    fn of(layout: &Strided) -> Result<Self, Error> {
        let is_column = layout.rank() == 1 && C::try_to_usize() == Some(1);
        check_rank(layout.extents(), if is_column { 1 } else { 2 }, "nalgebra::Matrix")?;
        let told = Told::of(layout);
        if let Some(axis) = told.strides.iter().position(|&stride| stride <= 0) {
            return refuse(format!(
                "`nalgebra` walks no axis backwards or in place: axis {axis} of extents {:?} and strides {:?}",
                told.extents, told.strides
            ));
        }
        let rows = told.extents[0];
        let columns = told.extents.get(1).copied().unwrap_or(1);
        let empty = layout.is_empty();
        // A stride that is never followed is what the type says, or what it is in a matrix that owns its elements.
        let row_step = match told.strides[0] as usize {
            step if rows > 1 && !empty => step,
            _ => RS::try_to_usize().filter(|&step| step > 0 && !empty).unwrap_or(1),
        };
        let column_step = match told.strides.get(1) {
            Some(&step) if columns > 1 && !empty => step as usize,
            _ => CS::try_to_usize().filter(|_| !empty).unwrap_or(rows),
        };
        Ok(Parts {
            rows: dimension("rows", rows)?,
            columns: dimension("columns", columns)?,
            row: dimension("elements from row to row", row_step)?,
            column: dimension("elements from column to column", column_step)?,
            told,
        })
    }
}

/// A number as a type of `nalgebra`, which may have said it already.
fn dimension<D: Dim>(what: &str, number: usize) -> Result<D, Error> {
    match D::try_to_usize() {
        Some(said) if said != number => refuse(format!("the tensor has {number} {what}, but {said} by the type of the matrix")),
        _ => Ok(D::from_usize(number)),
    }
}

fn refuse<X>(message: String) -> Result<X, Error> {
    Err(Error::new(ErrorKind::Shape(message)))
}
