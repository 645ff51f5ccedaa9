//! Memory from the system: zeros, room for elements, and an error if the system refuses.
//!
//! The allocation of zeros is `unsafe`. This file knows neither extents nor strides, nor who owns the memory that it allocates.

use std::alloc::{Layout, alloc_zeroed};
use std::ops::Range;

use super::memory_pool::give_back;
use super::plain::Plain;
use crate::error::{Error, ErrorKind};

/// The addresses of elements.
pub(super) fn addresses<T>(elements: &[T]) -> Range<usize> {
    let range = elements.as_ptr_range();
    range.start as usize..range.end as usize
}

/// A vector of zeros, or [`ErrorKind::Memory`] instead of an abort.
///
/// The system provides zeroed pages, so nothing is written here: a large result needs no pass over memory.
pub fn zeros<T: Plain>(len: usize) -> Result<Vec<T>, Error> {
    let layout = Layout::array::<T>(len).map_err(|_| refused::<T>(len))?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout's size is not zero.
    let mut start = unsafe { alloc_zeroed(layout) }.cast::<T>();
    // Memory that the pool keeps may be enough.
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
    // that length and capacity gives back. All of it is initialised: of a `Plain` type all bytes zero are a valid value.
    Ok(unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Asks the system to use huge pages for newly allocated memory, if there is enough of it. There are then fewer page faults when it is
/// first written, and fewer misses of the TLB.
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
pub fn filled<T: Plain>(len: usize, value: T) -> Result<Vec<T>, Error> {
    let mut elements = reserve(len)?;
    elements.resize(len, value);
    Ok(elements)
}

/// An empty vector with room for `len` elements, or [`ErrorKind::Memory`] instead of an abort.
pub fn reserve<T: Plain>(len: usize) -> Result<Vec<T>, Error> {
    let mut elements: Vec<T> = Vec::new();
    // Memory that the pool keeps may be enough.
    if elements.try_reserve_exact(len).is_err() && !(give_back() && elements.try_reserve_exact(len).is_ok()) {
        return Err(refused::<T>(len));
    }
    advise_huge(elements.as_mut_ptr().cast(), elements.capacity() * size_of::<T>());
    Ok(elements)
}

/// The error that the system has no memory for `len` elements.
pub fn refused<T: Plain>(len: usize) -> Error {
    Error::new(ErrorKind::Memory { bytes: len as u128 * size_of::<T>() as u128 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::{Dtype, Element};

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
}
