//! Statements that stand for several equations: `(X[i], Y[j]) = grad(L; A[i], B[j])` has one for each variable.

use std::borrow::Cow;

use crate::syntax::{Declaration, Expression, ExpressionKind, Index, LeftSide, Name, Right, Statement, Target};

impl Statement {
    /// Whether the right side is a comparison, so that the result has truth values.
    pub fn is_truth(&self) -> bool {
        matches!(&self.right, Right::Expression(Expression { kind: ExpressionKind::Truth(_), .. }))
    }

    /// The equations of this statement, each with one result: mostly the statement itself. They are read together, before any of their
    /// names is bound. Derivatives by another number of variables than there are results are one equation, which the check refuses.
    pub fn parts(&self) -> Cow<'_, [Statement]> {
        let whole = Cow::Borrowed(std::slice::from_ref(self));
        let Right::Expression(Expression { kind: ExpressionKind::Gradient(value, variables), span, .. }) = &self.right else {
            return whole;
        };
        let targets: Vec<Target> = match &self.target {
            Target::Let(results) => results.iter().map(|result| Target::Let(vec![result.clone()])).collect(),
            Target::Value(sides) => sides.iter().map(|side| Target::Value(vec![side.clone()])).collect(),
            Target::Place(..) => return whole,
        };
        if targets.len() < 2 || targets.len() != variables.len() {
            return whole;
        }
        let part = |(target, variable): (Target, &Expression)| {
            let kind = ExpressionKind::Gradient(value.clone(), vec![variable.clone()]);
            let right = Right::Expression(Expression::new(kind, *span));
            // A `where` belongs to the parts that have its labels.
            let names: Vec<&str> = labels(&target, [&**value, variable]).map(|name| name.text.as_str()).collect();
            let own = |declaration: &Declaration| {
                let of = |name: &Name| names.contains(&name.text.as_str());
                let labels: Vec<Name> = declaration.labels.iter().filter(|&name| of(name)).cloned().collect();
                (!labels.is_empty()).then(|| Declaration { labels, ..declaration.clone() })
            };
            let declarations = self.declarations.iter().filter_map(own).collect();
            Statement { target, right, declarations, claims: self.claims.clone(), span: self.span }
        };
        targets.into_iter().zip(variables).map(part).collect()
    }
}

/// The labels of one result and of two operands.
fn labels<'s>(target: &'s Target, operands: [&'s Expression; 2]) -> impl Iterator<Item = &'s Name> {
    let sides: Vec<&LeftSide> = match target {
        Target::Value(sides) => sides.iter().collect(),
        Target::Let(results) => results.iter().map(|(_, side)| side).collect(),
        Target::Place(..) => Vec::new(),
    };
    let of_operand = |operand: &'s Expression| match &operand.kind {
        ExpressionKind::Operand(_, indices) => indices.iter().collect(),
        _ => Vec::new(),
    };
    let left = sides.into_iter().flat_map(|side| side.indices.iter().flatten());
    left.chain(operands.into_iter().flat_map(of_operand)).flat_map(Index::labels)
}
