//! Products whose results have another order than their large factor: they are computed in the order of the large factor, and the result is
//! then copied to where it belongs. Both go at the speed of memory. Elements that are stored apart would each wait for a line of their own.
//!
//! Products with a small matrix go this way where no block has long runs on both sides, others where the engine's model expects it to be
//! faster.

use std::ops::Range;

use super::engine::{GemmElement, PackedGemm};
use super::large_first::{LargeFirst, is_narrow};
use super::narrow_gemm;
use super::packed::side_by_side;
use super::permute::{Pair, Permutation};
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT};
use super::product_kernel::ProductKernel;
use super::simd::Simd;
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{self, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::Owned;

/// Bytes of results that are staged: smaller ones stay in the second cache wherever their elements belong, and more memory than that
/// beside the operands would surprise a program.
const BYTES: Range<usize> = 128 << 10..128 << 20;
/// The same of products that the engine could store where they belong.
const ENGINE_BYTES: Range<usize> = 128 << 10..32 << 20;
/// Cycles of the engine's model for the copy of eight bytes. It is less than a copy takes, because the model underrates elements that are
/// stored apart by about as much. The number was found on a Xeon (`docs/results/contraction.md`).
const COPY_IN_MODEL: f64 = 2.0;
/// Elements of blocks that are runs of neighbours in both the stage and the result, at least: smaller ones take much longer to copy.
const LEAST_BLOCK: usize = 64;

/// Where the large factor's neighbours are rows: numbers of the small matrix up to which staging is faster than blocks.
const MANY: usize = 64;

/// A product, prepared: into a stage, and from there to the result.
#[derive(Debug)]
pub(super) struct StagedResult<T> {
    product: Box<dyn ProductKernel<T>>,
    stage: Stage,
}

/// A result in the order of the large factor: how many elements it has, and the copy from there to where the result starts.
#[derive(Debug)]
pub(super) struct Stage {
    len: usize,
    copy: Permutation,
    start: isize,
}

/// A product in the order of its large factor, and the axes along which its result is copied from there.
struct LargeOrder<T> {
    product: ClassifiedAxes<T>,
    axes: Vec<Pair>,
    len: usize,
    start: isize,
}

impl Stage {
    /// A product into a stage; nothing where blocks are expected to be faster, or the stage would be small or large.
    pub(super) fn new<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<(ClassifiedAxes<T>, Stage)> {
        if !sorted.batch.is_empty() || sorted.has_vector() || !BYTES.contains(&result_bytes(sorted)) || !is_narrow(sorted) {
            return None;
        }
        let view = LargeFirst::new(sorted);
        if !view.has_terms_beside() && points(&view.columns) * points(&view.inner) > MANY
            || !narrow_gemm::is_scattered::<T>(&view)
        {
            return None;
        }
        Some(LargeOrder::new(sorted, &view).staged())
    }

    /// A product that the engine would compute in so many cycles, into a stage; nothing where that is not expected to be faster.
    pub(super) fn instead_of_engine<T: GemmElement>(
        sorted: &ClassifiedAxes<T>,
        simd: Simd,
        cycles: f64,
    ) -> Option<(ClassifiedAxes<T>, Stage)> {
        if !ENGINE_BYTES.contains(&result_bytes(sorted)) {
            return None;
        }
        let in_order = LargeOrder::if_one(sorted)?;
        let LargeOrder { product, len, .. } = &in_order;
        if product.rows == sorted.rows && product.columns == sorted.columns || in_order.block_elements() < LEAST_BLOCK {
            return None;
        }
        let copy = COPY_IN_MODEL * (len * size_of::<T>()) as f64 / 8.0;
        (PackedGemm::new(product.clone(), simd).cost() + copy < cycles).then(|| in_order.staged())
    }

    /// A product into a stage, whatever that takes; nothing of a batch, or of a vector.
    pub(super) fn forced<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<(ClassifiedAxes<T>, Stage)> {
        LargeOrder::if_one(sorted).map(LargeOrder::staged)
    }
}

impl<T: Element> LargeOrder<T> {
    /// Nothing of a batch, or of a vector.
    fn if_one(sorted: &ClassifiedAxes<T>) -> Option<LargeOrder<T>> {
        (sorted.batch.is_empty() && !sorted.has_vector()).then(|| LargeOrder::new(sorted, &LargeFirst::new(sorted)))
    }

    /// Where terms are neighbours in the large factor, its rows are multiplied one by one, and columns are the fastest in the stage; else
    /// its neighbours are rows, as those of the stage are.
    fn new(sorted: &ClassifiedAxes<T>, view: &LargeFirst) -> LargeOrder<T> {
        let columns_last = view.has_terms_beside();
        let mut product = sorted.clone();
        let (rows, columns) = (&mut product.rows, &mut product.columns);
        fuse::sort(rows, &[LEFT]);
        fuse::sort(columns, &[RIGHT]);
        let [outer, inner] = if columns_last == (view.large == LEFT) { [rows, columns] } else { [columns, rows] };
        let (mut axes, len) = side_by_side(outer.iter_mut().chain(inner.iter_mut()), OUT);
        // It is copied from the stage.
        axes.iter_mut().for_each(|axis| axis.strides.reverse());
        [outer, inner].into_iter().for_each(fuse::fuse);
        let start = std::mem::replace(&mut product.start[OUT], 0);
        LargeOrder { product, axes, len, start }
    }

    /// Neighbours in the stage along an axis, times neighbours in the result.
    fn block_elements(&self) -> usize {
        let run = |side: usize| self.axes.iter().find(|axis| axis.strides[side] == 1).map_or(1, |axis| axis.extent);
        run(0) * run(1)
    }

    fn staged(self) -> (ClassifiedAxes<T>, Stage) {
        let LargeOrder { product, axes, len, start } = self;
        (product, Stage { len, copy: Permutation::new(axes, size_of::<T>()), start })
    }
}

/// Bytes of the result of one item of the batch.
fn result_bytes<T>(sorted: &ClassifiedAxes<T>) -> usize {
    points(&sorted.rows).saturating_mul(points(&sorted.columns)).saturating_mul(size_of::<T>())
}

impl<T> StagedResult<T> {
    pub(super) fn new(product: Box<dyn ProductKernel<T>>, stage: Stage) -> StagedResult<T> {
        StagedResult { product, stage }
    }
}

impl<T: Element> ProductKernel<T> for StagedResult<T> {
    fn method(&self) -> &'static str {
        "in order, then permuted"
    }

    fn work_space(&self, threads: usize) -> usize {
        self.stage.len.saturating_add(self.product.work_space(threads))
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let Stage { len, copy, start, .. } = &self.stage;
        let mut stage = Owned::<T>::for_results(*len)?;
        // SAFETY: the caller's promise for the factors; the product writes the stage from one end to the other.
        unsafe { self.product.run(threads, data, Sink::new(&mut stage))? };
        copy.run(threads, [0, *start], &stage, out, false);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cpu;
    use super::super::road_tests::compare;
    use super::super::tests::sized_contract;
    use super::*;
    use num_complex::Complex;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use tensorwrapper_core::backend::fuse::Axis;
    use tensorwrapper_core::element::{Dtype, dispatch};

    /// Results in reversed and in other orders, with the large factor's neighbours summed and kept, on either side.
    #[test]
    fn permuted_results_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(47);
        for equation in ["abcdf,fg->gdcba", "gf,abcdf->gdcba", "abcdf,gf->dgcba", "fabcd,fg->gdcba", "gf,fabcd->dcgba"] {
            for [a, b, c, d, f, g] in [[17, 9, 18, 11, 5, 6], [15, 13, 12, 16, 6, 10], [9, 14, 20, 13, 4, 16]] {
                let size = |label| match label {
                    'a' => a,
                    'b' => b,
                    'c' => c,
                    'd' => d,
                    'f' => f,
                    _ => g,
                };
                // Conjugated factors, and a complex number before the product.
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &Cpu::new(Some(2)));
                for (n, dtype) in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64].into_iter().enumerate() {
                    dispatch!(dtype, T => compare::<T>(&mut rng, equation, &size, 1 + n % 3, "in order, then permuted"));
                }
            }
        }
    }

    /// `spqr,si->priq` of `n` points, with four columns.
    fn transformed(n: isize) -> ClassifiedAxes<f64> {
        let axis = |extent: isize, strides: [isize; 3]| Axis { extent: extent as usize, strides };
        ClassifiedAxes {
            batch: vec![],
            rows: vec![axis(n, [n * n, 0, 4 * n * n]), axis(n, [n, 0, 1]), axis(n, [1, 0, 4 * n])],
            columns: vec![axis(4, [0, 1, n])],
            inner: vec![axis(n, [n * n * n, 4, 0])],
            conjugate: [false; 2],
            start: [0; 3],
            alpha: 1.0,
        }
    }

    #[test]
    fn results_are_staged_once_and_where_a_gain_is_expected() {
        let simd = Simd::chosen().unwrap();
        let staged = |product: &ClassifiedAxes<f64>, cycles: f64| {
            Stage::instead_of_engine(product, simd, cycles).map(|(in_order, _)| in_order)
        };
        let sorted = transformed(40);
        let in_order = staged(&sorted, f64::INFINITY).unwrap();
        let own = PackedGemm::new(in_order.clone(), simd).cost();
        let copy = COPY_IN_MODEL * 4.0 * 40.0 * 40.0 * 40.0;
        assert!(staged(&sorted, own + copy).is_none() && staged(&sorted, 1.001 * (own + copy)).is_some());
        assert!(staged(&in_order, f64::INFINITY).is_none(), "it is in order");
        assert!(staged(&transformed(15), f64::INFINITY).is_none(), "caches hold the result");
        assert!(staged(&transformed(103), f64::INFINITY).is_none(), "a stage would take much memory");
    }
}
