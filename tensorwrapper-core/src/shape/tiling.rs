//! [`Tiling`]: one axis of indices, cut into tiles that follow each other.
//!
//! Knows nothing of other axes, of which tiles are stored, or of elements.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use tensorwrapper_notation::sentence::{are, counted};

use super::charges::{ChargeGroup, Charges};
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// An axis that is cut into tiles: their extents, in the order in which they follow each other, and perhaps a charge for each.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Tiling};
/// let occ = Tiling::cuts([5, 15, 10]);
/// assert_eq!((occ.extent(), occ.len()), (30, 3));
/// assert_eq!(occ.tile(1)?, 5..20);
/// assert_eq!(occ.locate(19)?, (1, 14));
///
/// assert_eq!(Tiling::even(100, 16).extents().collect::<Vec<_>>(), [16, 16, 16, 16, 16, 16, 4]);
/// assert_eq!((Tiling::each(3), Tiling::whole(3)), (Tiling::cuts([1, 1, 1]), Tiling::cuts([3])));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Tiling {
    /// Where each tile begins, and where the last one ends.
    bounds: Arc<[usize]>,
    charges: Option<Charges>,
}

impl Tiling {
    /// Tiles of these extents, one after the other. Tiles without indices are allowed.
    ///
    /// # Panics
    /// When the sum of the extents exceeds `usize::MAX`.
    pub fn cuts(extents: impl IntoIterator<Item = usize>) -> Tiling {
        let mut bounds = vec![0];
        for extent in extents {
            let end = bounds[bounds.len() - 1];
            bounds.push(extent.checked_add(end).expect("an axis has at most `usize::MAX` indices"));
        }
        Tiling { bounds: bounds.into(), charges: None }
    }

    /// Tiles of `tile` indices each, of which the last one may be shorter.
    ///
    /// # Panics
    /// When `tile` is 0 and `extent` is not.
    pub fn even(extent: usize, tile: usize) -> Tiling {
        assert!(tile > 0 || extent == 0, "tiles of 0 indices never make {extent}");
        Tiling::cuts((0..extent).step_by(tile.max(1)).map(|begin| tile.min(extent - begin)))
    }

    /// Each index is a tile of its own.
    pub fn each(extent: usize) -> Tiling {
        Tiling::even(extent, 1)
    }

    /// One tile.
    pub fn whole(extent: usize) -> Tiling {
        Tiling::cuts([extent])
    }

    /// The same tiles with a charge each. Integers are charges of U(1).
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Tiling};
    /// let bond = Tiling::cuts([1, 2, 1]).charged([-2, 0, 2])?;
    /// assert_eq!(bond.charges().unwrap().of(0), [-2]);
    /// let error = Tiling::cuts([1, 2]).charged([0]).unwrap_err();
    /// assert_eq!(error.to_string(), "1 charge is given for 2 tiles");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there are not as many charges as tiles.
    pub fn charged(self, charges: impl Into<Charges>) -> Result<Tiling, Error> {
        let charges = charges.into();
        if charges.len() != self.len() {
            let message =
                format!("{} {} given for {}", counted(charges.len(), "charge"), are(charges.len()), counted(self.len(), "tile"));
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        Ok(Tiling { charges: Some(charges), ..self })
    }

    /// The same tiles without charges.
    #[must_use]
    pub fn uncharged(self) -> Tiling {
        Tiling { charges: None, ..self }
    }

    /// Number of tiles.
    pub fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Whether there is no tile.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of indices.
    pub fn extent(&self) -> usize {
        self.bounds[self.len()]
    }

    /// The extents of the tiles.
    pub fn extents(&self) -> impl ExactSizeIterator<Item = usize> + '_ {
        self.bounds.windows(2).map(|bounds| bounds[1] - bounds[0])
    }

    /// Where tiles begin, and where the last one ends: one number more than there are tiles.
    pub fn bounds(&self) -> &[usize] {
        &self.bounds
    }

    /// The indices of a tile.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such tile.
    pub fn tile(&self, tile: usize) -> Result<Range<usize>, Error> {
        match self.bounds.get(tile..).and_then(|bounds| bounds.get(..2)) {
            Some(bounds) => Ok(bounds[0]..bounds[1]),
            None => Err(Error::new(ErrorKind::Shape(format!("`{self:?}` has no tile {tile}; it has {}", self.len())))),
        }
    }

    /// The tile of an index, and where the index stands in it.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when there is no such index.
    pub fn locate(&self, index: usize) -> Result<(usize, usize), Error> {
        if index >= self.extent() {
            let message = format!("`{self:?}` has no index {index}; it has {}", self.extent());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        // Behind tiles without indices that begin at the same place.
        let tile = self.bounds.partition_point(|&begin| begin <= index) - 1;
        Ok((tile, index - self.bounds[tile]))
    }

    /// The part of the axis from `begin` up to, but not including, `end`. Tiles that the range cuts are as long as their part in it.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Tiling};
    /// let part = Tiling::cuts([5, 15, 10]).slice(3, 20)?;
    /// assert_eq!(part, Tiling::cuts([2, 15]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the range leaves the axis, or ends before it begins.
    pub fn slice(&self, begin: usize, end: usize) -> Result<Tiling, Error> {
        if begin > end || end > self.extent() {
            let message = format!("`{self:?}` has no range {begin}..{end}; its indices are 0..{}", self.extent());
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        let (mut extents, mut charges) = (Vec::new(), Vec::new());
        for (tile, bounds) in self.bounds.windows(2).enumerate() {
            let (first, last) = (bounds[0].max(begin), bounds[1].min(end));
            // Tiles without indices stay if they stand in the range or at its ends.
            if first < last || (first == last && bounds[0] == bounds[1]) {
                extents.push(last - first);
                charges.extend(self.charges.as_ref().map(|charges| charges.of(tile)));
            }
        }
        let part = Tiling::cuts(extents);
        match &self.charges {
            Some(whole) => part.charged(Charges::new(whole.group().clone(), charges)?),
            None => Ok(part),
        }
    }

    /// The charges of the tiles, if they have any.
    pub fn charges(&self) -> Option<&Charges> {
        self.charges.as_ref()
    }

    /// Whether both are cut alike, whatever their charges are.
    pub fn same_cuts(&self, other: &Tiling) -> bool {
        self.bounds == other.bounds
    }

    /// The axis that is cut wherever one of the two is, without charges; nothing when their extents differ. Tiles without indices are
    /// left out.
    pub fn refined(&self, other: &Tiling) -> Option<Tiling> {
        if self.extent() != other.extent() {
            return None;
        }
        let mut bounds: Vec<usize> = self.bounds.iter().chain(&*other.bounds).copied().collect();
        bounds.sort_unstable();
        bounds.dedup();
        Some(Tiling { bounds: bounds.into(), charges: None })
    }
}

/// Written as `5, 15, 10`, with charges as `1(-2), 2(0), 1(2)`, and behind them their group if it is not U(1): `1(0), 2(1) in Z_2`. Such
/// text can be read again.
///
/// ```
/// # use tensorwrapper_core::{Charges, Error, Tiling};
/// let irreps = Tiling::cuts([3, 1]).charged(Charges::modulo([2, 2], [[0, 0], [1, 1]])?)?;
/// assert_eq!(irreps.to_string(), "3(0, 0), 1(1, 1) in Z_2 x Z_2");
/// assert_eq!("3(0, 0), 1(1, 1) in Z_2 x Z_2".parse::<Tiling>()?, irreps);
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (tile, extent) in self.extents().enumerate() {
            let comma = if tile > 0 { ", " } else { "" };
            write!(f, "{comma}{extent}")?;
            if let Some(charges) = &self.charges {
                let charge: Vec<String> = charges.of(tile).iter().map(i64::to_string).collect();
                write!(f, "({})", charge.join(", "))?;
            }
        }
        let is_other = |charges: &&Charges| charges.is_empty() || *charges.group() != ChargeGroup::integers();
        match self.charges.as_ref().filter(is_other) {
            Some(charges) => write!(f, "{}in {}", if charges.is_empty() { "" } else { " " }, charges.group()),
            None => Ok(()),
        }
    }
}

/// Printed as `Tiling[5, 15, 10]`.
impl fmt::Debug for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tiling[{self}]")
    }
}
