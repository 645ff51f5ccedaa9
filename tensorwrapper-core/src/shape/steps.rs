//! Walks a box of indices, given by a first index, a last index and a step along each axis. Knows neither shapes nor the types that
//! indices are returned as.

/// The indices along one axis, at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) step: usize,
}

impl Steps {
    /// How many indices there are from `at` on.
    #[inline]
    pub(super) fn count_from(self, at: usize) -> usize {
        // The end of an axis is a `usize`, so that its last index is less than the largest.
        (self.last - at) / self.step + 1
    }
}

/// The next index in lexicographic order; `false` after the last, when it is the first again.
#[inline(always)]
pub(super) fn advance(axes: &[Steps], at: &mut [usize]) -> bool {
    for (at, axis) in at.iter_mut().zip(axes).rev() {
        if *at < axis.last {
            *at += axis.step;
            return true;
        }
        *at = axis.first;
    }
    false
}

/// All indices from `at` on: loops over the last two axes inside of steps along the others.
#[inline(always)]
pub(super) fn walk<B>(axes: &[Steps], at: &mut [usize], mut all: B, mut next: impl FnMut(B, &[usize]) -> B) -> B {
    let Some((row, outer)) = axes.split_last() else { return next(all, at) };
    let inner = outer.len();
    let whole = row.count_from(row.first);
    let (mut start, mut count) = (at[inner], row.count_from(at[inner]));
    // Rows before the next step along one of the axes before the last two.
    let rows = |at: &[usize]| outer.last().map_or(1, |column| column.count_from(at[inner - 1]));
    let mut left = rows(at);
    loop {
        for _ in 0..left {
            for n in 0..count {
                at[inner] = start + n * row.step;
                all = next(all, at);
            }
            (start, count) = (row.first, whole);
            // After the last row this may be beyond all numbers, but it is not read again.
            if let Some(column) = outer.last() {
                at[inner - 1] = at[inner - 1].wrapping_add(column.step);
            }
        }
        let Some((column, outer)) = outer.split_last() else { return all };
        at[inner - 1] = column.first;
        if !advance(outer, &mut at[..inner - 1]) {
            return all;
        }
        left = rows(at);
    }
}

/// How many indices there are from `at` on, if a `usize` can hold the number.
pub(super) fn left(axes: &[Steps], at: &[usize], done: bool) -> Option<usize> {
    if done {
        return Some(0);
    }
    let behind = axes.iter().zip(at).try_fold(0usize, |behind, (axis, &at)| {
        behind.checked_mul(axis.count_from(axis.first))?.checked_add(axis.count_from(at) - 1)
    });
    behind?.checked_add(1)
}
