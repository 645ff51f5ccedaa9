//! Which cache lines of the next block of rows or columns a tile of this one asks for, one for each of its terms.
//!
//! Where little is computed with each element, a core would otherwise wait for memory as it packs, and memory for the core
//! as it computes. A line too many or too few changes no result.

use super::kernel::Kernel;
use super::space::{Block, Groups, OWN};
use crate::element::Element;

/// Bytes of a cache line.
const LINE: usize = 64;

/// Lines of the next block: one tile takes one of `first`, and adds `terms` to it, term by term.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Where tiles begin.
    first: Vec<isize>,
    /// How much further each term's line lies; none where nothing is fetched.
    terms: Vec<isize>,
    /// Whether terms are neighbours in memory, so that the lanes take turns.
    in_turn: bool,
    /// Lanes of a group, and the edge of squares.
    width: usize,
    square: usize,
}

impl Ahead {
    /// Nothing is fetched.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
    }

    /// Prepares for groups like these, of rows (`role` 0) or columns (1), and the terms of this block.
    pub(super) fn follow<T: Element>(&mut self, kernel: &Kernel<T>, role: usize, groups: &Groups, block: &Block) {
        self.terms.clear();
        (self.width, self.square) = ([kernel.width, kernel.columns][role], kernel.square);
        let (Some(group), lanes) = (groups.groups.first(), groups.lanes(0)) else { return };
        let at = &block.at[role];
        self.in_turn = !lanes.unit[OWN] && group.step == 0 && block.step[role] == 1;
        if self.in_turn {
            let line = LINE / size_of::<T>();
            self.terms.extend((0..at.len()).map(|k| at[k - k % line] - at[0] + lanes.at[OWN][k % line % self.width]));
        } else if lanes.unit[OWN] || group.step > 0 {
            self.terms.extend(at.iter().map(|position| position - at[0]));
        }
    }

    /// The next block has these groups; there may be none.
    pub(super) fn expect<T: Element>(&mut self, groups: &Groups) {
        self.first.clear();
        if self.terms.is_empty() || groups.groups.is_empty() {
            return;
        }
        let line = (LINE / size_of::<T>()) as isize;
        let lines = (self.width as isize / line).max(1);
        let lanes = &groups.lanes(0).at[OWN];
        for (n, group) in groups.groups.iter().enumerate() {
            match group.step as usize {
                0 if self.in_turn => {
                    let step = lanes[1];
                    self.first.extend((0..lines).map(|i| group.at[OWN] + i * line * step));
                }
                0 => self.first.extend((0..lines).map(|i| group.at[OWN] + i * line)),
                // The groups of a square share its lanes among them.
                step => {
                    let (row, each) = (n / step % self.square, self.width / self.square);
                    let start = group.at[OWN] - row as isize;
                    self.first.extend(lanes[row * each..][..each].iter().map(|lane| start + lane));
                }
            }
        }
    }

    /// Where the tile of that number begins, and how it goes on.
    pub(super) fn tile(&self, number: usize) -> Option<(isize, &[isize])> {
        self.first.get(number).map(|&first| (first, &self.terms[..]))
    }
}
