//! Memory that ends at a page which nobody may touch, and is poisoned: a kernel that reads or writes behind it ends the program.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn mmap(start: *mut c_void, bytes: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn mprotect(start: *mut c_void, bytes: usize, protection: c_int) -> c_int;
    fn munmap(start: *mut c_void, bytes: usize) -> c_int;
}

/// Bytes of a page, or a multiple of them on every system that there is.
const PAGE: usize = 1 << 16;
/// Addresses are multiples of this, as large as the largest element.
const ALIGN: usize = 16;
const PROT_NONE: c_int = 0;
const PROT_READ_WRITE: c_int = 3;
const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;

/// Such memory.
pub(super) struct GuardedMemory;

impl GuardedMemory {
    /// Memory for so many bytes, all of them ones: not a number, in every element type.
    pub(super) fn allocate(bytes: usize) -> Option<u64> {
        let (length, used) = GuardedMemory::lengths(bytes);
        // SAFETY: new memory of the system's choice.
        let start = unsafe { mmap(std::ptr::null_mut(), length, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0) };
        if start.addr() == usize::MAX {
            return None;
        }
        // SAFETY: the last page of what was just mapped; it is whole, because lengths are multiples of a page.
        let closed = unsafe { mprotect(start.byte_add(length - PAGE), PAGE, PROT_NONE) };
        assert_eq!(closed, 0, "the system closes a page of the program's own");
        let first = start.wrapping_byte_add(length - PAGE - used);
        // SAFETY: so many bytes lie before the closed page.
        unsafe { first.cast::<u8>().write_bytes(0xff, used) };
        Some(first as u64)
    }

    /// Gives it back.
    ///
    /// # Safety
    /// It came from `allocate` with so many bytes, and nobody uses it behind this.
    pub(super) unsafe fn free(address: u64, bytes: usize) {
        let (length, used) = GuardedMemory::lengths(bytes);
        let start = (address as usize + used + PAGE - length) as *mut c_void;
        // SAFETY: what `allocate` mapped for so many bytes, by the caller's promise.
        unsafe { munmap(start, length) };
    }

    /// Bytes mapped, the closed page among them, and bytes used.
    fn lengths(bytes: usize) -> (usize, usize) {
        let used = bytes.next_multiple_of(ALIGN);
        (used.next_multiple_of(PAGE) + PAGE, used)
    }
}
