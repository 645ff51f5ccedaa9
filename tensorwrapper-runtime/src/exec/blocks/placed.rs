//! Groups whose pieces are given their places: in slabs, and in the matrices that they are gathered into.

use std::ops::Range;

use num_complex::Complex;
use tensorwrapper_core::backend::{Device, SumTerm};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;

use super::direct::{self, Direct, ProductShape, SumKernels};
use super::group::{Group, Move};
use super::join::{Entry, Join, Place, PlannedGroup};
use super::pieces::Piece;
use super::tasks::{Placement, Work};

/// A group whose pieces are given their places.
pub(super) struct Placed<'m> {
    pub(super) join: &'m Join<'m>,
    pub(super) structure: &'m Structure,
    pub(super) group: &'m PlannedGroup<'m>,
}

/// How many indices a group has: those of each row, of each column and of each term, and all of its matrices'.
pub(super) struct Sizes {
    rows: Vec<usize>,
    columns: Vec<usize>,
    terms: Vec<usize>,
    /// Of the batch, of rows, columns and terms.
    pub(super) extents: [usize; 4],
}

impl Placed<'_> {
    pub(super) fn sizes(&self) -> Sizes {
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
        Sizes { rows, columns, terms, extents }
    }

    /// The group as a product of gathered matrices.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn gathered(&self, sizes: &Sizes) -> Result<Group, Error> {
        let (group, roles, extents) = (self.group, &self.join.roles, sizes.extents);
        let [_, m, n, k] = extents.map(|extent| extent as isize);
        let (rows, columns, terms) = (starts(&sizes.rows), starts(&sizes.columns), starts(&sizes.terms));
        let left = self.factor((0, &roles.rows), (&group.rows, &rows), &terms, [m * k, k, 1]);
        let right = self.factor((1, &roles.columns), (&group.columns, &columns), &terms, [k * n, 1, n]);
        let mut out = Vec::new();
        for (number, place) in group.places.iter().enumerate() {
            let (row, column) = (number / columns.len(), number % columns.len());
            out.push(self.result(place, [rows[row], columns[column]], [m * n, n, 1])?);
        }
        Ok(Group { extents, left, right, out })
    }

    /// The group as products of its pieces where they lie, those of each result apart. Nothing where gathering them is faster.
    ///
    /// # Errors
    /// As [`Device::prepare_sum`].
    pub(super) fn direct<T: Element>(
        &self,
        device: &dyn Device,
        scale: Complex<f64>,
        sizes: &Sizes,
        kernels: &mut SumKernels,
    ) -> Result<Option<Vec<Placement>>, Error> {
        let group = self.group;
        if !direct::is_faster(group.places.len() * group.terms.len(), self.copied(sizes)) {
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
                products.push((kernel, SumTerm { starts: pieces.map(|piece| piece.offset), weight }));
            }
            let direct = Direct::new(start, products);
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

    /// Elements that would be copied, if the group were gathered: a matrix of one piece may be read, or written, where it lies.
    fn copied(&self, sizes: &Sizes) -> usize {
        let ([batch, rows, columns, terms], group) = (sizes.extents, self.group);
        let count = [group.rows.len() * group.terms.len(), group.columns.len() * group.terms.len(), group.places.len()];
        let elements = [batch * rows * terms, batch * terms * columns, batch * rows * columns];
        count.into_iter().zip(elements).filter(|(count, _)| *count > 1).map(|(_, elements)| elements).sum()
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
        shape.strides[2] = strides.to_vec();
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
                let start = *at as isize * strides[1] + *start as isize * strides[2];
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

    /// Where a piece of the result begins in its slab, and its strides there along the labels of batch, rows and columns.
    fn lies(&self, place: &Place) -> Result<(usize, Vec<isize>), Error> {
        let (stored, tilings) = (self.structure.stored()?, self.structure.tilings());
        let number = stored.find(&place.block).expect("blocks that are written are stored");
        let rank = tilings.len();
        let (mut own, mut stride) = (vec![0; rank], 1);
        for axis in (0..rank).rev() {
            own[axis] = stride;
            let bounds = &tilings[axis].bounds()[place.block[axis]..];
            stride *= (bounds[1] - bounds[0]) as isize;
        }
        let first: isize = place.first.iter().zip(&own).map(|(&first, stride)| first as isize * stride).sum();
        Ok((stored.start(number) + first as usize, place.axes.iter().map(|&axis| own[axis]).collect()))
    }

    /// A piece of the result.
    fn result(&self, place: &Place, [row, column]: [usize; 2], strides: [isize; 3]) -> Result<Move, Error> {
        let (begins, slab) = self.lies(place)?;
        let mut matrix = vec![0; slab.len()];
        let roles = &self.join.roles;
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
        let begins = [begins, (row as isize * strides[1] + column as isize * strides[2]) as usize];
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
