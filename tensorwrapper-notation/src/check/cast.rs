//! Which element type what is computed in: casts divide an equation into parts of one type each.

use super::checker::Checker;
use crate::diagnostic::Diagnostic;
use crate::equation::{CastId, Node};
use crate::function::Function;
use crate::syntax::Scalar;

impl Checker<'_> {
    /// Whether values are real by their form.
    pub(super) fn is_real(&self, node: &Node) -> bool {
        match node {
            Node::Apply(Function::Re | Function::Im | Function::Abs, _) => true,
            Node::Scalar(id) | Node::Spread(id, _) => matches!(self.scalars[id.0], Scalar::Literal(..)),
            Node::Negate(inner) | Node::Reduce(_, _, inner) | Node::PowerInteger(inner, _) => self.is_real(inner),
            Node::Binary(_, a, b) => self.is_real(a) && self.is_real(b),
            Node::Operand(_) | Node::Apply(..) | Node::PowerReal(..) | Node::Map(..) | Node::Cast(..) => false,
        }
    }

    /// An operand tells the element type of its part of the equation, or a cast that names the type.
    pub(super) fn every_element_type_is_known(&mut self) {
        let known = |part: Option<CastId>| {
            self.operands.iter().any(|operand| operand.cast == part)
                || self.casts.iter().any(|cast| cast.outer == part && cast.named.is_some())
        };
        let mut faults = Vec::new();
        for (n, cast) in self.casts.iter().enumerate() {
            let holds_a_cast = self.casts.iter().any(|inner| inner.outer == Some(CastId(n)));
            if !known(Some(CastId(n))) && !holds_a_cast {
                let fault = Diagnostic::label(cast.span, "`cast` converts tensors, and here is none");
                faults.push(fault.help("a number is converted in Rust, `{ x as f64 }`; literals are of any element type"));
            } else if !known(cast.outer) {
                // Which of two casts names a type is easily mistaken: each names what it converts to.
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
