//! Small products that lie side by side: neighbours in memory belong to different ones, and vectors run across them.
//!
//! Where vectors are read several times those of one step are packed first: each lies in a page of its own. Nothing is checked
//! while they run: where elements lie is known when they are prepared.

mod kernel;

use std::ops::Range;

use self::kernel::{Form, Kernel, Task, Vectors, form, width};
use super::engine::Workspace;
use super::product::Sizes;
use super::product::Triple;
use super::product::{ClassifiedAxes, SMALL};
use super::product::{LEFT, OUT, RIGHT};
use super::product::{groups, place};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use super::tasks;
use crate::simd::Caches;
use crate::simd::Simd;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Rows and columns below which vectors are read nearly as often as they are used.
const LEAST: usize = 4;

/// Multiplications of one product from which on other kernels may be faster.
const MANY: usize = 8 * SMALL;

/// Vectors of all three matrices that stay near without being packed: each is a cache line, of a page of its own where the batch is long.
const NEAR: usize = 1024;

/// Rows and columns from which on vectors are read so often that packing them is worth it.
const READ_OFTEN: usize = 12;

/// Bytes of a vector at most.
const WIDEST: usize = 64;

/// Products side by side, prepared.
#[derive(Debug)]
pub(super) struct InterleavedGemm<T> {
    task: Task<T>,
    kernel: Kernel<T>,
    /// Products in a vector.
    lanes: usize,
    /// The axis along which they are neighbours.
    extent: usize,
    /// The other axes of the batch, and vectors along that one.
    loops: Vec<Triple>,
    start: [isize; 3],
}

impl<T: Element> InterleavedGemm<T> {
    /// Prepares products; nothing where they do not lie so, where they are so large that packing them is faster, or where there
    /// are no vectors for them.
    pub(super) fn new(sorted: &ClassifiedAxes<T>, simd: Simd) -> Option<InterleavedGemm<T>> {
        let across = sorted.batch.iter().position(|axis| axis.strides == [1; 3])?;
        let Form { kernel, lanes, tile: [high, wide] } = form::<T>(simd, sorted.batch[across].extent)?;
        let strides = |groups: [&[Triple]; 2], operand: usize| place(groups, operand).map(|place| [place.row, place.column]);
        let left = strides(groups(sorted, LEFT), LEFT)?;
        let right = strides(groups(sorted, RIGHT), RIGHT)?;
        let out = strides([&sorted.rows, &sorted.columns], OUT)?;
        let sizes = Sizes { rows: points(&sorted.rows), columns: points(&sorted.columns), inner: points(&sorted.inner) };
        let Sizes { rows, columns, inner } = sizes;
        if rows.min(columns).min(inner) < 2 || !Self::is_worth(sorted, sizes, simd) {
            return None;
        }
        let factors = rows.saturating_add(columns).saturating_mul(inner);
        let mut packed = [Vec::new(), Vec::new()];
        let are_far = factors.saturating_add(rows.saturating_mul(columns)) > NEAR;
        if rows.min(columns) >= READ_OFTEN || are_far {
            if factors > Caches::here().second / 2 / WIDEST {
                return None;
            }
            packed = [panels([rows, high], inner, left), panels([columns, wide], inner, [right[1], right[0]])];
        }
        let mut loops = sorted.batch.clone();
        let extent = loops.remove(across).extent;
        loops.push(Axis { extent: extent / lanes, strides: [lanes as isize; 3] });
        let task = Task { sizes, left, right, out, alpha: sorted.alpha, conjugate: sorted.conjugate, packed };
        Some(InterleavedGemm { task, kernel, lanes, extent, loops, start: sorted.start })
    }

    /// Whether no other kernel is faster. Products with few rows or columns, or of few multiplications, do little with each element: where
    /// all of them are larger than the caches, long vectors of `axpy` read memory faster. Of large products, those of complex numbers are
    /// packed instead, and all of them where the vectors are the compiler's.
    fn is_worth(sorted: &ClassifiedAxes<T>, sizes: Sizes, simd: Simd) -> bool {
        let Sizes { rows, columns, inner } = sizes;
        let multiplications = sizes.multiplications();
        let is_packed_instead = T::DTYPE.is_complex() || simd == Simd::Portable || rows.min(columns) < LEAST;
        if multiplications > MANY && is_packed_instead {
            return false;
        }
        let elements = rows.saturating_add(columns).saturating_mul(inner).saturating_add(rows.saturating_mul(columns));
        let bytes = points(&sorted.batch).saturating_mul(elements).saturating_mul(size_of::<T>());
        let does_much = multiplications >= SMALL && rows.min(columns) >= LEAST;
        does_much || multiplications <= MANY && bytes <= Caches::here().third / 2
    }

    /// The vectors of these numbers.
    ///
    /// # Safety
    /// As [`InterleavedGemm::run`]; there is room for what is packed.
    unsafe fn run_some(&self, range: Range<usize>, room: [*mut T; 2], data: [&[T]; 2], out: Sink<'_, T>) {
        let vectors = self.extent / self.lanes;
        let rest = self.extent % self.lanes;
        let mut walk = Odometer::new(&self.loops, &self.start, range.start);
        for number in range {
            let at = walk.position;
            walk.step();
            let next = [LEFT, RIGHT].map(|side| data[side].as_ptr().wrapping_offset(walk.position[side]));
            let ends = rest > 0 && (number + 1).is_multiple_of(vectors);
            // The last vector is followed by one that ends where the axis does: products in both are computed twice, by
            // one thread.
            for further in [Some(0), ends.then_some(rest as isize)].into_iter().flatten() {
                // SAFETY: the caller's promise; the kernel was chosen among those whose instructions the processor has.
                unsafe {
                    let from = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(at[side] + further));
                    let to = out.address(at[OUT] + further);
                    (self.kernel)(&self.task, &Vectors { from, next, to, room });
                }
            }
        }
    }
}

impl<T: Element> ProductKernel<T> for InterleavedGemm<T> {
    fn method(&self) -> &'static str {
        "small matrices side by side"
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let each = self.task.sizes.multiplications().saturating_mul(self.lanes);
        let items = points(&self.loops);
        tasks::failing(|failed| {
            tasks::split_product(threads, items, items.saturating_mul(each), &|range| {
                failed(Workspace::lend(|workspace| {
                    let [left, right] = self.task.packed.each_ref().map(|order| order.len() * self.lanes);
                    let room = [workspace.rows.room::<T>(left)?, workspace.columns.room::<T>(right)?];
                    // SAFETY: the caller's promise; no other task has these vectors.
                    unsafe { self.run_some(range, room, data, out) };
                    Ok(())
                }));
            });
        })
    }
}

/// Where the vectors of a factor lie, panel by panel: for each term those of its rows, or columns.
fn panels([extent, wide]: [usize; 2], inner: usize, [along, term]: [isize; 2]) -> Vec<isize> {
    let mut order = Vec::with_capacity(extent * inner);
    let mut first = 0;
    while first < extent {
        let wide = width(extent - first, wide);
        for k in 0..inner as isize {
            order.extend((first..first + wide).map(|n| n as isize * along + k * term));
        }
        first += wide;
    }
    order
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use rand::SeedableRng;
    use rand::rngs::StdRng;

    use crate::Cpu;
    use crate::tests::sized_contract;

    #[test]
    fn batches_of_small_matrices_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(23);
        // Vectors across the batch and along rows; in both orders of the result; with more axes than matrices have.
        let equations = [
            "ikb,kjb->ijb",
            "kib,jkb->jib",
            "aikb,akjb->aijb",
            "bik,bkj->bij",
            "bki,bkj->bji",
            "bik,bjk->bij",
            "aik,bkj->abij",
            "bikl,bklj->bij",
            "baik,kj->bjai",
        ];
        for (n, equation) in equations.into_iter().enumerate() {
            // Whole vectors and parts of them, rows and columns that tiles do not fill, one product and many.
            for (i, j, k, b) in [(4, 8, 17, 16), (7, 9, 10, 37), (3, 2, 11, 8), (17, 25, 6, 33), (9, 5, 4, 1), (8, 8, 8, 500)] {
                let size = |label| match label {
                    'i' => i,
                    'j' => j,
                    'k' => k,
                    'b' => b,
                    _ => 3,
                };
                let cpu = Cpu::new(Some(1 + n % 3));
                sized_contract::<f64>(&mut rng, equation, &size, &cpu);
                sized_contract::<f32>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f64>>(&mut rng, equation, &size, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &size, &cpu);
            }
        }
    }

    #[test]
    fn larger_ones_are_packed_in_blocks_of_which_the_last_is_shorter() {
        let mut rng = StdRng::seed_from_u64(24);
        for (threads, b) in [(1, 75), (2, 9), (2, 130)] {
            let size = |label| if label == 'b' { b } else { 33 };
            sized_contract::<f64>(&mut rng, "ikb,kjb->ijb", &size, &Cpu::new(Some(threads)));
            sized_contract::<Complex<f32>>(&mut rng, "kbi,jbk->ijb", &size, &Cpu::new(Some(threads)));
        }
    }
}
