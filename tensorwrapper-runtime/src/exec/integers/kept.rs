//! The plans of the equations of one place in a program, which are kept for operands of the same extents.

use std::sync::Arc;

use super::known::KnownIntegers;
use super::plan::{IntegerPlan, IntegerSource};
use crate::exec::context::Context;
use crate::exec::plan_key::{CallKey, Equations, Number, PlanKey};
use crate::expr::{OperandData, Target};
use crate::lower::SourceTensor;
use crate::tensor::AnyTensor;
use tensorwrapper_core::element::Dtype;

/// The plans of the equations of a run, one after the other, and what they were made for.
#[derive(Debug)]
pub(crate) struct KeptIntegers {
    key: PlanKey,
    /// The extents of each tensor of the program, and whether it holds truth values.
    tensors: Vec<(bool, Vec<usize>)>,
    pub(crate) steps: Vec<KeptStep>,
}

/// The plan of one equation.
#[derive(Debug)]
pub(crate) struct KeptStep {
    pub(crate) plan: IntegerPlan,
    pub(crate) sources: Vec<SourcePlace>,
    /// Where the result is written, if it is.
    pub(crate) target: Option<Target>,
}

/// Where each run finds a source.
#[derive(Debug)]
pub(crate) enum SourcePlace {
    /// Among the integers that are known, by number.
    Integers(usize),
    /// Truth values, by the number of their tensor.
    Truth(usize),
    /// The same in each run: values of an index.
    Same(Arc<AnyTensor>),
}

/// Extents of a tensor of a run, and whether it holds truth values; `None` for what no plan is kept for.
fn kind<'t>(tensor: &'t OperandData<'_>) -> Option<(bool, &'t [usize])> {
    match tensor {
        OperandData::Integers(_, layout) => Some((false, layout.extents())),
        OperandData::Truth(_, layout) => Some((true, layout.extents())),
        OperandData::Recorded(_) | OperandData::Elements(..) | OperandData::Inline(..) | OperandData::Blocks(_) => None,
    }
}

impl KeptIntegers {
    /// Plans for these tensors in a context; `None` where an operand has a structure of its own.
    pub(crate) fn new<'t, 'a: 't>(
        context: &Context,
        calls: Vec<CallKey>,
        tensors: impl Iterator<Item = &'t OperandData<'a>>,
        steps: Vec<KeptStep>,
    ) -> Option<KeptIntegers> {
        let tensors = tensors.map(|tensor| kind(tensor).map(|(is_truth, extents)| (is_truth, extents.to_vec())));
        let tensors = tensors.collect::<Option<_>>()?;
        Some(KeptIntegers { key: PlanKey::new(context, Equations::Calls(calls), std::iter::empty()), tensors, steps })
    }

    /// Whether they are for a run in this context, over such tensors, with these numbers.
    pub(crate) fn are_for<'c, 't, 'a: 't>(
        &self,
        context: &Context,
        calls: impl Iterator<Item = (Dtype, &'c [Dtype], usize, &'c [Number])>,
        mut tensors: impl Iterator<Item = &'t OperandData<'a>>,
    ) -> bool {
        // The values of scalars are integers that are known, and no part of a plan.
        let calls = calls.map(|(dtype, casts, scalars, numbers)| (dtype, casts, std::iter::repeat_n(None, scalars), numbers));
        let is_like = |(is_truth, extents): &(bool, Vec<usize>)| {
            tensors.next().and_then(kind).is_some_and(|tensor| tensor == (*is_truth, extents))
        };
        self.key.is_of(context) && self.tensors.iter().all(is_like) && self.key.is_of_calls(calls)
    }
}

impl SourcePlace {
    /// Where later runs find a source, which is one of these integers, of these truth values, or made of an extent.
    pub(crate) fn of(
        source: &SourceTensor<'_>,
        known: &[KnownIntegers<'_>],
        truth: &[Option<Arc<AnyTensor>>],
    ) -> Option<SourcePlace> {
        let (SourceTensor::Computed(tensor, _) | SourceTensor::Constant(tensor, _)) = source else { return None };
        let is_own = |truth: &Option<Arc<AnyTensor>>| truth.as_ref().is_some_and(|truth| Arc::ptr_eq(truth, tensor));
        Some(match (known.iter().position(|known| known.is_recorded_as(tensor)), truth.iter().position(is_own)) {
            (Some(n), _) => SourcePlace::Integers(n),
            (None, Some(n)) => SourcePlace::Truth(n),
            (None, None) => SourcePlace::Same(Arc::clone(tensor)),
        })
    }

    /// The source in a run over these.
    pub(crate) fn source<'s>(&'s self, known: &'s [KnownIntegers<'s>], truth: &'s [Option<Arc<AnyTensor>>]) -> IntegerSource<'s> {
        let truth = |n: usize| truth[n].as_ref().unwrap_or_else(|| unreachable!("this tensor holds truth values"));
        match self {
            SourcePlace::Integers(n) => IntegerSource::Integers(&known[*n]),
            SourcePlace::Truth(n) => IntegerSource::Rounded(truth(*n).erase().data),
            SourcePlace::Same(tensor) => IntegerSource::Rounded(tensor.erase().data),
        }
    }
}
