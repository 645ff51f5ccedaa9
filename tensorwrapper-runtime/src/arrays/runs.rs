//! The elements of a tensor in C order, as the runs of them that follow each other in memory, so that results are written run by run.

use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use crate::tensor::TensorRef;

/// A view, read as runs: stretches of elements that are neighbours in memory.
pub(super) struct Runs<'a, T> {
    pub(super) elements: &'a [T],
    pub(super) extents: &'a [usize],
    pub(super) strides: &'a [isize],
    /// The position of the first element.
    pub(super) start: usize,
    /// The first axis that follows, with all behind it, the order in memory.
    whole_from: usize,
    /// How many elements belong to one index of the axis before this one.
    inside: Vec<usize>,
}

impl<'a, T: Stored> Runs<'a, T> {
    pub(super) fn new<S: Extents>(view: &'a TensorRef<'_, T, S>) -> Runs<'a, T> {
        let (elements, layout) = view.located();
        let (extents, strides, rank) = (layout.extents(), layout.strides(), layout.rank());
        let (mut inside, mut whole_from) = (vec![1; rank + 1], rank);
        for axis in (0..rank).rev() {
            inside[axis] = inside[axis + 1] * extents[axis];
            if whole_from == axis + 1 && (extents[axis] == 1 || strides[axis] == inside[axis + 1] as isize) {
                whole_from = axis;
            }
        }
        Runs { elements, extents, strides, start: layout.offset(), whole_from, inside }
    }

    /// How many elements follow each other below the axes before this one.
    pub(super) fn length(&self, axis: usize) -> usize {
        self.inside[self.whole_from.max(axis)]
    }

    /// Whether elements that are neighbours along the last axis are so in memory.
    pub(super) fn are_together(&self) -> bool {
        self.extents.is_empty() || self.inside[0] == 0 || self.whole_from < self.extents.len()
    }

    /// Appends the elements of the axes from this one on, whose first element is at this position.
    pub(super) fn append_to(&self, axis: usize, start: usize, into: &mut Owned<T>) {
        self.each(axis, start, &mut |run| into.extend(run.iter().copied()));
    }

    /// Hands over the elements of the axes from this one on, whose first element is at this position.
    pub(super) fn each(&self, axis: usize, start: usize, hand: &mut impl FnMut(&[T])) {
        if self.inside[axis] == 0 {
            return;
        }
        if axis >= self.whole_from {
            return hand(&self.elements[start..start + self.inside[axis]]);
        }
        for n in 0..self.extents[axis] {
            self.each(axis + 1, self.position(axis, start, n), hand);
        }
    }

    /// The position of the first element of an index along an axis, from that of index 0.
    pub(super) fn position(&self, axis: usize, start: usize, index: usize) -> usize {
        start.wrapping_add_signed(self.strides[axis].wrapping_mul(index as isize))
    }
}

/// Computes with the runs of a view. A view whose neighbours along the last axis are apart in memory is copied into C order first: a device
/// permutes many elements faster than they are handed over one by one.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the copy.
pub(super) fn in_runs<T: Stored, S: Extents, R>(
    view: &TensorRef<'_, T, S>,
    compute: impl FnOnce(&Runs<'_, T>) -> R,
) -> Result<R, Error> {
    let runs = Runs::new(view);
    if !runs.are_together() {
        return Ok(compute(&Runs::new(&view.to_tensor()?.view())));
    }
    Ok(compute(&runs))
}
