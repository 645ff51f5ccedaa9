//! Counts the memory that a run of a plan takes, and the memory in use while each step runs.
//!
//! A plan takes results, arenas, and the largest `work_space` that a device reports of its contractions and `factor_space` of
//! its linear algebra. `tests/allocations/memory.rs` compares this with what an allocator counts.

use super::plan::{Location, Plan, SlicedProduct, Step, Work};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{OpGraph, TensorId};
use tensorwrapper_core::layout::Strided;

/// Bytes of a run, operands not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Results, which are allocated before the first step.
    pub(crate) results: u128,
    /// The most memory that is needed in addition: the arenas, and the largest work space of a step.
    pub(crate) between: u128,
}

impl Peak {
    pub(crate) fn bytes(self) -> u128 {
        self.results + self.between
    }
}

/// Bytes in use while a step runs and, if it is computed in parts, while each step of a part runs.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) bytes: u128,
    pub(super) inner: Vec<u128>,
}

/// Work space of a step.
fn space(graph: &OpGraph, step: &Step) -> u128 {
    if let (Some(over), Some(&(output, _))) = (&step.in_place, step.outputs.first()) {
        return over.elements as u128 * graph.tensor(output).dtype.size() as u128;
    }
    let kernels = step.kernels.iter().map(|kernel| match &kernel.work {
        Work::Contract(contraction) => contraction.work_space() as u128,
        // Chunks in which elements are computed: as small as caches.
        Work::Map(..) => 0,
        Work::Place(_, _, space) | Work::Factorise(_, space) => *space as u128,
    });
    kernels.chain(step.sliced.iter().map(|sliced| work_space(sliced))).max().unwrap_or(0)
}

/// Bytes in use while each step runs: results, intermediates, and the work space of the step.
pub(super) fn live(plan: &Plan) -> Vec<Live> {
    if plan.whole.is_some() {
        // Nobody knows what the backend keeps at which time.
        return vec![Live { bytes: peak(plan).bytes(), inner: Vec::new() }; plan.graph.operations().len()];
    }
    let bytes = |tensor: TensorId, len: usize| len as u128 * plan.graph.tensor(tensor).dtype.size() as u128;
    let between = |tensor: TensorId| matches!(plan.buffers.locations[tensor.0], Location::Arena(_));
    let mut now: u128 = plan.buffers.results.iter().map(|&(dtype, len)| len as u128 * dtype.size() as u128).sum();
    let mut sizes = vec![0; plan.graph.tensors().len()];
    let mut found = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        for &(tensor, len) in step.outputs.iter().filter(|(tensor, _)| between(*tensor)) {
            sizes[tensor.0] = bytes(tensor, len);
            now += if step.takes_over.is_some() { 0 } else { sizes[tensor.0] };
        }
        let inner = step.sliced.as_deref().map_or_else(Vec::new, |sliced| live_parts(sliced).map(|part| now + part).collect());
        found.push(Live { bytes: now + space(&plan.graph, step), inner });
        let gone = step.release.iter().filter(|tensor| step.takes_over != Some(**tensor));
        now -= gone.map(|tensor| sizes[tensor.0]).sum::<u128>();
    }
    found
}

/// The memory that a run of a plan needs.
pub(super) fn peak(plan: &Plan) -> Peak {
    let bytes = |&(dtype, len): &(Dtype, usize)| len as u128 * dtype.size() as u128;
    if let Some(executable) = &plan.whole {
        return Peak { results: plan.buffers.results.iter().map(bytes).sum(), between: executable.work_space() as u128 };
    }
    let most = plan.steps.iter().map(|step| space(&plan.graph, step)).max().unwrap_or(0);
    // A tensor that is wanted twice is copied.
    let wanted = plan.buffers.counted(plan.graph.sinks());
    let results = plan.buffers.results.iter().zip(wanted).map(|(result, times)| bytes(result) * times as u128);
    Peak { results: results.sum(), between: plan.buffers.arenas.iter().map(bytes).sum::<u128>() + most }
}

/// The most parts that a step of a plan is made in.
pub(super) fn parts(plan: &Plan) -> f64 {
    plan.steps.iter().filter_map(|step| step.sliced.as_deref()).map(SlicedProduct::parts).fold(1.0, f64::max)
}

/// Bytes that a run of a product in parts takes, without inputs and output.
fn work_space(sliced: &SlicedProduct) -> u128 {
    let own = |[own, _]: &[Strided; 2]| own.len() as u128 * sliced.dtype().size() as u128;
    peak(&sliced.body).between + sliced.added.as_ref().map_or(0, own)
}

/// Bytes in use while each step of a part runs, without inputs and output.
fn live_parts(sliced: &SlicedProduct) -> impl Iterator<Item = u128> + '_ {
    // The body's result is where parts are added up, or a part of the output.
    let result = peak(&sliced.body).results;
    let added = if sliced.added.is_some() { result } else { 0 };
    live(&sliced.body).into_iter().map(move |step| step.bytes - result + added)
}
