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
    /// Several labels on one axis, the first slowest.
    Fused(Vec<Name>),
    /// The remaining axes.
    Rest,
}

impl Index {
    /// The labels that run with this axis.
    pub fn labels(&self) -> &[Name] {
        match self {
            Index::Label(name) | Index::Slice(name, ..) => std::slice::from_ref(name),
            Index::Fused(names) => names,
            Index::Chip(_) | Index::Rest => &[],
        }
    }
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
    Prod,
    Max,
    Min,
    Mean,
    Var,
    Std,
    Argmax,
    Argmin,
}

impl Fold {
    /// Whether it chooses one of the elements by their order: there must be one, and complex numbers have no order.
    pub fn chooses(self) -> bool {
        matches!(self, Fold::Max | Fold::Min | Fold::Argmax | Fold::Argmin)
    }
}

/// Comparisons of two elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    fn sign(self) -> &'static str {
        match self {
            Comparison::Less => " < ",
            Comparison::LessEqual => " <= ",
            Comparison::Greater => " > ",
            Comparison::GreaterEqual => " >= ",
            Comparison::Equal => " == ",
            Comparison::NotEqual => " != ",
        }
    }
}

/// How two conditions are joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    Both,
    Either,
}

/// What an expression and its exchanged twin become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Exchange {
    /// Their sum.
    Sym,
    /// Their difference.
    Asym,
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
    /// A number by a name that tells it.
    Variable(f64),
    Spread(f64, Vec<Name>),
    Iota(Name),
    Negate(Box<Tree>),
    Binary(Op, Box<Tree>, Box<Tree>),
    Parentheses(Box<Tree>),
    Apply(Function, Box<Tree>),
    Reduce(Fold, Vec<Name>, Box<Tree>),
    Exchange(Exchange, [Vec<Name>; 2], Box<Tree>),
    /// An expression and its bounds.
    Clip(Box<[Tree; 3]>),
    /// A condition; the value where that holds, and the other one.
    Select(Box<[Tree; 3]>),
    /// The condition that compares two sides, operands and numbers without rounding errors.
    Compare(Comparison, Box<[Tree; 2]>),
    Join(Join, Box<[Tree; 2]>),
    Not(Box<Tree>),
}

/// An equation: axes of the result, of which none is a slice or a position; right side; extents that it declares.
#[derive(Clone, Debug)]
pub struct Equation {
    pub left: Vec<Index>,
    pub right: Tree,
    pub declared: Vec<(Name, usize)>,
}

impl Equation {
    /// The labels of the left side, as often as they are written.
    pub fn left_labels(&self) -> Vec<Name> {
        self.left.iter().flat_map(Index::labels).copied().collect()
    }
}

impl Tree {
    /// What this is made of.
    pub fn children(&self) -> Vec<&Tree> {
        match self {
            Tree::Operand(..) | Tree::Number(_) | Tree::Variable(_) | Tree::Spread(..) | Tree::Iota(_) => Vec::new(),
            Tree::Negate(inner) | Tree::Parentheses(inner) | Tree::Apply(_, inner) | Tree::Not(inner) => vec![&**inner],
            Tree::Reduce(_, _, inner) | Tree::Exchange(_, _, inner) => vec![&**inner],
            Tree::Binary(_, a, b) => vec![&**a, &**b],
            Tree::Clip(parts) | Tree::Select(parts) => parts.iter().collect(),
            Tree::Compare(_, sides) | Tree::Join(_, sides) => sides.iter().collect(),
        }
    }

    /// Whether a label occurs that nothing inside binds.
    pub fn has(&self, name: &str) -> bool {
        let below = || self.children().iter().any(|part| part.has(name));
        match self {
            Tree::Operand(_, indices) => indices.iter().flat_map(Index::labels).any(|n| *n == name),
            Tree::Spread(_, names) => names.contains(&name),
            Tree::Iota(own) => *own == name,
            Tree::Reduce(_, names, _) => !names.contains(&name) && below(),
            Tree::Exchange(_, groups, _) => groups.iter().flatten().any(|n| *n == name) || below(),
            _ => below(),
        }
    }

    /// Whether labels change places somewhere.
    pub fn exchanges(&self) -> bool {
        matches!(self, Tree::Exchange(..)) || self.children().iter().any(|part| part.exchanges())
    }

    /// The same with every operand's indices and every list of labels changed.
    pub fn map(&self, indices: &impl Fn(usize, &[Index]) -> Vec<Index>, names: &impl Fn(Name) -> Name) -> Tree {
        let again = |inner: &Tree| Box::new(inner.map(indices, names));
        let all = |list: &[Name]| list.iter().map(|name| names(name)).collect::<Vec<_>>();
        let two = |parts: &[Tree; 2]| Box::new(parts.each_ref().map(|part| part.map(indices, names)));
        let three = |parts: &[Tree; 3]| Box::new(parts.each_ref().map(|part| part.map(indices, names)));
        match self {
            Tree::Operand(n, written) => Tree::Operand(*n, indices(*n, written)),
            Tree::Number(_) | Tree::Variable(_) => self.clone(),
            Tree::Spread(x, over) => Tree::Spread(*x, all(over)),
            Tree::Iota(name) => Tree::Iota(names(name)),
            Tree::Negate(inner) => Tree::Negate(again(inner)),
            Tree::Parentheses(inner) => Tree::Parentheses(again(inner)),
            Tree::Apply(function, inner) => Tree::Apply(*function, again(inner)),
            Tree::Binary(op, a, b) => Tree::Binary(*op, again(a), again(b)),
            Tree::Reduce(fold, over, inner) => Tree::Reduce(*fold, all(over), again(inner)),
            Tree::Exchange(kind, groups, inner) => Tree::Exchange(*kind, [all(&groups[0]), all(&groups[1])], again(inner)),
            Tree::Clip(parts) => Tree::Clip(three(parts)),
            Tree::Select(parts) => Tree::Select(three(parts)),
            Tree::Compare(comparison, sides) => Tree::Compare(*comparison, two(sides)),
            Tree::Join(join, parts) => Tree::Join(*join, two(parts)),
            Tree::Not(inner) => Tree::Not(again(inner)),
        }
    }

    /// The twin in which the labels of two groups stand in each other's places.
    pub fn exchanged(&self, [first, second]: &[Vec<Name>; 2]) -> Tree {
        let names = |name: Name| {
            let mut pairs = first.iter().zip(second);
            pairs.find_map(|(&a, &b)| if name == a { Some(b) } else { (name == b).then_some(a) }).unwrap_or(name)
        };
        let indices = |_: usize, written: &[Index]| {
            let index = |index: &Index| match index {
                Index::Label(name) => Index::Label(names(name)),
                Index::Slice(name, start, end) => Index::Slice(names(name), *start, *end),
                Index::Fused(labels) => Index::Fused(labels.iter().map(|name| names(name)).collect()),
                Index::Chip(_) | Index::Rest => index.clone(),
            };
            written.iter().map(index).collect()
        };
        self.map(&indices, &names)
    }
}

/// The name of a number that is a multiple of 1/4: `p3` is 0.75, `m3` its negative.
pub fn variable(number: f64) -> String {
    format!("{}{}", if number < 0.0 { 'm' } else { 'p' }, (4.0 * number.abs()).round())
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Label(name) => write!(f, "{name}"),
            Index::Slice(name, start, Some(end)) if f.alternate() => write!(f, "{name} in ({start}..{end})"),
            Index::Slice(name, start, Some(end)) => write!(f, "{name} in {start}..{end}"),
            Index::Slice(name, start, None) => write!(f, "{name} in {start}.."),
            Index::Chip(position) if f.alternate() => write!(f, "{{ {position} }}"),
            Index::Chip(position) => write!(f, "{position}"),
            Index::Fused(names) => write!(f, "({})", names.join(", ")),
            Index::Rest => f.write_str(".."),
        }
    }
}

/// Indices as `at` reads them: a comma behind each, so that one name is one label.
pub fn axes(indices: &[Index]) -> String {
    indices.iter().map(|index| format!("{index},")).collect()
}

/// A list of labels as operators read it.
pub fn labels(names: &[Name]) -> String {
    names.iter().map(|name| format!("{name},")).collect()
}

/// Indices between brackets, with a comma behind each; as Rust expressions where the format is the alternate one.
fn bracket(f: &mut fmt::Formatter<'_>, indices: &[Index]) -> fmt::Result {
    f.write_str("[")?;
    for index in indices {
        fmt::Display::fmt(index, f)?;
        f.write_str(", ")?;
    }
    f.write_str("]")
}

/// The language; with `{:#}`, positions and ranges are Rust expressions.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut call = |name: &str, first: &str, inner: &Tree, last: &str| {
            write!(f, "{name}({first}")?;
            inner.fmt(f)?;
            write!(f, "{last})")
        };
        match self {
            Tree::Operand(n, indices) => {
                write!(f, "t{n}")?;
                bracket(f, indices)
            }
            Tree::Number(x) => write!(f, "{x}"),
            Tree::Variable(x) => f.write_str(&variable(*x)),
            Tree::Spread(x, names) => write!(f, "{x}[{}]", names.join(", ")),
            Tree::Iota(name) => write!(f, "iota[{name}]"),
            Tree::Negate(inner) => {
                f.write_str("-")?;
                inner.fmt(f)
            }
            Tree::Binary(op, a, b) => {
                a.fmt(f)?;
                f.write_str(match op {
                    Op::Add => " + ",
                    Op::Subtract => " - ",
                    Op::Multiply => " * ",
                    Op::Divide => " / ",
                })?;
                b.fmt(f)
            }
            Tree::Parentheses(inner) => call("", "", inner, ""),
            Tree::Apply(Function::Powi(n), inner) => call("powi", "", inner, &format!(", {n}")),
            Tree::Apply(Function::Powf(p), inner) => call("powf", "", inner, &format!(", {p:?}")),
            Tree::Apply(function, inner) => call(&format!("{function:?}").to_lowercase(), "", inner, ""),
            Tree::Reduce(fold, names, inner) => {
                call(&format!("{fold:?}").to_lowercase(), &format!("{}; ", names.join(", ")), inner, "")
            }
            Tree::Exchange(kind, groups, inner) => {
                let group =
                    |names: &[Name]| if let [name] = names { name.to_string() } else { format!("({})", names.join(", ")) };
                let first = format!("{}, {}; ", group(&groups[0]), group(&groups[1]));
                call(&format!("{kind:?}").to_lowercase(), &first, inner, "")
            }
            Tree::Clip(parts) => listed(f, ["clip(", ", ", ", ", ")"], &**parts),
            Tree::Select(parts) => listed(f, ["select(", "; ", ", ", ")"], &**parts),
            Tree::Compare(comparison, sides) => listed(f, ["", comparison.sign(), ""], &**sides),
            Tree::Join(Join::Both, parts) => listed(f, ["(", ") && (", ")"], &**parts),
            Tree::Join(Join::Either, parts) => listed(f, ["(", ") || (", ")"], &**parts),
            Tree::Not(inner) => call("!", "", inner, ""),
        }
    }
}

/// Parts with what stands before each and behind the last.
fn listed(f: &mut fmt::Formatter<'_>, around: impl IntoIterator<Item = &'static str>, parts: &[Tree]) -> fmt::Result {
    let mut around = around.into_iter();
    for part in parts {
        f.write_str(around.next().unwrap_or_default())?;
        fmt::Display::fmt(part, f)?;
    }
    f.write_str(around.next().unwrap_or_default())
}

impl fmt::Display for Equation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        bracket(f, &self.left)?;
        f.write_str(" = ")?;
        self.right.fmt(f)?;
        for (n, (name, extent)) in self.declared.iter().enumerate() {
            write!(f, "{}{name}: {extent}", if n == 0 { " where " } else { ", " })?;
        }
        Ok(())
    }
}
