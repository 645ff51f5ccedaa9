//! Reads logical and physical arrays and layouts from text. `text` writes it.
//!
//! Knows nothing of what a layout means.

use super::check_order;
use super::logical::Logical;
use super::order::{Fill, Layout};
use super::physical::Physical;
use super::text::{Layouts, name};
use super::tile::Tile;
use crate::element::Dtype;
use crate::error::Error;
use crate::reader::{Reader, fault, from_str, placed};

/// The greatest depth of nested tuples.
const MOST_TUPLES: usize = 64;

/// The element types of XLA that tensors do not have.
const OTHER_TYPES: [&str; 31] = [
    "pred",
    "s1",
    "s2",
    "s4",
    "s8",
    "s16",
    "s32",
    "s64",
    "u1",
    "u2",
    "u4",
    "u8",
    "u16",
    "u32",
    "u64",
    "f16",
    "bf16",
    "f4e2m1fn",
    "f8e3m4",
    "f8e4m3",
    "f8e4m3fn",
    "f8e4m3fnuz",
    "f8e4m3b11fnuz",
    "f8e5m2",
    "f8e5m2fnuz",
    "f8e8m0fnu",
    "token",
    "opaque",
    "opaque_type",
    "buffer",
    "invalid",
];

/// What else XLA writes into a layout.
const OTHER_PROPERTIES: [(&str, &str); 8] = [
    ("SC", "a configuration of splits"),
    ("D", "levels of sparse dimensions"),
    ("L", "an alignment of the tail"),
    ("#", "a type of indices"),
    ("*", "a type of pointers"),
    ("E", "a size of elements in bits"),
    ("P", "a physical shape"),
    ("M", "a prefix of metadata"),
];

/// Where the widths of a layout stand, and what fills the padding.
#[derive(Default)]
struct Padding {
    widths: Vec<usize>,
    fill: usize,
}

impl Reader<'_> {
    fn dtype(&mut self) -> Result<Dtype, Error> {
        self.space();
        let word = self.word();
        let known = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];
        if let Some(&dtype) = known.iter().find(|&&dtype| name(dtype) == word) {
            self.at += word.len();
            return Ok(dtype);
        }
        if OTHER_TYPES.contains(&word) {
            return fault(self.at, format!("`{word}` is an element type of XLA that tensors here do not have"));
        }
        self.expected("an element type: `f32`, `f64`, `c64` or `c128`")
    }

    fn logical(&mut self) -> Result<Logical, Error> {
        self.space();
        let start = self.at;
        let dtype = self.dtype()?;
        if !self.take("[") {
            return self.expected("`[`");
        }
        let extents = self.list("]", |reader| {
            let dynamic = reader.take("<=");
            if reader.take("?") {
                return fault(reader.at - 1, "`?` is an extent without bound, which arrays here do not have");
            }
            Ok((reader.number("an extent")?, dynamic))
        })?;
        let sizes: Vec<usize> = extents.iter().map(|&(extent, _)| extent).collect();
        let mut logical = placed(start, Logical::new(dtype, sizes))?;
        for axis in (0..extents.len()).filter(|&axis| extents[axis].1) {
            logical = logical.with_dynamic(axis as isize)?;
        }
        Ok(logical)
    }

    fn layout(&mut self) -> Result<(Layout, Padding), Error> {
        if !self.take("{") {
            return self.expected("`{`");
        }
        let start = self.at - 1;
        let mut order = Vec::new();
        let mut places = Vec::new();
        while !(order.is_empty() && (self.ahead(":") || self.ahead("}"))) {
            self.space();
            places.push(self.at);
            order.push(self.number("an axis")?);
            if self.ahead(":") || self.ahead("}") {
                break;
            }
            if !self.take(",") {
                return self.expected("`,`, `:` or `}`");
            }
        }
        if let Err((n, message)) = check_order(&order, order.len()) {
            return fault(places.get(n).copied().unwrap_or(start), message);
        }
        let mut padding = Padding::default();
        let mut layout = placed(start, Layout::new(order))?;
        if self.take(":") {
            layout = self.properties(layout, &mut padding)?;
        }
        if self.take("}") { Ok((layout, padding)) } else { self.expected("`}`") }
    }

    /// What stands behind the colon: padding, tiles and memory, each once and in this order.
    fn properties(&mut self, mut layout: Layout, padding: &mut Padding) -> Result<Layout, Error> {
        let mut none = true;
        if self.property("W")? {
            none = false;
            let start = self.at - 2;
            let (widths, fill) = self.widths(padding)?;
            layout = placed(start, layout.with_padding(widths, fill))?;
        }
        if self.property("T")? {
            none = false;
            let mut tiles = vec![self.tile()?];
            while self.take("(") {
                tiles.push(self.tile()?);
            }
            layout = layout.with_tiles(tiles);
        }
        if self.property("S")? {
            none = false;
            self.space();
            let start = self.at;
            let Ok(space) = u32::try_from(self.number("the number of a memory")?) else {
                return fault(start, "the number of a memory is at most 4294967295");
            };
            layout = layout.with_memory_space(space);
            if !self.take(")") {
                return self.expected("`)`");
            }
        }
        self.other(none)?;
        Ok(layout)
    }

    /// Whether a property is next, whose letter and parenthesis are read.
    fn property(&mut self, letter: &str) -> Result<bool, Error> {
        if !self.ahead(letter) || self.ahead("SC") {
            return Ok(false);
        }
        self.take(letter);
        if self.take("(") { Ok(true) } else { self.expected("`(`") }
    }

    /// After the last property.
    fn other(&mut self, none: bool) -> Result<(), Error> {
        if let Some((letter, what)) = OTHER_PROPERTIES.into_iter().find(|(letter, _)| self.ahead(letter)) {
            return fault(self.at, format!("`{letter}` is {what} in XLA, which layouts here do not have"));
        }
        if none {
            return self.expected("`W`, `T` or `S`");
        }
        if ["W", "T", "S"].into_iter().any(|letter| self.ahead(letter)) {
            return fault(self.at, "padding `W`, tiles `T` and memory `S` stand in this order, each at most once");
        }
        Ok(())
    }

    fn widths(&mut self, padding: &mut Padding) -> Result<(Vec<usize>, Fill), Error> {
        let mut widths = Vec::new();
        while !(widths.is_empty() && (self.ahead(";") || self.ahead(")"))) {
            self.space();
            padding.widths.push(self.at);
            widths.push(self.number("a width")?);
            if self.ahead(";") || self.ahead(")") {
                break;
            }
            if !self.take(",") {
                return self.expected("`,`, `;` or `)`");
            }
        }
        let mut fill = Fill::Zero;
        if self.take(";") {
            self.space();
            padding.fill = self.at;
            match Fill::ALL.into_iter().find(|fill| self.take(fill.text())) {
                Some(found) => fill = found,
                None => return self.expected("`0`, `1`, `-inf`, `inf` or `?`"),
            }
        }
        if self.take(")") { Ok((widths, fill)) } else { self.expected("`)`") }
    }

    /// A tile whose parenthesis has been read.
    fn tile(&mut self) -> Result<Tile, Error> {
        let start = self.at - 1;
        let extents = self.list(")", |reader| {
            if reader.take("*") {
                return Ok(None);
            }
            reader.space();
            let at = reader.at;
            match reader.number("the extent of a tile, or `*`")? {
                0 => fault(at, "an extent of a tile is 0"),
                extent => Ok(Some(extent)),
            }
        })?;
        placed(start, Tile::combining(extents))
    }

    fn physical(&mut self) -> Result<Physical, Error> {
        self.space();
        let start = self.at;
        let logical = self.logical()?;
        if logical.rank() == 0 && !self.ahead("{") {
            return Ok(Physical::row_major(logical));
        }
        if !self.ahead("{") {
            return self.expected("a layout as `{1,0}`");
        }
        let brace = self.at;
        let (layout, padding) = self.layout()?;
        let at = match layout.padded_extents() {
            _ if layout.rank() != logical.rank() => brace,
            // Where a width or what fills it is at fault it is told; too many bytes are a fault of the whole.
            Some(widths) => match widths.iter().zip(logical.extents()).position(|(width, extent)| width < extent) {
                Some(axis) => padding.widths[axis],
                None if layout.fill().needs_order() && logical.dtype().is_complex() => padding.fill,
                None => start,
            },
            None => start,
        };
        placed(at, Physical::new(logical, layout))
    }

    fn layouts<A: Array>(&mut self, depth: usize) -> Result<Layouts<A>, Error> {
        if !self.take("(") {
            return A::read(self).map(Layouts::Array);
        }
        if depth == MOST_TUPLES {
            return fault(self.at - 1, format!("more than {MOST_TUPLES} tuples are inside each other"));
        }
        self.list(")", |reader| reader.layouts(depth + 1)).map(Layouts::Tuple)
    }
}

/// What stands in tuples.
trait Array: Sized {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error>;
}

impl Array for Logical {
    fn read(reader: &mut Reader<'_>) -> Result<Logical, Error> {
        reader.logical()
    }
}

impl Array for Physical {
    fn read(reader: &mut Reader<'_>) -> Result<Physical, Error> {
        reader.physical()
    }
}

from_str! {
    Logical: |reader| reader.logical();
    Layout: |reader| reader.layout().map(|(layout, _)| layout);
    Physical: |reader| reader.physical();
    Layouts<Logical>: |reader| reader.layouts(0);
    Layouts<Physical>: |reader| reader.layouts(0);
}
