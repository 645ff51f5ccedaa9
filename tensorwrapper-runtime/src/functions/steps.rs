//! A step that is repeated many times, and the derivatives of where it ends.

use std::fmt;
use std::sync::{Arc, OnceLock};

use num_complex::Complex;

use super::checkpoints::next;
use super::planned::{Planned, check, stand_ins};
use crate::exec::{Context, evaluate};
use crate::expr::Value;
use crate::grad::{Variables, added, pulled_back, pushed_forward};
use crate::link::Link;
use crate::structs::{RecordedTensors, like, links, names, tensors};
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::dtype::dispatch;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::sentence::{are, counted};

/// The states that are kept, unless the program says how many.
const STATES: usize = 16;

type Values<'a> = Vec<Link<Value<'a>>>;

impl Context {
    /// Plans a step `x → f(x, p)` that is repeated many times, and the derivatives of where it ends: two plans, whatever the number of
    /// steps, and a third one for [changes](PreparedStep::jvp) forward. Few states are kept; going back, the others are [computed
    /// again](PreparedStep::keeping).
    ///
    /// `state` and `parameters` say what form x and p have; both are given anew in each run. Whatever else the step reads is constant.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let (state, rate) = (Tensor::<f64>::filled([2], 0.5)?, Tensor::<f64>::filled([2], 3.2)?);
    /// // The logistic map.
    /// let step = Context::cpu().prepare_step(&state, &rate, |x, rate| {
    ///     let one = (x.at("i") - x.at("i") * x.at("i")).record("i")?;
    ///     (rate.at("i") * one.at("i")).record("i")
    /// })?;
    /// let step = step.keeping(4);
    /// let run = step.run(&state, &rate, 100)?;
    /// let weight = Tensor::<f64>::filled([2], 1.0)?;
    /// let (by_state, by_rate) = run.vjp(&weight)?;
    /// assert!(run.state()?[[0]] > 0.5 && by_state[[0]].abs() < 1e-10 && by_rate[[0]] != 0.0);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A step whose results differ from the state in number or extents, a parameter on which it does not depend
    /// ([`or_zero`](crate::or_zero) allows it), and what has no derivative.
    pub fn prepare_step<'a, X: Variables<'a>, P: Variables<'a>>(
        &self,
        state: X,
        parameters: P,
        step: impl FnOnce(X::Gradients, P::Gradients) -> Result<X::Gradients, Error>,
    ) -> Result<PreparedStep<'a, X, P>, Error> {
        let (first, given) = (computed(self, &state)?, computed(self, &parameters)?);
        let (x, p) = (stand_ins(&first)?, stand_ins(&given)?);
        let forms = (like(&state.variables(), clones(&x))?, like(&parameters.variables(), clones(&p))?);
        let next = links(&step(forms.0.clone(), forms.1.clone())?);
        check(&x, &next)?;
        // The weight of the result, and the sum of the parameters' derivatives so far.
        let (weights, sums) = (stand_ins(&first)?, stand_ins(&given)?);
        let optional: Vec<bool> = parameters.optional().into_iter().chain(x.iter().map(|_| true)).collect();
        let named = names(&forms.1).into_iter().chain(names(&forms.0)).collect();
        let mut by_parameters = pulled_back((&next, &weights), &all(&[&p, &x]), (optional, named))?;
        let mut by = by_parameters.split_off(p.len());
        by.extend(sums.iter().zip(by_parameters).filter_map(|(sum, part)| added([Link::clone(sum), part])));
        Ok(PreparedStep {
            forward: Planned::new(self, &next, &all(&[&x, &p]))?,
            backward: Planned::new(self, &by, &all(&[&x, &p, &weights, &sums]))?,
            tangent: OnceLock::new(),
            next,
            context: self.clone(),
            forms,
            kept: STATES,
        })
    }
}

fn computed<'a>(context: &Context, given: &impl Variables<'a>) -> Result<Vec<AnyTensor>, Error> {
    let values = links(&given.variables());
    if values.is_empty() { Ok(Vec::new()) } else { evaluate(context, &values) }
}

fn clones<'a>(values: &Values<'a>) -> Values<'a> {
    values.iter().map(Link::clone).collect()
}

fn all<'a>(lists: &[&Values<'a>]) -> Values<'a> {
    lists.iter().flat_map(|list| list.iter().map(Link::clone)).collect()
}

/// A step that was planned for many repetitions: see [`Context::prepare_step`].
pub struct PreparedStep<'a, X: Variables<'a>, P: Variables<'a>> {
    context: Context,
    /// The next state by state and parameters.
    forward: Planned<'a>,
    /// The weight of the state and the sums of the parameters' derivatives, by state, parameters, weight of the next state, and sums.
    backward: Planned<'a>,
    /// The next state and its change, by state, parameters, and their changes: made when it is asked for.
    tangent: OnceLock<Planned<'a>>,
    /// The next state, over the stand-ins.
    next: Values<'a>,
    /// State and parameters, as stand-ins in the form in which they are given.
    forms: (X::Gradients, P::Gradients),
    kept: usize,
}

impl<'a, X: Variables<'a>, P: Variables<'a>> fmt::Debug for PreparedStep<'a, X, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "PreparedStep of {} by {}",
            counted(links(&self.forms.0).len(), "tensor"),
            counted(links(&self.forms.1).len(), "parameter")
        )
    }
}

impl<'a, X: Variables<'a>, P: Variables<'a>> PreparedStep<'a, X, P> {
    /// The same step with so many states in memory, at least one; 16 unless this is called. Of n steps each is computed at most r times
    /// again where n is at most `binomial(states + r, r)`: with ten states, 1000 steps are computed 3.6 times again.
    #[must_use]
    pub fn keeping(self, states: usize) -> Self {
        PreparedStep { kept: states.max(1), ..self }
    }

    /// Repeats the step, and keeps some states for derivatives.
    ///
    /// # Errors
    /// Tensors with other extents than those that the step was planned for, and what computing reports.
    pub fn run<'b, 's, Q: Variables<'b, Tensors = X::Tensors>, R: Variables<'b, Tensors = P::Tensors>>(
        &'s self,
        state: Q,
        parameters: R,
        steps: usize,
    ) -> Result<Steps<'s, 'a, X, P>, Error> {
        let first = alike(computed(&self.context, &state)?, &self.forms.0, "the state")?;
        let parameters = alike(computed(&self.context, &parameters)?, &self.forms.1, "the parameters")?;
        let first = Arc::new(first);
        let mut kept = vec![Kept { state: Arc::clone(&first), place: 0, states: self.kept }];
        let last = match steps {
            0 => first,
            _ => self.next(&self.before(&mut kept, steps, &parameters)?, &parameters)?,
        };
        Ok(Steps { step: self, parameters, kept, last, steps })
    }

    /// Repeats the step with a change of the first state and of the parameters: the state after the last step, and its change. It takes no
    /// memory but for the state, and about as long as two or three runs.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let (state, rate) = (Tensor::<f64>::filled([1], 2.0)?, Tensor::<f64>::filled([1], 3.0)?);
    /// let step = Context::cpu().prepare_step(&state, &rate, |x, rate| (x.at("i") * rate.at("i")).record("i"))?;
    /// let (one, zero) = (Tensor::<f64>::filled([1], 1.0)?, Tensor::<f64>::zeros([1])?);
    /// let (last, change) = step.jvp((&state, &zero), (&rate, &one), 4)?;
    /// assert_eq!((last[[0]], change[[0]]), (162.0, 216.0)); // 2·r⁴ and 8·r³
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Tensors with other extents than those that the step was planned for, what has no derivative, and what computing reports.
    pub fn jvp<'b, Q, DQ, R, DR>(
        &self,
        (state, change): (Q, DQ),
        (parameters, changes): (R, DR),
        steps: usize,
    ) -> Result<(X::Tensors, X::Tensors), Error>
    where
        Q: Variables<'b, Tensors = X::Tensors>,
        DQ: Variables<'b, Tensors = X::Tensors>,
        R: Variables<'b, Tensors = P::Tensors>,
        DR: Variables<'b, Tensors = P::Tensors>,
    {
        let mut state = alike(computed(&self.context, &state)?, &self.forms.0, "the state")?;
        let mut change = alike(computed(&self.context, &change)?, &self.forms.0, "the change of the state")?;
        let parameters = alike(computed(&self.context, &parameters)?, &self.forms.1, "the parameters")?;
        let changes = alike(computed(&self.context, &changes)?, &self.forms.1, "the changes of the parameters")?;
        let tangent = self.tangent()?;
        for _ in 0..steps {
            let mut found = tangent.at(&joined(&[&state, &parameters, &change, &changes]))?;
            change = found.split_off(state.len());
            state = found;
        }
        let form = &self.forms.0;
        Ok((tensors(form, state)?, tensors(form, change)?))
    }

    /// The plan of a step with its change.
    fn tangent(&self) -> Result<&Planned<'a>, Error> {
        if let Some(known) = self.tangent.get() {
            return Ok(known);
        }
        let (x, p) = (links(&self.forms.0), links(&self.forms.1));
        let (dx, dp) = (Value::stand_ins(&x)?, Value::stand_ins(&p)?);
        let changes = pushed_forward(&self.next, &all(&[&x, &p]), &all(&[&dx, &dp]))?;
        let zero = |next: &Link<Value<'a>>| Value::filled(Complex::ZERO, next.extents.clone(), next.dtype);
        let changes = self.next.iter().zip(changes).map(|(next, change)| change.unwrap_or_else(|| zero(next))).collect();
        let made = Planned::new(&self.context, &all(&[&self.next, &changes]), &all(&[&x, &p, &dx, &dp]))?;
        Ok(self.tangent.get_or_init(|| made))
    }

    fn next(&self, state: &[AnyTensor], parameters: &[AnyTensor]) -> Result<State, Error> {
        Ok(Arc::new(self.forward.at(&joined(&[state, parameters]))?))
    }

    /// The state before the last step before `end`, from the last state in memory; keeps those on the way that the schedule asks for.
    fn before(&self, kept: &mut Vec<Kept>, end: usize, parameters: &[AnyTensor]) -> Result<State, Error> {
        let Kept { mut state, mut place, mut states } = kept.last().expect("the first state is kept").clone();
        while place + 1 < end {
            let count = if states > 1 { next(end - place, states) } else { end - 1 - place };
            for _ in 0..count {
                state = self.next(&state, parameters)?;
            }
            place += count;
            if states > 1 {
                states -= 1;
                kept.push(Kept { state: Arc::clone(&state), place, states });
            }
        }
        Ok(state)
    }
}

/// That tensors have the extents of their stand-ins.
fn alike<'a>(tensors: Vec<AnyTensor>, like: &impl RecordedTensors<'a>, what: &str) -> Result<Vec<AnyTensor>, Error> {
    let found: Vec<&[usize]> = tensors.iter().map(AnyTensor::extents).collect();
    let like = links(like);
    let known: Vec<&[usize]> = like.iter().map(|value| &value.extents[..]).collect();
    if found == known {
        return Ok(tensors);
    }
    Err(Error::new(ErrorKind::Shape(format!("{what} has extents {found:?}, but the step was prepared for {known:?}"))))
}

type State = Arc<Vec<AnyTensor>>;

/// A state in memory.
#[derive(Clone)]
struct Kept {
    state: State,
    /// After how many steps it is reached.
    place: usize,
    /// How many states may be in memory from here on, this one included.
    states: usize,
}

/// A run of many steps: where it ended, and what its derivatives need.
pub struct Steps<'s, 'a, X: Variables<'a>, P: Variables<'a>> {
    step: &'s PreparedStep<'a, X, P>,
    parameters: Vec<AnyTensor>,
    kept: Vec<Kept>,
    last: State,
    steps: usize,
}

impl<'a, X: Variables<'a>, P: Variables<'a>> fmt::Debug for Steps<'_, 'a, X, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Steps: {}, of which {} {} kept", self.steps, counted(self.kept.len(), "state"), are(self.kept.len()))
    }
}

impl<'a, X: Variables<'a>, P: Variables<'a>> Steps<'_, 'a, X, P> {
    /// The state after the last step.
    ///
    /// # Errors
    /// Memory.
    pub fn state(&self) -> Result<X::Tensors, Error> {
        tensors(&self.step.forms.0, self.last.to_vec())
    }

    /// The derivatives of the last state by the first one and by the parameters, weighted by a tensor or tensors of the form of the state.
    ///
    /// # Errors
    /// Weights with other extents than the state, and what computing reports.
    pub fn vjp<'b, W: Variables<'b, Tensors = X::Tensors>>(&self, weight: W) -> Result<(X::Tensors, P::Tensors), Error> {
        let mut weights = alike(computed(&self.step.context, &weight)?, &self.step.forms.0, "the weight")?;
        let zero = |tensor: &AnyTensor| Ok(dispatch!(tensor.dtype(), T => Tensor::<T>::zeros(tensor.extents())?.into()));
        let mut sums = self.parameters.iter().map(zero).collect::<Result<Vec<AnyTensor>, Error>>()?;
        let mut kept = self.kept.clone();
        for end in (1..=self.steps).rev() {
            let state = self.step.before(&mut kept, end, &self.parameters)?;
            weights = self.step.backward.at(&joined(&[&state, &self.parameters, &weights, &sums]))?;
            sums = weights.split_off(state.len());
            // The first state stays.
            kept.retain(|kept| kept.place + 1 < end || kept.place == 0);
        }
        let (state, parameters) = &self.step.forms;
        Ok((tensors(state, weights)?, tensors(parameters, sums)?))
    }
}

fn joined<'t>(lists: &[&'t [AnyTensor]]) -> Vec<&'t AnyTensor> {
    lists.iter().flat_map(|list| list.iter()).collect()
}
