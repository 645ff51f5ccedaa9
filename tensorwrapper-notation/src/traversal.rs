//! The one traversal of a checked equation, with one method for each construct.
//!
//! The macros build tokens from it and the run builds recorded expressions. It must not know either.

use crate::equation::{
    Cast, CastId, Equation, Factorise, FunctionId, LabelId, Mapped, Meaning, Node, Operand, OperandId, ScalarId,
};
use crate::function::Function;
use crate::syntax::{Operator, Reduction, Scalar};

/// What an equation computes, as its builder left it.
#[derive(Clone, Debug, PartialEq)]
pub enum Right<'e, V> {
    /// One value.
    Expression(V),
    /// The arguments of a decomposition.
    Factorise(&'e Factorise, Vec<V>),
}

/// What a door makes of an equation: tokens, or a recorded expression. One method for each construct, so that a new
/// construct is a compile error in every door until it is built there.
pub trait Builder {
    /// The door's idea of a value.
    type Value;
    /// A tensor.
    fn operand(&mut self, id: OperandId, operand: &Operand) -> Self::Value;
    /// A number.
    fn scalar(&mut self, id: ScalarId, scalar: &Scalar) -> Self::Value;
    /// A number, constant along labels.
    fn spread(&mut self, id: ScalarId, scalar: &Scalar, labels: &[LabelId]) -> Self::Value;
    /// `-X`
    fn negate(&mut self, value: Self::Value) -> Self::Value;
    /// `X + Y` and its like.
    fn binary(&mut self, operator: Operator, left: Self::Value, right: Self::Value) -> Self::Value;
    /// A reduction over labels of its value.
    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Self::Value) -> Self::Value;
    /// A function of each element.
    fn apply(&mut self, function: Function, value: Self::Value) -> Self::Value;
    /// A function of the program's, of each element of its arguments.
    fn map(&mut self, id: FunctionId, function: &Mapped, arguments: Vec<Self::Value>) -> Self::Value;
    /// What follows, up to the same number's [`cast`](Builder::cast), is computed in another element type.
    fn begin_cast(&mut self, id: CastId, cast: &Cast);
    /// A value of another element type, converted.
    fn cast(&mut self, id: CastId, value: Self::Value) -> Self::Value;
    /// Each element to a whole power.
    fn power_integer(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
    /// Each element to a real power.
    fn power_real(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
}

impl Equation {
    /// The one traversal: leaves first, left to right.
    pub fn build<B: Builder>(&self, builder: &mut B) -> Right<'_, B::Value> {
        match &self.meaning {
            Meaning::Expression(node) => Right::Expression(self.node(node, builder)),
            Meaning::Factorise(factorise) => {
                let arguments = factorise.arguments.iter().map(|argument| self.node(argument, builder)).collect();
                Right::Factorise(factorise, arguments)
            }
        }
    }

    fn node<B: Builder>(&self, node: &Node, builder: &mut B) -> B::Value {
        match node {
            Node::Operand(id) => builder.operand(*id, &self.operands[id.0]),
            Node::Scalar(id) => builder.scalar(*id, &self.scalars[id.0]),
            Node::Spread(id, labels) => builder.spread(*id, &self.scalars[id.0], labels),
            Node::Negate(inner) => {
                let inner = self.node(inner, builder);
                builder.negate(inner)
            }
            Node::Binary(..) => self.chain(node, builder),
            Node::Reduce(reduction, labels, inner) => {
                let inner = self.node(inner, builder);
                builder.reduce(*reduction, labels, inner)
            }
            Node::Apply(function, inner) => {
                let inner = self.node(inner, builder);
                builder.apply(*function, inner)
            }
            Node::Map(id, arguments) => {
                let arguments = arguments.iter().map(|argument| self.node(argument, builder)).collect();
                builder.map(*id, &self.functions[id.0], arguments)
            }
            Node::Cast(id, inner) => {
                builder.begin_cast(*id, &self.casts[id.0]);
                let inner = self.node(inner, builder);
                builder.cast(*id, inner)
            }
            Node::PowerInteger(base, id) => {
                let base = self.node(base, builder);
                builder.power_integer(base, *id, &self.scalars[id.0])
            }
            Node::PowerReal(base, id) => {
                let base = self.node(base, builder);
                builder.power_real(base, *id, &self.scalars[id.0])
            }
        }
    }

    /// Operations grouped from the left, in a loop: sums and products are long.
    fn chain<B: Builder>(&self, node: &Node, builder: &mut B) -> B::Value {
        let (mut first, mut rest) = (node, Vec::new());
        while let Node::Binary(operator, left, right) = first {
            rest.push((*operator, right));
            first = left;
        }
        let mut value = self.node(first, builder);
        for (operator, right) in rest.into_iter().rev() {
            let right = self.node(right, builder);
            value = builder.binary(operator, value, right);
        }
        value
    }
}
