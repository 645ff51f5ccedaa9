//! Some of the drawn equations as macros of this very program: `generated.rs`, written by this file and compared with it.
//!
//! `PROPERTY_WRITE=1 cargo test --test integration property` writes it anew after a change of the generator.

use std::fmt::Write as _;

use num_complex::Complex;
use tensorwrapper::{Context, Element, Error, Extents, Stored, Tensor, TensorRef};

use crate::property::doors::Left;
use crate::property::generate::{Kind, case, case_of};
use crate::property::generated::{C32, C64, F32, F64, I64, MASK};
use crate::property::oracle::Refusal;
use crate::property::tree::{Tree, variable};
use crate::property::{Drawn, Tally, in_order, judge};

/// Equations in the file, of all element types together.
const EQUATIONS: usize = 300;

/// Equations over `i64`, and equations that give `bool`.
const FURTHER: [usize; 2] = [60, 40];

/// What takes longer than this to read is left to the other doors, for the compiler's time.
const LONGEST: usize = 260;

/// What an equation of the file gives.
pub type Outcome<T> = Result<Tensor<T>, Error>;

/// A number of a drawn equation, and the equation.
pub type Case<T, R = T> = (u64, fn(&Given<'_, T>) -> Outcome<R>);

/// The tensors of an equation, and where it is computed, if not in the default context.
pub struct Given<'g, T: Stored>(&'g [TensorRef<'g, T>], Option<&'g Context>);

impl<T: Stored> Given<'_, T> {
    /// Where the equation is computed, if not in the default context.
    pub fn context(&self) -> Option<&Context> {
        self.1
    }

    /// A tensor whose rank and extents only the run knows.
    pub fn view(&self, n: usize) -> TensorRef<'_, T> {
        self.0[n].clone()
    }

    /// A tensor whose type tells its rank and some of its extents.
    pub fn typed<S: Extents>(&self, n: usize) -> Tensor<T, S> {
        self.0[n].to_tensor().and_then(Tensor::into_typed).expect("the type tells what is so")
    }
}

/// A number of the equation's element type.
pub fn number<T: Element>(x: f64) -> T {
    T::from_complex(Complex::new(x, 0.0))
}

/// The text of `generated.rs`.
fn text() -> String {
    let mut text = String::from(
        "//! Equations as `try_tensor!` reads them in a program. Written by `macros.rs`: do not edit.\n\n\
         use num_complex::Complex;\nuse tensorwrapper::prelude::*;\n\n\
         use crate::property::macros::{Case, Given, Outcome, number};\n\n",
    );
    let mut tables: [Vec<u64>; 4] = Default::default();
    for n in 0.. {
        let written = match n % 4 {
            0 => function::<f64>(Kind::Any, n, "f64"),
            1 => function::<f32>(Kind::Any, n, "f32"),
            2 => function::<Complex<f64>>(Kind::Any, n, "Complex<f64>"),
            _ => function::<Complex<f32>>(Kind::Any, n, "Complex<f32>"),
        };
        if let Some(function) = written {
            text += &function;
            tables[(n % 4) as usize].push(n);
        }
        if tables.iter().map(Vec::len).sum::<usize>() == EQUATIONS {
            break;
        }
    }
    let further = [(Kind::Whole, "i64"), (Kind::Mask, "f64")];
    let further = further.map(|(kind, element)| {
        let written = (0..).filter_map(|n| Some((n, function::<f64>(kind, n, element)?)));
        let numbers = written.take(FURTHER[usize::from(kind == Kind::Mask)]).map(|(n, function)| {
            text += &function;
            n
        });
        numbers.collect::<Vec<u64>>()
    });
    text.push('\n');
    let names = [("F64", "f64"), ("F32", "f32"), ("C64", "Complex<f64>"), ("C32", "Complex<f32>")];
    for ((name, element), numbers) in names.into_iter().zip(&tables) {
        let rows: Vec<String> = numbers.iter().map(|n| format!("({n}, case_{n})")).collect();
        writeln!(text, "pub const {name}: [Case<{element}>; {}] = [{}];", numbers.len(), rows.join(", ")).expect("memory");
    }
    for ((name, word, types), numbers) in [("I64", "whole", "i64"), ("MASK", "mask", "f64, bool")].into_iter().zip(&further) {
        let rows: Vec<String> = numbers.iter().map(|n| format!("({n}, {word}_{n})")).collect();
        writeln!(text, "pub const {name}: [Case<{types}>; {}] = [{}];", numbers.len(), rows.join(", ")).expect("memory");
    }
    text
}

/// One equation as a function, if it has a value and is short.
fn function<T: Left>(kind: Kind, number: u64, element: &str) -> Option<String> {
    let case = case_of::<T>(kind, number);
    let Drawn { data, expected, .. } = Drawn::new(&case);
    let round = number / 4;
    // Positions and ranges as literals, or as expressions.
    let equation = if round.is_multiple_of(3) { format!("{:#}", case.equation) } else { case.equation.to_string() };
    if expected.is_err() || equation.len() > LONGEST {
        return None;
    }
    let (word, result) = match kind {
        Kind::Any => ("case", element),
        Kind::Whole => ("whole", element),
        Kind::Mask => ("mask", "bool"),
    };
    let mut text = format!("fn {word}_{number}(given: &Given<'_, {element}>) -> Outcome<{result}> {{ ");
    let mut named = (Vec::new(), Vec::new());
    names(&case.equation.right, &mut named);
    if named.0.is_empty() {
        // Nothing would tell the element type.
        return None;
    }
    for x in named.1 {
        let value = if kind == Kind::Whole { format!("{x}") } else { format!("number({x:?})") };
        write!(text, "let {}: {element} = {value}; ", variable(x)).expect("memory");
    }
    named.0.sort_unstable();
    named.0.dedup();
    for n in named.0 {
        match (round + n as u64) % 3 {
            0 => write!(text, "let t{n} = given.view({n}); "),
            how => {
                // Every extent is known to the compiler, or every second one.
                let extent = |(axis, extent): (usize, &usize)| {
                    if how == 1 || axis % 2 == 0 { extent.to_string() } else { "_".to_string() }
                };
                let extents: Vec<String> = data[n].extents.iter().enumerate().map(extent).collect();
                write!(text, "let t{n}: Tensor<{element}, Shape![{}]> = given.typed({n}); ", extents.join(", "))
            }
        }
        .expect("memory");
    }
    let computed = |context: &str| match case.equation.left.is_empty() {
        // A number would be no tensor.
        true => format!("try_tensor! {{ {context}let r{equation}; r }}"),
        false => format!("try_tensor!({context}{equation})"),
    };
    text += &match kind {
        Kind::Any => computed(""),
        Kind::Whole | Kind::Mask => {
            let (by_default, chosen) = (computed(""), computed("in context; "));
            format!("match given.context() {{ None => {by_default}, Some(context) => {chosen} }}")
        }
    };
    text += ".map(Tensor::into_dyn) }\n";
    Some(text)
}

/// Tensors and variables of a tree.
fn names(tree: &Tree, found: &mut (Vec<usize>, Vec<f64>)) {
    match tree {
        Tree::Operand(n, _) => found.0.push(*n),
        Tree::Variable(x) if !found.1.contains(x) => found.1.push(*x),
        _ => tree.children().into_iter().for_each(|part| names(part, found)),
    }
}

#[test]
fn generated_file_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/integration/property/generated.rs");
    let text = text();
    if std::env::var_os("PROPERTY_WRITE").is_some() {
        std::fs::write(path, &text).expect("the repository can be written");
    }
    let file = std::fs::read_to_string(path).expect("the file is in the repository");
    assert!(
        file == text,
        "tests/integration/property/generated.rs is not what the generator draws: write it with PROPERTY_WRITE=1"
    );
}

fn run<T: Left>(cases: &[Case<T>], failures: &mut Vec<String>) {
    for &(number, equation) in cases {
        let drawn = case::<T>(number);
        let Drawn { views, expected, .. } = Drawn::new(&drawn);
        assert!(!matches!(expected, Err(Refusal::Label)), "case {number} would not compile");
        let found = equation(&Given(&views, None));
        if let Err(message) = judge(&found, &expected, &mut Tally::default()) {
            failures.push(format!("case {number} ({}): {message}\n  {}", T::DTYPE, drawn.equation));
        }
    }
}

/// Checks an equation that has a result of another type than numbers of double precision, given as these, in the default context and
/// on the reference device.
fn check_further<T: Stored, R: Stored>(
    kind: Kind,
    &(number, equation): &Case<T, R>,
    as_given: impl Fn(&Tensor<f64>) -> Tensor<T>,
    as_numbers: impl Fn(Tensor<R>) -> Tensor<f64>,
) -> Option<String> {
    let drawn = case_of::<f64>(kind, number);
    let Drawn { expected, .. } = Drawn::new(&drawn);
    assert!(!matches!(expected, Err(Refusal::Label)), "case {number} would not compile");
    let tensors: Vec<(Tensor<T>, &[usize])> =
        drawn.tensors.iter().map(|(tensor, order)| (as_given(tensor), &order[..])).collect();
    let views: Vec<TensorRef<'_, T>> = tensors.iter().map(|(tensor, order)| in_order(tensor, order)).collect();
    [None, Some(&Context::reference())].into_iter().find_map(|context| {
        let found = equation(&Given(&views, context)).map(&as_numbers);
        let message = judge(&found, &expected, &mut Tally::default()).err()?;
        let place = context.map_or("the default context", Context::device_name);
        Some(format!("{} {number} on {place}: {message}\n  {}", R::NAME, drawn.equation))
    })
}

#[test]
fn generated_equations_over_integers_and_conditions() {
    let integers = |tensor: &Tensor<f64>| tensor.cast::<i64>().expect("whole numbers");
    let numbers = |found: Tensor<i64>| found.cast::<f64>().expect("numbers below 2^53");
    let whole = I64.iter().filter_map(|case| check_further(Kind::Whole, case, integers, numbers));
    let truth = |found: Tensor<bool>| found.map(|holds| if holds { 1.0 } else { 0.0 }).expect("memory");
    let as_is = Tensor::clone;
    let masks = MASK.iter().filter_map(|case| check_further(Kind::Mask, case, as_is, truth));
    let failures: Vec<String> = whole.chain(masks).collect();
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!([I64.len(), MASK.len()], FURTHER);
}

#[test]
fn generated_equations() {
    let mut failures = Vec::new();
    run(&F64, &mut failures);
    run(&F32, &mut failures);
    run(&C64, &mut failures);
    run(&C32, &mut failures);
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), failures.join("\n"));
    assert_eq!(F64.len() + F32.len() + C64.len() + C32.len(), EQUATIONS);
}
