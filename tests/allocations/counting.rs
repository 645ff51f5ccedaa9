//! An allocator that counts what each thread asks it for, and how many bytes the whole program has.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

/// Bytes of all threads now, and the most since they were counted last.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Counts the allocations of each thread.
struct Counting;

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout);
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promises are the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn count(layout: Layout) {
    ALLOCATIONS.with(|count| count.set(count.get() + 1));
    let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
    MOST.fetch_max(live, Ordering::Relaxed);
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

/// The most bytes that there were at once in a call, beside those that were there before; of all threads, so that nothing else may
/// run at the same time.
pub fn most_bytes<R>(call: impl FnOnce() -> R) -> usize {
    let before = LIVE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let result = black_box(call());
    let most = MOST.load(Ordering::Relaxed);
    drop(result);
    most - before
}
