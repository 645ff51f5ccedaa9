//! What is computed on the stack: an operation, and its arguments as batches of matrices. Knows no algorithm.

use tensorwrapper_core::backend::linear::Factorisation;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// An operation, with what decides about its result.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Which one.
    pub kind: Factorisation,
    /// Whether factors are square where they could be oblong.
    pub full: bool,
    /// Whether a triangle is the upper one.
    pub upper: bool,
    /// Whether the diagonal of a triangle is all ones, and is not read.
    pub unit: bool,
    /// The power of a matrix.
    pub exponent: i32,
}

/// Matrices, one after the other, each row by row.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    /// The elements.
    pub data: SliceRef<'a>,
    /// How many matrices: of all arguments and results as many.
    pub items: usize,
    /// Rows of each matrix.
    pub rows: usize,
    /// Columns of each matrix.
    pub columns: usize,
}

impl<'a> Argument<'a> {
    /// One of the matrices.
    pub(super) fn item(&self, item: usize) -> Argument<'a> {
        let len = self.rows * self.columns;
        Argument { data: self.data.range(item * len..(item + 1) * len), items: 1, ..*self }
    }
}

/// One of so many equal parts.
pub(super) fn part<'r>(result: &'r mut SliceMut<'_>, number: usize, parts: usize) -> SliceMut<'r> {
    let len = result.len() / parts;
    result.reborrow().split(number * len).1.split(len).0
}
