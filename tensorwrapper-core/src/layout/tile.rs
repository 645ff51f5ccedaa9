//! One level of tiles.
//!
//! Knows nothing of the axes that it will be laid over.

use super::refuse;
use crate::error::Error;
use crate::shape::PerAxis;

/// A tile: a box of elements that are contiguous in memory.
///
/// Its extents apply to the most minor axes of the array, in the order major to minor. An array of extents `(d, e)` with tiles of
/// `(t, u)` is stored as one of extents `(⌈d/t⌉, ⌈e/u⌉, t, u)`; the rest of an incomplete tile is padding. If a tile has more extents
/// than the array has axes, axes of extent 1 are added in front.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Dtype, Error, Layout, Logical, Physical, Tile};
/// let layout = Layout::row_major(2).with_tiles([Tile::new([2, 2])?]);
/// let stored = Physical::new(Logical::new(Dtype::F32, [3, 5])?, layout)?;
/// assert_eq!(stored.to_string(), "f32[3,5]{1,0:T(2,2)}");
/// assert_eq!(stored.position(&[2, 3])?, 17);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tile {
    extents: PerAxis<Option<usize>>,
}

impl Tile {
    /// A tile of these extents, major to minor.
    ///
    /// # Errors
    /// When there are no extents, or one is 0.
    pub fn new(extents: impl AsRef<[usize]>) -> Result<Tile, Error> {
        Tile::combining(extents.as_ref().iter().map(|&extent| Some(extent)).collect::<Vec<_>>())
    }

    /// A tile that combines axes before it divides them. `None`, written `*`, merges an axis with the next more minor one.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Layout, Tile};
    /// let tile = Tile::combining([None, Some(4)])?; // all elements of two axes in a row, in fours
    /// assert_eq!(Layout::row_major(2).with_tiles([tile]).to_string(), "{1,0:T(*,4)}");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When there are no extents, one is 0, or the last is `None`.
    pub fn combining(extents: impl AsRef<[Option<usize>]>) -> Result<Tile, Error> {
        let extents = extents.as_ref();
        if let Some(n) = extents.iter().position(|&extent| extent == Some(0)) {
            return refuse(format!("extent {n} of a tile is 0"));
        }
        match extents.last() {
            None => refuse("a tile has no extents".into()),
            Some(None) => refuse("the last extent of a tile is `*`, and no axis is left to combine with".into()),
            Some(Some(_)) => Ok(Tile { extents: PerAxis::from_slice(extents) }),
        }
    }

    /// The extents, major to minor; `None` for an axis that is combined with the next.
    pub fn extents(&self) -> &[Option<usize>] {
        &self.extents
    }
}
