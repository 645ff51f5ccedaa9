//! [`TiledShape`]: a smooth shape whose axes are cut into tiles.
//!
//! Knows nothing of which tiles are stored, or of elements.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;

use super::axes::PerAxis;
use super::index::MultiIndex;
use super::indices::Indices;
use super::jagged::JaggedShape;
use super::tiling::Tiling;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// A smooth shape that is cut into tiles along its axes. A tile is a box of indices; a number along each axis tells which.
///
/// The indices are those of the whole shape. The jagged shape that `From` makes has the numbers of a tile as axes of their own, followed by
/// the indices in the tile, so that its rank is twice as large. `==` compares tiles, charges and origin.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, JaggedShape, Shape, TiledShape, Tiling};
/// let (occ, vir) = (Tiling::cuts([5, 15]), Tiling::even(100, 40));
/// let shape = TiledShape::new([&occ, &vir]);
/// assert_eq!((shape.extents(), shape.size()?, shape.tiles()), (&[20, 100][..], 2000, Shape::new([2, 3])));
/// assert_eq!(shape.tile([1, 2])?, Shape::new([15, 20]).with_origin([5, 80])?);
/// assert_eq!(shape.locate([7, 39])?, ([1, 0].into(), [2, 39].into()));
///
/// let stored = JaggedShape::from(shape);
/// assert_eq!((stored.rank(), stored.size()?), (4, 2000));
/// assert_eq!(stored.row([1, 2])?, Shape::new([15, 20]).into());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct TiledShape {
    shape: Shape,
    tilings: Vec<Tiling>,
}

impl TiledShape {
    /// A shape whose axes are cut so, beginning at zero.
    pub fn new(tilings: impl IntoIterator<Item = impl Borrow<Tiling>>) -> TiledShape {
        let tilings: Vec<Tiling> = tilings.into_iter().map(|tiling| tiling.borrow().clone()).collect();
        TiledShape { shape: tilings.iter().map(Tiling::extent).collect(), tilings }
    }

    /// The same tiles with another first index.
    ///
    /// # Errors
    /// As [`Shape::with_origin`].
    pub fn with_origin(self, origin: impl AsRef<[usize]>) -> Result<TiledShape, Error> {
        Ok(TiledShape { shape: self.shape.with_origin(origin)?, ..self })
    }

    /// The shape without its tiles.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How the axes are cut.
    pub fn tilings(&self) -> &[Tiling] {
        &self.tilings
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &[usize] {
        self.shape.extents()
    }

    /// Number of indices along one axis; negative numbers count from the last axis, which is -1.
    ///
    /// # Errors
    /// As [`Shape::extent`].
    pub fn extent(&self, axis: isize) -> Result<usize, Error> {
        self.shape.extent(axis)
    }

    /// The first index.
    pub fn origin(&self) -> &[usize] {
        self.shape.origin()
    }

    /// Number of indices.
    ///
    /// # Errors
    /// As [`Shape::size`].
    pub fn size(&self) -> Result<usize, Error> {
        self.shape.size()
    }

    /// Number of indices that the first axes have alone.
    pub(super) fn size_of_leading(&self, axes: usize) -> Result<usize, Error> {
        self.shape.size_of_leading(axes)
    }

    /// Number of tiles along each axis, as a shape: its indices are the numbers of the tiles.
    pub fn tiles(&self) -> Shape {
        self.tilings.iter().map(Tiling::len).collect()
    }

    /// The indices of the tile with these numbers along the axes. The origin of the tile is its first index in the whole.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when another number of numbers is given than there are axes, [`ErrorKind::Shape`] when there is no such tile.
    pub fn tile(&self, tile: impl AsRef<[usize]>) -> Result<Shape, Error> {
        let tile = tile.as_ref();
        self.shape.check_rank(tile)?;
        for (axis, (&tile, tiling)) in tile.iter().zip(&self.tilings).enumerate() {
            if tile >= tiling.len() {
                let message = format!("axis {axis} of `{self:?}` has no tile {tile}; it has {}", tiling.len());
                return Err(Error::new(ErrorKind::Shape(message)));
            }
        }
        Ok(self.tile_at(tile))
    }

    /// The same for numbers that have been checked.
    fn tile_at(&self, tile: &[usize]) -> Shape {
        let axes = || tile.iter().zip(&self.tilings).zip(self.origin());
        let extents = axes().map(|((&tile, tiling), _)| tiling.bounds()[tile + 1] - tiling.bounds()[tile]);
        self.shape.with(extents.collect(), axes().map(|((&tile, tiling), first)| first + tiling.bounds()[tile]).collect())
    }

    /// The tile of an index, and where the index stands in it.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Bounds`] when this is no index of the shape.
    pub fn locate(&self, index: impl AsRef<[usize]>) -> Result<(MultiIndex, MultiIndex), Error> {
        let index = index.as_ref();
        self.shape.check_rank(index)?;
        let (mut tile, mut offset) = (PerAxis::<usize>::new(), PerAxis::<usize>::new());
        for (axis, (&index, tiling)) in index.iter().zip(&self.tilings).enumerate() {
            self.shape.check_index(axis, index)?;
            let (number, at) = tiling.locate(index - self.origin()[axis])?;
            tile.push(number);
            offset.push(at);
        }
        Ok((tile.into_iter().collect(), offset.into_iter().collect()))
    }

    /// All tiles with their origins, in lexicographic order of their numbers.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Shape, TiledShape, Tiling};
    /// let shape = TiledShape::new([Tiling::cuts([2, 1]), Tiling::whole(4)]);
    /// let boxes: Vec<Shape> = shape.boxes().collect();
    /// assert_eq!(boxes, [Shape::new([2, 4]), Shape::new([1, 4]).with_origin([2, 0])?]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn boxes(&self) -> impl Iterator<Item = Shape> + '_ {
        self.tiles().indices().map(|tile| self.tile_at(&tile))
    }

    /// All indices of the whole shape in lexicographic order, whatever the tiles are.
    pub fn indices(&self) -> Indices {
        self.shape.indices()
    }

    /// All indices minus the origin.
    pub fn offsets(&self) -> Indices {
        self.shape.offsets()
    }

    /// The part from `begin` up to, but not including, `end`, with the tiles that it has, or has a part of.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, TiledShape, Tiling};
    /// let shape = TiledShape::new([Tiling::cuts([5, 15, 10]), Tiling::whole(4)]);
    /// let part = shape.slice([3, 0], [20, 4])?;
    /// assert_eq!(part, TiledShape::new([Tiling::cuts([2, 15]), Tiling::whole(4)]).with_origin([3, 0])?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Shape::slice`].
    pub fn slice(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<TiledShape, Error> {
        self.part(self.shape.slice(begin, end)?)
    }

    /// The part at these indices of the leading axes, which have extent 1 in it.
    ///
    /// # Errors
    /// As [`Shape::slice_at`].
    pub fn slice_at(&self, leading: impl AsRef<[usize]>) -> Result<TiledShape, Error> {
        self.part(self.shape.slice_at(leading)?)
    }

    /// The part from `begin` up to, but not including, `end`. Axes on which this is a single index are dropped.
    ///
    /// # Errors
    /// As [`Shape::chip`].
    pub fn chip(&self, begin: impl AsRef<[usize]>, end: impl AsRef<[usize]>) -> Result<TiledShape, Error> {
        let slice = self.slice(begin, end)?;
        let kept: PerAxis<bool> = slice.extents().iter().map(|&extent| extent != 1).collect();
        Ok(slice.with_axes(&kept))
    }

    /// The part at these indices of the leading axes, without those axes.
    ///
    /// # Errors
    /// As [`Shape::chip_at`].
    pub fn chip_at(&self, leading: impl AsRef<[usize]>) -> Result<TiledShape, Error> {
        let leading = leading.as_ref();
        let kept: PerAxis<bool> = (0..self.rank()).map(|axis| axis >= leading.len()).collect();
        Ok(self.slice_at(leading)?.with_axes(&kept))
    }

    /// The tiles of a part of the shape.
    fn part(&self, part: Shape) -> Result<TiledShape, Error> {
        let axes = part.origin().iter().zip(part.extents()).zip(self.origin().iter().zip(&self.tilings));
        let tilings = axes.map(|((&begin, &extent), (&first, tiling))| tiling.slice(begin - first, begin - first + extent));
        Ok(TiledShape { tilings: tilings.collect::<Result<_, _>>()?, shape: part })
    }

    /// Only some of the axes.
    fn with_axes(&self, kept: &[bool]) -> TiledShape {
        let axes = || (0..self.rank()).filter(|&axis| kept[axis]);
        let shape =
            self.shape.with(axes().map(|axis| self.extents()[axis]).collect(), axes().map(|axis| self.origin()[axis]).collect());
        TiledShape { shape, tilings: axes().map(|axis| self.tilings[axis].clone()).collect() }
    }
}

/// The numbers of a tile are the first axes, the indices in the tile the others; both begin at zero, whatever the origin is. Tiles of equal
/// extents share their memory.
impl From<TiledShape> for JaggedShape {
    fn from(shape: TiledShape) -> JaggedShape {
        rows_of_tiles(&shape.tilings, &mut Vec::new())
    }
}

/// The tiles along some axes, each with the extents given for the axes before.
fn rows_of_tiles(tilings: &[Tiling], extents: &mut Vec<usize>) -> JaggedShape {
    let Some((first, rest)) = tilings.split_first() else { return Shape::new(extents).into() };
    let without_tiles = Shape::new(vec![0; extents.len() + 1 + 2 * rest.len()]);
    let mut known: HashMap<usize, JaggedShape> = HashMap::new();
    let mut row = |extent: usize| {
        let make = || {
            extents.push(extent);
            let row = rows_of_tiles(rest, extents);
            extents.pop();
            row
        };
        known.entry(extent).or_insert_with(make).clone()
    };
    let rows = first.extents().map(&mut row).collect();
    JaggedShape::of_equal_rank(0, rows, &without_tiles)
}

/// Printed as its text: `TiledShape[[5, 15, 10], [4, 4]]+[1, 0]`.
impl fmt::Debug for TiledShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TiledShape{self}")
    }
}
