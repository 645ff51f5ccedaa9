//! Drawn programs: changes, weighted and second derivatives against differences and against each other.
//!
//! A few hundred are drawn; `TENSORWRAPPER_DRAWN=20000` asks for more.

use num_complex::Complex;

use super::{Drawn, check, labels, largest, near, recorded};
use crate::{Context, Error, Expr, Indexed, Pass, Tensor};
use tensorwrapper_core::element::Element;

/// Labels and their extents.
const LABELS: [(char, usize); 5] = [('i', 2), ('j', 3), ('k', 2), ('l', 3), ('m', 1)];

/// Programs that are drawn for each element type, if nobody asks for more.
const PROGRAMS: usize = 150;

fn below(drawn: &mut Drawn, n: usize) -> usize {
    (((drawn.number() + 1.0) / 2.0 * n as f64) as usize).min(n - 1)
}

/// One equation over values by their number.
#[derive(Debug)]
enum Step {
    /// Terms of factors, each a value with its axes; the result's axes.
    Product(Vec<Vec<(usize, String)>>, String),
    /// A function of a value.
    Function(usize, usize),
    /// One value over another of the same axes, which is kept from zero.
    Quotient(usize, usize),
    /// The product over the axes of a value.
    Every(usize),
    /// A value written over a part of another one, at this position of its first axis.
    Written(usize, usize),
    /// A value at the last index of its first axis.
    Chip(usize),
    /// The differences of neighbours along the first axis of a value.
    Differences(usize),
    /// An integer power of a value.
    Power(usize, i32),
    /// A real power of what is at least one.
    Root(usize, f64),
    /// The largest element along the first axis of a value, whose index is certain; or the smallest.
    Extremum(usize, bool),
    /// One of two values of the same axes where the first index is zero, the other one elsewhere.
    Choice(usize, usize),
    /// Real parts, imaginary parts or absolute values of a value.
    Part(usize, usize),
    /// An operation on the matrices in the first two axes of a value, which are made regular.
    Matrix(usize, Operation),
}

#[derive(Clone, Copy, Debug)]
enum Operation {
    Inverse,
    Exponential,
    Determinant,
    /// The solution for the matrices themselves as right sides.
    Solution,
}

/// A program: how many values are given, and what is made of them. The last value is the result.
#[derive(Debug)]
struct Program {
    inputs: Vec<Vec<usize>>,
    steps: Vec<Step>,
}

fn labels_of(extent: usize) -> Vec<char> {
    LABELS.iter().filter(|(_, own)| *own == extent).map(|(label, _)| *label).collect()
}

fn extent(label: char) -> usize {
    LABELS.iter().find(|(known, _)| *known == label).expect("it is one of them").1
}

impl Program {
    fn new(drawn: &mut Drawn) -> Program {
        let shape = |drawn: &mut Drawn| (0..below(drawn, 4)).map(|_| 1 + below(drawn, 3)).collect::<Vec<usize>>();
        let inputs: Vec<Vec<usize>> = (0..2 + below(drawn, 2)).map(|_| shape(drawn)).collect();
        let (mut shapes, mut steps) = (inputs.clone(), Vec::new());
        for n in 0..2 + below(drawn, 3) {
            // Every input is read by the first equations, so that every derivative exists.
            let (step, shape) = if n < 1 { Program::product(drawn, &shapes, true) } else { Program::step(drawn, &shapes) };
            steps.push(step);
            shapes.push(shape);
        }
        let last = shapes.len() - 1;
        // What the last equation does not read is added, so that nothing is left out.
        let all = (0..last).map(|n| vec![(n, labels(shapes[n].len()))]).chain([vec![(last, labels(shapes[last].len()))]]);
        steps.push(Step::Product(all.collect(), String::new()));
        Program { inputs, steps }
    }

    fn step(drawn: &mut Drawn, shapes: &[Vec<usize>]) -> (Step, Vec<usize>) {
        let one = below(drawn, shapes.len());
        let same = (0..shapes.len()).rev().find(|&n| n != one && shapes[n] == shapes[one]);
        let shape = shapes[one].clone();
        let rest = shape.get(1..).unwrap_or_default().to_vec();
        match (below(drawn, 20), same) {
            (0 | 1, _) => (Step::Function(below(drawn, FUNCTIONS), one), shape),
            (2, Some(other)) => (Step::Quotient(one, other), shape),
            (3, _) if shape.iter().product::<usize>() <= 6 => (Step::Every(one), Vec::new()),
            (4, Some(other)) if !shape.is_empty() => (Step::Written(one, other), shape),
            (5, _) if !shape.is_empty() => (Step::Chip(one), rest),
            (6 | 7, _) if shape.first().is_some_and(|&extent| extent > 1) => {
                (Step::Differences(one), [&[shape[0] - 1], &rest[..]].concat())
            }
            (8, _) => (Step::Power(one, 2 + below(drawn, 2) as i32), shape),
            (9, _) => (Step::Root(one, [-1.5, 0.5, 1.5][below(drawn, 3)]), shape),
            (10, _) if !shape.is_empty() => (Step::Extremum(one, below(drawn, 2) == 0), rest),
            (11, Some(other)) if !shape.is_empty() => (Step::Choice(one, other), shape),
            (12, _) => (Step::Part(one, below(drawn, 3)), shape),
            (13..=15, _) if shape.len() > 1 && shape[0] == shape[1] => {
                let all = [Operation::Inverse, Operation::Exponential, Operation::Determinant, Operation::Solution];
                let operation = all[below(drawn, all.len())];
                let kept = if matches!(operation, Operation::Determinant) { shape[2..].to_vec() } else { shape };
                (Step::Matrix(one, operation), kept)
            }
            _ => Program::product(drawn, shapes, false),
        }
    }

    /// One or two products; of all values, or of one to three of them.
    fn product(drawn: &mut Drawn, shapes: &[Vec<usize>], of_all: bool) -> (Step, Vec<usize>) {
        let count = if of_all { shapes.len() } else { 1 + below(drawn, 3) };
        let read = |drawn: &mut Drawn, n: usize| {
            let label = |extent: &usize| {
                let known = labels_of(*extent);
                known[below(drawn, known.len())]
            };
            (n, shapes[n].iter().map(label).map(|label| format!("{label},")).collect::<String>())
        };
        let mut factors: Vec<(usize, String)> = Vec::new();
        for n in 0..count {
            let value = if of_all { n } else { below(drawn, shapes.len()) };
            factors.push(read(drawn, value));
        }
        let mut known: Vec<char> = factors.iter().flat_map(|(_, axes)| axes.chars()).filter(|c| *c != ',').collect();
        known.sort_unstable();
        known.dedup();
        let kept: Vec<char> = known.into_iter().filter(|_| below(drawn, 2) == 0).take(3).collect();
        let axes: String = kept.iter().map(|label| format!("{label},")).collect();
        (Step::Product(vec![factors], axes), kept.into_iter().map(extent).collect())
    }

    /// What the program makes of its inputs; with conjugates in its functions, or without, which makes no difference for real numbers.
    fn run<'a, T: Element>(&self, inputs: &[Expr<'a, T>], conjugates: bool) -> Result<Expr<'a, T>, Error> {
        let mut values = inputs.to_vec();
        for step in &self.steps {
            let value = match step {
                Step::Product(terms, axes) => {
                    let factor = |(n, axes): &(usize, String)| values[*n].at(axes);
                    // Products of many factors stay small, so that differences are exact enough.
                    let damped = T::from_complex(Complex::new(0.4, 0.0));
                    let term = |factors: &Vec<(usize, String)>| {
                        factors.iter().map(factor).reduce(|a, b| a * b * damped).expect("a term has factors")
                    };
                    terms.iter().map(term).reduce(|a, b| a + b).expect("a term").record(axes)?
                }
                Step::Function(function, of) => {
                    let axes = labels(values[*of].extents().len());
                    applied(*function, values[*of].at(&axes), &axes, conjugates).record(&axes)?
                }
                Step::Quotient(one, other) => {
                    let axes = labels(values[*one].extents().len());
                    (values[*one].at(&axes) / applied(0, values[*other].at(&axes), &axes, conjugates)).record(&axes)?
                }
                Step::Every(of) => {
                    let axes = labels(values[*of].extents().len());
                    if axes.is_empty() { values[*of].at("").record("")? } else { values[*of].at(&axes).prod(&axes).record("")? }
                }
                Step::Written(into, of) => {
                    let rest = labels(values[*of].extents().len() - 1);
                    let part = values[*of].at(&format!("0,{rest}")).record(&rest)?;
                    values[*into].with_part(&format!("0,{rest}"), &part)?
                }
                Step::Chip(of) => {
                    let rest = labels(values[*of].extents().len() - 1);
                    values[*of].at(&format!("{},{rest}", values[*of].extents()[0] - 1)).record(&rest)?
                }
                Step::Differences(of) => {
                    let (last, rest) = (values[*of].extents()[0] - 1, labels(values[*of].extents().len() - 1));
                    let [lower, upper] = [0, 1].map(|start| format!("n in {start}..{},{rest}", last + start));
                    (values[*of].at(&upper) - values[*of].at(&lower)).record(&format!("n,{rest}"))?
                }
                Step::Power(of, exponent) => {
                    let axes = labels(values[*of].extents().len());
                    (values[*of].at(&axes) * T::from_complex(0.7.into())).powi(*exponent).record(&axes)?
                }
                Step::Root(of, exponent) => {
                    let axes = labels(values[*of].extents().len());
                    applied(0, values[*of].at(&axes), &axes, conjugates).powf(*exponent).record(&axes)?
                }
                Step::Extremum(of, is_largest) => extremum(&values[*of], *is_largest)?,
                Step::Choice(one, other) => {
                    let axes = labels(values[*one].extents().len());
                    let first = indicator::<T>(values[*one].extents()[0], 0).at("x0") * Indexed::spread(T::ONE, &axes);
                    first.equal(T::ONE).select(values[*one].at(&axes), values[*other].at(&axes)).record(&axes)?
                }
                Step::Part(of, part) if conjugates => {
                    let axes = labels(values[*of].extents().len());
                    let x = values[*of].at(&axes);
                    match part {
                        0 => x.re(),
                        1 => x.clone().im() * x,
                        _ => (x + Indexed::spread(T::from_complex(40.0.into()), &axes)).abs() * T::from_complex(0.1.into()),
                    }
                    .record(&axes)?
                }
                Step::Part(of, _) => values[*of].clone(),
                Step::Matrix(of, operation) => matrix(&values[*of], *operation)?,
            };
            values.push(value);
        }
        Ok(values.pop().expect("there are values"))
    }
}

/// 1 at one index and 0 at the others.
fn indicator<T: Element>(extent: usize, at: usize) -> &'static Tensor<T> {
    let of = |index: &[usize]| if index[0] == at { T::ONE } else { T::ZERO };
    Box::leak(Box::new(Tensor::from_fn([extent], of).expect("memory for a few numbers")))
}

/// The largest or the smallest element along the first axis: that with the last index, because it is far from the others. Complex numbers
/// have no order; there the same element is chosen by its index.
fn extremum<'a, T: Element>(of: &Expr<'a, T>, is_largest: bool) -> Result<Expr<'a, T>, Error> {
    let (axes, rest) = (labels(of.extents().len()), labels(of.extents().len())[3..].to_string());
    let last = indicator::<T>(of.extents()[0], of.extents()[0] - 1).at("x0") * Indexed::spread(T::ONE, &axes);
    if T::DTYPE.is_complex() {
        return last.equal(T::ONE).select(of.at(&axes), T::ZERO).sum("x0,").record(&rest);
    }
    let far = T::from_complex((if is_largest { 1e3 } else { -1e3 }).into());
    let moved = of.at(&axes) + last * far;
    let found = if is_largest { moved.max("x0,") } else { moved.min("x0,") };
    (found - Indexed::spread(far, &rest)).record(&rest)
}

/// An operation on the matrices X/4 + 2.
fn matrix<'a, T: Element>(of: &Expr<'a, T>, operation: Operation) -> Result<Expr<'a, T>, Error> {
    let (n, rank) = (of.extents()[0], of.extents().len());
    let one = |index: &[usize]| if index[0] == index[1] { T::from_complex(2.0.into()) } else { T::ZERO };
    let diagonal: &'static Tensor<T> = Box::leak(Box::new(Tensor::from_fn([n, n], one)?));
    let (axes, batch) = (labels(rank), labels(rank)[6..].to_string());
    let regular = of.at(&axes) * T::from_complex(0.25.into()) + diagonal.at("x0,x1") * Indexed::spread(T::ONE, &axes);
    let regular = regular.record(&format!("{batch}x0,x1"))?;
    let named = format!("{batch}x0,x1");
    let turned = format!("{batch}x1,x0");
    let made = match operation {
        Operation::Inverse => regular.at(&named).inv(&turned).matrix("x0,", "x1,").record()?,
        Operation::Exponential => regular.at(&named).expm(&named).matrix("x0,", "x1,").record()?,
        Operation::Determinant => return regular.at(&named).det(&batch).matrix("x0,", "x1,").record(),
        Operation::Solution => {
            let right = of.at(&axes.replacen("x1,", "s,", 1)).record(&format!("{batch}x0,s"))?;
            let solution = regular.at(&named).solve(right.at(&format!("{batch}x0,s")), &format!("{batch}x1,s"));
            solution.matrix("x0,", "x1,").record()?
        }
    };
    made.at(&named).record(&axes)
}

const FUNCTIONS: usize = 6;

/// Smooth functions whose values stay small; the first one is at least one for real numbers.
fn applied<'a, T: Element>(function: usize, x: Indexed<'a, T>, axes: &str, conjugates: bool) -> Indexed<'a, T> {
    let number = |value: f64| Indexed::spread(T::from_complex(Complex::new(value, 0.0)), axes);
    let other = if conjugates { x.clone().conj() } else { x.clone() };
    let square = x.clone() * other.clone();
    match function {
        0 => square + number(1.0),
        1 => (square + number(1.0)).sqrt(),
        2 => (x * number(0.3)).exp(),
        3 => (x * number(0.5)).sin(),
        4 => (square + number(2.0)).ln(),
        _ => (x * number(0.5) + other * number(0.25)).cos(),
    }
}

fn programs() -> usize {
    std::env::var("TENSORWRAPPER_DRAWN").ok().and_then(|text| text.parse().ok()).unwrap_or(PROGRAMS)
}

fn all<T: Element>(seed: u64)
where
    T::Real: crate::RealNumber,
{
    for n in 0..programs() as u64 {
        let mut drawn = Drawn::new(seed + n);
        let program = Program::new(&mut drawn);
        let inputs: Vec<Tensor<T>> = program.inputs.iter().map(|extents| drawn.tensor::<T>(extents)).collect();
        println!("program {n}: {program:?}");
        check(&inputs, &move |x: &[Expr<'_, T>]| program.run(x, true), &mut drawn);
    }
}

#[test]
fn drawn_programs_over_real_numbers() {
    all::<f64>(1000);
}

/// A program over real numbers, continued to complex ones, has the change as its imaginary part beside a small step: no difference is
/// taken. Source: W. Squire, G. Trapp, "Using complex variables to estimate derivatives of real functions", SIAM Rev. 40, 110 (1998).
#[test]
fn changes_of_drawn_programs_are_those_of_complex_steps() {
    const STEP: f64 = 1e-30;
    for n in 0..programs() as u64 {
        let mut drawn = Drawn::new(4_000_000 + n);
        let program = Program::new(&mut drawn);
        let of = |drawn: &mut Drawn| program.inputs.iter().map(|extents| drawn.tensor(extents)).collect::<Vec<Tensor<f64>>>();
        let (inputs, along) = (of(&mut drawn), of(&mut drawn));
        let variables = recorded(&inputs);
        let with: Vec<_> = variables.iter().zip(&along).collect();
        let change = program.run(&variables, false).unwrap().jvp(&with[..]).unwrap().eval().unwrap();
        let step = |(x, d): (&Tensor<f64>, &Tensor<f64>)| {
            let elements = x.as_slice().iter().zip(d.as_slice()).map(|(&x, &d)| Complex::new(x, STEP * d)).collect();
            Tensor::from_vec(x.extents(), elements).unwrap()
        };
        let continued: Vec<Tensor<Complex<f64>>> = inputs.iter().zip(&along).map(step).collect();
        let value = program.run(&recorded(&continued), false).unwrap().eval().unwrap();
        let scale = value.as_slice()[0].re.abs() + along.iter().map(largest).fold(1.0, f64::max) + change.as_slice()[0].abs();
        let expected = value.as_slice()[0].im / STEP;
        let deviation = (change.as_slice()[0] - expected).abs();
        assert!(deviation <= 1e-12 * scale, "{} instead of {expected}: {program:?}", change.as_slice()[0]);
    }
}

/// The CPU without each pass and with two threads, and the reference device.
fn contexts() -> Vec<Context> {
    let without = Pass::ALL.into_iter().map(|pass| Context::cpu().without(pass));
    let plain = Pass::ALL.into_iter().fold(Context::reference(), Context::without);
    [Context::reference(), plain, Context::cpu().threads(2)].into_iter().chain(without).collect()
}

/// Derivatives do not depend on what computes them: each program in another context, gradients and second derivatives.
fn in_each_context<T: Element>(seed: u64)
where
    T::Real: crate::RealNumber,
{
    let contexts = contexts();
    for n in 0..programs() as u64 {
        let mut drawn = Drawn::new(seed + n);
        let program = Program::new(&mut drawn);
        let of = |drawn: &mut Drawn| program.inputs.iter().map(|extents| drawn.tensor::<T>(extents)).collect::<Vec<_>>();
        let (inputs, along) = (of(&mut drawn), of(&mut drawn));
        let variables = recorded(&inputs);
        let with: Vec<_> = variables.iter().zip(&along).collect();
        let value = program.run(&variables, true).unwrap();
        let loss = value.at("").real().record("").unwrap();
        let context = &contexts[n as usize % contexts.len()];
        let all = [loss.grad(&variables[..]).unwrap(), loss.hvp(&with[..]).unwrap()].concat();
        for (m, derivative) in all.iter().enumerate() {
            let [found, expected] = [context, &Context::cpu()].map(|context| context.eval(derivative).unwrap());
            near(&format!("derivative {m} of program {n}, {program:?}"), &found, &expected, 1e-11);
        }
    }
}

#[test]
fn drawn_programs_in_each_context() {
    in_each_context::<f64>(6_000_000);
    in_each_context::<Complex<f64>>(7_000_000);
}

#[test]
fn drawn_programs_over_complex_numbers() {
    all::<Complex<f64>>(2_000_000);
}
