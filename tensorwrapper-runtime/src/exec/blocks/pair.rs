//! A product of two factors as groups of pieces: prepared from structures, run on elements.

use std::collections::{BTreeSet, HashMap, hash_map};

use num_complex::Complex;
use tensorwrapper_core::backend::{Device, PreparedContraction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;

use super::cuts::Cuts;
use super::group::{Group, Move, Room};
use super::join::{Entry, Join, Parts, Place, PlannedGroup, Roles};
use super::pieces::{Piece, labels, pieces};
use super::terms::Factor;

/// A product of two factors, and the blocks that it writes.
pub(super) struct Pair {
    groups: Vec<Group>,
    /// The contraction of each group, by its extents.
    prepared: HashMap<[usize; 4], PreparedContraction>,
    /// Products of pieces, and their multiplications.
    pub(super) tuples: usize,
    pub(super) multiplications: u128,
    /// Elements of the result that it writes.
    pub(super) written: usize,
}

/// What a pair is prepared from.
pub(super) struct PairRequest<'p> {
    pub(super) cuts: &'p Cuts,
    pub(super) factors: [(&'p Factor, &'p Structure); 2],
    pub(super) left: &'p [usize],
    pub(super) scale: Complex<f64>,
    /// Exchanges of summed labels that leave the product as it is: the partner of each label.
    pub(super) exchanges: Vec<Vec<Option<usize>>>,
}

impl PairRequest<'_> {
    /// The canonical blocks of the result that the product writes.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn blocks<T: Element>(&self, frame: &Structure) -> Result<BTreeSet<Parts>, Error> {
        self.joined::<T, _>(frame, |_, groups| Ok(written(groups)))
    }

    /// Prepares the product. `finish` makes the result's structure of the canonical blocks that the product writes.
    ///
    /// # Errors
    /// Those of `finish`, of [`Device::prepare`], and a lack of memory.
    pub(super) fn prepare<T: Element>(
        &self,
        device: &dyn Device,
        frame: &Structure,
        finish: impl FnOnce(BTreeSet<Parts>) -> Result<Structure, Error>,
    ) -> Result<(Pair, Structure), Error> {
        self.joined::<T, _>(frame, |join, groups| {
            let structure = finish(written(groups))?;
            let mut pair = Pair { groups: Vec::new(), prepared: HashMap::new(), tuples: 0, multiplications: 0, written: 0 };
            for group in groups {
                let moved = Moved { join, structure: &structure, group }.group()?;
                pair.written += moved.extents[0] * moved.extents[1] * moved.extents[2];
                pair.tuples += group.places.len() * group.terms.len();
                pair.multiplications += moved.extents.iter().map(|&extent| extent as u128).product::<u128>();
                if let hash_map::Entry::Vacant(vacant) = pair.prepared.entry(moved.extents) {
                    vacant.insert(moved.prepare::<T>(device, self.scale)?);
                }
                pair.groups.push(moved);
            }
            Ok((pair, structure))
        })
    }

    /// Calls back with the pieces of the factors, joined into groups.
    fn joined<T: Element, R>(
        &self,
        frame: &Structure,
        with: impl FnOnce(&Join<'_>, &[PlannedGroup<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let [left, right] = self.factors.map(|(factor, _)| labels(factor));
        let roles = Roles::new(&left, &right, self.left);
        let [own, other] = [0, 1].map(|n| pieces(self.factors[n].0, self.factors[n].1, self.cuts, T::DTYPE.is_complex()));
        let (own, other) = (own?, other?);
        let position = |label: usize| roles.terms.iter().position(|&term| term == label);
        let exchange = |pairing: &Vec<Option<usize>>| -> Option<Vec<usize>> {
            roles.terms.iter().map(|&label| pairing[label].and_then(position)).collect()
        };
        let exchanges: Vec<Vec<usize>> = self.exchanges.iter().filter_map(exchange).collect();
        let factors = [(&left[..], &own[..]), (&right[..], &other[..])];
        let join = Join { roles, cuts: self.cuts, factors, result: (self.left, frame), exchanges };
        let sides = join.sides();
        with(&join, &join.groups(&sides))
    }
}

/// The blocks of the result that groups write.
fn written(groups: &[PlannedGroup<'_>]) -> BTreeSet<Parts> {
    groups.iter().flat_map(|group| group.places.iter().map(|place| place.block.clone())).collect()
}

impl Pair {
    /// Computes it from the slabs of its factors into that of the result, or adds it there.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn run<T: Element>(&self, device: &dyn Device, slabs: [&[T]; 2], out: &mut [T], adds: bool) -> Result<(), Error> {
        let mut room = Room::default();
        self.groups.iter().try_for_each(|group| {
            let prepared = &self.prepared[&group.extents];
            group.run(device, prepared, slabs, (&mut *out, adds), &mut room)
        })
    }
}

/// A group whose pieces are given their places.
struct Moved<'m> {
    join: &'m Join<'m>,
    structure: &'m Structure,
    group: &'m PlannedGroup<'m>,
}

impl Moved<'_> {
    fn group(&self) -> Result<Group, Error> {
        let (group, roles) = (self.group, &self.join.roles);
        let size = |side: usize, entries: &[Entry<'_>], wanted: &[usize]| -> Vec<usize> {
            let size =
                |entry: &Entry<'_>| extent(self.join.factors[side].0, entry.1.values().next().expect("it has pieces"), wanted);
            entries.iter().map(size).collect()
        };
        let (rows, columns) = (size(0, &group.rows, &roles.rows), size(1, &group.columns, &roles.columns));
        let first = group.rows[0].1;
        let terms: Vec<usize> =
            group.terms.iter().map(|term| extent(self.join.factors[0].0, first[term], &roles.terms)).collect();
        let batch = extent(self.join.factors[0].0, first[&group.terms[0]], &roles.batch);
        let extents = [batch, rows.iter().sum(), columns.iter().sum(), terms.iter().sum()];
        let [_, m, n, k] = extents.map(|extent| extent as isize);
        let left = self.factor((0, &roles.rows), (&group.rows, starts(&rows)), &starts(&terms), [m * k, k, 1]);
        let right = self.factor((1, &roles.columns), (&group.columns, starts(&columns)), &starts(&terms), [k * n, 1, n]);
        let (rows, columns) = (starts(&rows), starts(&columns));
        let mut out = Vec::new();
        for (number, place) in group.places.iter().enumerate() {
            let (row, column) = (number / columns.len(), number % columns.len());
            out.push(self.result(place, [rows[row], columns[column]], [m * n, n, 1])?);
        }
        Ok(Group { extents, left, right, out })
    }

    /// The pieces of a factor; strides of the batch, of its own index and of terms.
    fn factor(
        &self,
        (side, own): (usize, &[usize]),
        (entries, at): (&[Entry<'_>], Vec<usize>),
        terms: &[usize],
        strides: [isize; 3],
    ) -> Vec<Move> {
        let mut moves = Vec::new();
        let (labels, roles) = (self.join.factors[side].0, &self.join.roles);
        for (entry, at) in entries.iter().zip(at) {
            for (term, start) in self.group.terms.iter().zip(terms) {
                let piece = entry.1[term];
                let mut matrix = vec![0; labels.len()];
                for (wanted, stride) in [(&roles.batch[..], strides[0]), (own, strides[1]), (&roles.terms, strides[2])] {
                    let mut stride = stride;
                    for label in wanted.iter().rev() {
                        let n = labels.iter().position(|own| own == label).expect("the factor has the label");
                        matrix[n] = stride;
                        stride *= piece.extents[n] as isize;
                    }
                }
                let start = at as isize * strides[1] + *start as isize * strides[2];
                // The right factor has the weight of the term.
                let weight = if side == 1 { self.join.weight(term).unwrap_or(1) as f64 } else { 1.0 };
                let weight = if piece.negates { -weight } else { weight };
                let strides = [&piece.strides[..], &matrix[..]];
                let begins = [piece.offset, start as usize];
                moves.push(Move::new(&piece.extents, strides, begins, (weight, piece.conjugates)));
            }
        }
        moves
    }

    /// A piece of the result.
    fn result(&self, place: &Place, [row, column]: [usize; 2], strides: [isize; 3]) -> Result<Move, Error> {
        let (stored, tilings, roles) = (self.structure.stored()?, self.structure.tilings(), &self.join.roles);
        let number = stored.find(&place.block).expect("blocks that are written are stored");
        let rank = tilings.len();
        let (mut own, mut stride) = (vec![0; rank], 1);
        for axis in (0..rank).rev() {
            own[axis] = stride;
            let bounds = &tilings[axis].bounds()[place.block[axis]..];
            stride *= (bounds[1] - bounds[0]) as isize;
        }
        let first: isize = place.first.iter().zip(&own).map(|(&first, stride)| first as isize * stride).sum();
        let mut matrix = vec![0; rank];
        let counts = [roles.batch.len(), roles.rows.len(), roles.columns.len()];
        let mut end = 0;
        for (count, stride) in counts.into_iter().zip(strides) {
            let mut stride = stride;
            for n in (end..end + count).rev() {
                matrix[n] = stride;
                stride *= place.extents[n] as isize;
            }
            end += count;
        }
        let slab: Vec<isize> = place.axes.iter().map(|&axis| own[axis]).collect();
        let begins = [stored.start(number) + first as usize, (row as isize * strides[1] + column as isize * strides[2]) as usize];
        Ok(Move::new(&place.extents, [&slab, &matrix], begins, (1.0, false)))
    }
}

/// Number of indices of a piece along these labels.
fn extent(labels: &[usize], piece: &Piece, wanted: &[usize]) -> usize {
    labels.iter().zip(&piece.extents).filter(|(label, _)| wanted.contains(label)).map(|(_, extent)| extent).product()
}

/// Where each begins, if they lie side by side.
fn starts(extents: &[usize]) -> Vec<usize> {
    let mut end = 0;
    let mut next = |extent: &usize| {
        end += extent;
        end - extent
    };
    extents.iter().map(&mut next).collect()
}
