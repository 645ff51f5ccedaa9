//! Drawn programs: changes, weighted and second derivatives against differences and against each other.
//!
//! A few hundred are drawn; `TENSORWRAPPER_DRAWN=20000` asks for more.

use num_complex::Complex;

use super::{Drawn, check, labels, largest, recorded};
use crate::{Error, Expr, Indexed, Tensor};
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
        match (below(drawn, 8), same) {
            (0 | 1, _) => (Step::Function(below(drawn, FUNCTIONS), one), shapes[one].clone()),
            (2, Some(other)) => (Step::Quotient(one, other), shapes[one].clone()),
            (3, _) if shapes[one].iter().product::<usize>() <= 6 => (Step::Every(one), Vec::new()),
            (4, Some(other)) if !shapes[one].is_empty() => (Step::Written(one, other), shapes[one].clone()),
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
            };
            values.push(value);
        }
        Ok(values.pop().expect("there are values"))
    }
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

#[test]
fn drawn_programs_over_complex_numbers() {
    all::<Complex<f64>>(2_000_000);
}
