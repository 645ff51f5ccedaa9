//! Steps → results: the one place where plans and devices meet.

use std::sync::Arc;

use smallvec::SmallVec;

use super::context::Context;
use super::plan::{Access, Kernel, Plan, Work, plan};
use crate::backend::{Device, Operand, Output};
use crate::callback::Callback;
use crate::erased::{Buffer, SliceRef};
use crate::error::Error;
use crate::expr::Value;
use crate::graph::{Lowered, TensorId, lower};
use crate::layout::Strided;
use crate::optimize::optimize;
use crate::tensor::{AnyRef, AnyTensor};

/// A plan, and what it reads and calls.
pub(crate) struct Planned<'a> {
    pub(crate) plan: Plan,
    pub(crate) sources: Vec<AnyRef<'a>>,
    pub(crate) functions: Vec<Callback<'a>>,
}

impl Planned<'_> {
    /// Runs the plan.
    ///
    /// # Errors
    /// What the device reports: memory, decompositions, reductions over nothing.
    pub(crate) fn run(&self, context: &Context) -> Result<Computed, Error> {
        let sources: Vec<SliceRef<'_>> = self.sources.iter().map(|source| source.data).collect();
        run(&self.plan, &*context.device, &sources, &self.functions)
    }
}

/// The wanted tensors' elements, in the order of [`Plan::results`]. Like all lists here it needs no memory of its own
/// while it is short: a small equation's call is to cost little more than its arithmetic.
pub(crate) type Computed = SmallVec<[Buffer; 1]>;

/// Memory of the graph's tensors while a plan runs.
type Memory = SmallVec<[Option<Buffer>; 4]>;

/// New tensors of a step.
type New = SmallVec<[(TensorId, Buffer); 1]>;

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
    if cfg!(debug_assertions) {
        graph.verify()?;
    }
    let graph = optimize(&graph, context.choices)?;
    let layouts: Vec<Strided> = sources.iter().map(|source| source.layout.clone()).collect();
    Ok(Planned { plan: plan(&*context.device, graph, &layouts)?, sources, functions })
}

/// Runs a plan on a device, on these sources and with these functions. Results are made only when every step has succeeded.
pub(crate) fn run(
    plan: &Plan,
    device: &dyn Device,
    sources: &[SliceRef<'_>],
    functions: &[Callback<'_>],
) -> Result<Computed, Error> {
    let mut memory: Memory = plan.graph.tensors().iter().map(|_| None).collect();
    for step in &plan.steps {
        if let Some(tensor) = step.reshaped {
            // Every reshaped tensor is an intermediate in C order. The last reader takes its memory, others a copy.
            let last = step.release.contains(&tensor);
            let buffer = if last { memory[tensor.0].take() } else { memory[tensor.0].clone() };
            memory[step.outputs[0].0.0] = buffer;
            continue;
        }
        let mut outputs = New::new();
        for &(tensor, len) in &step.outputs {
            outputs.push((tensor, Buffer::zeros(plan.graph.tensor(tensor).dtype, len)?));
        }
        for kernel in &step.kernels {
            launch(plan, device, (sources, functions), &memory, kernel, &mut outputs)?;
        }
        for (tensor, buffer) in outputs {
            memory[tensor.0] = Some(buffer);
        }
        for tensor in &step.release {
            memory[tensor.0] = None;
        }
    }
    Ok(collect(plan, memory))
}

/// Calls the device once.
fn launch(
    plan: &Plan,
    device: &dyn Device,
    (sources, functions): (&[SliceRef<'_>], &[Callback<'_>]),
    memory: &[Option<Buffer>],
    kernel: &Kernel,
    outputs: &mut New,
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
        Work::Factorise(kind) => device.factorise(&kernel.nest, *kind, &inputs, written.collect()),
        Work::Map(program, reduction) => {
            let output = written.next().expect("a kernel has an output");
            device.map(&kernel.nest, program, *reduction, functions, &inputs, output)
        }
    }
}

fn slice<'m>(plan: &Plan, sources: &[SliceRef<'m>], memory: &'m [Option<Buffer>], tensor: TensorId) -> SliceRef<'m> {
    match (plan.graph.tensor(tensor).slot, &memory[tensor.0]) {
        (Some(slot), _) => sources[slot],
        (None, Some(buffer)) => buffer.as_ref(),
        (None, None) => unreachable!("the plan was verified: a step reads what is there"),
    }
}

/// Takes the wanted tensors out of memory; one that is wanted twice is copied for the first.
fn collect(plan: &Plan, mut memory: Memory) -> Computed {
    let sinks = plan.graph.sinks();
    let take = |(n, sink): (usize, &TensorId)| {
        let again = sinks[n + 1..].contains(sink);
        let buffer = if again { memory[sink.0].clone() } else { memory[sink.0].take() };
        buffer.expect("lowering gives every wanted value an operation of its own, and the plan keeps it")
    };
    sinks.iter().enumerate().map(take).collect()
}
