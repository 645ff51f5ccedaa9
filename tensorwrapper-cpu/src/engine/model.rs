//! How a product is cut up: ways of it, what they cost in cycles of a core, and the cheapest one.
//!
//! The rates were measured on a Zen 4 in loops that stay in the second cache; what counts is how they compare with each other.

use super::kernel::{GemmElement, Kernel};
use super::product::Product;
use super::space::{OWN, RESULT, Role, Space};
use super::terms::Inner;
use crate::multiversion::streamed;
use crate::product::{LEFT, OUT, RIGHT, Triple};
use crate::simd::{Caches, loads_across_lines_slowly};
use tensorwrapper_core::backend::fuse::{self, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// Panels of rows that read columns where they lie, at most.
pub(super) const IN_PLACE_PANELS: usize = 16;
/// Columns with so few of which rows are read where they are: half as many where terms are not near each other.
const IN_PLACE_COLUMNS: usize = 256;
/// The same of rows whose vectors lie in two cache lines each, on a processor that multiplies slower for it.
const SPLIT_COLUMNS: usize = 64;
/// Cycles to move an element: in a square, to be packed alone, to be stored alone.
const SQUARES: f64 = 0.75;
const GATHER: f64 = 3.0;
const APART: f64 = 2.0;
/// Cycles to move a vector, and a run of neighbours within one.
const VECTOR: f64 = 2.0;
const RUN: f64 = 4.0;
/// Cycles to transpose an element of a tile before it is stored.
const ACROSS: f64 = 0.5;
/// Cycles before and after the sums of a tile, and those that it takes to spread one.
const CALL: f64 = 60.0;
const SPREAD: f64 = 100.0;
/// Cycles to fetch and to write back eight bytes of a result that is larger than the second cache: in long runs, or in short ones, for
/// which a core waits.
const FAR: [f64; 2] = [1.5, 2.0];
/// What is added for short runs that tiles do not store themselves, if the result does not stay in the third cache either.
const FARTHEST: f64 = 4.0;
/// Rows and columns below which reading the larger factor takes longer than such stores.
const FEW: usize = 32;
/// Elements of a long run.
const LONG: f64 = 64.0;

/// Columns of a tile below which it takes as long as one of so many.
const FEW_COLUMNS: usize = 4;

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
        let has_runs = |axis: &Triple, side: usize| axis.strides[side] == 1 && axis.extent >= kernel.square;
        let [along_rows, along_columns] = sides.map(|side| product.inner.iter().any(|axis| has_runs(axis, side)));
        let columns = Space::candidates(axes(sides[1]), sides[1], kernel.nr, Role::Columns, m > k);
        // See `rows_in_place` and `columns_in_place`.
        let are_split = product.inner.iter().any(|axis| axis.strides[sides[0]] % (LINE / size_of::<T>()) as isize != 0);
        let rows_in_place = kernel.parts() == 1 && product.inner.len() <= 1 && n <= most_columns(kernel, are_split) / 2;
        let columns_in_place = kernel.parts() == 1
            && inner.step(1) == Some(1)
            && (m <= kernel.mr() || m <= IN_PLACE_PANELS * kernel.mr() && kernel.is_near(inner.longest()));
        let columns_cost = |space: &Space| {
            let packed = match columns_in_place && space.has_single_step() {
                true => 0.0,
                false => (n * k) as f64 * space.packing(along_columns, false),
            };
            packed + (space.missing(FEW_COLUMNS) * m * k) as f64 * kernel.cycles()
        };
        // More groups of columns are more tiles, whatever the rows are.
        let calls = |space: &Space| (m.div_ceil(kernel.mr()) * space.groups() * inner.blocks()) as f64 * CALL;
        let least = |a: &Space, b: &Space| (columns_cost(a) + calls(a)).total_cmp(&(columns_cost(b) + calls(b)));
        let columns = columns.into_iter().min_by(least).expect("there is one way at least");
        let bytes = m.saturating_mul(n).saturating_mul(points(product.batch)).saturating_mul(size_of::<T>());
        let is_long = sides.iter().any(|&side| longest_run(axes(side)) >= LONG);
        let far = match (bytes > Caches::here().second, is_long) {
            (false, _) => 0.0,
            (true, is_long) => FAR[usize::from(!is_long)] * size_of::<T>() as f64 / 8.0,
        };
        let farthest = match bytes > streamed() && !is_long && m.min(n) >= FEW {
            true => FARTHEST * size_of::<T>() as f64 / 8.0,
            false => 0.0,
        };
        let rows_cost = |space: &Space| {
            // Tiles of whole groups ask for no lines. In memory, those of groups that run on were measured to be slower than ragged ones.
            let broken = match bytes > streamed() {
                true => f64::from(!space.is_unit(RESULT)),
                false => space.broken(RESULT, kernel.panel),
            };
            let far = far + farthest * broken;
            let stored = (m * n * inner.blocks()) as f64 * (space.storing(&columns) + far);
            let multiplied = (space.groups() * kernel.lanes) as f64 * n.max(2) as f64 * k as f64 * kernel.cycles();
            let call = CALL + SPREAD * broken;
            let tiles = space.groups().div_ceil(kernel.panel) * columns.groups() * inner.blocks();
            (m * k) as f64 * space.packing(along_rows, rows_in_place) + stored + multiplied + tiles as f64 * call
        };
        let rows = Space::candidates(axes(sides[0]), sides[0], kernel.lanes, role, n > k);
        let rows = rows.into_iter().min_by(|a, b| rows_cost(a).total_cmp(&rows_cost(b))).expect("there is one way at least");
        let cost = rows_cost(&rows) + columns_cost(&columns);
        Cut { sides, rows, columns, inner, cost }
    }
}

/// Columns with so few of which rows are read where they are; `are_split`: vectors of these rows lie in two cache lines each.
pub(super) fn most_columns<T: Element>(kernel: &Kernel<T>, are_split: bool) -> usize {
    let most = kernel.limit_in_place(IN_PLACE_COLUMNS);
    let is_wide = kernel.lanes * size_of::<T::Real>() >= LINE;
    if are_split && is_wide && loads_across_lines_slowly() { most.min(SPLIT_COLUMNS) } else { most }
}

/// Elements that lie side by side in the result along these axes.
fn longest_run(axes: &[Triple]) -> f64 {
    let mut sorted = axes.to_vec();
    fuse::sort(&mut sorted, &[OUT]);
    sorted
        .iter()
        .rev()
        .try_fold(1, |len, axis| match axis.strides[OUT] == len as isize {
            true => Ok(len * axis.extent),
            false => Err(len),
        })
        .unwrap_or_else(|len| len) as f64
}

impl Space {
    /// Roughly how many cycles a core takes to pack an element; `has_runs`: terms are neighbours; `in_place`: groups whose lanes are need
    /// no packing.
    pub(super) fn packing(&self, has_runs: bool, in_place: bool) -> f64 {
        // Groups of one run are copied fast only where all are.
        let runs = self.runs(OWN) * if self.is_unit(OWN) { VECTOR } else { RUN };
        if in_place && self.is_unit(OWN) {
            return runs * self.ragged();
        }
        if self.has_squares() || has_runs { runs.min(SQUARES) } else { runs.min(GATHER) }
    }

    /// Roughly how many cycles it takes to store an element of the result, where these are its rows: along them, or along the columns.
    pub(super) fn storing(&self, columns: &Space) -> f64 {
        // In vectors where a group's lanes are neighbours, and else run by run.
        let (runs, vectors) = (self.runs(RESULT), self.vectors(RESULT));
        let along = vectors * VECTOR + (runs - vectors) * RUN;
        along.min(APART).min(RUN * columns.runs(RESULT) + ACROSS)
    }
}
