//! Products of a large factor with a small matrix, some of whose terms and columns are neighbours in memory: gates on the fastest axes.
//!
//! A vector of the large factor holds a few terms of a few rows, and a vector of the result as many columns of the same rows. Within
//! a vector, the lanes of one term are brought to those of all columns, and each column has its own number there. So both are read
//! and written as they lie, and no multiplication is in vain.

mod kernel;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::kernel::{Kernel, MOST_TERMS, Task, kernel};
use super::few;
use super::large_first::{LARGE, LargeFirst, Loop, SMALL, is_narrow, scaled};
use super::product::{ClassifiedAxes, OUT, gcd, positions};
use super::product_kernel::ProductKernel;
use super::simd::Simd;
use super::simd::vector::MOST_LANES;
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Terms in a vector times all terms, or columns, at most: where there are more, moving lanes takes longer than packing.
const MOST_MOVES: usize = 64;
/// Neighbours along rows from which on no lane is moved, and another kernel reads them in long vectors.
const LONG: usize = 16;
/// Vectors of each operand that a task computes at once.
const BLOCK: usize = 256;

/// A product, prepared.
#[derive(Debug)]
pub(super) struct LaneGemm<T> {
    /// The factor that is the large one.
    large: usize,
    /// Axes around blocks: the last one counts blocks along the axis that was cut.
    outer: Vec<Loop>,
    start: [isize; 3],
    /// Where the vectors of a block begin, in the large factor and in the result, relative to the first.
    block: Vec<[isize; 2]>,
    /// How many vectors the last block along that axis has; how many lanes a further one has, and where it begins.
    last: usize,
    rest: Option<(usize, [isize; 2])>,
    task: Task,
    /// Where the numbers stand in the small factor: for each column that has vectors of its own, each term that has, each term in a vector,
    /// and each lane.
    numbers: Vec<isize>,
    alpha: T,
    conjugate: bool,
    kernel: Kernel<T>,
}

impl<T: Element> LaneGemm<T> {
    /// Prepares a product; nothing where there are many terms or columns, or few rows, or where vectors do not hold the same rows of
    /// the large factor and of the result.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<LaneGemm<T>> {
        if !sorted.batch.is_empty() || !is_narrow(sorted) {
            return None;
        }
        let LargeFirst { large, rows, columns, inner, start, .. } = LargeFirst::new(sorted);
        if sorted.conjugate[large] && T::DTYPE.is_complex() {
            return None;
        }
        let most = points(&columns).max(points(&inner));
        let (kernel, bytes) = kernel::<T>(simd);
        let lanes = bytes / size_of::<T>();
        let Lanes { axes, mut rows, columns, inner, rest } = Lanes::new([rows, columns, inner], lanes)?;
        let (moves, within) = moves::<T>(&axes, lanes)?;
        if moves.len() * most > MOST_MOVES {
            return None;
        }
        let (from_terms, from_columns) = (positions(&inner, SMALL), positions(&columns, SMALL));
        let vectors = from_columns.iter().flat_map(|column| from_terms.iter().map(move |term| column + term));
        let numbers = vectors.flat_map(|at| within.iter().map(move |number| at + number)).collect();
        let task = Task { terms: positions(&inner, LARGE), columns: positions(&columns, OUT), moves };

        let (block, cut, last) = cut(&mut rows, rest > 0);
        // Behind the last vector along the axis that was cut, which is then the only one of the block.
        let rest = (rest > 0).then(|| (rest, [LARGE, OUT].map(|operand| block[0].strides[operand] * last as isize)));
        let block = positions(&block, LARGE).into_iter().zip(positions(&block, OUT)).map(|(from, to)| [from, to]).collect();
        let (alpha, conjugate) = (sorted.alpha, sorted.conjugate[1 - large]);
        let outer = [rows, vec![cut]].concat();
        Some(LaneGemm { large, outer, start, block, last, rest, task, numbers, alpha, conjugate, kernel })
    }

    /// Lanes of a vector.
    fn lanes(&self) -> usize {
        self.numbers.len() / (self.task.terms.len() * self.task.columns.len() * self.task.moves.len())
    }

    /// The small factor as the kernels read it: for each lane the number, or for each lane of a real its real part, and then its
    /// imaginary one.
    fn numbers(&self, small: &[T]) -> Result<Vec<T::Real>, Error> {
        let reals = size_of::<T>() / size_of::<T::Real>();
        let mut numbers = zeros::<T::Real>(self.numbers.len() * reals * reals)?;
        let vectors = numbers.chunks_mut(self.lanes() * reals * reals).zip(self.numbers.chunks(self.lanes()));
        for (vector, places) in vectors {
            for (n, place) in places.iter().enumerate() {
                let x = small[(self.start[SMALL] + place) as usize];
                let x = scaled(x, self.conjugate, self.alpha).to_complex();
                for (part, x) in [x.re, x.im].into_iter().enumerate().take(reals) {
                    let at = (part * places.len() + n) * reals;
                    vector[at..at + reals].fill(T::Real::from_complex(x.into()));
                }
            }
        }
        Ok(numbers)
    }

    /// Computes the blocks of these numbers.
    ///
    /// # Safety
    /// As [`LaneGemm::run`]; the numbers are those of the small factor.
    unsafe fn blocks(&self, range: Range<usize>, large: &[T], numbers: &[T::Real], out: Sink<'_, T>) {
        let mut walk = Odometer::new(&self.outer, &self.start, range.start);
        let (along, reals, lanes) = (self.outer.len() - 1, size_of::<T>() / size_of::<T::Real>(), self.lanes());
        for _ in range {
            let at = walk.position;
            let is_last = walk.index(along) + 1 == self.outer[along].extent;
            walk.step();
            // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
            unsafe {
                let (from, to) = (large.as_ptr().offset(at[LARGE]), out.address(at[OUT]));
                let block = if is_last { &self.block[..self.last] } else { &self.block };
                (self.kernel)(&self.task, (lanes * reals, block), from, numbers.as_ptr().cast(), to);
                if let (Some((count, at)), true) = (self.rest, is_last) {
                    (self.kernel)(&self.task, (count * reals, &[at]), from, numbers.as_ptr().cast(), to);
                }
            }
        }
    }
}

impl<T: Element> ProductKernel<T> for LaneGemm<T> {
    fn method(&self) -> &'static str {
        "narrow matrix within vectors"
    }

    fn work_space(&self, _: usize) -> usize {
        self.numbers.len() * size_of::<T>() / size_of::<T::Real>()
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let numbers = self.numbers(data[1 - self.large])?;
        let items = points(&self.outer);
        let each = self.block.len().saturating_mul(self.numbers.len());
        tasks::split_pass(threads, items, items.saturating_mul(each), &|range| {
            // SAFETY: the caller's promise; each task has blocks of its own.
            unsafe { self.blocks(range, data[self.large], &numbers, out) };
        });
        Ok(())
    }
}

/// What vectors of the large factor and of the result have in common, and what is left around them.
struct Lanes {
    /// The axes within a vector, the fastest first: their extents, and along which axis of terms and of columns they are, if they are no
    /// rows.
    axes: Vec<(usize, Option<[Loop; 2]>)>,
    rows: Vec<Loop>,
    columns: Vec<Loop>,
    inner: Vec<Loop>,
    /// Rows of the last vector along the axis that was cut, if it is a shorter one: that axis is the first of the rows.
    rest: usize,
}

impl Lanes {
    /// The axes of vectors of so many lanes; nothing where there are none, or where other kernels are as good.
    fn new([mut rows, mut columns, mut inner]: [Vec<Loop>; 3], lanes: usize) -> Option<Lanes> {
        let at =
            |axes: &[Loop], operand: usize, stride: usize| axes.iter().position(|axis| axis.strides[operand] == stride as isize);
        let (mut axes, mut stride, mut rest) = (Vec::new(), 1, 0);
        few::sort_by_key(&mut rows, |axis| axis.strides[LARGE].unsigned_abs());
        while stride < lanes {
            let room = lanes / stride;
            if let Some(row) = at(&rows, LARGE, stride).filter(|&row| rows[row].strides[OUT] == stride as isize) {
                let axis = rows.remove(row);
                let extent = axis.extent.min(room);
                if !room.is_multiple_of(extent) || stride == 1 && axis.extent >= LONG {
                    return None;
                }
                axes.push((extent, None));
                let pieces = axis.extent / extent;
                rest = axis.extent % extent * stride;
                if pieces > 1 || rest > 0 {
                    rows.insert(0, Axis { extent: pieces, strides: axis.strides.map(|stride| stride * extent as isize) });
                }
                stride *= extent;
                continue;
            }
            let (term, column) = (at(&inner, LARGE, stride)?, at(&columns, OUT, stride)?);
            let extent = gcd(gcd(inner[term].extent, columns[column].extent), room);
            if extent == 1 {
                return None;
            }
            axes.push((extent, Some([split(&mut inner, term, extent), split(&mut columns, column, extent)])));
            stride *= extent;
        }
        Some(Lanes { axes, rows, columns, inner, rest })
    }
}

/// Takes so many points out of an axis, those that are nearest to each other.
fn split(axes: &mut Vec<Loop>, n: usize, extent: usize) -> Loop {
    let axis = axes[n];
    if axis.extent == extent {
        return axes.remove(n);
    }
    axes[n] = Axis { extent: axis.extent / extent, strides: axis.strides.map(|stride| stride * extent as isize) };
    Axis { extent, ..axis }
}

/// For each term in a vector, the lane of reals that each lane gets its term from, and for each of these terms and each lane, where the
/// number stands in the small factor. Nothing where there are too many terms.
fn moves<T: Element>(axes: &[(usize, Option<[Loop; 2]>)], lanes: usize) -> Option<(Vec<[u32; MOST_LANES]>, Vec<isize>)> {
    let terms: usize = axes.iter().filter(|(_, pair)| pair.is_some()).map(|(extent, _)| extent).product();
    if terms > MOST_TERMS {
        return None;
    }
    let reals = size_of::<T>() / size_of::<T::Real>();
    let (mut moves, mut numbers) = (Vec::new(), Vec::new());
    for term in 0..terms {
        let mut from = [0; MOST_LANES];
        for lane in 0..lanes {
            let (mut left, mut stride, mut source, mut number) = (term, 1, 0, 0);
            for &(extent, pair) in axes {
                let own = lane / stride % extent;
                let other = match pair {
                    None => own,
                    Some([inner, column]) => {
                        let other = left % extent;
                        left /= extent;
                        number += other as isize * inner.strides[SMALL] + own as isize * column.strides[SMALL];
                        other
                    }
                };
                source += other * stride;
                stride *= extent;
            }
            for part in 0..reals {
                from[lane * reals + part] = (source * reals + part) as u32;
            }
            numbers.push(number);
        }
        moves.push(from);
    }
    Some((moves, numbers))
}

/// The axes of a block, taken out of the rows; the axis that counts blocks along the one that was cut; and how many vectors the last of
/// them has. `first_alone`: the block has one axis.
fn cut(rows: &mut Vec<Loop>, first_alone: bool) -> (Vec<Loop>, Loop, usize) {
    let mut block: Vec<Loop> = Vec::new();
    let mut vectors = 1;
    while !rows.is_empty() {
        let axis = rows.remove(0);
        let room = BLOCK / vectors;
        if axis.extent <= room && !first_alone && !rows.is_empty() {
            vectors *= axis.extent;
            block.insert(0, axis);
            continue;
        }
        let extent = axis.extent.min(room);
        let blocks = axis.extent.div_ceil(extent);
        let last = axis.extent - (blocks - 1) * extent;
        block.insert(0, Axis { extent, ..axis });
        return (block, Axis { extent: blocks, strides: axis.strides.map(|stride| stride * extent as isize) }, last * vectors);
    }
    (block, Axis { extent: 1, strides: [0; 3] }, vectors)
}
