//! Loops over elements that follow each other in memory, compiled for the instructions of the processor and divided among threads where
//! they are long.
//!
//! Functions are copied into each loop, so that what they capture is not read again for each element. Must not know of tensors.

use std::hint::select_unpredictable;

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;
use tensorwrapper_core::storage::{LINE, Owned};
use tensorwrapper_core::stored::Stored;
use tensorwrapper_cpu::{Loops, vectorised, vectorised_reads};

use crate::exec::Context;

/// The device of the host that computes what needs no plan.
pub(super) fn device() -> &'static dyn Device {
    Context::global().backend.device()
}

/// Elements from which on a loop is divided among threads, and how many a thread takes at a time.
const MANY: usize = 1 << 17;
const PIECE: usize = 1 << 15;

/// Elements that a function writes, each of them, into memory that holds anything.
pub(super) fn written<T: Stored>(len: usize, write: impl FnOnce(&mut [T])) -> Result<Owned<T>, Error> {
    let mut elements = Owned::for_results(len)?;
    write(&mut elements);
    Ok(elements)
}

struct One<'l, T, U, F>(&'l [T], &'l mut [U], F);

impl<T: Copy, U, F: FnMut(T) -> U> Loops for One<'_, T, U, F> {
    type Result = ();
    #[inline(always)]
    fn run(mut self) {
        for (to, x) in self.1.iter_mut().zip(self.0) {
            *to = (self.2)(*x);
        }
    }
}

struct Two<'l, T, U, V, F>(&'l [T], &'l [U], &'l mut [V], F);

impl<T: Copy, U: Copy, V, F: FnMut(T, U) -> V> Loops for Two<'_, T, U, V, F> {
    type Result = ();
    #[inline(always)]
    fn run(mut self) {
        for ((to, x), y) in self.2.iter_mut().zip(self.0).zip(self.1) {
            *to = (self.3)(*x, *y);
        }
    }
}

struct Choose<'l, T>(&'l [bool], [&'l [T]; 2], &'l mut [T]);

impl<T: Copy> Loops for Choose<'_, T> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        for (((to, &is_chosen), &x), &y) in self.2.iter_mut().zip(self.0).zip(self.1[0]).zip(self.1[1]) {
            *to = select_unpredictable(is_chosen, x, y);
        }
    }
}

struct Update<'l, T, F>(&'l mut [T], F);

impl<T: Copy, F: FnMut(T) -> T> Loops for Update<'_, T, F> {
    type Result = ();
    #[inline(always)]
    fn run(mut self) {
        for x in self.0 {
            *x = (self.1)(*x);
        }
    }
}

struct UpdateBy<'l, T, U, F>(&'l mut [T], &'l [U], F);

impl<T: Copy, U: Copy, F: FnMut(T, U) -> T> Loops for UpdateBy<'_, T, U, F> {
    type Result = ();
    #[inline(always)]
    fn run(mut self) {
        for (x, y) in self.0.iter_mut().zip(self.1) {
            *x = (self.2)(*x, *y);
        }
    }
}

/// `to[n] = function(from[n])`, in order.
pub(super) fn map_in_order<T: Copy, U>(from: &[T], to: &mut [U], function: impl FnMut(T) -> U) {
    vectorised(One(from, to, function));
}

/// `to[n] = function(a[n], b[n])`, in order.
pub(super) fn zip_in_order<T: Copy, U: Copy, V>(a: &[T], b: &[U], to: &mut [V], function: impl FnMut(T, U) -> V) {
    vectorised(Two(a, b, to, function));
}

/// `to[n] = function(to[n])`, in order.
pub(super) fn update_in_order<T: Copy>(to: &mut [T], function: impl FnMut(T) -> T) {
    vectorised(Update(to, function));
}

/// Runs loops that write to some place. The widest instructions write whole lines: they pay where lines begin there, as in all whole
/// tensors, and cost more than they save elsewhere.
fn vectorised_to<U, L: Loops>(to: *const U, loops: L) -> L::Result {
    if to.addr().is_multiple_of(LINE) { vectorised_reads(loops) } else { vectorised(loops) }
}

/// `to[n] = function(from[n])`.
pub(super) fn map<T: Stored, U: Stored>(from: &[T], to: &mut [U], function: impl Fn(T) -> U + Copy + Sync) {
    in_pieces(to, &|to, start| vectorised_to(to.as_ptr(), One(&from[start..], to, function)));
}

/// `to[n] = function(a[n], b[n])`.
pub(super) fn zip<T: Stored, U: Stored, V: Stored>(a: &[T], b: &[U], to: &mut [V], function: impl Fn(T, U) -> V + Copy + Sync) {
    in_pieces(to, &|to, start| vectorised_to(to.as_ptr(), Two(&a[start..], &b[start..], to, function)));
}

/// `to[n] = if mask[n] { sides[0][n] } else { sides[1][n] }`.
pub(super) fn choose<T: Stored>(mask: &[bool], [x, y]: [&[T]; 2], to: &mut [T]) {
    in_pieces(to, &|to, start| vectorised_to(to.as_ptr(), Choose(&mask[start..], [&x[start..], &y[start..]], to)));
}

/// `to[n] = function(to[n])`.
pub(super) fn update<T: Stored>(to: &mut [T], function: impl Fn(T) -> T + Copy + Sync) {
    in_pieces(to, &|to, _| vectorised_to(to.as_ptr(), Update(to, function)));
}

/// `to[n] = function(to[n], by[n])`.
pub(super) fn update_by<T: Stored, U: Stored>(to: &mut [T], by: &[U], function: impl Fn(T, U) -> T + Copy + Sync) {
    in_pieces(to, &|to, start| vectorised_to(to.as_ptr(), UpdateBy(to, &by[start..], function)));
}

/// Runs a task for pieces of some elements, with the number of the first element of each; several at a time if they are many.
fn in_pieces<T: Stored>(elements: &mut [T], task: &(dyn Fn(&mut [T], usize) + Sync)) {
    let threads = if elements.len() < MANY { 1 } else { device().threads() };
    if threads == 1 {
        return task(elements, 0);
    }
    let mut pieces: Vec<_> = elements.chunks_mut(PIECE).enumerate().collect();
    thread_pool::each_mut(threads, &mut pieces, &|(n, piece)| task(piece, *n * PIECE));
}

/// How many are true.
pub(super) fn count(truths: &[bool]) -> usize {
    // As many as a byte can count.
    truths.chunks(255).map(|piece| usize::from(piece.iter().map(|&x| u8::from(x)).sum::<u8>())).sum()
}

/// Whether one of them is true, or false.
pub(super) fn contains(truths: &[bool], truth: bool) -> bool {
    // Together, which takes no branch, and so many that the branch after them does not count.
    truths.chunks(1024).any(|piece| piece.iter().fold(false, |found, &x| found | (x == truth)))
}
