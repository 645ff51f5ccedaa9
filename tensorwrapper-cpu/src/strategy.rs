//! Which kernel multiplies two factors: the rules, by extents and strides alone. Knows neither memory nor how a kernel works.

use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, SMALL, Triple, groups, narrowest};
use super::simd::Simd;
use tensorwrapper_core::backend::fuse::points;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// Bytes of packed matrices of a cache line at most.
const WIDE: usize = 8 << 20;
/// Bytes between elements of matrices that need not be staged, those of all operands together; those of results count twice, as lines are
/// read and written.
const NEAR: usize = 48;

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
    /// Products with a small matrix within vectors, where operands lie so, and else by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Lanes(Simd),
    /// Products with a small matrix along rows, or over blocks of them, where that can be done, and else by the engine.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Narrow(Simd),
    /// By the engine, with every operand staged.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Packed,
}

impl<T: Element> ClassifiedAxes<T> {
    /// Whether the matrices are large enough for the engine, and neighbours in memory belong to one of them.
    pub(super) fn suits_engine(&self) -> bool {
        self.multiplications() > SMALL && (self.is_wide() || self.is_near())
    }

    /// Whether neighbours in memory belong to one matrix, or to so few that reading lines again for each is faster than staging them.
    fn is_near(&self) -> bool {
        let apart = [LEFT, RIGHT, OUT].map(|operand| {
            let groups = if operand == OUT { [&self.rows[..], &self.columns] } else { groups(self, operand) };
            let weight = if operand == OUT { 2 } else { 1 };
            self.apart(operand, groups).map_or(0, |bytes| bytes.saturating_mul(weight))
        });
        apart == [0; 3] || apart.contains(&0) && apart.into_iter().fold(0, usize::saturating_add) <= NEAR
    }

    /// Bytes from an element of a matrix to the next one, where neighbours in memory belong to different matrices.
    fn apart(&self, operand: usize, groups: [&[Triple]; 2]) -> Option<usize> {
        let own = narrowest(groups[0], operand).min(narrowest(groups[1], operand));
        (narrowest(&self.batch, operand) < own).then(|| own.saturating_mul(size_of::<T>()))
    }

    /// Whether that is so of a factor whose matrices are so large that those of a cache line would take much memory packed.
    fn is_wide(&self) -> bool {
        [LEFT, RIGHT].into_iter().any(|side| {
            let groups = groups(self, side);
            let elements = points(groups[0]).saturating_mul(points(groups[1]));
            elements.saturating_mul(LINE) > WIDE && self.apart(side, groups).is_some()
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
    fn matrices_that_are_near_each_other_are_not_staged() {
        let longest = |is_interleaved: [bool; 3]| (1..64).take_while(|&n| batch::<f64>(n, is_interleaved).suits_engine()).count();
        assert_eq!(longest([true, false, false]), 6, "48 bytes apart");
        assert_eq!(longest([true, true, false]), 3, "24 bytes each");
        assert_eq!(longest([false, false, true]), 3, "a result counts twice");
        assert_eq!(longest([true, true, true]), 1, "not all three");
        assert!(batch::<f32>(12, [false, true, false]).suits_engine() && !batch::<f32>(13, [false, true, false]).suits_engine());
        assert!((1..64).all(|n| batch::<f64>(n, [false; 3]).suits_engine()));
    }
}
