//! Which numbers and functions of an equation stand in which of its casts.

use crate::equation::{Builder, Cast, CastId, Equation, FunctionId, LabelId, Mapped, Operand, OperandId, ScalarId};
use crate::function::Function;
use crate::syntax::{Operator, Reduction, Scalar};

/// For each number and each function the innermost cast that it stands in, if it does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    /// By [`ScalarId`].
    pub scalars: Vec<Option<CastId>>,
    /// By [`FunctionId`].
    pub functions: Vec<Option<CastId>>,
}

impl Equation {
    /// Which numbers and functions stand in which casts.
    pub fn parts(&self) -> Parts {
        let parts = Parts { scalars: vec![None; self.scalars.len()], functions: vec![None; self.functions.len()] };
        let mut finder = Finder { parts, open: Vec::new() };
        self.build(&mut finder);
        finder.parts
    }
}

struct Finder {
    parts: Parts,
    /// Casts that have begun, the innermost last.
    open: Vec<CastId>,
}

impl Builder for Finder {
    type Value = ();

    fn operand(&mut self, _: OperandId, _: &Operand) {}

    fn scalar(&mut self, id: ScalarId, _: &Scalar) {
        self.parts.scalars[id.0] = self.open.last().copied();
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) {
        self.scalar(id, scalar);
    }

    fn negate(&mut self, (): ()) {}

    fn binary(&mut self, _: Operator, (): (), (): ()) {}

    fn reduce(&mut self, _: Reduction, _: &[LabelId], (): ()) {}

    fn apply(&mut self, _: Function, (): ()) {}

    fn map(&mut self, id: FunctionId, _: &Mapped, _: Vec<()>) {
        self.parts.functions[id.0] = self.open.last().copied();
    }

    fn begin_cast(&mut self, id: CastId, _: &Cast) {
        self.open.push(id);
    }

    fn cast(&mut self, _: CastId, (): ()) {
        self.open.pop();
    }

    fn power_integer(&mut self, (): (), _: ScalarId, _: &Scalar) {}

    fn power_real(&mut self, (): (), _: ScalarId, _: &Scalar) {}
}
