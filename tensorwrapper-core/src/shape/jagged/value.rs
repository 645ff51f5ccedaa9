//! [`JaggedShape`] as a value: a smooth shape, or rows that are jagged shapes themselves; rank, size, extents and origins.
//!
//! Knows nothing of parts (`select.rs`) and of walks through the indices (`boxes.rs`).

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use tensorwrapper_notation::sentence::counted;

use crate::error::{Error, ErrorKind};
use crate::shape::axes::{PerAxis, axis_of};
use crate::shape::value::Shape;

/// Rows within rows within rows: so deep at most, because shapes are walked by recursion.
const MOST_LEVELS: usize = 256;
/// So many smooth rows are printed; errors contain the text of the shape that they are about.
const PRINTED: usize = 16;

/// A jagged shape: a list of rows, which are the shapes of the slices along the first axis, and need not be equal.
///
/// Rows are jagged shapes in turn, down to smooth ones. A smooth [`Shape`] of any rank is a jagged shape, too, by `From`. The smallest
/// smooth shape that has all the indices is [`padded`](JaggedShape::padded).
///
/// Rows count from the origin of the first axis, and the indices of a row from the origin of the row. `==` compares extents and origins.
/// Rows that are smooth and equal are a smooth shape: two rows of 10 are equal to `Shape::new([2, 10])`.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, JaggedShape, Shape};
/// let shape = JaggedShape::rows([Shape::new([1]), Shape::new([3])])?;
/// assert_eq!((shape.rank(), shape.size()?, shape.is_smooth()), (2, 4, false));
/// assert_eq!((shape.extent(0)?, shape.extent(1)?, shape.padded()), (Some(2), None, &Shape::new([2, 3])));
/// assert_eq!(shape.row([1])?, Shape::new([3]).into());
/// assert_eq!(shape.indices().collect::<Vec<_>>(), [[0, 0], [1, 0], [1, 1], [1, 2]]);
///
/// let deeper = JaggedShape::of([shape.clone(), JaggedShape::rows([Shape::new([5])])?])?;
/// assert_eq!((deeper.rank(), deeper.size()?), (3, 9));
///
/// let error = JaggedShape::rows([Shape::new([10, 20, 30]), Shape::new([10, 20])]).unwrap_err();
/// assert_eq!(error.to_string(), "row 1 has rank 2, but row 0 has rank 3");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JaggedShape {
    form: Form,
}

/// Each set of indices has one form: what can be smooth is.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Form {
    Smooth(Shape),
    Rows(Arc<Rows>),
}

/// At least one row, and facts about the rows. These are computed once: rows can share their memory, as tiles of equal extents do, so that
/// a shape of a few megabytes can have more rows within rows than could be counted one by one.
#[derive(PartialEq, Eq)]
pub(super) struct Rows {
    /// The hash of all that follows; compared first.
    digest: u64,
    /// The smallest smooth shape that has all indices. Its first axis is that of the rows.
    pub(super) padded: Shape,
    pub(super) list: Vec<JaggedShape>,
    /// For 0, 1, … axes, how many indices the first so many axes have alone, where a number can say it.
    counts: Vec<Option<usize>>,
    /// Along each axis, the number of indices that all rows have.
    extents: Vec<Option<usize>>,
    /// One more than the deepest row has.
    levels: usize,
}

impl Rows {
    /// The index of the first row.
    pub(super) fn first(&self) -> usize {
        self.padded.origin()[0]
    }
}

impl Hash for Rows {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.digest.hash(state);
    }
}

impl JaggedShape {
    /// Rows that are smooth, from the first row on. Without rows this is a vector without elements; rows without axes are the elements of a
    /// vector.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when rows differ in rank, or when one is the null shape.
    pub fn rows(rows: impl IntoIterator<Item = Shape>) -> Result<JaggedShape, Error> {
        JaggedShape::of(rows.into_iter().map(JaggedShape::from))
    }

    /// Rows that may be jagged.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let [s10, s20, s30] = [10, 20, 30].map(|extent| Shape::new([extent]));
    /// let e0 = JaggedShape::rows([s10.clone()])?;
    /// let e1 = JaggedShape::rows([s20, s30, s10])?;
    /// let shape = JaggedShape::of([e0, e1])?;
    /// assert_eq!((shape.rank(), shape.size()?), (3, 70));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`rows`](JaggedShape::rows), and when rows are within rows more than 256 times.
    pub fn of(rows: impl IntoIterator<Item = JaggedShape>) -> Result<JaggedShape, Error> {
        let rows: Vec<JaggedShape> = rows.into_iter().collect();
        let refuse = |message| Err(Error::new(ErrorKind::Shape(message)));
        if let Some(row) = rows.iter().position(JaggedShape::is_null) {
            return refuse(format!("row {row} is the null shape, which has neither axes nor elements"));
        }
        if let Some((row, other)) = rows.iter().enumerate().find(|(_, row)| row.rank() != rows[0].rank()) {
            return refuse(format!("row {row} has rank {}, but row 0 has rank {}", other.rank(), rows[0].rank()));
        }
        if rows.iter().any(|row| row.levels() >= MOST_LEVELS) {
            return refuse(format!("rows cannot be within rows more than {MOST_LEVELS} times"));
        }
        Ok(JaggedShape::of_equal_rank(0, rows, &Shape::new([])))
    }

    /// The null shape: no axes and no elements. See [`Shape::null`].
    pub fn null() -> JaggedShape {
        Shape::null().into()
    }

    /// The same rows with another origin of the first axes; the others stay. Rows keep the origins of axes for which no number is given.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let rows = [Shape::new([1]).with_origin([5])?, Shape::new([2]).with_origin([6])?];
    /// let shape = JaggedShape::rows(rows)?.with_origin([10])?;
    /// assert_eq!(shape.indices().collect::<Vec<_>>(), [[10, 5], [11, 6], [11, 7]]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when there are more numbers than axes, [`ErrorKind::Shape`] when an index would exceed `usize::MAX`.
    pub fn with_origin(self, origin: impl AsRef<[usize]>) -> Result<JaggedShape, Error> {
        let origin = origin.as_ref();
        if origin.len() > self.rank() {
            return Err(Error::new(ErrorKind::Rank { operand: format!("{self:?}"), rank: self.rank(), given: origin.len() }));
        }
        self.moved(origin)
    }

    fn moved(&self, origin: &[usize]) -> Result<JaggedShape, Error> {
        let Some((&first, inner)) = origin.split_first() else { return Ok(self.clone()) };
        match &self.form {
            Form::Smooth(shape) => {
                let whole: PerAxis<usize> = origin.iter().chain(&shape.origin()[origin.len()..]).copied().collect();
                Ok(shape.clone().with_origin(whole)?.into())
            }
            Form::Rows(rows) => {
                Shape::new([rows.list.len()]).with_origin([first])?;
                let rows = rows.list.iter().map(|row| row.moved(inner)).collect::<Result<_, _>>()?;
                Ok(JaggedShape::of_equal_rank(first, rows, &Shape::new([])))
            }
        }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.padded().rank()
    }

    /// Number of indices: the sum over the rows.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the number exceeds `usize::MAX`.
    pub fn size(&self) -> Result<usize, Error> {
        self.size_of_leading(self.rank())
    }

    /// Number of indices that the first axes have alone.
    pub(in crate::shape) fn size_of_leading(&self, axes: usize) -> Result<usize, Error> {
        self.count(axes).ok_or_else(|| {
            let message = format!("`{self:?}` has more than {} indices", usize::MAX);
            Error::new(ErrorKind::Shape(message))
        })
    }

    fn count(&self, axes: usize) -> Option<usize> {
        match &self.form {
            Form::Smooth(shape) => shape.size_of_leading(axes).ok(),
            Form::Rows(rows) => rows.counts[axes],
        }
    }

    /// Whether there is no index.
    pub fn is_empty(&self) -> bool {
        self.count(self.rank()) == Some(0)
    }

    /// Whether this is [`JaggedShape::null`].
    pub fn is_null(&self) -> bool {
        self.smooth().is_some_and(Shape::is_null)
    }

    /// Whether the rows are equal, so that this is a smooth shape.
    pub fn is_smooth(&self) -> bool {
        self.smooth().is_some()
    }

    /// The shape, if it is smooth.
    pub fn smooth(&self) -> Option<&Shape> {
        match &self.form {
            Form::Smooth(shape) => Some(shape),
            Form::Rows(_) => None,
        }
    }

    /// The smallest smooth shape that has all indices of this one.
    pub fn padded(&self) -> &Shape {
        match &self.form {
            Form::Smooth(shape) => shape,
            Form::Rows(rows) => &rows.padded,
        }
    }

    /// Number of indices along an axis if it is the same for all rows, otherwise `None`. Negative numbers count from the last axis, which
    /// is -1.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such axis.
    pub fn extent(&self, axis: isize) -> Result<Option<usize>, Error> {
        match axis_of(axis, self.rank()) {
            Some(axis) => Ok(self.common_extent(axis)),
            None => {
                let message = format!("`{self:?}` is of rank {} and has no axis {axis}", self.rank());
                let error = Error::new(ErrorKind::Shape(message));
                Err(error.with_help("axes count 0, 1, … from the first, or -1, -2, … from the last"))
            }
        }
    }

    fn common_extent(&self, axis: usize) -> Option<usize> {
        match &self.form {
            Form::Smooth(shape) => Some(shape.extents()[axis]),
            Form::Rows(rows) => rows.extents[axis],
        }
    }

    /// The rank of the smooth slices that the shape consists of: its own if it is smooth, otherwise at least one less.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, JaggedShape, Shape};
    /// let matrices = JaggedShape::rows([Shape::new([10, 20]), Shape::new([30, 40])])?;
    /// assert_eq!((matrices.rank(), matrices.smooth_rank()), (3, 2));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn smooth_rank(&self) -> usize {
        self.rank() - self.levels()
    }

    fn levels(&self) -> usize {
        match &self.form {
            Form::Smooth(_) => 0,
            Form::Rows(rows) => rows.levels,
        }
    }

    pub(super) fn form(&self) -> &Form {
        &self.form
    }

    /// Rows of one rank, none of them null, the first of which is number `first`. If there are none, the rank is one more than that of
    /// `inner`, which is the shape of the other axes.
    pub(in crate::shape) fn of_equal_rank(first: usize, rows: Vec<JaggedShape>, inner: &Shape) -> JaggedShape {
        let equal = rows.iter().all(|row| row.is_smooth() && *row == rows[0]);
        if equal {
            let inner = rows.first().map_or(inner, JaggedShape::padded);
            let extents = [rows.len()].iter().chain(inner.extents()).copied().collect();
            return inner.with(extents, [first].iter().chain(inner.origin()).copied().collect()).into();
        }
        JaggedShape { form: Form::Rows(Arc::new(summarised(first, rows))) }
    }
}

/// Rows of one rank, of which there is at least one, with what follows from them.
fn summarised(first: usize, list: Vec<JaggedShape>) -> Rows {
    let rank = list[0].rank();
    let sum = |axes| list.iter().try_fold(0usize, |sum, row| sum.checked_add(row.count(axes)?));
    let counts = [Some(1)].into_iter().chain((0..=rank).map(sum)).collect();
    let common = |axis| {
        let extent = list[0].common_extent(axis)?;
        list.iter().all(|row| row.common_extent(axis) == Some(extent)).then_some(extent)
    };
    let extents = [Some(list.len())].into_iter().chain((0..rank).map(common)).collect();
    let levels = 1 + list.iter().map(JaggedShape::levels).max().unwrap_or(0);
    let mut hasher = DefaultHasher::new();
    (first, &list).hash(&mut hasher);
    Rows { digest: hasher.finish(), padded: smallest_box(first, &list), list, counts, extents, levels }
}

/// The smallest box that has all indices of some rows, of which there is at least one.
fn smallest_box(first: usize, rows: &[JaggedShape]) -> Shape {
    let (mut extents, mut origin) = (PerAxis::from_elem(rows.len(), 1), PerAxis::from_elem(first, 1));
    for axis in 0..rows[0].rank() {
        let range = |row: &JaggedShape| (row.padded().origin()[axis], row.padded().origin()[axis] + row.padded().extents()[axis]);
        // Where a row has no index along the axis, it does not matter where it begins.
        let ranges = rows.iter().map(range).filter(|(begin, end)| begin < end);
        let join = |one: (usize, usize), other: (usize, usize)| (one.0.min(other.0), one.1.max(other.1));
        let (begin, end) = ranges.reduce(join).unwrap_or_else(|| range(&rows[0]));
        extents.push(end - begin);
        origin.push(begin);
    }
    Shape::default().with(extents, origin)
}

impl From<Shape> for JaggedShape {
    fn from(shape: Shape) -> JaggedShape {
        JaggedShape { form: Form::Smooth(shape) }
    }
}

impl From<&Shape> for JaggedShape {
    fn from(shape: &Shape) -> JaggedShape {
        shape.clone().into()
    }
}

/// Written as `{[10], [20]}`, rows of rows in braces of their own, and behind them the origin of the rows if it is not zero:
/// `{{[20], [30]}+[1], [1, 10]}`; a smooth shape as the [`Shape`] that it is. All rows are written, so that such text can be read again.
///
/// ```
/// # use tensorwrapper_core::{Error, JaggedShape, Shape};
/// let shape: JaggedShape = "{[10], [5..25]}".parse()?;
/// assert_eq!(shape, JaggedShape::rows([Shape::new([10]), Shape::new([20]).with_origin([5])?])?);
/// assert_eq!(shape.to_string(), "{[10], [5..25]}");
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for JaggedShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = match &self.form {
            Form::Smooth(shape) => return write!(f, "{shape}"),
            Form::Rows(rows) => rows,
        };
        for (n, row) in rows.list.iter().enumerate() {
            write!(f, "{}{row}", if n > 0 { ", " } else { "{" })?;
        }
        match rows.first() {
            0 => f.write_str("}"),
            first => write!(f, "}}+[{first}]"),
        }
    }
}

/// Printed as `JaggedShape{Shape[10], Shape[20]}`, rows of rows in braces of their own, and behind them the origin of the rows if it is not
/// zero: `JaggedShape{{Shape[20], Shape[30]}+[1], Shape[1, 10]}`. Of many rows the first are printed, and how many there are. A smooth
/// shape is printed as `JaggedShape(Shape[2, 3])`.
impl fmt::Debug for JaggedShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Smooth(shape) => write!(f, "JaggedShape({shape:?})"),
            Form::Rows(_) => {
                f.write_str("JaggedShape")?;
                print(self, f, &mut { PRINTED })
            }
        }
    }
}

/// Prints rows until so many smooth ones as are `left` have been printed.
fn print(shape: &JaggedShape, f: &mut fmt::Formatter<'_>, left: &mut usize) -> fmt::Result {
    let rows = match &shape.form {
        Form::Smooth(shape) => {
            *left -= 1;
            return fmt::Debug::fmt(shape, f);
        }
        Form::Rows(rows) => rows,
    };
    f.write_str("{")?;
    for (n, row) in rows.list.iter().enumerate() {
        f.write_str(if n > 0 { ", " } else { "" })?;
        if *left == 0 {
            write!(f, "…: {}", counted(rows.list.len(), "row"))?;
            break;
        }
        print(row, f, left)?;
    }
    f.write_str("}")?;
    match rows.first() {
        0 => Ok(()),
        first => write!(f, "+[{first}]"),
    }
}
