//! Writes logical and physical arrays and layouts as text. `parse` reads it.
//!
//! Knows nothing of what a layout means.

use std::fmt;

use super::logical::Logical;
use super::order::Layout;
use super::physical::Physical;
use super::tile::Tile;
use crate::element::Dtype;

/// XLA's name of an element type.
pub(super) fn name(dtype: Dtype) -> &'static str {
    match dtype {
        Dtype::F32 => "f32",
        Dtype::F64 => "f64",
        Dtype::C32 => "c64",
        Dtype::C64 => "c128",
    }
}

/// One array, or a tuple of arrays and tuples: `(f32[2]{0}, (f64[], c64[3]{0}))`.
///
/// With [`Physical`] arrays, the text is that of XLA's shapes with layouts; with [`Logical`] arrays, that of shapes without. `Display`
/// and `FromStr` are inverse. Tuples may be nested up to 64 deep.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Layouts, Logical};
/// let text = "(f32[2]{0}, (f64[], c64[3]{0}))";
/// let layouts: Layouts = text.parse()?;
/// assert_eq!(layouts.to_string(), text);
/// assert_eq!(layouts.arrays().map(|stored| stored.byte_size()).sum::<usize>(), 8 + 8 + 24);
/// assert!(matches!("f32[2,<=3]".parse()?, Layouts::<Logical>::Array(_)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Layouts<A = Physical> {
    /// One array.
    Array(A),
    /// A tuple of any length.
    Tuple(Vec<Layouts<A>>),
}

impl<A> Layouts<A> {
    /// The arrays from left to right, no matter how deeply they are nested.
    pub fn arrays(&self) -> impl Iterator<Item = &A> {
        let mut waiting = vec![self];
        std::iter::from_fn(move || {
            loop {
                match waiting.pop()? {
                    Layouts::Array(array) => return Some(array),
                    Layouts::Tuple(parts) => waiting.extend(parts.iter().rev()),
                }
            }
        })
    }
}

/// Numbers with commas between them.
fn list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: impl IntoIterator<Item = T>) -> fmt::Result {
    for (n, item) in items.into_iter().enumerate() {
        if n > 0 {
            f.write_str(",")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

impl fmt::Display for Logical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", name(self.dtype()))?;
        let extents = self.extents().iter().zip(self.dynamic());
        list(f, extents.map(|(extent, &dynamic)| format!("{}{extent}", if dynamic { "<=" } else { "" })))?;
        f.write_str("]")
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        list(f, self.extents().iter().map(|extent| extent.map_or("*".to_string(), |extent| extent.to_string())))?;
        f.write_str(")")
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        list(f, self.minor_to_major())?;
        let padded = self.padded_extents();
        if padded.is_some() || !self.tiles().is_empty() || self.memory_space() != 0 {
            f.write_str(":")?;
        }
        if let Some(widths) = padded {
            f.write_str("W(")?;
            list(f, widths)?;
            if self.fill() != super::Fill::Zero {
                write!(f, ";{}", self.fill())?;
            }
            f.write_str(")")?;
        }
        if !self.tiles().is_empty() {
            f.write_str("T")?;
            self.tiles().iter().try_for_each(|tile| write!(f, "{tile}"))?;
        }
        if self.memory_space() != 0 {
            write!(f, "S({})", self.memory_space())?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Layout({self})")
    }
}

impl fmt::Display for Physical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layout = self.layout().to_string();
        // As XLA writes scalars.
        write!(f, "{}{}", self.logical(), if layout == "{}" { "" } else { &layout })
    }
}

impl<A: fmt::Display> fmt::Display for Layouts<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = match self {
            Layouts::Array(array) => return write!(f, "{array}"),
            Layouts::Tuple(parts) => parts,
        };
        f.write_str("(")?;
        for (n, part) in parts.iter().enumerate() {
            write!(f, "{}{part}", if n > 0 { ", " } else { "" })?;
        }
        f.write_str(")")
    }
}
