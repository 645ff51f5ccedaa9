//! [`StoredBlocks`]: the blocks of a structure that are stored, in ascending order, and where each lies in one slab of memory.

use tensorwrapper_notation::sentence::counted;

use super::flow::Flow;
use super::tied_axes::has_elements;
use crate::error::{Error, ErrorKind};
use crate::shape::{Charge, Tiling};
use crate::storage::LINE;

/// Elements of a block from which on it begins at a cache line.
const LARGE: usize = 512;
/// Elements of which a multiple is whole cache lines, whatever the element type is.
const LINES: usize = LINE / 4;

/// The blocks that are stored.
///
/// Coordinates are kept side by side, block after block; so are the places where blocks begin. Elements of a block lie in C order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StoredBlocks {
    rank: usize,
    count: usize,
    coordinates: Vec<u32>,
    /// Where each block begins, and how many elements it has.
    places: Vec<(usize, usize)>,
    elements: usize,
}

impl StoredBlocks {
    /// These blocks of axes cut so, which are in ascending order.
    /// Axes that are tied to others have no elements of their own.
    pub(super) fn new<'b>(
        tilings: &[Tiling],
        ties: Option<&[usize]>,
        blocks: impl Iterator<Item = &'b [usize]>,
    ) -> Result<StoredBlocks, Error> {
        let mut found = StoredBlocks { rank: tilings.len(), count: 0, coordinates: Vec::new(), places: Vec::new(), elements: 0 };
        blocks.into_iter().try_for_each(|block| found.push(tilings, ties, block))?;
        Ok(found)
    }

    fn push(&mut self, tilings: &[Tiling], ties: Option<&[usize]>, block: &[usize]) -> Result<(), Error> {
        let too_many = || Error::new(ErrorKind::Shape(format!("blocks cut so have more than {} elements", isize::MAX / 16)));
        let axes = (0..block.len()).filter(|&axis| has_elements(ties, axis)).map(|axis| (&tilings[axis], block[axis]));
        let extents = axes.map(|(tiling, tile)| tiling.bounds()[tile + 1] - tiling.bounds()[tile]);
        let size = extents.into_iter().try_fold(1usize, |size, extent| size.checked_mul(extent)).ok_or_else(too_many)?;
        let start = if size >= LARGE { self.elements.next_multiple_of(LINES) } else { self.elements };
        self.coordinates.extend(block.iter().map(|&tile| tile as u32));
        self.places.push((start, size));
        self.count += 1;
        self.elements = start.checked_add(size).filter(|&end| end <= isize::MAX as usize / 16).ok_or_else(too_many)?;
        Ok(())
    }

    /// Number of blocks.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Elements of the slab in which all blocks lie.
    pub fn elements(&self) -> usize {
        self.elements
    }

    /// Elements of all blocks: the slab has more where large ones begin at cache lines.
    pub fn filled(&self) -> usize {
        self.places.iter().map(|(_, size)| size).sum()
    }

    /// The coordinates of a block.
    ///
    /// # Panics
    /// When there is no such block.
    pub fn block(&self, number: usize) -> Vec<usize> {
        self.coordinates(number).iter().map(|&tile| tile as usize).collect()
    }

    fn coordinates(&self, number: usize) -> &[u32] {
        &self.coordinates[number * self.rank..(number + 1) * self.rank]
    }

    /// The coordinates of all blocks, in ascending order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vec<usize>> + '_ {
        (0..self.count).map(|number| self.block(number))
    }

    /// Where a block begins in the slab.
    ///
    /// # Panics
    /// When there is no such block.
    pub fn start(&self, number: usize) -> usize {
        self.places[number].0
    }

    /// How many elements a block has.
    ///
    /// # Panics
    /// When there is no such block.
    pub fn size(&self, number: usize) -> usize {
        self.places[number].1
    }

    /// The number of the block at these coordinates, if it is stored.
    pub fn find(&self, block: &[usize]) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            let own = self.coordinates(middle).iter().map(|&tile| tile as usize);
            match own.cmp(block.iter().copied()) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}

/// All blocks of axes cut so that follow from no others and conserve the charge.
pub(super) fn all(
    tilings: &[Tiling],
    is_first: &dyn Fn(&[usize]) -> bool,
    flow: Option<&Flow>,
    most: usize,
) -> Result<StoredBlocks, Error> {
    let mut found = StoredBlocks::new(tilings, None, std::iter::empty())?;
    let mut walk = Walk { tilings, is_first, flow, most, found: &mut found, visited: 0 };
    walk.axis(&mut vec![0; tilings.len()], 0, flow.map(|flow| flow.group().neutral()))?;
    Ok(found)
}

/// A walk over all blocks, the last axis the fastest.
struct Walk<'a> {
    tilings: &'a [Tiling],
    is_first: &'a dyn Fn(&[usize]) -> bool,
    flow: Option<&'a Flow>,
    most: usize,
    found: &'a mut StoredBlocks,
    visited: usize,
}

impl Walk<'_> {
    /// All tiles of an axis, where those of the axes before it are known and have this charge.
    fn axis(&mut self, block: &mut Vec<usize>, axis: usize, charge: Option<Charge>) -> Result<(), Error> {
        let Some(tiling) = self.tilings.get(axis) else {
            if charge.as_deref() == self.flow.map(Flow::total) && (self.is_first)(block) {
                self.found.push(self.tilings, None, block)?;
            }
            return Ok(());
        };
        for tile in 0..tiling.len() {
            self.visited += 1;
            if self.visited > self.most {
                let cuts: Vec<String> = self.tilings.iter().map(|tiling| counted(tiling.len(), "tile")).collect();
                let message = format!("axes of {} make more than {} blocks", cuts.join(", "), self.most);
                return Err(
                    Error::new(ErrorKind::Shape(message)).with_help("use fewer, larger tiles, or say which blocks are there")
                );
            }
            block[axis] = tile;
            let charge = match (&charge, self.flow, tiling.charges().map(|charges| charges.of(tile))) {
                (Some(sum), Some(flow), Some(own)) => {
                    let mut sum = sum.clone();
                    flow.group().add(&mut sum, flow.signs()[axis], own);
                    Some(sum)
                }
                _ => None,
            };
            self.axis(block, axis + 1, charge)?;
        }
        Ok(())
    }
}
