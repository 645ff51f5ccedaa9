//! Plans that are kept: what was planned once for operands of these types, extents and strides is run again without
//! planning.

use std::sync::{Arc, Mutex, PoisonError};

use num_complex::Complex;
use smallvec::SmallVec;

use super::context::Context;
use super::plan::Plan;
use crate::expr::Target;
use crate::lower::Given as Source;
use crate::optimize::Choices;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::erased::SliceRef;
use tensorwrapper_core::layout::Strided;

/// A number inside an equation that is no element: a position, a range, an exponent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A position or an extent.
    Count(usize),
    /// The first index of a range, and the one after its last.
    Range(usize, Option<usize>),
    /// The exponent of `powi`.
    Whole(i32),
    /// The exponent of `powf`.
    Real(f64),
}

/// Everything but the elements that decides what is run.
#[derive(Debug)]
pub(crate) struct Key {
    /// What the device is, which need not be the one that the plan was made with.
    pub(crate) device: (&'static str, usize),
    pub(crate) choices: Choices,
    pub(crate) tensors: Vec<(Dtype, Strided)>,
    /// What each equation takes beside tensors.
    pub(crate) calls: Vec<CallKey>,
}

/// What one equation takes beside tensors.
#[derive(Clone, Debug)]
pub(crate) struct CallKey {
    pub(crate) dtype: Dtype,
    /// Element types inside of its casts.
    pub(crate) casts: Vec<Dtype>,
    /// Its scalars, those that are plain numbers.
    pub(crate) scalars: Vec<Option<Complex<f64>>>,
    pub(crate) numbers: Vec<Number>,
}

impl CallKey {
    /// Whether an equation takes the same. Numbers are compared bit by bit, so that NaN is itself and -0 is not 0.
    fn is(&self, dtype: Dtype, casts: &[Dtype], scalars: impl Iterator<Item = Option<Complex<f64>>>, numbers: &[Number]) -> bool {
        let bits = |scalar: Option<Complex<f64>>| scalar.map(|value| (value.re.to_bits(), value.im.to_bits()));
        self.dtype == dtype
            && self.casts == casts
            && self.scalars.iter().map(|&scalar| bits(scalar)).eq(scalars.map(bits))
            && self.numbers == numbers
    }
}

/// A plan, and where its results go.
#[derive(Debug)]
pub(crate) struct Ready {
    pub(crate) plan: Plan,
    /// Where each write goes; what is written is the first of the plan's results.
    pub(crate) writes: Vec<Target>,
}

/// A plan and what it was made for.
#[derive(Debug)]
pub(crate) struct KeptPlan {
    key: Key,
    ready: Arc<Ready>,
    /// For each source of the plan the tensors of the key that it is, the first of which is read.
    sources: Vec<Vec<usize>>,
}

/// Tensors of a call, few enough to need no memory of their own where the call is to be quick.
pub(crate) type Sources<'a> = SmallVec<[SliceRef<'a>; 6]>;

impl KeptPlan {
    /// Keeps a plan that reads `sources`, which are among `tensors`.
    pub(crate) fn new(key: Key, ready: Arc<Ready>, sources: &[Source<'_>], tensors: &[(SliceRef<'_>, &Strided)]) -> KeptPlan {
        // By their elements alone: an axis that the equation splits lies otherwise in the source than in the tensor.
        let is = |source: &Source<'_>| (0..tensors.len()).filter(|&n| source.data().is_same(&tensors[n].0)).collect();
        KeptPlan { key, ready, sources: sources.iter().map(is).collect() }
    }

    /// Whether it was made for this context and these numbers.
    pub(crate) fn is_for<'c>(
        &self,
        context: &Context,
        mut calls: impl Iterator<Item = (Dtype, &'c [Dtype], impl Iterator<Item = Option<Complex<f64>>>, &'c [Number])>,
    ) -> bool {
        self.key.device == context.device.identity()
            && self.key.choices == context.choices
            && self
                .key
                .calls
                .iter()
                .all(|call| calls.next().is_some_and(|(dtype, casts, scalars, numbers)| call.is(dtype, casts, scalars, numbers)))
    }

    /// The sources of the plan among the tensors of a call, if these lie as those it was made for: element types, extents
    /// and strides are the same, and tensors that were one are one.
    pub(crate) fn sources<'a>(&self, tensors: &[(SliceRef<'a>, &Strided)]) -> Option<Sources<'a>> {
        let lies_so = |((dtype, known), (data, layout)): (&(Dtype, Strided), &(SliceRef<'_>, &Strided))| {
            *dtype == data.dtype() && known.is_like(layout)
        };
        if tensors.len() != self.key.tensors.len() || !self.key.tensors.iter().zip(tensors).all(lies_so) {
            return None;
        }
        let mut sources = Sources::new();
        for same in &self.sources {
            let (&first, others) = same.split_first()?;
            let first = tensors[first].0;
            if !others.iter().all(|&n| tensors[n].0.is_same(&first)) {
                return None;
            }
            sources.push(first);
        }
        Some(sources)
    }
}

/// The plans of one place in a program.
#[derive(Debug)]
pub(crate) struct Kept {
    plans: Mutex<Vec<KeptPlan>>,
}

/// Plans that one place keeps; another pushes out the oldest.
const MOST: usize = 4;

impl Kept {
    /// No plan.
    pub(crate) const fn new() -> Kept {
        Kept { plans: Mutex::new(Vec::new()) }
    }

    /// The first plan that an answer is found for.
    pub(crate) fn find<R>(&self, fits: impl Fn(&KeptPlan) -> Option<R>) -> Option<(Arc<Ready>, R)> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().find_map(|plan| fits(plan).map(|answer| (Arc::clone(&plan.ready), answer)))
    }

    /// Keeps one more.
    pub(crate) fn add(&self, plan: KeptPlan) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        if plans.len() == MOST {
            plans.remove(0);
        }
        plans.push(plan);
    }
}
