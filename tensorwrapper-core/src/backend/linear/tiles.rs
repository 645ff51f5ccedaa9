//! Matrices walked in tiles, so that both sides of a copy that transposes stay in the nearest cache.

/// Rows and columns that are copied together, so that both sides stay in the nearest cache.
const TILE: usize = 16;

/// Transposes contiguous lines: element `k` of line `n` goes to `k · stride + n`.
pub(crate) fn transpose<'s, T: Copy + 's>(
    lines: usize,
    length: usize,
    line: impl Fn(usize) -> &'s [T],
    to: &mut [T],
    stride: usize,
) {
    for first in (0..length).step_by(TILE) {
        let last = (first + TILE).min(length);
        for start in (0..lines).step_by(TILE) {
            for n in start..(start + TILE).min(lines) {
                let places = to[first * stride + n..].iter_mut().step_by(stride.max(1));
                line(n)[first..last].iter().zip(places).for_each(|(&x, place)| *place = x);
            }
        }
    }
}

/// Visits all places of a matrix in tiles.
pub(crate) fn tiles(rows: usize, columns: usize, mut visit: impl FnMut(usize, usize)) {
    for first_column in (0..columns).step_by(TILE) {
        for first_row in (0..rows).step_by(TILE) {
            for column in first_column..(first_column + TILE).min(columns) {
                for row in first_row..(first_row + TILE).min(rows) {
                    visit(row, column);
                }
            }
        }
    }
}
