//! The value of a resolved equation, element by element, with what rounding may add to it. Shares nothing with the library.

use num_complex::Complex;

use crate::property::oracle::{Axis, Data, Label, Node, Numbers};
use crate::property::tree::{Comparison, Fold, Function, Join, Op};

/// A value, and the size of what rounding may add to it for each unit of precision.
#[derive(Clone, Copy)]
pub struct Value {
    pub value: Complex<f64>,
    pub scale: f64,
}

/// All positions in a shape, the last axis fastest.
pub fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let (shape, count) = (shape.to_vec(), shape.iter().product::<usize>());
    (0..count).map(move |mut rest| {
        let mut index = vec![0; shape.len()];
        for axis in (0..shape.len()).rev() {
            index[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        index
    })
}

/// Computes elements of a resolved equation.
pub struct Evaluator<'e> {
    pub data: &'e [Data],
    pub extents: &'e [usize],
    pub numbers: Numbers,
}

impl Evaluator<'_> {
    /// The element at an assignment of indices to labels.
    pub fn value(&self, node: &Node, assignment: &mut Vec<usize>) -> Value {
        let Value { value, scale } = self.unbounded(node, assignment);
        let size = value.norm();
        let in_range = size == 0.0 || size < self.numbers.largest && size > 1.0 / self.numbers.largest;
        Value { value, scale: if in_range { scale } else { f64::INFINITY } }
    }

    fn unbounded(&self, node: &Node, assignment: &mut Vec<usize>) -> Value {
        match node {
            Node::Operand(n, axes) => {
                let data = &self.data[*n];
                let place = axes.iter().zip(&data.extents).fold(0, |place, (axis, extent)| {
                    place * extent
                        + match axis {
                            Axis::Label(label, start) => start + assignment[*label],
                            Axis::Chip(position) => *position,
                            Axis::Fused(labels) => {
                                labels.iter().fold(0, |at, &label| at * self.extents[label] + assignment[label])
                            }
                        }
                });
                exact(data.elements[place])
            }
            Node::Number(x) => exact(Complex::new(*x, 0.0)),
            Node::Iota(label) => exact(Complex::new(assignment[*label] as f64, 0.0)),
            Node::Negate(inner) => {
                let Value { value, scale } = self.value(inner, assignment);
                Value { value: -value, scale }
            }
            Node::Binary(op, a, b) => binary(*op, self.value(a, assignment), self.value(b, assignment)),
            Node::Apply(function, inner) => self.apply(*function, self.value(inner, assignment)),
            Node::Fold(fold, over, inner) => self.fold(*fold, over, inner, assignment),
            Node::Clip(parts) => {
                let [of, low, high] = parts.each_ref().map(|part| self.value(part, assignment));
                let above = best(of, high, of.value.re > high.value.re);
                best(above, low, of.value.re < low.value.re)
            }
            Node::Select(parts) => self.value(&parts[if self.holds(&parts[0], assignment) { 1 } else { 2 }], assignment),
            Node::Compare(..) | Node::Join(..) | Node::Not(_) => {
                exact(if self.holds(node, assignment) { Complex::ONE } else { Complex::ZERO })
            }
        }
    }

    /// Whether a condition holds.
    fn holds(&self, condition: &Node, assignment: &mut Vec<usize>) -> bool {
        match condition {
            Node::Compare(comparison, sides) => {
                let [left, right] = sides.each_ref().map(|side| self.value(side, assignment).value);
                match comparison {
                    Comparison::Less => left.re < right.re,
                    Comparison::LessEqual => left.re <= right.re,
                    Comparison::Greater => left.re > right.re,
                    Comparison::GreaterEqual => left.re >= right.re,
                    Comparison::Equal => left == right,
                    Comparison::NotEqual => left != right,
                }
            }
            Node::Join(Join::Both, parts) => parts.iter().all(|part| self.holds(part, assignment)),
            Node::Join(Join::Either, parts) => parts.iter().any(|part| self.holds(part, assignment)),
            Node::Not(inner) => !self.holds(inner, assignment),
            _ => unreachable!("what is no condition does not stand for one"),
        }
    }

    fn fold(&self, fold: Fold, over: &[Label], inner: &Node, assignment: &mut Vec<usize>) -> Value {
        let shape: Vec<usize> = over.iter().map(|&l| self.extents[l]).collect();
        let all: Vec<Value> = indices(&shape)
            .map(|index| {
                over.iter().zip(&index).for_each(|(&l, &i)| assignment[l] = i);
                self.value(inner, assignment)
            })
            .collect();
        let sum = |values: Vec<Value>| values.into_iter().reduce(|a, b| binary(Op::Add, a, b)).unwrap_or(exact(Complex::ZERO));
        let count = exact(Complex::new(all.len() as f64, 0.0));
        let mean = |values: Vec<Value>| binary(Op::Divide, sum(values), count);
        let extreme = |better: fn(f64, f64) -> bool| {
            let pick = |a: (usize, Value), b: (usize, Value)| {
                let take = better(b.1.value.re, a.1.value.re);
                (if take { b.0 } else { a.0 }, best(a.1, b.1, take))
            };
            all.iter().copied().enumerate().reduce(pick).expect("what chooses has something to choose from")
        };
        let variance = || {
            let middle = mean(all.clone());
            let square = |x: Value| {
                let difference = binary(Op::Subtract, x, middle);
                let square = self.apply(Function::Powi(2), self.apply(Function::Abs, difference));
                // Where the difference vanishes, the square of what rounding leaves of it is all that there is.
                Value { scale: square.scale + difference.scale.powi(2) * self.numbers.precision, ..square }
            };
            mean(all.iter().copied().map(square).collect())
        };
        let place = |n: usize| exact(Complex::new(n as f64, 0.0));
        match fold {
            Fold::Sum => sum(all),
            Fold::Prod => all.into_iter().reduce(|a, b| binary(Op::Multiply, a, b)).unwrap_or(exact(Complex::ONE)),
            Fold::Max => extreme(|a, b| a > b).1,
            Fold::Min => extreme(|a, b| a < b).1,
            Fold::Argmax => place(extreme(|a, b| a > b).0),
            Fold::Argmin => place(extreme(|a, b| a < b).0),
            Fold::Mean => mean(all),
            Fold::Var => variance(),
            Fold::Std => {
                let variance = variance();
                let root = self.apply(Function::Sqrt, variance);
                // The slope is infinite at zero, but no root is farther off than the root of what its square is off.
                let most = (variance.scale / self.numbers.precision).sqrt();
                Value { scale: if root.scale < most { root.scale } else { most }, ..root }
            }
        }
    }

    /// The value of a function, and its derivative for the scale.
    fn apply(&self, function: Function, Value { value: z, scale }: Value) -> Value {
        use Function::{Abs, Conj, Cos, Exp, Im, Ln, Powf, Powi, Re, Recip, Sin, Sqrt, Tan, Tanh};
        let real = |f: fn(f64) -> f64, g: fn(Complex<f64>) -> Complex<f64>| {
            if self.numbers.complex { g(z) } else { Complex::new(f(z.re), 0.0) }
        };
        let (value, slope) = match function {
            Exp => (real(f64::exp, Complex::exp), z.exp().norm()),
            Ln => (real(f64::ln, Complex::ln), 1.0 / z.norm()),
            Sqrt => (real(f64::sqrt, Complex::sqrt), 0.5 / z.norm().sqrt()),
            Abs => (Complex::new(z.norm(), 0.0), 1.0),
            Sin => (real(f64::sin, Complex::sin), z.cos().norm()),
            Cos => (real(f64::cos, Complex::cos), z.sin().norm()),
            Tan => (real(f64::tan, |z| z.sin() / z.cos()), z.cos().norm_sqr().recip()),
            Tanh => (real(f64::tanh, |z| z.sinh() / z.cosh()), z.cosh().norm_sqr().recip()),
            Recip => (Complex::new(1.0, 0.0) / z, z.norm_sqr().recip()),
            Conj => (z.conj(), 1.0),
            Re => (Complex::new(z.re, 0.0), 1.0),
            Im => (Complex::new(z.im, 0.0), 1.0),
            Powi(n) => (z.powi(n), f64::from(n.abs()) * z.norm().powi(n - 1)),
            Powf(p) => {
                let value = if self.numbers.complex { z.powf(p) } else { Complex::new(z.re.powf(p), 0.0) };
                (value, p.abs() * z.norm().powf(p - 1.0))
            }
        };
        Value { value, scale: value.norm() + slope * scale }
    }
}

fn exact(value: Complex<f64>) -> Value {
    Value { value, scale: value.norm() }
}

/// One of two, and the doubt of both.
fn best(known: Value, next: Value, take: bool) -> Value {
    Value { value: if take { next.value } else { known.value }, scale: known.scale.max(next.scale) }
}

fn binary(op: Op, a: Value, b: Value) -> Value {
    match op {
        Op::Add => Value { value: a.value + b.value, scale: a.scale + b.scale },
        Op::Subtract => Value { value: a.value - b.value, scale: a.scale + b.scale },
        Op::Multiply => Value { value: a.value * b.value, scale: a.scale * b.scale },
        Op::Divide => Value { value: a.value / b.value, scale: a.scale * b.scale / b.value.norm_sqr() },
    }
}
