//! An array as it is stored: its element type and extents, and the layout of its memory.
//!
//! Knows nothing of the memory itself.

use std::fmt;

use smallvec::SmallVec;
use tensorwrapper_notation::sentence::counted;

use super::indexer::Indexer;
use super::levels::Levels;
use super::logical::{Logical, byte_count, going};
use super::order::{Fill, Layout};
use super::strided::Strided;
use super::{refuse, staying};
use crate::element::Dtype;
use crate::error::{Error, ErrorKind};
use crate::shape::PerAxis;

/// An array as it is stored: a [`Logical`], its element type and extents, and a [`Layout`], the order of its elements in memory. It
/// corresponds to XLA's `Shape` with a layout.
///
/// `==` compares both (XLA's `Equal`). `a.logical() == b.logical()` ignores layouts, and [`Logical::is_compatible`] (XLA's `Compatible`)
/// also ignores whether extents are bounds. Queries that do not depend on the layout are methods of [`logical`](Physical::logical).
///
/// The text is XLA's, `f32[2,3]{1,0:T(2,2)S(1)}`; see [`Layout`] for padding. `Display` and `FromStr` are inverse.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Dtype, Error, Layout, Logical, Physical};
/// let array = Logical::new(Dtype::F32, [2, 3])?;
/// let stored = Physical::new(array.clone(), Layout::new([0, 1])?)?;
/// assert_eq!(stored.to_string(), "f32[2,3]{0,1}");
/// assert_eq!(stored, Physical::column_major(array.clone()));
/// assert_eq!(stored.store(&['a', 'b', 'c', 'd', 'e', 'f'].map(|c| c as u8 as f32))?, "adbecf".bytes().map(f32::from).collect::<Vec<_>>());
/// assert_eq!((stored.strides(), stored.byte_size()), (Some(vec![1, 2]), 24));
///
/// let transposed = stored.permute(&[1, 0])?; // nothing moves
/// assert_eq!(transposed, Physical::row_major(Logical::new(Dtype::F32, [3, 2])?));
/// assert!(stored.transpose_is_bitcast(&[1, 0], &transposed)?);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Physical {
    logical: Logical,
    layout: Layout,
}

impl Physical {
    /// An array in a layout.
    ///
    /// # Errors
    /// When the ranks differ, an axis is padded to less than its extent, padding and tiles make more bytes than memory can address or
    /// more than 64 dimensions, or complex elements do not have the fill.
    pub fn new(logical: Logical, layout: Layout) -> Result<Physical, Error> {
        if layout.rank() != logical.rank() {
            return refuse(format!(
                "layout `{layout}` orders {}, `{logical}` has {}",
                counted(layout.rank(), "axis"),
                logical.rank()
            ));
        }
        for (axis, (&width, &extent)) in layout.padded_extents().unwrap_or(&[]).iter().zip(logical.extents()).enumerate() {
            if width < extent {
                return refuse(format!("axis {axis} of `{logical}` is padded to {width}, below its extent {extent}"));
            }
        }
        if layout.fill().needs_order() && logical.dtype().is_complex() {
            let message = format!("padding by `{}` needs an order, which `{}` has not", layout.fill(), logical.dtype());
            return Err(Error::new(ErrorKind::Undefined(message)));
        }
        let result = Physical { logical, layout };
        byte_count(result.try_levels()?.extents(), result.dtype())?;
        Ok(result)
    }

    /// Dense, with the last axis fastest: XLA's default layout.
    pub fn row_major(logical: Logical) -> Physical {
        let layout = Layout::row_major(logical.rank());
        Physical { logical, layout }
    }

    /// Dense, with the first axis fastest.
    pub fn column_major(logical: Logical) -> Physical {
        let layout = Layout::column_major(logical.rank());
        Physical { logical, layout }
    }

    /// Element type and extents.
    pub fn logical(&self) -> &Logical {
        &self.logical
    }

    /// The layout of its memory.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The element type.
    pub fn dtype(&self) -> Dtype {
        self.logical.dtype()
    }

    /// Number of indices along each axis.
    pub fn extents(&self) -> &[usize] {
        self.logical.extents()
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.logical.rank()
    }

    /// The axes, the one with the largest stride first: XLA's `MajorToMinor`.
    pub fn major_to_minor(&self) -> Vec<usize> {
        self.layout.major_to_minor()
    }

    /// Number of elements that memory has room for, padding and incomplete tiles included.
    pub fn buffer_len(&self) -> usize {
        self.levels().extents().iter().product()
    }

    /// Size in memory, padding and incomplete tiles included: XLA's `ByteSizeOf`.
    pub fn byte_size(&self) -> usize {
        self.buffer_len() * self.dtype().size()
    }

    /// The stride of each axis, in elements (XLA's `ByteStrides` counts bytes). `None` if there are tiles: a tiled axis has no single
    /// stride.
    pub fn strides(&self) -> Option<Vec<usize>> {
        self.strides_per_axis().map(|strides| strides.into_vec())
    }

    pub(super) fn strides_per_axis(&self) -> Option<PerAxis<usize>> {
        if !self.layout.tiles().is_empty() {
            return None;
        }
        let widths = self.layout.padded_extents().unwrap_or(self.extents());
        let (mut strides, mut stride) = (PerAxis::from_elem(0, self.rank()), 1);
        for &axis in self.layout.minor_to_major() {
            strides[axis] = stride;
            stride *= widths[axis].max(1);
        }
        Some(strides)
    }

    /// A converter between indices and positions, for repeated use.
    pub fn indexer(&self) -> Indexer {
        Indexer::new(self.extents(), self.layout.minor_to_major(), self.levels())
    }

    /// The position of an element in memory. For many elements, make an [`indexer`](Physical::indexer) once.
    ///
    /// # Errors
    /// When the index has another rank or is out of range.
    pub fn position(&self, index: &[usize]) -> Result<usize, Error> {
        self.logical.check_index(index)?;
        Ok(self.indexer().position(index).expect("an index in range has a position"))
    }

    /// The index of the element at a position, or `None` if the position is padding. For many positions, make an
    /// [`indexer`](Physical::indexer) once.
    ///
    /// # Errors
    /// When the position is beyond the end of the memory.
    pub fn index_at(&self, position: usize) -> Result<Option<Vec<usize>>, Error> {
        let (indexer, mut index) = (self.indexer(), vec![0; self.rank()]);
        if position >= indexer.buffer_len() {
            return refuse(format!("there is no position {position} among the {} of `{self}`", indexer.buffer_len()));
        }
        Ok(indexer.index_at(position, &mut index).then_some(index))
    }

    /// The array with its axes in another order, axis `n` being axis `axes[n]` of this one. No element moves. XLA's `PermuteDimensions`
    /// of a shape with layout.
    ///
    /// # Errors
    /// When `axes` does not name each axis once.
    pub fn permute(&self, axes: &[usize]) -> Result<Physical, Error> {
        Ok(Physical { logical: self.logical.permute(axes)?, layout: self.layout.permuted(axes) })
    }

    /// The array without some axes: XLA's `DeleteDimensions` of a shape with layout.
    ///
    /// # Errors
    /// When an axis does not exist or is named twice, or the result does not fit in memory. The latter may happen when an axis of extent
    /// 0 is deleted, or when tiles then apply to other extents.
    pub fn delete(&self, axes: &[usize]) -> Result<Physical, Error> {
        let kept = staying(self.rank(), axes)?;
        Physical::new(self.logical.delete(axes)?, self.layout.kept(&kept))
    }

    /// The array of the axes for which the function returns `true`: XLA's `FilterDimensions`.
    ///
    /// # Errors
    /// As [`delete`](Physical::delete).
    pub fn filter(&self, keep: impl FnMut(usize) -> bool) -> Result<Physical, Error> {
        self.delete(&going(self.rank(), keep))
    }

    /// The array without its axes of extent 1: XLA's `DropDegenerateDimensions`. The padding of such an axis is dropped with it.
    ///
    /// # Errors
    /// As [`delete`](Physical::delete).
    pub fn drop_degenerate(&self) -> Result<Physical, Error> {
        let kept = self.logical.not_degenerate();
        Physical::new(self.logical.picked(&kept), self.layout.kept(&kept))
    }

    /// What stands where no element is.
    pub(super) fn fill(&self) -> Fill {
        self.layout.fill()
    }

    /// The strided map of a layout without tiles.
    pub fn strided(&self) -> Option<Strided> {
        let strides: PerAxis<isize> = self.strides_per_axis()?.iter().map(|&stride| stride as isize).collect();
        Strided::within(self.extents(), &strides, 0, self.buffer_len()).ok()
    }

    fn levels(&self) -> Levels {
        self.try_levels().expect("what fits in memory has been checked when the layout met the extents")
    }

    fn try_levels(&self) -> Result<Levels, Error> {
        let widths = self.layout.padded_extents().unwrap_or(self.extents());
        let in_memory: SmallVec<[usize; 8]> = self.layout.minor_to_major().iter().rev().map(|&axis| widths[axis]).collect();
        Levels::new(&in_memory, self.layout.tiles())
    }
}

impl fmt::Debug for Physical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Physical({self})")
    }
}

impl From<Logical> for Physical {
    /// Dense, with the last axis fastest.
    fn from(logical: Logical) -> Physical {
        Physical::row_major(logical)
    }
}
