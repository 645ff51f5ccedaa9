//! Copies between two strided layouts: permutations, packing and scattering, cut into tiles that fit the caches.
//!
//! Elements are conjugated on the way where that is asked for, and change in no other way. `tiles` chooses among the kernels
//! for what is contiguous on both sides, in the words of `lines`: `kernel` transposes wide panels, `pick` puts lines together
//! from single elements where axes are short, `stage` brings short pieces together. Everything else goes by `elements`.
//!
//! Large results are written past the caches. Memory is read slowly in short pieces and written quickly in any, so tiles are
//! long in the source, and what the next tile reads is prefetched in the source's order, into the second cache. Small copies, as of what
//! other kernels stage, go by `near`, which writes lines wherever they belong. `pick` is left out where the copy is too small for a table,
//! or where the lines that elements come from would push each other out of the first cache.

mod elements;
mod kernel;
mod memory;
mod near;
mod pick;
mod stage;
#[cfg(test)]
mod tests;
mod tiles;

use self::elements::{Plane, SHORT, Table};
use self::kernel::kernels;
pub(super) use self::memory::Pair;
use self::memory::{FROM, Memory, TO};
use self::tiles::Tiles;
use super::lines::{LINE, WORDS};
use super::sink::Sink;
use super::tasks;
use crate::simd::{Caches, Simd};
use tensorwrapper_core::backend::fuse::{self, Odometer};
use tensorwrapper_core::element::Element;

/// Elements from which on tiles of lines are worth being found.
const LARGE: usize = 1 << 11;
/// The same of a copy that is made many times.
const REPEATED: usize = 1 << 8;
/// Bytes of a result from which on it is written past the caches: more than what follows would find there.
const STREAMED: usize = 2 << 20;

/// `to[…] = from[…]` for all points of the axes; `start` is the position of point 0 in both.
///
/// The caller has checked that all positions lie inside, and that no two points share one in the destination.
pub(super) fn copy<T: Element>(threads: usize, axes: Vec<Pair>, start: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
    Permutation::new(axes, size_of::<T>()).run(threads, start, from, to, conjugate);
}

/// The instructions of copies. A name in the environment that is none was refused before: every method of the device asks.
fn chosen() -> Simd {
    Simd::chosen().unwrap_or(Simd::Portable)
}

/// A copy, prepared to be made from several places to several others.
#[derive(Debug)]
pub(super) struct Permutation {
    tile: Tile,
    outer: Vec<Pair>,
    elements: usize,
    /// Whether it is written past the caches.
    stream: bool,
    /// Whether both of its sides stay in the caches, and whether a source that does not is asked for ahead then.
    near: bool,
    asks: bool,
    /// From where point 0 was to where it is after the axes were reversed.
    shift: [isize; 2],
}

/// The innermost loops.
#[derive(Debug)]
enum Tile {
    /// Lines.
    Lines(Box<Tiles>),
    /// Along two axes.
    Plane(Plane),
    /// Along several short ones.
    Table(Table),
}

impl Permutation {
    /// A copy of elements of so many bytes.
    pub(super) fn new(axes: Vec<Pair>, size: usize) -> Permutation {
        Permutation::prepared(axes, size, LARGE, 0)
    }

    /// The same of a copy that is made many times.
    pub(super) fn repeated(axes: Vec<Pair>, size: usize) -> Permutation {
        Permutation::part(axes, size, 0)
    }

    /// The same of one that is a part of a copy of so many bytes.
    pub(super) fn part(axes: Vec<Pair>, size: usize, bytes: usize) -> Permutation {
        Permutation::prepared(axes, size, REPEATED, bytes)
    }

    /// The same copy, whose source is read from memory, or from a cache that is not near, if so.
    pub(super) fn reading_far(self, asks: bool) -> Permutation {
        Permutation { asks, ..self }
    }

    /// A copy, in tiles of lines from so many elements on, that is alone or a part of one of so many bytes.
    fn prepared(mut axes: Vec<Pair>, size: usize, large: usize, bytes: usize) -> Permutation {
        let mut shift = [0, 0];
        fuse::forward(&mut axes, &mut shift, TO);
        fuse::normalise(&mut axes, &[TO, FROM]);
        let elements = fuse::points(&axes);
        let own = elements.saturating_mul(size);
        let stream = own.max(bytes) >= STREAMED;
        let near = !stream && own <= Caches::here().second / 4;
        let (tile, outer) = Permutation::tile(axes, elements >= large, size, near);
        Permutation { tile, outer, elements, stream, near, asks: false, shift }
    }

    fn tile(axes: Vec<Pair>, is_large: bool, size: usize, near: bool) -> (Tile, Vec<Pair>) {
        if is_large && let Some((tiles, outer)) = Tiles::choose(&axes, size, near) {
            return (Tile::Lines(Box::new(tiles)), outer);
        }
        let (plane, outer) = Plane::choose(axes.clone());
        if plane.column.extent * plane.row.extent < SHORT && axes.len() > 2 {
            let (table, outer) = Table::choose(axes);
            return (Tile::Table(table), outer);
        }
        (Tile::Plane(plane), outer)
    }

    /// How many elements it copies.
    pub(super) fn elements(&self) -> usize {
        self.elements
    }

    /// Makes the copy; see [`copy`].
    pub(super) fn run<T: Element>(&self, threads: usize, start: [isize; 2], from: &[T], to: Sink<'_, T>, conjugate: bool) {
        self.run_by(chosen(), threads, start, from, to, conjugate);
    }

    /// The same by these instructions.
    pub(super) fn run_by<T: Element>(
        &self,
        simd: Simd,
        threads: usize,
        start: [isize; 2],
        from: &[T],
        to: Sink<'_, T>,
        conjugate: bool,
    ) {
        let start = [start[FROM] + self.shift[FROM], start[TO] + self.shift[TO]];
        let conjugate = conjugate && T::DTYPE.is_complex();
        let kernels = kernels(simd, size_of::<T>());
        let signs = if conjugate { signs::<T>() } else { [0; WORDS] };
        let (stream, near, asks) = (self.stream, self.near, self.asks);
        tasks::split(threads, fuse::points(&self.outer), self.elements, &|range| {
            let mut walk = Odometer::new(&self.outer, &start, range.start);
            for _ in range {
                match &self.tile {
                    Tile::Plane(plane) => {
                        let (columns, rows) = plane.tile(walk.index(plane.column_axis), walk.index(plane.row_axis));
                        plane.copy(columns, rows, walk.position, from, to, conjugate);
                        walk.step();
                    }
                    Tile::Table(table) => {
                        table.copy(walk.position, from, to, conjugate);
                        walk.step();
                    }
                    Tile::Lines(tiles) => {
                        let (sizes, at) = (tiles.sizes(|axis| walk.index(axis)), walk.position);
                        walk.step();
                        debug_assert!((0..from.len() as isize).contains(&at[FROM]), "{} outside of {}", at[FROM], from.len());
                        let memory = Memory {
                            // Of the whole memory: where the source runs backwards, it is read before point 0.
                            from: from.as_ptr().wrapping_offset(at[FROM]).cast(),
                            end: from.as_ptr_range().end.cast(),
                            // SAFETY: point 0 of a tile lies inside (see `copy`).
                            to: unsafe { to.address(at[TO]) }.cast(),
                            ahead: (walk.position[FROM] - at[FROM]).wrapping_mul(size_of::<T>() as isize),
                            signs,
                            stream,
                            near,
                            asks,
                            coming: &[],
                            piece: 0,
                        };
                        // SAFETY: all positions of the tile lie inside, and belong to it alone (see `copy`); the
                        // processor has the instructions, or else they would not have been chosen.
                        unsafe { tiles.copy(kernels, &memory, sizes, size_of::<T>()) };
                    }
                }
            }
            if stream {
                // SAFETY: as above.
                unsafe { (kernels.fence)() };
            }
        });
    }
}

/// What flips the signs of imaginary parts, for as many elements as a line has.
fn signs<T: Element>() -> [u32; WORDS] {
    let element = T::from_complex(num_complex::Complex::new(0.0, -0.0));
    let mut signs = [0; WORDS];
    for at in (0..LINE).step_by(size_of::<T>()) {
        // SAFETY: elements are numbers without padding, of 4, 8 or 16 bytes, all of which divide a line.
        unsafe { signs.as_mut_ptr().cast::<u8>().add(at).cast::<T>().write_unaligned(element) };
    }
    signs
}
