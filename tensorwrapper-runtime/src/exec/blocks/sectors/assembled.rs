//! From dense matrices of sectors to a block tensor, with the blocks that may be there.
//!
//! Knows nothing of how the matrices are computed.

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;

use super::matrix::{BlockMatrix, COLUMNS, Line, ROWS, Sector};
use crate::tensor::Blocks;

/// Lines of a sector of which it is found out at most which ones lead to which; of more, all blocks may be there.
const MOST_REACHED: usize = 4096;

/// Which lines of a sector its blocks lead to, from row to column, in any number of steps, none among them. A power of a matrix
/// has no other blocks, nor has what is a sum of powers: an inverse, or an exponential. So triangles stay triangles.
pub(super) struct Reach {
    words: usize,
    /// A bit for each column, row by row; nothing where all are reached.
    bits: Option<Vec<u64>>,
}

impl Reach {
    /// What is known of a sector. Where rows and columns are not the same tiles, there are no steps.
    pub(super) fn of(matrix: &BlockMatrix<'_>, sector: &Sector<'_>) -> Reach {
        let [rows, columns] = &sector.lines;
        let (count, words) = (rows.len(), rows.len().div_ceil(64));
        if rows != columns || count > MOST_REACHED || sector.blocks.len() == count * count {
            return Reach { words, bits: None };
        }
        let mut bits = vec![0; count * words];
        let line = |side: usize, block: &[usize]| matrix.line(sector, side, block);
        let pairs = sector.blocks.iter().map(|image| (line(ROWS, &image.block), line(COLUMNS, &image.block)));
        for (row, column) in pairs.chain((0..count).map(|n| (n, n))) {
            bits[row * words + column / 64] |= 1 << (column % 64);
        }
        for through in 0..count {
            let known = bits[through * words..][..words].to_vec();
            for row in bits.chunks_exact_mut(words).filter(|row| row[through / 64] >> (through % 64) & 1 == 1) {
                row.iter_mut().zip(&known).for_each(|(word, known)| *word |= known);
            }
        }
        Reach { words, bits: Some(bits) }
    }

    /// Whether there is a way.
    pub(super) fn leads(&self, row: usize, column: usize) -> bool {
        self.bits.as_ref().is_none_or(|bits| bits[row * self.words + column / 64] >> (column % 64) & 1 == 1)
    }
}

/// A dense matrix of a result, row by row: its rows and columns, and which blocks of them may be other than zero.
pub(super) struct Part<'p, T> {
    pub(super) lines: [Vec<Line>; 2],
    pub(super) has: Box<dyn Fn(usize, usize) -> bool + 'p>,
    pub(super) matrix: Vec<T>,
}

/// A block tensor in this frame, whose rows are these axes, of the matrices of its sectors.
///
/// # Errors
/// Memory, and those of the device.
pub(super) fn assembled<T: Element>(
    device: &dyn Device,
    frame: &Structure,
    rows: &[usize],
    parts: Vec<Part<'_, T>>,
) -> Result<Blocks<T>, Error> {
    let axes = BlockMatrix::new(frame, rows)?.axes;
    let blocks: Vec<Vec<Vec<usize>>> = parts.iter().map(|part| part.blocks(&axes)).collect();
    let structure = frame.with_blocks(blocks.iter().flatten())?;
    let matrix = BlockMatrix { structure: &structure, axes };
    let mut result = Blocks::zeros(&structure)?;
    for (Part { lines, matrix: elements, .. }, blocks) in parts.into_iter().zip(&blocks) {
        let extents = [ROWS, COLUMNS].map(|side| lines[side].iter().map(|line| line.extent).sum());
        let sector = Sector { charge: None, lines, extents, blocks: Vec::new() };
        matrix.scatter(device, &sector, (&elements, blocks), result.slab_mut())?;
    }
    // Rounding may tell elements of one block apart that follow from each other.
    result.make_consistent()?;
    Ok(result)
}

impl<T> Part<'_, T> {
    /// The blocks that may be other than zero, in a tensor whose rows and columns are these axes.
    fn blocks(&self, axes: &[Vec<usize>; 2]) -> Vec<Vec<usize>> {
        let mut found = Vec::new();
        for (n, row) in self.lines[ROWS].iter().enumerate() {
            for (m, column) in self.lines[COLUMNS].iter().enumerate() {
                if (self.has)(n, m) {
                    let mut block = vec![0; axes[ROWS].len() + axes[COLUMNS].len()];
                    for (axes, line) in axes.iter().zip([row, column]) {
                        axes.iter().zip(&line.tiles).for_each(|(&axis, &tile)| block[axis] = tile);
                    }
                    found.push(block);
                }
            }
        }
        found
    }
}
