//! What calls allocate, and how many bytes they have at once.
//!
//! This is a program of its own because it has an allocator that counts, and because it sets how much memory the process keeps. Bytes
//! are counted of all threads, so that every test here waits for its turn.

mod calls;
mod counting;
mod memory;
mod static_tensors;

use std::sync::{Mutex, MutexGuard, PoisonError};

use tensorwrapper::keep_memory;

/// Has a test run alone, with no memory that another one has left behind; `kept` bytes may be kept between calls.
fn alone(kept: usize) -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    keep_memory(0);
    keep_memory(kept);
    alone
}
