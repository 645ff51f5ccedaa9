//! A product of a large factor with a small one, as the kernels for such products see it: the large factor first, and the small one as
//! numbers side by side.

use super::packed::Packed;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use tensorwrapper_core::backend::fuse::{Axis, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Axes over the large factor, the small one, and the result, which stands where it always does.
pub(super) type Loop = Axis<[isize; 3]>;
/// Where the large factor's strides and positions stand.
pub(super) const LARGE: usize = 0;
/// Where those of the small one stand.
pub(super) const SMALL: usize = 1;

/// Terms and columns that are few, at most.
pub(super) const FEW: usize = 16;
/// Rows of a product of few terms and columns at least, for each of them.
const MANY: usize = 32;

/// Whether a product has few terms and columns, and rows enough for them.
pub(super) fn is_narrow<T>(sorted: &ClassifiedAxes<T>) -> bool {
    let [a, b, k] = [&sorted.rows, &sorted.columns, &sorted.inner].map(|axes| points(axes));
    let (m, n) = (a.max(b), a.min(b));
    n <= FEW && k <= FEW && m >= MANY * n.max(k)
}

/// The axes of a product.
#[derive(Clone, Debug)]
pub(super) struct LargeFirst {
    /// The factor that is the large one: it has the more rows, or columns.
    pub(super) large: usize,
    pub(super) batch: Vec<Loop>,
    /// In the large factor and the result.
    pub(super) rows: Vec<Loop>,
    /// In the small factor and the result.
    pub(super) columns: Vec<Loop>,
    pub(super) inner: Vec<Loop>,
    pub(super) start: [isize; 3],
}

impl LargeFirst {
    pub(super) fn new<T>(sorted: &ClassifiedAxes<T>) -> LargeFirst {
        let large = if points(&sorted.rows) >= points(&sorted.columns) { LEFT } else { RIGHT };
        let (rows, columns) = if large == LEFT { (&sorted.rows, &sorted.columns) } else { (&sorted.columns, &sorted.rows) };
        let order = [large, LEFT + RIGHT - large, OUT];
        let [batch, rows, columns, inner] = [&sorted.batch, rows, columns, &sorted.inner].map(|axes: &Vec<Triple>| {
            axes.iter().map(|axis| Axis { extent: axis.extent, strides: order.map(|n| axis.strides[n]) }).collect()
        });
        LargeFirst { large, batch, rows, columns, inner, start: order.map(|operand| sorted.start[operand]) }
    }

    /// Whether neighbours in the large factor are terms of one sum.
    pub(super) fn has_terms_beside(&self) -> bool {
        self.inner.iter().any(|axis| axis.strides[LARGE] == 1)
    }
}

/// The small factor as numbers: for each item of the batch, each term and each column.
#[derive(Debug)]
pub(super) struct Numbers<T> {
    packed: Packed,
    side: usize,
    alpha: T,
    conjugate: bool,
}

impl<T: Element> Numbers<T> {
    /// Prepares them, in the order that the axes of the product have now, the last fastest; the axes get their strides, and must keep that
    /// order.
    pub(super) fn new(product: &mut LargeFirst, sorted: &ClassifiedAxes<T>) -> Numbers<T> {
        let LargeFirst { large, batch, columns, inner, start, .. } = product;
        let side = LEFT + RIGHT - *large;
        let axes = batch.iter_mut().chain(inner).chain(columns);
        let packed = Packed::new::<T>(axes, SMALL, &mut start[SMALL]);
        Numbers { packed, side, alpha: sorted.alpha, conjugate: sorted.conjugate[side] }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Reads them from the factors, times what the product is multiplied with.
    ///
    /// # Errors
    /// Memory for them.
    pub(super) fn make(&self, threads: usize, data: [&[T]; 2]) -> Result<Vec<T>, Error> {
        let mut numbers = self.packed.make(threads, data[self.side])?;
        numbers.iter_mut().for_each(|x| *x = scaled(*x, self.conjugate, self.alpha));
        Ok(numbers)
    }
}

/// A number of the small factor as kernels multiply with it. Nothing is multiplied by one: an infinite complex number would become no
/// number.
pub(super) fn scaled<T: Element>(x: T, conjugate: bool, alpha: T) -> T {
    let x = if conjugate { x.conj() } else { x };
    if alpha == T::ONE { x } else { alpha * x }
}
