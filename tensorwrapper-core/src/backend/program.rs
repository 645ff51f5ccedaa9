//! Element-wise programs: straight-line code over registers, run once for each element.

use num_complex::Complex;
use smallvec::SmallVec;
use tensorwrapper_notation::{Function, MOST_ARGUMENTS};

/// Number of the instruction that computed a value.
pub type Register = usize;

pub use tensorwrapper_notation::syntax::Operator as Binary;

/// The arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arguments {
    registers: [Register; MOST_ARGUMENTS],
    count: usize,
}

impl Arguments {
    /// These registers.
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

    /// The same with other registers.
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
    /// The same of an input of another element type, converted.
    Converted(usize),
    /// A constant, rounded to the element type.
    Constant(Complex<f64>),
    /// `-a`
    Negate(Register),
    /// A function of one value.
    Apply(Function, Register),
    /// `a` to an integer power.
    PowerInteger(Register, i32),
    /// `a` to a real power.
    PowerReal(Register, f64),
    /// An operation on two values.
    Combine(Binary, Register, Register),
    /// The function of that slot: functions are given when the program runs, as its inputs are.
    Call(usize, Arguments),
}

impl Instruction {
    /// The registers that it uses.
    pub fn registers(&self) -> SmallVec<[Register; 2]> {
        match self {
            Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => SmallVec::new(),
            Instruction::Negate(a)
            | Instruction::Apply(_, a)
            | Instruction::PowerInteger(a, _)
            | Instruction::PowerReal(a, _) => SmallVec::from_slice(&[*a]),
            Instruction::Combine(_, a, b) => SmallVec::from_slice(&[*a, *b]),
            Instruction::Call(_, arguments) => SmallVec::from_slice(arguments.registers()),
        }
    }

    /// The same with other registers.
    pub fn with_registers(self, new: impl Fn(Register) -> Register) -> Instruction {
        match self {
            Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_) => self,
            Instruction::Negate(a) => Instruction::Negate(new(a)),
            Instruction::Apply(function, a) => Instruction::Apply(function, new(a)),
            Instruction::PowerInteger(a, n) => Instruction::PowerInteger(new(a), n),
            Instruction::PowerReal(a, p) => Instruction::PowerReal(new(a), p),
            Instruction::Combine(operator, a, b) => Instruction::Combine(operator, new(a), new(b)),
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

    /// Number of inputs: one more than the highest that is read.
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
