//! The indices of a [`JaggedShape`] in lexicographic order, and the smooth boxes that they make up.
//!
//! Knows nothing of parts of a shape.

use std::fmt;
use std::iter::{FlatMap, FusedIterator};
use std::sync::Arc;

use super::value::{Form, JaggedShape, Rows};
use crate::shape::axes::PerAxis;
use crate::shape::index::MultiIndex;
use crate::shape::indices::Indices;
use crate::shape::value::Shape;

/// The smooth boxes of a [`JaggedShape`], in lexicographic order of their indices; see [`JaggedShape::boxes`].
#[derive(Clone, Debug)]
pub struct JaggedBoxes {
    /// The shape, if it is smooth and has not been returned yet.
    smooth: Option<Shape>,
    /// Rows within rows, the innermost last.
    levels: Vec<Level>,
}

/// The rows of a level, and how many of them have been looked at.
#[derive(Clone)]
struct Level {
    rows: Arc<Rows>,
    next: usize,
}

/// The indices of a [`JaggedShape`] in lexicographic order; see [`JaggedShape::indices`].
#[derive(Clone, Debug)]
pub struct JaggedIndices(FlatMap<JaggedBoxes, Indices, fn(Shape) -> Indices>);

impl JaggedShape {
    /// The smooth boxes that the indices make up, each of the full rank and with its origin. JaggedBoxes without indices are left out.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// let boxes: Vec<Shape> = shape.boxes().collect();
    /// assert_eq!(boxes, [Shape::new([1, 10]), Shape::new([1, 20]).with_origin([1, 0])?]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn boxes(&self) -> JaggedBoxes {
        match self.form() {
            Form::Smooth(shape) => {
                JaggedBoxes { smooth: Some(shape.clone()).filter(|shape| !shape.is_empty()), levels: Vec::new() }
            }
            Form::Rows(rows) => JaggedBoxes { smooth: None, levels: vec![Level { rows: rows.clone(), next: 0 }] },
        }
    }

    /// All indices in lexicographic order, from the origins on. Iterating over `&shape` gives the same.
    pub fn indices(&self) -> JaggedIndices {
        JaggedIndices(self.boxes().flat_map(|part| part.indices()))
    }

    /// The indices as they would be if all rows began at zero.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let rows = [Shape::new([1]).with_origin([5])?, Shape::new([2]).with_origin([6])?];
    /// let shape = JaggedShape::rows(rows)?.with_origin([10])?;
    /// assert_eq!(shape.offsets().collect::<Vec<_>>(), [[0, 0], [1, 0], [1, 1]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn offsets(&self) -> JaggedIndices {
        self.at_zero().indices()
    }

    /// The same extents, with all rows beginning at zero.
    fn at_zero(&self) -> JaggedShape {
        match self.form() {
            Form::Smooth(shape) => shape.at_zero().into(),
            Form::Rows(rows) => {
                JaggedShape::of_equal_rank(0, rows.list.iter().map(JaggedShape::at_zero).collect(), &Shape::new([]))
            }
        }
    }
}

impl JaggedBoxes {
    /// A part that is smooth in the rows that the levels stand at.
    fn whole(&self, part: &Shape) -> Shape {
        let extents: PerAxis<usize> = self.levels.iter().map(|_| 1).chain(part.extents().iter().copied()).collect();
        // The row that a level stands at has been counted already.
        let rows = self.levels.iter().map(|level| level.rows.first() + level.next - 1);
        part.with(extents, rows.chain(part.origin().iter().copied()).collect())
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows", self.next, self.rows.list.len())
    }
}

impl Iterator for JaggedBoxes {
    type Item = Shape;

    fn next(&mut self) -> Option<Shape> {
        if let Some(shape) = self.smooth.take() {
            return Some(shape);
        }
        loop {
            let level = self.levels.last_mut()?;
            let Some(row) = level.rows.list.get(level.next).cloned() else {
                self.levels.pop();
                continue;
            };
            level.next += 1;
            match row.form() {
                Form::Smooth(part) if part.is_empty() => {}
                Form::Smooth(part) => return Some(self.whole(part)),
                Form::Rows(rows) => self.levels.push(Level { rows: rows.clone(), next: 0 }),
            }
        }
    }
}

impl FusedIterator for JaggedBoxes {}

impl Iterator for JaggedIndices {
    type Item = MultiIndex;

    fn next(&mut self) -> Option<MultiIndex> {
        self.0.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    fn fold<B, F: FnMut(B, MultiIndex) -> B>(self, init: B, f: F) -> B {
        self.0.fold(init, f)
    }
}

impl FusedIterator for JaggedIndices {}

impl IntoIterator for &JaggedShape {
    type Item = MultiIndex;
    type IntoIter = JaggedIndices;
    fn into_iter(self) -> JaggedIndices {
        self.indices()
    }
}
