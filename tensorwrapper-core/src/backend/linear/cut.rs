//! Truncation: how many singular values are kept, and how much is lost with the others.
//!
//! The discarded weight is the sum of the squares of the discarded values, divided by the sum of the squares of all values. All matrices
//! of a batch keep the same number of values: that of the matrix that needs most.

use super::decomposition::Decomposition;
use super::gather::write_number;
use super::part::Part;
use super::space::{Space, indices};
use crate::backend::Output;
use crate::element::Element;

/// The squares of one matrix' singular values that were computed, and the sum of those that were not.
#[derive(Debug)]
struct Squares {
    known: Vec<f64>,
    unknown: f64,
}

/// What was noted of each matrix of a batch.
#[derive(Debug)]
pub(crate) struct Cuts {
    bounds: Option<(usize, f64)>,
    noted: Vec<Squares>,
}

impl Cuts {
    /// For an operation that may truncate.
    pub(crate) fn new(call: &Decomposition) -> Cuts {
        let cuts = call.form().named < call.form().results.len();
        Cuts { bounds: cuts.then(|| (call.max.unwrap_or(usize::MAX), call.tol.unwrap_or(-1.0))), noted: Vec::new() }
    }

    /// Notes the singular values of the next matrix. If some were not computed, the root of the sum of their squares follows the other
    /// results.
    pub(crate) fn note<T: Element>(&mut self, parts: &mut Vec<Part<T>>, item: usize) {
        if self.bounds.is_none() {
            return;
        }
        debug_assert_eq!(item, self.noted.len());
        let values: Vec<f64> = match &parts[1] {
            Part::Real(values) => values.data.iter().map(|s| s.to_complex().re).collect(),
            Part::Same(_) | Part::Transposed(_) | Part::Complex(_) | Part::Triangle(..) | Part::Permutation(_) => {
                unreachable!("singular values are real")
            }
        };
        let (squares, unit) = squares(&values);
        let unknown = match parts.get(3) {
            Some(Part::Real(left)) => (left.data[0].to_complex().re / unit).powi(2),
            _ => 0.0,
        };
        parts.truncate(3);
        self.noted.push(Squares { known: squares, unknown });
    }

    /// Writes the discarded weights, and how many values are kept.
    pub(crate) fn finish<T: Element>(self, outputs: &mut [(Output<'_>, Space)], batch: &[usize]) {
        let Some((most, tol)) = self.bounds else { return };
        let (weights, kept) = decided(&self.noted, most, tol);
        for (item, weight) in weights.into_iter().enumerate() {
            let index = indices(batch, item);
            let number = |x: f64| T::Real::from_complex(x.into());
            for (value, (output, place)) in [weight, kept as f64].into_iter().zip(&mut outputs[3..]) {
                write_number(number(value), output, place, &index);
            }
        }
    }
}

/// The squares of singular values, divided by the square of the largest so that they neither overflow nor vanish, and the largest.
fn squares(values: &[f64]) -> (Vec<f64>, f64) {
    let unit = values.first().copied().filter(|&s| s > 0.0).unwrap_or(1.0);
    (values.iter().map(|s| (s / unit).powi(2)).collect(), unit)
}

/// The discarded weight of each matrix, and the number of values that each of them keeps.
fn decided(noted: &[Squares], most: usize, tol: f64) -> (Vec<f64>, usize) {
    let kept = noted.iter().map(|squares| squares.kept(most, tol)).max().unwrap_or(0);
    (noted.iter().map(|squares| squares.weight(kept)).collect(), kept)
}

/// The discarded weight of each matrix, and the number of values that each of them keeps, if all singular values are known. For devices
/// that run batches themselves.
pub fn discarded(call: &Decomposition, values: impl Iterator<Item = Vec<f64>>) -> (Vec<f64>, usize) {
    let noted: Vec<Squares> = values.map(|values| Squares { known: squares(&values).0, unknown: 0.0 }).collect();
    decided(&noted, call.max.unwrap_or(usize::MAX), call.tol.unwrap_or(-1.0))
}

impl Squares {
    /// The part of the squares that all but the first `kept` make up.
    fn weight(&self, kept: usize) -> f64 {
        // From the smallest, so that small weights have all their digits.
        let discarded = self.unknown + self.known.iter().skip(kept).rev().sum::<f64>();
        let all = self.unknown + self.known.iter().rev().sum::<f64>();
        if discarded == 0.0 { 0.0 } else { (discarded / all).min(1.0) }
    }

    /// The least number of values that leaves no larger weight than `tol`; at least one where there is one.
    fn kept(&self, most: usize, tol: f64) -> usize {
        let most = most.min(self.known.len());
        if tol < 0.0 {
            return most;
        }
        (most.min(1)..most).find(|&kept| self.weight(kept) <= tol).unwrap_or(most)
    }
}
