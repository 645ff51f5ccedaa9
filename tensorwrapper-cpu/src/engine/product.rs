//! A product of two factors on memory, as the engine takes it. Knows neither blocks nor kernels.

use std::borrow::Cow;

use super::epilogue::BoundEpilogue;
use crate::product::{ClassifiedAxes, LEFT, RIGHT, Triple};
use crate::sink::Sink;

/// One factor: its memory, borrowed or packed.
#[derive(Clone, Debug)]
pub(super) struct Factor<'a, T: Clone> {
    pub(super) data: Cow<'a, [T]>,
    pub(super) conjugate: bool,
}

impl<T: Clone> Factor<'_, T> {
    /// The same memory.
    pub(super) fn borrowed(&self) -> Factor<'_, T> {
        Factor { data: Cow::Borrowed(&self.data), conjugate: self.conjugate }
    }
}

/// One of several products of a kind: where its factors and its result begin, and whether it is added to what the result holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) start: [isize; 3],
    pub(crate) adds: bool,
}

impl Item {
    /// A product that is written over what the result holds.
    pub(super) fn written(start: [isize; 3]) -> Item {
        Item { start, adds: false }
    }
}

/// A product of two factors on memory, as the engine takes it; see [`ClassifiedAxes`].
pub(super) struct Product<'a, T: Clone> {
    pub(super) batch: &'a [Triple],
    pub(super) rows: &'a [Triple],
    pub(super) columns: &'a [Triple],
    pub(super) inner: &'a [Triple],
    pub(super) factors: [Factor<'a, T>; 2],
    /// Positions of the first elements.
    pub(super) start: [isize; 3],
    pub(super) alpha: T,
    pub(super) out: Sink<'a, T>,
    /// Whether items may be added to what the result holds.
    pub(super) adds: bool,
    /// What is computed with each element of the result then.
    pub(super) epilogue: Option<&'a BoundEpilogue<'a, T>>,
}

/// The product on memory.
pub(super) fn on<'a, T: Copy>(sorted: &'a ClassifiedAxes<T>, data: [&'a [T]; 2], out: Sink<'a, T>) -> Product<'a, T> {
    Product {
        batch: &sorted.batch,
        rows: &sorted.rows,
        columns: &sorted.columns,
        inner: &sorted.inner,
        factors: [LEFT, RIGHT].map(|side| Factor { data: data[side].into(), conjugate: sorted.conjugate[side] }),
        start: sorted.start,
        alpha: sorted.alpha,
        out,
        adds: false,
        epilogue: None,
    }
}
