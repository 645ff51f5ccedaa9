//! Plans on devices with memory of their own: operands go there once, everything between stays, and results come back at the end.
//!
//! What the device leaves to the host (linear algebra, functions of the program's, products in parts) is fetched, computed as on any
//! device, and taken back.

use super::arena::Outputs;
use super::places::Home;
use super::plan::{Access, Kernel, Plan, Step, Work};
use super::run::launch;
use super::watch::Watch;
use crate::backend::{Device, Resident, Seen, Session, Site};
use crate::callback::Callback;
use crate::element::Dtype;
use crate::erased::{Buffer, SliceMut, SliceRef};
use crate::error::Error;
use crate::graph::TensorId;

/// A plan on its way through a device.
struct Journey<'a> {
    plan: &'a Plan,
    device: &'a dyn Device,
    functions: &'a [Callback<'a>],
    session: Box<dyn Session + 'a>,
    /// Element types and numbers of elements of the session's memories: of sources, results and arenas, in this order.
    memories: Vec<(Dtype, usize)>,
    sources: usize,
}

/// Runs the steps of a plan; `results` are overwritten whole, once every step has succeeded.
///
/// # Errors
/// What the device reports. Memory that it has not is reported before anything is computed.
pub(super) fn run<'a>(
    plan: &'a Plan,
    (device, resident): (&'a dyn Device, &'a dyn Resident),
    watch: &Watch,
    (sources, functions): (&[SliceRef<'_>], &'a [Callback<'a>]),
    results: &mut [SliceMut<'_>],
) -> Result<(), Error> {
    let here = sources.iter().map(|source| (source.dtype(), source.len()));
    let memories: Vec<_> = here.chain(plan.places.results.iter().copied()).chain(plan.places.arenas.iter().copied()).collect();
    let sizes: Vec<usize> = memories[sources.len()..].iter().map(|&(dtype, len)| dtype.size() * len).collect();
    let session = resident.session(sources, &sizes)?;
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
    for (n, result) in results.iter_mut().enumerate() {
        journey.session.read(Site { memory: sources.len() + n, start: 0 }, result.reborrow())?;
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
        let seen = |access| -> Seen<'_> {
            let access: &Access = access;
            let (site, dtype, _) = self.home(access.tensor);
            Seen { site, dtype, layout: &access.layout, conjugate: access.conjugate }
        };
        let inputs: Vec<Seen<'_>> = kernel.inputs.iter().map(seen).collect();
        let output = seen(&kernel.outputs[0]);
        let done = match &kernel.work {
            Work::Contract(contraction) => {
                let sites: Vec<Site> = inputs.iter().map(|input| input.site).collect();
                self.session.contract(contraction, &sites, output.site)?
            }
            Work::Map(program, reduction) => self.session.map(&kernel.nest, program, *reduction, &inputs, output)?,
            Work::Factorise(..) => false,
        };
        if done {
            return Ok(());
        }
        let (device, functions) = (self.device, self.functions);
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
