//! The shape of a copy's tiles: what is contiguous in the result, and what in the source.
//!
//! Knows strides only, and neither elements nor instructions.

use super::super::few;
use super::super::lines::LINE;
use super::kernel::Kernels;
use super::memory::{Boxes, FROM, MOST_ROWS, Memory, Pair, Panel, Picked, Runs, TO};
use super::near::transpose_words;
use super::stage::PIECE;
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer};

/// Columns of a panel.
const COLUMNS: usize = 1024;
/// Rows of a panel.
const ROWS: usize = 256;
/// Columns below which many of a panel's lines would be parts, so that rows are brought together first where they follow each
/// other.
const NARROW: usize = 64;
/// Elements that are written in one piece, and read in one, where axes are short: each such piece ends with parts of lines.
const WRITTEN: usize = 1024;
const READ: usize = 512;
/// Pieces of a tile beyond which they are not asked for before they are read.
const PIECES: usize = 2048;
/// Elements of a run below which a run costs more than its elements.
const SHORTEST: usize = 3;
/// Elements of a tile of runs.
const TILE: usize = 1 << 14;
/// Elements of a stretch that is picked: what tells where they are is to stay in the caches.
const STRETCH: usize = 4096;
/// Lines from which elements are picked one after the other, at most: half of a small first cache.
const LINES: usize = 256;
/// Stretches of a copy from which on the table that they share is worth its making, which takes as long as a dozen copies of a stretch.
const OFTEN: usize = 64;

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
    /// All its axes, the last one as far as a piece reaches.
    axes: Vec<Pair>,
}

/// What a tile's kernel is, and what its two or three groups are to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Columns, rows.
    Panel,
    /// Elements of a run, starts of runs.
    Runs,
    /// Columns, rows, starts of boxes.
    Boxes,
    /// Elements of a stretch.
    Picked,
}

/// Tiles of one kind.
#[derive(Debug)]
pub(super) struct Tiles {
    pub(super) kind: Kind,
    groups: [Group; 4],
    /// Where what the first three groups are to the kernel begins again on both sides, for each point of the last one: so that
    /// the source is read in pieces that are not too short.
    again: Vec<[isize; 2]>,
    /// Where the pieces of a tile begin that are contiguous in the source, and their elements.
    pieces: Vec<isize>,
    len: usize,
    /// Where the elements of a stretch are in the source.
    places: Vec<i32>,
}

impl Group {
    /// A group of one point.
    fn one() -> Group {
        Group { offsets: vec![0], inner: 1, cut: Axis { extent: 1, strides: [0, 0] }, piece: 1, counted: None, axes: Vec::new() }
    }

    /// Takes axes that follow each other on one side, from that one on; at most so many points make up a piece.
    fn take(axes: &mut Vec<Pair>, first: usize, side: usize, most: usize, only: impl Fn(&Pair) -> bool) -> Group {
        let mut group = Group::one();
        let mut taken: Vec<Pair> = Vec::new();
        let step = axes[first].strides[side];
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
            let reach = fuse::points(&taken) as isize * step;
            next = axes.iter().position(|axis| axis.strides[side] == reach && only(axis));
        }
        group.offsets = positions(&taken).map(|position| position[1 - side]).collect();
        group.axes = taken;
        group
    }

    /// Takes axes that make pieces of the source longer, beside those that a tile has; of elements that there are already in one.
    fn longer(axes: &mut Vec<Pair>, tile: &[&Group]) -> Group {
        let (_, len) = pieces(tile.iter().flat_map(|group| group.axes.iter().copied()).collect());
        match axes.iter().position(|axis| axis.strides[FROM] == len as isize) {
            Some(next) if len < READ => Group::take(axes, next, FROM, READ / len, |_| true),
            _ => Group::one(),
        }
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
    /// the outer axes. `near`: both memories stay in the caches.
    pub(super) fn choose(axes: &[Pair], size: usize, near: bool) -> Option<(Tiles, Vec<Pair>)> {
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
            let most = (WRITTEN / run.len()).max(2);
            let starts = next.map_or_else(Group::one, |next| Group::take(&mut rest, next, TO, most, |_| true));
            let again = Group::longer(&mut rest, &[&run, &starts]);
            return Some(Tiles::new(Kind::Runs, [run, starts, Group::one(), again], rest));
        }
        let row = *axes.iter().find(|axis| axis.strides[FROM] == 1)?;
        if let Some(picked) = Tiles::picked(axes, &row, size) {
            return Some(picked);
        }
        let first = axes[last];
        let columns = Group::take(&mut rest, last, TO, COLUMNS, |axis| *axis != row);
        let at = rest.iter().position(|axis| *axis == row)?;
        if columns.len() < NARROW && row.strides[TO] == columns.len() as isize && !columns.is_cut() {
            let rows = Group::take(&mut rest, at, FROM, ROWS, |_| false);
            let elements = columns.len() * rows.len();
            let next = follows(&rest, elements).filter(|_| !rows.is_cut());
            let most = (WRITTEN / elements).max(1);
            let starts = next.map_or_else(Group::one, |next| Group::take(&mut rest, next, TO, most, |_| true));
            let again = Group::longer(&mut rest, &[&columns, &rows, &starts]);
            return (elements >= LINE / 4).then(|| Tiles::new(Kind::Boxes, [columns, rows, starts, again], rest));
        }
        // Memory is read slowly in short pieces, and written quickly in any: so rows choose their axes first.
        let mut rest = axes.to_vec();
        let at = rest.iter().position(|axis| *axis == row)?;
        let rows = Group::take(&mut rest, at, FROM, ROWS, |axis| *axis != first);
        let last = rest.iter().position(|axis| *axis == first)?;
        let columns = Group::take(&mut rest, last, TO, COLUMNS, |_| true);
        let is_wide = columns.len() >= 4 && rows.len() >= if near { (LINE / size / 4).max(2) } else { LINE / 8 };
        is_wide.then(|| Tiles::new(Kind::Panel, [columns, rows, Group::one(), Group::one()], rest))
    }

    /// A stretch of the result that reaches over both the axis that is contiguous there and the one that is in the source: where
    /// one of them is short, square tiles would be partly unused. None where the table of places would not be used often
    /// enough to be worth its making, or lines would leave the cache before all of their elements have been picked.
    fn picked(axes: &[Pair], row: &Pair, size: usize) -> Option<(Tiles, Vec<Pair>)> {
        let columns = usize::try_from(row.strides[TO]).ok()?;
        // Panels and boxes of so long rows were as fast (20 × 40 000, 200 × 10 003).
        if columns > LINES || row.extent > ROWS || fuse::points(axes) < OFTEN * STRETCH {
            return None;
        }
        // What is nearer in the result than elements of a row are: if that has no gaps, a stretch reaches over it and the row.
        let near = Group::take(&mut axes.to_vec(), axes.len() - 1, TO, columns, |_| true);
        if near.len() != columns || is_crowded(&near.offsets, LINE / size) {
            return None;
        }
        let mut rest = axes.to_vec();
        let stretch = Group::take(&mut rest, axes.len() - 1, TO, STRETCH, |_| true);
        let places: Vec<i32> = stretch.offsets.iter().map(|&place| i32::try_from(place)).collect::<Result<_, _>>().ok()?;
        let again = Group::longer(&mut rest, &[&stretch]);
        let (tiles, outer) = Tiles::new(Kind::Picked, [stretch, Group::one(), Group::one(), again], rest);
        Some((Tiles { places, ..tiles }, outer))
    }

    fn new(kind: Kind, mut groups: [Group; 4], rest: Vec<Pair>) -> (Tiles, Vec<Pair>) {
        let mut outer: Vec<(isize, Pair, Option<usize>)> = rest.into_iter().map(|axis| (axis.strides[TO], axis, None)).collect();
        for (n, group) in groups.iter().enumerate().filter(|(_, group)| group.is_cut()) {
            let strides = group.cut.strides.map(|stride| stride.wrapping_mul(group.piece as isize));
            let pieces = Axis { extent: group.cut.extent.div_ceil(group.piece), strides };
            outer.push((group.cut.strides[TO], pieces, Some(n)));
        }
        // In the result's order, so that tiles that follow each other are written side by side.
        few::sort_by_key(&mut outer, |(stride, ..)| std::cmp::Reverse(stride.unsigned_abs()));
        for (at, (.., group)) in outer.iter().enumerate() {
            if let Some(group) = group {
                groups[*group].counted = Some(at);
            }
        }
        // Panels ask for their own.
        let (pieces, len) = match kind {
            Kind::Panel => (Vec::new(), 1),
            Kind::Runs | Kind::Boxes | Kind::Picked => {
                pieces(groups.iter().flat_map(|group| group.axes.iter().copied()).collect())
            }
        };
        let again = positions(&groups[3].axes).collect();
        (Tiles { kind, groups, again, pieces, len, places: Vec::new() }, outer.into_iter().map(|(_, axis, _)| axis).collect())
    }

    /// Sizes of the groups in the tile that has these indices along the outer axes.
    pub(super) fn sizes(&self, index: impl Fn(usize) -> usize) -> [usize; 4] {
        std::array::from_fn(|n| self.groups[n].size(self.groups[n].counted.map_or(0, &index)))
    }

    /// Copies a tile of these sizes.
    ///
    /// # Safety
    /// All its positions lie inside their memories, and belong to it alone; the processor has the kernels' instructions.
    pub(super) unsafe fn copy(&self, kernels: &Kernels, memory: &Memory<'_>, sizes: [usize; 4], size: usize) {
        let parts = sizes[3];
        for (n, again) in self.again[..parts].iter().enumerate() {
            let [from, to] = again.map(|position| position * size as isize);
            let memory = Memory {
                from: memory.from.wrapping_offset(from),
                to: memory.to.wrapping_offset(to),
                ahead: memory.ahead.wrapping_sub(from),
                coming: &self.pieces[self.pieces.len() * n / parts..self.pieces.len() * (n + 1) / parts],
                piece: self.len * size,
                ..*memory
            };
            // SAFETY: the caller's promise.
            unsafe { self.copy_one(kernels, &memory, sizes, size) };
        }
    }

    /// What the first three groups are to the kernel.
    ///
    /// # Safety
    /// As [`Tiles::copy`].
    unsafe fn copy_one(&self, kernels: &Kernels, memory: &Memory<'_>, sizes: [usize; 4], size: usize) {
        let [first, second, third, _] = &self.groups;
        // SAFETY: the caller's promise; a panel has rows enough.
        unsafe {
            match self.kind {
                Kind::Picked => (kernels.pick)(memory, Picked { places: &self.places[..sizes[0]] }),
                Kind::Runs => (kernels.copy)(memory, Runs { starts: &second.offsets[..sizes[1]], len: sizes[0] }),
                Kind::Boxes => {
                    let (starts, columns) = (&third.offsets[..sizes[2]], &first.offsets[..sizes[0]]);
                    (kernels.boxes)(memory, Boxes { starts, columns, rows: sizes[1] })
                }
                Kind::Panel => {
                    let panel = Panel { columns: &first.offsets[..sizes[0]], rows: &second.offsets[..sizes[1]] };
                    if memory.near || sizes[1] >= LINE / size {
                        (kernels.transpose)(memory, panel)
                    } else {
                        transpose_words(memory, panel, size)
                    }
                }
            }
        }
    }
}

/// Where the points of some axes are on both sides.
fn positions(axes: &[Pair]) -> impl Iterator<Item = [isize; 2]> {
    let mut walk = Odometer::new(axes, &[0, 0], 0);
    (0..fuse::points(axes)).map(move |_| {
        let position = walk.position;
        walk.step();
        position
    })
}

/// Where the pieces of some axes begin that are contiguous in the source, in its order, and their elements.
fn pieces(mut axes: Vec<Pair>) -> (Vec<isize>, usize) {
    axes.retain(|axis| axis.strides[FROM] != 0);
    fuse::sort(&mut axes, &[FROM]);
    let mut len = 1;
    while let Some(axis) = axes.pop_if(|axis| axis.strides[FROM] == len as isize) {
        len *= axis.extent;
    }
    if fuse::points(&axes) > PIECES {
        return (Vec::new(), len);
    }
    (positions(&axes).map(|position| position[FROM]).collect(), len)
}

/// Whether the lines of these places would put each other out of the first cache, of so many elements each: most caches have 64 sets
/// of at least 8 lines, of which some are for what is read on the way.
fn is_crowded(places: &[isize], elements: usize) -> bool {
    let mut sets = [0usize; 64];
    let mut last = None;
    for line in places.iter().map(|place| place.div_euclid(elements as isize)) {
        if last.replace(line) != Some(line) {
            sets[line.rem_euclid(sets.len() as isize) as usize] += 1;
        }
    }
    sets.iter().map(|lines| lines.saturating_sub(6)).sum::<usize>() > places.len() / 10
}

// A stretch goes over eight elements of each row and more, so that lines are used while they are in the cache.
const _: () = assert!(STRETCH / LINES >= 2 * LINE / 8);
const _: () = assert!(ROWS <= MOST_ROWS && ROWS.is_multiple_of(LINE / 4) && NARROW <= PIECE / LINE);
