//! Where panels of rows go in the result, and which of its cache lines a tile asks for that a later tile is stored in.
//!
//! A result that is larger than the second cache is written line by line as memory delivers the lines. So a tile first asks for all lines
//! of the next one, which arrive while it multiplies.

use super::kernel::{Kernel, MOST_GROUPS};
use super::space::{Groups, MOST_LANES, RESULT};
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
    /// Which of the lines of `Panels` are its own, and how many they are.
    lines: [usize; 2],
}

/// The panels of a block.
#[derive(Debug, Default)]
pub(super) struct Panels {
    pub(super) all: Vec<Panel>,
    /// Positions in the result, one for each cache line that a panel's first column is stored in.
    lines: Vec<isize>,
}

impl Panels {
    /// Writes down the panels of a block; `far`: and the lines that they are stored in.
    pub(super) fn write<T: Element>(&mut self, kernel: &Kernel<T>, groups: &Groups, far: bool) {
        self.all.clear();
        self.lines.clear();
        for first in (0..groups.groups.len()).step_by(kernel.panel) {
            let mut panel = Panel::new(kernel, groups, first);
            if far && panel.stored != Stored::Whole {
                panel.lines = self.find_lines::<T>(groups, &panel);
            }
            self.all.push(panel);
        }
    }

    fn find_lines<T: Element>(&mut self, groups: &Groups, panel: &Panel) -> [usize; 2] {
        let mut positions = [0; MOST_ROWS];
        let mut count = 0;
        for n in 0..panel.groups {
            for lane in &groups.lanes(panel.first + n).at[RESULT][..panel.lens[n]] {
                positions[count] = panel.to[n] + lane;
                count += 1;
            }
        }
        let first = self.lines.len();
        distinct::<T>(&mut positions[..count], |at| self.lines.push(at));
        [first, self.lines.len() - first]
    }

    /// Asks for the lines in which that panel's tile of these columns is stored.
    #[inline(always)]
    pub(super) fn ask<T>(&self, base: *const T, panel: &Panel, columns: &[isize]) {
        let [first, count] = panel.lines;
        let rows = &self.lines[first..first + count];
        // In the order in which they lie, about: memory delivers faster then.
        let span = |at: &[isize]| at.last().zip(at.first()).map_or(0, |(last, first)| (last - first).abs());
        let (outer, inner) = if span(columns) > span(rows) { (columns, rows) } else { (rows, columns) };
        for &outer in outer {
            let base = base.wrapping_offset(outer);
            inner.iter().for_each(|&inner| ask_line(base.wrapping_offset(inner)));
        }
    }
}

/// Rows of a panel at most.
const MOST_ROWS: usize = MOST_GROUPS * MOST_LANES;

/// Of positions in memory those that are about a cache line apart, so that one of each line is among them.
pub(super) fn distinct<T>(positions: &mut [isize], mut put: impl FnMut(isize)) {
    let line = (LINE / size_of::<T>()).max(1) as isize;
    positions.sort_unstable();
    let (mut last, mut put_last) = (None, 0);
    for &at in &*positions {
        match last {
            Some(before) if at - before < line => {
                if at - put_last >= line {
                    put(at);
                    put_last = at;
                }
            }
            before => {
                // The end of what lies together may be in a line of its own.
                if let Some(before) = before
                    && 2 * (before - put_last) >= line
                {
                    put(before);
                }
                put(at);
                put_last = at;
            }
        }
        last = Some(at);
    }
    if let Some(before) = last
        && 2 * (before - put_last) >= line
    {
        put(before);
    }
}

/// Whether each of them is at least a cache line behind the one before it.
pub(super) fn are_apart<T>(positions: &[isize]) -> bool {
    positions.windows(2).all(|pair| pair[1] - pair[0] >= (LINE / size_of::<T>()) as isize)
}

impl Panel {
    fn new<T: Element>(kernel: &Kernel<T>, groups: &Groups, first: usize) -> Panel {
        let count = kernel.panel.min(groups.groups.len() - first);
        let mut panel =
            Panel { first, groups: count, to: [0; MOST_GROUPS], lens: [0; MOST_GROUPS], stored: Stored::Whole, lines: [0; 2] };
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
            let mut put = Vec::new();
            distinct::<f64>(&mut positions.clone(), |at| put.push(at));
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
            let mut put = Vec::new();
            distinct::<f64>(&mut positions.to_vec(), |at| put.push(at));
            put
        };
        assert_eq!(lines(&[0, 1, 2, 3]), [0]);
        assert_eq!(lines(&[0, 1, 2, 3, 4, 5]), [0, 5]);
        assert_eq!(lines(&[0, 6, 12, 18, 100]), [0, 12, 18, 100]);
        assert!(are_apart::<f64>(&[0, 8, 17]) && !are_apart::<f64>(&[0, 8, 15]) && !are_apart::<f64>(&[8, 0]));
    }
}
