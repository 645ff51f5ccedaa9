//! Shapes as text, written and read: `Display` and `FromStr` of a shape are inverse.
//!
//! Knows nothing of what a shape is for.

use std::fmt;
use std::ops::Range;

use super::charges::{Charge, ChargeGroup, Charges};
use super::jagged::JaggedShape;
use super::nested_shape::Nested;
use super::tiled::TiledShape;
use super::tiling::Tiling;
use super::value::Shape;
use crate::error::Error;
use crate::reader::{Reader, fault, from_str, placed};

/// Rows are read so deep within rows, which is as deep as they can be.
const MOST_LEVELS: usize = 256;

from_str! {
    Shape: |reader| reader.shape();
    Tiling: |reader| reader.tiling();
    TiledShape: |reader| reader.tiled();
    JaggedShape: |reader| reader.jagged(0);
    Nested<Shape>: |reader| { let shape = reader.shape()?; reader.layers(|layers| Nested::new(layers, shape)) };
    Nested<TiledShape>: |reader| { let shape = reader.tiled()?; reader.layers(|layers| Nested::new(layers, shape)) };
    Nested<JaggedShape>: |reader| { let shape = reader.jagged(0)?; reader.layers(|layers| Nested::new(layers, shape)) };
}

/// Written as the factors of the product: `U(1)`, `Z_2 x Z_2`, and `{}` for a product of none.
impl fmt::Display for ChargeGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, modulus) in self.moduli().iter().enumerate() {
            f.write_str(if n > 0 { " x " } else { "" })?;
            match modulus {
                0 => f.write_str("U(1)")?,
                modulus => write!(f, "Z_{modulus}")?,
            }
        }
        if self.moduli().is_empty() { f.write_str("{}") } else { Ok(()) }
    }
}

/// Written as `[[5, 15, 10], [4, 4]]`, each axis as its [`Tiling`], and behind them the origin if it is not zero: `+[1, 0]`. Such text can
/// be read again.
///
/// ```
/// # use tensorwrapper_core::{Error, TiledShape};
/// let shape: TiledShape = "[[5, 15], [1(0), 1(1) in Z_2]]+[2, 0]".parse()?;
/// assert_eq!((shape.extents(), shape.origin()), (&[20, 2][..], &[2, 0][..]));
/// assert_eq!(shape.to_string().parse::<TiledShape>()?, shape);
///
/// let error = "[[5, 15], [1(0), 1]]".parse::<TiledShape>().unwrap_err();
/// assert_eq!(error.to_string(), "tile 1 has no charge, but tile 0 has one (at byte 18)");
/// # Ok::<(), Error>(())
/// ```
impl fmt::Display for TiledShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (axis, tiling) in self.tilings().iter().enumerate() {
            write!(f, "{}[{tiling}]", if axis > 0 { ", " } else { "" })?;
        }
        f.write_str("]")?;
        if self.origin().iter().any(|&first| first != 0) {
            write!(f, "+{:?}", self.origin())?;
        }
        Ok(())
    }
}

/// Written as its layers behind the shape: `[2, 2, 10, 10] in layers of [2, 2] axes`. Such text can be read again.
///
/// ```
/// # use tensorwrapper_core::{Error, JaggedShape, Nested, Shape};
/// let matrices: Nested<Shape> = "[2, 10, 10] in layers of [1, 2] axes".parse()?;
/// assert_eq!(matrices, Nested::new([1, 2], Shape::new([2, 10, 10]))?);
/// let rows: Nested<JaggedShape> = "{[10], [20]} in layers of [1, 1] axes".parse()?;
/// assert_eq!(rows.to_string(), "{[10], [20]} in layers of [1, 1] axes");
/// # Ok::<(), Error>(())
/// ```
impl<S: super::AnyShape + fmt::Display> fmt::Display for Nested<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in layers of {:?} axes", **self, self.layers())
    }
}

impl Reader<'_> {
    /// Extents, or ranges of indices: `[2, 3]`, `[1..3, 0..3]`.
    pub(crate) fn shape(&mut self) -> Result<Shape, Error> {
        if self.take_words("no tensor") {
            return Ok(Shape::null());
        }
        self.need("[")?;
        let ranges = self.list("]", Reader::range)?;
        ranges.iter().map(Range::len).collect::<Shape>().with_origin(ranges.iter().map(|range| range.start).collect::<Vec<_>>())
    }

    fn range(&mut self) -> Result<Range<usize>, Error> {
        let start = self.place();
        let first = self.index("an extent or a range")?;
        if !self.take("..") {
            return Ok(0..first);
        }
        match self.index("the end of a range")? {
            end if end < first => fault(start, format!("the range {first}..{end} ends before it begins")),
            end => Ok(first..end),
        }
    }

    /// Tiles up to the end of the text or to a bracket, and the group of their charges.
    pub(crate) fn tiling(&mut self) -> Result<Tiling, Error> {
        let (mut extents, mut charges, mut sum) = (Vec::new(), Vec::new(), 0usize);
        let mut has_next = !(self.ahead("]") || self.ahead("in") || self.rest().is_empty());
        while has_next {
            let start = self.place();
            let extent = self.index("the extent of a tile")?;
            sum = match sum.checked_add(extent) {
                Some(sum) => sum,
                None => return fault(start, format!("an axis has at most {} indices", usize::MAX)),
            };
            extents.push(extent);
            charges.push(self.charge()?);
            has_next = self.take(",");
        }
        let group = if self.take("in") { Some(self.group()?) } else { None };
        let tiling = Tiling::cuts(extents);
        match charges.iter().position(|(_, charge)| charge.is_some()) {
            None if group.is_none() => Ok(tiling),
            charged => {
                let charges = known(charges, charged, group.unwrap_or_else(ChargeGroup::integers))?;
                tiling.charged(charges)
            }
        }
    }

    /// The charge behind a tile, if there is one, and where it is, or would be.
    fn charge(&mut self) -> Result<(usize, Option<Charge>), Error> {
        let start = self.at;
        let charge = if self.take("(") { Some(self.list(")", |reader| reader.integer("a charge"))?) } else { None };
        Ok((start, charge))
    }

    fn group(&mut self) -> Result<ChargeGroup, Error> {
        let mut moduli = Vec::new();
        if self.take_words("{ }") {
            return ChargeGroup::product(moduli);
        }
        loop {
            let start = self.place();
            if self.take("U(1)") {
                moduli.push(0);
            } else if self.take("Z_") {
                match self.integer("the order of a group")? {
                    order if order < 1 => return fault(start, format!("there is no group Z_{order}")),
                    order => moduli.push(order),
                }
            } else {
                return self.expected("a group, `U(1)` or `Z_2`");
            }
            if !self.take("x") {
                return ChargeGroup::product(moduli);
            }
        }
    }

    /// Tilings in brackets, each in its own, and an origin behind them.
    pub(crate) fn tiled(&mut self) -> Result<TiledShape, Error> {
        self.need("[")?;
        let tilings = self.list("]", |reader| {
            reader.need("[")?;
            let tiling = reader.tiling()?;
            reader.need("]").map(|()| tiling)
        })?;
        self.beginning(TiledShape::new(tilings), TiledShape::with_origin)
    }

    fn jagged(&mut self, depth: usize) -> Result<JaggedShape, Error> {
        if !self.take("{") {
            return if self.ahead("[") || self.ahead("no") { Ok(self.shape()?.into()) } else { self.expected("`[` or `{`") };
        }
        let start = self.at - 1;
        if depth == MOST_LEVELS {
            return fault(start, format!("rows cannot be within rows more than {MOST_LEVELS} times"));
        }
        let rows = self.list("}", |reader| reader.jagged(depth + 1))?;
        self.beginning(placed(start, JaggedShape::of(rows))?, JaggedShape::with_origin)
    }

    /// A shape with the origin behind it, if there is one.
    fn beginning<S>(&mut self, shape: S, with_origin: impl FnOnce(S, Vec<usize>) -> Result<S, Error>) -> Result<S, Error> {
        if !self.take("+") {
            return Ok(shape);
        }
        let start = self.place();
        let origin = self.indices("the first index of an axis")?;
        placed(start, with_origin(shape, origin))
    }

    /// The layers behind something, and what has them.
    pub(crate) fn layers<S>(&mut self, nested: impl FnOnce(Vec<usize>) -> Result<S, Error>) -> Result<S, Error> {
        if !self.take_words("in layers of") {
            return self.expected("`in layers of`");
        }
        let start = self.place();
        let layers = self.indices("a number of axes")?;
        self.need("axes")?;
        placed(start, nested(layers))
    }
}

/// The charges of tiles, each of which has one, with its place.
fn known(charges: Vec<(usize, Option<Charge>)>, charged: Option<usize>, group: ChargeGroup) -> Result<Charges, Error> {
    let mut found = Vec::with_capacity(charges.len());
    for (tile, (place, charge)) in charges.into_iter().enumerate() {
        let Some(charge) = charge else {
            let message = match charged {
                Some(other) => format!("tile {tile} has no charge, but tile {other} has one"),
                None => format!("tile {tile} has no charge in {group}"),
            };
            return fault(place, message);
        };
        placed(place, Charges::new(group.clone(), [&charge]))?;
        found.push(charge);
    }
    Charges::new(group, found)
}

#[cfg(test)]
mod tests;
