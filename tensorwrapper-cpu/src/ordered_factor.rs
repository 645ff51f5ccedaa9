//! Products whose factors have neighbours along different axes of the sum, and one of which is much smaller: it is copied into the order of
//! the other one's terms before it is multiplied. What reads both then follows both.

use super::inner_products;
use super::packed::Packed;
use super::product::{ClassifiedAxes, IN_VECTORS, LEFT, RIGHT, Triple};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use tensorwrapper_core::backend::fuse::{self, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// How many times as many vectors the other factor has, at least, so that the copy takes little of the time.
const TIMES: usize = 8;
/// Bytes of a copy at most: more memory than that beside the operands would surprise a program.
const MOST_BYTES: usize = 128 << 20;

/// A product, prepared: the copy of a factor, and what multiplies it.
#[derive(Debug)]
pub(super) struct OrderedFactor<T> {
    copy: FactorCopy,
    product: Box<dyn ProductKernel<T>>,
}

/// The copy of the factor on that side.
#[derive(Debug)]
pub(super) struct FactorCopy {
    packed: Packed,
    side: usize,
}

/// The factor that a product copies first; nothing where its neighbours are those of the other one, or no terms, where it is too large for
/// that, or where inner products read it.
pub(super) fn copied_side<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<usize> {
    let own = [&sorted.rows, &sorted.columns].map(|axes| points(axes));
    let side = if own[LEFT] < own[RIGHT] { LEFT } else { RIGHT };
    let other = LEFT + RIGHT - side;
    let unit = |side: usize| sorted.inner.iter().position(|axis| axis.strides[side] == 1);
    let bytes =
        [points(&sorted.batch), own[side], points(&sorted.inner), size_of::<T>()].into_iter().fold(1, usize::saturating_mul);
    let is_small = own[side].saturating_mul(TIMES) <= own[other] && bytes <= MOST_BYTES;
    let is_left_to_others = sorted.has_vector() || inner_products::suits(sorted) || sorted.multiplications() <= IN_VECTORS;
    (is_small && !is_left_to_others && unit(side)? != unit(other)?).then_some(side)
}

impl FactorCopy {
    /// A product after the copy of its small factor: terms in the order of the other one, columns fastest.
    pub(super) fn new<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<(ClassifiedAxes<T>, FactorCopy)> {
        let side = copied_side(sorted)?;
        let mut product = sorted.clone();
        let ClassifiedAxes { batch, rows, columns, inner, start, .. } = &mut product;
        fuse::sort(inner, &[LEFT + RIGHT - side]);
        let vectors: &mut Vec<Triple> = if side == LEFT { rows } else { columns };
        let packed = Packed::new::<T>(batch.iter_mut().chain(&mut *inner).chain(vectors), side, &mut start[side]);
        fuse::fuse(inner);
        Some((product, FactorCopy { packed, side }))
    }
}

impl<T> OrderedFactor<T> {
    pub(super) fn new(product: Box<dyn ProductKernel<T>>, copy: FactorCopy) -> OrderedFactor<T> {
        OrderedFactor { copy, product }
    }
}

impl<T: Element> ProductKernel<T> for OrderedFactor<T> {
    fn method(&self) -> &'static str {
        "small factor reordered first"
    }

    fn work_space(&self, threads: usize) -> usize {
        self.copy.packed.len().saturating_add(self.product.work_space(threads))
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        let FactorCopy { packed, side } = &self.copy;
        let factor = packed.make(threads, data[*side])?;
        let mut data = data;
        data[*side] = &factor;
        // SAFETY: the caller's promise; the copy has exactly the elements that the product's axes lead to.
        unsafe { self.product.run(threads, data, out) }
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

    /// On either side, with terms and results in several orders, in a batch, and with results that are staged.
    #[test]
    fn copied_factors_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(53);
        let large = |label: char| if "abe".contains(label) { 37 } else { 4 };
        for equation in ["abcd,dec->bae", "dec,abcd->eab", "acbd,fedc->bfea", "bacd,edc->abe", "habcd,hdec->hbae"] {
            let small = |label| match label {
                'a' | 'b' => 17,
                'c' => 11,
                'd' => 13,
                'e' => 5,
                _ => 3,
            };
            // Conjugated factors, and a complex number before the product.
            sized_contract::<Complex<f64>>(&mut rng, equation, &small, &Cpu::new(Some(2)));
            for (n, dtype) in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64].into_iter().enumerate() {
                for size in [&small as &dyn Fn(char) -> usize, &large] {
                    dispatch!(dtype, T => compare::<T>(&mut rng, equation, size, 1 + n % 3, "small factor reordered first"));
                }
            }
        }
    }

    /// `acd,dec->ae` with so many points of a, and with the factors the other way round.
    fn product(points: usize) -> ClassifiedAxes<f64> {
        let axis = |extent: usize, strides: [isize; 3]| Axis { extent, strides };
        ClassifiedAxes {
            batch: vec![],
            rows: vec![axis(points, [7 * 6, 0, 5])],
            columns: vec![axis(5, [0, 7, 1])],
            inner: vec![axis(7, [6, 1, 0]), axis(6, [1, 35, 0])],
            conjugate: [false; 2],
            start: [0; 3],
            alpha: 1.0,
        }
    }

    #[test]
    fn small_factors_with_other_neighbours_are_copied_once() {
        let (ordered, copy) = FactorCopy::new(&product(500)).unwrap();
        assert_eq!((copy.side, copy.packed.len()), (RIGHT, 5 * 6 * 7));
        assert_eq!(ordered.inner.len(), 1, "terms follow each other in both factors");
        assert_eq!(ordered.columns[0].strides[RIGHT], 1);
        assert_eq!(copied_side(&ordered), None, "neighbours of the copy are columns");
        let mut turned = product(500);
        std::mem::swap(&mut turned.rows, &mut turned.columns);
        [&mut turned.rows, &mut turned.columns, &mut turned.inner]
            .into_iter()
            .flatten()
            .for_each(|axis| axis.strides.swap(LEFT, RIGHT));
        assert_eq!(copied_side(&turned), Some(LEFT));
        let mut alike = product(500);
        alike.inner.iter_mut().for_each(|axis| axis.strides[RIGHT] = axis.strides[LEFT]);
        assert_eq!(copied_side(&alike), None, "neighbours are the same terms");
        assert_eq!(copied_side(&product(39)), None, "the other factor is not much larger");
        assert_eq!(copied_side(&product(100)), None, "few multiplications");
        let mut huge = product(500);
        huge.batch.push(Axis { extent: 1 << 20, strides: [0, 210, 0] });
        assert_eq!(copied_side(&huge), None, "a copy would take much memory");
    }
}
