//! The shape of a copy's tiles: what is contiguous in the result, and what in the source.
//!
//! Knows strides only, and neither elements nor instructions.

use super::super::fuse::{self, Axis, Odometer};
use super::kernel::{Boxes, Kernels, MOST_ROWS, Memory, Panel, Runs};
use super::lines::LINE;
use super::stage::PIECE;
use super::{FROM, Pair, TO};

/// Columns of a panel.
const COLUMNS: usize = 1024;
/// Rows of a panel.
const ROWS: usize = 64;
/// Columns below which a panel's lines would mostly be parts, so that rows are brought together first.
const NARROW: usize = 64;
/// Elements of a run below which a run costs more than its elements.
const SHORTEST: usize = 3;
/// Elements of a tile of runs.
const TILE: usize = 1 << 14;
/// The largest element.
const LARGEST: usize = 16;

/// Several axes as one, the last of which may be cut into pieces.
#[derive(Debug)]
struct Group {
    /// Positions along the group on the side where it is not contiguous, for as many points as the largest piece has.
    offsets: Vec<isize>,
    /// Points for each index of the axis that is cut.
    inner: usize,
    /// The axis that is cut, as it was.
    cut: Pair,
    piece: usize,
    /// Where the pieces are counted among the outer axes.
    counted: Option<usize>,
}

/// What a tile's kernel is, and what its two or three groups are to it.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Columns, rows.
    Panel,
    /// Elements of a run, starts of runs.
    Runs,
    /// Columns, rows, starts of boxes.
    Boxes,
}

/// Tiles of one kind.
#[derive(Debug)]
pub(super) struct Tiles {
    kind: Kind,
    groups: [Group; 3],
}

impl Group {
    /// A group of one point.
    fn one() -> Group {
        Group { offsets: vec![0], inner: 1, cut: Axis { extent: 1, strides: [0, 0] }, piece: 1, counted: None }
    }

    /// Takes axes that follow each other on one side, from that one on; at most so many points make up a piece.
    fn take(axes: &mut Vec<Pair>, first: usize, side: usize, most: usize, only: impl Fn(&Pair) -> bool) -> Group {
        let mut group = Group::one();
        let mut taken: Vec<Pair> = Vec::new();
        let mut next = Some(first);
        while let Some(n) = next {
            let axis = axes[n];
            let room = most / fuse::points(&taken);
            if room < 2 {
                break;
            }
            group.inner = fuse::points(&taken);
            let pieces = axis.extent.div_ceil(room);
            group.piece = axis.extent.div_ceil(pieces);
            if taken.is_empty() && pieces > 1 {
                // Whole lines, whatever the size of elements, if there is room.
                group.piece = group.piece.next_multiple_of(LINE / 4).min(room);
            }
            group.cut = axis;
            axes.remove(n);
            taken.insert(0, Axis { extent: group.piece, strides: axis.strides });
            if pieces > 1 {
                break;
            }
            let reach = fuse::points(&taken) as isize;
            next = axes.iter().position(|axis| axis.strides[side] == reach && only(axis));
        }
        let mut walk = Odometer::new(&taken, &[0, 0], 0);
        let positions = (0..fuse::points(&taken)).map(|_| {
            let position = walk.position[1 - side];
            walk.step();
            position
        });
        group.offsets = positions.collect();
        group
    }

    fn is_cut(&self) -> bool {
        self.piece < self.cut.extent
    }

    /// Points of the largest piece.
    fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Points of the piece of that number.
    fn size(&self, piece: usize) -> usize {
        self.inner * self.piece.min(self.cut.extent - piece * self.piece)
    }
}

impl Tiles {
    /// Takes tiles out of axes in normal form, if there is something contiguous on each side; what is left, and the tiles, are
    /// the outer axes.
    pub(super) fn choose(axes: &[Pair]) -> Option<(Tiles, Vec<Pair>)> {
        let last = axes.len().checked_sub(1)?;
        let mut rest = axes.to_vec();
        let [from, to] = axes[last].strides;
        if to != 1 {
            return None;
        }
        let follows = |axes: &[Pair], reach: usize| axes.iter().position(|axis| axis.strides[TO] == reach as isize);
        if from == 1 {
            if axes[last].extent < SHORTEST {
                return None;
            }
            let run = Group::take(&mut rest, last, TO, TILE, |_| false);
            let next = follows(&rest, run.len()).filter(|_| !run.is_cut());
            let starts = next.map_or_else(Group::one, |next| Group::take(&mut rest, next, TO, TILE / run.len(), |_| true));
            return Some(Tiles::new(Kind::Runs, [run, starts, Group::one()], rest));
        }
        let row = *axes.iter().find(|axis| axis.strides[FROM] == 1)?;
        let columns = Group::take(&mut rest, last, TO, COLUMNS, |axis| *axis != row);
        let at = rest.iter().position(|axis| *axis == row)?;
        if columns.len() < NARROW && row.strides[TO] == columns.len() as isize && !columns.is_cut() {
            let rows = Group::take(&mut rest, at, FROM, PIECE / LARGEST / columns.len(), |_| false);
            let elements = columns.len() * rows.len();
            let next = follows(&rest, elements).filter(|_| !rows.is_cut());
            let starts = next.map_or_else(Group::one, |next| Group::take(&mut rest, next, TO, TILE / elements, |_| true));
            return (elements >= LINE / 4).then(|| Tiles::new(Kind::Boxes, [columns, rows, starts], rest));
        }
        let rows = Group::take(&mut rest, at, FROM, ROWS, |_| true);
        let is_wide = columns.len() >= 4 && rows.len() >= LINE / 8;
        is_wide.then(|| Tiles::new(Kind::Panel, [columns, rows, Group::one()], rest))
    }

    fn new(kind: Kind, mut groups: [Group; 3], rest: Vec<Pair>) -> (Tiles, Vec<Pair>) {
        let mut outer: Vec<(isize, Pair, Option<usize>)> = rest.into_iter().map(|axis| (axis.strides[TO], axis, None)).collect();
        for (n, group) in groups.iter().enumerate().filter(|(_, group)| group.is_cut()) {
            let strides = group.cut.strides.map(|stride| stride.wrapping_mul(group.piece as isize));
            let pieces = Axis { extent: group.cut.extent.div_ceil(group.piece), strides };
            outer.push((group.cut.strides[TO], pieces, Some(n)));
        }
        // In the result's order, so that tiles that follow each other are written side by side.
        outer.sort_by_key(|(stride, ..)| std::cmp::Reverse(stride.unsigned_abs()));
        for (at, (.., group)) in outer.iter().enumerate() {
            if let Some(group) = group {
                groups[*group].counted = Some(at);
            }
        }
        (Tiles { kind, groups }, outer.into_iter().map(|(_, axis, _)| axis).collect())
    }

    /// Sizes of the groups in the tile that has these indices along the outer axes.
    pub(super) fn sizes(&self, index: impl Fn(usize) -> usize) -> [usize; 3] {
        std::array::from_fn(|n| self.groups[n].size(self.groups[n].counted.map_or(0, &index)))
    }

    /// Copies a tile of these sizes.
    ///
    /// # Safety
    /// All its positions lie inside their memories, and belong to it alone; the processor has the kernels' instructions.
    pub(super) unsafe fn copy(&self, kernels: &Kernels, memory: &Memory, sizes: [usize; 3], size: usize) {
        let [first, second, third] = &self.groups;
        // SAFETY: the caller's promise; a panel has rows enough.
        unsafe {
            match self.kind {
                Kind::Runs => (kernels.copy)(memory, Runs { starts: &second.offsets[..sizes[1]], len: sizes[0] }),
                Kind::Boxes => {
                    let (starts, columns) = (&third.offsets[..sizes[2]], &first.offsets[..sizes[0]]);
                    (kernels.boxes)(memory, Boxes { starts, columns, rows: sizes[1] })
                }
                Kind::Panel => {
                    let panel = Panel { columns: &first.offsets[..sizes[0]], rows: &second.offsets[..sizes[1]] };
                    if sizes[1] >= LINE / size { (kernels.turn)(memory, panel) } else { turn_few(memory, panel, size) }
                }
            }
        }
    }
}

/// A panel of fewer rows than a line has elements.
///
/// # Safety
/// As [`Tiles::copy`].
unsafe fn turn_few(memory: &Memory, panel: Panel<'_>, size: usize) {
    for (n, row) in panel.rows.iter().enumerate() {
        for (m, column) in panel.columns.iter().enumerate() {
            let from = memory.from.wrapping_offset((column + n as isize) * size as isize).cast::<u32>();
            let to = memory.to.wrapping_offset((row + m as isize) * size as isize).cast::<u32>();
            for word in 0..size / 4 {
                // SAFETY: the caller's promise.
                unsafe { to.add(word).write_unaligned(from.add(word).read_unaligned() ^ memory.signs[word]) };
            }
        }
    }
}

const _: () = assert!(ROWS <= MOST_ROWS && ROWS.is_multiple_of(LINE / 4));
