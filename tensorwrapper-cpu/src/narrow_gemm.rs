//! Products of a large factor with a small matrix: few terms and few columns, as gates and changes of short axes have them.
//!
//! Memory limits them. A block of the result is a few rows of neighbours, each a sum of a few scaled rows of the large factor. Rows whose
//! elements are no neighbours in memory are staged: copied in blocks that stay in a near cache. `shape` says which rows a block has.

mod kernel;
mod shape;
mod sum;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::kernel::{Kernel, kernel};
use self::shape::Shape;
pub(super) use self::sum::NarrowSum;
use super::large_first::{LARGE, LargeFirst, Loop, Numbers, SMALL, is_narrow};
use super::permute::{Pair, Permutation};
use super::pieces::Cuts;
use super::product::{ClassifiedAxes, OUT, positions};
use super::product_kernel::ProductKernel;
use super::simd::Simd;
use super::sink::Sink;
use super::tasks;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

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

/// A block: its number of rows' elements, and the copies of what is staged.
#[derive(Debug)]
struct Block {
    len: usize,
    read: Option<Permutation>,
    write: Option<Permutation>,
}

/// Whether rows that are neighbours in the large factor of such a product lie so far from each other in the result that no block has long
/// runs of both.
pub(super) fn is_scattered<T: Element>(LargeFirst { rows, columns, inner, .. }: &LargeFirst) -> bool {
    Shape::along_one(rows, false).is_none() && Shape::is_scattered(rows, [inner, columns], size_of::<T>())
}

impl<T: Element> NarrowGemm<T> {
    /// Prepares a product; nothing where there are many terms or columns, or few rows, or where blocks over several axes are not expected
    /// to take fewer cycles than `direct`.
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
                (self.kernel)(block.len, (&self.terms, from), numbers, (&self.columns, to), false);
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
