//! Memory whose element type is known only at run time: what devices, graphs and plans handle.
//!
//! This is storage: the allocation of zeros at its end is `unsafe`. It knows neither extents nor strides.

use std::alloc::{Layout, alloc_zeroed};

use num_complex::Complex;

use crate::element::{Dtype, Element};
use crate::error::{Error, ErrorKind};
use crate::owned::{Owned, give_back};

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

impl Buffer {
    /// The elements have this copy on a device.
    pub fn hold(&mut self, copy: crate::held::Copy) {
        each!(Buffer, self, elements => elements.hold(copy));
    }
}

impl SliceRef<'_> {
    /// Where the elements lie.
    pub fn addresses(&self) -> std::ops::Range<usize> {
        each!(SliceRef, self, s => (s.as_ptr() as usize)..(s.as_ptr_range().end as usize))
    }

    /// What two slices have in common that are the same memory, and no others.
    pub fn identity(&self) -> (Dtype, usize, usize) {
        (self.dtype(), self.len(), each!(SliceRef, self, s => s.as_ptr() as usize))
    }

    /// Whether two slices are the same memory.
    pub fn is_same(&self, other: &SliceRef<'_>) -> bool {
        self.identity() == other.identity()
    }

    /// Whether both have an element in common.
    pub fn overlaps(&self, other: &SliceRef<'_>) -> bool {
        let range = |slice: &SliceRef<'_>| each!(SliceRef, slice, s => (s.as_ptr() as usize, s.as_ptr_range().end as usize));
        let ((start, end), (first, last)) = (range(self), range(other));
        start.max(first) < end.min(last)
    }
}

impl<'a> SliceRef<'a> {
    /// The elements from a position on; where there are none, none.
    #[inline]
    pub fn after(self, start: usize) -> SliceRef<'a> {
        if start == 0 {
            return self;
        }
        each!(SliceRef, self, s => Element::erase(s.get(start..).unwrap_or(&[])))
    }

    /// The elements of a range.
    pub fn range(self, range: std::ops::Range<usize>) -> SliceRef<'a> {
        each!(SliceRef, self, s => Element::erase(&s[range]))
    }

    /// The same elements in memory of their own.
    pub fn to_buffer(self) -> Buffer {
        each!(SliceRef, self, s => Element::erase_vec(Owned::from(s)))
    }
}

impl SliceMut<'_> {
    /// Writes zeros everywhere.
    pub fn clear(&mut self) {
        each!(SliceMut, self, s => s.fill(Element::ZERO))
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        each!(SliceMut, self, s => s.len())
    }

    /// The elements from a position on, borrowed for a shorter time; where there are none, none.
    pub fn after(&mut self, start: usize) -> SliceMut<'_> {
        each!(SliceMut, self, s => Element::erase_mut(s.get_mut(start..).unwrap_or(&mut [])))
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

impl<'a> SliceMut<'a> {
    /// The elements before a position, and those from it on.
    pub fn split(self, at: usize) -> (SliceMut<'a>, SliceMut<'a>) {
        each!(SliceMut, self, s => {
            let (before, behind) = s.split_at_mut(at);
            (Element::erase_mut(before), Element::erase_mut(behind))
        })
    }

    /// The same elements, to be read alone.
    pub fn into_ref(self) -> SliceRef<'a> {
        each!(SliceMut, self, s => Element::erase(s))
    }

    /// Takes over the elements of memory of the same type and length.
    pub fn copy_from(&mut self, from: SliceRef<'_>) {
        each!(SliceMut, self, s => s.copy_from_slice(Element::typed(from).expect("both are of one element type")))
    }
}

impl Buffer {
    /// `len` zeros, or [`ErrorKind::Memory`] when the system refuses.
    pub fn zeros(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        dispatch!(dtype, T => Owned::<T>::zeros(len).map(T::erase_vec))
    }

    /// `len` elements that are to be written before they are read, or [`ErrorKind::Memory`] when the system refuses.
    pub fn for_results(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        dispatch!(dtype, T => Owned::<T>::for_results(len).map(T::erase_vec))
    }

    /// `len` elements that nobody reads or writes, or [`ErrorKind::Memory`] when the system refuses.
    pub fn for_addresses(dtype: Dtype, len: usize) -> Result<Buffer, Error> {
        dispatch!(dtype, T => Owned::<T>::for_addresses(len).map(T::erase_vec))
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
///
/// The system has zeroed memory at hand, so that nothing is written here: a large result costs no pass over it.
pub fn zeros<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    let layout = Layout::array::<T>(len).map_err(|_| refused::<T>(len))?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout's size is not zero.
    let mut start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    // What is kept for results may be what lacks.
    if start.is_null() && give_back() {
        // SAFETY: as above.
        start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    }
    if start.is_null() {
        return Err(refused::<T>(len));
    }
    debug_assert!(start.is_aligned(), "memory comes aligned as asked for");
    advise_huge(start.cast(), layout.size());
    // SAFETY: the global allocator gave this memory for an array of exactly `len` elements, which is what a vector of
    // that length and capacity gives back. All of it is initialised: an `Element` whose bytes are all zero is valid, and
    // is its `ZERO`.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Asks the system to back memory that was just allocated by huge pages, if there is enough of it to be worth that: fewer
/// faults when it is first written, fewer misses of the address cache.
#[cfg(target_os = "linux")]
pub fn advise_huge(start: *mut u8, bytes: usize) {
    /// Bytes below which small pages do.
    const ENOUGH: usize = 4 << 20;
    const PAGE: usize = 4096;
    const MADV_HUGEPAGE: i32 = 14;
    unsafe extern "C" {
        fn madvise(start: *mut u8, bytes: usize, advice: i32) -> i32;
    }
    if bytes < ENOUGH {
        return;
    }
    let skipped = start.align_offset(PAGE);
    let whole = (bytes - skipped) / PAGE * PAGE;
    // SAFETY: whole pages of memory that is the caller's. It is a hint that changes nothing that a program can see; where it
    // is refused, pages stay small.
    unsafe { madvise(start.wrapping_add(skipped), whole, MADV_HUGEPAGE) };
}

/// Other systems choose the size of pages themselves.
#[cfg(not(target_os = "linux"))]
pub fn advise_huge(_start: *mut u8, _bytes: usize) {}

/// A vector of one value, or [`ErrorKind::Memory`] instead of an abort.
pub fn filled<T: Element>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut elements = reserve(len)?;
    elements.resize(len, value);
    Ok(elements)
}

/// An empty vector with room for `len` elements, or [`ErrorKind::Memory`] instead of an abort.
pub fn reserve<T: Element>(len: usize) -> Result<Vec<T>, Error> {
    let mut elements = Vec::new();
    elements.try_reserve_exact(len).map_err(|_| refused::<T>(len))?;
    Ok(elements)
}

/// The system has no memory for `len` elements.
pub fn refused<T: Element>(len: usize) -> Error {
    Error::new(ErrorKind::Memory { bytes: len as u128 * size_of::<T>() as u128 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_zero_and_can_be_written_grown_and_given_back() {
        for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
            for len in [0, 1, 7, 100_000] {
                dispatch!(dtype, T => {
                    let mut elements = zeros::<T>(len).unwrap();
                    assert_eq!(elements, vec![T::ZERO; len]);
                    // Both zeros compare equal; this one is positive.
                    assert!(elements.iter().all(|x| x.to_complex().re.is_sign_positive()));
                    elements.iter_mut().for_each(|x| *x = T::ONE);
                    elements.push(T::ONE);
                    elements.shrink_to_fit();
                    assert_eq!(elements, vec![T::ONE; len + 1]);
                });
            }
        }
    }

    #[test]
    fn memory_that_nobody_has_is_refused() {
        for len in [usize::MAX, isize::MAX as usize, isize::MAX as usize / size_of::<f64>()] {
            let refused = Buffer::zeros(Dtype::F64, len).unwrap_err();
            let bytes = len as u128 * 8;
            assert_eq!(refused.kind(), &ErrorKind::Memory { bytes });
        }
    }
}
