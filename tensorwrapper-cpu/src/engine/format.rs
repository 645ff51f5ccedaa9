//! How elements stand in packed panels: real numbers as they are, complex ones in parts.

use num_complex::Complex;

use super::space::{MOST_LANES, Run};
use crate::simd::vector::{MOST_SQUARE, PARTS_SQUARE, Vector};
use tensorwrapper_core::element::Element;

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
    /// Writes so many elements, at most as many as a vector has lanes, or adds them to what is there: those of each run side by side, the
    /// first of them so much further.
    unsafe fn put_runs(
        from: *const Self::Element,
        to: *mut Self::Element,
        at: &[isize; MOST_LANES],
        runs: &[Run],
        count: usize,
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

/// Real numbers, as they are.
pub(super) struct Whole<V>(V);

impl<V: Vector> Format for Whole<V> {
    type Element = V::Real;
    type Real = V::Real;
    const PARTS: usize = 1;
    const SQUARE: usize = V::SQUARE;
    const WHOLE_SQUARE: usize = V::SQUARE;

    #[inline(always)]
    unsafe fn put_runs(from: *const V::Real, to: *mut V::Real, at: &[isize; MOST_LANES], runs: &[Run], count: usize, add: bool) {
        // SAFETY: see `Format`.
        unsafe {
            if runs.len() == count {
                put_alone(from, to, at, count, add);
                return;
            }
            let x = if count == V::LANES { V::load(from) } else { V::load_some(from, count) };
            for run in runs {
                let (first, len) = run.within(count);
                let to = to.offset(at[first]);
                let sum = if add { x.add(V::splat(V::Real::ZERO).load_lanes(to, first, len)) } else { x };
                sum.store_lanes(to, first, len);
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
        from: *const Complex<V::Real>,
        to: *mut Complex<V::Real>,
        at: &[isize; MOST_LANES],
        runs: &[Run],
        count: usize,
        add: bool,
    ) {
        // SAFETY: see `Format`; a complex number is two neighbouring reals.
        unsafe {
            if runs.len() == count {
                put_alone(from, to, at, count, add);
                return;
            }
            for run in runs {
                let (first, len) = run.within(count);
                put_reals::<V>(from.add(first).cast(), to.offset(at[first]).cast(), 2 * len, add);
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

/// Writes so many elements, each to a place of its own, or adds them to what is there.
#[inline(always)]
unsafe fn put_alone<T: Element>(from: *const T, to: *mut T, at: &[isize; MOST_LANES], count: usize, add: bool) {
    for n in 0..count {
        // SAFETY: the caller's promise.
        unsafe {
            let (x, to) = (from.add(n).read(), to.offset(at[n]));
            to.write(if add { to.read() + x } else { x });
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
