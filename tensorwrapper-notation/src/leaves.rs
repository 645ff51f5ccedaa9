//! The leaves of the syntax tree: names, fragments of Rust, numbers, and the indices of an operand.

use std::ops::Deref;

use crate::diagnostic::{Diagnostic, Fault};
use crate::token::Span;

/// The most indices of one operand or result: some work grows with the square of a rank. NumPy has at most 64 axes.
pub const MOST_AXES: usize = 256;

/// A label or the name of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// A fragment of Rust, which this crate does not parse: an operand's expression, a number, a range, a function, a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hole {
    /// The fragment as a person would write it. Operands with equal texts are one tensor.
    pub text: String,
    /// Where it was written.
    pub span: Span,
    /// Where each of its tokens was written.
    pub tokens: Vec<Span>,
}

/// A number in an equation.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// A literal.
    Literal(f64, Span),
    /// A variable or `{ expression }`.
    Hole(Hole),
}

/// A non-negative integer: an extent or a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Count {
    /// A literal.
    Literal(usize, Span),
    /// A variable or expression.
    Hole(Hole),
}

impl Scalar {
    /// Its value, where it is one for which holes are real numbers.
    pub fn real(&self, hole: impl FnOnce(&Hole) -> f64) -> f64 {
        match self {
            Scalar::Literal(value, _) => *value,
            Scalar::Hole(fragment) => hole(fragment),
        }
    }

    /// Its value as an exponent, a whole number.
    pub fn whole(&self, hole: impl FnOnce(&Hole) -> i32) -> i32 {
        match self {
            Scalar::Literal(value, _) => *value as i32,
            Scalar::Hole(fragment) => hole(fragment),
        }
    }
}

impl Count {
    /// Its value.
    pub fn value(&self, hole: impl FnOnce(&Hole) -> usize) -> usize {
        match self {
            Count::Literal(value, _) => *value,
            Count::Hole(fragment) => hole(fragment),
        }
    }
}

/// The part of an axis that a slice keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    /// Literal ends: `2..5`, `..5`, `2..`.
    Literal(usize, Option<usize>, Span),
    /// Any range expression.
    Hole(Hole),
}

/// The index of one axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Index {
    /// `i`
    Label(Name),
    /// `i in 2..5`
    Slice(Name, Range),
    /// `3` or `{ n - 1 }`
    Chip(Count),
    /// `(i, j)`
    Fused(Vec<Name>, Span),
    /// `..`
    Rest(Span),
    /// `...` in subscripts, if it stands for no axes.
    NoAxes(Span),
}

impl Index {
    /// The labels that run with this axis.
    pub fn labels(&self) -> &[Name] {
        match self {
            Index::Label(name) | Index::Slice(name, _) => std::slice::from_ref(name),
            Index::Fused(names, _) => names,
            Index::Chip(_) | Index::Rest(_) | Index::NoAxes(_) => &[],
        }
    }
}

/// The indices of an operand or a result, in layers: `p; a, b` has two, the outer one first. Nearly all have one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Indices {
    list: Vec<Index>,
    /// Before which indices a `;` stands.
    starts: Vec<usize>,
}

impl Indices {
    /// Indices of which each layer has at least one.
    pub fn layers(layers: Vec<Vec<Index>>) -> Indices {
        let mut indices = Indices::default();
        for layer in layers {
            if !indices.list.is_empty() {
                indices.starts.push(indices.list.len());
            }
            indices.list.extend(layer);
        }
        indices
    }

    /// How many indices each layer has, if there are several layers, and otherwise nothing.
    pub fn counts(&self) -> Vec<usize> {
        if self.starts.is_empty() {
            return Vec::new();
        }
        let bounds: Vec<usize> = [&[0], &self.starts[..], &[self.list.len()]].concat();
        bounds.windows(2).map(|bounds| bounds[1] - bounds[0]).collect()
    }

    /// Whether a `;` stands before this index.
    pub fn begins_layer(&self, index: usize) -> bool {
        self.starts.contains(&index)
    }
}

impl From<Vec<Index>> for Indices {
    fn from(list: Vec<Index>) -> Indices {
        Indices { list, starts: Vec::new() }
    }
}

impl Deref for Indices {
    type Target = [Index];

    fn deref(&self) -> &[Index] {
        &self.list
    }
}

impl IntoIterator for Indices {
    type Item = Index;
    type IntoIter = std::vec::IntoIter<Index>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.into_iter()
    }
}

impl<'i> IntoIterator for &'i Indices {
    type Item = &'i Index;
    type IntoIter = std::slice::Iter<'i, Index>;

    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// Checks the number of axes of an operand or a result, counting each label of a fused axis.
///
/// # Errors
/// More than [`MOST_AXES`] of them.
pub fn bounded_axes(indices: &[Index]) -> Result<(), Diagnostic> {
    let axes = |index: &Index| if let Index::NoAxes(_) = index { 0 } else { index.labels().len().max(1) };
    let count: usize = indices.iter().map(axes).sum();
    if count <= MOST_AXES {
        return Ok(());
    }
    let place = indices.iter().flat_map(Index::labels).nth(MOST_AXES).map_or(Span::default(), |name| name.span);
    Err(too_many_axes(count, place))
}

/// The fault of more axes than [`MOST_AXES`].
pub(crate) fn too_many_axes(count: usize, place: Span) -> Diagnostic {
    let message = format!("an operand or a result has at most {MOST_AXES} indices, and here are {count}");
    Diagnostic::new(Fault::Unbuilt, place, message)
}
