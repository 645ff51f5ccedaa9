//! Element-wise work that is not in the graph yet. It is joined with other work as long as possible, and stored only if
//! necessary.

use num_complex::Complex;

use tensorwrapper_core::backend::{Arguments, Binary, Comparison, Instruction, Register, Unary};
use tensorwrapper_core::graph::{Edge, Inputs, Label};

/// Element-wise work that is not in the graph yet, over labelled inputs.
#[derive(Clone, Debug)]
pub(super) struct Fragment {
    pub(super) instructions: Vec<Instruction>,
    pub(super) inputs: Inputs,
}

impl Fragment {
    pub(super) fn input(edge: Edge) -> Fragment {
        Fragment { instructions: vec![Instruction::Input(0)], inputs: edge.into() }
    }

    /// A tensor of another element type.
    pub(super) fn converted(edge: Edge) -> Fragment {
        Fragment { instructions: vec![Instruction::Converted(0)], inputs: edge.into() }
    }

    pub(super) fn constant(value: Complex<f64>) -> Fragment {
        Fragment { instructions: vec![Instruction::Constant(value)], inputs: Inputs::default() }
    }

    /// The tensor itself, if nothing is computed; conjugation is part of reading it.
    pub(super) fn as_edge(&self) -> Option<Edge> {
        match self.instructions[..] {
            [Instruction::Input(0)] => Some(self.inputs[0].clone()),
            [Instruction::Input(0), Instruction::Apply(Unary::Conj, 0)] => {
                let conjugate = !self.inputs[0].conjugate;
                Some(Edge { conjugate, ..self.inputs[0].clone() })
            }
            _ => None,
        }
    }

    /// Whether it is a tensor as [`as_edge`](Fragment::as_edge) gives it.
    pub(super) fn is_edge(&self) -> bool {
        matches!(self.instructions[..], [Instruction::Input(0)] | [Instruction::Input(0), Instruction::Apply(Unary::Conj, 0)])
    }

    pub(super) fn labels(&self) -> Vec<Label> {
        let mut labels: Vec<Label> = self.inputs.iter().flat_map(Edge::labels).collect();
        labels.sort_unstable();
        labels.dedup();
        labels
    }

    pub(super) fn then(mut self, instruction: impl FnOnce(usize) -> Instruction) -> Fragment {
        let last = self.instructions.len() - 1;
        self.instructions.push(instruction(last));
        self
    }

    pub(super) fn combine(mut self, operator: Binary, other: Fragment) -> Fragment {
        let left = self.instructions.len() - 1;
        let right = self.append(other);
        self.instructions.push(Instruction::Combine(operator, left, right));
        self
    }

    /// The comparison with other work.
    pub(super) fn compare(mut self, comparison: Comparison, other: Fragment) -> Fragment {
        let left = self.instructions.len() - 1;
        let right = self.append(other);
        self.instructions.push(Instruction::Compare(comparison, left, right));
        self
    }

    /// One of two values for each element.
    pub(super) fn select(mut condition: Fragment, chosen: Fragment, other: Fragment) -> Fragment {
        let holds = condition.instructions.len() - 1;
        let [chosen, other] = [chosen, other].map(|value| condition.append(value));
        condition.instructions.push(Instruction::Select(holds, chosen, other));
        condition
    }

    /// A call of the function of a slot.
    pub(super) fn call(slot: usize, arguments: Vec<Fragment>) -> Fragment {
        let mut work = Fragment { instructions: Vec::new(), inputs: Inputs::default() };
        let registers: Vec<Register> = arguments.into_iter().map(|argument| work.append(argument)).collect();
        work.instructions.push(Instruction::Call(slot, Arguments::new(&registers)));
        work
    }

    /// Appends other work, and returns the register with its value.
    fn append(&mut self, other: Fragment) -> Register {
        let offset = self.instructions.len();
        // An input that both sides read is read once.
        let places: Vec<usize> = other.inputs.into_edges().into_iter().map(|edge| self.inputs.place(edge)).collect();
        let moved = other.instructions.into_iter().map(|instruction| match instruction {
            Instruction::Input(n) => Instruction::Input(places[n]),
            Instruction::Converted(n) => Instruction::Converted(places[n]),
            other => other.with_registers(|register| register + offset),
        });
        self.instructions.extend(moved);
        self.instructions.len() - 1
    }
}

/// Numerators over denominators as one piece of element-wise work.
pub(super) fn joined(alpha: Complex<f64>, numerators: Vec<Fragment>, denominators: Vec<Fragment>) -> Fragment {
    let mut work: Option<Fragment> = None;
    for factor in numerators {
        work = Some(match work {
            None => factor,
            Some(left) => left.combine(Binary::Multiply, factor),
        });
    }
    let mut work = match work {
        Some(work) if alpha == Complex::new(1.0, 0.0) => work,
        Some(work) => Fragment::constant(alpha).combine(Binary::Multiply, work),
        None => Fragment::constant(alpha),
    };
    for denominator in denominators {
        work = work.combine(Binary::Divide, denominator);
    }
    work
}
