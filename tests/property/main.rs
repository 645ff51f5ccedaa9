//! Random equations over every construct of the language: the operator door on every device against an oracle of its
//! own. A failing case prints its number, which makes it again, its text and its tensors' extents.

mod census;
mod generate;
mod oracle;
mod tree;

use std::collections::BTreeMap;
use std::ops::{Add, Div, Mul, Sub};

use num_complex::Complex;
use tensorwrapper::{Context, Element, Error, ErrorKind, Indexed, Tensor, TensorRef};

use generate::Case;
use oracle::{Answer, Data, Numbers, Refusal, answer};
use tree::{Fold, Function, Op, Tree, axes, labels};

/// Equations with a value.
const VALUES: usize = 2000;

/// Numbers that may stand to the left of an operator.
trait Left: Element {
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
fn build<'t, T: Left>(tree: &Tree, tensors: &'t [TensorRef<'_, T>]) -> Indexed<'t, T> {
    let number = |x: f64| T::from_complex(Complex::new(x, 0.0));
    match tree {
        Tree::Operand(n, indices) => TensorRef::at(&tensors[*n], &axes(indices)),
        Tree::Number(x) => Indexed::spread(number(*x), ""),
        Tree::Spread(x, names) => Indexed::spread(number(*x), &labels(names)),
        Tree::Negate(inner) => -build(inner, tensors),
        Tree::Binary(op, a, b) => match (&**a, &**b) {
            (a, Tree::Number(x)) => apply(*op, build(a, tensors), number(*x)),
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
        Tree::Reduce(fold, names, inner) => {
            let (inner, names) = (build(inner, tensors), labels(names));
            match fold {
                Fold::Sum => inner.sum(&names),
                Fold::Product => inner.prod(&names),
                Fold::Max => inner.max(&names),
                Fold::Min => inner.min(&names),
            }
        }
    }
}

/// The relative precision of an element type, and the largest number that leaves room for a square.
fn precision<T: Element>() -> (f64, f64) {
    if T::DTYPE.real().size() == 4 { (f64::from(f32::EPSILON), 1e15) } else { (f64::EPSILON, 1e100) }
}

/// What the cases turned out to be.
#[derive(Debug, Default)]
struct Tally {
    values: usize,
    refused_labels: usize,
    refused_values: usize,
    elements: usize,
    /// Elements that went out of range on the way.
    beyond: usize,
    /// Of the equations with a value, how many have each construct.
    constructs: BTreeMap<&'static str, usize>,
}

fn run<T: Left>(number: u64, tally: &mut Tally) -> Result<(), String> {
    let Case { equation, tensors } = generate::case::<T>(number);
    // Axis `n` of the equation is the axis in memory whose entry in `order` is `n`.
    let place = |order: &[usize]| -> Vec<usize> {
        (0..order.len()).map(|axis| order.iter().position(|&o| o == axis).expect("a permutation")).collect()
    };
    let views: Vec<TensorRef<'_, T>> =
        tensors.iter().map(|(tensor, order)| tensor.view().permute(&place(order)).expect("a permutation")).collect();
    let data: Vec<Data> = views
        .iter()
        .map(|view| Data { extents: view.extents().to_vec(), elements: view.elements().map(|x| x.to_complex()).collect() })
        .collect();
    let expected = answer(&equation, &data, Numbers { complex: T::DTYPE.is_complex(), largest: precision::<T>().1 });
    match &expected {
        Ok(_) => {
            tally.values += 1;
            for construct in census::constructs(&equation, &data) {
                *tally.constructs.entry(construct).or_default() += 1;
            }
        }
        Err(Refusal::Label) => tally.refused_labels += 1,
        Err(Refusal::Value) => tally.refused_values += 1,
    }
    let describe = |device: &str, message: String| {
        let extents: Vec<String> = data.iter().enumerate().map(|(n, d)| format!("t{n}: {:?}", d.extents)).collect();
        format!("case {number} ({}) on {device}: {message}\n  {equation}\n  {}", T::DTYPE, extents.join("  "))
    };
    for (device, context) in [("cpu", Context::cpu()), ("reference", Context::reference())] {
        let found = build(&equation.right, &views).eval_in(&context, &labels(&equation.left));
        judge(&found, &expected, tally).map_err(|message| describe(device, message))?;
    }
    Ok(())
}

fn judge<T: Element>(
    found: &Result<Tensor<T>, Error>,
    expected: &Result<Answer, Refusal>,
    tally: &mut Tally,
) -> Result<(), String> {
    let (found, expected) = match (found, expected) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(error), Err(refusal)) if of_kind(error, *refusal) => return Ok(()),
        (Ok(_), Err(refusal)) => return Err(format!("a value, where it had to be refused: {refusal:?}")),
        (Err(error), Err(refusal)) => return Err(format!("refused for another reason than {refusal:?}: {error}")),
        (Err(error), Ok(_)) => return Err(format!("refused: {error}")),
    };
    if found.extents() != expected.extents {
        return Err(format!("extents {:?} instead of {:?}", found.extents(), expected.extents));
    }
    let (epsilon, _) = precision::<T>();
    for (n, (element, expected)) in found.as_slice().iter().zip(&expected.elements).enumerate() {
        tally.elements += 1;
        if !expected.scale.is_finite() {
            tally.beyond += 1;
            continue;
        }
        let element = element.to_complex();
        let deviation = (element - expected.value).norm();
        if deviation.is_nan() || deviation > 100.0 * epsilon * expected.scale {
            return Err(format!("element {n} is {element} instead of {} (scale {:e})", expected.value, expected.scale));
        }
    }
    Ok(())
}

fn of_kind(error: &Error, refusal: Refusal) -> bool {
    match (error.kind(), refusal) {
        (ErrorKind::Several(errors), _) => errors.iter().all(|error| of_kind(error, refusal)),
        (ErrorKind::Label(_), Refusal::Label) => true,
        (ErrorKind::Extent { .. } | ErrorKind::Undefined(_), Refusal::Value) => true,
        _ => false,
    }
}

#[test]
fn random_equations() {
    let mut tally = Tally::default();
    let mut failures = Vec::new();
    // Equations that must be refused are tried on the way.
    for number in 0..2 * VALUES as u64 {
        let outcome = match number % 4 {
            0 => run::<f64>(number, &mut tally),
            1 => run::<f32>(number, &mut tally),
            2 => run::<Complex<f64>>(number, &mut tally),
            _ => run::<Complex<f32>>(number, &mut tally),
        };
        failures.extend(outcome.err());
        if tally.values == VALUES {
            break;
        }
    }
    println!("{tally:?}");
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    // The generator does its work: there are equations of every kind, and few run out of range.
    assert_eq!(tally.values, VALUES, "{tally:?}");
    assert!(tally.refused_labels > 100 && tally.refused_values > 50 && tally.beyond * 50 < tally.elements, "{tally:?}");
    for construct in census::CONSTRUCTS {
        let count = tally.constructs.get(construct).copied().unwrap_or(0);
        assert!(count >= 30, "only {count} equations with {construct}: {tally:?}");
    }
}
