//! Plans: the steps that compute a graph, the device calls of each step, and the memory of all tensors.
//!
//! Planning builds this data; runs, memory counts and explanations read it.
//!
//! A contraction is prepared when its plan is made: nest, alpha and layouts become a kernel that needs only memory. The size of
//! that memory is checked once per run.

mod buffers;

use std::sync::atomic::AtomicUsize;

use smallvec::SmallVec;
use tensorwrapper_core::backend::{
    Decomposition, DeviceCache, Executable, LoopNest, PreparedContraction, Program, Reduction, RunMap,
};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::PerAxis;

pub(super) use buffers::{ArenaRange, BufferAssignment, Location};

/// A plan, which a device runs.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(in crate::exec) graph: OpGraph,
    pub(in crate::exec) steps: Vec<Step>,
    /// The executable of the whole graph, if a backend has compiled it; then there are no steps.
    pub(in crate::exec) whole: Option<Box<dyn Executable>>,
    /// The memory of the tensors.
    pub(in crate::exec) buffers: BufferAssignment,
    /// The layouts of the requested tensors, in the order in which they were requested.
    pub(crate) results: Vec<Strided>,
    pub(in crate::exec) only: Option<Only>,
    /// The opening of the device for which the kernels of the steps were made, by number, or 0. A plan may outlive the opening.
    pub(in crate::exec) made: AtomicUsize,
}

/// Facts about a plan that is a single contraction or element-wise program of sources. It has no intermediates, and releases nothing.
#[derive(Debug)]
pub(in crate::exec) struct Only {
    /// Whether it reads all sources in their order.
    pub(in crate::exec) in_order: bool,
    /// An element-wise program that reads them so, if the device has prepared it.
    pub(in crate::exec) map: Option<Box<dyn RunMap>>,
    pub(in crate::exec) dtype: Dtype,
    /// Number of elements of the result.
    pub(in crate::exec) len: usize,
}

/// One operation, ready for a device.
#[derive(Debug)]
pub(in crate::exec) struct Step {
    /// For a reshape, the tensor of which the output is a copy. Nothing is computed.
    pub(in crate::exec) reshaped: Option<TensorId>,
    /// The tensor whose memory the output takes over.
    pub(in crate::exec) takes_over: Option<TensorId>,
    /// How the step's only kernel is split into blocks, if it computes in place.
    pub(in crate::exec) in_place: Option<InPlace>,
    /// The product that is computed in parts, if the step is one. Such a step has no kernels.
    pub(in crate::exec) sliced: Option<Box<SlicedProduct>>,
    pub(in crate::exec) kernels: Vec<Kernel>,
    /// Whether the kernels write every element of the outputs; if not, the other elements are zero.
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
    /// Data of the kernel that a device with its own memory caches from run to run.
    pub(in crate::exec) cache: DeviceCache,
    /// The library with which such a device computes linear algebra, if it does so itself.
    pub(in crate::exec) by: Option<&'static str>,
}

impl Kernel {
    pub(in crate::exec) fn new(nest: LoopNest, work: Work, inputs: Vec<Access>, outputs: Vec<Access>) -> Kernel {
        Kernel { nest, work, inputs, outputs, cache: DeviceCache::new(), by: None }
    }

    /// The library that computes this kernel, if any.
    fn library(&self) -> Option<&'static str> {
        match &self.work {
            Work::Contract(contraction) => contraction.library(),
            Work::Factorise(..) => self.by,
            Work::Map(..) | Work::Place(..) => None,
        }
    }
}

impl Step {
    /// The library that computes the step's product or decomposition, if any.
    pub(in crate::exec) fn library(&self) -> Option<&'static str> {
        self.kernels.iter().find_map(Kernel::library)
    }

    /// How the device computes the step's product, in a few words, if it is one.
    pub(in crate::exec) fn method(&self) -> Option<&'static str> {
        self.kernels.iter().find_map(|kernel| match &kernel.work {
            Work::Contract(contraction) => contraction.method(),
            Work::Factorise(..) | Work::Map(..) | Work::Place(..) => None,
        })
    }

    /// Whether the way to compute the step's product was chosen by measuring several ways.
    pub(in crate::exec) fn is_measured(&self) -> bool {
        self.kernels.iter().any(|kernel| matches!(&kernel.work, Work::Contract(contraction) if contraction.is_measured()))
    }

    /// The work of the step that a device with its own memory leaves to the host, with operands copied to the host and results
    /// copied back; `None` if there is no such work.
    pub(in crate::exec) fn host_work(&self) -> Option<&'static str> {
        if self.sliced.is_some() {
            return Some("a product in parts");
        }
        self.kernels.iter().find_map(|kernel| match &kernel.work {
            Work::Factorise(..) => kernel.by.is_none().then_some("linear algebra"),
            Work::Map(program, _) | Work::Place(program, ..) if program.functions() > 0 => Some("functions of the program's"),
            Work::Contract(contraction) if contraction.own().is_none() => Some("functions of the program's"),
            Work::Map(..) | Work::Place(..) | Work::Contract(_) => None,
        })
    }

    /// The reason for which the host must wait for the step, so that the step cannot be recorded; `None` if there is none.
    pub(in crate::exec) fn awaited(&self) -> Option<&'static str> {
        let is_awaited = self.kernels.iter().any(|kernel| matches!(kernel.work, Work::Factorise(..)) && kernel.by.is_some());
        is_awaited.then_some("whether linear algebra has a result")
    }
}

/// The work of a device call.
#[derive(Debug)]
pub(in crate::exec) enum Work {
    Contract(PreparedContraction),
    Map(Program, Reduction),
    /// Where along the last axis the values of a program are largest or smallest, with the bytes of work space that it needs.
    Place(Program, Reduction, usize),
    /// A decomposition, with the bytes of work space that it needs.
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
    /// The strides of a tensor along the labels of an iteration space: 0 for a label that the tensor does not have, and the sum
    /// of strides for a label that it has twice.
    pub(in crate::exec) fn new(edge: &Edge, space: &[Label], extents: &[usize], layouts: &[Strided]) -> Result<Access, Error> {
        Access::of(edge, space, extents, &layouts[edge.tensor.0])
    }

    /// The same with the layout of the tensor.
    pub(in crate::exec) fn of(edge: &Edge, space: &[Label], extents: &[usize], tensor: &Strided) -> Result<Access, Error> {
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

/// How element-wise work that overwrites one of its operands is split into blocks.
#[derive(Debug)]
pub(in crate::exec) struct InPlace {
    /// The operand that is overwritten.
    pub(in crate::exec) tensor: TensorId,
    /// The axis that is split. Axes before it are processed one index at a time, axes after it as a whole.
    pub(in crate::exec) axis: usize,
    /// Number of indices of a block along this axis; the last block may have fewer.
    pub(in crate::exec) length: usize,
    /// Elements of a block.
    pub(in crate::exec) elements: usize,
}

/// The plan of a product that is computed in parts.
#[derive(Debug)]
pub(in crate::exec) struct SlicedProduct {
    /// The plan of one part.
    pub(in crate::exec) body: Plan,
    /// How many parts there are along each label that is cut.
    pub(in crate::exec) counts: Vec<usize>,
    /// The tensors that are read, and where the first part of each begins.
    pub(in crate::exec) inputs: Vec<(TensorId, PartStart)>,
    /// Where the parts of the output begin.
    pub(in crate::exec) output: PartStart,
    /// If parts are added up, which needs memory for one part: the layout of a part there, and in the output.
    pub(in crate::exec) added: Option<[Strided; 2]>,
}

/// The start of each part: the position of the first part, and the distance to the next along each label that is cut.
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

    /// Whether it writes every element of its output; otherwise it adds to the output.
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

    /// Whether it has exactly one result, and a step computes it directly into its memory.
    pub(crate) fn makes_one(&self) -> bool {
        matches!((self.graph.sinks(), &self.buffers.results[..]), ([_], [_]))
    }

    /// Whether a run may end because of the elements that it reads: linear algebra may, and what a backend has compiled as a whole.
    pub(crate) fn may_fail(&self) -> bool {
        let factorises = |kernel: &Kernel| matches!(kernel.work, Work::Factorise(..));
        self.whole.is_some() || self.steps.iter().flat_map(|step| &step.kernels).any(factorises)
    }

    /// The number of elements of the one result that it [makes](Plan::makes_one).
    pub(crate) fn result_len(&self) -> usize {
        self.buffers.results[0].1
    }

    /// Checks that every step reads only tensors that exist, and that no step releases a tensor that is still needed.
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
