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
