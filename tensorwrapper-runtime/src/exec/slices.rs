//! Products that are made in parts: the body is planned once, and run on each part of what it reads.
//!
//! A part is a place in memory: all that tells one from the next is where the body's sources and its result begin.

use smallvec::SmallVec;

use super::arena::Arenas;
use super::memory::{live, peak};
use super::plan::{Plan, access, plan_into};
use super::run::run_within;
use super::watch::Watch;
use tensorwrapper_core::backend::{Device, Operand, Output};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::erased::{Buffer, SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{Edge, Label, OpGraph, OperationNode, TensorId};
use tensorwrapper_core::layout::Strided;

/// A product in parts, planned.
#[derive(Debug)]
pub(super) struct Slices {
    /// The plan of one part.
    pub(super) body: Plan,
    /// How many parts there are along each label that is cut.
    pub(super) counts: Vec<usize>,
    inputs: Vec<(TensorId, Begin)>,
    output: Begin,
    /// Where parts are added up, which takes memory for one: how it lies there, and how in the output.
    added: Option<[Strided; 2]>,
}

/// Where a part begins: the place of the first, and the steps from one to the next along each label that is cut.
#[derive(Debug)]
struct Begin {
    first: usize,
    steps: Vec<isize>,
}

impl Begin {
    fn at(&self, index: &[usize]) -> usize {
        let steps = self.steps.iter().zip(index).map(|(&step, &n)| step * n as isize);
        (self.first as isize + steps.sum::<isize>()) as usize
    }
}

/// Plans a product that is made in parts.
///
/// # Errors
/// As [`plan`](super::plan::plan).
pub(super) fn slices(
    device: &dyn Device,
    node: &OperationNode,
    (parts, body): (&[(Label, usize)], &OpGraph),
    layouts: &[Strided],
) -> Result<Slices, Error> {
    let mut extents = node.extents.clone();
    parts.iter().for_each(|&(label, length)| extents[label] = length);
    // How an edge's tensor lies in a part, and where the parts begin.
    let lies = |edge: &Edge| -> Result<(Strided, Begin), Error> {
        let labels = edge.labels();
        let part = access(edge, &labels, &extents, layouts)?.layout;
        let whole = access(edge, &labels, &node.extents, layouts)?.layout;
        let step = |&(label, length): &(Label, usize)| {
            let stride = labels.iter().position(|&l| l == label).map_or(0, |axis| whole.strides()[axis]);
            stride * length as isize
        };
        let begin = Begin { first: part.start(), steps: parts.iter().map(step).collect() };
        Ok((part.rebased(), begin))
    };
    let (mut sources, mut inputs) = (Vec::new(), Vec::new());
    for edge in &node.inputs {
        let (layout, begin) = lies(edge)?;
        sources.push(layout);
        inputs.push((edge.tensor, begin));
    }
    let (target, output) = lies(&node.outputs[0])?;
    let kept = node.outputs[0].labels();
    let adds = parts.iter().any(|(label, _)| !kept.contains(label));
    let own = if adds { Strided::row_major(target.extents())? } else { target.clone() };
    let body = plan_into(device, body.clone(), &sources, Some(&own))?;
    let counts = parts.iter().map(|&(label, length)| node.extents[label] / length).collect();
    Ok(Slices { body, counts, inputs, output, added: adds.then_some([own, target]) })
}

impl Slices {
    /// The tensors that it reads, in the order in which a run is given them.
    pub(super) fn reads(&self) -> impl Iterator<Item = TensorId> + '_ {
        self.inputs.iter().map(|(tensor, _)| *tensor)
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> f64 {
        self.counts.iter().map(|&count| count as f64).product()
    }

    fn dtype(&self) -> Dtype {
        self.body.graph.tensor(self.body.graph.sinks()[0]).dtype
    }

    /// Whether it writes every element of its output; else it adds to what is there.
    pub(super) fn covers(&self) -> bool {
        self.added.is_none()
    }

    /// Bytes that a run takes beside inputs and output.
    pub(super) fn work_space(&self) -> u128 {
        let own = |[own, _]: &[Strided; 2]| own.len() as u128 * self.dtype().size() as u128;
        peak(&self.body).between + self.added.as_ref().map_or(0, own)
    }

    /// Bytes that are there while each step of a part runs, beside inputs and output.
    pub(super) fn live(&self) -> impl Iterator<Item = u128> + '_ {
        // The body's result is where parts are added up, or a part of the output.
        let result = peak(&self.body).results;
        let added = if self.added.is_some() { result } else { 0 };
        live(&self.body).into_iter().map(move |step| step.bytes - result + added)
    }

    /// Computes it; `between` parts it is told which part of all is done, and may end the run.
    ///
    /// # Errors
    /// As [`run`](super::run::run).
    pub(super) fn run(
        &self,
        device: &dyn Device,
        mut between: impl FnMut(f64) -> Result<(), Error>,
        factors: &[SliceRef<'_>],
        mut output: SliceMut<'_>,
    ) -> Result<(), Error> {
        let nobody = Watch::default();
        let parts = self.parts();
        let mut done = 0.0;
        let len = self.added.as_ref().map_or(0, |[own, _]| own.len());
        let mut part = Buffer::for_results(self.dtype(), len)?;
        let mut arenas = Arenas::new(&self.body.places)?;
        let mut index: SmallVec<[usize; 4]> = SmallVec::from_elem(0, self.counts.len());
        loop {
            let inputs: SmallVec<[SliceRef<'_>; 4]> =
                self.inputs.iter().zip(factors).map(|((_, begin), data)| data.after(begin.at(&index))).collect();
            let target = output.after(self.output.at(&index));
            match &self.added {
                None => run_within(&self.body, device, &nobody, &inputs, target, &mut arenas)?,
                Some([own, there]) => {
                    run_within(&self.body, device, &nobody, &inputs, part.as_mut(), &mut arenas)?;
                    device.add(&Operand::new(part.as_ref(), own), Output::new(target, there));
                }
            }
            // The next part: the last label runs fastest.
            let Some(axis) = (0..index.len()).rev().find(|&axis| index[axis] + 1 < self.counts[axis]) else { return Ok(()) };
            index[axis] += 1;
            index[axis + 1..].fill(0);
            done += 1.0;
            between(done / parts)?;
        }
    }
}
