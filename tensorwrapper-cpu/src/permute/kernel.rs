//! The innermost loops of copies, one source for all sizes of elements and sets of instructions; tables choose among what was
//! compiled.
//!
//! Results are written as whole cache lines, which do not have to be read first; large ones past the caches.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::super::lines::{LINE, Line, WORDS, by_line_and_size};
use super::memory::{Boxes, Coming, MOST_ROWS, Memory, Panel, Picked, Runs, ask_edges, moved, write};
use super::near::{copy_lines, transpose_each, transpose_squares};
use super::pick::pick_lines;
use super::stage::{copy_runs, transpose_boxes};
use crate::simd::Simd;

/// Lines of a row that are written one after the other.
const BLOCK: usize = 4;

/// The kernels for elements of one size and one set of instructions.
pub(super) struct Kernels {
    pub(super) transpose: unsafe fn(&Memory<'_>, Panel<'_>),
    pub(super) copy: unsafe fn(&Memory<'_>, Runs<'_>),
    pub(super) boxes: unsafe fn(&Memory<'_>, Boxes<'_>),
    pub(super) pick: unsafe fn(&Memory<'_>, Picked<'_>),
    pub(super) fence: unsafe fn(),
}

/// The kernels for elements of so many bytes.
pub(super) fn kernels(simd: Simd, size: usize) -> &'static Kernels {
    macro_rules! compiled {
        ($L:ty, $edge:literal $(, $features:literal)?) => {{
            $(#[target_feature(enable = $features)])?
            unsafe fn transpose(memory: &Memory<'_>, panel: Panel<'_>) {
                // SAFETY: the caller's promise.
                unsafe { if memory.near { transpose_squares::<$L, $edge>(memory, panel) } else { transpose_panel::<$L, $edge>(memory, panel) } }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn copy(memory: &Memory<'_>, runs: Runs<'_>) {
                // SAFETY: the caller's promise.
                unsafe { if memory.near { copy_lines::<$L, $edge>(memory, runs) } else { copy_runs::<$L, $edge>(memory, runs) } }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn boxes(memory: &Memory<'_>, boxes: Boxes<'_>) {
                // SAFETY: the caller's promise.
                unsafe {
                    if memory.near {
                        transpose_each::<$L, $edge>(memory, boxes)
                    } else {
                        transpose_boxes::<$L, $edge>(memory, boxes)
                    }
                }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn pick(memory: &Memory<'_>, picked: Picked<'_>) {
                // SAFETY: the caller's promise.
                unsafe { pick_lines::<$L, $edge>(memory, picked) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn fence() {
                // SAFETY: the caller's promise.
                unsafe { <$L>::fence() }
            }
            static KERNELS: Kernels = Kernels { transpose, copy, boxes, pick, fence };
            &KERNELS
        }};
    }
    by_line_and_size!(simd, size, compiled)
}

/// Transposes a panel: line after line of all rows, each from as many columns.
///
/// # Safety
/// All elements of the panel lie inside their memories, and nobody else touches those of the result.
#[inline(always)]
unsafe fn transpose_panel<L: Line, const EDGE: usize>(memory: &Memory<'_>, panel: Panel<'_>) {
    let (rows, size, width) = (panel.rows, LINE / EDGE, WORDS / EDGE);
    debug_assert!((EDGE..=MOST_ROWS).contains(&rows.len()));
    // How far from the start of a line each row starts, in words. The first row's lines are those that columns are cut into;
    // other rows' lines are joined from the ends of two.
    let words = |row: isize| (memory.to as usize).wrapping_add_signed(row * size as isize) % LINE / 4;
    let lead = words(rows[0]) / width;
    let mut shifts = [0; MOST_ROWS];
    let mut joined = false;
    for (shift, &row) in shifts.iter_mut().zip(rows) {
        *shift = (words(row) + WORDS - lead * width) % WORDS;
        joined |= *shift != 0;
    }
    // SAFETY: the caller's promise.
    unsafe {
        if memory.stream {
            for &row in rows {
                ask_edges::<L>(memory.to.wrapping_offset(row * size as isize), panel.columns.len() * size);
            }
        }
        if joined {
            PanelTranspose::<EDGE> { memory, panel, lead, shifts }.run::<L, true>();
        } else {
            PanelTranspose::<EDGE> { memory, panel, lead, shifts }.run::<L, false>();
        }
    }
}

/// A panel on its way.
struct PanelTranspose<'a, const EDGE: usize> {
    memory: &'a Memory<'a>,
    panel: Panel<'a>,
    /// Columns of the first line that do not exist.
    lead: usize,
    shifts: [usize; MOST_ROWS],
}

impl<const EDGE: usize> PanelTranspose<'_, EDGE> {
    const WIDTH: usize = WORDS / EDGE;
    const SIZE: usize = LINE / EDGE;

    #[inline(always)]
    unsafe fn run<L: Line, const JOINED: bool>(&self) {
        let (memory, rows) = (self.memory, self.panel.rows);
        let size = Self::SIZE as isize;
        let (len, lead) = (self.panel.columns.len() * Self::WIDTH, self.lead * Self::WIDTH);
        let widest = if JOINED { WORDS - 1 } else { 0 };
        let lines = (len + lead + widest).div_ceil(WORDS);
        // SAFETY: the caller's promise; see the comments.
        unsafe {
            let signs = L::load(memory.signs.as_ptr().cast());
            // Each row's last line of columns, of which its next line starts with a part.
            let mut earlier = [signs; MOST_ROWS];
            let mut line = 0;
            while line < lines {
                let end = if line + BLOCK < lines { line + BLOCK } else { lines };
                let mut from = [[memory.from; EDGE]; BLOCK];
                for n in line..end {
                    from[n - line] = self.addresses(n);
                }
                let mut coming = self.coming(end, (end - line) * rows.len().div_ceil(EDGE));
                for (n, rows) in rows.chunks(EDGE).enumerate() {
                    let mut first = n * EDGE;
                    let skipped = EDGE - rows.len();
                    // The last square may overlap with the one before.
                    first -= skipped;
                    for line in line..end {
                        coming.ask::<L>();
                        // Words from a row's start to this line, if it started with its first line.
                        let before = (line * WORDS) as isize - lead as isize;
                        // Whole in every row: none starts in it or after it, none ends before its end.
                        let is_whole = before >= widest as isize && (line + 1) * WORDS <= len;
                        let transposed = L::transpose::<EDGE>(&moved(&from[line % BLOCK], first * Self::SIZE));
                        if is_whole && skipped == 0 {
                            let rows: &[isize; EDGE] = rows.try_into().unwrap_unchecked();
                            let shifts = self.shifts.as_ptr().add(first);
                            let earlier = earlier.as_mut_ptr().add(first);
                            for n in 0..EDGE {
                                let mut new = transposed[n].xor(signs);
                                let mut to = memory.to.wrapping_offset(rows[n] * size + 4 * before);
                                if JOINED {
                                    let shift = *shifts.add(n);
                                    let joined = (*earlier.add(n)).join(new, WORDS - shift);
                                    *earlier.add(n) = new;
                                    (new, to) = (joined, to.wrapping_sub(4 * shift));
                                }
                                write(new, to, memory.stream);
                            }
                        } else {
                            let earlier = &mut earlier[first + skipped..];
                            self.write_parts::<L, JOINED>(transposed, earlier, first, skipped, before);
                        }
                    }
                }
                line = end;
            }
        }
    }

    /// Where the columns of a line start. Columns before the first and after the last one are read from these, and not written.
    #[inline(always)]
    fn addresses(&self, line: usize) -> [*const u8; EDGE] {
        let (memory, columns) = (self.memory, self.panel.columns);
        let mut from = [memory.from; EDGE];
        for n in 0..EDGE {
            let column = (line * EDGE + n).saturating_sub(self.lead).min(columns.len() - 1);
            from[n] = memory.from.wrapping_offset(columns[column] * Self::SIZE as isize);
        }
        from
    }

    /// The columns of the block that starts with that line, or of the first one of the next tile, to be asked for in so many steps.
    #[inline(always)]
    fn coming(&self, line: usize, steps: usize) -> Coming<'_> {
        let (memory, columns) = (self.memory, self.panel.columns);
        let first = line * EDGE - self.lead;
        let (from, first) =
            if first < columns.len() { (memory.from, first) } else { (memory.from.wrapping_offset(memory.ahead), 0) };
        let columns = &columns[first..(first + BLOCK * EDGE).min(columns.len())];
        Coming::new(from, columns, Self::SIZE, self.panel.rows.len() * Self::SIZE, steps)
    }

    /// The lines of a square that are parts, or not of all rows.
    #[inline(always)]
    unsafe fn write_parts<L: Line, const JOINED: bool>(
        &self,
        transposed: [L; EDGE],
        earlier: &mut [L],
        first: usize,
        skipped: usize,
        before: isize,
    ) {
        let len = (self.panel.columns.len() * Self::WIDTH) as isize;
        // SAFETY: the caller's promise.
        unsafe {
            let signs = L::load(self.memory.signs.as_ptr().cast());
            for (n, (transposed, earlier)) in transposed[skipped..].iter().zip(earlier).enumerate() {
                let row = first + skipped + n;
                let mut new = transposed.xor(signs);
                let shift = if JOINED { self.shifts[row] } else { 0 };
                if JOINED {
                    let joined = earlier.join(new, WORDS - shift);
                    (*earlier, new) = (new, joined);
                }
                // Words of the row before this line; negative where the row starts in it.
                let before = before - shift as isize;
                let words = (-before).max(0)..(len - before).min(WORDS as isize);
                let to = self.memory.to.wrapping_offset(self.panel.rows[row] * Self::SIZE as isize + 4 * before);
                if words == (0..WORDS as isize) {
                    write(new, to, self.memory.stream);
                } else if !words.is_empty() {
                    new.store_words(to, words.start as usize..words.end as usize);
                }
            }
        }
    }
}
