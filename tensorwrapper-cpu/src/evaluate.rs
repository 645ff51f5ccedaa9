//! Interprets element-wise programs: one pass at a time over a chunk of elements, so that its loop vectorises.
//!
//! A program of one pass is computed in 256 bits where its inputs do not begin at cache lines, because loads across two lines
//! are what it would wait for (`Evaluator::has_lines`).
//!
//! The loops of a pass are compiled for each set of instructions (`PassLoops`); what goes from pass to pass is compiled once. Short chunks,
//! for which a call of each pass would take longer than its loop, have all of it inlined (`Evaluator::run_inlined`).

mod inputs;

use std::ops::Range;

use tensorwrapper_notation::MOST_ARGUMENTS;

use self::inputs::InputChunk;
pub(super) use self::inputs::{Data, Input, convert};
use super::access::PerOperand;
use super::access::{AccessPattern, BlockAccess};
use super::block_schedule;
use super::functions::{self, Exponent};
use super::fused_program::{FusedProgram, Pass, RegisterPair};
use super::loops::Grid;
use super::multiversion::{self, LINE, Loops, dispatch, dispatch_narrow};
use super::passes::{Rows, binary, chosen, compared, quaternary, rows_of, ternary, unary};
use super::registers::{Assignment, Held, Registers, Slots};
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::Axis;
use tensorwrapper_core::backend::{Binary, Comparison, Instruction, compare};
use tensorwrapper_core::callback::{Callback, Typed};

/// Elements of rows that passes go through one by one, at least; shorter ones are first brought together.
const ROW: usize = 32;

/// A program, its inputs, and the axes along which chunks are cut.
pub(super) struct Evaluator<'a, T> {
    ready: &'a FusedProgram,
    functions: Vec<Option<Typed<'a, T>>>,
    inputs: Vec<Input<'a, T>>,
    access: Vec<AccessPattern>,
    axes: &'a [Axis<PerOperand>],
    simd: Simd,
    /// Elements of a row: chunks are several where they are blocks, whose inputs are read where they lie.
    row: usize,
    /// What each register is to the chunks, and its memory.
    assignment: Assignment,
    /// How much of the next chunk has been asked for when each pass begins, and in the end.
    shares: Vec<usize>,
}

/// The chunk after this one. It is asked for while this one is computed: processors fetch ahead on their own only where chunks
/// follow each other in memory.
#[derive(Clone, Copy)]
pub(super) struct NextChunk<'s> {
    pub(super) start: &'s [isize],
    pub(super) first: usize,
    pub(super) len: usize,
}

impl<'a, T: Scalar> Evaluator<'a, T> {
    /// Chunks are those of a grid, whose strides count the inputs in their order.
    pub(super) fn new(
        simd: Simd,
        ready: &'a FusedProgram,
        functions: &'a [Callback<'_>],
        inputs: Vec<Input<'a, T>>,
        grid: &'a Grid,
    ) -> Evaluator<'a, T> {
        let access = (0..inputs.len()).map(|n| grid.access(n)).collect::<Vec<_>>();
        // A plan has the functions of all its programs; those of other element types are other programs'.
        let functions = functions.iter().map(|&function| T::typed_function(function)).collect();
        let rows =
            access.iter().find_map(|access| if let AccessPattern::Block(block) = access { Some(block.columns) } else { None });
        let row = rows.filter(|&columns| columns >= ROW).unwrap_or(grid.width).max(1);
        // Numbers are there already, and inputs that are read where they lie take no time.
        let waits = |pass: &Pass| match pass {
            Pass::One(Instruction::Constant(_)) => false,
            Pass::One(Instruction::Input(n)) => {
                !matches!(access[*n], AccessPattern::Contiguous | AccessPattern::Block(BlockAccess { column: 1, .. }))
            }
            _ => true,
        };
        let total = ready.passes.iter().filter(|(_, pass)| waits(pass)).count().max(1);
        let so_far = ready.passes.iter().scan(0, |sum, (_, pass)| {
            *sum += usize::from(waits(pass));
            Some(*sum * block_schedule::WHOLE / total)
        });
        let shares = [0].into_iter().chain(so_far).collect();
        let mut evaluator = Evaluator {
            ready,
            functions,
            inputs,
            access,
            axes: &grid.inner,
            simd,
            row,
            assignment: Assignment::default(),
            shares,
        };
        let is_one = |input: usize| evaluator.access[input] == AccessPattern::Constant;
        let lies = |register, pass: &Pass| evaluator.in_place(pass).is_some() || evaluator.in_rows(register, pass).is_some();
        evaluator.assignment = Assignment::new(ready, is_one, lies);
        evaluator
    }

    /// Work space for chunks of at most `width` elements.
    pub(super) fn registers(&self, width: usize) -> Registers<T> {
        Registers::new(self.ready, &self.assignment, width, self.row)
    }

    /// Whether most of what is read begins at cache lines: registers do, and inputs where they happen to. Wide loads across two lines are
    /// what one pass over inputs waits for: `A + B·C` went at 26 GB/s by 512 bits and at 41 by 256, 16 bytes after a line each.
    pub(super) fn has_lines(&self, start: &[isize]) -> bool {
        let lies = |n: usize| match (&self.inputs[n].data, self.access[n]) {
            (Data::Own(data), AccessPattern::Contiguous) => {
                (data.as_ptr().wrapping_offset(start[n]) as usize).is_multiple_of(LINE)
            }
            _ => true,
        };
        let computing = self
            .ready
            .passes
            .iter()
            .filter(|(_, pass)| !matches!(pass, Pass::One(Instruction::Input(_) | Instruction::Constant(_))));
        computing.count() > 1 || (0..self.inputs.len()).all(lies)
    }

    /// The input, and its memory, that a pass only has to find.
    #[inline(always)]
    fn in_place(&self, pass: &Pass) -> Option<(usize, &'a [T])> {
        let Pass::One(Instruction::Input(number)) = *pass else { return None };
        match self.inputs[number] {
            Input { data: Data::Own(data), conjugate: false } if self.access[number] == AccessPattern::Contiguous => {
                Some((number, data))
            }
            _ => None,
        }
    }

    /// The input of a pass that others read in its rows, and how far apart these are.
    #[inline(always)]
    fn in_rows(&self, register: usize, pass: &Pass) -> Option<(usize, usize)> {
        let Pass::One(Instruction::Input(number)) = *pass else { return None };
        match (self.inputs[number], self.access[number]) {
            (
                Input { data: Data::Own(_), conjugate: false },
                AccessPattern::Block(BlockAccess { row: apart @ 0.., column: 1, columns, .. }),
            ) if columns == self.row && register + 1 < self.ready.registers => Some((number, apart as usize)),
            _ => None,
        }
    }

    /// The number and the memory of an input that is the value itself and lies in chunks.
    pub(super) fn lone(&self) -> Option<(usize, &'a [T])> {
        self.in_place(&self.ready.passes.last()?.1)
    }

    /// The program's values for `len` points, where the first one lies at `start` in each input, inside other loops.
    #[inline(always)]
    pub(super) fn run_inlined<'r>(&'r self, registers: &'r mut Registers<T>, start: &[isize], len: usize) -> &'r [T] {
        for pass in &self.ready.passes {
            self.step::<true>(registers, pass, (start, 0, len), None, true);
        }
        self.values(registers, len)
    }

    /// The values of the last [`run`](Evaluator::run).
    #[inline(always)]
    pub(super) fn values<'r>(&'r self, registers: &'r Registers<T>, len: usize) -> &'r [T] {
        self.rows(registers.slots(), registers.held[self.ready.registers - 1]).row(0, len)
    }

    /// The program's values for `len` points, of which the first is point `first` of the axes, where point 0 lies at `start` in each
    /// input. They are written to memory where that is given, and computed by the widest instructions or without them.
    pub(super) fn run_into(
        &self,
        registers: &mut Registers<T>,
        (start, first, len): (&[isize], usize, usize),
        mut target: Option<&mut [T]>,
        ahead: Option<NextChunk<'_>>,
        is_wide: bool,
    ) {
        let parts = self.ready.passes.len();
        for (part, pass) in self.ready.passes.iter().enumerate() {
            if let (Some(ahead), true) = (ahead, self.shares[part] < self.shares[part + 1]) {
                self.ask(ahead, start, first + len, self.shares[part]..self.shares[part + 1]);
            }
            let into = if part + 1 == parts { target.take() } else { None };
            self.step::<false>(registers, pass, (start, first, len), into, is_wide);
        }
    }

    /// Asks for a part of the next chunk where it does not follow this one, which ends before point `end`.
    fn ask(&self, ahead: NextChunk<'_>, start: &[isize], end: usize, share: Range<usize>) {
        for (n, (input, access)) in self.inputs.iter().zip(&self.access).enumerate() {
            let Data::Own(data) = input.data else { continue };
            let position = ahead.start[n] + ahead.first as isize;
            match access {
                AccessPattern::Contiguous if position != start[n] + end as isize => {
                    let share = ahead.len * share.start / block_schedule::WHOLE..ahead.len * share.end / block_schedule::WHOLE;
                    multiversion::prefetch(&data[position as usize..][share]);
                }
                AccessPattern::Block(block) => block.ask(data, position, share.clone()),
                AccessPattern::Contiguous | AccessPattern::Constant | AccessPattern::Strided => {}
            }
        }
    }

    /// Runs a pass into its own register, or into other memory: by the widest instructions or without them, or inlined, by those of what
    /// it is inlined in.
    #[inline(always)]
    fn step<const INLINED: bool>(
        &self,
        registers: &mut Registers<T>,
        (n, pass): &(usize, Pass),
        (start, first, len): (&[isize], usize, usize),
        target: Option<&mut [T]>,
        is_wide: bool,
    ) {
        let kind = self.assignment.kinds[*n];
        if kind.is_uniform && pass.is_number() {
            return;
        }
        if let (None, Some((number, _))) = (&target, self.in_place(pass)) {
            registers.held[*n] = Held::Input(number, (start[number] + first as isize) as usize, self.row);
            return;
        }
        if let (None, Some((number, apart))) = (&target, self.in_rows(*n, pass)) {
            registers.held[*n] = Held::Input(number, start[number] as usize, apart);
            return;
        }
        let is_uniform = target.is_none() && kind.is_uniform;
        let (out, slots, held) = match (target, *pass) {
            // A number that is the whole program has no slot.
            (Some(target), Pass::One(Instruction::Constant(constant))) => return target.fill(T::from_complex(constant)),
            (Some(target), _) => (target, registers.slots(), &registers.held[..]),
            (None, _) => registers.slot(kind.slot),
        };
        let values = &mut out[..if is_uniform { 1 } else { len }];
        let loops = PassLoops { evaluator: self, pass, start, first, slots: &slots, held, out: values };
        match (INLINED, is_wide) {
            (true, _) => loops.run(),
            (false, true) => dispatch(self.simd, loops),
            (false, false) => dispatch_narrow(self.simd, loops),
        }
        if is_uniform && kind.is_spread {
            let value = out[0];
            out[..self.row.min(len)].fill(value);
        }
    }

    /// Computes elements of a pass from those of other registers.
    #[inline(always)]
    fn compute(&self, pass: &Pass, (start, first): (&[isize], usize), (slots, held): (Slots<'_, T>, &[Held]), out: &mut [T]) {
        let (row, value) = (self.row, |register: usize| self.rows(slots, held[register]));
        let three = |[a, b]: RegisterPair, c| [value(a), value(b), value(c)];
        let instruction = match *pass {
            Pass::One(instruction) => instruction,
            Pass::ProductThen(operation, product, c) => {
                let values = three(product, c);
                return match operation {
                    Binary::Add => ternary(row, out, values, |a, b, c| a * b + c),
                    Binary::Subtract => ternary(row, out, values, |a, b, c| a * b - c),
                    Binary::Multiply => ternary(row, out, values, |a, b, c| a * b * c),
                    Binary::Divide => ternary(row, out, values, |a, b, c| (a * b).quotient(c)),
                };
            }
            Pass::LessProduct(c, product) => return ternary(row, out, three(product, c), |a, b, c| c - a * b),
            Pass::ByProduct(c, product) => return ternary(row, out, three(product, c), |a, b, c| c.quotient(a * b)),
            // Bounds are almost always numbers: two loads less for each vector.
            Pass::Clip(x, bounds) => match bounds.map(|bound| held[bound].number(slots)) {
                [Some(low), Some(high)] => return unary(row, out, value(x), |x| compare::clip(x, low, high)),
                _ => return ternary(row, out, [value(x), value(bounds[0]), value(bounds[1])], compare::clip),
            },
            Pass::CompareSelect(Comparison::Less, [a, b], [c, d]) | Pass::CompareSelect(Comparison::Greater, [b, a], [c, d]) => {
                return chosen(row, out, [a, b, c, d].map(value), compare::less);
            }
            Pass::CompareSelect(Comparison::LessOrEqual, [a, b], [c, d])
            | Pass::CompareSelect(Comparison::GreaterOrEqual, [b, a], [c, d]) => {
                return chosen(row, out, [a, b, c, d].map(value), compare::less_or_equal);
            }
            Pass::CompareSelect(Comparison::Equal, [a, b], [c, d])
            | Pass::CompareSelect(Comparison::NotEqual, [a, b], [d, c]) => {
                return chosen(row, out, [a, b, c, d].map(value), |a, b| a == b);
            }
            Pass::SumOfProducts([a, b], [c, d]) => {
                return quaternary(row, out, [value(a), value(b), value(c), value(d)], |a, b, c, d| a * b + c * d);
            }
            Pass::DifferenceOfProducts([a, b], [c, d]) => {
                return quaternary(row, out, [value(a), value(b), value(c), value(d)], |a, b, c, d| a * b - c * d);
            }
        };
        match instruction {
            Instruction::Input(input) | Instruction::Converted(input) => {
                let (access, axes) = (self.access[input], self.axes);
                let chunk = InputChunk { number: input, access, axes, start: start[input], first };
                self.inputs[input].load(self.simd, chunk, out);
            }
            // Numbers are in their slots from the beginning.
            Instruction::Constant(_) => {}
            Instruction::Negate(a) => unary(row, out, value(a), |a| -a),
            Instruction::Apply(function, a) => {
                rows_of(row, out, value(a), |out, a| functions::apply(self.simd, function, Some(a), out));
            }
            Instruction::PowerInteger(a, 2) => unary(row, out, value(a), |a| a * a),
            Instruction::PowerInteger(a, exponent) => {
                let exponent = Exponent::Whole(exponent);
                rows_of(row, out, value(a), |out, a| functions::power(self.simd, exponent, Some(a), out));
            }
            Instruction::PowerReal(a, exponent) => {
                let exponent = Exponent::Real(exponent);
                rows_of(row, out, value(a), |out, a| functions::power(self.simd, exponent, Some(a), out));
            }
            Instruction::Combine(Binary::Add, a, b) => binary(row, out, [value(a), value(b)], |a, b| a + b),
            Instruction::Combine(Binary::Subtract, a, b) => binary(row, out, [value(a), value(b)], |a, b| a - b),
            Instruction::Combine(Binary::Multiply, a, b) => binary(row, out, [value(a), value(b)], |a, b| a * b),
            Instruction::Combine(Binary::Divide, a, b) => binary(row, out, [value(a), value(b)], |a, b| a.quotient(b)),
            Instruction::Compare(Comparison::Less, a, b) | Instruction::Compare(Comparison::Greater, b, a) => {
                compared(row, out, [value(a), value(b)], compare::less);
            }
            Instruction::Compare(Comparison::LessOrEqual, a, b) | Instruction::Compare(Comparison::GreaterOrEqual, b, a) => {
                compared(row, out, [value(a), value(b)], compare::less_or_equal);
            }
            Instruction::Compare(Comparison::Equal, a, b) => compared(row, out, [value(a), value(b)], |a, b| a == b),
            Instruction::Compare(Comparison::NotEqual, a, b) => compared(row, out, [value(a), value(b)], |a, b| a != b),
            Instruction::Select(condition, a, b) => {
                ternary(row, out, [value(condition), value(a), value(b)], compare::select);
            }
            Instruction::Call(slot, arguments) => {
                let function = self.functions[slot].expect("functions are of the operation's element type");
                let registers = arguments.registers();
                let mut values = [Rows { elements: &[][..], apart: 0 }; MOST_ARGUMENTS];
                values.iter_mut().zip(registers).for_each(|(rows, &register)| *rows = value(register));
                for (n, out) in out.chunks_mut(row).enumerate() {
                    let mut chunks: [&[T]; MOST_ARGUMENTS] = [&[]; MOST_ARGUMENTS];
                    chunks.iter_mut().zip(&values[..registers.len()]).for_each(|(chunk, rows)| *chunk = rows.row(n, out.len()));
                    function.fill(&chunks[..registers.len()], out);
                }
            }
        }
    }

    #[inline(always)]
    fn rows<'r>(&'r self, slots: Slots<'r, T>, held: Held) -> Rows<'r, T> {
        match held {
            Held::Slot(slot) => Rows { elements: slots.of(slot), apart: self.row },
            Held::Row(slot) => Rows { elements: slots.of(slot), apart: 0 },
            Held::Input(input, position, apart) => match &self.inputs[input].data {
                Data::Own(data) => Rows { elements: &data[position..], apart },
                Data::Other(_) => unreachable!("what is converted is in a register"),
            },
        }
    }
}

/// One pass over a chunk.
struct PassLoops<'m, 'a, T> {
    evaluator: &'m Evaluator<'a, T>,
    pass: &'m Pass,
    /// Where point 0 of the axes lies in each input, and the first point of the chunk.
    start: &'m [isize],
    first: usize,
    slots: &'m Slots<'m, T>,
    held: &'m [Held],
    out: &'m mut [T],
}

impl<T: Scalar> Loops for PassLoops<'_, '_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        self.evaluator.compute(self.pass, (self.start, self.first), (*self.slots, self.held), self.out);
    }
}
