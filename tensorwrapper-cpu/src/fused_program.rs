//! Programs made ready to be interpreted: products and comparisons that are used once are computed in the pass that uses them, so that
//! they do not go through memory. Every operation is still rounded on its own.

use tensorwrapper_core::backend::{Binary, Comparison, Instruction, Program, Register};

/// Bytes of the first cache that chunks may take.
const CACHE: usize = 32 << 10;
/// Elements of a chunk at least; others are multiples of it.
const LEAST: usize = 128;
/// Elements of a chunk at most.
const MOST: usize = 512;

/// Two registers that are multiplied.
pub(super) type RegisterPair = [Register; 2];

/// What one pass over a chunk computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pass {
    /// An instruction of the program.
    One(Instruction),
    /// `a·b ∘ c`
    ProductThen(Binary, RegisterPair, Register),
    /// `c - a·b`
    LessProduct(Register, RegisterPair),
    /// `c / (a·b)`
    ByProduct(Register, RegisterPair),
    /// `a·b + c·d`
    SumOfProducts(RegisterPair, RegisterPair),
    /// `a·b - c·d`
    DifferenceOfProducts(RegisterPair, RegisterPair),
    /// The first of two values where a comparison of two others holds, and the second one elsewhere.
    CompareSelect(Comparison, RegisterPair, RegisterPair),
    /// The first value, but the second one where it is less, and else the third one where it is larger.
    Clip(Register, RegisterPair),
}

impl Pass {
    /// Calls a function with each register that the pass reads.
    pub(super) fn reads(&self, read: impl FnMut(Register)) {
        match *self {
            Pass::One(instruction) => instruction.registers().into_iter().for_each(read),
            Pass::ProductThen(_, [a, b], c)
            | Pass::LessProduct(c, [a, b])
            | Pass::ByProduct(c, [a, b])
            | Pass::Clip(c, [a, b]) => {
                [a, b, c].into_iter().for_each(read);
            }
            Pass::SumOfProducts([a, b], [c, d])
            | Pass::DifferenceOfProducts([a, b], [c, d])
            | Pass::CompareSelect(_, [a, b], [c, d]) => {
                [a, b, c, d].into_iter().for_each(read);
            }
        }
    }

    /// Whether it is a number of the program.
    pub(super) fn is_number(&self) -> bool {
        matches!(self, Pass::One(Instruction::Constant(_)))
    }

    /// Whether it reads an input.
    fn is_input(&self) -> bool {
        matches!(self, Pass::One(Instruction::Input(_) | Instruction::Converted(_)))
    }
}

/// Passes in order, each with the register that it computes.
#[derive(Clone, Debug)]
pub(super) struct FusedProgram {
    pub(super) passes: Vec<(Register, Pass)>,
    /// Registers of the program, of which some are computed by no pass.
    pub(super) registers: usize,
    /// The pass that is the last to read each register; its own if none does.
    pub(super) last_reads: Vec<usize>,
}

impl FusedProgram {
    pub(super) fn new(program: &Program) -> FusedProgram {
        let instructions = program.instructions();
        let uses = program.uses();
        let mut passes: Vec<Option<Pass>> = instructions.iter().map(|&instruction| Some(Pass::One(instruction))).collect();
        for (n, instruction) in instructions.iter().enumerate() {
            if let Instruction::Select(condition, a, b) = *instruction
                && let Some(Pass::One(Instruction::Compare(comparison, left, right))) = passes[condition]
                && uses[condition] == 1
            {
                passes[n] = Some(Pass::CompareSelect(comparison, [left, right], [a, b]));
                passes[condition] = None;
                // The bounds of `clip`, of which the lower one is asked first.
                if let (Comparison::Less, Some(Pass::CompareSelect(Comparison::Greater, [x, high], [chosen, other]))) =
                    (comparison, passes[b])
                    && uses[b] == 1
                    && (right == a && left == x)
                    && (chosen == high && other == x)
                {
                    passes[n] = Some(Pass::Clip(x, [a, high]));
                    passes[b] = None;
                }
            }
            let Instruction::Combine(operation, a, b) = *instruction else { continue };
            let product = |register: Register| match passes[register] {
                Some(Pass::One(Instruction::Combine(Binary::Multiply, a, b))) if uses[register] == 1 => Some([a, b]),
                _ => None,
            };
            let (pass, computed) = match (operation, product(a), product(b)) {
                (_, None, None) => continue,
                (Binary::Add, Some(left), Some(right)) => (Pass::SumOfProducts(left, right), vec![a, b]),
                (Binary::Subtract, Some(left), Some(right)) => (Pass::DifferenceOfProducts(left, right), vec![a, b]),
                (_, Some(left), _) => (Pass::ProductThen(operation, left, b), vec![a]),
                // Sums and products are the same either way round.
                (Binary::Add | Binary::Multiply, None, Some(right)) => (Pass::ProductThen(operation, right, a), vec![b]),
                (Binary::Subtract, None, Some(right)) => (Pass::LessProduct(a, right), vec![b]),
                (Binary::Divide, None, Some(right)) => (Pass::ByProduct(a, right), vec![b]),
            };
            passes[n] = Some(pass);
            computed.into_iter().for_each(|register| passes[register] = None);
        }
        let passes = inputs_late(passes);
        let mut last_reads = vec![0; instructions.len()];
        for (n, (register, pass)) in passes.iter().enumerate() {
            last_reads[*register] = n;
            pass.reads(|read| last_reads[read] = n);
        }
        FusedProgram { passes, registers: instructions.len(), last_reads }
    }

    /// Elements of a chunk, so that what a chunk of the program needs at a time fits the first cache.
    pub(super) fn width<T>(&self) -> usize {
        let is_held = |from: usize, n: usize, (register, pass): &(Register, Pass)| {
            from <= n && n <= self.last_reads[*register] && !pass.is_number()
        };
        let held = |n: usize| self.passes.iter().enumerate().filter(|(from, pass)| is_held(*from, n, pass)).count();
        let most = (0..self.passes.len()).map(held).max().unwrap_or(0).max(1);
        (CACHE / (most * size_of::<T>())).clamp(LEAST, MOST) / LEAST * LEAST
    }
}

/// Passes with their registers, those of inputs just before the first pass that reads them: then they are held for a short time.
fn inputs_late(passes: Vec<Option<Pass>>) -> Vec<(Register, Pass)> {
    let last = passes.len() - 1;
    let mut left = passes.clone();
    let mut ordered = Vec::with_capacity(passes.len());
    for (register, pass) in passes.into_iter().enumerate() {
        let Some(pass) = pass.filter(|pass| !pass.is_input() || register == last) else { continue };
        pass.reads(|read| {
            if let Some(input) = left[read].take_if(|pass| pass.is_input()) {
                ordered.push((read, input));
            }
        });
        ordered.push((register, pass));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_complex::Complex;

    const fn combine(operation: Binary, a: Register, b: Register) -> Instruction {
        Instruction::Combine(operation, a, b)
    }

    /// Passes of a program of four inputs and these instructions, without those of the inputs.
    fn passes(instructions: &[Instruction]) -> Vec<(Register, Pass)> {
        let inputs = (0..4).map(Instruction::Input);
        let program = Program::new(inputs.chain(instructions.iter().copied()).collect());
        let passes = FusedProgram::new(&program).passes;
        passes.into_iter().filter(|(_, pass)| !pass.is_input()).collect()
    }

    #[test]
    fn products_join_what_uses_them() {
        let product = combine(Binary::Multiply, 0, 1);
        let joined = |operation, a, b| passes(&[product, combine(operation, a, b)]);
        assert_eq!(joined(Binary::Add, 4, 2), [(5, Pass::ProductThen(Binary::Add, [0, 1], 2))]);
        assert_eq!(joined(Binary::Add, 2, 4), [(5, Pass::ProductThen(Binary::Add, [0, 1], 2))]);
        assert_eq!(joined(Binary::Subtract, 4, 2), [(5, Pass::ProductThen(Binary::Subtract, [0, 1], 2))]);
        assert_eq!(joined(Binary::Subtract, 2, 4), [(5, Pass::LessProduct(2, [0, 1]))]);
        assert_eq!(joined(Binary::Divide, 2, 4), [(5, Pass::ByProduct(2, [0, 1]))]);
        let two = [product, combine(Binary::Multiply, 2, 3)];
        assert_eq!(passes(&[two[0], two[1], combine(Binary::Add, 4, 5)]), [(6, Pass::SumOfProducts([0, 1], [2, 3]))]);
        let difference = passes(&[two[0], two[1], combine(Binary::Subtract, 5, 4)]);
        assert_eq!(difference, [(6, Pass::DifferenceOfProducts([2, 3], [0, 1]))]);
        let quotient = passes(&[two[0], two[1], combine(Binary::Divide, 4, 5)]);
        assert_eq!(quotient, [(5, Pass::One(two[1])), (6, Pass::ProductThen(Binary::Divide, [0, 1], 5))]);
    }

    #[test]
    fn comparisons_join_the_choices_that_they_make() {
        let less = Instruction::Compare(Comparison::Less, 0, 1);
        let joined = passes(&[less, Instruction::Select(4, 2, 3)]);
        assert_eq!(joined, [(5, Pass::CompareSelect(Comparison::Less, [0, 1], [2, 3]))]);
        let twice = [less, Instruction::Select(4, 2, 3), Instruction::Select(4, 3, 5)];
        assert_eq!(passes(&twice).len(), 3, "one comparison of two choices is made once");
        let bounds = |other| [Instruction::Compare(Comparison::Greater, 0, 2), Instruction::Select(5, 2, other)];
        let clip = |other| {
            let [above, chosen] = bounds(other);
            passes(&[less, above, chosen, Instruction::Select(4, 1, 6)])
        };
        assert_eq!(clip(0), [(7, Pass::Clip(0, [1, 2]))]);
        assert_eq!(clip(3).len(), 2, "another value within the bounds is no clip");
    }

    #[test]
    fn products_that_are_used_again_stay() {
        let product = combine(Binary::Multiply, 0, 1);
        let square = [product, combine(Binary::Multiply, 4, 4)];
        assert_eq!(passes(&square), [(4, Pass::One(square[0])), (5, Pass::One(square[1]))]);
        let twice = [product, combine(Binary::Add, 4, 2), combine(Binary::Divide, 5, 4)];
        assert_eq!(passes(&twice), [(4, Pass::One(twice[0])), (5, Pass::One(twice[1])), (6, Pass::One(twice[2]))]);
        let negated = [product, Instruction::Constant(Complex::new(2.0, 0.0)), Instruction::Negate(4)];
        assert_eq!(passes(&negated).len(), 3);
        let chain = [product, combine(Binary::Multiply, 4, 2), combine(Binary::Multiply, 5, 3)];
        let joined = [(5, Pass::ProductThen(Binary::Multiply, [0, 1], 2)), (6, Pass::One(chain[2]))];
        assert_eq!(passes(&chain), joined);
    }

    #[test]
    fn inputs_are_read_just_before_they_are_used() {
        let inputs = (0..4).map(Instruction::Input);
        let sums = [combine(Binary::Add, 0, 1), combine(Binary::Add, 4, 2), combine(Binary::Divide, 5, 3)];
        let ready = FusedProgram::new(&Program::new(inputs.chain(sums).collect()));
        let registers: Vec<Register> = ready.passes.iter().map(|(register, _)| *register).collect();
        assert_eq!(registers, [0, 1, 4, 2, 5, 3, 6]);
        assert_eq!(ready.last_reads, [2, 2, 4, 6, 4, 6, 6]);
        assert_eq!(ready.width::<[f64; 16]>(), 128, "at the least");
        assert_eq!(ready.width::<[f64; 4]>(), (32 << 10) / (3 * 32) / 128 * 128, "three registers at a time");
    }
}
