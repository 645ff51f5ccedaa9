//! Contractions, ready to run: the ways in which one can be computed, and the one that is taken, by its size or because it was the
//! quickest when they were measured.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::choice::{Key, Way};
use super::device::{Cuda, Written, run, span};
use super::driver::{Address, Driver, Region, queue};
use super::gemm::{multiplied, permuted};
use super::text::{Kernel, Launches, Route, contracted};
use tensorwrapper_core::backend::{Contraction, Device, RunContraction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::erased::{SliceMut, SliceRef};
use tensorwrapper_core::error::{Error, ErrorKind};

/// A contraction that a device computes by itself.
#[derive(Debug)]
pub(super) struct Ready<D: Driver> {
    dtype: Dtype,
    /// The library that computes products there, if one does.
    products: Option<&'static str>,
    /// One at least.
    ways: Vec<(Way, Launches)>,
    /// The one that its size suggests.
    by_rule: usize,
    /// What is measured, where there are several.
    key: Option<Key>,
    /// The quickest, once that is known; none where it cannot be.
    quickest: OnceLock<Option<usize>>,
    /// Which elements of each input are read.
    inputs: Vec<Range<usize>>,
    output: Written,
    /// Of such a driver, none of which it keeps open: plans are kept for longer.
    _driver: PhantomData<fn(D)>,
}

impl<D: Driver> Ready<D> {
    /// The ways to compute a contraction; `None` where what is computed then calls functions of the host's. Nothing is made or measured.
    pub(super) fn new(device: &Cuda<D>, contraction: &Contraction<'_>) -> Option<Ready<D>> {
        let &Cuda { ref driver, route, tf32, measures } = device;
        let library = driver.products().and_then(|_| multiplied(contraction, route, tf32));
        let rule = if library.is_some() { Way::Library } else { Way::Kernels };
        let points = contraction.nest.extents().iter().map(|&extent| extent as u128).product();
        let ways: Vec<(Way, Option<Launches>)> = if measures && driver.products().is_some() && driver.is_measured(points) {
            let library = library.or_else(|| multiplied(contraction, Route::Library, tf32));
            let (permuted, kernels) = (permuted(contraction, route, tf32), contracted(contraction, route));
            vec![(Way::Library, library), (Way::Permuted, permuted), (Way::Kernels, kernels)]
        } else {
            vec![(rule, library.or_else(|| contracted(contraction, route)))]
        };
        let ways: Vec<(Way, Launches)> = ways.into_iter().filter_map(|(way, launches)| Some((way, launches?))).collect();
        let ready = Ready {
            products: driver.products(),
            dtype: contraction.dtype,
            by_rule: ways.iter().position(|(way, _)| *way == rule)?,
            key: (ways.len() > 1).then(|| Key::new(contraction, tf32)),
            ways,
            quickest: OnceLock::new(),
            inputs: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| span(layout)).collect(),
            output: Written::new(contraction.output),
            _driver: PhantomData,
        };
        ready.look(&**driver);
        Some(ready)
    }

    /// What is measured, if the quickest way is not known.
    fn open(&self) -> Option<Key> {
        self.key.filter(|_| self.quickest.get().is_none())
    }

    /// Takes over what is known by now.
    fn look(&self, driver: &D) {
        if let Some(way) = self.open().and_then(|key| driver.choices().find(&key)) {
            self.take(way);
        }
    }

    /// Takes a way. One that there is not is of a file that is not right: size decides then.
    fn take(&self, way: Way) {
        let _ = self.quickest.set(self.ways.iter().position(|(known, _)| *known == way));
    }

    /// The way that is taken as far as is known.
    fn taken(&self) -> usize {
        self.quickest.get().copied().flatten().unwrap_or(self.by_rule)
    }

    /// All ways that may be taken.
    fn possible(&self) -> &[(Way, Launches)] {
        let taken = self.taken();
        if self.open().is_some() { &self.ways } else { &self.ways[taken..=taken] }
    }

    /// The kernels of all ways that may be taken, which are to be made before it is [measured](Ready::measure) or runs.
    pub(super) fn kernels(&self, driver: &D) -> impl Iterator<Item = &Kernel> {
        self.look(driver);
        self.possible().iter().flat_map(|(_, launches)| launches.kernels())
    }

    /// Decides which way is taken, by measuring all of them where nobody has before.
    ///
    /// # Errors
    /// What the device reports, but for a want of memory: size decides then.
    pub(super) fn measure(&self, driver: &Arc<D>) -> Result<(), Error> {
        let Some(key) = self.open() else { return Ok(()) };
        match driver.choices().get(key, || self.race(driver)) {
            Ok(way) => self.take(way),
            Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => {
                let _ = self.quickest.set(None);
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Runs all ways over memory of their own; which is the quickest, the first of equals.
    fn race(&self, driver: &Arc<D>) -> Result<Way, Error> {
        let room = |elements: &Range<usize>| -> Result<Region<D>, Error> {
            let region = Region::new(driver, elements.end * self.dtype.size())?;
            // SAFETY: there are so many bytes.
            unsafe { driver.clear(region.address(), region.bytes()) }?;
            Ok(region)
        };
        let inputs = self.inputs.iter().map(room).collect::<Result<Vec<_>, Error>>()?;
        let output = room(&self.output.elements)?;
        let addresses: Vec<Address> = inputs.iter().map(Region::address).collect();
        let mut quickest = (self.ways[self.by_rule].0, f64::INFINITY);
        for (way, launches) in &self.ways {
            let scratch = Region::new(driver, launches.scratch)?;
            // SAFETY: all memory is as large as the layouts reach that the launches were made for.
            let mut work = || unsafe { queue(&**driver, launches, &addresses, output.address(), scratch.address()) };
            let time = driver.timed(*way, &mut work)?;
            if time < quickest.1 {
                quickest = (*way, time);
            }
        }
        Ok(quickest.0)
    }

    /// What it consists of: by its size where nobody had it measured.
    pub(super) fn launches(&self) -> &Launches {
        &self.ways[self.taken()].1
    }

    /// Whether the result has no element.
    pub(super) fn writes_nothing(&self) -> bool {
        self.output.elements.is_empty()
    }
}

impl<D: Driver> RunContraction for Ready<D> {
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
        let own = device.own().and_then(|own| own.downcast_ref::<Cuda<D>>());
        let driver = &own.expect("a contraction runs on a device as it was prepared for").driver;
        // SAFETY: the caller's promise.
        unsafe { run(driver, self.launches(), (inputs, &self.inputs), (output, &self.output)) }
    }
}
