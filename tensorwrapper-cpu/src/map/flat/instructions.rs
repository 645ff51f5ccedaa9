//! What each instruction does to a block of values.

use crate::functions::{self, Exponent};
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, compare};
use tensorwrapper_core::element::Element;

/// Elements that go through all instructions together.
pub(super) const BLOCK: usize = 64;

/// What an instruction reads.
#[derive(Clone, Copy)]
pub(super) enum Value<'m, T> {
    /// The elements of an input, or nothing.
    Elements(&'m [T]),
    Number(T),
    /// A block that an earlier instruction has made.
    Made(usize),
}

/// Writes a block of an instruction's values; `value` has what earlier ones made.
#[inline(always)]
pub(super) fn compute<'v, T: Scalar>(
    simd: Simd,
    instruction: &Instruction,
    value: impl Fn(usize) -> Value<'v, T>,
    made: &[[T; BLOCK]],
    out: &mut [T],
) {
    match *instruction {
        Instruction::Negate(a) => each(value(a), made, out, |a| -a),
        Instruction::Apply(function, a) => whole(value(a), made, out, |from, out| functions::apply(simd, function, from, out)),
        Instruction::PowerInteger(a, 2) => each(value(a), made, out, |a| a * a),
        Instruction::PowerInteger(a, exponent) => {
            whole(value(a), made, out, |from, out| functions::power(simd, Exponent::Whole(exponent), from, out));
        }
        Instruction::PowerReal(a, exponent) => {
            whole(value(a), made, out, |from, out| functions::power(simd, Exponent::Real(exponent), from, out));
        }
        Instruction::Combine(operation, a, b) => {
            let pair = (value(a), value(b));
            match operation {
                Binary::Add => both(pair, made, out, |a, b| a + b),
                Binary::Subtract => both(pair, made, out, |a, b| a - b),
                Binary::Multiply => both(pair, made, out, |a, b| a * b),
                Binary::Divide => both(pair, made, out, |a, b| a.quotient(b)),
            }
        }
        Instruction::Compare(Comparison::Less, a, b) | Instruction::Compare(Comparison::Greater, b, a) => {
            compared((value(a), value(b)), made, out, compare::less);
        }
        Instruction::Compare(Comparison::LessOrEqual, a, b) | Instruction::Compare(Comparison::GreaterOrEqual, b, a) => {
            compared((value(a), value(b)), made, out, compare::less_or_equal);
        }
        Instruction::Compare(Comparison::Equal, a, b) => compared((value(a), value(b)), made, out, |a, b| a == b),
        Instruction::Compare(Comparison::NotEqual, a, b) => compared((value(a), value(b)), made, out, |a, b| a != b),
        Instruction::Select(condition, a, b) => select(value(condition), (value(a), value(b)), made, out),
        Instruction::Input(_) | Instruction::Constant(_) | Instruction::Converted(_) | Instruction::Call(..) => {
            unreachable!("nothing is computed for these here")
        }
    }
}

/// The elements of a value, or the number that it is everywhere.
#[inline(always)]
fn elements<'v, T: Element>(value: Value<'v, T>, made: &'v [[T; BLOCK]], len: usize) -> Result<&'v [T], T> {
    match value {
        Value::Elements(elements) => Ok(elements),
        Value::Made(number) => Ok(&made[number][..len]),
        Value::Number(number) => Err(number),
    }
}

/// A function of whole blocks, from other memory or in its own.
#[inline(always)]
fn whole<T: Element>(value: Value<'_, T>, made: &[[T; BLOCK]], out: &mut [T], function: impl Fn(Option<&[T]>, &mut [T])) {
    match elements(value, made, out.len()) {
        Ok(elements) => function(Some(elements), out),
        Err(number) => {
            out.fill(number);
            function(None, out);
        }
    }
}

#[inline(always)]
fn each<T: Element>(value: Value<'_, T>, made: &[[T; BLOCK]], out: &mut [T], operation: impl Fn(T) -> T) {
    match elements(value, made, out.len()) {
        Ok(elements) => out.iter_mut().zip(elements).for_each(|(out, &a)| *out = operation(a)),
        Err(number) => out.fill(operation(number)),
    }
}

#[inline(always)]
fn both<T: Element>((a, b): (Value<'_, T>, Value<'_, T>), made: &[[T; BLOCK]], out: &mut [T], operation: impl Fn(T, T) -> T) {
    let len = out.len();
    match (elements(a, made, len), elements(b, made, len)) {
        (Ok(a), Ok(b)) => out.iter_mut().zip(a).zip(b).for_each(|((out, &a), &b)| *out = operation(a, b)),
        (Ok(a), Err(b)) => out.iter_mut().zip(a).for_each(|(out, &a)| *out = operation(a, b)),
        (Err(a), Ok(b)) => out.iter_mut().zip(b).for_each(|(out, &b)| *out = operation(a, b)),
        (Err(a), Err(b)) => out.fill(operation(a, b)),
    }
}

/// Whether two values compare so, as 1 or 0.
#[inline(always)]
fn compared<T: Element>(pair: (Value<'_, T>, Value<'_, T>), made: &[[T; BLOCK]], out: &mut [T], holds: impl Fn(T, T) -> bool) {
    both(pair, made, out, |a, b| compare::truth(holds(a, b)));
}

/// One of two values for each element.
#[inline(always)]
fn select<T: Element>(condition: Value<'_, T>, (a, b): (Value<'_, T>, Value<'_, T>), made: &[[T; BLOCK]], out: &mut [T]) {
    let len = out.len();
    let condition = match elements(condition, made, len) {
        Ok(condition) => condition,
        Err(number) => return each(if number == T::ZERO { b } else { a }, made, out, |value| value),
    };
    let chosen = out.iter_mut().zip(condition);
    match (elements(a, made, len), elements(b, made, len)) {
        (Ok(a), Ok(b)) => chosen.zip(a).zip(b).for_each(|(((out, &c), &a), &b)| *out = compare::select(c, a, b)),
        (Ok(a), Err(b)) => chosen.zip(a).for_each(|((out, &c), &a)| *out = compare::select(c, a, b)),
        (Err(a), Ok(b)) => chosen.zip(b).for_each(|((out, &c), &b)| *out = compare::select(c, a, b)),
        (Err(a), Err(b)) => chosen.for_each(|(out, &c)| *out = compare::select(c, a, b)),
    }
}
