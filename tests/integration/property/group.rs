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
        Tree::Select(comparison, parts) => Tree::Select(comparison, Box::new(parts.map(as_grouped))),
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
