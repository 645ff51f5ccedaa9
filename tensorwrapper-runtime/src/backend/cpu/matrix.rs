//! Matrix products: a contraction becomes a batch of matrices with one stride for rows and one for columns.
//!
//! Where the axes of an operand do not fuse to single strides its matrices are packed, each when it is needed or, where
//! many products need it, all of them beforehand. A result that does not fuse is computed apart and scattered.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::contract::{LEFT, OUT, Product, RIGHT, Triple};
use super::fuse::{self, Axis, Odometer, points, single_stride};
use super::gemm::{Matrix, Place, Sizes, multiply};
use super::permute::{self, Pair, Permutation};
use super::sink::Sink;
use super::split::narrowest;
use super::{split, tasks};
use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;

/// Elements that are packed together at most: few enough to stay in a cache.
const GROUP: usize = 1 << 19;

/// Computes the product; matrices of at most `small` multiplications go to the small kernel.
/// `pack` packs and scatters even where the strides need none of it.
pub(super) fn contract<T: Element>(threads: usize, mut product: Product<'_, T>, small: usize, pack: bool) -> Result<(), Error> {
    split::choose(&mut product);
    let lies = [lie(threads, &mut product, LEFT, pack)?, lie(threads, &mut product, RIGHT, pack)?];
    let sizes = Sizes { rows: points(&product.rows), columns: points(&product.columns), inner: points(&product.inner) };
    let mut group = group(threads, &mut product, &lies, sizes);
    let sides = [LEFT, RIGHT].map(|side| Side::factor(&product, lies[side], side, &mut group));
    let result = match place([&product.rows, &product.columns], OUT) {
        Some(place) if !pack => Side { place, packing: None },
        _ => Side::packed([&product.rows, &product.columns], OUT, &[]).0,
    };
    let items = points(&product.batch);
    let one = points(&group).saturating_mul(sizes.multiplications());
    // Large matrices are divided themselves; where there are few of them, too.
    let (outside, inside) = if items >= 4 * threads && one < 1 << 26 { (threads, 1) } else { (1, threads) };
    let threads = tasks::worth(inside, sizes.multiplications() / 4);
    let matrices = Matrices { sizes, group, sides, result, product: &product, small, threads };
    // A task that finds no memory for its packed matrices says so in the end.
    let failed = Mutex::new(None);
    tasks::split(outside, items, items.saturating_mul(one), |range| {
        if let Err(error) = matrices.multiply(range) {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// How a factor's matrices are read.
#[derive(Clone, Copy, Debug)]
enum Lie {
    /// Where they are.
    InPlace(Place),
    /// Packed, some at a time.
    Packed,
    /// Packed, some at a time; neighbours in memory belong to different matrices, so that one at a time would use one
    /// element of each cache line.
    Across,
}

/// Single strides of an operand's matrices, where they have them.
pub(super) fn place(groups: [&[Triple]; 2], operand: usize) -> Option<Place> {
    let [row, column] = groups.map(|axes| single_stride(axes, operand));
    Some(Place { row: row?, column: column? })
}

/// Rows and columns of a factor's matrices.
pub(super) fn groups<'a, T: Clone>(product: &'a Product<'_, T>, side: usize) -> [&'a [Triple]; 2] {
    if side == LEFT { [&product.rows, &product.inner] } else { [&product.inner, &product.columns] }
}

/// Decides how a factor's matrices are read; packs all of them where many products read the same ones.
fn lie<T: Element>(threads: usize, product: &mut Product<'_, T>, side: usize, force: bool) -> Result<Lie, Error> {
    let matrices = groups(product, side);
    let narrow = narrowest(matrices[0], side).min(narrowest(matrices[1], side));
    let across = narrow != usize::MAX && narrow > narrowest(&product.batch, side);
    match place(matrices, side) {
        Some(place) if !force && !across => return Ok(Lie::InPlace(place)),
        _ => {}
    }
    if product.batch.iter().all(|axis| axis.strides[side] != 0) {
        return Ok(if across { Lie::Across } else { Lie::Packed });
    }
    pack_all(threads, product, side)?;
    Ok(Lie::InPlace(place(groups(product, side), side).expect("packed axes lie side by side")))
}

/// Takes those axes out of the batch whose matrices are packed together.
fn group<T: Clone>(threads: usize, product: &mut Product<'_, T>, lies: &[Lie; 2], sizes: Sizes) -> Vec<Triple> {
    let packed = [LEFT, RIGHT].into_iter().filter(|&side| !matches!(lies[side], Lie::InPlace(_)));
    let elements = |side: usize| sizes.inner * if side == LEFT { sizes.rows } else { sizes.columns };
    let Some(largest) = packed.max_by_key(|&side| elements(side)) else {
        fuse::fuse(&mut product.batch);
        return Vec::new();
    };
    // In that factor's own order, so that it is read from one end to the other.
    fuse::sort(&mut product.batch, &[largest, OUT]);
    fuse::fuse(&mut product.batch);
    let all = points(&product.batch).saturating_mul(elements(largest));
    let limit = GROUP.min(all / (8 * threads));
    let mut group = Vec::new();
    while let Some(axis) = product.batch.last() {
        let together = points(&group).saturating_mul(axis.extent).saturating_mul(elements(largest));
        let needed = group.is_empty() && matches!(lies[largest], Lie::Across);
        if together > limit && !needed {
            break;
        }
        group.insert(0, *axis);
        product.batch.pop();
    }
    group
}

/// How the matrices of an operand lie for the kernel.
struct Side {
    place: Place,
    /// How a group of them is packed before it is read, or one is scattered after it is written; and the number of elements.
    packing: Option<(Permutation, usize)>,
}

impl Side {
    /// A factor's matrices; those that are packed have their strides in `group` set to those of the packed ones.
    fn factor<T: Clone>(product: &Product<'_, T>, lie: Lie, side: usize, group: &mut [Triple]) -> Side {
        if let Lie::InPlace(place) = lie {
            return Side { place, packing: None };
        }
        let (packed, strides) = Side::packed(groups(product, side), side, group);
        group.iter_mut().zip(strides).for_each(|(axis, stride)| axis.strides[side] = stride);
        packed
    }

    /// Matrices packed or scattered; and the strides from one to the next along the axes of the group.
    fn packed([rows, columns]: [&[Triple]; 2], operand: usize, group: &[Triple]) -> (Side, Vec<isize>) {
        // The narrowest axis stays inside, so that the copy reads and writes along it where it can.
        let rows_inside = narrowest(rows, operand) < narrowest(columns, operand);
        let (outside, inside) = if rows_inside { (columns, rows) } else { (rows, columns) };
        let mut axes: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in inside.iter().rev().chain(outside.iter().rev()).chain(group.iter().rev()) {
            let strides = if operand == OUT { [stride, axis.strides[OUT]] } else { [axis.strides[operand], stride] };
            axes.push(Axis { extent: axis.extent, strides });
            stride *= axis.extent as isize;
        }
        let strides = axes.iter().rev().take(group.len()).map(|axis| axis.strides[1]).collect();
        let wide = points(inside) as isize;
        let place = if rows_inside { Place { row: 1, column: wide } } else { Place { row: wide, column: 1 } };
        (Side { place, packing: Some((Permutation::new(axes), stride as usize)) }, strides)
    }
}

/// Packs all matrices of a factor.
fn pack_all<T: Element>(threads: usize, product: &mut Product<'_, T>, side: usize) -> Result<(), Error> {
    let outside = if side == LEFT { &mut product.rows } else { &mut product.columns };
    let groups = if narrowest(outside, side) < narrowest(&product.inner, side) {
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
    Ok(())
}

/// A batch of matrix products.
struct Matrices<'a, 'b, T: Clone> {
    sizes: Sizes,
    /// Axes of the batch along which packed factors are packed together.
    group: Vec<Triple>,
    /// The factors.
    sides: [Side; 2],
    result: Side,
    product: &'a Product<'b, T>,
    small: usize,
    /// Threads for each of them.
    threads: usize,
}

impl<T: Element> Matrices<'_, '_, T> {
    /// Computes the groups of products of these numbers.
    fn multiply(&self, range: Range<usize>) -> Result<(), Error> {
        let space = |side: &Side| zeros::<T>(side.packing.as_ref().map_or(0, |packing| packing.1));
        let mut packed = [space(&self.sides[LEFT])?, space(&self.sides[RIGHT])?];
        let mut apart = space(&self.result)?;
        let mut walk = Odometer::new(&self.product.batch, &self.product.start, range.start);
        for _ in range {
            let mut start = walk.position;
            for side in [LEFT, RIGHT] {
                if let Some((permutation, _)) = &self.sides[side].packing {
                    let (data, to) = (&self.product.factors[side].data, Sink::new(&mut packed[side]));
                    permutation.run(self.threads, [start[side], 0], data, to, false);
                    start[side] = 0;
                }
            }
            let mut item = Odometer::new(&self.group, &start, 0);
            for _ in 0..points(&self.group) {
                self.multiply_one(&packed, &mut apart, item.position);
                item.step();
            }
            walk.step();
        }
        Ok(())
    }

    /// One product, of matrices at these positions: packed factors' in `packed`.
    fn multiply_one(&self, packed: &[Vec<T>; 2], apart: &mut [T], at: [isize; 3]) {
        let [left, right] = [LEFT, RIGHT].map(|side| {
            let (Side { place, packing }, factor) = (&self.sides[side], &self.product.factors[side]);
            let data = if packing.is_some() { &packed[side][..] } else { &factor.data[..] };
            Matrix { data, start: at[side], place: *place, conjugate: factor.conjugate }
        });
        let (place, alpha) = (self.result.place, self.product.alpha);
        let threads = if self.sizes.multiplications() > self.small { Some(self.threads) } else { None };
        // SAFETY: positions and strides come from an output that was found to lie inside its memory, or from
        // temporaries laid out for them; this task alone writes this matrix, whose elements lie apart.
        unsafe {
            match &self.result.packing {
                None => multiply(threads, self.sizes, alpha, left, right, self.product.out, at[OUT], place),
                Some((permutation, _)) => {
                    multiply(threads, self.sizes, alpha, left, right, Sink::new(apart), 0, place);
                    permutation.run(self.threads, [0, at[OUT]], apart, self.product.out, false);
                }
            }
        }
    }
}
