//! Loops that look for the element that is ahead of all others, and for where it is. NaN is ahead of everything.
//!
//! Whether one element is ahead of another one is a function, which is copied into each loop.

use std::array::from_fn;

use super::super::multiversion::{Loops, vectorised, vectorised_reads};
use tensorwrapper_core::stored::Stored;

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

struct FirstOfLines<'l, T, U, F, N>(&'l [T], usize, &'l mut [U], F, N);

impl<T: Stored, U, F: Fn(T, T) -> bool + Copy, N: Fn(usize) -> U> Loops for FirstOfLines<'_, T, U, F, N> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        for (line, to) in self.0.chunks_exact(self.1).zip(self.2) {
            *to = (self.4)(First(line, self.3).run().unwrap_or(0));
        }
    }
}

/// The number of the first element that no other is ahead of; of the first NaN, if there is one; `None` if there is no element.
pub fn first<T: Stored>(elements: &[T], is_ahead: impl Fn(T, T) -> bool + Copy) -> Option<usize> {
    vectorised_reads(First(elements, is_ahead))
}

/// [`first`] in each line of so many elements, at least one, as the number that a function makes of it.
pub fn first_of_lines<T: Stored, U>(
    (elements, extent): (&[T], usize),
    to: &mut [U],
    is_ahead: impl Fn(T, T) -> bool + Copy,
    number: impl Fn(usize) -> U,
) {
    vectorised_reads(FirstOfLines(elements, extent, to, is_ahead, number));
}

/// [`first`] in each of the first columns of a matrix, whose rows are so far apart, with memory for the elements that are ahead.
pub fn first_of_columns<T: Stored, U: Copy>(
    (elements, apart): (&[T], usize),
    to: &mut [U],
    best: &mut [T],
    is_ahead: impl Fn(T, T) -> bool,
    number: impl Fn(usize) -> U,
) {
    vectorised(FirstOfColumns { elements, apart, at: to, best, is_ahead, number });
}

/// The element that none is ahead of; NaN, if there is one; `None` if there is no element.
#[allow(clippy::eq_op, reason = "NaN differs from itself")]
pub fn best<T: Stored>(elements: &[T], is_ahead: impl Fn(T, T) -> bool) -> Option<T> {
    if elements.is_empty() {
        return None;
    }
    match vectorised_reads(Best(elements, is_ahead)) {
        (_, true) => elements.iter().copied().find(|x| x != x),
        (best, false) => Some(best),
    }
}

struct FirstOfColumns<'l, T, U, F, N> {
    elements: &'l [T],
    apart: usize,
    /// The rows so far that are ahead, one for each column.
    at: &'l mut [U],
    best: &'l mut [T],
    is_ahead: F,
    number: N,
}

impl<T: Stored, U: Copy, F: Fn(T, T) -> bool, N: Fn(usize) -> U> Loops for FirstOfColumns<'_, T, U, F, N> {
    type Result = ();
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    fn run(self) {
        let columns = self.best.len();
        self.best.copy_from_slice(&self.elements[..columns]);
        self.at.fill((self.number)(0));
        for (n, row) in self.elements.chunks(self.apart).enumerate().skip(1) {
            let number = (self.number)(n);
            for ((&x, best), at) in row.iter().zip(self.best.iter_mut()).zip(self.at.iter_mut()) {
                let is_ahead = (*best == *best) & ((self.is_ahead)(x, *best) | (x != x));
                *best = if is_ahead { x } else { *best };
                *at = if is_ahead { number } else { *at };
            }
        }
    }
}
