//! Where panels of rows go in the result, and which of its cache lines a tile asks for that a later tile is stored in.
//!
//! A large result is written line by line as memory delivers the lines. So a tile first asks for all lines of the next one, which arrive
//! while it multiplies; `distance` says for which results.

use std::ops::Range;

use smallvec::SmallVec;

use super::kernel::{Kernel, MOST_GROUPS};
use super::space::{Groups, RESULT};
use crate::multiversion::ask_line;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// How a panel's tiles are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// By the kernel: whole vectors.
    Whole,
    /// By the kernel: vectors, some of which are not whole.
    Ragged,
    /// Apart, and then spread.
    Apart,
}

/// A panel of rows: its first group, where groups go in the result, and how many rows each has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panel {
    pub(super) first: usize,
    pub(super) groups: usize,
    pub(super) to: [isize; MOST_GROUPS],
    pub(super) lens: [usize; MOST_GROUPS],
    pub(super) stored: Stored,
}

impl Panel {
    /// Writes down the panels of a block.
    pub(super) fn write<T: Element>(kernel: &Kernel<T>, groups: &Groups, to: &mut Vec<Panel>) {
        to.clear();
        to.extend((0..groups.groups.len()).step_by(kernel.panel).map(|first| Panel::new(kernel, groups, first)));
    }

    fn new<T: Element>(kernel: &Kernel<T>, groups: &Groups, first: usize) -> Panel {
        let count = kernel.panel.min(groups.groups.len() - first);
        let mut panel = Panel { first, groups: count, to: [0; MOST_GROUPS], lens: [0; MOST_GROUPS], stored: Stored::Whole };
        for n in 0..count {
            let group = &groups.groups[first + n];
            (panel.to[n], panel.lens[n]) = (group.at[RESULT], group.len as usize);
            if !groups.lanes(first + n).are_unit(RESULT) {
                panel.stored = Stored::Apart;
            } else if panel.lens[n] < kernel.lanes && panel.stored == Stored::Whole {
                panel.stored = Stored::Ragged;
            }
        }
        panel
    }
}

/// The cache lines of the result that panels of rows, or of columns, are stored in.
#[derive(Debug, Default)]
pub(super) struct AskedLines {
    /// A position in each line, counted from where groups are.
    positions: Vec<isize>,
    /// Where those of each panel end.
    ends: Vec<usize>,
}

impl AskedLines {
    /// Writes down those of panels of rows: of whole ones, for which nobody asks, none.
    pub(super) fn write_panels<T: Element>(&mut self, panels: &[Panel], groups: &Groups) {
        self.clear();
        for panel in panels {
            let count = if panel.stored == Stored::Whole { 0 } else { panel.groups };
            self.push::<T>(groups, panel.first..panel.first + count);
        }
    }

    /// Writes down those of panels of columns, each of which is a group.
    pub(super) fn write_columns<T: Element>(&mut self, groups: &Groups) {
        self.clear();
        (0..groups.groups.len()).for_each(|n| self.push::<T>(groups, n..n + 1));
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.ends.clear();
    }

    /// Adds a panel of these groups.
    fn push<T: Element>(&mut self, groups: &Groups, panel: Range<usize>) {
        let first = self.positions.len();
        for n in panel {
            let group = &groups.groups[n];
            let lanes = &groups.lanes(n).at[RESULT][..group.len as usize];
            self.positions.extend(lanes.iter().map(|lane| group.at[RESULT] + lane));
        }
        thin_out::<T>(&mut self.positions, first);
        self.ends.push(self.positions.len());
    }

    /// Those of a panel.
    #[inline(always)]
    pub(super) fn of(&self, panel: usize) -> &[isize] {
        let first = if panel == 0 { 0 } else { self.ends[panel - 1] };
        &self.positions[first..self.ends[panel]]
    }
}

/// Of the positions from number `first` on, keeps about one for each cache line that they lie in, in their order in memory.
fn thin_out<T>(positions: &mut Vec<isize>, first: usize) {
    let line = (LINE / size_of::<T>()) as isize;
    // Most columns are lines apart.
    if positions[first..].windows(2).all(|pair| pair[1] - pair[0] >= line) {
        return;
    }
    let mut all: SmallVec<[isize; 64]> = positions.drain(first..).collect();
    all.sort_unstable();
    for together in all.chunk_by(|before, at| at - before < line) {
        let mut last = together[0];
        positions.push(last);
        for &at in together {
            if at - last >= line {
                positions.push(at);
                last = at;
            }
        }
        // The end of what lies together may be in a line of its own.
        let end = together[together.len() - 1];
        if 2 * (end - last) >= line {
            positions.push(end);
        }
    }
}

/// Asks for the lines of a tile whose rows and columns have these, about in the order in which they lie: memory delivers faster then.
#[inline(always)]
pub(super) fn ask<T>(base: *const T, rows: &[isize], columns: &[isize]) {
    let span = |at: &[isize]| at.last().zip(at.first()).map_or(0, |(last, first)| last - first);
    let (outer, inner) = if span(columns) > span(rows) { (columns, rows) } else { (rows, columns) };
    for &outer in outer {
        let base = base.wrapping_offset(outer);
        inner.iter().for_each(|&inner| ask_line(base.wrapping_offset(inner)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn every_position_is_within_a_line_of_one_that_is_put() {
        let mut random = rand::rngs::StdRng::seed_from_u64(5);
        for _ in 0..1000 {
            let most: i64 = [4, 40, 400][random.random_range(0..3)];
            let positions: Vec<isize> =
                (0..random.random_range(1..24)).map(|_| random.random_range(-most..most) as isize).collect();
            let mut put = positions.clone();
            thin_out::<f64>(&mut put, 0);
            let is_near = |at: &isize| put.iter().any(|put| (0..8).contains(&(at - put)));
            assert!(positions.iter().all(is_near), "{positions:?}: {put:?}");
            let mut once = put.clone();
            once.dedup();
            assert!(once == put && put.iter().all(|at| positions.contains(at)), "{positions:?}: {put:?}");
        }
    }

    #[test]
    fn few_lines_are_asked_for() {
        let lines = |positions: &[isize]| {
            let mut put = positions.to_vec();
            thin_out::<f64>(&mut put, 0);
            put
        };
        assert_eq!(lines(&[0, 1, 2, 3]), [0]);
        assert_eq!(lines(&[0, 1, 2, 3, 4, 5]), [0, 5]);
        assert_eq!(lines(&[0, 6, 12, 18, 100]), [0, 12, 18, 100]);
        assert_eq!(lines(&[0, 8, 17]), [0, 8, 17]);
        assert_eq!(lines(&[8, 0]), [0, 8]);
    }
}
