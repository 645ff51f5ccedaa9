//! Products of a long matrix of short rows with a small matrix, where they lie: the rows go through the kernels of small matrices a piece
//! at a time, and the small matrix stays in the nearest cache for all of them. Packing would move every element once more than it takes.

use std::ops::Range;

use super::product::{ClassifiedAxes, LEFT, OUT, Place, RIGHT, Sizes, Triple};
use super::product_kernel::ProductKernel;
use super::simd::Caches;
use super::sink::Sink;
use super::tasks;
use super::unpacked_gemm::UnpackedGemm;
use tensorwrapper_core::backend::fuse::{Odometer, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Rows that are multiplied at a time.
const PIECE: usize = 32;
/// Pieces at least: of fewer rows, packing is as fast.
const MANY: usize = 4;
/// Elements of the small matrix at most in double precision, and twice as many in single. Where each element of the long one takes part in
/// more multiplications, the engine's tiles are faster, packing included (measured on a Zen 4 with 10 656 rows).
const SMALL: usize = 640;

/// Rows of real numbers are long from so many bytes on: of those that come from memory, the engine computes the products in half the time,
/// and of rows of half that length in up to twice the time (measured on a Zen 5). Complex numbers stay here, because it packs them.
const LONG_ROW: usize = 256;

/// A product, prepared.
#[derive(Debug)]
pub(super) struct SkinnyGemm<T> {
    piece: UnpackedGemm<T>,
    pieces: usize,
    /// How far pieces are from each other in the factors and the result.
    step: [isize; 3],
    /// The rows behind the last piece.
    rest: Option<UnpackedGemm<T>>,
    batch: Vec<Triple>,
    start: [isize; 3],
    /// Multiplications of a piece.
    work: usize,
}

impl<T: Element> SkinnyGemm<T> {
    /// Prepares a product; nothing where neither factor is a long matrix of short rows and the other one small, or where rows of the small
    /// one and of the result are no neighbours.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn new(sorted: &ClassifiedAxes<T>) -> Result<Option<SkinnyGemm<T>>, Error> {
        let ([rows], [columns], [inner]) = (&sorted.rows[..], &sorted.columns[..], &sorted.inner[..]) else { return Ok(None) };
        let long = if rows.extent >= columns.extent { LEFT } else { RIGHT };
        let (along, short) = if long == LEFT { (rows, columns) } else { (columns, rows) };
        let small = inner.extent.saturating_mul(short.extent).saturating_mul(size_of::<T::Real>()) / size_of::<f64>();
        let is_row = inner.strides[long] == 1 && short.strides[LEFT + RIGHT - long] == 1 && short.strides[OUT] == 1;
        if along.extent < MANY * PIECE || small > SMALL || !is_row {
            return Ok(None);
        }
        // The engine reads long rows where they lie as well, and asks for later ones while it computes.
        let row = inner.extent.saturating_mul(size_of::<T>());
        let is_far = row.saturating_mul(along.extent).saturating_mul(points(&sorted.batch)) > Caches::here().third / 2;
        if is_far && row >= LONG_ROW && !T::DTYPE.is_complex() {
            return Ok(None);
        }
        let places = [
            Place { row: rows.strides[LEFT], column: inner.strides[LEFT] },
            Place { row: inner.strides[RIGHT], column: columns.strides[RIGHT] },
            Place { row: rows.strides[OUT], column: columns.strides[OUT] },
        ];
        let step = along.strides.map(|stride| stride * PIECE as isize);
        let of = |count: usize| {
            let sizes = match long {
                LEFT => Sizes { rows: count, columns: columns.extent, inner: inner.extent },
                _ => Sizes { rows: rows.extent, columns: count, inner: inner.extent },
            };
            UnpackedGemm::new(sizes, places, step, sorted.conjugate, sorted.alpha)
        };
        let (piece, rest) = (of(PIECE)?, along.extent % PIECE);
        if !piece.is_in_vectors()? {
            return Ok(None);
        }
        let rest = if rest > 0 { Some(of(rest)?) } else { None };
        let work = PIECE * short.extent * inner.extent;
        let (batch, start) = (sorted.batch.clone(), sorted.start);
        Ok(Some(SkinnyGemm { piece, pieces: along.extent / PIECE, step, rest, batch, start, work }))
    }
}

impl<T: Element> ProductKernel<T> for SkinnyGemm<T> {
    fn method(&self) -> &'static str {
        "small matrices, one of which is long"
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        // The rows behind the last piece are one more.
        let pieces = self.pieces + usize::from(self.rest.is_some());
        let all = pieces * points(&self.batch);
        tasks::split_pass(threads, all, all * self.work, &|range| {
            let mut walk = Odometer::new(&self.batch, &self.start, range.start / pieces);
            let mut next = range.start;
            while next < range.end {
                let first = next % pieces;
                let last = pieces.min(first + range.end - next);
                // SAFETY: the caller's promise; every range has pieces of its own.
                unsafe { self.run_pieces(walk.position, first..last, data, out) };
                next += last - first;
                walk.step();
            }
        });
        Ok(())
    }
}

impl<T: Element> SkinnyGemm<T> {
    /// Computes some pieces of a product that starts there.
    ///
    /// # Safety
    /// As [`ProductKernel::run`].
    unsafe fn run_pieces(&self, start: [isize; 3], pieces: Range<usize>, data: [&[T]; 2], out: Sink<'_, T>) {
        let at = |piece: usize| {
            let position = |n: usize| start[n] + piece as isize * self.step[n];
            // SAFETY: the caller's promise: the pieces lie inside the memory.
            unsafe { ([LEFT, RIGHT].map(|side| data[side].as_ptr().offset(position(side))), out.address(position(OUT))) }
        };
        let whole = pieces.end.min(self.pieces);
        if pieces.start < whole {
            let (from, to) = at(pieces.start);
            // SAFETY: as above.
            unsafe { self.piece.run(whole - pieces.start, from, to) };
        }
        if let Some(rest) = self.rest.as_ref().filter(|_| pieces.end > self.pieces) {
            let (from, to) = at(self.pieces);
            // SAFETY: as above.
            unsafe { rest.run(1, from, to) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixed::kernel as vectors;
    use super::super::road_tests::compare;
    use super::super::simd::Simd;
    use rand::SeedableRng;
    use rand::rngs::StdRng;
    use tensorwrapper_core::element::{Dtype, dispatch};

    /// Long matrices on either side, with rows behind the last piece and without, in batches, on one thread and on several.
    #[test]
    fn long_matrices_of_short_rows() {
        if !vectors::exist(Simd::chosen().unwrap()) {
            return;
        }
        let mut rng = StdRng::seed_from_u64(7);
        for (long, columns, terms) in [(608, 8, 8), (160, 13, 20), (2300, 5, 3), (257, 40, 9), (300, 16, 33), (131, 4, 64)] {
            let size = |label| match label {
                'a' => long,
                'b' => columns,
                'k' => terms,
                _ => 5,
            };
            for dtype in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64] {
                for (n, equation) in ["ak,kb->ab", "kb,ak->ab", "zak,zkb->zab", "zak,zkb->azb"].into_iter().enumerate() {
                    let method = "small matrices, one of which is long";
                    dispatch!(dtype, T => compare::<T>(&mut rng, equation, &size, 1 + n % 3, method));
                }
            }
        }
    }
}
