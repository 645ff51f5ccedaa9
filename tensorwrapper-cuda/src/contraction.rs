//! Contractions, ready to run: the strategies in which one can be computed, and the one that is taken, by its size or because it was the
//! quickest when they were measured.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::autotune::{ContractionKey, Strategy};
use super::driver::Driver;
use super::gemm::{gemm_launches, permuted_launches};
use super::launch::{Written, queue, run, span};
use super::memory::Address;
use super::region::Region;
use super::text::{Kernel, Launches, Route, contract_launches};
use tensorwrapper_core::backend::{Contraction, Device, RunContraction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::erased::{SliceMut, SliceRef};
use tensorwrapper_core::error::{Error, ErrorKind};

/// What a user or a test has asked of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) route: Route,
    /// Whether products in single precision may be computed from fewer bits.
    pub(super) tf32: bool,
    /// Whether strategies to compute a product are measured, or chosen by its size alone.
    pub(super) measures: bool,
}

/// A contraction that a device computes by itself.
#[derive(Debug)]
pub(super) struct CudaContraction<D: Driver> {
    dtype: Dtype,
    /// The library that computes products there, if one does.
    products: Option<&'static str>,
    /// One at least.
    strategies: Vec<(Strategy, Launches)>,
    /// The one that its size suggests.
    by_rule: usize,
    /// What is measured, where there are several.
    key: Option<ContractionKey>,
    /// The quickest, once that is known; none where it cannot be.
    quickest: OnceLock<Option<usize>>,
    /// Which elements of each input are read.
    inputs: Vec<Range<usize>>,
    output: Written,
    /// Of such a driver, none of which it keeps open: plans are kept for longer.
    _driver: PhantomData<fn(D)>,
}

impl<D: Driver> CudaContraction<D> {
    /// The strategies to compute a contraction; `None` where what is computed then calls functions of the host's. Nothing is made or measured.
    pub(super) fn new(driver: &D, options: Options, contraction: &Contraction<'_>) -> Option<CudaContraction<D>> {
        let Options { route, tf32, measures } = options;
        let library = driver.gemm_library().and_then(|_| gemm_launches(contraction, route, tf32));
        let rule = if library.is_some() { Strategy::Library } else { Strategy::Kernels };
        let points = contraction.nest.extents().iter().map(|&extent| extent as u128).product();
        let strategies: Vec<(Strategy, Option<Launches>)> =
            if measures && driver.gemm_library().is_some() && driver.is_worth_measuring(points) {
                let library = library.or_else(|| gemm_launches(contraction, Route::Library, tf32));
                let (permuted, kernels) = (permuted_launches(contraction, route, tf32), contract_launches(contraction, route));
                vec![(Strategy::Library, library), (Strategy::Permuted, permuted), (Strategy::Kernels, kernels)]
            } else {
                vec![(rule, library.or_else(|| contract_launches(contraction, route)))]
            };
        let strategies: Vec<(Strategy, Launches)> =
            strategies.into_iter().filter_map(|(strategy, launches)| Some((strategy, launches?))).collect();
        let ready = CudaContraction {
            products: driver.gemm_library(),
            dtype: contraction.dtype,
            by_rule: strategies.iter().position(|(strategy, _)| *strategy == rule)?,
            key: (strategies.len() > 1).then(|| ContractionKey::new(contraction, tf32)),
            strategies,
            quickest: OnceLock::new(),
            inputs: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| span(layout)).collect(),
            output: Written::new(contraction.output),
            _driver: PhantomData,
        };
        ready.look(driver);
        Some(ready)
    }

    /// What is measured, if the quickest strategy is not known.
    fn open(&self) -> Option<ContractionKey> {
        self.key.filter(|_| self.quickest.get().is_none())
    }

    /// Takes over what is known by now.
    fn look(&self, driver: &D) {
        if let Some(strategy) = self.open().and_then(|key| driver.autotuner().find(&key)) {
            self.take(strategy);
        }
    }

    /// Takes a strategy. One that there is not is of a file that is not right: size decides then.
    fn take(&self, strategy: Strategy) {
        let _ = self.quickest.set(self.strategies.iter().position(|(known, _)| *known == strategy));
    }

    /// The strategy that is taken as far as is known.
    fn taken(&self) -> usize {
        self.quickest.get().copied().flatten().unwrap_or(self.by_rule)
    }

    /// All strategies that may be taken.
    fn possible(&self) -> &[(Strategy, Launches)] {
        let taken = self.taken();
        if self.open().is_some() { &self.strategies } else { &self.strategies[taken..=taken] }
    }

    /// The kernels of all strategies that may be taken, which are to be made before it is [measured](CudaContraction::measure) or runs.
    pub(super) fn kernels(&self, driver: &D) -> impl Iterator<Item = &Kernel> {
        self.look(driver);
        self.possible().iter().flat_map(|(_, launches)| launches.kernels())
    }

    /// Decides which strategy is taken, by measuring all of them where nobody has before.
    ///
    /// # Errors
    /// What the device reports, but for a want of memory: size decides then.
    pub(super) fn measure(&self, driver: &Arc<D>) -> Result<(), Error> {
        let Some(key) = self.open() else { return Ok(()) };
        match driver.autotuner().get(key, || self.race(driver)) {
            Ok(strategy) => self.take(strategy),
            Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                let _ = self.quickest.set(None);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Runs all strategies over memory of their own; which is the quickest, the first of equals.
    fn race(&self, driver: &Arc<D>) -> Result<Strategy, Error> {
        let room = |elements: &Range<usize>| -> Result<Region<D>, Error> {
            let region = Region::new(driver, elements.end * self.dtype.size())?;
            // SAFETY: there are so many bytes.
            unsafe { driver.clear(region.address(), region.bytes()) }?;
            Ok(region)
        };
        let inputs = self.inputs.iter().map(room).collect::<Result<Vec<_>, Error>>()?;
        let output = room(&self.output.elements)?;
        let addresses: Vec<Address> = inputs.iter().map(Region::address).collect();
        let mut quickest = (self.strategies[self.by_rule].0, f64::INFINITY);
        for (strategy, launches) in &self.strategies {
            let scratch = Region::new(driver, launches.scratch)?;
            // SAFETY: all memory is as large as the layouts reach that the launches were made for.
            let mut work = || unsafe { queue(&**driver, launches, &addresses, output.address(), scratch.address()) };
            let time = driver.timed(*strategy, &mut work)?;
            if time < quickest.1 {
                quickest = (*strategy, time);
            }
        }
        Ok(quickest.0)
    }

    /// What it consists of: by its size where nobody had it measured.
    pub(super) fn launches(&self) -> &Launches {
        &self.strategies[self.taken()].1
    }

    /// Whether the result has no element.
    pub(super) fn writes_nothing(&self) -> bool {
        self.output.elements.is_empty()
    }
}

impl<D: Driver> RunContraction for CudaContraction<D> {
    fn own(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn library(&self) -> Option<&'static str> {
        self.launches().product.and(self.products)
    }

    fn is_measured(&self) -> bool {
        matches!(self.quickest.get(), Some(Some(_)))
    }

    fn work_space(&self) -> usize {
        self.possible().iter().map(|(_, launches)| launches.scratch).min().unwrap_or(0)
    }

    unsafe fn run(&self, device: &dyn Device, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let own = device.own().and_then(|own| own.downcast_ref::<Arc<D>>());
        let driver = own.expect("a contraction runs on a device as it was prepared for");
        // SAFETY: the caller's promise.
        unsafe { run(driver, self.launches(), (inputs, &self.inputs), (output, &self.output)) }
    }
}
