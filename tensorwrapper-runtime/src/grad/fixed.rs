//! Derivatives of a solution of `x = f(x, p)`, by the theorem of the implicit function: `dx = (∂f/∂x)·dx + (∂f/∂p)·dp`. Each is the
//! solution of linear equations of the same form, so that it is a value of the same kind and has derivatives, too.
//!
//! Linear equations are solved when a derivative is recorded; this file must not know how. Source: A. Griewank, A. Walther,
//! "Evaluating Derivatives", second edition (2008), chapter 15.

use std::sync::Arc;

use super::build::{added, constant, repeated};
use super::order::Variable;
use super::rules::Parts;
use crate::expr::{LinearSolver, Reach, Solved, Source, Step, Value, rebuilt};
use crate::link::Link;
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The derivatives of values in one direction: values, weights or changes, and variables.
type Reverse<'a> = fn(&[Link<Value<'a>>], &[Link<Value<'a>>], &[Variable<'a>]) -> Result<Parts<'a>, Error>;
/// Values with one more axis in front, for such tensors.
type Batched<'a> = fn(&[Link<Value<'a>>], &[Link<Value<'a>>], &[Link<Value<'a>>]) -> Result<Parts<'a>, Error>;
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
    let multipliers = Value::stand_ins(&step.state)?;
    let of_state = reverse(&step.values, &multipliers, &Variable::recorded(&step.state))?;
    let multipliers = linear(&solved.solver, weights, &at_solution(solved, of_state), multipliers)?;
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
    let unknown = Value::stand_ins(&step.state)?;
    let of_state = forward(&step.values, &Variable::recorded(&step.state), &unknown)?;
    let (varying, changes): (Vec<_>, Vec<_>) = (step.inputs.iter().zip(changes))
        .filter_map(|(input, change)| Some((Variable::Recorded(Link::clone(input)), Link::clone(change.as_ref()?))))
        .unzip();
    let of_arguments = at_solution(solved, forward(&step.values, &varying, &changes)?);
    Ok(linear(&solved.solver, &of_arguments, &at_solution(solved, of_state), unknown)?.into_iter().map(Some).collect())
}

/// The solutions of linear equations for many values of arguments at once: of each argument that varies there is one with one more axis
/// in front.
///
/// # Errors
/// Equations that are not linear, and as [`weights`].
pub(super) fn many<'a>(
    solved: &Arc<Solved<'a>>,
    (all, count): (&Parts<'a>, usize),
    batched: Batched<'a>,
    forward: Forward<'a>,
) -> Result<Vec<Link<Value<'a>>>, Error> {
    let step = &solved.step;
    let spread = |like: &Link<Value<'a>>| Value::stand_in(&[&[count], &like.extents[..]].concat(), like.dtype);
    let state = step.state.iter().map(spread).collect::<Result<Vec<_>, Error>>()?;
    let varying = step.inputs.iter().zip(all).filter_map(|(input, all)| Some((input, all.as_ref()?)));
    let (from, to): (Vec<_>, Vec<_>) =
        step.state.iter().zip(&state).chain(varying).map(|(from, to)| (Link::clone(from), Link::clone(to))).unzip();
    let values = batched(&step.values, &from, &to)?.into_iter().zip(&step.values);
    let values: Vec<_> = values.map(|(all, one)| all.unwrap_or_else(|| repeated(one, count))).collect();
    let values = rebuilt(&values, &step.inputs, &solved.arguments);
    // A linear function is its value at zero and its change.
    let zeros: Vec<_> = state.iter().map(|state| constant(0.0, &state.extents, state.dtype)).collect();
    let constants: Parts<'a> = rebuilt(&values, &state, &zeros).into_iter().map(Some).collect();
    let unknown = Value::stand_ins(&state)?;
    let part = forward(&values, &Variable::recorded(&state), &unknown)?;
    let changes: Vec<_> = part.iter().flatten().map(Link::clone).collect();
    let reach = Reach::new(&changes);
    if state.iter().any(|state| reach.contains(state)) {
        let error = Error::new(ErrorKind::Unsupported("all derivatives at once by what a fixed point depends on".to_string()));
        return Err(error.with_help("`vjp`, `jvp` and `hvp` take them one direction at a time"));
    }
    linear(&solved.solver, &constants, &part, unknown)
}

/// The solution of `x = constant + part(x)`, where `unknown` stands for x.
fn linear<'a>(
    solver: &Arc<dyn LinearSolver>,
    constant_part: &Parts<'a>,
    part: &Parts<'a>,
    unknown: Vec<Link<Value<'a>>>,
) -> Result<Vec<Link<Value<'a>>>, Error> {
    let or_zero = |(part, like): (&Option<Link<Value<'a>>>, &Link<Value<'a>>)| match part {
        Some(part) => Link::clone(part),
        None => constant(0.0, &like.extents, like.dtype),
    };
    let constants: Vec<_> = constant_part.iter().zip(&unknown).map(or_zero).collect();
    let parts: Vec<_> = part.iter().zip(&unknown).map(or_zero).collect();
    let solution = solver.solve(&constants, &parts, &unknown)?;
    let values: Vec<_> = constants.into_iter().zip(parts).map(|(c, part)| added([c, part]).expect("there are two")).collect();
    Ok(self::solved(solution, (unknown, &values), Arc::clone(solver)))
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
