//! Products of a large factor with a small matrix: few terms and few columns, as gates and changes of short axes have them.
//!
//! Memory limits them. A block of the result is a few rows of neighbours, each a sum of a few scaled rows of the large factor. Rows whose
//! elements are no neighbours in memory are staged: copied in blocks that stay in a near cache. `shape` says which rows a block has.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

mod shape;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::shape::Shape;
use super::large_first::{LARGE, LargeFirst, Loop, Numbers, SMALL, is_narrow};
use super::permute::{Pair, Permutation};
use super::pieces::Cuts;
use super::product::{ClassifiedAxes, OUT, positions};
use super::product_kernel::ProductKernel;
use super::simd::vector::Vector;
use super::simd::{Simd, by_vectors};
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Columns that are computed at once.
const TOGETHER: usize = 4;
/// Vectors of each of them.
const WIDE: usize = 2;

/// A product, prepared.
#[derive(Debug)]
pub(super) struct NarrowGemm<T> {
    /// The factor that is the large one.
    large: usize,
    /// The rows of blocks, and the loops around them, those of the batch among them.
    cuts: Cuts,
    /// A block of each form.
    forms: Vec<Block>,
    /// Elements from one staged row to the next.
    row: usize,
    /// Where the rows of the large factor that are summed begin, and the rows of the result.
    terms: Vec<isize>,
    columns: Vec<isize>,
    start: [isize; 3],
    /// Whether the large factor is conjugated.
    conjugate: bool,
    numbers: Numbers<T>,
    kernel: Kernel<T>,
}

/// Rows of the large factor: where they begin, and the first of them.
type Rows<'a, R> = (&'a [isize], R);

/// Computes rows of so many elements from those of the large factor, with these numbers: term by term those of all columns.
type Kernel<T> = unsafe fn(usize, Rows<'_, *const T>, *const T, Rows<'_, *mut T>);

/// A block: its number of rows' elements, and the copies of what is staged.
#[derive(Debug)]
struct Block {
    len: usize,
    read: Option<Permutation>,
    write: Option<Permutation>,
}

/// Whether rows that are neighbours in the large factor of such a product lie so far from each other in the result that no block has long runs of
/// both.
pub(super) fn is_scattered<T: Element>(LargeFirst { rows, columns, inner, .. }: &LargeFirst) -> bool {
    Shape::along_one(rows, false).is_none() && Shape::is_scattered(rows, [inner, columns], size_of::<T>())
}

impl<T: Element> NarrowGemm<T> {
    /// Prepares a product; nothing where there are many terms or columns, or few rows, or where blocks over several axes are not expected to
    /// take fewer cycles than `direct`.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd, direct: impl FnOnce() -> f64) -> Option<NarrowGemm<T>> {
        if !is_narrow(sorted) {
            return None;
        }
        let mut product = LargeFirst::new(sorted);
        let numbers = Numbers::new(&mut product, sorted);
        let LargeFirst { large, batch, rows, columns, inner, start } = product;
        let stage_large = sorted.conjugate[large] && T::DTYPE.is_complex();
        let own = [&inner[..], &columns[..]];
        let shape = Shape::along_one(&rows, stage_large).or_else(|| {
            let shape = Shape::over_several(&rows, own, size_of::<T>(), stage_large)?;
            let cost = shape.cost(own, points(&rows) * points(&batch), size_of::<T>());
            (cost < direct()).then_some(shape)
        })?;
        let row = shape.row();
        let forms: Vec<Block> =
            shape.cuts.forms().map(|rows| Block::new::<T>(&rows, [&inner, &columns], (shape.stage, row))).collect();
        let offsets = |axes: &[Loop], operand: usize, staged: bool| -> Vec<isize> {
            if staged { (0..points(axes)).map(|n| (n * row) as isize).collect() } else { positions(axes, operand) }
        };
        let terms = offsets(&inner, LARGE, shape.stage[0]);
        let columns = offsets(&columns, OUT, shape.stage[1]);
        let conjugate = sorted.conjugate[large];
        let kernel = kernel::<T>(simd);
        Some(NarrowGemm {
            large,
            cuts: shape.cuts.inside_of(batch),
            forms,
            row,
            terms,
            columns,
            start,
            conjugate,
            numbers,
            kernel,
        })
    }

    /// Elements of a block's staged rows, those that are read and those that are written.
    fn staged(&self) -> [usize; 2] {
        let Block { read, write, .. } = &self.forms[0];
        let rows = [(read, &self.terms), (write, &self.columns)];
        rows.map(|(copy, rows)| if copy.is_some() { rows.len() * self.row } else { 0 })
    }

    /// Computes the blocks of these numbers.
    fn blocks(&self, range: Range<usize>, large: &[T], numbers: &[T], out: Sink<'_, T>) -> Result<(), Error> {
        let [read, written] = self.staged().map(zeros::<T>);
        let (mut read, mut written) = (read?, written?);
        let mut walk = Odometer::new(&self.cuts.around, &self.start, range.start);
        for _ in range {
            let at = walk.position;
            let block = &self.forms[self.cuts.form(&walk)];
            walk.step();
            // SAFETY: positions lie inside the memory, or temporaries that have room for all rows of a block; these elements of the result
            // are this task's alone, and the instructions are there.
            unsafe {
                let from = match &block.read {
                    Some(stage) => {
                        stage.run(1, [at[LARGE], 0], large, Sink::new(&mut read), self.conjugate);
                        read.as_ptr()
                    }
                    None => large.as_ptr().offset(at[LARGE]),
                };
                let to = if block.write.is_some() { written.as_mut_ptr() } else { out.base().offset(at[OUT]) };
                let numbers = numbers.as_ptr().offset(at[SMALL]);
                (self.kernel)(block.len, (&self.terms, from), numbers, (&self.columns, to));
                if let Some(stage) = &block.write {
                    stage.run(1, [0, at[OUT]], &written, out, false);
                }
            }
        }
        Ok(())
    }
}

impl<T: Element> ProductKernel<T> for NarrowGemm<T> {
    fn method(&self) -> &'static str {
        "narrow matrix"
    }

    fn work_space(&self, threads: usize) -> usize {
        self.numbers.len() + threads * self.staged().iter().sum::<usize>()
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let numbers = self.numbers.make(threads, data)?;
        let each = self.forms[0].len * self.terms.len() * self.columns.len();
        let items = points(&self.cuts.around);
        tasks::failing(|failed| {
            tasks::split_pass(threads, items, items * each, &|range| failed(self.blocks(range, data[self.large], &numbers, out)));
        })
    }
}

impl Block {
    /// A block of these rows, for these terms and columns; staged rows are so many elements apart.
    fn new<T: Element>(rows: &[Loop], [inner, columns]: [&[Loop]; 2], (stage, row): ([bool; 2], usize)) -> Block {
        let copy = |others: &[Loop], operand: usize| {
            let mut pairs: Vec<Pair> = Vec::new();
            let mut add = |axes: &[Loop], mut stride: isize| {
                for axis in axes.iter().rev() {
                    let own = axis.strides[operand];
                    pairs.push(Axis { extent: axis.extent, strides: if operand == OUT { [stride, own] } else { [own, stride] } });
                    stride *= axis.extent as isize;
                }
            };
            add(rows, 1);
            add(others, row as isize);
            Permutation::repeated(pairs, size_of::<T>()).reading_far(operand == LARGE)
        };
        Block { len: points(rows), read: stage[0].then(|| copy(inner, LARGE)), write: stage[1].then(|| copy(columns, OUT)) }
    }
}

/// The kernel for these instructions.
fn kernel<T: Element>(simd: Simd) -> Kernel<T> {
    by_vectors!(simd, T, all(len: usize, from: Rows<'_, *const T>, numbers: *const T, to: Rows<'_, *mut T>))
}

/// All elements of the rows, some vectors at a time.
///
/// # Safety
/// All rows have so many elements; there is a number for each term and column; the processor has the instructions.
#[inline(always)]
unsafe fn all<V: Vector, T: Element, const PARTS: usize>(
    len: usize,
    from: Rows<'_, *const T>,
    numbers: *const T,
    to: Rows<'_, *mut T>,
) {
    let len = len * PARTS;
    let mut at = 0;
    while at < len {
        let whole = at + WIDE * V::LANES <= len;
        let count = if whole { WIDE * V::LANES } else { V::LANES.min(len - at) };
        let mut column = 0;
        while column < to.0.len() {
            let columns = TOGETHER.min(to.0.len() - column);
            // SAFETY: the caller's promise.
            unsafe {
                match (columns, whole) {
                    (4, true) => some::<V, T, PARTS, 4, WIDE>((at, count), from, numbers, to, column),
                    (3, true) => some::<V, T, PARTS, 3, WIDE>((at, count), from, numbers, to, column),
                    (2, true) => some::<V, T, PARTS, 2, WIDE>((at, count), from, numbers, to, column),
                    (_, true) => some::<V, T, PARTS, 1, WIDE>((at, count), from, numbers, to, column),
                    (4, false) => some::<V, T, PARTS, 4, 1>((at, count), from, numbers, to, column),
                    (3, false) => some::<V, T, PARTS, 3, 1>((at, count), from, numbers, to, column),
                    (2, false) => some::<V, T, PARTS, 2, 1>((at, count), from, numbers, to, column),
                    (_, false) => some::<V, T, PARTS, 1, 1>((at, count), from, numbers, to, column),
                }
            }
            column += columns;
        }
        at += count;
    }
}

/// Some vectors of some columns.
#[inline(always)]
unsafe fn some<V: Vector, T: Element, const PARTS: usize, const COLUMNS: usize, const VECTORS: usize>(
    (at, count): (usize, usize),
    from: Rows<'_, *const T>,
    numbers: *const T,
    to: Rows<'_, *mut T>,
    column: usize,
) {
    // SAFETY: the caller's promise; the rest of a vector is neither read nor written.
    unsafe {
        let zero = V::splat(V::Real::ZERO);
        // Of complex numbers: products with real parts of the numbers, and with imaginary ones.
        let mut sums = [[[zero; PARTS]; VECTORS]; COLUMNS];
        let part = VECTORS == 1 && count < V::LANES;
        let mut number = numbers.add(column).cast::<V::Real>();
        for &row in from.0 {
            let row = from.1.offset(row).cast::<V::Real>().add(at);
            let mut x = [zero; VECTORS];
            for v in 0..VECTORS {
                x[v] = if part { V::load_some(row, count) } else { V::load(row.add(v * V::LANES)) };
            }
            for n in 0..COLUMNS {
                for p in 0..PARTS {
                    let y = V::splat(number.add(n * PARTS + p).read());
                    for v in 0..VECTORS {
                        sums[n][v][p] = sums[n][v][p].add_product(x[v], y);
                    }
                }
            }
            number = number.add(to.0.len() * PARTS);
        }
        for n in 0..COLUMNS {
            let row = to.1.offset(to.0[column + n]).cast::<V::Real>().add(at);
            for v in 0..VECTORS {
                let sum = if PARTS == 1 { sums[n][v][0] } else { sums[n][v][0].add_times_i(sums[n][v][PARTS - 1]) };
                if part { sum.store_some(row, count) } else { sum.store(row.add(v * V::LANES)) }
            }
        }
    }
}
