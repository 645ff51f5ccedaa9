//! Where panels of rows go in the result, and which of its cache lines a tile asks for that a later tile is stored in.
//!
//! A result that is larger than the second cache is written line by line as memory delivers the lines. So a tile first asks for all lines
//! of the next one, which arrive while it multiplies.

use super::kernel::{Kernel, MOST_GROUPS};
use super::space::{Groups, Lanes, RESULT};
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

/// Asks for the lines of a panel's tile of columns that go so much further than its first one: along the runs of rows, or of columns,
/// whichever are longer.
pub(super) fn ask<T>(base: *const T, panel: &Panel, rows: &Groups, (along, columns): (&[isize], &Lanes)) {
    let column_runs = columns.runs(RESULT, along.len());
    for n in 0..panel.groups {
        let (lanes, len) = (rows.lanes(panel.first + n), panel.lens[n]);
        let (base, row_runs) = (base.wrapping_offset(panel.to[n]), lanes.runs(RESULT, len));
        if row_runs.len() * along.len() <= column_runs.len() * len {
            for (first, len) in row_runs.iter().map(|run| run.within(len)) {
                let to = base.wrapping_offset(lanes.at[RESULT][first]);
                along.iter().for_each(|&along| ask_run(to.wrapping_offset(along), len));
            }
        } else {
            for (first, len) in column_runs.iter().map(|run| run.within(along.len())) {
                let to = base.wrapping_offset(along[first]);
                lanes.at[RESULT][..len].iter().for_each(|&row| ask_run(to.wrapping_offset(row), len));
            }
        }
    }
}

/// The lines of a run.
#[inline(always)]
fn ask_run<T>(to: *const T, len: usize) {
    (0..len).step_by(LINE / size_of::<T>()).for_each(|n| ask_line(to.wrapping_add(n)));
    ask_line(to.wrapping_add(len - 1));
}
