//! Plans on devices with memory of their own: operands go there once, everything between stays, and results come back at the end.
//!
//! What the device leaves to the host (linear algebra, functions of the program's, products in parts) is fetched, computed as on any
//! device, and taken back.

use std::sync::Arc;

use smallvec::SmallVec;

use super::arena::Outputs;
use super::asked::make_again;
use super::places::Home;
use super::plan::{Access, Kernel, Plan, Step};
use super::replay::with_room;
use super::run::{Computed, launch};
use super::watch::Watch;
use tensorwrapper_core::backend::{Asked, Copied, Device, DeviceMemory, Resident, Session, Site};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::erased::{Buffer, SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::TensorId;

/// A plan on its way through a device.
struct Journey<'a> {
    plan: &'a Plan,
    device: &'a dyn Device,
    functions: &'a [Callback<'a>],
    session: &'a mut dyn Session,
    /// Element types and numbers of elements of the session's memories: of sources, results and arenas, in this order.
    memories: Vec<(Dtype, usize)>,
    sources: usize,
}

/// What is asked for of a result.
#[derive(Debug, Default)]
pub(super) struct Wanted<'m> {
    /// Where its elements go on the host.
    pub(super) here: Option<SliceMut<'m>>,
    /// Whether they are to stay on the device, and where they are then.
    pub(super) stays: bool,
    pub(super) there: Option<DeviceMemory>,
}

impl<'m> Wanted<'m> {
    /// A result that comes to the host.
    pub(super) fn here(target: SliceMut<'m>) -> Wanted<'m> {
        Wanted { here: Some(target), ..Wanted::default() }
    }
}

/// Runs the steps of a plan; what is wanted of the results is there once every step has succeeded.
///
/// # Errors
/// What the device reports. Memory that it has not is reported before anything is computed, but for what lies between the kernels of
/// one operation, which is asked for when it is done.
pub(super) fn run(
    plan: &Plan,
    (device, resident): (&dyn Device, &dyn Resident),
    watch: &Watch,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    results: &mut [Wanted<'_>],
) -> Result<(), Error> {
    let before = if watch.is_timed() { Some(resident.taken()?.now) } else { None };
    let mut session = open(plan, (device, resident), sources, false)?;
    steps(plan, device, &mut *session, watch, (sources, functions))?;
    deliver(device, &mut *session, sources.len(), results)?;
    if let Some(before) = before {
        watch.took(resident.taken()?.most.saturating_sub(before + session.copied()));
    }
    Ok(())
}

/// The results of a run, of which those from number `first` on stay on the device; what is one number comes to the host, too.
///
/// # Errors
/// What the run reports. Results that no memory is found for are reported before.
pub(super) fn computed(
    plan: &Plan,
    device: &Arc<dyn Device>,
    first: usize,
    run: impl FnOnce(&mut [Wanted<'_>]) -> Result<(), Error>,
) -> Result<Computed, Error> {
    let (sinks, known) = (plan.graph.sinks(), &plan.places.results);
    let result = |sink: &TensorId| plan.places.result(*sink);
    let mut here: Vec<Option<Buffer>> = known.iter().map(|_| None).collect();
    // How often each result is still to be given, and how often it stays.
    let (mut left, stays) = (plan.places.counted(sinks), plan.places.counted(&sinks[first.min(sinks.len())..]));
    // What stays has addresses on the host, by which it is found.
    let mut addresses: Vec<Option<Buffer>> = sinks.iter().map(|_| None).collect();
    for (n, sink) in sinks.iter().enumerate() {
        let (dtype, len) = known[result(sink)];
        if n >= first && len != 1 {
            addresses[n] = Some(Buffer::for_addresses(dtype, len)?);
        } else if here[result(sink)].is_none() {
            here[result(sink)] = Some(Buffer::for_results(dtype, len)?);
        }
    }
    let mut wanted: Vec<Wanted<'_>> = here
        .iter_mut()
        .enumerate()
        .map(|(r, buffer)| Wanted { here: buffer.as_mut().map(Buffer::as_mut), stays: stays[r] > 0, there: None })
        .collect();
    run(&mut wanted)?;
    let there: Vec<Option<DeviceMemory>> = wanted.into_iter().map(|wanted| wanted.there).collect();
    let mut computed = Computed::new();
    for (n, sink) in sinks.iter().enumerate() {
        let (r, (dtype, len)) = (result(sink), known[result(sink)]);
        left[r] -= 1;
        let is_last = left[r] == 0;
        let mut buffer = match (addresses[n].take(), &mut here[r]) {
            (Some(addresses), _) => addresses,
            (None, Some(elements)) if is_last => std::mem::replace(elements, Buffer::zeros(dtype, 0)?),
            (None, Some(elements)) => elements.clone(),
            (None, None) => unreachable!("what does not stay has memory on the host"),
        };
        if let Some(memory) = there[r].clone().filter(|_| n >= first) {
            buffer.hold(Arc::new(Copied { device: Arc::clone(device), memory, is_only: len != 1 }));
        }
        computed.push(buffer);
    }
    Ok(computed)
}

/// Memory for a plan.
///
/// # Errors
/// As [`Resident::session`] and [`make_again`].
pub(super) fn open(
    plan: &Plan,
    (device, resident): (&dyn Device, &dyn Resident),
    sources: &[SliceRef<'_>],
    again: bool,
) -> Result<Box<dyn Session>, Error> {
    make_again(plan, device, resident.opening())?;
    let others = plan.places.results.iter().chain(&plan.places.arenas);
    let sizes: Vec<usize> = others.map(|&(dtype, len)| dtype.size() * len).collect();
    let sources = read(plan, sources);
    with_room(device, || resident.session(&sources, &sizes, again))
}

/// The sources of a plan, those without elements that no step reads: a block keeps what was computed from some of them.
pub(super) fn read<'a>(plan: &Plan, sources: &[SliceRef<'a>]) -> SmallVec<[SliceRef<'a>; 6]> {
    let mut is_read: SmallVec<[bool; 6]> = SmallVec::from_elem(false, sources.len());
    let inputs = plan.graph.operations().iter().flat_map(|node| &node.inputs);
    inputs.filter_map(|edge| plan.graph.tensor(edge.tensor).slot).for_each(|slot| is_read[slot] = true);
    let taken = |(source, &is_read): (&SliceRef<'a>, &bool)| if is_read { *source } else { source.range(0..0) };
    sources.iter().zip(&is_read).map(taken).collect()
}

/// Asks for all steps of a plan in its memory.
///
/// # Errors
/// What the device reports.
pub(super) fn steps(
    plan: &Plan,
    device: &dyn Device,
    session: &mut dyn Session,
    watch: &Watch,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
) -> Result<(), Error> {
    let here = sources.iter().map(|source| (source.dtype(), source.len()));
    let memories = here.chain(plan.places.results.iter().copied()).chain(plan.places.arenas.iter().copied()).collect();
    let mut journey = Journey { plan, device, functions, session, memories, sources: sources.len() };
    let mut watching = watch.begin(plan);
    for (number, step) in plan.steps.iter().enumerate() {
        let _span = watching.before(number)?;
        journey.step(step, |part| watching.between(number, part))?;
        // Whoever looks on is to see when a step is done, and not when it was asked for.
        if !watch.is_nobody() {
            journey.session.finish()?;
        }
        watching.after(number);
    }
    Ok(())
}

/// Gives what is wanted of the results, which lie behind the sources.
///
/// # Errors
/// What the device reports, also of the steps.
pub(super) fn deliver(
    device: &dyn Device,
    session: &mut dyn Session,
    sources: usize,
    results: &mut [Wanted<'_>],
) -> Result<(), Error> {
    for (n, result) in results.iter_mut().enumerate() {
        if let Some(target) = &mut result.here {
            session.read(Site { memory: sources + n, start: 0 }, target.reborrow())?;
        }
        if result.stays {
            result.there = Some(with_room(device, || session.keep(sources + n))?);
        }
    }
    Ok(())
}

impl Journey<'_> {
    /// Where a tensor lies, and the number of elements of its memory.
    fn home(&self, tensor: TensorId) -> (Site, Dtype, usize) {
        let (memory, start, len) = match self.plan.places.homes[tensor.0] {
            Home::Source(slot) => (slot, 0, self.memories[slot].1),
            Home::Result(n) => (self.sources + n, 0, self.memories[self.sources + n].1),
            Home::Piece(piece) => {
                (self.sources + self.plan.places.results.len() + piece.arena, piece.start, piece.end - piece.start)
            }
        };
        let dtype = self.memories[memory].0;
        (Site { memory, start: start * dtype.size() }, dtype, len)
    }

    fn step(&mut self, step: &Step, between: impl FnMut(f64) -> Result<(), Error>) -> Result<(), Error> {
        if step.reshaped.is_some() && step.takes_over.is_some() {
            return Ok(());
        }
        if !step.covers {
            for &(tensor, _) in &step.outputs {
                let (site, dtype, len) = self.home(tensor);
                self.session.clear(site, len * dtype.size())?;
            }
        }
        if let Some(from) = step.reshaped {
            let ((from, dtype, len), (to, ..)) = (self.home(from), self.home(step.outputs[0].0));
            self.session.copy(from, to, len * dtype.size())?;
        }
        if let Some(sliced) = &step.sliced {
            let device = self.device;
            self.on_host(step, sliced.reads().collect(), |read, outputs| {
                let factors: Vec<SliceRef<'_>> = sliced.reads().map(read).collect();
                sliced.run(device, between, &factors, outputs[0].reborrow())
            })?;
        }
        step.kernels.iter().try_for_each(|kernel| self.kernel(step, kernel))
    }

    fn kernel(&mut self, step: &Step, kernel: &Kernel) -> Result<(), Error> {
        let site = |access: &Access| self.home(access.tensor).0;
        let inputs: SmallVec<[Site; 4]> = kernel.inputs.iter().map(site).collect();
        let outputs: SmallVec<[Site; 1]> = kernel.outputs.iter().map(site).collect();
        let (device, functions, session) = (self.device, self.functions, &mut *self.session);
        // What there is no memory for has not been begun.
        let done = match kernel.asked(&self.plan.graph) {
            Some(Asked::Contract(contraction)) => with_room(device, || session.contract(contraction, &inputs, outputs[0]))?,
            Some(Asked::Map(mapped)) => with_room(device, || session.map(&mapped, &inputs, outputs[0]))?,
            Some(Asked::Factorise(factorised)) => with_room(device, || session.factorise(&factorised, &inputs, &outputs))?,
            None => false,
        };
        if done {
            return Ok(());
        }
        let reads = kernel.inputs.iter().map(|access| access.tensor).collect();
        self.on_host(step, reads, |read, outputs| launch(device, functions, kernel, &read, outputs))
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
            let (site, ..) = self.home(tensor);
            self.session.write(buffer.as_ref(), site)?;
        }
        Ok(())
    }

    fn fetch(&mut self, tensor: TensorId) -> Result<Buffer, Error> {
        let (site, dtype, len) = self.home(tensor);
        let mut buffer = Buffer::for_results(dtype, len)?;
        self.session.read(site, buffer.as_mut())?;
        Ok(buffer)
    }
}
