//! A large factor times a vector, with any axes: every element of the large factor is read once, in the order in which it lies in memory.
//!
//! All axes of the product become loops in the order of the large factor's strides, so that memory is read from one end
//! to the other. The results of a block are summed side by side in a near cache, and written where they belong when they are complete.

mod block;
mod kernel;
mod narrow;
mod strided;

use std::sync::Arc;

use self::block::{Block, LARGE, Loop, SUMS, Task, VECTOR, side_by_side};
use self::kernel::{Kernel, kernel};
use super::engine::Workspace;
use super::packed::Packed;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT};
use super::product_kernel::ProductKernel;
use super::simd::{Caches, Simd};
use super::sink::Sink;
use super::{permute, tasks};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::internal::thread_pool;

/// Results that are written at a time, at least: fewer take longer to write than to sum.
const NEAR: usize = 2048;

/// A product, prepared.
#[derive(Clone, Debug)]
pub(super) struct Gemv<T> {
    /// The factor that is the large one.
    large: usize,
    /// All axes in the order of the large factor's strides.
    axes: Vec<Loop>,
    start: [isize; 3],
    alpha: T,
    /// Of the large factor and the vector.
    conjugate: [bool; 2],
    /// A copy of the vector whose elements are neighbours where those of the large factor are.
    packed: Option<Packed>,
    /// All of it, for one thread.
    whole: Arc<Part>,
    kernel: Kernel<T>,
}

/// What one thread computes: blocks, and the loops around them.
#[derive(Debug)]
struct Part {
    loops: Vec<Loop>,
    start: [isize; 3],
    block: Block,
    /// The block at the end of the innermost loop, where it is a smaller one.
    last: Option<Block>,
}

impl<T: Element> Gemv<T> {
    /// Prepares a product that has no rows or no columns.
    pub(super) fn new(sorted: ClassifiedAxes<T>, simd: Simd) -> Gemv<T> {
        let ClassifiedAxes { batch, rows, columns, inner, conjugate, start, alpha } = sorted;
        debug_assert!(rows.is_empty() || columns.is_empty(), "a vector has no axes of its own");
        let large = if columns.is_empty() { LEFT } else { RIGHT };
        let order = [large, LEFT + RIGHT - large, OUT];
        let mut axes: Vec<Loop> = [batch, rows, columns, inner].concat();
        axes.iter_mut().for_each(|axis| axis.strides = order.map(|operand| axis.strides[operand]));
        let mut start = order.map(|operand| start[operand]);
        fuse::forward(&mut axes, &mut start, LARGE);
        fuse::normalise(&mut axes, &[LARGE, SUMS, VECTOR]);
        let mut packed = None;
        if axes.last().is_some_and(|run| run.strides[VECTOR] != 0 && run.strides[VECTOR] != 1) {
            packed = Some(Packed::new::<T>(axes.iter_mut(), VECTOR, &mut start[VECTOR]));
        }
        let conjugate = [conjugate[large], conjugate[1 - large]];
        let whole = Arc::new(Part::new::<T>(&axes, start));
        Gemv { large, axes, start, alpha, conjugate, packed, whole, kernel: kernel::<T>(simd) }
    }

    /// Number of elements of the result.
    fn results(&self) -> usize {
        self.axes.iter().filter(|axis| axis.strides[SUMS] != 0).map(|axis| axis.extent).product()
    }

    /// The axis that threads share, and among how many: the widest that has several indices for each, or else the longest.
    fn parts(&self, threads: usize) -> (usize, usize) {
        let threads = tasks::worth(threads, points(&self.axes));
        if threads == 1 {
            return (0, 1);
        }
        let longest = || (0..self.axes.len()).max_by_key(|&n| self.axes[n].extent).unwrap_or(0);
        let enough = |axis: &Loop| axis.extent >= 16 * threads;
        let widest = self.axes.iter().position(enough);
        // Parts of sums are as large as the result for each thread.
        let kept = self.axes.iter().position(|axis| enough(axis) && axis.strides[SUMS] != 0);
        let axis = if self.results() > NEAR { kept.or(widest) } else { widest }.unwrap_or_else(longest);
        (axis, threads.min(self.axes[axis].extent))
    }

    /// Every thread sums a part of the terms into memory of its own; the parts are added in order.
    fn run_apart(&self, axis: usize, parts: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let mut axes = self.axes.clone();
        let mut pairs = Vec::new();
        let len = side_by_side(&mut axes, |axis, stride| {
            pairs.push(Axis { extent: axis.extent, strides: [stride, axis.strides[SUMS]] });
        });
        let mut sums = zeros::<T>(len * parts)?;
        let apart = Sink::new(&mut sums);
        tasks::failing(|failed| {
            thread_pool::each(parts, &|n| {
                let [large, vector, _] = self.start;
                let (axes, start) = part(&axes, [large, vector, (n * len) as isize], axis, (n, parts));
                failed(self.run_part(&Part::new::<T>(&axes, start), data, apart));
            });
        })?;
        permute::copy(1, pairs, [0, self.start[SUMS]], tasks::add_parts(&mut sums, len), out, false);
        Ok(())
    }

    /// Computes a part, in memory that the thread keeps.
    fn run_part(&self, part: &Part, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        Workspace::lend(|workspace| {
            let sums = workspace.rows.numbers::<T>(part.block.len)?;
            let totals = workspace.columns.numbers::<T>(if part.block.leaf > 0 { part.block.len } else { 0 })?;
            self.blocks(part, [sums, totals], data, out);
            Ok(())
        })
    }

    /// Computes a part, block by block.
    fn blocks(&self, part: &Part, [sums, totals]: [&mut [T]; 2], data: [&[T]; 2], out: Sink<'_, T>) {
        let Part { loops, start, block, last } = part;
        let mut walk = Odometer::new(loops, start, 0);
        for _ in 0..points(loops) {
            let is_last = loops.last().is_some_and(|axis| walk.index(loops.len() - 1) + 1 == axis.extent);
            let block = last.as_ref().filter(|_| is_last).unwrap_or(block);
            let task = Task { block, conjugate: self.conjugate, data, start: walk.position };
            let (sums, totals) = (&mut sums[..block.len], &mut totals[..if block.leaf > 0 { block.len } else { 0 }]);
            sums.fill(T::ZERO);
            totals.fill(T::ZERO);
            // SAFETY: all positions lie inside the memory, and the instructions are there.
            unsafe { (self.kernel)(&task, sums, totals) };
            let results = if block.leaf > 0 { totals } else { sums };
            let conjugate = T::DTYPE.is_complex() && self.conjugate[LARGE];
            for x in results.iter_mut() {
                *x = self.alpha * if conjugate { x.conj() } else { *x };
            }
            block.write.run(1, [0, walk.position[SUMS]], results, out, false);
            walk.step();
        }
    }
}

impl<T: Element> ProductKernel<T> for Gemv<T> {
    fn method(&self) -> &'static str {
        "matrix times vector"
    }

    fn work_space(&self, threads: usize) -> usize {
        let packed = self.packed.as_ref().map_or(0, Packed::len);
        let parts = self.parts(threads);
        let apart = if parts.1 > 1 && self.axes[parts.0].strides[SUMS] == 0 { self.results() * parts.1 } else { 0 };
        packed + apart
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let [large, vector] = [data[self.large], data[1 - self.large]];
        let copy = self.packed.as_ref().map(|packed| packed.make(threads, vector)).transpose()?;
        let data = [large, copy.as_deref().unwrap_or(vector)];
        let (axis, parts) = self.parts(threads);
        if parts == 1 {
            return self.run_part(&self.whole, data, out);
        }
        if self.axes[axis].strides[SUMS] == 0 {
            return self.run_apart(axis, parts, data, out);
        }
        tasks::failing(|failed| {
            thread_pool::each(parts, &|n| {
                let (axes, start) = part(&self.axes, self.start, axis, (n, parts));
                failed(self.run_part(&Part::new::<T>(&axes, start), data, out));
            });
        })
    }
}

impl Part {
    /// The blocks of these axes.
    fn new<T>(axes: &[Loop], start: [isize; 3]) -> Part {
        let (hoisted, cut) = hoist(axes, most_sums::<T>());
        let mut inside: Vec<Loop> = (0..axes.len()).filter(|n| !hoisted.contains(n)).map(|n| axes[n]).collect();
        let mut loops: Vec<Loop> = hoisted.iter().map(|&n| axes[n]).collect();
        let Some((axis, size)) = cut else { return Part { loops, start, block: Block::new::<T>(inside), last: None } };
        let (whole, at) = (axes[axis], axis - hoisted.len());
        loops.push(Axis { extent: whole.extent.div_ceil(size), strides: whole.strides.map(|stride| stride * size as isize) });
        inside[at].extent = size;
        let block = Block::new::<T>(inside.clone());
        inside[at].extent = whole.extent % size;
        let last = (inside[at].extent > 0).then(|| Block::new::<T>(inside));
        Part { loops, start, block, last }
    }
}

/// Sums of a block at most: they share the second cache with what is read.
fn most_sums<T>() -> usize {
    Caches::here().second / 8 / size_of::<T>()
}

/// The part of the axes that a thread has: a part of one of them.
fn part(axes: &[Loop], mut start: [isize; 3], axis: usize, (n, of): (usize, usize)) -> (Vec<Loop>, [isize; 3]) {
    let mut axes = axes.to_vec();
    let [first, end] = [n, n + 1].map(|n| tasks::bound(axes[axis].extent, n, of));
    start.iter_mut().zip(axes[axis].strides).for_each(|(start, stride)| *start += first as isize * stride);
    axes[axis].extent = end - first;
    (axes, start)
}

/// The axes of the result, from the widest on, that become loops around blocks of so many results, and the axis that is cut for it, with
/// the length of its pieces. Every block has all terms of its sums.
fn hoist(axes: &[Loop], most: usize) -> (Vec<usize>, Option<(usize, usize)>) {
    let kept: Vec<usize> = (0..axes.len()).filter(|&n| axes[n].strides[SUMS] != 0).collect();
    let mut results: usize = kept.iter().map(|&n| axes[n].extent).product();
    // Results that are complete before others begin need no room beside these.
    let first_summed = axes.iter().position(|axis| axis.strides[SUMS] == 0).unwrap_or(axes.len());
    let together: usize = kept.iter().filter(|&&n| n > first_summed).map(|&n| axes[n].extent).product();
    let most = most.min(together.max(NEAR));
    let mut hoisted = Vec::new();
    for n in kept {
        if results <= most {
            break;
        }
        let inside = results / axes[n].extent;
        if inside <= most {
            return (hoisted, Some((n, (most / inside).max(1))));
        }
        hoisted.push(n);
        results = inside;
    }
    (hoisted, None)
}

#[cfg(test)]
mod tests {
    use super::super::Cpu;
    use super::super::tests::sized_contract;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use tensorwrapper_core::element::{Dtype, dispatch};

    /// Rows of every number of vectors, with a part of one at the end and without.
    #[test]
    fn rows_of_every_width() {
        let (mut rng, cpu) = (StdRng::seed_from_u64(6), Cpu::new(Some(1)));
        for width in 1..140 {
            let size = |label| match label {
                'w' => width,
                'b' => 3,
                _ => 37,
            };
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                for equation in ["kw,k->w", "kw,w->k", "bkw,bk->bw", "bkw,bw->bk", "kbw,kb->w", "kbw,bw->k", "kw,kw->"] {
                    dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &cpu));
                }
            }
        }
    }

    /// Rows that follow each other in a factor that the second cache does not hold, and such that do not.
    #[test]
    fn rows_beyond_the_second_cache() {
        let (mut rng, cpu) = (StdRng::seed_from_u64(7), Cpu::new(Some(1)));
        let size = |label| match label {
            'w' => 203,
            'b' => 3,
            _ => 1501,
        };
        for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
            for equation in ["kbw,k->bw", "kbw,bk->w", "kbw,kb->w", "bkw,bk->bw", "bkw,w->bk"] {
                dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &cpu));
            }
        }
    }
}
