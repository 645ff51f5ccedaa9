//! Parts of a [`JaggedShape`]: rows, slices, which keep every axis, and chips, which drop axes of a single index.
//!
//! Indices given here are those of the shape, which begin at its origins. Knows nothing of walks through the indices.

use super::value::{Form, JaggedShape};
use crate::error::{Error, ErrorKind, Place};
use crate::shape::axes::PerAxis;
use crate::shape::value::Shape;

/// Parts of a jagged shape: as those of [`Shape`], but rows may end early.
///
/// The slices of a jagged shape are the slices of its [`padded`](JaggedShape::padded) shape without what is padding. So a range may be
/// longer than some of the rows, but not longer than all of them.
impl JaggedShape {
    /// The shape at these indices of the leading axes, without those axes: the slice that the indices are mapped to.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when there are more indices than axes, [`ErrorKind::Bounds`] when there is no such row.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// assert_eq!(shape.row([1])?, Shape::new([20]).into());
    /// assert_eq!(shape.row([1, 19])?, Shape::new([]).into());
    ///
    /// let error = shape.row([0, 19]).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "index 19 is out of range for axis 1 of `JaggedShape{Shape[10], Shape[20]}`, which has extent 10\n\
    ///      help: its indices in row [0] are 0..10"
    /// );
    /// # Ok::<(), Error>(())
    /// ```
    pub fn row(&self, leading: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        let leading = leading.as_ref();
        if leading.len() > self.rank() {
            return Err(self.other_rank(leading));
        }
        let mut row = self.clone();
        for (axis, &index) in leading.iter().enumerate() {
            row = row.child(index).ok_or_else(|| self.beyond(axis, index.to_string(), &leading[..axis], &row))?;
        }
        Ok(row)
    }

    /// Whether this is an index of the shape.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// assert!(shape.contains([1, 15]) && !shape.contains([0, 15]) && !shape.contains([0]));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn contains(&self, index: impl AsRef<[usize]>) -> bool {
        let index = index.as_ref();
        let found = index.iter().try_fold(self.clone(), |row, &index| row.child(index));
        index.len() == self.rank() && found.is_some_and(|element| !element.is_null())
    }

    /// The row with this index along the first axis.
    fn child(&self, index: usize) -> Option<JaggedShape> {
        match self.form() {
            Form::Smooth(shape) => shape.chip_at([index]).ok().map(JaggedShape::from),
            Form::Rows(rows) => rows.list.get(index.checked_sub(rows.first())?).cloned(),
        }
    }

    /// The part from `begin` up to, but not including, `end`. It has the same rank. Rows that end before `end`, or begin after `begin`,
    /// keep what they have of the range.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when `begin` or `end` has another number of axes, [`ErrorKind::Bounds`] when a range leaves its axis of
    /// [`padded`](JaggedShape::padded), [`ErrorKind::Shape`] when a range ends before it begins.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// let part = shape.slice([0, 5], [2, 15])?;
    /// let rows = [Shape::new([5]).with_origin([5])?, Shape::new([10]).with_origin([5])?];
    /// assert_eq!(part, JaggedShape::rows(rows)?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        let (begin, end) = (begin.as_ref(), end.as_ref());
        for bound in [begin, end] {
            if bound.len() != self.rank() {
                return Err(self.other_rank(bound));
            }
        }
        for (axis, (&begin, &end)) in begin.iter().zip(end).enumerate() {
            let (first, extent) = (self.padded().origin()[axis], self.padded().extents()[axis]);
            if begin > end {
                return Err(Error::reversed(&format!("{begin}..{end}"), &format!("{self:?}"), axis));
            }
            if begin < first || end - first > extent {
                return Err(self.beyond(axis, format!("{begin}..{end}"), &[], self));
            }
        }
        Ok(self.within(begin, end))
    }

    /// The part that lies in a box; neither has to hold the other.
    fn within(&self, begin: &[usize], end: &[usize]) -> JaggedShape {
        let bounds = |axis: usize| {
            let first = self.padded().origin()[axis];
            (first, first + self.padded().extents()[axis])
        };
        let is_whole = (0..self.rank()).all(|axis| begin[axis] <= bounds(axis).0 && bounds(axis).1 <= end[axis]);
        let common = |axis: usize| {
            let (first, last) = bounds(axis);
            let begin = begin[axis].clamp(first, last);
            (begin, end[axis].clamp(begin, last))
        };
        match self.form() {
            // Rows that share their memory are not walked through where nothing changes.
            Form::Rows(_) if is_whole => self.clone(),
            Form::Smooth(shape) => {
                let ranges = || (0..shape.rank()).map(common);
                let extents = ranges().map(|(begin, end)| end - begin).collect();
                shape.with(extents, ranges().map(|(begin, _)| begin).collect()).into()
            }
            Form::Rows(rows) => {
                let (begin, end) = (&begin[1..], &end[1..]);
                let (first, last) = common(0);
                let kept = &rows.list[first - rows.first()..last - rows.first()];
                let extents = begin.iter().zip(end).map(|(begin, end)| end - begin).collect();
                let without_rows = Shape::default().with(extents, PerAxis::from_slice(begin));
                JaggedShape::of_equal_rank(first, kept.iter().map(|row| row.within(begin, end)).collect(), &without_rows)
            }
        }
    }

    /// The part at these indices of the leading axes, with the other axes whole. It has the same rank; the leading axes have extent 1.
    ///
    /// # Errors
    /// As [`row`](JaggedShape::row).
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([10]), Shape::new([20])])?;
    /// assert_eq!(shape.slice_at([0])?, JaggedShape::rows([Shape::new([10])])?);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        let leading = leading.as_ref();
        let around = |row, &index: &usize| JaggedShape::of_equal_rank(index, vec![row], &Shape::new([]));
        Ok(leading.iter().rev().fold(self.row(leading)?, around))
    }

    /// The part from `begin` up to, but not including, `end`. Axes on which this is a single index (`end` is `begin + 1`) are dropped.
    ///
    /// A column is a vector of the rows that reach it, and begins at the first of them. Where rows are left with more than one axis, those
    /// that do not reach a dropped index stay, without indices.
    ///
    /// # Errors
    /// As [`slice`](JaggedShape::slice); and [`ErrorKind::Shape`] when the rows that reach a column do not follow each other, or when the
    /// single index that is asked for is none of the shape.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let shape = JaggedShape::rows([Shape::new([1]), Shape::new([3]), Shape::new([2])])?;
    /// assert_eq!(shape.chip([1, 0], [2, 3])?, Shape::new([3]).into());
    /// assert_eq!(shape.chip([0, 1], [3, 2])?, Shape::new([2]).with_origin([1])?.into());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        let (begin, end) = (begin.as_ref(), end.as_ref());
        let mut chip = self.slice(begin, end)?;
        // From the last on, so that the numbers of the axes before it stay.
        for axis in (0..self.rank()).rev().filter(|&axis| end[axis] - begin[axis] == 1) {
            chip = chip.without(axis)?.ok_or_else(|| {
                let message = format!("`{self:?}` has no index {begin:?}");
                Error::new(ErrorKind::Shape(message))
            })?;
        }
        Ok(chip)
    }

    /// The part at these indices of the leading axes, without those axes: the same as [`row`](JaggedShape::row).
    ///
    /// # Errors
    /// As [`row`](JaggedShape::row).
    pub fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        self.row(leading)
    }

    /// The shape without an axis along which each row has at most one index; `None` if neither an axis nor an index is left.
    fn without(&self, axis: usize) -> Result<Option<JaggedShape>, Error> {
        match self.form() {
            Form::Smooth(shape) => {
                let kept = || (0..shape.rank()).filter(|&kept| kept != axis);
                let is_reached = shape.extents()[axis] == 1;
                let extents = kept().map(|kept| if is_reached { shape.extents()[kept] } else { 0 }).collect();
                let rest = shape.with(extents, kept().map(|kept| shape.origin()[kept]).collect());
                Ok((is_reached || rest.rank() > 0).then(|| rest.into()))
            }
            Form::Rows(rows) if axis == 0 => Ok(Some(rows.list[0].clone())),
            Form::Rows(rows) => {
                let first = rows.first();
                let rest: Vec<_> = rows.list.iter().map(|row| row.without(axis - 1)).collect::<Result<_, _>>()?;
                if rest.iter().any(Option::is_none) {
                    return column(first, &rest).map(|column| Some(column.into()));
                }
                let rest = rest.into_iter().flatten().collect();
                Ok(Some(JaggedShape::of_equal_rank(first, rest, &Shape::new([]))))
            }
        }
    }

    /// That another number of indices is given than there are axes.
    fn other_rank(&self, given: &[usize]) -> Error {
        Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: given.len() })
    }

    /// That an index, or a range, is not in the first axis of a row, which is the given axis of the whole.
    fn beyond(&self, axis: usize, index: String, leading: &[usize], row: &JaggedShape) -> Error {
        let at = if leading.is_empty() { axis } else { 0 };
        let (first, extent) = (row.padded().origin()[at], row.padded().extents()[at]);
        let error = Error::new(ErrorKind::Bounds { index, place: Place { operand: format!("{self:?}"), axis, extent } });
        let place = if leading.is_empty() { String::new() } else { format!(" in row {leading:?}") };
        match (first, leading) {
            (0, []) => error,
            _ => error.with_help(format!("its indices{place} are {first}..{}", first + extent)),
        }
    }
}

/// The rows that reach a column, as a vector.
fn column(first: usize, reached: &[Option<JaggedShape>]) -> Result<Shape, Error> {
    let rows: Vec<usize> = (0..reached.len()).filter(|&row| reached[row].is_some()).collect();
    if let Some(gap) = rows.windows(2).find(|rows| rows[0] + 1 < rows[1]) {
        let (before, missing, after) = (first + gap[0], first + gap[0] + 1, first + gap[1]);
        let message = format!("rows {before} and {after} reach this index, but row {missing} between them does not");
        return Err(Error::new(ErrorKind::Shape(message)).with_help("`slice` keeps the axis, and so can leave rows out"));
    }
    Shape::new([rows.len()]).with_origin([first + rows.first().unwrap_or(&0)])
}
