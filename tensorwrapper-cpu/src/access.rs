//! How an operand of an element-wise program is read along the axes of a chunk. Knows neither programs nor memory.

use smallvec::SmallVec;
use tensorwrapper_core::backend::fuse::Axis;

/// A stride for each input in their order, then that of the output: few enough to need no memory of their own.
pub(super) type PerOperand = SmallVec<[isize; 4]>;

/// Elements of a row of a block at least: shorter rows are left to tiles of any axes.
pub(super) const LEAST: usize = 16;

/// How an operand lies along the axes of the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessPattern {
    /// Every element is the same one.
    Constant,
    /// Neighbours are neighbours in memory.
    Contiguous,
    /// A chunk is a block of two axes, as a whole.
    Block(BlockAccess),
    /// Anything else.
    Strided,
}

impl AccessPattern {
    pub(super) fn of(axes: &[Axis<PerOperand>], operand: usize) -> AccessPattern {
        let mut stride = 1;
        let mut contiguous = true;
        for axis in axes.iter().rev() {
            contiguous &= axis.strides[operand] == stride;
            stride = stride.wrapping_mul(axis.extent as isize);
        }
        match contiguous {
            _ if axes.iter().all(|axis| axis.strides[operand] == 0) => AccessPattern::Constant,
            true => AccessPattern::Contiguous,
            false => AccessPattern::Strided,
        }
    }
}

/// How an operand lies in the blocks of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockAccess {
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// From a row to the next one, and from a column.
    pub(super) row: isize,
    pub(super) column: isize,
}

impl BlockAccess {
    /// Of an operand along the two axes of a block.
    pub(super) fn of([across, along]: [&Axis<PerOperand>; 2], operand: usize) -> BlockAccess {
        let (row, column) = (across.strides[operand], along.strides[operand]);
        BlockAccess { rows: across.extent, columns: along.extent, row, column }
    }

    /// Whether its rows are neighbours in memory, and enough of them to be written one after the other.
    pub(super) fn has_rows(self) -> bool {
        self.column == 1 && self.columns >= LEAST
    }
}
