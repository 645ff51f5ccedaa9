//! Memory that ends at a guard page, and is filled with NaN: a kernel that reads or writes behind its end crashes the program.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn mmap(start: *mut c_void, bytes: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn mprotect(start: *mut c_void, bytes: usize, protection: c_int) -> c_int;
    fn munmap(start: *mut c_void, bytes: usize) -> c_int;
}

/// A multiple of the size of a page on every system.
const PAGE: usize = 1 << 16;
/// The alignment of addresses: the size of the largest element.
const ALIGN: usize = 16;
const PROT_NONE: c_int = 0;
const PROT_READ_WRITE: c_int = 3;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;

/// Memory in front of a guard page.
pub(super) struct GuardedMemory;

impl GuardedMemory {
    /// Allocates this many bytes. All bits are set, which is NaN in every element type.
    pub(super) fn allocate(bytes: usize) -> Option<u64> {
        let (length, used) = GuardedMemory::lengths(bytes);
        // SAFETY: the system chooses new memory.
        let start = unsafe { mmap(std::ptr::null_mut(), length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
        if start.addr() == usize::MAX {
            return None;
        }
        // SAFETY: this is the last page of the new memory, whose length is a multiple of a page.
        let protected = unsafe { mprotect(start.byte_add(length - PAGE), PAGE, PROT_NONE) };
        assert_eq!(protected, 0, "the system protects the guard page");
        let first = start.wrapping_byte_add(length - PAGE - used);
        // SAFETY: this many bytes lie in front of the guard page.
        unsafe { first.cast::<u8>().write_bytes(0xff, used) };
        Some(first as u64)
    }

    /// Frees memory.
    ///
    /// # Safety
    /// It came from `allocate` with this many bytes, and is not used any more.
    pub(super) unsafe fn free(address: u64, bytes: usize) {
        let (length, used) = GuardedMemory::lengths(bytes);
        let start = (address as usize + used + PAGE - length) as *mut c_void;
        // SAFETY: the caller promises that `allocate` has mapped this for as many bytes.
        unsafe { munmap(start, length) };
    }

    /// The number of mapped bytes, with the guard page, and of used bytes.
    fn lengths(bytes: usize) -> (usize, usize) {
        let used = bytes.next_multiple_of(ALIGN);
        (used.next_multiple_of(PAGE) + PAGE, used)
    }
}
