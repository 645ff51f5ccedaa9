//! Element types: casts divide an equation into parts that are computed in one type each.

use super::checker::Checker;
use crate::diagnostic::Diagnostic;
use crate::equation::{CastId, Node};
use crate::function::Function;
use crate::syntax::Scalar;

impl Checker<'_> {
    /// Whether a node has real values even if its element type is complex.
    pub(super) fn is_real(&self, node: &Node) -> bool {
        match node {
            Node::Apply(Function::Re | Function::Im | Function::Abs, _) => true,
            Node::Scalar(id) | Node::Spread(id, _) => matches!(self.scalars[id.0], Scalar::Literal(..)),
            Node::Iota(_) | Node::Extent(_) => true,
            Node::Negate(inner) | Node::Reduce(_, _, inner) | Node::PowerInteger(inner, _) => self.is_real(inner),
            Node::Select(_, values) => values.iter().all(|value| self.is_real(value)),
            Node::Binary(_, a, b) => self.is_real(a) && self.is_real(b),
            Node::Operand(_) | Node::Gradient(..) | Node::Apply(..) | Node::PowerReal(..) | Node::Map(..) | Node::Cast(..) => {
                false
            }
        }
    }

    /// Whether a part of the equation reads truth values alone. Its numbers are of double precision then.
    pub(super) fn is_of_masks(&self, part: Option<CastId>) -> bool {
        let is_mask = |n: usize| self.operands.iter().any(|operand| operand.cast == Some(CastId(n)) && operand.is_mask);
        let mut inside = self.casts.iter().enumerate().filter(|(_, cast)| cast.outer == part).peekable();
        inside.peek().is_some() && inside.all(|(n, _)| is_mask(n)) && !self.operands.iter().any(|operand| operand.cast == part)
    }

    /// Checks that every part of the equation has an element type, from an operand or from a cast that names it.
    pub(super) fn every_element_type_is_known(&mut self) {
        let known = |part: Option<CastId>| {
            self.operands.iter().any(|operand| operand.cast == part)
                || self.casts.iter().any(|cast| cast.outer == part && cast.named.is_some())
                || self.is_of_masks(part)
        };
        let mut faults = Vec::new();
        for (n, cast) in self.casts.iter().enumerate() {
            let holds_a_cast = self.casts.iter().any(|inner| inner.outer == Some(CastId(n)));
            if !known(Some(CastId(n))) && !holds_a_cast {
                let fault = Diagnostic::label(cast.span, "`cast` converts tensors, and here is none");
                faults.push(fault.help("a number is converted in Rust, `{ x as f64 }`; literals are of any element type"));
            } else if !known(cast.outer) {
                // A cast names the type that it converts to, which is easily mistaken with two casts.
                let (what, help) = match (cast.outer, holds_a_cast) {
                    (Some(_), _) => {
                        ("what this `cast` converts to", "name it in this `cast`, the inner one: `cast(cast(f64; …))`")
                    }
                    (None, true) => ("this equation", "name it in the outer `cast`: `cast(f64; cast(…))`"),
                    (None, false) => ("this equation", "name it: `cast(f64; …)`"),
                };
                let fault = Diagnostic::label(cast.span, format!("nothing tells the element type of {what}"));
                faults.push(fault.help(help));
            }
        }
        self.faults.extend(faults);
    }
}
