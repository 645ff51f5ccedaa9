//! Whether memory in one layout can be read as an array in another layout without moving elements.
//!
//! Knows nothing of what is in memory.

use std::cmp::Reverse;

use tensorwrapper_notation::sentence::counted;

use super::logical::Logical;
use super::order::{Fill, Layout};
use super::physical::Physical;
use super::refuse;
use super::strided::Strided;
use crate::error::Error;
use crate::shape::PerAxis;

impl Physical {
    /// Whether this memory can be read as the array reshaped to the extents of `other`, in the layout of `other`, without moving an
    /// element: XLA's `ReshapeIsBitcast`.
    ///
    /// The answer is exact and includes padding: `true` if each element has the same position in both, and the bytes, the memory space
    /// and the fill are the same. Without tiles the time grows with the number of axes. With tiles, unless the layouts are equal, it
    /// grows with the number of elements up to the first one that would move.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Error, Physical};
    /// let read = |text: &str| text.parse::<Physical>();
    /// assert!(read("f32[2,3,4]{2,1,0}")?.reshape_is_bitcast(&read("f32[6,4]{1,0}")?)?);
    /// assert!(!read("f32[2,3,4]{2,1,0}")?.reshape_is_bitcast(&read("f32[6,4]{0,1}")?)?);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the numbers of elements differ.
    pub fn reshape_is_bitcast(&self, other: &Physical) -> Result<bool, Error> {
        check_count(self.logical(), other.logical())?;
        let (len, count) = (self.buffer_len(), self.logical().element_count());
        let same_memory = self.dtype() == other.dtype()
            && self.layout().memory_space() == other.layout().memory_space()
            && len == other.buffer_len()
            && (len == count || self.fill() == other.fill());
        if !same_memory || count == 0 {
            return Ok(same_memory);
        }
        Ok(match (self.strides_per_axis(), other.strides_per_axis()) {
            (Some(here), Some(there)) => merged(self.extents(), &here) == merged(other.extents(), &there),
            _ => (self.layout() == other.layout() && self.extents() == other.extents()) || self.meets(other),
        })
    }

    /// Whether this memory can be read as the transposed array, in the layout of `other`, without moving an element: XLA's
    /// `TransposeIsBitcast`. Axis `n` of `other` is axis `axes[n]` of this array. The answer is exact, as for
    /// [`reshape_is_bitcast`](Physical::reshape_is_bitcast).
    ///
    /// # Errors
    /// When `axes` does not name each axis once, or the extents are not those of the transposed array.
    pub fn transpose_is_bitcast(&self, axes: &[usize], other: &Physical) -> Result<bool, Error> {
        let transposed = self.permute(axes)?;
        if transposed.extents() != other.extents() {
            return refuse(format!("`{}` in the order {axes:?} is not `{}`", self.logical(), other.logical()));
        }
        transposed.reshape_is_bitcast(other)
    }

    /// The layout in which this memory can be read as the reshaped array `output` without moving an element, or `None` if there is none:
    /// XLA's `AlignLayouts`.
    ///
    /// If the extents are the same, so is the layout. Otherwise the answer is `None` for a layout with tiles, and for an array without
    /// elements that has padding, because a reshape cannot keep them. It is also `None` if the element types differ.
    ///
    /// ```
    /// # use tensorwrapper_core as tensorwrapper;
    /// use tensorwrapper::{Dtype, Error, Logical, Physical};
    /// let stored: Physical = "f32[2,3,4]{0,2,1}".parse()?;
    /// let aligned = stored.align(&Logical::new(Dtype::F32, [2, 12])?)?;
    /// assert_eq!(aligned.expect("axes 1 and 2 lie in a row").to_string(), "f32[2,12]{0,1}");
    /// assert_eq!(stored.align(&Logical::new(Dtype::F32, [6, 4])?)?, None);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// When the numbers of elements differ.
    pub fn align(&self, output: &Logical) -> Result<Option<Physical>, Error> {
        check_count(self.logical(), output)?;
        if self.dtype() != output.dtype() {
            return Ok(None);
        }
        if self.extents() == output.extents() {
            return Physical::new(output.clone(), self.layout().clone()).map(Some);
        }
        let len = self.buffer_len();
        let layout = match self.strides_per_axis() {
            None => None,
            Some(_) if output.element_count() == 0 => (len == 0).then(|| Layout::row_major(output.rank())),
            Some(strides) => aligned(merged(self.extents(), &strides), output.extents())
                .and_then(|strides| from_strides(output.extents(), &strides, Some(len), self.fill())),
        };
        let in_memory = |layout: Layout| layout.with_memory_space(self.layout().memory_space());
        layout.map(|layout| Physical::new(output.clone(), in_memory(layout))).transpose()
    }

    /// Whether elements in the order of their indices have the same positions, one by one.
    fn meets(&self, other: &Physical) -> bool {
        let (here, there) = (self.indexer(), other.indexer());
        let (mut i, mut j) = (vec![0; self.rank()], vec![0; other.rank()]);
        while here.position(&i) == there.position(&j) {
            if !self.logical().next(&mut i) || !other.logical().next(&mut j) {
                return true;
            }
        }
        false
    }
}

impl Layout {
    /// The layout of a strided map's elements, from the first one on. Gaps between axes become padding; only the owner of the memory
    /// knows whether they are really padding. `None` if there is more than gaps, such as overlaps or negative strides.
    pub fn of_strided(strided: &Strided) -> Option<Layout> {
        if strided.is_empty() {
            return Some(Layout::row_major(strided.rank()));
        }
        // The stride of an axis of extent 1 may be anything, and is never followed.
        let strides = strided.strides().iter().zip(strided.extents());
        let strides: Option<PerAxis<usize>> =
            strides.map(|(&s, &extent)| usize::try_from(s).ok().or((extent == 1).then_some(0))).collect();
        from_strides(strided.extents(), &strides?, None, Fill::Zero)
    }
}

fn check_count(from: &Logical, to: &Logical) -> Result<(), Error> {
    let (here, there) = (from.element_count(), to.element_count());
    if here == there {
        return Ok(());
    }
    refuse(format!("`{from}` has {} and `{to}` has {there}: neither is the other reshaped", counted(here, "element")))
}

/// Extents and strides without the axes that make no difference: axes of extent 1 are dropped, and an axis that continues where the next
/// one ends is merged with it.
///
/// Two maps from the numbers of elements to positions are equal exactly if these lists are. The last stride is the distance between the
/// first two elements, and the last extent is where this distance changes first. The rest follows in the same way, looking only at the
/// first element of each such run.
fn merged(extents: &[usize], strides: &[usize]) -> PerAxis<(usize, usize)> {
    let mut result: PerAxis<(usize, usize)> = PerAxis::new();
    for (&extent, &stride) in extents.iter().zip(strides).filter(|&(&extent, _)| extent != 1) {
        match result.last_mut() {
            Some(before) if before.1 == extent * stride => *before = (before.0 * extent, stride),
            _ => result.push((extent, stride)),
        }
    }
    result
}

/// The strides of the unmerged axes, if groups of them end where the merged axes end. No extent is 0.
fn aligned(merged: PerAxis<(usize, usize)>, extents: &[usize]) -> Option<PerAxis<usize>> {
    let mut merged = merged.into_iter().peekable();
    let mut strides = PerAxis::from_elem(0, extents.len());
    let (mut left, mut stride) = (1usize, 1);
    for (axis, &extent) in extents.iter().enumerate() {
        if let (1, Some(&(whole, step))) = (left, merged.peek()) {
            stride = whole * step;
            if extent > 1 {
                (left, _) = merged.next()?;
            }
        }
        if !left.is_multiple_of(extent) {
            return None;
        }
        left /= extent;
        stride /= extent;
        strides[axis] = stride;
    }
    Some(strides)
}

/// The layout with these strides and, if `len` is given, with memory of that length. No extent is 0.
fn from_strides(extents: &[usize], strides: &[usize], len: Option<usize>, fill: Fill) -> Option<Layout> {
    let mut order = order_of(extents, strides);
    let mut widths = PerAxis::from_elem(1, extents.len());
    // The axis before, and its stride; before the first it is an axis of extent 1, if there is one, that holds the gap.
    let mut before: Option<(usize, usize)> = None;
    for &axis in order.clone().iter().filter(|&&axis| extents[axis] > 1) {
        let stride = strides[axis];
        match before {
            None if stride == 1 => {}
            None => hold(&mut order, &mut widths, extents, stride)?,
            Some((inner, step)) => widths[inner] = exact(stride, step, extents[inner])?,
        }
        before = Some((axis, stride));
    }
    match (before, len) {
        (Some((outer, _)), None) => widths[outer] = extents[outer],
        (Some((outer, step)), Some(len)) => widths[outer] = exact(len, step, extents[outer])?,
        (None, Some(len)) if len != 1 => hold(&mut order, &mut widths, extents, len)?,
        (None, _) => {}
    }
    let layout = Layout::new(&order).ok()?;
    if widths[..] == *extents { Some(layout) } else { layout.with_padding(&widths, fill).ok() }
}

/// Makes an axis of extent 1 the most minor one, and pads it to this width.
fn hold(order: &mut PerAxis<usize>, widths: &mut [usize], extents: &[usize], width: usize) -> Option<()> {
    let at = order.iter().position(|&axis| extents[axis] == 1).filter(|_| width > 0)?;
    let axis = order.remove(at);
    order.insert(0, axis);
    widths[axis] = width;
    Some(())
}

/// The padded width of an axis of that step and extent, if the next axis has stride `next`.
fn exact(next: usize, step: usize, extent: usize) -> Option<usize> {
    let width = next / step;
    (next.is_multiple_of(step) && width >= extent).then_some(width)
}

/// The axes by stride. Axes of extent 1 may be anywhere: they are put in row-major or column-major order with the others, if possible.
fn order_of(extents: &[usize], strides: &[usize]) -> PerAxis<usize> {
    let mut rows: PerAxis<usize> = (0..extents.len()).collect();
    rows.sort_by_key(|&axis| (strides[axis], extents[axis] > 1, Reverse(axis)));
    let mut columns = rows.clone();
    columns.sort_by_key(|&axis| (strides[axis], extents[axis] > 1, axis));
    let are_rows = rows.iter().copied().eq((0..extents.len()).rev());
    if !are_rows && columns.iter().copied().eq(0..extents.len()) { columns } else { rows }
}
