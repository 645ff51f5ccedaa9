//! Parts of a block tensor: the structure of what slices and positions keep of it.

use std::collections::BTreeSet;

use super::Structure;
use crate::error::{Error, ErrorKind};
use crate::shape::Tiling;
use crate::symmetry::{Sign, SignedPermutation, Symmetry};

/// What is kept of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxisPart {
    /// One position: the part does not have the axis.
    Position(usize),
    /// The indices from the first number up to, but not including, the second.
    Range(usize, usize),
}

impl Structure {
    /// The structure of a part: of each axis what is said is kept. Tiles that a range cuts are as long as their part in it. Of the symmetry
    /// stays what maps the part to itself; the charges of positions are taken from the total. Equal blocks are stored each.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{AxisPart, Error, Shape, Structure, Symmetry, Tiling};
    /// let (cut, pair) = (Tiling::cuts([2, 3]), Symmetry::none(3).antisymmetric([0, 1])?);
    /// let whole = Structure::new([&cut, &cut, &cut]).with(pair)?;
    /// let part = whole.part(&[AxisPart::Range(1, 4), AxisPart::Range(1, 4), AxisPart::Position(4)])?;
    /// assert_eq!((part.tilings()[0].clone(), part.shape()), (Tiling::cuts([1, 2]), Shape::new([3, 3])));
    /// assert_eq!(part.symmetry(), &Symmetry::none(2).antisymmetric([0, 1])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when axes are missing, [`ErrorKind::Shape`] for a position or a range that leaves its axis; and as
    /// [`stored`](Structure::stored).
    pub fn part(&self, parts: &[AxisPart]) -> Result<Structure, Error> {
        if parts.len() != self.rank() {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: parts.len() }));
        }
        let axes: Vec<AxisTiles> =
            parts.iter().zip(self.tilings()).map(|(part, tiling)| AxisTiles::new(*part, tiling)).collect::<Result<_, _>>()?;
        let kept: Vec<usize> = (0..parts.len()).filter(|&axis| axes[axis].tiling.is_some()).collect();
        let tilings: Vec<Tiling> = axes.iter().filter_map(|axis| axis.tiling.clone()).collect();
        let place = |axis: usize| kept.iter().position(|&own| own == axis);
        let stays = |by: &&SignedPermutation| by.axes().enumerate().all(|(n, axis)| parts[n] == parts[axis]);
        let mut group = Vec::new();
        for by in self.symmetry().elements().iter().filter(stays) {
            let images: Vec<usize> = by.axes().collect();
            let own: Vec<usize> = kept.iter().filter_map(|&axis| place(images[axis])).collect();
            let own = SignedPermutation::new(&own, by.sign())?;
            group.push(if by.conjugates() { own.conjugating() } else { own });
        }
        let is_identity = |by: &SignedPermutation| by.axes().enumerate().all(|(n, axis)| n == axis);
        let is_zero = group.iter().any(|by| is_identity(by) && by.sign() == Sign::Minus && !by.conjugates());
        let mut blocks: BTreeSet<Vec<usize>> = BTreeSet::new();
        let stored = self.stored()?;
        for number in (0..stored.len()).filter(|_| !is_zero) {
            for (block, _) in self.orbit(number)? {
                let own = block.iter().zip(&axes).map(|(&tile, tiles)| tiles.tiles.get(tile).copied().flatten());
                let Some(own) = own.collect::<Option<Vec<usize>>>() else { continue };
                blocks.insert(kept.iter().map(|&axis| own[axis]).collect());
            }
        }
        let symmetry = if is_zero { Symmetry::none(kept.len()) } else { Symmetry::none(kept.len()).generated(group)? };
        let mut part = Structure::new(&tilings).with(symmetry)?;
        if let Some(flow) = self.charge_flow().filter(|_| !kept.is_empty()) {
            let mut total = flow.total().to_vec();
            for (axis, tiles) in axes.iter().enumerate() {
                if let (Some(tile), Some(charges)) = (tiles.position, self.tilings()[axis].charges()) {
                    flow.group().add(&mut total, -flow.signs()[axis], charges.of(tile));
                }
            }
            let signs: Vec<i64> = kept.iter().map(|&axis| flow.signs()[axis]).collect();
            part = part.flow(signs, total)?;
        }
        let ragged = kept.iter().enumerate().filter_map(|(n, &axis)| {
            self.ragged_by(axis).map(|by| (n, by.iter().filter_map(|&by| place(by)).collect::<Vec<_>>()))
        });
        let ragged: Vec<(usize, Vec<usize>)> = ragged.collect();
        let part = part.with_blocks(&blocks)?.with_ragged(ragged.iter().cloned())?.nested(self.layers_of(&kept))?;
        // The row of one position is as long as it is.
        part.trimmed(&|axis| ragged.iter().all(|(own, by)| *own != axis || !by.is_empty()))
    }
}

impl Structure {
    /// How many of these axes each layer has, without layers that have none of them.
    fn layers_of(&self, kept: &[usize]) -> Vec<usize> {
        let mut first = 0;
        let count = |axes: usize| {
            let own = first..first + axes;
            first = own.end;
            kept.iter().filter(|axis| own.contains(axis)).count()
        };
        let counts: Vec<usize> = self.layers().into_iter().map(count).filter(|&axes| axes > 0).collect();
        if counts.is_empty() { vec![0] } else { counts }
    }
}

/// The tiles of an axis in a part.
struct AxisTiles {
    /// Nothing for one position.
    tiling: Option<Tiling>,
    /// The tile of a position.
    position: Option<usize>,
    /// The number in the part of each tile, if it is in it.
    tiles: Vec<Option<usize>>,
}

impl AxisTiles {
    fn new(part: AxisPart, tiling: &Tiling) -> Result<AxisTiles, Error> {
        match part {
            AxisPart::Position(position) => {
                let (tile, _) = tiling.locate(position)?;
                let tiles = (0..tiling.len()).map(|own| (own == tile).then_some(0)).collect();
                Ok(AxisTiles { tiling: None, position: Some(tile), tiles })
            }
            AxisPart::Range(begin, end) => {
                let slice = tiling.slice(begin, end)?;
                let tile = |bounds: &[usize]| {
                    let (first, last) = (bounds[0].max(begin), bounds[1].min(end));
                    (first < last).then(|| slice.locate(first - begin).map(|(tile, _)| tile).ok()).flatten()
                };
                let tiles = tiling.bounds().windows(2).map(tile).collect();
                Ok(AxisTiles { tiling: Some(slice), position: None, tiles })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_positions_of_antisymmetric_axes_are_zero() {
        let cut = Tiling::cuts([1, 2]);
        let whole = Structure::new([&cut, &cut, &cut]).with(Symmetry::none(3).antisymmetric([0, 1]).unwrap()).unwrap();
        let part = |one, other| whole.part(&[AxisPart::Position(one), AxisPart::Position(other), AxisPart::Range(0, 3)]).unwrap();
        assert!(part(2, 2).stored().unwrap().is_empty() && part(1, 2).stored().unwrap().len() == 2);
        assert!(whole.part(&[AxisPart::Position(3), AxisPart::Position(0), AxisPart::Range(0, 3)]).is_err());
        assert!(whole.part(&[AxisPart::Position(0), AxisPart::Position(0), AxisPart::Range(2, 4)]).is_err());
    }

    #[test]
    fn positions_drop_axes_from_their_layers() {
        let whole =
            Structure::new(&[Tiling::each(2), Tiling::each(2), Tiling::whole(3), Tiling::whole(3)]).nested([2, 2]).unwrap();
        let layers = |parts: [AxisPart; 4]| whole.part(&parts).unwrap().layers();
        let (at, of) = (AxisPart::Position(1), AxisPart::Range(0, 2));
        assert_eq!(layers([at, of, of, of]), [1, 2]);
        assert_eq!((layers([at, at, of, of]), layers([of, of, of, of])), (vec![2], vec![2, 2]));
        assert_eq!(layers([at, at, at, at]), [0]);
    }

    #[test]
    fn positions_take_their_charge_with_them() {
        let spin = Tiling::cuts([1, 1]).charged([-1, 1]).unwrap();
        let whole = Structure::new([&spin, &spin, &spin]).flow([1, 1, -1], [1]).unwrap();
        let part = whole.part(&[AxisPart::Position(0), AxisPart::Range(0, 2), AxisPart::Range(0, 2)]).unwrap();
        assert_eq!(part.charge_flow().unwrap().total(), [2]);
        assert_eq!(part.stored().unwrap().iter().collect::<Vec<_>>(), [[1, 0]]);
    }
}
