//! Products of a large factor with a small matrix whose results are permuted so that no block has long runs of both: they are computed in the
//! order of the large factor, and the result is then copied to where it belongs. Both go at the speed of memory.

use std::ops::Range;

use super::large_first::{LARGE, LargeFirst, is_narrow};
use super::narrow_gemm;
use super::packed::side_by_side;
use super::permute::Permutation;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{self, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::Owned;

/// Bytes of results that are staged: smaller ones stay in the second cache wherever their elements belong, and more memory than that beside the
/// operands would surprise a program.
const BYTES: Range<usize> = 128 << 10..128 << 20;

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

impl Stage {
    /// A product into a stage; nothing where blocks are expected to be faster, or the stage would be small or large.
    pub(super) fn new<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<(ClassifiedAxes<T>, Stage)> {
        let bytes = points(&sorted.rows).saturating_mul(points(&sorted.columns)).saturating_mul(size_of::<T>());
        if !sorted.batch.is_empty() || sorted.has_vector() || !BYTES.contains(&bytes) || !is_narrow(sorted) {
            return None;
        }
        let view = LargeFirst::new(sorted);
        // Where terms are neighbours in the large factor, its rows are multiplied one by one, and columns are the fastest in the stage; else its
        // neighbours are rows, as those of the stage are.
        let columns_last = view.inner.iter().any(|axis| axis.strides[LARGE] == 1);
        if !columns_last && points(&view.columns) * points(&view.inner) > MANY || !narrow_gemm::is_scattered::<T>(&view) {
            return None;
        }
        let mut product = sorted.clone();
        let (rows, columns) = (&mut product.rows, &mut product.columns);
        fuse::sort(rows, &[LEFT]);
        fuse::sort(columns, &[RIGHT]);
        let [outer, inner] = if columns_last == (view.large == LEFT) { [rows, columns] } else { [columns, rows] };
        let (mut pairs, len) = side_by_side(outer.iter_mut().chain(inner.iter_mut()), OUT);
        // It is copied from the stage.
        pairs.iter_mut().for_each(|pair| pair.strides.reverse());
        [outer, inner].into_iter().for_each(fuse::fuse);
        let start = std::mem::replace(&mut product.start[OUT], 0);
        Some((product, Stage { len, copy: Permutation::new(pairs, size_of::<T>()), start }))
    }
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
        let Stage { len, copy, start } = &self.stage;
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
    use num_complex::Complex;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
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
}
