//! Element-wise programs of few points whose operands lie in the order of the points, or are so few that they are copied into it: one loop
//! over their elements for each instruction, without any of the work that other programs need before they begin. Reduced points of one
//! result follow each other.

use smallvec::SmallVec;

use crate::fold::fold_all;
use crate::functions::{self, Exponent};
use crate::multiversion::{Loops, dispatch_narrow};
use crate::simd::Simd;
use crate::tasks::WORTH_A_THREAD;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, LoopNest, Operand, Program, Reduction, compare};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::layout::Strided;

/// Elements that go through all instructions together.
const BLOCK: usize = 64;
/// The most instructions that a program may have.
const MOST: usize = 8;

/// The most points for which inputs are brought into their order one element after the other.
const MOST_GATHERED: usize = 256;

/// The most points of one result.
const MOST_REDUCED: usize = 256;

/// A program that can be computed so.
pub(super) struct Flat<'m, T> {
    simd: Simd,
    program: &'m Program,
    inputs: [Value<'m, T>; MOST],
    out: &'m mut [T],
}

/// What an instruction reads.
#[derive(Clone, Copy)]
enum Value<'m, T> {
    /// The elements of an input, or nothing.
    Elements(&'m [T]),
    Number(T),
    /// A block that an earlier instruction has made.
    Made(usize),
}

impl<'m, T: Scalar> Flat<'m, T> {
    /// Computes the program, if it is of this kind.
    pub(super) fn run_if(
        simd: Simd,
        nest: &LoopNest,
        (program, reduction): (&Program, Reduction),
        inputs: &[Operand<'_>],
        (out, layout): (&mut [T], &Strided),
    ) -> bool {
        let reduced: usize = nest.reduced_extents().iter().product();
        let len = layout.len().saturating_mul(reduced);
        let instructions = program.instructions();
        let is_small = len < 2 * WORTH_A_THREAD && (1..=MOST_REDUCED).contains(&reduced) && instructions.len() <= MOST;
        if !is_small || !layout.is_row_major() {
            return false;
        }
        let is_known = |one: &Instruction| !matches!(one, Instruction::Converted(_) | Instruction::Call(..));
        if !instructions.iter().all(is_known) {
            return false;
        }
        let mut values = [Value::Elements(&[][..]); MOST];
        let mut others: SmallVec<[usize; MOST]> = SmallVec::new();
        for (n, (value, input)) in values.iter_mut().zip(inputs).enumerate() {
            let Some(data) = T::typed(input.data()) else { return false };
            let layout = input.layout();
            match () {
                () if input.conjugate && T::DTYPE.is_complex() => others.push(n),
                () if layout.strides().iter().all(|&stride| stride == 0) => *value = Value::Number(data[layout.offset()]),
                () if layout.is_row_major() => *value = Value::Elements(&data[layout.offset()..][..len]),
                () => others.push(n),
            }
        }
        let gathered: Vec<T>;
        if !others.is_empty() {
            if len > MOST_GATHERED {
                return false;
            }
            gathered = others.iter().flat_map(|&n| in_order::<T>(&inputs[n])).collect();
            others.iter().zip(gathered.chunks(len)).for_each(|(&n, copy)| values[n] = Value::Elements(copy));
        }
        let out = &mut out[layout.offset()..][..layout.len()];
        let is_computed = instructions.last().is_some_and(computes);
        let whole = |inputs: [Value<'_, T>; MOST], out: &mut [T]| Flat { simd, program, inputs, out }.run();
        match (&instructions, is_computed, reduced) {
            (_, true, 1) => whole(values, out),
            ([Instruction::Input(_)], ..) => {
                let Value::Elements(elements) = values[0] else { return false };
                dispatch_narrow(simd, Rows { reduction, elements, len: reduced, out });
            }
            (_, true, _) => {
                // As many results at a time as a buffer has room for.
                let mut made = [T::ZERO; MOST_REDUCED];
                let rows = MOST_REDUCED / reduced;
                for (n, out) in out.chunks_mut(rows).enumerate() {
                    let made = &mut made[..out.len() * reduced];
                    let part = |value| match value {
                        Value::Elements(elements) if !elements.is_empty() => {
                            Value::Elements(&elements[n * rows * reduced..][..made.len()])
                        }
                        other => other,
                    };
                    whole(values.map(part), made);
                    dispatch_narrow(simd, Rows { reduction, elements: made, len: reduced, out });
                }
            }
            (_, false, _) => return false,
        }
        true
    }

    fn run(self) {
        match self.program.instructions().iter().filter(|one| computes(one)).count() {
            0 | 1 => dispatch_narrow(self.simd, Run::<'_, T, 0>(self)),
            2 => dispatch_narrow(self.simd, Run::<'_, T, 1>(self)),
            _ => dispatch_narrow(self.simd, Run::<'_, T, MOST>(self)),
        }
    }
}

/// The elements of an input in the order of the points, conjugated where they are to be.
fn in_order<'i, T: Scalar>(input: &'i Operand<'_>) -> impl Iterator<Item = T> + 'i {
    let data = T::typed(input.data()).unwrap_or_default();
    let conjugates = input.conjugate && T::DTYPE.is_complex();
    input.layout().positions().map(move |place| if conjugates { data[place].conj() } else { data[place] })
}

/// Whether an instruction makes elements.
fn computes(one: &Instruction) -> bool {
    !matches!(one, Instruction::Input(_) | Instruction::Constant(_))
}

/// Results that are folded of as many neighbours each.
struct Rows<'m, T> {
    reduction: Reduction,
    elements: &'m [T],
    len: usize,
    out: &'m mut [T],
}

impl<T: Scalar> Loops for Rows<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (n, out) in self.out.iter_mut().enumerate() {
            *out = fold_all(self.reduction, &self.elements[n * self.len..][..self.len]);
        }
    }
}

/// The run of a program that keeps at most so many blocks besides the result.
struct Run<'m, T, const KEPT: usize>(Flat<'m, T>);

impl<T: Scalar, const KEPT: usize> Loops for Run<'_, T, KEPT> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Flat { simd, program, inputs, out } = self.0;
        let mut kept = [[T::ZERO; BLOCK]; KEPT];
        let instructions = program.instructions();
        // Where nothing is kept, all elements are one block.
        let block = if KEPT == 0 { out.len() } else { BLOCK };
        for (n, out) in out.chunks_mut(block).enumerate() {
            let mut values = [Value::Number(T::ZERO); MOST];
            let mut made = 0;
            for (number, instruction) in instructions.iter().enumerate() {
                values[number] = match *instruction {
                    Instruction::Input(input) => match inputs[input] {
                        Value::Elements(elements) => Value::Elements(&elements[n * block..][..out.len()]),
                        other => other,
                    },
                    Instruction::Constant(constant) => Value::Number(T::from_complex(constant)),
                    _ => {
                        // The last instruction is the result.
                        if number + 1 == instructions.len() {
                            compute(simd, instruction, &values, &kept, out);
                        } else {
                            let (before, rest) = kept.split_at_mut(made);
                            compute(simd, instruction, &values, before, &mut rest[0][..out.len()]);
                        }
                        made += 1;
                        Value::Made(made - 1)
                    }
                };
            }
        }
    }
}

/// Writes a block of an instruction's values.
#[inline(always)]
fn compute<T: Scalar>(simd: Simd, instruction: &Instruction, values: &[Value<'_, T>], made: &[[T; BLOCK]], out: &mut [T]) {
    match *instruction {
        Instruction::Negate(a) => each(values[a], made, out, |a| -a),
        Instruction::Apply(function, a) => whole(values[a], made, out, |from, out| functions::apply(simd, function, from, out)),
        Instruction::PowerInteger(a, 2) => each(values[a], made, out, |a| a * a),
        Instruction::PowerInteger(a, exponent) => {
            whole(values[a], made, out, |from, out| functions::power(simd, Exponent::Whole(exponent), from, out));
        }
        Instruction::PowerReal(a, exponent) => {
            whole(values[a], made, out, |from, out| functions::power(simd, Exponent::Real(exponent), from, out));
        }
        Instruction::Combine(operation, a, b) => {
            let pair = (values[a], values[b]);
            match operation {
                Binary::Add => both(pair, made, out, |a, b| a + b),
                Binary::Subtract => both(pair, made, out, |a, b| a - b),
                Binary::Multiply => both(pair, made, out, |a, b| a * b),
                Binary::Divide => both(pair, made, out, |a, b| a.quotient(b)),
            }
        }
        Instruction::Compare(Comparison::Less, a, b) | Instruction::Compare(Comparison::Greater, b, a) => {
            compared((values[a], values[b]), made, out, compare::less);
        }
        Instruction::Compare(Comparison::LessOrEqual, a, b) | Instruction::Compare(Comparison::GreaterOrEqual, b, a) => {
            compared((values[a], values[b]), made, out, compare::less_or_equal);
        }
        Instruction::Compare(Comparison::Equal, a, b) => compared((values[a], values[b]), made, out, |a, b| a == b),
        Instruction::Compare(Comparison::NotEqual, a, b) => compared((values[a], values[b]), made, out, |a, b| a != b),
        Instruction::Select(condition, a, b) => select(values[condition], (values[a], values[b]), made, out),
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
