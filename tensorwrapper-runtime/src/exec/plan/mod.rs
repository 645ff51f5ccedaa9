//! Plans: the steps that compute a graph, what each of them calls, and where tensors lie in memory.
//!
//! Data that planning makes, and that runs, counts of memory and explanations read.
//!
//! A contraction is prepared when its plan is made: nest, alpha and layouts become a kernel that needs memory alone, whose size
//! is checked once a run.

mod buffers;

use std::sync::atomic::AtomicUsize;

use smallvec::SmallVec;
use tensorwrapper_core::backend::{Decomposition, DeviceCache, Executable, LoopNest, PreparedContraction, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::PerAxis;

pub(super) use buffers::{ArenaRange, BufferAssignment, Location};

/// What a device runs.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(in crate::exec) graph: OpGraph,
    pub(in crate::exec) steps: Vec<Step>,
    /// What computes the whole graph at once, where a backend has compiled it; there are no steps then.
    pub(in crate::exec) whole: Option<Box<dyn Executable>>,
    /// Where the tensors lie in memory.
    pub(in crate::exec) buffers: BufferAssignment,
    /// Where the elements of the wanted tensors lie, in the order asked for.
    pub(crate) results: Vec<Strided>,
    pub(in crate::exec) only: Option<Only>,
    /// The number of the device's opening for which everything was made that the steps need, or 0: a plan may outlive the opening.
    pub(in crate::exec) made: AtomicUsize,
}

/// Facts about a plan that is one contraction of sources: it has no intermediates, and releases nothing.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct Only {
    /// Whether it reads all sources in their order.
    pub(in crate::exec) in_order: bool,
    pub(in crate::exec) dtype: Dtype,
    /// Number of elements of the result.
    pub(in crate::exec) len: usize,
}

/// One operation, ready for a device.
#[derive(Debug)]
pub(in crate::exec) struct Step {
    /// The tensor that the output is a copy of, for a reshape, which computes nothing.
    pub(in crate::exec) reshaped: Option<TensorId>,
    /// The tensor whose memory the output takes over.
    pub(in crate::exec) takes_over: Option<TensorId>,
    /// How the one kernel is cut into blocks, where it computes in place.
    pub(in crate::exec) in_place: Option<InPlace>,
    /// The product that is made in parts, for a step that is one; such a step has no kernels.
    pub(in crate::exec) sliced: Option<Box<SlicedProduct>>,
    pub(in crate::exec) kernels: Vec<Kernel>,
    /// Whether they write every element of the outputs; else others are zero.
    pub(in crate::exec) covers: bool,
    /// New tensors that the step computes, with the number of their elements.
    pub(in crate::exec) outputs: SmallVec<[(TensorId, usize); 1]>,
    /// Intermediates that no later step reads.
    pub(in crate::exec) release: SmallVec<[TensorId; 2]>,
}

/// One call of a device.
#[derive(Debug)]
pub(in crate::exec) struct Kernel {
    pub(in crate::exec) nest: LoopNest,
    pub(in crate::exec) work: Work,
    pub(in crate::exec) inputs: Vec<Access>,
    pub(in crate::exec) outputs: Vec<Access>,
    /// What a device with memory of its own remembers of the kernel from run to run.
    pub(in crate::exec) cache: DeviceCache,
    /// The library with which such a device does linear algebra by itself.
    pub(in crate::exec) by: Option<&'static str>,
}

impl Kernel {
    pub(in crate::exec) fn new(nest: LoopNest, work: Work, inputs: Vec<Access>, outputs: Vec<Access>) -> Kernel {
        Kernel { nest, work, inputs, outputs, cache: DeviceCache::new(), by: None }
    }

    /// The library that computes it, if one does.
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
    pub(in crate::exec) fn library(&self) -> Option<&'static str> {
        self.kernels.iter().find_map(Kernel::library)
    }

    /// Whether the way in which its product is computed was chosen by measuring several.
    pub(in crate::exec) fn is_measured(&self) -> bool {
        self.kernels.iter().any(|kernel| matches!(&kernel.work, Work::Contract(contraction) if contraction.is_measured()))
    }

    /// What of the step a device with memory of its own leaves to the host: operands are copied there, and results back.
    pub(in crate::exec) fn host_work(&self) -> Option<&'static str> {
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

    /// What of the step the host waits for, so that the step cannot be recorded.
    pub(in crate::exec) fn awaited(&self) -> Option<&'static str> {
        let is_awaited = self.kernels.iter().any(|kernel| matches!(kernel.work, Work::Factorise(..)) && kernel.by.is_some());
        is_awaited.then_some("whether linear algebra has a result")
    }
}

/// What the device is called for.
#[derive(Debug)]
pub(in crate::exec) enum Work {
    Contract(PreparedContraction),
    Map(Program, Reduction),
    /// With the bytes of work space that it needs.
    Factorise(Decomposition, usize),
}

/// A tensor as a kernel reads or writes it: its memory, with a stride for each axis of the kernel's iteration space.
#[derive(Debug)]
pub(in crate::exec) struct Access {
    pub(in crate::exec) tensor: TensorId,
    pub(in crate::exec) layout: Strided,
    /// Number of elements that the memory must have.
    pub(in crate::exec) reach: usize,
    pub(in crate::exec) conjugate: bool,
}

impl Access {
    /// Strides of a tensor along the labels of an iteration space: 0 where it has not the label, the sum where it has it
    /// twice.
    pub(in crate::exec) fn new(edge: &Edge, space: &[Label], extents: &[usize], layouts: &[Strided]) -> Result<Access, Error> {
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
}

/// How element-wise work that is written over one of its operands is cut into blocks.
#[derive(Debug)]
pub(in crate::exec) struct InPlace {
    /// The operand.
    pub(in crate::exec) tensor: TensorId,
    /// The axis that is cut: those before it are gone through one by one, those behind it are whole.
    pub(in crate::exec) axis: usize,
    /// Indices of a block along it, fewer in the last.
    pub(in crate::exec) length: usize,
    /// Elements of a block.
    pub(in crate::exec) elements: usize,
}

/// A product in parts, planned.
#[derive(Debug)]
pub(in crate::exec) struct SlicedProduct {
    /// The plan of one part.
    pub(in crate::exec) body: Plan,
    /// How many parts there are along each label that is cut.
    pub(in crate::exec) counts: Vec<usize>,
    /// What is read, and where the first part of it begins.
    pub(in crate::exec) inputs: Vec<(TensorId, PartStart)>,
    /// Where the parts of the output begin.
    pub(in crate::exec) output: PartStart,
    /// Where parts are added up, which takes memory for one: how it lies there, and how in the output.
    pub(in crate::exec) added: Option<[Strided; 2]>,
}

/// Where a part begins: the place of the first, and the steps from one to the next along each label that is cut.
#[derive(Debug)]
pub(in crate::exec) struct PartStart {
    pub(in crate::exec) first: usize,
    pub(in crate::exec) steps: Vec<isize>,
}

impl PartStart {
    pub(in crate::exec) fn at(&self, index: &[usize]) -> usize {
        let steps = self.steps.iter().zip(index).map(|(&step, &n)| step * n as isize);
        (self.first as isize + steps.sum::<isize>()) as usize
    }
}

impl SlicedProduct {
    /// The tensors that it reads, in the order in which a run is given them.
    pub(in crate::exec) fn reads(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.inputs.iter().map(|(tensor, _)| *tensor)
    }

    /// How many parts there are.
    pub(in crate::exec) fn parts(&self) -> f64 {
        self.counts.iter().map(|&count| count as f64).product()
    }

    /// The element type of what it computes.
    pub(in crate::exec) fn dtype(&self) -> Dtype {
        self.body.graph.tensor(self.body.graph.sinks()[0]).dtype
    }

    /// Whether it writes every element of its output; else it adds to what is there.
    pub(in crate::exec) fn covers(&self) -> bool {
        self.added.is_none()
    }
}

impl Plan {
    /// The plan of a graph that a backend has compiled as a whole.
    pub(in crate::exec) fn whole(graph: OpGraph, executable: Box<dyn Executable>, results: Vec<Strided>) -> Plan {
        let buffers = BufferAssignment::of_results(&graph);
        Plan { graph, steps: Vec::new(), whole: Some(executable), buffers, results, only: None, made: AtomicUsize::new(0) }
    }

    /// Whether it has one result, which a step computes into memory that is there for it.
    pub(crate) fn makes_one(&self) -> bool {
        matches!((self.graph.sinks(), &self.buffers.results[..]), ([_], [_]))
    }

    /// The number of elements of the one result that it [makes](Plan::makes_one).
    pub(crate) fn result_len(&self) -> usize {
        self.buffers.results[0].1
    }

    /// Whether every step reads what is there and no step releases what is still needed.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] naming the step.
    pub(in crate::exec) fn verify(&self) -> Result<(), Error> {
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
