//! Turns implicit sums into explicit ones (rules 2, 4, 5 and 8 of the language).

use std::collections::HashSet;

use super::checker::Checker;
use super::labels::{free_labels, free_names, term_labels};
use super::scope::Scope;
use crate::diagnostic::Diagnostic;
use crate::equation::{Cast, CastId, LabelId, Node};
use crate::function::Function;
use crate::syntax::{Ending, Exchange, Expression, ExpressionKind, Hole, Name, Operator, Reduction, Scalar};
use crate::token::Span;

/// The most operations inside each other that repeat what stands in them.
const DEEPEST_REPEAT: usize = 8;

/// The place around a node where an implicit sum would be ambiguous, as a message names it.
pub(super) type Nonlinear = Option<&'static str>;

impl Checker<'_> {
    /// A sum of terms. Each term is resolved on its own: summed labels of two terms are different labels, even if they have the same
    /// name.
    pub(super) fn sum(&mut self, expression: &Expression, scope: &Scope, nonlinear: Nonlinear) -> Option<Node> {
        // In a loop, because recursion would be as deep as the sum has terms.
        let (first, rest) = chain(expression, is_additive);
        let mut sum = self.term(first, scope, nonlinear);
        for (operator, term) in rest {
            let term = self.sum(term, scope, nonlinear);
            sum = both(operator, sum, term);
        }
        sum
    }

    /// A term. Labels that belong to the term and are not in scope are summed over the whole term.
    fn term(&mut self, term: &Expression, scope: &Scope, nonlinear: Nonlinear) -> Option<Node> {
        let mut inner = scope.clone();
        let (mut summed, mut lone, mut doubtful) = (Vec::new(), Vec::new(), Vec::new());
        for label in term_labels(term).into_iter().filter(|l| l.of_term && scope.get(&l.name.text).is_none()) {
            let factor = (label.occurrences == 1).then_some(label.first);
            match (nonlinear, factor) {
                (Some(_), factor) => doubtful.push((label.name, factor)),
                (None, Some(factor)) => lone.push((label.name, factor)),
                (None, None) => {}
            }
            let id = self.new_label(label.name);
            inner.push(&label.name.text, id);
            summed.push(id);
        }
        self.ambiguous_sums(&doubtful, nonlinear.unwrap_or_default());
        self.occur_once(&lone);
        let node = self.product(term, &inner, nonlinear)?;
        Some(reduce(Reduction::Sum, summed, node))
    }

    fn product(&mut self, expression: &Expression, scope: &Scope, nonlinear: Nonlinear) -> Option<Node> {
        match &expression.kind {
            ExpressionKind::Operand(hole, indices) => Some(Node::Operand(self.new_operand(hole, indices, scope))),
            ExpressionKind::Scalar(scalar) => self.number(scalar),
            ExpressionKind::Spread(scalar, labels) => {
                let over = labels.iter().filter_map(|name| scope.get(&name.text)).collect();
                Some(Node::Spread(self.new_scalar(scalar), over))
            }
            ExpressionKind::Iota(name) => {
                self.reads_extents = true;
                scope.get(&name.text).map(Node::Iota)
            }
            ExpressionKind::Negate(inner) => Some(Node::Negate(Box::new(self.product(inner, scope, nonlinear)?))),
            ExpressionKind::Binary(Operator::Multiply | Operator::Divide, ..) => {
                let (first, rest) = chain(expression, |operator| matches!(operator, Operator::Multiply | Operator::Divide));
                let mut product = self.product(first, scope, nonlinear);
                for (operator, factor) in rest {
                    let below = if operator == Operator::Divide { Some("a denominator") } else { nonlinear };
                    let factor = self.product(factor, scope, below);
                    product = both(operator, product, factor);
                }
                product
            }
            ExpressionKind::Binary(..) => self.sum(expression, scope, nonlinear),
            ExpressionKind::Parentheses(inner) => self.sum(inner, scope, nonlinear),
            ExpressionKind::Apply(function, inner) => {
                let inside = if function.is_linear() { nonlinear } else { Some("a function's argument") };
                Some(Node::Apply(*function, Box::new(self.sum(inner, scope, inside)?)))
            }
            ExpressionKind::Map(functions, arguments) => {
                let inside = Some("a function's argument");
                let nodes: Vec<_> = arguments.iter().map(|argument| self.sum(argument, scope, inside)).collect();
                let functions = functions.iter().map(|function| self.new_function(function, arguments.len())).collect();
                Some(Node::Map(functions, nodes.into_iter().collect::<Option<_>>()?))
            }
            ExpressionKind::Select(condition, values) => self.choice(condition, values, scope),
            ExpressionKind::Truth(condition) => self.truth(condition, expression.span, scope),
            ExpressionKind::Clip(parts) => self.clip(parts, scope),
            ExpressionKind::Cast(named, inner) => self.cast(named.as_ref(), inner, expression.span, scope, nonlinear),
            ExpressionKind::PowerInteger(base, exponent) => {
                let base = Box::new(self.sum(base, scope, Some("the base of a power"))?);
                Some(Node::PowerInteger(base, self.new_scalar(exponent)))
            }
            ExpressionKind::PowerReal(base, exponent) => {
                let base = Box::new(self.sum(base, scope, Some("the base of a power"))?);
                Some(Node::PowerReal(base, self.new_scalar(exponent)))
            }
            ExpressionKind::Reduce(ending, labels, body) => self.ending(*ending, labels, body, scope, nonlinear),
            ExpressionKind::Exchange(kind, groups, body) => self.exchange(*kind, groups, body, scope, nonlinear),
            ExpressionKind::Gradient(value, variables) => self.gradient(value, variables, expression.span, scope),
        }
    }

    /// A number. The name of an index is none: in `i * x[i]` and in `select(i < j; X, Y)` its value is meant.
    fn number(&mut self, scalar: &Scalar) -> Option<Node> {
        match self.index_as_number(scalar) {
            Some(hole) => {
                let name = &hole.text;
                let fault = Diagnostic::label(hole.span, format!("`{name}` is an index here, and not a number"));
                self.faults.push(fault.help(format!(
                    "the value of an index is `iota[{name}]`; a variable of that name stands in braces, `{{ {name} }}`"
                )));
                None
            }
            None => Some(Node::Scalar(self.new_scalar(scalar))),
        }
    }

    /// A name alone that is also the name of a label.
    fn index_as_number<'e>(&self, scalar: &'e Scalar) -> Option<&'e Hole> {
        match scalar {
            Scalar::Hole(hole) if self.names.contains(hole.text.as_str()) => Some(hole),
            _ => None,
        }
    }

    /// Whether an expression has such a name, so that its terms are not what is wrong.
    pub(super) fn reads_an_index(&self, expression: &Expression) -> bool {
        let here = matches!(&expression.kind, ExpressionKind::Scalar(scalar) if self.index_as_number(scalar).is_some());
        here || expression.kind.children().into_iter().any(|part| self.reads_an_index(part))
    }

    /// `cast(X)`: X is an expression over another element type. It is linear, so sums may stand inside.
    pub(super) fn cast(
        &mut self,
        named: Option<&Hole>,
        inner: &Expression,
        span: Span,
        scope: &Scope,
        nonlinear: Nonlinear,
    ) -> Option<Node> {
        let (outer, id) = (self.cast, CastId(self.casts.len()));
        self.casts.push(Cast { named: named.cloned(), outer, is_real: false, span });
        self.cast = Some(id);
        let node = self.sum(inner, scope, nonlinear);
        self.cast = outer;
        let node = node?;
        self.casts[id.0].is_real = self.is_real(&node);
        Some(Node::Cast(id, Box::new(node)))
    }

    /// `sum(k; X)`, `mean(k; X)`, `argmax(k; X)`
    fn ending(
        &mut self,
        ending: Ending,
        labels: &[Name],
        body: &Expression,
        scope: &Scope,
        nonlinear: Nonlinear,
    ) -> Option<Node> {
        match ending {
            Ending::Argmax => self.position((Reduction::Max, ending), labels, body, scope),
            Ending::Argmin => self.position((Reduction::Min, ending), labels, body, scope),
            Ending::Reduce(reduction) => self.reduction((reduction, ending), labels, body, scope, nonlinear),
            Ending::Mean => self.mean(ending, labels, body, scope, nonlinear),
            Ending::Variance => self.variance(ending, labels, body, scope),
            Ending::Deviation => {
                let variance = self.variance(ending, labels, body, scope)?;
                Some(Node::Apply(Function::Sqrt, Box::new(variance)))
            }
        }
    }

    /// A reduction, as a part of what messages name: its labels live in X only.
    pub(super) fn reduction(
        &mut self,
        (reduction, ending): (Reduction, Ending),
        labels: &[Name],
        body: &Expression,
        scope: &Scope,
        nonlinear: Nonlinear,
    ) -> Option<Node> {
        let word = ending.name();
        let occurring = free_labels(body);
        let occurs = free_names(body);
        let mut inner = scope.clone();
        let mut bound = Vec::new();
        let mut met: HashSet<&str> = HashSet::new();
        let before = self.faults.len();
        self.bound_outside(word, labels, body, scope);
        let is_refused = self.faults.len() > before;
        for name in labels {
            let (label, before) = (&name.text, self.faults.len());
            if scope.get(label).is_some() {
                self.misbound.push(label.clone());
            } else if !met.insert(label) {
                let fault = Diagnostic::label(name.span, format!("`{word}` names index `{label}` twice"));
                self.faults.push(fault.help("leave it out"));
                continue;
            } else if !occurs.contains(label.as_str()) {
                let fault = Diagnostic::label(name.span, format!("index `{label}` does not occur inside this `{word}`"));
                let other =
                    occurring.iter().map(|o| &o.text).find(|o| scope.get(o).is_none() && !labels.iter().any(|l| l.text == **o));
                self.faults.push(match other {
                    Some(other) => fault.help(format!("is `{other}` meant?")),
                    None => fault.help("leave it out"),
                });
            }
            let id = self.new_label(name);
            if self.faults.len() > before || is_refused && scope.get(label).is_some() {
                self.refused.push(id);
            }
            inner.push(label, id);
            bound.push(id);
        }
        let body = self.sum(body, &inner, inside(ending).or(nonlinear))?;
        Some(reduce(reduction, bound, body))
    }

    /// `asym(i, j; X)`: X minus X with `i` and `j` exchanged. The latter is X in a scope where the two names are swapped.
    fn exchange(
        &mut self,
        kind: Exchange,
        [first, second]: &[Vec<Name>; 2],
        body: &Expression,
        scope: &Scope,
        nonlinear: Nonlinear,
    ) -> Option<Node> {
        let mut swapped = scope.clone();
        for (a, b) in first.iter().zip(second) {
            let (Some(a_id), Some(b_id)) = (scope.get(&a.text), scope.get(&b.text)) else {
                let summed = if scope.get(&a.text).is_none() { a } else { b };
                let message = format!("index `{}` is summed, so it cannot change places", summed.text);
                self.faults.push(Diagnostic::label(summed.span, message).help("the labels that change places are on the left"));
                return None;
            };
            swapped.push(&a.text, b_id);
            swapped.push(&b.text, a_id);
        }
        let operator = match kind {
            Exchange::Symmetric => Operator::Add,
            Exchange::Antisymmetric => Operator::Subtract,
        };
        let faults = self.faults.len();
        let plain = self.sum(body, scope, nonlinear);
        // Faults and warnings are the same for both, and reported once.
        let warnings = self.warnings.len();
        let exchanged = if self.faults.len() > faults { None } else { self.sum(body, &swapped, nonlinear) };
        self.warnings.truncate(warnings);
        Some(Node::Binary(operator, Box::new(plain?), Box::new(exchanged?)))
    }
}

/// The place that the body of a reduction is, where an implicit sum would be ambiguous in it whatever is around.
pub(super) fn inside(ending: Ending) -> Nonlinear {
    match ending {
        Ending::Reduce(Reduction::Sum) | Ending::Mean => None,
        Ending::Reduce(Reduction::Product) => Some("the body of `prod`"),
        Ending::Reduce(Reduction::Max) => Some("the body of `max`"),
        Ending::Reduce(Reduction::Min) => Some("the body of `min`"),
        Ending::Variance => Some("the body of `var`"),
        Ending::Deviation => Some("the body of `std`"),
        Ending::Argmax => Some("the body of `argmax`"),
        Ending::Argmin => Some("the body of `argmin`"),
    }
}

/// The fault of too many of what repeats its contents inside each other.
fn repeats_fault(body: &Expression) -> Diagnostic {
    let message =
        format!("more than {DEEPEST_REPEAT} of `sym`, `asym`, `clip`, `var`, `std`, `argmax` and `argmin` are inside each other");
    Diagnostic::label(body.span, message).help("give the inner ones an equation of their own")
}

/// The fault of an expression that repeats its contents too often, if it does.
pub(super) fn too_many_repeats(expression: &Expression) -> Option<Diagnostic> {
    fn beyond(expression: &Expression, around: usize) -> Option<&Expression> {
        let repeats = match &expression.kind {
            ExpressionKind::Exchange(..) | ExpressionKind::Clip(_) => true,
            ExpressionKind::Reduce(ending, ..) => !matches!(ending, Ending::Reduce(_) | Ending::Mean),
            _ => false,
        };
        let around = around + usize::from(repeats);
        if around > DEEPEST_REPEAT {
            return Some(expression);
        }
        expression.kind.children().into_iter().find_map(|part| beyond(part, around))
    }
    beyond(expression, 0).map(repeats_fault)
}

/// Whether an operator stands between terms.
pub(super) fn is_additive(operator: Operator) -> bool {
    matches!(operator, Operator::Add | Operator::Subtract)
}

/// The first operand of a chain of these operators, which are grouped from the left, and the others in order.
pub(super) fn chain(
    mut first: &Expression,
    of: impl Fn(Operator) -> bool,
) -> (&Expression, impl Iterator<Item = (Operator, &Expression)>) {
    let mut rest = Vec::new();
    while let ExpressionKind::Binary(operator, a, b) = &first.kind
        && of(*operator)
    {
        rest.push((*operator, &**b));
        first = a;
    }
    (first, rest.into_iter().rev())
}

/// An operation on two nodes, if there are two.
fn both(operator: Operator, left: Option<Node>, right: Option<Node>) -> Option<Node> {
    Some(Node::Binary(operator, Box::new(left?), Box::new(right?)))
}

pub(super) fn reduce(reduction: Reduction, labels: Vec<LabelId>, node: Node) -> Node {
    if labels.is_empty() { node } else { Node::Reduce(reduction, labels, Box::new(node)) }
}
