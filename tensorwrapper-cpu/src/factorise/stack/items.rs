//! Batches of matrices that lie on the stack: one matrix after the other. Knows no algorithm.

use smallvec::SmallVec;

use super::{Call, of_type};
use tensorwrapper_core::element::dispatch;
use tensorwrapper_core::erased::{SliceMut, SliceRef};

/// Matrices, one after the other, each row by row.
#[derive(Clone, Copy, Debug)]
pub struct Argument<'a> {
    pub data: SliceRef<'a>,
    /// How many matrices: of all arguments and results as many.
    pub items: usize,
    pub rows: usize,
    pub columns: usize,
}

impl<'a> Argument<'a> {
    /// One of the matrices.
    fn item(&self, item: usize) -> Argument<'a> {
        let len = self.rows * self.columns;
        Argument { data: self.data.range(item * len..(item + 1) * len), items: 1, ..*self }
    }
}

/// The arguments that an operation has at most, and the results.
const ARGUMENTS: usize = 2;
const RESULTS: usize = 3;

/// Computes the results of an operation, one matrix after the other and each row by row; says whether all of them have results.
pub fn compute(call: &Call, arguments: &[Argument<'_>], results: &mut [SliceMut<'_>]) -> bool {
    let items = arguments[0].items;
    (0..items).all(|item| {
        let arguments: SmallVec<[Argument<'_>; ARGUMENTS]> = arguments.iter().map(|argument| argument.item(item)).collect();
        let mut parts: SmallVec<[SliceMut<'_>; RESULTS]> = results.iter_mut().map(|result| part(result, item, items)).collect();
        dispatch!(arguments[0].data.dtype(), T => of_type::<T>(call, &arguments, &mut parts))
    })
}

/// One of so many equal parts.
fn part<'r>(result: &'r mut SliceMut<'_>, number: usize, parts: usize) -> SliceMut<'r> {
    let len = result.len() / parts;
    result.reborrow().split(number * len).1.split(len).0
}
