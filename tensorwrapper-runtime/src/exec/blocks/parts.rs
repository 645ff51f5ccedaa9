//! Terms that are computed in parts, each for a range of the indices of one label, so that intermediates take less memory.
//!
//! An intermediate without the label is the same in all parts, and is made once.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

use super::cuts::Cuts;
use super::plan::{Planner, Target};
use super::terms::{Sum, Term, Within};

/// The most parts in which a term is computed: each is planned by itself.
pub(super) const MOST_PARTS: usize = 1 << 10;
/// The most blocks of operands that plans of all parts visit, which takes some seconds.
pub(super) const MOST_VISITED: usize = 1 << 24;

/// A tensor that a term makes on the way: its labels, and how many elements it has.
struct Between {
    labels: Vec<usize>,
    elements: usize,
}

impl Planner<'_> {
    /// The ranges in which a term is computed one after the other: of the label whose parts make its intermediates smallest. All at once
    /// where it makes none, or where nothing is to be computed in parts.
    ///
    /// # Errors
    /// As a plan of the term.
    pub(super) fn ranges<T: Element>(&mut self, term: &Term, sum: &Sum) -> Result<Vec<Option<Within>>, Error> {
        let is_ragged = |operand: usize| {
            let structure = &self.tensors.structures[operand];
            (0..structure.rank()).any(|axis| structure.ragged_by(axis).is_some())
        };
        if self.parts == 1 || term.factors.iter().any(|factor| is_ragged(factor.operand)) {
            return Ok(vec![None]);
        }
        let between = self.between::<T>(term, sum)?;
        let all = Sum { terms: vec![term.clone()], left: Vec::new(), ..sum.clone() };
        let cuts = Cuts::new(&all, &self.tensors, &[])?;
        let Some(label) = label_to_cut(&between, &cuts) else { return Ok(vec![None]) };
        let bounds = bounds(cuts.finest(label).map_or(&[], |tiling| tiling.bounds()), self.parts);
        Ok(bounds.windows(2).map(|bounds| Some(Within { label, indices: bounds[0]..bounds[1] })).collect())
    }

    /// What a term makes on the way if it is computed at once. Nothing is left of that plan.
    fn between<T: Element>(&mut self, term: &Term, sum: &Sum) -> Result<Vec<Between>, Error> {
        let (tensors, ones, drafts) = (self.tensors.len(), self.ones.len(), self.drafts.len());
        self.up_to_last::<T>(term, sum)?;
        let mut between = Vec::new();
        for draft in self.drafts.drain(drafts..) {
            if let Target::Intermediate(_) = draft.makes {
                between.push(Between { labels: draft.product.left, elements: draft.structure.stored()?.elements() });
            }
        }
        self.ones.truncate(ones);
        self.tensors.truncate(tensors);
        Ok(between)
    }
}

/// The label of the largest intermediate that most elements of all intermediates have; of several the one of most indices.
fn label_to_cut(between: &[Between], cuts: &Cuts) -> Option<usize> {
    let largest = between.iter().max_by_key(|made| made.elements)?;
    let extent = |label: usize| cuts.finest(label).map_or(0, |tiling| tiling.extent());
    let held = |label: usize| -> usize {
        between.iter().filter(|made| made.labels.contains(&label)).map(|made| made.elements).fold(0, usize::saturating_add)
    };
    largest.labels.iter().copied().filter(|&label| extent(label) > 1).max_by_key(|&label| (held(label), extent(label)))
}

/// Where parts begin, and where the last one ends: between tiles if as many parts are made so, or else between any indices.
fn bounds(tiles: &[usize], parts: usize) -> Vec<usize> {
    let extent = tiles.last().copied().unwrap_or_default();
    let parts = parts.min(extent).min(MOST_PARTS);
    let even = |n: usize| usize::try_from(n as u128 * extent as u128 / parts.max(1) as u128).unwrap_or(extent);
    let even: Vec<usize> = (0..=parts).map(even).collect();
    let mut near: Vec<usize> = even.iter().map(|&index| tiles[tiles.partition_point(|&bound| bound < index)]).collect();
    near.dedup();
    if near.len() == even.len() { near } else { even }
}

#[cfg(test)]
mod tests {
    use super::bounds;

    #[test]
    fn parts_end_where_tiles_end_if_that_leaves_as_many() {
        assert_eq!(bounds(&[0, 2, 4, 6, 8], 2), [0, 4, 8]);
        assert_eq!(bounds(&[0, 5, 8], 2), [0, 5, 8]);
        assert_eq!(bounds(&[0, 3, 8], 2), [0, 4, 8]);
        assert_eq!(bounds(&[0, 3, 8], 4), [0, 2, 4, 6, 8]);
        assert_eq!(bounds(&[0, 3], 100), [0, 1, 2, 3]);
        let long = 1 << 62;
        assert_eq!(bounds(&[0, long, long + 4], 4), [0, long / 4 + 1, long / 2 + 2, long / 4 * 3 + 3, long + 4]);
    }
}
