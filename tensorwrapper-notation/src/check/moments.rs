//! Means and variances, which are sums over the number of their terms.

use super::checker::Checker;
use super::resolve::{inside, reduce};
use super::scope::Scope;
use crate::equation::{LabelId, Node};
use crate::function::Function;
use crate::syntax::{Ending, Expression, Name, Operator, Reduction, Scalar};

impl Checker<'_> {
    /// `mean(k; X)`
    pub(super) fn mean(
        &mut self,
        ending: Ending,
        labels: &[Name],
        body: &Expression,
        scope: &Scope,
        nonlinear: Option<&'static str>,
    ) -> Option<Node> {
        let sum = self.reduction((Reduction::Sum, ending), labels, body, scope, nonlinear)?;
        let over = if let Node::Reduce(_, over, _) = &sum { over.clone() } else { Vec::new() };
        Some(self.divided(sum, &over))
    }

    /// `var(k; X)`: the mean of |X − mean(k; X)|². X stands in it twice.
    pub(super) fn variance(&mut self, ending: Ending, labels: &[Name], body: &Expression, scope: &Scope) -> Option<Node> {
        let mean = |checker: &mut Self| checker.mean(ending, labels, body, scope, None);
        let (mean, of, over) = self.twice(ending, (labels, body), scope, mean)?;
        let difference = Node::Binary(Operator::Subtract, Box::new(of), Box::new(mean));
        let two = self.new_scalar(&Scalar::Literal(2.0, body.span));
        // Of complex numbers the square of the absolute value.
        let square = Node::PowerInteger(Box::new(Node::Apply(Function::Abs, Box::new(difference))), two);
        Some(self.divided(reduce(Reduction::Sum, over.clone(), square), &over))
    }

    /// What X is reduced to over labels, X itself over labels of their names, and these labels.
    pub(super) fn twice(
        &mut self,
        ending: Ending,
        (labels, body): (&[Name], &Expression),
        scope: &Scope,
        reduced: impl FnOnce(&mut Self) -> Option<Node>,
    ) -> Option<(Node, Node, Vec<LabelId>)> {
        let (faults, warnings) = (self.faults.len(), self.warnings.len());
        let reduced = reduced(self);
        if self.faults.len() > faults {
            return None;
        }
        let mut inner = scope.clone();
        let over: Vec<LabelId> = labels.iter().map(|label| self.new_label(label)).collect();
        labels.iter().zip(&over).for_each(|(label, &id)| inner.push(&label.text, id));
        let of = self.sum(body, &inner, inside(ending));
        // Faults and warnings are the same for both, and reported once.
        self.warnings.truncate(warnings);
        Some((reduced?, of?, over))
    }

    /// A sum over these labels, divided by the number of its terms.
    fn divided(&mut self, sum: Node, over: &[LabelId]) -> Node {
        self.reads_extents = true;
        let divided = |sum, &label| Node::Binary(Operator::Divide, Box::new(sum), Box::new(Node::Extent(label)));
        over.iter().fold(sum, divided)
    }
}
