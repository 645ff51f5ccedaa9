//! A plan's memory on the device, and the operations that run on it.

use std::sync::Arc;

use super::contraction::CudaContraction;
use super::copies::DeviceCopy;
use super::device::Cuda;
use super::driver::Driver;
use super::launch::{bytes, bytes_mut, queue};
use super::linear::{self, Operation};
use super::memory::Address;
use super::pages::PinnedPages;
use super::region::Region;
use super::text::{Fold, Input, Kernel, Launches, Route, fold_launches};
use tensorwrapper_core::backend::{
    Device, DeviceMemory, Factorised, KernelRequest, Mapped, MemoryLocation, MemoryUse, PreparedContraction, Resident, Session,
    TensorDescriptor,
};
use tensorwrapper_core::element::dispatch;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// The memory of one run of a plan, or of all runs of a prepared plan.
#[derive(Debug)]
struct CudaSession<D: Driver> {
    /// Recorded work on the memory below. It is dropped before the driver.
    recorded: Option<D::Graph>,
    driver: Arc<D>,
    route: Route,
    host: Arc<dyn Device>,
    /// The memory of the sources, then that of all other tensors.
    regions: Vec<DeviceCopy<D>>,
    /// The number of sources.
    sources: usize,
    /// Scratch memory between the kernels of one operation. One is enough, because operations run one after the other.
    scratch: Option<Region<D>>,
    /// Whether it serves several runs of the plan.
    again: bool,
}

/// The launches of an element-wise operation, generated once; `None` where it calls functions of the host.
fn found<'a>(mapped: &Mapped<'a>, route: Route) -> Option<&'a Launches> {
    let &Mapped { nest, program, reduction, ref inputs, output, cache } = mapped;
    let write = || {
        let inputs =
            inputs.iter().map(|&TensorDescriptor { layout, dtype, conjugate }| Input { layout, dtype, conjugate }).collect();
        fold_launches(&Fold::map(nest, (program, reduction), inputs, (output.layout, output.dtype)), route)
    };
    // The text of a kernel depends on the arguments and the route only, and plans are shared between devices of one name only.
    let (known, launches) = cache
        .get_or_init(|| Box::new((route, write())))
        .downcast_ref::<(Route, Option<Launches>)>()
        .expect("plans are shared between devices of one kind only");
    debug_assert_eq!(*known, route);
    launches.as_ref()
}

/// The kernels that linear algebra needs between routines, generated once.
fn operation_kernels<'a>(factorised: &Factorised<'a>) -> &'a linear::OperationKernels {
    let find = || linear::OperationKernels::new(factorised.inputs.iter().chain(&factorised.outputs));
    factorised.cache.get_or_init(|| Box::new(find())).downcast_ref().expect("plans are shared between devices of one kind only")
}

/// What this kind of device has prepared for a contraction; `None` where the host computes it.
fn own<D: Driver>(contraction: &PreparedContraction) -> Option<&CudaContraction<D>> {
    contraction.own().and_then(|own| own.downcast_ref())
}

impl<D: Driver> Resident for Cuda<D> {
    fn make(&self, asked: &[KernelRequest<'_>]) -> Result<(), Error> {
        let (mut kernels, mut products): (Vec<&Kernel>, Vec<&CudaContraction<D>>) = Default::default();
        for asked in asked {
            match asked {
                KernelRequest::Contract(contraction) => products.extend(own(contraction)),
                KernelRequest::Map(mapped) => {
                    kernels.extend(found(mapped, self.options.route).into_iter().flat_map(Launches::kernels))
                }
                KernelRequest::Factorise(factorised) => kernels.extend(operation_kernels(factorised).kernels()),
            }
        }
        kernels.extend(products.iter().flat_map(|product| product.kernels(&self.driver)));
        self.driver.prepare(&kernels)?;
        products.into_iter().try_for_each(|product| product.measure(&self.driver))
    }

    fn session(&self, sources: &[SliceRef<'_>], sizes: &[usize], again: bool) -> Result<Box<dyn Session>, Error> {
        let others = sizes.iter().map(|&bytes| Region::new(&self.driver, bytes).map(DeviceCopy::own));
        let others = others.collect::<Result<Vec<_>, Error>>()?;
        let sources: Vec<&[u8]> = sources.iter().map(|&source| bytes(source)).collect();
        let mut session = CudaSession {
            driver: self.driver.clone(),
            route: self.options.route,
            host: self.host.clone(),
            recorded: None,
            regions: Vec::new(),
            sources: sources.len(),
            scratch: None,
            again,
        };
        if !again {
            session.regions = DeviceCopy::all(&self.driver, &sources)?;
        }
        // Each source has memory of its own: one run may have two tensors where another has the same tensor twice.
        for n in session.regions.len()..sources.len() {
            let held = DeviceCopy::held(&self.driver, sources[n]);
            let is_held = held.is_some();
            session.regions.push(held.map_or_else(|| Region::new(&self.driver, sources[n].len()).map(DeviceCopy::own), Ok)?);
            if !is_held {
                session.fill(n, &sources, None)?;
            }
        }
        session.regions.extend(others);
        Ok(Box::new(session))
    }

    fn hold(&self, elements: SliceRef<'_>) -> Result<DeviceMemory, Error> {
        Ok(Arc::new(Region::holding(&self.driver, bytes(elements))?))
    }

    fn pin(&self, pages: std::ops::Range<usize>) -> Result<DeviceMemory, Error> {
        Ok(Arc::new(PinnedPages::new(&self.driver, pages)?))
    }

    fn has(&self, memory: &DeviceMemory) -> bool {
        memory.downcast_ref::<Region<D>>().is_some_and(|region| region.is_of(&self.driver))
    }

    fn fetch(&self, memory: &DeviceMemory, to: SliceMut<'_>) -> Result<(), Error> {
        memory.downcast_ref::<Region<D>>().expect("memory is fetched from the device that it belongs to").read(bytes_mut(to))
    }

    fn opening(&self) -> usize {
        self.driver.opening()
    }

    fn finish(&self) -> Result<(), Error> {
        self.driver.finish()
    }

    fn memory_use(&self) -> Result<MemoryUse, Error> {
        self.driver.memory_use()
    }
}

impl<D: Driver> CudaSession<D> {
    /// The address of a place with room for this many bytes.
    ///
    /// # Panics
    /// When the memory is too small.
    fn address(&self, location: MemoryLocation, bytes: usize) -> Address {
        let region = &self.regions[location.memory];
        assert!(location.start + bytes <= region.bytes(), "a tensor lies in its memory");
        region.address() + location.start as u64
    }

    /// The address of a tensor, whose layout must lie inside the memory.
    fn reached(&self, seen: &TensorDescriptor<'_>, location: MemoryLocation) -> Address {
        let reach = seen.layout.reach().expect("layouts of a kernel start inside their memory");
        self.address(location, reach * seen.dtype.size())
    }

    /// The same for several tensors.
    fn addresses(&self, seen: &[TensorDescriptor<'_>], locations: &[MemoryLocation]) -> Vec<Address> {
        assert_eq!(seen.len(), locations.len(), "each tensor has a place");
        seen.iter().zip(locations).map(|(seen, &location)| self.reached(seen, location)).collect()
    }

    /// Queues an operation.
    ///
    /// # Errors
    /// As [`Driver::launch`], and where there is no scratch memory.
    ///
    /// # Safety
    /// As for [`queue`], without the scratch memory.
    unsafe fn queue(&mut self, launches: &Launches, inputs: &[Address], output: Address) -> Result<(), Error> {
        if self.scratch.as_ref().map_or(0, Region::bytes) < launches.scratch {
            // The old scratch memory is freed first, because plans count it once. Recorded work uses it, and is dropped as well.
            self.recorded = None;
            self.scratch = None;
            self.scratch = Some(Region::new(&self.driver, launches.scratch)?);
        }
        let scratch = self.scratch.as_ref().map_or(0, Region::address);
        // SAFETY: the caller's promise, and the scratch memory is as large as was just compared.
        unsafe { queue(&*self.driver, launches, inputs, output, scratch) }
    }

    /// Copies a source to its memory: from `held` if it is on the device already, from an equal source, or from the host.
    fn fill(&self, n: usize, sources: &[&[u8]], held: Option<Address>) -> Result<(), Error> {
        let (part, to) = (sources[n], self.regions[n].address());
        let earlier = sources[..n].iter().position(|other| std::ptr::eq(*other, part));
        match held.or(earlier.map(|earlier| self.regions[earlier].address())) {
            _ if part.is_empty() => Ok(()),
            Some(from) => self.move_bytes(from, to, part.len()),
            // SAFETY: the memory was allocated for as many bytes.
            None => unsafe { self.driver.upload(part, to) },
        }
    }

    /// Copies from one place on the device to another.
    fn move_bytes(&self, from: Address, to: Address, bytes: usize) -> Result<(), Error> {
        // SAFETY: callers have compared both places with the sizes of their memories, which are different ones.
        unsafe { self.driver.copy(from, to, bytes) }
    }
}

impl<D: Driver> Session for CudaSession<D> {
    fn write(&mut self, from: SliceRef<'_>, to: MemoryLocation) -> Result<(), Error> {
        let from = bytes(from);
        // SAFETY: the size of the memory was just checked.
        unsafe { self.driver.upload(from, self.address(to, from.len())) }
    }

    fn read(&mut self, from: MemoryLocation, to: SliceMut<'_>) -> Result<(), Error> {
        let to = bytes_mut(to);
        // SAFETY: as for `write`.
        unsafe { self.driver.download(self.address(from, to.len()), to) }
    }

    fn copy(&mut self, from: MemoryLocation, to: MemoryLocation, bytes: usize) -> Result<(), Error> {
        // A plan never gives overlapping places to two tensors that are alive at the same time.
        self.move_bytes(self.address(from, bytes), self.address(to, bytes), bytes)
    }

    fn clear(&mut self, at: MemoryLocation, bytes: usize) -> Result<(), Error> {
        // SAFETY: as for `write`.
        unsafe { self.driver.clear(self.address(at, bytes), bytes) }
    }

    fn contract(
        &mut self,
        contraction: &PreparedContraction,
        inputs: &[MemoryLocation],
        output: MemoryLocation,
    ) -> Result<bool, Error> {
        let Some(prepared) = own::<D>(contraction) else { return Ok(false) };
        if prepared.writes_nothing() {
            return Ok(true);
        }
        let (needed, written) = contraction.needs();
        assert_eq!(inputs.len(), needed.len(), "the contraction gets as many factors as it was prepared for");
        let addresses: Vec<Address> = inputs.iter().zip(needed).map(|(&location, bytes)| self.address(location, bytes)).collect();
        let output = self.address(output, written);
        // SAFETY: all memory is as large as the contraction needs, which was just checked, and of the plan's element types.
        unsafe { self.queue(prepared.launches(), &addresses, output) }?;
        Ok(true)
    }

    fn map(&mut self, call: &Mapped<'_>, inputs: &[MemoryLocation], output: MemoryLocation) -> Result<bool, Error> {
        dispatch!(call.output.dtype, T => call.reduction.check_over::<T>(call.nest))?;
        let Some(launches) = found(call, self.route) else { return Ok(false) };
        let addresses = self.addresses(&call.inputs, inputs);
        let output = self.reached(&call.output, output);
        // SAFETY: all memory is as large as the layouts reach, which was just checked.
        unsafe { self.queue(launches, &addresses, output) }?;
        Ok(true)
    }

    fn factorise(&mut self, call: &Factorised<'_>, inputs: &[MemoryLocation], outputs: &[MemoryLocation]) -> Result<bool, Error> {
        let [arguments, results] =
            [&call.inputs, &call.outputs].map(|all| all.iter().map(|seen| seen.layout).collect::<Vec<_>>());
        if self.driver.linalg_library().is_none() || !linear::has(call.call, call.inputs[0].dtype, &arguments, &results) {
            return Ok(false);
        }
        let [inputs, outputs] = [(&call.inputs, inputs), (&call.outputs, outputs)]
            .map(|(seen, locations)| seen.iter().copied().zip(self.addresses(seen, locations)).collect::<Vec<_>>());
        let (driver, route, kernels) = (&self.driver, self.route, operation_kernels(call));
        let operation =
            Operation { driver, route, call: call.call, inputs: &inputs, outputs: &outputs, kernels, host: &*self.host };
        // SAFETY: all memory is as large as the layouts reach, and the library has the operation: both were just checked.
        unsafe { linear::run(&operation) }?;
        Ok(true)
    }

    fn keep(&mut self, memory: usize) -> Result<DeviceMemory, Error> {
        let region = &self.regions[memory];
        if !self.again {
            return Ok(region.region());
        }
        let copy = Region::new(&self.driver, region.bytes())?;
        self.move_bytes(region.address(), copy.address(), region.bytes())?;
        Ok(Arc::new(copy))
    }

    fn renew(&mut self, sources: &[SliceRef<'_>]) -> Result<bool, Error> {
        let mut is_same = true;
        let parts: Vec<&[u8]> = sources.iter().map(|&source| bytes(source)).collect();
        for (n, part) in parts.iter().enumerate() {
            let held = DeviceCopy::held(&self.driver, part);
            let known = &self.regions[n];
            if held.as_ref().is_some_and(|held| held.address() == known.address() && held.bytes() >= part.len()) {
                continue;
            }
            // A source that lies elsewhere in each run is copied to the memory of the first run, if it is not longer than that.
            if !(known.is_own() && known.bytes() >= part.len()) {
                is_same = false;
                self.recorded = None;
                self.regions[n] = DeviceCopy::own(Region::new(&self.driver, part.len())?);
            }
            self.fill(n, &parts, held.map(|held| held.address()))?;
        }
        Ok(is_same)
    }

    fn record(&mut self, work: &mut dyn FnMut(&mut dyn Session) -> Result<(), Error>) -> Result<(), Error> {
        self.recorded = None;
        let driver = Arc::clone(&self.driver);
        let recorded = driver.record(&mut || work(self))?;
        self.recorded = Some(recorded);
        Ok(())
    }

    fn replay(&mut self) -> Result<bool, Error> {
        let Some(recorded) = &self.recorded else { return Ok(false) };
        // SAFETY: it was recorded on the memory of this session; whoever replaces that memory drops the recorded work.
        unsafe { self.driver.replay(recorded) }?;
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), Error> {
        self.driver.finish()
    }

    fn copied(&self) -> usize {
        self.regions[..self.sources].iter().filter(|region| region.is_own()).map(DeviceCopy::bytes).sum()
    }
}
