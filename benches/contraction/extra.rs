//! The memory that a contraction takes beside its operands and its result. Each row is measured in a process of its own, so that
//! nothing is there that earlier rows have left behind.

use std::alloc::{GlobalAlloc, Layout, System};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::rows::{Problem, Row};

/// Bytes that are allocated, and the most that ever were.
static LIVE: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Counts the bytes of all threads.
struct Counting;

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promises are the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as above. The system has zeroed pages at hand, which the default of this function would write again.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

fn taken(bytes: usize) {
    let live = LIVE.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(live, Ordering::Relaxed);
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The argument that makes this program measure one row's memory.
pub const OPTION: &str = "--extra-memory";

/// Measures the row and threads that the arguments after [`OPTION`] name, and prints the bytes.
pub fn answer(rows: &[Row], arguments: &[String]) {
    let [name, threads] = arguments else { panic!("{OPTION} NAME THREADS") };
    let row = rows.iter().find(|row| row.name == *name).expect("the row is one of them");
    let mut problem = Problem::<f64>::new(row);
    let before = LIVE.load(Ordering::Relaxed);
    MOST.store(before, Ordering::Relaxed);
    let product = problem.prepare(threads.parse().expect("a number of threads"));
    problem.run(&product);
    println!("{}", MOST.load(Ordering::Relaxed) - before);
}

/// Megabytes beside operands and result, the most at any time, of the first run of a row, its preparation included.
pub fn megabytes(row: &Row, threads: usize) -> f64 {
    let program = std::env::current_exe().expect("a program knows its own path");
    let output = Command::new(program).args([OPTION, &row.name, &threads.to_string()]).output().expect("it runs once more");
    let text = String::from_utf8_lossy(&output.stdout);
    text.trim().parse::<f64>().unwrap_or_else(|_| panic!("no number: {text} {}", String::from_utf8_lossy(&output.stderr))) * 1e-6
}
