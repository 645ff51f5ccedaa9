//! Groups whose pieces are given their places: in slabs, and in the matrices that they are gathered into.

use std::ops::Range;

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_core::backend::{Device, SumTerm};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;

use super::cuts::Parts;
use super::direct::{self, Direct, ProductShape, SumKernels};
use super::group::{Group, GroupShape, Move};
use super::join::{Entry, Join, Place, PlannedGroup};
use super::lying::{Line, Lying};
use super::packed::{self, PackedPair};
use super::pieces::Piece;
use super::tasks::{Placement, Work};

/// A group whose pieces are given their places.
pub(super) struct Placed<'m> {
    pub(super) join: &'m Join<'m>,
    pub(super) structure: &'m Structure,
    pub(super) group: &'m PlannedGroup<'m>,
    /// Whether pairs are packed.
    pub(super) packs: bool,
}

/// Multiplications of a gathered group from which on all threads compute it.
const FOR_ALL_THREADS: usize = 1 << 24;
/// Rows and columns that it has at least: of fewer, with their long sums, threads would share the sums.
const WIDE: usize = 64;
/// Indices that are summed at once in such a group, for the same reason.
pub(super) const MOST_SUMMED: usize = 4096;

/// Pieces that could be multiplied where they lie are gathered all the same, if their group has so many times more multiplications than its
/// copies are worth.
const PER_COPY: usize = 32;
/// Such pieces take at most so many multiplications on average. Their products read them as they lie, and one large product, which copies
/// factors into the engine's buffers, is faster (2048² matrices in blocks of 64, all there, on a Xeon: 315 ms and 233 gathered; on two
/// threads 151 and 123). Larger pieces are copied there in any case.
const SMALL: usize = 1 << 21;

/// How many indices a group has: those of each row, of each column and of each term, and all of its matrices'.
pub(super) struct Sizes {
    rows: Vec<usize>,
    columns: Vec<usize>,
    terms: Vec<usize>,
    /// Of the batch, of rows, columns and terms.
    pub(super) extents: [usize; 4],
}

impl Sizes {
    /// How many indices each term has.
    pub(super) fn terms(&self) -> &[usize] {
        &self.terms
    }

    /// Whether the product is computed by itself on all threads: they share its rows and columns.
    pub(super) fn are_large(&self) -> bool {
        let [_, rows, columns, _] = self.extents;
        let is_cut = self.terms.iter().all(|&extent| extent <= MOST_SUMMED);
        self.multiplications() >= FOR_ALL_THREADS && rows.min(columns) >= WIDE && is_cut
    }

    /// How many elements of the result the product writes.
    pub(super) fn written(&self) -> usize {
        self.extents[..3].iter().product()
    }

    /// How many multiplications the product of the matrices takes.
    pub(super) fn multiplications(&self) -> usize {
        self.extents.iter().fold(1, |product: usize, &extent| product.saturating_mul(extent))
    }
}

/// Roles of labels in a product, as they number [`Join::packed`].
const ROWS: usize = 0;
const COLUMNS: usize = 1;
const TERMS: usize = 2;

impl Placed<'_> {
    /// The sizes of the group's matrices.
    pub(super) fn sizes(&self) -> Sizes {
        let (group, roles) = (self.group, &self.join.roles);
        let length = |side: usize, piece: &Piece, (role, parts): (usize, &Parts), wanted: &[usize]| {
            let extents = extents(self.join.factors[side].0, piece, wanted);
            packed::length(&extents, self.packed(role, parts))
        };
        let lines = |side: usize, entries: &[Entry<'_>], role: usize, wanted: &[usize]| -> Vec<usize> {
            let one = |entry: &Entry<'_>| {
                let piece = entry.1.values().next().expect("it has pieces");
                length(side, piece, (role, entry.0), wanted)
            };
            entries.iter().map(one).collect()
        };
        let rows = lines(0, &group.rows, ROWS, &roles.rows);
        let columns = lines(1, &group.columns, COLUMNS, &roles.columns);
        let first = group.rows[0].1;
        let terms: Vec<usize> = group.terms.iter().map(|term| length(0, first[term], (TERMS, term), &roles.terms)).collect();
        let batch = extents(self.join.factors[0].0, first[&group.terms[0]], &roles.batch).iter().product();
        let extents = [batch, rows.iter().sum(), columns.iter().sum(), terms.iter().sum()];
        Sizes { rows, columns, terms, extents }
    }

    /// The pair that is packed of a row, a column or a term with these parts.
    fn packed(&self, role: usize, parts: &[usize]) -> Option<PackedPair> {
        self.join.packed[role].filter(|pair| self.packs && pair.is_in(parts))
    }

    /// Whether rows, columns and terms of the group have a packed pair.
    pub(super) fn has_packed(&self) -> [bool; 3] {
        let any = |role: usize, entries: &[Entry<'_>]| entries.iter().any(|entry| self.packed(role, entry.0).is_some());
        let terms = self.group.terms.iter().any(|term| self.packed(TERMS, term).is_some());
        [any(ROWS, &self.group.rows), any(COLUMNS, &self.group.columns), terms]
    }

    /// About how many multiplications the group takes, if it is gathered.
    pub(super) fn cost(&self, sizes: &Sizes) -> usize {
        direct::gathered(self.copied(sizes), sizes.multiplications())
    }

    /// The same with packed pairs, if there are such and it takes less to gather them so: with its sizes and about how many multiplications
    /// that takes.
    pub(super) fn in_strips(&self, whole: usize) -> Option<(Self, Sizes, usize)> {
        self.join.packed.iter().find(|pair| pair.is_some())?;
        let packed = Placed { packs: true, ..*self };
        let sizes = packed.sizes();
        let cost = packed.cost(&sizes);
        (cost < whole).then_some((packed, sizes, cost))
    }

    /// The group as a product of gathered matrices.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn gathered(&self, sizes: &Sizes) -> Result<Group, Error> {
        let (group, roles) = (self.group, &self.join.roles);
        let (rows, columns, terms) = (starts(&sizes.rows), starts(&sizes.columns), starts(&sizes.terms));
        let lying = group.places.iter().map(|place| self.lies(place)).collect::<Result<Vec<_>, Error>>()?;
        // Columns of the left factor run along rows of the result, and those of the right factor along terms.
        let by_columns = [self.is_along(0, &roles.rows), self.is_along(1, &roles.terms), self.is_along_rows(&lying)];
        let shape = GroupShape { extents: sizes.extents, by_columns, is_alone: false };
        let [of_left, of_right, of_result] = [0, 1, 2].map(|matrix| shape.strides(matrix));
        let left = self.factor((0, &roles.rows), (&group.rows, &rows), &terms, of_left);
        let [batch, term, column] = of_right;
        let right = self.factor((1, &roles.columns), (&group.columns, &columns), &terms, [batch, column, term]);
        let mut out = Vec::new();
        for (number, (place, lies)) in group.places.iter().zip(&lying).enumerate() {
            let (row, column) = (number / columns.len(), number % columns.len());
            let parts = [group.rows[row].0, group.columns[column].0];
            out.extend(self.result((place, lies), parts, [rows[row], columns[column]], of_result));
        }
        Ok(Group { shape, left, right, out, follows: false })
    }

    /// Whether most neighbours in memory of a factor's elements differ in one of these labels.
    fn is_along(&self, side: usize, wanted: &[usize]) -> bool {
        let labels = self.join.factors[side].0;
        let entries = if side == 0 { &self.group.rows } else { &self.group.columns };
        let pieces = entries.iter().flat_map(|entry| self.group.terms.iter().map(|term| entry.1[term]));
        most_are_along(pieces.map(|piece| (&piece.extents[..], &piece.strides[..])), |axis| wanted.contains(&labels[axis]))
    }

    /// Whether most neighbours in memory of the result's elements differ in a label of rows.
    fn is_along_rows(&self, lying: &[(usize, SmallVec<[isize; 6]>)]) -> bool {
        let batch = self.join.roles.batch.len();
        let rows = batch..batch + self.join.roles.rows.len();
        let places = self.group.places.iter().zip(lying);
        most_are_along(places.map(|(place, (_, strides))| (&place.extents[..], &strides[..])), |axis| rows.contains(&axis))
    }

    /// The group as products of its pieces where they lie, those of each result apart, whose sizes are given without packed pairs. Nothing
    /// where gathering them is faster, which takes about so many multiplications.
    ///
    /// # Errors
    /// As [`Device::prepare_sum`].
    pub(super) fn direct<T: Element>(
        &self,
        device: &dyn Device,
        scale: Complex<f64>,
        (sizes, gathered): (&Sizes, usize),
        kernels: &mut SumKernels,
    ) -> Result<Option<Vec<Placement>>, Error> {
        let group = self.group;
        if !direct::is_faster(group.places.len() * group.terms.len(), sizes.multiplications(), gathered) {
            return Ok(None);
        }
        let (mut found, mut last): (Vec<Placement>, Option<(ProductShape, usize)>) = (Vec::new(), None);
        for (number, place) in group.places.iter().enumerate() {
            let (left, right) = (group.rows[number / group.columns.len()].1, group.columns[number % group.columns.len()].1);
            let (start, strides) = self.lies(place)?;
            let mut products = Vec::with_capacity(group.terms.len());
            for term in &group.terms {
                let pieces = [left[term], right[term]];
                let shape = self.shape(pieces, place, &strides);
                let kernel = match &last {
                    Some((known, kernel)) if *known == shape => *kernel,
                    _ => match kernels.find::<T>(device, scale, &shape)? {
                        Some(kernel) => last.insert((shape, kernel)).1,
                        None => return Ok(None),
                    },
                };
                let weight = self.join.weight(term).unwrap_or(1) as f64;
                let weight = if pieces[0].negates != pieces[1].negates { -weight } else { weight };
                let starts = pieces.map(|piece| piece.offset);
                products.push((kernel, SumTerm { starts, to: start, adds: false, weight }));
            }
            let direct = Direct::new(products);
            let cost = place.extents.iter().product::<usize>().saturating_mul(sizes.extents[3]);
            let cost = cost.saturating_add(direct.overhead());
            found.push(Placement { work: Work::Direct(direct), range: self.range(std::slice::from_ref(place))?, cost });
        }
        Ok(Some(found))
    }

    /// The range of the result's slab inside of which these pieces lie.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn range(&self, places: &[Place]) -> Result<Range<usize>, Error> {
        let stored = self.structure.stored()?;
        let number = |place: &Place| stored.find(&place.block).expect("blocks that are written are stored");
        let block = |place: &Place| (stored.start(number(place)), stored.start(number(place)) + stored.size(number(place)));
        let begin = places.iter().map(|place| block(place).0).min().unwrap_or_default();
        Ok(begin..places.iter().map(|place| block(place).1).max().unwrap_or_default())
    }

    /// Elements that would be copied, if the group were gathered: a matrix of one piece, of which all is wanted, may be read, or written,
    /// where it lies.
    fn copied(&self, sizes: &Sizes) -> usize {
        let ([batch, rows, columns, terms], group) = (sizes.extents, self.group);
        let count = [group.rows.len() * group.terms.len(), group.columns.len() * group.terms.len(), group.places.len()];
        let elements = [batch * rows * terms, batch * terms * columns, batch * rows * columns];
        let [row, column, term] = self.has_packed();
        let is_moved = [row || term, column || term, row || column];
        let moved = count.into_iter().zip(is_moved).zip(elements).filter(|((count, is_moved), _)| *count > 1 || *is_moved);
        moved.map(|(_, elements)| elements).sum()
    }

    /// Whether the group is one large product of many small pieces, which is faster gathered than where they lie. The number of threads
    /// does not matter, so that results have the same bits on any.
    pub(super) fn is_better_whole(&self, sizes: &Sizes) -> bool {
        let (all, pieces) = (sizes.multiplications(), self.group.places.len() * self.group.terms.len());
        sizes.are_large() && all / pieces <= SMALL && direct::gathered(PER_COPY * self.copied(sizes), 0) <= all
    }

    /// What a product of two pieces is: axes of the batch, of rows, columns and terms.
    fn shape(&self, pieces: [&Piece; 2], place: &Place, strides: &[isize]) -> ProductShape {
        let roles = &self.join.roles;
        let labels = [&roles.batch, &roles.rows, &roles.columns, &roles.terms].into_iter().flatten();
        let mut shape = ProductShape { extents: place.extents.clone(), ..ProductShape::default() };
        for (number, label) in labels.enumerate() {
            for (side, piece) in pieces.iter().enumerate() {
                let axis = self.join.factors[side].0.iter().position(|own| own == label);
                shape.strides[side].push(axis.map_or(0, |axis| piece.strides[axis]));
                if let (0, Some(axis), true) = (side, axis, number >= place.extents.len()) {
                    shape.extents.push(piece.extents[axis]);
                }
            }
        }
        shape.strides[2] = SmallVec::from_slice(strides);
        shape.conjugates = pieces.map(|piece| piece.conjugates);
        shape
    }

    /// The pieces of a factor; strides of the batch, of its own index and of terms.
    fn factor(
        &self,
        (side, own): (usize, &[usize]),
        (entries, at): (&[Entry<'_>], &[usize]),
        terms: &[usize],
        strides: [isize; 3],
    ) -> Vec<Move> {
        let mut moves = Vec::new();
        let (labels, roles) = (self.join.factors[side].0, &self.join.roles);
        let axes = |wanted: &[usize]| -> Parts {
            let place = |label: &usize| labels.iter().position(|own| own == label).expect("the factor has the label");
            wanted.iter().map(place).collect()
        };
        let (of_batch, of_own, of_terms) = (axes(&roles.batch), axes(own), axes(&roles.terms));
        for (entry, at_line) in entries.iter().zip(at) {
            for (term, start) in self.group.terms.iter().zip(terms) {
                let piece = entry.1[term];
                let role = if side == 0 { ROWS } else { COLUMNS };
                let start = *at_line as isize * strides[1] + *start as isize * strides[2];
                let slab = Lying { extents: &piece.extents, strides: &piece.strides, offset: piece.offset };
                let lines = [
                    Line { axes: &of_batch, pair: None, stride: strides[0] },
                    Line { axes: &of_own, pair: self.packed(role, entry.0), stride: strides[1] },
                    Line { axes: &of_terms, pair: self.packed(TERMS, term), stride: strides[2] },
                ];
                // The right factor has the weight of the term.
                let weight = if side == 1 { self.join.weight(term).unwrap_or(1) } else { 1 } as f64;
                let weight = if piece.negates { -weight } else { weight };
                let weight = |orders: [usize; 3]| if side == 1 { weight * orders[2] as f64 } else { weight };
                moves.extend(slab.moves(&lines, start, &|orders| (weight(orders), piece.conjugates)));
            }
        }
        moves
    }

    /// Where a piece of the result begins in its slab, and its strides there along the labels of batch, rows and columns.
    fn lies(&self, place: &Place) -> Result<(usize, SmallVec<[isize; 6]>), Error> {
        let (stored, tilings) = (self.structure.stored()?, self.structure.tilings());
        let number = stored.find(&place.block).expect("blocks that are written are stored");
        let rank = tilings.len();
        let (mut own, mut stride) = (SmallVec::<[isize; 6]>::from_elem(0, rank), 1);
        for axis in (0..rank).rev() {
            own[axis] = stride;
            let bounds = &tilings[axis].bounds()[place.block[axis]..];
            stride *= (bounds[1] - bounds[0]) as isize;
        }
        let first: isize = place.first.iter().zip(&own).map(|(&first, stride)| first as isize * stride).sum();
        Ok((stored.start(number) + first as usize, place.axes.iter().map(|&axis| own[axis]).collect()))
    }

    /// A piece of the result, whose row and column have these parts.
    fn result(
        &self,
        (place, (offset, slab)): (&Place, &(usize, SmallVec<[isize; 6]>)),
        parts: [&Parts; 2],
        [row, column]: [usize; 2],
        strides: [isize; 3],
    ) -> Vec<Move> {
        let roles = &self.join.roles;
        let (rows, columns) = (roles.batch.len(), roles.batch.len() + roles.rows.len());
        let axes: Parts = (0..slab.len()).collect();
        let lines = [
            Line { axes: &axes[..rows], pair: None, stride: strides[0] },
            Line { axes: &axes[rows..columns], pair: self.packed(ROWS, parts[0]), stride: strides[1] },
            Line { axes: &axes[columns..], pair: self.packed(COLUMNS, parts[1]), stride: strides[2] },
        ];
        let start = row as isize * strides[1] + column as isize * strides[2];
        Lying { extents: &place.extents, strides: slab, offset: *offset }.moves(&lines, start, &|_| (1.0, false))
    }
}

/// The extents of a piece along these labels.
fn extents(labels: &[usize], piece: &Piece, wanted: &[usize]) -> Vec<usize> {
    let extent =
        |label: &usize| labels.iter().zip(&piece.extents).find(|(own, _)| *own == label).map_or(1, |(_, extent)| *extent);
    wanted.iter().map(extent).collect()
}

/// Whether most elements of some pieces, each with its extents and strides, have their neighbours in memory along such an axis.
fn most_are_along<'p>(pieces: impl Iterator<Item = (&'p [usize], &'p [isize])>, is_wanted: impl Fn(usize) -> bool) -> bool {
    let (mut all, mut along) = (0, 0);
    for (extents, strides) in pieces {
        let elements: usize = extents.iter().product();
        all += elements;
        along += if nearest(extents, strides).is_some_and(&is_wanted) { elements } else { 0 };
    }
    2 * along > all
}

/// The axis along which neighbours in memory lie, if there are several indices along any.
fn nearest(extents: &[usize], strides: &[isize]) -> Option<usize> {
    (0..extents.len()).filter(|&axis| extents[axis] > 1).min_by_key(|&axis| strides[axis].unsigned_abs())
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
