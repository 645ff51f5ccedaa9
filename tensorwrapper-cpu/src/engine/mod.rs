//! The engine of matrix products: operands of any strides are packed a block at a time, multiplied in registers, and stored
//! where they belong. Nothing as large as an operand is ever copied.
//!
//! The loops are those of BLIS. `problem` cuts a product into blocks: NC columns, within them KC terms (which are packed for the columns),
//! within them MC rows (which are packed for the rows, once where one block of them serves all columns). `store` goes over the tiles of a
//! block, each of MR rows and NR columns, and `kernel` computes one in registers. Caches decide how large blocks are: a panel of NR columns
//! and KC terms stays in the first cache, MC rows and KC terms in the second.
//!
//! `space` says in which order indices follow each other; `pack` reads operands into panels, whose `format` splits complex numbers;
//! `distance` says what comes from memory, and `prefetch` has cache lines fetched in time; `epilogue` computes what follows the sum while
//! the result is near; `workspace` lends memory to threads. `tall` is a product kernel of its own: long sums with small results, whose
//! tiles read both operands where they lie.

mod distance;
mod epilogue;
mod format;
mod kernel;
mod model;
mod pack;
mod panels;
mod prefetch;
mod problem;
mod product;
mod scatter;
mod space;
mod store;
mod tall;
mod terms;
#[cfg(test)]
mod tests;
mod workspace;

pub(super) use self::epilogue::{BoundEpilogue, Epilogue};
pub(super) use self::kernel::GemmElement;
pub(super) use self::tall::TallGemm;
pub(super) use self::workspace::Workspace;

use self::kernel::Kernel;
use self::model::Cut;
use self::problem::{Problem, WorkShare};
pub(super) use self::product::Item;
use self::product::{Product, on};
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product_kernel::ProductKernel;
use super::sink::Sink;
use super::{permute, tasks};
use crate::simd::Simd;
use tensorwrapper_core::backend::fuse::{Axis, Odometer, points};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::internal::thread_pool;

/// A product, and the kernel that is chosen for it.
#[derive(Debug)]
pub(super) struct PackedGemm<T: GemmElement> {
    sorted: ClassifiedAxes<T>,
    kernel: &'static Kernel<T>,
    cut: Cut,
}

impl<T: GemmElement> PackedGemm<T> {
    /// Prepares a product for these instructions.
    pub(super) fn new(sorted: ClassifiedAxes<T>, simd: Simd) -> PackedGemm<T> {
        // What kernel suits it is a matter of axes: there is no memory yet.
        let (kernel, cut) = kernel(&on(&sorted, [&[], &[]], Sink::new(&mut [])), simd);
        PackedGemm { sorted, kernel, cut }
    }

    /// Computes it, and what is to be done with each element then.
    pub(super) fn run_with_epilogue(
        &self,
        threads: usize,
        data: [&[T]; 2],
        out: Sink<'_, T>,
        epilogue: Option<&BoundEpilogue<'_, T>>,
    ) -> Result<(), Error> {
        contract(threads, Product { epilogue, ..on(&self.sorted, data, out) }, (self.kernel, &self.cut))
    }

    /// Roughly how many cycles it takes.
    pub(super) fn cost(&self) -> f64 {
        self.cut.cost * points(&self.sorted.batch) as f64
    }

    /// Computes it from other places on.
    pub(super) fn run_from(&self, threads: usize, start: [isize; 3], data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        self.run_at(threads, &self.sorted.batch, start, data, out)
    }

    /// Computes products that begin at these places, times a number, each over what its result holds or added to it.
    ///
    /// # Errors
    /// Memory for packed blocks.
    pub(super) fn run_sum(
        &self,
        items: impl Iterator<Item = Item>,
        weight: T,
        data: [&[T]; 2],
        out: Sink<'_, T>,
    ) -> Result<(), Error> {
        let plain = on(&self.sorted, data, out);
        let product = Product { alpha: weight * plain.alpha, adds: true, ..plain };
        let problem = Problem::new(&product, self.kernel, &self.cut);
        if product.batch.is_empty() {
            return problem.compute(&problem.whole(), items, out);
        }
        for Item { start, adds } in items {
            let mut walk = Odometer::new(product.batch, &start, 0);
            let items = (0..points(product.batch)).map(|_| {
                let start = walk.position;
                walk.step();
                Item { start, adds }
            });
            problem.compute(&problem.whole(), items, out)?;
        }
        Ok(())
    }

    /// Computes products of another batch, from other places on.
    pub(super) fn run_at(
        &self,
        threads: usize,
        batch: &[Triple],
        start: [isize; 3],
        data: [&[T]; 2],
        out: Sink<'_, T>,
    ) -> Result<(), Error> {
        contract(threads, Product { batch, start, ..on(&self.sorted, data, out) }, (self.kernel, &self.cut))
    }
}

impl<T: GemmElement> ProductKernel<T> for PackedGemm<T> {
    fn method(&self) -> &'static str {
        "packed in blocks"
    }

    unsafe fn run(&self, threads: usize, data: [&[T]; 2], out: Sink<'_, T>) -> Result<(), Error> {
        self.run_with_epilogue(threads, data, out, None)
    }
}

/// Computes the product.
fn contract<T: GemmElement>(threads: usize, product: Product<'_, T>, (kernel, cut): (&Kernel<T>, &Cut)) -> Result<(), Error> {
    let multiplications = points(product.rows).saturating_mul(points(product.columns)).saturating_mul(points(product.inner));
    let items = points(product.batch);
    if tasks::shares_items(threads, (items, 4), multiplications, tasks::worth_product) && multiplications < 1 << 26 {
        let problem = Problem::new(&product, kernel, cut);
        let whole = problem.whole();
        return tasks::failing(|failed| {
            tasks::split_product(threads, items, items.saturating_mul(multiplications), &|range| {
                let mut walk = Odometer::new(product.batch, &product.start, range.start);
                let items = range.map(|_| {
                    let start = walk.position;
                    walk.step();
                    Item::written(start)
                });
                failed(problem.compute(&whole, items, product.out));
            });
        });
    }
    let threads = tasks::worth_product(threads, multiplications);
    let mut walk = Odometer::new(product.batch, &product.start, 0);
    if threads > 1 && product.epilogue.is_none() && sums_apart(threads, &product, kernel) {
        return (0..items).try_for_each(|_| {
            let done = contract_apart(threads, &product, kernel, walk.position);
            walk.step();
            done
        });
    }
    let problem = Problem::new(&product, kernel, cut);
    let parts = problem.parts(threads);
    (0..items).try_for_each(|_| {
        let item = Item::written(walk.position);
        walk.step();
        match &parts[..] {
            [part] => problem.compute(part, [item], product.out),
            _ => tasks::failing(|failed| {
                thread_pool::each(parts.len(), &|n| failed(problem.compute(&parts[n], [item], product.out)));
            }),
        }
    })
}

/// The kernel with the widest vectors, unless the model expects the other one to be faster, and how the product is cut up for it.
fn kernel<T: GemmElement>(product: &Product<'_, T>, simd: Simd) -> (&'static Kernel<T>, Cut) {
    let wide = T::kernel(simd);
    let cut = Cut::new(product, wide);
    let narrow = T::narrow_kernel(simd).map(|narrow| (narrow, Cut::new(product, narrow)));
    narrow.filter(|(_, narrow)| 1.1 * narrow.cost < cut.cost).unwrap_or((wide, cut))
}

/// Whether the sum is so long, and the result so small, that threads had better share the sum.
fn sums_apart<T: GemmElement>(threads: usize, product: &Product<'_, T>, kernel: &Kernel<T>) -> bool {
    let result = points(product.rows).saturating_mul(points(product.columns));
    let tile = kernel.mr() * kernel.nr;
    result < 64 * tile * threads && points(product.inner) > 16 * threads * kernel.kc()
}

/// Computes one product of the batch, each thread a part of the sum, into memory of its own; then adds the parts in order.
fn contract_apart<T: GemmElement>(
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
    let (columns, rows) = (dense(product.columns), dense(product.rows));
    let len = stride as usize;
    let mut sums = zeros::<T>(len.saturating_mul(threads))?;
    let apart = Product {
        batch: &[],
        rows: &rows,
        columns: &columns,
        inner: product.inner,
        factors: [LEFT, RIGHT].map(|side| product.factors[side].borrowed()),
        start,
        alpha: product.alpha,
        out: Sink::new(&mut sums),
        adds: false,
        epilogue: None,
    };
    let cut = Cut::new(&apart, kernel);
    let problem = Problem::new(&apart, kernel, &cut);
    let blocks = problem.whole().blocks.end;
    let bound = |n: usize| blocks * n / threads;
    tasks::failing(|failed| {
        thread_pool::each(threads, &|n| {
            let part = WorkShare { blocks: bound(n)..bound(n + 1), ..problem.whole() };
            let start = [start[LEFT], start[RIGHT], (n * len) as isize];
            failed(problem.compute(&part, [Item::written(start)], apart.out));
        });
    })?;
    drop(apart);
    permute::copy(1, pairs, [0, start[OUT]], tasks::add_parts(&mut sums, len), product.out, false);
    Ok(())
}
