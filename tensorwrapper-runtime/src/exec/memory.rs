//! Memory of a run: what a plan needs, and plans that stay within a limit.

use super::context::Context;
use super::explain::Live;
use super::places::Home;
use super::plan::{Plan, Step, Work, make, plan};
use super::slices::Slices;
use crate::optimize::{Begun, Choices, Limited, Pass, is_optimal};
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{OpGraph, TensorId};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_order::Path;

/// Bytes of a run, operands not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Results, which are there from the beginning on.
    pub(crate) results: u128,
    /// The most that is needed beside them: the arenas, and the work space of the step that takes most.
    pub(crate) between: u128,
}

impl Peak {
    pub(crate) fn bytes(self) -> u128 {
        self.results + self.between
    }
}

/// Work space of a step.
fn space(graph: &OpGraph, step: &Step) -> u128 {
    if let (Some(over), Some(&(output, _))) = (&step.over, step.outputs.first()) {
        return over.elements() as u128 * graph.tensor(output).dtype.size() as u128;
    }
    let kernels = step.kernels.iter().map(|kernel| match &kernel.work {
        Work::Contract(contraction) => contraction.work_space() as u128,
        // Chunks in which elements are computed: as small as caches.
        Work::Map(..) => 0,
        Work::Factorise(_, space) => *space as u128,
    });
    kernels.chain(step.sliced.iter().map(|sliced| sliced.work_space())).max().unwrap_or(0)
}

/// Bytes that are there while each step runs: results, what lies between, and the work space of the step.
pub(super) fn live(plan: &Plan) -> Vec<Live> {
    let bytes = |tensor: TensorId, len: usize| len as u128 * plan.graph.tensor(tensor).dtype.size() as u128;
    let between = |tensor: TensorId| matches!(plan.places.homes[tensor.0], Home::Piece(_));
    let mut now: u128 = plan.places.results.iter().map(|&(dtype, len)| len as u128 * dtype.size() as u128).sum();
    let mut sizes = vec![0; plan.graph.tensors().len()];
    let mut found = Vec::with_capacity(plan.steps.len());
    for step in &plan.steps {
        for &(tensor, len) in step.outputs.iter().filter(|(tensor, _)| between(*tensor)) {
            sizes[tensor.0] = bytes(tensor, len);
            now += if step.takes_over.is_some() { 0 } else { sizes[tensor.0] };
        }
        let inner = step.sliced.as_deref().map_or_else(Vec::new, |sliced| sliced.live().map(|part| now + part).collect());
        found.push(Live { bytes: now + space(&plan.graph, step), inner });
        let gone = step.release.iter().filter(|tensor| step.takes_over != Some(**tensor));
        now -= gone.map(|tensor| sizes[tensor.0]).sum::<u128>();
    }
    found
}

/// What a plan needs.
pub(super) fn peak(plan: &Plan) -> Peak {
    let bytes = |&(dtype, len): &(Dtype, usize)| len as u128 * dtype.size() as u128;
    let most = plan.steps.iter().map(|step| space(&plan.graph, step)).max().unwrap_or(0);
    // A tensor that is wanted twice is copied.
    let wanted = plan.places.counted(plan.graph.sinks());
    let results = plan.places.results.iter().zip(wanted).map(|(result, times)| bytes(result) * times as u128);
    Peak { results: results.sum(), between: plan.places.arenas.iter().map(bytes).sum::<u128>() + most }
}

/// What is to stay within a limit.
pub(super) trait Bounded {
    /// The bytes that it takes.
    fn bytes(&self) -> u128;
    /// The plan that takes most of them.
    fn plan(&self) -> &Plan;
    /// The most parts that one step is made in.
    fn parts(&self) -> f64;
    /// Has everything made that a device needs to run it; what it takes is known exactly then, and at least before.
    ///
    /// # Errors
    /// What of it does not compile, and what the device reports.
    fn make(&self, device: &dyn Device) -> Result<(), Error>;
}

impl Bounded for Plan {
    fn bytes(&self) -> u128 {
        peak(self).bytes()
    }

    fn plan(&self) -> &Plan {
        self
    }

    fn parts(&self) -> f64 {
        parts(self)
    }

    fn make(&self, device: &dyn Device) -> Result<(), Error> {
        make(device, &[self])
    }
}

/// The most parts that a step of a plan is made in.
pub(super) fn parts(plan: &Plan) -> f64 {
    plan.steps.iter().filter_map(|step| step.sliced.as_deref()).map(Slices::parts).fold(1.0, f64::max)
}

/// The plan of a graph for a context, within the context's limit.
///
/// # Errors
/// [`ErrorKind::Limit`] when no plan is, and as [`plan`].
pub(super) fn within(context: &Context, graph: OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    // The commonest of all: one product of two, of which nothing can be made but itself.
    if context.choices.memory.is_none() && is_optimal(&graph, &context.choices) {
        return plan(&*context.device, graph, layouts)?.made(&*context.device);
    }
    let graph = &graph;
    within_by(context, (graph, &[]), |begun, limited| plan(&*context.device, begun.optimize(limited)?, layouts))
}

/// The same of whatever has a plan, made of a graph by a context's choices: as it is where that fits, else without the intermediates of
/// factorised sums where that does, else in parts.
///
/// # Errors
/// As [`within`].
pub(super) fn within_by<M: Bounded>(
    Context { device, choices, .. }: &Context,
    (graph, is_kept): (&OpGraph, &[bool]),
    made: impl Fn(&Begun<'_>, Option<Limited<'_>>) -> Result<M, Error>,
) -> Result<M, Error> {
    let Some(allowed) = choices.memory else {
        let made = made(&Begun::new(graph, choices, is_kept)?, None)?;
        made.make(&**device)?;
        return Ok(made);
    };
    // What is kept from run to run takes memory, too.
    let keeps = is_kept.contains(&true);
    let mut all = vec![choices.clone()];
    for pass in [Some(Pass::Factorise), keeps.then_some(Pass::Hoist)].into_iter().flatten() {
        let last = all.last().expect("there is one");
        let next = Choices { without: last.without.and(pass), ..last.clone() };
        if next != *last {
            all.push(next);
        }
    }
    // All that asks for no limit is done once for each form, orders included: every try makes the same products.
    let begun = all.iter().map(|choices| Ok((Begun::new(graph, choices, is_kept)?, Vec::new())));
    let mut forms: Vec<(Begun<'_>, Vec<Path>)> = begun.collect::<Result<_, Error>>()?;
    let mut refusals: Vec<Error> = Vec::new();
    for is_whole in [true, false] {
        for (n, (begun, paths)) in forms.iter_mut().enumerate() {
            let mut limited =
                |elements: f64| fits(made(begun, Some(Limited { elements, paths: &mut *paths }))?, &**device, allowed);
            match if is_whole { limited(f64::INFINITY) } else { in_parts(allowed, limited) } {
                // A kernel that does not compile, or a device that is lost, is so in every form.
                Err(error) if !is_refusal(&error) => return Err(error),
                Ok(found) if found.parts() <= MOST_PARTS => return Ok(found),
                // What does not fit is what would be there as a whole.
                Ok(found) => refusals.push(refusals[n].clone().in_parts(found.parts())),
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    // What was refused in the smallest parts says what does not fit, but for what memory cannot even address.
    Err(refusals.pop().expect("every form was refused"))
}

/// Parts of a step at most: each takes some microseconds beside its arithmetic.
const MOST_PARTS: f64 = (1 << 20) as f64;

/// Whether an error says that a plan is too large, so that a smaller one may do.
fn is_refusal(error: &Error) -> bool {
    !matches!(error.kind(), ErrorKind::Kernel { .. } | ErrorKind::Device(_))
}

fn fits<M: Bounded>(made: M, device: &dyn Device, allowed: usize) -> Result<M, Error> {
    // For a plan that takes too much in any case nothing is made.
    if made.bytes() <= allowed as u128 {
        made.make(device)?;
    }
    if made.bytes() <= allowed as u128 { Ok(made) } else { Err(refused(made.plan(), allowed)) }
}

/// A plan that makes products in the largest parts that fit: fewer of them take less time.
fn in_parts<M>(allowed: usize, mut limited: impl FnMut(f64) -> Result<M, Error>) -> Result<M, Error> {
    // If the smallest parts do not do, nothing does.
    let (mut found, mut low, mut high) = (limited(0.0)?, 0, most(allowed));
    while low + 1 < high {
        let middle = (low + high) / 2;
        match limited(f64::from(middle)) {
            Ok(plan) => (found, low) = (plan, middle),
            Err(error) if !is_refusal(&error) => return Err(error),
            Err(_) => high = middle,
        }
    }
    Ok(found)
}

/// The logarithm of base 2 of more elements than so many bytes hold.
fn most(bytes: usize) -> u32 {
    usize::BITS - (bytes / size_of::<f32>()).leading_zeros() + 1
}

/// What does not fit in a plan that has nothing left to make smaller: the largest result, where the results alone are too much,
/// else the largest intermediate.
fn refused(plan: &Plan, allowed: usize) -> Error {
    let peak = peak(plan);
    let bytes = |tensor: TensorId| plan.graph.tensor(tensor).bytes();
    let largest = |is_result: bool| {
        let made = plan.graph.tensor_ids().filter(|&tensor| match plan.places.homes[tensor.0] {
            Home::Source(_) => false,
            Home::Result(_) => is_result,
            Home::Piece(_) => !is_result,
        });
        made.max_by_key(|&tensor| bytes(tensor))
    };
    let too_many = peak.results > allowed as u128;
    let between = if too_many { None } else { largest(false) };
    // Without intermediates it is the work space of a result that is too much.
    let tensor = between.or_else(|| largest(true)).expect("what needs memory has a tensor");
    Error::new(ErrorKind::Limit {
        labels: labels(&plan.graph, tensor),
        extents: plan.graph.tensor(tensor).extents.clone(),
        is_result: between.is_none(),
        bytes: bytes(tensor),
        needed: if too_many { peak.results } else { peak.bytes() },
        allowed: allowed as u128,
        parts: None,
    })
}

/// What the program calls the axes of a tensor; nothing where one of them has no name.
fn labels(graph: &OpGraph, tensor: TensorId) -> Vec<String> {
    let Some(producer) = graph.tensor(tensor).producer else { return Vec::new() };
    let made = graph.operation(producer).outputs.iter().find(|edge| edge.tensor == tensor);
    let name = |label| graph.label_name(producer, label).map(|(name, _)| name.to_string());
    made.and_then(|edge| edge.labels().into_iter().map(name).collect()).unwrap_or_default()
}
