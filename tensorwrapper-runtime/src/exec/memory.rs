//! Memory of a run: what a plan needs, and plans that stay within a limit.

use super::context::Context;
use super::places::Home;
use super::plan::{Plan, Step, Work, plan};
use crate::element::Dtype;
use crate::error::{Error, ErrorKind};
use crate::graph::{OpGraph, TensorId};
use crate::layout::Strided;
use crate::optimize::order::Path;
use crate::optimize::{Choices, Limited, Pass, optimize};

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
fn space(step: &Step) -> u128 {
    let kernels = step.kernels.iter().map(|kernel| match &kernel.work {
        Work::Contract(contraction) => contraction.work_space() as u128,
        Work::Map(..) | Work::Factorise(_) => 0,
    });
    kernels.chain(step.sliced.iter().map(|sliced| sliced.work_space())).max().unwrap_or(0)
}

/// Bytes that are there while each step runs: results, what lies between, and the work space of the step.
pub(super) fn live(plan: &Plan) -> Vec<u128> {
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
        found.push(now + space(step));
        let gone = step.release.iter().filter(|tensor| step.takes_over != Some(**tensor));
        now -= gone.map(|tensor| sizes[tensor.0]).sum::<u128>();
    }
    found
}

/// What a plan needs.
pub(super) fn peak(plan: &Plan) -> Peak {
    let bytes = |memory: &[(Dtype, usize)]| memory.iter().map(|&(dtype, len)| len as u128 * dtype.size() as u128).sum::<u128>();
    let most = plan.steps.iter().map(space).max().unwrap_or(0);
    // A tensor that is wanted twice is copied.
    let sinks = plan.graph.sinks();
    let copied = (0..sinks.len()).filter(|&n| sinks[..n].contains(&sinks[n])).map(|n| plan.graph.tensor(sinks[n]).bytes());
    Peak { results: bytes(&plan.places.results) + copied.sum::<u128>(), between: bytes(&plan.places.arenas) + most }
}

/// What is to stay within a limit.
pub(super) trait Bounded {
    /// The bytes that it takes.
    fn bytes(&self) -> u128;
    /// The plan that takes most of them.
    fn plan(&self) -> &Plan;
}

impl Bounded for Plan {
    fn bytes(&self) -> u128 {
        peak(self).bytes()
    }

    fn plan(&self) -> &Plan {
        self
    }
}

/// The plan of a graph for a context, within the context's limit.
///
/// # Errors
/// [`ErrorKind::Limit`] when no plan is, and as [`plan`].
pub(super) fn within(context: &Context, graph: &OpGraph, layouts: &[Strided]) -> Result<Plan, Error> {
    within_by(&context.choices, |choices, limited| plan(&*context.device, optimize(graph, choices, limited)?, layouts))
}

/// The same of whatever has a plan, made by these choices: as it is where that fits, else without the intermediates of factorised
/// sums where that does, else in parts.
///
/// # Errors
/// As [`within`].
pub(super) fn within_by<M: Bounded>(
    choices: &Choices,
    made: impl Fn(&Choices, Option<Limited<'_>>) -> Result<M, Error>,
) -> Result<M, Error> {
    let Some(allowed) = choices.memory else { return made(choices, None) };
    let plain = Choices { without: choices.without.and(Pass::Factorise), ..choices.clone() };
    let forms = if plain == *choices { vec![choices] } else { vec![choices, &plain] };
    // Orders are searched once for each form: both tries make the same products.
    let mut forms: Vec<(&Choices, Vec<Path>)> = forms.into_iter().map(|choices| (choices, Vec::new())).collect();
    let mut refusals = Vec::new();
    for is_whole in [true, false] {
        for (choices, paths) in &mut forms {
            let mut limited = |elements: f64| fits(made(choices, Some(Limited { elements, paths: &mut *paths }))?, allowed);
            match if is_whole { limited(f64::INFINITY) } else { in_parts(allowed, limited) } {
                Ok(found) => return Ok(found),
                Err(refusal) => refusals.push(refusal),
            }
        }
    }
    // What was refused in the smallest parts says what does not fit, but for what memory cannot even address.
    Err(refusals.pop().expect("every form was refused"))
}

fn fits<M: Bounded>(made: M, allowed: usize) -> Result<M, Error> {
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
        extents: plan.graph.tensor(tensor).extents.clone(),
        is_result: between.is_none(),
        bytes: bytes(tensor),
        needed: if too_many { peak.results } else { peak.bytes() },
        allowed: allowed as u128,
    })
}
