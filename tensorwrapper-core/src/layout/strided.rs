//! The positions of the elements of a dense tensor: extents, strides and an offset.
//!
//! Permutation, slice, chip, diagonal and broadcast are arithmetic on a [`Strided`]; no element is moved.
//! Extents, strides and offsets count elements, not bytes.

use std::borrow::Borrow;

use tensorwrapper_notation::sentence::{are, counted};

use crate::error::{Error, ErrorKind};
use crate::shape::PerAxis;

mod rearrange;
#[cfg(test)]
mod tests;

/// A strided map from multi-indices to positions in a slice of elements.
///
/// No stride is larger than the memory, so that sums of two strides do not overflow. Strides that are given from outside are set to 0 if
/// they are never used, because the axis has one index or there is no element.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Strided {
    extents: PerAxis<usize>,
    strides: PerAxis<isize>,
    offset: usize,
}

impl Clone for Strided {
    // Numbers are copied as one piece of memory, which the derived implementation would clone one by one.
    #[inline]
    fn clone(&self) -> Strided {
        let (extents, strides) = (PerAxis::from_slice(&self.extents), PerAxis::from_slice(&self.strides));
        Strided { extents, strides, offset: self.offset }
    }
}

impl Strided {
    /// Contiguous elements, last axis fastest (C order).
    ///
    /// # Errors
    /// When the number of elements exceeds `isize::MAX`.
    pub fn row_major(extents: &[usize]) -> Result<Strided, Error> {
        element_count(extents)?;
        let mut strides = PerAxis::from_elem(0, extents.len());
        if extents.contains(&0) {
            return Ok(Strided { extents: PerAxis::from_slice(extents), strides, offset: 0 });
        }
        let mut stride: isize = 1;
        for (axis, &extent) in extents.iter().enumerate().rev() {
            strides[axis] = stride;
            // The product of the extents has just been found to fit.
            stride *= extent as isize;
        }
        Ok(Strided { extents: PerAxis::from_slice(extents), strides, offset: 0 })
    }

    /// Any strides over a slice of `len` elements.
    ///
    /// # Errors
    /// When extents and strides differ in number, or an index would fall outside the slice.
    pub fn within(extents: &[usize], strides: &[isize], offset: usize, len: usize) -> Result<Strided, Error> {
        let refuse = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        if extents.len() != strides.len() {
            return refuse(format!(
                "{} but {} {} given",
                counted(extents.len(), "extent"),
                counted(strides.len(), "stride"),
                are(strides.len())
            ));
        }
        element_count(extents)?;
        let mut layout = Strided { extents: PerAxis::from_slice(extents), strides: PerAxis::from_slice(strides), offset };
        let empty = layout.is_empty();
        layout.strides.iter_mut().zip(extents).filter(|(_, extent)| empty || **extent == 1).for_each(|(stride, _)| *stride = 0);
        match layout.span() {
            Some(span) if span.end > len as i128 || span.start < 0 => refuse(format!(
                "extents {extents:?} with strides {strides:?} and offset {offset} reach outside of {len} elements"
            )),
            _ => Ok(layout),
        }
    }

    /// A map with any strides, and the number of elements that memory must have for it.
    ///
    /// # Errors
    /// When an index would have a negative position, or one beyond the address space.
    pub fn reaching(extents: PerAxis<usize>, mut strides: PerAxis<isize>, offset: usize) -> Result<(Strided, usize), Error> {
        let (mut low, mut high) = (Some(offset as isize), Some(offset as isize));
        for (stride, &extent) in strides.iter_mut().zip(&extents) {
            if extent < 2 {
                *stride = 0;
                continue;
            }
            let reach = isize::try_from(extent - 1).ok().and_then(|steps| steps.checked_mul(*stride));
            let end = if *stride < 0 { &mut low } else { &mut high };
            *end = end.zip(reach).and_then(|(end, reach)| end.checked_add(reach));
        }
        match (low, high) {
            (Some(0..), Some(high)) if !extents.contains(&0) && high < isize::MAX => {
                element_count(&extents)?;
                Ok((Strided { extents, strides, offset }, high as usize + 1))
            }
            // Nothing is there, or something is wrong with it.
            _ => {
                let layout = Strided::within(&extents, &strides, offset, usize::MAX)?;
                let reach = layout.reach().expect("the layout lies within memory");
                Ok((layout, reach))
            }
        }
    }

    /// Number of axes.
    #[inline]
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Number of indices along each axis.
    #[inline]
    pub fn extents(&self) -> &[usize] {
        &self.extents
    }

    /// The stride of each axis, in elements.
    #[inline]
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Position of the element whose indices are all zero.
    #[inline]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Number of multi-indices: the product of the extents, 1 for rank 0.
    #[inline]
    pub fn len(&self) -> usize {
        self.extents.iter().product()
    }

    /// Whether there is no element.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.extents.contains(&0)
    }

    /// The range of positions, from the lowest to one past the highest; `None` if there is no element.
    pub fn span(&self) -> Option<std::ops::Range<i128>> {
        if self.is_empty() {
            return None;
        }
        let (mut low, mut high) = (self.offset as i128, self.offset as i128);
        for (&extent, &stride) in self.extents.iter().zip(&self.strides) {
            let reach = (extent as i128 - 1) * stride as i128;
            if reach < 0 { low += reach } else { high += reach }
        }
        Some(low..high + 1)
    }

    /// Number of elements that memory must have to hold all positions; `None` if a position is negative.
    #[inline]
    pub fn reach(&self) -> Option<usize> {
        match self.span() {
            None => Some(0),
            Some(span) if span.start >= 0 => usize::try_from(span.end).ok(),
            Some(_) => None,
        }
    }

    /// The lowest position; 0 if there is no element.
    pub fn start(&self) -> usize {
        if self.is_empty() {
            return 0;
        }
        let back = |(&extent, &stride): (&usize, &isize)| if stride < 0 { (extent - 1) * stride.unsigned_abs() } else { 0 };
        self.offset - self.extents.iter().zip(&self.strides).map(back).sum::<usize>()
    }

    /// The same map for memory that begins at the lowest position.
    pub fn rebased(&self) -> Strided {
        Strided { offset: if self.is_empty() { 0 } else { self.offset - self.start() }, ..self.clone() }
    }

    /// Whether another map has the same extents, and the same position for every index.
    #[inline]
    pub fn is_like(&self, other: &Strided) -> bool {
        self.steps_like(other) && (self.offset == other.offset || self.is_empty())
    }

    /// Whether another map has the same extents, and the same distance between any two elements.
    #[inline]
    pub fn steps_like(&self, other: &Strided) -> bool {
        // Axes are few: a loop over them takes less time than the call that compares memory.
        let (mut same, mut apart) = (self.rank() == other.rank(), false);
        let strides = self.strides.iter().zip(&other.strides);
        for ((&extent, &known), (a, b)) in self.extents.iter().zip(&other.extents).zip(strides) {
            same &= extent == known;
            apart |= a != b && extent != 1;
        }
        same && (!apart || self.is_empty())
    }

    /// Whether another map of the same extents has the same position for every index.
    pub fn leads_like(&self, other: &Strided) -> bool {
        debug_assert_eq!(self.extents, other.extents, "maps of other indices are not compared");
        let mut strides = self.extents.iter().zip(self.strides.iter().zip(&other.strides));
        self.is_empty() || self.offset == other.offset && strides.all(|(&extent, (a, b))| extent == 1 || a == b)
    }

    /// Whether the elements are contiguous in C order, starting at the offset.
    pub fn is_row_major(&self) -> bool {
        let mut expected = 1;
        self.is_empty()
            || self.extents.iter().zip(&self.strides).rev().all(|(&extent, &stride)| {
                let fits = extent == 1 || stride == expected;
                expected *= extent as isize;
                fits
            })
    }

    /// Position of a multi-index; `None` if it is out of range or has another rank.
    #[inline]
    pub fn position(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.rank() {
            return None;
        }
        let mut position = self.offset as isize;
        for ((&i, &extent), &stride) in index.iter().zip(&self.extents).zip(&self.strides) {
            if i >= extent {
                return None;
            }
            // Wraps only on the way to the axis without indices that refuses this one.
            position = position.wrapping_add((i as isize).wrapping_mul(stride));
        }
        Some(position as usize)
    }

    /// Whether no two multi-indices share a position, as memory that is written requires.
    pub fn is_injective(&self) -> bool {
        let Some(span) = self.span() else { return true };
        let mut axes: Vec<_> = self.extents.iter().zip(&self.strides).filter(|&(&extent, _)| extent > 1).collect();
        axes.sort_unstable_by_key(|(_, stride)| stride.unsigned_abs());
        let mut reach = 0;
        let nested = axes.iter().all(|&(&extent, &stride)| {
            let stride = stride.unsigned_abs() as u128;
            let steps_over = stride > reach;
            reach += (extent as u128 - 1) * stride;
            steps_over
        });
        // Axes that do not nest may still interleave without meeting, as strides 2 and 3 of extents 3 and 2 do.
        let room = span.end - span.start;
        nested || (self.len() as i128 <= room && axes[0].1 != &0 && self.visits_once(span.start, room))
    }

    /// Marks every position in turn; `false` when one is met again, or when the marks find no memory.
    fn visits_once(&self, start: i128, room: i128) -> bool {
        let mut visited = Vec::new();
        let Ok(room) = usize::try_from(room) else { return false };
        if visited.try_reserve_exact(room).is_err() {
            return false;
        }
        visited.resize(room, false);
        self.positions().all(|p| !std::mem::replace(&mut visited[(p as i128 - start) as usize], true))
    }

    /// The positions of all multi-indices in lexicographic order, last axis fastest.
    pub fn positions(&self) -> Positions<&Strided> {
        Positions::new(self)
    }

    /// As [`positions`](Strided::positions), with an iterator that owns the layout.
    pub fn into_positions(self) -> Positions<Strided> {
        Positions::new(self)
    }
}

/// Iterator over the positions of all elements; see [`Strided::positions`].
#[derive(Clone, Debug)]
pub struct Positions<L> {
    layout: L,
    index: PerAxis<usize>,
    position: isize,
    left: usize,
    /// Elements of the last axis that are left at this index of the others, and how far apart they are.
    run: usize,
    stride: isize,
}

impl<L: Borrow<Strided>> Positions<L> {
    fn new(layout: L) -> Positions<L> {
        let all: &Strided = layout.borrow();
        let (index, position, left) = (PerAxis::from_elem(0, all.rank()), all.offset as isize, all.len());
        let (run, stride) = (all.extents.last().copied().unwrap_or(1), all.strides.last().copied().unwrap_or(0));
        Positions { layout, index, position, left, run, stride }
    }

    /// Goes from the last element of the last axis to the first one at the next index of the others.
    fn next_run(&mut self) {
        let layout: &Strided = self.layout.borrow();
        let mut axes = layout.extents.iter().zip(&layout.strides).enumerate().rev();
        let Some((_, (&extent, &stride))) = axes.next() else { return };
        self.run = extent;
        self.position = self.position.wrapping_sub(stride.wrapping_mul(extent as isize - 1));
        // One step past the end of an axis may wrap where its stride is huge; the way back wraps again.
        for (axis, (&extent, &stride)) in axes {
            self.index[axis] += 1;
            self.position = self.position.wrapping_add(stride);
            if self.index[axis] < extent {
                break;
            }
            self.position = self.position.wrapping_sub(stride.wrapping_mul(extent as isize));
            self.index[axis] = 0;
        }
    }
}

impl<L: Borrow<Strided>> Iterator for Positions<L> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let current = self.position as usize;
        if self.run > 1 {
            self.run -= 1;
            self.position = self.position.wrapping_add(self.stride);
        } else {
            self.next_run();
        }
        Some(current)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<L: Borrow<Strided>> ExactSizeIterator for Positions<L> {}

/// The number of elements of a tensor of these extents.
///
/// # Errors
/// When this number, or the product of the non-zero extents, exceeds `isize::MAX`.
pub fn element_count(extents: &[usize]) -> Result<usize, Error> {
    let nonzero = extents.iter().filter(|&&e| e != 0).try_fold(1usize, |n, &e| n.checked_mul(e));
    match nonzero {
        Some(n) if n <= isize::MAX as usize => Ok(if extents.contains(&0) { 0 } else { n }),
        _ => Err(Error::new(ErrorKind::Shape(format!(
            "a tensor of extents {extents:?} has more elements than memory can address"
        )))),
    }
}
