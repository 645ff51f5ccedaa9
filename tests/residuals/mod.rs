//! Every decomposition by its residual, over families of matrices that are hard: in `cargo test --workspace` some thousand matrices, in the
//! program `residuals` as many as somebody wants, with a table.

#[cfg(test)]
mod cases;
pub mod families;
pub mod judge;
pub mod matrix;

use rand::RngExt;
use rand::rngs::StdRng;
use tensorwrapper::prelude::*;

use families::{Draw, NAMES};
use judge::{Item, Kind, epsilon, judged};
use matrix::{Matrix, larger};

/// What was found of some matrices.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub matrices: usize,
    /// Matrices that are singular as far as anybody can tell, and were refused.
    pub refused: usize,
    /// The largest residual by its bound.
    pub worst: f64,
    /// Those above their bounds, and those refused that have a result.
    pub faults: Vec<String>,
}

impl Tally {
    pub fn add(&mut self, other: Tally) {
        self.matrices += other.matrices;
        self.refused += other.refused;
        self.worst = larger(self.worst, other.worst);
        self.faults.extend(other.faults);
    }
}

/// What a batch is drawn from.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub kind: Kind,
    pub family: usize,
    pub rows: usize,
    pub columns: usize,
    pub batch: usize,
}

impl Case {
    /// Sizes for an operation, of at most so many rows and columns.
    pub fn drawn(rng: &mut StdRng, kind: Kind, family: usize, most: usize, batch: usize) -> Case {
        let rows = rng.random_range(1..=most);
        let columns = if kind.is_square() || rng.random_bool(0.3) { rows } else { rng.random_range(1..=most) };
        Case { kind, family, rows, columns, batch }
    }

    fn items<T: Element>(&self, rng: &mut StdRng) -> Vec<Item> {
        let single = size_of::<T::Real>() == 4;
        let draw = &mut Draw {
            rng,
            is_complex: T::DTYPE.is_complex(),
            decades: if single { 30.0 } else { 150.0 },
            epsilon: epsilon::<T>(),
        };
        (0..self.batch).map(|_| self.item::<T>(draw)).collect()
    }

    fn item<T: Element>(&self, draw: &mut Draw<'_>) -> Item {
        let (family, rows, columns) = (NAMES[self.family], self.rows, self.columns);
        let a = match self.kind {
            Kind::Eigh | Kind::EighInMetric => draw.hermitian(family, rows),
            Kind::Cholesky => draw.definite(family, rows),
            _ => draw.general(family, rows, columns),
        };
        let b = match self.kind {
            // Of a metric the condition counts, so that any of them is hard enough.
            Kind::EighInMetric => draw.definite(["random", "clustered", "structured"][self.family % 3], rows),
            _ => draw.general("random", rows, 2),
        };
        Item { a: a.rounded::<T>(), b: b.rounded::<T>() }
    }

    /// Draws a batch, and judges its results.
    pub fn run<T: Element>(&self, rng: &mut StdRng, context: &Context) -> Tally {
        let (items, first) = (self.items::<T>(rng), rng.random_bool(0.5));
        let mut tally = Tally { matrices: items.len(), ..Tally::default() };
        let mut note = |n: usize, found: f64| {
            tally.worst = larger(tally.worst, found);
            if found.is_nan() || found > 1.0 {
                tally.faults.push(format!("{}: {found:.3} of the bound, matrix {n}", self.what::<T>()));
            }
        };
        if let Ok(found) = judged::<T>(self.kind, &items, context, first) {
            found.into_iter().enumerate().for_each(|(n, found)| note(n, found));
            return tally;
        }
        // One has no result: each by itself.
        let mut refusals = Vec::new();
        for (n, item) in items.iter().enumerate() {
            match judged::<T>(self.kind, std::slice::from_ref(item), context, first) {
                Ok(found) => note(n, found[0]),
                Err(error) => refusals.push((n, error)),
            }
        }
        for (n, error) in refusals {
            match self.kind.may_refuse() && is_singular(&items[n].a, self.kind, epsilon::<T>()) {
                true => tally.refused += 1,
                false => tally.faults.push(format!("{}: matrix {n}: {error}", self.what::<T>())),
            }
        }
        tally
    }

    fn what<T: Element>(&self) -> String {
        let Case { kind, family, rows, columns, batch } = self;
        format!("{} of {batch} {rows}×{columns} {}, {}", kind.name(), T::DTYPE, NAMES[*family])
    }
}

/// Whether a matrix is singular up to rounding, by elimination with the largest of all elements as pivots.
fn is_singular(a: &Matrix, kind: Kind, epsilon: f64) -> bool {
    let n = a.rows;
    let mut left = if kind == Kind::TriangularSolve { a.map(|i, j, x| if i < j { 0.0.into() } else { x }) } else { a.clone() };
    let limit = 100.0 * n as f64 * epsilon * a.largest();
    for k in 0..n {
        let size = |p: &usize| left.data[*p].norm();
        let pivot = (0..n * n).filter(|p| p / n >= k && p % n >= k).max_by(|p, q| size(p).total_cmp(&size(q)));
        let Some((row, column)) = pivot.map(|p| (p / n, p % n)) else { return false };
        if left.at(row, column).norm() <= limit {
            return true;
        }
        (0..n).for_each(|j| left.data.swap(k * n + j, row * n + j));
        (0..n).for_each(|i| left.data.swap(i * n + k, i * n + column));
        for i in k + 1..n {
            let factor = left.at(i, k) / left.at(k, k);
            (k..n).for_each(|j| left.data[i * n + j] = left.at(i, j) - factor * left.at(k, j));
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;
    use rand::SeedableRng;

    use super::*;

    fn all_types(case: &Case, rng: &mut StdRng, context: &Context) -> Tally {
        let mut tally = case.run::<f32>(rng, context);
        tally.add(case.run::<f64>(rng, context));
        tally.add(case.run::<Complex<f32>>(rng, context));
        tally.add(case.run::<Complex<f64>>(rng, context));
        tally
    }

    #[track_caller]
    fn none(faults: &[String]) {
        assert!(faults.is_empty(), "{} faults, as these:\n{}", faults.len(), faults[..faults.len().min(20)].join("\n"));
    }

    /// All operations over all families: batches of small matrices, single ones of up to 30 rows, and few of up to 80.
    #[test]
    fn residuals_are_within_rounding() {
        let (rng, context) = (&mut StdRng::seed_from_u64(2020), Context::cpu());
        let mut tally = Tally::default();
        for kind in Kind::ALL {
            for family in 0..NAMES.len() {
                for (most, batch) in
                    [(4, 9), (8, 13), (17, 5), (30, 1), (if family % 4 == kind as usize % 4 { 80 } else { 12 }, 1)]
                {
                    tally.add(all_types(&Case::drawn(rng, kind, family, most, batch), rng, &context));
                }
            }
        }
        none(&tally.faults);
    }

    #[test]
    fn residuals_of_the_reference_are_within_rounding() {
        let (rng, context) = (&mut StdRng::seed_from_u64(2021), Context::reference());
        let mut tally = Tally::default();
        for kind in Kind::ALL {
            for family in 0..NAMES.len() {
                for (most, batch) in [(6, 3), (26, 1)] {
                    tally.add(all_types(&Case::drawn(rng, kind, family, most, batch), rng, &context));
                }
            }
        }
        none(&tally.faults);
    }
}
