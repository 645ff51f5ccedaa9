//! Which kernel multiplies two factors: the rules, by extents and strides alone. Knows neither memory nor how a kernel works.

use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, SMALL, Triple, groups, narrowest};
use super::simd::{Caches, Simd};
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// Bytes of packed matrices of a cache line at most.
const WIDE: usize = 8 << 20;
/// Bytes from an element of a matrix to the next one, added over the interleaved operands and twice for a result, whose lines are read and
/// written: up to so many, reading lines once for each matrix was measured to be faster than staging (`docs/results/contraction.md`).
const READ_AGAIN_UP_TO: usize = 32;

/// Which way products of two factors go; anything but `Chosen` is for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Route {
    /// By size and strides.
    #[default]
    Chosen,
    /// Sums of long vectors.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Axpy,
    /// Matrix products by small tiles.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Tiles,
    /// The same, staged where they do not lie as kernels in vectors take them.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Staged,
    /// Matrix products by the engine, of matrices as batches have them.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Blocked,
    /// Matrix products by the engine, in one form of its kernels.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Engine(Simd),
    /// The same, with the result staged a block at a time, however large that would be by itself.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    ResultBlocks(Simd),
    /// By the engine, with the result in the order of the large factor first.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    InOrder(Simd),
    /// Products with a small matrix within vectors, where operands lie so, and else by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Lanes(Simd),
    /// Products with a small matrix along rows, or over blocks of them, where that can be done, and else by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Narrow(Simd),
    /// Products of a large matrix with few rows of many terms, where operands lie so, and else by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Flat(Simd),
    /// Sums of products of blocks in one form of their kernels; other products by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Sums(Simd),
    /// By the engine, with every operand staged.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Packed,
}

impl<T: Element> ClassifiedAxes<T> {
    /// Whether the matrices are large enough for the engine, and no operand is staged for it.
    pub(super) fn suits_engine(&self) -> bool {
        self.suits_engine_with(Caches::here().second)
    }

    /// The same with a second cache of so many bytes.
    fn suits_engine_with(&self, cache: usize) -> bool {
        self.suits_engine_apart() || self.multiplications() > SMALL && self.is_read_again(cache)
    }

    /// The same of matrices that are not multiplied one after the other, so that lines of interleaved ones have left the caches in between;
    /// or that are finished by a program, which would run for single elements of an interleaved result.
    pub(super) fn suits_engine_apart(&self) -> bool {
        let is_in_lines = || [LEFT, RIGHT, OUT].into_iter().all(|operand| self.interleaved(operand).is_none());
        self.multiplications() > SMALL && (is_in_lines() || self.is_wide())
    }

    /// Whether operands whose neighbours in memory belong to different matrices are read again for each of these, instead of staged.
    fn is_read_again(&self, cache: usize) -> bool {
        let bytes = [LEFT, RIGHT, OUT].map(|operand| self.interleaved(operand).unwrap_or(0));
        // Where all three are interleaved, kernels that multiply several matrices at once read each line once.
        let few = bytes.contains(&0)
            && bytes[LEFT].saturating_add(bytes[RIGHT]).saturating_add(bytes[OUT].saturating_mul(2)) <= READ_AGAIN_UP_TO;
        few && (0..3).all(|operand| bytes[operand] == 0 || self.is_kept(operand, bytes[operand], cache))
    }

    /// Whether the lines of an interleaved operand are still in a cache when the next matrix is read from them: the engine computes
    /// matrices along the last axis of the batch one after the other.
    fn is_kept(&self, operand: usize, bytes: usize, cache: usize) -> bool {
        let [first, second] = self.groups_of(operand);
        let elements = points(first).saturating_mul(points(second));
        let is_next =
            self.batch.last().is_some_and(|axis| axis.strides[operand].unsigned_abs() == narrowest(&self.batch, operand));
        is_next && elements.saturating_mul(bytes) <= cache
    }

    /// The axes of an operand's matrices.
    fn groups_of(&self, operand: usize) -> [&[Triple]; 2] {
        if operand == OUT { [&self.rows, &self.columns] } else { groups(self, operand) }
    }

    /// Bytes from an element of a matrix to the next one, where neighbours in memory belong to different matrices.
    fn interleaved(&self, operand: usize) -> Option<usize> {
        let [first, second] = self.groups_of(operand);
        let own = narrowest(first, operand).min(narrowest(second, operand));
        (narrowest(&self.batch, operand) < own).then(|| own.saturating_mul(size_of::<T>()))
    }

    /// Whether a factor is interleaved, and its matrices are so large that those of a cache line would take much memory packed.
    fn is_wide(&self) -> bool {
        [LEFT, RIGHT].into_iter().any(|side| {
            let [first, second] = self.groups_of(side);
            let elements = points(first).saturating_mul(points(second));
            elements.saturating_mul(LINE) > WIDE && self.interleaved(side).is_some()
        })
    }

    /// Whether one factor is a vector for the other one.
    pub(super) fn has_vector(&self) -> bool {
        points(&self.rows) == 1 || points(&self.columns) == 1
    }

    /// Whether many small products lie side by side that `interleaved_gemm` does not take: memory limits them, or their axes do not fuse.
    pub(super) fn suits_axpy(&self) -> bool {
        let unit = |axis: &Triple| axis.strides.iter().all(|stride| stride.unsigned_abs() <= 1) && axis.extent >= 8;
        self.batch.iter().any(unit) && self.multiplications() <= 8 * SMALL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::backend::fuse::Axis;

    const CACHE: usize = 1 << 20;

    /// Products of 100 rows, columns and terms, whose batch is the innermost axis of the operands that are interleaved.
    fn batch<T: Element>(extent: usize, interleaved: [bool; 3]) -> ClassifiedAxes<T> {
        let step = interleaved.map(|is| if is { extent as isize } else { 1 });
        let axis = |extent: usize, strides: [isize; 3]| Axis { extent, strides };
        ClassifiedAxes {
            batch: vec![axis(extent, interleaved.map(|is| if is { 1 } else { 10_000 }))],
            rows: vec![axis(100, [100 * step[LEFT], 0, 100 * step[OUT]])],
            columns: vec![axis(100, [0, step[RIGHT], step[OUT]])],
            inner: vec![axis(100, [step[LEFT], 100 * step[RIGHT], 0])],
            conjugate: [false; 2],
            start: [0; 3],
            alpha: T::from_complex(num_complex::Complex::ONE),
        }
    }

    #[test]
    fn few_interleaved_matrices_are_not_staged() {
        let suits = |n: usize, is_interleaved: [bool; 3]| batch::<f64>(n, is_interleaved).suits_engine_with(CACHE);
        let longest = |is_interleaved: [bool; 3]| (1..64).take_while(|&n| suits(n, is_interleaved)).count();
        assert_eq!(longest([true, false, false]), 4, "32 bytes from an element to the next one");
        assert_eq!(longest([true, true, false]), 2, "16 bytes each");
        assert_eq!(longest([false, false, true]), 2, "a result counts twice");
        assert_eq!(longest([true, true, true]), 1, "not all three");
        let suits_single = |n: usize| batch::<f32>(n, [false, true, false]).suits_engine_with(CACHE);
        assert!(suits_single(8) && !suits_single(9));
        assert!((1..64).all(|n| suits(n, [false; 3])));
        assert!((2..64).all(|n| !batch::<f64>(n, [true, false, false]).suits_engine_apart()));
    }

    #[test]
    fn lines_that_have_left_the_cache_are_staged() {
        let mut heads = batch::<f64>(2, [true, false, false]);
        heads.batch.push(Axis { extent: 50, strides: [20_000, 20_000, 20_000] });
        assert!(!heads.suits_engine_with(CACHE), "all other matrices are between two of the same lines");
        heads.batch.swap(0, 1);
        assert!(heads.suits_engine_with(CACHE));
        let mut long = batch::<f64>(2, [true, false, false]);
        long.rows[0].extent = 1000;
        assert!(!long.suits_engine_with(CACHE), "100 000 elements, each 16 bytes behind the one before");
    }
}
