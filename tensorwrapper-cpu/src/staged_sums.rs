//! Long sums with small results whose factors have neighbours along different axes of the sum, `akl,blk->ab`: blocks of one factor are
//! copied so that its terms lie in the order of the other one's, and inner products run along these.

use std::ops::Range;

use super::inner_products::{InnerProducts, RunningSums, suits};
use super::lines::LINE;
use super::long_sums::LongSums;
use super::permute::{Pair, Permutation};
use super::pieces::Cuts;
use super::product::{ClassifiedAxes, LEFT, RIGHT, Triple, even};
use super::product_kernel::ProductKernel;
use super::simd::{Caches, Simd};
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;

/// Bytes of neighbours of the staged factor that a block has.
const HIGH: usize = 4 * LINE;
/// Bytes of neighbours that either factor has at least: of shorter ones, lines are fetched in vain.
const LEAST: usize = 2 * LINE;

/// A product, prepared.
#[derive(Debug)]
pub(super) struct StagedSums<T> {
    results: LongSums<T>,
    /// The factor that is staged.
    staged: usize,
    /// The inner axes of blocks, and those around them.
    cuts: Cuts,
    /// A block of each form.
    forms: Vec<Block<T>>,
}

/// A block: the copy of the staged factor, and the products of its terms.
#[derive(Debug)]
struct Block<T> {
    copy: Permutation,
    products: InnerProducts<T>,
    terms: usize,
}

impl<T: Element> StagedSums<T> {
    /// Prepares a product; nothing where sums are short, results large, or neighbours few.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<StagedSums<T>> {
        let vectors = [points(&sorted.rows), points(&sorted.columns)];
        let staged = if vectors[LEFT] < vectors[RIGHT] { LEFT } else { RIGHT };
        let unit = |side: usize| sorted.inner.iter().position(|axis| axis.strides[side] == 1);
        let (across, along) = (unit(staged)?, unit(LEFT + RIGHT - staged)?);
        let is_long = |n: usize| sorted.inner[n].extent * size_of::<T>() >= LEAST;
        if !suits(sorted) || across == along || !is_long(across) || !is_long(along) {
            return None;
        }
        let extents = [across, along].map(|n| sorted.inner[n].extent);
        let high = even(extents[0], HIGH / size_of::<T>());
        let room = Caches::here().second / 8 / size_of::<T>() / vectors[staged];
        let long = even(extents[1], (room / high).max(LEAST / size_of::<T>()));
        let cuts = Cuts::new(&sorted.inner, &[(across, high), (along, long)]);
        let forms = cuts.forms().map(|inner| Block::new(sorted, staged, inner, simd)).collect();
        Some(StagedSums { results: LongSums::of_blocks(sorted, points(&cuts.around)), staged, cuts, forms })
    }

    /// The sums of these blocks.
    fn sums(&self, blocks: Range<usize>, at: [isize; 3], data: [&[T]; 2]) -> Result<Vec<T>, Error> {
        let mut sums = RunningSums::new(self.results.results())?;
        let mut stage = zeros::<T>(self.forms[0].copy.elements())?;
        let mut walk = Odometer::new(&self.cuts.around, &at, blocks.start);
        for _ in blocks {
            let mut start = walk.position;
            let Block { copy, products, terms } = &self.forms[self.cuts.form(&walk)];
            walk.step();
            let from = std::mem::replace(&mut start[self.staged], 0);
            copy.run(1, [from, 0], data[self.staged], Sink::new(&mut stage), false);
            let mut data = data;
            data[self.staged] = &stage;
            products.add(0..*terms, start, data, &mut sums);
        }
        Ok(self.forms[0].products.finish(sums))
    }
}

impl<T: Element> ProductKernel<T> for StagedSums<T> {
    fn method(&self) -> &'static str {
        "inner products, staged"
    }

    fn work_space(&self, threads: usize) -> usize {
        threads * (self.forms[0].copy.elements() + self.forms[0].products.work_space(1))
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.results.run(threads, out, &|blocks, at| self.sums(blocks, at, data)) }
    }
}

impl<T: Element> Block<T> {
    /// A block of these two inner axes: that of neighbours in the staged factor, and that of neighbours in the other one.
    fn new(sorted: &ClassifiedAxes<T>, staged: usize, inner: Vec<Triple>, simd: Simd) -> Block<T> {
        let mut sorted = ClassifiedAxes { inner, ..sorted.clone() };
        let terms = points(&sorted.inner);
        let vectors = if staged == LEFT { &mut sorted.rows } else { &mut sorted.columns };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in sorted.inner.iter_mut().rev().chain(vectors.iter_mut().rev()) {
            pairs.push(Axis { extent: axis.extent, strides: [std::mem::replace(&mut axis.strides[staged], stride), stride] });
            stride *= axis.extent as isize;
        }
        let copy = Permutation::repeated(pairs, size_of::<T>()).reading_far(true);
        Block { copy, products: InnerProducts::along(&sorted, 1, simd), terms }
    }
}
