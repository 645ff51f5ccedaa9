//! Long sums with small results whose factors have neighbours along different axes of the sum, `akl,blk->ab`: blocks of one factor are
//! copied so that its terms lie in the order of the other one's, and inner products run along these.

use std::ops::Range;

use super::few;
use super::inner_products::{InnerProducts, RunningSums, suits};
use super::lines::LINE;
use super::long_sums::LongSums;
use super::permute::{Pair, Permutation};
use super::pieces::Cuts;
use super::product::{ClassifiedAxes, LEFT, RIGHT, Triple, even};
use super::product_kernel::ProductKernel;
use super::simd::{Caches, Simd};
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
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
        let room = Caches::here().second / 8 / size_of::<T>() / vectors[staged];
        let cuts = Cuts::new(&sorted.inner, &block_axes(&sorted.inner, [across, along], staged, room, size_of::<T>()));
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

/// The inner axes of a block, with its points of each: four lines of neighbours in the staged factor, neighbours in the other one, and
/// where there is room for more terms, more neighbours in the staged factor, then points of the axes next to these, so that runs are
/// long. A block has more terms than there is room for where this is less than the least runs of both factors take.
fn block_axes(inner: &[Triple], [across, along]: [usize; 2], staged: usize, room: usize, size: usize) -> Vec<(usize, usize)> {
    let high = even(inner[across].extent, HIGH / size);
    let long = even(inner[along].extent, (room / high).max(LEAST / size));
    let high = even(inner[across].extent, (room / long).max(high));
    let mut others: Vec<usize> = (0..inner.len()).filter(|n| ![across, along].contains(n)).collect();
    few::sort_by_key(&mut others, |&n| inner[n].strides[staged].unsigned_abs());
    let mut taken = vec![(across, high), (along, long)];
    let mut left = room / (high * long);
    for n in others {
        if left < 2 {
            break;
        }
        let part = even(inner[n].extent, left);
        taken.push((n, part));
        left /= part;
    }
    taken
}

impl<T: Element> Block<T> {
    /// A block of these inner axes, whose terms are copied in the order of the other factor.
    fn new(sorted: &ClassifiedAxes<T>, staged: usize, inner: Vec<Triple>, simd: Simd) -> Block<T> {
        let mut sorted = ClassifiedAxes { inner, ..sorted.clone() };
        let terms = points(&sorted.inner);
        let other = LEFT + RIGHT - staged;
        fuse::sort(&mut sorted.inner, &[other]);
        // Another axis may step backwards by one, and inner products run forwards.
        few::sort_by_key(&mut sorted.inner, |axis| axis.strides[other] == 1);
        let vectors = if staged == LEFT { &mut sorted.rows } else { &mut sorted.columns };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in sorted.inner.iter_mut().rev().chain(vectors.iter_mut().rev()) {
            pairs.push(Axis { extent: axis.extent, strides: [std::mem::replace(&mut axis.strides[staged], stride), stride] });
            stride *= axis.extent as isize;
        }
        let copy = Permutation::repeated(pairs, size_of::<T>()).reading_far(true);
        fuse::fuse(&mut sorted.inner);
        let along = sorted.inner.len() - 1;
        Block { copy, products: InnerProducts::along(&sorted, along, simd), terms }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cpu;
    use super::super::road_tests::compare;
    use super::super::tests::on_both;
    use super::*;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use tensorwrapper_core::backend::LoopNest;
    use tensorwrapper_core::element::{Dtype, dispatch};
    use tensorwrapper_core::layout::Strided;
    use tensorwrapper_testing::{Placed, number};

    #[test]
    fn permuted_dot_products_are_staged() {
        let mut rng = StdRng::seed_from_u64(61);
        for (equation, extents) in
            [("bdca,dacb->", [40, 37, 19, 11]), ("abc,cab->", [70, 33, 161, 1]), ("badc,cdba->", [9, 31, 35, 8])]
        {
            let size = |label| extents["abcd".find(label).unwrap()];
            for (n, dtype) in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64].into_iter().enumerate() {
                dispatch!(dtype, T => compare::<T>(&mut rng, equation, &size, 1 + n % 3, "inner products, staged"));
            }
        }
    }

    /// `amlk,bmlk->ab`, where the second factor steps forwards along l and backwards along m, by one element each.
    #[test]
    fn axes_that_step_back_by_one_are_no_runs() {
        let mut rng = StdRng::seed_from_u64(67);
        let [a, b, m, l, k] = [3, 4, 8, 32, 32];
        let nest = LoopNest::new(vec![a, b, m, l, k], 2);
        let mut placed = |strides: [isize; 5], offset: usize, len: usize| Placed {
            data: (0..len).map(|_| number::<f64>(&mut rng)).collect(),
            layout: Strided::within(nest.extents(), &strides, offset, len).unwrap(),
            conjugate: false,
        };
        let left = placed([8192, 0, 1024, 32, 1], 0, a * 8192);
        let right = placed([0, 1280, -1, 1, 40], m - 1, m + 3 * 1280 + 31 + 31 * 40);
        let output = Placed::of(&[a, b], vec![f64::NAN; a * b]);
        on_both(&Cpu::new(Some(1)), &nest, 2.0.into(), &[left, right], &output);
    }

    /// The inner axes of `bdca,dacb->`.
    #[test]
    fn blocks_have_long_runs_of_both_factors() {
        let [a, b, c, d] = [40, 37, 19, 11];
        let axis = |extent: usize, left: usize, right: usize| Axis { extent, strides: [left as isize, right as isize, 0] };
        let inner = [axis(b, d * c * a, 1), axis(d, c * a, a * c * b), axis(c, a, b), axis(a, 1, c * b)];
        let taken = |room: usize| block_axes(&inner, [0, 3], RIGHT, room, 8);
        // Neighbours of both come first, then what is next to them.
        assert_eq!(taken(500), [(0, 19), (3, 20)]);
        assert_eq!(taken(5 * a * b), [(0, b), (3, a), (2, 5)]);
        assert_eq!(taken(4 * a * b * c), [(0, b), (3, a), (2, c), (1, 4)]);
        for room in [64, 1000, 5000, 100_000, 1 << 20] {
            let points: usize = taken(room).iter().map(|(_, points)| points).product();
            assert!(points <= room.max(HIGH / 8 * LEAST / 8), "{points} of {room}");
        }
    }
}
