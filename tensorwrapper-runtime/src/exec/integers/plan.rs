//! The plan of equations over integers: all that does not depend on their elements. It must not know where its sources come from.

use std::sync::{Arc, OnceLock};

use super::known::{Exact, KnownIntegers};
use super::{bounds, direct, exact, largest};
use crate::exec::compile::{compile, tensors};
use crate::exec::context::Context;
use crate::exec::passes::Passes;
use crate::exec::plan::Plan;
use crate::exec::run::{Execution, ResultPlacement};
use crate::expr::{Integers, Value, exact as in_64_bits};
use crate::link::Link;
use crate::lower::{Lowered, SourceTensor, lower};
use crate::optimize::{Pass, PassPipeline};
use crate::tensor::extend_from;
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Owned, SliceRef};

/// What recorded values over integers are computed with, in any of the ways that there are.
#[derive(Debug)]
pub(crate) struct IntegerPlan {
    /// As lowered, which bounds are found for: they hold in every order of sums and products.
    lowered: OpGraph,
    /// After the passes that neither divide nor join numbers, for loops over integers.
    optimized: OpGraph,
    layouts: Vec<Strided>,
    /// The steps of a device, once double precision was found to hold everything.
    steps: OnceLock<Plan>,
}

/// A source of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IntegerSource<'s> {
    /// Integers of any size.
    Integers(&'s KnownIntegers<'s>),
    /// Whole numbers that a number of the device holds: truth values, and values of indices.
    Rounded(SliceRef<'s>),
}

impl IntegerPlan {
    /// The plan for recorded values, and the tensors that they read.
    ///
    /// # Errors
    /// What passes report.
    pub(crate) fn new<'a>(context: &Context, values: &[Link<Value<'a>>]) -> Result<(IntegerPlan, Vec<SourceTensor<'a>>), Error> {
        let Lowered { graph: lowered, sources, .. } = lower(values);
        let optimized = PassPipeline::new(&lowered, &that_keeps_digits(context).choices, &[])?.optimize(None)?;
        let layouts = sources.iter().map(|source| source.layout().clone()).collect();
        Ok((IntegerPlan { lowered, optimized, layouts, steps: OnceLock::new() }, sources))
    }

    /// Computes the values from such sources.
    ///
    /// # Errors
    /// Memory, reductions over nothing, and what the device reports.
    pub(crate) fn run(&self, context: &Context, sources: &[IntegerSource<'_>]) -> Result<Vec<Integers>, Error> {
        if !is_watched(context)
            && let Some(made) = direct::evaluate(&self.optimized, &|slot| sources[slot].as_they_lie())?
        {
            return Ok(vec![Integers::Exact(Arc::new(made))]);
        }
        if bounds::fit(&self.lowered, sources.iter().map(IntegerSource::largest)) {
            return self.in_double_precision(context, sources);
        }
        let numbers = sources.iter().zip(&self.layouts).map(|(source, layout)| source.numbers(layout));
        let numbers: Vec<Owned<i64>> = numbers.collect::<Result<_, _>>()?;
        Ok(exact::evaluate(&self.optimized, &numbers)?.into_iter().map(|exact| Integers::Exact(Arc::new(exact))).collect())
    }

    /// What computes the values, in a few words.
    pub(super) fn computed_by(&self, context: &Context) -> &'static str {
        match direct::program(&self.optimized).filter(|_| !is_watched(context)) {
            Some(_) => "as they lie, by a loop on the host",
            None => "in double precision where it holds all of them, else on the host in 64 bits",
        }
    }

    fn in_double_precision(&self, context: &Context, sources: &[IntegerSource<'_>]) -> Result<Vec<Integers>, Error> {
        let plan = match self.steps.get() {
            Some(plan) => plan,
            None => {
                let plan = compile(&that_keeps_digits(context), self.lowered.clone(), &self.layouts)?;
                self.steps.get_or_init(|| plan)
            }
        };
        let data: Vec<SliceRef<'_>> = sources.iter().map(IntegerSource::rounded).collect::<Result<_, _>>()?;
        let computed = Execution::new(plan, &context.backend, &context.observer).run(&data, ResultPlacement::Host)?;
        Ok(tensors(computed, plan).into_iter().map(|tensor| Integers::Double(Arc::new(tensor))).collect())
    }
}

/// Whether a context reports, can be cancelled or counts memory, which it does for the steps of a plan.
fn is_watched(context: &Context) -> bool {
    context.choices.memory.is_some() || !context.observer.is_idle()
}

/// A context without the passes that divide and join numbers, and without those of the program, which may do anything.
fn that_keeps_digits(context: &Context) -> Context {
    let context = [Pass::Constants, Pass::Cse, Pass::Factorise].into_iter().fold(context.clone(), Context::without);
    Context { passes: Passes::default(), ..context }
}

impl<'s> IntegerSource<'s> {
    /// A tensor that recorded values read, which may be one of these.
    pub(crate) fn of(source: &'s SourceTensor<'_>, known: &'s [KnownIntegers<'s>]) -> IntegerSource<'s> {
        let own =
            |known: &&KnownIntegers<'_>| matches!(source, SourceTensor::Computed(tensor, _) if known.is_recorded_as(tensor));
        let known = known.iter().find(own);
        debug_assert!(known.is_none() || source.layout().is_row_major(), "a recording reads computed tensors whole");
        known.map_or_else(|| IntegerSource::Rounded(source.data()), IntegerSource::Integers)
    }

    /// The integers as they lie, unless they are rounded.
    fn as_they_lie(&self) -> direct::AsTheyLie<'s> {
        match self {
            IntegerSource::Integers(known) => known.exact.as_they_lie(),
            IntegerSource::Rounded(_) => None,
        }
    }

    /// The rounded elements.
    ///
    /// # Errors
    /// Memory.
    fn rounded(&self) -> Result<SliceRef<'s>, Error> {
        match self {
            IntegerSource::Integers(known) => known.rounded_elements(),
            IntegerSource::Rounded(data) => Ok(*data),
        }
    }

    fn largest(&self) -> f64 {
        match self {
            IntegerSource::Integers(known) => known.largest(),
            IntegerSource::Rounded(data) => largest::of_rounded(*data),
        }
    }

    /// The integers in C order. `layout` is that of rounded ones.
    ///
    /// # Errors
    /// Memory.
    fn numbers(&self, layout: &Strided) -> Result<Owned<i64>, Error> {
        let data = match self {
            IntegerSource::Integers(KnownIntegers { exact: Exact::Given(data, layout), .. }) => return in_64_bits(*data, layout),
            IntegerSource::Integers(KnownIntegers { exact: Exact::Made(made, layout), .. }) => {
                return in_64_bits(made.numbers.erase(), layout);
            }
            IntegerSource::Integers(KnownIntegers { exact: Exact::Rounded(tensor), .. }) => tensor.erase().data,
            IntegerSource::Rounded(data) => *data,
        };
        dispatch!(data.dtype(), T => read::<T>(data, layout))
    }
}

/// Whole numbers that double precision holds: truth values, values of indices, and earlier results.
fn read<T: Element>(data: SliceRef<'_>, layout: &Strided) -> Result<Owned<i64>, Error> {
    let data = T::typed(data).unwrap_or_else(|| unreachable!("the type was found by the data"));
    let mut numbers = Owned::with_room(layout.len())?;
    extend_from(&mut numbers, data, layout, |number| number.to_complex().re as i64);
    Ok(numbers)
}
