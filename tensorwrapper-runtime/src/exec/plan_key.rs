//! The keys by which plans are kept: everything that decides how a call is computed, except the elements of its operands.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_notation::Use;
use tensorwrapper_notation::syntax::Hole;

use super::context::Context;
use super::passes::Passes;
use super::plan::Plan;
use super::run::Computed;
use crate::expr::Target;
use crate::lower::SourceTensor;
use crate::optimize::Choices;
use crate::tensor::{AnyTensor, Tensor as Dense};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::InstanceKey;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::Structure;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::storage::SliceRef;

/// A number inside an equation that is not an element: a position, a range or an exponent.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// A position or an extent.
    Count(usize),
    /// An extent, and how labels of that extent are cut.
    Cut(Tiling),
    /// The first index of a range, and the one after its last.
    Range(usize, Option<usize>),
    /// The exponent of `powi`.
    Whole(i32),
    /// The exponent of `powf`.
    Real(f64),
}

impl Number {
    /// An extent or a position.
    pub(crate) fn count(&self) -> usize {
        match self {
            Number::Count(count) => *count,
            Number::Cut(tiling) => tiling.extent(),
            other => unreachable!("a position was passed as {other:?}"),
        }
    }

    /// A cut, if it is one.
    pub(crate) fn cut(&self) -> Option<&Tiling> {
        if let Number::Cut(tiling) = self { Some(tiling) } else { None }
    }

    /// The first index of a range, and the one after its last.
    pub(crate) fn range(&self) -> (usize, Option<usize>) {
        match self {
            Number::Range(start, end) => (*start, *end),
            other => unreachable!("a range was passed as {other:?}"),
        }
    }

    /// The exponent of `powi`.
    pub(crate) fn whole(&self) -> i32 {
        match self {
            Number::Whole(exponent) => *exponent,
            other => unreachable!("an exponent was passed as {other:?}"),
        }
    }

    /// The exponent of `powf`.
    pub(crate) fn real(&self) -> f64 {
        match self {
            Number::Real(exponent) => *exponent,
            other => unreachable!("an exponent was passed as {other:?}"),
        }
    }
}

/// The value of a hole, among those of its equation that are passed in the same list.
pub(crate) fn listed<'l, V>(values: &'l [V], holes: &[(&Hole, Use)], hole: &Hole, is_listed: impl Fn(Use) -> bool) -> &'l V {
    let mut listed = holes.iter().filter(|(_, role)| is_listed(*role));
    &values[listed.position(|(known, _)| known.span == hole.span).expect("the equation lists its holes")]
}

/// The position, range or exponent that a hole is.
pub(crate) fn listed_number<'l>(numbers: &'l [Number], holes: &[(&Hole, Use)], hole: &Hole) -> &'l Number {
    listed(numbers, holes, hole, |role| !matches!(role, Use::Tensor | Use::Scalar | Use::Function))
}

/// The key of a plan.
#[derive(Debug)]
pub(crate) struct PlanKey {
    settings: Settings,
    equations: Equations,
    operands: Vec<OperandKey>,
}

/// What of a context decides how something is planned.
#[derive(Debug)]
struct Settings {
    backend: InstanceKey,
    choices: Choices,
    passes: Passes,
}

/// The equations that are computed.
#[derive(Debug)]
pub(crate) enum Equations {
    /// Subscripts over operands of this element type.
    Subscripts(Box<str>, Dtype),
    /// The equations of one place in the program, with the values that they take in addition to tensors.
    Calls(Vec<CallKey>),
}

/// The values that one equation takes in addition to tensors.
#[derive(Clone, Debug)]
pub(crate) struct CallKey {
    pub(crate) dtype: Dtype,
    /// Element types inside of its casts.
    pub(crate) casts: Vec<Dtype>,
    /// Its scalars, those that are plain numbers.
    pub(crate) scalars: Vec<Option<Complex<f64>>>,
    pub(crate) numbers: Vec<Number>,
}

/// What is known of an operand.
#[derive(Debug)]
struct OperandKey {
    dtype: Dtype,
    structure: Structure,
    layout: Strided,
}

impl OperandKey {
    fn dense(dtype: Dtype, layout: Strided) -> OperandKey {
        OperandKey { dtype, structure: Structure::Dense, layout }
    }

    /// Whether an operand has this element type, structure and layout.
    #[inline]
    fn is(&self, (data, layout): &Tensor<'_, '_>) -> bool {
        self.dtype == data.dtype() && self.structure == Structure::Dense && self.layout.is_like(layout)
    }
}

/// The elements of a dense operand, and their layout.
pub(crate) type Tensor<'t, 'a> = (SliceRef<'a>, &'t Strided);

impl PlanKey {
    /// The key of equations over these operands in a context.
    pub(crate) fn new(context: &Context, equations: Equations, operands: impl Iterator<Item = (Dtype, Strided)>) -> PlanKey {
        let Context { backend, choices, passes, .. } = context;
        let settings = Settings { backend: backend.key(), choices: choices.clone(), passes: passes.clone() };
        PlanKey { settings, equations, operands: operands.map(|(dtype, layout)| OperandKey::dense(dtype, layout)).collect() }
    }

    /// Whether it is of such a context.
    #[inline]
    pub(crate) fn is_of(&self, context: &Context) -> bool {
        let Settings { backend, choices, passes } = &self.settings;
        *backend == context.backend.key() && *choices == context.choices && *passes == context.passes
    }

    /// Whether it is of these subscripts over such operands, which may begin elsewhere in memory.
    #[inline]
    pub(super) fn is_of_subscripts(&self, subscripts: &str, dtype: Dtype, tensors: &[Tensor<'_, '_>]) -> bool {
        let Equations::Subscripts(own, known) = &self.equations else { return false };
        let operands = || self.operands.iter().zip(tensors);
        *known == dtype
            && **own == *subscripts
            && self.operands.len() == tensors.len()
            && operands().all(|(known, (_, layout))| known.layout.steps_like(layout))
    }

    /// Whether its equations take the same values in addition to tensors. Numbers are compared bit by bit, so that NaN equals
    /// itself and -0 differs from 0.
    #[inline]
    pub(crate) fn is_of_calls<'c>(
        &self,
        mut calls: impl Iterator<Item = (Dtype, &'c [Dtype], impl Iterator<Item = Option<Complex<f64>>>, &'c [Number])>,
    ) -> bool {
        let Equations::Calls(known) = &self.equations else { return false };
        known
            .iter()
            .all(|call| calls.next().is_some_and(|(dtype, casts, scalars, numbers)| call.is(dtype, casts, scalars, numbers)))
    }

    /// Whether its operands have the same element types, extents, strides and offsets as these.
    #[inline]
    fn is_of_operands(&self, tensors: &[Tensor<'_, '_>]) -> bool {
        tensors.len() == self.operands.len() && self.operands.iter().zip(tensors).all(|(known, tensor)| known.is(tensor))
    }

    /// The layouts of the operands.
    pub(super) fn layouts(&self) -> impl ExactSizeIterator<Item = &Strided> {
        self.operands.iter().map(|operand| &operand.layout)
    }

    /// The name of the equations in messages: the subscripts, if there are any.
    pub(super) fn text(&self) -> &str {
        match &self.equations {
            Equations::Subscripts(text, _) => text,
            Equations::Calls(_) => "an equation",
        }
    }
}

/// The hash by which keys of subscripts are found, of what [`PlanKey::is_of`] and [`PlanKey::is_of_subscripts`] compare.
pub(super) fn hash(hasher: &mut impl Hasher, context: &Context, (subscripts, dtype): (&str, Dtype), tensors: &[Tensor<'_, '_>]) {
    (subscripts, dtype, context.backend.key(), &context.choices, &context.passes).hash(hasher);
    for (_, layout) in tensors {
        // One word an axis: what this mixes up is told apart by comparison.
        let axes = layout.extents().iter().zip(layout.strides());
        axes.for_each(|(&extent, &stride)| hasher.write_u64((extent as u64).rotate_left(32) ^ stride as u64));
    }
}

impl CallKey {
    #[inline]
    fn is(&self, dtype: Dtype, casts: &[Dtype], scalars: impl Iterator<Item = Option<Complex<f64>>>, numbers: &[Number]) -> bool {
        let bits = |scalar: Option<Complex<f64>>| scalar.map(|value| (value.re.to_bits(), value.im.to_bits()));
        self.dtype == dtype
            && self.casts == casts
            && self.scalars.iter().map(|&scalar| bits(scalar)).eq(scalars.map(bits))
            && self.numbers == numbers
    }
}

/// The most elements of a constant that a kept plan keeps: planning larger equations anew takes little beside computing them.
const MOST_OF_CONSTANT: usize = 1 << 14;

/// A plan that is kept, and its key.
#[derive(Debug)]
pub(crate) struct KeptPlan {
    pub(crate) key: PlanKey,
    pub(crate) plan: Plan,
    sources: Vec<Origin>,
    /// Where each write goes; what is written is the first of the plan's results.
    pub(crate) writes: Vec<Target>,
    /// How each two operands of the key share elements, if the plan depends on it.
    sharings: Option<Vec<Sharing>>,
}

/// Where a source of a kept plan is in every run.
#[derive(Debug)]
enum Origin {
    /// The operands of the key that are this source. The first one is read. An empty list means that no operand is the source; such a plan
    /// is never used again.
    Operands(SmallVec<[usize; 2]>),
    /// Made of extents alone, and so the same for every run.
    Constant(Arc<AnyTensor>),
}

/// How two operands share elements. A derivative by one of them is one by the other where they are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sharing {
    Apart,
    Overlapping,
    Same,
}

/// How each two operands share elements.
fn sharings(tensors: &[Tensor<'_, '_>]) -> Vec<Sharing> {
    let pairs = (0..tensors.len()).flat_map(|n| (0..n).map(move |before| (before, n)));
    let sharing = |(a, b): (usize, usize)| match (&tensors[a], &tensors[b]) {
        ((a, own), (b, others)) if a.is_same(b) && own == others => Sharing::Same,
        ((a, _), (b, _)) if a.overlaps(b) => Sharing::Overlapping,
        _ => Sharing::Apart,
    };
    pairs.map(sharing).collect()
}

/// The sources of a call. Short lists need no allocation, so that small calls are fast.
pub(crate) type Sources<'a> = SmallVec<[SliceRef<'a>; 6]>;

impl KeptPlan {
    /// A plan whose sources are the operands of its key, in their order.
    pub(super) fn in_order(key: PlanKey, plan: Plan) -> KeptPlan {
        let sources = (0..key.operands.len()).map(|n| Origin::Operands(SmallVec::from_slice(&[n]))).collect();
        KeptPlan { key, plan, sources, writes: Vec::new(), sharings: None }
    }

    /// A plan that reads `sources`, which are among the operands of its key.
    pub(crate) fn new(
        key: PlanKey,
        plan: Plan,
        writes: Vec<Target>,
        sources: &[SourceTensor<'_>],
        tensors: &[Tensor<'_, '_>],
    ) -> KeptPlan {
        // By their elements alone: an axis that the equation splits lies otherwise in the source than in the tensor.
        let origin =
            |source: &SourceTensor<'_>| match source.constant().filter(|tensor| tensor.erase().data.len() <= MOST_OF_CONSTANT) {
                Some(constant) => Origin::Constant(Arc::clone(constant)),
                None => Origin::Operands((0..tensors.len()).filter(|&n| source.data().is_same(&tensors[n].0)).collect()),
            };
        KeptPlan { key, plan, writes, sources: sources.iter().map(origin).collect(), sharings: None }
    }

    /// The plan for operands that share elements as these do.
    pub(crate) fn for_sharing(self, tensors: &[Tensor<'_, '_>]) -> KeptPlan {
        KeptPlan { sharings: Some(sharings(tensors)), ..self }
    }

    /// Whether operands share elements as the plan needs it.
    #[inline]
    pub(crate) fn is_of_sharing(&self, tensors: &[Tensor<'_, '_>]) -> bool {
        self.sharings.as_ref().is_none_or(|known| *known == sharings(tensors))
    }

    /// The sources of the plan among the operands of a call, without those that the plan [keeps](KeptPlan::with_constants); `None` if the
    /// operands have other layouts than in the key, or if operands that were the same tensor now differ.
    #[inline]
    pub(crate) fn sources<'a>(&self, tensors: &[Tensor<'_, 'a>]) -> Option<Sources<'a>> {
        if !self.key.is_of_operands(tensors) {
            return None;
        }
        let mut sources = Sources::new();
        for origin in &self.sources {
            let Origin::Operands(same) = origin else { continue };
            let (&first, others) = same.split_first()?;
            let first = tensors[first].0;
            if !others.iter().all(|&n| tensors[n].0.is_same(&first)) {
                return None;
            }
            sources.push(first);
        }
        Some(sources)
    }

    /// All sources of a run, where the plan keeps some of them beside those among the operands.
    pub(crate) fn with_constants<'s>(&'s self, given: &[SliceRef<'s>]) -> Option<Sources<'s>> {
        if given.len() == self.sources.len() {
            return None;
        }
        let mut given = given.iter().copied();
        let source = |origin: &'s Origin| match origin {
            Origin::Operands(_) => given.next().expect("there is one for each source among the operands"),
            Origin::Constant(tensor) => tensor.erase().data,
        };
        Some(self.sources.iter().map(source).collect())
    }

    /// The result of a run of a plan with one result, as a tensor.
    #[inline]
    pub(super) fn result<T: Numeric>(&self, mut computed: Computed) -> Dense<T> {
        let computed = computed.pop();
        let elements = computed.and_then(|buffer| T::of_buffer(buffer).ok()).expect("the plan has one result, of this type");
        Dense::from_parts(elements, self.plan.results[0].clone())
    }

    /// The memory of operands that differ from those of the key only in their offsets, starting at their first element.
    #[inline]
    pub(super) fn beginnings<'a>(&self, tensors: &[Tensor<'_, 'a>]) -> Sources<'a> {
        let mut sources = Sources::new();
        for ((data, layout), known) in tensors.iter().zip(self.key.layouts()) {
            sources.push(beginning(*data, layout, known));
        }
        sources
    }
}

/// The memory of an operand from its lowest position on, where one that steps as it does begins with its first.
#[inline]
pub(super) fn beginning<'a>(data: SliceRef<'a>, layout: &Strided, known: &Strided) -> SliceRef<'a> {
    data.after(layout.offset().saturating_sub(known.offset()))
}
