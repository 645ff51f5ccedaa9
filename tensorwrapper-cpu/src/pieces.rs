//! Axes cut into pieces of which the last one may be shorter: the block of one piece of each, the axes around blocks, and the forms that
//! blocks have.

use super::product::Triple;
use tensorwrapper_core::backend::fuse::{Axis, Odometer};

/// A block of axes, and what is around it.
#[derive(Debug)]
pub(super) struct Cuts {
    /// The axes of a block of whole pieces.
    pub(super) block: Vec<Triple>,
    /// The axes around blocks: those that no block has, then one that counts the pieces of each axis that was cut.
    pub(super) around: Vec<Triple>,
    rests: Vec<Rest>,
}

/// An axis whose last piece is shorter: its number in the block and around it, and how long that piece is.
#[derive(Clone, Copy, Debug)]
struct Rest {
    block: usize,
    around: usize,
    extent: usize,
}

impl Cuts {
    /// A block of the axes of these numbers, with so many points of each.
    pub(super) fn new(axes: &[Triple], taken: &[(usize, usize)]) -> Cuts {
        let mut around: Vec<Triple> =
            (0..axes.len()).filter(|n| taken.iter().all(|(other, _)| other != n)).map(|n| axes[n]).collect();
        let (mut block, mut rests) = (Vec::new(), Vec::new());
        for (number, &(n, extent)) in taken.iter().enumerate() {
            let axis = axes[n];
            block.push(Axis { extent, ..axis });
            let (pieces, rest) = (axis.extent.div_ceil(extent), axis.extent % extent);
            if pieces == 1 {
                continue;
            }
            if rest > 0 {
                rests.push(Rest { block: number, around: around.len(), extent: rest });
            }
            around.push(Axis { extent: pieces, strides: axis.strides.map(|stride| stride * extent as isize) });
        }
        Cuts { block, around, rests }
    }

    /// The same block, with further axes around all others.
    pub(super) fn inside_of(mut self, outer: Vec<Triple>) -> Cuts {
        self.rests.iter_mut().for_each(|rest| rest.around += outer.len());
        self.around.splice(0..0, outer);
        self
    }

    /// The axes of blocks with and without each shorter piece, by the number of the form.
    pub(super) fn forms(&self) -> impl Iterator<Item = Vec<Triple>> {
        (0..1 << self.rests.len()).map(|form: usize| {
            let mut block = self.block.clone();
            for (_, rest) in self.rests.iter().enumerate().filter(|(bit, _)| form >> bit & 1 == 1) {
                block[rest.block].extent = rest.extent;
            }
            block
        })
    }

    /// The number of the form that a block has, where a walk along the axes around blocks stands: each bit tells whether a piece is a
    /// shorter one.
    pub(super) fn form(&self, walk: &Odometer<'_, [isize; 3]>) -> usize {
        let is_last = |rest: &Rest| walk.index(rest.around) + 1 == self.around[rest.around].extent;
        self.rests.iter().enumerate().map(|(bit, rest)| usize::from(is_last(rest)) << bit).sum()
    }
}
