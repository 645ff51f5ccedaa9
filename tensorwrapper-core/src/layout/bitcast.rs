//! Whether memory in one layout can be read as an array in another layout without moving elements.
//!
//! Knows nothing of what is in memory.

use std::cmp::Reverse;

use super::logical::Logical;
use super::order::{Fill, Layout};
use super::physical::Physical;
use super::refuse;
use super::strided::Strided;
use crate::error::Error;
use crate::shape::PerAxis;

impl Physical {
    /// Whether this memory, without moving an element, is the array reshaped to the extents of `other` in the layout of `other`: XLA's
    /// `ReshapeIsBitcast`.
    ///
    /// The answer is exact and includes padding: `true` if each element has the same position in both, and the bytes, the memory space and
    /// the fill are the same. Without tiles the time grows with the number of axes; with tiles, unless the layouts are equal, with the number
    /// of elements up to the first that would move.
    ///
    /// ```
    /// use tensorwrapper_core::{Error, Physical};
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

    /// Whether this memory, without moving an element, is the transposed array in the layout of `other`, whose axis `n` is axis `axes[n]` of
    /// this one: XLA's `TransposeIsBitcast`. Exact as [`reshape_is_bitcast`](Physical::reshape_is_bitcast).
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

    /// The layout in which this memory is the reshaped array `output` without moving an element, or `None` if there is none: XLA's
    /// `AlignLayouts`.
    ///
    /// If the extents are the same, so is the layout. Otherwise tiles, and the padding of an array without elements, cannot be carried through
    /// a reshape, and the answer is `None`.
    ///
    /// ```
    /// use tensorwrapper_core::{Dtype, Error, Logical, Physical};
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
    /// The layout of the elements of a strided map from its first on, where it has gaps between axes and nothing worse:
    /// gaps become padding, of which only the owner of the memory knows whether it is.
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
    refuse(format!("`{from}` has {here} elements and `{to}` has {there}: neither is the other reshaped"))
}

/// Extents and strides with all axes gone that make no difference: those of extent 1, and those that go on where the next
/// one ends.
///
/// Two maps from the numbers of elements to positions are one exactly if these lists are: the last stride is the distance of
/// the first two elements, the last extent is where the distance changes first, and the rest follows in the same way from
/// every so many elements.
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

/// The strides of axes that stand in the place of merged ones, where axes end together. No extent is 0.
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

/// The layout with these strides, and with so much room, if one is asked for. No extent is 0.
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

/// Makes an axis of extent 1 the most minor one, and so wide.
fn hold(order: &mut PerAxis<usize>, widths: &mut [usize], extents: &[usize], width: usize) -> Option<()> {
    let at = order.iter().position(|&axis| extents[axis] == 1).filter(|_| width > 0)?;
    let axis = order.remove(at);
    order.insert(0, axis);
    widths[axis] = width;
    Some(())
}

/// How wide an axis of that step and extent is, if the next one begins there.
fn exact(next: usize, step: usize, extent: usize) -> Option<usize> {
    let width = next / step;
    (next.is_multiple_of(step) && width >= extent).then_some(width)
}

/// The axes by stride. Those of extent 1 stand wherever they like: in the row of the others, if there is one.
fn order_of(extents: &[usize], strides: &[usize]) -> PerAxis<usize> {
    let mut rows: PerAxis<usize> = (0..extents.len()).collect();
    rows.sort_by_key(|&axis| (strides[axis], extents[axis] > 1, Reverse(axis)));
    let mut columns = rows.clone();
    columns.sort_by_key(|&axis| (strides[axis], extents[axis] > 1, axis));
    let are_rows = rows.iter().copied().eq((0..extents.len()).rev());
    if !are_rows && columns.iter().copied().eq(0..extents.len()) { columns } else { rows }
}
