//! Choices: conditions, and what is written as choices between expressions.

use std::collections::HashSet;

use super::checker::Checker;
use super::resolve::reduce;
use super::scope::Scope;
use crate::condition::{Comparison, Condition};
use crate::diagnostic::Diagnostic;
use crate::equation::Node;
use crate::syntax::{Ending, Expression, Name, Reduction, Scalar};
use crate::token::Span;

impl Checker<'_> {
    /// `select(C; X, Y)`
    pub(super) fn choice(&mut self, condition: &Condition<Expression>, values: &[Expression; 2], scope: &Scope) -> Option<Node> {
        let (inside, faults) = ("`select`", self.faults.len());
        // Faults of all parts are reported, and not those of the first alone.
        let condition = self.condition(condition, scope, inside);
        let [chosen, other] = values.each_ref().map(|value| self.sum(value, scope, Some(inside)));
        self.once_since(faults);
        Some(Node::Select(complete(&condition)?, Box::new([chosen?, other?])))
    }

    /// `X < Y` and its like as a right side: 1 where it holds, and 0 elsewhere.
    pub(super) fn truth(&mut self, condition: &Condition<Expression>, span: Span, scope: &Scope) -> Option<Node> {
        let faults = self.faults.len();
        let condition = self.condition(condition, scope, "a comparison");
        self.once_since(faults);
        let values = [1.0, 0.0].map(|value| Node::Scalar(self.new_scalar(&Scalar::Literal(value, span))));
        Some(Node::Select(complete(&condition)?, Box::new(values)))
    }

    fn condition(&mut self, of: &Condition<Expression>, scope: &Scope, inside: &'static str) -> Condition<Option<Node>> {
        match of {
            Condition::Compare(comparison, sides) => {
                let sides = sides.each_ref().map(|side| self.sum(side, scope, Some(inside)));
                Condition::Compare(*comparison, Box::new(sides))
            }
            // Truth values are read as numbers of a type of their own, which are converted.
            Condition::Holds(of) => {
                let mask = self.cast(None, of, of.span, scope, Some(inside));
                if let Some(Node::Cast(_, operand)) = &mask
                    && let Node::Operand(id) = **operand
                {
                    self.operands[id.0].is_mask = true;
                }
                let zero = Node::Scalar(self.new_scalar(&Scalar::Literal(0.0, of.span)));
                Condition::Compare(Comparison::NotEqual, Box::new([mask, Some(zero)]))
            }
            Condition::Both(parts) => Condition::Both(Box::new(parts.each_ref().map(|part| self.condition(part, scope, inside)))),
            Condition::Either(parts) => {
                Condition::Either(Box::new(parts.each_ref().map(|part| self.condition(part, scope, inside))))
            }
            Condition::Not(inner) => Condition::Not(Box::new(self.condition(inner, scope, inside))),
        }
    }

    /// `clip(X, a, b)`: two choices, both of which read X.
    pub(super) fn clip(&mut self, parts: &[Expression; 3], scope: &Scope) -> Option<Node> {
        let faults = self.faults.len();
        let [of, low, high] = parts.each_ref().map(|part| self.sum(part, scope, Some("`clip`")));
        self.once_since(faults);
        let (of, low, high) = (of?, low?, high?);
        let choice = |comparison, bound: Node, other: Node| {
            let condition = Condition::Compare(comparison, Box::new([of.clone(), bound.clone()]));
            Node::Select(condition, Box::new([bound, other]))
        };
        let below = choice(Comparison::Greater, high, of.clone());
        Some(choice(Comparison::Less, low, below))
    }

    /// Keeps each sentence once of the faults from some number on: parts of a choice that read the same label share its fault.
    fn once_since(&mut self, from: usize) {
        let mut said: HashSet<String> = HashSet::new();
        let later = self.faults.split_off(from);
        self.faults.extend(later.into_iter().filter(|fault| said.insert(fault.message.clone())));
    }

    /// `argmax(k; X)`: the first value of k at which X is its maximum over k, or is no number; X stands in both reductions.
    pub(super) fn position(
        &mut self,
        (extreme, ending): (Reduction, Ending),
        labels: &[Name],
        body: &Expression,
        scope: &Scope,
    ) -> Option<Node> {
        let word = ending.name();
        let [label, further @ ..] = labels else { return None };
        if let [second, ..] = further {
            let fault = Diagnostic::label(
                second.span,
                format!("`{word}` gives the value of one index, and `{}` is a second one", second.text),
            );
            let others: Vec<&str> = further.iter().map(|label| label.text.as_str()).collect();
            let help =
                format!("`{word}({}; {}({}; X))` is its value for all of them", label.text, extreme.name(), others.join(", "));
            self.faults.push(fault.help(help));
            return None;
        }
        let best = |checker: &mut Self| checker.reduction((extreme, ending), labels, body, scope, None);
        let (best, of, over) = self.twice(ending, (labels, body), scope, best)?;
        let at = over[0];
        self.reads_extents = true;
        let compare = |comparison, side: &Node| Condition::Compare(comparison, Box::new([of.clone(), side.clone()]));
        let is_best = Condition::Either(Box::new([compare(Comparison::Equal, &best), compare(Comparison::NotEqual, &of)]));
        let place = Node::Select(is_best, Box::new([Node::Iota(at), Node::Extent(at)]));
        Some(reduce(Reduction::Min, vec![at], place))
    }
}

/// A condition whose sides are all there.
fn complete(condition: &Condition<Option<Node>>) -> Option<Condition<Node>> {
    condition.try_map(&mut |side| side.clone().ok_or(())).ok()
}
