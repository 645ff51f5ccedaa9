//! Matrix products: a contraction becomes a batch of matrices with one stride for rows and one for columns.
//!
//! Where the axes of an operand do not fuse to single strides its matrices are packed, each when it is needed or, where
//! many products need it, all of them beforehand. A result that does not fuse is computed apart and scattered.

use std::ops::Range;

use super::engine::{BoundEpilogue, GemmElement};
use super::gemm::{multiply, work_space};
use super::packed::Packed;
use super::permute::{Pair, Permutation};
use super::product::ClassifiedAxes;
use super::product::{LEFT, OUT, RIGHT, Triple};
use super::product::{Place, Sizes, groups, narrowest, place};
use super::sink::Sink;
use super::unpacked_gemm::UnpackedGemm;
use super::{split, tasks};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::storage::LINE;

/// Elements that are packed together at most: few enough to stay in a cache.
const GROUP: usize = 1 << 19;
/// Bytes of a factor that is packed as a whole at most: more is packed a group at a time, again for each product that reads it.
const WHOLE: usize = 4 << 20;
/// Elements of results that an epilogue goes over at once: few enough to stay in the first cache.
const EPILOGUE: usize = 1 << 11;

/// How a factor's matrices are read.
#[derive(Clone, Copy, Debug)]
enum FactorAccess {
    /// Where they are.
    InPlace(Place),
    /// Packed, some at a time.
    Packed,
    /// Packed, some at a time; neighbours in memory belong to different matrices, so that one at a time would use one
    /// element of each cache line.
    Across,
}

/// Decides how a factor's matrices are read; all of them are packed beforehand where many products read the same ones and they
/// are not too large for that.
fn lie<T>(product: &mut ClassifiedAxes<T>, side: usize, force: bool) -> (FactorAccess, Option<Packed>) {
    let matrices = groups(product, side);
    let narrow = narrowest(matrices[0], side).min(narrowest(matrices[1], side));
    let across = narrow != usize::MAX && narrow > narrowest(&product.batch, side);
    match place(matrices, side) {
        Some(place) if !force && !across => return (FactorAccess::InPlace(place), None),
        _ => {}
    }
    let [first, second] = groups(product, side);
    let own = product.batch.iter().chain(first).chain(second).filter(|axis| axis.strides[side] != 0);
    let bytes = own.fold(size_of::<T>(), |bytes, axis| bytes.saturating_mul(axis.extent));
    if bytes > WHOLE || product.batch.iter().all(|axis| axis.strides[side] != 0) {
        return (if across { FactorAccess::Across } else { FactorAccess::Packed }, None);
    }
    let packed = pack_all(product, side);
    let place = place(groups(product, side), side).expect("packed axes lie side by side");
    (FactorAccess::InPlace(place), Some(packed))
}

/// Takes those axes out of the batch whose matrices are packed together. An axis too long for that, of neighbours in memory, is
/// cut: the batch keeps the blocks that it makes; the number says how many matrices the last of them has.
fn group<T>(
    threads: usize,
    product: &mut ClassifiedAxes<T>,
    lies: &[FactorAccess; 2],
    sizes: Sizes,
) -> (Vec<Triple>, Option<usize>) {
    let is_packed = |side: usize| !matches!(lies[side], FactorAccess::InPlace(_));
    let packed = [LEFT, RIGHT].into_iter().filter(|&side| is_packed(side));
    let elements = |side: usize| sizes.inner * if side == LEFT { sizes.rows } else { sizes.columns };
    let Some(largest) = packed.max_by_key(|&side| elements(side)) else {
        fuse::fuse(&mut product.batch);
        return (Vec::new(), None);
    };
    // In that factor's own order, so that it is read from one end to the other.
    fuse::sort(&mut product.batch, &[largest, OUT]);
    fuse::fuse(&mut product.batch);
    // Axes that a packed factor has not read the same matrices again and again: they are packed once for all of these, unless
    // neighbours in memory have to be packed together.
    let is_shared = |axis: &Triple| [LEFT, RIGHT].into_iter().any(|side| is_packed(side) && axis.strides[side] == 0);
    if matches!(lies[largest], FactorAccess::Across) {
        product.batch.sort_by_key(|axis| axis.strides[largest] != 0);
    }
    let all = points(&product.batch).saturating_mul(elements(largest));
    let limit = GROUP.min(all / (8 * threads));
    let mut group = Vec::new();
    while let Some(axis) = product.batch.last() {
        if is_shared(axis) && !matches!(lies[largest], FactorAccess::Across) {
            break;
        }
        let together = points(&group).saturating_mul(axis.extent).saturating_mul(elements(largest));
        if together > limit {
            let needed = group.is_empty() && matches!(lies[largest], FactorAccess::Across);
            return if needed { cut(product, (limit / elements(largest)).max(line::<T>())) } else { (group, None) };
        }
        group.insert(0, *axis);
        product.batch.pop();
    }
    (group, None)
}

/// MatrixBatch whose neighbours fill a cache line.
const fn line<T>() -> usize {
    LINE / size_of::<T>()
}

/// Cuts the last axis of the batch into blocks of so many matrices, whole lines of them.
fn cut<T>(product: &mut ClassifiedAxes<T>, most: usize) -> (Vec<Triple>, Option<usize>) {
    let axis = product.batch.last_mut().expect("there is an axis to cut");
    let block = (most / line::<T>() * line::<T>()).min(axis.extent);
    let group = vec![Axis { extent: block, strides: axis.strides }];
    let blocks = axis.extent.div_ceil(block);
    let last = axis.extent - (blocks - 1) * block;
    *axis = Axis { extent: blocks, strides: axis.strides.map(|stride| stride * block as isize) };
    (group, Some(last))
}

/// How the matrices of an operand lie for the kernel.
#[derive(Debug)]
struct Side {
    place: Place,
    /// How a group of them is packed before it is read, or one is scattered after it is written.
    packing: Option<Packing>,
}

/// A copy of matrices, to or from memory of its own.
#[derive(Debug)]
struct Packing {
    permutation: Permutation,
    /// That of the last group, where it is a shorter one.
    last: Option<Permutation>,
    /// Elements of the memory.
    len: usize,
}

impl Side {
    /// A factor's matrices; those that are packed have their strides in `group` set to those of the packed ones.
    fn factor<T>(product: &ClassifiedAxes<T>, lie: FactorAccess, side: usize, group: &mut [Triple], last: Option<usize>) -> Side {
        if let FactorAccess::InPlace(place) = lie {
            return Side { place, packing: None };
        }
        let (mut packed, strides) = Side::packed::<T>(groups(product, side), side, group);
        if let (Some(packing), Some(last), &[axis]) = (&mut packed.packing, last, &*group) {
            // The group's axis is the outermost: fewer of it lie as the first of all.
            let (shorter, _) = Side::packed::<T>(groups(product, side), side, &[Axis { extent: last, ..axis }]);
            packing.last = shorter.packing.map(|packing| packing.permutation);
        }
        group.iter_mut().zip(strides).for_each(|(axis, stride)| axis.strides[side] = stride);
        packed
    }

    /// MatrixBatch packed or scattered; and the strides from one to the next along the axes of the group.
    fn packed<T>([rows, columns]: [&[Triple]; 2], operand: usize, group: &[Triple]) -> (Side, Vec<isize>) {
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
        let packing = Packing { permutation: Permutation::new(axes, size_of::<T>()), last: None, len: stride as usize };
        (Side { place, packing: Some(packing) }, strides)
    }
}

/// Packs all matrices of a factor.
fn pack_all<T>(product: &mut ClassifiedAxes<T>, side: usize) -> Packed {
    let ClassifiedAxes { batch, rows, columns, inner, start, .. } = product;
    let outside = if side == LEFT { rows } else { columns };
    let groups =
        if narrowest(outside, side) < narrowest(inner, side) { [batch, inner, outside] } else { [batch, outside, inner] };
    Packed::new::<T>(groups.into_iter().flat_map(|axes| axes.iter_mut()), side, &mut start[side])
}

/// A batch of matrix products, prepared.
#[derive(Debug)]
pub(super) struct MatrixBatch<T> {
    sizes: Sizes,
    batch: Vec<Triple>,
    /// Axes of the batch along which packed factors are packed together.
    group: Vec<Triple>,
    /// MatrixBatch of the last group along the last axis of the batch, where groups are blocks of an axis.
    last: Option<usize>,
    /// Factors that are packed as a whole before anything is multiplied.
    whole: [Option<Packed>; 2],
    /// The factors.
    sides: [Side; 2],
    result: Side,
    conjugate: [bool; 2],
    start: [isize; 3],
    alpha: T,
    small: Option<UnpackedGemm<T>>,
    /// Threads that share the batch, and threads for each of it.
    threads: [usize; 2],
}

impl<T: GemmElement> MatrixBatch<T> {
    /// Prepares the product; matrices of at most `small` multiplications go to the small kernel. `pack` packs and scatters even
    /// where the strides need none of it.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn new(threads: usize, mut product: ClassifiedAxes<T>, small: usize, pack: bool) -> Result<MatrixBatch<T>, Error> {
        split::choose(&mut product);
        let (left, right) = (lie(&mut product, LEFT, pack), lie(&mut product, RIGHT, pack));
        let (lies, whole) = ([left.0, right.0], [left.1, right.1]);
        let sizes = Sizes { rows: points(&product.rows), columns: points(&product.columns), inner: points(&product.inner) };
        let (mut group, last) = group(threads, &mut product, &lies, sizes);
        let sides = [LEFT, RIGHT].map(|side| Side::factor(&product, lies[side], side, &mut group, last));
        let result = match place([&product.rows, &product.columns], OUT) {
            Some(place) if !pack => Side { place, packing: None },
            _ => Side::packed::<T>([&product.rows, &product.columns], OUT, &[]).0,
        };
        let one = points(&group).saturating_mul(sizes.multiplications());
        // Large matrices are divided themselves; where there are few of them, too.
        let (outside, inside) = if points(&product.batch) >= 4 * threads && one < 1 << 26 { (threads, 1) } else { (1, threads) };
        let ClassifiedAxes { batch, conjugate, start, alpha, .. } = product;
        let places = [sides[LEFT].place, sides[RIGHT].place, result.place];
        let is_small = sizes.multiplications() <= small;
        // Kernels of small matrices take all of them along one axis.
        let step = group.last().or(batch.last()).map_or([0; 3], |axis| axis.strides);
        let small = is_small.then(|| UnpackedGemm::new(sizes, places, step, conjugate, alpha)).transpose()?;
        let threads = [outside, tasks::worth(inside, sizes.multiplications() / 4)];
        Ok(MatrixBatch { sizes, batch, group, last, whole, sides, result, conjugate, start, alpha, small, threads })
    }

    /// Whether matrices are read and written where they lie, or where the whole of a factor is packed.
    fn is_in_place(&self) -> bool {
        let MatrixBatch { sides: [left, right], result, .. } = self;
        [left, right, result].into_iter().all(|side| side.packing.is_none())
    }

    /// Whether it is one product, of matrices where they lie.
    fn is_one(&self) -> bool {
        self.batch.is_empty() && self.group.is_empty() && self.whole.iter().all(Option::is_none) && self.is_in_place()
    }

    /// Whether all matrices are read and written where they lie, by kernels in vectors.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn is_in_vectors(&self) -> Result<bool, Error> {
        let in_vectors = self.small.map_or(Ok(false), |small| small.is_in_vectors())?;
        Ok(in_vectors && self.is_in_place() && self.whole.iter().all(Option::is_none))
    }

    /// The kernel of the one small product that it is, of matrices where they lie, and where these start.
    pub(super) fn as_small(&self) -> Option<(UnpackedGemm<T>, [isize; 3])> {
        self.small.filter(|_| self.is_one()).map(|small| (small, self.start))
    }

    /// Elements of what is packed while it runs.
    pub(super) fn work_space(&self) -> usize {
        let packed = |side: &Side| side.packing.as_ref().map_or(0, |packing| packing.len);
        let gemm = work_space::<T>(self.sizes, [self.sides[LEFT].place, self.sides[RIGHT].place, self.result.place]);
        let gemm = if self.small.is_some() { 0 } else { gemm };
        let each = packed(&self.sides[LEFT]) + packed(&self.sides[RIGHT]) + packed(&self.result) + gemm;
        let whole: usize = self.whole.iter().flatten().map(Packed::len).sum();
        whole.saturating_add(each.saturating_mul(self.threads[0].min(points(&self.batch).max(1))))
    }

    /// Computes it, and where [matrices are in vectors](MatrixBatch::is_in_vectors) what is to be done with each element then.
    ///
    /// # Safety
    /// All positions that the axes lead to lie inside the memory, and nobody else touches those of the output.
    pub(super) unsafe fn run(
        &self,
        threads: usize,
        data: [&[T]; 2],
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        if self.is_one() {
            self.multiply_one(data, &mut [], out, self.start);
            if let Some(epilogue) = epilogue {
                self.apply_epilogue(epilogue, 1, self.start[OUT], out);
            }
            return Ok(());
        }
        let copy = |side: usize| self.whole[side].as_ref().map(|packed| packed.make(threads, data[side])).transpose();
        let copies = [copy(LEFT)?, copy(RIGHT)?];
        let data = [LEFT, RIGHT].map(|side| copies[side].as_deref().unwrap_or(data[side]));
        let items = points(&self.batch);
        let one = points(&self.group).saturating_mul(self.sizes.multiplications());
        tasks::failing(|failed| {
            tasks::split(self.threads[0], items, items.saturating_mul(one), &|range| {
                failed(self.multiply(range, data, out, epilogue))
            });
        })
    }

    /// Computes the groups of products of these numbers.
    fn multiply(
        &self,
        range: Range<usize>,
        data: [&[T]; 2],
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        if let (Some(small), true, [.., axis]) = (&self.small, self.is_in_place(), &self.batch[..]) {
            let most = epilogue.map_or(usize::MAX, |_| (EPILOGUE / (self.sizes.rows * self.sizes.columns)).max(1));
            let mut number = range.start;
            while number < range.end {
                let start = Odometer::new(&self.batch, &self.start, number).position;
                let products = (range.end - number).min(axis.extent - number % axis.extent).min(most);
                // SAFETY: as in `multiply_one`, for products side by side along an axis of the batch.
                unsafe {
                    let from = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(start[side]));
                    small.run(products, from, out.address(start[OUT]));
                }
                if let Some(epilogue) = epilogue {
                    self.apply_epilogue(epilogue, products, start[OUT], out);
                }
                number += products;
            }
            return Ok(());
        }
        debug_assert!(epilogue.is_none(), "only kernels in vectors that read matrices where they lie have epilogues");
        let space = |side: &Side| zeros::<T>(side.packing.as_ref().map_or(0, |packing| packing.len));
        let mut packed = [space(&self.sides[LEFT])?, space(&self.sides[RIGHT])?];
        let mut apart = space(&self.result)?;
        let mut walk = Odometer::new(&self.batch, &self.start, range.start);
        // What is packed by now: where it begins, and whether it is a shorter group.
        let mut there = [None; 2];
        for _ in range {
            let mut start = walk.position;
            let ends = |axis: &Triple| walk.index(self.batch.len() - 1) + 1 == axis.extent;
            let last = self.last.filter(|_| self.batch.last().is_some_and(ends));
            for side in [LEFT, RIGHT] {
                if let Some(packing) = &self.sides[side].packing {
                    let wanted = Some((start[side], last.is_some()));
                    if std::mem::replace(&mut there[side], wanted) == wanted {
                        start[side] = 0;
                        continue;
                    }
                    let permutation = packing.last.as_ref().filter(|_| last.is_some()).unwrap_or(&packing.permutation);
                    let to = Sink::new(&mut packed[side]);
                    permutation.run(self.threads[1], [start[side], 0], data[side], to, false);
                    start[side] = 0;
                }
            }
            let of = |side: usize| if self.sides[side].packing.is_some() { &packed[side][..] } else { data[side] };
            let factors = [of(LEFT), of(RIGHT)];
            let mut item = Odometer::new(&self.group, &start, 0);
            for _ in 0..last.unwrap_or(points(&self.group)) {
                self.multiply_one(factors, &mut apart, out, item.position);
                item.step();
            }
            walk.step();
        }
        Ok(())
    }

    /// Finishes so many results that follow each other along the last axis of the batch, the first of which begins there.
    fn apply_epilogue(&self, epilogue: &BoundEpilogue<'_, T>, products: usize, start: isize, out: Sink<'_, T>) {
        let Sizes { rows, columns, .. } = self.sizes;
        let place = self.result.place;
        // What is contiguous: rows, or columns. Kernels in vectors write nothing else.
        let (len, lines, stride) = if place.column == 1 { (columns, rows, place.row) } else { (rows, columns, place.column) };
        debug_assert!(place.column == 1 || place.row == 1, "{place:?}");
        let step = self.batch.last().map_or(0, |axis| axis.strides[OUT]);
        let each = |len: usize, lines: usize, stride: isize, start: isize| {
            for n in 0..lines as isize {
                let at = start + n * stride;
                // SAFETY: these are elements of results of this task alone, which lie inside (see `run`).
                epilogue.apply(unsafe { out.slice(at, len) }, at);
            }
        };
        if stride == len as isize && step == (len * lines) as isize {
            return each(len * lines * products, 1, 0, start);
        }
        for n in 0..products as isize {
            each(len, lines, stride, start + n * step);
        }
    }

    /// One product, of matrices at these positions.
    fn multiply_one(&self, data: [&[T]; 2], apart: &mut [T], out: Sink<'_, T>, at: [isize; 3]) {
        let multiply = |out: Sink<'_, T>, start: isize| {
            // SAFETY: positions and strides come from factors and an output that were found to lie inside their memory, or
            // from temporaries laid out for them; this task alone writes this matrix, whose elements lie apart.
            unsafe {
                let (from, to) = ([LEFT, RIGHT].map(|side| data[side].as_ptr().offset(at[side])), out.address(start));
                match &self.small {
                    Some(small) => small.run(1, from, to),
                    None => {
                        let places = [self.sides[LEFT].place, self.sides[RIGHT].place, self.result.place];
                        multiply(self.threads[1], self.sizes, self.alpha, from, to, places, self.conjugate);
                    }
                }
            }
        };
        match &self.result.packing {
            None => multiply(out, at[OUT]),
            Some(packing) => {
                multiply(Sink::new(apart), 0);
                packing.permutation.run(self.threads[1], [0, at[OUT]], apart, out, false);
            }
        }
    }
}
