//! Steps → results: the one place where plans and devices meet.

use std::sync::Arc;

use smallvec::SmallVec;

use super::context::Context;
use super::plan::{Access, Kernel, Only, Plan, Step, Work, plan};
use crate::backend::{Device, Operand, Output};
use crate::callback::Callback;
use crate::erased::{Buffer, SliceMut, SliceRef};
use crate::error::Error;
use crate::expr::Value;
use crate::graph::{Given, Lowered, OpGraph, TensorId, lower, lower_over};
use crate::layout::Strided;
use crate::optimize::optimize;
use crate::tensor::AnyTensor;

/// A plan, and what it reads and calls.
pub(crate) struct Planned<'a> {
    pub(crate) plan: Plan,
    pub(crate) sources: Vec<Given<'a>>,
    pub(crate) functions: Vec<Callback<'a>>,
}

impl Planned<'_> {
    /// Runs the plan.
    ///
    /// # Errors
    /// What the device reports: memory, decompositions, reductions over nothing.
    pub(crate) fn run(&self, context: &Context) -> Result<Computed, Error> {
        let sources: Vec<SliceRef<'_>> = self.sources.iter().map(Given::data).collect();
        run(&self.plan, &*context.device, &sources, &self.functions)
    }
}

/// The wanted tensors' elements, in the order of [`Plan::results`]. Like all lists here it needs no memory of its own
/// while it is short: a small equation's call is to cost little more than its arithmetic.
pub(crate) type Computed = SmallVec<[Buffer; 1]>;

/// Memory of one tensor while a plan runs.
enum Space<'t> {
    /// Its own.
    Own(Buffer),
    /// The program's, which is to hold the result.
    Lent(SliceMut<'t>),
}

impl Space<'_> {
    fn as_ref(&self) -> SliceRef<'_> {
        match self {
            Space::Own(buffer) => buffer.as_ref(),
            Space::Lent(slice) => slice.as_ref(),
        }
    }

    fn as_mut(&mut self) -> SliceMut<'_> {
        match self {
            Space::Own(buffer) => buffer.as_mut(),
            Space::Lent(slice) => slice.reborrow(),
        }
    }

    /// The same elements once more.
    fn copy(&self) -> Space<'static> {
        Space::Own(self.as_ref().to_buffer())
    }
}

/// Memory of the graph's tensors while a plan runs.
type Memory<'t> = SmallVec<[Option<Space<'t>>; 4]>;

/// New tensors of a step.
type New<'t> = SmallVec<[(TensorId, Space<'t>); 1]>;

/// Computes recorded values together, each shared part once, in the order given.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing.
pub(crate) fn evaluate(context: &Context, values: &[Arc<Value<'_>>]) -> Result<Vec<AnyTensor>, Error> {
    let planned = planned(context, values)?;
    let computed = planned.run(context)?;
    Ok(computed.into_iter().zip(planned.plan.results).map(|(buffer, layout)| AnyTensor::from_buffer(buffer, layout)).collect())
}

/// The plan that computes recorded values, and what it reads and calls.
///
/// # Errors
/// Intermediates larger than memory can address.
pub(crate) fn planned<'a>(context: &Context, values: &[Arc<Value<'a>>]) -> Result<Planned<'a>, Error> {
    let Lowered { graph, sources, functions } = lower(values);
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
    Ok(Planned { plan: optimized(context, graph, &layouts)?, sources, functions })
}

/// The plan that computes a value from tensors, which are its sources in this order, whatever memory they share.
///
/// # Errors
/// As [`planned`].
pub(crate) fn planned_over(context: &Context, tensors: &[Arc<Value<'_>>], value: &Arc<Value<'_>>) -> Result<Plan, Error> {
    let Lowered { graph, sources, .. } = lower_over(tensors, std::slice::from_ref(value));
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout().clone()).collect();
    optimized(context, graph, &layouts)
}

fn optimized(context: &Context, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    if cfg!(debug_assertions) {
        graph.verify()?;
    }
    plan(&*context.device, optimize(&graph, context.choices)?, layouts)
}

/// Runs a plan on a device, on these sources and with these functions. Results are made only when every step has succeeded.
///
/// # Errors
/// What the device reports: memory, decompositions, reductions over nothing. Results that no memory is found for are reported
/// before anything is computed.
pub(crate) fn run(
    plan: &Plan,
    device: &dyn Device,
    sources: &[SliceRef<'_>],
    functions: &[Callback<'_>],
) -> Result<Computed, Error> {
    if let Some(only) = &plan.only {
        let mut result = Buffer::for_results(only.dtype, only.len)?;
        run_only(plan, only, sources, result.as_mut())?;
        return Ok(Computed::from_buf([result]));
    }
    let mut memory: Memory<'_> = plan.graph.tensors().iter().map(|_| None).collect();
    for &(tensor, len) in &plan.wanted {
        memory[tensor.0] = Some(Space::Own(Buffer::for_results(plan.graph.tensor(tensor).dtype, len)?));
    }
    steps(plan, device, (sources, functions), &mut memory)?;
    Ok(collect(plan, memory))
}

/// Runs a plan that [makes](Plan::makes_one) one result, without functions, into memory of the program's, which has room for
/// exactly the result's elements and is overwritten whole. After an error it holds anything.
///
/// # Errors
/// As [`run`].
pub(crate) fn run_into(plan: &Plan, device: &dyn Device, sources: &[SliceRef<'_>], target: SliceMut<'_>) -> Result<(), Error> {
    if let Some(only) = &plan.only {
        return run_only(plan, only, sources, target);
    }
    let mut memory: Memory<'_> = plan.graph.tensors().iter().map(|_| None).collect();
    memory[plan.graph.sinks()[0].0] = Some(Space::Lent(target));
    steps(plan, device, (sources, &[]), &mut memory)
}

/// Runs a plan that is one contraction of sources.
fn run_only(plan: &Plan, only: &Only, sources: &[SliceRef<'_>], target: SliceMut<'_>) -> Result<(), Error> {
    let [Kernel { work: Work::Contract(contraction), inputs, .. }] = &plan.steps[0].kernels[..] else {
        unreachable!("the plan was found to be one contraction");
    };
    if only.in_order {
        return contraction.run(sources, target);
    }
    let slot = |access: &Access| plan.graph.tensor(access.tensor).slot.expect("the only step reads sources");
    let factors: SmallVec<[SliceRef<'_>; 4]> = inputs.iter().map(|access| sources[slot(access)]).collect();
    contraction.run(&factors, target)
}

/// Runs the steps. Tensors that have memory already are computed there.
fn steps(
    plan: &Plan,
    device: &dyn Device,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    memory: &mut Memory<'_>,
) -> Result<(), Error> {
    for step in &plan.steps {
        if let Some(tensor) = step.reshaped {
            reshape(step, tensor, memory);
            continue;
        }
        let mut outputs = New::new();
        for &(tensor, len) in &step.outputs {
            let space = match memory[tensor.0].take() {
                Some(mut space) => {
                    if !step.covers {
                        space.as_mut().clear();
                    }
                    space
                }
                None => {
                    let new = if step.covers { Buffer::for_results } else { Buffer::zeros };
                    Space::Own(new(plan.graph.tensor(tensor).dtype, len)?)
                }
            };
            outputs.push((tensor, space));
        }
        for kernel in &step.kernels {
            launch(plan, device, (sources, functions), memory, kernel, &mut outputs)?;
        }
        for (tensor, space) in outputs {
            memory[tensor.0] = Some(space);
        }
        for tensor in &step.release {
            memory[tensor.0] = None;
        }
    }
    Ok(())
}

/// Hands the memory of a tensor on to one of the same elements in the same order. Every reshaped tensor is an intermediate in
/// C order. The last reader takes its memory, others a copy.
fn reshape(step: &Step, tensor: TensorId, memory: &mut Memory<'_>) {
    let last = step.release.contains(&tensor);
    let space = if last { memory[tensor.0].take() } else { memory[tensor.0].as_ref().map(Space::copy) };
    memory[step.outputs[0].0.0] = space;
}

/// Calls the device once.
fn launch(
    plan: &Plan,
    device: &dyn Device,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    memory: &[Option<Space<'_>>],
    kernel: &Kernel,
    outputs: &mut New<'_>,
) -> Result<(), Error> {
    let read = |access: &'_ Access| slice(plan, sources, memory, access.tensor);
    if let Work::Contract(contraction) = &kernel.work {
        let factors: SmallVec<[SliceRef<'_>; 4]> = kernel.inputs.iter().map(read).collect();
        return contraction.run(&factors, outputs[0].1.as_mut());
    }
    let inputs: SmallVec<[Operand<'_>; 4]> = kernel
        .inputs
        .iter()
        .map(|access| Operand::reaching(read(access), &access.layout, access.reach, access.conjugate))
        .collect();
    // A kernel writes all new tensors of its step, in their order.
    let mut written = outputs
        .iter_mut()
        .zip(&kernel.outputs)
        .map(|((_, buffer), access)| Output::reaching(buffer.as_mut(), &access.layout, access.reach));
    match &kernel.work {
        Work::Contract(_) => unreachable!("a contraction was run above"),
        Work::Factorise(call) => device.factorise(call, &inputs, written.collect()),
        Work::Map(program, reduction) => {
            let output = written.next().expect("a kernel has an output");
            device.map(&kernel.nest, program, *reduction, functions, &inputs, output)
        }
    }
}

fn slice<'m>(plan: &Plan, sources: &[SliceRef<'m>], memory: &'m [Option<Space<'_>>], tensor: TensorId) -> SliceRef<'m> {
    match (plan.graph.tensor(tensor).slot, &memory[tensor.0]) {
        (Some(slot), _) => sources[slot],
        (None, Some(space)) => space.as_ref(),
        (None, None) => unreachable!("the plan was verified: a step reads what is there"),
    }
}

/// Takes the wanted tensors out of memory; one that is wanted twice is copied for the first.
fn collect(plan: &Plan, mut memory: Memory<'_>) -> Computed {
    let sinks = plan.graph.sinks();
    let take = |(n, sink): (usize, &TensorId)| {
        let again = sinks[n + 1..].contains(sink);
        let space = if again { memory[sink.0].as_ref().map(Space::copy) } else { memory[sink.0].take() };
        match space {
            Some(Space::Own(buffer)) => buffer,
            Some(Space::Lent(_)) => unreachable!("what the program lends is not collected"),
            None => unreachable!("lowering gives every wanted value an operation of its own, and the plan keeps it"),
        }
    };
    sinks.iter().enumerate().map(take).collect()
}
