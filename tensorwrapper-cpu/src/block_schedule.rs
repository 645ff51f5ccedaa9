//! Element-wise programs with an input that lies across, in blocks of two axes: a line of that input's neighbours along one, some lines of
//! the result along the other. All that a block needs is in the first cache at a time, and what the next one needs in the second.
//!
//! Measured on Zen 5 with `a·A + b·Bᵀ − A·Bᵀ/C`, in C: passes over blocks of 512 `f64` went at 85 to 95 % of a copy, over ones of 1024 at
//! 66, and over rows of 512 from tiles of 32 768 at 50 (`docs/results/memory.md`).

use std::ops::Range;

use super::access::{BlockAccess, LEAST, PerOperand};
use super::lines::{Line, by_line_and_size};
use super::loops::{Axes, Grid, Plan};
use super::multiversion::{LINE, prefetch_line};
use crate::simd::Simd;
use tensorwrapper_core::backend::fuse::Axis;

/// Elements of a block along the result's neighbours.
const COLUMNS: usize = 64;
/// What shares of a block are counted in: no division is to be done for each.
pub(super) const WHOLE: usize = 1 << 8;
/// A part of the loops, all of whose chunks are blocks of one size, and where its operands start.
pub(super) struct BlockPart {
    pub(super) plan: Plan,
    pub(super) start: Vec<isize>,
}

/// Cuts a plan that reduces nothing into blocks because of inputs that lie across, if they all have their neighbours along one
/// axis that is long enough: whole blocks, and those at the ends of both axes.
pub(super) fn parts(plan: &Plan, start: &[isize], crossed: &[bool], size: usize) -> Option<Vec<BlockPart>> {
    let axes = plan.kept.axes();
    let (output, height) = (start.len() - 1, LINE / size);
    let is_across = |axis: &Axis<PerOperand>| crossed.iter().zip(&axis.strides).all(|(crossed, stride)| !crossed || *stride == 1);
    let across = axes.iter().position(is_across)?;
    let along = axes.iter().position(|axis| axis.strides[output] == 1)?;
    if plan.reduced.points() != 1 || across == along || axes[across].extent < height || axes[along].extent < LEAST {
        return None;
    }
    let mut parts = Vec::new();
    for (first_row, rows, height) in cut(axes[across].extent, height) {
        for (first_column, columns, width) in cut(axes[along].extent, COLUMNS) {
            let mut start = start.to_vec();
            for (axis, first) in [(across, first_row), (along, first_column)] {
                start.iter_mut().zip(&axes[axis].strides).for_each(|(start, stride)| *start += first as isize * stride);
            }
            let of = |axis: usize, extent: usize, step: usize| Axis {
                extent,
                strides: axes[axis].strides.iter().map(|stride| stride.wrapping_mul(step as isize)).collect(),
            };
            let others = axes.iter().enumerate().filter(|(n, _)| ![across, along].contains(n)).map(|(_, axis)| axis.clone());
            let outer: Axes = others.chain([of(across, rows, height), of(along, columns, width)]).collect();
            let kept = Grid::of_blocks(outer, vec![of(across, height, 1), of(along, width, 1)]);
            parts.push(BlockPart { plan: Plan { kept, along_kept: true, ..plan.clone() }, start });
        }
    }
    Some(parts)
}

/// Whole pieces of an axis and its rest: the first element, how many pieces, and how long they are.
fn cut(extent: usize, size: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let size = size.min(extent);
    let (whole, rest) = (extent / size, extent % size);
    [(0, whole, size), (whole * size, 1, rest)].into_iter().filter(|(_, pieces, size)| pieces * size > 0)
}

impl BlockAccess {
    /// Takes a block into rows that follow each other.
    #[inline(always)]
    pub(super) fn gather<U: Copy, T: Copy>(self, data: &[U], start: isize, out: &mut [T], convert: impl Fn(U) -> T) {
        for (number, row) in out.chunks_exact_mut(self.columns).enumerate() {
            let mut from = start + number as isize * self.row;
            match self.column {
                1 => row.iter_mut().zip(&data[from as usize..][..self.columns]).for_each(|(x, &y)| *x = convert(y)),
                0 => row.fill(convert(data[from as usize])),
                stride => row.iter_mut().for_each(|x| {
                    *x = convert(data[from as usize]);
                    from += stride;
                }),
            }
        }
    }

    /// Takes a block of neighbours along the columns into rows; whether it is one of whole lines.
    #[inline(always)]
    pub(super) fn transpose<T: Copy>(self, simd: Simd, data: &[T], start: isize, out: &mut [T]) -> bool {
        let height = LINE / size_of::<T>();
        if (self.row, self.rows) != (1, height) || self.columns < height || self.column < 0 {
            return false;
        }
        // Slices say that all of it is there.
        let from = &data[start as usize..][..(self.columns - 1) * self.column as usize + self.rows];
        let out = &mut out[..self.rows * self.columns];
        let stride = self.column as usize * size_of::<T>();
        // SAFETY: both reach as far as the kernel goes, which is the one for elements of that size and these instructions.
        unsafe { kernel(simd, size_of::<T>())(from.as_ptr().cast(), stride, self.columns, out.as_mut_ptr().cast()) };
        true
    }

    /// Asks for a share of a block that is needed soon, in parts of [`WHOLE`]: pieces of neighbours, line by line.
    #[inline(always)]
    pub(super) fn ask<T>(self, data: &[T], start: isize, share: Range<usize>) {
        let (pieces, stride, len) = match (self.row, self.column) {
            (_, 1) => (self.rows, self.row, self.columns),
            (1, _) => (self.columns, self.column, self.rows),
            // Elements that lie alone, or are few.
            _ => return,
        };
        let stride = stride.wrapping_mul(size_of::<T>() as isize);
        let (from, to) = (pieces * share.start / WHOLE, pieces * share.end / WHOLE);
        let mut piece = data.as_ptr().wrapping_offset(start).cast::<u8>().wrapping_offset(from as isize * stride);
        let begins = (piece as usize | stride as usize).is_multiple_of(LINE);
        let bytes = (len * size_of::<T>()).div_ceil(LINE) * LINE + if begins { 0 } else { LINE };
        for _ in from..to {
            let (mut line, end) = (piece, piece.wrapping_add(bytes));
            while line != end {
                prefetch_line(line);
                line = line.wrapping_add(LINE);
            }
            piece = piece.wrapping_offset(stride);
        }
    }
}

type Kernel = unsafe fn(*const u8, usize, usize, *mut u8);

/// The loop for elements of so many bytes: a line from each of so many columns, so many bytes apart, into rows that follow each other.
fn kernel(simd: Simd, size: usize) -> Kernel {
    macro_rules! compiled {
        ($L:ty, $edge:literal $(, $features:literal)?) => {{
            $(#[target_feature(enable = $features)])?
            unsafe fn transpose(from: *const u8, stride: usize, columns: usize, to: *mut u8) {
                // SAFETY: the caller's promise.
                unsafe { transpose_block::<$L, $edge>(from, stride, columns, to) }
            }
            transpose as Kernel
        }};
    }
    by_line_and_size!(simd, size, compiled)
}

/// # Safety
/// The processor has the line's instructions; there are so many columns of a line each, at least as many as a line has elements,
/// and room for as many rows of them.
#[inline(always)]
unsafe fn transpose_block<L: Line, const EDGE: usize>(from: *const u8, stride: usize, columns: usize, to: *mut u8) {
    debug_assert!(columns >= EDGE);
    let size = LINE / EDGE;
    let mut done = 0;
    while done < columns {
        // The last square may overlap with the one before.
        let first = if done + EDGE > columns { columns - EDGE } else { done };
        let mut lines = [from; EDGE];
        for (n, line) in lines.iter_mut().enumerate() {
            *line = from.wrapping_add((first + n) * stride);
        }
        // SAFETY: the caller's promise.
        unsafe {
            let transposed = L::transpose::<EDGE>(&lines);
            for (row, line) in transposed.into_iter().enumerate() {
                line.store(to.add((row * columns + first) * size));
            }
        }
        done += EDGE;
    }
}

#[cfg(test)]
mod tests {
    use num_complex::Complex;

    use super::super::loops::Chunks;
    use super::*;
    use tensorwrapper_core::element::Element;

    fn transposed_and_gathered<T: Element>() {
        let data: Vec<T> = (0..9000).map(|n| T::from_complex(Complex::new(n as f64, -0.5))).collect();
        let height = LINE / size_of::<T>();
        for simd in Simd::ALL.into_iter().filter(|simd| simd.is_available()) {
            for (columns, stride, start) in [(32, 100, 3), (height, 77, 0), (height + 1, 64, 5), (32, height, 1)] {
                let block = BlockAccess { rows: height, columns, row: 1, column: stride as isize };
                let expected: Vec<T> = (0..height)
                    .flat_map(|row| (0..columns).map(move |column| start + row + column * stride))
                    .map(|n| data[n])
                    .collect();
                let mut found = vec![T::ZERO; height * columns];
                assert!(block.transpose(simd, &data, start as isize, &mut found), "{block:?}");
                assert_eq!(found, expected, "{simd:?} {block:?}");
                let mut gathered = vec![T::ZERO; height * columns];
                block.gather(&data, start as isize, &mut gathered, |x| x);
                assert_eq!(gathered, expected, "{block:?}");
            }
        }
        let short = BlockAccess { rows: height - 1, columns: 64, row: 1, column: 100 };
        assert!(!short.transpose(Simd::Portable, &data, 0, &mut vec![T::ZERO; 64 * height]), "a part of a line");
    }

    #[test]
    fn blocks_come_into_rows() {
        transposed_and_gathered::<f32>();
        transposed_and_gathered::<f64>();
        transposed_and_gathered::<Complex<f32>>();
        transposed_and_gathered::<Complex<f64>>();
    }

    #[test]
    fn axes_are_cut_into_whole_pieces_and_a_rest() {
        assert!(cut(66, 32).eq([(0, 2, 32), (64, 1, 2)]));
        assert!(cut(64, 32).eq([(0, 2, 32)]));
        assert!(cut(20, 32).eq([(0, 1, 20)]));
    }

    #[test]
    fn parts_make_up_the_plan() {
        let axis = |extent, strides: [isize; 3]| Axis { extent, strides: strides.as_slice().into() };
        let plan = Plan::choose(vec![axis(131, [150, 1, 150]), axis(150, [1, 131, 1])], vec![], 2, Chunks::of_program(512));
        let whole = parts(&plan, &[0; 3], &[false, true], 8).unwrap();
        let points: Vec<usize> = whole.iter().map(|part| part.plan.kept.points()).collect();
        assert_eq!(points, [128 * 128, 128 * 22, 3 * 128, 3 * 22]);
        assert_eq!(whole[3].start, [128 * 150 + 128, 128 + 128 * 131, 128 * 150 + 128]);
        let apart = Plan::choose(vec![axis(131, [150, 2, 150]), axis(150, [1, 262, 1])], vec![], 2, Chunks::of_program(512));
        assert!(parts(&apart, &[0; 3], &[false, true], 8).is_none(), "no neighbours");
        assert!(parts(&plan, &[0; 3], &[true, true], 8).is_none(), "neighbours along two axes");
    }
}
