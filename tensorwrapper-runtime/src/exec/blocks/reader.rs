//! Reads an equation over block tensors from its checked form, and names what is not computed over them.

use std::collections::BTreeMap;

use num_complex::Complex;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::{Count, Operator, Range, Reduction, Scalar};
use tensorwrapper_notation::{
    Builder, Cast, CastId, Condition, Equation, Function, FunctionId, Index, LabelId, LeftAxis, Mapped, Operand, OperandId,
    Right, ScalarId,
};

use super::claims::Claim;
use super::tree::{Extra, Factor, ReadAxis, ReadPart, Tree, TreeHoles, decomposition, unsupported};
use crate::lower::reduction as lowered;

/// An equation: its right side, the labels of its left one, and the names of all labels.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) tree: Tree,
    pub(super) left: Vec<usize>,
    /// What it reads beside operands. It is numbered behind all operands, in this order.
    pub(super) extras: Vec<Extra>,
    /// How many axes each layer of the left side has, if it is in layers.
    pub(super) layers: Vec<usize>,
    pub(super) names: Vec<String>,
    /// How its result is to be cut along each axis of the left side, where that is said, and by what.
    pub(super) target: Vec<Option<(String, Tiling)>>,
    /// The extent that a `where` gives to each label, if one does.
    pub(super) declared: Vec<Option<usize>>,
    /// The extents of labels where axes are tied: a label that is tied to another may stand on no factor any more.
    pub(super) tied: BTreeMap<usize, usize>,
    /// The symmetries that its result is claimed to have.
    pub(super) claims: Vec<Claim>,
    /// Whether axes of the result are tied, of which `left` has one each.
    pub(super) is_tied: bool,
}

impl Written {
    /// Reads an equation over so many operands, whose elements are of this type.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for what is not computed over block tensors, and holes that are no numbers.
    pub(super) fn of(equation: &Equation, holes: &dyn TreeHoles, (operands, dtype): (usize, Dtype)) -> Result<Written, Error> {
        if equation.factorise().is_some() {
            return Err(decomposition());
        }
        let [left] = equation.left() else { return Err(unsupported("several results")) };
        let axis = |axis: &LeftAxis| match axis {
            LeftAxis::Label(label) => Ok(label.0),
            LeftAxis::Fused(_) => Err(unsupported("fused axes")),
            LeftAxis::Rest => Err(unsupported("`..`")),
        };
        let layers = left.layers.clone();
        let left: Vec<usize> = left.axes().iter().map(axis).collect::<Result<_, _>>()?;
        if let Some(label) = (1..left.len()).find(|&n| left[..n].contains(&left[n])).map(|n| left[n]) {
            let message = format!("index `{}` twice on the left", equation.labels()[label].name);
            return Err(unsupported(&message));
        }
        let names: Vec<String> = equation.labels().iter().map(|label| label.name.clone()).collect();
        let extent =
            |count: &Count| count.value(|hole| holes.cut(hole).map_or_else(|| holes.extent(hole), |tiling| tiling.extent()));
        let declared = equation.labels().iter().map(|label| label.declared.as_ref().map(extent)).collect();
        let target = left.iter().map(|&label| cut(equation, label, holes)).collect();
        let claims = equation.claims().iter().map(|claimed| Claim::new(claimed, &left, &names)).collect::<Result<_, _>>()?;
        let mut reader = Reader { holes, dtype, operands, extras: Vec::new(), masks: Vec::new(), faults: Vec::new() };
        let tree = match equation.build(&mut reader) {
            Right::Expression(tree) => tree,
            Right::Factorise(..) => return Err(decomposition()),
        };
        match reader.faults.is_empty() {
            true => {
                let (extras, tied) = (reader.extras, BTreeMap::new());
                Ok(Written { tree, extras, left, layers, names, declared, tied, target, claims, is_tied: false })
            }
            false => Err(Error::all(reader.faults)),
        }
    }
}

impl Written {
    /// The extent of a label on a factor, if it has the label there: what is read beside operands, which have these structures, has numbers
    /// from `extras` on.
    pub(super) fn extent_on(&self, factor: &Factor, label: usize, (structures, extras): (&[Structure], usize)) -> Option<usize> {
        let axis = factor.labels.iter().position(|own| *own == label)?;
        match factor.operand.checked_sub(extras).map(|extra| &self.extras[extra]) {
            None => Some(structures[factor.operand].tilings().get(axis)?.extent()),
            Some(Extra::Part(part)) => part.extents(&structures[part.operand]).get(axis).copied(),
            Some(Extra::Iota(_)) => None,
        }
    }
}

/// The cut that a `where` gives to a label.
fn cut(equation: &Equation, label: usize, holes: &dyn TreeHoles) -> Option<(String, Tiling)> {
    let tiling = match equation.labels()[label].declared.as_ref()? {
        Count::Literal(..) => None,
        Count::Hole(hole) => holes.cut(hole),
    };
    Some(("where".to_string(), tiling?))
}

/// Reads the right side of an equation; what is not computed is a fault.
struct Reader<'r> {
    holes: &'r dyn TreeHoles,
    dtype: Dtype,
    /// How many operands there are.
    operands: usize,
    extras: Vec<Extra>,
    /// The numbers of tensors of truth values.
    masks: Vec<usize>,
    faults: Vec<Error>,
}

impl Reader<'_> {
    /// The number of something that is read beside operands.
    fn extra(&mut self, extra: Extra) -> usize {
        let known = self.extras.iter().position(|known| *known == extra);
        let number = known.unwrap_or(self.extras.len());
        self.extras.extend(known.is_none().then_some(extra));
        self.operands + number
    }

    fn refuse(&mut self, what: &str) -> Tree {
        self.faults.push(unsupported(what));
        Tree::Number(Complex::ZERO)
    }
}

impl Builder for Reader<'_> {
    type Value = Tree;

    fn operand(&mut self, id: OperandId, operand: &Operand) -> Tree {
        let (mut labels, mut axes) = (Vec::new(), Vec::new());
        for index in &operand.indices {
            match index {
                Index::Label(label, _) | Index::Slice(label, ..) => labels.push(label.0),
                Index::Chip(_) => {}
                Index::Fused(..) => return self.refuse("fused axes"),
                Index::Rest => return self.refuse("`..`"),
            }
            axes.push(match index {
                Index::Slice(_, Range::Literal(start, end, _), _) => ReadAxis::Range(*start, *end),
                Index::Slice(_, Range::Hole(hole), _) => {
                    let (start, end) = self.holes.range(hole);
                    ReadAxis::Range(start, end)
                }
                Index::Chip(Count::Literal(position, _)) => ReadAxis::Position(*position),
                Index::Chip(Count::Hole(hole)) => ReadAxis::Position(self.holes.extent(hole)),
                Index::Label(..) | Index::Fused(..) | Index::Rest => ReadAxis::Range(0, None),
            });
        }
        let mut number = self.holes.operand(id, operand);
        if axes.iter().any(|axis| *axis != ReadAxis::Range(0, None)) {
            number = self.extra(Extra::Part(ReadPart { operand: number, axes }));
        }
        self.masks.extend(operand.is_mask.then_some(number));
        Tree::Factor(Factor { operand: number, conjugates: false, labels })
    }

    fn gradient(&mut self, _: (OperandId, &Operand), _: (OperandId, &Operand)) -> Tree {
        self.refuse("derivatives")
    }

    fn scalar(&mut self, _: ScalarId, scalar: &Scalar) -> Tree {
        match scalar {
            Scalar::Literal(value, _) => Tree::Number((*value).into()),
            Scalar::Hole(hole) => match self.holes.number(hole) {
                Ok(value) => Tree::Number(value),
                Err(fault) => {
                    self.faults.push(fault);
                    Tree::Number(Complex::ZERO)
                }
            },
        }
    }

    fn spread(&mut self, id: ScalarId, scalar: &Scalar, _: &[LabelId]) -> Tree {
        self.scalar(id, scalar)
    }

    fn iota(&mut self, label: LabelId) -> Tree {
        let operand = self.extra(Extra::Iota(label.0));
        Tree::Factor(Factor { operand, conjugates: false, labels: vec![label.0] })
    }

    fn extent(&mut self, label: LabelId) -> Tree {
        // A sum over a label that nothing has counts its indices.
        Tree::Sum(vec![label.0], Box::new(Tree::Number(Complex::ONE)))
    }

    fn negate(&mut self, value: Tree) -> Tree {
        Tree::Negate(Box::new(value))
    }

    fn binary(&mut self, operator: Operator, left: Tree, right: Tree) -> Tree {
        Tree::Binary(operator, Box::new(left), Box::new(right))
    }

    fn reduce(&mut self, reduction: Reduction, labels: &[LabelId], value: Tree) -> Tree {
        let labels = labels.iter().map(|label| label.0).collect();
        if reduction == Reduction::Sum {
            return Tree::Sum(labels, Box::new(value));
        }
        if self.dtype.is_complex() && reduction != Reduction::Product {
            self.faults.push(Error::without_order(self.dtype));
        }
        Tree::Fold(lowered(reduction), labels, Box::new(value))
    }

    fn apply(&mut self, function: Function, value: Tree) -> Tree {
        let conjugated = if function == Function::Conj { value.conjugated() } else { None };
        conjugated.unwrap_or_else(|| Tree::Apply(function, Box::new(value)))
    }

    fn map(&mut self, _: &[(FunctionId, &Mapped)], _: Vec<Tree>) -> Tree {
        self.refuse("functions of the program's")
    }

    fn select(&mut self, condition: Condition<Tree>, chosen: Tree, other: Tree) -> Tree {
        if self.dtype.is_complex() && condition.orders(&|side| !side.is_real()) {
            self.faults.push(Error::orders_complex(self.dtype));
        }
        Tree::Select(condition, Box::new([chosen, other]))
    }

    fn begin_cast(&mut self, _: CastId, _: &Cast) {}

    fn cast(&mut self, _: CastId, value: Tree) -> Tree {
        match &value {
            // Truth values are numbers already.
            Tree::Factor(factor) if self.masks.contains(&factor.operand) => value,
            _ => self.refuse("casts"),
        }
    }

    fn power_integer(&mut self, value: Tree, _: ScalarId, exponent: &Scalar) -> Tree {
        let exponent = exponent.whole(|hole| self.holes.whole(hole));
        Tree::PowerInteger(Box::new(value), exponent)
    }

    fn power_real(&mut self, value: Tree, _: ScalarId, exponent: &Scalar) -> Tree {
        let exponent = exponent.real(|hole| self.holes.real(hole));
        Tree::PowerReal(Box::new(value), exponent)
    }
}
