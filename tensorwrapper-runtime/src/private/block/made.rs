//! The results of a run over block tensors.

use std::sync::Arc;

use crate::expr::{NextResult, Target};
use crate::tensor::{AnyBlocks, AnyTensor};
use tensorwrapper_core::element::Element;
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
pub(super) struct MadeResults(std::vec::IntoIter<Taken>);

/// A result that leaves the block, or is written into a tensor.
#[derive(Debug)]
pub(in crate::__private) enum Taken {
    /// A dense tensor.
    Dense(AnyTensor),
    /// A part of a dense tensor, and its place.
    Part(AnyTensor, Target),
    /// A block tensor.
    Blocks(AnyBlocks),
}

impl MadeResults {
    /// These results, in the order in which they are taken.
    pub(super) fn new(taken: Vec<Taken>) -> MadeResults {
        MadeResults(taken.into_iter())
    }

    pub(super) fn next(&mut self) -> Taken {
        self.0.next().expect("there is a result for each that is taken")
    }

    /// The next result, which is a number.
    pub(super) fn next_number<T: Element>(&mut self) -> T {
        let elements = match self.next() {
            Taken::Dense(tensor) | Taken::Part(tensor, _) => tensor.into_buffer().0,
            Taken::Blocks(blocks) => blocks.slab,
        };
        // A number that no block contributes to is zero.
        T::typed(elements.as_ref()).and_then(|elements| elements.first().copied()).unwrap_or(T::ZERO)
    }
}

impl NextResult for MadeResults {
    fn next_dense(&mut self) -> (Buffer, Strided) {
        match self.next() {
            Taken::Dense(tensor) | Taken::Part(tensor, _) => tensor.into_buffer(),
            Taken::Blocks(_) => unreachable!("a dense result was recorded"),
        }
    }

    fn next_blocks(&mut self) -> AnyBlocks {
        match self.next() {
            Taken::Blocks(blocks) => blocks,
            Taken::Dense(_) | Taken::Part(..) => unreachable!("a result in blocks was recorded"),
        }
    }
}
