//! An allocator that counts what each thread asks it for, and how much of it there is at any time.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    /// Bytes that a thread has taken and not given back, and the most that these ever were; memory of another thread's may be
    /// given back.
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        let live = LIVE.get() + layout.size() as isize;
        LIVE.set(live);
        MOST.set(MOST.get().max(live));
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get() - layout.size() as isize);
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations of a call.
pub fn allocations<R>(call: impl FnOnce() -> R) -> usize {
    let before = ALLOCATIONS.with(Cell::get);
    let result = black_box(call());
    let allocated = ALLOCATIONS.with(Cell::get) - before;
    drop(result);
    allocated
}

/// The most bytes that a call has beside those that there are before, of memory that this thread takes.
#[allow(dead_code, reason = "not every test that counts allocations asks how large they are")]
pub fn most_bytes<R>(call: impl FnOnce() -> R) -> isize {
    let before = LIVE.get();
    MOST.set(before);
    drop(black_box(call()));
    MOST.get() - before
}
