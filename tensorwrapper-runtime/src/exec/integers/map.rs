//! Programs over integers, some elements at a time: those of 32 bits where bounds say that these hold everything, those of 64 otherwise.
//! Both wrap around.

use num_complex::Complex;

use tensorwrapper_core::Numeric;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, Program, Reduction, Unary};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::layout::{Positions, Strided};
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::IntegersRef;
use tensorwrapper_cpu::{Loops, vectorised};

/// Elements that an instruction is computed for at a time: what a program holds of them stays in the nearest cache.
const CHUNK: usize = 512;

/// Integers that programs compute with.
pub(super) trait Lane: Numeric + Ord {
    fn wrapping_power(self, exponent: u32) -> Self;
    /// Of an integer of another type, the last bits.
    fn of(number: i64) -> Self;
}

macro_rules! lanes {
    ($($T:ty)*) => { $(
        impl Lane for $T {
            #[inline(always)]
            fn wrapping_power(self, exponent: u32) -> Self {
                self.wrapping_pow(exponent)
            }

            #[inline(always)]
            fn of(number: i64) -> Self {
                number as $T
            }
        }
    )* };
}
lanes! { i32 i64 }

/// What a program reads, and where each index finds it.
pub(super) struct Input<'i> {
    pub(super) numbers: IntegersRef<'i>,
    pub(super) layout: Strided,
}

/// A program for each index, `reduced` values folded into each of the `kept` elements.
///
/// # Errors
/// Memory, reductions over nothing, and what integers do not have.
pub(super) fn map<I: Lane>(
    program: &Program,
    reduction: Reduction,
    inputs: &[Input<'_>],
    [kept, reduced]: [usize; 2],
) -> Result<Owned<I>, Error> {
    if reduced == 0 {
        let nothing = if kept == 0 { 0.0 } else { reduction.of_nothing::<f64>()? };
        return Owned::filled(kept, I::whole(nothing as i64));
    }
    let mut readers: Vec<Reader<'_, I>> = inputs.iter().map(Reader::new).collect();
    let mut registers: Vec<Vec<I>> = vec![vec![I::NOTHING; CHUNK]; program.instructions().len()];
    let mut folded = Owned::with_room(kept)?;
    let (mut value, mut left) = (None, reduced);
    let total = kept * reduced;
    for start in (0..total).step_by(CHUNK) {
        let len = CHUNK.min(total - start);
        let chunk = Chunk { program, readers: &mut readers, registers: &mut registers, start, len };
        vectorised(chunk)?;
        let results = registers.last().unwrap_or_else(|| unreachable!("a program computes something"));
        if reduced == 1 {
            folded.extend(results[..len].iter().copied());
            continue;
        }
        for &result in &results[..len] {
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

fn fold<I: Lane>(reduction: Reduction, a: I, b: I) -> I {
    match reduction {
        Reduction::Sum => a.plus(b),
        Reduction::Product => a.times(b),
        Reduction::Max => a.max(b),
        Reduction::Min => a.min(b),
    }
}

/// The elements of an input, a chunk at a time.
struct Reader<'i, I> {
    numbers: IntegersRef<'i>,
    first: usize,
    /// Where each further element is, unless all are neighbours.
    positions: Option<Positions<&'i Strided>>,
    chunk: Vec<I>,
}

impl<'i, I: Lane> Reader<'i, I> {
    fn new(input: &'i Input<'_>) -> Reader<'i, I> {
        let layout = &input.layout;
        let positions = (!layout.is_row_major()).then(|| layout.positions());
        Reader { numbers: input.numbers, first: layout.start(), positions, chunk: Vec::with_capacity(CHUNK) }
    }

    #[inline(always)]
    fn read(&mut self, start: usize, len: usize) {
        match self.numbers {
            IntegersRef::I32(numbers) => self.read_from(numbers, start, len),
            IntegersRef::I64(numbers) => self.read_from(numbers, start, len),
            IntegersRef::U8(numbers) => self.read_from(numbers, start, len),
        }
    }

    #[inline(always)]
    fn read_from<N: Copy + Into<i64>>(&mut self, numbers: &[N], start: usize, len: usize) {
        self.chunk.clear();
        match &mut self.positions {
            None => self.chunk.extend(numbers[self.first + start..][..len].iter().map(|&number| I::of(number.into()))),
            Some(positions) => {
                self.chunk.extend(positions.by_ref().take(len).map(|position| I::of(numbers[position].into())));
            }
        }
    }
}

/// A program for some elements.
struct Chunk<'c, 'i, I> {
    program: &'c Program,
    readers: &'c mut [Reader<'i, I>],
    registers: &'c mut [Vec<I>],
    start: usize,
    len: usize,
}

impl<I: Lane> Loops for Chunk<'_, '_, I> {
    type Result = Result<(), Error>;

    #[inline(always)]
    fn run(self) -> Result<(), Error> {
        let Chunk { program, readers, registers, start, len } = self;
        readers.iter_mut().for_each(|reader| reader.read(start, len));
        for (n, instruction) in program.instructions().iter().enumerate() {
            let (before, rest) = registers.split_at_mut(n);
            let before = |register: usize| &before[register][..len];
            let result = &mut rest[0][..len];
            match *instruction {
                Instruction::Input(n) | Instruction::Converted(n) => result.copy_from_slice(&readers[n].chunk),
                Instruction::Constant(c) => result.fill(I::of(literal(c)?)),
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
