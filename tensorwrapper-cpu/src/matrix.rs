//! Batches of products of matrices: each matrix is read and written where it lies, or a group of them is staged.
//!
//! An operand is staged where the axes of its matrices do not fuse to single strides, where neighbours in memory belong to different
//! matrices, or where no kernel takes it as it lies. Matrices of a group are copied together, so that memory is read and written along
//! neighbours, and a group stays in a near cache.

use std::ops::Range;

use smallvec::SmallVec;

use super::engine::{BoundEpilogue, GemmElement, PackedGemm, Workspace};
use super::packed::Packed;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product::{Place, Sizes};
use super::product_kernel::ProductKernel;
use super::simd::Simd;
use super::sink::Sink;
use super::staging::{Plan, Stage, matrices};
use super::unpacked_gemm::UnpackedGemm;
use super::{split, tasks};
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::error::Error;

/// Elements of results that an epilogue goes over at once: few enough to stay in the first cache.
const EPILOGUE: usize = 1 << 11;

/// What multiplies the matrices of a group.
#[derive(Debug)]
enum Kernel<T: GemmElement> {
    /// Small ones, in registers from the first term to the last.
    Small(UnpackedGemm<T>),
    /// Larger ones, packed in blocks.
    Packed(Box<PackedGemm<T>>),
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
            const TRIES: [[bool; 3]; 6] =
                [[false; 3], [false, true, false], [true, false, false], [false, false, true], [true, true, false], [true; 3]];
            for force in TRIES.into_iter().filter(|tried| !force || tried[0]) {
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
        let written = points(&plan.product.batch).saturating_mul(plan.sizes.rows * plan.sizes.columns * size_of::<T>());
        let (mut group, last) = plan.group(threads);
        let mut stages = [None, None, None];
        let lying = group.clone();
        for operand in [LEFT, RIGHT, OUT] {
            if !plan.access[operand].is_staged() {
                continue;
            }
            let axes = matrices(&plan.product, operand);
            let by_rows = plan.is_by_rows(operand);
            let (mut stage, strides) = Stage::new::<T>(axes, operand, by_rows, &lying, written);
            if let Some(last) = last {
                let mut shorter = lying.clone();
                shorter[0].extent = last;
                stage.last = Some(Stage::new::<T>(axes, operand, by_rows, &shorter, written).0.permutation);
            }
            group.iter_mut().zip(strides).for_each(|(axis, stride)| axis.strides[operand] = stride);
            stages[operand] = Some(stage);
        }
        let Plan { product: ClassifiedAxes { batch, start, alpha, conjugate: given, .. }, whole, access, sizes } = plan;
        let step = group.last().map_or([0; 3], |axis| axis.strides);
        let kernel = if small {
            Kernel::Small(UnpackedGemm::new(sizes, places, step, conjugate, alpha)?)
        } else {
            Kernel::Packed(Box::new(PackedGemm::new(one(sizes, places, &group, conjugate, alpha), Simd::chosen()?)))
        };
        let multiplications = points(&group).saturating_mul(sizes.multiplications());
        // Where there are few groups, and each is worth it, threads share each.
        let outside = tasks::shares_items(threads, (points(&batch), 2), multiplications, tasks::worth_product);
        let (outside, inside) = if outside { (threads, 1) } else { (1, threads) };
        let threads = [outside, tasks::worth_product(inside, multiplications)];
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

    /// Computes it, and where [matrices are in vectors in place](MatrixBatch::is_in_vectors_in_place) what is to be done with each element
    /// then.
    ///
    /// # Safety
    /// All positions that the axes lead to lie inside the memory, and nobody else touches those of the output.
    pub(super) unsafe fn run_with_epilogue(
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
            tasks::split_product(self.threads[0], items, items.saturating_mul(one), &|range| {
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
        if self.stages.iter().all(Option::is_none) {
            return self.some_groups(range, [&mut [], &mut [], &mut []], data, out, epilogue);
        }
        Workspace::lend(|workspace| {
            let len = |operand: usize| self.stages[operand].as_ref().map_or(0, |stage| stage.len);
            let Workspace { rows, columns, result, .. } = workspace;
            let rooms = [rows.numbers::<T>(len(LEFT))?, columns.numbers::<T>(len(RIGHT))?, result.numbers::<T>(len(OUT))?];
            self.some_groups(range, rooms, data, out, epilogue)
        })
    }

    /// The same, with memory for staged operands.
    fn some_groups(
        &self,
        range: Range<usize>,
        [left, right, apart]: [&mut [T]; 3],
        data: [&[T]; 2],
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        let staged = [left, right];
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
                        let to = Sink::new(staged[side]);
                        stage.permutation(last.is_some()).run(
                            self.threads[1],
                            [start[side], 0],
                            data[side],
                            to,
                            self.conjugate[side],
                        );
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
                    self.multiply(factors, start, last, Sink::new(apart), None)?;
                    stage.permutation(last.is_some()).run(self.threads[1], [0, to], apart, out, false);
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
        let mut group: SmallVec<[Triple; 4]> = SmallVec::from_slice(&self.group);
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
        let all = outer * axis.extent;
        tasks::split_product(self.threads[1], all, all * self.sizes.multiplications(), &|range| {
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

impl<T: GemmElement> ProductKernel<T> for MatrixBatch<T> {
    fn method(&self) -> &'static str {
        match (&self.kernel, self.is_in_place()) {
            (Kernel::Small(small), true) => small.method(),
            (Kernel::Small(_), false) => "small matrices, staged",
            (Kernel::Packed(blocks), true) => blocks.method(),
            (Kernel::Packed(_), false) => "packed in blocks, staged",
        }
    }

    fn work_space(&self, _: usize) -> usize {
        // Groups are staged in memory that threads keep.
        self.whole.iter().flatten().map(Packed::len).sum()
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { self.run_with_epilogue(threads, data, out, None) }
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
