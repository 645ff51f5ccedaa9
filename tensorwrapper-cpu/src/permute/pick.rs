//! Copies whose results are contiguous, put together from single elements whose places a table holds: where axes are short on both
//! sides, square tiles would be partly unused.

use super::super::lines::{LINE, Line, WORDS};
use super::memory::{Coming, Memory, Picked, ask_edges, write};

/// Puts a stretch of the result together, line by line.
///
/// # Safety
/// All elements lie inside their memories, and nobody else touches those of the result.
#[inline(always)]
pub(super) unsafe fn pick_lines<L: Line, const EDGE: usize>(memory: &Memory<'_>, picked: Picked<'_>) {
    let (places, size) = (picked.places, LINE / EDGE);
    let start = memory.to as usize % LINE;
    // Where elements lie across lines, no line is theirs alone.
    let is_straight = start.is_multiple_of(size);
    let head = if is_straight { ((LINE - start) % LINE / size).min(places.len()) } else { 0 };
    let stream = memory.stream && is_straight;
    let (first, rest) = places.split_at(head);
    let (lines, last) = rest.as_chunks::<EDGE>();
    // SAFETY: the caller's promise.
    unsafe {
        if stream {
            ask_edges::<L>(memory.to, places.len() * size);
        }
        let signs = L::load(memory.signs.as_ptr().cast());
        let from = memory.from.wrapping_offset(memory.ahead);
        let mut coming = Coming::new(from, memory.coming, size, memory.piece, lines.len());
        pick_elements::<EDGE>(memory, first, memory.to);
        let mut to = memory.to.wrapping_add(head * size);
        for places in lines {
            coming.ask::<L>();
            write(L::pick::<EDGE>(memory.from, places).xor(signs), to, stream);
            to = to.wrapping_add(LINE);
        }
        pick_elements::<EDGE>(memory, last, to);
    }
}

/// Elements that are less than a line.
///
/// # Safety
/// As [`pick_lines`].
#[inline(always)]
unsafe fn pick_elements<const EDGE: usize>(memory: &Memory<'_>, places: &[i32], to: *mut u8) {
    for (n, &place) in places.iter().enumerate() {
        let from = memory.from.wrapping_offset(place as isize * (LINE / EDGE) as isize).cast::<u32>();
        let to = to.wrapping_add(n * LINE / EDGE).cast::<u32>();
        for word in 0..WORDS / EDGE {
            // SAFETY: the caller's promise.
            unsafe { to.add(word).write_unaligned(from.add(word).read_unaligned() ^ memory.signs[word]) };
        }
    }
}
