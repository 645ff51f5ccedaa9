//! Solutions of equations `x = f(x, p)`, as recorded values with derivatives.

use std::sync::Arc;

use super::gmres::{Apply, gmres};
use super::mixing::Mixing;
use super::planned::{Planned, check, stand_ins};
use super::vectors::{add, difference, norm, numbers, tensors};
use crate::exec::{Context, evaluate};
use crate::expr::{LinearSolver, Value};
use crate::grad::{Variables, solved};
use crate::link::Link;
use crate::structs::{like, links};
use crate::tensor::AnyTensor;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::sentence::counted;

/// When a fixed point is found: how near it has to be, and how many steps may be taken.
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::Tolerance;
/// let tolerance = Tolerance::new(1e-12).steps(1000);
/// assert_ne!(tolerance, Tolerance::default());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    relative: f64,
    steps: usize,
}

impl Tolerance {
    /// A step at the solution x changes it by a vector whose length is at most `relative * (1 + |x|)`. Linear equations of
    /// derivatives are solved with a residual of at most this part of their right side. There are at most 500 steps, and as many
    /// products in linear equations. In single precision nothing comes nearer than about 1e-6.
    #[must_use]
    pub fn new(relative: f64) -> Tolerance {
        Tolerance { relative, steps: 500 }
    }

    /// At most that many steps, and as many products in linear equations.
    #[must_use]
    pub fn steps(self, steps: usize) -> Tolerance {
        Tolerance { steps, ..self }
    }
}

impl Default for Tolerance {
    fn default() -> Tolerance {
        Tolerance::new(1e-10)
    }
}

impl Context {
    /// Solves `x = step(x, p)`, from a first guess. The solution is a recorded value that has derivatives of every order, by the
    /// parameters and by whatever else the step reads, in both directions.
    ///
    /// `start` is a tensor, a tuple of them or a slice, and the result has its form. The step is recorded once; `p` may be `()`.
    /// Iterations are mixed by Anderson's method; how the solution is found has no influence on its derivatives, and no iterate is
    /// kept for them. A `start` that solves the equations, found by any other method, is taken as it is.
    ///
    /// By the theorem of the implicit function, a weight w of x becomes `λ = w + (∂f/∂x)ᵀ·λ`, and the weight of p is `(∂f/∂p)ᵀ·λ`.
    /// The linear equations are solved when a derivative is recorded, by GMRES, which computes what their right sides depend on.
    /// Solutions are computed tensors: they do not change with the tensors of a [prepared](Context::prepare_all) block.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor, Tolerance};
    /// // Kepler's equation E = M + e·sin(E), for three mean anomalies M.
    /// let mean = Tensor::<f64>::from_slice([3], &[0.5, 1.0, 2.0])?;
    /// let eccentricity = Tensor::<f64>::filled([], 0.3)?;
    /// let anomaly = Context::cpu().fixed_point(
    ///     |x, (m, e)| (m.at("i") + e.at("") * x.at("i").sin()).record("i"),
    ///     &mean,
    ///     (&mean, &eccentricity),
    ///     Tolerance::new(1e-13),
    /// )?;
    /// let by_mean = anomaly.at("i").record("")?.grad(&mean)?.eval()?;
    /// let x = anomaly.eval()?[[1]];
    /// assert!((by_mean[[1]] - 1.0 / (1.0 - 0.3 * x.cos())).abs() < 1e-10);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A step whose results differ from `start` in number or extents, no solution within the tolerance, and what recording and
    /// computing the step report; a fixed point inside the step that depends on x. In derivatives: linear equations that are not solved
    /// within the tolerance, because `1 - ∂f/∂x` is singular, for example.
    ///
    /// Source: A. Griewank, A. Walther, "Evaluating Derivatives" (2008), chapter 15.
    pub fn fixed_point<'a, X: Variables<'a>, P: Variables<'a>>(
        &self,
        step: impl FnOnce(X::Gradients, P::Gradients) -> Result<X::Gradients, Error>,
        start: X,
        p: P,
        tolerance: Tolerance,
    ) -> Result<X::Gradients, Error> {
        let form = start.variables();
        let start = evaluate(self, &links(&form))?;
        let state = stand_ins(&start)?;
        let next = links(&step(like(&form, state.iter().map(Link::clone).collect())?, p.variables())?);
        check(&state, &next)?;
        let planned = Planned::new(self, &next, &state)?;
        let found = iterate(&mut |x| at(&planned, &state, x), numbers(&start)?, tolerance)?;
        let solution = tensors(&state, &found)?;
        let solver = Arc::new(Gmres { context: self.clone(), tolerance });
        like(&form, solved(solution, (state, &next), solver))
    }
}

/// Values over a state, as a function of its numbers.
fn at(planned: &Planned<'_>, state: &[Link<Value<'_>>], x: &[f64]) -> Result<Vec<f64>, Error> {
    let x = tensors(state, x)?;
    numbers(&planned.at(&x.iter().collect::<Vec<_>>())?)
}

/// The solution, from a first state.
fn iterate(step: &mut Apply<'_, Error>, mut x: Vec<f64>, tolerance: Tolerance) -> Result<Vec<f64>, Error> {
    let (mut mixing, mut change) = (Mixing::default(), f64::NAN);
    for _ in 0..=tolerance.steps {
        let residual = difference(&step(&x)?, &x);
        change = norm(&residual);
        if change <= tolerance.relative * (1.0 + norm(&x)) {
            return Ok(x);
        }
        if !change.is_finite() {
            break;
        }
        x = mixing.next(x, residual);
    }
    let (steps, wanted) = (tolerance.steps, tolerance.relative * (1.0 + norm(&x)));
    let message = format!(
        "no fixed point was found in {}: the last one changed the state by {change:.1e}, not {wanted:.1e}",
        counted(steps, "step")
    );
    let error = Error::new(ErrorKind::Undefined(message));
    Err(error.with_help("begin nearer to the solution, damp the step, as in `0.5 * x + 0.5 * f(x)`, or allow more steps"))
}

/// Solves linear equations in a context.
#[derive(Debug)]
struct Gmres {
    context: Context,
    tolerance: Tolerance,
}

impl LinearSolver for Gmres {
    fn solve<'a>(
        &self,
        constant: &[Link<Value<'a>>],
        linear: &[Link<Value<'a>>],
        state: &[Link<Value<'a>>],
    ) -> Result<Vec<AnyTensor>, Error> {
        let right = numbers(&evaluate(&self.context, constant)?)?;
        let planned = Planned::new(&self.context, linear, state)?;
        // x - linear(x)
        let mut apply = |x: &[f64]| {
            let mut found = x.to_vec();
            add(&mut found, -1.0, &at(&planned, state, x)?);
            Ok::<_, Error>(found)
        };
        let wanted = self.tolerance.relative * norm(&right);
        let found = gmres(&mut apply, &right, (wanted, self.tolerance.steps))?;
        if found.residual <= wanted {
            return tensors(state, &found.x);
        }
        let (steps, residual) = (self.tolerance.steps, found.residual);
        let message = format!(
            "the derivative of a fixed point: its linear equations have a residual of {residual:.1e}, not {wanted:.1e}, after {}",
            counted(steps, "product")
        );
        let error = Error::new(ErrorKind::Undefined(message));
        Err(error.with_help(
            "allow more steps or a larger tolerance; there is no derivative where a change of the state is kept by the step",
        ))
    }
}
