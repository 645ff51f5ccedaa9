//! Graph → steps: iteration spaces, memory positions, and when each intermediate may go.

use super::over::{Over, take_over};
use super::places::Places;
use super::slices::{Slices, slices};
use num_complex::Complex;
use smallvec::SmallVec;
use std::sync::atomic::AtomicUsize;
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, Instruction, LoopNest, PreparedContraction, Program, Reduction,
};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationNode, Role, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::PerAxis;

/// What a device runs.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(super) graph: OpGraph,
    pub(super) steps: Vec<Step>,
    /// Where the tensors live.
    pub(super) places: Places,
    /// Where the elements of the wanted tensors lie, in the order asked for.
    pub(crate) results: Vec<Strided>,
    pub(super) only: Option<Only>,
    /// The opening of the device that has made what the steps need, or 0: plans are kept for longer than devices are open.
    pub(super) made: AtomicUsize,
}

/// What is to be known of a plan that is one contraction of sources: nothing lies between, and nothing goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Only {
    /// Whether it reads all sources in their order.
    pub(super) in_order: bool,
    pub(super) dtype: Dtype,
    /// Number of elements of the result.
    pub(super) len: usize,
}

/// One operation, ready for a device.
#[derive(Debug)]
pub(super) struct Step {
    /// The tensor whose elements the output's are, for an operation that computes nothing.
    pub(super) reshaped: Option<TensorId>,
    /// The tensor whose memory the output takes over.
    pub(super) takes_over: Option<TensorId>,
    /// How the one kernel goes over that memory, where it computes.
    pub(super) over: Option<Over>,
    /// What is done in parts, for a product that is; it has no kernel of its own.
    pub(super) sliced: Option<Box<Slices>>,
    pub(super) kernels: Vec<Kernel>,
    /// Whether they write every element of the outputs; else others are zero.
    pub(super) covers: bool,
    /// New tensors that the step computes, with the number of their elements.
    pub(super) outputs: SmallVec<[(TensorId, usize); 1]>,
    /// Intermediates that nobody reads after this step.
    pub(super) release: SmallVec<[TensorId; 2]>,
}

/// One call of a device.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) nest: LoopNest,
    pub(super) work: Work,
    pub(super) inputs: Vec<Access>,
    pub(super) outputs: Vec<Access>,
    /// What a device with memory of its own has found out about it.
    pub(super) found: tensorwrapper_core::backend::Found,
    /// The library with which such a device does linear algebra by itself.
    pub(super) by: Option<&'static str>,
}

impl Kernel {
    fn new(nest: LoopNest, work: Work, inputs: Vec<Access>, outputs: Vec<Access>) -> Kernel {
        Kernel { nest, work, inputs, outputs, found: tensorwrapper_core::backend::Found::new(), by: None }
    }

    /// The library that does it, if one does.
    fn library(&self) -> Option<&'static str> {
        match &self.work {
            Work::Contract(contraction) => contraction.library(),
            Work::Factorise(..) => self.by,
            Work::Map(..) => None,
        }
    }
}

impl Step {
    /// The library that computes its product or its decomposition, if one does.
    pub(super) fn library(&self) -> Option<&'static str> {
        self.kernels.iter().find_map(Kernel::library)
    }
}

impl Step {
    /// Whether its product is computed as it is because that was the quickest of several ways.
    pub(super) fn is_measured(&self) -> bool {
        self.kernels.iter().any(|kernel| matches!(&kernel.work, Work::Contract(contraction) if contraction.is_measured()))
    }

    /// What of it a device with memory of its own leaves to the host, between copies from and to it.
    pub(super) fn host_work(&self) -> Option<&'static str> {
        if self.sliced.is_some() {
            return Some("a product in parts");
        }
        self.kernels.iter().find_map(|kernel| match &kernel.work {
            Work::Factorise(..) => kernel.by.is_none().then_some("linear algebra"),
            Work::Map(program, _) if program.functions() > 0 => Some("functions of the program's"),
            Work::Contract(contraction) if contraction.own().is_none() => Some("functions of the program's"),
            Work::Map(..) | Work::Contract(_) => None,
        })
    }

    /// What of it the host waits for, so that it cannot be recorded.
    pub(super) fn awaited(&self) -> Option<&'static str> {
        let is_awaited = self.kernels.iter().any(|kernel| matches!(kernel.work, Work::Factorise(..)) && kernel.by.is_some());
        is_awaited.then_some("whether linear algebra has a result")
    }
}

/// Which call it is.
#[derive(Debug)]
pub(super) enum Work {
    Contract(PreparedContraction),
    Map(Program, Reduction),
    /// With the bytes that it takes.
    Factorise(Decomposition, usize),
}

/// A tensor's memory as a kernel's iteration space runs over it.
#[derive(Debug)]
pub(super) struct Access {
    pub(super) tensor: TensorId,
    pub(super) layout: Strided,
    /// Number of elements that the memory must have.
    pub(super) reach: usize,
    pub(super) conjugate: bool,
}

/// Plans a graph for a device and for sources that lie in memory like this.
///
/// # Errors
/// Intermediates larger than memory can address.
pub(super) fn plan(device: &dyn Device, graph: OpGraph, sources: &[Strided]) -> Result<Plan, Error> {
    plan_into(device, graph, sources, None)
}

/// The same where the one tensor that is wanted is to lie like that, if it is said; nothing else reads it then.
///
/// # Errors
/// As [`plan`].
pub(super) fn plan_into(
    device: &dyn Device,
    graph: OpGraph,
    sources: &[Strided],
    target: Option<&Strided>,
) -> Result<Plan, Error> {
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
            Operation::Sliced { parts, body } => Some(Box::new(slices(device, node, (parts, body), &layouts)?)),
            _ => None,
        };
        let covers = match &node.operation {
            Operation::Write { .. } => node.inputs.len() > 1,
            _ => sliced.as_ref().is_none_or(|sliced| sliced.covers()),
        };
        let kernels = kernels(device, &graph, node, &layouts)?;
        steps.push(Step { reshaped, takes_over: None, over: None, sliced, kernels, covers, outputs, release: SmallVec::new() });
    }
    release(&graph, &mut steps);
    let results = graph.sinks().iter().map(|sink| layouts[sink.0].clone()).collect();
    for (node, step) in graph.operations().iter().zip(&mut steps) {
        take_over(device, &graph, node, step);
    }
    let places = Places::new(&graph, &steps);
    let only = only(&graph, &steps);
    let plan = Plan { graph, steps, places, results, only, made: AtomicUsize::new(0) };
    if cfg!(debug_assertions) {
        plan.verify()?;
    }
    Ok(plan)
}

/// Has everything made that the steps of plans need, on devices that have something to make.
///
/// # Errors
/// What of it does not compile, and what the device reports.
pub(super) fn make(device: &dyn Device, plans: &[&Plan]) -> Result<(), Error> {
    super::asked::make(device, plans)?;
    let _ = (device, plans);
    Ok(())
}

fn only(graph: &OpGraph, steps: &[Step]) -> Option<Only> {
    let ([step], [_]) = (steps, graph.sinks()) else { return None };
    let [Kernel { work: Work::Contract(_), inputs, .. }] = &step.kernels[..] else { return None };
    let (tensor, len) = step.outputs[0];
    let in_order = inputs.iter().map(|access| access.tensor).eq(graph.sources());
    Some(Only { in_order, dtype: graph.tensor(tensor).dtype, len })
}

/// Marks each intermediate at the last step that reads it, or that makes it where none does. What is wanted stays.
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
        Operation::Factorise(call) => {
            let (nest, form) = (LoopNest::new(node.extents.clone(), node.extents.len()), call.form());
            let read = |(edge, roles): (&Edge, &&[Role])| access(edge, &call.labels(roles), &node.extents, layouts);
            let inputs = node.inputs.iter().zip(form.arguments).map(read).collect::<Result<_, _>>()?;
            let write = |edge: &Edge| access(edge, &edge.labels(), &node.extents, layouts);
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

/// The library with which a device does linear algebra by itself.
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
        inputs.push(access(edge, &space, &node.extents, layouts)?);
    }
    Ok((nest, inputs, access(&node.outputs[0], &space[..kept], &node.extents, layouts)?))
}

/// A copy over the labels of what is read.
fn copy(from: &Edge, to: &Edge, extents: &[usize], layouts: &[Strided]) -> Result<Kernel, Error> {
    let space = from.labels();
    let nest = LoopNest::new(space.iter().map(|&l| extents[l]).collect::<PerAxis<_>>(), space.len());
    let program = Program::new(vec![Instruction::Input(0)]);
    let inputs = vec![access(from, &space, extents, layouts)?];
    Ok(Kernel::new(nest, Work::Map(program, Reduction::Sum), inputs, vec![access(to, &space, extents, layouts)?]))
}

/// Strides of a tensor along the labels of an iteration space: 0 where it has not the label, the sum where it has it
/// twice.
pub(super) fn access(edge: &Edge, space: &[Label], extents: &[usize], layouts: &[Strided]) -> Result<Access, Error> {
    let tensor = &layouts[edge.tensor.0];
    let mut strides: PerAxis<isize> = PerAxis::from_elem(0, space.len());
    let mut offset = tensor.offset() as isize;
    for (axis, &stride) in edge.axes.iter().zip(tensor.strides()) {
        match *axis {
            EdgeAxis::Chip(position) => offset += position as isize * stride,
            EdgeAxis::Label { label, start } => {
                let place = space.iter().position(|&l| l == label);
                let place = place.ok_or_else(|| {
                    Error::new(ErrorKind::Shape(format!("label {label} is not in its kernel's iteration space")))
                })?;
                strides[place] += stride;
                offset += start as isize * stride;
            }
        }
    }
    let extents: PerAxis<usize> = space.iter().map(|&l| extents[l]).collect();
    // An empty space reads nothing, wherever its slices start.
    let offset = if extents.contains(&0) { 0 } else { offset as usize };
    let (layout, reach) = Strided::reaching(extents, strides, offset)?;
    Ok(Access { tensor: edge.tensor, layout, reach, conjugate: edge.conjugate })
}

impl Plan {
    /// The same with everything made that its steps need, on devices that have something to make.
    ///
    /// # Errors
    /// What of it does not compile, and what the device reports.
    pub(super) fn made(self, device: &dyn Device) -> Result<Plan, Error> {
        make(device, &[&self])?;
        Ok(self)
    }

    /// Whether it has one result, which a step computes into memory that is there for it.
    pub(crate) fn makes_one(&self) -> bool {
        matches!((self.graph.sinks(), &self.places.results[..]), ([_], [_]))
    }

    /// The number of elements of the one result that it [makes](Plan::makes_one).
    pub(crate) fn result_len(&self) -> usize {
        self.places.results[0].1
    }

    /// Whether every step reads what is there and no step releases what is still needed.
    fn verify(&self) -> Result<(), Error> {
        let mut there: Vec<bool> = self.graph.tensors().iter().map(|node| node.slot.is_some()).collect();
        for (n, step) in self.steps.iter().enumerate() {
            let sliced = step.sliced.iter().flat_map(|sliced| sliced.reads());
            let kernels = step.kernels.iter().flat_map(|k| &k.inputs).map(|access| access.tensor);
            let mut reads = kernels.chain(step.reshaped).chain(sliced);
            if let Some(tensor) = reads.find(|tensor| !there[tensor.0]) {
                let message = format!("step {n} of the plan reads tensor {}, which is not there", tensor.0);
                return Err(Error::new(ErrorKind::Shape(message)));
            }
            step.outputs.iter().for_each(|(tensor, _)| there[tensor.0] = true);
            step.release.iter().for_each(|tensor| there[tensor.0] = false);
        }
        match self.graph.sinks().iter().find(|sink| !there[sink.0]) {
            Some(sink) => Err(Error::new(ErrorKind::Shape(format!("the plan does not keep tensor {}, which is wanted", sink.0)))),
            None => Ok(()),
        }
    }
}
