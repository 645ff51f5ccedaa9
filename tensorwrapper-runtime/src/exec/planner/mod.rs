//! Plans a graph: iteration spaces, memory of tensors, and the step after which each intermediate is released.

mod buffer_assignment;
mod in_place;
mod packing;
mod parts;

use std::sync::atomic::AtomicUsize;

use num_complex::Complex;
use smallvec::SmallVec;

use self::buffer_assignment::assign;
use self::in_place::take_over;
use self::parts::in_parts;
use super::plan::{Access, Kernel, Only, Plan, Step, Work};
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, ElementWise, Instruction, LoopNest, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, Role};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::PerAxis;

/// Plans a graph for a device and for sources with these layouts.
///
/// # Errors
/// Intermediates larger than memory can address.
pub(super) fn plan(device: &dyn Device, graph: OpGraph, sources: &[Strided]) -> Result<Plan, Error> {
    plan_into(device, graph, sources, None)
}

/// The same. If `target` is given, it is the layout of the graph's only sink, which no operation reads.
///
/// # Errors
/// As [`plan`].
fn plan_into(device: &dyn Device, graph: OpGraph, sources: &[Strided], target: Option<&Strided>) -> Result<Plan, Error> {
    let mut layouts: Vec<Strided> = Vec::with_capacity(graph.tensors().len());
    for node in graph.tensors() {
        layouts.push(match node.slot {
            Some(slot) => sources[slot].clone(),
            None => Strided::row_major(&node.extents)?,
        });
    }
    if let Some(target) = target {
        layouts[graph.sinks()[0].0] = target.clone();
    }
    let mut steps = Vec::with_capacity(graph.operations().len());
    for node in graph.operations() {
        let outputs = node.outputs.iter().map(|edge| (edge.tensor, layouts[edge.tensor.0].len())).collect();
        let reshaped = (node.operation == Operation::Reshape).then(|| node.inputs[0].tensor);
        let sliced = match &node.operation {
            Operation::Sliced { parts, body } => {
                let planned = |sources: &[Strided], own: &Strided| plan_into(device, (**body).clone(), sources, Some(own));
                Some(Box::new(in_parts(node, parts, &layouts, planned)?))
            }
            _ => None,
        };
        let covers = match &node.operation {
            Operation::Write { .. } => node.inputs.len() > 1,
            _ => sliced.as_ref().is_none_or(|sliced| sliced.covers()),
        };
        let kernels = kernels(device, &graph, node, &layouts)?;
        steps.push(Step {
            reshaped,
            takes_over: None,
            in_place: None,
            sliced,
            kernels,
            covers,
            outputs,
            release: SmallVec::new(),
        });
    }
    release(&graph, &mut steps);
    let results = graph.sinks().iter().map(|sink| layouts[sink.0].clone()).collect();
    for (node, step) in graph.operations().iter().zip(&mut steps) {
        take_over(device, &graph, node, step);
    }
    let buffers = assign(&graph, &steps);
    let only = only(device, &graph, &steps);
    let plan = Plan { graph, steps, whole: None, buffers, results, only, made: AtomicUsize::new(0) };
    if cfg!(debug_assertions) {
        plan.verify()?;
    }
    Ok(plan)
}

/// Facts about a plan that is a single contraction or element-wise program of sources. `None` for other plans, and on a device with its
/// own memory that has not made the kernel: such a kernel would read host memory, where the sources may not be.
fn only(device: &dyn Device, graph: &OpGraph, steps: &[Step]) -> Option<Only> {
    let ([step], [_]) = (steps, graph.sinks()) else { return None };
    let [Kernel { work, nest, inputs, outputs, .. }] = &step.kernels[..] else { return None };
    let is_host = device.resident().is_none();
    match work {
        Work::Contract(contraction) if is_host || contraction.own().is_some() => {}
        Work::Map(..) | Work::Place(..) if is_host && step.covers && step.sliced.is_none() => {}
        _ => return None,
    }
    let (tensor, len) = step.outputs[0];
    let in_order = inputs.iter().map(|access| access.tensor).eq(graph.sources());
    let dtype = graph.tensor(tensor).dtype;
    let map = match work {
        Work::Map(program, reduction) if in_order && program.functions() == 0 => {
            let inputs: SmallVec<[(&Strided, bool); 4]> =
                inputs.iter().map(|access| (&access.layout, access.conjugate)).collect();
            let (reduction, output) = (*reduction, &outputs[0].layout);
            device.prepare_map(&ElementWise { nest, program, reduction, dtype, inputs: &inputs, output })
        }
        _ => None,
    };
    Some(Only { in_order, map, dtype, len })
}

/// Marks each intermediate for release at the last step that reads it, or at the step that makes it if no step reads it. Sinks
/// are not released.
fn release(graph: &OpGraph, steps: &mut [Step]) {
    let mut last: SmallVec<[Option<usize>; 16]> = SmallVec::from_elem(None, graph.tensors().len());
    for (step, node) in graph.operations().iter().enumerate() {
        for edge in node.outputs.iter().chain(&node.inputs) {
            last[edge.tensor.0] = Some(step);
        }
    }
    graph.sinks().iter().for_each(|sink| last[sink.0] = None);
    for tensor in graph.tensor_ids().filter(|&tensor| graph.tensor(tensor).producer.is_some()) {
        if let Some(step) = last[tensor.0] {
            steps[step].release.push(tensor);
        }
    }
}

fn kernels(device: &dyn Device, graph: &OpGraph, node: &OperationNode, layouts: &[Strided]) -> Result<Vec<Kernel>, Error> {
    match &node.operation {
        Operation::Contract { alpha, then } => {
            let (nest, inputs, output) = nested(node, layouts)?;
            let work = Work::Contract(prepared(device, graph, (&nest, *alpha, then.as_ref()), &inputs, &output)?);
            Ok(vec![Kernel::new(nest, work, inputs, vec![output])])
        }
        Operation::Map { program, reduction } => {
            let (nest, inputs, output) = nested(node, layouts)?;
            let work = Work::Map(program.clone(), *reduction);
            Ok(vec![Kernel::new(nest, work, inputs, vec![output])])
        }
        Operation::Place { program, extreme } => {
            let Some(places) = device.places().filter(|_| device.resident().is_none()) else {
                let message = format!("places of extremes, which `{}` does not find", device.name());
                return Err(Error::new(ErrorKind::Unsupported(message)));
            };
            let (nest, inputs, output) = nested(node, layouts)?;
            let space = places.space(&output.layout) * graph.tensor(output.tensor).dtype.size();
            Ok(vec![Kernel::new(nest, Work::Place(program.clone(), *extreme, space), inputs, vec![output])])
        }
        Operation::Factorise(call) => {
            let (nest, form) = (LoopNest::new(node.extents.clone(), node.extents.len()), call.form());
            let read = |(edge, roles): (&Edge, &&[Role])| Access::new(edge, &call.labels(roles), &node.extents, layouts);
            let inputs = node.inputs.iter().zip(form.arguments).map(read).collect::<Result<_, _>>()?;
            let write = |edge: &Edge| Access::new(edge, &edge.labels(), &node.extents, layouts);
            let outputs = node.outputs.iter().map(write).collect::<Result<_, _>>()?;
            let dtype = graph.tensor(node.inputs[0].tensor).dtype;
            let space = device.factor_space(call, dtype, &node.extents, node.inputs.len());
            let kernel = Kernel::new(nest, Work::Factorise(call.clone(), space), inputs, outputs);
            let kernel = Kernel { by: by(device, call, dtype, &kernel), ..kernel };
            Ok(vec![kernel])
        }
        // Steps of their own that call no kernel: `run` hands the memory on, or goes through the parts.
        Operation::Reshape | Operation::Sliced { .. } => Ok(Vec::new()),
        Operation::Write { part } => {
            let (written, base) = node.inputs.split_last().expect("a write has a part");
            let whole = &node.outputs[0];
            let mut kernels = Vec::new();
            if let [base] = base {
                kernels.push(copy(base, whole, &node.extents, layouts)?);
            }
            let target = Edge { axes: part.clone(), ..whole.clone() };
            kernels.push(copy(written, &target, &node.extents, layouts)?);
            Ok(kernels)
        }
    }
}

/// The library with which a device computes linear algebra, if it does so itself.
fn by(device: &dyn Device, call: &Decomposition, dtype: Dtype, kernel: &Kernel) -> Option<&'static str> {
    let [arguments, results] = [&kernel.inputs, &kernel.outputs]
        .map(|accesses: &Vec<Access>| accesses.iter().map(|access| &access.layout).collect::<Vec<_>>());
    device.factors_by(call, dtype, &arguments, &results)
}

/// A contraction over this memory, prepared.
fn prepared(
    device: &dyn Device,
    graph: &OpGraph,
    (nest, alpha, then): (&LoopNest, Complex<f64>, Option<&Program>),
    inputs: &[Access],
    output: &Access,
) -> Result<PreparedContraction, Error> {
    let inputs: SmallVec<[_; 4]> = inputs.iter().map(|access| (&access.layout, access.conjugate)).collect();
    let dtype = graph.tensor(output.tensor).dtype;
    let (factors, others) = inputs.split_at(if then.is_some() { 2 } else { inputs.len() });
    device.prepare(&Contraction { nest, alpha, dtype, factors, output: &output.layout, then, others })
}

/// The space of all labels of an operation, the output's first, what it reads there, and where it writes.
fn nested(node: &OperationNode, layouts: &[Strided]) -> Result<(LoopNest, Vec<Access>, Access), Error> {
    let mut space: PerAxis<Label> = PerAxis::new();
    node.outputs[0].axes.iter().filter_map(EdgeAxis::label).for_each(|label| space.push(label));
    let kept = space.len();
    let summed: PerAxis<Label> = (0..node.extents.len()).filter(|label| !space.contains(label)).collect();
    space.extend(summed);
    let nest = LoopNest::new(space.iter().map(|&l| node.extents[l]).collect::<PerAxis<_>>(), kept);
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for edge in &node.inputs {
        inputs.push(Access::new(edge, &space, &node.extents, layouts)?);
    }
    Ok((nest, inputs, Access::new(&node.outputs[0], &space[..kept], &node.extents, layouts)?))
}

/// A copy over the labels of what is read.
fn copy(from: &Edge, to: &Edge, extents: &[usize], layouts: &[Strided]) -> Result<Kernel, Error> {
    let space = from.labels();
    let nest = LoopNest::new(space.iter().map(|&l| extents[l]).collect::<PerAxis<_>>(), space.len());
    let program = Program::new(vec![Instruction::Input(0)]);
    let inputs = vec![Access::new(from, &space, extents, layouts)?];
    Ok(Kernel::new(nest, Work::Map(program, Reduction::Sum), inputs, vec![Access::new(to, &space, extents, layouts)?]))
}
