//! Memory whose element type is known only at run time: what devices, graphs and plans handle.

use num_complex::Complex;

use crate::element::{Dtype, Element, dispatch};
use crate::error::{Error, ErrorKind};

/// Borrowed elements of any type.
#[derive(Clone, Copy, Debug)]
pub enum SliceRef<'a> {
    /// `f32`
    F32(&'a [f32]),
    /// `f64`
    F64(&'a [f64]),
    /// `Complex<f32>`
    C32(&'a [Complex<f32>]),
    /// `Complex<f64>`
    C64(&'a [Complex<f64>]),
}

/// Mutably borrowed elements of any type.
#[derive(Debug)]
pub enum SliceMut<'a> {
    /// `f32`
    F32(&'a mut [f32]),
    /// `f64`
    F64(&'a mut [f64]),
    /// `Complex<f32>`
    C32(&'a mut [Complex<f32>]),
    /// `Complex<f64>`
    C64(&'a mut [Complex<f64>]),
}

/// Owned elements of any type.
#[derive(Clone, Debug, PartialEq)]
pub enum Buffer {
    /// `f32`
    F32(Vec<f32>),
    /// `f64`
    F64(Vec<f64>),
    /// `Complex<f32>`
    C32(Vec<Complex<f32>>),
    /// `Complex<f64>`
    C64(Vec<Complex<f64>>),
}

/// Evaluates a body for the slice or vector inside any variant.
macro_rules! each {
    ($Enum:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $Enum::F32($inner) => $body,
            $Enum::F64($inner) => $body,
            $Enum::C32($inner) => $body,
            $Enum::C64($inner) => $body,
        }
    };
}

impl SliceRef<'_> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        each!(SliceRef, self, s => s.len())
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        match self {
            SliceRef::F32(_) => Dtype::F32,
            SliceRef::F64(_) => Dtype::F64,
            SliceRef::C32(_) => Dtype::C32,
            SliceRef::C64(_) => Dtype::C64,
        }
    }
}

impl SliceRef<'_> {
    /// Whether two slices are the same memory.
    pub fn is_same(&self, other: &SliceRef<'_>) -> bool {
        let start = |slice: &SliceRef<'_>| each!(SliceRef, slice, s => s.as_ptr() as usize);
        self.dtype() == other.dtype() && self.len() == other.len() && start(self) == start(other)
    }
}

impl SliceMut<'_> {
    /// Number of elements.
    pub fn len(&self) -> usize {
        each!(SliceMut, self, s => s.len())
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.as_ref().dtype()
    }

    /// The same elements, readable.
    pub fn as_ref(&self) -> SliceRef<'_> {
        each!(SliceMut, self, s => Element::erase(s))
    }

    /// The same elements, borrowed for a shorter time.
    pub fn reborrow(&mut self) -> SliceMut<'_> {
        each!(SliceMut, self, s => Element::erase_mut(s))
    }
}

impl Buffer {
    /// `len` zeros, or [`ErrorKind::Memory`] when the system refuses.
    pub fn zeros(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        dispatch!(dtype, T => zeros::<T>(len).map(T::erase_vec))
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.as_ref().dtype()
    }

    /// All elements, readable.
    pub fn as_ref(&self) -> SliceRef<'_> {
        each!(Buffer, self, v => Element::erase(v))
    }

    /// All elements, writable.
    pub fn as_mut(&mut self) -> SliceMut<'_> {
        each!(Buffer, self, v => Element::erase_mut(v))
    }
}

/// A vector of zeros, or [`ErrorKind::Memory`] instead of an abort.
pub(crate) fn zeros<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    let mut elements = reserve(len)?;
    elements.resize(len, T::ZERO);
    Ok(elements)
}

/// An empty vector with room for `len` elements, or [`ErrorKind::Memory`] instead of an abort.
pub(crate) fn reserve<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    let mut elements = Vec::new();
    let refused = |_| Error::new(ErrorKind::Memory { bytes: len as u128 * size_of::<T>() as u128 });
    elements.try_reserve_exact(len).map_err(refused)?;
    Ok(elements)
}
