//! From dense factors of sectors to block tensors: the new axis, the structures of both sides, and their elements.
//!
//! Knows nothing of how factors are computed.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Charge, Charges, Tiling};
use tensorwrapper_core::structure::Structure;

use super::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};
use crate::tensor::Blocks;

/// The axis between two factors: a tile for each sector of which something is kept.
pub(super) struct NewAxis<'n> {
    matrix: &'n BlockMatrix<'n>,
    sectors: &'n [Sector<'n>],
    /// How much each sector keeps.
    kept: &'n [usize],
    tiling: Tiling,
    /// Whether it carries charges.
    is_charged: bool,
}

impl<'n> NewAxis<'n> {
    /// # Errors
    /// None that a caller can make.
    pub(super) fn new(matrix: &'n BlockMatrix<'n>, sectors: &'n [Sector<'n>], kept: &'n [usize]) -> Result<NewAxis<'n>, Error> {
        let chosen = || sectors.iter().zip(kept).filter(|(_, kept)| **kept > 0);
        let plain = Tiling::cuts(chosen().map(|(_, &kept)| kept));
        let charges: Option<Vec<Charge>> = chosen().map(|(sector, _)| sector.charge.clone()).collect();
        let (tiling, is_charged) = match (matrix.structure.charge_flow(), charges) {
            (Some(flow), Some(charges)) => (plain.charged(Charges::new(flow.group().clone(), charges)?)?, true),
            _ => (plain, false),
        };
        Ok(NewAxis { matrix, sectors, kept, tiling, is_charged })
    }

    /// The sectors that keep something, each with its number among all, its tile of the new axis, and how much it keeps.
    fn chosen(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let kept = self.kept.iter().enumerate().filter(|(_, kept)| **kept > 0);
        kept.enumerate().map(|(tile, (sector, &kept))| (sector, tile, kept))
    }

    /// The structure of a factor: rows and then the new axis, or the new axis and then columns.
    fn structure(&self, side: usize) -> Result<Structure, Error> {
        let mut tilings: Vec<&Tiling> = self.matrix.tilings(side).collect();
        tilings.insert(if side == ROWS { tilings.len() } else { 0 }, &self.tiling);
        let blocks = |(sector, tile, _): (usize, usize, usize)| {
            self.sectors[sector].lines[side].iter().map(move |line| block(side, &line.tiles, tile))
        };
        let structure = Structure::new(tilings).with_blocks(self.chosen().flat_map(blocks))?;
        let Some((flow, mut signs)) =
            self.matrix.structure.charge_flow().zip(self.matrix.signs(side)).filter(|_| self.is_charged)
        else {
            return Ok(structure);
        };
        // What enters by the rows leaves by the new axis; the rest, and the total, is the columns'.
        if side == ROWS {
            signs.push(-1);
            return structure.flow(signs, flow.group().neutral());
        }
        signs.insert(0, 1);
        structure.flow(signs, flow.total().to_vec())
    }

    /// A factor: on the side of the rows of each matrix the first columns, on the other one the first rows.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn factor<T: Element>(&self, side: usize, matrices: &[Vec<T>]) -> Result<Blocks<T>, Error> {
        let structure = self.structure(side)?;
        let stored = structure.stored()?;
        let mut result = Blocks::zeros(&structure)?;
        for (sector, tile, kept) in self.chosen() {
            let (Sector { lines, extents, .. }, matrix) = (&self.sectors[sector], &matrices[sector]);
            for line in &lines[side] {
                // How many rows of the matrix the block has a part of, how long the part is, and where the first one stands.
                let step = if side == ROWS { matrix.len() / extents[ROWS] } else { extents[COLUMNS] };
                let (count, length, first) = match side {
                    ROWS => (line.extent, kept, line.first * step),
                    _ => (kept, line.extent, line.first),
                };
                let number = stored.find(&block(side, &line.tiles, tile)).expect("the structure has the lines of its sectors");
                let elements = &mut result.slab_mut()[stored.start(number)..][..count * length];
                for row in 0..count {
                    elements[row * length..][..length].copy_from_slice(&matrix[first + row * step..][..length]);
                }
            }
        }
        Ok(result)
    }

    /// The numbers of each sector along the new axis. A vector, which conserves no charge.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn values<T: Element>(&self, values: &[Vec<T>]) -> Result<Blocks<T>, Error> {
        let mut result = Blocks::zeros(&Structure::new([&self.tiling]))?;
        let places: Vec<(usize, usize, usize)> = self.chosen().collect();
        for (sector, tile, kept) in places {
            let start = result.structure().stored()?.start(tile);
            result.slab_mut()[start..start + kept].copy_from_slice(&values[sector][..kept]);
        }
        Ok(result)
    }
}

/// The block of a factor at tiles of its own axes and of the new one.
fn block(side: usize, tiles: &[usize], new: usize) -> Vec<usize> {
    if side == ROWS { [tiles, &[new]].concat() } else { [&[new], tiles].concat() }
}
