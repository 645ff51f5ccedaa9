//! The pieces of a factor: for each of its blocks, stored or following from one, the parts of it that the equation's cuts make.
//!
//! Knows nothing of other factors.

use smallvec::{SmallVec, smallvec};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation};

use super::cuts::{Cuts, Part, Parts, PerLabel};
use super::terms::Factor;

/// A strided part of a slab, over the labels of a factor.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    /// The number of the part of each label, in the order of the factor's labels, each label once.
    pub(super) parts: Parts,
    /// The number of the stored block that it is a part of, or follows from.
    pub(super) stored: usize,
    /// Extents and strides along these labels, and where the first element is in the slab.
    pub(super) extents: PerLabel,
    pub(super) strides: SmallVec<[isize; 6]>,
    pub(super) offset: usize,
    pub(super) negates: bool,
    pub(super) conjugates: bool,
}

/// A factor's labels, each once.
pub(super) fn labels(factor: &Factor) -> Vec<usize> {
    let mut labels: Vec<usize> = Vec::new();
    factor.labels.iter().for_each(|label| labels.extend((!labels.contains(label)).then_some(*label)));
    labels
}

/// All pieces of a factor, in the order of its stored blocks; of real elements none is conjugated.
///
/// # Errors
/// As [`Structure::stored`].
pub(super) fn pieces(factor: &Factor, structure: &Structure, cuts: &Cuts, is_complex: bool) -> Result<Vec<Piece>, Error> {
    let labels = labels(factor);
    // Many blocks share each tile, whose parts are found once.
    let of_axis = |(&label, tiling): (&usize, &Tiling)| (0..tiling.len()).map(|tile| cuts.parts(label, tiling, tile)).collect();
    let parts: Vec<Vec<_>> = factor.labels.iter().zip(structure.tilings()).map(of_axis).collect();
    let mut found = Vec::new();
    for image in images(structure)? {
        Image { factor, structure, parts: &parts, labels: &labels, image, is_complex }.pieces(&mut found);
    }
    Ok(found)
}

/// A block that is there: one that is stored, or that follows from one.
#[derive(Clone)]
pub(super) struct BlockImage<'s> {
    pub(super) block: Vec<usize>,
    /// The number of the stored block.
    pub(super) number: usize,
    /// Where the stored block begins.
    pub(super) start: usize,
    pub(super) by: &'s SignedPermutation,
}

/// All blocks that are there, in the order of the stored ones.
///
/// # Errors
/// As [`Structure::stored`].
pub(super) fn images(structure: &Structure) -> Result<Vec<BlockImage<'_>>, Error> {
    let stored = structure.stored()?;
    let mut found = Vec::new();
    for number in 0..stored.len() {
        let start = stored.start(number);
        found.extend(structure.orbit(number)?.into_iter().map(|(block, by)| BlockImage { block, number, start, by }));
    }
    Ok(found)
}

impl BlockImage<'_> {
    /// The extents of its axes.
    pub(super) fn extents(&self, structure: &Structure) -> Vec<usize> {
        let extent = |(tiling, &tile): (&Tiling, &usize)| tiling.bounds()[tile + 1] - tiling.bounds()[tile];
        structure.tilings().iter().zip(&self.block).map(extent).collect()
    }

    /// The strides of its axes in the stored block.
    pub(super) fn strides(&self, structure: &Structure) -> Vec<isize> {
        let mut strides = vec![0; self.block.len()];
        let mut stride = 1;
        for axis in self.by.axes().collect::<Parts>().into_iter().rev() {
            let (bounds, tile) = (structure.tilings()[axis].bounds(), self.block[axis]);
            strides[axis] = stride;
            stride *= (bounds[tile + 1] - bounds[tile]) as isize;
        }
        strides
    }
}

/// A part of each axis, as far as they are chosen, each with its number.
type Chosen = SmallVec<[(usize, Part); 6]>;

/// A block of a factor.
struct Image<'i> {
    factor: &'i Factor,
    structure: &'i Structure,
    /// Of each axis and each of its tiles, the parts, each with its number.
    parts: &'i [Vec<Vec<(usize, Part)>>],
    labels: &'i [usize],
    image: BlockImage<'i>,
    /// Whether conjugates differ from what they are conjugates of.
    is_complex: bool,
}

impl Image<'_> {
    /// Adds its pieces.
    fn pieces(&self, found: &mut Vec<Piece>) {
        let axes: SmallVec<[&[(usize, Part)]; 6]> =
            self.parts.iter().zip(&self.image.block).map(|(axis, &tile)| &axis[tile][..]).collect();
        if axes.iter().any(|parts| parts.is_empty()) {
            return;
        }
        let strides = self.image.strides(self.structure);
        self.choose(&axes, &strides, &mut SmallVec::new(), found);
    }

    /// Chooses a part of each axis; axes of one label have the same part.
    fn choose(&self, axes: &[&[(usize, Part)]], strides: &[isize], chosen: &mut Chosen, found: &mut Vec<Piece>) {
        let axis = chosen.len();
        if axis == axes.len() {
            found.push(self.piece(strides, chosen));
            return;
        }
        for &(number, part) in axes[axis] {
            let label = self.factor.labels[axis];
            let differs = |n: usize| self.factor.labels[n] == label && chosen[n].0 != number;
            if !(0..axis).any(differs) {
                chosen.push((number, part));
                self.choose(axes, strides, chosen, found);
                chosen.pop();
            }
        }
    }

    fn piece(&self, strides: &[isize], chosen: &[(usize, Part)]) -> Piece {
        let count = self.labels.len();
        let mut piece = Piece {
            parts: smallvec![0; count],
            stored: self.image.number,
            extents: smallvec![0; count],
            strides: smallvec![0; count],
            offset: self.image.start,
            negates: self.image.by.sign() == Sign::Minus,
            conjugates: self.is_complex && self.image.by.conjugates() != self.factor.conjugates,
        };
        for (axis, &(number, part)) in chosen.iter().enumerate() {
            let n = self.labels.iter().position(|&label| label == self.factor.labels[axis]).expect("every label is among these");
            (piece.parts[n], piece.extents[n]) = (number, part.extent);
            piece.strides[n] += strides[axis];
            piece.offset += part.first * strides[axis] as usize;
        }
        piece
    }
}
