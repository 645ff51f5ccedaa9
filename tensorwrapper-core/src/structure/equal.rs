//! [`Equal`]: which blocks are equal by no symmetry, as a value.

use std::collections::{BTreeMap, BTreeSet};

/// Classes of blocks that are equal by no symmetry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Equal {
    /// Of each block that is not the smallest of its class the one that is.
    first: BTreeMap<Vec<usize>, Vec<usize>>,
    /// Of the smallest block of each class the others, in ascending order.
    others: BTreeMap<Vec<usize>, Vec<Vec<usize>>>,
}

impl Equal {
    /// Makes one class of these blocks and of all that they are equal to.
    pub(super) fn join(&mut self, blocks: impl Iterator<Item = Vec<usize>>) {
        let mut class: BTreeSet<Vec<usize>> = BTreeSet::new();
        for block in blocks {
            let first = self.first_of(&block).to_vec();
            class.extend(self.others.remove(&first).unwrap_or_default());
            class.insert(first);
        }
        let mut class = class.into_iter();
        let Some(first) = class.next() else { return };
        let others: Vec<Vec<usize>> = class.collect();
        self.first.extend(others.iter().map(|block| (block.clone(), first.clone())));
        if !others.is_empty() {
            self.others.insert(first, others);
        }
    }

    /// The smallest block of a block's class.
    pub(super) fn first_of<'b>(&'b self, block: &'b [usize]) -> &'b [usize] {
        self.first.get(block).map_or(block, Vec::as_slice)
    }

    /// The other blocks of a class whose smallest block is this one.
    pub(super) fn others(&self, first: &[usize]) -> &[Vec<usize>] {
        self.others.get(first).map_or(&[], Vec::as_slice)
    }

    /// The classes, the smallest block of each first.
    pub(super) fn classes(&self) -> impl Iterator<Item = (&[usize], &[Vec<usize>])> {
        self.others.iter().map(|(first, others)| (first.as_slice(), others.as_slice()))
    }

    /// How many blocks are equal to smaller ones.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }
}
