//! The definition of every operation, in plain loops: results of fast devices are compared with it.
//!
//! It is not fast. It shares with the fast devices only scalar functions and the conventions of linear algebra.

mod factorise;

pub use factorise::Naive;
use num_complex::Complex;

use super::compare;
use super::function::Scalar;
use super::unfused_epilogue::UnfusedEpilogue;
use super::{
    Binary, Contraction, Decomposition, Device, Instruction, KernelContext, LoopNest, Operand, Output, PreparedContraction,
    Program, Reduction, RunContraction,
};
use crate::callback::Callback;
use crate::element::Element;
use crate::error::Error;
use crate::layout::{Positions, Strided};
use crate::storage::{SliceMut, SliceRef};

/// Computes everything one element after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Device for Reference {
    fn name(&self) -> &'static str {
        "reference"
    }

    fn is_definition(&self) -> bool {
        true
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        if let Some(program) = contraction.then {
            return Ok(PreparedContraction::new(contraction, Box::new(UnfusedEpilogue::new(self, contraction, program)?)));
        }
        let factors = contraction.factors.iter().map(|&(layout, conjugate)| (layout.clone(), conjugate)).collect();
        let (nest, output) = (contraction.nest.clone(), contraction.output.clone());
        let kernel = Product { nest, alpha: contraction.alpha, factors, output };
        Ok(PreparedContraction::new(contraction, Box::new(kernel)))
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        dispatch!(output.dtype(), T => map::<T>(nest, program, reduction, functions, inputs, output))
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        factorise::factorise(call, inputs, outputs)
    }
}

/// A contraction: nothing is decided before it runs.
#[derive(Debug)]
struct Product {
    nest: LoopNest,
    alpha: Complex<f64>,
    factors: Vec<(Strided, bool)>,
    output: Strided,
}

impl RunContraction for Product {
    unsafe fn run(&self, _: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let mut operands: Vec<Operand<'_>> = Vec::new();
        for (&data, (layout, conjugate)) in factors.iter().zip(&self.factors) {
            let mut operand = Operand::new(data, layout);
            operand.conjugate = *conjugate;
            operands.push(operand);
        }
        let output = Output::new(output, &self.output);
        dispatch!(output.dtype(), T => contract::<T>(&self.nest, T::from_complex(self.alpha), &operands, output));
        Ok(())
    }
}

/// The elements of an operand in the order of the nest: kept axes outside, reduced axes inside.
struct Walk<'a, T> {
    operand: &'a Operand<'a>,
    /// The elements, where they are of the operation's type.
    data: Option<&'a [T]>,
    positions: Positions<&'a Strided>,
    conjugate: bool,
}

impl<'a, T: Element> Walk<'a, T> {
    fn new(operand: &'a Operand<'_>) -> Walk<'a, T> {
        let positions = operand.layout().positions();
        Walk { operand, data: T::typed(operand.data()), positions, conjugate: operand.conjugate }
    }

    fn next(&mut self) -> T {
        let position = self.positions.next().expect("the nest has as many points as the operand");
        let element = self.data.map_or_else(|| self.operand.converted(position), |data| data[position]);
        if self.conjugate { element.conj() } else { element }
    }
}

fn contract<T: Element>(nest: &LoopNest, alpha: T, factors: &[Operand<'_>], output: Output<'_>) {
    let mut walks: Vec<Walk<'_, T>> = factors.iter().map(Walk::new).collect();
    let terms: usize = nest.reduced_extents().iter().product();
    let (out, layout) = output.typed::<T>();
    for position in layout.positions() {
        let sum = (0..terms).map(|_| walks.iter_mut().map(Walk::next).reduce(|a, b| a * b).unwrap_or(T::ONE));
        let sum = sum.reduce(|a, b| a + b).unwrap_or(T::ZERO);
        out[position] = if alpha == T::ONE { sum } else { alpha * sum };
    }
}

fn map<T: Scalar>(
    nest: &LoopNest,
    program: &Program,
    reduction: Reduction,
    functions: &[Callback<'_>],
    inputs: &[Operand<'_>],
    output: Output<'_>,
) -> Result<(), Error> {
    reduction.check::<T>()?;
    let mut walks: Vec<Walk<'_, T>> = inputs.iter().map(Walk::new).collect();
    let values: usize = nest.reduced_extents().iter().product();
    let (out, layout) = output.typed::<T>();
    for position in layout.positions() {
        let values = (0..values).map(|_| {
            let elements: Vec<T> = walks.iter_mut().map(Walk::next).collect();
            run(program, functions, &elements)
        });
        out[position] = match values.reduce(|a, b| reduction.combine(a, b)) {
            Some(value) => value,
            None => reduction.of_nothing()?,
        };
    }
    Ok(())
}

fn run<T: Scalar>(program: &Program, functions: &[Callback<'_>], inputs: &[T]) -> T {
    let mut registers: Vec<T> = Vec::with_capacity(program.instructions().len());
    for instruction in program.instructions() {
        let value = match *instruction {
            Instruction::Input(n) | Instruction::Converted(n) => inputs[n],
            Instruction::Constant(c) => T::from_complex(c),
            Instruction::Negate(a) => -registers[a],
            Instruction::Apply(function, a) => {
                let mut value = [registers[a]];
                T::apply(function, &mut value);
                value[0]
            }
            Instruction::PowerInteger(a, exponent) => registers[a].power_integer(exponent),
            Instruction::PowerReal(a, exponent) => registers[a].power_real(exponent),
            Instruction::Combine(operation, a, b) => {
                let (a, b) = (registers[a], registers[b]);
                match operation {
                    Binary::Add => a + b,
                    Binary::Subtract => a - b,
                    Binary::Multiply => a * b,
                    Binary::Divide => a.quotient(b),
                }
            }
            Instruction::Compare(comparison, a, b) => compare::truth(compare::holds(comparison, registers[a], registers[b])),
            Instruction::Select(condition, a, b) => compare::select(registers[condition], registers[a], registers[b]),
            Instruction::Call(slot, arguments) => {
                let function = T::typed_function(functions[slot]).expect("functions are of the operation's element type");
                let arguments: Vec<&[T]> = arguments.registers().iter().map(|&a| &registers[a..=a]).collect();
                let mut value = [T::ZERO];
                function.fill(&arguments, &mut value);
                value[0]
            }
        };
        registers.push(value);
    }
    registers[registers.len() - 1]
}
