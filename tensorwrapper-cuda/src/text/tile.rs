//! Tiles: the blocks of a contraction's result that blocks of threads compute, and how deep the factors are cut for them.

use super::route::Route;
use super::syntax::MANY_BLOCKS;
use tensorwrapper_core::element::{Dtype, EveryDtype};

/// About how many multiprocessors a GPU has.
const MULTIPROCESSORS: usize = MANY_BLOCKS / 2;
/// How many blocks of the few threads that a tile has a GPU runs at once.
const BLOCKS: usize = 2 * MANY_BLOCKS;
/// The fewest terms that are worth a part of a sum of their own.
const LEAST_PART: usize = 256;

/// A block of the result, how deep factors are cut, and the threads that compute it: as warps where there are tensor cores,
/// otherwise as a square of threads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tile {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) depth: usize,
    pub(super) threads: usize,
    /// Warps along rows and columns.
    pub(super) warps: [usize; 2],
    /// Side of the square of threads.
    pub(super) side: usize,
    /// How many tiles of each factor have room in shared memory.
    pub(super) stages: usize,
    /// Elements between the lines of a tile in shared memory, so that threads that read different lines use different banks.
    pub(super) gap: usize,
    /// How many blocks are to have room on a multiprocessor, where there are so many.
    resident: usize,
}

/// A product of matrices: rows, columns and terms, and how many there are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) terms: usize,
    pub(super) items: usize,
}

impl Sizes {
    /// How many tiles cover the results.
    fn blocks(self, tile: Tile) -> usize {
        self.rows.div_ceil(tile.rows) * self.columns.div_ceil(tile.columns) * self.items
    }

    /// How many elements all tiles have together, those beyond the edges included.
    fn covered(self, tile: Tile) -> usize {
        self.blocks(tile) * tile.rows * tile.columns
    }
}

impl Tile {
    /// A tile by warps that use tensor cores.
    const fn by_warps([rows, columns, depth]: [usize; 3], warps: [usize; 2]) -> Tile {
        Tile { rows, columns, depth, threads: 32 * warps[0] * warps[1], warps, side: 0, stages: 4, gap: 4, resident: 1 }
    }

    /// A tile by a square of 64 threads.
    const fn by_threads([rows, columns, depth]: [usize; 3], gap: usize) -> Tile {
        Tile { rows, columns, depth, threads: 64, warps: [0; 2], side: 8, stages: 4, gap, resident: 1 }
    }

    /// The same tile with so many blocks on a multiprocessor.
    const fn together(self, resident: usize) -> Tile {
        Tile { resident, ..self }
    }

    /// How many of that many blocks a multiprocessor is to have room for, by the registers of their threads.
    pub(super) fn resident(&self, blocks: usize) -> usize {
        if blocks >= self.resident * MULTIPROCESSORS { self.resident } else { 1 }
    }

    /// The tiles of an element type for results with many elements. The first is the fastest if none of it lies beyond an edge.
    ///
    /// Several blocks of these sizes share a multiprocessor, so that one writes while others read. On an H100 that was faster, in
    /// sums of all lengths, than one block of 256 threads with a larger tile (`docs/results/cuda.md`).
    fn large(dtype: Dtype) -> &'static [Tile] {
        const F64: [Tile; 3] = [
            Tile::by_warps([64, 64, 8], [2, 2]).together(4),
            Tile::by_warps([128, 32, 8], [4, 1]).together(4),
            Tile::by_warps([32, 128, 8], [1, 4]).together(4),
        ];
        const F32: [Tile; 3] = [
            Tile::by_threads([64, 64, 8], 4).together(8),
            Tile::by_threads([64, 32, 8], 4).together(8),
            Tile::by_threads([32, 64, 8], 4).together(8),
        ];
        const C32: [Tile; 1] = [Tile::by_threads([32, 32, 8], 2)];
        const C64: [Tile; 1] = [Tile::by_threads([32, 32, 8], 1)];
        match dtype.every() {
            EveryDtype::F64 => &F64,
            EveryDtype::F32 => &F32,
            EveryDtype::C32 => &C32,
            EveryDtype::C64 => &C64,
        }
    }

    /// The tile of an element type for results with few elements.
    fn small(dtype: Dtype) -> Tile {
        match dtype.every() {
            EveryDtype::F64 => Tile::by_warps([32, 32, 16], [2, 2]),
            EveryDtype::F32 => Tile::by_threads([32, 32, 16], 4),
            // They have one.
            EveryDtype::C32 | EveryDtype::C64 => Tile::large(dtype)[0],
        }
    }

    /// The large tile that covers a result with the least beyond its edges. A narrow one has to save an eighth.
    fn fitting(dtype: Dtype, sizes: Sizes) -> Tile {
        let tiles = Tile::large(dtype);
        let cost = |(n, tile): &(usize, &Tile)| sizes.covered(**tile) * if *n == 0 { 8 } else { 9 };
        *tiles.iter().enumerate().min_by_key(cost).expect("each type has a tile").1
    }

    /// The tile for a contraction, and the number of parts into which its sums are cut.
    pub(super) fn and_parts(dtype: Dtype, sizes: Sizes, route: Route) -> (Tile, usize) {
        let (small, large) = (Tile::small(dtype), Tile::fitting(dtype, sizes));
        match route {
            Route::LargeTiles => (large, 1),
            Route::SmallTiles | Route::Threads => (small, 1),
            Route::Parts => (small, 2),
            Route::Chosen | Route::Library => {
                let most = (sizes.terms / LEAST_PART).max(1);
                let tile = if sizes.blocks(large) * most < BLOCKS / 4 { small } else { large };
                let blocks = sizes.blocks(tile);
                (tile, if blocks < BLOCKS / 2 { (BLOCKS / blocks).min(most) } else { 1 })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(dtype: Dtype, [rows, columns, terms, items]: [usize; 4]) -> ([usize; 2], usize) {
        let (tile, parts) = Tile::and_parts(dtype, Sizes { rows, columns, terms, items }, Route::Chosen);
        ([tile.rows, tile.columns], parts)
    }

    #[test]
    fn tiles_fit_the_result_and_fill_a_gpu() {
        assert_eq!(chosen(Dtype::F64, [4096, 4096, 24, 1]), ([64, 64], 1));
        // Half of a wide tile would lie beyond the edge.
        assert_eq!(chosen(Dtype::F64, [97344, 24, 312, 1]), ([128, 32], 1));
        assert_eq!(chosen(Dtype::F32, [24, 97344, 312, 1]), ([32, 64], 1));
        // An eighth is not enough.
        assert_eq!(chosen(Dtype::F64, [4096, 450, 24, 1]), ([64, 64], 1));
        // Few elements: short sums by small tiles, long sums in parts.
        assert_eq!(chosen(Dtype::F64, [300, 300, 64, 1]), ([32, 32], 1));
        assert_eq!(chosen(Dtype::F64, [312, 296, 92352, 1]), ([64, 64], 21));
        assert_eq!(chosen(Dtype::C64, [20, 20, 100, 1]), ([32, 32], 1));
    }
}
