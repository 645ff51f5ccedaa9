//! Element-wise programs: straight-line code over registers, run once for each element.

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_notation::syntax::Operator;
use tensorwrapper_notation::{Comparison, MOST_ARGUMENTS};

use super::function::Unary;

/// A register: the number of the instruction that computed its value.
pub type Register = usize;

/// Operations on two values. Those that the language writes between two terms are converted from its grammar. Operations that only
/// programs need belong here and not in the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `a + b`
    Add,
    /// `a - b`
    Subtract,
    /// `a * b`
    Multiply,
    /// `a / b`
    Divide,
}

impl From<Operator> for Binary {
    fn from(operator: Operator) -> Binary {
        match operator {
            Operator::Add => Binary::Add,
            Operator::Subtract => Binary::Subtract,
            Operator::Multiply => Binary::Multiply,
            Operator::Divide => Binary::Divide,
        }
    }
}

/// The arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arguments {
    registers: [Register; MOST_ARGUMENTS],
    count: usize,
}

impl Arguments {
    /// The arguments in these registers.
    ///
    /// # Panics
    /// When there are more than a function takes.
    pub fn new(registers: &[Register]) -> Arguments {
        let mut arguments = Arguments { registers: [0; MOST_ARGUMENTS], count: registers.len() };
        arguments.registers[..registers.len()].copy_from_slice(registers);
        arguments
    }

    /// The registers.
    pub fn registers(&self) -> &[Register] {
        &self.registers[..self.count]
    }

    /// The same arguments in other registers.
    pub fn renamed(mut self, new: impl Fn(Register) -> Register) -> Arguments {
        self.registers[..self.count].iter_mut().for_each(|register| *register = new(*register));
        self
    }
}

/// One step of a [`Program`]; its value goes to the register of its own number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Instruction {
    /// The element of the input of that number.
    Input(usize),
    /// The element of the input of that number, which has another element type and is converted.
    Converted(usize),
    /// A constant, rounded to the element type.
    Constant(Complex<f64>),
    /// `-a`
    Negate(Register),
    /// A function of one value.
    Apply(Unary, Register),
    /// `a` to an integer power.
    PowerInteger(Register, i32),
    /// `a` to a real power.
    PowerReal(Register, f64),
    /// An operation on two values.
    Combine(Binary, Register, Register),
    /// 1 where a comparison of two values holds, and 0 elsewhere. Of complex numbers `<` and its like compare the real parts.
    Compare(Comparison, Register, Register),
    /// The second value where the first one is not 0, and the third one elsewhere.
    Select(Register, Register, Register),
    /// A call of the function in that slot. Functions are given when the program runs, as its inputs are.
    Call(usize, Arguments),
}

impl Instruction {
    /// The registers that it uses.
    pub fn registers(&self) -> SmallVec<[Register; 3]> {
        match self {
            Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => SmallVec::new(),
            Instruction::Negate(a)
            | Instruction::Apply(_, a)
            | Instruction::PowerInteger(a, _)
            | Instruction::PowerReal(a, _) => SmallVec::from_slice(&[*a]),
            Instruction::Combine(_, a, b) | Instruction::Compare(_, a, b) => SmallVec::from_slice(&[*a, *b]),
            Instruction::Select(condition, a, b) => SmallVec::from_slice(&[*condition, *a, *b]),
            Instruction::Call(_, arguments) => SmallVec::from_slice(arguments.registers()),
        }
    }

    /// The same instruction with other registers.
    pub fn with_registers(self, new: impl Fn(Register) -> Register) -> Instruction {
        match self {
            Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => self,
            Instruction::Negate(a) => Instruction::Negate(new(a)),
            Instruction::Apply(function, a) => Instruction::Apply(function, new(a)),
            Instruction::PowerInteger(a, n) => Instruction::PowerInteger(new(a), n),
            Instruction::PowerReal(a, p) => Instruction::PowerReal(new(a), p),
            Instruction::Combine(operator, a, b) => Instruction::Combine(operator, new(a), new(b)),
            Instruction::Compare(comparison, a, b) => Instruction::Compare(comparison, new(a), new(b)),
            Instruction::Select(condition, a, b) => Instruction::Select(new(condition), new(a), new(b)),
            Instruction::Call(slot, arguments) => Instruction::Call(slot, arguments.renamed(new)),
        }
    }
}

/// Instructions in order; each uses earlier registers only, and the last one's value is the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    instructions: Vec<Instruction>,
}

impl Program {
    /// A program of these instructions.
    ///
    /// # Panics
    /// When there is none, or one uses a register that is not computed before it.
    pub fn new(instructions: Vec<Instruction>) -> Program {
        assert!(!instructions.is_empty(), "a program computes something");
        for (n, instruction) in instructions.iter().enumerate() {
            let earlier = instruction.registers().iter().all(|&register| register < n);
            assert!(earlier, "instruction {n} uses a register that is not computed before it");
        }
        Program { instructions }
    }

    /// The instructions.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// How often each register is used.
    pub fn uses(&self) -> Vec<usize> {
        let mut uses = vec![0; self.instructions.len()];
        self.instructions.iter().flat_map(Instruction::registers).for_each(|register| uses[register] += 1);
        uses
    }

    /// Number of operations on each element.
    pub fn steps(&self) -> usize {
        let counts = |instruction: &&Instruction| match instruction {
            Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => false,
            Instruction::Negate(_)
            | Instruction::Apply(..)
            | Instruction::PowerInteger(..)
            | Instruction::PowerReal(..)
            | Instruction::Combine(..)
            | Instruction::Compare(..)
            | Instruction::Select(..)
            | Instruction::Call(..) => true,
        };
        self.instructions.iter().filter(counts).count()
    }

    /// Number of inputs: one more than the highest number of an input that is read.
    pub fn inputs(&self) -> usize {
        let inputs = self.instructions.iter().filter_map(|i| match i {
            Instruction::Input(n) | Instruction::Converted(n) => Some(n + 1),
            _ => None,
        });
        inputs.max().unwrap_or(0)
    }

    /// Number of functions: one more than the highest slot that is called.
    pub fn functions(&self) -> usize {
        let slots = self.instructions.iter().filter_map(|i| if let Instruction::Call(n, _) = i { Some(n + 1) } else { None });
        slots.max().unwrap_or(0)
    }
}
