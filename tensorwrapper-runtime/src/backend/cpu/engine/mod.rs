//! The engine of matrix products: operands of any strides are packed a block at a time, multiplied in registers, and stored
//! where they belong. Nothing as large as an operand is ever copied.
//!
//! `space` says in which order indices follow each other; `pack` reads operands, `store` writes the result; `kernel`
//! multiplies, with the instructions that `simd` has chosen, in the words of `vector`; `workspace` lends memory.

mod kernel;
mod pack;
mod simd;
mod space;
mod store;
mod vector;
mod workspace;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

pub(super) use self::kernel::Multiplied;
pub(crate) use self::simd::Simd;

use self::kernel::Kernel;
use self::pack::Packing;
use self::space::{Inner, Role, Space};
use self::store::Store;
use self::workspace::Workspace;
use super::contract::{LEFT, OUT, Product, RIGHT, Triple};
use super::fuse::{Axis, Odometer, points};
use super::sink::Sink;
use super::{permute, tasks};
use crate::element::Element;
use crate::erased::zeros;
use crate::error::Error;

/// Rows of a block at most: more bring nothing.
const MOST_ROWS: usize = 480;
/// Bytes of a block of packed columns: part of the third cache.
const COLUMN_BYTES: usize = 6 << 20;

/// Computes the product.
pub(super) fn contract<T: Multiplied>(threads: usize, product: Product<'_, T>, simd: Simd) -> Result<(), Error> {
    let kernel = T::kernel(simd);
    let multiplications = points(&product.rows).saturating_mul(points(&product.columns)).saturating_mul(points(&product.inner));
    let items = points(&product.batch);
    if items >= 4 * threads && multiplications < 1 << 26 {
        let problem = Problem::new(&product, kernel);
        let whole = problem.whole();
        return failing(|failed| {
            tasks::split(threads, items, items.saturating_mul(multiplications), |range| {
                let mut walk = Odometer::new(&product.batch, &product.start, range.start);
                for _ in range {
                    failed(problem.compute(&whole, walk.position, product.out));
                    walk.step();
                }
            });
        });
    }
    let threads = tasks::worth(threads, multiplications / 4);
    let mut walk = Odometer::new(&product.batch, &product.start, 0);
    if threads > 1 && sums_apart(threads, &product, kernel) {
        return (0..items).try_for_each(|_| {
            let done = contract_apart(threads, &product, kernel, walk.position);
            walk.step();
            done
        });
    }
    let problem = Problem::new(&product, kernel);
    let parts = problem.parts(threads);
    (0..items).try_for_each(|_| {
        let start = walk.position;
        walk.step();
        match &parts[..] {
            [part] => problem.compute(part, start, product.out),
            _ => failing(|failed| {
                let compute = |part: &Part| failed(problem.compute(part, start, product.out));
                parts.par_iter().with_max_len(1).for_each(compute);
            }),
        }
    })
}

/// Runs tasks on many threads; one of their errors, if there are any.
fn failing(tasks: impl FnOnce(&(dyn Fn(Result<(), Error>) + Sync))) -> Result<(), Error> {
    let failed = Mutex::new(Ok(()));
    tasks(&|result| {
        if result.is_err() {
            *failed.lock().unwrap_or_else(PoisonError::into_inner) = result;
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the sum is so long, and the result so small, that threads had better share the sum.
fn sums_apart<T: Multiplied>(threads: usize, product: &Product<'_, T>, kernel: &Kernel<T>) -> bool {
    let result = points(&product.rows).saturating_mul(points(&product.columns));
    let tile = kernel.width * kernel.panel * kernel.columns;
    result < 64 * tile * threads && points(&product.inner) > 16 * threads * terms::<T>()
}

/// Computes one product of the batch, each thread a part of the sum, into memory of its own; then adds the parts in order.
fn contract_apart<T: Multiplied>(
    threads: usize,
    product: &Product<'_, T>,
    kernel: &Kernel<T>,
    start: [isize; 3],
) -> Result<(), Error> {
    let mut stride = 1;
    let mut pairs = Vec::new();
    let mut dense = |axes: &[Triple]| -> Vec<Triple> {
        let mut axes = axes.to_vec();
        for axis in axes.iter_mut().rev() {
            pairs.push(Axis { extent: axis.extent, strides: [stride, axis.strides[OUT]] });
            axis.strides[OUT] = stride;
            stride *= axis.extent as isize;
        }
        axes
    };
    let (columns, rows) = (dense(&product.columns), dense(&product.rows));
    let len = stride as usize;
    let mut sums = zeros::<T>(len.saturating_mul(threads))?;
    let apart = Product {
        batch: Vec::new(),
        rows,
        columns,
        inner: product.inner.clone(),
        factors: [LEFT, RIGHT].map(|side| product.factors[side].borrowed()),
        start,
        alpha: product.alpha,
        out: Sink::new(&mut sums),
    };
    let problem = Problem::new(&apart, kernel);
    let blocks = problem.inner.blocks();
    let bound = |n: usize| blocks * n / threads;
    failing(|failed| {
        (0..threads).into_par_iter().with_max_len(1).for_each(|n| {
            let part = Part { blocks: bound(n)..bound(n + 1), ..problem.whole() };
            let start = [start[LEFT], start[RIGHT], (n * len) as isize];
            failed(problem.compute(&part, start, apart.out));
        });
    })?;
    drop(apart);
    let (total, others) = sums.split_at_mut(len);
    for other in others.chunks(len) {
        total.iter_mut().zip(other).for_each(|(sum, &x)| *sum += x);
    }
    permute::copy(1, pairs, [0, start[OUT]], total, product.out, false);
    Ok(())
}

/// Terms of a block: a panel of columns of them stays in the first cache.
fn terms<T: Element>() -> usize {
    if size_of::<T>() > 8 { 256 } else { 384 }
}

/// A product, cut up for the kernels; which item of a batch it is makes no difference.
struct Problem<'a, T: Multiplied> {
    kernel: &'a Kernel<T>,
    product: &'a Product<'a, T>,
    /// The factors that rows and columns belong to.
    sides: [usize; 2],
    rows: Space,
    columns: Space,
    inner: Inner,
}

/// What one thread computes: groups of rows, groups of columns, blocks of the sum.
struct Part {
    rows: Range<usize>,
    columns: Range<usize>,
    blocks: Range<usize>,
}

impl<'a, T: Multiplied> Problem<'a, T> {
    fn new(product: &'a Product<'a, T>, kernel: &'a Kernel<T>) -> Problem<'a, T> {
        let sides = sides(product, kernel);
        let axes = |side: usize| if side == LEFT { &product.rows } else { &product.columns };
        let [m, n] = sides.map(|side| points(axes(side)));
        let k = points(&product.inner);
        let role = Role::Rows { panel: kernel.panel };
        Problem {
            kernel,
            product,
            sides,
            rows: Space::new(axes(sides[0]), sides[0], kernel.width, role, n > k),
            columns: Space::new(axes(sides[1]), sides[1], kernel.columns, Role::Columns, m > k),
            inner: Inner::new(&product.inner, sides, usize::from(m < n), terms::<T>()),
        }
    }

    fn whole(&self) -> Part {
        Part { rows: 0..self.rows.groups(), columns: 0..self.columns.groups(), blocks: 0..self.inner.blocks() }
    }

    /// Cuts rows and columns so that little is packed twice.
    fn parts(&self, threads: usize) -> Vec<Part> {
        let panels = self.rows.groups().div_ceil(self.kernel.panel);
        let (rows, columns) = (self.rows.groups() * self.kernel.width, self.columns.groups() * self.kernel.columns);
        let cuts = (1..=threads).filter(|n| threads.is_multiple_of(*n)).map(|n| (n, threads / n));
        let (down, along) = cuts
            .filter(|&(down, along)| down <= panels && along <= self.columns.groups())
            .min_by_key(|(down, along)| down * columns + along * rows)
            .unwrap_or(if panels > self.columns.groups() {
                (threads.min(panels), 1)
            } else {
                (1, threads.min(self.columns.groups()))
            });
        let bound = |all: usize, n: usize, of: usize| (all as u128 * n as u128 / of as u128) as usize;
        let mut parts = Vec::new();
        for m in 0..down {
            let rows = |n: usize| self.rows.groups().min(bound(panels, n, down) * self.kernel.panel);
            for n in 0..along {
                let columns = |n: usize| bound(self.columns.groups(), n, along);
                parts.push(Part { rows: rows(m)..rows(m + 1), columns: columns(n)..columns(n + 1), ..self.whole() });
            }
        }
        parts
    }

    /// Groups of rows and of columns in a block.
    fn block(&self, part: &Part) -> [usize; 2] {
        let kernel = self.kernel;
        let terms = self.inner.longest() * size_of::<T>();
        let most = (kernel.cache / terms).clamp(kernel.width * kernel.panel, MOST_ROWS) / kernel.width;
        let (panel, together) = (kernel.panel, self.rows.together());
        let unit = if together.is_multiple_of(panel) { together } else { together * panel };
        let rows = if unit <= most { most / unit * unit } else { most / panel * panel };
        let most = (COLUMN_BYTES / terms / kernel.columns).max(1);
        let columns = part.columns.len().div_ceil(part.columns.len().div_ceil(most));
        [rows, columns]
    }

    /// Computes a part of the product whose first elements lie at `start`.
    fn compute(&self, part: &Part, start: [isize; 3], out: Sink<'_, T>) -> Result<(), Error> {
        if part.rows.is_empty() || part.columns.is_empty() || part.blocks.is_empty() {
            return Ok(());
        }
        Workspace::lend(|workspace| self.compute_in(workspace, part, start, out))
    }

    fn compute_in(&self, workspace: &mut Workspace, part: &Part, start: [isize; 3], out: Sink<'_, T>) -> Result<(), Error> {
        let kernel = self.kernel;
        let [height, breadth] = self.block(part);
        let Workspace { rows, columns, row_groups, column_groups, block } = workspace;
        let most = |groups: usize, panel: usize| groups.next_multiple_of(panel) * self.inner.longest() * kernel.parts();
        let rows = rows.room::<T::Real>(most(height.min(part.rows.len()), kernel.panel) * kernel.width)?;
        let columns = columns.room::<T::Real>(most(breadth, 1) * kernel.columns)?;
        for first_column in part.columns.clone().step_by(breadth) {
            self.columns.write(first_column..part.columns.end.min(first_column + breadth), column_groups);
            for number in part.blocks.clone() {
                self.inner.write(number, kernel.square, block);
                // SAFETY: the axes lie inside the memory, as the device's operands do; the room is for the longest block.
                unsafe { (kernel.pack_columns)(&self.packing(1, start, column_groups, block, columns)) };
                for first_row in part.rows.clone().step_by(height) {
                    self.rows.write(first_row..part.rows.end.min(first_row + height), row_groups);
                    // SAFETY: as above.
                    unsafe { (kernel.pack_rows)(&self.packing(0, start, row_groups, block, rows)) };
                    let store = Store {
                        kernel,
                        rows: row_groups,
                        columns: column_groups,
                        out,
                        start: start[OUT],
                        terms: block.len(),
                        alpha: self.product.alpha,
                        add: number > part.blocks.start,
                    };
                    // SAFETY: the panels have just been packed; the result's elements lie inside and apart, as the
                    // product's do, and no other part has these rows and columns.
                    unsafe { tiles(&store, rows, columns) };
                }
            }
        }
        Ok(())
    }

    fn packing<'s>(
        &'s self,
        role: usize,
        start: [isize; 3],
        groups: &'s space::Groups,
        block: &'s space::Block,
        to: *mut T::Real,
    ) -> Packing<'s, T> {
        let side = self.sides[role];
        let factor = &self.product.factors[side];
        let packing = Packing {
            from: factor.data.as_ptr().wrapping_offset(start[side]),
            memory: &factor.data,
            groups,
            inner: &block.at[role],
            runs: &block.runs[role],
            singles: &block.singles[role],
            step: block.step[role],
            to,
            conjugate: factor.conjugate,
        };
        if cfg!(debug_assertions) {
            packing.check();
        }
        packing
    }
}

/// All tiles of a block.
///
/// # Safety
/// As [`Store::tile`].
unsafe fn tiles<T: Multiplied>(store: &Store<'_, T>, rows: *const T::Real, columns: *const T::Real) {
    let kernel = store.kernel;
    let numbers = store.terms * kernel.parts();
    for column in 0..store.columns.groups.len() {
        let columns = store.columns(column, columns.wrapping_add(column * kernel.columns * numbers));
        for row in (0..store.rows.groups.len()).step_by(kernel.panel) {
            // SAFETY: the caller's promise.
            unsafe { store.tile(row, rows.wrapping_add(row * kernel.width * numbers), &columns) };
        }
    }
}

/// Which factor is to have the rows: the one along whose axes the result is contiguous.
fn sides<T: Multiplied>(product: &Product<'_, T>, kernel: &Kernel<T>) -> [usize; 2] {
    let axes = [&product.rows, &product.columns];
    let unit = axes.map(|axes| axes.iter().any(|axis| axis.strides[OUT] == 1));
    let [m, n] = axes.map(|axes| points(axes));
    let turned = if unit[0] == unit[1] { n > m } else { unit[1] };
    let filled = |m: usize, n: usize| {
        let part = |points: usize, of: usize| points as f64 / points.next_multiple_of(of) as f64;
        part(m, kernel.width) * part(n, kernel.columns)
    };
    let (straight, across) = (filled(m, n), filled(n, m));
    let turned = if turned { straight < 1.5 * across } else { across > 1.5 * straight };
    if turned { [RIGHT, LEFT] } else { [LEFT, RIGHT] }
}
