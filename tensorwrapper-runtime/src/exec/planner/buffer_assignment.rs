//! Buffer assignment. Each result has its own memory. Intermediates share one allocation, in which tensors that are never
//! needed at the same time may share a range.
//!
//! There is one arena for each element type. For each step, `run/arena.rs` splits the arena into the memory that is written and
//! the memory that is read, without `unsafe`.
//!
//! Source of the packing, largest first and each into the smallest gap that holds it: Y. Pisarchyk, J. Lee, "Efficient memory
//! management for deep neural net inference", arXiv:2001.03288 (2020).

use smallvec::SmallVec;

use super::packing::Packing;
use crate::exec::plan::{ArenaRange, BufferAssignment, Location, Step};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{OpGraph, TensorId};

/// Elements that begin at multiples of this in an arena, so that none begins in another's last vector.
const ALIGN: usize = 8;

/// The lifetime of a piece of memory: tensors that take over each other's memory share one.
#[derive(Clone, Copy, Debug)]
struct Span {
    dtype: Dtype,
    len: usize,
    /// The steps in which it is needed.
    first: usize,
    last: usize,
    is_result: bool,
}

/// Finds memory for the tensors of a graph that steps compute, one for each operation.
pub(super) fn assign(graph: &OpGraph, steps: &[Step]) -> BufferAssignment {
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
    let (found, mut buffers) = pack(&spans);
    let location = |tensor: TensorId| match (graph.tensor(tensor).slot, of[tensor.0]) {
        (Some(slot), _) => Location::Source(slot),
        (None, Some(span)) => found[span],
        (None, None) => unreachable!("a tensor that is no source is computed by a step"),
    };
    buffers.locations = graph.tensor_ids().map(location).collect();
    buffers
}

/// Where the tensors of these spans lie, and the memory for all of them.
fn pack(spans: &[Span]) -> (SmallVec<[Location; 8]>, BufferAssignment) {
    let mut buffers = BufferAssignment::default();
    let mut found = SmallVec::from_elem(Location::Arena(ArenaRange::default()), spans.len());
    let mut between: SmallVec<[usize; 8]> = SmallVec::new();
    for (n, span) in spans.iter().enumerate() {
        if span.is_result {
            found[n] = Location::Result(buffers.results.len());
            buffers.results.push((span.dtype, span.len));
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
        let arena = buffers.arenas.iter().position(|(known, _)| *known == dtype).unwrap_or_else(|| {
            buffers.arenas.push((dtype, 0));
            packings.push(Packing::new(steps));
            buffers.arenas.len() - 1
        });
        let start = packings[arena].place(len.next_multiple_of(ALIGN), (first, last.min(steps - 1)));
        let end = start + len;
        buffers.arenas[arena].1 = buffers.arenas[arena].1.max(end);
        found[n] = Location::Arena(ArenaRange { arena, start, end });
    }
    (found, buffers)
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    #[test]
    fn tensors_share_memory_unless_they_are_needed_at_the_same_time() {
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
            let (found, buffers) = pack(&spans);
            for (n, location) in found.iter().enumerate() {
                let &Location::Arena(ArenaRange { arena, start, end }) = location else { continue };
                assert_eq!(end - start, spans[n].len);
                assert!(buffers.arenas[arena].0 == spans[n].dtype && end <= buffers.arenas[arena].1);
                for (other, span) in spans.iter().enumerate().skip(n + 1) {
                    let Location::Arena(ArenaRange { start: from, end: to, .. }) = found[other] else { continue };
                    let at_once = span.dtype == spans[n].dtype && span.first <= spans[n].last && spans[n].first <= span.last;
                    assert!(!at_once || end <= from || to <= start, "{spans:?} {found:?}");
                }
            }
            // What is there at once must be.
            let there = |step: usize| -> usize {
                let live = spans.iter().filter(|s| !s.is_result && s.dtype == Dtype::F64 && s.first <= step && step <= s.last);
                live.map(|span| span.len).sum()
            };
            least += (0..40).map(there).max().unwrap();
            packed += buffers.arenas.iter().filter(|(dtype, _)| *dtype == Dtype::F64).map(|(_, most)| most).sum::<usize>();
        }
        assert!(packed >= least && packed < least + least / 20, "{packed} elements where {least} are there at once");
    }
}
