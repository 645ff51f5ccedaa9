//! The memory of an element-wise program's registers: registers that are no longer read give theirs to later ones, so that what a
//! chunk needs stays in the first cache. Knows passes, not what they compute.

use super::fused_program::{FusedProgram, Pass};
use super::multiversion::LINE;
use tensorwrapper_core::backend::Instruction;
use tensorwrapper_core::backend::function::Scalar;

/// Where a register's chunk is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Held {
    /// In a slot of the registers' memory.
    Slot(usize),
    /// In an input's memory, from this position on, rows so many places apart.
    Input(usize, usize, usize),
    /// One row for all of them, in a slot.
    Row(usize),
}

impl Held {
    /// The number that a register is for all points, where it is one.
    #[inline(always)]
    pub(super) fn number<T: Scalar>(self, slots: Slots<'_, T>) -> Option<T> {
        match self {
            Held::Row(slot) => Some(slots.of(slot)[0]),
            Held::Slot(_) | Held::Input(..) => None,
        }
    }
}

/// What a register is to the chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Kind {
    /// Whether all elements of a chunk are the same.
    pub(super) is_uniform: bool,
    /// Whether a pass reads it whose elements differ.
    pub(super) is_spread: bool,
    /// Its slot, if it is not read where it lies.
    pub(super) slot: usize,
}

/// What all registers are, and how many slots they need.
#[derive(Debug, Default)]
pub(super) struct Assignment {
    pub(super) kinds: Vec<Kind>,
    slots: usize,
}

impl Assignment {
    /// `is_one` says of an input whether a chunk reads one element of it; `lies` of a register whether it is read where it lies.
    pub(super) fn new(ready: &FusedProgram, is_one: impl Fn(usize) -> bool, lies: impl Fn(usize, &Pass) -> bool) -> Assignment {
        let mut assignment = Assignment { kinds: vec![Kind::default(); ready.registers], slots: 0 };
        assignment.find_uniform(ready, is_one);
        assignment.assign_slots(ready, lies);
        assignment
    }

    /// Finds registers that are one number for all elements of a chunk: they are computed once. The last one is the values themselves.
    fn find_uniform(&mut self, ready: &FusedProgram, is_one: impl Fn(usize) -> bool) {
        for (register, pass) in &ready.passes {
            let is_uniform = match *pass {
                _ if register + 1 == ready.registers => false,
                Pass::One(Instruction::Call(..)) => false,
                Pass::One(Instruction::Input(n) | Instruction::Converted(n)) => is_one(n),
                _ => {
                    let mut all = true;
                    pass.reads(|read| all &= self.kinds[read].is_uniform);
                    all
                }
            };
            self.kinds[*register].is_uniform = is_uniform;
            if !is_uniform {
                pass.reads(|read| self.kinds[read].is_spread = true);
            }
        }
    }

    /// Gives a slot to each register that is not read where it lies. Numbers keep theirs, and no pass writes what it reads.
    fn assign_slots(&mut self, ready: &FusedProgram, lies: impl Fn(usize, &Pass) -> bool) {
        let mut is_lent = vec![false; ready.registers];
        let mut free = Vec::new();
        for (n, (register, pass)) in ready.passes.iter().enumerate() {
            if !lies(*register, pass) {
                let slot = if pass.is_number() { None } else { free.pop() };
                self.kinds[*register].slot = slot.unwrap_or(self.slots);
                self.slots += usize::from(slot.is_none());
                is_lent[*register] = !pass.is_number();
            }
            pass.reads(|read| {
                if ready.last_reads[read] == n && std::mem::take(&mut is_lent[read]) {
                    free.push(self.kinds[read].slot);
                }
            });
        }
    }
}

/// The work space of one thread: slots of one length, each of which begins on a cache line.
pub(super) struct Registers<T> {
    memory: Vec<T>,
    /// Where the first slot begins, and how long they are.
    first: usize,
    room: usize,
    pub(super) held: Vec<Held>,
}

/// All slots, or all but one that is written.
#[derive(Clone, Copy)]
pub(super) struct Slots<'r, T> {
    before: &'r [T],
    after: &'r [T],
    room: usize,
    /// The slot behind the one that is written.
    next: usize,
}

impl<T: Scalar> Registers<T> {
    /// Space for chunks of at most `width` elements, in rows of so many; numbers are written at once.
    pub(super) fn new(ready: &FusedProgram, assignment: &Assignment, width: usize, row: usize) -> Registers<T> {
        let line = (LINE / size_of::<T>()).max(1);
        let room = width.next_multiple_of(line);
        let mut memory = vec![T::ZERO; assignment.slots * room + line];
        let shift = memory.as_ptr().align_offset(LINE);
        let first = if shift < line { shift } else { 0 };
        let held = |kind: &Kind| if kind.is_uniform { Held::Row(kind.slot) } else { Held::Slot(kind.slot) };
        let held = assignment.kinds.iter().map(held).collect();
        for (register, pass) in &ready.passes {
            let kind = assignment.kinds[*register];
            if let Pass::One(Instruction::Constant(value)) = pass {
                let len = if kind.is_uniform { row.min(width) } else { width };
                memory[first + kind.slot * room..][..len].fill(T::from_complex(*value));
            }
        }
        Registers { memory, first, room, held }
    }

    /// All slots.
    #[inline(always)]
    pub(super) fn slots(&self) -> Slots<'_, T> {
        Slots { before: &self.memory[self.first..], after: &[], room: self.room, next: usize::MAX }
    }

    /// One slot to be written, and the others.
    #[inline(always)]
    pub(super) fn slot(&mut self, slot: usize) -> (&mut [T], Slots<'_, T>, &[Held]) {
        let (before, rest) = self.memory[self.first..].split_at_mut(slot * self.room);
        let (own, after) = rest.split_at_mut(self.room);
        (own, Slots { before, after, room: self.room, next: slot + 1 }, &self.held)
    }
}

impl<'r, T> Slots<'r, T> {
    /// A slot that is not the one that is written, and what lies behind it.
    #[inline(always)]
    pub(super) fn of(self, slot: usize) -> &'r [T] {
        if slot < self.next { &self.before[slot * self.room..] } else { &self.after[(slot - self.next) * self.room..] }
    }
}
