//! Lines of a matrix that are sorted side by side, by the network of `networks.rs`: each block of them is copied to the lanes of vectors,
//! sorted, and copied to the result. Lines that are rows are transposed on the way, in tiles that stay in registers.

use std::array::from_fn;

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::stored::Stored;
use tensorwrapper_cpu::{Loops, vectorised_reads};

use super::networks::{FEW, Row, Sorted};

/// Whether there are enough lines, and these are short enough, for the network to be ahead of sorting each line by itself.
pub(super) fn pays(extent: usize, lines: usize) -> bool {
    const LONGEST: usize = 1 << 17;
    // Fewer take as long as all lanes.
    const FEWEST: usize = 4;
    // Elements of which blocks take less time than their beginnings.
    const ENOUGH: usize = 256;
    lines >= FEWEST && (2..=LONGEST).contains(&extent) && extent * lines >= ENOUGH
}

/// Where the lines of a row-major matrix are that are sorted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Lines {
    Rows,
    Columns,
}

/// Columns as rows. To riffle the rows of the upper half with those of the lower half, a pair of rows into the next two, moves the first
/// bit of an element's row and column, read as one number, behind the last one; half of the bits are to be moved.
#[inline(always)]
fn transposed<T: Copy, const L: usize>(mut tile: [[T; L]; L]) -> [[T; L]; L] {
    for _ in 0..L.ilog2() {
        tile = from_fn(|row| {
            let (upper, lower, from) = (&tile[row / 2], &tile[(row + L) / 2], row % 2 * (L / 2));
            from_fn(|n| if n % 2 == 0 { upper[from + n / 2] } else { lower[from + n / 2] })
        });
    }
    tile
}

/// Copies lines, which may be the same, to lanes.
struct Read<'l, T, P, const L: usize>([&'l [T]; L], &'l mut [Row<T, P, L>]);

impl<T: Stored, P, const L: usize> Loops for Read<'_, T, P, L> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        let Read(lines, rows) = self;
        let (tiles, rest) = rows.as_chunks_mut::<L>();
        let done = tiles.len() * L;
        for (rows, start) in tiles.iter_mut().zip((0..).step_by(L)) {
            let tile = transposed(from_fn(|n| *lines[n][start..].first_chunk().expect("lines are as long as there are rows")));
            for n in 0..L {
                rows[n].elements = tile[n];
            }
        }
        for (row, n) in rest.iter_mut().zip(done..) {
            row.elements = from_fn(|lane| lines[lane][n]);
        }
    }
}

/// Copies lanes to lines, of which there may be fewer.
struct Write<'l, T, P, U, F, const L: usize>(&'l [Row<T, P, L>], &'l mut [U], F);

impl<T, P, U: Copy, F: Fn(&Row<T, P, L>) -> [U; L], const L: usize> Loops for Write<'_, T, P, U, F, L> {
    type Result = ();
    #[inline(always)]
    fn run(self) {
        let Write(rows, to, result) = self;
        let (tiles, rest) = rows.as_chunks::<L>();
        for (tile, start) in tiles.iter().zip((0..).step_by(L)) {
            let tile = transposed(from_fn(|n| result(&tile[n])));
            for (line, elements) in to.chunks_exact_mut(rows.len()).zip(tile) {
                *line[start..].first_chunk_mut().expect("lines are as long as there are rows") = elements;
            }
        }
        for (row, n) in rest.iter().zip(tiles.len() * L..) {
            for (line, element) in to.chunks_exact_mut(rows.len()).zip(result(row)) {
                line[n] = element;
            }
        }
    }
}

struct HasNan<'l, T>(&'l [T]);

impl<T: Stored> Loops for HasNan<'_, T> {
    type Result = bool;
    #[inline(always)]
    #[allow(clippy::eq_op, reason = "NaN differs from itself")]
    fn run(self) -> bool {
        self.0.iter().fold(false, |found, x| found | (x != x))
    }
}

/// Copies a block of lines, the first one of this number, to the lanes of rows.
fn read_lines<T: Stored, P, const L: usize>(
    (from, extent, lines): (&[T], usize, Lines),
    start: usize,
    rows: &mut [Row<T, P, L>],
) {
    let number = from.len() / extent;
    match lines {
        Lines::Rows => {
            let line = |lane: usize| &from[(start + lane).min(number - 1) * extent..][..extent];
            vectorised_reads(Read(from_fn(line), rows));
        }
        Lines::Columns => {
            rows.iter_mut().zip(from.chunks_exact(number)).for_each(|(row, line)| match line[start..].first_chunk() {
                Some(elements) => row.elements = *elements,
                None => row.elements[..number].copy_from_slice(line),
            });
        }
    }
}

/// Writes the largest element of each lane to the rows behind the last one, so that they stay there.
fn fill_missing<T: Stored + PartialOrd, P, const L: usize>(rows: &[Row<T, P, L>], missing: &mut [Row<T, P, L>]) {
    if missing.is_empty() {
        return;
    }
    let larger = |x: T, y: T| if x < y { y } else { x };
    let largest = from_fn(|lane| rows.iter().fold(rows[0].elements[lane], |x, row| larger(x, row.elements[lane])));
    missing.iter_mut().for_each(|row| row.elements = largest);
}

/// Copies the lanes of rows to a block of lines, the first one of this number.
fn write_lines<T, P, U: Copy, const L: usize>(
    rows: &[Row<T, P, L>],
    (to, number, lines): (&mut [U], usize, Lines),
    start: usize,
    result: impl Fn(&Row<T, P, L>) -> [U; L] + Copy,
) {
    match lines {
        Lines::Rows => vectorised_reads(Write(rows, &mut to[start * rows.len()..number.min(start + L) * rows.len()], result)),
        Lines::Columns => {
            rows.iter().zip(to.chunks_exact_mut(number)).for_each(|(row, line)| match line[start..].first_chunk_mut() {
                Some(elements) => *elements = result(row),
                None => line.copy_from_slice(&result(row)[..number]),
            });
        }
    }
}

/// Sorts each line of `extent` elements, and writes something of each element in its order. Returns whether it did: lines with NaN are
/// left to the caller, who has to write all of the result.
fn by_blocks<T: Stored + PartialOrd, P: Copy + Ord, U: Copy, const L: usize>(
    (from, extent, lines): (&[T], usize, Lines),
    to: &mut [U],
    place: impl Fn(usize) -> P,
    result: impl Fn(&Row<T, P, L>) -> [U; L] + Copy,
) -> Result<bool, Error> {
    let (number, len) = (from.len() / extent, extent.next_multiple_of(FEW));
    let mut memory = Vec::new();
    let refused = |_| Error::new(ErrorKind::Memory { bytes: len as u128 * size_of::<Row<T, P, L>>() as u128 });
    memory.try_reserve_exact(len).map_err(refused)?;
    memory.resize(len, Row { elements: [T::default(); L], places: [place(0); L] });
    // The last block begins where it is whole, if there is one.
    for start in (0..number).step_by(L).map(|start| start.min(number.saturating_sub(L))) {
        // Each block looks for NaN in its own share of the elements; together the shares are all of them. If lines are rows, it reads
        // its share next.
        if vectorised_reads(HasNan(&from[start * extent..number.min(start + L) * extent])) {
            return Ok(false);
        }
        let (rows, missing) = memory.split_at_mut(extent);
        read_lines((from, extent, lines), start, rows);
        fill_missing(rows, missing);
        if size_of::<P>() > 0 {
            memory.iter_mut().enumerate().for_each(|(n, row)| row.places = [place(n); L]);
        }
        vectorised_reads(Sorted(&mut memory));
        write_lines(&memory[..extent], (&mut *to, number, lines), start, result);
    }
    Ok(true)
}

fn sort_in<T: Stored + PartialOrd, const L: usize>(from: (&[T], usize, Lines), to: &mut [T]) -> Result<bool, Error> {
    by_blocks(from, to, |_| (), |row: &Row<T, (), L>| row.elements)
}

/// Sorts lines of a row-major matrix, each of so many elements. Returns whether it did: if there is a NaN, it returns false, and the
/// result holds arbitrary values.
///
/// # Errors
/// The system has no memory for some lines.
pub(super) fn sort<T: Stored + PartialOrd>(from: (&[T], usize, Lines), to: &mut [T]) -> Result<bool, Error> {
    // As many lanes as fill the widest vector.
    if size_of::<T>() == 8 { sort_in::<T, 8>(from, to) } else { sort_in::<T, 16>(from, to) }
}

/// The same of where the elements were, of equal ones the first one first.
///
/// # Errors
/// As [`sort`].
pub(super) fn argsort<T: Stored + PartialOrd>(from: (&[T], usize, Lines), to: &mut [i64]) -> Result<bool, Error> {
    // Places are as wide as elements, so that vectors have as many of them. Lines are short enough for 32 bits.
    if size_of::<T>() == 8 {
        by_blocks(from, to, |n| n as i64, |row: &Row<T, i64, 8>| row.places)
    } else {
        by_blocks(from, to, |n| n as i32, |row: &Row<T, i32, 16>| from_fn(|lane| i64::from(row.places[lane])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Elements of few kinds, so that many are equal.
    fn drawn(len: usize, state: &mut u64) -> Vec<f64> {
        let mut draw = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (*state >> 33) as f64
        };
        (0..len).map(|_| draw() % 50.0 - 25.0).collect()
    }

    /// Lines as rows, from rows or columns and back.
    fn flipped<T: Copy>(matrix: &[T], columns: usize) -> Vec<T> {
        (0..columns).flat_map(|column| matrix.iter().copied().skip(column).step_by(columns)).collect()
    }

    /// Compares both functions with sorting each line by itself, whichever way lines lie.
    fn check<T: Stored + PartialOrd>(lines: &[T], extent: usize) {
        let (number, len) = (lines.len() / extent, lines.len());
        let mut expected: Vec<(T, i64)> = lines.iter().copied().zip((0..extent as i64).cycle()).collect();
        expected.chunks_exact_mut(extent).for_each(|line| line.sort_by(|x, y| x.partial_cmp(y).unwrap()));
        let (sorted, places): (Vec<T>, Vec<i64>) = expected.into_iter().unzip();
        let columns = flipped(lines, extent);
        for (from, side) in [(lines, Lines::Rows), (&columns[..], Lines::Columns)] {
            let (mut elements, mut at) = (vec![T::default(); len], vec![0; len]);
            assert!(sort((from, extent, side), &mut elements).unwrap() && argsort((from, extent, side), &mut at).unwrap());
            if let Lines::Columns = side {
                (elements, at) = (flipped(&elements, number), flipped(&at, number));
            }
            assert_eq!(elements, sorted, "{number} {side:?} of {extent}");
            assert_eq!(at, places, "{number} {side:?} of {extent}");
        }
    }

    /// Lines that end anywhere within the powers of two, and across the rows that are merged first.
    #[test]
    fn lines_are_sorted_as_each_is_by_itself() {
        let mut state = 1;
        for extent in (2..70).chain([255, 256, 257, 300, 511, 513, 1000, 1025, 2100]) {
            let lines = drawn(extent * (1 + (state >> 40) as usize % 40), &mut state);
            check(&lines, extent);
            check(&lines.iter().map(|&x| x as f32).collect::<Vec<_>>(), extent);
            check(&lines.iter().map(|&x| x > 0.0).collect::<Vec<_>>(), extent);
        }
    }

    #[test]
    fn lines_with_nan_are_left_alone() {
        for at in [0, 7, 50, 79] {
            let mut lines = [0.0; 80];
            lines[at] = f64::NAN;
            for side in [Lines::Rows, Lines::Columns] {
                assert!(!sort((&lines, 4, side), &mut [0.0; 80]).unwrap() && !argsort((&lines, 4, side), &mut [0; 80]).unwrap());
            }
        }
    }
}
