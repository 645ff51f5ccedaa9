//! Runs plans on devices with their own memory: operands are copied there once, intermediates stay there, and results are
//! copied back at the end.
//!
//! For work that the device leaves to the host (linear algebra, functions of the program, products in parts), operands are
//! copied to the host, the work is computed there, and the results are copied back.

use std::sync::Arc;

use smallvec::SmallVec;

use super::Computed;
use super::arena::Outputs;
use super::observer::Observer;
use super::reclaim::with_room;
use super::steps::{launch, parts};
use crate::exec::kernel_requests::make_again;
use crate::exec::plan::{Access, Kernel, Location, Plan, Step};
use tensorwrapper_core::backend::{
    BackendInstance, Copied, Device, DeviceMemory, KernelRequest, MemoryLocation, Resident, Session,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::TensorId;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

/// The destination of a result.
#[derive(Debug, Default)]
pub(in crate::exec) struct ResultRequest<'m> {
    /// Where its elements go on the host.
    pub(super) host: Option<SliceMut<'m>>,
    /// Whether they are to stay on the device.
    pub(super) stays: bool,
    /// Where they are on the device after the run, if they were to stay.
    pub(super) device: Option<DeviceMemory>,
}

/// A run of a plan on a device with memory of its own.
#[derive(Debug)]
pub(in crate::exec) struct DeviceExecution<'r> {
    pub(super) plan: &'r Plan,
    pub(super) backend: &'r BackendInstance,
    /// The backend's device.
    pub(super) resident: &'r dyn Resident,
    pub(super) observer: &'r Observer,
    pub(super) sources: &'r [SliceRef<'r>],
    pub(super) functions: &'r [Callback<'r>],
}

impl<'r> DeviceExecution<'r> {
    /// Runs the steps of the plan. The results are delivered as requested after every step has succeeded.
    ///
    /// # Errors
    /// What the device reports. A lack of memory is reported before anything is computed, except for memory between the kernels
    /// of one operation, which is allocated when the operation runs.
    pub(super) fn run(&self, results: &mut [ResultRequest<'_>]) -> Result<(), Error> {
        let before = if self.observer.is_timed() { Some(self.resident.memory_use()?.current) } else { None };
        let mut session = self.open(false)?;
        self.steps(&mut *session)?;
        self.deliver(&mut *session, results)?;
        if let Some(before) = before {
            self.observer.took(self.resident.memory_use()?.peak.saturating_sub(before + session.copied()));
        }
        Ok(())
    }

    /// Memory for the plan; `again` says that it serves several runs.
    ///
    /// # Errors
    /// As [`Resident::session`] and [`make_again`].
    pub(super) fn open(&self, again: bool) -> Result<Box<dyn Session>, Error> {
        make_again(self.plan, self.device(), self.resident.opening())?;
        let others = self.plan.buffers.results.iter().chain(&self.plan.buffers.arenas);
        let sizes: Vec<usize> = others.map(|&(dtype, len)| dtype.size() * len).collect();
        let sources = self.read();
        with_room(self.backend, || self.resident.session(&sources, &sizes, again))
    }

    /// The sources of the plan. Sources that no step reads are replaced by empty ones: a block may need only the kept results
    /// that were computed from them.
    pub(super) fn read(&self) -> SmallVec<[SliceRef<'r>; 6]> {
        let graph = &self.plan.graph;
        let mut is_read: SmallVec<[bool; 6]> = SmallVec::from_elem(false, self.sources.len());
        let inputs = graph.operations().iter().flat_map(|node| &node.inputs);
        inputs.filter_map(|edge| graph.tensor(edge.tensor).slot).for_each(|slot| is_read[slot] = true);
        let taken = |(source, &is_read): (&SliceRef<'r>, &bool)| if is_read { *source } else { source.range(0..0) };
        self.sources.iter().zip(&is_read).map(taken).collect()
    }

    /// Queues all steps of the plan in its memory.
    ///
    /// # Errors
    /// What the device reports.
    pub(super) fn steps(&self, session: &mut dyn Session) -> Result<(), Error> {
        let DeviceExecution { plan, sources, functions, .. } = *self;
        let own = sources.iter().map(|source| (source.dtype(), source.len()));
        let memories = own.chain(plan.buffers.results.iter().copied()).chain(plan.buffers.arenas.iter().copied()).collect();
        let mut run = DeviceRun { plan, backend: self.backend, functions, session, memories, sources: sources.len() };
        let mut observed = self.observer.begin(plan);
        for (number, step) in plan.steps.iter().enumerate() {
            let _span = observed.before(number)?;
            run.step(step, |part| observed.between(number, part))?;
            // An observer is to see when a step is done, and not when it was asked for.
            if !self.observer.is_silent() {
                run.session.finish()?;
            }
            observed.after(number);
        }
        Ok(())
    }

    /// Delivers the results as requested. In the session's memories they follow the sources.
    ///
    /// # Errors
    /// What the device reports, also of the steps.
    pub(super) fn deliver(&self, session: &mut dyn Session, results: &mut [ResultRequest<'_>]) -> Result<(), Error> {
        let sources = self.sources.len();
        for (n, result) in results.iter_mut().enumerate() {
            if let Some(target) = &mut result.host {
                session.read(MemoryLocation { memory: sources + n, start: 0 }, target.reborrow())?;
            }
            if result.stays {
                result.device = Some(with_room(self.backend, || session.keep(sources + n))?);
            }
        }
        Ok(())
    }

    pub(super) fn device(&self) -> &dyn Device {
        self.backend.device()
    }
}

/// The results of a run. Those from number `first` on stay on the device; a single number is also copied to the host.
///
/// # Errors
/// What the run reports. A lack of memory for results is reported before the run.
pub(in crate::exec) fn computed(
    plan: &Plan,
    backend: &Arc<BackendInstance>,
    first: usize,
    run: impl FnOnce(&mut [ResultRequest<'_>]) -> Result<(), Error>,
) -> Result<Computed, Error> {
    let (sinks, known) = (plan.graph.sinks(), &plan.buffers.results);
    let result = |sink: &TensorId| plan.buffers.result(*sink);
    let mut on_host: Vec<Option<Buffer>> = known.iter().map(|_| None).collect();
    // How often each result is still to be given, and how often it stays.
    let (mut left, stays) = (plan.buffers.counted(sinks), plan.buffers.counted(&sinks[first.min(sinks.len())..]));
    // What stays has addresses on the host, by which it is found.
    let mut addresses: Vec<Option<Buffer>> = sinks.iter().map(|_| None).collect();
    for (n, sink) in sinks.iter().enumerate() {
        let (dtype, len) = known[result(sink)];
        if n >= first && len != 1 {
            addresses[n] = Some(Buffer::for_addresses(dtype, len)?);
        } else if on_host[result(sink)].is_none() {
            on_host[result(sink)] = Some(Buffer::for_results(dtype, len)?);
        }
    }
    let mut requests: Vec<ResultRequest<'_>> = on_host
        .iter_mut()
        .enumerate()
        .map(|(r, buffer)| ResultRequest { host: buffer.as_mut().map(Buffer::as_mut), stays: stays[r] > 0, device: None })
        .collect();
    run(&mut requests)?;
    let on_device: Vec<Option<DeviceMemory>> = requests.into_iter().map(|request| request.device).collect();
    let mut computed = Computed::new();
    for (n, sink) in sinks.iter().enumerate() {
        let (r, (dtype, len)) = (result(sink), known[result(sink)]);
        left[r] -= 1;
        let is_last = left[r] == 0;
        let mut buffer = match (addresses[n].take(), &mut on_host[r]) {
            (Some(addresses), _) => addresses,
            (None, Some(elements)) if is_last => std::mem::replace(elements, Buffer::zeros(dtype, 0)?),
            (None, Some(elements)) => elements.clone(),
            (None, None) => unreachable!("what does not stay has memory on the host"),
        };
        if let Some(memory) = on_device[r].clone().filter(|_| n >= first) {
            buffer.set_mirror(Arc::new(Copied { backend: Arc::clone(backend), memory, is_only: len != 1 }));
        }
        computed.push(buffer);
    }
    Ok(computed)
}

/// The steps of a plan in the memory of a device.
struct DeviceRun<'a> {
    plan: &'a Plan,
    backend: &'a BackendInstance,
    functions: &'a [Callback<'a>],
    session: &'a mut dyn Session,
    /// Element types and numbers of elements of the session's memories: of sources, results and arenas, in this order.
    memories: Vec<(Dtype, usize)>,
    sources: usize,
}

impl DeviceRun<'_> {
    /// The memory of a tensor, its element type, and the number of its elements.
    fn location(&self, tensor: TensorId) -> (MemoryLocation, Dtype, usize) {
        let (memory, start, len) = match self.plan.buffers.locations[tensor.0] {
            Location::Source(slot) => (slot, 0, self.memories[slot].1),
            Location::Result(n) => (self.sources + n, 0, self.memories[self.sources + n].1),
            Location::Arena(range) => {
                (self.sources + self.plan.buffers.results.len() + range.arena, range.start, range.end - range.start)
            }
        };
        let dtype = self.memories[memory].0;
        (MemoryLocation { memory, start: start * dtype.size() }, dtype, len)
    }

    fn step(&mut self, step: &Step, between: impl FnMut(f64) -> Result<(), Error>) -> Result<(), Error> {
        if step.reshaped.is_some() && step.takes_over.is_some() {
            return Ok(());
        }
        if !step.covers {
            for &(tensor, _) in &step.outputs {
                let (location, dtype, len) = self.location(tensor);
                self.session.clear(location, len * dtype.size())?;
            }
        }
        if let Some(from) = step.reshaped {
            let ((from, dtype, len), (to, ..)) = (self.location(from), self.location(step.outputs[0].0));
            self.session.copy(from, to, len * dtype.size())?;
        }
        if let Some(sliced) = &step.sliced {
            let device = self.backend.device();
            self.on_host(step, sliced.reads().collect(), |read, outputs| {
                let factors: Vec<SliceRef<'_>> = sliced.reads().map(read).collect();
                parts(sliced, device, between, &factors, outputs[0].reborrow())
            })?;
        }
        step.kernels.iter().try_for_each(|kernel| self.kernel(step, kernel))
    }

    fn kernel(&mut self, step: &Step, kernel: &Kernel) -> Result<(), Error> {
        let location = |access: &Access| self.location(access.tensor).0;
        let inputs: SmallVec<[MemoryLocation; 4]> = kernel.inputs.iter().map(location).collect();
        let outputs: SmallVec<[MemoryLocation; 1]> = kernel.outputs.iter().map(location).collect();
        let (backend, functions, session) = (self.backend, self.functions, &mut *self.session);
        // What there is no memory for has not been begun.
        let done = match kernel.request(&self.plan.graph) {
            Some(KernelRequest::Contract(contraction)) => {
                with_room(backend, || session.contract(contraction, &inputs, outputs[0]))?
            }
            Some(KernelRequest::Map(mapped)) => with_room(backend, || session.map(&mapped, &inputs, outputs[0]))?,
            Some(KernelRequest::Factorise(factorised)) => {
                with_room(backend, || session.factorise(&factorised, &inputs, &outputs))?
            }
            None => false,
        };
        if done {
            return Ok(());
        }
        let reads = kernel.inputs.iter().map(|access| access.tensor).collect();
        self.on_host(step, reads, |read, outputs| launch(backend.device(), functions, kernel, &read, outputs))
    }

    /// Fetches tensors and a step's outputs, computes with them, and takes the outputs back.
    fn on_host(
        &mut self,
        step: &Step,
        reads: Vec<TensorId>,
        compute: impl for<'m> FnOnce(&dyn Fn(TensorId) -> SliceRef<'m>, &mut Outputs<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let fetched = reads.iter().map(|&tensor| self.fetch(tensor)).collect::<Result<Vec<_>, Error>>()?;
        let written = step.outputs.iter().map(|&(tensor, _)| self.fetch(tensor));
        let mut written = written.collect::<Result<Vec<_>, Error>>()?;
        let read = |tensor: TensorId| {
            let place = reads.iter().position(|&other| other == tensor).expect("what is read was fetched");
            fetched[place].as_ref()
        };
        compute(&read, &mut written.iter_mut().map(Buffer::as_mut).collect())?;
        for (&(tensor, _), buffer) in step.outputs.iter().zip(&written) {
            let (location, ..) = self.location(tensor);
            self.session.write(buffer.as_ref(), location)?;
        }
        Ok(())
    }

    fn fetch(&mut self, tensor: TensorId) -> Result<Buffer, Error> {
        let (location, dtype, len) = self.location(tensor);
        let mut buffer = Buffer::for_results(dtype, len)?;
        self.session.read(location, buffer.as_mut())?;
        Ok(buffer)
    }
}
