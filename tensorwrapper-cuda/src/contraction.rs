//! A contraction that was prepared for a device: the strategies by which it can be computed, and the one that is used. Its size
//! decides which, until a measurement has found the fastest.
//!
//! All strategies are there until one is known. They are measured when all kernels of the plan are made, by `Driver::timed`,
//! alone on the device (`stream_lock.rs`). Names of devices differ by whether they measure, because kept plans do.

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
use tensorwrapper_core::backend::{Contraction, KernelContext, RunContraction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// The settings of a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) route: Route,
    /// Whether a library may round factors in single precision to TF32.
    pub(crate) tf32: bool,
    /// Whether the strategy for a contraction is measured, or chosen by its size alone.
    pub(crate) measures: bool,
}

/// A contraction that the device computes without the host.
#[derive(Debug)]
pub(crate) struct CudaContraction<D: Driver> {
    dtype: Dtype,
    /// The device's library for products of matrices, if it has one.
    library: Option<&'static str>,
    /// Never empty.
    strategies: Vec<(Strategy, Launches)>,
    /// Position of the strategy that its size suggests.
    by_rule: usize,
    /// Its name in measurements; `None` where there is only one strategy.
    key: Option<ContractionKey>,
    /// Position of the fastest strategy, once it is known; `None` inside where it cannot be measured.
    fastest: OnceLock<Option<usize>>,
    /// Which elements of each input are read.
    inputs: Vec<Range<usize>>,
    output: Written,
    /// The driver's type. The driver itself is not kept, because plans are kept for longer.
    _driver: PhantomData<fn(D)>,
}

impl<D: Driver> CudaContraction<D> {
    /// Prepares a contraction, without compiling or measuring anything. `None` where its epilogue calls functions of the host.
    pub(crate) fn new(driver: &D, options: Options, contraction: &Contraction<'_>) -> Option<CudaContraction<D>> {
        let Options { route, tf32, measures } = options;
        let library = driver.gemm_library().and_then(|_| gemm_launches(contraction, route, tf32));
        let rule = if library.is_some() { Strategy::Library } else { Strategy::Kernels };
        let points = contraction.nest.extents().iter().map(|&extent| extent as u128).product();
        let strategies: Vec<(Strategy, Option<Launches>)> =
            if measures && driver.gemm_library().is_some() && driver.is_worth_measuring(points) {
                let library = library.or_else(|| gemm_launches(contraction, Route::Library, tf32));
                let [permuted, whole] = permuted_launches(contraction, route, tf32);
                let kernels = contract_launches(contraction, route);
                Strategy::ALL.into_iter().zip([library, permuted, whole, kernels]).collect()
            } else {
                vec![(rule, library.or_else(|| contract_launches(contraction, route)))]
            };
        let strategies: Vec<(Strategy, Launches)> =
            strategies.into_iter().filter_map(|(strategy, launches)| Some((strategy, launches?))).collect();
        let prepared = CudaContraction {
            library: driver.gemm_library(),
            dtype: contraction.dtype,
            by_rule: strategies.iter().position(|(strategy, _)| *strategy == rule)?,
            key: (strategies.len() > 1).then(|| ContractionKey::new(contraction, tf32)),
            strategies,
            fastest: OnceLock::new(),
            inputs: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| span(layout)).collect(),
            output: Written::new(contraction.output),
            _driver: PhantomData,
        };
        prepared.look_up(driver);
        Some(prepared)
    }

    /// Its name in measurements, if the fastest strategy is not known yet.
    fn unmeasured(&self) -> Option<ContractionKey> {
        self.key.filter(|_| self.fastest.get().is_none())
    }

    /// Looks up the fastest strategy among those that were measured before.
    fn look_up(&self, driver: &D) {
        if let Some(strategy) = self.unmeasured().and_then(|key| driver.autotuner().find(&key)) {
            self.settle(strategy);
        }
    }

    /// Settles for a strategy. If the contraction does not have it, the file is wrong, and the size decides.
    fn settle(&self, strategy: Strategy) {
        let _ = self.fastest.set(self.strategies.iter().position(|(known, _)| *known == strategy));
    }

    /// Position of the strategy that is used, as far as is known now.
    fn chosen(&self) -> usize {
        self.fastest.get().copied().flatten().unwrap_or(self.by_rule)
    }

    /// All strategies that may still be used.
    fn possible(&self) -> &[(Strategy, Launches)] {
        let chosen = self.chosen();
        if self.unmeasured().is_some() { &self.strategies } else { &self.strategies[chosen..=chosen] }
    }

    /// The kernels of all strategies that may still be used. They must be compiled before it is
    /// [measured](CudaContraction::measure) or runs.
    pub(crate) fn kernels(&self, driver: &D) -> impl Iterator<Item = &Kernel> {
        self.look_up(driver);
        self.possible().iter().flat_map(|(_, launches)| launches.kernels())
    }

    /// Decides which strategy is used, by measuring all of them if that was not done before.
    ///
    /// # Errors
    /// Those of the device, except for lack of memory: the size decides then.
    pub(crate) fn measure(&self, driver: &Arc<D>) -> Result<(), Error> {
        let Some(key) = self.unmeasured() else { return Ok(()) };
        match driver.autotuner().get(key, || self.time_all(driver)) {
            Ok(strategy) => self.settle(strategy),
            Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                let _ = self.fastest.set(None);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Runs all strategies on memory of their own; returns the fastest, the first one if several are equal.
    fn time_all(&self, driver: &Arc<D>) -> Result<Strategy, Error> {
        let room = |elements: &Range<usize>| -> Result<Region<D>, Error> {
            let region = Region::new(driver, elements.end * self.dtype.size())?;
            // SAFETY: the region has this many bytes.
            unsafe { driver.clear(region.address(), region.bytes()) }?;
            Ok(region)
        };
        let inputs = self.inputs.iter().map(room).collect::<Result<Vec<_>, Error>>()?;
        let output = room(&self.output.elements)?;
        let addresses: Vec<Address> = inputs.iter().map(Region::address).collect();
        let mut fastest = (self.strategies[self.by_rule].0, f64::INFINITY);
        for (strategy, launches) in &self.strategies {
            let scratch = Region::new(driver, launches.scratch)?;
            // SAFETY: all regions are as large as the layouts that the launches were generated for.
            let mut work = || unsafe { queue(&**driver, launches, &addresses, output.address(), scratch.address()) };
            let time = driver.timed(*strategy, &mut work)?;
            if time < fastest.1 {
                fastest = (*strategy, time);
            }
        }
        Ok(fastest.0)
    }

    /// The launches of the strategy that is used.
    pub(crate) fn launches(&self) -> &Launches {
        &self.strategies[self.chosen()].1
    }

    /// Whether the result has no elements.
    pub(crate) fn writes_nothing(&self) -> bool {
        self.output.elements.is_empty()
    }
}

impl<D: Driver> RunContraction for CudaContraction<D> {
    fn own(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn library(&self) -> Option<&'static str> {
        self.launches().product.and(self.library)
    }

    fn is_measured(&self) -> bool {
        matches!(self.fastest.get(), Some(Some(_)))
    }

    fn work_space(&self) -> usize {
        self.possible().iter().map(|(_, launches)| launches.scratch).min().unwrap_or(0)
    }

    unsafe fn run(&self, device: &dyn KernelContext, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let own = device.device_state().and_then(|own| own.downcast_ref::<Arc<D>>());
        let driver = own.expect("a contraction runs on the kind of device that it was prepared for");
        // SAFETY: the caller's promise.
        unsafe { run(driver, self.launches(), (inputs, &self.inputs), (output, &self.output)) }
    }
}
