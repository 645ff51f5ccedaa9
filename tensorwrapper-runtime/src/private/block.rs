//! One run of an invocation of the macros: its equations are recorded and computed, or computed with the plan of an earlier
//! run.
//!
//! Each invocation of a macro has a static that keeps its equations and its last plans (`exec/recent_plans.rs`), each with
//! the element types, extents, strides, numbers and settings that it was made for. A run that finds a matching plan records
//! nothing and plans nothing. Equations over recorded operands, and equations with `map`, are planned in every run.

mod gradients;
mod holes;
mod in_blocks;
mod in_integers;
mod made;

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

use smallvec::SmallVec;
use tensorwrapper_notation::Equation;

use holes::BlockHoles;
use made::MadeResults;
pub(in crate::__private) use made::Taken;

use super::evaluator::{Computes, ComputesExtents};
use super::site::{Call, CallSite, MOST_PLANS, Tensor, constants};
use super::ticket::Ticket;
use crate::exec::{CallKey, Computed, Context, Equations, Execution, KeptPlan, Number, PlanKey, Sources, planned};
use crate::expr::{
    Bound, Form, Integers, NextResult, Operand, OperandData, ScalarKind, ScalarShape, ScalarValue, Value, Write, bind,
};
use crate::link::Link;
use crate::tensor::AnyBlocks;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::{Buffer, SliceRef};

impl<'a, T, S, F> Operand<'a, T, S, F> {
    /// Its types, which need no code where they go out of scope, and the tensor without them.
    #[inline]
    pub fn apart(self) -> (Ticket<T, S, F>, Tensor<'a>) {
        (Ticket::new(usize::MAX), Tensor(self.given))
    }
}

/// A block's own result as a number of a later equation.
pub fn local_scalar<'a, T: Numeric, S: ScalarShape, F>(_: PhantomData<T>, ticket: &Ticket<T, S, F>) -> ScalarValue<'a> {
    ScalarValue::local(ticket.number)
}

/// The element type of a mark, as a value.
pub fn dtype<T: Numeric>(_: PhantomData<T>) -> Dtype {
    T::COMPUTED
}

/// One run of an invocation.
#[derive(Debug)]
pub struct Block<'b, 'a, E> {
    site: &'static CallSite,
    pub(super) context: &'b E,
    tensors: &'b [Tensor<'a>],
    calls: SmallVec<[Call<'a>; 1]>,
    results: Vec<Link<Value<'a>>>,
    writes: Vec<Write<'a>>,
    recorded: usize,
    /// Whether extents were computed from elements, so that they may differ in the next run.
    computes_extents: bool,
    known: Option<(Arc<KeptPlan>, Sources<'a>)>,
    computed: Option<Results>,
    /// The results of a run over block tensors, or over integers.
    made: Option<MadeResults>,
    /// The block tensors and integers among `tensors` as dense ones, once they are read so.
    dense: Vec<Option<Link<Value<'a>>>>,
}

/// The results of a run, taken one by one: first those that are written into tensors, then those that are part of the block's
/// value.
#[derive(Debug)]
struct Results {
    kept: Arc<KeptPlan>,
    elements: <Computed as IntoIterator>::IntoIter,
    taken: usize,
}

impl Results {
    fn new(kept: Arc<KeptPlan>, computed: Computed) -> Results {
        Results { kept, elements: computed.into_iter(), taken: 0 }
    }

    fn next(&mut self) -> (Buffer, &Strided) {
        let elements = self.elements.next().expect("there is a result for each that is taken");
        self.taken += 1;
        (elements, &self.kept.plan.results[self.taken - 1])
    }
}

/// Starts a run.
pub fn begin<'b, 'a, E>(site: &'static CallSite, context: &'b E, tensors: &'b [Tensor<'a>]) -> Block<'b, 'a, E> {
    Block {
        site,
        context,
        tensors,
        calls: SmallVec::new(),
        results: Vec::new(),
        writes: Vec::new(),
        recorded: 0,
        computes_extents: false,
        known: None,
        computed: None,
        made: None,
        dense: Vec::new(),
    }
}

impl<'a, E> Block<'_, 'a, E> {
    /// Begins the next equation, over elements of one type.
    pub fn equation<T: Numeric>(&mut self, element: PhantomData<T>) {
        self.equation_with(element, [], []);
    }

    /// The same with the numbers of the equation, in the order of [`Equation::holes`].
    pub fn equation_with<T: Numeric, const N: usize, const M: usize>(
        &mut self,
        element: PhantomData<T>,
        scalars: [ScalarValue<'a>; N],
        numbers: [Number; M],
    ) {
        self.equation_of(element, scalars, numbers, [], []);
    }

    /// The same with the functions of the equation, and the element types inside its casts.
    pub fn equation_of<T: Numeric, const N: usize, const M: usize, const F: usize, const C: usize>(
        &mut self,
        _: PhantomData<T>,
        scalars: [ScalarValue<'a>; N],
        numbers: [Number; M],
        functions: [Callback<'a>; F],
        casts: [Dtype; C],
    ) {
        let (scalars, numbers) = (scalars.into(), numbers.into());
        self.calls.push(Call {
            dtype: T::COMPUTED,
            is_integer: T::IS_INTEGER,
            scalars,
            numbers,
            functions: functions.into(),
            casts: casts.into(),
        });
    }

    /// Records the next equation.
    ///
    /// # Errors
    /// Ranks and extents that do not fit, and errors of computing values that extents depend on.
    pub fn record(&mut self) -> Result<(), Error>
    where
        E: ComputesExtents,
    {
        let number = self.recorded;
        let equation = &self.site.equations()[number];
        self.read_densely(0..self.tensors.len())?;
        let holes = self.holes(number, equation, &self.results);
        let bound = bind(equation, self.calls[number].dtype, &holes);
        let computes_extents = holes.computes_extents.get();
        self.computes_extents |= computes_extents;
        match bound? {
            Bound::Results(results) => self.results.extend(results),
            Bound::Write(write) => {
                self.results.push(Link::clone(&write.after));
                self.writes.push(write);
            }
        }
        self.recorded += 1;
        Ok(())
    }

    /// Records what is not recorded yet.
    pub(super) fn record_all(&mut self) -> Result<(), Error>
    where
        E: ComputesExtents,
    {
        while self.recorded < self.site.recipes.len() {
            self.record()?;
        }
        Ok(())
    }

    /// The holes of an equation, where earlier ones have these results.
    fn holes<'f>(&'f self, number: usize, equation: &'f Equation, results: &'f [Link<Value<'a>>]) -> BlockHoles<'f, 'a, E> {
        BlockHoles {
            holes: equation.holes(),
            number,
            site: self.site,
            context: self.context,
            tensors: self.tensors,
            dense: &self.dense,
            projections: &[],
            are_stand_ins: false,
            call: &self.calls[number],
            results,
            all_results: self.all_results(),
            computes_extents: Cell::new(false),
        }
    }

    /// The number of results of all equations. Values of the program are numbered from here on.
    fn all_results(&self) -> usize {
        self.site.equations().iter().map(|equation| equation.left().len()).sum()
    }

    /// Makes dense tensors of numbers of those of the program's with these numbers that are block tensors or integers, unless that was
    /// done.
    fn read_densely(&mut self, numbers: impl Iterator<Item = usize>) -> Result<(), Error> {
        if !self.is_in_blocks() && !self.is_in_integers() {
            return Ok(());
        }
        self.dense.resize(self.tensors.len(), None);
        for number in numbers {
            if let (OperandData::Blocks(_) | OperandData::Integers(..), None) = (&self.tensors[number].0, &self.dense[number]) {
                self.dense[number] = Some(self.tensors[number].0.value()?);
            }
        }
        Ok(())
    }

    /// A recorded result.
    pub(super) fn result(&self, number: usize) -> &Link<Value<'a>> {
        &self.results[number]
    }

    /// The tensors that the program gives: operands, then numbers that are tensors.
    fn tensors(&self) -> impl Iterator<Item = &OperandData<'a>> {
        let scalars = self.calls.iter().flat_map(|call| &call.scalars);
        let scalars = scalars.filter_map(|scalar| if let ScalarKind::Tensor(given) = &scalar.0 { Some(given) } else { None });
        self.tensors.iter().map(|tensor| &tensor.0).chain(scalars)
    }

    /// Elements and layouts of all of them, if none is a recorded result.
    fn elements(&self) -> Option<SmallVec<[(SliceRef<'a>, &Strided); 4]>> {
        let mut elements = SmallVec::new();
        for tensor in self.tensors() {
            elements.push(tensor.elements()?);
        }
        Some(elements)
    }
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// Whether no plan is known for this run, so that its equations must be recorded.
    pub(super) fn is_new(&mut self) -> bool {
        if self.is_in_blocks() || self.is_in_integers() {
            return false;
        }
        self.known = self.known();
        self.known.is_none()
    }

    /// The plan for this run, which is looked for once, and not after something was recorded.
    fn known(&mut self) -> Option<(Arc<KeptPlan>, Sources<'a>)> {
        if self.known.is_none() && self.recorded == 0 { self.find() } else { self.known.take() }
    }

    /// The plan of an earlier run that fits this run.
    fn find(&self) -> Option<(Arc<KeptPlan>, Sources<'a>)> {
        let tensors = self.elements()?;
        // Operands in two places are an error, which recording finds again.
        let context = &*self.context.context().placed(tensors.iter().copied()).ok()?;
        self.site.kept.find(|plan| {
            let calls = self.calls.iter().map(|call| (call.dtype, &call.casts[..], constants(&call.scalars), &call.numbers[..]));
            match plan.key.is_of(context) && plan.key.is_of_calls(calls) && plan.is_of_sharing(&tensors) {
                true => plan.sources(&tensors),
                false => None,
            }
        })
    }

    /// Computes the block's results, with a known plan or a new one.
    pub(super) fn compute(&mut self) -> Result<(), Error> {
        if self.is_in_blocks() {
            return self.compute_in_blocks();
        }
        if self.is_in_integers() {
            return self.compute_in_integers();
        }
        let Some((kept, sources)) = self.known() else {
            return self.compute_anew();
        };
        let computed = {
            let context = self.context.context().placed(self.tensors().filter_map(OperandData::elements))?;
            let with_constants = kept.with_constants(&sources);
            let sources = with_constants.as_deref().unwrap_or(&sources);
            Execution::new(&kept.plan, &context.backend, &context.observer).run(sources, E::placement(kept.writes.len()))?
        };
        self.computed = Some(Results::new(kept, computed));
        Ok(())
    }

    fn compute_anew(&mut self) -> Result<(), Error> {
        self.record_all()?;
        let results = self.site.sinks.iter().map(|&number| self.result(number));
        let values: Vec<_> = self.writes.iter().map(|write| &write.part).chain(results).cloned().collect();
        let context = self.context.context();
        let planned = planned(context, &values)?;
        let computed = planned.run(&context.observer, E::placement(self.writes.len()))?;
        let writes = self.writes.iter().map(|write| write.target.clone()).collect();
        // Recorded results have a structure of their own, which the site does not know, and functions are called by order.
        let is_kept = planned.functions.is_empty() && !self.computes_extents;
        let tensors = if is_kept { self.elements() } else { None };
        let operands = tensors.iter().flatten().map(|(data, layout)| (data.dtype(), (*layout).clone()));
        // Of the backend that the plan was made for, which is where the operands are.
        let context = Context { backend: planned.backend, ..context.clone() };
        let key = PlanKey::new(&context, Equations::Calls(self.call_keys()), operands);
        let operands = tensors.as_deref().unwrap_or_default();
        let kept = KeptPlan::new(key, planned.plan, writes, &planned.sources, operands);
        let kept = Arc::new(if self.site.has_derivatives() { kept.for_sharing(operands) } else { kept });
        if tensors.is_some() {
            self.site.kept.add(Arc::clone(&kept), |plans| plans.len() <= MOST_PLANS);
        }
        drop(tensors);
        self.computed = Some(Results::new(kept, computed));
        Ok(())
    }

    /// The values that the equations take in addition to tensors.
    fn call_keys(&self) -> Vec<CallKey> {
        let key = |call: &Call<'_>| CallKey {
            dtype: call.dtype,
            casts: call.casts.clone(),
            scalars: constants(&call.scalars).collect(),
            numbers: call.numbers.clone(),
        };
        self.calls.iter().map(key).collect()
    }

    /// The next computed result.
    pub(super) fn take<F: Form, T: Numeric, S: Extents>(&mut self) -> F::Computed<T, S> {
        match &mut self.made {
            Some(made) => F::next(made),
            None => F::next(self.results()),
        }
    }

    /// The next computed result, which is a number.
    pub(super) fn take_number<T: Numeric>(&mut self) -> T {
        if let Some(made) = &mut self.made {
            return made.next_number();
        }
        let elements = self.results().next().0;
        T::of_buffer(elements).expect("a result of this type was recorded")[0]
    }

    /// The next result of a plan that is written, and its number among the results of that plan; nothing where there is no plan.
    pub(super) fn take_planned(&mut self) -> Option<(Buffer, Arc<KeptPlan>, usize)> {
        if self.made.is_some() {
            return None;
        }
        let results = self.results();
        let (number, kept) = (results.taken, Arc::clone(&results.kept));
        Some((results.next().0, kept, number))
    }

    /// The next result of a run without a plan, and where it is written.
    pub(super) fn take_made(&mut self) -> Taken {
        self.made.as_mut().expect("there is no plan").next()
    }

    fn results(&mut self) -> &mut Results {
        self.computed.as_mut().expect("the block was computed")
    }
}

impl NextResult for Results {
    fn next_dense(&mut self) -> (Buffer, &Strided) {
        self.next()
    }

    fn next_blocks(&mut self) -> AnyBlocks {
        unreachable!("an equation without block tensors has no result in blocks")
    }

    fn next_integers(&mut self) -> Arc<Integers> {
        unreachable!("equations over integers have plans of their own")
    }
}
