//! The doors of the library, each given the same equation: the language's text, operators, subscripts, integer labels.

use std::ops::{Add, Div, Mul, Sub};

use num_complex::Complex;
use tensorwrapper::{Context, DynOperand, Element, Error, Indexed, IndexedMask, RecordOperand, Tensor, TensorRef, record};

use crate::property::tree::{
    Comparison, Equation, Exchange, Fold, Function, Index, Join, Name, Op, Tree, axes, labels, variable,
};

/// A way into the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Door {
    Language,
    Operators,
    Subscripts,
    Integers,
}

impl Door {
    pub const ALL: [Door; 4] = [Door::Language, Door::Operators, Door::Subscripts, Door::Integers];

    /// The equation through this door; `None` where it cannot say it.
    pub fn evaluate<T: Left>(
        self,
        equation: &Equation,
        tensors: &[TensorRef<'_, T>],
        context: &Context,
    ) -> Option<Result<Tensor<T>, Error>> {
        match self {
            Door::Language => Some(language(equation, tensors, context)),
            // Operators have no `where`.
            Door::Operators if !equation.declared.is_empty() => None,
            Door::Operators => Some(build(&equation.right, tensors).eval_in(context, &axes(&equation.left))),
            Door::Subscripts => {
                let (numbers, lists) = product(equation)?;
                let text: Vec<String> = lists.iter().map(|list| subscript(list)).collect();
                let text = format!("{}->{}", text.join(","), subscript(&equation.left));
                let operands: Vec<&dyn DynOperand<T>> = numbers.iter().map(|&n| &tensors[n] as &dyn DynOperand<T>).collect();
                Some(context.einsum(&text, &operands))
            }
            Door::Integers => {
                let (numbers, lists) = product(equation)?;
                let lists: Vec<Vec<usize>> = lists.iter().map(|list| integers(list)).collect::<Option<_>>()?;
                let operands: Vec<(&dyn DynOperand<T>, &[usize])> =
                    numbers.iter().zip(&lists).map(|(&n, list)| (&tensors[n] as &dyn DynOperand<T>, list.as_slice())).collect();
                Some(context.contract(&operands, &integers(&equation.left)?))
            }
        }
    }
}

/// The text as `tensor!` reads it.
fn language<T: Element>(equation: &Equation, tensors: &[TensorRef<'_, T>], context: &Context) -> Result<Tensor<T>, Error> {
    let text = equation.to_string();
    let is_word = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    let numbers = (-8..=8).map(|n| 0.25 * f64::from(n));
    let numbers = numbers.map(|x| (variable(x), Tensor::scalar(T::from_complex(Complex::new(x, 0.0)))));
    let numbers: Vec<(String, Tensor<T, ()>)> = numbers.filter(|(name, _)| is_word(name)).collect();
    let names: Vec<String> = (0..tensors.len()).map(|n| format!("t{n}")).collect();
    let tensors = names.iter().zip(tensors).map(|(name, tensor)| (name.as_str(), tensor as &dyn RecordOperand<T>));
    let numbers = numbers.iter().map(|(name, number)| (name.as_str(), number as &dyn RecordOperand<T>));
    let given: Vec<_> = tensors.chain(numbers).filter(|(name, _)| is_word(name)).collect();
    context.eval(&record(&text, &given)?)
}

/// The tensors and indices of a product of operands, each index a label or `..`.
fn product(equation: &Equation) -> Option<(Vec<usize>, Vec<&[Index]>)> {
    fn factors<'t>(tree: &'t Tree, found: &mut (Vec<usize>, Vec<&'t [Index]>)) -> bool {
        match tree {
            Tree::Binary(Op::Multiply, a, b) => factors(a, found) && factors(b, found),
            Tree::Operand(n, indices) => {
                found.0.push(*n);
                found.1.push(indices);
                true
            }
            _ => false,
        }
    }
    let is_simple = |index: &Index| matches!(index, Index::Label(_) | Index::Rest);
    let mut found = (Vec::new(), Vec::new());
    let simple = equation.declared.is_empty()
        && factors(&equation.right, &mut found)
        && found.1.iter().copied().flatten().chain(&equation.left).all(is_simple);
    simple.then_some(found)
}

/// Whether subscripts and integer labels may say the equation.
pub fn is_product(equation: &Equation) -> bool {
    product(equation).is_some()
}

fn subscript(indices: &[Index]) -> String {
    indices.iter().map(|index| if let Index::Label(name) = index { name } else { "..." }).collect()
}

/// Any number for each name; none for `..`.
fn integers(indices: &[Index]) -> Option<Vec<usize>> {
    let number = |name: Name| name.chars().map(|c| c as usize).sum();
    indices.iter().map(|index| if let Index::Label(name) = index { Some(number(name)) } else { None }).collect()
}

/// Numbers that may stand to the left of an operator.
pub trait Left: Element {
    fn left(self, op: Op, right: Indexed<'_, Self>) -> Indexed<'_, Self>;
}

macro_rules! left {
    ($($T:ty),*) => { $(
        impl Left for $T {
            fn left(self, op: Op, right: Indexed<'_, Self>) -> Indexed<'_, Self> {
                apply(op, self, right)
            }
        }
    )* };
}
left!(f32, f64, Complex<f32>, Complex<f64>);

fn apply<A, B, C>(op: Op, a: A, b: B) -> C
where
    A: Add<B, Output = C> + Sub<B, Output = C> + Mul<B, Output = C> + Div<B, Output = C>,
{
    match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
    }
}

/// The tree through the operator door.
pub fn build<'t, T: Left>(tree: &Tree, tensors: &'t [TensorRef<'_, T>]) -> Indexed<'t, T> {
    let number = |x: f64| T::from_complex(Complex::new(x, 0.0));
    match tree {
        Tree::Operand(n, indices) => TensorRef::at(&tensors[*n], &axes(indices)),
        Tree::Number(x) | Tree::Variable(x) => Indexed::spread(number(*x), ""),
        Tree::Spread(x, names) => Indexed::spread(number(*x), &labels(names)),
        Tree::Iota(name) => Indexed::iota(&labels(&[name])),
        Tree::Negate(inner) => -build(inner, tensors),
        Tree::Binary(op, a, b) => match (&**a, &**b) {
            (a, Tree::Number(x) | Tree::Variable(x)) => apply(*op, build(a, tensors), number(*x)),
            (Tree::Spread(x, names), b) if names.is_empty() => number(*x).left(*op, build(b, tensors)),
            (a, b) => apply(*op, build(a, tensors), build(b, tensors)),
        },
        Tree::Parentheses(inner) => build(inner, tensors),
        Tree::Apply(function, inner) => {
            let inner = build(inner, tensors);
            match *function {
                Function::Exp => inner.exp(),
                Function::Ln => inner.ln(),
                Function::Sqrt => inner.sqrt(),
                Function::Abs => inner.abs(),
                Function::Sin => inner.sin(),
                Function::Cos => inner.cos(),
                Function::Tan => inner.tan(),
                Function::Tanh => inner.tanh(),
                Function::Recip => inner.recip(),
                Function::Conj => inner.conj(),
                Function::Re => inner.re(),
                Function::Im => inner.im(),
                Function::Powi(n) => inner.powi(n),
                Function::Powf(p) => inner.powf(p),
            }
        }
        Tree::Exchange(kind, groups, inner) => {
            let op = if *kind == Exchange::Sym { Op::Add } else { Op::Subtract };
            let twin: Indexed<'t, T> = apply(op, build(inner, tensors), build(&inner.exchanged(groups), tensors));
            // One term, which has all labels that change places.
            let names: Vec<Name> = groups.iter().flatten().copied().collect();
            twin * Indexed::spread(number(1.0), &labels(&names))
        }
        Tree::Clip(parts) => {
            let [of, low, high] = parts.each_ref().map(|part| build(part, tensors));
            of.clip(low, high)
        }
        Tree::Select(parts) => mask(&parts[0], tensors).select(build(&parts[1], tensors), build(&parts[2], tensors)),
        Tree::Compare(..) | Tree::Join(..) | Tree::Not(_) => unreachable!("conditions choose, and are no values here"),
        Tree::Reduce(fold, names, inner) => {
            let (inner, names) = (build(inner, tensors), labels(names));
            match fold {
                Fold::Sum => inner.sum(&names),
                Fold::Prod => inner.prod(&names),
                Fold::Max => inner.max(&names),
                Fold::Min => inner.min(&names),
                Fold::Mean => inner.mean(&names),
                Fold::Var => inner.var(&names),
                Fold::Std => inner.std(&names),
                Fold::Argmax => inner.argmax(&names),
                Fold::Argmin => inner.argmin(&names),
            }
        }
    }
}

/// A condition through the operator door.
fn mask<'t, T: Left>(condition: &Tree, tensors: &'t [TensorRef<'_, T>]) -> IndexedMask<'t, T> {
    match condition {
        Tree::Compare(comparison, sides) => {
            let [left, right] = sides.each_ref().map(|side| build(side, tensors));
            match comparison {
                Comparison::Less => left.less(right),
                Comparison::LessEqual => left.less_equal(right),
                Comparison::Greater => left.greater(right),
                Comparison::GreaterEqual => left.greater_equal(right),
                Comparison::Equal => left.equal(right),
                Comparison::NotEqual => left.not_equal(right),
            }
        }
        Tree::Join(Join::Both, parts) => mask(&parts[0], tensors) & mask(&parts[1], tensors),
        Tree::Join(Join::Either, parts) => mask(&parts[0], tensors) | mask(&parts[1], tensors),
        Tree::Not(inner) => !mask(inner, tensors),
        _ => unreachable!("what is no condition does not stand for one"),
    }
}
