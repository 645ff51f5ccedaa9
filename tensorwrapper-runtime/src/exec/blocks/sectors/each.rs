//! Factorises all sectors: large ones one after the other, each on all threads, the others side by side, each on one.
//!
//! Which ones are large does not depend on the number of threads, so that results have the same bits on any.

use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

use super::super::super::context::Context;
use super::super::pair::single;
use super::super::watched::WatchedRun;
use super::matrix::{BlockMatrix, COLUMNS, ROWS, Sector};
use super::square::cubed;
use crate::tensor::Blocks;

/// A sector that is computed beside others, and what was found.
struct Share<'s, R> {
    number: usize,
    sector: &'s Sector<'s>,
    found: Option<Result<R, Error>>,
}

impl Context {
    /// What is found of the elements of each sector and its extents, in the order of sectors. An error says which sector it is about. Each
    /// large sector is a step that the context reports, and may be cancelled before it; so are all others together.
    ///
    /// # Errors
    /// Those of the callback, cancellation, and memory.
    pub(super) fn each_sector<T: Element, R: Send>(
        &self,
        matrix: &BlockMatrix<'_>,
        sectors: &[Sector<'_>],
        a: &Blocks<T>,
        factorise: impl Fn(&dyn Device, &[T], [usize; 2]) -> Result<R, Error> + Sync,
    ) -> Result<Vec<R>, Error> {
        let device = self.backend.device();
        let single = single(device);
        let (mut small, large) = parted(sectors, single.is_some());
        // The last ones are short, so that threads end together.
        small.sort_by(|&one, &other| cost(&sectors[other]).total_cmp(&cost(&sectors[one])));
        let threads = if small.len() > 1 { device.threads() } else { 1 };
        // Factors are there as dense matrices and as blocks in the end, and beside them one sector for each thread.
        let factors = sectors.iter().map(Sector::factors).sum::<usize>();
        let mut sizes: Vec<usize> = sectors.iter().map(Sector::elements).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        self.check_sectors::<T>(sectors, 2 * factors + sizes.iter().take(threads).sum::<usize>())?;
        let costs = || {
            let all = large.iter().map(|&n| cost(&sectors[n]));
            all.chain((!small.is_empty()).then(|| small.iter().map(|&n| cost(&sectors[n])).sum())).collect()
        };
        let lines = || {
            let all = large.iter().map(|&n| sectors[n].described());
            all.chain((!small.is_empty()).then(|| format!("{} sectors side by side", small.len()))).collect()
        };
        let mut run = WatchedRun::new(device, &self.observer, costs, lines);
        let compute = |device: &dyn Device, sector: &Sector<'_>| {
            let elements = matrix.gather(device, sector, a.slab())?;
            factorise(device, &elements, sector.extents).map_err(|error| sector.named(error))
        };
        let mut found: Vec<Option<R>> = sectors.iter().map(|_| None).collect();
        for n in large {
            run.step(|device| {
                found[n] = Some(compute(device, &sectors[n])?);
                Ok(())
            })?;
        }
        if !small.is_empty() {
            run.step(|device| {
                let device = single.as_deref().unwrap_or(device);
                let mut shares: Vec<Share<'_, R>> =
                    small.iter().map(|&number| Share { number, sector: &sectors[number], found: None }).collect();
                thread_pool::each_mut(threads, &mut shares, &|share| share.found = Some(compute(device, share.sector)));
                // The first sector that has no factors is the one that is told.
                shares.sort_by_key(|share| share.number);
                for share in shares {
                    found[share.number] = Some(share.found.expect("every share was computed")?);
                }
                Ok(())
            })?;
        }
        Ok(found.into_iter().map(|found| found.expect("every sector was computed")).collect())
    }
}

/// The numbers of sectors that are computed side by side, and of those that are large: more than half of all work. Without threads to share
/// them, each is computed by itself.
fn parted(sectors: &[Sector<'_>], is_shared: bool) -> (Vec<usize>, Vec<usize>) {
    let all: f64 = sectors.iter().map(cost).sum();
    (0..sectors.len()).partition(|&n| is_shared && 2.0 * cost(&sectors[n]) <= all)
}

/// About how many operations a sector takes.
fn cost(sector: &Sector<'_>) -> f64 {
    cubed(1, sector.extents[ROWS], sector.extents[COLUMNS])
}
