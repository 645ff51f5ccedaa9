//! Matrix products: a contraction becomes a batch of matrices with one stride for rows and one for columns.
//!
//! Where the axes of an operand do not fuse to single strides it is packed; a result that does not is scattered.

use std::borrow::Cow;

use gemm::Parallelism;

use super::contract::{Factor, LEFT, OUT, Product, RIGHT, Triple};
use super::fuse::{self, Axis, Odometer, points, single_stride};
use super::permute::{self, Pair};
use super::sink::Sink;
use super::tasks;
use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;

/// Edge of the register tile of the kernel for small matrices.
const TILE: usize = 4;

/// Computes the product; matrices of at most `small` multiplications go to the small kernel.
/// `pack` packs and scatters even where the strides need none of it.
pub(super) fn contract<T: Element>(threads: usize, mut product: Product<'_, T>, small: usize, pack: bool) -> Result<(), Error> {
    choose_orders(&mut product);
    let (rows, columns, inner) = (points(&product.rows), points(&product.columns), points(&product.inner));
    let left = pack_factor(threads, &mut product, LEFT, pack)?;
    let right = pack_factor(threads, &mut product, RIGHT, pack)?;
    let strides = [single_stride(&product.rows, OUT), single_stride(&product.columns, OUT)];
    if let ([Some(row), Some(column)], false) = (strides, pack) {
        let out = Place { row, column };
        let matrices = Matrices { rows, columns, inner, places: [left, right, out], product: &product };
        matrices.multiply(threads, small, product.out);
        return Ok(());
    }
    // The result is computed apart, matrix by matrix, and then scattered.
    let result = [&product.batch, &product.rows, &product.columns].into_iter().flatten();
    let mut scatter: Vec<Pair> = result.map(|axis| Axis { extent: axis.extent, strides: [0, axis.strides[OUT]] }).collect();
    let start = product.start[OUT];
    let column_first = innermost(&product.rows, OUT) < innermost(&product.columns, OUT);
    let order: Vec<usize> = order_of_result(&product, column_first);
    let mut stride = 1;
    for &n in order.iter().rev() {
        scatter[n].strides[0] = stride;
        stride *= scatter[n].extent as isize;
    }
    let mut apart = zeros::<T>(stride as usize)?;
    let all = product.batch.iter_mut().chain(&mut product.rows).chain(&mut product.columns);
    all.zip(&scatter).for_each(|(axis, pair)| axis.strides[OUT] = pair.strides[0]);
    product.start[OUT] = 0;
    let out = Place {
        row: single_stride(&product.rows, OUT).expect("the rows were laid out side by side"),
        column: single_stride(&product.columns, OUT).expect("the columns were laid out side by side"),
    };
    let matrices = Matrices { rows, columns, inner, places: [left, right, out], product: &product };
    matrices.multiply(threads, small, Sink::new(&mut apart));
    permute::copy(threads, scatter, [0, start], &apart, product.out, false);
    Ok(())
}

/// Numbers of the result's axes (batch, rows, columns) from the widest to the narrowest of its own memory.
fn order_of_result<T: Clone>(product: &Product<'_, T>, column_first: bool) -> Vec<usize> {
    let (batch, rows, columns) = (product.batch.len(), product.rows.len(), product.columns.len());
    let (rows, columns) = (batch..batch + rows, batch + rows..batch + rows + columns);
    let (first, second) = if column_first { (columns, rows) } else { (rows, columns) };
    (0..batch).chain(first).chain(second).collect()
}

/// The stride of the narrowest axis; of none, as wide as can be.
fn innermost(axes: &[Triple], operand: usize) -> usize {
    axes.iter().map(|axis| axis.strides[operand].unsigned_abs()).filter(|&s| s != 0).min().unwrap_or(usize::MAX)
}

/// Orders rows, columns and inner axes so that as little as possible needs packing or scattering.
fn choose_orders<T: Clone>(product: &mut Product<'_, T>) {
    let sorted = |axes: &[Triple], first: usize| {
        let mut axes = axes.to_vec();
        fuse::sort(&mut axes, &[first, OUT, LEFT, RIGHT]);
        axes
    };
    let orders = |axes: &[Triple], one: usize, other: usize| [sorted(axes, one), sorted(axes, other)];
    let rows = orders(&product.rows, LEFT, OUT);
    let columns = orders(&product.columns, RIGHT, OUT);
    let inner = orders(&product.inner, LEFT, RIGHT);
    let [r, c, i, b] = [&product.rows, &product.columns, &product.inner, &product.batch].map(|axes| points(axes));
    let size = [r.saturating_mul(i), i.saturating_mul(c), r.saturating_mul(c).saturating_mul(2)].map(|n| n.saturating_mul(b));
    let moved = |operand: usize, groups: [&[Triple]; 2]| {
        if groups.iter().all(|axes| single_stride(axes, operand).is_some()) { 0 } else { size[operand] }
    };
    let choices = (0..8usize).map(|n| {
        let (r, c, i) = (&rows[n & 1], &columns[n >> 1 & 1], &inner[n >> 2 & 1]);
        (moved(LEFT, [r, i]).saturating_add(moved(RIGHT, [i, c])).saturating_add(moved(OUT, [r, c])), n)
    });
    let (_, best) = choices.min().expect("there are eight");
    product.rows = rows[best & 1].clone();
    product.columns = columns[best >> 1 & 1].clone();
    product.inner = inner[best >> 2 & 1].clone();
}

/// Strides of a matrix.
#[derive(Clone, Copy, Debug)]
struct Place {
    row: isize,
    column: isize,
}

/// The strides of a factor as a matrix, after packing it where that is needed.
fn pack_factor<T: Element>(threads: usize, product: &mut Product<'_, T>, side: usize, force: bool) -> Result<Place, Error> {
    let place = |product: &Product<'_, T>| {
        let groups = if side == LEFT { [&product.rows, &product.inner] } else { [&product.inner, &product.columns] };
        let [row, column] = groups.map(|axes| single_stride(axes, side));
        Some(Place { row: row?, column: column? })
    };
    match place(product) {
        Some(place) if !force => return Ok(place),
        _ => {}
    }
    let outside = if side == LEFT { &mut product.rows } else { &mut product.columns };
    // The narrowest axis stays inside, so that the copy reads and writes along it where it can.
    let groups = if innermost(outside, side) < innermost(&product.inner, side) {
        [&mut product.batch, &mut product.inner, outside]
    } else {
        [&mut product.batch, outside, &mut product.inner]
    };
    let mut axes = Vec::new();
    let mut stride = 1;
    for axis in groups.into_iter().rev().flat_map(|axes| axes.iter_mut().rev()).filter(|axis| axis.strides[side] != 0) {
        axes.push(Axis { extent: axis.extent, strides: [axis.strides[side], stride] });
        axis.strides[side] = stride;
        stride *= axis.extent as isize;
    }
    let mut packed = zeros::<T>(stride as usize)?;
    let factor = &mut product.factors[side];
    permute::copy(threads, axes, [product.start[side], 0], &factor.data, Sink::new(&mut packed), false);
    (factor.data, product.start[side]) = (Cow::Owned(packed), 0);
    Ok(place(product).expect("packed axes lie side by side"))
}

/// A batch of matrix products with single strides.
struct Matrices<'a, 'b, T: Clone> {
    rows: usize,
    columns: usize,
    inner: usize,
    /// Left, right, result.
    places: [Place; 3],
    product: &'a Product<'b, T>,
}

impl<T: Element> Matrices<'_, '_, T> {
    fn multiply(&self, threads: usize, small: usize, out: Sink<'_, T>) {
        let items = points(&self.product.batch);
        let one = self.rows.saturating_mul(self.columns).saturating_mul(self.inner);
        // Large matrices are divided themselves; where there are few of them, too.
        let (outside, inside) = if items >= 4 * threads && one < 1 << 24 { (threads, 1) } else { (1, threads) };
        let inside = tasks::worth(inside, one / 4);
        tasks::split(outside, items, items.saturating_mul(one), |range| {
            let mut walk = Odometer::new(&self.product.batch, &self.product.start, range.start);
            for _ in range {
                if one <= small {
                    self.multiply_small(walk.position, out);
                } else {
                    self.multiply_blocked(walk.position, out, inside);
                }
                walk.step();
            }
        });
    }

    fn multiply_blocked(&self, at: [isize; 3], out: Sink<'_, T>, threads: usize) {
        let [left, right, result] = self.places;
        let [Factor { data: a, conjugate: conjugate_a }, Factor { data: b, conjugate: conjugate_b }] = &self.product.factors;
        let parallelism = if threads > 1 { Parallelism::Rayon(threads) } else { Parallelism::None };
        // SAFETY: the positions and strides come from operands and outputs that were found to lie inside their memory, or
        // from temporaries laid out for them; this task alone writes this matrix, no two elements of which share a
        // position. The result is not read, as `read_dst` is false.
        unsafe {
            gemm::gemm(
                self.rows,
                self.columns,
                self.inner,
                out.address(at[OUT]),
                result.column,
                result.row,
                false,
                a.as_ptr().offset(at[LEFT]),
                left.column,
                left.row,
                b.as_ptr().offset(at[RIGHT]),
                right.column,
                right.row,
                T::ONE,
                self.product.alpha,
                false,
                *conjugate_a,
                *conjugate_b,
                parallelism,
            );
        }
    }

    /// Register tiles without packing.
    fn multiply_small(&self, at: [isize; 3], out: Sink<'_, T>) {
        for row in (0..self.rows).step_by(TILE) {
            for column in (0..self.columns).step_by(TILE) {
                let extents = (TILE.min(self.rows - row), TILE.min(self.columns - column));
                let [left, right, result] = self.places;
                let (row, column) = (row as isize, column as isize);
                let at = [
                    at[LEFT] + row * left.row,
                    at[RIGHT] + column * right.column,
                    at[OUT] + row * result.row + column * result.column,
                ];
                match extents {
                    (TILE, TILE) => self.tile(at, out, TILE, TILE),
                    (rows, columns) => self.tile(at, out, rows, columns),
                }
            }
        }
    }

    #[inline(always)]
    fn tile(&self, at: [isize; 3], out: Sink<'_, T>, rows: usize, columns: usize) {
        let [left, right, result] = self.places;
        let [Factor { data: a, conjugate: conjugate_a }, Factor { data: b, conjugate: conjugate_b }] = &self.product.factors;
        let mut sums = [[T::ZERO; TILE]; TILE];
        for k in 0..self.inner as isize {
            let read = |data: &[T], position: isize, conjugate: bool| {
                let x = data[position as usize];
                if conjugate { x.conj() } else { x }
            };
            let (mut column, mut values) = ([T::ZERO; TILE], [T::ZERO; TILE]);
            for r in 0..rows {
                column[r] = read(a, at[LEFT] + r as isize * left.row + k * left.column, *conjugate_a);
            }
            for c in 0..columns {
                values[c] = read(b, at[RIGHT] + k * right.row + c as isize * right.column, *conjugate_b);
            }
            for r in 0..rows {
                for c in 0..columns {
                    sums[r][c] += column[r] * values[c];
                }
            }
        }
        for r in 0..rows {
            for c in 0..columns {
                let position = at[OUT] + r as isize * result.row + c as isize * result.column;
                // SAFETY: this task alone writes this matrix, which lies inside (see `multiply_blocked`).
                unsafe { out.write(position, self.product.alpha * sums[r][c]) };
            }
        }
    }
}
