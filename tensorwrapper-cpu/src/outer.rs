//! Outer products: the result is written once, in the order in which it lies in memory.
//!
//! The smaller factor is copied first, in the order of the result and with everything that numbers are multiplied by.

use super::access::PerOperand;
use super::multiversion::{finish_streams, streamed};
use super::packed::Packed;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product_kernel::ProductKernel;
use super::simd::vector::Vector;
use super::simd::{Simd, by_vectors};
use super::sink::Sink;
use super::tasks;
use std::ops::Range;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::backend::{Binary, Instruction, Operand, Program};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Bytes of neighbours in the result, at least, that are written past the caches: those of a part of a line are not.
const LONG: usize = 512;
/// Elements of the result of a program at least: copies of factors are made in each run.
const LARGE: usize = 1 << 14;

/// An outer product, prepared.
#[derive(Debug)]
pub(super) struct OuterProduct<T> {
    /// The loops around the two innermost ones, over the factors and the result.
    loops: Vec<Triple>,
    next: Triple,
    run: Triple,
    start: [isize; 3],
    alpha: T,
    conjugate: [bool; 2],
    /// Whether the result is so large that it is written past the caches.
    stream: bool,
    /// Copies of the factors: of the smaller one always.
    packed: [Option<Packed>; 2],
    kernel: Kernel<T>,
}

/// Computes some of the outer loops' points, and some rows of each.
type Kernel<T> = unsafe fn(&OuterProduct<T>, [Range<usize>; 2], [&[T]; 2], Sink<'_, T>);

impl<T: Element> OuterProduct<T> {
    /// Prepares a product without summed axes; nothing where neighbours in memory are none of the result's.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<OuterProduct<T>> {
        let ClassifiedAxes { batch, rows, columns, inner, conjugate, mut start, alpha } = sorted.clone();
        if rows.is_empty() || columns.is_empty() || !inner.is_empty() {
            return None;
        }
        let mut axes = [batch, rows, columns].concat();
        fuse::sort(&mut axes, &[OUT]);
        let run = *axes.last()?;
        // An axis of neither factor repeats elements.
        if run.strides[OUT] != 1 || run.strides[LEFT] == 0 && run.strides[RIGHT] == 0 {
            return None;
        }
        let size = |side: usize| axes.iter().filter(|axis| axis.strides[side] != 0).map(|axis| axis.extent).product::<usize>();
        let small = if size(LEFT) < size(RIGHT) { LEFT } else { RIGHT };
        let mut packed = [None, None];
        for side in [LEFT, RIGHT] {
            if side == small || conjugate[side] || run.strides[side] & !1 != 0 {
                packed[side] = Some(Packed::new::<T>(axes.iter_mut(), side, &mut start[side]));
            }
        }
        fuse::fuse(&mut axes);
        let run = axes.pop()?;
        let results = points(&axes).saturating_mul(run.extent).saturating_mul(size_of::<T>());
        let stream = results > streamed() && run.extent * size_of::<T>() >= LONG;
        let next = axes.pop().unwrap_or(Axis { extent: 1, strides: [0; 3] });
        Some(OuterProduct { loops: axes, next, run, start, alpha, stream, conjugate, packed, kernel: kernel::<T>(simd) })
    }
}

impl<T: Scalar> OuterProduct<T> {
    /// The product of two inputs that share no axis, where a program is that and the result is large.
    pub(super) fn of_program(
        simd: Simd,
        [kept, reduced]: [&[Axis<PerOperand>]; 2],
        program: &Program,
        inputs: &[Operand<'_>],
        start: &[isize],
    ) -> Option<OuterProduct<T>> {
        let [Instruction::Input(LEFT), Instruction::Input(RIGHT), Instruction::Combine(Binary::Multiply, a, b)] =
            *program.instructions()
        else {
            return None;
        };
        let is_own = inputs.len() == 2 && inputs.iter().all(|input| input.data().dtype() == T::DTYPE);
        if a == b || !is_own || points(reduced) != 1 || points(kept) < LARGE {
            return None;
        }
        let triples = kept.iter().map(|axis| Triple { extent: axis.extent, strides: std::array::from_fn(|n| axis.strides[n]) });
        let [mut batch, mut rows, mut columns] = [const { Vec::new() }; 3];
        for axis in triples {
            match [axis.strides[LEFT] != 0, axis.strides[RIGHT] != 0] {
                [true, false] => rows.push(axis),
                [false, true] => columns.push(axis),
                _ => batch.push(axis),
            }
        }
        let conjugate = [LEFT, RIGHT].map(|side| inputs[side].conjugate && T::DTYPE.is_complex());
        let start = std::array::from_fn(|n| start[n]);
        let product = ClassifiedAxes { batch, rows, columns, inner: Vec::new(), conjugate, start, alpha: T::ONE };
        OuterProduct::new(&product, simd)
    }
}

impl<T: Element> ProductKernel<T> for OuterProduct<T> {
    fn method(&self) -> &'static str {
        "outer product"
    }

    fn work_space(&self, _: usize) -> usize {
        self.packed.iter().flatten().map(Packed::len).sum()
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let mut alpha = Some(self.alpha).filter(|&alpha| alpha != T::ONE);
        let mut copy = |side: usize| -> Result<Option<Vec<T>>, Error> {
            let Some(packed) = &self.packed[side] else { return Ok(None) };
            let mut copy = packed.make(threads, data[side])?;
            let conjugate = self.conjugate[side];
            if let Some(alpha) = alpha.take() {
                copy.iter_mut().for_each(|x| *x = alpha * if conjugate { x.conj() } else { *x });
            } else if conjugate {
                copy.iter_mut().for_each(|x| *x = x.conj());
            }
            Ok(Some(copy))
        };
        let copies = [copy(LEFT)?, copy(RIGHT)?];
        let from = [LEFT, RIGHT].map(|side| copies[side].as_deref().unwrap_or(data[side]));
        let (items, rows) = (points(&self.loops), self.next.extent);
        // Where there are few loops around the rows, threads share the rows.
        let by_loops = items >= 4 * threads || items >= rows;
        tasks::split(threads, if by_loops { items } else { rows }, items * rows * self.run.extent, &|range| {
            let ranges = if by_loops { [range, 0..rows] } else { [0..items, range] };
            // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
            unsafe { (self.kernel)(self, ranges, from, out) };
            if self.stream {
                finish_streams();
            }
        });
        Ok(())
    }
}

/// The kernel for these instructions.
fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, some(product: &OuterProduct<T>, ranges: [Range<usize>; 2], from: [&[T]; 2], out: Sink<'_, T>))
}

/// # Safety
/// As [`OuterProduct::run`], and the processor has the instructions.
#[inline(always)]
unsafe fn some<V: Vector, T: Element, const PARTS: usize>(
    product: &OuterProduct<T>,
    [range, rows]: [Range<usize>; 2],
    from: [&[T]; 2],
    out: Sink<'_, T>,
) {
    let OuterProduct { loops, next, run, start, .. } = product;
    let mut walk = Odometer::new(loops, start, range.start);
    let len = run.extent * PARTS;
    for _ in range {
        let at = walk.position;
        walk.step();
        for n in rows.start as isize..rows.end as isize {
            // SAFETY: the caller's promise.
            unsafe {
                let [left, right] =
                    [LEFT, RIGHT].map(|side| from[side].as_ptr().offset(at[side] + n * next.strides[side]).cast::<V::Real>());
                let to = out.base().offset(at[OUT] + n * next.strides[OUT]).cast::<V::Real>();
                match (run.strides[LEFT], run.strides[RIGHT]) {
                    (_, 0) => scaled::<V, PARTS>(left, right, to, len, product.stream),
                    (0, _) => scaled::<V, PARTS>(right, left, to, len, product.stream),
                    _ => multiplied::<V, PARTS>(left, right, to, len),
                }
            }
        }
    }
}

/// A vector times a number; whole lines of it past the caches, where told to.
#[inline(always)]
unsafe fn scaled<V: Vector, const PARTS: usize>(
    vector: *const V::Real,
    number: *const V::Real,
    to: *mut V::Real,
    len: usize,
    stream: bool,
) {
    // SAFETY: the caller's promise; the rest of a vector is neither read nor written, and streams begin at multiples of its size.
    unsafe {
        let numbers = [V::splat(number.read()), V::splat(number.add(PARTS - 1).read())];
        let mut at = 0;
        let apart = to.cast::<u8>().align_offset(V::LANES * size_of::<V::Real>()) / size_of::<V::Real>();
        // No complex number is cut.
        let stream = stream && apart.is_multiple_of(PARTS);
        if stream {
            at = apart.min(len);
            if at > 0 {
                times::<V, PARTS>(V::load_some(vector, at), numbers).store_some(to, at);
            }
        }
        while at + V::LANES <= len {
            let scaled = times::<V, PARTS>(V::load(vector.add(at)), numbers);
            if stream {
                scaled.stream(to.add(at))
            } else {
                scaled.store(to.add(at))
            }
            at += V::LANES;
        }
        if at < len {
            times::<V, PARTS>(V::load_some(vector.add(at), len - at), numbers).store_some(to.add(at), len - at);
        }
    }
}

/// A vector times a number, of which there are the real and the imaginary part.
#[inline(always)]
unsafe fn times<V: Vector, const PARTS: usize>(x: V, [re, im]: [V; 2]) -> V {
    // SAFETY: the caller's promise.
    unsafe { if PARTS == 1 { x.mul(re) } else { x.mul(re).add_times_i(x.mul(im)) } }
}

/// The products of the elements of two vectors.
#[inline(always)]
unsafe fn multiplied<V: Vector, const PARTS: usize>(left: *const V::Real, right: *const V::Real, to: *mut V::Real, len: usize) {
    let mut at = 0;
    while at < len {
        let count = V::LANES.min(len - at);
        // SAFETY: the caller's promise; the rest of a vector is neither read nor written.
        unsafe {
            let (x, y) = if count == V::LANES {
                (V::load(left.add(at)), V::load(right.add(at)))
            } else {
                (V::load_some(left.add(at), count), V::load_some(right.add(at), count))
            };
            let product = if PARTS == 1 { x.mul(y) } else { x.real_parts().mul(y).add_times_i(x.imaginary_parts().mul(y)) };
            if count == V::LANES { product.store(to.add(at)) } else { product.store_some(to.add(at), count) }
        }
        at += count;
    }
}
