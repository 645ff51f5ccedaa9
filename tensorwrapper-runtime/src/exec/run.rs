//! Steps → results: the one place where plans and devices meet.

use std::sync::Arc;

use smallvec::SmallVec;

use super::arena::{Arenas, Memory, Outputs, Space};
use super::context::Context;
use super::memory::within;
use super::places::Home;
use super::plan::{Access, Kernel, Only, Plan, Work};
use super::resident::{self, Wanted};
use super::watch::Watch;
use crate::expr::Value;
use crate::link::Link;
use crate::lower::{Given, Lowered, lower, lower_over};
use crate::tensor::AnyTensor;
use tensorwrapper_core::backend::{Device, Operand, Output};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::erased::{Buffer, SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{OpGraph, TensorId};
use tensorwrapper_core::layout::Strided;

/// A plan, and what it reads and calls.
pub(crate) struct Planned<'a> {
    pub(crate) plan: Plan,
    pub(crate) sources: Vec<Given<'a>>,
    pub(crate) functions: Vec<Callback<'a>>,
    /// The device that it was made for: the context's, or where the sources are.
    pub(crate) device: Arc<dyn Device>,
}

impl Planned<'_> {
    /// Runs the plan under the eyes of somebody.
    ///
    /// # Errors
    /// What the device reports: memory, decompositions, reductions over nothing.
    pub(crate) fn run(&self, watch: &Watch, goes: Goes) -> Result<Computed, Error> {
        let sources: Vec<SliceRef<'_>> = self.sources.iter().map(Given::data).collect();
        run_to(&self.plan, &self.device, watch, (&sources, &self.functions), goes)
    }
}

/// Where the results of a run go.
#[derive(Clone, Copy, Debug)]
pub enum Goes {
    /// To the host.
    Here,
    /// To the host before number `first`; from that on they stay in the memory of a device that has its own, and what is at the
    /// host's addresses is no element of them, unless there is but one.
    There {
        /// Of the results.
        first: usize,
    },
}

/// The wanted tensors' elements, in the order of [`Plan::results`]. Like all lists here it needs no memory of its own
/// while it is short: a small equation's call is to cost little more than its arithmetic.
pub(crate) type Computed = SmallVec<[Buffer; 1]>;

/// Computes recorded values together, each shared part once, in the order given.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing.
pub(crate) fn evaluate(context: &Context, values: &[Link<Value<'_>>]) -> Result<Vec<AnyTensor>, Error> {
    evaluate_to(context, values, Goes::Here)
}

/// The same with results that may stay on a device.
///
/// # Errors
/// As [`evaluate`].
pub(super) fn evaluate_to(context: &Context, values: &[Link<Value<'_>>], goes: Goes) -> Result<Vec<AnyTensor>, Error> {
    let planned = planned(context, values)?;
    let computed = planned.run(&context.watch, goes)?;
    Ok(computed.into_iter().zip(planned.plan.results).map(|(buffer, layout)| AnyTensor::from_buffer(buffer, layout)).collect())
}

/// The plan that computes recorded values, and what it reads and calls.
///
/// # Errors
/// Intermediates larger than memory can address.
pub(crate) fn planned<'a>(context: &Context, values: &[Link<Value<'a>>]) -> Result<Planned<'a>, Error> {
    let Lowered { graph, sources, functions } = lower(values);
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
    let context = &*context.placed(sources.iter().filter_map(Given::borrowed))?;
    Ok(Planned { plan: optimized(context, graph, &layouts)?, sources, functions, device: Arc::clone(&context.device) })
}

/// The plan that computes a value from tensors, which are its sources in this order, whatever memory they share.
///
/// # Errors
/// As [`planned`].
pub(crate) fn planned_over(context: &Context, tensors: &[Link<Value<'_>>], value: &Link<Value<'_>>) -> Result<Plan, Error> {
    let Lowered { graph, sources, .. } = lower_over(tensors, std::slice::from_ref(value));
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
    optimized(context, graph, &layouts)
}

fn optimized(context: &Context, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    if cfg!(debug_assertions) {
        graph.verify()?;
    }
    within(context, graph, layouts)
}

/// Runs a plan on a device, on these sources and with these functions. Results are made only when every step has succeeded.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing. Results that no memory is found for are reported
/// before anything is computed.
pub(crate) fn run(
    plan: &Plan,
    device: &dyn Device,
    watch: &Watch,
    sources: &[SliceRef<'_>],
    functions: &[Callback<'_>],
) -> Result<Computed, Error> {
    super::placed::are_within_reach(device, sources)?;
    if let Some(only) = plan.only.as_ref().filter(|_| watch.is_nobody()) {
        let mut result = Buffer::for_results(only.dtype, only.len)?;
        run_only(plan, (only, device), sources, result.as_mut())?;
        return Ok(Computed::from_buf([result]));
    }
    let results = plan.places.results.iter().map(|&(dtype, len)| Buffer::for_results(dtype, len).map(Space::Own));
    let mut results = results.collect::<Result<SmallVec<[Space<'_>; 1]>, Error>>()?;
    if let Some(resident) = device.resident() {
        let mut targets: Vec<Wanted<'_>> = results.iter_mut().map(|space| Wanted::here(space.as_mut())).collect();
        resident::run(plan, (device, resident), watch, (sources, functions), &mut targets)?;
        return Ok(collect(plan, results));
    }
    let mut arenas = Arenas::new(&plan.places)?;
    steps(plan, device, watch, (sources, functions), Memory { results: &mut results, arenas: &mut arenas })?;
    Ok(collect(plan, results))
}

/// The same with results that may stay on the device.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_to(
    plan: &Plan,
    device: &Arc<dyn Device>,
    watch: &Watch,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    goes: Goes,
) -> Result<Computed, Error> {
    match goes {
        Goes::Here => run(plan, &**device, watch, sources, functions),
        Goes::There { first } => {
            super::placed::are_within_reach(&**device, sources)?;
            let resident = device.resident().expect("results stay where a device has memory of its own");
            let run = |wanted: &mut [Wanted<'_>]| resident::run(plan, (&**device, resident), watch, (sources, functions), wanted);
            resident::computed(plan, device, first, run)
        }
    }
}

/// Runs a plan that [makes](Plan::makes_one) one result, without functions, into memory of the program's, which has room for
/// exactly the result's elements and is overwritten whole. After an error it holds anything. The device computes in the host's memory.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_into(
    plan: &Plan,
    device: &dyn Device,
    watch: &Watch,
    sources: &[SliceRef<'_>],
    target: SliceMut<'_>,
) -> Result<(), Error> {
    {
        debug_assert!(device.resident().is_none(), "the device computes in the host's memory");
        super::placed::are_within_reach(device, sources)?;
    }
    if let Some(only) = plan.only.as_ref().filter(|_| watch.is_nobody()) {
        return run_only(plan, (only, device), sources, target);
    }
    run_within(plan, device, watch, sources, target, &mut Arenas::new(&plan.places)?)
}

/// The same with memory for all that lies between.
///
/// # Errors
/// As [`run`].
pub(super) fn run_within(
    plan: &Plan,
    device: &dyn Device,
    watch: &Watch,
    sources: &[SliceRef<'_>],
    target: SliceMut<'_>,
    arenas: &mut Arenas,
) -> Result<(), Error> {
    if let Some(only) = plan.only.as_ref().filter(|_| watch.is_nobody()) {
        return run_only(plan, (only, device), sources, target);
    }
    steps(plan, device, watch, (sources, &[]), Memory { results: &mut [Space::Lent(target)], arenas })
}

/// Runs a plan that is one contraction of sources.
fn run_only(
    plan: &Plan,
    (only, device): (&Only, &dyn Device),
    sources: &[SliceRef<'_>],
    target: SliceMut<'_>,
) -> Result<(), Error> {
    let [Kernel { work: Work::Contract(contraction), inputs, .. }] = &plan.steps[0].kernels[..] else {
        unreachable!("the plan was found to be one contraction");
    };
    if only.in_order {
        return contraction.run(device, sources, target);
    }
    let slot = |access: &Access| plan.graph.tensor(access.tensor).slot.expect("the only step reads sources");
    let factors: SmallVec<[SliceRef<'_>; 4]> = inputs.iter().map(|access| sources[slot(access)]).collect();
    contraction.run(device, &factors, target)
}

/// Runs the steps.
fn steps(
    plan: &Plan,
    device: &dyn Device,
    watch: &Watch,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    mut memory: Memory<'_, '_>,
) -> Result<(), Error> {
    let home = |tensor: TensorId| plan.places.homes[tensor.0];
    let mut watching = watch.begin(plan);
    for (number, step) in plan.steps.iter().enumerate() {
        let _span = watching.before(number)?;
        if step.reshaped.is_some() && step.takes_over.is_some() {
            watching.after(number);
            continue;
        }
        let homes: SmallVec<[Home; 1]> = step.outputs.iter().map(|&(tensor, _)| home(tensor)).collect();
        let (mut outputs, readable) = memory.cut(sources, &homes);
        let read = |tensor: TensorId| readable.read(home(tensor));
        if !step.covers {
            outputs.iter_mut().for_each(SliceMut::clear);
        }
        if let Some(tensor) = step.reshaped {
            outputs[0].copy_from(read(tensor));
        }
        if let Some(sliced) = &step.sliced {
            let factors: SmallVec<[SliceRef<'_>; 4]> = sliced.reads().map(read).collect();
            sliced.run(device, |part| watching.between(number, part), &factors, outputs[0].reborrow())?;
        }
        if let (Some(over), [kernel]) = (&step.over, &step.kernels[..]) {
            over.run(device, functions, kernel, &read, outputs[0].reborrow())?;
            watching.after(number);
            continue;
        }
        for kernel in &step.kernels {
            launch(device, functions, kernel, &read, &mut outputs)?;
        }
        watching.after(number);
    }
    Ok(())
}

/// Calls the device once.
pub(super) fn launch<'m>(
    device: &dyn Device,
    functions: &[Callback<'_>],
    kernel: &Kernel,
    read: &impl Fn(TensorId) -> SliceRef<'m>,
    outputs: &mut Outputs<'_>,
) -> Result<(), Error> {
    if let Work::Contract(contraction) = &kernel.work {
        let factors: SmallVec<[SliceRef<'_>; 4]> = kernel.inputs.iter().map(|access| read(access.tensor)).collect();
        return contraction.run(device, &factors, outputs[0].reborrow());
    }
    let inputs: SmallVec<[Operand<'_>; 4]> = kernel
        .inputs
        .iter()
        .map(|access| Operand::reaching(read(access.tensor), &access.layout, access.reach, access.conjugate))
        .collect();
    // A kernel writes all new tensors of its step, in their order.
    let mut written = outputs
        .iter_mut()
        .zip(&kernel.outputs)
        .map(|(memory, access)| Output::reaching(memory.reborrow(), &access.layout, access.reach));
    match &kernel.work {
        Work::Contract(_) => unreachable!("a contraction was run above"),
        Work::Factorise(call, _) => device.factorise(call, &inputs, written.collect()),
        Work::Map(program, reduction) => {
            let output = written.next().expect("a kernel has an output");
            device.map(&kernel.nest, program, *reduction, functions, &inputs, output)
        }
    }
}

/// Takes the wanted tensors out of memory; one that is wanted twice is copied for the first.
fn collect(plan: &Plan, results: SmallVec<[Space<'_>; 1]>) -> Computed {
    let sinks = plan.graph.sinks();
    // How often each is still wanted.
    let mut wanted = plan.places.counted(sinks);
    let mut results: SmallVec<[Option<Space<'_>>; 1]> = results.into_iter().map(Some).collect();
    let take = |&sink: &TensorId| {
        let result = plan.places.result(sink);
        wanted[result] -= 1;
        let space = match wanted[result] {
            0 => results[result].take(),
            _ => results[result].as_ref().map(|space| Space::Own(space.as_ref().to_buffer())),
        };
        match space {
            Some(Space::Own(buffer)) => buffer,
            Some(Space::Lent(_)) | None => unreachable!("what the program lends is not collected, and nothing twice"),
        }
    };
    sinks.iter().map(take).collect()
}
