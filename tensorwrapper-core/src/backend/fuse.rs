//! Normal forms of iteration spaces: axes of extent 1 are dropped, and neighbouring axes that every operand crosses with one stride are
//! fused.
//!
//! Knows strides only, not what is computed along the axes.

use smallvec::SmallVec;

/// One axis of an iteration space over several operands: `S` holds one stride for each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis<S> {
    /// Number of indices along it.
    pub extent: usize,
    /// How far each operand moves in memory from one index to the next.
    pub strides: S,
}

/// Strides of the operands along one axis, or their positions: an array, or a vector where their number varies.
pub trait Strides: AsRef<[isize]> + AsMut<[isize]> + Clone {}

impl<S: AsRef<[isize]> + AsMut<[isize]> + Clone> Strides for S {}

/// Number of points of a space.
pub fn points<S>(axes: &[Axis<S>]) -> usize {
    axes.iter().map(|axis| axis.extent).product()
}

/// Drops axes of extent 1, sorts the others (the widest strides first, compared by the operands in the order of `priority`), and fuses
/// neighbouring axes that every operand crosses with one stride.
pub fn normalise<S: Strides>(axes: &mut Vec<Axis<S>>, priority: &[usize]) {
    axes.retain(|axis| axis.extent != 1);
    sort(axes, priority);
    fuse(axes);
}

/// Sorts axes with the widest strides first. Operands are compared in the order of `priority`.
pub fn sort<S: Strides>(axes: &mut [Axis<S>], priority: &[usize]) {
    let key = |axis: &Axis<S>, &operand: &usize| axis.strides.as_ref()[operand].unsigned_abs();
    axes.sort_by(|a, b| priority.iter().map(|o| key(b, o)).cmp(priority.iter().map(|o| key(a, o))));
}

/// Fuses neighbouring axes that every operand crosses with one stride.
pub fn fuse<S: Strides>(axes: &mut Vec<Axis<S>>) {
    let mut last = 0;
    for next in 1..axes.len() {
        let inner = axes[next].clone();
        let outer = &mut axes[last];
        let reach = |stride: isize| stride.wrapping_mul(inner.extent as isize);
        if outer.strides.as_ref().iter().zip(inner.strides.as_ref()).all(|(&o, &i)| o == reach(i)) {
            *outer = Axis { extent: outer.extent * inner.extent, strides: inner.strides };
        } else {
            last += 1;
            axes[last] = inner;
        }
    }
    axes.truncate(last + 1);
}

/// Reverses each axis on which `operand` has a negative stride. The axis is reversed for all operands, and `start` moves to its other
/// end.
pub fn forward<S: Strides>(axes: &mut [Axis<S>], start: &mut S, operand: usize) {
    for axis in axes {
        if axis.strides.as_ref()[operand] < 0 {
            for (start, stride) in start.as_mut().iter_mut().zip(axis.strides.as_mut()) {
                *start += *stride * (axis.extent as isize - 1);
                *stride = -*stride;
            }
        }
    }
}

/// The one stride with which an operand crosses all axes in their order; `None` if it needs several.
///
/// Without axes the result is 0.
pub fn single_stride<S: Strides>(axes: &[Axis<S>], operand: usize) -> Option<isize> {
    let stride = |axis: &Axis<S>| axis.strides.as_ref()[operand];
    let one = axes.windows(2).all(|pair| stride(&pair[0]) == stride(&pair[1]).wrapping_mul(pair[1].extent as isize));
    if one { Some(axes.last().map_or(0, stride)) } else { None }
}

/// Whether it is certain that no two multi-indices share a position. `false` does not mean that two do: the test is not exact.
pub fn is_injective(extents: &[usize], strides: &[isize]) -> bool {
    let mut axes: Vec<(usize, usize)> =
        extents.iter().zip(strides).filter(|(e, _)| **e != 1).map(|(&e, s)| (s.unsigned_abs(), e)).collect();
    axes.sort_unstable();
    let mut reach = 0;
    axes.into_iter().all(|(stride, extent)| {
        let apart = stride > reach;
        reach += stride * extent.saturating_sub(1);
        apart
    })
}

/// Walks over all points of a space, last axis fastest, and keeps the position of each operand.
#[derive(Debug)]
pub struct Odometer<'a, S> {
    axes: &'a [Axis<S>],
    index: SmallVec<[usize; 8]>,
    /// The position of each operand in its memory.
    pub position: S,
}

impl<'a, S: Strides> Odometer<'a, S> {
    /// Begins at the point with this number; `start` holds the positions of point 0.
    pub fn new(axes: &'a [Axis<S>], start: &S, point: usize) -> Odometer<'a, S> {
        let mut odometer = Odometer { axes, index: SmallVec::from_elem(0, axes.len()), position: start.clone() };
        odometer.seek(start, point);
        odometer
    }

    /// Moves to the point with this number; `start` holds the positions of point 0.
    pub fn seek(&mut self, start: &S, mut point: usize) {
        self.position.as_mut().copy_from_slice(start.as_ref());
        for (index, axis) in self.index.iter_mut().zip(self.axes).rev() {
            *index = point % axis.extent;
            point /= axis.extent;
            for (position, stride) in self.position.as_mut().iter_mut().zip(axis.strides.as_ref()) {
                *position += *index as isize * stride;
            }
        }
    }

    /// The index along an axis.
    pub fn index(&self, axis: usize) -> usize {
        self.index[axis]
    }

    /// Moves on to the next point; after the last one, to the first.
    pub fn step(&mut self) {
        for (index, axis) in self.index.iter_mut().zip(self.axes).rev() {
            *index += 1;
            let wraps = *index == axis.extent;
            let back = if wraps { axis.extent as isize } else { 0 };
            for (position, stride) in self.position.as_mut().iter_mut().zip(axis.strides.as_ref()) {
                *position += stride - back * stride;
            }
            if !wraps {
                return;
            }
            *index = 0;
        }
    }
}
