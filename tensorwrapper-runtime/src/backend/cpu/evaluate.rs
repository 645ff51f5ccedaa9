//! Interprets element-wise programs: one instruction at a time over a chunk of elements, so that its loop vectorises.

use tensorwrapper_notation::MOST_ARGUMENTS;

use super::forms;
use super::fuse::{Axis, Odometer};
use crate::backend::function::Scalar;
use crate::backend::{Binary, Instruction, Program};
use crate::callback::{Callback, Typed};
use crate::element::Element;
use crate::erased::SliceRef;

/// Elements in a chunk: few enough that some registers fit the first-level cache.
pub(super) const CHUNK: usize = 512;

/// An input: its memory, and whether its elements are conjugated as they are read.
#[derive(Clone, Copy)]
pub(super) struct Input<'a, T> {
    pub(super) data: Data<'a, T>,
    pub(super) conjugate: bool,
}

/// The elements of an input.
#[derive(Clone, Copy)]
pub(super) enum Data<'a, T> {
    /// Of the program's type.
    Own(&'a [T]),
    /// Of another type: converted as they are read.
    Other(SliceRef<'a>),
}

/// How an operand lies along the axes of the chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lie {
    /// Every element is the same one.
    Constant,
    /// Neighbours are neighbours in memory.
    Contiguous,
    /// Anything else.
    Strided,
}

impl Lie {
    pub(super) fn of(axes: &[Axis<Vec<isize>>], operand: usize) -> Lie {
        let mut stride = 1;
        let mut contiguous = true;
        for axis in axes.iter().rev() {
            contiguous &= axis.strides[operand] == stride;
            stride = stride.wrapping_mul(axis.extent as isize);
        }
        match contiguous {
            _ if axes.iter().all(|axis| axis.strides[operand] == 0) => Lie::Constant,
            true => Lie::Contiguous,
            false => Lie::Strided,
        }
    }
}

/// A program, its inputs, and the axes along which chunks are cut.
pub(super) struct Evaluator<'a, T> {
    instructions: &'a [Instruction],
    functions: Vec<Option<Typed<'a, T>>>,
    inputs: Vec<Input<'a, T>>,
    lies: Vec<Lie>,
    axes: &'a [Axis<Vec<isize>>],
}

/// Where a register's chunk is.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// In the registers' own memory.
    Register,
    /// In an input's memory, from this position on.
    Input(usize, usize),
}

/// The work space of one thread.
pub(super) struct Registers<T> {
    width: usize,
    memory: Vec<T>,
    held: Vec<Held>,
}

impl<'a, T: Scalar> Evaluator<'a, T> {
    /// Chunks are runs of points of `axes`, whose strides count the inputs in their order.
    pub(super) fn new(
        program: &'a Program,
        functions: &'a [Callback<'_>],
        inputs: Vec<Input<'a, T>>,
        axes: &'a [Axis<Vec<isize>>],
    ) -> Evaluator<'a, T> {
        let lies = (0..inputs.len()).map(|n| Lie::of(axes, n)).collect();
        // A plan has the functions of all its programs; those of other element types are other programs'.
        let functions = functions.iter().map(|&function| T::typed_function(function)).collect();
        Evaluator { instructions: program.instructions(), functions, inputs, lies, axes }
    }

    /// Work space for chunks of at most `width` elements.
    pub(super) fn registers(&self, width: usize) -> Registers<T> {
        let mut registers = Registers {
            width,
            memory: vec![T::ZERO; width * self.instructions.len()],
            held: vec![Held::Register; self.instructions.len()],
        };
        for (n, instruction) in self.instructions.iter().enumerate() {
            if let Instruction::Constant(value) = instruction {
                registers.memory[n * width..(n + 1) * width].fill(T::from_complex(*value));
            }
        }
        registers
    }

    /// The program's values for `len` points, of which the first is point `first` of the axes,
    /// where point 0 lies at `start` in each input.
    #[inline(always)]
    pub(super) fn run<'r>(&'r self, registers: &'r mut Registers<T>, start: &[isize], first: usize, len: usize) -> &'r [T] {
        let last = self.instructions.len() - 1;
        for n in 0..last {
            self.step(registers, n, start, first, len, None);
        }
        self.step(registers, last, start, first, len, None);
        self.value(&registers.memory, &registers.held, registers.width, last, len)
    }

    /// As [`run`](Evaluator::run), with the values written to memory.
    #[inline(always)]
    pub(super) fn run_into(&self, registers: &mut Registers<T>, start: &[isize], first: usize, target: &mut [T]) {
        let last = self.instructions.len() - 1;
        for n in 0..last {
            self.step(registers, n, start, first, target.len(), None);
        }
        self.step(registers, last, start, first, target.len(), Some(target));
    }

    /// Asks for the inputs of such a run.
    #[inline(always)]
    pub(super) fn prefetch(&self, start: &[isize], first: usize, len: usize) {
        for ((input, lie), &start) in self.inputs.iter().zip(&self.lies).zip(start) {
            if let (Data::Own(data), Lie::Contiguous) = (&input.data, lie) {
                forms::prefetch(&data[(start + first as isize) as usize..][..len]);
            }
        }
    }

    /// Runs an instruction into its own register, or into other memory.
    #[inline(always)]
    fn step(&self, registers: &mut Registers<T>, n: usize, start: &[isize], first: usize, len: usize, target: Option<&mut [T]>) {
        let (width, held) = (registers.width, &mut registers.held);
        let (earlier, rest) = registers.memory.split_at_mut(n * width);
        let elsewhere = target.is_some();
        let out = target.unwrap_or(&mut rest[..len]);
        let value = |held: &'_ [Held], register| self.value(earlier, held, width, register, len);
        match self.instructions[n] {
            Instruction::Input(input) | Instruction::Converted(input) => {
                held[n] = self.load(input, start[input], first, out, elsewhere)
            }
            Instruction::Constant(constant) if elsewhere => out.fill(T::from_complex(constant)),
            Instruction::Constant(_) => {}
            Instruction::Negate(a) => unary(out, value(held, a), |a| -a),
            Instruction::Apply(function, a) => {
                out.copy_from_slice(value(held, a));
                T::apply(function, out);
            }
            Instruction::PowerInteger(a, 2) => unary(out, value(held, a), |a| a * a),
            Instruction::PowerInteger(a, exponent) => unary(out, value(held, a), |a| a.power_integer(exponent)),
            Instruction::PowerReal(a, exponent) => unary(out, value(held, a), |a| a.power_real(exponent)),
            Instruction::Combine(operation, a, b) => {
                let (a, b) = (value(held, a), value(held, b));
                match operation {
                    Binary::Add => binary(out, a, b, |a, b| a + b),
                    Binary::Subtract => binary(out, a, b, |a, b| a - b),
                    Binary::Multiply => binary(out, a, b, |a, b| a * b),
                    Binary::Divide => binary(out, a, b, |a, b| a.quotient(b)),
                }
            }
            Instruction::Call(slot, arguments) => {
                let function = self.functions[slot].expect("functions are of the operation's element type");
                let mut values: [&[T]; MOST_ARGUMENTS] = [&[]; MOST_ARGUMENTS];
                let registers = arguments.registers();
                values.iter_mut().zip(registers).for_each(|(chunk, &register)| *chunk = value(held, register));
                function.fill(&values[..registers.len()], out);
            }
        }
    }

    #[inline(always)]
    fn value<'r>(&'r self, memory: &'r [T], held: &[Held], width: usize, register: usize, len: usize) -> &'r [T] {
        match held[register] {
            Held::Register => &memory[register * width..][..len],
            Held::Input(input, position) => match &self.inputs[input].data {
                Data::Own(data) => &data[position..][..len],
                Data::Other(_) => unreachable!("what is converted is in a register"),
            },
        }
    }

    /// Finds an input's chunk where it lies, or gathers it.
    #[inline(always)]
    fn load(&self, number: usize, start: isize, first: usize, out: &mut [T], must_write: bool) -> Held {
        let input = &self.inputs[number];
        let place = (number, start, first);
        match &input.data {
            Data::Own(_) if self.lies[number] == Lie::Contiguous && !input.conjugate && !must_write => {
                return Held::Input(number, (start + first as isize) as usize);
            }
            Data::Own(data) => self.gather(place, data, out, |x| x),
            Data::Other(SliceRef::F32(data)) => self.gather(place, data, out, convert),
            Data::Other(SliceRef::F64(data)) => self.gather(place, data, out, convert),
            Data::Other(SliceRef::C32(data)) => self.gather(place, data, out, convert),
            Data::Other(SliceRef::C64(data)) => self.gather(place, data, out, convert),
        }
        if input.conjugate {
            out.iter_mut().for_each(|x| *x = x.conj());
        }
        Held::Register
    }

    /// Copies an input's chunk.
    #[inline(always)]
    fn gather<U: Copy>(&self, place: (usize, isize, usize), data: &[U], out: &mut [T], convert: impl Fn(U) -> T) {
        let (number, start, first) = place;
        match self.lies[number] {
            Lie::Contiguous => unary(out, &data[(start + first as isize) as usize..][..out.len()], convert),
            Lie::Constant => out.fill(convert(data[start as usize])),
            Lie::Strided => runs(self.axes, number, start, first, out.len(), |position, stride, range| {
                if stride == 0 {
                    return out[range].fill(convert(data[position as usize]));
                }
                let mut from = position;
                for x in &mut out[range] {
                    *x = convert(data[from as usize]);
                    from += stride;
                }
            }),
        }
    }
}

/// A number as one of another type; a real type keeps the real part.
fn convert<U: Element, T: Element>(x: U) -> T {
    T::from_complex(x.to_complex())
}

/// Cuts `len` points from `first` on into runs along the innermost axis:
/// calls `run` with the position of the run's first element, its stride and its part of `0..len`.
pub(super) fn runs(
    axes: &[Axis<Vec<isize>>],
    operand: usize,
    start: isize,
    first: usize,
    len: usize,
    mut run: impl FnMut(isize, isize, std::ops::Range<usize>),
) {
    let Some((inner, outer)) = axes.split_last() else { return run(start, 0, 0..len) };
    let (stride, outer): (_, Vec<Axis<[isize; 1]>>) = (
        inner.strides[operand],
        outer.iter().map(|axis| Axis { extent: axis.extent, strides: [axis.strides[operand]] }).collect(),
    );
    let mut walk = Odometer::new(&outer, &[start], first / inner.extent);
    let (mut done, mut index) = (0, first % inner.extent);
    while done < len {
        let length = (inner.extent - index).min(len - done);
        run(walk.position[0] + index as isize * stride, stride, done..done + length);
        (done, index) = (done + length, 0);
        walk.step();
    }
}

#[inline(always)]
fn unary<U: Copy, T>(out: &mut [T], a: &[U], operation: impl Fn(U) -> T) {
    for (out, &a) in out.iter_mut().zip(a) {
        *out = operation(a);
    }
}

#[inline(always)]
fn binary<T: Copy>(out: &mut [T], a: &[T], b: &[T], operation: impl Fn(T, T) -> T) {
    for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
        *out = operation(a, b);
    }
}
