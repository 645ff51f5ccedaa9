//! Equations as the generator writes them, and their text.

use std::fmt;

/// A label of an equation, by its name.
pub type Name = &'static str;

/// What stands for one axis of an operand.
#[derive(Clone, Debug)]
pub enum Index {
    Label(Name),
    /// The label from a position on; the end is given if the slice names it.
    Slice(Name, usize, Option<usize>),
    Chip(usize),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Add,
    Subtract,
    Multiply,
    Divide,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fold {
    Sum,
    Product,
    Max,
    Min,
}

/// Functions of one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Function {
    Exp,
    Ln,
    Sqrt,
    Abs,
    Sin,
    Cos,
    Tan,
    Tanh,
    Recip,
    Conj,
    Re,
    Im,
    Powi(i32),
    Powf(f64),
}

/// A right side as written. Operands of `*` and `/` that are sums, and every right operand that is an operation, stand
/// in [`Tree::Parentheses`], as an operator chain of Rust puts them.
#[derive(Clone, Debug)]
pub enum Tree {
    Operand(usize, Vec<Index>),
    Number(f64),
    Spread(f64, Vec<Name>),
    Negate(Box<Tree>),
    Binary(Op, Box<Tree>, Box<Tree>),
    Parentheses(Box<Tree>),
    Apply(Function, Box<Tree>),
    Reduce(Fold, Vec<Name>, Box<Tree>),
}

/// An equation: labels of the result, right side.
#[derive(Clone, Debug)]
pub struct Equation {
    pub left: Vec<Name>,
    pub right: Tree,
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Label(name) => write!(f, "{name}"),
            Index::Slice(name, start, Some(end)) => write!(f, "{name} in {start}..{end}"),
            Index::Slice(name, start, None) => write!(f, "{name} in {start}.."),
            Index::Chip(position) => write!(f, "{position}"),
        }
    }
}

/// Indices as `at` reads them: a comma behind each, so that one name is one label.
pub fn axes(indices: &[Index]) -> String {
    indices.iter().map(|index| format!("{index},")).collect()
}

/// Labels as `eval` reads them.
pub fn labels(names: &[Name]) -> String {
    names.iter().map(|name| format!("{name},")).collect()
}

impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tree::Operand(n, indices) => write!(f, "t{n}[{}]", axes(indices)),
            Tree::Number(x) => write!(f, "{x}"),
            Tree::Spread(x, names) => write!(f, "{x}[{}]", names.join(",")),
            Tree::Negate(inner) => write!(f, "-{inner}"),
            Tree::Binary(Op::Add, a, b) => write!(f, "{a} + {b}"),
            Tree::Binary(Op::Subtract, a, b) => write!(f, "{a} - {b}"),
            Tree::Binary(Op::Multiply, a, b) => write!(f, "{a} * {b}"),
            Tree::Binary(Op::Divide, a, b) => write!(f, "{a} / {b}"),
            Tree::Parentheses(inner) => write!(f, "({inner})"),
            Tree::Apply(Function::Powi(n), inner) => write!(f, "powi({inner}, {n})"),
            Tree::Apply(Function::Powf(p), inner) => write!(f, "powf({inner}, {p})"),
            Tree::Apply(function, inner) => write!(f, "{}({inner})", format!("{function:?}").to_lowercase()),
            Tree::Reduce(fold, names, inner) => {
                write!(f, "{}({}; {inner})", format!("{fold:?}").to_lowercase(), names.join(","))
            }
        }
    }
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] = {}", self.left.join(","), self.right)
    }
}
