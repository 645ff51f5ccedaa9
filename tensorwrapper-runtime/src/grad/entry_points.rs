//! The methods of recorded results that record derivatives.
//!
//! The gradients' type is a parameter, `G`, instead of an associated type in the signature: rustc then reports variables that do not fit
//! once, and not for the result again.

use super::batched::batched;
use super::build::{Labels, constant, reshaped, turned, whole as whole_of};
use super::forward::forward;
use super::order::{Recording, Variable};
use super::reverse::{reverse, reverse_all};
use super::rules::{Parts, identity, mask};
use super::variables::{Directions, NumberShape, RealNumber, Variables};
use crate::expr::{Expr, Recordable, Source, Value};
use crate::link::Link;
use crate::structs::{RecordedTensors, like, links, names};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Dyn, Extents};
use tensorwrapper_notation::sentence::{are, counted};

/// The variables of a derivative, and what is asked of them.
struct By<'a> {
    variables: Vec<Variable<'a>>,
    /// Which of them may have no influence.
    optional: Vec<bool>,
    names: Vec<String>,
}

impl<'a> By<'a> {
    fn new(form: &impl RecordedTensors<'a>, optional: Vec<bool>) -> By<'a> {
        // A tensor of the program is a variable wherever its elements are read, another value where it is used.
        By { variables: links(form).into_iter().map(Variable::new).collect(), optional, names: names(form) }
    }

    /// The gradient of a number, as values.
    fn gradient(&self, number: &Link<Value<'a>>) -> Result<Vec<Link<Value<'a>>>, Error> {
        if !number.extents.is_empty() {
            let message = format!("the gradient of a tensor of extents {:?}, which is no number", number.extents);
            let error = Error::new(ErrorKind::Shape(message));
            return Err(error
                .with_help("sum it to a number first; `vjp` weights a tensor's derivatives, and `jacobian` gives all of them"));
        }
        self.all(reverse(number, &constant(1.0, &[], number.dtype), &self.variables)?)
    }

    /// All derivatives, where the value depends on every variable that is not optional; zero by others.
    fn all(&self, found: Parts<'a>) -> Result<Vec<Link<Value<'a>>>, Error> {
        let one = |(n, value): (usize, Option<Link<Value<'a>>>)| match value {
            Some(value) => Ok(value),
            None if self.optional[n] => Ok(self.variables[n].zero()),
            None => Err(self.independent(n)),
        };
        found.into_iter().enumerate().map(one).collect()
    }

    fn independent(&self, n: usize) -> Error {
        let is_number = self.names[n].bytes().all(|byte| byte.is_ascii_digit());
        let variable = if is_number { n.to_string() } else { format!("`{}`", self.names[n]) };
        let message = format!("the value does not depend on variable {variable} of the derivative");
        let error = Error::new(ErrorKind::Undefined(message));
        error.with_help(
            "leave the variable out, or take the recorded result that the value was made of; `tensorwrapper::or_zero(&x)` asks for zero",
        )
    }
}

/// The derivatives of values, weighted, by other values that they are made of; zero by `optional` ones that they do not depend on.
///
/// # Errors
/// A variable on which the values do not depend, and what has no derivative.
pub(crate) fn pulled_back<'a>(
    (values, weights): (&[Link<Value<'a>>], &[Link<Value<'a>>]),
    variables: &[Link<Value<'a>>],
    (optional, names): (Vec<bool>, Vec<String>),
) -> Result<Vec<Link<Value<'a>>>, Error> {
    let by = By { variables: Variable::recorded(variables), optional, names };
    by.all(reverse_all(values, weights, &by.variables)?)
}

/// The changes of values for changes of other values that they are made of; nothing for a value that does not depend on these.
///
/// # Errors
/// What has no derivative.
pub(crate) fn pushed_forward<'a>(
    values: &[Link<Value<'a>>],
    variables: &[Link<Value<'a>>],
    changes: &[Link<Value<'a>>],
) -> Result<Vec<Option<Link<Value<'a>>>>, Error> {
    forward(values, &Variable::recorded(variables), changes)
}

/// All derivatives of a value of shape `S` by a variable of shape `Q`: the axes of the one, then those of the other. Up to rank 16 the
/// shape is a type of its own, beyond it one of run-time rank.
type Jacobian<'a, T, S, Q> = Expr<'a, T, <Q as Extents>::Behind<S>>;

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    /// Records the gradient of this number: its derivatives by the variables, each a recorded value of the variable's type and shape.
    ///
    /// The gradient by a complex variable z is ∂L/∂Re z + i·∂L/∂Im z.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Tensor, eval_all};
    /// let a = Tensor::<f64>::from_fn([2, 3], |i| (1 + i[0] + 2 * i[1]) as f64)?;
    /// let x = Tensor::<f64>::from_fn([3], |i| i[0] as f64)?;
    /// let y = (a.at("ij") * x.at("j")).record("i")?;
    /// let loss = (y.at("i") * y.at("i")).record("")?; // |A·x|²
    /// let (by_a, by_x) = loss.grad((&a, &x))?;
    /// let (y, by_a, by_x) = eval_all((&y, &by_a, &by_x))?;
    /// assert_eq!(by_a[[1, 2]], 2.0 * y[[1]] * x[[2]]);
    /// assert_eq!(by_x[[0]], 2.0 * (y[[0]] * a[[0, 0]] + y[[1]] * a[[1, 0]]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A value that is no number, a variable on which it does not depend, and what has no derivative: functions of the program, `rank`,
    /// square factors, a view of a part of a variable.
    pub fn grad<V: Variables<'a, Gradients = G>, G: RecordedTensors<'a>>(&self, variables: V) -> Result<G, Error>
    where
        T: RealNumber,
        S: NumberShape,
    {
        let form = variables.variables();
        like(&form, By::new(&form, variables.optional()).gradient(self.value())?)
    }

    /// The second derivatives of this number along directions, H·d: the change of its [gradient](Expr::grad) along them.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([3], |i| 1.0 + i[0] as f64)?;
    /// let d = Tensor::<f64>::filled([3], 1.0)?;
    /// let loss = x.at("i").powi(3).sum("i").record("")?;
    /// let (along,) = loss.hvp(((&x, &d),))?;
    /// assert_eq!(along.eval()?.as_slice(), [6.0, 12.0, 18.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad`](Expr::grad), and directions that do not have the extents of their variables. Where the gradient does not change, the
    /// result is zero.
    pub fn hvp<D: Directions<'a, Gradients = G>, G: RecordedTensors<'a>>(&self, directions: D) -> Result<G, Error>
    where
        T: RealNumber,
        S: NumberShape,
    {
        let form = directions.variables();
        let (by, changes) = (By::new(&form, directions.optional()), links(&directions.directions()?));
        let gradients = by.gradient(self.value())?;
        let along = forward(&gradients, &by.variables, &changes)?;
        let or_zero = |(change, of): (Option<Link<Value<'a>>>, &Link<Value<'a>>)| {
            change.unwrap_or_else(|| constant(0.0, &of.extents, of.dtype))
        };
        like(&form, along.into_iter().zip(&gradients).map(or_zero).collect())
    }
}

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    /// Records the derivatives of a tensor by the variables, weighted by a tensor w of its shape: those of Re Σ conj(w)·self. It is the
    /// adjoint of [`jvp`](Expr::jvp).
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([3], |i| i[0] as f64)?;
    /// let w = Tensor::<f64>::filled([3], 2.0)?;
    /// let y = (x.at("i") * x.at("i")).record("i")?;
    /// assert_eq!(y.vjp(&w, &x)?.eval()?.as_slice(), [0.0, 4.0, 8.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A weight with other extents, a variable on which the value does not depend, and what has no derivative.
    pub fn vjp<V: Variables<'a, Gradients = G>, G: RecordedTensors<'a>>(
        &self,
        weight: impl Recordable<'a, Elem = T, Shape = S>,
        variables: V,
    ) -> Result<G, Error> {
        let weight = weight.recordable().0;
        if weight.extents != self.extents() {
            let message = format!("the value has extents {:?}, but its weight {:?}", self.extents(), weight.extents);
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let form = variables.variables();
        let by = By::new(&form, variables.optional());
        like(&form, by.all(reverse(self.value(), &weight, &by.variables)?)?)
    }

    /// Records the change of a tensor along changes of the variables.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([3], |i| i[0] as f64)?;
    /// let d = Tensor::<f64>::filled([3], 0.5)?;
    /// let y = (x.at("i") * x.at("i")).record("i")?;
    /// assert_eq!(y.jvp((&x, &d))?.eval()?.as_slice(), [0.0, 1.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Directions that do not have the extents of their variables, a variable on which the value does not depend, and what has no
    /// derivative.
    pub fn jvp<D: Directions<'a>>(&self, directions: D) -> Result<Expr<'a, T, S>, Error> {
        let (by, changes) = (By::new(&directions.variables(), directions.optional()), links(&directions.directions()?));
        let value = std::slice::from_ref(self.value());
        let recording = Recording::new(value, &by.variables)?;
        if let Some(n) = (0..changes.len()).find(|&n| !by.optional[n] && !recording.reads(n)) {
            return Err(by.independent(n));
        }
        let change = forward(value, &by.variables, &changes)?.remove(0);
        let zero = || constant(0.0, &self.value().extents, self.value().dtype);
        Ok(Expr::new(change.unwrap_or_else(zero)))
    }

    /// The same value, on whose parts no derivative depends: it is constant where a derivative is taken.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([2], |i| 1.0 + i[0] as f64)?;
    /// let square = (x.at("i") * x.at("i")).record("i")?.held();
    /// let loss = (square.at("i") * x.at("i")).record("")?;
    /// assert_eq!(loss.grad(&x)?.eval()?.as_slice(), [1.0, 4.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn held(&self) -> Expr<'a, T, S> {
        let value = self.value();
        let source = Source::Held(Link::clone(value));
        Expr::new(Link::new(Value { extents: value.extents.clone(), dtype: value.dtype, source }))
    }
}

impl<'a, T: RealNumber, S: Extents> Expr<'a, T, S> {
    /// Records all derivatives of a real tensor by a variable: the axes of the tensor, then those of the variable. The smaller of the two
    /// decides whether it is made of derivatives of elements or along directions.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([3], |i| 1.0 + i[0] as f64)?;
    /// let y = (x.at("i") * x.at("j")).record("i,j")?;
    /// let jacobian = y.jacobian(&x)?.eval()?;
    /// assert_eq!(jacobian.extents(), [3, 3, 3]);
    /// assert_eq!((jacobian[[0, 2, 0]], jacobian[[0, 0, 0]], jacobian[[0, 1, 2]]), (3.0, 2.0, 0.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A variable on which the value does not depend, and what has no derivative.
    pub fn jacobian<X: Recordable<'a, Elem = T>>(&self, variable: X) -> Result<Jacobian<'a, T, S, X::Shape>, Error> {
        let variable: Expr<'a, T, X::Shape> = Expr::new(variable.recordable().0);
        let by = By::new(&variable, vec![false]);
        jacobian(self.value(), variable.value())?.map(Expr::new).ok_or_else(|| by.independent(0))
    }

    /// Records sums of derivatives by elements of a variable that have one colour: the axes of the tensor, then the colours. Where no
    /// element of the tensor depends on two elements of one colour, all derivatives are read off: that by element j of i is
    /// `[i, colours[j]]`. Sparse derivatives take as many directions as there are colours, not as many as elements.
    ///
    /// `colours` has a number for each element of the variable, in C order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// // y[i] = x[i]² - x[i+1] depends on neighbours, so that two colours do.
    /// let x = Tensor::<f64>::from_fn([5], |i| i[0] as f64)?;
    /// let y = (x.at("i in 0..4") * x.at("i in 0..4") - x.at("i in 1..5")).record("i")?;
    /// let all = y.jacobian_coloured(&x, &[0, 1, 0, 1, 0])?.eval()?;
    /// assert_eq!(all.extents(), [4, 2]);
    /// let by = |i: usize, j: usize| all[[i, j % 2]];
    /// assert_eq!((by(3, 3), by(3, 4), by(2, 2)), (6.0, -1.0, 4.0));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// Another number of colours than elements of the variable, colours that are no number below that, a variable on which the value does
    /// not depend, and what has no derivative.
    ///
    /// Source: A. R. Curtis, M. J. D. Powell, J. K. Reid, "On the Estimation of Sparse Jacobian Matrices", J. Inst. Maths Applics 13
    /// (1974) 117.
    pub fn jacobian_coloured<X: Recordable<'a, Elem = T>>(
        &self,
        variable: X,
        colours: &[usize],
    ) -> Result<Jacobian<'a, T, S, (Dyn,)>, Error> {
        let variable: Expr<'a, T, X::Shape> = Expr::new(variable.recordable().0);
        let by = By::new(&variable, vec![false]);
        coloured(self.value(), &by, (variable.value(), colours)).map(Expr::new)
    }
}

impl<'a, T: Element, S: Extents> Expr<'a, T, S> {
    /// Records all second derivatives of this number by a variable: the axes of the variable, twice.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_fn([2], |i| 1.0 + i[0] as f64)?;
    /// let loss = (x.at("i") * x.at("i") * x.at("j")).record("")?;
    /// let hessian = loss.hessian(&x)?.eval()?;
    /// assert_eq!(hessian.as_slice(), [2.0 * 3.0 + 4.0, 2.0 + 4.0, 2.0 + 4.0, 2.0 * 3.0 + 8.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`grad`](Expr::grad). Where the gradient does not change, the result is zero.
    pub fn hessian<X: Recordable<'a, Elem = T>>(&self, variable: X) -> Result<Jacobian<'a, T, X::Shape, X::Shape>, Error>
    where
        T: RealNumber,
        S: NumberShape,
    {
        let variable: Expr<'a, T, X::Shape> = Expr::new(variable.recordable().0);
        let gradient = By::new(&variable, vec![false]).gradient(self.value())?.remove(0);
        let variable = variable.value();
        // A gradient that does not depend on the variable is constant.
        let constant = || constant(0.0, &[&variable.extents[..], &variable.extents].concat(), T::DTYPE);
        Ok(Expr::new(jacobian(&gradient, variable)?.unwrap_or_else(constant)))
    }
}

/// All derivatives of a value by a variable, if it depends on it.
pub(super) fn jacobian<'a>(value: &Link<Value<'a>>, variable: &Link<Value<'a>>) -> Result<Option<Link<Value<'a>>>, Error> {
    let count = |extents: &[usize]| extents.iter().product::<usize>();
    let (rows, columns) = (count(&value.extents), count(&variable.extents));
    let by = [Variable::new(Link::clone(variable))];
    let is_reverse = rows <= columns;
    let (around, number) = if is_reverse { (value, rows) } else { (variable, columns) };
    // A weight or a direction that stands for each of the units.
    let one = Value::stand_in(&around.extents, value.dtype)?;
    let made = match is_reverse {
        true => reverse(value, &one, &by)?.remove(0),
        false => forward(std::slice::from_ref(value), &by, std::slice::from_ref(&one))?.remove(0),
    };
    let Some(made) = made else { return Ok(None) };
    let units = reshaped(&identity(value.dtype, number)?, &[&[number], &around.extents[..]].concat());
    let Some(all) = batched(&made, &one, &units)? else { return Ok(None) };
    let whole = [&value.extents[..], &variable.extents].concat();
    // The units are those of the variable, whose axes come last.
    Ok(Some(reshaped(&if is_reverse { turned(&all) } else { first_as_last(&all) }, &whole)))
}

/// A value with its first axis behind the others.
fn first_as_last<'a>(of: &Link<Value<'a>>) -> Link<Value<'a>> {
    let axes = (1..of.extents.len()).chain([0]).collect();
    Labels::numbered(&of.extents).value(whole_of(of), axes, of.dtype)
}

/// The changes of a value along the sum of all unit directions of each colour, the colours as the last axis.
fn coloured<'a>(
    value: &Link<Value<'a>>,
    by: &By<'a>,
    (variable, colours): (&Link<Value<'a>>, &[usize]),
) -> Result<Link<Value<'a>>, Error> {
    let elements = variable.extents.iter().product::<usize>();
    if colours.len() != elements {
        let (elements, given) = (counted(elements, "element"), counted(colours.len(), "colour"));
        let message = format!("the variable has {elements}, but {given} {} given", are(colours.len()));
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    if let Some(colour) = colours.iter().find(|&&colour| colour >= elements) {
        let has = counted(elements, "element");
        let message = format!("colour {colour} of a variable that has {has}: colours are numbers below {elements}");
        return Err(Error::new(ErrorKind::Shape(message)));
    }
    let count = colours.iter().map(|&colour| colour + 1).max().unwrap_or(0);
    let directions = mask(value.dtype, count, elements, |colour, element| f64::from(u8::from(colours[element] == colour)))?;
    let directions = reshaped(&directions, &[&[count], &variable.extents[..]].concat());
    let one = Value::stand_in(&variable.extents, value.dtype)?;
    let made = forward(std::slice::from_ref(value), &by.variables, std::slice::from_ref(&one))?.remove(0);
    let all = batched(&made.ok_or_else(|| by.independent(0))?, &one, &directions)?.ok_or_else(|| by.independent(0))?;
    Ok(first_as_last(&all))
}
