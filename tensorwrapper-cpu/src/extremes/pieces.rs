//! Pieces of an output of which each index has a line of values: so many lines at a time that a cache holds their values.

use tensorwrapper_core::layout::Strided;

/// Elements of a piece: those that a thread computes or looks through at a time.
pub(super) const PIECE: usize = 1 << 14;

/// A piece of the output: one index of each of the first axes, a part of the next axis, and all of the others.
pub(super) struct Piece<'t, T> {
    pub(super) to: &'t mut [T],
    /// The indices of the first axes.
    outer: Vec<usize>,
    /// The start and the length of the part along the next axis. Without it the piece is all.
    cut: Option<(usize, usize)>,
}

impl<T> Piece<'_, T> {
    /// A layout over the whole nest, restricted to the piece.
    pub(super) fn part(&self, mut layout: Strided) -> Strided {
        for (axis, &index) in self.outer.iter().enumerate() {
            layout = layout.slice(axis, index, 1);
        }
        match self.cut {
            Some((start, rows)) => layout.slice(self.outer.len(), start, rows),
            None => layout,
        }
    }

    /// The extents of the piece, by those of the output.
    pub(super) fn extents(&self, kept: &[usize]) -> impl Iterator<Item = usize> {
        let extent = |(axis, &extent): (usize, &usize)| match self.cut {
            _ if axis < self.outer.len() => 1,
            Some((_, rows)) if axis == self.outer.len() => rows,
            _ => extent,
        };
        kept.iter().enumerate().map(extent).collect::<Vec<_>>().into_iter()
    }
}

/// The pieces of an output with lines of so many values. A line that is longer than a piece is one of its own.
pub(super) fn pieces<'t, T>(kept: &[usize], extent: usize, to: &'t mut [T]) -> Vec<Piece<'t, T>> {
    let (mut whole, mut elements) = (kept.len(), extent);
    while whole > 0 && elements.saturating_mul(kept[whole - 1]) <= PIECE {
        whole -= 1;
        elements *= kept[whole];
    }
    let inner = kept[whole..].iter().product::<usize>();
    let Some(cut) = whole.checked_sub(1) else { return vec![Piece { to, outer: Vec::new(), cut: None }] };
    let rows = (PIECE / elements).max(1);
    let mut pieces = Vec::new();
    for (n, block) in to.chunks_mut(kept[cut] * inner).enumerate() {
        let (mut outer, mut left) = (vec![0; cut], n);
        for (index, &extent) in outer.iter_mut().zip(&kept[..cut]).rev() {
            *index = left % extent;
            left /= extent;
        }
        for (start, to) in (0..kept[cut]).step_by(rows).zip(block.chunks_mut(rows * inner)) {
            let rows = to.len() / inner;
            pieces.push(Piece { to, outer: outer.clone(), cut: Some((start, rows)) });
        }
    }
    pieces
}
