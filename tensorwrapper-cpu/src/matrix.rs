//! Batches of products of matrices: each matrix is read and written where it lies, or a group of them is staged.
//!
//! An operand is staged where the axes of its matrices do not fuse to single strides, where neighbours in memory belong to different
//! matrices, or where no kernel takes it as it lies. Matrices of a group are copied together, so that memory is read and written along
//! neighbours, and a group stays in a near cache.

use std::ops::Range;

use super::engine::{BoundEpilogue, GemmElement, PackedGemm};
use super::packed::Packed;
use super::permute::{Pair, Permutation};
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product::{Place, Sizes, groups, narrowest, place};
use super::simd::{Caches, Simd};
use super::sink::Sink;
use super::unpacked_gemm::UnpackedGemm;
use super::{split, tasks};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::storage::LINE;

/// Bytes of a factor that is packed as a whole at most: more is staged a group at a time, again for each product that reads it.
const WHOLE: usize = 4 << 20;
/// Elements of results that an epilogue goes over at once: few enough to stay in the first cache.
const EPILOGUE: usize = 1 << 11;

/// How the matrices of an operand are read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// Where they are.
    InPlace(Place),
    /// Staged, since they have no single strides, or no kernel takes them as they lie.
    Staged,
    /// Staged, since neighbours in memory belong to different matrices: one at a time would use one element of each cache line.
    Across,
}

impl Access {
    fn is_staged(self) -> bool {
        !matches!(self, Access::InPlace(_))
    }
}

/// The matrices of an operand: rows and columns.
fn matrices<T>(product: &ClassifiedAxes<T>, operand: usize) -> [&[Triple]; 2] {
    if operand == OUT { [&product.rows, &product.columns] } else { groups(product, operand) }
}

fn access<T>(product: &ClassifiedAxes<T>, operand: usize, force: bool) -> Access {
    let axes = matrices(product, operand);
    let narrow = narrowest(axes[0], operand).min(narrowest(axes[1], operand));
    let across = narrow != usize::MAX && narrow > narrowest(&product.batch, operand);
    match place(axes, operand) {
        _ if across => Access::Across,
        Some(place) if !force => Access::InPlace(place),
        _ => Access::Staged,
    }
}

/// A staged operand: the copy of a group of its matrices.
#[derive(Debug)]
struct Stage {
    permutation: Permutation,
    /// That of the last group, where it is a shorter one.
    last: Option<Permutation>,
    /// Elements of the memory.
    len: usize,
}

/// What multiplies the matrices of a group.
#[derive(Debug)]
enum Kernel<T: GemmElement> {
    /// Small ones, in registers from the first term to the last.
    Small(UnpackedGemm<T>),
    /// Larger ones, packed in blocks.
    Packed(PackedGemm<T>),
}

/// A batch of matrix products, prepared.
#[derive(Debug)]
pub(super) struct MatrixBatch<T: GemmElement> {
    sizes: Sizes,
    /// Axes around groups.
    batch: Vec<Triple>,
    /// Axes of a group, the last of which a kernel goes along.
    group: Vec<Triple>,
    /// Matrices of the last group along the last axis of the batch, where groups are blocks of an axis.
    last: Option<usize>,
    /// Factors that are packed as a whole before anything is multiplied.
    whole: [Option<Packed>; 2],
    places: [Place; 3],
    stages: [Option<Stage>; 3],
    /// Of factors as they are copied.
    conjugate: [bool; 2],
    start: [isize; 3],
    kernel: Kernel<T>,
    /// Threads that share the groups, and threads for each of them.
    threads: [usize; 2],
}

/// How a batch is staged: what the constructor decides first.
struct Plan<T> {
    product: ClassifiedAxes<T>,
    whole: [Option<Packed>; 2],
    access: [Access; 3],
    sizes: Sizes,
}

impl<T: GemmElement> Plan<T> {
    /// Operands are staged where they must be, and those of `force` in any case.
    fn new(product: &ClassifiedAxes<T>, force: [bool; 3]) -> Plan<T> {
        let mut product = product.clone();
        let sizes = Sizes { rows: points(&product.rows), columns: points(&product.columns), inner: points(&product.inner) };
        let mut access = [LEFT, RIGHT, OUT].map(|operand| access(&product, operand, force[operand]));
        let mut whole = [None, None];
        for side in [LEFT, RIGHT] {
            let own = matrices(&product, side).into_iter().flatten().chain(&product.batch).filter(|axis| axis.strides[side] != 0);
            let bytes = own.fold(size_of::<T>(), |bytes, axis| bytes.saturating_mul(axis.extent));
            // All of them beforehand, where many products read the same ones and they are not too large for that.
            if access[side].is_staged() && bytes <= WHOLE && product.batch.iter().any(|axis| axis.strides[side] == 0) {
                whole[side] = Some(pack_all(&mut product, side, force[side]));
                access[side] = Access::InPlace(place(matrices(&product, side), side).expect("packed axes lie side by side"));
            }
        }
        Plan { product, whole, access, sizes }
    }

    /// Whether the rows are neighbours in what kernels write, or else the columns: as the result lies, or as fills vectors.
    fn rows_inside(&self) -> bool {
        match self.access[OUT] {
            Access::InPlace(place) => place.row == 1 && place.column != 1,
            _ => {
                let filled = |n: usize| n as f64 / n.next_multiple_of(LINE / size_of::<T>()) as f64;
                filled(self.sizes.rows) > filled(self.sizes.columns)
            }
        }
    }

    /// Which of a staged operand's axes are inside: rows, or else columns.
    fn is_by_rows(&self, operand: usize) -> bool {
        let rows_inside = self.rows_inside();
        let [rows, columns] = matrices(&self.product, operand).map(|axes| narrowest(axes, operand));
        match operand {
            OUT => rows_inside,
            LEFT => rows_inside || rows < columns,
            _ => rows_inside && rows < columns,
        }
    }

    /// The strides of the matrices as kernels see them.
    fn places(&self) -> [Place; 3] {
        let Sizes { rows, columns, inner } = self.sizes;
        let extents = [[rows, inner], [inner, columns], [rows, columns]];
        [LEFT, RIGHT, OUT].map(|operand| match self.access[operand] {
            Access::InPlace(place) => place,
            _ if self.is_by_rows(operand) => Place { row: 1, column: extents[operand][0] as isize },
            _ => Place { row: extents[operand][1] as isize, column: 1 },
        })
    }

    /// Which factors a kernel has to conjugate: copies are conjugated already.
    fn conjugate(&self) -> [bool; 2] {
        [LEFT, RIGHT].map(|side| self.product.conjugate[side] && !self.access[side].is_staged())
    }

    /// Elements of an operand's matrix.
    fn elements(&self, operand: usize) -> usize {
        let Sizes { rows, columns, inner } = self.sizes;
        [rows * inner, inner * columns, rows * columns][operand]
    }

    /// Takes those axes out of the batch whose matrices are staged together. An axis too long for that is cut: the batch keeps the groups
    /// that it makes; the number says how many matrices the last of them has.
    fn group(&mut self, threads: usize) -> (Vec<Triple>, Option<usize>) {
        let staged = [LEFT, RIGHT, OUT].into_iter().filter(|&operand| self.access[operand].is_staged());
        let across = |operand: &usize| self.access[*operand] == Access::Across;
        let first = staged.clone().max_by_key(|operand| (across(operand), self.elements(*operand))).unwrap_or(OUT);
        let each = staged.map(|operand| self.elements(operand)).sum::<usize>().max(1);
        let needed = across(&first);
        let is_shared =
            |axis: &Triple| [LEFT, RIGHT].into_iter().any(|side| self.access[side].is_staged() && axis.strides[side] == 0);
        let batch = &mut self.product.batch;
        // In that operand's own order, so that it is read or written from one end to the other.
        fuse::sort(batch, &[first, OUT]);
        fuse::fuse(batch);
        if needed {
            batch.sort_by_key(|axis| axis.strides[first] != 0);
        }
        let limit = (Caches::here().second / 2 / size_of::<T>()).min(points(batch).saturating_mul(each) / (4 * threads)) / each;
        let limit = if needed { limit.max(LINE / size_of::<T>()) } else { limit.max(1) };
        let mut group: Vec<Triple> = Vec::new();
        while let Some(axis) = batch.last() {
            // Staged matrices that several products read are staged once for all of these, unless they have to be staged together.
            if is_shared(axis) && !needed {
                break;
            }
            let room = limit / points(&group);
            if axis.extent > room {
                return if room > 1 { cut::<T>(batch, group, room) } else { (group, None) };
            }
            group.insert(0, *axis);
            batch.pop();
        }
        (group, None)
    }
}

/// Cuts the last axis of the batch into groups of so many matrices, whole lines of them where there are that many.
fn cut<T>(batch: &mut [Triple], mut group: Vec<Triple>, most: usize) -> (Vec<Triple>, Option<usize>) {
    let line = LINE / size_of::<T>();
    let axis = batch.last_mut().expect("there is an axis to cut");
    let block = if most >= line { most / line * line } else { most }.min(axis.extent);
    group.insert(0, Axis { extent: block, strides: axis.strides });
    let blocks = axis.extent.div_ceil(block);
    let last = axis.extent - (blocks - 1) * block;
    *axis = Axis { extent: blocks, strides: axis.strides.map(|stride| stride * block as isize) };
    (group, Some(last))
}

/// Packs all matrices of a factor.
fn pack_all<T: GemmElement>(product: &mut ClassifiedAxes<T>, side: usize, _: bool) -> Packed {
    let ClassifiedAxes { batch, rows, columns, inner, start, .. } = product;
    let outside = if side == LEFT { rows } else { columns };
    let groups =
        if narrowest(outside, side) < narrowest(inner, side) { [batch, inner, outside] } else { [batch, outside, inner] };
    Packed::new::<T>(groups.into_iter().flat_map(|axes| axes.iter_mut()), side, &mut start[side])
}

impl Stage {
    /// The copy of a group of matrices, with the axes that are inside last; and the strides from one matrix to the next along the axes of
    /// the group.
    fn new<T>(axes: [&[Triple]; 2], operand: usize, rows_inside: bool, group: &[Triple]) -> (Stage, Vec<isize>) {
        let [outside, inside] = if rows_inside { [axes[1], axes[0]] } else { axes };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in
            inside.iter().rev().chain(outside.iter().rev()).chain(group.iter().rev().filter(|axis| axis.strides[operand] != 0))
        {
            let strides = if operand == OUT { [stride, axis.strides[OUT]] } else { [axis.strides[operand], stride] };
            pairs.push(Axis { extent: axis.extent, strides });
            stride *= axis.extent as isize;
        }
        let own = usize::from(operand != OUT);
        let mut found = pairs.iter().rev().map(|axis| axis.strides[own]);
        let strides =
            group.iter().map(|axis| if axis.strides[operand] != 0 { found.next().expect("each has its own") } else { 0 });
        let strides = strides.collect();
        (Stage { permutation: Permutation::new(pairs, size_of::<T>()), last: None, len: stride as usize }, strides)
    }
}

impl<T: GemmElement> MatrixBatch<T> {
    /// Prepares the product. Small matrices go to the kernel in vectors, where it takes them as they lie or staged; tiny ones to the one in
    /// scalars; other ones are packed in blocks. `force` stages all operands.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn new(
        threads: usize,
        mut product: ClassifiedAxes<T>,
        [small, in_vectors]: [usize; 2],
        force: bool,
    ) -> Result<MatrixBatch<T>, Error> {
        split::choose(&mut product);
        let unstaged = Plan::new(&product, [force; 3]);
        let multiplications = unstaged.sizes.multiplications();
        if multiplications <= in_vectors {
            // Each operand as it lies, if a kernel takes it; a copy of the result, or of factors, if one takes that.
            for force in [[force; 3], [false, false, true], [true, true, false], [true; 3]] {
                let plan = Plan::new(&product, force);
                let small = UnpackedGemm::new(plan.sizes, plan.places(), [0; 3], plan.conjugate(), product.alpha)?;
                if small.is_in_vectors()? {
                    return MatrixBatch::with_plan(threads, plan, true);
                }
            }
        }
        MatrixBatch::with_plan(threads, unstaged, multiplications <= small)
    }

    fn with_plan(threads: usize, mut plan: Plan<T>, small: bool) -> Result<MatrixBatch<T>, Error> {
        let (places, conjugate) = (plan.places(), plan.conjugate());
        let (mut group, last) = plan.group(threads);
        let mut stages = [None, None, None];
        let lying = group.clone();
        for operand in [LEFT, RIGHT, OUT] {
            if !plan.access[operand].is_staged() {
                continue;
            }
            let axes = matrices(&plan.product, operand);
            let by_rows = plan.is_by_rows(operand);
            let (mut stage, strides) = Stage::new::<T>(axes, operand, by_rows, &lying);
            if let Some(last) = last {
                let mut shorter = lying.clone();
                shorter[0].extent = last;
                stage.last = Some(Stage::new::<T>(axes, operand, by_rows, &shorter).0.permutation);
            }
            group.iter_mut().zip(strides).for_each(|(axis, stride)| axis.strides[operand] = stride);
            stages[operand] = Some(stage);
        }
        let Plan { product: ClassifiedAxes { batch, start, alpha, conjugate: given, .. }, whole, access, sizes } = plan;
        let step = group.last().map_or([0; 3], |axis| axis.strides);
        let kernel = if small {
            Kernel::Small(UnpackedGemm::new(sizes, places, step, conjugate, alpha)?)
        } else {
            Kernel::Packed(PackedGemm::new(one(sizes, places, &group, conjugate, alpha), Simd::chosen()?))
        };
        let multiplications = points(&group).saturating_mul(sizes.multiplications());
        // Where there are few groups, threads share each.
        let (outside, inside) = if points(&batch) >= 2 * threads { (threads, 1) } else { (1, threads) };
        let threads = [outside, tasks::worth(inside, multiplications / 4)];
        let conjugate = [LEFT, RIGHT].map(|side| given[side] && access[side].is_staged());
        Ok(MatrixBatch { sizes, batch, group, last, whole, places, stages, conjugate, start, kernel, threads })
    }

    /// Whether matrices are read and written where they lie.
    fn is_in_place(&self) -> bool {
        self.stages.iter().all(Option::is_none) && self.whole.iter().all(Option::is_none)
    }

    /// Whether all matrices are small, and computed by kernels in vectors.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn is_in_vectors(&self) -> Result<bool, Error> {
        if let Kernel::Small(small) = &self.kernel { small.is_in_vectors() } else { Ok(false) }
    }

    /// The same, and they are read and written where they lie.
    ///
    /// # Errors
    /// When the environment asks for vector instructions that are not there.
    pub(super) fn is_in_vectors_in_place(&self) -> Result<bool, Error> {
        Ok(self.is_in_place() && self.is_in_vectors()?)
    }

    /// The kernel of the one small product that it is, of matrices where they lie, and where these start.
    pub(super) fn as_small(&self) -> Option<(UnpackedGemm<T>, [isize; 3])> {
        let Kernel::Small(small) = &self.kernel else { return None };
        let is_one = self.batch.is_empty() && self.group.is_empty() && self.is_in_place();
        is_one.then_some((*small, self.start))
    }

    /// How it is computed, in a few words.
    pub(super) fn method(&self) -> &'static str {
        match (&self.kernel, self.is_in_place()) {
            (Kernel::Small(_), true) => "small matrices",
            (Kernel::Small(_), false) => "small matrices, staged",
            (Kernel::Packed(_), true) => "packed in blocks",
            (Kernel::Packed(_), false) => "packed in blocks, staged",
        }
    }

    /// Elements of what is staged while it runs.
    pub(super) fn work_space(&self) -> usize {
        let each: usize = self.stages.iter().flatten().map(|stage| stage.len).sum();
        let whole: usize = self.whole.iter().flatten().map(Packed::len).sum();
        whole.saturating_add(each.saturating_mul(self.threads[0].min(points(&self.batch).max(1))))
    }

    /// Computes it, and where [matrices are in vectors in place](MatrixBatch::is_in_vectors_in_place) what is to be done with each element
    /// then.
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
        let copy = |side: usize| self.whole[side].as_ref().map(|packed| packed.make(threads, data[side])).transpose();
        let copies = [copy(LEFT)?, copy(RIGHT)?];
        let data = [LEFT, RIGHT].map(|side| copies[side].as_deref().unwrap_or(data[side]));
        let items = points(&self.batch);
        let one = points(&self.group).saturating_mul(self.sizes.multiplications());
        tasks::failing(|failed| {
            tasks::split(self.threads[0], items, items.saturating_mul(one), &|range| {
                failed(self.groups(range, data, out, epilogue))
            });
        })
    }

    /// Computes the groups of these numbers.
    fn groups(
        &self,
        range: Range<usize>,
        data: [&[T]; 2],
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        let space = |stage: &Option<Stage>| zeros::<T>(stage.as_ref().map_or(0, |stage| stage.len));
        let mut staged = [space(&self.stages[LEFT])?, space(&self.stages[RIGHT])?];
        let mut apart = space(&self.stages[OUT])?;
        let mut walk = Odometer::new(&self.batch, &self.start, range.start);
        // What is staged by now: where it begins, and whether it is a shorter group.
        let mut there = [None; 2];
        for _ in range {
            let mut start = walk.position;
            let is_end = self.batch.last().is_some_and(|axis| walk.index(self.batch.len() - 1) + 1 == axis.extent);
            let last = self.last.filter(|_| is_end);
            walk.step();
            for side in [LEFT, RIGHT] {
                if let Some(stage) = &self.stages[side] {
                    let wanted = Some((start[side], last.is_some()));
                    if there[side] != wanted {
                        there[side] = wanted;
                        let permutation = stage.last.as_ref().filter(|_| last.is_some()).unwrap_or(&stage.permutation);
                        let to = Sink::new(&mut staged[side]);
                        permutation.run(self.threads[1], [start[side], 0], data[side], to, self.conjugate[side]);
                    }
                    start[side] = 0;
                }
            }
            let of = |side: usize| if self.stages[side].is_some() { &staged[side][..] } else { data[side] };
            let factors = [of(LEFT), of(RIGHT)];
            match &self.stages[OUT] {
                None => self.multiply(factors, start, last, out, epilogue)?,
                Some(stage) => {
                    debug_assert!(
                        epilogue.is_none(),
                        "only kernels in vectors that write matrices where they lie have epilogues"
                    );
                    let to = std::mem::replace(&mut start[OUT], 0);
                    self.multiply(factors, start, last, Sink::new(&mut apart), None)?;
                    let permutation = stage.last.as_ref().filter(|_| last.is_some()).unwrap_or(&stage.permutation);
                    permutation.run(self.threads[1], [0, to], &apart, out, false);
                }
            }
        }
        Ok(())
    }

    /// Computes a group from there on; so many matrices along its first axis, where it is a shorter one.
    fn multiply(
        &self,
        data: [&[T]; 2],
        start: [isize; 3],
        last: Option<usize>,
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        let mut group = self.group.clone();
        if let (Some(first), Some(last)) = (group.first_mut(), last) {
            first.extent = last;
        }
        let small = match &self.kernel {
            Kernel::Small(small) => small,
            Kernel::Packed(packed) => {
                debug_assert!(epilogue.is_none(), "only kernels in vectors have epilogues here");
                return packed.run_at(self.threads[1], &group, start, data, out);
            }
        };
        let axis = group.pop().unwrap_or(Axis { extent: 1, strides: [0; 3] });
        let outer = points(&group);
        let most = epilogue.map_or(usize::MAX, |_| (EPILOGUE / (self.sizes.rows * self.sizes.columns)).max(1));
        tasks::split(self.threads[1], outer * axis.extent, outer * axis.extent * self.sizes.multiplications(), &|range| {
            let mut number = range.start;
            while number < range.end {
                let (index, along) = (number / axis.extent, number % axis.extent);
                let at = Odometer::new(&group, &start, index).position;
                let at: [isize; 3] = std::array::from_fn(|n| at[n] + along as isize * axis.strides[n]);
                let products = (range.end - number).min(axis.extent - along).min(most);
                // SAFETY: positions and strides come from factors and an output that were found to lie inside their memory, or from
                // temporaries laid out for them; this task alone writes these matrices, whose elements lie apart.
                unsafe {
                    let from = [LEFT, RIGHT].map(|side| data[side].as_ptr().offset(at[side]));
                    small.run(products, from, out.address(at[OUT]));
                }
                if let Some(epilogue) = epilogue {
                    self.apply_epilogue(epilogue, products, axis.strides[OUT], at[OUT], out);
                }
                number += products;
            }
        });
        Ok(())
    }

    /// Finishes so many results, so much further from each other, the first of which begins there.
    fn apply_epilogue(&self, epilogue: &BoundEpilogue<'_, T>, products: usize, step: isize, start: isize, out: Sink<'_, T>) {
        let Sizes { rows, columns, .. } = self.sizes;
        let place = self.places[OUT];
        // What is contiguous: rows, or columns. Kernels in vectors write nothing else.
        let (len, lines, stride) = if place.column == 1 { (columns, rows, place.row) } else { (rows, columns, place.column) };
        debug_assert!(place.column == 1 || place.row == 1, "{place:?}");
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
}

/// Products of matrices with these strides, as the engine takes them.
fn one<T>(sizes: Sizes, [left, right, out]: [Place; 3], group: &[Triple], conjugate: [bool; 2], alpha: T) -> ClassifiedAxes<T> {
    let axis = |extent: usize, strides: [isize; 3]| if extent == 1 { Vec::new() } else { vec![Axis { extent, strides }] };
    ClassifiedAxes {
        batch: group.to_vec(),
        rows: axis(sizes.rows, [left.row, 0, out.row]),
        columns: axis(sizes.columns, [0, right.column, out.column]),
        inner: axis(sizes.inner, [left.column, right.row, 0]),
        conjugate,
        start: [0; 3],
        alpha,
    }
}
