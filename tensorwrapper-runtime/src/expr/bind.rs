//! Checked equation + tensors → recorded value: the run-time counterpart of the macro's expansion.

use std::sync::Arc;

use tensorwrapper_notation::syntax::{Count, Operator, Range, Reduction, Scalar};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Equation, Function, FunctionId, LabelId, LeftAxis, Mapped, Operand, OperandId, Right, ScalarId, syntax,
};

use super::recorder::{Index, Node, Recorder};
use super::value::{Tree, Value};
use crate::callback::Callback;
use crate::element::{Dtype, Element};
use crate::error::Error;

/// Finds what the holes of an equation stand for.
pub(crate) struct Holes<'h, 'a> {
    /// The tensor of an operand.
    pub(crate) operand: &'h dyn Fn(&syntax::Hole) -> Arc<Value<'a>>,
    /// A number.
    pub(crate) scalar: &'h dyn Fn(&syntax::Hole) -> Tree<'a>,
    /// The element type inside a cast.
    pub(crate) element: &'h dyn Fn(&syntax::Hole) -> Dtype,
    /// A function.
    pub(crate) function: &'h dyn Fn(&syntax::Hole) -> Callback<'a>,
}

/// Records an equation in value form.
///
/// # Errors
/// Ranks and extents that do not fit.
pub(crate) fn bind<'a, T: Element>(equation: &Equation, holes: &Holes<'_, 'a>) -> Result<Arc<Value<'a>>, Error> {
    let names: Vec<&str> = equation.labels().iter().map(|label| label.name.as_str()).collect();
    let mut binder = Binder { recorder: Recorder::new::<T>(&names), holes };
    for (n, label) in equation.labels().iter().enumerate() {
        if let Some(Count::Literal(extent, _)) = label.declared {
            binder.recorder.declare(n, extent);
        }
    }
    let Right::Expression(node) = equation.build(&mut binder) else {
        unreachable!("the run-time doors build expressions only");
    };
    let fused: Vec<Vec<usize>> = equation.left()[0].axes().iter().map(fused_numbers).collect();
    let axes = equation.left()[0].axes().iter().zip(&fused).map(|(axis, fused)| match axis {
        LeftAxis::Label(label) => Index::Label(label.0),
        LeftAxis::Fused(_) => Index::Fused(fused),
        LeftAxis::Rest => Index::Rest,
    });
    let axes: Vec<Index<'_>> = axes.collect();
    binder.recorder.finish_value(node, &axes)
}

struct Binder<'b, 'n, 'a> {
    recorder: Recorder<'n>,
    holes: &'b Holes<'b, 'a>,
}

/// The labels of a fused axis, where the recorder can borrow them.
fn fused_numbers(axis: &LeftAxis) -> Vec<usize> {
    if let LeftAxis::Fused(labels) = axis { numbers(labels) } else { Vec::new() }
}

fn numbers(labels: &[LabelId]) -> Vec<usize> {
    labels.iter().map(|label| label.0).collect()
}

/// The run-time doors write positions and ranges as literals.
fn literal(count: &Count) -> usize {
    match count {
        Count::Literal(value, _) => *value,
        Count::Hole(_) => unreachable!("the run-time doors have no holes in indices"),
    }
}

impl<'a> Builder for Binder<'_, '_, 'a> {
    type Value = Node<'a>;

    fn operand(&mut self, _: OperandId, operand: &Operand) -> Node<'a> {
        let fused: Vec<Vec<usize>> = operand.indices.iter().map(|index| numbers(index.labels())).collect();
        let indices = operand.indices.iter().zip(&fused).map(|(index, fused)| match index {
            tensorwrapper_notation::Index::Label(label, _) => Index::Label(label.0),
            tensorwrapper_notation::Index::Slice(label, Range::Literal(start, end, _), _) => Index::Slice(label.0, *start, *end),
            tensorwrapper_notation::Index::Slice(_, Range::Hole(_), _) => {
                unreachable!("the run-time doors have no holes in indices")
            }
            tensorwrapper_notation::Index::Chip(count) => Index::Chip(literal(count)),
            tensorwrapper_notation::Index::Fused(..) => Index::Fused(fused),
            tensorwrapper_notation::Index::Rest => Index::Rest,
        });
        let indices: Vec<Index<'_>> = indices.collect();
        self.recorder.tensor(&(self.holes.operand)(&operand.hole), &operand.hole.text, &indices)
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> Node<'a> {
        match scalar {
            Scalar::Literal(value, _) => self.recorder.literal(*value),
            Scalar::Hole(hole) => Node((self.holes.scalar)(hole)),
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> Node<'a> {
        // Labels have their extents from elsewhere, and a number does not change along them.
        self.scalar(id, scalar)
    }

    fn negate(&mut self, value: Node<'a>) -> Node<'a> {
        self.recorder.negate(value)
    }

    fn binary(&mut self, operator: Operator, left: Node<'a>, right: Node<'a>) -> Node<'a> {
        self.recorder.binary(operator, left, right)
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Node<'a>) -> Node<'a> {
        self.recorder.reduce(reduction, &numbers(labels), value)
    }

    fn apply(&mut self, function: Function, value: Node<'a>) -> Node<'a> {
        self.recorder.apply(function, value)
    }

    fn map(&mut self, _: FunctionId, function: &Mapped, arguments: Vec<Node<'a>>) -> Node<'a> {
        self.recorder.map((self.holes.function)(&function.hole), arguments)
    }

    fn begin_cast(&mut self, _: CastId, cast: &Cast) {
        let named = cast.named.as_ref().expect("the run-time doors know the element type inside of each cast");
        self.recorder.begin_cast_of((self.holes.element)(named));
    }

    fn cast(&mut self, _: CastId, value: Node<'a>) -> Node<'a> {
        self.recorder.cast(value)
    }

    fn power_integer(&mut self, value: Node<'a>, _: ScalarId, exponent: &Scalar) -> Node<'a> {
        self.recorder.power_integer(value, exponent_value(exponent) as i32)
    }

    fn power_real(&mut self, value: Node<'a>, _: ScalarId, exponent: &Scalar) -> Node<'a> {
        self.recorder.power_real(value, exponent_value(exponent))
    }
}

/// The run-time doors write exponents as literals.
fn exponent_value(exponent: &Scalar) -> f64 {
    match exponent {
        Scalar::Literal(value, _) => *value,
        Scalar::Hole(_) => unreachable!("the run-time doors have no holes in exponents"),
    }
}
