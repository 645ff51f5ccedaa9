//! Products in which every element is read once or twice: dot products, and matrices times vectors as dots or as scaled additions (axpy).
//!
//! They run at the speed of memory, over any strides, without packing anything large.

mod running_sums;
mod vectors;

use self::vectors::{add_scaled, dot};
use std::ops::{Deref, Range};

use smallvec::SmallVec;

use super::multiversion::{Loops, dispatch};
use super::packed::Packed;
use super::product::ClassifiedAxes;
use super::product::{LEFT, OUT, RIGHT, Triple};
use super::sink::Sink;
use super::tasks;
use crate::simd::Simd;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::internal::thread_pool;

/// Elements of a running sum held at once, and their bytes: long stretches of memory are read faster, and sums stay in a near cache.
const CHUNK: usize = 2048;
const CHUNK_BYTES: usize = 16 << 10;
/// Elements of a running sum that need no memory of their own.
const FEW: usize = 16;
/// Terms added to a running sum one after the other, before it is added to the total.
const LEAF: usize = 256;
/// Terms added together, so that a running sum is read and written once for all of them; outputs summed together.
const TOGETHER: usize = 4;

const fn chunk<T>() -> usize {
    let fit = CHUNK_BYTES / size_of::<T>();
    if fit < CHUNK { fit } else { CHUNK }
}

/// A product, prepared: its axes ordered for loops around one vector, along the axis that suits it best.
#[derive(Clone, Debug)]
pub(super) struct DotAxpy<T> {
    kept: Vec<Triple>,
    inner: Vec<Triple>,
    vector: Triple,
    along_inner: bool,
    start: [isize; 3],
    alpha: T,
    conjugate: Conjugate,
    /// A factor that is copied first, so that the vector runs along neighbours in it.
    packed: Option<(usize, Packed)>,
    simd: Simd,
}

/// What is conjugated.
#[derive(Clone, Copy, Debug)]
struct Conjugate {
    left: bool,
    right: bool,
}

impl<T: Element> DotAxpy<T> {
    /// Chooses the axis, and prepares the product for these instructions.
    pub(super) fn new(sorted: ClassifiedAxes<T>, simd: Simd) -> DotAxpy<T> {
        let ClassifiedAxes { batch, rows, columns, mut inner, conjugate: [left, right], start, alpha } = sorted;
        let mut kept = [batch, rows, columns].concat();
        let sizes = [LEFT, RIGHT].map(|side| {
            let own = kept.iter().chain(&inner).filter(|axis| axis.strides[side] != 0);
            own.map(|axis| axis.extent as f64).product::<f64>()
        });
        let larger = if sizes[LEFT] >= sizes[RIGHT] { LEFT } else { RIGHT };
        fuse::sort(&mut kept, &[larger, OUT]);
        fuse::sort(&mut inner, &[larger]);
        let cost = |axis: &Triple| {
            let access = |side: usize| match axis.strides[side].unsigned_abs() {
                0 => 0.0,
                1 => sizes[side],
                stride => sizes[side] * stride.min(8) as f64,
            };
            access(LEFT) + access(RIGHT) + sizes[larger] * 8.0 / axis.extent.min(chunk::<T>()) as f64
        };
        let best = |axes: &[Triple]| {
            let costs = axes.iter().map(cost).enumerate();
            costs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY))
        };
        let (best_kept, best_inner) = (best(&kept), best(&inner));
        let along_inner = best_inner.1 < best_kept.1;
        let vector = match (along_inner, kept.is_empty()) {
            (true, _) => inner.remove(best_inner.0),
            (false, false) => kept.remove(best_kept.0),
            (false, true) => Axis { extent: 1, strides: [0; 3] },
        };
        let conjugate = Conjugate { left, right };
        let mut direct = DotAxpy { kept, inner, vector, along_inner, start, alpha, conjugate, packed: None, simd };
        let smaller = 1 - larger;
        if vector.strides[smaller].unsigned_abs() > 1 && sizes[smaller] * 4.0 <= sizes[larger] {
            let axes = direct.kept.iter_mut().chain(&mut direct.inner).chain([&mut direct.vector]);
            direct.packed = Some((smaller, Packed::new::<T>(axes, smaller, &mut direct.start[smaller])));
        }
        direct
    }

    /// Elements of what it packs, and of the sums that threads make apart.
    pub(super) fn work_space(&self, threads: usize) -> usize {
        let packed = self.packed.as_ref().map_or(0, |(_, packed)| packed.len());
        let apart = if self.is_split(threads) {
            points(&self.kept) * if self.along_inner { 1 } else { self.vector.extent } * threads
        } else {
            0
        };
        packed + apart
    }

    /// Which of the two vectors are conjugated. For real numbers the compiler knows that none is, and makes one kernel instead of four.
    #[inline(always)]
    fn conjugated(&self) -> (bool, bool) {
        let is_complex = const { T::DTYPE.is_complex() };
        (is_complex && self.conjugate.left, is_complex && self.conjugate.right)
    }

    fn operations(&self) -> usize {
        points(&self.kept).saturating_mul(points(&self.inner)).saturating_mul(self.vector.extent)
    }

    /// Number of tasks that each row of outputs is.
    fn stretches(&self) -> usize {
        if self.along_inner { 1 } else { self.vector.extent.div_ceil(chunk::<T>()) }
    }

    /// Whether threads share the terms of the sums, because there are too few outputs to share.
    fn is_split(&self, threads: usize) -> bool {
        points(&self.kept) * self.stretches() < tasks::worth(threads, self.operations())
    }

    /// Computes it.
    ///
    /// # Safety
    /// All positions that the axes lead to lie inside the memory, and nobody else touches those of the output.
    pub(super) unsafe fn run(&self, threads: usize, [left, right]: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let data = match &self.packed {
            None => return Run { axes: self, data: [left, right], out }.run(threads),
            Some((LEFT, packed)) => [&packed.make(threads, left)?[..], right],
            Some((_, packed)) => [left, &packed.make(threads, right)?[..]],
        };
        Run { axes: self, data, out }.run(threads)
    }
}

/// A product on memory.
struct Run<'r, 'a, T> {
    axes: &'r DotAxpy<T>,
    data: [&'a [T]; 2],
    out: Sink<'a, T>,
}

impl<T> Deref for Run<'_, '_, T> {
    type Target = DotAxpy<T>;

    fn deref(&self) -> &DotAxpy<T> {
        self.axes
    }
}

impl<T: Element> Run<'_, '_, T> {
    fn run(&self, threads: usize) -> Result<(), Error> {
        if self.is_split(threads) {
            return self.run_split(threads);
        }
        let stretches = self.stretches();
        tasks::split(threads, points(&self.kept) * stretches, self.operations(), &|range| {
            dispatch(self.simd, Outputs { run: self, range, stretches })
        });
        Ok(())
    }

    /// Few outputs, each of many terms: every thread sums a part of the terms, and the parts are added in order.
    fn run_split(&self, threads: usize) -> Result<(), Error> {
        let mut kept = self.kept.clone();
        kept.extend((!self.along_inner).then_some(self.vector));
        let size = points(&kept);
        let mut sums = zeros::<T>(size * threads)?;
        let parts = Sink::new(&mut sums);
        thread_pool::each(threads, &|part| {
            let mut own = self.axes.clone();
            let terms = own.inner.iter_mut().chain(self.along_inner.then_some(&mut own.vector));
            let longest = terms.max_by_key(|axis| axis.extent).expect("many terms lie along an axis");
            let bound = |part: usize| (longest.extent as u128 * part as u128 / threads as u128) as usize;
            let range = bound(part)..bound(part + 1);
            for side in [LEFT, RIGHT] {
                own.start[side] += range.start as isize * longest.strides[side];
            }
            longest.extent = range.len();
            let mut stride = 1;
            for axis in own.kept.iter_mut().chain((!self.along_inner).then_some(&mut own.vector)).rev() {
                axis.strides[OUT] = stride;
                stride *= axis.extent as isize;
            }
            own.start[OUT] = (part * size) as isize;
            if !range.is_empty() {
                let stretches = if own.along_inner { 1 } else { own.vector.extent.div_ceil(chunk::<T>()) };
                let range = 0..points(&own.kept) * stretches;
                let run = Run { axes: &own, data: self.data, out: parts };
                dispatch(self.simd, Outputs { run: &run, range, stretches });
            }
        });
        let mut walk = Odometer::new(&kept, &self.start, 0);
        for n in 0..size {
            let sum = (1..threads).fold(sums[n], |sum, part| sum + sums[part * size + n]);
            // SAFETY: the threads are done, and the position lies inside (see `Output::new`).
            unsafe { self.out.write(walk.position[OUT], sum) };
            walk.step();
        }
        Ok(())
    }

    /// Each output of a range is a sum of dot products.
    #[inline(always)]
    fn along_inner(&self, range: Range<usize>) {
        let mut outputs = Odometer::new(&self.kept, &self.start, range.start);
        let mut walk = Odometer::new(&self.inner, &[0; 3], 0);
        let mut next = || {
            let position = outputs.position;
            outputs.step();
            position
        };
        // Several at once, so that memory is read in several places.
        for _ in 0..range.len() / TOGETHER {
            self.outputs([(); TOGETHER].map(|()| next()), &mut walk);
        }
        for _ in 0..range.len() % TOGETHER {
            self.outputs([next()], &mut walk);
        }
    }

    /// The outputs there.
    #[inline(always)]
    fn outputs<const N: usize>(&self, at: [[isize; 3]; N], walk: &mut Odometer<'_, [isize; 3]>) {
        let terms = points(&self.inner);
        walk.seek(&[0; 3], 0);
        let mut totals = [T::ZERO; N];
        for first in (0..terms).step_by(LEAF) {
            let mut sums = [T::ZERO; N];
            for _ in first..terms.min(first + LEAF) {
                let dots = self.dots(at, walk.position);
                sums.iter_mut().zip(dots).for_each(|(sum, dot)| *sum += dot);
                walk.step();
            }
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        for (at, total) in at.into_iter().zip(totals) {
            // SAFETY: this output belongs to this task alone and lies inside (see `Output::new`).
            unsafe { self.out.write(at[OUT], self.alpha * total) };
        }
    }

    /// The dot products of vectors so much further on.
    #[inline(always)]
    fn dots<const N: usize>(&self, at: [[isize; 3]; N], further: [isize; 3]) -> [T; N] {
        let [a, b] =
            [LEFT, RIGHT].map(|side| (self.data[side], at.map(|at| at[side] + further[side]), self.vector.strides[side]));
        let len = self.vector.extent;
        match self.conjugated() {
            (false, false) => dot(self.simd, a, b, len, |a, b| a * b),
            (true, false) => dot(self.simd, a, b, len, |a, b| a.conj() * b),
            (false, true) => dot(self.simd, a, b, len, |a, b| a * b.conj()),
            (true, true) => dot(self.simd, a, b, len, |a, b| a * b).map(|dot| dot.conj()),
        }
    }

    /// Each stretch of outputs of a range is a sum of scaled vectors.
    #[inline(always)]
    fn along_kept(&self, range: Range<usize>, stretches: usize) {
        let width = chunk::<T>().min(self.vector.extent);
        let zeros = || SmallVec::<[T; FEW]>::from_elem(T::ZERO, width);
        let (mut sums, mut totals) = (zeros(), zeros());
        for output in range {
            let first = output % stretches * chunk::<T>();
            let len = chunk::<T>().min(self.vector.extent - first);
            let mut start = Odometer::new(&self.kept, &self.start, output / stretches).position;
            start.iter_mut().zip(self.vector.strides).for_each(|(start, stride)| *start += first as isize * stride);
            let (sums, totals) = (&mut sums[..len], &mut totals[..len]);
            totals.fill(T::ZERO);
            let mut walk = Odometer::new(&self.inner, &start, 0);
            let terms = points(&self.inner);
            for first in (0..terms).step_by(LEAF) {
                sums.fill(T::ZERO);
                self.add_terms(sums, &mut walk, LEAF.min(terms - first));
                totals.iter_mut().zip(&*sums).for_each(|(total, &sum)| *total += sum);
            }
            for (n, &total) in totals.iter().enumerate() {
                // SAFETY: these outputs belong to this task alone and lie inside (see `Output::new`).
                unsafe { self.out.write(start[OUT] + n as isize * self.vector.strides[OUT], self.alpha * total) };
            }
        }
    }

    /// Adds so many terms to the sums, one after the other in each of them.
    #[inline(always)]
    fn add_terms(&self, sums: &mut [T], walk: &mut Odometer<'_, [isize; 3]>, terms: usize) {
        let mut next = || {
            let position = walk.position;
            walk.step();
            position
        };
        for _ in 0..terms / TOGETHER {
            self.add(sums, [(); TOGETHER].map(|()| next()));
        }
        for _ in 0..terms % TOGETHER {
            self.add(sums, [next()]);
        }
    }

    /// Adds the terms that start there.
    #[inline(always)]
    fn add<const N: usize>(&self, sums: &mut [T], at: [[isize; 3]; N]) {
        let [a, b] = self.data;
        let [left, right, _] = self.vector.strides;
        let (a, b) = ((a, at.map(|at| at[LEFT]), left), (b, at.map(|at| at[RIGHT]), right));
        match self.conjugated() {
            (false, false) => add_scaled(sums, a, b, |a, b| a * b),
            (true, false) => add_scaled(sums, a, b, |a, b| a.conj() * b),
            (false, true) => add_scaled(sums, a, b, |a, b| a * b.conj()),
            (true, true) => add_scaled(sums, a, b, |a, b| (a * b).conj()),
        }
    }
}

/// Outputs of a range, in the form for some instructions.
struct Outputs<'o, 'r, 'a, T> {
    run: &'o Run<'r, 'a, T>,
    range: Range<usize>,
    stretches: usize,
}

impl<T: Element> Loops for Outputs<'_, '_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Outputs { run, range, stretches } = self;
        if run.along_inner { run.along_inner(range) } else { run.along_kept(range, stretches) }
    }
}
