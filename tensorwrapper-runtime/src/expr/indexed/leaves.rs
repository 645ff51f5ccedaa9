//! What fills the holes of a chain of operators.

use std::collections::HashMap;

use num_complex::Complex;
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Cast, CastId, FunctionId, OperandId};

use super::super::bind::Holes;
use super::super::operand::OperandData;
use super::super::value::{Tree, Value};
use crate::link::Link;

/// What fills a hole of a chain.
#[derive(Clone, Debug)]
pub(super) enum Leaf<'a> {
    /// A value that was made on the way.
    Tensor(Link<Value<'a>>),
    /// A tensor of the program, as a value and as it was given.
    Dense(Link<Value<'a>>, OperandData<'a>),
    Blocks(OperandData<'a>),
    Number(Complex<f64>),
    Function(Callback<'a>),
    /// The element type inside a cast.
    Element(Dtype),
}

/// The same with dense tensors in place of blocks: of each hole once, although chains that were cloned have it several times.
///
/// # Errors
/// Memory.
pub(super) fn dense<'a>(leaves: &[(usize, Leaf<'a>)]) -> Result<Vec<(usize, Leaf<'a>)>, Error> {
    let mut found: Vec<(usize, Leaf<'a>)> = Vec::with_capacity(leaves.len());
    for (number, leaf) in leaves {
        match leaf {
            Leaf::Blocks(_) if found.iter().any(|(known, _)| known == number) => {}
            Leaf::Blocks(given) => found.push((*number, Leaf::Tensor(given.value()?))),
            other => found.push((*number, other.clone())),
        }
    }
    Ok(found)
}

/// The leaves of a chain, which fill its holes.
pub(super) struct Leaves<'l, 'a>(HashMap<usize, &'l Leaf<'a>>);

impl<'l, 'a> Leaves<'l, 'a> {
    pub(super) fn new(leaves: &'l [(usize, Leaf<'a>)]) -> Leaves<'l, 'a> {
        Leaves(leaves.iter().map(|(number, leaf)| (*number, leaf)).collect())
    }

    /// The tensor that an operand is.
    pub(super) fn given(&self, hole: &Hole) -> OperandData<'a> {
        match self.leaf(hole) {
            Leaf::Tensor(value) => OperandData::Recorded(Link::clone(value)),
            Leaf::Dense(_, given) | Leaf::Blocks(given) => given.clone(),
            other => unreachable!("{other:?} has no indices"),
        }
    }

    /// The number that a hole is.
    ///
    /// # Errors
    /// [`ErrorKind::Label`] when it is none.
    pub(super) fn number(&self, hole: &Hole) -> Result<Complex<f64>, Error> {
        match self.leaf(hole) {
            Leaf::Number(number) => Ok(*number),
            _ => Err(Error::new(ErrorKind::Label(format!("`{}` is no number", hole.text)))),
        }
    }

    fn leaf(&self, hole: &Hole) -> &Leaf<'a> {
        self.0.get(&hole.span.start).expect("every hole of a chain has its leaf")
    }
}

impl<'a> Holes<'a> for Leaves<'_, 'a> {
    fn tensor(&self, _: OperandId, hole: &Hole) -> Link<Value<'a>> {
        match self.leaf(hole) {
            Leaf::Tensor(value) | Leaf::Dense(value, _) => Link::clone(value),
            other => unreachable!("{other:?} has no indices"),
        }
    }

    fn function(&self, _: FunctionId, hole: &Hole) -> Callback<'a> {
        match self.leaf(hole) {
            Leaf::Function(function) => *function,
            other => unreachable!("{other:?} is no function"),
        }
    }

    fn element(&self, _: CastId, cast: &Cast) -> Dtype {
        match cast.named.as_ref().map(|named| self.leaf(named)) {
            Some(Leaf::Element(dtype)) => *dtype,
            other => unreachable!("{other:?} is no element type"),
        }
    }

    fn scalar(&self, hole: &Hole) -> Tree<'a> {
        match self.leaf(hole) {
            Leaf::Number(value) => Tree::Constant(*value),
            Leaf::Tensor(value) | Leaf::Dense(value, _) => Tree::Operand(Link::clone(value), Vec::new()),
            other => unreachable!("{other:?} is no number"),
        }
    }
}
