//! Derivatives of a solution of `x = f(x, p)`, by the theorem of the implicit function: `dx = (∂f/∂x)·dx + (∂f/∂p)·dp`. Each is the
//! solution of linear equations of the same form, so that it is a value of the same kind and has derivatives, too.
//!
//! Linear equations are solved when a derivative is recorded; this file must not know how. Source: A. Griewank, A. Walther,
//! "Evaluating Derivatives", second edition (2008), chapter 15.

use std::sync::Arc;

use super::build::{added, constant};
use super::order::Variable;
use super::rules::Parts;
use crate::expr::{LinearSolver, Reach, Solved, Source, Step, Value, rebuilt};
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::dtype::dispatch;
use tensorwrapper_core::error::Error;

/// The derivatives of values in one direction: values, weights or changes, and variables.
type Reverse<'a> = fn(&[Link<Value<'a>>], &[Link<Value<'a>>], &[Variable<'a>]) -> Result<Parts<'a>, Error>;
type Forward<'a> = fn(&[Link<Value<'a>>], &[Variable<'a>], &[Link<Value<'a>>]) -> Result<Parts<'a>, Error>;

/// The tensors of a solution of `x = step(x)`, as values that have derivatives: `state` stands for x in the values of the step.
pub(crate) fn solved<'a>(
    solution: Vec<AnyTensor>,
    (state, values): (Vec<Link<Value<'a>>>, &[Link<Value<'a>>]),
    solver: Arc<dyn LinearSolver>,
) -> Vec<Link<Value<'a>>> {
    let arguments = Reach::new(values).besides(&state, values);
    // Derivatives of the step end at its arguments, some of which may be parts of others.
    let held = |value: &Link<Value<'a>>| made(value, Source::Held(Link::clone(value)));
    let inputs: Vec<_> = arguments.iter().map(held).collect();
    let values = rebuilt(values, &arguments, &inputs);
    let solution = solution.into_iter().map(Arc::new).collect();
    all(&Arc::new(Solved { solution, arguments, step: Arc::new(Step { state, inputs, values }), solver }))
}

fn made<'a>(like: &Link<Value<'a>>, source: Source<'a>) -> Link<Value<'a>> {
    Link::new(Value { extents: like.extents.clone(), dtype: like.dtype, source })
}

fn all<'a>(solved: &Arc<Solved<'a>>) -> Vec<Link<Value<'a>>> {
    let one = |(n, state): (usize, &Link<Value<'a>>)| made(state, Source::Solved(Arc::clone(solved), n));
    solved.step.state.iter().enumerate().map(one).collect()
}

/// The weights of the arguments that vary, for weights of the solution: `λ = w + (∂f/∂x)ᵀλ`, then `(∂f/∂p)ᵀλ`.
///
/// # Errors
/// What has no derivative, and linear equations that have no solution within the tolerance.
pub(super) fn weights<'a>(
    solved: &Arc<Solved<'a>>,
    weights: &Parts<'a>,
    varies: &[bool],
    reverse: Reverse<'a>,
) -> Result<Parts<'a>, Error> {
    let step = &solved.step;
    let multipliers = unknown(&step.state)?;
    let of_state = reverse(&step.values, &multipliers, &recorded(&step.state))?;
    let multipliers = linear(solved, weights, of_state, multipliers)?;
    let (varying, places): (Vec<_>, Vec<_>) =
        (0..varies.len()).filter(|&n| varies[n]).map(|n| (Variable::Recorded(Link::clone(&step.inputs[n])), n)).unzip();
    let found = at_solution(solved, reverse(&step.values, &multipliers, &varying)?);
    let mut all = vec![None; varies.len()];
    found.into_iter().zip(places).for_each(|(weight, n)| all[n] = weight);
    Ok(all)
}

/// The changes of the solution for changes of the arguments.
///
/// # Errors
/// As [`weights`].
pub(super) fn changes<'a>(solved: &Arc<Solved<'a>>, changes: &Parts<'a>, forward: Forward<'a>) -> Result<Parts<'a>, Error> {
    let step = &solved.step;
    let unknown = unknown(&step.state)?;
    let of_state = forward(&step.values, &recorded(&step.state), &unknown)?;
    let (varying, changes): (Vec<_>, Vec<_>) = (step.inputs.iter().zip(changes))
        .filter_map(|(input, change)| Some((Variable::Recorded(Link::clone(input)), Link::clone(change.as_ref()?))))
        .unzip();
    let of_arguments = at_solution(solved, forward(&step.values, &varying, &changes)?);
    Ok(linear(solved, &of_arguments, of_state, unknown)?.into_iter().map(Some).collect())
}

/// The solution of `x = constant + part(x)`, where `unknown` stands for x.
fn linear<'a>(
    solved: &Arc<Solved<'a>>,
    constant_part: &Parts<'a>,
    part: Parts<'a>,
    unknown: Vec<Link<Value<'a>>>,
) -> Result<Vec<Link<Value<'a>>>, Error> {
    let or_zero = |(part, like): (&Option<Link<Value<'a>>>, &Link<Value<'a>>)| match part {
        Some(part) => Link::clone(part),
        None => constant(0.0, &like.extents, like.dtype),
    };
    let constants: Vec<_> = constant_part.iter().zip(&unknown).map(or_zero).collect();
    let parts: Vec<_> = at_solution(solved, part).iter().zip(&unknown).map(or_zero).collect();
    let solution = solved.solver.solve(&constants, &parts, &unknown)?;
    let values: Vec<_> = constants.into_iter().zip(parts).map(|(c, part)| added([c, part]).expect("there are two")).collect();
    Ok(self::solved(solution, (unknown, &values), Arc::clone(&solved.solver)))
}

/// Derivatives of the step where it is solved.
fn at_solution<'a>(solved: &Arc<Solved<'a>>, found: Parts<'a>) -> Parts<'a> {
    let clones =
        |first: &[Link<Value<'a>>], then: &[Link<Value<'a>>]| first.iter().chain(then).map(Link::clone).collect::<Vec<_>>();
    let from = clones(&solved.step.state, &solved.step.inputs);
    let to = clones(&all(solved), &solved.arguments);
    let values: Vec<_> = found.iter().flatten().map(Link::clone).collect();
    let mut made = rebuilt(&values, &from, &to).into_iter();
    found.into_iter().map(|part| part.and_then(|_| made.next())).collect()
}

fn recorded<'a>(values: &[Link<Value<'a>>]) -> Vec<Variable<'a>> {
    values.iter().map(|value| Variable::Recorded(Link::clone(value))).collect()
}

/// Values that stand for the solution of equations.
fn unknown<'a>(like: &[Link<Value<'a>>]) -> Result<Vec<Link<Value<'a>>>, Error> {
    let one = |like: &Link<Value<'a>>| {
        let zeros = dispatch!(like.dtype, T => AnyTensor::from(Tensor::<T>::zeros(&like.extents[..])?));
        Ok(Value::computed(Arc::new(zeros)))
    };
    like.iter().map(one).collect()
}
