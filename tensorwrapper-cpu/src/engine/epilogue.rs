//! What is done with each element of a product once its sum is complete, while it is still near: scaled, added to elements that
//! lie alike, handed to functions. Knows positions in the result, not what they mean.

use num_complex::Complex;
use smallvec::SmallVec;

use super::kernel::GemmElement;
use crate::functions::{self, Exponent};
use crate::multiversion::{Loops, dispatch_narrow};
use crate::simd::Simd;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::backend::{Binary, Contraction, Instruction, Program};

/// The steps, and where the other tensors lie, whose strides are the result's.
#[derive(Debug)]
pub(crate) struct Epilogue<T> {
    simd: Simd,
    stages: Vec<Stage<T>>,
    /// Positions in the others relative to those in the result, and whether their elements are conjugated.
    others: SmallVec<[(isize, bool); 2]>,
}

/// A step, in place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage<T> {
    /// `x · c`
    Scale(T),
    /// `x + c`
    Shift(T),
    /// `x / c`
    Over(T),
    /// `c / x`
    Under(T),
    /// `-x`
    Negate,
    /// `x + c · y`, where `y` is the other of that number.
    AddScaled(usize, T),
    /// `x · c · y`
    MultiplyBy(usize, T),
    /// `x / y`
    DivideBy(usize),
    Apply(Unary),
    PowerInteger(i32),
    PowerReal(f64),
}

/// What a register of the program holds.
#[derive(Clone, Copy)]
enum Value<T> {
    Constant(T),
    /// The other of that number, times a constant.
    Other(usize, T),
    /// The sum, and what the stages so far have made of it.
    Sum,
}

impl<T: GemmElement> Epilogue<T> {
    /// The program after a contraction as steps; nothing where it is not a chain of such, or where others lie in their own way.
    pub(crate) fn new(contraction: &Contraction<'_>, program: &Program, simd: Simd) -> Option<Epilogue<T>> {
        let (kept, output) = (contraction.nest.kept(), contraction.output);
        let lies_alike = |strides: &[isize]| {
            let pairs = strides[..kept].iter().zip(output.strides()).zip(output.extents());
            pairs.into_iter().all(|((own, result), &extent)| own == result || extent == 1)
        };
        let other = |&(layout, conjugate): &(&tensorwrapper_core::layout::Strided, bool)| {
            let apart = layout.offset() as isize - output.offset() as isize;
            lies_alike(layout.strides()).then_some((apart, conjugate && T::DTYPE.is_complex()))
        };
        let others = contraction.others.iter().map(other).collect::<Option<_>>()?;
        Some(Epilogue { simd, stages: stages(program)?, others })
    }

    /// The same for others in memory.
    pub(crate) fn on<'a>(&'a self, others: &'a [&'a [T]]) -> BoundEpilogue<'a, T> {
        BoundEpilogue { epilogue: self, others }
    }
}

/// Steps on memory.
#[derive(Debug)]
pub(crate) struct BoundEpilogue<'a, T> {
    epilogue: &'a Epilogue<T>,
    others: &'a [&'a [T]],
}

impl<T: GemmElement> BoundEpilogue<'_, T> {
    /// Takes all steps for elements that lie side by side in the result, from position `at` on.
    pub(crate) fn apply(&self, elements: &mut [T], at: isize) {
        dispatch_narrow(self.epilogue.simd, Run { bound: self, elements, at });
    }

    #[inline(always)]
    fn with_other(&self, elements: &mut [T], (n, at): (usize, isize), operation: impl Fn(T, T) -> T) {
        let (apart, conjugate) = self.epilogue.others[n];
        let others = &self.others[n][(at + apart) as usize..][..elements.len()];
        let pairs = elements.iter_mut().zip(others);
        if conjugate {
            pairs.for_each(|(x, &y)| *x = operation(*x, y.conj()));
        } else {
            pairs.for_each(|(x, &y)| *x = operation(*x, y));
        }
    }
}

/// The steps on neighbours in the result.
struct Run<'r, 'a, T> {
    bound: &'r BoundEpilogue<'a, T>,
    elements: &'r mut [T],
    at: isize,
}

impl<T: GemmElement> Loops for Run<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Run { bound, elements, at } = self;
        for stage in &bound.epilogue.stages {
            match *stage {
                Stage::Scale(c) => elements.iter_mut().for_each(|x| *x *= c),
                Stage::Shift(c) => elements.iter_mut().for_each(|x| *x += c),
                Stage::Over(c) => elements.iter_mut().for_each(|x| *x = x.quotient(c)),
                Stage::Under(c) => elements.iter_mut().for_each(|x| *x = c.quotient(*x)),
                Stage::Negate => elements.iter_mut().for_each(|x| *x = -*x),
                Stage::AddScaled(n, c) if c == T::ONE => bound.with_other(elements, (n, at), |x, y| x + y),
                // No multiplication where there is none: complex infinities would become NaN.
                Stage::AddScaled(n, c) if c == -T::ONE => bound.with_other(elements, (n, at), |x, y| x - y),
                Stage::AddScaled(n, c) => bound.with_other(elements, (n, at), |x, y| x + c * y),
                Stage::MultiplyBy(n, c) if c == T::ONE => bound.with_other(elements, (n, at), |x, y| x * y),
                Stage::MultiplyBy(n, c) => bound.with_other(elements, (n, at), |x, y| x * (c * y)),
                Stage::DivideBy(n) => bound.with_other(elements, (n, at), |x, y| x.quotient(y)),
                Stage::Apply(function) => functions::apply(bound.epilogue.simd, function, None, elements),
                Stage::PowerInteger(exponent) => functions::power(bound.epilogue.simd, Exponent::Whole(exponent), None, elements),
                Stage::PowerReal(exponent) => functions::power(bound.epilogue.simd, Exponent::Real(exponent), None, elements),
            }
        }
    }
}

/// The program as a chain of steps, if each uses the one before it and nothing else that is made of the sum.
fn stages<T: GemmElement>(program: &Program) -> Option<Vec<Stage<T>>> {
    let number = |value: Complex<f64>| T::from_complex(value);
    let mut stages = Vec::new();
    let mut values: Vec<Value<T>> = Vec::new();
    // The register that holds the sum as it is by now.
    let mut tail = None;
    for (register, instruction) in program.instructions().iter().enumerate() {
        let is_used_up = |a: usize| matches!(values[a], Value::Sum) && tail != Some(a);
        let value = match *instruction {
            Instruction::Input(0) if tail.is_some() => return None,
            Instruction::Input(0) => Value::Sum,
            Instruction::Input(n) => Value::Other(n - 1, T::ONE),
            Instruction::Constant(value) => Value::Constant(number(value)),
            Instruction::Negate(a) if is_used_up(a) => return None,
            Instruction::Negate(a) => match values[a] {
                Value::Constant(c) => Value::Constant(-c),
                Value::Other(n, c) => Value::Other(n, -c),
                Value::Sum => pushed(&mut stages, [Stage::Negate]),
            },
            Instruction::Apply(_, a) | Instruction::PowerInteger(a, _) | Instruction::PowerReal(a, _)
                if !matches!(values[a], Value::Sum) || is_used_up(a) =>
            {
                return None;
            }
            Instruction::Apply(function, _) => pushed(&mut stages, [Stage::Apply(function)]),
            Instruction::PowerInteger(_, exponent) => pushed(&mut stages, [Stage::PowerInteger(exponent)]),
            Instruction::PowerReal(_, exponent) => pushed(&mut stages, [Stage::PowerReal(exponent)]),
            Instruction::Combine(_, a, b) if is_used_up(a) || is_used_up(b) => return None,
            Instruction::Combine(operation, a, b) => combined(&mut stages, operation, values[a], values[b])?,
            Instruction::Compare(..) | Instruction::Select(..) | Instruction::Converted(_) | Instruction::Call(..) => {
                return None;
            }
        };
        if matches!(value, Value::Sum) {
            tail = Some(register);
        }
        values.push(value);
    }
    (tail == Some(program.instructions().len() - 1)).then_some(stages)
}

fn pushed<T, const N: usize>(stages: &mut Vec<Stage<T>>, new: [Stage<T>; N]) -> Value<T> {
    stages.extend(new);
    Value::Sum
}

/// An operation on two values; nothing where it is no step.
fn combined<T: GemmElement>(stages: &mut Vec<Stage<T>>, operation: Binary, a: Value<T>, b: Value<T>) -> Option<Value<T>> {
    use Stage::{AddScaled, DivideBy, MultiplyBy, Negate, Over, Scale, Shift, Under};
    use Value::{Constant, Other, Sum};
    Some(match (operation, a, b) {
        (Binary::Add, Sum, Constant(c)) | (Binary::Add, Constant(c), Sum) => pushed(stages, [Shift(c)]),
        (Binary::Subtract, Sum, Constant(c)) => pushed(stages, [Shift(-c)]),
        (Binary::Subtract, Constant(c), Sum) => pushed(stages, [Negate, Shift(c)]),
        (Binary::Multiply, Sum, Constant(c)) | (Binary::Multiply, Constant(c), Sum) => pushed(stages, [Scale(c)]),
        (Binary::Divide, Sum, Constant(c)) => pushed(stages, [Over(c)]),
        (Binary::Divide, Constant(c), Sum) => pushed(stages, [Under(c)]),
        (Binary::Add, Sum, Other(n, c)) | (Binary::Add, Other(n, c), Sum) => pushed(stages, [AddScaled(n, c)]),
        (Binary::Subtract, Sum, Other(n, c)) => pushed(stages, [AddScaled(n, -c)]),
        (Binary::Subtract, Other(n, c), Sum) => pushed(stages, [Negate, AddScaled(n, c)]),
        (Binary::Multiply, Sum, Other(n, c)) | (Binary::Multiply, Other(n, c), Sum) => pushed(stages, [MultiplyBy(n, c)]),
        (Binary::Divide, Sum, Other(n, c)) if c == T::ONE => pushed(stages, [DivideBy(n)]),
        (Binary::Multiply, Other(n, c), Constant(d)) | (Binary::Multiply, Constant(d), Other(n, c)) if c == T::ONE => Other(n, d),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(instructions: Vec<Instruction>) -> Option<Vec<Stage<f64>>> {
        stages(&Program::new(instructions))
    }

    #[test]
    fn chains_are_steps_and_other_programs_are_not() {
        use Instruction::{Apply, Combine, Constant, Input, Negate};
        let half = Constant(0.5.into());
        // tanh(x + 0.5 y)
        let program =
            vec![Input(0), Input(1), half, Combine(Binary::Multiply, 2, 1), Combine(Binary::Add, 0, 3), Apply(Unary::Tanh, 4)];
        assert_eq!(chain(program), Some(vec![Stage::AddScaled(0, 0.5), Stage::Apply(Unary::Tanh)]));
        // 0.5 / (y - x)
        let program = vec![half, Input(1), Input(0), Combine(Binary::Subtract, 1, 2), Combine(Binary::Divide, 0, 3)];
        assert_eq!(chain(program), Some(vec![Stage::Negate, Stage::AddScaled(0, 1.0), Stage::Under(0.5)]));
        // The sum twice; an earlier stage once more; a function of another; a result that is not the sum's.
        assert_eq!(chain(vec![Input(0), Combine(Binary::Multiply, 0, 0), Input(0), Combine(Binary::Add, 1, 2)]), None);
        assert_eq!(chain(vec![Input(0), Negate(0), Combine(Binary::Add, 0, 1)]), None);
        assert_eq!(chain(vec![Input(0), Input(1), Apply(Unary::Exp, 1), Combine(Binary::Add, 0, 2)]), None);
        assert_eq!(chain(vec![Input(0), Input(1)]), None);
    }
}
