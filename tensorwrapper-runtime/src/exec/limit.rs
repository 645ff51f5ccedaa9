//! Finds plans within a memory limit. Products that do not fit as a whole are computed in parts.
//!
//! A graph is planned and the memory of the plan is counted. If it is too much, intermediates that wait for late readers are computed
//! again (`optimize/again.rs`); if that does not do, `pairwise` splits products of three and more
//! factors into the largest parts that fit. Such a product becomes one operation, `Sliced`, with a graph of its own as its
//! body; work that does not depend on a cut label stays outside of it. A product that would need more than about a million
//! parts (2²⁰) is refused.

use super::kernel_requests::make;
use super::memory::{parts, peak};
use super::plan::{Location, Plan};
use crate::optimize::{Choices, Limited, Pass, PassPipeline};
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::graph::{OpGraph, TensorId};
use tensorwrapper_order::internal::Path;

/// One or several plans that together must stay within a memory limit.
pub(super) trait Bounded {
    /// The bytes that a run takes.
    fn bytes(&self) -> u128;
    /// The plan that takes most of these bytes.
    fn plan(&self) -> &Plan;
    /// The most parts that one step is made in.
    fn parts(&self) -> f64;
    /// Lets a device make everything that the plans need to run. Only afterwards `bytes` is exact; before, it is a lower bound.
    ///
    /// # Errors
    /// A kernel that does not compile, and what the device reports.
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

/// Makes plans of a graph within the memory limit of a context's choices. It tries whole graphs first: with all passes, then
/// without factorisation and, if results are kept from run to run, also without hoisting. Then it tries the same graphs with
/// intermediates that are computed again, with products in parts, and with both.
///
/// # Errors
/// [`ErrorKind::Limit`] when nothing fits, and what planning reports.
pub(super) fn within<M: Bounded>(
    (device, choices): (&dyn Device, &Choices),
    (graph, is_kept): (&OpGraph, &[bool]),
    made: impl Fn(&PassPipeline<'_>, Option<Limited<'_>>) -> Result<M, Error>,
) -> Result<M, Error> {
    let Some(allowed) = choices.memory else {
        let made = made(&PassPipeline::new(graph, choices, is_kept)?, None)?;
        made.make(device)?;
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
    let begun = all.iter().map(|choices| Ok((PassPipeline::new(graph, choices, is_kept)?, Vec::new())));
    let mut forms: Vec<(PassPipeline<'_>, Vec<Path>)> = begun.collect::<Result<_, Error>>()?;
    let mut refusals: Vec<Error> = Vec::new();
    for way in Way::ALL.into_iter().filter(|way| choices.without.makes(Pass::Again) || !way.again()) {
        for (n, (begun, paths)) in forms.iter_mut().enumerate() {
            let mut limited = |elements: f64, again: Option<f64>| {
                fits(made(begun, Some(Limited { elements, again, paths: &mut *paths }))?, device, allowed)
            };
            let found = match way {
                Way::Whole => limited(f64::INFINITY, None),
                Way::Again => with_less(allowed, |bytes| limited(f64::INFINITY, Some(bytes))),
                Way::Parts => in_parts(allowed, |elements| limited(elements, None)),
                Way::PartsAgain => in_parts(allowed, |elements| limited(elements, Some(allowed as f64))),
            };
            match found {
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

/// The ways to make a plan of a graph, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Whole,
    Again,
    Parts,
    PartsAgain,
}

impl Way {
    const ALL: [Way; 4] = [Way::Whole, Way::Again, Way::Parts, Way::PartsAgain];

    /// Whether intermediates are computed again.
    fn again(self) -> bool {
        matches!(self, Way::Again | Way::PartsAgain)
    }
}

/// The shares of the limit that intermediates are first made for: work space, and the gaps between tensors in memory, come on top.
const SHARES: [f64; 5] = [1.0, 0.9, 0.8, 0.65, 0.5];

/// A plan in which intermediates are computed again, as few as possible.
fn with_less<M>(allowed: usize, mut limited: impl FnMut(f64) -> Result<M, Error>) -> Result<M, Error> {
    let mut refusal = None;
    for share in SHARES {
        match limited(allowed as f64 * share) {
            // A smaller share that changes nothing more finds nothing.
            Err(error) if is_refusal(&error) && refusal.as_ref() == Some(&error) => break,
            Err(error) if is_refusal(&error) => refusal = Some(error),
            found => return found,
        }
    }
    Err(refusal.expect("there are shares"))
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
        if plan.whole.is_some() {
            return plan.graph.sinks().iter().copied().filter(|_| is_result).max_by_key(|&tensor| bytes(tensor));
        }
        let made = plan.graph.tensor_ids().filter(|&tensor| match plan.buffers.locations[tensor.0] {
            Location::Source(_) => false,
            Location::Result(_) => is_result,
            Location::Arena(_) => !is_result,
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
