//! Views from and to `faer`.
//!
//! ```
//! use faer::{Mat, MatRef};
//! # use tensorwrapper_runtime as tensorwrapper;
//! use tensorwrapper::{Error, Shape, Tensor, TensorMut, TensorRef};
//!
//! let tensor: Tensor<f64, Shape![_, _]> = Tensor::from_fn((2, 3), |i| (3 * i[0] + i[1]) as f64)?;
//! let matrix = MatRef::from(tensor.view()); // what `faer` computes with
//! assert_eq!(matrix[(1, 0)], 3.0);
//! assert_eq!(TensorRef::try_from(matrix.transpose())?[[2, 1]], 5.0);
//!
//! let mut own: Mat<f64> = Mat::zeros(5, 3); // its columns lie 8 elements apart
//! assert!(TensorRef::try_from(&own).is_err());
//! TensorMut::try_from(&mut own)?[[4, 2]] = 1.0;
//! assert_eq!(own[(4, 2)], 1.0);
//! # Ok::<(), Error>(())
//! ```
//!
//! A [`Mat`] pads its columns to 64 bytes with uninitialised memory. It can be borrowed for reading only if its columns need no
//! padding or it has one column. When it is borrowed for writing, the padding is first set to zero.

use ::faer::{Col, ColMut, ColRef, Mat, MatMut, MatRef, Row, RowMut, RowRef, Shape as Dimension, Stride};

use super::{Foreign, Gaps, Told, check_rank, read, write};
use crate::tensor::{TensorMut, TensorRef};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::{Dyn, Extent, Extents, Shape};

const MATRIX_GAPS: Gaps = Gaps::Refused(
    "a `Mat` pads its columns: borrow all of it with `&mut`, or keep the elements in a `Tensor` and make a `MatRef` of its view",
);
const VECTOR_GAPS: Gaps =
    Gaps::Refused("copy it with `to_owned()`, or borrow the whole matrix and select with `chip` of the tensor");

/// Refuses a matrix whose columns are padded; borrow such a matrix as a [`TensorMut`].
impl<'a, T: Element, R: Dimension, C: Dimension> TryFrom<&'a Mat<T, R, C>> for TensorRef<'a, T, (Dyn, Dyn)> {
    type Error = Error;

    fn try_from(matrix: &'a Mat<T, R, C>) -> Result<Self, Error> {
        TensorRef::try_from(matrix.as_ref())
    }
}

/// The whole matrix. Padding between its columns is set to zero.
impl<'a, T: Element, R: Dimension, C: Dimension> TryFrom<&'a mut Mat<T, R, C>> for TensorMut<'a, T, (Dyn, Dyn)> {
    type Error = Error;

    fn try_from(matrix: &'a mut Mat<T, R, C>) -> Result<Self, Error> {
        let (rows, columns, step) = (matrix.nrows().unbound(), matrix.ncols().unbound(), matrix.col_stride());
        let first = matrix.as_ptr_mut();
        // Nothing stands between the columns of a matrix without rows, however many they are.
        let columns_before_others = if rows == 0 { 0 } else { columns.saturating_sub(1) };
        for column in 0..columns_before_others {
            for row in rows..step as usize {
                // SAFETY: a `Mat` owns memory for `step` rows in each of its columns, of which the rows from `rows` on hold
                // nothing. It is borrowed for writing, and its pointer reaches all of it.
                unsafe { first.add(column * step as usize + row).write(T::ZERO) };
            }
        }
        let foreign = Foreign { name: "a `Mat`", extents: &[rows, columns], strides: &[1, step], gaps: Gaps::Borrowed };
        // SAFETY: the matrix is borrowed for `'a` alone; its elements are initialised, and what lies between its columns has
        // just been.
        unsafe { write(first, &foreign) }
    }
}

/// Refuses a matrix with gaps between its elements.
impl<'a, T: Element, R: Dimension, C: Dimension, RS: Stride, CS: Stride> TryFrom<MatRef<'a, T, R, C, RS, CS>>
    for TensorRef<'a, T, (Dyn, Dyn)>
{
    type Error = Error;

    fn try_from(matrix: MatRef<'a, T, R, C, RS, CS>) -> Result<Self, Error> {
        let extents = [matrix.nrows().unbound(), matrix.ncols().unbound()];
        let strides = [matrix.row_stride().element_stride(), matrix.col_stride().element_stride()];
        let foreign = Foreign { name: "a `MatRef`", extents: &extents, strides: &strides, gaps: MATRIX_GAPS };
        // SAFETY: the view borrows its elements for `'a`, and no others are asked for.
        unsafe { read(matrix.as_ptr(), &foreign) }
    }
}

/// Refuses a matrix with gaps between its elements.
impl<'a, T: Element, R: Dimension, C: Dimension, RS: Stride, CS: Stride> TryFrom<MatMut<'a, T, R, C, RS, CS>>
    for TensorMut<'a, T, (Dyn, Dyn)>
{
    type Error = Error;

    fn try_from(matrix: MatMut<'a, T, R, C, RS, CS>) -> Result<Self, Error> {
        let extents = [matrix.nrows().unbound(), matrix.ncols().unbound()];
        let strides = [matrix.row_stride().element_stride(), matrix.col_stride().element_stride()];
        let foreign = Foreign { name: "a `MatMut`", extents: &extents, strides: &strides, gaps: MATRIX_GAPS };
        // SAFETY: the view, which is consumed, borrows its elements for `'a` alone, and no others are asked for.
        unsafe { write(matrix.as_ptr_mut(), &foreign) }
    }
}

impl<'a, T: Element, R: Extent, C: Extent> From<TensorRef<'a, T, (R, C)>> for MatRef<'a, T> {
    fn from(tensor: TensorRef<'a, T, (R, C)>) -> Self {
        matrix(&tensor)
    }
}

/// Refuses a tensor whose rank is not 2.
impl<'a, T: Element> TryFrom<TensorRef<'a, T, Shape>> for MatRef<'a, T> {
    type Error = Error;

    fn try_from(tensor: TensorRef<'a, T, Shape>) -> Result<Self, Error> {
        check_rank(tensor.extents(), 2, "MatRef")?;
        Ok(matrix(&tensor))
    }
}

impl<'a, T: Element, R: Extent, C: Extent> From<TensorMut<'a, T, (R, C)>> for MatMut<'a, T> {
    fn from(tensor: TensorMut<'a, T, (R, C)>) -> Self {
        matrix_mut(tensor)
    }
}

/// Refuses a tensor whose rank is not 2.
impl<'a, T: Element> TryFrom<TensorMut<'a, T, Shape>> for MatMut<'a, T> {
    type Error = Error;

    fn try_from(tensor: TensorMut<'a, T, Shape>) -> Result<Self, Error> {
        check_rank(tensor.extents(), 2, "MatMut")?;
        Ok(matrix_mut(tensor))
    }
}

fn matrix<'a, T: Element, S: Extents>(tensor: &TensorRef<'a, T, S>) -> MatRef<'a, T> {
    let (first, Told { range, extents, strides }) = told(&tensor.located.layout);
    let elements: &'a [T] = &tensor.located.data[range];
    // SAFETY: all elements of the view lie in this slice, which is borrowed for `'a`; the first stands at `first`.
    unsafe { MatRef::from_raw_parts(elements.as_ptr().add(first), extents[0], extents[1], strides[0], strides[1]) }
}

fn matrix_mut<'a, T: Element, S: Extents>(tensor: TensorMut<'a, T, S>) -> MatMut<'a, T> {
    let (first, Told { range, extents, strides }) = told(&tensor.located.layout);
    let elements: &'a mut [T] = &mut tensor.located.data[range];
    // SAFETY: as for reading; the slice is borrowed for `'a` alone, and no two indices of the view lead to one element.
    unsafe { MatMut::from_raw_parts_mut(elements.as_mut_ptr().add(first), extents[0], extents[1], strides[0], strides[1]) }
}

/// What `faer` is told of a view, and where its first element stands in the range.
fn told(layout: &Strided) -> (usize, Told) {
    let told = Told::of(layout);
    (if layout.is_empty() { 0 } else { layout.offset() - told.range.start }, told)
}

/// Columns and rows, which differ in nothing but names.
macro_rules! vectors {
    ($($Own:ident $Ref:ident $Mut:ident $len:ident $stride:ident;)*) => { $(
        impl<'a, T: Element, N: Dimension> From<&'a $Own<T, N>> for TensorRef<'a, T, (Dyn,)> {
            fn from(vector: &'a $Own<T, N>) -> Self {
                TensorRef::try_from(vector.as_ref()).expect("the elements of a vector that owns them are neighbours")
            }
        }

        impl<'a, T: Element, N: Dimension> From<&'a mut $Own<T, N>> for TensorMut<'a, T, (Dyn,)> {
            fn from(vector: &'a mut $Own<T, N>) -> Self {
                TensorMut::try_from(vector.as_mut()).expect("the elements of a vector that owns them are neighbours")
            }
        }

        /// Refuses a vector with gaps between its elements.
        impl<'a, T: Element, N: Dimension, M: Stride> TryFrom<$Ref<'a, T, N, M>> for TensorRef<'a, T, (Dyn,)> {
            type Error = Error;

            fn try_from(vector: $Ref<'a, T, N, M>) -> Result<Self, Error> {
                let (extents, strides) = ([vector.$len().unbound()], [vector.$stride().element_stride()]);
                let name = concat!("a `", stringify!($Ref), "`");
                let foreign = Foreign { name, extents: &extents, strides: &strides, gaps: VECTOR_GAPS };
                // SAFETY: the view borrows its elements for `'a`, and no others are asked for.
                unsafe { read(vector.as_ptr(), &foreign) }
            }
        }

        /// Refuses a vector with gaps between its elements.
        impl<'a, T: Element, N: Dimension, M: Stride> TryFrom<$Mut<'a, T, N, M>> for TensorMut<'a, T, (Dyn,)> {
            type Error = Error;

            fn try_from(vector: $Mut<'a, T, N, M>) -> Result<Self, Error> {
                let (extents, strides) = ([vector.$len().unbound()], [vector.$stride().element_stride()]);
                let name = concat!("a `", stringify!($Mut), "`");
                let foreign = Foreign { name, extents: &extents, strides: &strides, gaps: VECTOR_GAPS };
                // SAFETY: the view, which is consumed, borrows its elements for `'a` alone, and no others are asked for.
                unsafe { write(vector.as_ptr_mut(), &foreign) }
            }
        }

        impl<'a, T: Element, N: Extent> From<TensorRef<'a, T, (N,)>> for $Ref<'a, T> {
            fn from(tensor: TensorRef<'a, T, (N,)>) -> Self {
                $Ref::try_from(tensor.into_dyn()).expect("the type says that the rank is 1")
            }
        }

        /// Refuses a tensor whose rank is not 1.
        impl<'a, T: Element> TryFrom<TensorRef<'a, T, Shape>> for $Ref<'a, T> {
            type Error = Error;

            fn try_from(tensor: TensorRef<'a, T, Shape>) -> Result<Self, Error> {
                check_rank(tensor.extents(), 1, stringify!($Ref))?;
                let (first, Told { range, extents, strides }) = told(&tensor.located.layout);
                let elements: &'a [T] = &tensor.located.data[range];
                // SAFETY: all elements lie in this slice, which is borrowed for `'a`; the first stands at `first`.
                Ok(unsafe { $Ref::from_raw_parts(elements.as_ptr().add(first), extents[0], strides[0]) })
            }
        }

        impl<'a, T: Element, N: Extent> From<TensorMut<'a, T, (N,)>> for $Mut<'a, T> {
            fn from(tensor: TensorMut<'a, T, (N,)>) -> Self {
                $Mut::try_from(tensor.into_dyn()).expect("the type says that the rank is 1")
            }
        }

        /// Refuses a tensor whose rank is not 1.
        impl<'a, T: Element> TryFrom<TensorMut<'a, T, Shape>> for $Mut<'a, T> {
            type Error = Error;

            fn try_from(tensor: TensorMut<'a, T, Shape>) -> Result<Self, Error> {
                check_rank(tensor.extents(), 1, stringify!($Mut))?;
                let (first, Told { range, extents, strides }) = told(&tensor.located.layout);
                let elements: &'a mut [T] = &mut tensor.located.data[range];
                // SAFETY: as for reading; the slice is borrowed for `'a` alone, and no two indices lead to one element.
                Ok(unsafe {
                    $Mut::from_raw_parts_mut(elements.as_mut_ptr().add(first), extents[0], strides[0])
                })
            }
        }
    )* };
}

vectors! {
    Col ColRef ColMut nrows row_stride;
    Row RowRef RowMut ncols col_stride;
}
