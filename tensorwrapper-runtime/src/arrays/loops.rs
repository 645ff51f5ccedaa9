//! Loops over elements that follow each other in memory, compiled for the instructions of the processor and divided among threads where
//! they are long.
//!
//! Functions are copied into each loop, so that what they capture is not read again for each element. Must not know of tensors.

use std::array::from_fn;
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

/// Runs loops that write to some place. The widest instructions write whole lines: they pay where lines begin there, as in all whole tensors,
/// and cost more than they save elsewhere.
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

/// How many lanes are compared at once: so many that a comparison does not wait for the one before.
const LANES: usize = 32;

struct Best<'l, T, F>(&'l [T], F);

impl<T: Stored, F: Fn(T, T) -> bool> Loops for Best<'_, T, F> {
    /// The element that is ahead, and whether there is a NaN.
    type Result = (T, bool);
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    fn run(self) -> (T, bool) {
        let (pieces, rest) = self.0.as_chunks::<LANES>();
        let (mut best, mut nan) = ([self.0[0]; LANES], [T::NOTHING; LANES]);
        for piece in pieces {
            for ((best, nan), &x) in best.iter_mut().zip(&mut nan).zip(piece) {
                *best = if (self.1)(x, *best) { x } else { *best };
                *nan = if x != x { x } else { *nan };
            }
        }
        let pick = |best: T, x: T| if (self.1)(x, best) { x } else { best };
        // Lanes are compared side by side, half of them with the other half, in arrays that registers hold.
        let halves = |lanes: &[T]| -> [T; LANES / 4] { from_fn(|n| pick(lanes[n], lanes[n + LANES / 4])) };
        let (left, right) = (halves(&best[..LANES / 2]), halves(&best[LANES / 2..]));
        let best: [T; LANES / 4] = from_fn(|n| pick(left[n], right[n]));
        let best: [T; LANES / 8] = from_fn(|n| pick(best[n], best[n + LANES / 8]));
        let best = best.into_iter().reduce(pick).unwrap_or(self.0[0]);
        (rest.iter().copied().fold(best, pick), [&nan, rest].into_iter().flatten().fold(false, |found, x| found | (x != x)))
    }
}

/// The number of the first element that is asked for. Elements are asked together, then fewer, and one by one only where one of them is it.
#[inline(always)]
fn position<T: Copy>(elements: &[T], is_it: impl Fn(T) -> bool) -> Option<usize> {
    const FEW: usize = 8;
    let (pieces, rest) = elements.as_chunks::<LANES>();
    for (n, piece) in pieces.iter().enumerate() {
        if piece.iter().fold(false, |found, &x| found | is_it(x)) {
            let few = piece.as_chunks::<FEW>().0;
            let first = few.iter().position(|few| few.iter().fold(false, |found, &x| found | is_it(x)))? * FEW;
            return piece[first..].iter().position(|&x| is_it(x)).map(|at| n * LANES + first + at);
        }
    }
    rest.iter().position(|&x| is_it(x)).map(|at| pieces.len() * LANES + at)
}

struct First<'l, T, F>(&'l [T], F);

impl<T: Stored, F: Fn(T, T) -> bool + Copy> Loops for First<'_, T, F> {
    type Result = Option<usize>;
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    fn run(self) -> Option<usize> {
        /// Elements of which the one that is ahead is found before it is asked where it is: they are still near then.
        const PIECE: usize = 512;
        let (mut best, mut first) = (*self.0.first()?, 0);
        for (n, piece) in self.0.chunks(PIECE).enumerate() {
            let (found, is_nan) = Best(piece, self.1).run();
            if is_nan {
                return position(piece, |x| x != x).map(|at| n * PIECE + at);
            }
            if (self.1)(found, best) {
                (best, first) = (found, n * PIECE);
            }
        }
        position(&self.0[first..], |x| x == best).map(|at| first + at)
    }
}

struct FirstOfLines<'l, T, F>(&'l [T], usize, &'l mut [i64], F);

impl<T: Stored, F: Fn(T, T) -> bool + Copy> Loops for FirstOfLines<'_, T, F> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        for (line, to) in self.0.chunks_exact(self.1).zip(self.2) {
            *to = First(line, self.3).run().map_or(0, |at| at as i64);
        }
    }
}

/// The number of the first element that no other is ahead of; of the first NaN, if there is one; `None` if there is no element.
pub(super) fn first<T: Stored>(elements: &[T], is_ahead: impl Fn(T, T) -> bool + Copy) -> Option<usize> {
    vectorised_reads(First(elements, is_ahead))
}

/// [`first`] in each line of so many elements, at least one.
pub(super) fn first_of_lines<T: Stored>(elements: &[T], extent: usize, to: &mut [i64], is_ahead: impl Fn(T, T) -> bool + Copy) {
    vectorised_reads(FirstOfLines(elements, extent, to, is_ahead));
}

/// The element that none is ahead of; NaN, if there is one; `None` if there is no element.
#[allow(clippy::eq_op, reason = "NaN differs from itself")]
pub(super) fn best<T: Stored>(elements: &[T], is_ahead: impl Fn(T, T) -> bool) -> Option<T> {
    if elements.is_empty() {
        return None;
    }
    match vectorised_reads(Best(elements, is_ahead)) {
        (_, true) => elements.iter().copied().find(|x| x != x),
        (best, false) => Some(best),
    }
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

/// The elements that are ahead along the first axis of a matrix of so many columns, and where they are.
pub(super) struct Columns<'l, T, F> {
    pub(super) elements: &'l [T],
    /// The rows so far that are ahead, one for each column.
    pub(super) at: &'l mut [i64],
    pub(super) best: &'l mut [T],
    pub(super) is_ahead: F,
}

impl<T: Stored, F: Fn(T, T) -> bool> Loops for Columns<'_, T, F> {
    type Result = ();
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    fn run(self) {
        let columns = self.best.len();
        self.best.copy_from_slice(&self.elements[..columns]);
        self.at.fill(0);
        for (n, row) in self.elements.chunks_exact(columns).enumerate().skip(1) {
            for ((&x, best), at) in row.iter().zip(self.best.iter_mut()).zip(self.at.iter_mut()) {
                let is_ahead = (*best == *best) & ((self.is_ahead)(x, *best) | (x != x));
                *best = if is_ahead { x } else { *best };
                *at = if is_ahead { n as i64 } else { *at };
            }
        }
    }
}
