//! Equations over integers.
//!
//! A device has no integers. Where bounds prove that double precision holds every intermediate, an equation is computed in it, as any
//! other, and is exact in every order of its sums; one that works element by element on many integers reads them as they lie instead. What
//! double precision does not hold is computed here, by plain loops in 64 bits that wrap around.

mod bounds;
mod direct;
mod exact;
mod largest;
mod map;
mod product;
mod reader;

use std::sync::{Arc, OnceLock};

use num_complex::Complex;

use self::map::CHUNK;
use self::reader::{Input, Reader};
use super::compile::{compile, tensors};
use super::context::Context;
use super::passes::Passes;
use super::run::{Execution, ResultPlacement};
use crate::expr::{ExactIntegers, Integers, Numbers, OperandData, Value, exact as in_64_bits, rounded};
use crate::link::Link;
use crate::lower::{Lowered, SourceTensor, lower};
use crate::optimize::{Pass, PassPipeline};
use crate::tensor::{AnyTensor, Tensor, extend_from};
use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::OpGraph;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Owned, SliceRef};
use tensorwrapper_core::stored::IntegersRef;

/// Integers from which on a tensor is rounded only when it is read rounded.
const MANY: usize = 4096;

/// A tensor of integers that equations read: rounded, as a recording reads it, and as it is.
#[derive(Clone, Debug)]
pub(crate) struct KnownIntegers<'a> {
    /// What recordings read: the rounded tensor, or memory for one whose elements mean nothing.
    recorded: Arc<AnyTensor>,
    /// The rounded tensor, once it was needed.
    rounded: OnceLock<Arc<AnyTensor>>,
    exact: Exact<'a>,
    /// The largest absolute value, once it was needed.
    largest: OnceLock<f64>,
}

/// Where the integers of a tensor are.
#[derive(Clone, Debug)]
enum Exact<'a> {
    /// In the program.
    Given(IntegersRef<'a>, &'a Strided),
    /// In an earlier result, in C order.
    Made(Arc<ExactIntegers>, Strided),
    /// In the rounded tensor, which holds them.
    Rounded,
}

impl<'a> KnownIntegers<'a> {
    /// A tensor of the program, which holds integers. `at_once` says that other equations than those over integers read it, too.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn of(given: &OperandData<'a>, at_once: bool) -> Result<KnownIntegers<'a>, Error> {
        let &OperandData::Integers(data, layout) = given else { unreachable!("tensors of integers are nothing else") };
        KnownIntegers::new(Exact::Given(data, layout), at_once)
    }

    /// A number of the program, which is the sum of both parts.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn number(parts: Complex<f64>) -> Result<KnownIntegers<'a>, Error> {
        let number = (parts.re as i64).wrapping_add(parts.im as i64);
        let exact = ExactIntegers { extents: Vec::new(), numbers: Numbers::I64(Owned::filled(1, number)?) };
        KnownIntegers::made(&Integers::Exact(Arc::new(exact)), true)
    }

    /// A result; `at_once` as above.
    ///
    /// # Errors
    /// Memory.
    pub(crate) fn made(integers: &Integers, at_once: bool) -> Result<KnownIntegers<'a>, Error> {
        match integers {
            Integers::Double(tensor) => {
                let (recorded, rounded) = (Arc::clone(tensor), OnceLock::from(Arc::clone(tensor)));
                Ok(KnownIntegers { recorded, rounded, exact: Exact::Rounded, largest: OnceLock::new() })
            }
            Integers::Exact(exact) => {
                KnownIntegers::new(Exact::Made(Arc::clone(exact), Strided::row_major(&exact.extents)?), at_once)
            }
        }
    }

    fn new(exact: Exact<'a>, at_once: bool) -> Result<KnownIntegers<'a>, Error> {
        let (data, layout) = exact.as_they_lie().unwrap_or_else(|| unreachable!("these are not rounded"));
        let largest = OnceLock::new();
        if at_once || layout.len() < MANY {
            let recorded: Arc<AnyTensor> = Arc::new(rounded(data, layout)?.into());
            return Ok(KnownIntegers { rounded: OnceLock::from(Arc::clone(&recorded)), recorded, exact, largest });
        }
        let memory = Tensor::<f64>::from_parts(Owned::for_results(layout.len())?, Strided::row_major(layout.extents())?);
        Ok(KnownIntegers { recorded: Arc::new(memory.into()), rounded: OnceLock::new(), exact, largest })
    }

    /// The largest absolute value.
    fn largest(&self) -> f64 {
        *self.largest.get_or_init(|| match self.exact.as_they_lie() {
            Some((data, layout)) => largest_of(&Input { numbers: data, layout: layout.clone() }),
            None => largest::of_rounded(self.recorded.erase().data),
        })
    }

    /// The tensor as a value of a recording.
    pub(crate) fn value<'v>(&self) -> Link<Value<'v>> {
        Value::computed(Arc::clone(&self.recorded))
    }

    /// The rounded elements.
    ///
    /// # Errors
    /// Memory.
    fn rounded(&self) -> Result<SliceRef<'_>, Error> {
        if let Some((data, layout)) = self.exact.as_they_lie().filter(|_| self.rounded.get().is_none()) {
            // Another thread may have been faster, with the same numbers.
            let _ = self.rounded.set(Arc::new(rounded(data, layout)?.into()));
        }
        let rounded = self.rounded.get().unwrap_or_else(|| unreachable!("it has just been made, or was there from the first"));
        Ok(rounded.erase().data)
    }
}

/// The largest absolute value of integers, wherever they are.
fn largest_of(input: &Input<'_>) -> f64 {
    let mut reader = Reader::new(input, CHUNK);
    let chunks = (0..input.layout.len()).step_by(CHUNK).map(|start| CHUNK.min(input.layout.len() - start));
    chunks.fold(0.0, |largest, len| largest.max(largest::of_integers(reader.next(len))))
}

impl Exact<'_> {
    /// The integers as they lie, unless they are rounded.
    fn as_they_lie(&self) -> Option<(IntegersRef<'_>, &Strided)> {
        match self {
            Exact::Given(data, layout) => Some((*data, layout)),
            Exact::Made(made, layout) => Some((made.numbers.erase(), layout)),
            Exact::Rounded => None,
        }
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
    let optimized = |graph: &OpGraph| PassPipeline::new(graph, &context.choices, &[])?.optimize(None);
    // What reports, is cancelled or counts memory are the steps of a plan.
    let is_watched = context.choices.memory.is_some() || !context.observer.is_idle();
    let has_many = !is_watched && sources.iter().any(|given| given.known.is_some_and(|known| known.rounded.get().is_none()));
    if has_many && let Some(made) = direct::evaluate(&optimized(&graph)?, &as_they_lie(&sources))? {
        return Ok(vec![Integers::Exact(Arc::new(made))]);
    }
    if bounds::fit(&graph, sources.iter().map(Given::largest)) {
        return in_double_precision(&context, graph, &sources);
    }
    let graph = optimized(&graph)?;
    let numbers: Vec<Owned<i64>> = sources.iter().map(Given::numbers).collect::<Result<_, _>>()?;
    Ok(exact::evaluate(&graph, &numbers)?.into_iter().map(|exact| Integers::Exact(Arc::new(exact))).collect())
}

/// The integers of each source as they lie.
fn as_they_lie<'s>(sources: &'s [Given<'s>]) -> Vec<direct::AsTheyLie<'s>> {
    sources.iter().map(|given| given.known?.exact.as_they_lie()).collect()
}

/// A tensor for a source.
struct Given<'s> {
    source: &'s SourceTensor<'s>,
    known: Option<&'s KnownIntegers<'s>>,
}

impl<'s> Given<'s> {
    fn new(source: &'s SourceTensor<'s>, known: &'s [KnownIntegers<'s>]) -> Given<'s> {
        let is_source = |known: &&KnownIntegers<'_>| matches!(source, SourceTensor::Computed(tensor, _) if Arc::ptr_eq(tensor, &known.recorded));
        let known = known.iter().find(is_source);
        debug_assert!(known.is_none() || source.layout().is_row_major(), "a recording reads computed tensors whole");
        Given { source, known }
    }

    /// The rounded elements.
    ///
    /// # Errors
    /// Memory.
    fn rounded(&self) -> Result<SliceRef<'s>, Error> {
        self.known.map_or_else(|| Ok(self.source.data()), KnownIntegers::rounded)
    }

    fn largest(&self) -> f64 {
        self.known.map_or_else(|| largest::of_rounded(self.source.data()), KnownIntegers::largest)
    }

    /// The integers in C order.
    ///
    /// # Errors
    /// Memory.
    fn numbers(&self) -> Result<Owned<i64>, Error> {
        match self.known.map(|known| &known.exact) {
            Some(Exact::Given(data, layout)) => in_64_bits(*data, layout),
            Some(Exact::Made(made, layout)) => in_64_bits(made.numbers.erase(), layout),
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
    let data: Vec<SliceRef<'_>> = sources.iter().map(Given::rounded).collect::<Result<_, _>>()?;
    let plan = compile(context, graph, &layouts)?;
    let execution = Execution::new(&plan, &context.backend, &context.observer);
    let computed = tensors(execution.run(&data, ResultPlacement::Host)?, &plan);
    Ok(computed.into_iter().map(|tensor| Integers::Double(Arc::new(tensor))).collect())
}
