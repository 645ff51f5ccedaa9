//! Which constructs of the language an equation uses: a test of the generator.

use std::collections::BTreeSet;

use crate::property::oracle::Data;
use crate::property::tree::{Equation, Exchange, Fold, Function, Index, Op, Tree};

/// Every construct that the cases have to hold.
pub const CONSTRUCTS: [&str; 47] = [
    "sum",
    "difference",
    "product",
    "quotient",
    "negation",
    "parentheses",
    "number",
    "spread",
    "iota",
    "rank 0",
    "rank 4",
    "chip",
    "slice",
    "open slice",
    "diagonal",
    "hyper-edge",
    "repeated left",
    "zero extent",
    "sum(;)",
    "prod(;)",
    "max(;)",
    "min(;)",
    "exp",
    "ln",
    "sqrt",
    "abs",
    "sin",
    "cos",
    "tan",
    "tanh",
    "recip",
    "conj",
    "re",
    "im",
    "powi",
    "powf",
    "scalar result",
    "fused axis",
    "fused left axis",
    "remaining axes",
    "some remaining axes",
    "sym",
    "asym",
    "exchanged groups",
    "declared extent",
    "variable",
    "select",
];

/// The constructs of an equation.
pub fn constructs(equation: &Equation, data: &[Data]) -> BTreeSet<&'static str> {
    let mut found = BTreeSet::new();
    let left = equation.left_labels();
    if equation.left.is_empty() {
        found.insert("scalar result");
    }
    if left.iter().enumerate().any(|(n, name)| left[..n].contains(name)) {
        found.insert("repeated left");
    }
    if data.iter().any(|tensor| tensor.extents.contains(&0)) {
        found.insert("zero extent");
    }
    if equation.left.iter().any(|axis| matches!(axis, Index::Fused(_))) {
        found.insert("fused left axis");
    }
    if !equation.declared.is_empty() {
        found.insert("declared extent");
    }
    tree(&equation.right, &mut found);
    let mut rests = BTreeSet::new();
    remaining(&equation.right, data, &mut rests);
    if rests.iter().any(|&axes| axes > 0) {
        found.insert("remaining axes");
    }
    if rests.len() > 1 {
        found.insert("some remaining axes");
    }
    found
}

/// How many axes `..` stands for.
fn remaining(node: &Tree, data: &[Data], found: &mut BTreeSet<usize>) {
    let sizes = std::cell::RefCell::new(Vec::new());
    let note = |n: usize, indices: &[Index]| {
        if indices.iter().any(|index| matches!(index, Index::Rest)) {
            sizes.borrow_mut().push(data[n].extents.len() + 1 - indices.len());
        }
        indices.to_vec()
    };
    drop(node.map(&note, &|name| name));
    found.extend(sizes.into_inner());
}

fn tree(node: &Tree, found: &mut BTreeSet<&'static str>) {
    match node {
        Tree::Operand(_, indices) => operand(indices, found),
        Tree::Number(_) => {
            found.insert("number");
        }
        Tree::Variable(_) => {
            found.insert("variable");
        }
        Tree::Spread(..) => {
            found.insert("spread");
        }
        Tree::Iota(_) => {
            found.insert("iota");
        }
        Tree::Exchange(kind, groups, inner) => {
            found.insert(if *kind == Exchange::Sym { "sym" } else { "asym" });
            if groups[0].len() > 1 {
                found.insert("exchanged groups");
            }
            tree(inner, found);
        }
        Tree::Negate(inner) => {
            found.insert("negation");
            tree(inner, found);
        }
        Tree::Parentheses(inner) => {
            found.insert("parentheses");
            tree(inner, found);
        }
        Tree::Binary(op, a, b) => {
            found.insert(match op {
                Op::Add => "sum",
                Op::Subtract => "difference",
                Op::Multiply => "product",
                Op::Divide => "quotient",
            });
            if hyper_edge(node) {
                found.insert("hyper-edge");
            }
            tree(a, found);
            tree(b, found);
        }
        Tree::Apply(function, inner) => {
            found.insert(name(*function));
            tree(inner, found);
        }
        Tree::Select(_, parts) => {
            found.insert("select");
            parts.iter().for_each(|part| tree(part, found));
        }
        Tree::Reduce(fold, _, inner) => {
            found.insert(match fold {
                Fold::Sum => "sum(;)",
                Fold::Prod => "prod(;)",
                Fold::Max => "max(;)",
                Fold::Min => "min(;)",
            });
            tree(inner, found);
        }
    }
}

fn operand(indices: &[Index], found: &mut BTreeSet<&'static str>) {
    match indices.len() {
        0 => found.insert("rank 0"),
        4 => found.insert("rank 4"),
        _ => false,
    };
    let mut labels = Vec::new();
    for index in indices {
        let label = match index {
            Index::Label(label) => label,
            Index::Slice(label, _, end) => {
                found.insert(if end.is_some() { "slice" } else { "open slice" });
                label
            }
            Index::Chip(_) => {
                found.insert("chip");
                continue;
            }
            Index::Fused(_) => {
                found.insert("fused axis");
                continue;
            }
            Index::Rest => continue,
        };
        if labels.contains(label) {
            found.insert("diagonal");
        }
        labels.push(*label);
    }
}

/// Whether three factors of a product share a label.
fn hyper_edge(product: &Tree) -> bool {
    fn factors<'t>(node: &'t Tree, found: &mut Vec<&'t [Index]>) {
        match node {
            Tree::Binary(Op::Multiply, a, b) => {
                factors(a, found);
                factors(b, found);
            }
            Tree::Operand(_, indices) => found.push(indices),
            _ => {}
        }
    }
    let mut operands = Vec::new();
    factors(product, &mut operands);
    let has = |indices: &[Index], name: &str| indices.iter().flat_map(Index::labels).any(|label| *label == name);
    let mut labels = operands.iter().flat_map(|indices| indices.iter().flat_map(Index::labels));
    labels.any(|name| operands.iter().filter(|indices| has(indices, name)).count() >= 3)
}

fn name(function: Function) -> &'static str {
    match function {
        Function::Exp => "exp",
        Function::Ln => "ln",
        Function::Sqrt => "sqrt",
        Function::Abs => "abs",
        Function::Sin => "sin",
        Function::Cos => "cos",
        Function::Tan => "tan",
        Function::Tanh => "tanh",
        Function::Recip => "recip",
        Function::Conj => "conj",
        Function::Re => "re",
        Function::Im => "im",
        Function::Powi(_) => "powi",
        Function::Powf(_) => "powf",
    }
}
