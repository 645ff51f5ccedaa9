//! Derivatives as factors of an equation: `V[i, j] * grad(C[i, j]; A[k, l])`.
//!
//! The labels over which a term is summed tell the mode. If those of what is differentiated are summed, the other factors that have
//! them are its weight, and the derivative is taken in reverse; if those of the variable are summed, the other factors are the
//! direction, and it is taken forward. Labels that a weight or a direction has beside these count many of them at once. Else the
//! factor is the tensor of all derivatives.
//!
//! Sums over complex numbers are not conjugated: of complex tensors a factor is ∂C/∂z, which must exist. A real number has the gradient
//! ∂L/∂Re z + i·∂L/∂Im z, as everywhere.

use tensorwrapper_notation::syntax::{Operator, Reduction};

use super::batched::batched;
use super::build::{Labels, binary, constant, distinct, labels, negated, number, reshaped, sum, times, turned};
use super::entry_points::jacobian;
use super::forward::forward;
use super::order::{Recording, Variable};
use super::projected::Projection;
use super::reverse::{part_of, reverse};
use crate::expr::{Derivative, Derivatives, Read, Tree, Value};
use crate::link::Link;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The right side of an equation without the derivatives that stand in it. Gradients by variables that have a projection are projected.
///
/// # Errors
/// What has no derivative, values that do not depend on their variables, and complex tensors whose derivative depends on the direction
/// in the complex plane.
pub(crate) fn without_derivatives<'a>(
    tree: Tree<'a>,
    derivatives: &Derivatives<'a>,
    projections: &[Projection<'a>],
) -> Result<Tree<'a>, Error> {
    let labels = Labels::of(&derivatives.extents, &derivatives.names);
    let factors = derivatives.factors.iter().map(|derivative| Factor::new(derivative, &labels)).collect::<Result<_, _>>()?;
    let walk = Walk { factors, labels, projections };
    walk.tree(&tree, derivatives.dtype)
}

/// A derivative in an equation.
struct Factor<'d, 'a> {
    of: &'d Derivative<'a>,
    /// What is differentiated: one axis for each label.
    value: Link<Value<'a>>,
    /// The labels of that value.
    rows: Vec<usize>,
    /// The labels of the variable, each once.
    columns: Vec<usize>,
}

impl<'d, 'a> Factor<'d, 'a> {
    fn new(of: &'d Derivative<'a>, names: &Labels) -> Result<Factor<'d, 'a>, Error> {
        let read = &of.value;
        let (rows, columns) = (distinct(&read.axes), distinct(&of.variable.axes));
        let value = match names.read_whole(&read.axes, &rows, &read.value.extents) {
            true => Link::clone(&read.value),
            false => names.value(Tree::Operand(Link::clone(&read.value), read.axes.clone()), rows.clone(), read.value.dtype),
        };
        let found = Factor { of, value, rows, columns };
        if found.value.dtype.is_complex() {
            found.check_complex()?;
        }
        Ok(found)
    }

    fn variable(&self) -> Variable<'a> {
        Variable::new(Link::clone(&self.of.variable.value))
    }

    /// Checks that a complex value has one derivative for all directions in the complex plane.
    fn check_complex(&self) -> Result<(), Error> {
        let recording = Recording::new(std::slice::from_ref(&self.value), &[self.variable()])?;
        match recording.without_complex_derivative() {
            None => Ok(()),
            Some(what) => {
                let message =
                    format!("the derivative of `{}` by `{}`, which passes {what}", self.of.value.text, self.of.variable.text);
                let error = Error::new(ErrorKind::Unsupported(message));
                Err(error.with_help("it depends on the direction in the complex plane; a real number of it has a gradient"))
            }
        }
    }

    fn unprojected(&self, what: &str) -> Error {
        let Read { text, .. } = &self.of.variable;
        let message = format!("{what} of `{}` by the block tensor `{text}`", self.of.value.text);
        let error = Error::new(ErrorKind::Unsupported(message));
        error.with_help("a number has a gradient, a tensor one for a weight, or a change along a direction")
    }

    fn independent(&self) -> Error {
        let message = format!("`{}` does not depend on `{}`", self.of.value.text, self.of.variable.text);
        Error::new(ErrorKind::Undefined(message)).with_help("its derivative is zero everywhere: leave it out")
    }

    /// The derivatives for a weight of what is differentiated, in front of which there may be one more axis for many weights.
    fn in_reverse(&self, weight: &Link<Value<'a>>, is_many: bool) -> Result<Link<Value<'a>>, Error> {
        let weight = turned(weight);
        let one = if is_many { Value::stand_in(&self.value.extents, weight.dtype)? } else { Link::clone(&weight) };
        let made = reverse(&self.value, &one, &[self.variable()])?.remove(0);
        let made = match made {
            Some(made) if is_many => batched(&made, &one, &weight)?,
            other => other,
        };
        Ok(turned(&made.ok_or_else(|| self.independent())?))
    }

    /// The change for a direction of the variable, in front of which there may be one more axis for many directions.
    fn forward(&self, direction: &Link<Value<'a>>, is_many: bool) -> Result<Link<Value<'a>>, Error> {
        let variable = &self.of.variable.value;
        let one = if is_many { Value::stand_in(&variable.extents, variable.dtype)? } else { Link::clone(direction) };
        let made = forward(std::slice::from_ref(&self.value), &[self.variable()], std::slice::from_ref(&one))?.remove(0);
        let made = match made {
            Some(made) if is_many => batched(&made, &one, direction)?,
            other => other,
        };
        made.ok_or_else(|| self.independent())
    }

    /// All derivatives, with the labels of what is differentiated and the axes of the variable.
    fn all(&self, projection: Option<&Projection<'a>>) -> Result<Tree<'a>, Error> {
        let variable = &self.of.variable.value;
        let found = match (self.rows.is_empty(), projection) {
            (true, projection) => {
                let one = constant(1.0, &[], self.value.dtype);
                let found = reverse(&self.value, &one, &[self.variable()])?.remove(0);
                found.map(|found| projection.map_or_else(|| Link::clone(&found), |projection| projection.of(&found)))
            }
            (false, None) => jacobian(&self.value, variable)?,
            (false, Some(_)) => return Err(self.unprojected("all derivatives")),
        };
        let axes = [labels(self.rows.iter().copied()), self.of.variable.axes.clone()].concat();
        Ok(Tree::Operand(found.ok_or_else(|| self.independent())?, axes))
    }
}

/// A product of factors and divisors.
#[derive(Clone, Default)]
struct Product<'t, 'a> {
    factors: Vec<&'t Tree<'a>>,
    divisors: Vec<&'t Tree<'a>>,
    is_negative: bool,
}

impl<'t, 'a> Product<'t, 'a> {
    fn of(tree: &'t Tree<'a>) -> Product<'t, 'a> {
        let mut found = Product::default();
        found.add(tree);
        found
    }

    fn add(&mut self, tree: &'t Tree<'a>) {
        match tree {
            Tree::Negate(inner) => {
                self.is_negative = !self.is_negative;
                self.add(inner);
            }
            Tree::Binary(Operator::Multiply, left, right) => {
                self.add(left);
                self.add(right);
            }
            Tree::Binary(Operator::Divide, left, right) => {
                self.add(left);
                self.divisors.push(right);
            }
            other => self.factors.push(other),
        }
    }

    /// The factors and divisors with one of these labels, and the others. The sign stays with the others.
    fn split(&self, with: &[usize]) -> [Product<'t, 'a>; 2] {
        let has = |tree: &&&'t Tree<'a>| free_of(tree).iter().any(|label| with.contains(label));
        let part = |wanted: bool| Product {
            factors: self.factors.iter().filter(|tree| has(tree) == wanted).copied().collect(),
            divisors: self.divisors.iter().filter(|tree| has(tree) == wanted).copied().collect(),
            is_negative: self.is_negative && !wanted,
        };
        [part(true), part(false)]
    }

    fn labels(&self) -> Vec<usize> {
        let mut found: Vec<usize> = self.factors.iter().chain(&self.divisors).flat_map(|tree| free_of(tree)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A product in which a derivative is contracted with a weight or a direction.
struct Contraction<'t, 'a> {
    weight: Product<'t, 'a>,
    rest: Product<'t, 'a>,
    /// The labels beside those of the derivative that count many weights.
    counted: Vec<usize>,
    /// Those over which the weight is summed, because nothing else has them.
    summed: Vec<usize>,
}

fn free_of(tree: &Tree<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    tree.free_labels(&mut found);
    found
}

struct Walk<'d, 'a> {
    factors: Vec<Factor<'d, 'a>>,
    labels: Labels,
    projections: &'d [Projection<'a>],
}

impl<'a> Walk<'_, 'a> {
    fn factor(&self, tree: &Tree<'a>) -> Option<&Factor<'_, 'a>> {
        let Tree::Operand(value, _) = tree else { return None };
        self.factors.iter().find(|factor| Link::address(&factor.of.stands) == Link::address(value))
    }

    /// The projection of gradients by a variable, if it is a block tensor.
    fn projection(&self, factor: &Factor<'_, 'a>) -> Option<&Projection<'a>> {
        let address = Link::address(&factor.of.variable.value);
        self.projections.iter().find(|projection| Link::address(&projection.variable) == address)
    }

    fn tree(&self, tree: &Tree<'a>, dtype: Dtype) -> Result<Tree<'a>, Error> {
        match tree {
            Tree::Operand(..) => match self.factor(tree) {
                Some(factor) => factor.all(self.projection(factor)),
                None => Ok(tree.clone()),
            },
            Tree::Reduce(Reduction::Sum, over, of) => self.sum(over, of, dtype),
            Tree::Cast(from, of) => Ok(Tree::Cast(*from, Box::new(self.tree(of, *from)?))),
            other => other.try_with_parts(|part| self.tree(part, dtype)),
        }
    }

    /// `sum(over; product)`
    fn sum(&self, over: &[usize], tree: &Tree<'a>, dtype: Dtype) -> Result<Tree<'a>, Error> {
        let product = Product::of(tree);
        for (n, factor) in product.factors.iter().enumerate() {
            let Some(derivative) = self.factor(factor) else { continue };
            let mut others = product.clone();
            others.factors.remove(n);
            if let Some(made) = self.contracted(derivative, &others, over, dtype)? {
                return Ok(made);
            }
        }
        Ok(Tree::Reduce(Reduction::Sum, over.to_vec(), Box::new(self.tree(tree, dtype)?)))
    }

    /// A term in which a derivative is contracted with other factors; `None` if all derivatives are needed.
    fn contracted(
        &self,
        of: &Factor<'_, 'a>,
        others: &Product<'_, 'a>,
        over: &[usize],
        dtype: Dtype,
    ) -> Result<Option<Tree<'a>>, Error> {
        let is_summed = |labels: &[usize], beside: &[usize]| {
            !labels.is_empty() && labels.iter().all(|label| over.contains(label) && !beside.contains(label))
        };
        let variable = &of.of.variable;
        let is_plain = self.labels.read_whole(&variable.axes, &of.columns, &variable.value.extents);
        // The gradient of a real number by complex ones is contracted as it is: it is no change along a direction.
        let is_number = of.value.dtype != variable.value.dtype;
        let forward = (is_summed(&of.columns, &of.rows) && !is_number)
            .then(|| self.contraction(others, &of.columns, &of.rows, over))
            .filter(|contraction| is_plain || contraction.counted.is_empty());
        let reverse = is_summed(&of.rows, &of.columns).then(|| self.contraction(others, &of.rows, &of.columns, over));
        let count = |contraction: &Option<Contraction<'_, 'a>>| contraction.as_ref().map(|found| self.count(&found.counted));
        let is_forward = match (count(&forward), count(&reverse)) {
            (Some(directions), Some(weights)) => directions <= weights,
            (directions, _) => directions.is_some(),
        };
        let Some(found) = (if is_forward { forward } else { reverse }) else { return Ok(None) };
        let (own, is_many) = (if is_forward { &of.columns } else { &of.rows }, !found.counted.is_empty());
        let body = sum(found.summed.clone(), self.product(&found.weight, dtype)?);
        let weight = match (is_many, is_forward) {
            (true, _) => self.many(&found.counted, own, body, dtype),
            (false, true) => part_of(&self.labels, own, &variable.value, &variable.axes, body)?.value(dtype),
            (false, false) => self.labels.value(body, own.clone(), dtype),
        };
        let (made, extents, axes) = match is_forward {
            true => (of.forward(&weight, is_many)?, &of.value.extents, labels(of.rows.iter().copied())),
            false => (of.in_reverse(&weight, is_many)?, &variable.value.extents, variable.axes.clone()),
        };
        let counted: Vec<usize> = found.counted.iter().map(|&label| self.labels.extents[label]).collect();
        let made = match self.projection(of).filter(|_| !is_forward) {
            None => made,
            Some(projection) if !is_many => projection.of(&made),
            Some(_) => return Err(of.unprojected("derivatives for many weights")),
        };
        let made = reshaped(&made, &[&counted[..], extents].concat());
        let made = Tree::Operand(made, [labels(found.counted.iter().copied()), axes].concat());
        let left = over.iter().copied().filter(|label| !own.contains(label) && !found.summed.contains(label)).collect();
        Ok(Some(sum(left, times(self.product(&found.rest, dtype)?, made))))
    }

    /// The parts of a product for the factors with some labels; `kept` are the other labels of the derivative.
    fn contraction<'t>(&self, product: &Product<'t, 'a>, own: &[usize], kept: &[usize], over: &[usize]) -> Contraction<'t, 'a> {
        let [weight, rest] = product.split(own);
        let elsewhere = rest.labels();
        let beside = weight.labels().into_iter().filter(|label| !own.contains(label));
        let (counted, summed) =
            beside.partition(|label| elsewhere.contains(label) || kept.contains(label) || !over.contains(label));
        Contraction { weight, rest, counted, summed }
    }

    fn count(&self, labels: &[usize]) -> usize {
        labels.iter().map(|&label| self.labels.extents[label]).product()
    }

    /// Many weights: one axis in front counts them.
    fn many(&self, counted: &[usize], own: &[usize], body: Tree<'a>, dtype: Dtype) -> Link<Value<'a>> {
        let all = self.labels.value(body, [counted, own].concat(), dtype);
        let own: Vec<usize> = own.iter().map(|&label| self.labels.extents[label]).collect();
        reshaped(&all, &[&[self.count(counted)], &own[..]].concat())
    }

    fn product(&self, of: &Product<'_, 'a>, dtype: Dtype) -> Result<Tree<'a>, Error> {
        let mut product = number(1.0);
        for factor in &of.factors {
            product = times(product, self.tree(factor, dtype)?);
        }
        for divisor in &of.divisors {
            product = binary(Operator::Divide, product, self.tree(divisor, dtype)?);
        }
        Ok(if of.is_negative { negated(product) } else { product })
    }
}
