//! How trees are grouped: as an operator chain of Rust groups them, so that every door can write the same one.

use crate::property::tree::{Op, Tree};

/// What Rust groups to the right of an operator.
pub fn right_operand(tree: Tree) -> Tree {
    if matches!(tree, Tree::Binary(..)) { Tree::Parentheses(Box::new(tree)) } else { tree }
}

/// Parentheses where an operator chain of Rust has them, which sees only how its operands are grouped: around a right
/// operand that is an operation, a sum that is multiplied, an operation that is negated.
pub fn as_grouped(tree: Tree) -> Tree {
    let inside = |tree: Box<Tree>| Box::new(as_grouped(*tree));
    match tree {
        Tree::Operand(..) | Tree::Number(_) | Tree::Variable(_) | Tree::Spread(..) | Tree::Iota(_) => tree,
        Tree::Parentheses(inner) => as_grouped(*inner),
        Tree::Negate(inner) => Tree::Negate(Box::new(right_operand(as_grouped(*inner)))),
        Tree::Apply(function, inner) => Tree::Apply(function, inside(inner)),
        Tree::Reduce(fold, names, inner) => Tree::Reduce(fold, names, inside(inner)),
        Tree::Exchange(kind, groups, inner) => Tree::Exchange(kind, groups, inside(inner)),
        Tree::Clip(parts) => Tree::Clip(Box::new(parts.map(as_grouped))),
        Tree::Select(parts) => Tree::Select(Box::new(parts.map(as_grouped))),
        Tree::Compare(comparison, sides) => Tree::Compare(comparison, Box::new(sides.map(as_grouped))),
        Tree::Join(join, parts) => Tree::Join(join, Box::new(parts.map(as_grouped))),
        Tree::Not(inner) => Tree::Not(inside(inner)),
        Tree::Binary(op, a, b) => {
            let (mut a, b) = (as_grouped(*a), right_operand(as_grouped(*b)));
            if matches!(op, Op::Multiply | Op::Divide) && matches!(a, Tree::Binary(Op::Add | Op::Subtract, ..)) {
                a = Tree::Parentheses(Box::new(a));
            }
            Tree::Binary(op, Box::new(a), Box::new(b))
        }
    }
}

impl Tree {
    /// Whether a label is on an operand that is a factor itself.
    pub fn shows(&self, name: &str) -> bool {
        match self {
            Tree::Operand(..) => self.has(name),
            Tree::Negate(inner) => inner.shows(name),
            Tree::Binary(Op::Multiply | Op::Divide, a, b) => a.shows(name) || b.shows(name),
            _ => false,
        }
    }
}

/// Whether a term is a group, up to its sign and numbers.
pub fn is_group(term: &Tree) -> bool {
    match term {
        Tree::Parentheses(_) => true,
        Tree::Negate(inner) => is_group(inner),
        Tree::Binary(Op::Multiply, a, b) if is_number(a) => is_group(b),
        Tree::Binary(Op::Multiply | Op::Divide, a, b) if is_number(b) => is_group(a),
        _ => false,
    }
}

fn is_number(tree: &Tree) -> bool {
    match tree {
        Tree::Number(_) | Tree::Variable(_) => true,
        Tree::Spread(_, names) => names.is_empty(),
        Tree::Negate(inner) | Tree::Parentheses(inner) | Tree::Apply(_, inner) => is_number(inner),
        Tree::Binary(_, a, b) => is_number(a) && is_number(b),
        _ => false,
    }
}
