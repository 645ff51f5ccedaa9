//! Iteration spaces as text: a linear index is split into one for each axis, which gives positions in memory.

use std::fmt::Write as _;

use tensorwrapper_core::backend::fuse::{Axis, normalise};
use tensorwrapper_core::layout::Strided;

/// The axes of a space over several operands, with a stride of each operand.
pub(super) type Axes = Vec<Axis<Vec<isize>>>;

/// The axes of these layouts in a range. A layout with fewer axes does not depend on the others.
pub(super) fn axes(extents: &[usize], range: std::ops::Range<usize>, layouts: &[&Strided]) -> Axes {
    let stride = |layout: &&Strided, axis: usize| layout.strides().get(axis).copied().unwrap_or(0);
    range
        .map(|axis| Axis { extent: extents[axis], strides: layouts.iter().map(|layout| stride(layout, axis)).collect() })
        .collect()
}

/// Brings a space into normal form: axes are fused and sorted, first by the strides of the first operand in `priority`.
pub(super) fn normal(mut axes: Axes, priority: &[usize]) -> Axes {
    normalise(&mut axes, priority);
    axes
}

/// The axis along which an operand's elements are neighbours in memory.
pub(super) fn unit(axes: &Axes, operand: usize) -> Option<usize> {
    axes.iter().position(|axis| axis.strides[operand].unsigned_abs() == 1)
}

/// The axis with the smallest stride of an operand, among those that it has.
pub(super) fn nearest(axes: &Axes, operand: usize) -> Option<usize> {
    let stride = |&n: &usize| axes[n].strides[operand].unsigned_abs();
    (0..axes.len()).filter(|n| stride(n) > 0).min_by_key(stride)
}

/// The fewest bytes that are worth a piece of memory of their own, and the most elements of such a piece: a GPU's memory is
/// accessed in sectors of 32 bytes, and in lines of 128.
const PIECE: usize = 64;
const LONGEST: usize = 32;

/// An order of axes in which two operands are both reached in whole pieces of memory: the last and fastest axis is a piece of the
/// first operand's neighbours, and the axis before it has those of the second. Axes in the order of the first operand stay as they
/// are where both have the same neighbours. `None` where the axis of the first operand's neighbours has no such piece.
pub(super) fn in_pieces(axes: &Axes, [first, second]: [usize; 2], size: usize) -> Option<Axes> {
    let mut axes = axes.clone();
    let (Some(near), Some(other)) = (nearest(&axes, first), nearest(&axes, second)) else { return Some(axes) };
    if near == other {
        return Some(axes);
    }
    let piece = piece(axes[near].extent, size)?;
    let across = axes[near].strides.iter().map(|stride| stride * piece as isize).collect();
    let outer = Axis { extent: axes[near].extent / piece, strides: across };
    let inner = Axis { extent: piece, ..std::mem::replace(&mut axes[near], outer) };
    let other = axes.remove(other);
    axes.retain(|axis| axis.extent > 1);
    axes.extend([other, inner]);
    Some(axes)
}

/// The shortest piece of an axis that divides it and has enough bytes; the whole axis where it is short.
fn piece(extent: usize, size: usize) -> Option<usize> {
    let enough = PIECE.div_ceil(size);
    (enough..=LONGEST).find(|piece| extent.is_multiple_of(*piece)).or((extent <= LONGEST).then_some(extent))
}

/// The body of a function from an index `n` to the place `p`. `fields` are the members of the place, one for each operand;
/// operands with an empty name are left out.
pub(super) fn place(axes: &Axes, fields: &[String]) -> String {
    let mut text = String::new();
    for (number, axis) in axes.iter().enumerate().rev() {
        let index = if number == 0 { "n".to_string() } else { format!("n % {}u", axis.extent) };
        for (field, &stride) in fields.iter().zip(&axis.strides).filter(|(field, stride)| !field.is_empty() && **stride != 0) {
            let _ = write!(text, " {field} += P({index}) * P({stride});");
        }
        if number > 0 {
            let _ = write!(text, " n /= {}u;", axis.extent);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(extent: usize, strides: [isize; 2]) -> Axis<Vec<isize>> {
        Axis { extent, strides: strides.to_vec() }
    }

    #[test]
    fn both_operands_are_reached_in_pieces() {
        let one = |axis: &Axis<Vec<isize>>| (axis.extent, axis.strides[0], axis.strides[1]);
        let of = |axes: &Option<Axes>| axes.as_ref().map(|axes| axes.iter().map(one).collect::<Vec<_>>());
        let crossed = |a: usize, b: usize| vec![axis(b, [a as isize, 1]), axis(a, [1, b as isize])];
        // 312 elements of the first operand lie side by side: eight of them are a piece.
        assert_eq!(of(&in_pieces(&crossed(312, 72), [0, 1], 8)), Some(vec![(39, 8, 576), (72, 312, 1), (8, 1, 72)]));
        assert_eq!(of(&in_pieces(&crossed(312, 72), [0, 1], 4)), Some(vec![(13, 24, 1728), (72, 312, 1), (24, 1, 72)]));
        // Short axes are pieces as they are.
        assert_eq!(of(&in_pieces(&crossed(5, 72), [0, 1], 8)), Some(vec![(72, 5, 1), (5, 1, 72)]));
        // A long axis of prime extent has no pieces.
        assert_eq!(of(&in_pieces(&crossed(313, 72), [0, 1], 8)), None);
        let same = vec![axis(313, [72, 72]), axis(72, [1, 1])];
        assert_eq!(of(&in_pieces(&same, [0, 1], 8)), of(&Some(same)));
    }
}
