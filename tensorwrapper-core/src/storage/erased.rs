//! Memory whose element type is known at run time only, as devices, graphs and plans use it.
//!
//! It knows neither extents nor strides.

use num_complex::Complex;

use super::device_mirror;
use super::memory;
use super::owned::Owned;
use crate::dtype::Dtype;
use crate::error::Error;

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
    F32(Owned<f32>),
    /// `f64`
    F64(Owned<f64>),
    /// `Complex<f32>`
    C32(Owned<Complex<f32>>),
    /// `Complex<f64>`
    C64(Owned<Complex<f64>>),
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

/// The same of another enum: its variant of what a body makes of the slice or vector inside.
macro_rules! each_as {
    ($Enum:ident => $Made:ident, $value:expr, $inner:ident => $body:expr) => {
        match $value {
            $Enum::F32($inner) => $Made::F32($body),
            $Enum::F64($inner) => $Made::F64($body),
            $Enum::C32($inner) => $Made::C32($body),
            $Enum::C64($inner) => $Made::C64($body),
        }
    };
}

/// What an allocation of [`Owned`] makes for an element type.
macro_rules! allocated {
    ($dtype:expr, $allocate:ident, $len:expr) => {
        match $dtype {
            Dtype::F32 => Owned::$allocate($len).map(Buffer::F32),
            Dtype::F64 => Owned::$allocate($len).map(Buffer::F64),
            Dtype::C32 => Owned::$allocate($len).map(Buffer::C32),
            Dtype::C64 => Owned::$allocate($len).map(Buffer::C64),
        }
    };
}

impl SliceRef<'_> {
    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        each!(SliceRef, self, s => s.len())
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> Dtype {
        match self {
            SliceRef::F32(_) => Dtype::F32,
            SliceRef::F64(_) => Dtype::F64,
            SliceRef::C32(_) => Dtype::C32,
            SliceRef::C64(_) => Dtype::C64,
        }
    }
}

impl Buffer {
    /// Registers a copy of the elements on a device.
    #[inline]
    pub fn set_mirror(&mut self, copy: device_mirror::Copy) {
        each!(Buffer, self, elements => elements.set_mirror(copy));
    }
}

impl SliceRef<'_> {
    /// The addresses of the elements.
    #[inline]
    pub fn addresses(&self) -> std::ops::Range<usize> {
        each!(SliceRef, self, s => memory::addresses(s))
    }

    /// A key that is equal for two slices of the same memory, and for no others.
    #[inline]
    pub fn identity(&self) -> (Dtype, usize, usize) {
        (self.dtype(), self.len(), each!(SliceRef, self, s => s.as_ptr() as usize))
    }

    /// Whether two slices are the same memory.
    #[inline]
    pub fn is_same(&self, other: &SliceRef<'_>) -> bool {
        self.identity() == other.identity()
    }

    /// Whether the two have an element in common.
    #[inline]
    pub fn overlaps(&self, other: &SliceRef<'_>) -> bool {
        let (own, others) = (self.addresses(), other.addresses());
        own.start.max(others.start) < own.end.min(others.end)
    }
}

impl<'a> SliceRef<'a> {
    /// The elements from a position on; none if the position is beyond the end.
    #[inline]
    pub fn after(self, start: usize) -> SliceRef<'a> {
        if start == 0 {
            return self;
        }
        each_as!(SliceRef => SliceRef, self, s => s.get(start..).unwrap_or(&[]))
    }

    /// The elements of a range of positions.
    #[inline]
    pub fn range(self, range: std::ops::Range<usize>) -> SliceRef<'a> {
        each_as!(SliceRef => SliceRef, self, s => &s[range])
    }

    /// A copy of the elements in memory of its own.
    #[inline]
    pub fn to_buffer(self) -> Buffer {
        each_as!(SliceRef => Buffer, self, s => Owned::from(s))
    }
}

impl SliceMut<'_> {
    /// Writes zeros everywhere.
    #[inline]
    pub fn clear(&mut self) {
        each!(SliceMut, self, s => s.fill(Default::default()))
    }

    /// Number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        each!(SliceMut, self, s => s.len())
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements from a position on, borrowed for a shorter time; none if the position is beyond the end.
    #[inline]
    pub fn after(&mut self, start: usize) -> SliceMut<'_> {
        each_as!(SliceMut => SliceMut, self, s => s.get_mut(start..).unwrap_or(&mut []))
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> Dtype {
        self.as_ref().dtype()
    }

    /// The same elements, to read.
    #[inline]
    pub fn as_ref(&self) -> SliceRef<'_> {
        each_as!(SliceMut => SliceRef, self, s => s)
    }

    /// The same elements, borrowed for a shorter time.
    #[inline]
    pub fn reborrow(&mut self) -> SliceMut<'_> {
        each_as!(SliceMut => SliceMut, self, s => s)
    }
}

impl<'a> SliceMut<'a> {
    /// The elements before a position, and those from it on.
    pub fn split(self, at: usize) -> (SliceMut<'a>, SliceMut<'a>) {
        macro_rules! halves {
            ($($Variant:ident)*) => {
                match self {
                    $(SliceMut::$Variant(s) => {
                        let (before, behind) = s.split_at_mut(at);
                        (SliceMut::$Variant(before), SliceMut::$Variant(behind))
                    })*
                }
            };
        }
        halves!(F32 F64 C32 C64)
    }

    /// The same elements, read-only.
    #[inline]
    pub fn into_ref(self) -> SliceRef<'a> {
        each_as!(SliceMut => SliceRef, self, s => s)
    }

    /// Copies the elements of a slice of the same type and length.
    ///
    /// # Panics
    /// When the type or the length differs.
    pub fn copy_from(&mut self, from: SliceRef<'_>) {
        match (self, from) {
            (SliceMut::F32(to), SliceRef::F32(from)) => to.copy_from_slice(from),
            (SliceMut::F64(to), SliceRef::F64(from)) => to.copy_from_slice(from),
            (SliceMut::C32(to), SliceRef::C32(from)) => to.copy_from_slice(from),
            (SliceMut::C64(to), SliceRef::C64(from)) => to.copy_from_slice(from),
            (to, from) => panic!("elements of {} are not copied to {}", from.dtype(), to.dtype()),
        }
    }
}

impl Buffer {
    /// `len` zeros, or [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system refuses.
    #[inline]
    pub fn zeros(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        allocated!(dtype, zeros, len)
    }

    /// `len` elements that have to be written before they are read, or [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the
    /// system refuses.
    #[inline]
    pub fn for_results(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        allocated!(dtype, for_results, len)
    }

    /// `len` elements that are neither read nor written, or [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system refuses.
    #[inline]
    pub fn for_addresses(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        allocated!(dtype, for_addresses, len)
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> Dtype {
        self.as_ref().dtype()
    }

    /// All elements, to read.
    #[inline]
    pub fn as_ref(&self) -> SliceRef<'_> {
        each_as!(Buffer => SliceRef, self, v => v)
    }

    /// All elements, to write.
    #[inline]
    pub fn as_mut(&mut self) -> SliceMut<'_> {
        each_as!(Buffer => SliceMut, self, v => v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn memory_that_nobody_has_is_refused() {
        for len in [usize::MAX, isize::MAX as usize, isize::MAX as usize / size_of::<f64>()] {
            let refused = Buffer::zeros(Dtype::F64, len).unwrap_err();
            let bytes = len as u128 * 8;
            assert_eq!(refused.kind(), &ErrorKind::Memory { bytes });
        }
    }
}
