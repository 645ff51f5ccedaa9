//! The loops over a block in vectors: four rows of the large factor at a time.
//!
//! A complex number is two neighbouring reals of a vector. Its products with the real and with the imaginary parts of the other factor have
//! a sum each, which the end brings together. Nothing is checked here: where elements lie is known when a product is prepared.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::block::{Along, LARGE, SUMS, Task, VECTOR};
use super::strided;
use crate::simd::vector::{MOST_LANES, Vector};
use crate::simd::{Simd, by_vectors};
use num_complex::Complex;
use tensorwrapper_core::backend::fuse::{Odometer, points};
use tensorwrapper_core::element::Element;

/// Computes the sums of a block: those to add to, and the totals of long ones.
pub(super) type Kernel<T> = unsafe fn(&Task<'_, T>, &mut [T], &mut [T]);

/// Rows that are read at a time, so that what lies in a cache is read less often. Processors do not foresee streams that go on from one row
/// to another (on Zen 4, rows of 2 KB went at 40 % of the speed of memory in fours, and at 92 % one by one), so that lines are asked for;
/// where the instructions cannot ask, short rows are read one after the other. So are, without asking, those that follow each other in a
/// factor beyond the second cache, on processors that have more lines on their way for one stream.
const TOGETHER: usize = 4;
/// Elements of a dot product that are summed before the sum is added to others, so that long sums stay accurate.
const STRETCH: usize = 4096;
/// Bytes from which on rows are long: dot products of shorter ones are computed one after the other.
const LONG: usize = 8 << 10;
/// Bytes ahead of which lines of dot products are asked for.
const AHEAD: usize = 4 << 10;

/// The kernel for these instructions.
pub(super) fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, block(task: &Task<'_, T>, sums: &mut [T], totals: &mut [T]))
}

/// All loops of a block.
///
/// # Safety
/// All positions lie inside the memory, and the processor has the instructions.
#[inline(always)]
unsafe fn block<V: Vector, T: Element, const PARTS: usize>(task: &Task<'_, T>, sums: &mut [T], totals: &mut [T]) {
    let block = task.block;
    let (run, next) = (block.run, block.next);
    let rows = Rows::<V, PARTS> {
        len: run.extent * PARTS,
        further: next.strides.map(|stride| stride * PARTS as isize),
        // Of the vector alone: the sums are conjugated where the large factor is.
        sign: V::Real::from_complex(if task.conjugate[LARGE] != task.conjugate[VECTOR] { -1.0 } else { 1.0 }.into()),
        is_stream: block.is_stream,
    };
    // Sums over many rows are moved to the totals leaf by leaf.
    let moves = block.leaf > 0 && next.strides[SUMS] == 0 && next.extent > block.piece;
    let piece = if moves { block.piece } else { next.extent };
    let touched = if block.along == Along::Sum { 1 } else { run.extent };
    let mut walk = Odometer::new(&block.outer, &[task.start[LARGE], task.start[VECTOR], 0], 0);
    let mut steps = 0;
    for _ in 0..points(&block.outer) {
        let mut at = walk.position;
        walk.step();
        let mut done = 0;
        while done < next.extent {
            let count = piece.min(next.extent - done);
            // SAFETY: the caller's promise; there is a sum for each result of the block.
            unsafe { rows.some(task, count, at, sums) };
            done += count;
            for operand in 0..3 {
                at[operand] += count as isize * next.strides[operand];
            }
            if moves && count == piece {
                let range = at[SUMS] as usize..at[SUMS] as usize + touched;
                move_sums(&mut sums[range.clone()], &mut totals[range]);
            }
        }
        steps += 1;
        if steps == block.leaf {
            steps = 0;
            move_sums(sums, totals);
        }
    }
    if block.leaf > 0 {
        move_sums(sums, totals);
    }
}

/// Adds sums to the totals, and begins new ones.
#[inline(always)]
fn move_sums<T: Element>(sums: &mut [T], totals: &mut [T]) {
    for (sum, total) in sums.iter_mut().zip(totals) {
        *total += std::mem::replace(sum, T::ZERO);
    }
}

/// Rows of the large factor whose elements are neighbours. All numbers count reals.
pub(super) struct Rows<V: Vector, const PARTS: usize> {
    pub(super) len: usize,
    /// How much further the next row lies in the large factor, the vector and the sums.
    pub(super) further: [isize; 3],
    /// What imaginary parts of the vector are multiplied by.
    pub(super) sign: V::Real,
    /// Whether rows follow each other in a factor that the second cache does not hold, and are read fastest one by one.
    pub(super) is_stream: bool,
}

impl<V: Vector, const PARTS: usize> Rows<V, PARTS> {
    /// Adds what so many rows from there on bring.
    #[inline(always)]
    unsafe fn some<T: Element>(&self, task: &Task<'_, T>, count: usize, at: [isize; 3], sums: &mut [T]) {
        let run = task.block.run;
        // SAFETY: the caller's promise: all rows lie inside, and there is a sum for each result.
        unsafe {
            if run.extent > 1 && run.strides[LARGE] != 1 {
                return strided::add(task, count, at, sums);
            }
            let large = task.data[LARGE].as_ptr().offset(at[LARGE]).cast::<V::Real>();
            let vector = task.data[VECTOR].as_ptr().offset(at[VECTOR]).cast::<V::Real>();
            let to = sums.as_mut_ptr().offset(at[SUMS]).cast::<V::Real>();
            match task.block.along {
                Along::Sum => self.sum(count, large, vector, to),
                Along::Result => self.add(count, large, vector, to),
                Along::Both => self.add_products(count, large, vector, to),
            }
        }
    }

    fn is_long(&self) -> bool {
        self.len * size_of::<V::Real>() >= LONG
    }

    /// Adds the dot product of every row.
    #[inline(always)]
    unsafe fn sum(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        let mut row = 0;
        // SAFETY: the caller's promise: all rows lie inside.
        unsafe {
            if self.further[VECTOR] == 0 && self.is_narrow() {
                return self.dots_narrow(rows, large, vector, to);
            }
            while self.is_long() && row + TOGETHER <= rows {
                self.dots::<TOGETHER, 2>(row, large, vector, to);
                row += TOGETHER;
            }
            while row < rows {
                self.dots::<1, 4>(row, large, vector, to);
                row += 1;
            }
        }
    }

    /// Adds the dot products of `N` rows, each in `RUNNING` running sums.
    #[inline(always)]
    unsafe fn dots<const N: usize, const RUNNING: usize>(
        &self,
        row: usize,
        large: *const V::Real,
        vector: *const V::Real,
        to: *mut V::Real,
    ) {
        // SAFETY: the caller's promise: all rows lie inside; the rest of a vector is not read.
        unsafe {
            let (mut a, mut x) = ([large; N], [vector; N]);
            for n in 0..N {
                a[n] = large.offset((row + n) as isize * self.further[LARGE]);
                x[n] = vector.offset((row + n) as isize * self.further[VECTOR]);
            }
            let mut first = 0;
            while first < self.len {
                let len = STRETCH.min(self.len - first);
                let zero = V::splat(V::Real::ZERO);
                // Of complex numbers: sums of products with real parts, and with imaginary ones.
                let mut sums = [[[zero; 2]; RUNNING]; N];
                let mut at = first;
                let end = first + len;
                while at + RUNNING * V::LANES <= end {
                    for part in 0..RUNNING {
                        for n in 0..N {
                            let place = at + part * V::LANES;
                            V::prefetch(a[n].wrapping_add(place + AHEAD / size_of::<V::Real>()));
                            sums[n][part] = Self::multiply_add(sums[n][part], V::load(a[n].add(place)), V::load(x[n].add(place)));
                        }
                    }
                    at += RUNNING * V::LANES;
                }
                while at < end {
                    let count = V::LANES.min(end - at);
                    for n in 0..N {
                        let (a, x) = if count == V::LANES {
                            (V::load(a[n].add(at)), V::load(x[n].add(at)))
                        } else {
                            (V::load_some(a[n].add(at), count), V::load_some(x[n].add(at), count))
                        };
                        sums[n][0] = Self::multiply_add(sums[n][0], a, x);
                    }
                    at += count;
                }
                for n in 0..N {
                    let mut sum = sums[n][0];
                    for part in 1..RUNNING {
                        sum = [sum[0].add(sums[n][part][0]), sum[1].add(sums[n][part][1])];
                    }
                    self.put(sum, to.offset((row + n) as isize * self.further[SUMS]));
                }
                first = end;
            }
        }
    }

    /// Adds products of elements: of complex numbers, those of real parts and those of imaginary ones.
    #[inline(always)]
    pub(super) unsafe fn multiply_add(sums: [V; 2], a: V, x: V) -> [V; 2] {
        // SAFETY: the caller's promise.
        unsafe {
            if PARTS == 1 {
                return [sums[0].add_product(a, x), sums[1]];
            }
            [sums[0].add_product(a.real_parts(), x), sums[1].add_product(a.imaginary_parts(), x)]
        }
    }

    /// Adds all elements of running sums to a sum.
    #[inline(always)]
    pub(super) unsafe fn put(&self, sums: [V; 2], to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe {
            if PARTS == 1 {
                to.write(to.read() + sums[0].sum());
                return;
            }
            let mut values = [[V::Real::ZERO; MOST_LANES]; 2];
            sums[0].store(values[0].as_mut_ptr());
            sums[1].store(values[1].as_mut_ptr());
            let mut parts = [[V::Real::ZERO; 2]; 2];
            for lane in 0..V::LANES {
                parts[0][lane % 2] += values[0][lane];
                parts[1][lane % 2] += values[1][lane];
            }
            // The first factor's real parts times x, and its imaginary ones times it; x or its conjugate.
            let [[a, b], [c, d]] = parts;
            to.write(to.read() + a - self.sign * d);
            to.add(1).write(to.add(1).read() + self.sign * b + c);
        }
    }

    /// Adds every row, times a number of the vector.
    #[inline(always)]
    unsafe fn add(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        let mut row = 0;
        // SAFETY: the caller's promise: all rows lie inside.
        unsafe {
            if self.further[SUMS] == 0 && self.is_narrow() && rows > 1 {
                return self.add_narrow(rows, large, vector, to);
            }
            if self.is_stream && !self.is_long() {
                for row in 0..rows {
                    self.add_scaled::<1, false>(row, large, vector, to);
                }
                return;
            }
            if self.further[SUMS] == 0 && (V::PREFETCHES || self.is_long()) {
                while row + TOGETHER <= rows {
                    self.add_scaled::<TOGETHER, true>(row, large, vector, to);
                    row += TOGETHER;
                }
            }
            while row < rows {
                self.add_scaled::<1, true>(row, large, vector, to);
                row += 1;
            }
        }
    }

    /// Adds `N` rows to the same sums, and asks for the next ones if it is to.
    #[inline(always)]
    unsafe fn add_scaled<const N: usize, const ASKS: bool>(
        &self,
        row: usize,
        large: *const V::Real,
        vector: *const V::Real,
        to: *mut V::Real,
    ) {
        // SAFETY: the caller's promise: all rows lie inside; the rest of a vector is neither read nor written.
        unsafe {
            let mut a = [large; N];
            let zero = V::splat(V::Real::ZERO);
            let (mut re, mut im) = ([zero; N], [zero; N]);
            for n in 0..N {
                let further = (row + n) as isize;
                a[n] = large.offset(further * self.further[LARGE]);
                let x = vector.offset(further * self.further[VECTOR]);
                re[n] = V::splat(x.read());
                if PARTS == 2 {
                    im[n] = V::splat(self.sign * x.add(1).read());
                }
            }
            let to = to.offset(row as isize * self.further[SUMS]);
            let ahead = N as isize * self.further[LARGE];
            let mut at = 0;
            while at + V::LANES <= self.len {
                let mut sum = V::load(to.add(at));
                let mut second = zero;
                for n in 0..N {
                    if ASKS {
                        V::prefetch(a[n].wrapping_offset(ahead + at as isize));
                    }
                    let a = V::load(a[n].add(at));
                    sum = sum.add_product(a, re[n]);
                    if PARTS == 2 {
                        second = second.add_product(a, im[n]);
                    }
                }
                if PARTS == 2 {
                    sum = sum.add_times_i(second);
                }
                sum.store(to.add(at));
                at += V::LANES;
            }
            if at < self.len {
                let count = self.len - at;
                let mut sum = V::load_some(to.add(at), count);
                let mut second = zero;
                for n in 0..N {
                    let a = V::load_some(a[n].add(at), count);
                    sum = sum.add_product(a, re[n]);
                    if PARTS == 2 {
                        second = second.add_product(a, im[n]);
                    }
                }
                if PARTS == 2 {
                    sum = sum.add_times_i(second);
                }
                sum.store_some(to.add(at), count);
            }
        }
    }

    /// Adds the products of every row's elements with those of the vector.
    #[inline(always)]
    unsafe fn add_products(&self, rows: usize, large: *const V::Real, vector: *const V::Real, to: *mut V::Real) {
        for row in 0..rows as isize {
            // SAFETY: the caller's promise: all rows lie inside; the rest of a vector is neither read nor written.
            unsafe {
                let (a, x) = (large.offset(row * self.further[LARGE]), vector.offset(row * self.further[VECTOR]));
                let to = to.offset(row * self.further[SUMS]);
                let mut at = 0;
                while at < self.len {
                    let count = V::LANES.min(self.len - at);
                    let whole = count == V::LANES;
                    let (mut sum, a, x) = if whole {
                        (V::load(to.add(at)), V::load(a.add(at)), V::load(x.add(at)))
                    } else {
                        (V::load_some(to.add(at), count), V::load_some(a.add(at), count), V::load_some(x.add(at), count))
                    };
                    if PARTS == 1 {
                        sum = sum.add_product(a, x);
                    } else {
                        let x = Self::conjugated(x, self.sign);
                        sum = sum.add_product(a.real_parts(), x).add_times_i(a.imaginary_parts().mul(x));
                    }
                    if whole {
                        sum.store(to.add(at))
                    } else {
                        sum.store_some(to.add(at), count)
                    }
                    at += count;
                }
            }
        }
    }

    /// Complex numbers, or their conjugates.
    #[inline(always)]
    unsafe fn conjugated(x: V, sign: V::Real) -> V {
        let mut signs = [V::Real::from_complex(Complex::ONE); MOST_LANES];
        let mut n = 1;
        while n < MOST_LANES {
            signs[n] = sign;
            n += 2;
        }
        // SAFETY: the caller's promise; there are signs for the widest vector.
        unsafe { x.mul(V::load(signs.as_ptr())) }
    }
}
