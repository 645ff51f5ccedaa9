//! Small products side by side in memory, as sums of long vectors: a vector runs along an axis of the result, and products of vectors or
//! scaled vectors are added to it, term by term (axpy).
//!
//! They run at the speed of memory, over any strides, without packing anything large.

use std::ops::{Deref, Range};

use smallvec::SmallVec;

use super::multiversion::{Loops, dispatch};
use super::packed::Packed;
use super::product::ClassifiedAxes;
use super::product::{LEFT, OUT, RIGHT, Triple};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use super::tasks;
use crate::simd::Simd;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Elements of a running sum held at once, and their bytes: long stretches of memory are read faster, and sums stay in a near cache.
const CHUNK: usize = 2048;
const CHUNK_BYTES: usize = 16 << 10;
/// Elements of a running sum that need no memory of their own.
const FEW: usize = 16;
/// Terms added to a running sum one after the other, before it is added to the total.
const LEAF: usize = 256;
/// Terms added together, so that a running sum is read and written once for all of them.
const TOGETHER: usize = 4;

const fn chunk<T>() -> usize {
    let fit = CHUNK_BYTES / size_of::<T>();
    if fit < CHUNK { fit } else { CHUNK }
}

/// A product, prepared: its axes ordered for loops around one vector, along the axis that suits it best.
#[derive(Clone, Debug)]
pub(super) struct Axpy<T> {
    kept: Vec<Triple>,
    inner: Vec<Triple>,
    vector: Triple,
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

impl<T: Element> Axpy<T> {
    /// Chooses the axis, and prepares the product for these instructions.
    pub(super) fn new(sorted: ClassifiedAxes<T>, simd: Simd) -> Axpy<T> {
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
        let costs = kept.iter().map(cost).enumerate();
        let best = costs.min_by(|a, b| a.1.total_cmp(&b.1));
        let vector = best.map_or(Axis { extent: 1, strides: [0; 3] }, |(n, _)| kept.remove(n));
        let conjugate = Conjugate { left, right };
        let mut direct = Axpy { kept, inner, vector, start, alpha, conjugate, packed: None, simd };
        let smaller = 1 - larger;
        if vector.strides[smaller].unsigned_abs() > 1 && sizes[smaller] * 4.0 <= sizes[larger] {
            let axes = direct.kept.iter_mut().chain(&mut direct.inner).chain([&mut direct.vector]);
            direct.packed = Some((smaller, Packed::new::<T>(axes, smaller, &mut direct.start[smaller])));
        }
        direct
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
        self.vector.extent.div_ceil(chunk::<T>())
    }
}

impl<T: Element> ProductKernel<T> for Axpy<T> {
    fn method(&self) -> &'static str {
        "sums of long vectors"
    }

    fn work_space(&self, _: usize) -> usize {
        self.packed.as_ref().map_or(0, |(_, packed)| packed.len())
    }

    unsafe fn run(&self, threads: usize, [left, right]: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
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
    axes: &'r Axpy<T>,
    data: [&'a [T]; 2],
    out: Sink<'a, T>,
}

impl<T> Deref for Run<'_, '_, T> {
    type Target = Axpy<T>;

    fn deref(&self) -> &Axpy<T> {
        self.axes
    }
}

impl<T: Element> Run<'_, '_, T> {
    fn run(&self, threads: usize) -> Result<(), Error> {
        let stretches = self.stretches();
        tasks::split(threads, points(&self.kept) * stretches, self.operations(), &|range| {
            dispatch(self.simd, Outputs { run: self, range, stretches })
        });
        Ok(())
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
                // SAFETY: these outputs belong to this task alone and lie inside (see `ProductKernel::run`).
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
        run.along_kept(range, stretches)
    }
}

/// Vectors of one stride in the same memory: the positions of their first elements.
type Vectors<'a, T, const N: usize> = (&'a [T], [isize; N], isize);

/// Adds `multiply(a, b)` of all pairs of vectors to each sum, one after the other.
#[inline(always)]
fn add_scaled<T: Element, const N: usize>(
    sums: &mut [T],
    a: Vectors<'_, T, N>,
    b: Vectors<'_, T, N>,
    multiply: impl Fn(T, T) -> T,
) {
    let len = sums.len();
    let number = |(data, at, _): Vectors<'_, T, N>| at.map(|at| data[at as usize]);
    match (a.2, b.2) {
        (1, 0) => {
            let (a, b) = (all_contiguous(a, len), number(b));
            add_each::<T, N>(sums, |at, n| multiply(a[n][at], b[n]));
        }
        (0, 1) => {
            let (a, b) = (number(a), all_contiguous(b, len));
            add_each::<T, N>(sums, |at, n| multiply(a[n], b[n][at]));
        }
        (1, 1) => {
            let (a, b) = (all_contiguous(a, len), all_contiguous(b, len));
            add_each::<T, N>(sums, |at, n| multiply(a[n][at], b[n][at]));
        }
        _ => {
            for n in 0..N {
                let (mut at_a, mut at_b) = (a.1[n], b.1[n]);
                for sum in &mut *sums {
                    *sum += multiply(a.0[at_a as usize], b.0[at_b as usize]);
                    (at_a, at_b) = (at_a + a.2, at_b + b.2);
                }
            }
        }
    }
    #[inline(always)]
    fn add_each<T: Element, const N: usize>(sums: &mut [T], product: impl Fn(usize, usize) -> T) {
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum = (0..N).fold(*sum, |sum, n| sum + product(at, n));
        }
    }
}

#[inline(always)]
fn all_contiguous<'a, T, const N: usize>((data, at, _): Vectors<'a, T, N>, len: usize) -> [&'a [T]; N] {
    at.map(|at| &data[at as usize..][..len])
}
