//! The Rust fragments of an equation: what each one is used for, and which cast it is in.

use crate::condition::Condition;
use crate::equation::{
    Cast, CastId, Equation, Exponent, FunctionId, Index, LabelId, Mapped, Meaning, Node, Operand, OperandId, ScalarId,
};
use crate::function::Function;
use crate::syntax::{Count, Hole, Operator, Options, Range, Reduction, Scalar};
use crate::traversal::Builder;

/// What a Rust fragment is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Use {
    /// An operand.
    Tensor,
    /// A number that is a factor or a term.
    Scalar,
    /// A function of the program.
    Function,
    /// A range of indices, which a slice keeps.
    Range,
    /// A position, an extent, or the bound `max`.
    Count,
    /// The exponent of `powi` or `matpow`.
    Whole,
    /// The exponent of `powf`, or the tolerance `tol`.
    Real,
}

/// For each number and each function, the innermost cast around it, if there is one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InnermostCasts {
    /// The casts of numbers; a [`ScalarId`] is a position here.
    pub scalars: Vec<Option<CastId>>,
    /// The casts of functions; a [`FunctionId`] is a position here.
    pub functions: Vec<Option<CastId>>,
}

impl Equation {
    /// Every Rust fragment, in the order in which values are passed: operands with the fragments in their indices, numbers, functions,
    /// options, declared extents. A fragment that a construct such as `sym` repeats is listed once. Operands are listed once for each
    /// [`OperandId`].
    pub fn holes(&self) -> Vec<(&Hole, Use)> {
        fn add<'e>(found: &mut Vec<(&'e Hole, Use)>, hole: &'e Hole, role: Use) {
            if role == Use::Tensor || !found.iter().any(|(known, used)| *used == role && known.span == hole.span) {
                found.push((hole, role));
            }
        }
        let mut found = Vec::new();
        for operand in &self.operands {
            add(&mut found, &operand.hole, Use::Tensor);
            for index in &operand.indices {
                match index {
                    Index::Slice(_, Range::Hole(hole), _) => add(&mut found, hole, Use::Range),
                    Index::Chip(Count::Hole(hole)) => add(&mut found, hole, Use::Count),
                    Index::Slice(..) | Index::Chip(_) | Index::Label(..) | Index::Fused(..) | Index::Rest => {}
                }
            }
        }
        for (n, scalar) in self.scalars.iter().enumerate() {
            if let Scalar::Hole(hole) = scalar {
                let role = match self.exponent(ScalarId(n)) {
                    Some(Exponent::Whole) => Use::Whole,
                    Some(Exponent::Real) => Use::Real,
                    None => Use::Scalar,
                };
                add(&mut found, hole, role);
            }
        }
        for function in &self.functions {
            found.push((&function.hole, Use::Function));
        }
        if let Meaning::Factorise(call) = &self.meaning {
            if let Some(Count::Hole(hole)) = &call.options.max {
                add(&mut found, hole, Use::Count);
            }
            let Options { tol, broaden, exponent, .. } = &call.options;
            for (scalar, role) in [(tol, Use::Real), (broaden, Use::Real), (exponent, Use::Whole)] {
                if let Some(Scalar::Hole(hole)) = scalar {
                    add(&mut found, hole, role);
                }
            }
        }
        for label in &self.labels {
            if let Some(Count::Hole(hole)) = &label.declared {
                add(&mut found, hole, Use::Count);
            }
        }
        found
    }

    /// The kind of power that a number is the exponent of, if it is an exponent.
    pub fn exponent(&self, id: ScalarId) -> Option<Exponent> {
        let nodes = match &self.meaning {
            Meaning::Expression(node) => std::slice::from_ref(node),
            Meaning::Factorise(factorise) => &factorise.arguments,
        };
        nodes.iter().find_map(|node| node.exponent(id))
    }

    /// The innermost cast around each number and each function.
    pub fn innermost_casts(&self) -> InnermostCasts {
        let casts = InnermostCasts { scalars: vec![None; self.scalars.len()], functions: vec![None; self.functions.len()] };
        let mut finder = Finder { casts, open: Vec::new() };
        self.build(&mut finder);
        finder.casts
    }
}

impl Node {
    fn exponent(&self, id: ScalarId) -> Option<Exponent> {
        match self {
            Node::Operand(_) | Node::Gradient(..) | Node::Scalar(_) | Node::Spread(..) | Node::Iota(_) | Node::Extent(_) => None,
            Node::PowerInteger(_, exponent) if *exponent == id => Some(Exponent::Whole),
            Node::PowerReal(_, exponent) if *exponent == id => Some(Exponent::Real),
            Node::PowerInteger(inner, _) | Node::PowerReal(inner, _) => inner.exponent(id),
            Node::Negate(inner) | Node::Reduce(_, _, inner) | Node::Apply(_, inner) | Node::Cast(_, inner) => inner.exponent(id),
            Node::Binary(_, a, b) => a.exponent(id).or_else(|| b.exponent(id)),
            Node::Select(condition, values) => {
                condition.expressions().into_iter().chain(&**values).find_map(|part| part.exponent(id))
            }
            Node::Map(_, arguments) => arguments.iter().find_map(|argument| argument.exponent(id)),
        }
    }
}

struct Finder {
    casts: InnermostCasts,
    /// The casts around the current node, the innermost last.
    open: Vec<CastId>,
}

impl Builder for Finder {
    type Value = ();

    fn operand(&mut self, _: OperandId, _: &Operand) {}

    fn gradient(&mut self, _: (OperandId, &Operand), _: (OperandId, &Operand)) {}

    fn scalar(&mut self, id: ScalarId, _: &Scalar) {
        self.casts.scalars[id.0] = self.open.last().copied();
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) {
        self.scalar(id, scalar);
    }

    fn iota(&mut self, _: LabelId) {}

    fn extent(&mut self, _: LabelId) {}

    fn negate(&mut self, (): ()) {}

    fn binary(&mut self, _: Operator, (): (), (): ()) {}

    fn reduce(&mut self, _: Reduction, _: &[LabelId], (): ()) {}

    fn apply(&mut self, _: Function, (): ()) {}

    fn map(&mut self, functions: &[(FunctionId, &Mapped)], _: Vec<()>) {
        for (id, _) in functions {
            self.casts.functions[id.0] = self.open.last().copied();
        }
    }

    fn select(&mut self, _: Condition<()>, (): (), (): ()) {}

    fn begin_cast(&mut self, id: CastId, _: &Cast) {
        self.open.push(id);
    }

    fn cast(&mut self, _: CastId, (): ()) {
        self.open.pop();
    }

    fn power_integer(&mut self, (): (), _: ScalarId, _: &Scalar) {}

    fn power_real(&mut self, (): (), _: ScalarId, _: &Scalar) {}
}
