//! Computes tasks, most often one for each sector: on several threads some side by side, each on one of them, and the others alone, on all.
//!
//! Which ones are computed alone depends on their sizes, not on the number of threads. Those side by side have the same bits on any number
//! of threads; one that is computed alone has those of a dense matrix.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

use super::super::super::context::Context;
use super::super::operand::BlockOperand;
use super::super::pair::single;
use super::super::watched::WatchedRun;
use super::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};

/// Operations of a sector from which on it is worth all threads, beside whatever others there are: 2048 rows.
const FOR_ALL_THREADS: f64 = (1u64 << 33) as f64;
/// Operations of sectors side by side that are worth other threads: two of 20 rows.
pub(super) const WORTH_THREADS: f64 = (1u64 << 14) as f64;
/// Sectors that are computed in one step: between two of them a run may be cancelled.
const TOGETHER: usize = 64;

/// The numbers of tasks, by how they are computed.
struct Parted {
    alone: Vec<usize>,
    /// The largest first, so that threads end together.
    aside: Vec<usize>,
}

/// A task that is computed beside others, and what was found.
struct Share<R> {
    number: usize,
    found: Option<Result<R, Error>>,
}

/// Tasks that may be computed side by side.
pub(super) struct Tasks<'t> {
    context: &'t Context,
    /// About how many operations each takes.
    costs: &'t [f64],
    parted: Parted,
    /// The device on one thread, for those side by side.
    single: Option<Arc<dyn Device>>,
}

impl<'t> Tasks<'t> {
    /// Tasks of about so many operations each.
    pub(super) fn new(context: &'t Context, costs: &'t [f64]) -> Tasks<'t> {
        let single = single(context.backend.device());
        Tasks { context, costs, parted: Parted::new(costs, single.is_some()), single }
    }

    /// What is found by each task, computed by so many threads where some are computed side by side. Each that is computed alone is a step
    /// that the context reports, and may be cancelled before it; so are some that are computed side by side. `said` is what one that is
    /// computed alone is called, and `several` what some are.
    ///
    /// # Errors
    /// That of a task that has one, those that are computed alone before the others, and cancellation.
    pub(super) fn run<R: Send>(
        self,
        threads: usize,
        (said, several): (impl Fn(usize) -> String, &str),
        compute: impl Fn(&dyn Device, usize) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let Tasks { context, costs, parted: Parted { alone, aside }, single } = self;
        let cost_of = |numbers: &[usize]| numbers.iter().map(|&n| costs[n]).sum::<f64>();
        let step_costs = || alone.chunks(1).chain(aside.chunks(TOGETHER)).map(cost_of).collect();
        let lines = || {
            let one = alone.iter().map(|&n| said(n));
            one.chain(aside.chunks(TOGETHER).map(|some| format!("{} {several} side by side", some.len()))).collect()
        };
        let mut run = WatchedRun::new(context.backend.device(), &context.observer, step_costs, lines);
        let mut found: Vec<Option<R>> = costs.iter().map(|_| None).collect();
        for &n in &alone {
            run.step(|device| {
                found[n] = Some(compute(device, n)?);
                Ok(())
            })?;
        }
        for some in aside.chunks(TOGETHER) {
            run.step(|device| {
                let device = single.as_deref().unwrap_or(device);
                let mut shares: Vec<Share<R>> = some.iter().map(|&number| Share { number, found: None }).collect();
                // Of those that have no result the first one is told; what comes behind it is not needed any more.
                let failed = AtomicUsize::new(usize::MAX);
                thread_pool::each_mut(threads, &mut shares, &|share| {
                    if share.number < failed.load(Ordering::Relaxed) {
                        let result = compute(device, share.number);
                        if result.is_err() {
                            failed.fetch_min(share.number, Ordering::Relaxed);
                        }
                        share.found = Some(result);
                    }
                });
                shares.sort_by_key(|share| share.number);
                for share in shares {
                    found[share.number] = Some(share.found.expect("all before the first that fails are computed")?);
                }
                Ok(())
            })?;
        }
        Ok(found.into_iter().map(|found| found.expect("every task was computed")).collect())
    }
}

impl Context {
    /// What is found of the elements of each sector and its extents, in the order of sectors. An error says which sector it is about.
    ///
    /// # Errors
    /// Those of the callback, cancellation, and memory.
    pub(super) fn each_sector<T: Element, R: Send>(
        &self,
        matrix: &BlockMatrix<'_>,
        sectors: &[Sector<'_>],
        a: &BlockOperand<'_, T>,
        factorise: impl Fn(&dyn Device, &[T], [usize; 2]) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let costs: Vec<f64> = sectors.iter().map(cost).collect();
        let tasks = Tasks::new(self, &costs);
        let threads = self.threads_for::<T>(sectors, &tasks.parted)?;
        let compute = |device: &dyn Device, n: usize| {
            let sector = &sectors[n];
            let elements = matrix.gather(device, sector, &a.slab)?;
            factorise(device, &elements, sector.extents).map_err(|error| sector.named(error))
        };
        let said = |n: usize| sectors[n].described();
        tasks.run(threads, (said, "sectors"), compute)
    }

    /// On how many threads sectors are computed side by side: fewer where a limit of memory does not allow one sector for each.
    ///
    /// # Errors
    /// As [`check_sectors`](Context::check_sectors), when not even one fits beside the factors.
    fn threads_for<T: Element>(&self, sectors: &[Sector<'_>], Parted { alone, aside }: &Parted) -> Result<usize, Error> {
        let elements = |numbers: &[usize]| -> Vec<usize> {
            let mut all: Vec<usize> = numbers.iter().map(|&n| sectors[n].elements()).collect();
            all.sort_unstable_by(|one, other| other.cmp(one));
            all
        };
        let (one, beside) = (elements(alone), elements(aside));
        // Factors are there as dense matrices and as blocks in the end.
        let factors = sectors.iter().map(Sector::factors).sum::<usize>();
        let needed = |threads: usize| {
            let together = beside.iter().take(threads).sum::<usize>();
            2 * factors + together.max(one.first().copied().unwrap_or(0))
        };
        let most = self.threads_worth(aside.iter().map(|&n| cost(&sectors[n])).sum()).min(aside.len()).max(1);
        let fits = |threads: &usize| self.check_sectors::<T>(sectors, needed(*threads)).is_ok();
        let threads = (2..=most).rev().find(fits).unwrap_or(1);
        self.check_sectors::<T>(sectors, needed(threads))?;
        Ok(threads)
    }

    /// How many threads may share tasks of so many operations.
    pub(super) fn threads_worth(&self, operations: f64) -> usize {
        if operations >= WORTH_THREADS { self.backend.device().threads() } else { 1 }
    }
}

impl Parted {
    /// Alone are those that have more than half of all work, or a very large one, and one that nothing is beside. Where there are no
    /// threads to share, all are.
    fn new(costs: &[f64], is_shared: bool) -> Parted {
        let all: f64 = costs.iter().sum();
        let is_aside = |&n: &usize| is_shared && 2.0 * costs[n] <= all && costs[n] < FOR_ALL_THREADS;
        let (mut aside, mut alone): (Vec<usize>, Vec<usize>) = (0..costs.len()).partition(is_aside);
        if aside.len() == 1 {
            alone.append(&mut aside);
            alone.sort_unstable();
        }
        aside.sort_by(|&one, &other| costs[other].total_cmp(&costs[one]));
        Parted { alone, aside }
    }
}

/// About how many operations a sector takes.
fn cost(sector: &Sector<'_>) -> f64 {
    cubed(1, sector.extents[ROWS], sector.extents[COLUMNS])
}

/// The operations of so many matrices of these extents, but for a factor.
pub(super) fn cubed(count: usize, rows: usize, columns: usize) -> f64 {
    count as f64 * (rows * rows.min(columns)) as f64 * columns as f64
}
