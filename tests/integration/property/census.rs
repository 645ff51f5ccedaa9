//! Which constructs of the language an equation uses: a test of the generator.

use std::collections::BTreeSet;

use crate::property::oracle::Data;
use crate::property::tree::{Equation, Exchange, Fold, Function, Index, Join, Op, Tree};

/// Every construct that the cases have to hold.
pub const CONSTRUCTS: [&str; 56] = [
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
    "mean(;)",
    "var(;)",
    "std(;)",
    "argmax(;)",
    "argmin(;)",
    "clip",
    "&&",
    "||",
    "!",
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
    if let Tree::Operand(_, indices) = node {
        operand(indices, found);
    }
    if hyper_edge(node) {
        found.insert("hyper-edge");
    }
    found.extend(construct(node));
    if matches!(node, Tree::Exchange(_, groups, _) if groups[0].len() > 1) {
        found.insert("exchanged groups");
    }
    node.children().into_iter().for_each(|part| tree(part, found));
}

/// What a node is, but for operands and comparisons.
fn construct(node: &Tree) -> Option<&'static str> {
    Some(match node {
        Tree::Operand(..) | Tree::Compare(..) => return None,
        Tree::Number(_) => "number",
        Tree::Variable(_) => "variable",
        Tree::Spread(..) => "spread",
        Tree::Iota(_) => "iota",
        Tree::Exchange(Exchange::Sym, ..) => "sym",
        Tree::Exchange(Exchange::Asym, ..) => "asym",
        Tree::Negate(_) => "negation",
        Tree::Parentheses(_) => "parentheses",
        Tree::Binary(Op::Add, ..) => "sum",
        Tree::Binary(Op::Subtract, ..) => "difference",
        Tree::Binary(Op::Multiply, ..) => "product",
        Tree::Binary(Op::Divide, ..) => "quotient",
        Tree::Apply(function, _) => name(*function),
        Tree::Clip(_) => "clip",
        Tree::Select(_) => "select",
        Tree::Join(Join::Both, _) => "&&",
        Tree::Join(Join::Either, _) => "||",
        Tree::Not(_) => "!",
        Tree::Reduce(fold, ..) => match fold {
            Fold::Sum => "sum(;)",
            Fold::Prod => "prod(;)",
            Fold::Max => "max(;)",
            Fold::Min => "min(;)",
            Fold::Mean => "mean(;)",
            Fold::Var => "var(;)",
            Fold::Std => "std(;)",
            Fold::Argmax => "argmax(;)",
            Fold::Argmin => "argmin(;)",
        },
    })
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
