//! Some of the drawn equations as macros of this very program: `generated.rs`, written by this file and compared with it.
//!
//! `PROPERTY_WRITE=1 cargo test --test integration property` writes it anew after a change of the generator.

use std::fmt::Write as _;

use num_complex::Complex;
use tensorwrapper::{Element, Error, Extents, Tensor, TensorRef};

use crate::property::doors::Left;
use crate::property::generate::case;
use crate::property::generated::{C32, C64, F32, F64};
use crate::property::oracle::Refusal;
use crate::property::tree::{Tree, variable};
use crate::property::{Drawn, Tally, judge};

/// Equations in the file, of all element types together.
const EQUATIONS: usize = 300;

/// What takes longer than this to read is left to the other doors, for the compiler's time.
const LONGEST: usize = 260;

/// What an equation of the file gives.
pub type Outcome<T> = Result<Tensor<T>, Error>;

/// A number of a drawn equation, and the equation.
pub type Case<T> = (u64, fn(&Given<'_, T>) -> Outcome<T>);

/// The tensors of an equation.
pub struct Given<'g, T: Element>(&'g [TensorRef<'g, T>]);

impl<T: Element> Given<'_, T> {
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
            0 => function::<f64>(n, "f64"),
            1 => function::<f32>(n, "f32"),
            2 => function::<Complex<f64>>(n, "Complex<f64>"),
            _ => function::<Complex<f32>>(n, "Complex<f32>"),
        };
        if let Some(function) = written {
            text += &function;
            tables[(n % 4) as usize].push(n);
        }
        if tables.iter().map(Vec::len).sum::<usize>() == EQUATIONS {
            break;
        }
    }
    text.push('\n');
    let names = [("F64", "f64"), ("F32", "f32"), ("C64", "Complex<f64>"), ("C32", "Complex<f32>")];
    for ((name, element), numbers) in names.into_iter().zip(&tables) {
        let rows: Vec<String> = numbers.iter().map(|n| format!("({n}, case_{n})")).collect();
        writeln!(text, "pub const {name}: [Case<{element}>; {}] = [{}];", numbers.len(), rows.join(", ")).expect("memory");
    }
    text
}

/// One equation as a function, if it has a value and is short.
fn function<T: Left>(number: u64, element: &str) -> Option<String> {
    let case = case::<T>(number);
    let Drawn { data, expected, .. } = Drawn::new(&case);
    let round = number / 4;
    // Positions and ranges as literals, or as expressions.
    let equation = if round.is_multiple_of(3) { format!("{:#}", case.equation) } else { case.equation.to_string() };
    if expected.is_err() || equation.len() > LONGEST {
        return None;
    }
    let mut text = format!("fn case_{number}(given: &Given<'_, {element}>) -> Outcome<{element}> {{ ");
    let mut named = (Vec::new(), Vec::new());
    names(&case.equation.right, &mut named);
    if named.0.is_empty() {
        // Nothing would tell the element type.
        return None;
    }
    for x in named.1 {
        write!(text, "let {}: {element} = number({x:?}); ", variable(x)).expect("memory");
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
    match case.equation.left.is_empty() {
        // A number would be no tensor.
        true => write!(text, "try_tensor! {{ let r{equation}; r }}"),
        false => write!(text, "try_tensor!({equation})"),
    }
    .expect("memory");
    text += ".map(Tensor::into_dyn) }\n";
    Some(text)
}

/// Tensors and variables of a tree.
fn names(tree: &Tree, found: &mut (Vec<usize>, Vec<f64>)) {
    match tree {
        Tree::Operand(n, _) => found.0.push(*n),
        Tree::Variable(x) if !found.1.contains(x) => found.1.push(*x),
        Tree::Number(_) | Tree::Variable(_) | Tree::Spread(..) | Tree::Iota(_) => {}
        Tree::Negate(inner) | Tree::Parentheses(inner) | Tree::Apply(_, inner) => names(inner, found),
        Tree::Reduce(_, _, inner) | Tree::Exchange(_, _, inner) => names(inner, found),
        Tree::Select(_, parts) => parts.iter().for_each(|part| names(part, found)),
        Tree::Binary(_, a, b) => {
            names(a, found);
            names(b, found);
        }
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
        let found = equation(&Given(&views));
        if let Err(message) = judge(&found, &expected, &mut Tally::default()) {
            failures.push(format!("case {number} ({}): {message}\n  {}", T::DTYPE, drawn.equation));
        }
    }
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
