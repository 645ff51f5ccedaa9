//! A layout: the order of axes in memory, padding, tiles and the memory space.
//!
//! Knows nothing of the extents that it will be used with.

use std::fmt;

use tensorwrapper_notation::sentence::{are, counted};

use super::tile::Tile;
use super::{check_order, refuse, staying};
use crate::element::Element;
use crate::error::Error;
use crate::shape::PerAxis;

/// The value of padding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Fill {
    /// 0
    #[default]
    Zero,
    /// 1
    One,
    /// The lowest number, -∞. Not for complex elements.
    Lowest,
    /// The highest number, ∞. Not for complex elements.
    Highest,
    /// Any value.
    Unknown,
}

impl Fill {
    /// All of them.
    pub(super) const ALL: [Fill; 5] = [Fill::Zero, Fill::One, Fill::Lowest, Fill::Highest, Fill::Unknown];

    /// As it stands in the text of a layout.
    pub(super) fn text(self) -> &'static str {
        match self {
            Fill::Zero => "0",
            Fill::One => "1",
            Fill::Lowest => "-inf",
            Fill::Highest => "inf",
            Fill::Unknown => "?",
        }
    }

    /// Whether it is known only where elements have an order.
    pub(super) fn needs_order(self) -> bool {
        match self {
            Fill::Lowest | Fill::Highest => true,
            Fill::Zero | Fill::One | Fill::Unknown => false,
        }
    }

    /// The number; for [`Unknown`](Fill::Unknown) an arbitrary one.
    pub fn value<T: Element>(self) -> T {
        let real = |value: f64| T::from_complex(num_complex::Complex::new(value, 0.0));
        match self {
            Fill::Zero | Fill::Unknown => T::ZERO,
            Fill::One => T::ONE,
            Fill::Lowest => real(f64::NEG_INFINITY),
            Fill::Highest => real(f64::INFINITY),
        }
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Axes that are longer in memory than their extents.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Padding {
    pub(super) widths: PerAxis<usize>,
    pub(super) fill: Fill,
}

/// How an array is stored: XLA's `Layout`.
///
/// [`minor_to_major`](Layout::minor_to_major) orders the axes, the one with the smallest stride first. Padding lengthens axes in memory,
/// [tiles](Tile) divide the padded array, level by level, and a number names the memory space.
///
/// # Text
///
/// `{1,0}` is XLA's text, as are tiles, `{1,0:T(8,128)(2,1)}`, and the memory space, `{1,0:S(1)}`. XLA has no letter for padding; here `W`
/// gives the padded widths, and the fill if it is not 0: `{1,0:W(3,5)}`, `{1,0:W(3,5;-inf)T(2,2)S(1)}`. `Display` and
/// `FromStr` are inverse.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Fill, Layout, Tile};
/// let layout = Layout::new([1, 0])?.with_padding([3, 5], Fill::One)?.with_tiles([Tile::new([2, 2])?]);
/// assert_eq!(layout.to_string(), "{1,0:W(3,5;1)T(2,2)}");
/// assert_eq!("{1,0:W(3,5;1)T(2,2)}".parse::<Layout>()?, layout);
/// assert!(layout.is_row_major());
/// assert_eq!(Layout::new([1, 1]).unwrap_err().to_string(), "axis 1 stands twice in the order [1, 1]");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    minor_to_major: PerAxis<usize>,
    padding: Option<Padding>,
    tiles: Vec<Tile>,
    memory_space: u32,
}

impl Layout {
    /// A dense layout with the axes in this order, the one with the smallest stride first.
    ///
    /// # Errors
    /// When the order does not name each axis once.
    pub fn new(minor_to_major: impl AsRef<[usize]>) -> Result<Layout, Error> {
        let order = minor_to_major.as_ref();
        match check_order(order, order.len()) {
            Ok(()) => Ok(Layout::plain(PerAxis::from_slice(order))),
            Err((_, message)) => refuse(message),
        }
    }

    fn plain(minor_to_major: PerAxis<usize>) -> Layout {
        Layout { minor_to_major, padding: None, tiles: Vec::new(), memory_space: 0 }
    }

    /// Dense, with the last axis fastest: the default. XLA calls it "dim 0 is major".
    pub fn row_major(rank: usize) -> Layout {
        Layout::plain((0..rank).rev().collect())
    }

    /// Dense, with the first axis fastest. XLA calls it "dim 0 is minor".
    pub fn column_major(rank: usize) -> Layout {
        Layout::plain((0..rank).collect())
    }

    /// The same layout with each axis padded to its width, and the value of the padding.
    ///
    /// # Errors
    /// When the number of widths is not that of the axes. A width below the extent is refused later, when the layout is combined with
    /// extents.
    pub fn with_padding(mut self, widths: impl AsRef<[usize]>, fill: Fill) -> Result<Layout, Error> {
        let widths = widths.as_ref();
        if widths.len() != self.rank() {
            return refuse(format!(
                "{} {} padded to {}, {widths:?}",
                counted(self.rank(), "axis"),
                are(self.rank()),
                counted(widths.len(), "width")
            ));
        }
        self.padding = Some(Padding { widths: PerAxis::from_slice(widths), fill });
        Ok(self)
    }

    /// The same layout with tiles. Each level divides the result of the level before it.
    pub fn with_tiles(mut self, tiles: impl IntoIterator<Item = Tile>) -> Layout {
        self.tiles = tiles.into_iter().collect();
        self
    }

    /// The same layout in another memory space; 0 is the default.
    pub fn with_memory_space(mut self, memory_space: u32) -> Layout {
        self.memory_space = memory_space;
        self
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.minor_to_major.len()
    }

    /// The axes, the one with the smallest stride first.
    pub fn minor_to_major(&self) -> &[usize] {
        &self.minor_to_major
    }

    /// The axes, the one with the largest stride first.
    pub fn major_to_minor(&self) -> Vec<usize> {
        self.minor_to_major.iter().rev().copied().collect()
    }

    /// The widths that axes are padded to; `None` without padding.
    pub fn padded_extents(&self) -> Option<&[usize]> {
        self.padding.as_ref().map(|padding| &padding.widths[..])
    }

    /// The value of padding, in padded axes and incomplete tiles.
    pub fn fill(&self) -> Fill {
        self.padding.as_ref().map_or(Fill::Zero, |padding| padding.fill)
    }

    /// The tiles, level by level.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The memory space.
    pub fn memory_space(&self) -> u32 {
        self.memory_space
    }

    /// Whether the axes are in order with the last one most minor: XLA's `IsMonotonicWithDim0Major`.
    pub fn is_row_major(&self) -> bool {
        self.minor_to_major.iter().copied().eq((0..self.rank()).rev())
    }

    /// Whether the axes are in order with the first one most minor: XLA's `IsMonotonicWithDim0Minor`.
    pub fn is_column_major(&self) -> bool {
        self.minor_to_major.iter().copied().eq(0..self.rank())
    }

    /// The layout in which nothing moves when axis `n` becomes what axis `axes[n]` was. Callers pass a permutation.
    pub(super) fn permuted(&self, axes: &[usize]) -> Layout {
        let mut became = PerAxis::from_elem(0, axes.len());
        axes.iter().enumerate().for_each(|(new, &old)| became[old] = new);
        self.renamed(&became, axes)
    }

    /// The layout of the axes that stay, in the order they had.
    pub(super) fn kept(&self, axes: &[usize]) -> Layout {
        let mut became = PerAxis::from_elem(usize::MAX, self.rank());
        axes.iter().enumerate().for_each(|(new, &old)| became[old] = new);
        self.renamed(&became, axes)
    }

    /// New axis `n` was `axes[n]`; old axis `m` became `became[m]`, or is gone.
    fn renamed(&self, became: &[usize], axes: &[usize]) -> Layout {
        let pick = |padding: &Padding| Padding { widths: axes.iter().map(|&a| padding.widths[a]).collect(), fill: padding.fill };
        Layout {
            minor_to_major: self.minor_to_major.iter().map(|&old| became[old]).filter(|&new| new != usize::MAX).collect(),
            padding: self.padding.as_ref().map(pick),
            tiles: self.tiles.clone(),
            memory_space: self.memory_space,
        }
    }

    /// The layout without some axes: XLA's `Layout::DeleteDimension`. The other axes keep their order and widths. Tiles are unchanged, and
    /// apply to the remaining axes.
    ///
    /// # Errors
    /// When an axis does not exist or is named twice.
    pub fn delete(&self, axes: &[usize]) -> Result<Layout, Error> {
        Ok(self.kept(&staying(self.rank(), axes)?))
    }
}
