//! A run over integers: its equations are recorded over rounded ones, planned, and computed one after the other. A later run over
//! tensors with the same extents records nothing and plans nothing.

use std::sync::Arc;

use num_complex::Complex;

use super::super::evaluator::Computes;
use super::super::site::{Call, MOST_PLANS, Tensor};
use super::Block;
use super::made::{MadeResults, Taken};
use crate::exec::{IntegerPlan, IntegerSource, KeptIntegers, KeptStep, KnownIntegers, SourcePlace, evaluate};
use crate::expr::{Bound, Integers, OperandData, ScalarKind, Target, Value, Write, bind, truth_numbers};
use crate::link::Link;
use crate::tensor::AnyTensor;
use smallvec::SmallVec;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// What an equation computes.
enum Made {
    Integers(Arc<Integers>),
    Dense(Arc<AnyTensor>),
}

impl Made {
    /// As it leaves the block, or is written to a place.
    fn taken(&self, place: Option<&Target>) -> Taken {
        match (self, place.cloned()) {
            (Made::Integers(integers), place) => Taken::Integers(Arc::clone(integers), place),
            (Made::Dense(tensor), Some(place)) => Taken::Part((**tensor).clone(), place),
            (Made::Dense(tensor), None) => Taken::Dense((**tensor).clone()),
        }
    }
}

impl<'a, E> Block<'_, 'a, E> {
    /// Whether an equation computes integers, or reads some.
    pub(in crate::__private) fn is_in_integers(&self) -> bool {
        let is_integer = |tensor: &Tensor<'_>| matches!(tensor.0, OperandData::Integers(..));
        self.calls.iter().any(|call| call.is_integer) || self.tensors.iter().any(is_integer)
    }

    /// Refuses integers where equations are not computed at once and on the host.
    ///
    /// # Errors
    /// That they are refused.
    pub(in crate::__private) fn refuse_integers(&self, reason: &str) -> Result<(), Error> {
        if !self.is_in_integers() {
            return Ok(());
        }
        let error = Error::new(ErrorKind::Unsupported(reason.to_string()));
        Err(error.with_help("compute it `in &context;`, or convert the tensor: `a.cast::<f64>()?`"))
    }

    /// Refuses to record an equation that computes integers. Others may read some.
    ///
    /// # Errors
    /// That it is refused.
    pub(in crate::__private) fn refuse_recorded_integers(&self) -> Result<(), Error> {
        if !self.calls.iter().any(|call| call.is_integer) {
            return Ok(());
        }
        let reason = "equations over integers are computed at once, and not recorded";
        let help =
            "compute it `in &context;`; an equation over other numbers reads integers where it casts them: `cast(f64; a[i])`";
        Err(Error::new(ErrorKind::Unsupported(reason.to_string())).with_help(help))
    }
}

/// What a run over integers has read and computed so far.
struct State<'a> {
    /// Numbers of the program, then its tensors of integers, then results that later equations read.
    known: Vec<KnownIntegers<'a>>,
    /// The truth values of the program, by the numbers of their tensors.
    truth: Vec<Option<Arc<AnyTensor>>>,
    /// The results of the equations so far.
    made: Vec<Made>,
    /// Results that are written into tensors.
    written: Vec<Taken>,
}

impl State<'_> {
    /// Takes what an equation has computed: its results, or a part that is written, and the whole if a later equation reads it.
    fn take(&mut self, mut computed: Vec<Made>, target: Option<&Target>) {
        if target.is_some() {
            self.written.push(computed.remove(0).taken(target));
        }
        self.made.extend(computed);
    }
}

impl<'a, E: Computes> Block<'_, 'a, E> {
    /// Computes all equations.
    pub(super) fn compute_in_integers(&mut self) -> Result<(), Error> {
        let mut state = State { known: Vec::new(), truth: Vec::new(), made: Vec::new(), written: Vec::new() };
        self.read_integers(&mut state)?;
        let kept = if self.keeps_integers() { self.kept_in_integers() } else { None };
        match kept {
            Some(kept) => self.run_in_integers(&kept, &mut state)?,
            None => self.plan_in_integers(&mut state)?,
        }
        let State { made, written, .. } = state;
        let sinks = self.site.sinks.iter().map(|&number| made[number].taken(None));
        self.made = Some(MadeResults::new(written.into_iter().chain(sinks).collect()));
        Ok(())
    }

    /// Reads numbers, integers and truth values of the program.
    fn read_integers(&self, state: &mut State<'a>) -> Result<(), Error> {
        for scalar in self.calls.iter().filter(|call| call.is_integer).flat_map(|call| &call.scalars) {
            if let ScalarKind::Number(value) = scalar.0 {
                state.known.push(KnownIntegers::number(value)?);
            }
        }
        let is_read_rounded = self.computes_others();
        for tensor in self.tensors {
            let truth = match tensor.0 {
                OperandData::Integers(..) => {
                    state.known.push(KnownIntegers::of(&tensor.0, is_read_rounded));
                    None
                }
                OperandData::Truth(data, layout) => Some(Arc::new(truth_numbers(data, layout)?.into())),
                _ => None,
            };
            state.truth.push(truth);
        }
        Ok(())
    }

    /// Whether some equations are over other numbers. They read integers rounded.
    fn computes_others(&self) -> bool {
        self.calls.iter().any(|call| !call.is_integer)
    }

    /// Whether plans are kept: those of equations over integers and truth values alone, whose numbers are plain ones.
    fn keeps_integers(&self) -> bool {
        let has_tensors = |call: &Call<'_>| call.scalars.iter().any(|scalar| matches!(scalar.0, ScalarKind::Tensor(_)));
        let is_kept = |call: &Call<'_>| call.is_integer && call.functions.is_empty() && !has_tensors(call);
        self.calls.iter().all(is_kept) && !self.site.has_derivatives()
    }

    fn kept_in_integers(&self) -> Option<Arc<KeptIntegers>> {
        let found = self.site.kept_integers.find(|kept| {
            let calls = self.calls.iter().map(|call| (call.dtype, &call.casts[..], call.scalars.len(), &call.numbers[..]));
            let tensors = self.tensors.iter().map(|tensor| &tensor.0);
            kept.are_for(self.context.context(), calls, tensors).then_some(())
        });
        found.map(|(kept, ())| kept)
    }

    /// Computes all equations with kept plans.
    fn run_in_integers(&self, kept: &KeptIntegers, state: &mut State<'a>) -> Result<(), Error> {
        for (number, step) in kept.steps.iter().enumerate() {
            let computed = {
                let sources = step.sources.iter().map(|place| place.source(&state.known, &state.truth));
                step.plan.run(self.context.context(), &sources.collect::<SmallVec<[IntegerSource<'_>; 6]>>())?
            };
            let before = state.made.len();
            state.take(computed.into_iter().map(|integers| Made::Integers(Arc::new(integers))).collect(), step.target.as_ref());
            for made in before..state.made.len() {
                if let (Made::Integers(integers), true) = (&state.made[made], self.is_read_after(number, made)) {
                    state.known.push(KnownIntegers::made(integers, false)?);
                }
            }
        }
        Ok(())
    }

    /// Records, plans and computes all equations, and keeps the plans.
    fn plan_in_integers(&mut self, state: &mut State<'a>) -> Result<(), Error> {
        let keeps = self.keeps_integers();
        self.lend_integers(state)?;
        let (mut results, mut steps, mut is_kept) = (Vec::new(), Vec::new(), keeps);
        // What derivatives are taken of: equations over other numbers are recorded over those before them, and not over what these gave.
        let mut recorded: Vec<Link<Value<'a>>> = Vec::new();
        let derives = self.site.has_derivatives();
        for (number, equation) in self.site.equations().iter().enumerate() {
            let is_recorded = derives && !self.calls[number].is_integer;
            let holes = self.holes(number, equation, if is_recorded { &recorded } else { &results });
            let (values, target) = match bind(equation, self.calls[number].dtype, &holes)? {
                Bound::Results(values) => (values, None),
                // The whole tensor is computed where a later equation reads it.
                Bound::Write(Write { part, after, target }) => match self.is_read_after(number, state.made.len()) {
                    true => (vec![part, after], Some(target)),
                    false => (vec![part], Some(target)),
                },
            };
            // Extents that elements decide may be others in the next run.
            is_kept &= !holes.computes_extents.get();
            let (computed, step) = self.call(number, &values, state)?;
            state.take(computed, target.as_ref());
            match step.filter(|_| is_kept) {
                Some((plan, sources)) => steps.push(KeptStep { plan, sources, target }),
                None => is_kept = false,
            }
            for made in results.len()..state.made.len() {
                results.push(self.recorded_result(number, made, state)?);
            }
            let new = recorded.len()..results.len();
            match is_recorded {
                // The last ones: what is written is no result.
                true => recorded.extend(values.into_iter().rev().take(new.len()).rev()),
                false => recorded.extend_from_slice(&results[new]),
            }
        }
        let tensors = self.tensors.iter().map(|tensor| &tensor.0);
        if is_kept && let Some(kept) = KeptIntegers::new(self.context.context(), self.call_keys(), tensors, steps) {
            self.site.kept_integers.add(Arc::new(kept), |plans| plans.len() <= MOST_PLANS);
        }
        Ok(())
    }

    /// Puts recorded values in the place of numbers, integers and truth values. Numbers are tensors of rank 0: as constants they would be
    /// multiplied with each other, and rounded.
    fn lend_integers(&mut self, state: &State<'a>) -> Result<(), Error> {
        let mut known = state.known.iter();
        let mut next = || known.next().map_or_else(|| unreachable!("all were read"), KnownIntegers::value);
        let scalars = self.calls.iter_mut().filter(|call| call.is_integer).flat_map(|call| &mut call.scalars);
        for scalar in scalars {
            if let ScalarKind::Number(_) = scalar.0 {
                scalar.0 = ScalarKind::Tensor(OperandData::Recorded(next()?));
            }
        }
        self.dense.resize(self.tensors.len(), None);
        for ((tensor, dense), truth) in self.tensors.iter().zip(&mut self.dense).zip(&state.truth) {
            match (&tensor.0, truth) {
                (OperandData::Integers(..), _) => *dense = Some(next()?),
                (_, Some(truth)) => *dense = Some(Value::computed(Arc::clone(truth))),
                (_, None) => {}
            }
        }
        Ok(())
    }

    /// A result as later equations read it.
    fn recorded_result(&self, number: usize, made: usize, state: &mut State<'a>) -> Result<Link<Value<'a>>, Error> {
        Ok(match &state.made[made] {
            Made::Dense(tensor) => Value::computed(Arc::clone(tensor)),
            // What no later equation reads is not made ready to be read.
            Made::Integers(_) if !self.is_read_after(number, made) => Value::number(Complex::ZERO, Dtype::F64),
            Made::Integers(integers) => {
                let integers = KnownIntegers::made(integers, self.computes_others())?;
                let value = integers.value()?;
                state.known.push(integers);
                value
            }
        })
    }

    /// Computes the values of one equation. For one over integers also its plan, and where later runs find its sources.
    #[allow(clippy::type_complexity, reason = "results, and what may be kept")]
    fn call(
        &self,
        number: usize,
        values: &[Link<Value<'_>>],
        state: &State<'_>,
    ) -> Result<(Vec<Made>, Option<(IntegerPlan, Vec<SourcePlace>)>), Error> {
        let context = self.context.context();
        if !self.calls[number].is_integer {
            let computed = evaluate(context, values)?;
            return Ok((computed.into_iter().map(|tensor| Made::Dense(Arc::new(tensor))).collect(), None));
        }
        let (plan, tensors) = IntegerPlan::new(context, values)?;
        let sources: Vec<_> = tensors.iter().map(|tensor| IntegerSource::of(tensor, &state.known)).collect();
        let computed = plan.run(context, &sources)?;
        let places = tensors.iter().map(|tensor| SourcePlace::of(tensor, &state.known, &state.truth)).collect::<Option<_>>();
        let computed = computed.into_iter().map(|integers| Made::Integers(Arc::new(integers))).collect();
        Ok((computed, places.map(|places| (plan, places))))
    }
}
