//! Matrix products: a contraction becomes a batch of matrices with one stride for rows and one for columns.
//!
//! Where the axes of an operand do not fuse to single strides its matrices are packed, each when it is needed or, where
//! many products need it, all of them beforehand. A result that does not fuse is computed apart and scattered.

use std::borrow::Cow;

use super::contract::{LEFT, OUT, Product, RIGHT, Triple};
use super::fuse::{self, Axis, Odometer, points, single_stride};
use super::gemm::{Matrix, Place, Sizes, multiply};
use super::permute::{self, Pair, Permutation};
use super::sink::Sink;
use super::{split, tasks};
use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;

/// Computes the product; matrices of at most `small` multiplications go to the small kernel.
/// `pack` packs and scatters even where the strides need none of it.
pub(super) fn contract<T: Element>(threads: usize, mut product: Product<'_, T>, small: usize, pack: bool) -> Result<(), Error> {
    split::choose(&mut product);
    fuse::fuse(&mut product.batch);
    let sides = [side(threads, &mut product, LEFT, pack)?, side(threads, &mut product, RIGHT, pack)?];
    let result = match place([&product.rows, &product.columns], OUT) {
        Some(place) if !pack => Side { place, packing: None },
        _ => Side::packed([&product.rows, &product.columns], OUT),
    };
    let sizes = Sizes { rows: points(&product.rows), columns: points(&product.columns), inner: points(&product.inner) };
    let items = points(&product.batch);
    let one = sizes.multiplications();
    // Large matrices are divided themselves; where there are few of them, too.
    let (outside, inside) = if items >= 4 * threads && one < 1 << 24 { (threads, 1) } else { (1, threads) };
    let matrices = Matrices { sizes, sides, result, product: &product, small, threads: tasks::worth(inside, one / 4) };
    // A task that finds no memory for its packed matrices says so in the end.
    let failed = std::sync::Mutex::new(None);
    tasks::split(outside, items, items.saturating_mul(one), |range| {
        if let Err(error) = matrices.multiply(range) {
            *failed.lock().unwrap_or_else(|poisoned| poisoned.into_inner()) = Some(error);
        }
    });
    match failed.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// How the matrices of an operand lie for the kernel.
struct Side {
    place: Place,
    /// How each is packed before it is read, or scattered after it is written; and its number of elements.
    packing: Option<(Permutation, usize)>,
}

/// Single strides of an operand's matrices, where they have them.
fn place(groups: [&[Triple]; 2], operand: usize) -> Option<Place> {
    let [row, column] = groups.map(|axes| single_stride(axes, operand));
    Some(Place { row: row?, column: column? })
}

/// The stride of the narrowest axis; of none, as wide as can be.
fn narrowest(axes: &[Triple], operand: usize) -> usize {
    axes.iter().map(|axis| axis.strides[operand].unsigned_abs()).filter(|&s| s != 0).min().unwrap_or(usize::MAX)
}

impl Side {
    /// Matrices packed or scattered one by one.
    fn packed(groups: [&[Triple]; 2], operand: usize) -> Side {
        let [rows, columns] = groups;
        // The narrowest axis stays inside, so that the copy reads and writes along it where it can.
        let rows_inside = narrowest(rows, operand) < narrowest(columns, operand);
        let (outside, inside) = if rows_inside { (columns, rows) } else { (rows, columns) };
        let mut axes: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in inside.iter().rev().chain(outside.iter().rev()) {
            let strides = if operand == OUT { [stride, axis.strides[OUT]] } else { [axis.strides[operand], stride] };
            axes.push(Axis { extent: axis.extent, strides });
            stride *= axis.extent as isize;
        }
        let wide = points(inside) as isize;
        let place = if rows_inside { Place { row: 1, column: wide } } else { Place { row: wide, column: 1 } };
        Side { place, packing: Some((Permutation::new(axes), stride as usize)) }
    }
}

/// Decides how a factor's matrices are read, and packs all of them where that is best.
fn side<T: Element>(threads: usize, product: &mut Product<'_, T>, side: usize, force: bool) -> Result<Side, Error> {
    let groups = |product: &Product<'_, T>| {
        if side == LEFT {
            [product.rows.clone(), product.inner.clone()]
        } else {
            [product.inner.clone(), product.columns.clone()]
        }
    };
    let [rows, columns] = groups(product);
    let narrow = narrowest(&rows, side).min(narrowest(&columns, side));
    // Neighbours in memory belong to different matrices: single matrices would use one element of each cache line.
    let across = narrow != usize::MAX && narrow > narrowest(&product.batch, side);
    let place_now = place([&rows, &columns], side);
    match place_now {
        Some(place) if !force && !across => return Ok(Side { place, packing: None }),
        _ => {}
    }
    let repeated = product.batch.iter().any(|axis| axis.strides[side] == 0);
    if !repeated && !across {
        return Ok(Side::packed([&rows, &columns], side));
    }
    pack_all(threads, product, side)?;
    let [rows, columns] = groups(product);
    let place = place([&rows, &columns], side).expect("packed axes lie side by side");
    Ok(Side { place, packing: None })
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
    /// The factors.
    sides: [Side; 2],
    result: Side,
    product: &'a Product<'b, T>,
    small: usize,
    /// Threads for each of them.
    threads: usize,
}

impl<T: Element> Matrices<'_, '_, T> {
    /// Computes the products of these numbers.
    fn multiply(&self, range: std::ops::Range<usize>) -> Result<(), Error> {
        let space = |side: &Side| zeros::<T>(side.packing.as_ref().map_or(0, |packing| packing.1));
        let mut packed = [space(&self.sides[LEFT])?, space(&self.sides[RIGHT])?];
        let mut apart = space(&self.result)?;
        let mut walk = Odometer::new(&self.product.batch, &self.product.start, range.start);
        for _ in range {
            let at = walk.position;
            for side in [LEFT, RIGHT] {
                if let Some((permutation, _)) = &self.sides[side].packing {
                    let (data, to) = (&self.product.factors[side].data, Sink::new(&mut packed[side]));
                    permutation.run(self.threads, [at[side], 0], data, to, false);
                }
            }
            let [left, right] = [LEFT, RIGHT].map(|side| {
                let (Side { place, packing }, factor) = (&self.sides[side], &self.product.factors[side]);
                let (data, start) = if packing.is_some() { (&packed[side][..], 0) } else { (&factor.data[..], at[side]) };
                Matrix { data, start, place: *place, conjugate: factor.conjugate }
            });
            let (place, alpha) = (self.result.place, self.product.alpha);
            let blocked = self.sizes.multiplications() > self.small;
            let threads = if blocked { Some(self.threads) } else { None };
            // SAFETY: positions and strides come from an output that was found to lie inside its memory, or from
            // temporaries laid out for them; this task alone writes this matrix, whose elements lie apart.
            unsafe {
                match &self.result.packing {
                    None => multiply(threads, self.sizes, alpha, left, right, self.product.out, at[OUT], place),
                    Some((permutation, _)) => {
                        multiply(threads, self.sizes, alpha, left, right, Sink::new(&mut apart), 0, place);
                        permutation.run(self.threads, [0, at[OUT]], &apart, self.product.out, false);
                    }
                }
            }
            walk.step();
        }
        Ok(())
    }
}
