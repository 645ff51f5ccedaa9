//! The results of a run that has no plan of its own: over block tensors, and over integers.

use std::sync::Arc;

use crate::expr::{Integers, NextResult, Target};
use crate::tensor::{AnyBlocks, AnyTensor};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::Buffer;

/// A result of an equation, which later equations may read.
#[derive(Clone, Debug)]
pub(super) enum Made {
    /// A dense tensor; where it is written into another one, the part and its place.
    Dense(Arc<AnyTensor>, Option<Box<(AnyTensor, Target)>>),
    Blocks(AnyBlocks),
}

/// The results of such a run that are taken, in their order.
#[derive(Debug)]
pub(super) struct MadeResults {
    taken: std::vec::IntoIter<Taken>,
    /// The layout of the dense result that was taken last.
    layout: Option<Strided>,
}

/// A result that leaves the block, or is written into a tensor.
#[derive(Debug)]
pub(in crate::__private) enum Taken {
    /// A dense tensor.
    Dense(AnyTensor),
    /// A part of a dense tensor, and its place.
    Part(AnyTensor, Target),
    /// A block tensor.
    Blocks(AnyBlocks),
    /// A tensor of integers, and its place where it is written into one.
    Integers(Arc<Integers>, Option<Target>),
}

impl MadeResults {
    /// These results, in the order in which they are taken.
    pub(super) fn new(taken: Vec<Taken>) -> MadeResults {
        MadeResults { taken: taken.into_iter(), layout: None }
    }

    pub(super) fn next(&mut self) -> Taken {
        self.taken.next().expect("there is a result for each that is taken")
    }

    /// The next result, which is a number.
    pub(super) fn next_number<T: Numeric>(&mut self) -> T {
        let elements = match self.next() {
            Taken::Dense(tensor) | Taken::Part(tensor, _) => tensor.into_buffer().0,
            Taken::Blocks(blocks) => blocks.slab,
            Taken::Integers(integers, _) => return integers.first(),
        };
        // A number that no block contributes to is zero.
        T::of_buffer(elements).ok().and_then(|elements| elements.first().copied()).unwrap_or(T::NOTHING)
    }
}

impl NextResult for MadeResults {
    fn next_dense(&mut self) -> (Buffer, &Strided) {
        let (Taken::Dense(tensor) | Taken::Part(tensor, _)) = self.next() else { unreachable!("a dense result was recorded") };
        let (elements, layout) = tensor.into_buffer();
        (elements, self.layout.insert(layout))
    }

    fn next_integers(&mut self) -> Arc<Integers> {
        match self.next() {
            Taken::Integers(integers, _) => integers,
            Taken::Dense(_) | Taken::Part(..) | Taken::Blocks(_) => unreachable!("a result of integers was recorded"),
        }
    }

    fn next_blocks(&mut self) -> AnyBlocks {
        match self.next() {
            Taken::Blocks(blocks) => blocks,
            Taken::Dense(_) | Taken::Part(..) | Taken::Integers(..) => unreachable!("a result in blocks was recorded"),
        }
    }
}
