//! How elements stand in packed panels: real numbers as they are, complex ones in parts.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use num_complex::Complex;

use super::space::{MOST_LANES, Run};
use crate::simd::vector::{MOST_SQUARE, PARTS_SQUARE, Vector};
use tensorwrapper_core::element::Element;

/// Stores of single elements that take as long as that of a run.
pub(super) const RUN: usize = 3;

/// How an element stands in a panel.
///
/// # Safety
/// All functions: pointers are valid for what is read and written: `WIDTH` elements, or the squares of
/// [`Vector::transpose`]; imaginary parts stand `apart` behind real ones; the instructions are there.
pub(super) trait Format {
    type Element: Element<Real = Self::Real>;
    type Real: Element<Real = Self::Real>;
    /// Numbers of an element.
    const PARTS: usize;
    /// Edge of squares.
    const SQUARE: usize;

    /// Edge of the squares of [`transpose_whole`](Format::transpose_whole); 0 where there are none.
    const WHOLE_SQUARE: usize;

    /// Asks for the cache line of an address, which may be any.
    unsafe fn prefetch(address: *const Self::Element);
    /// Writes the first elements of lines, or adds them to what is there: those of each run side by side. `from` says where the
    /// lines stand, `to` where they go.
    unsafe fn put_runs(
        from: Lines<'_, *const Self::Element>,
        to: Lines<'_, *mut Self::Element>,
        lanes: StoredLanes<'_>,
        add: bool,
    );
    /// Writes the columns of a square of elements as they are, from rows that lie so much further.
    unsafe fn transpose_whole(from: *const Self::Element, rows: &[isize; MOST_SQUARE], to: &[*mut Self::Element; MOST_SQUARE]);
    unsafe fn put(x: Self::Element, to: *mut Self::Real, apart: usize, conjugate: bool);
    unsafe fn copy<const WIDTH: usize>(from: *const Self::Element, to: *mut Self::Real, apart: usize, conjugate: bool);
    /// As `copy`, of `count` elements in runs of neighbours, the first of each so much further.
    unsafe fn copy_runs<const WIDTH: usize>(
        from: *const Self::Element,
        lanes: (&[isize; MOST_LANES], &[Run], usize),
        to: *mut Self::Real,
        apart: usize,
        conjugate: bool,
    );
    unsafe fn transpose(
        from: *const Self::Element,
        rows: &[isize],
        to: &[*mut Self::Real; MOST_SQUARE],
        at: usize,
        apart: usize,
        conjugate: bool,
    );
}

/// Lines of elements: where the first one begins, and how much further each does.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a, P> {
    pub(super) start: P,
    pub(super) further: &'a [isize],
}

/// The lanes of a line that are stored, at most as many as a panel has: how much further each goes, and the runs of neighbours among them.
#[derive(Clone, Copy)]
pub(super) struct StoredLanes<'a> {
    pub(super) at: &'a [isize; MOST_LANES],
    pub(super) runs: &'a [Run],
    pub(super) count: usize,
}

/// Real numbers, as they are.
pub(super) struct Whole<V>(V);

impl<V: Vector> Format for Whole<V> {
    type Element = V::Real;
    type Real = V::Real;
    const PARTS: usize = 1;
    const SQUARE: usize = V::SQUARE;
    const WHOLE_SQUARE: usize = V::SQUARE;

    #[inline(always)]
    unsafe fn put_runs(from: Lines<'_, *const V::Real>, to: Lines<'_, *mut V::Real>, lanes: StoredLanes<'_>, add: bool) {
        // SAFETY: see `Format`.
        unsafe {
            if RUN * lanes.runs.len() > lanes.count {
                return put_alone(from, to, lanes, V::LANES, add);
            }
            for run in lanes.runs {
                let (first, len) = run.within(lanes.count);
                let start = to.start.offset(lanes.at[first]);
                for n in 0..to.further.len() {
                    let (from, to) = (from.start.offset(from.further[n]), start.offset(to.further[n]));
                    if lanes.count > V::LANES {
                        put_reals::<V>(from.add(first), to, len, add);
                        continue;
                    }
                    // Whole lines, as they were written: parts of them would wait for that.
                    let x = if lanes.count == V::LANES { V::load(from) } else { V::load_some(from, lanes.count) };
                    let sum = if add { x.add(V::splat(V::Real::ZERO).load_lanes(to, first, len)) } else { x };
                    sum.store_lanes(to, first, len);
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn transpose_whole(from: *const V::Real, rows: &[isize; MOST_SQUARE], to: &[*mut V::Real; MOST_SQUARE]) {
        // SAFETY: see `Format`.
        unsafe { V::transpose(from, rows, to, 0) }
    }

    #[inline(always)]
    unsafe fn prefetch(address: *const V::Real) {
        // SAFETY: see `Format`.
        unsafe { V::prefetch(address) }
    }
    #[inline(always)]
    unsafe fn put(x: V::Real, to: *mut V::Real, _: usize, _: bool) {
        // SAFETY: see `Format`.
        unsafe { to.write(x) }
    }
    #[inline(always)]
    unsafe fn copy<const WIDTH: usize>(from: *const V::Real, to: *mut V::Real, _: usize, _: bool) {
        // SAFETY: see `Format`; a panel is memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(from, to, WIDTH) }
    }
    #[inline(always)]
    unsafe fn copy_runs<const WIDTH: usize>(
        from: *const V::Real,
        (at, runs, count): (&[isize; MOST_LANES], &[Run], usize),
        to: *mut V::Real,
        _: usize,
        _: bool,
    ) {
        // SAFETY: see `Format`.
        unsafe {
            if WIDTH > V::LANES {
                for run in runs {
                    let (first, len) = run.within(count);
                    std::ptr::copy_nonoverlapping(from.offset(at[first]), to.add(first), len);
                }
                return;
            }
            let mut x = V::splat(V::Real::ZERO);
            for run in runs {
                let (first, len) = run.within(count);
                x = x.load_lanes(from.offset(at[first]), first, len);
            }
            if WIDTH == V::LANES { x.store(to) } else { x.store_some(to, WIDTH) }
        }
    }
    #[inline(always)]
    unsafe fn transpose(from: *const V::Real, rows: &[isize], to: &[*mut V::Real; MOST_SQUARE], at: usize, _: usize, _: bool) {
        // SAFETY: see `Format`.
        unsafe { V::transpose(from, rows, to, at) }
    }
}

/// Complex numbers, split into their parts.
pub(super) struct Split<V>(V);

impl<V: Vector> Format for Split<V>
where
    Complex<V::Real>: Element<Real = V::Real>,
{
    type Element = Complex<V::Real>;
    type Real = V::Real;
    const PARTS: usize = 2;
    const SQUARE: usize = PARTS_SQUARE;
    const WHOLE_SQUARE: usize = 0;

    #[inline(always)]
    unsafe fn put_runs(
        from: Lines<'_, *const Complex<V::Real>>,
        to: Lines<'_, *mut Complex<V::Real>>,
        lanes: StoredLanes<'_>,
        add: bool,
    ) {
        // SAFETY: see `Format`; a complex number is two neighbouring reals.
        unsafe {
            if RUN * lanes.runs.len() > lanes.count {
                return put_alone(from, to, lanes, V::LANES, add);
            }
            for run in lanes.runs {
                let (first, len) = run.within(lanes.count);
                let start = to.start.offset(lanes.at[first]);
                for n in 0..to.further.len() {
                    let from = from.start.offset(from.further[n] + first as isize);
                    put_reals::<V>(from.cast(), start.offset(to.further[n]).cast(), 2 * len, add);
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn transpose_whole(_: *const Complex<V::Real>, _: &[isize; MOST_SQUARE], _: &[*mut Complex<V::Real>; MOST_SQUARE]) {
        unreachable!("complex numbers are scattered one by one")
    }

    #[inline(always)]
    unsafe fn prefetch(address: *const Complex<V::Real>) {
        // SAFETY: see `Format`.
        unsafe { V::prefetch(address.cast()) }
    }
    #[inline(always)]
    unsafe fn put(x: Complex<V::Real>, to: *mut V::Real, apart: usize, conjugate: bool) {
        // SAFETY: see `Format`.
        unsafe {
            to.write(x.re);
            to.add(apart).write(if conjugate { -x.im } else { x.im });
        }
    }
    #[inline(always)]
    unsafe fn copy<const WIDTH: usize>(from: *const Complex<V::Real>, to: *mut V::Real, apart: usize, conjugate: bool) {
        // SAFETY: see `Format`.
        unsafe {
            if WIDTH == V::LANES {
                let (re, im) = V::load_parts(from);
                re.store(to);
                im.mul(V::splat(sign::<V>(conjugate))).store(to.add(apart));
            } else {
                for n in 0..WIDTH {
                    Self::put(from.add(n).read(), to.add(n), apart, conjugate);
                }
            }
        }
    }
    #[inline(always)]
    unsafe fn copy_runs<const WIDTH: usize>(
        from: *const Complex<V::Real>,
        (at, _, count): (&[isize; MOST_LANES], &[Run], usize),
        to: *mut V::Real,
        apart: usize,
        conjugate: bool,
    ) {
        for lane in 0..count {
            // SAFETY: see `Format`.
            unsafe { Self::put(from.offset(at[lane]).read(), to.add(lane), apart, conjugate) };
        }
    }
    #[inline(always)]
    unsafe fn transpose(
        from: *const Complex<V::Real>,
        rows: &[isize],
        to: &[*mut V::Real; MOST_SQUARE],
        at: usize,
        apart: usize,
        conjugate: bool,
    ) {
        // SAFETY: see `Format`.
        unsafe { V::transpose_parts(from, rows, to, [at, at + apart], sign::<V>(conjugate)) }
    }
}

/// What imaginary parts are multiplied by.
#[inline(always)]
fn sign<V: Vector>(conjugate: bool) -> V::Real {
    if conjugate { -V::Real::ONE } else { V::Real::ONE }
}

/// Writes elements, each to a place of its own, or adds them to what is there; of constant number where lines are whole vectors.
#[inline(always)]
unsafe fn put_alone<T: Element>(
    from: Lines<'_, *const T>,
    to: Lines<'_, *mut T>,
    lanes: StoredLanes<'_>,
    whole: usize,
    add: bool,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match (lanes.count == whole, add) {
            (true, false) => put_some_alone::<T, false>(from, to, lanes.at, whole),
            (true, true) => put_some_alone::<T, true>(from, to, lanes.at, whole),
            (false, false) => put_some_alone::<T, false>(from, to, lanes.at, lanes.count),
            (false, true) => put_some_alone::<T, true>(from, to, lanes.at, lanes.count),
        }
    }
}

/// The same of so many lanes.
#[inline(always)]
unsafe fn put_some_alone<T: Element, const ADD: bool>(
    from: Lines<'_, *const T>,
    to: Lines<'_, *mut T>,
    at: &[isize; MOST_LANES],
    count: usize,
) {
    // A copy, which stays in registers: what is written cannot change it.
    let mut offsets = [0; MOST_LANES];
    offsets[..count].copy_from_slice(&at[..count]);
    for n in 0..to.further.len() {
        // SAFETY: the caller's promise.
        unsafe {
            let (from, to) = (from.start.offset(from.further[n]), to.start.offset(to.further[n]));
            for lane in 0..count {
                let (x, to) = (from.add(lane).read(), to.offset(offsets[lane]));
                to.write(if ADD { to.read() + x } else { x });
            }
        }
    }
}

/// Writes so many real numbers, or adds them to what is there.
#[inline(always)]
unsafe fn put_reals<V: Vector>(from: *const V::Real, to: *mut V::Real, count: usize, add: bool) {
    let mut at = 0;
    while at < count {
        let (from, to, some) = (from.wrapping_add(at), to.wrapping_add(at), V::LANES.min(count - at));
        // SAFETY: the caller's promise.
        unsafe {
            if some == V::LANES {
                let x = V::load(from);
                if add { V::load(to).add(x) } else { x }.store(to);
            } else {
                let x = V::load_some(from, some);
                if add { V::load_some(to, some).add(x) } else { x }.store_some(to, some);
            }
        }
        at += some;
    }
}
