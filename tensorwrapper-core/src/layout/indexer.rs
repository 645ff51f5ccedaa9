//! Converts an index to the position in memory, and back. Everything that does not depend on the index is computed once.
//!
//! Knows nothing of where layouts come from; it is made from extents, an order and levels of tiles.

use super::levels::{Levels, MOST_DIMENSIONS};
use super::reciprocal::Reciprocal;
use crate::shape::PerAxis;

/// One dimension of memory.
#[derive(Clone, Copy, Debug)]
struct Dimension {
    /// The axis that it is; unused where there are tiles.
    axis: usize,
    /// Indices along it that are elements.
    extent: u64,
    /// Indices along it.
    width: u64,
    stride: Reciprocal,
}

/// Converts between indices and positions in memory, many times: XLA's `IndexUtil`, with padding and tiles.
///
/// Made by [`Physical::indexer`](super::Physical::indexer). A call allocates nothing and divides nothing: it multiplies by reciprocals.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Physical};
/// let stored: Physical = "f32[2,3]{0,1:W(3,5)}".parse()?; // a d 0 b e 0 c f 0 0 0 0 0 0 0
/// let indexer = stored.indexer();
/// assert_eq!(indexer.position(&[1, 2]), Some(7));
/// assert_eq!(indexer.position(&[2, 0]), None); // no such row
///
/// let mut index = [0; 2];
/// assert!(indexer.index_at(7, &mut index));
/// assert_eq!(index, [1, 2]);
/// assert!(!indexer.index_at(8, &mut index)); // padding
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Indexer {
    /// Extent and stride of each axis.
    axes: PerAxis<(usize, usize)>,
    /// Most major first.
    dimensions: PerAxis<Dimension>,
    len: usize,
    tiles: Option<Box<Tiled>>,
}

#[derive(Clone, Debug)]
struct Tiled {
    levels: Levels,
    major_to_minor: Vec<usize>,
    extents: Vec<usize>,
}

impl Indexer {
    /// For an array of these extents, whose axes are in this order in memory.
    pub(super) fn new(extents: &[usize], minor_to_major: &[usize], levels: Levels) -> Indexer {
        let major_to_minor: Vec<usize> = minor_to_major.iter().rev().copied().collect();
        let tiled = levels.is_tiled();
        let len = levels.extents().iter().product();
        let mut axes = PerAxis::from_elem((0, 0), extents.len());
        let mut dimensions: PerAxis<Dimension> = PerAxis::new();
        let mut stride = 1;
        for (n, &width) in levels.extents().iter().enumerate().rev() {
            let axis = if tiled { 0 } else { major_to_minor[n] };
            let extent = if tiled { width } else { extents[axis] };
            if !tiled {
                axes[axis] = (extent, stride);
            }
            let stride_here = Reciprocal::new(stride);
            dimensions.push(Dimension { axis, extent: extent as u64, width: width as u64, stride: stride_here });
            // All widths that are not 0 together are known to have a product.
            stride *= width.max(1);
        }
        dimensions.reverse();
        let tiles = tiled.then(|| Box::new(Tiled { levels, major_to_minor, extents: extents.to_vec() }));
        Indexer { axes, dimensions, len, tiles }
    }

    /// Number of positions, padding included.
    pub fn buffer_len(&self) -> usize {
        self.len
    }

    /// The position of an element: XLA's `MultidimensionalIndexToLinearIndex`. `None` where the index is out of range or
    /// has another rank.
    #[inline]
    pub fn position(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.axes.len() {
            return None;
        }
        if let Some(tiled) = &self.tiles {
            return self.position_in_tiles(tiled, index);
        }
        let (mut position, mut inside) = (0usize, true);
        for (&i, &(extent, stride)) in index.iter().zip(&self.axes) {
            inside &= i < extent;
            // Wraps only where an index is out of range.
            position = position.wrapping_add(i.wrapping_mul(stride));
        }
        inside.then_some(position)
    }

    /// Writes the index of the element at a position: XLA's `LinearIndexToMultidimensionalIndex`. Returns `false` if the position is
    /// padding or beyond the end, or if `index` has another rank; the contents of `index` are then arbitrary.
    #[inline]
    pub fn index_at(&self, position: usize, index: &mut [usize]) -> bool {
        if index.len() != self.axes.len() || position >= self.len {
            return false;
        }
        if let Some(tiled) = &self.tiles {
            return self.index_in_tiles(tiled, position, index);
        }
        // Each quotient is of the position itself, so that none waits for another.
        let (mut above, mut inside) = (0, true);
        for dimension in &self.dimensions {
            let quotient = dimension.stride.quotient(position as u64);
            let here = quotient - above * dimension.width;
            above = quotient;
            inside &= here < dimension.extent;
            index[dimension.axis] = here as usize;
        }
        inside
    }

    fn position_in_tiles(&self, tiled: &Tiled, index: &[usize]) -> Option<usize> {
        if index.iter().zip(&tiled.extents).any(|(i, extent)| i >= extent) {
            return None;
        }
        let mut at = [0; MOST_DIMENSIONS];
        for (n, &axis) in tiled.major_to_minor.iter().enumerate() {
            at[tiled.levels.leading() + n] = index[axis] as u64;
        }
        tiled.levels.enter(&mut at);
        let position: u64 = self.dimensions.iter().zip(at).map(|(dimension, at)| dimension.stride.divisor() * at).sum();
        Some(position as usize)
    }

    fn index_in_tiles(&self, tiled: &Tiled, position: usize, index: &mut [usize]) -> bool {
        let mut at = [0; MOST_DIMENSIONS];
        let mut above = 0;
        for (dimension, at) in self.dimensions.iter().zip(&mut at) {
            let quotient = dimension.stride.quotient(position as u64);
            *at = quotient - above * dimension.width;
            above = quotient;
        }
        if !tiled.levels.leave(&mut at) {
            return false;
        }
        let mut inside = true;
        for (n, &axis) in tiled.major_to_minor.iter().enumerate() {
            index[axis] = at[tiled.levels.leading() + n] as usize;
            inside &= index[axis] < tiled.extents[axis];
        }
        inside
    }
}
