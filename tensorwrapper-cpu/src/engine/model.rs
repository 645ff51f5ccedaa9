//! How a product is cut up: ways of it, what they cost in cycles of a core, and the cheapest one.
//!
//! The rates were measured on a Zen 4 in loops that stay in the second cache; what counts is how they compare with each other.

use super::kernel::{GemmElement, Kernel};
use super::product::Product;
use super::space::{OWN, RESULT, Role, Space};
use super::terms::Inner;
use crate::product::{LEFT, RIGHT};
use crate::simd::Caches;
use tensorwrapper_core::backend::fuse::points;

/// Panels of rows that read columns where they lie, at most.
pub(super) const IN_PLACE_PANELS: usize = 16;
/// Columns with so few of which rows are read where they are: half as many where terms are not near each other.
pub(super) const IN_PLACE_COLUMNS: usize = 256;
/// Cycles to move an element: beside its neighbours, in a square, or alone.
const TOGETHER: f64 = 0.25;
const SQUARES: f64 = 0.75;
const APART: f64 = 2.0;
/// Cycles to store a part of a vector.
const PART: f64 = 4.0;
/// Cycles before and after the sums of a tile.
const CALL: f64 = 60.0;
/// How much longer it takes to store elements alone where the result is larger than the caches.
const FAR: f64 = 4.0;

/// How a product is cut up for a kernel.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    /// The factors that rows and columns belong to.
    pub(super) sides: [usize; 2],
    pub(super) rows: Space,
    pub(super) columns: Space,
    pub(super) inner: Inner,
    /// Roughly how many cycles it takes.
    pub(super) cost: f64,
}

impl Cut {
    /// The way that the model expects to take the least time.
    pub(super) fn new<T: GemmElement>(product: &Product<'_, T>, kernel: &Kernel<T>) -> Cut {
        let [straight, across] = [[LEFT, RIGHT], [RIGHT, LEFT]].map(|sides| Cut::with_sides(product, kernel, sides));
        if straight.cost <= across.cost { straight } else { across }
    }

    /// The best way with these factors for rows and columns.
    fn with_sides<T: GemmElement>(product: &Product<'_, T>, kernel: &Kernel<T>, sides: [usize; 2]) -> Cut {
        let axes = |side: usize| if side == LEFT { product.rows } else { product.columns };
        let [m, n] = sides.map(|side| points(axes(side)));
        let k = points(product.inner);
        let inner = Inner::new(product.inner, sides, usize::from(m < n), kernel.kc());
        let role = Role::Rows { panel: kernel.panel };
        let [along_rows, along_columns] = sides.map(|side| product.inner.iter().any(|axis| axis.strides[side] == 1));
        let columns = Space::candidates(axes(sides[1]), sides[1], kernel.nr, Role::Columns, m > k);
        // See `rows_in_place` and `columns_in_place`.
        let rows_in_place = kernel.parts() == 1 && product.inner.len() <= 1 && n <= IN_PLACE_COLUMNS / 2;
        let columns_in_place = kernel.parts() == 1
            && inner.step(1) == Some(1)
            && (m <= kernel.mr() || m <= IN_PLACE_PANELS * kernel.mr() && kernel.is_near(inner.longest()));
        let columns_cost = |space: &Space| match columns_in_place && space.has_single_step() {
            true => 0.0,
            false => (n * k) as f64 * space.packing(along_columns, false),
        };
        let columns =
            columns.into_iter().min_by(|a, b| columns_cost(a).total_cmp(&columns_cost(b))).expect("there is one way at least");
        let unit = columns.is_unit_in_result();
        let far = if m.saturating_mul(n).saturating_mul(size_of::<T>()) > Caches::here().third / 2 { FAR } else { 1.0 };
        let rows_cost = |space: &Space| {
            let stored =
                (m * n * inner.blocks()) as f64 * space.storing(unit) * if space.is_unit_in_result() { 1.0 } else { far };
            let multiplied = (space.groups() * kernel.lanes) as f64 * n.max(2) as f64 * k as f64 * kernel.cycles();
            let tiles = space.groups().div_ceil(kernel.panel) * columns.groups() * inner.blocks();
            (m * k) as f64 * space.packing(along_rows, rows_in_place) + stored + multiplied + tiles as f64 * CALL
        };
        let rows = Space::candidates(axes(sides[0]), sides[0], kernel.lanes, role, n > k);
        let rows = rows.into_iter().min_by(|a, b| rows_cost(a).total_cmp(&rows_cost(b))).expect("there is one way at least");
        let cost = rows_cost(&rows) + columns_cost(&columns);
        Cut { sides, rows, columns, inner, cost }
    }
}

impl Space {
    /// Roughly how many cycles a core takes to pack an element; `has_runs`: terms are neighbours; `in_place`: groups whose lanes are need
    /// no packing.
    pub(super) fn packing(&self, has_runs: bool, in_place: bool) -> f64 {
        let unit = self.unit_part(OWN);
        let apart = if self.has_squares() || has_runs { SQUARES } else { APART };
        unit * if in_place { 0.0 } else { TOGETHER } + (1.0 - unit) * apart
    }

    /// Roughly how many cycles it takes to store an element of the result, where these are its rows.
    pub(super) fn storing(&self, columns_are_unit: bool) -> f64 {
        let unit = self.unit_part(RESULT);
        let apart = match self.part_in_result() {
            Some(part) => PART / part as f64,
            None if columns_are_unit => SQUARES + TOGETHER,
            None => APART,
        };
        unit * TOGETHER + (1.0 - unit) * apart.min(APART)
    }
}
