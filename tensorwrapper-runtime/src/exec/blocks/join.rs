//! Which pieces of two factors meet, gathered into as few products of matrices as there can be.
//!
//! Rows, columns and terms of these matrices are pieces of the labels that the left factor alone has, that the right one alone has, and
//! that are summed. Rows that meet the same terms are computed together; so are columns. Of blocks of the result that follow from each
//! other one is computed, and of terms that are equal one, with the number of them as its weight. Knows nothing of elements.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::smallvec;
use tensorwrapper_core::structure::Structure;

use super::cuts::{Cuts, Parts, PerLabel};
use super::packed::PackedPair;
use super::pieces::Piece;

/// The labels of a product of two factors, by the parts that they play.
pub(super) struct Roles {
    pub(super) batch: Vec<usize>,
    pub(super) rows: Vec<usize>,
    pub(super) columns: Vec<usize>,
    pub(super) terms: Vec<usize>,
}

impl Roles {
    /// Those of two factors' labels and of a result's.
    pub(super) fn new(left: &[usize], right: &[usize], result: &[usize]) -> Roles {
        let of = |labels: &[usize], test: &dyn Fn(&usize) -> bool| labels.iter().copied().filter(|label| test(label)).collect();
        let is = |labels: &[usize], label: &usize| labels.contains(label);
        Roles {
            batch: of(left, &|label| is(right, label) && is(result, label)),
            rows: of(left, &|label| !is(right, label) && is(result, label)),
            columns: of(right, &|label| !is(left, label) && is(result, label)),
            terms: of(left, &|label| is(right, label) && !is(result, label)),
        }
    }
}

/// A product of two factors that is to be joined.
pub(super) struct Join<'j> {
    pub(super) roles: Roles,
    pub(super) cuts: &'j Cuts,
    /// The labels of each factor, in the order of its pieces, and the pieces.
    pub(super) factors: [(&'j [usize], &'j [Piece]); 2],
    /// The labels of the result, and its structure: of all blocks where it is not known yet which ones there are.
    pub(super) result: (&'j [usize], &'j Structure),
    /// Whether the structure lacks blocks that the product could write: they are not computed.
    pub(super) is_part: bool,
    /// Exchanges of summed labels that leave the product as it is: for each of the terms' labels, the position of its partner.
    pub(super) exchanges: Vec<Vec<usize>>,
    /// The pairs of rows, of columns and of terms that are packed where they are gathered.
    pub(super) packed: [Option<PackedPair>; 3],
}

/// The pieces of a factor: by batch, then by rows (or columns), then by terms.
pub(super) type Side<'p> = BTreeMap<Parts, BTreeMap<Parts, BTreeMap<Parts, &'p Piece>>>;

/// Rows, or columns, and their pieces by terms.
pub(super) type Entry<'s> = (&'s Parts, &'s BTreeMap<Parts, &'s Piece>);

impl<'j> Join<'j> {
    /// The pieces of both factors.
    pub(super) fn sides(&self) -> [Side<'j>; 2] {
        [self.side(0, &self.roles.rows), self.side(1, &self.roles.columns)]
    }

    /// The products.
    pub(super) fn groups<'s>(&self, [left, right]: &'s [Side<'j>; 2]) -> Vec<PlannedGroup<'s>> {
        let mut groups = Vec::new();
        for (batch, rows) in left {
            let Some(columns) = right.get(batch) else { continue };
            let columns = classes(columns);
            for (row_terms, rows) in classes(rows) {
                for (column_terms, columns) in &columns {
                    let terms: Vec<Parts> = row_terms.intersection(column_terms).cloned().collect();
                    if terms.is_empty() {
                        continue;
                    }
                    for (rows, columns) in self.allowed(batch, &rows, columns) {
                        let pairs = rows.iter().flat_map(|row| columns.iter().map(move |column| (row.0, column.0)));
                        let places = pairs.map(|(row, column)| self.place(batch, row, column)).collect();
                        groups.push(PlannedGroup { terms: terms.clone(), rows, columns, places });
                    }
                }
            }
        }
        groups
    }

    /// The pieces of a factor, of terms that are computed.
    fn side(&self, number: usize, own: &[usize]) -> Side<'j> {
        let (labels, pieces) = self.factors[number];
        let at = |wanted: &[usize]| -> Vec<usize> {
            let position = |label: &usize| labels.iter().position(|own| own == label).expect("the factor has the label");
            wanted.iter().map(position).collect()
        };
        let (batch, own, terms) = (at(&self.roles.batch), at(own), at(&self.roles.terms));
        let parts = |piece: &Piece, at: &[usize]| -> Parts { at.iter().map(|&n| piece.parts[n]).collect() };
        let mut side: Side<'j> = BTreeMap::new();
        for piece in pieces {
            let terms = parts(piece, &terms);
            if self.weight(&terms).is_some() {
                side.entry(parts(piece, &batch)).or_default().entry(parts(piece, &own)).or_default().insert(terms, piece);
            }
        }
        side
    }

    /// How many terms are equal to this one, if it is the smallest of them.
    pub(super) fn weight(&self, terms: &Parts) -> Option<usize> {
        if self.exchanges.is_empty() {
            return Some(1);
        }
        let mut orbit: BTreeSet<Parts> = BTreeSet::new();
        for exchange in &self.exchanges {
            let image: Parts = exchange.iter().map(|&n| terms[n]).collect();
            if image < *terms {
                return None;
            }
            orbit.insert(image);
        }
        orbit.insert(terms.clone());
        Some(orbit.len())
    }

    /// Rows and columns of which all pairs are canonical blocks of the result that are wanted.
    fn allowed<'s>(&self, batch: &Parts, rows: &[Entry<'s>], columns: &[Entry<'s>]) -> Vec<(Vec<Entry<'s>>, Vec<Entry<'s>>)> {
        if self.result.1.symmetry().is_none() && !self.is_part {
            return vec![(rows.to_vec(), columns.to_vec())];
        }
        let mut by_columns: BTreeMap<Vec<usize>, Vec<Entry<'s>>> = BTreeMap::new();
        for row in rows {
            let is_canonical = |column: &Entry<'s>| {
                let block = self.place(batch, row.0, column.0).block;
                match self.is_part {
                    true => self.result.1.stored().is_ok_and(|stored| stored.find(&block).is_some()),
                    false => self.result.1.symmetry().canonical(&block).0[..] == block[..],
                }
            };
            let own = (0..columns.len()).filter(|&n| is_canonical(&columns[n])).collect();
            by_columns.entry(own).or_default().push(*row);
        }
        by_columns.remove(&Vec::new());
        by_columns.into_iter().map(|(own, rows)| (rows, own.into_iter().map(|n| columns[n]).collect())).collect()
    }

    /// Where parts of the result stand.
    fn place(&self, batch: &Parts, row: &Parts, column: &Parts) -> Place {
        let roles = [(&self.roles.batch, batch), (&self.roles.rows, row), (&self.roles.columns, column)];
        let (mut place, rank) = (Place::default(), self.result.0.len());
        (place.block, place.first) = (smallvec![0; rank], smallvec![0; rank]);
        for (labels, parts) in roles {
            for (label, &part) in labels.iter().zip(parts) {
                let axis = self.result.0.iter().position(|own| own == label).expect("the result has the label");
                let part = self.cuts.in_result(*label, part);
                (place.block[axis], place.first[axis]) = (part.tile, part.first);
                place.extents.push(part.extent);
                place.axes.push(axis);
            }
        }
        place
    }
}

/// Where a product of a row and a column stands in the result: its block, where it begins there, and for the labels of batch, rows and
/// columns its extents and the axes that they are.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) block: Parts,
    pub(super) first: PerLabel,
    pub(super) extents: PerLabel,
    pub(super) axes: PerLabel,
}

/// A group before it is known where the result's blocks lie.
pub(super) struct PlannedGroup<'s> {
    pub(super) terms: Vec<Parts>,
    pub(super) rows: Vec<Entry<'s>>,
    pub(super) columns: Vec<Entry<'s>>,
    /// Of each row with each column.
    pub(super) places: Vec<Place>,
}

impl<'s> PlannedGroup<'s> {
    /// The same group in parts, each with at most so many indices that are summed, if none of its terms has more; `extents` are those of
    /// its terms.
    pub(super) fn in_parts(&self, extents: &[usize], most: usize) -> Vec<PlannedGroup<'s>> {
        let (mut parts, mut room): (Vec<PlannedGroup<'s>>, usize) = (Vec::new(), 0);
        for (term, &extent) in self.terms.iter().zip(extents) {
            match parts.last_mut().filter(|_| extent <= room) {
                Some(part) => part.terms.push(term.clone()),
                None => {
                    let (rows, columns, places) = (self.rows.clone(), self.columns.clone(), self.places.clone());
                    parts.push(PlannedGroup { terms: vec![term.clone()], rows, columns, places });
                    room = most.max(extent);
                }
            }
            room -= extent;
        }
        parts
    }
}

/// Entries, those together that meet the same terms.
fn classes<'s>(entries: &'s BTreeMap<Parts, BTreeMap<Parts, &Piece>>) -> Vec<(BTreeSet<Parts>, Vec<Entry<'s>>)> {
    let mut found: BTreeMap<BTreeSet<Parts>, Vec<Entry<'s>>> = BTreeMap::new();
    for (own, terms) in entries {
        found.entry(terms.keys().cloned().collect()).or_default().push((own, terms));
    }
    found.into_iter().collect()
}
