//! The right side of an equation over block tensors, as it was written: sums, products, quotients and functions of operands.
//!
//! What an expression is does not depend on the structures of operands.

use std::convert::Infallible;

use num_complex::Complex;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::{AxisPart, Structure};
use tensorwrapper_notation::syntax::{Hole, Operator};
use tensorwrapper_notation::{Condition, Function, Operand, OperandId};

/// What the holes of an equation stand for.
pub(in crate::exec) trait TreeHoles {
    /// The number of an operand.
    fn operand(&self, id: OperandId, operand: &Operand) -> usize;
    /// A number.
    ///
    /// # Errors
    /// When the hole is no number.
    fn number(&self, hole: &Hole) -> Result<Complex<f64>, Error> {
        Err(Error::new(ErrorKind::Label(format!("`{}` is no number", hole.text))))
    }
    /// The cut of labels, if the hole is one.
    fn cut(&self, _: &Hole) -> Option<Tiling> {
        None
    }
    /// The extent of labels.
    fn extent(&self, _: &Hole) -> usize {
        unreachable!("entry points at run time write extents as literals")
    }
    /// A range of indices: its first, and the one after its last.
    fn range(&self, _: &Hole) -> (usize, Option<usize>) {
        unreachable!("entry points at run time write ranges as literals")
    }
    /// The exponent of `powi`.
    fn whole(&self, _: &Hole) -> i32 {
        unreachable!("entry points at run time write exponents as literals")
    }
    /// The exponent of `powf`.
    fn real(&self, _: &Hole) -> f64 {
        unreachable!("entry points at run time write exponents as literals")
    }
}

/// An operand of an equation, by its number, and the label of each of its axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Factor {
    pub(super) operand: usize,
    pub(super) conjugates: bool,
    pub(super) labels: Vec<usize>,
}

/// A part of an operand that an equation reads: of each axis a range, whose end may be that of the axis, or a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadPart {
    pub(super) operand: usize,
    pub(super) axes: Vec<ReadAxis>,
}

impl ReadPart {
    /// The extents of the part's axes, as far as it lies within its operand.
    pub(super) fn extents(&self, of: &Structure) -> Vec<usize> {
        let extent = |(axis, tiling): (&ReadAxis, &Tiling)| match *axis {
            ReadAxis::Position(_) => None,
            ReadAxis::Range(start, end) => Some(end.unwrap_or(tiling.extent()).saturating_sub(start)),
        };
        self.axes.iter().zip(of.tilings()).filter_map(extent).collect()
    }

    /// What is kept of each axis of its operand.
    pub(super) fn axis_parts(&self, of: &Structure) -> Vec<AxisPart> {
        let part = |(axis, tiling): (&ReadAxis, &Tiling)| match *axis {
            ReadAxis::Position(position) => AxisPart::Position(position),
            ReadAxis::Range(start, end) => AxisPart::Range(start, end.unwrap_or(tiling.extent())),
        };
        self.axes.iter().zip(of.tilings()).map(part).collect()
    }
}

/// A tensor that is made before the others of an equation, which reads it as an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Extra {
    Part(ReadPart),
    /// The values of this label's index.
    Iota(usize),
}

/// What is read of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadAxis {
    Position(usize),
    Range(usize, Option<usize>),
}

/// An expression over labelled operands.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Tree {
    Factor(Factor),
    Number(Complex<f64>),
    Negate(Box<Tree>),
    Binary(Operator, Box<Tree>, Box<Tree>),
    /// The sum over these labels.
    Sum(Vec<usize>, Box<Tree>),
    /// The product, maximum or minimum over these labels.
    Fold(Reduction, Vec<usize>, Box<Tree>),
    Apply(Function, Box<Tree>),
    PowerInteger(Box<Tree>, i32),
    PowerReal(Box<Tree>, f64),
    /// The first value where the condition holds, and the second elsewhere.
    Select(Condition<Tree>, Box<[Tree; 2]>),
}

/// That something is not computed over block tensors.
pub(super) fn unsupported(what: &str) -> Error {
    let error = Error::new(ErrorKind::Unsupported(format!("{what} in an equation of block tensors")));
    error.with_help(
        "sums, products, quotients, choices, reductions and functions of block tensors are computed; `to_dense` makes a tensor for the rest",
    )
}

/// The error of linear algebra where equations over block tensors are sums and products: prepared, from text, or with derivatives.
pub(super) fn decomposition() -> Error {
    let error =
        Error::new(ErrorKind::Unsupported("linear algebra of block tensors in a prepared equation or a derivative".to_string()));
    error.with_help("`tensor!` computes it, and so do methods: `a.svd([0, 1])?`, with the axes that are rows")
}

impl Tree {
    /// The number that it is, whatever the operands are.
    pub(super) fn number(&self) -> Option<Complex<f64>> {
        self.number_of(None)
    }

    /// Whether something is summed over labels.
    pub(super) fn sums(&self) -> bool {
        self.any(&|tree| matches!(tree, Tree::Sum(..)))
    }

    /// Whether it is zero, whatever the operands are.
    pub(super) fn is_zero(&self) -> bool {
        self.number() == Some(Complex::ZERO)
    }

    /// The number that it is where all operands are zero, if that is told without computing functions.
    pub(super) fn number_of_zeros(&self) -> Option<Complex<f64>> {
        self.number_of(Some(Complex::ZERO))
    }

    /// The number that it is where all operands are that number.
    fn number_of(&self, operands: Option<Complex<f64>>) -> Option<Complex<f64>> {
        match self {
            Tree::Factor(_) => operands,
            Tree::Number(value) => Some(*value),
            Tree::Negate(inner) => Some(-inner.number_of(operands)?),
            Tree::Apply(Function::Abs, inner) => Some(inner.number_of(operands)?.norm().into()),
            Tree::Apply(Function::Re, inner) => Some(inner.number_of(operands)?.re.into()),
            Tree::Apply(Function::Im, inner) => Some(inner.number_of(operands)?.im.into()),
            Tree::Apply(Function::Conj, inner) => Some(inner.number_of(operands)?.conj()),
            Tree::Binary(operator, left, right) => {
                let (left, right) = (left.number_of(operands)?, right.number_of(operands)?);
                if operands.is_some() && left != Complex::ZERO && right != Complex::ZERO {
                    // Elements of another type would round it otherwise.
                    return None;
                }
                Some(match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => quotient(left, right),
                })
            }
            Tree::Sum(..)
            | Tree::Fold(..)
            | Tree::Apply(..)
            | Tree::PowerInteger(..)
            | Tree::PowerReal(..)
            | Tree::Select(..) => None,
        }
    }

    /// Whether its values are real numbers, although its elements may be complex ones.
    pub(super) fn is_real(&self) -> bool {
        match self {
            Tree::Number(value) => value.im == 0.0,
            Tree::Apply(Function::Re | Function::Im | Function::Abs, _) => true,
            Tree::Negate(inner) | Tree::Sum(_, inner) | Tree::Fold(_, _, inner) | Tree::PowerInteger(inner, _) => inner.is_real(),
            Tree::Binary(_, left, right) => left.is_real() && right.is_real(),
            Tree::Select(_, values) => values.iter().all(Tree::is_real),
            Tree::Factor(_) | Tree::Apply(..) | Tree::PowerReal(..) => false,
        }
    }

    /// Visits its parts, then itself.
    pub(super) fn visit<'t>(&'t self, with: &mut dyn FnMut(&'t Tree)) {
        match self {
            Tree::Factor(_) | Tree::Number(_) => {}
            Tree::Select(condition, values) => {
                condition.expressions().into_iter().chain(&**values).for_each(|part| part.visit(with));
            }
            Tree::Binary(_, left, right) => {
                left.visit(with);
                right.visit(with);
            }
            Tree::Negate(inner)
            | Tree::Sum(_, inner)
            | Tree::Fold(_, _, inner)
            | Tree::Apply(_, inner)
            | Tree::PowerInteger(inner, _)
            | Tree::PowerReal(inner, _) => inner.visit(with),
        }
        with(self);
    }

    /// Its factors, in the order of writing.
    pub(super) fn factors(&self) -> Vec<&Factor> {
        let mut found = Vec::new();
        self.visit(&mut |tree| found.extend(if let Tree::Factor(factor) = tree { Some(factor) } else { None }));
        found
    }

    /// Whether a part of it, or itself, is so.
    pub(super) fn any(&self, is: &dyn Fn(&Tree) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |tree| found |= is(tree));
        found
    }

    /// Whether a part of it is a sum or another reduction over labels.
    pub(super) fn has_sum(&self) -> bool {
        self.any(&|tree| matches!(tree, Tree::Sum(..) | Tree::Fold(..)))
    }

    /// Whether it is a sum of products once it is expanded.
    pub(super) fn is_sum_of_products(&self) -> bool {
        !self.any(&Tree::is_own_kind)
    }

    /// Whether a part of it is a product of sums, so that expanding it would multiply their terms.
    pub(super) fn multiplies_sums(&self) -> bool {
        let adds = |tree: &Tree| tree.any(&|part| matches!(part, Tree::Binary(Operator::Add | Operator::Subtract, ..)));
        self.any(&|tree| match tree {
            Tree::Binary(Operator::Multiply, left, right) => {
                left.number().is_none() && right.number().is_none() && (adds(left) || adds(right))
            }
            _ => false,
        })
    }

    /// Whether it is neither a sum nor a product, whatever its parts are.
    pub(super) fn is_own_kind(&self) -> bool {
        match self {
            Tree::Apply(function, _) => *function != Function::Conj,
            Tree::PowerInteger(..) | Tree::PowerReal(..) | Tree::Select(..) | Tree::Fold(..) => true,
            Tree::Binary(Operator::Divide, _, right) => right.number().is_none(),
            Tree::Factor(_) | Tree::Number(_) | Tree::Negate(_) | Tree::Binary(..) | Tree::Sum(..) => false,
        }
    }

    /// The labels that it is not summed over, each once.
    pub(super) fn free(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.find_free(&mut Vec::new(), &mut found);
        found
    }

    /// Adds the labels that neither it nor what is around it is summed over.
    fn find_free(&self, bound: &mut Vec<usize>, found: &mut Vec<usize>) {
        match self {
            Tree::Factor(factor) => {
                for label in &factor.labels {
                    found.extend((!bound.contains(label) && !found.contains(label)).then_some(*label));
                }
            }
            Tree::Number(_) => {}
            Tree::Sum(labels, inner) | Tree::Fold(_, labels, inner) => {
                let around = bound.len();
                bound.extend(labels);
                inner.find_free(bound, found);
                bound.truncate(around);
            }
            Tree::Binary(_, left, right) => [left, right].into_iter().for_each(|side| side.find_free(bound, found)),
            Tree::Select(condition, values) => {
                condition.expressions().into_iter().chain(&**values).for_each(|part| part.find_free(bound, found));
            }
            Tree::Negate(inner) | Tree::Apply(_, inner) | Tree::PowerInteger(inner, _) | Tree::PowerReal(inner, _) => {
                inner.find_free(bound, found);
            }
        }
    }

    /// The same with operands of other numbers.
    pub(super) fn numbered(&self, number: &dyn Fn(usize) -> usize) -> Tree {
        self.map(&|factor| Factor { operand: number(factor.operand), ..factor.clone() }, &|value| value)
    }

    /// The same with other factors and numbers.
    pub(super) fn map(&self, factor: &dyn Fn(&Factor) -> Factor, number: &dyn Fn(Complex<f64>) -> Complex<f64>) -> Tree {
        let inner = |inner: &Tree| Box::new(inner.map(factor, number));
        match self {
            Tree::Factor(own) => Tree::Factor(factor(own)),
            Tree::Number(value) => Tree::Number(number(*value)),
            Tree::Negate(of) => Tree::Negate(inner(of)),
            Tree::Binary(operator, left, right) => Tree::Binary(*operator, inner(left), inner(right)),
            Tree::Sum(labels, of) => Tree::Sum(labels.clone(), inner(of)),
            Tree::Fold(reduction, labels, of) => Tree::Fold(*reduction, labels.clone(), inner(of)),
            Tree::Apply(function, of) => Tree::Apply(*function, inner(of)),
            Tree::PowerInteger(of, exponent) => Tree::PowerInteger(inner(of), *exponent),
            Tree::PowerReal(of, exponent) => Tree::PowerReal(inner(of), *exponent),
            Tree::Select(condition, values) => {
                let own = |tree: &Tree| tree.map(factor, number);
                let Ok(condition) = condition.try_map(&mut |side| Ok::<_, Infallible>(own(side)));
                Tree::Select(condition, Box::new(values.each_ref().map(own)))
            }
        }
    }

    /// The conjugate, where that is the same of conjugated operands.
    pub(super) fn conjugated(&self) -> Option<Tree> {
        // Square roots, logarithms and real powers have a branch cut; the others know what is real.
        let differs = self.any(&|tree| match tree {
            Tree::Apply(function, _) => !matches!(
                function,
                Function::Exp | Function::Sin | Function::Cos | Function::Tan | Function::Tanh | Function::Recip
            ),
            // What a condition compares is not what is chosen.
            Tree::PowerReal(..) | Tree::Select(..) | Tree::Fold(..) => true,
            _ => false,
        });
        let conjugate = |factor: &Factor| Factor { conjugates: !factor.conjugates, ..factor.clone() };
        (!differs).then(|| self.map(&conjugate, &|value| value.conj()))
    }
}

/// A quotient of numbers. By a real number both parts are divided alone: a complex quotient would round, overflow and underflow where a
/// real one does not.
pub(super) fn quotient(number: Complex<f64>, divisor: Complex<f64>) -> Complex<f64> {
    if divisor.im != 0.0 {
        return number / divisor;
    }
    let im = if number.im == 0.0 { 0.0 } else { number.im / divisor.re };
    Complex::new(number.re / divisor.re, im)
}

/// Whether a function of zero is zero; nothing where it has no value.
pub(super) fn keeps_zero(function: Function) -> Option<bool> {
    match function {
        Function::Sqrt | Function::Abs | Function::Sin | Function::Tan | Function::Tanh => Some(true),
        Function::Conj | Function::Re | Function::Im => Some(true),
        Function::Exp | Function::Cos | Function::Ln => Some(false),
        Function::Recip => None,
    }
}
