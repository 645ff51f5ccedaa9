//! Where the tensors of a plan live: results in memory of their own, all that lies between in one allocation, in which those that
//! are never there at the same time share their place.
//!
//! Source of the packing, largest first and each into the smallest gap that holds it: Y. Pisarchyk, J. Lee, "Efficient memory
//! management for deep neural net inference", arXiv:2001.03288 (2020).

mod packing;

use smallvec::SmallVec;

use self::packing::Packing;
use super::plan::Step;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{OpGraph, TensorId};

/// Elements that begin at multiples of this in an arena, so that none begins in another's last vector.
const ALIGN: usize = 8;

/// Where a tensor lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Home {
    /// It is the source of that slot.
    Source(usize),
    /// The result of that number.
    Result(usize),
    /// It has a piece of an arena.
    Piece(Piece),
}

/// A piece of the arena of that number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) arena: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Where all tensors of a plan live.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// By tensor.
    pub(super) homes: Vec<Home>,
    /// Element type and number of elements of each result, wanted ones each once.
    pub(super) results: Vec<(Dtype, usize)>,
    /// Element types and numbers of elements of the arenas: mostly one.
    pub(super) arenas: Vec<(Dtype, usize)>,
}

/// A piece of memory and its time: tensors that take over each other's memory are one.
#[derive(Clone, Copy, Debug)]
struct Span {
    dtype: Dtype,
    len: usize,
    /// The steps in which it is needed.
    first: usize,
    last: usize,
    is_result: bool,
}

impl Places {
    /// Finds places for the tensors of a graph that steps compute, one for each operation.
    pub(super) fn new(graph: &OpGraph, steps: &[Step]) -> Places {
        let mut spans: SmallVec<[Span; 8]> = SmallVec::with_capacity(steps.len());
        // The span of each tensor that is computed.
        let mut of: SmallVec<[Option<usize>; 16]> = SmallVec::from_elem(None, graph.tensors().len());
        for (n, step) in steps.iter().enumerate() {
            for &(tensor, len) in &step.outputs {
                let span = match step.takes_over.and_then(|from| of[from.0]) {
                    Some(span) => {
                        spans[span].last = usize::MAX;
                        span
                    }
                    None => {
                        let dtype = graph.tensor(tensor).dtype;
                        spans.push(Span { dtype, len, first: n, last: usize::MAX, is_result: false });
                        spans.len() - 1
                    }
                };
                of[tensor.0] = Some(span);
            }
            for tensor in step.release.iter().filter(|tensor| step.takes_over != Some(**tensor)) {
                spans[of[tensor.0].expect("what is released was computed")].last = n;
            }
        }
        graph.sinks().iter().filter_map(|sink| of[sink.0]).for_each(|span| spans[span].is_result = true);
        let mut places = Places::default();
        let found = places.pack(&spans);
        let home = |tensor: TensorId| match (graph.tensor(tensor).slot, of[tensor.0]) {
            (Some(slot), _) => Home::Source(slot),
            (None, Some(span)) => found[span],
            (None, None) => unreachable!("a tensor that is no source is computed by a step"),
        };
        places.homes = graph.tensor_ids().map(home).collect();
        places
    }

    /// The number of the result that a wanted tensor is.
    pub(super) fn result(&self, wanted: TensorId) -> usize {
        match self.homes[wanted.0] {
            Home::Result(n) => n,
            Home::Source(_) | Home::Piece(_) => {
                unreachable!("lowering gives every wanted value an operation of its own, and the plan a result")
            }
        }
    }

    /// How often each result is among wanted tensors.
    pub(super) fn counted(&self, wanted: &[TensorId]) -> SmallVec<[usize; 4]> {
        let mut counts = SmallVec::from_elem(0, self.results.len());
        wanted.iter().for_each(|&tensor| counts[self.result(tensor)] += 1);
        counts
    }

    fn pack(&mut self, spans: &[Span]) -> SmallVec<[Home; 8]> {
        let mut homes = SmallVec::from_elem(Home::Piece(Piece::default()), spans.len());
        let mut between: SmallVec<[usize; 8]> = SmallVec::new();
        for (n, span) in spans.iter().enumerate() {
            if span.is_result {
                homes[n] = Home::Result(self.results.len());
                self.results.push((span.dtype, span.len));
            } else {
                between.push(n);
            }
        }
        between.sort_by_key(|&n| std::cmp::Reverse(spans[n].len));
        let mut packings: SmallVec<[Packing; 1]> = SmallVec::new();
        // What no step releases is needed to the end.
        let steps =
            spans.iter().flat_map(|span| [span.first, span.last]).filter(|&step| step < usize::MAX).max().map_or(0, |n| n + 1);
        for n in between {
            let Span { dtype, len, first, last, .. } = spans[n];
            let arena = self.arenas.iter().position(|(known, _)| *known == dtype).unwrap_or_else(|| {
                self.arenas.push((dtype, 0));
                packings.push(Packing::new(steps));
                self.arenas.len() - 1
            });
            let start = packings[arena].place(len.next_multiple_of(ALIGN), (first, last.min(steps - 1)));
            let end = start + len;
            self.arenas[arena].1 = self.arenas[arena].1.max(end);
            homes[n] = Home::Piece(Piece { arena, start, end });
        }
        homes
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    #[test]
    fn what_is_there_at_once_shares_no_place_and_the_rest_does() {
        let mut rng = StdRng::seed_from_u64(5);
        let (mut packed, mut least) = (0, 0);
        for _ in 0..200 {
            let spans: Vec<Span> = (0..rng.random_range(0..30))
                .map(|first| {
                    let dtype = if rng.random_bool(0.8) { Dtype::F64 } else { Dtype::F32 };
                    let (len, last) = (8 * rng.random_range(0..100), first + rng.random_range(0..6));
                    Span { dtype, len, first, last, is_result: rng.random_bool(0.1) }
                })
                .collect();
            let mut places = Places::default();
            let homes = places.pack(&spans);
            for (n, home) in homes.iter().enumerate() {
                let &Home::Piece(Piece { arena, start, end }) = home else { continue };
                assert_eq!(end - start, spans[n].len);
                assert!(places.arenas[arena].0 == spans[n].dtype && end <= places.arenas[arena].1);
                for (other, span) in spans.iter().enumerate().skip(n + 1) {
                    let Home::Piece(Piece { start: from, end: to, .. }) = homes[other] else { continue };
                    let at_once = span.dtype == spans[n].dtype && span.first <= spans[n].last && spans[n].first <= span.last;
                    assert!(!at_once || end <= from || to <= start, "{spans:?} {homes:?}");
                }
            }
            // What is there at once must be.
            let there = |step: usize| -> usize {
                let live = spans.iter().filter(|s| !s.is_result && s.dtype == Dtype::F64 && s.first <= step && step <= s.last);
                live.map(|span| span.len).sum()
            };
            least += (0..40).map(there).max().unwrap();
            packed += places.arenas.iter().filter(|(dtype, _)| *dtype == Dtype::F64).map(|(_, most)| most).sum::<usize>();
        }
        assert!(packed >= least && packed < least + least / 20, "{packed} elements where {least} are there at once");
    }
}
