//! Packed pairs: two labels in one tile whose exchange leaves a product, or its result, as it is. Of both orders of their indices a
//! gathered product has one; the other order of a result is written when everything has been added up.
//!
//! A piece with a packed pair is gathered in strips: one index of the first label, and all larger ones of the second.

use tensorwrapper_core::backend::fuse::{Axis, Odometer, normalise, points};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation, Symmetry};

use crate::tensor::follows;

/// Two labels of a role, by their places among its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PackedPair {
    pub(super) labels: [usize; 2],
    /// Whether elements at which both have one index need not be zero.
    pub(super) has_diagonal: bool,
}

/// Two axes that a symmetry exchanges and nothing else, the earlier one first, and how elements follow then.
#[derive(Clone, Debug)]
pub(super) struct AxisPair {
    pub(super) axes: [usize; 2],
    by: SignedPermutation,
}

/// A part of the indices of some labels, and where it stands in a line of the matrix that has all of them.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Strip {
    /// For each label where it begins and how many indices it has, and how far apart these stand in the line.
    pub(super) first: Vec<usize>,
    pub(super) extents: Vec<usize>,
    pub(super) strides: Vec<usize>,
    pub(super) start: usize,
    /// The labels that run together: the second follows the index of the first.
    pub(super) together: Option<[usize; 2]>,
    /// How many orders of the pair it stands for.
    pub(super) orders: usize,
}

impl PackedPair {
    /// Whether a piece with these parts has the pair in one tile.
    pub(super) fn is_in(&self, parts: &[usize]) -> bool {
        parts[self.labels[0]] == parts[self.labels[1]]
    }

    /// The pairs of indices in a tile of so many that are kept.
    fn count(&self, extent: usize) -> usize {
        extent * extent.saturating_sub(1) / 2 + if self.has_diagonal { extent } else { 0 }
    }
}

/// How long the line of these extents is.
pub(super) fn length(extents: &[usize], pair: Option<PackedPair>) -> usize {
    let all: usize = extents.iter().product();
    pair.map_or(all, |pair| all / extents[pair.labels[0]].pow(2) * pair.count(extents[pair.labels[0]]))
}

/// The strips that make up all indices of these extents: one, where no pair is packed.
pub(super) fn strips(extents: &[usize], pair: Option<PackedPair>) -> Vec<Strip> {
    let pair_of = pair.map(|pair| pair.labels);
    let (mut strides, mut stride) = (vec![0; extents.len()], pair.map_or(1, |pair| pair.count(extents[pair.labels[0]])));
    for (n, &extent) in extents.iter().enumerate().rev().filter(|(n, _)| !pair_of.is_some_and(|pair| pair.contains(n))) {
        strides[n] = stride;
        stride *= extent;
    }
    let whole = Strip { first: vec![0; extents.len()], extents: extents.to_vec(), strides, start: 0, together: None, orders: 1 };
    let Some(PackedPair { labels: [one, other], has_diagonal }) = pair else { return vec![whole] };
    let (extent, mut found, mut start) = (extents[one], Vec::new(), 0);
    for index in 0..extent.saturating_sub(1) {
        let mut strip = Strip { start, orders: 2, ..whole.clone() };
        (strip.first[one], strip.extents[one]) = (index, 1);
        (strip.first[other], strip.extents[other], strip.strides[other]) = (index + 1, extent - index - 1, 1);
        start += extent - index - 1;
        found.push(strip);
    }
    if has_diagonal {
        let mut strip = Strip { start, together: Some([one, other]), ..whole };
        (strip.extents[other], strip.strides[one]) = (1, 1);
        found.push(strip);
    }
    found
}

/// Pairs of axes of a result that its symmetry exchanges, each axis in one of them at most.
pub(super) fn axis_pairs(symmetry: &Symmetry) -> Vec<AxisPair> {
    let mut found: Vec<AxisPair> = Vec::new();
    for by in symmetry.elements().iter().skip(1) {
        let mut moved = by.axes().enumerate().filter(|(n, axis)| n != axis).map(|(n, _)| n);
        let (Some(one), Some(other), None) = (moved.next(), moved.next(), moved.next()) else { continue };
        if !found.iter().any(|pair| pair.axes.contains(&one) || pair.axes.contains(&other)) {
            found.push(AxisPair { axes: [one, other], by: by.clone() });
        }
    }
    found
}

/// Whether a symmetry says that elements are zero where two axes have one index.
pub(super) fn vanishes(symmetry: &Symmetry, axes: [usize; 2], is_complex: bool) -> bool {
    let exchanges = |by: &SignedPermutation| {
        by.axes().enumerate().all(|(n, axis)| match axes.iter().position(|&own| own == n) {
            Some(at) => axis == axes[1 - at],
            None => axis == n,
        })
    };
    let is_negative = |by: &SignedPermutation| by.sign() == Sign::Minus && !(is_complex && by.conjugates());
    symmetry.elements().iter().any(|by| is_negative(by) && exchanges(by))
}

impl AxisPair {
    /// Whether elements at which both axes have one index need not be zero.
    pub(super) fn has_diagonal(&self, is_complex: bool) -> bool {
        self.by.sign() == Sign::Plus || (is_complex && self.by.conjugates())
    }
}

/// A block of a result of which one order of a pair of axes has been computed.
#[derive(Debug)]
pub(super) struct Mirror {
    by: SignedPermutation,
    start: isize,
    /// The extent of both axes of the pair, and their strides.
    extent: usize,
    strides: [isize; 2],
    /// The other axes.
    axes: Vec<Axis<[isize; 1]>>,
}

impl Mirror {
    /// All blocks of a structure in which such a pair is in one tile.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn all(structure: &Structure, pair: &AxisPair) -> Result<Vec<Mirror>, Error> {
        let (stored, [one, other]) = (structure.stored()?, pair.axes);
        let mut found = Vec::new();
        for number in (0..stored.len()).filter(|&number| stored.block(number)[one] == stored.block(number)[other]) {
            let shape = structure.block_shape(&stored.block(number))?;
            let (mut axes, mut stride, mut strides) = (Vec::new(), 1, [0; 2]);
            for (axis, &extent) in shape.extents().iter().enumerate().rev() {
                match pair.axes.iter().position(|&own| own == axis) {
                    Some(at) => strides[at] = stride,
                    None => axes.insert(0, Axis { extent, strides: [stride] }),
                }
                stride *= extent as isize;
            }
            normalise(&mut axes, &[0]);
            let (start, extent) = (stored.start(number) as isize, shape.extents()[one]);
            found.push(Mirror { by: pair.by.clone(), start, extent, strides, axes });
        }
        Ok(found)
    }

    /// Writes the other order of the pair's indices, and what the symmetry says where they are one.
    pub(super) fn run<T: Element>(&self, out: &mut [T]) {
        let (last, outer) = match self.axes.split_last() {
            Some((last, outer)) => (*last, outer),
            None => (Axis { extent: 1, strides: [1] }, &self.axes[..]),
        };
        let mut walk = Odometer::new(outer, &[self.start], 0);
        for _ in 0..points(outer) {
            for one in 0..self.extent {
                for other in one..self.extent {
                    let at = |[one, other]: [usize; 2]| {
                        walk.position[0] + one as isize * self.strides[0] + other as isize * self.strides[1]
                    };
                    let (from, to) = (at([one, other]), at([other, one]));
                    for n in 0..last.extent as isize {
                        let [from, to] = [from, to].map(|start| (start + n * last.strides[0]) as usize);
                        let image = follows(out[from], &self.by);
                        // Where both are one element, it is what agrees with its own image.
                        out[to] = if from == to { mean(out[from], image) } else { image };
                    }
                }
            }
            walk.step();
        }
    }
}

/// The mean of two numbers.
fn mean<T: Element>(one: T, other: T) -> T {
    if one == other { one } else { T::from_complex((one.to_complex() + other.to_complex()) / 2.0) }
}

#[cfg(test)]
mod tests {
    use tensorwrapper_core::shape::Shape;

    use super::*;

    #[test]
    fn strips_are_all_ordered_pairs_once() {
        for has_diagonal in [false, true] {
            for extents in [[3, 2, 3, 2], [1, 2, 1, 1]] {
                let pair = Some(PackedPair { labels: [0, 2], has_diagonal });
                let mut seen = vec![None; length(&extents, pair)];
                for strip in strips(&extents, pair) {
                    for offset in &strip.extents.iter().copied().collect::<Shape>() {
                        let at = strip.start + offset.iter().zip(&strip.strides).map(|(n, stride)| n * stride).sum::<usize>();
                        let mut index: Vec<usize> = offset.iter().zip(&strip.first).map(|(n, first)| n + first).collect();
                        if strip.together.is_some() {
                            index[2] = index[0];
                        }
                        assert!(seen[at].is_none() && (strip.orders == 2) == (index[0] != index[2]));
                        seen[at] = Some(index);
                    }
                }
                let ordered = |index: &[usize]| index[0] < index[2] || has_diagonal && index[0] == index[2];
                let all: usize = Shape::new(extents).into_iter().filter(|index| ordered(index)).count();
                assert_eq!((seen.iter().flatten().count(), seen.len()), (all, all));
                assert!(seen.iter().flatten().all(|index| ordered(index)));
            }
        }
    }

    #[test]
    fn pairs_do_not_share_axes() {
        let three = Symmetry::none(4).antisymmetric([0, 1, 2]).unwrap();
        assert_eq!(axis_pairs(&three).iter().map(|pair| pair.axes).collect::<Vec<_>>().len(), 1);
        let both = Symmetry::none(4).antisymmetric([0, 1]).unwrap().hermitian(2, 3).unwrap();
        let mut pairs = axis_pairs(&both);
        pairs.sort_by_key(|pair| pair.axes);
        assert_eq!(pairs.iter().map(|pair| pair.axes).collect::<Vec<_>>(), [[0, 1], [2, 3]]);
        assert_eq!([false, true].map(|complex| pairs[1].has_diagonal(complex)), [true, true]);
        assert!(vanishes(&both, [0, 1], false) && !vanishes(&both, [3, 2], false) && !vanishes(&both, [0, 2], false));
        // The pairs (0, 1) and (2, 3) change places together, and neither of them alone.
        assert!(axis_pairs(&Symmetry::none(4).exchange(&[0, 2], &[1, 3], Sign::Plus).unwrap()).is_empty());
    }
}
