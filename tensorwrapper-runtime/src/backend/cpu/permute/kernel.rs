//! The innermost loops of copies, one source for all sizes of elements and sets of instructions; tables choose among what was
//! compiled.
//!
//! Results are written as whole cache lines, which do not have to be read first; large ones past the caches.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use super::super::engine::Simd;
#[cfg(target_arch = "x86_64")]
use super::lines::x86;
use super::lines::{LINE, Line, WORDS, Words};
use super::stage::{copy_runs, turn_boxes};

/// Rows of a panel at most.
pub(super) const MOST_ROWS: usize = 128;

/// What every kernel is told: memory, the same everywhere in a copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// The first element that is read, and the end of what may be.
    pub(super) from: *const u8,
    pub(super) end: *const u8,
    /// The first element that is written.
    pub(super) to: *mut u8,
    /// From where this is read to where the next call reads.
    pub(super) ahead: isize,
    /// What turns the sign of imaginary parts; zero where nothing is conjugated.
    pub(super) signs: [u32; WORDS],
    /// Whether results are written past the caches.
    pub(super) stream: bool,
}

/// Columns that are contiguous in the result, rows that are contiguous in the source; at least a line's elements of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel<'a> {
    /// Where each column starts in the source, in elements.
    pub(super) columns: &'a [isize],
    /// Where each row starts in the result.
    pub(super) rows: &'a [isize],
}

/// Runs that are contiguous on both sides and follow each other in the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs<'a> {
    /// Where each run starts in the source, in elements.
    pub(super) starts: &'a [isize],
    /// Elements of a run.
    pub(super) len: usize,
}

/// Small matrices that are turned and follow each other in the result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes<'a> {
    /// Where each of them starts in the source, in elements.
    pub(super) starts: &'a [isize],
    /// Where each column starts; its elements are contiguous in the source.
    pub(super) columns: &'a [isize],
    /// Elements of a column.
    pub(super) rows: usize,
}

/// The kernels for elements of one size and one set of instructions.
pub(super) struct Kernels {
    pub(super) turn: unsafe fn(&Memory, Panel<'_>),
    pub(super) copy: unsafe fn(&Memory, Runs<'_>),
    pub(super) boxes: unsafe fn(&Memory, Boxes<'_>),
    pub(super) fence: unsafe fn(),
}

/// The kernels for elements of so many bytes.
pub(super) fn kernels(simd: Simd, size: usize) -> &'static Kernels {
    macro_rules! compiled {
        ($L:ty, $edge:literal $(, $features:literal)?) => {{
            $(#[target_feature(enable = $features)])?
            unsafe fn turn(memory: &Memory, panel: Panel<'_>) {
                // SAFETY: the caller's promise.
                unsafe { turn_panel::<$L, $edge>(memory, panel) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn copy(memory: &Memory, runs: Runs<'_>) {
                // SAFETY: the caller's promise.
                unsafe { copy_runs::<$L, $edge>(memory, runs) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn boxes(memory: &Memory, boxes: Boxes<'_>) {
                // SAFETY: the caller's promise.
                unsafe { turn_boxes::<$L, $edge>(memory, boxes) }
            }
            $(#[target_feature(enable = $features)])?
            unsafe fn fence() {
                // SAFETY: the caller's promise.
                unsafe { <$L>::fence() }
            }
            static KERNELS: Kernels = Kernels { turn, copy, boxes, fence };
            &KERNELS
        }};
    }
    macro_rules! sized {
        ($L:ty $(, $features:literal)?) => {
            match size {
                4 => compiled!($L, 16 $(, $features)?),
                8 => compiled!($L, 8 $(, $features)?),
                16 => compiled!($L, 4 $(, $features)?),
                other => unreachable!("elements of {other} bytes"),
            }
        };
    }
    match simd {
        #[cfg(target_arch = "x86_64")]
        Simd::Avx512 => sized!(x86::Whole, "avx512f,avx2"),
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => sized!(x86::Halves, "avx2"),
        #[cfg(not(target_arch = "x86_64"))]
        Simd::Avx512 | Simd::Avx2 => unreachable!("{simd:?} is not available here"),
        Simd::Neon | Simd::Portable => sized!(Words),
    }
}

/// Addresses, so many bytes further on. A loop, as closures over arrays are compiled without the kernel's instructions.
#[inline(always)]
pub(super) fn moved<const EDGE: usize>(from: &[*const u8; EDGE], bytes: usize) -> [*const u8; EDGE] {
    let mut moved = *from;
    for address in &mut moved {
        *address = address.wrapping_add(bytes);
    }
    moved
}

/// Writes a line, or the words of it that belong to the result.
#[inline(always)]
pub(super) unsafe fn write<L: Line>(line: L, to: *mut u8, stream: bool) {
    // SAFETY: the caller's promise: a line that may be written, its address a multiple of its size.
    unsafe { if stream { line.stream(to) } else { line.store(to) } }
}

/// Writes some words of a line.
#[inline(never)]
pub(super) unsafe fn write_part(line: &[u32; WORDS], to: *mut u8, words: std::ops::Range<usize>) {
    for word in words {
        // SAFETY: the caller's promise.
        unsafe { to.wrapping_add(4 * word).cast::<u32>().write_unaligned(line[word]) };
    }
}

#[inline(always)]
pub(super) unsafe fn spill<L: Line>(line: L) -> [u32; WORDS] {
    let mut words = [0; WORDS];
    // SAFETY: a line is as large as its words.
    unsafe { line.store(words.as_mut_ptr().cast()) };
    words
}

/// Turns a panel: line after line of all rows, each from as many columns.
///
/// # Safety
/// All elements of the panel lie inside their memories, and nobody else touches those of the result.
#[inline(always)]
unsafe fn turn_panel<L: Line, const EDGE: usize>(memory: &Memory, panel: Panel<'_>) {
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
        if joined {
            Turning::<EDGE> { memory, panel, lead, shifts }.run::<L, true>();
        } else {
            Turning::<EDGE> { memory, panel, lead, shifts }.run::<L, false>();
        }
    }
}

/// A panel on its way.
struct Turning<'a, const EDGE: usize> {
    memory: &'a Memory,
    panel: Panel<'a>,
    /// Columns of the first line that do not exist.
    lead: usize,
    shifts: [usize; MOST_ROWS],
}

impl<const EDGE: usize> Turning<'_, EDGE> {
    const WIDTH: usize = WORDS / EDGE;
    const SIZE: usize = LINE / EDGE;

    #[inline(always)]
    unsafe fn run<L: Line, const JOINED: bool>(&self) {
        let (memory, rows) = (self.memory, self.panel.rows);
        let size = Self::SIZE as isize;
        let (len, lead) = (self.panel.columns.len() * Self::WIDTH, self.lead * Self::WIDTH);
        let widest = if JOINED { WORDS - 1 } else { 0 };
        // SAFETY: the caller's promise; see the comments.
        unsafe {
            let signs = L::load(memory.signs.as_ptr().cast());
            // Each row's last line of columns, of which its next line starts with a part.
            let mut earlier = [signs; MOST_ROWS];
            for line in 0..(len + lead + widest).div_ceil(WORDS) {
                let (from, coming) = self.addresses(line);
                // Words from a row's start to this line, if it started with its first line.
                let before = (line * WORDS) as isize - lead as isize;
                // Whole in every row: none starts in it or after it, none ends before its end.
                let is_whole = before >= widest as isize && (line + 1) * WORDS <= len;
                for (n, rows) in rows.chunks(EDGE).enumerate() {
                    let mut first = n * EDGE;
                    let skipped = EDGE - rows.len();
                    // The last square may overlap with the one before.
                    first -= skipped;
                    let above = first * Self::SIZE;
                    for coming in coming {
                        L::prefetch(coming.wrapping_add(above));
                    }
                    let turned = L::turn::<EDGE>(&moved(&from, above));
                    if is_whole && skipped == 0 {
                        let rows: &[isize; EDGE] = rows.try_into().unwrap_unchecked();
                        let shifts = self.shifts.as_ptr().add(first);
                        let earlier = earlier.as_mut_ptr().add(first);
                        for n in 0..EDGE {
                            let mut new = turned[n].xor(signs);
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
                        self.write_parts::<L, JOINED>(turned, earlier, first, skipped, before);
                    }
                }
            }
        }
    }

    /// Where the columns of a line start, and those of the line after it, which may be the next tile's.
    #[inline(always)]
    fn addresses(&self, line: usize) -> ([*const u8; EDGE], [*const u8; EDGE]) {
        let (memory, columns) = (self.memory, self.panel.columns);
        // Columns before the first and after the last one are read from these, and not written.
        let start = |column: usize| columns[column.min(columns.len() - 1)] * Self::SIZE as isize;
        let (mut from, mut coming) = ([memory.from; EDGE], [memory.from; EDGE]);
        for n in 0..EDGE {
            let column = (line * EDGE + n).saturating_sub(self.lead);
            from[n] = memory.from.wrapping_offset(start(column));
            let column = column + EDGE;
            let offset = if column < columns.len() { start(column) } else { start(n).wrapping_add(memory.ahead) };
            coming[n] = memory.from.wrapping_offset(offset);
        }
        (from, coming)
    }

    /// The lines of a square that are parts, or not of all rows.
    #[inline(always)]
    unsafe fn write_parts<L: Line, const JOINED: bool>(
        &self,
        turned: [L; EDGE],
        earlier: &mut [L],
        first: usize,
        skipped: usize,
        before: isize,
    ) {
        let len = (self.panel.columns.len() * Self::WIDTH) as isize;
        // SAFETY: the caller's promise.
        unsafe {
            let signs = L::load(self.memory.signs.as_ptr().cast());
            for (n, (turned, earlier)) in turned[skipped..].iter().zip(earlier).enumerate() {
                let row = first + skipped + n;
                let mut new = turned.xor(signs);
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
                    write_part(&spill(new), to, words.start as usize..words.end as usize);
                }
            }
        }
    }
}
