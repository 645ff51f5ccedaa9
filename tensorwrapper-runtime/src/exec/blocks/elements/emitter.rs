//! The program of a box: what is computed of the factors that it has.

use tensorwrapper_core::backend::{Binary, Instruction};
use tensorwrapper_notation::{Comparison, Condition, ConditionBuilder};

use super::super::tree::Tree;
use super::presence::{Has, Presence};

/// Writes a program, in which parts of the expression that are zero in a box are zero whatever they would compute.
pub(super) struct Emitter<'e> {
    presence: Presence<'e>,
    pub(super) instructions: Vec<Instruction>,
    /// Of each factor so far whether it is read: those of parts that are zero are not.
    pub(super) read: Vec<bool>,
}

impl<'e> Emitter<'e> {
    /// Begins a program of boxes that are planned so.
    pub(super) fn new(presence: Presence<'e>) -> Emitter<'e> {
        Emitter { presence, instructions: Vec::new(), read: Vec::new() }
    }

    fn emit(&mut self, instruction: Instruction) -> usize {
        self.instructions.push(instruction);
        self.instructions.len() - 1
    }

    /// Writes an expression, of whose factors a box has this.
    pub(super) fn tree(&mut self, tree: &Tree, has: &[Has]) -> usize {
        // Divisors that are zero were found before.
        if !self.presence.is_there(tree, &mut has.iter().copied(), &[]).unwrap_or(true) {
            self.read.extend(has.iter().map(|_| false));
            return self.emit(Instruction::Constant(0.0.into()));
        }
        let instruction = match tree {
            Tree::Factor(_) => {
                let inputs = self.read.iter().filter(|&&read| read).count();
                self.read.push(true);
                let read = self.emit(Instruction::Input(inputs));
                if has == [Has::Elements] {
                    return read;
                }
                Instruction::Negate(read)
            }
            Tree::Number(value) => Instruction::Constant(*value),
            Tree::Negate(inner) => Instruction::Negate(self.tree(inner, has)),
            Tree::Binary(operator, left, right) => {
                let (of_left, of_right) = has.split_at(left.factors().len());
                let (left, right) = (self.tree(left, of_left), self.tree(right, of_right));
                Instruction::Combine(Binary::from(*operator), left, right)
            }
            Tree::Sum(..) | Tree::Fold(..) => unreachable!("sums over labels are computed before"),
            Tree::Apply(function, inner) => Instruction::Apply((*function).into(), self.tree(inner, has)),
            Tree::PowerInteger(inner, exponent) => Instruction::PowerInteger(self.tree(inner, has), *exponent),
            Tree::PowerReal(inner, exponent) => Instruction::PowerReal(self.tree(inner, has), *exponent),
            Tree::Select(condition, values) => return self.select(condition, values, has),
        };
        self.emit(instruction)
    }

    /// Writes a choice; where it is known what is chosen, that value alone.
    fn select(&mut self, condition: &Condition<Tree>, values: &[Tree; 2], has: &[Has]) -> usize {
        let count = |trees: &[&Tree]| trees.iter().map(|tree| tree.factors().len()).sum::<usize>();
        let (of_condition, of_values) = has.split_at(count(&condition.expressions()));
        let (of_chosen, of_other) = of_values.split_at(count(&[&values[0]]));
        let skip = |emitter: &mut Self, has: &[Has]| emitter.read.extend(has.iter().map(|_| false));
        match self.presence.decided(condition, of_condition) {
            Some(holds) => {
                skip(self, of_condition);
                if holds {
                    let chosen = self.tree(&values[0], of_chosen);
                    skip(self, of_other);
                    chosen
                } else {
                    skip(self, of_chosen);
                    self.tree(&values[1], of_other)
                }
            }
            None => {
                let condition = condition.build(&mut Conditions { emitter: self, has: of_condition });
                let (chosen, other) = (self.tree(&values[0], of_chosen), self.tree(&values[1], of_other));
                self.emit(Instruction::Select(condition, chosen, other))
            }
        }
    }
}

/// Writes conditions, of whose factors a box has what is left of `has`.
struct Conditions<'c, 'e> {
    emitter: &'c mut Emitter<'e>,
    has: &'c [Has],
}

impl ConditionBuilder<Tree> for Conditions<'_, '_> {
    type Value = usize;

    fn compare(&mut self, comparison: Comparison, left: &Tree, right: &Tree) -> usize {
        let (left, right) = (self.holds(left), self.holds(right));
        self.emitter.emit(Instruction::Compare(comparison, left, right))
    }

    fn holds(&mut self, of: &Tree) -> usize {
        let (own, rest) = self.has.split_at(of.factors().len());
        self.has = rest;
        self.emitter.tree(of, own)
    }

    fn number(&mut self, value: f64) -> usize {
        self.emitter.emit(Instruction::Constant(value.into()))
    }

    fn select(&mut self, condition: usize, chosen: usize, other: usize) -> usize {
        self.emitter.emit(Instruction::Select(condition, chosen, other))
    }
}
