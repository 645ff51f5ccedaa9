//! A product of two factors as data: its axes by the parts that they play, and the strides of its matrices. Knows no memory, no
//! kernel, and not how a product is computed.

use tensorwrapper_core::backend::fuse::{Axis, Odometer, points, single_stride};

/// Axes over the left factor, the right factor, and the output.
pub(super) type Triple = Axis<[isize; 3]>;
/// Where the left factor's strides and positions stand.
pub(super) const LEFT: usize = 0;
/// Where the right factor's strides and positions stand.
pub(super) const RIGHT: usize = 1;
/// Where the output's strides and positions stand.
pub(super) const OUT: usize = 2;

/// Multiplications for one output matrix below which the blocked kernel's preparations cost more than its speed brings.
pub(super) const SMALL: usize = 8 * 8 * 8;

/// Multiplications for one output matrix up to which kernels in vectors multiply it where it lies: packing would take longer.
pub(super) const IN_VECTORS: usize = 32 * 32 * 32;

/// A product of two factors without its memory. There is at least one element and one term.
#[derive(Clone, Debug)]
pub(super) struct ClassifiedAxes<T> {
    /// In both factors and the output, or in the output alone.
    pub(super) batch: Vec<Triple>,
    /// In the left factor and the output.
    pub(super) rows: Vec<Triple>,
    /// In the right factor and the output.
    pub(super) columns: Vec<Triple>,
    /// In both factors, summed.
    pub(super) inner: Vec<Triple>,
    /// Which factors are conjugated.
    pub(super) conjugate: [bool; 2],
    /// Positions of the first elements.
    pub(super) start: [isize; 3],
    pub(super) alpha: T,
}

impl<T> ClassifiedAxes<T> {
    /// Of one output matrix.
    pub(super) fn multiplications(&self) -> usize {
        [&self.rows, &self.columns, &self.inner].into_iter().fold(1, |product, axes| product.saturating_mul(points(axes)))
    }
}

/// Strides of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) row: isize,
    pub(super) column: isize,
}

impl Place {
    /// Of the transposed matrix.
    pub(super) fn transposed(self) -> Place {
        Place { row: self.column, column: self.row }
    }
}

/// Extents of a product of matrices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) inner: usize,
}

impl Sizes {
    pub(super) fn multiplications(self) -> usize {
        self.rows.saturating_mul(self.columns).saturating_mul(self.inner)
    }
}

/// Single strides of an operand's matrices, where they have them.
pub(super) fn place(groups: [&[Triple]; 2], operand: usize) -> Option<Place> {
    let [row, column] = groups.map(|axes| single_stride(axes, operand));
    Some(Place { row: row?, column: column? })
}

/// Rows and columns of a factor's matrices.
pub(super) fn groups<T>(product: &ClassifiedAxes<T>, side: usize) -> [&[Triple]; 2] {
    if side == LEFT { [&product.rows, &product.inner] } else { [&product.inner, &product.columns] }
}

/// The stride of the narrowest axis; of none, as wide as can be.
pub(super) fn narrowest(axes: &[Triple], operand: usize) -> usize {
    axes.iter().map(|axis| axis.strides[operand].unsigned_abs()).filter(|&s| s != 0).min().unwrap_or(usize::MAX)
}

/// Where the indices of these axes lie in an operand, counted from the first.
pub(super) fn positions(axes: &[Triple], operand: usize) -> Vec<isize> {
    let mut walk = Odometer::new(axes, &[0; 3], 0);
    let mut next = || {
        let at = walk.position[operand];
        walk.step();
        at
    };
    (0..points(axes)).map(|_| next()).collect()
}

/// The greatest common divisor.
pub(crate) fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// As many points of an axis that pieces of them are of about one size, and at most so many.
pub(super) fn even(extent: usize, most: usize) -> usize {
    extent.div_ceil(extent.div_ceil(most))
}
