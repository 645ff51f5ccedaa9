//! Selections and rearrangements of axes: the same memory with other strides.

use std::ops::Range;

use tensorwrapper_notation::sentence::counted;

use super::Strided;
use crate::shape::PerAxis;

impl Strided {
    /// Keeps `len` indices of an axis from `start` on.
    ///
    /// # Panics
    /// When the axis does not exist or has fewer indices; callers check this first, with an error for the user.
    pub fn slice(mut self, axis: usize, start: usize, len: usize) -> Strided {
        assert!(start <= self.extents[axis] && len <= self.extents[axis] - start, "slice outside of its axis");
        self.extents[axis] = len;
        // Without elements the offset is never followed, and moving it might overflow.
        if !self.is_empty() {
            self.offset = (self.offset as isize + start as isize * self.strides[axis]) as usize;
        }
        self
    }

    /// Fixes the index along an axis, which is removed.
    ///
    /// # Panics
    /// When the axis does not exist or has no such index; callers check this first, with an error for the user.
    pub fn chip(&self, axis: usize, index: usize) -> Strided {
        assert!(index < self.extents[axis], "chip outside of its axis");
        let (mut extents, mut strides) = (PerAxis::from_slice(&self.extents[..axis]), PerAxis::from_slice(&self.strides[..axis]));
        extents.extend_from_slice(&self.extents[axis + 1..]);
        strides.extend_from_slice(&self.strides[axis + 1..]);
        // Without elements the offset is never followed, and moving it might overflow.
        let offset = match self.is_empty() {
            true => self.offset,
            false => (self.offset as isize + index as isize * self.strides[axis]) as usize,
        };
        Strided { extents, strides, offset }
    }

    /// Axis `n` of the result is axis `axes[n]` of this layout.
    ///
    /// # Panics
    /// When `axes` is not a permutation; callers check this first, with an error for the user.
    pub fn permute(&self, axes: &[usize]) -> Strided {
        assert!(self.is_permuted_by(axes), "{axes:?} is not a permutation of {}", counted(self.rank(), "axis"));
        let mut permuted = self.clone();
        let (extents, strides) = (&self.extents[..], &self.strides[..]);
        let places = permuted.extents.iter_mut().zip(permuted.strides.iter_mut());
        for ((extent, stride), &axis) in places.zip(axes) {
            (*extent, *stride) = (extents[axis], strides[axis]);
        }
        permuted
    }

    /// Whether `axes` names each axis once.
    pub fn is_permuted_by(&self, axes: &[usize]) -> bool {
        // Axes are few: looking back costs less than memory for marks.
        let new = |(n, axis): (usize, &usize)| *axis < self.rank() && !axes[..n].contains(axis);
        axes.len() == self.rank() && axes.iter().enumerate().all(new)
    }

    /// Merges two axes into their diagonal: one axis with the sum of their strides, at the place of the first of them.
    ///
    /// # Panics
    /// When the axes are the same, do not exist, or differ in extent; callers check this first, with an error for the user.
    pub fn diagonal(mut self, a: usize, b: usize) -> Strided {
        assert!(a != b && self.extents[a] == self.extents[b], "no diagonal along axes {a} and {b} of {self:?}");
        let (kept, removed) = (a.min(b), a.max(b));
        self.extents.remove(removed);
        let stride = self.strides.remove(removed);
        // Strides of axes without a second index are arbitrary and never followed.
        self.strides[kept] = self.strides[kept].wrapping_add(stride);
        self
    }

    /// The same elements with axes split: each axis becomes axes of the given extents, the first slowest. The product of these extents is
    /// the extent of the axis.
    ///
    /// # Panics
    /// In debug builds, when a product is not the axis' extent; callers check this first, with an error for the user.
    pub fn split(self, parts: &[Vec<usize>]) -> Strided {
        let mut strides = PerAxis::new();
        for ((&extent, &stride), parts) in self.extents.iter().zip(&self.strides).zip(parts) {
            debug_assert_eq!(parts.iter().product::<usize>(), extent, "extents multiply out");
            let below = |n: usize| parts[n + 1..].iter().product::<usize>() as isize;
            strides.extend((0..parts.len()).map(|n| stride.wrapping_mul(below(n))));
        }
        Strided { extents: parts.iter().flatten().copied().collect(), strides, offset: self.offset }
    }

    /// The layout with one axis for each label, whose extents are given: axis `n` of this layout has label `labels[n]`. A label on two axes
    /// stands for their diagonal; one on no axis has stride 0.
    ///
    /// # Panics
    /// When there is not one label for each axis.
    pub fn gather(self, labels: &[usize], extents: &[usize]) -> Strided {
        assert_eq!(labels.len(), self.rank(), "one label for each axis");
        let mut strides = PerAxis::from_elem(0, extents.len());
        for (&label, &stride) in labels.iter().zip(&self.strides) {
            strides[label] += stride;
        }
        Strided { extents: PerAxis::from_slice(extents), strides, offset: self.offset }
    }

    /// Reverses an axis.
    ///
    /// # Panics
    /// When the axis does not exist; callers check this first, with an error for the user.
    pub fn reverse(mut self, axis: usize) -> Strided {
        if !self.is_empty() {
            let last = self.extents[axis] as isize - 1;
            self.offset = (self.offset as isize + last * self.strides[axis]) as usize;
        }
        self.strides[axis] = self.strides[axis].wrapping_neg();
        self
    }

    /// Keeps every `step`-th index of an axis, beginning with the first.
    ///
    /// # Panics
    /// When the axis does not exist or `step` is 0; callers check this first, with an error for the user.
    pub fn step(mut self, axis: usize, step: usize) -> Strided {
        self.extents[axis] = self.extents[axis].div_ceil(step);
        // An axis that has no second index any more is not followed, and its new stride might be no number.
        self.strides[axis] = if self.extents[axis] > 1 { self.strides[axis] * step as isize } else { 0 };
        self
    }

    /// Adds an axis of this extent and stride 0 before axis `axis`: every element is repeated along it.
    ///
    /// # Panics
    /// When there are fewer axes; callers check this first, with an error for the user, and check that the elements can be counted.
    pub fn repeat(mut self, axis: usize, extent: usize) -> Strided {
        self.extents.insert(axis, extent);
        self.strides.insert(axis, 0);
        self
    }

    /// The same elements in the same order, last axis fastest, with other extents of the same product.
    ///
    /// # Errors
    /// The range of neighbouring axes of this layout that would have to be merged or split, but have no common stride.
    pub fn reshape(&self, extents: &[usize]) -> Result<Strided, Range<usize>> {
        debug_assert_eq!(self.len(), extents.iter().product::<usize>(), "callers compare the numbers of elements");
        let mut strides = PerAxis::from_elem(0, extents.len());
        if !self.is_empty() {
            let (mut old, mut new) = (0, 0);
            while old < self.rank() || new < extents.len() {
                // The shortest runs of axes, here and there, that hold the same number of indices.
                let (old_start, new_start) = (old, new);
                let (mut here, mut there) = (1, 1);
                while here != there || old == old_start && new == new_start {
                    if here <= there && old < self.rank() {
                        (here, old) = (here * self.extents[old], old + 1);
                    } else {
                        (there, new) = (there * extents[new], new + 1);
                    }
                }
                let mut stride = self.one_stride(old_start..old).ok_or(old_start..old)?;
                for axis in (new_start..new).rev() {
                    strides[axis] = stride;
                    stride = stride.wrapping_mul(extents[axis] as isize);
                }
            }
        }
        Ok(Strided { extents: PerAxis::from_slice(extents), strides, offset: self.offset })
    }

    /// The one stride with which neighbouring axes are crossed.
    fn one_stride(&self, axes: Range<usize>) -> Option<isize> {
        let mut walked = axes.rev().filter(|&axis| self.extents[axis] != 1);
        let Some(last) = walked.next() else { return Some(0) };
        let mut next = self.strides[last].wrapping_mul(self.extents[last] as isize);
        let one = walked.all(|axis| {
            let fits = self.strides[axis] == next;
            next = next.wrapping_mul(self.extents[axis] as isize);
            fits
        });
        one.then_some(self.strides[last])
    }
}
