//! The only traversal of a checked equation, with one method for each construct.
//!
//! The macros build tokens with it, and the run time builds recorded expressions. This file must know neither of them.

use std::convert::Infallible;

use crate::condition::Condition;
use crate::equation::{
    Cast, CastId, Equation, Factorise, FunctionId, LabelId, Mapped, Meaning, Node, Operand, OperandId, ScalarId,
};
use crate::function::Function;
use crate::syntax::{Operator, Reduction, Scalar};

/// A right side, as a [`Builder`] has built it.
#[derive(Clone, Debug, PartialEq)]
pub enum Right<'e, V> {
    /// One value.
    Expression(V),
    /// The arguments of an operation of linear algebra.
    Factorise(&'e Factorise, Vec<V>),
}

/// Builds something from an equation, such as tokens or a recorded expression. There is one method for each construct, so that every
/// builder that does not yet build a new construct is a compile error.
pub trait Builder {
    /// What is built for each node.
    type Value;
    /// A tensor.
    fn operand(&mut self, id: OperandId, operand: &Operand) -> Self::Value;
    /// The derivatives of one tensor by another: the first one's axes, then the second one's.
    fn gradient(&mut self, value: (OperandId, &Operand), variable: (OperandId, &Operand)) -> Self::Value;
    /// A number.
    fn scalar(&mut self, id: ScalarId, scalar: &Scalar) -> Self::Value;
    /// A number that is the same for all values of the labels.
    fn spread(&mut self, id: ScalarId, scalar: &Scalar, labels: &[LabelId]) -> Self::Value;
    /// The value of an index.
    fn iota(&mut self, label: LabelId) -> Self::Value;
    /// The number of values of an index.
    fn extent(&mut self, label: LabelId) -> Self::Value;
    /// `-X`
    fn negate(&mut self, value: Self::Value) -> Self::Value;
    /// `X + Y` and its like.
    fn binary(&mut self, operator: Operator, left: Self::Value, right: Self::Value) -> Self::Value;
    /// A reduction of a value over labels.
    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Self::Value) -> Self::Value;
    /// A function of each element.
    fn apply(&mut self, function: Function, value: Self::Value) -> Self::Value;
    /// A function of the program, applied to the elements of its arguments: the first of the functions; the others are its slopes by each
    /// argument, then the slopes of each slope, and so on.
    fn map(&mut self, functions: &[(FunctionId, &Mapped)], arguments: Vec<Self::Value>) -> Self::Value;
    /// One value where a condition holds, and another one elsewhere.
    fn select(&mut self, condition: Condition<Self::Value>, chosen: Self::Value, other: Self::Value) -> Self::Value;
    /// Begins a cast: all nodes up to [`cast`](Builder::cast) with the same number are computed in another element type.
    fn begin_cast(&mut self, id: CastId, cast: &Cast);
    /// Ends a cast: the value is converted from the other element type.
    fn cast(&mut self, id: CastId, value: Self::Value) -> Self::Value;
    /// Each element to a whole power.
    fn power_integer(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
    /// Each element to a real power.
    fn power_real(&mut self, value: Self::Value, id: ScalarId, exponent: &Scalar) -> Self::Value;
}

impl Equation {
    /// Builds every node: leaves first, and from left to right.
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
            Node::Gradient(value, variable) => {
                let [value, variable] = [value, variable].map(|id| (*id, &self.operands[id.0]));
                builder.gradient(value, variable)
            }
            Node::Scalar(id) => builder.scalar(*id, &self.scalars[id.0]),
            Node::Spread(id, labels) => builder.spread(*id, &self.scalars[id.0], labels),
            Node::Iota(label) => builder.iota(*label),
            Node::Extent(label) => builder.extent(*label),
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
            Node::Map(functions, arguments) => {
                let arguments = arguments.iter().map(|argument| self.node(argument, builder)).collect();
                let functions: Vec<_> = functions.iter().map(|&id| (id, &self.functions[id.0])).collect();
                builder.map(&functions, arguments)
            }
            Node::Select(condition, values) => {
                let condition = condition.try_map(&mut |side| Ok::<_, Infallible>(self.node(side, builder)));
                let condition = condition.unwrap_or_else(|never| match never {});
                let [chosen, other] = values.each_ref().map(|value| self.node(value, builder));
                builder.select(condition, chosen, other)
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

    /// A chain of operators, which groups from the left. In a loop, because long sums would overflow the stack.
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
