//! Programs over integers, some elements at a time: those of 32 bits where bounds say that these hold everything, those of 64 otherwise.
//! Both wrap around.

use num_complex::Complex;

use super::reader::{Input, Reader};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::IntegersRef;
use tensorwrapper_cpu::{Loops, vectorised_reads};

/// Elements that an instruction is computed for at a time: what a program holds of them stays in the nearest cache.
pub(super) const CHUNK: usize = 1024;

/// Integers that programs compute with.
pub(super) trait Lane: Numeric + Ord {
    fn wrapping_power(self, exponent: u32) -> Self;
    /// Of an integer of another type, the last bits.
    fn of(number: i64) -> Self;
    /// The integers, if they are of this type.
    fn typed(numbers: IntegersRef<'_>) -> Option<&[Self]>;
}

macro_rules! lanes {
    ($($T:ty, $Variant:ident)*) => { $(
        impl Lane for $T {
            #[inline(always)]
            fn wrapping_power(self, exponent: u32) -> Self {
                self.wrapping_pow(exponent)
            }

            #[inline(always)]
            fn of(number: i64) -> Self {
                number as $T
            }

            #[inline(always)]
            fn typed(numbers: IntegersRef<'_>) -> Option<&[Self]> {
                match numbers {
                    IntegersRef::$Variant(numbers) => Some(numbers),
                    _ => None,
                }
            }
        }
    )* };
}
lanes! { i32, I32 i64, I64 }

/// A program for each index in 64 bits, `reduced` values folded into each of the `kept` elements.
///
/// # Errors
/// Memory, reductions over nothing, and what integers do not have.
pub(super) fn map(
    program: &Program,
    reduction: Reduction,
    inputs: &[Input<'_>],
    [kept, reduced]: [usize; 2],
) -> Result<Owned<i64>, Error> {
    if reduced == 0 {
        let nothing = if kept == 0 { 0.0 } else { reduction.of_nothing::<f64>()? };
        return Owned::filled(kept, nothing as i64);
    }
    let mut readers: Vec<Reader<'_>> = inputs.iter().map(|input| Reader::new(input, CHUNK)).collect();
    let total = kept * reduced;
    let mut registers = Registers::<i64>::new(total);
    let mut folded = Owned::with_room(kept)?;
    let (mut value, mut left) = (None, reduced);
    for start in (0..total).step_by(CHUNK) {
        let len = CHUNK.min(total - start);
        let inputs: Vec<IntegersRef<'_>> = readers.iter_mut().map(|reader| reader.next(len)).collect();
        let results = registers.run(program, &inputs, len)?;
        if reduced == 1 {
            folded.extend(results.iter().copied());
            continue;
        }
        for &result in results {
            value = Some(value.map_or(result, |value| fold(reduction, value, result)));
            left -= 1;
            if left == 0 {
                folded.extend(value.take());
                left = reduced;
            }
        }
    }
    Ok(folded)
}

fn fold(reduction: Reduction, a: i64, b: i64) -> i64 {
    match reduction {
        Reduction::Sum => a.wrapping_add(b),
        Reduction::Product => a.wrapping_mul(b),
        Reduction::Max => a.max(b),
        Reduction::Min => a.min(b),
    }
}

/// What each instruction of a program makes of some elements.
pub(super) struct Registers<I> {
    /// Those of one instruction after those of the other, once they are needed.
    elements: Vec<I>,
    /// Elements of each.
    width: usize,
}

impl<I: Lane> Registers<I> {
    /// For so many elements of a program in all.
    pub(super) fn new(total: usize) -> Registers<I> {
        Registers { elements: Vec::new(), width: total.clamp(1, CHUNK) }
    }

    /// The results of a program for so many elements of its inputs, at most [`CHUNK`].
    ///
    /// # Errors
    /// What integers do not have.
    pub(super) fn run(&mut self, program: &Program, inputs: &[IntegersRef<'_>], len: usize) -> Result<&[I], Error> {
        let Registers { elements, width } = self;
        if elements.is_empty() {
            elements.resize(program.instructions().len() * *width, I::NOTHING);
            constants(program, elements, *width)?;
        }
        vectorised_reads(Chunk { program, inputs, registers: elements, width: *width, len })?;
        Ok(elements.len().checked_sub(*width).map_or(&[], |last| &elements[last..][..len]))
    }
}

/// Writes the constants of a program, which nothing overwrites.
fn constants<I: Lane>(program: &Program, registers: &mut [I], width: usize) -> Result<(), Error> {
    for (instruction, register) in program.instructions().iter().zip(registers.chunks_exact_mut(width)) {
        if let Instruction::Constant(c) = *instruction {
            register.fill(I::of(literal(c)?));
        }
    }
    Ok(())
}

/// A program for some elements.
struct Chunk<'c, I> {
    program: &'c Program,
    inputs: &'c [IntegersRef<'c>],
    registers: &'c mut [I],
    width: usize,
    len: usize,
}

impl<I: Lane> Loops for Chunk<'_, I> {
    type Result = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Result<(), Error> {
        let Chunk { program, inputs, registers, width, len } = self;
        let instructions = program.instructions();
        // Inputs of this type are used where they are, but for one that is the result.
        let in_place = |register: usize| match instructions[register] {
            Instruction::Input(n) | Instruction::Converted(n) if register + 1 < instructions.len() => I::typed(inputs[n]),
            _ => None,
        };
        for (n, instruction) in instructions.iter().enumerate() {
            let (before, rest) = registers.split_at_mut(n * width);
            let before = |register: usize| in_place(register).unwrap_or(&before[register * width..][..len]);
            let result = &mut rest[..len];
            match *instruction {
                Instruction::Input(_) | Instruction::Converted(_) if in_place(n).is_some() => {}
                Instruction::Input(n) | Instruction::Converted(n) => match inputs[n] {
                    IntegersRef::I32(numbers) => read(result, numbers),
                    IntegersRef::I64(numbers) => read(result, numbers),
                    IntegersRef::U8(numbers) => read(result, numbers),
                },
                Instruction::Constant(_) => {}
                Instruction::Negate(a) => one(result, before(a), I::negated),
                Instruction::Apply(Unary::Abs, a) => one(result, before(a), |a| if a < I::NOTHING { a.negated() } else { a }),
                Instruction::Apply(Unary::Conj | Unary::Re, a) => one(result, before(a), |a| a),
                Instruction::Apply(Unary::Im, _) => result.fill(I::NOTHING),
                Instruction::PowerInteger(a, exponent) => {
                    let exponent = u32::try_from(exponent).map_err(|_| unsupported("powers with a negative exponent"))?;
                    one(result, before(a), |a| a.wrapping_power(exponent));
                }
                Instruction::Combine(Binary::Add, a, b) => two(result, before(a), before(b), I::plus),
                Instruction::Combine(Binary::Subtract, a, b) => two(result, before(a), before(b), I::minus),
                Instruction::Combine(Binary::Multiply, a, b) => two(result, before(a), before(b), I::times),
                Instruction::Compare(comparison, a, b) => compare(comparison, result, before(a), before(b)),
                Instruction::Select(condition, a, b) => {
                    let values = before(a).iter().zip(before(b));
                    for ((result, &condition), (&a, &b)) in result.iter_mut().zip(before(condition)).zip(values) {
                        *result = if condition == I::NOTHING { b } else { a };
                    }
                }
                Instruction::Combine(Binary::Divide, ..) => return Err(unsupported("division")),
                Instruction::Apply(function, _) => return Err(unsupported(&format!("`{}`", function.name()))),
                Instruction::PowerReal(..) => return Err(unsupported("real powers")),
                Instruction::Call(..) => return Err(unsupported("functions")),
            }
        }
        Ok(())
    }
}

/// Integers as those of another type, the last bits of each.
#[inline(always)]
fn read<N: Copy + Into<i64>, I: Lane>(result: &mut [I], numbers: &[N]) {
    result.iter_mut().zip(numbers).for_each(|(result, &number)| *result = I::of(number.into()));
}

#[inline(always)]
fn one<I: Lane>(result: &mut [I], a: &[I], of: impl Fn(I) -> I) {
    result.iter_mut().zip(a).for_each(|(result, &a)| *result = of(a));
}

#[inline(always)]
fn two<I: Lane>(result: &mut [I], a: &[I], b: &[I], of: impl Fn(I, I) -> I) {
    result.iter_mut().zip(a.iter().zip(b)).for_each(|(result, (&a, &b))| *result = of(a, b));
}

/// 1 where the comparison holds, and 0 elsewhere.
#[inline(always)]
fn compare<I: Lane>(comparison: Comparison, result: &mut [I], a: &[I], b: &[I]) {
    let truth = |holds: bool| I::of(holds.into());
    match comparison {
        Comparison::Less => two(result, a, b, |a, b| truth(a < b)),
        Comparison::LessOrEqual => two(result, a, b, |a, b| truth(a <= b)),
        Comparison::Greater => two(result, a, b, |a, b| truth(a > b)),
        Comparison::GreaterOrEqual => two(result, a, b, |a, b| truth(a >= b)),
        Comparison::Equal => two(result, a, b, |a, b| truth(a == b)),
        Comparison::NotEqual => two(result, a, b, |a, b| truth(a != b)),
    }
}

/// The product or sum of an equation's literals, or one of them.
///
/// # Errors
/// One that double precision may have rounded.
pub(super) fn literal(number: Complex<f64>) -> Result<i64, Error> {
    match number.im == 0.0 && number.re.fract() == 0.0 && number.re.abs() < (1u64 << f64::MANTISSA_DIGITS) as f64 {
        true => Ok(number.re as i64),
        false => {
            let error =
                Error::new(ErrorKind::Unsupported("literals that are together beyond 2⁵³ in an equation over integers".into()));
            Err(error.with_help("write them as variables, which are exact"))
        }
    }
}

/// An operation that integers do not have, and that no equation over integers is compiled with.
pub(super) fn unsupported(what: &str) -> Error {
    Error::new(ErrorKind::Unsupported(format!("integers have no {what}"))).with_help("convert them: `cast(f64; A[i])`")
}
