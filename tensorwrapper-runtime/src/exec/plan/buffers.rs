//! Memory of the tensors of a plan: sources, results, and the arenas whose ranges all other tensors share.

use smallvec::SmallVec;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{OpGraph, TensorId};

/// The memory of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum Location {
    /// The tensor is the source of that slot.
    Source(usize),
    /// The tensor is the result of that number.
    Result(usize),
    /// The tensor is in a range of an arena.
    Arena(ArenaRange),
}

/// A range of elements of the arena of that number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::exec) struct ArenaRange {
    pub(in crate::exec) arena: usize,
    pub(in crate::exec) start: usize,
    pub(in crate::exec) end: usize,
}

/// The memory of all tensors of a plan.
#[derive(Debug, Default)]
pub(in crate::exec) struct BufferAssignment {
    /// By tensor.
    pub(in crate::exec) locations: Vec<Location>,
    /// Element type and number of elements of each result. A tensor that is requested twice is one result.
    pub(in crate::exec) results: Vec<(Dtype, usize)>,
    /// Element types and numbers of elements of the arenas: mostly one.
    pub(in crate::exec) arenas: Vec<(Dtype, usize)>,
}

impl BufferAssignment {
    /// The memory of a graph without arenas: one result for each sink.
    pub(in crate::exec) fn of_results(graph: &OpGraph) -> BufferAssignment {
        let len = |tensor: &TensorId| graph.tensor(*tensor).extents.iter().product();
        let results = graph.sinks().iter().map(|sink| (graph.tensor(*sink).dtype, len(sink))).collect();
        BufferAssignment { locations: Vec::new(), results, arenas: Vec::new() }
    }

    /// The number of the result that holds a sink.
    pub(in crate::exec) fn result(&self, wanted: TensorId) -> usize {
        match self.locations[wanted.0] {
            Location::Result(n) => n,
            Location::Source(_) | Location::Arena(_) => {
                unreachable!("lowering gives every wanted value an operation of its own, and the plan a result")
            }
        }
    }

    /// How often each result occurs among the sinks.
    pub(in crate::exec) fn counted(&self, wanted: &[TensorId]) -> SmallVec<[usize; 4]> {
        let mut counts = SmallVec::from_elem(0, self.results.len());
        wanted.iter().for_each(|&tensor| counts[self.result(tensor)] += 1);
        counts
    }
}
