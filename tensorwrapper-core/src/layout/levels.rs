//! Converts coordinates of an array to coordinates of its tiled memory, level by level, and back.
//!
//! Knows nothing of logical axes: coordinates come in the order of memory, most major first.

use smallvec::SmallVec;

use super::reciprocal::Reciprocal;
use super::tile::Tile;
use super::{element_count, refuse};
use crate::error::{Error, ErrorKind};
use crate::shape::PerAxis;

/// An array in tiles has at most so many dimensions in memory, so that coordinates need none of the heap.
pub(super) const MOST_DIMENSIONS: usize = 64;

/// Coordinates before, between or after the levels.
pub(super) type Coordinates = [u64; MOST_DIMENSIONS];

/// One dimension that is cut: made of one that was there, or of several that are combined.
#[derive(Clone, Debug)]
struct Cut {
    /// What is combined, most major first.
    parts: PerAxis<Reciprocal>,
    extent: u64,
    tile: Reciprocal,
}

/// One level: the dimensions from `start` on are cut.
#[derive(Clone, Debug)]
struct Level {
    start: usize,
    cuts: PerAxis<Cut>,
}

/// All levels of tiles over an array.
#[derive(Clone, Debug)]
pub(super) struct Levels {
    /// Dimensions of extent 1 that are added in front, for a tile of more extents than there are dimensions.
    leading: usize,
    levels: Vec<Level>,
    extents: SmallVec<[usize; 16]>,
}

impl Levels {
    /// Over dimensions of these extents, most major first.
    ///
    /// # Errors
    /// When incomplete tiles make more elements than memory can address, or there are too many dimensions.
    pub(super) fn new(extents: &[usize], tiles: &[Tile]) -> Result<Levels, Error> {
        let leading = leading(extents.len(), tiles);
        let all = extents.len() + leading + tiles.iter().map(|tile| tile.extents().len()).sum::<usize>();
        if !tiles.is_empty() && all > MOST_DIMENSIONS {
            let message = format!("tiles that make {all} dimensions in memory, more than {MOST_DIMENSIONS}, are not supported");
            return Err(Error::new(ErrorKind::Unsupported(message)));
        }
        element_count(extents)?;
        let mut now: SmallVec<[usize; 16]> = SmallVec::from_elem(1, leading);
        now.extend_from_slice(extents);
        let levels = tiles.iter().map(|tile| level(&mut now, tile)).collect::<Result<_, _>>()?;
        Ok(Levels { leading, levels, extents: now })
    }

    /// The extents that memory has in the end, most major first.
    pub(super) fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// Whether there are tiles.
    pub(super) fn is_tiled(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Where the coordinates of the array begin among all.
    pub(super) fn leading(&self) -> usize {
        self.leading
    }

    /// From coordinates of the array to those of memory, in place.
    pub(super) fn enter(&self, at: &mut Coordinates) {
        for Level { start, cuts } in &self.levels {
            let mut read = *start;
            for (n, cut) in cuts.iter().enumerate() {
                let mut whole = 0;
                for part in &cut.parts {
                    whole = whole * part.divisor() + at[read];
                    read += 1;
                }
                at[start + n] = whole;
            }
            for (n, cut) in cuts.iter().enumerate() {
                let (outer, inner) = cut.tile.divide(at[start + n]);
                at[start + n] = outer;
                at[start + cuts.len() + n] = inner;
            }
        }
    }

    /// From coordinates of memory to those of the array, in place; `false` in the rest of an incomplete tile.
    pub(super) fn leave(&self, at: &mut Coordinates) -> bool {
        for Level { start, cuts } in self.levels.iter().rev() {
            for (n, cut) in cuts.iter().enumerate() {
                at[start + n] = at[start + n] * cut.tile.divisor() + at[start + cuts.len() + n];
                if at[start + n] >= cut.extent {
                    return false;
                }
            }
            let mut write = start + cuts.iter().map(|cut| cut.parts.len()).sum::<usize>();
            for (n, cut) in cuts.iter().enumerate().rev() {
                let mut whole = at[start + n];
                for part in cut.parts.iter().rev() {
                    write -= 1;
                    (whole, at[write]) = part.divide(whole);
                }
            }
        }
        true
    }
}

/// How many dimensions are missing in front.
fn leading(rank: usize, tiles: &[Tile]) -> usize {
    let (mut now, mut leading) = (rank, 0);
    for tile in tiles {
        let (takes, cuts) = (tile.extents().len(), tile.extents().iter().flatten().count());
        leading += takes.saturating_sub(now);
        now = now.max(takes) - takes + 2 * cuts;
    }
    leading
}

/// Cuts the most minor of the dimensions.
fn level(now: &mut SmallVec<[usize; 16]>, tile: &Tile) -> Result<Level, Error> {
    let start = now.len() - tile.extents().len();
    let (mut cuts, mut parts, mut combined) = (PerAxis::new(), PerAxis::new(), 1usize);
    for (&extent, cut) in now[start..].iter().zip(tile.extents()) {
        parts.push(Reciprocal::new(extent));
        // All extents that are not 0 together are known to have a product.
        combined *= extent;
        if let &Some(tile) = cut {
            if tile > isize::MAX as usize {
                return refuse(format!("a tile of extent {tile} has more elements than memory can address"));
            }
            cuts.push(Cut { parts: std::mem::take(&mut parts), extent: combined as u64, tile: Reciprocal::new(tile) });
            combined = 1;
        }
    }
    now.truncate(start);
    now.extend(cuts.iter().map(|cut| (cut.extent as usize).div_ceil(cut.tile.divisor() as usize)));
    now.extend(cuts.iter().map(|cut| cut.tile.divisor() as usize));
    element_count(now)?;
    Ok(Level { start, cuts })
}
