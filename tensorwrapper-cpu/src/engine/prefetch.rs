//! Which cache lines a tile asks for that later tiles read, one for each of its terms: of the next block of rows, or of the
//! next columns, where those are read where they lie.
//!
//! Where little is computed with each element, a core would otherwise wait for memory as it packs, and memory for the core
//! as it computes. A line too many or too few changes no result.

use super::kernel::Kernel;
use super::space::{Groups, OWN};
use super::terms::Block;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::storage::LINE;

/// Terms that a core computes a tile's worth of while memory fetches a line.
const FAR: usize = 128;

/// Lines of the next block: one tile takes one of `first`, and adds `terms` to it, term by term.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// Where tiles begin.
    first: Vec<isize>,
    /// How much further each term's line lies; none where nothing is fetched.
    terms: Vec<isize>,
    /// Whether terms are neighbours in memory, so that a line of each lane is asked for, one lane after the other.
    by_lanes: bool,
}

impl Ahead {
    /// Nothing is fetched.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
        self.first.clear();
    }

    /// Columns that are contiguous along the terms and read where they lie: each tile asks for a later one's; `panels` tiles read the same
    /// ones.
    pub(super) fn columns<T: Element>(&mut self, groups: &Groups, lanes: usize, block: &Block, panels: usize) {
        self.clear();
        let (line, step) = ((LINE / size_of::<T>()) as isize, groups.lanes(0).at[OWN][1]);
        let terms = block.len() as isize;
        if (0..=line * terms).contains(&(step * lanes as isize)) {
            // All that a tile reads lies together. Asked for in its order, memory delivers nearly twice as fast.
            self.terms.extend((0..terms).map(|k| k * line));
        } else {
            self.go_by_lanes::<T>(groups, lanes, &block.at[1]);
        }
        let later = 1 + FAR / block.len().max(1);
        self.first.extend(groups.groups.iter().skip(later).flat_map(|group| std::iter::repeat_n(group.at[OWN], panels)));
    }

    /// A line of each lane, one after the other.
    fn go_by_lanes<T: Element>(&mut self, groups: &Groups, lanes: usize, at: &[isize]) {
        let far = &groups.lanes(0).at[OWN];
        let mut of_line = [0; LINE];
        of_line.iter_mut().enumerate().for_each(|(n, lane)| *lane = far[n % lanes]);
        for terms in at.chunks(LINE / size_of::<T>()) {
            self.terms.extend(of_line[..terms.len()].iter().map(|lane| terms[0] - at[0] + lane));
        }
    }

    /// Prepares for rows like these, and the terms of this block.
    pub(super) fn follow<T: Element>(&mut self, kernel: &Kernel<T>, groups: &Groups, block: &Block) {
        self.clear();
        let (Some(group), lanes) = (groups.groups.first(), groups.lanes(0)) else { return };
        let at = &block.at[0];
        self.by_lanes = !lanes.are_unit(OWN) && group.step == 0 && block.step[0] == 1;
        if self.by_lanes {
            self.go_by_lanes::<T>(groups, kernel.lanes, at);
        } else if lanes.are_unit(OWN) || group.step > 0 {
            self.terms.extend(at.iter().map(|position| position - at[0]));
        }
    }

    /// The next block has these rows; there may be none.
    pub(super) fn expect<T: Element>(&mut self, kernel: &Kernel<T>, groups: &Groups) {
        self.first.clear();
        if self.terms.is_empty() || groups.groups.is_empty() {
            return;
        }
        let line = (LINE / size_of::<T>()) as isize;
        let lines = (kernel.lanes as isize / line).max(1);
        let lanes = &groups.lanes(0).at[OWN];
        for (n, group) in groups.groups.iter().enumerate() {
            match group.step as usize {
                0 if self.by_lanes => {
                    let step = lanes[1];
                    self.first.extend((0..lines).map(|i| group.at[OWN] + i * line * step));
                }
                0 => self.first.extend((0..lines).map(|i| group.at[OWN] + i * line)),
                // The groups of a square share its lanes among them.
                step => {
                    let (row, each) = (n / step % kernel.square, kernel.lanes / kernel.square);
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

/// Lines of an operand at most that are asked for before an item is computed: more are many pages, which processors foresee.
const MOST_LINES: usize = 4096;

/// The first elements of the lines that groups read for these terms; nothing where there are many.
pub(super) fn lines<T: Element>(groups: &Groups, terms: &[isize], to: &mut Vec<isize>) {
    let line = (LINE / size_of::<T>()) as isize;
    let mut last = isize::MIN;
    let mut put = |at: isize| {
        if at.div_euclid(line) != last {
            last = at.div_euclid(line);
            to.push(at);
        }
    };
    let is_unit = (0..groups.groups.len()).all(|n| groups.lanes(n).are_unit(OWN));
    let lanes: usize = groups.groups.iter().map(|group| if is_unit { 1 } else { group.len as usize }).sum();
    if lanes.saturating_mul(terms.len()) > MOST_LINES * if is_unit { 1 } else { line as usize } {
        return;
    }
    if is_unit {
        terms.iter().for_each(|term| groups.groups.iter().for_each(|group| put(group.at[OWN] + term)));
        return;
    }
    for (n, group) in groups.groups.iter().enumerate() {
        for lane in &groups.lanes(n).at[OWN][..group.len as usize] {
            terms.iter().for_each(|term| put(group.at[OWN] + lane + term));
        }
    }
}
