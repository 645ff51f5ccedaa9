//! Layers of indices, as in `T[p; a, b]`: whether an equation divides its operands' axes as they are, and its addends agree.

use std::collections::BTreeMap;

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::Operator;
use tensorwrapper_notation::{Equation, Operand, OperandId};

use super::reader::Written;
use super::tensors::Tensors;
use super::tree::Tree;
use crate::expr::one_layer;

/// Whether operands that are written in layers have them. A tensor in layers may be written without.
///
/// # Errors
/// [`ErrorKind::Label`] for the first that has others.
pub(super) fn check(equation: &Equation, structure: &dyn Fn(OperandId, &Operand) -> Structure) -> Result<(), Error> {
    for (n, operand) in equation.operands().iter().enumerate().filter(|(_, operand)| !operand.layers.is_empty()) {
        let (name, own) = (&operand.hole.text, structure(OperandId(n), operand).layers());
        if own == operand.layers {
            continue;
        }
        if own.len() == 1 {
            return Err(one_layer(&format!("`{name}`"), operand.layers.len()));
        }
        let listed = |layers: &[usize]| layers.iter().map(usize::to_string).collect::<Vec<_>>().join(" and ");
        let (own, given) = (listed(&own), listed(&operand.layers));
        return Err(Error::new(ErrorKind::Label(format!("`{name}` has layers of {own} axes, but `;` divides it into {given}"))));
    }
    Ok(())
}

/// The outermost layer that each label of an expression stands in, and the operand that says so.
type Outermost = BTreeMap<usize, (usize, usize)>;

/// Whether a label of two addends stands in the same layer of both.
///
/// # Errors
/// [`ErrorKind::Label`] for the first that does not.
pub(super) fn check_addends(written: &Written, tensors: &Tensors) -> Result<(), Error> {
    if tensors.structures.iter().all(|structure| structure.layers().len() == 1) {
        return Ok(());
    }
    outermost(&written.tree, &written.names, tensors).map(|_| ())
}

fn outermost(tree: &Tree, names: &[String], tensors: &Tensors) -> Result<Outermost, Error> {
    match tree {
        Tree::Factor(factor) => {
            let layers = tensors.structures[factor.operand].layers();
            let of_axes = layers.iter().enumerate().flat_map(|(layer, &axes)| std::iter::repeat_n(layer, axes));
            let mut found = Outermost::new();
            for (&label, layer) in factor.labels.iter().zip(of_axes) {
                found.entry(label).or_insert((layer, factor.operand));
            }
            Ok(found)
        }
        Tree::Number(_) => Ok(Outermost::new()),
        Tree::Negate(inner)
        | Tree::Sum(_, inner)
        | Tree::Fold(_, _, inner)
        | Tree::Apply(_, inner)
        | Tree::PowerInteger(inner, _)
        | Tree::PowerReal(inner, _) => outermost(inner, names, tensors),
        Tree::Binary(operator, left, right) => {
            let adds = matches!(operator, Operator::Add | Operator::Subtract);
            let all = outermost(left, names, tensors)?;
            joined(all, outermost(right, names, tensors)?, adds, (names, tensors))
        }
        Tree::Select(condition, values) => {
            let parts = condition.expressions().into_iter().chain(&**values);
            parts
                .map(|part| outermost(part, names, tensors))
                .try_fold(Outermost::new(), |all, part| joined(all, part?, true, (names, tensors)))
        }
    }
}

/// The outermost layers of two parts of an expression. If they are added, each label stands in the same layer of both.
fn joined(mut all: Outermost, other: Outermost, adds: bool, (names, tensors): (&[String], &Tensors)) -> Result<Outermost, Error> {
    for (label, (layer, operand)) in other {
        let &mut (known, first) = all.entry(label).or_insert((layer, operand));
        if adds && known != layer {
            let message = format!(
                "`{}` stands in layer {known} of `{}` but in layer {layer} of `{}`",
                names[label], tensors.names[first], tensors.names[operand]
            );
            return Err(Error::new(ErrorKind::Label(message)));
        }
        if layer < known {
            all.insert(label, (layer, operand));
        }
    }
    Ok(all)
}
