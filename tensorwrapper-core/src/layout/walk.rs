//! Walks through indices, in the order of indices and in the order of memory.
//!
//! Knows nothing of elements.

use super::indexer::Indexer;
use super::logical::Logical;
use super::physical::Physical;
use crate::error::{Error, ErrorKind, Place};

impl Logical {
    /// Advances an index to the next one, the last axis fastest. Returns `false` at the last index, which is left as it is. XLA's
    /// `BumpIndices`.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Dtype, Error, Logical};
    /// let array = Logical::new(Dtype::F32, [2, 3])?;
    /// let mut index = [0, 2];
    /// assert!(array.bump(&mut index)?);
    /// assert_eq!(index, [1, 0]);
    /// assert!(!array.bump(&mut [1, 2])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the index has another rank or is out of range.
    pub fn bump(&self, index: &mut [usize]) -> Result<bool, Error> {
        self.check_index(index)?;
        Ok(self.next(index))
    }

    /// As `bump`, for an index that is in range.
    pub(super) fn next(&self, index: &mut [usize]) -> bool {
        let Some(axis) = (0..self.rank()).rev().find(|&axis| index[axis] + 1 < self.extents()[axis]) else { return false };
        index[axis] += 1;
        index[axis + 1..].fill(0);
        true
    }
}

impl Physical {
    /// The positions of some elements in the order of memory, the most minor axis fastest. Along each axis these are the indices `base`,
    /// `base + step`, `base + 2·step`, … that are below `base + count`. XLA's `ForEachIndex`.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Physical};
    /// let stored: Physical = "f32[4,6]{0,1}".parse()?;
    /// let mut walk = stored.walk(&[0, 1], &[4, 4], &[2, 3])?;
    /// assert_eq!(walk.next(), Some(4));
    /// assert_eq!(walk.index(), [0, 1]);
    /// assert_eq!(walk.collect::<Vec<_>>(), [6, 16, 18]); // indices [2, 1], [0, 4] and [2, 4]
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When a list does not have one number for each axis, a range leaves its axis, or a step is 0.
    pub fn walk(&self, base: &[usize], count: &[usize], step: &[usize]) -> Result<Walk, Error> {
        [base, count, step].into_iter().try_for_each(|given| self.logical().check_rank(given.len()))?;
        for (axis, ((&base, &count), &step)) in base.iter().zip(count).zip(step).enumerate() {
            let extent = self.extents()[axis];
            if base > extent || count > extent - base {
                // The end may be no `usize`.
                let index = format!("{base}..{}", base as u128 + count as u128);
                return Err(Error::new(ErrorKind::Bounds { index, place: Place { operand: self.to_string(), axis, extent } }));
            }
            if step == 0 {
                return Err(crate::shape::no_step(axis));
            }
        }
        let axes = self.layout().minor_to_major().iter();
        let axes = axes.map(|&axis| Steps { axis, base: base[axis], end: base[axis] + count[axis], step: step[axis] }).collect();
        let (started, ended) = (false, count.contains(&0));
        Ok(Walk { indexer: self.indexer(), axes, index: base.to_vec(), started, ended })
    }

    /// The positions of all elements in the order of memory, the most minor axis fastest.
    pub fn walk_all(&self) -> Walk {
        let (zeros, ones) = (vec![0; self.rank()], vec![1; self.rank()]);
        self.walk(&zeros, self.extents(), &ones).expect("all elements exist")
    }
}

/// Along one axis.
#[derive(Clone, Debug)]
struct Steps {
    axis: usize,
    base: usize,
    end: usize,
    step: usize,
}

/// The positions of elements in the order of memory; see [`Physical::walk`].
#[derive(Clone, Debug)]
pub struct Walk {
    indexer: Indexer,
    /// Most minor first.
    axes: Vec<Steps>,
    index: Vec<usize>,
    started: bool,
    ended: bool,
}

impl Walk {
    /// The index of the element whose position was returned last.
    pub fn index(&self) -> &[usize] {
        &self.index
    }

    /// Goes to the next element, if there is one.
    fn advance(&mut self) -> bool {
        if !self.started {
            self.started = true;
            return true;
        }
        // No step to the end is longer than what is left, so that no sum overflows.
        let along = self.axes.iter().position(|Steps { axis, end, step, .. }| end - self.index[*axis] > *step);
        let Some(along) = along else { return false };
        for Steps { axis, base, .. } in &self.axes[..along] {
            self.index[*axis] = *base;
        }
        let Steps { axis, step, .. } = self.axes[along];
        self.index[axis] += step;
        true
    }
}

impl Iterator for Walk {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.ended || !self.advance() {
            self.ended = true;
            return None;
        }
        self.indexer.position(&self.index)
    }
}

impl std::iter::FusedIterator for Walk {}
