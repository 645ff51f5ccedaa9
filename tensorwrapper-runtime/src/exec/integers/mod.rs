//! Equations over integers.
//!
//! A device has no integers. Where bounds prove that double precision holds every intermediate, an equation is computed in it, as any
//! other, and is exact in every order of its sums. Otherwise it is computed here, by plain loops in 64 bits that wrap around.

mod bounds;
mod exact;
mod product;

use std::sync::Arc;

use num_complex::Complex;

use super::compile::{compile, tensors};
use super::context::Context;
use super::passes::Passes;
use super::run::{Execution, ResultPlacement};
use crate::expr::{ExactIntegers, Integers, OperandData, Value, exact as in_64_bits, rounded};
use crate::link::Link;
use crate::lower::{Lowered, SourceTensor, lower};
use crate::optimize::{Pass, PassPipeline};
use crate::tensor::{AnyTensor, extend_from};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Owned, SliceRef};
use tensorwrapper_core::stored::IntegersRef;
use tensorwrapper_cpu::{Loops, vectorised_reads};

/// A tensor of integers that equations read: rounded, as a recording reads it, and as it is.
#[derive(Clone, Debug)]
pub(crate) struct KnownIntegers<'a> {
    rounded: Arc<AnyTensor>,
    exact: Exact<'a>,
    largest: f64,
}

/// Where the integers of a tensor are.
#[derive(Clone, Debug)]
enum Exact<'a> {
    /// In the program.
    Given(IntegersRef<'a>, &'a Strided),
    /// In an earlier result, in C order.
    Made(Arc<ExactIntegers>),
    /// In the rounded tensor, which holds them.
    Rounded,
}

impl<'a> KnownIntegers<'a> {
    /// A tensor of the program, which holds integers.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn of(given: &OperandData<'a>) -> Result<KnownIntegers<'a>, Error> {
        let &OperandData::Integers(data, layout) = given else { unreachable!("tensors of integers are nothing else") };
        Ok(KnownIntegers::new(Arc::new(rounded(data, layout)?.into()), Exact::Given(data, layout)))
    }

    /// A number of the program, which is the sum of both parts.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn number(parts: Complex<f64>) -> Result<KnownIntegers<'a>, Error> {
        let number = (parts.re as i64).wrapping_add(parts.im as i64);
        let exact = ExactIntegers { extents: Vec::new(), numbers: Owned::filled(1, number)? };
        KnownIntegers::made(&Integers::Exact(Arc::new(exact)))
    }

    /// A result.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn made(integers: &Integers) -> Result<KnownIntegers<'a>, Error> {
        match integers {
            Integers::Double(tensor) => Ok(KnownIntegers::new(Arc::clone(tensor), Exact::Rounded)),
            Integers::Exact(exact) => {
                let rounded = rounded(IntegersRef::I64(&exact.numbers), &Strided::row_major(&exact.extents)?)?;
                Ok(KnownIntegers::new(Arc::new(rounded.into()), Exact::Made(Arc::clone(exact))))
            }
        }
    }

    fn new(rounded: Arc<AnyTensor>, exact: Exact<'a>) -> KnownIntegers<'a> {
        KnownIntegers { largest: largest(rounded.erase().data), rounded, exact }
    }

    /// The tensor as a value of a recording.
    pub(crate) fn value<'v>(&self) -> Link<Value<'v>> {
        Value::computed(Arc::clone(&self.rounded))
    }
}

/// The largest absolute value of rounded integers.
fn largest(numbers: SliceRef<'_>) -> f64 {
    dispatch!(numbers.dtype(), T => vectorised_reads(Largest(T::typed(numbers).unwrap_or_default())))
}

/// The largest absolute value, by several lanes at once: one would wait for itself.
struct Largest<'n, T>(&'n [T]);

impl<T: Element> Loops for Largest<'_, T> {
    type Result = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        const LANES: usize = 16;
        let larger = |largest: f64, number: &T| {
            let number = number.to_complex().re.abs();
            if number > largest { number } else { largest }
        };
        let (pieces, rest) = self.0.as_chunks::<LANES>();
        let mut lanes = [0.0; LANES];
        for piece in pieces {
            lanes.iter_mut().zip(piece).for_each(|(lane, number)| *lane = larger(*lane, number));
        }
        lanes.into_iter().fold(rest.iter().fold(0.0, larger), f64::max)
    }
}

/// Computes recorded values over integers. `known` are those among the tensors that they read which double precision might not hold.
///
/// # Errors
/// Memory, reductions over nothing, and what the device reports.
pub(crate) fn evaluate_integers(
    context: &Context,
    values: &[Link<Value<'_>>],
    known: &[KnownIntegers<'_>],
) -> Result<Vec<Integers>, Error> {
    let Lowered { graph, sources, .. } = lower(values);
    let sources: Vec<Given<'_>> = sources.iter().map(|source| Given::new(source, known)).collect();
    // These passes divide and join numbers, and passes of the program may do anything.
    let context = [Pass::Constants, Pass::Cse, Pass::Factorise].into_iter().fold(context.clone(), Context::without);
    let context = Context { passes: Passes::default(), ..context };
    if bounds::fit(&graph, sources.iter().map(Given::largest)) {
        return in_double_precision(&context, graph, &sources);
    }
    let graph = PassPipeline::new(&graph, &context.choices, &[])?.optimize(None)?;
    let numbers: Vec<Owned<i64>> = sources.iter().map(Given::numbers).collect::<Result<_, _>>()?;
    Ok(exact::evaluate(&graph, &numbers)?.into_iter().map(|exact| Integers::Exact(Arc::new(exact))).collect())
}

/// A tensor for a source.
struct Given<'s> {
    source: &'s SourceTensor<'s>,
    known: Option<&'s KnownIntegers<'s>>,
}

impl<'s> Given<'s> {
    fn new(source: &'s SourceTensor<'s>, known: &'s [KnownIntegers<'s>]) -> Given<'s> {
        let is_source = |known: &&KnownIntegers<'_>| {
            matches!(source, SourceTensor::Computed(tensor, layout)
                if Arc::ptr_eq(tensor, &known.rounded) && layout.is_row_major())
        };
        Given { source, known: known.iter().find(is_source) }
    }

    fn largest(&self) -> f64 {
        self.known.map_or_else(|| largest(self.source.data()), |known| known.largest)
    }

    /// The integers in C order.
    ///
    /// # Errors
    /// Memory.
    fn numbers(&self) -> Result<Owned<i64>, Error> {
        match self.known.map(|known| &known.exact) {
            Some(Exact::Given(data, layout)) => in_64_bits(*data, layout),
            Some(Exact::Made(made)) => in_64_bits(IntegersRef::I64(&made.numbers), self.source.layout()),
            Some(Exact::Rounded) | None => {
                dispatch!(self.source.data().dtype(), T => read::<T>(self.source.data(), self.source.layout()))
            }
        }
    }
}

/// Whole numbers that double precision holds: truth values, values of indices, and earlier results.
fn read<T: Element>(data: SliceRef<'_>, layout: &Strided) -> Result<Owned<i64>, Error> {
    let data = T::typed(data).unwrap_or_else(|| unreachable!("the type was found by the data"));
    let mut numbers = Owned::with_room(layout.len())?;
    extend_from(&mut numbers, data, layout, |number| number.to_complex().re as i64);
    Ok(numbers)
}

fn in_double_precision(context: &Context, graph: OpGraph, sources: &[Given<'_>]) -> Result<Vec<Integers>, Error> {
    let layouts: Vec<Strided> = sources.iter().map(|given| given.source.layout().clone()).collect();
    let data: Vec<SliceRef<'_>> = sources.iter().map(|given| given.source.data()).collect();
    let plan = compile(context, graph, &layouts)?;
    let execution = Execution::new(&plan, &context.backend, &context.observer);
    let computed = tensors(execution.run(&data, ResultPlacement::Host)?, &plan);
    Ok(computed.into_iter().map(|tensor| Integers::Double(Arc::new(tensor))).collect())
}
