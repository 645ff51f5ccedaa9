//! Assigns positions in one arena to pieces of memory, each of which is needed for some of the steps. This file must not know
//! of tensors.
//!
//! Each piece goes into the smallest gap between the pieces that are in use at the same time. If there are few pieces, all are
//! examined. If there are many, trees over the steps find the pieces in use at the same time, so that planning time is
//! proportional to the number of steps; if too many are in use at once, the piece goes above all of them.

use std::collections::BTreeSet;

/// Pieces of which all are looked at.
const FEW: usize = 128;

/// Pieces that may be there at the same time as another that looks for a gap between them.
const MOST_AT_ONCE: usize = 512;

/// A piece that has its place.
#[derive(Clone, Copy, Debug)]
struct Placed {
    start: usize,
    stop: usize,
    first: usize,
    last: usize,
}

/// The pieces of one arena.
#[derive(Debug)]
pub(super) struct Packing {
    /// By where they begin, while they are few.
    placed: Vec<Placed>,
    timeline: Option<Timeline>,
    steps: usize,
}

impl Packing {
    /// An arena that nothing is in, for a plan of so many steps.
    pub(super) fn new(steps: usize) -> Packing {
        Packing { placed: Vec::new(), timeline: None, steps }
    }

    /// Finds a place of so many elements, needed from the first of these steps to the last.
    pub(super) fn place(&mut self, room: usize, (first, last): (usize, usize)) -> usize {
        let put = |start: usize| Placed { start, stop: start + room, first, last };
        if let Some(timeline) = &mut self.timeline {
            let start = timeline.find(room, (first, last));
            timeline.add(put(start));
            return start;
        }
        let start = smallest_gap(room, self.placed.iter().filter(|other| other.first <= last && first <= other.last));
        let place = self.placed.partition_point(|other| other.start <= start);
        self.placed.insert(place, put(start));
        if self.placed.len() > FEW {
            let mut timeline = Timeline::new(self.steps);
            self.placed.drain(..).for_each(|placed| timeline.add(placed));
            self.timeline = Some(timeline);
        }
        start
    }
}

/// Where the smallest gap begins that has room, or what is behind them all. The pieces come by where they begin.
fn smallest_gap<'p>(room: usize, taken: impl Iterator<Item = &'p Placed>) -> usize {
    let (mut best, mut end) = (None, 0);
    for &Placed { start, stop, .. } in taken {
        if start >= end + room && best.is_none_or(|(gap, _)| start - end < gap) {
            best = Some((start - end, end));
        }
        end = end.max(stop);
    }
    best.map_or(end, |(_, start)| start)
}

/// Many pieces, which can be found by the steps in which they are in use.
///
/// The nodes of the binary tree over the steps stand in rows, the root at 1 and the children of `n` at `2n` and `2n + 1`. An interval
/// of steps is the union of a few nodes.
#[derive(Debug)]
struct Timeline {
    pieces: Vec<Placed>,
    /// Pieces by their first steps.
    starting: BTreeSet<(usize, usize)>,
    /// Leaves of the tree.
    leaves: usize,
    /// The pieces whose intervals contain all of a node.
    covering: Vec<Vec<usize>>,
    /// Where the last of a node's own pieces ends, and the last of all pieces below it and its own.
    own_end: Vec<usize>,
    end: Vec<usize>,
}

impl Timeline {
    fn new(steps: usize) -> Timeline {
        let leaves = steps.next_power_of_two();
        let (covering, own_end) = (vec![Vec::new(); 2 * leaves], vec![0; 2 * leaves]);
        let end = own_end.clone();
        Timeline { pieces: Vec::new(), starting: BTreeSet::new(), leaves, covering, own_end, end }
    }

    /// The nodes of which an interval of steps is the union.
    fn nodes(&self, first: usize, last: usize) -> impl Iterator<Item = usize> + use<> {
        let (mut left, mut right) = (first + self.leaves, last + self.leaves + 1);
        let mut level = move || {
            let mut found = [None, None];
            if left % 2 == 1 {
                found[0] = Some(left);
                left += 1;
            }
            if right % 2 == 1 {
                right -= 1;
                found[1] = Some(right);
            }
            (left, right) = (left / 2, right / 2);
            (found, left < right)
        };
        let mut goes_on = first <= last;
        std::iter::from_fn(move || {
            let (found, next) = goes_on.then(&mut level)?;
            goes_on = next;
            Some(found)
        })
        .flatten()
        .flatten()
    }

    /// A leaf and the nodes above it.
    fn path(&self, step: usize) -> impl Iterator<Item = usize> + use<> {
        std::iter::successors(Some(step + self.leaves), |node| (*node > 1).then_some(node / 2))
    }

    fn add(&mut self, piece: Placed) {
        let number = self.pieces.len();
        self.pieces.push(piece);
        self.starting.insert((piece.first, number));
        for node in self.nodes(piece.first, piece.last) {
            self.covering[node].push(number);
            self.own_end[node] = self.own_end[node].max(piece.stop);
            self.end[node] = self.end[node].max(piece.stop);
        }
        for node in self.path(piece.first).chain(self.path(piece.last)) {
            let below = if node < self.leaves { self.end[2 * node].max(self.end[2 * node + 1]) } else { 0 };
            self.end[node] = self.own_end[node].max(below);
        }
    }

    fn find(&self, room: usize, (first, last): (usize, usize)) -> usize {
        match self.at_once(first, last) {
            Some(taken) => smallest_gap(room, taken.iter()),
            None => self.above(first, last),
        }
    }

    /// The pieces that are in use in any of these steps, sorted by position; `None` if there are too many.
    fn at_once(&self, first: usize, last: usize) -> Option<Vec<Placed>> {
        let there = self.path(first).flat_map(|node| &self.covering[node]);
        let later = (first < last).then(|| self.starting.range((first + 1, 0)..=(last, usize::MAX)));
        let later = later.into_iter().flatten().map(|(_, number)| number);
        let found: Vec<usize> = there.chain(later).take(MOST_AT_ONCE + 1).copied().collect();
        let mut pieces: Vec<Placed> = found.into_iter().map(|number| self.pieces[number]).collect();
        pieces.sort_by_key(|piece| piece.start);
        (pieces.len() <= MOST_AT_ONCE).then_some(pieces)
    }

    /// The largest end position of the pieces that are in use in any of these steps.
    fn above(&self, first: usize, last: usize) -> usize {
        let below = self.nodes(first, last).map(|node| self.end[node]);
        let over = self.path(first).chain(self.path(last)).map(|node| self.own_end[node]);
        below.chain(over).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    #[test]
    fn trees_find_what_looking_at_all_finds() {
        let mut rng = StdRng::seed_from_u64(11);
        for steps in [1, 2, 7, 64, 100] {
            let mut timeline = Timeline::new(steps);
            for _ in 0..300 {
                let first = rng.random_range(0..steps);
                let last = rng.random_range(first..steps.min(first + 9));
                let all = || timeline.pieces.iter().filter(|other| other.first <= last && first <= other.last);
                let mut expected: Vec<usize> = all().map(|piece| piece.start).collect();
                expected.sort_unstable();
                if let Some(found) = timeline.at_once(first, last) {
                    assert_eq!(found.iter().map(|piece| piece.start).collect::<Vec<_>>(), expected);
                } else {
                    assert!(expected.len() > MOST_AT_ONCE);
                }
                let end = all().map(|piece| piece.stop).max().unwrap_or(0);
                assert_eq!(timeline.above(first, last), end);
                let room = 8 * rng.random_range(0..20);
                let start = timeline.find(room, (first, last));
                timeline.add(Placed { start, stop: start + room, first, last });
            }
        }
    }

    #[test]
    fn many_pieces_at_once_share_no_place() {
        let steps = 4 * MOST_AT_ONCE;
        let mut packing = Packing::new(steps);
        // Each is there to the end, and beside it something short: more than are looked at.
        let all = (0..steps).flat_map(|n| [(n, steps - 1), (n, n)]);
        let placed: Vec<_> = all.map(|times| (packing.place(8, times), times)).collect();
        for (n, &(start, (first, last))) in placed.iter().enumerate().step_by(37) {
            for &(other, (from, to)) in &placed[n + 1..] {
                assert!(other != start || from > last || to < first);
            }
        }
        let most = placed.iter().map(|(start, _)| start + 8).max().unwrap();
        assert_eq!(most, 8 * (steps + 1));
    }
}
