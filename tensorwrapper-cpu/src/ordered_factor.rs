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

/// How many times as large the other factor is, at least, so that the copy takes little of the time.
const TIMES: usize = 8;

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

impl FactorCopy {
    /// A product after the copy of a factor; nothing where its neighbours are those of the other one, or no terms, or where it is too large
    /// for that.
    pub(super) fn new<T: Element>(sorted: &ClassifiedAxes<T>) -> Option<(ClassifiedAxes<T>, FactorCopy)> {
        let own = [&sorted.rows, &sorted.columns].map(|axes| points(axes));
        let side = if own[LEFT] < own[RIGHT] { LEFT } else { RIGHT };
        let other = LEFT + RIGHT - side;
        let unit = |side: usize| sorted.inner.iter().position(|axis| axis.strides[side] == 1);
        let is_small = own[side].saturating_mul(TIMES) <= own[other] && sorted.multiplications() > IN_VECTORS;
        if sorted.has_vector() || !is_small || unit(side)? == unit(other)? {
            return None;
        }
        let along = inner_products::suits(sorted);
        let mut product = sorted.clone();
        let ClassifiedAxes { batch, rows, columns, inner, start, .. } = &mut product;
        fuse::sort(inner, &[other]);
        let vectors: &mut Vec<Triple> = if side == LEFT { rows } else { columns };
        let axes = batch.iter_mut();
        // Inner products run along terms, and whatever else reads the copy reads a term of all columns.
        let packed = if along {
            Packed::new::<T>(axes.chain(vectors).chain(&mut *inner), side, &mut start[side])
        } else {
            Packed::new::<T>(axes.chain(&mut *inner).chain(vectors), side, &mut start[side])
        };
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

    /// On either side, with terms and with results in several orders, and of a batch.
    #[test]
    fn copied_factors_agree_with_the_definition() {
        let mut rng = StdRng::seed_from_u64(53);
        for equation in ["abcd,dec->bae", "dec,abcd->eab", "acbd,fedc->bfea", "bacd,edc->abe", "habcd,hdec->hbae"] {
            let size = |label| match label {
                'a' | 'b' => 17,
                'c' => 11,
                'd' => 13,
                'e' => 5,
                _ => 3,
            };
            // Conjugated factors, and a complex number before the product.
            sized_contract::<Complex<f64>>(&mut rng, equation, &size, &Cpu::new(Some(2)));
            for (n, dtype) in [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64].into_iter().enumerate() {
                dispatch!(dtype, T => compare::<T>(&mut rng, equation, &size, 1 + n % 3, "small factor reordered first"));
            }
        }
    }

    /// `abcd,dec->abe` with so many points of a and b.
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
        let copied = |product: &ClassifiedAxes<f64>| FactorCopy::new(product).map(|(ordered, copy)| (ordered, copy.packed.len()));
        let (ordered, len) = copied(&product(500)).unwrap();
        assert_eq!((len, ordered.inner.len()), (5 * 6 * 7, 1), "terms follow each other in both factors");
        assert!(copied(&ordered).is_none(), "neighbours are the same terms");
        assert!(copied(&product(39)).is_none(), "the other factor is not much larger");
        assert!(copied(&product(100)).is_none(), "few multiplications");
    }
}
