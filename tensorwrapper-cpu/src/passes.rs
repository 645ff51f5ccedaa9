//! The loops of passes: one operation over rows of elements.

use tensorwrapper_core::backend::compare;
use tensorwrapper_core::element::Element;

/// What a pass reads: rows that begin so many places apart, 0 for a constant, whose row is read again and again.
#[derive(Clone, Copy)]
pub(super) struct Rows<'r, T> {
    pub(super) elements: &'r [T],
    pub(super) apart: usize,
}

impl<'r, T> Rows<'r, T> {
    #[inline(always)]
    pub(super) fn row(self, number: usize, len: usize) -> &'r [T] {
        &self.elements[number * self.apart..][..len]
    }
}

/// Runs a loop for each row of results; the last one may be shorter.
#[inline(always)]
fn each<T: Copy, const N: usize>(row: usize, out: &mut [T], values: [Rows<'_, T>; N], mut run: impl FnMut(&mut [T], [&[T]; N])) {
    // Rows that follow each other are one.
    let row = if values.iter().all(|value| value.apart == row) { out.len().max(1) } else { row };
    for (n, out) in out.chunks_mut(row).enumerate() {
        // A loop, as closures over arrays are compiled without the instructions.
        let mut rows = [&[][..]; N];
        for (row, value) in rows.iter_mut().zip(values) {
            *row = value.row(n, out.len());
        }
        run(out, rows);
    }
}

/// An operation on whole rows.
#[inline(always)]
pub(super) fn rows_of<T: Copy>(row: usize, out: &mut [T], a: Rows<'_, T>, operation: impl Fn(&mut [T], &[T])) {
    each(row, out, [a], |out, [a]| operation(out, a));
}

#[inline(always)]
pub(super) fn unary<T: Copy>(row: usize, out: &mut [T], a: Rows<'_, T>, operation: impl Fn(T) -> T) {
    each(row, out, [a], |out, [a]| {
        for (out, &a) in out.iter_mut().zip(a) {
            *out = operation(a);
        }
    });
}

#[inline(always)]
pub(super) fn binary<T: Copy>(row: usize, out: &mut [T], values: [Rows<'_, T>; 2], operation: impl Fn(T, T) -> T) {
    each(row, out, values, |out, [a, b]| {
        for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
            *out = operation(a, b);
        }
    });
}

#[inline(always)]
pub(super) fn ternary<T: Copy>(row: usize, out: &mut [T], values: [Rows<'_, T>; 3], operation: impl Fn(T, T, T) -> T) {
    each(row, out, values, |out, [a, b, c]| {
        for (((out, &a), &b), &c) in out.iter_mut().zip(a).zip(b).zip(c) {
            *out = operation(a, b, c);
        }
    });
}

#[inline(always)]
pub(super) fn quaternary<T: Copy>(row: usize, out: &mut [T], values: [Rows<'_, T>; 4], operation: impl Fn(T, T, T, T) -> T) {
    each(row, out, values, |out, [a, b, c, d]| {
        for ((((out, &a), &b), &c), &d) in out.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            *out = operation(a, b, c, d);
        }
    });
}

/// Whether two values compare so, as 1 or 0.
#[inline(always)]
pub(super) fn compared<T: Element>(row: usize, out: &mut [T], values: [Rows<'_, T>; 2], holds: impl Fn(T, T) -> bool) {
    binary(row, out, values, |a, b| compare::truth(holds(a, b)));
}

/// The third value where the first two compare so, and the fourth one elsewhere.
#[inline(always)]
pub(super) fn chosen<T: Element>(row: usize, out: &mut [T], values: [Rows<'_, T>; 4], holds: impl Fn(T, T) -> bool) {
    quaternary(row, out, values, |a, b, c, d| if holds(a, b) { c } else { d });
}
