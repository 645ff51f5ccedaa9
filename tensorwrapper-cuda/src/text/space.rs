//! Iteration spaces as text: an index, taken apart into one for each axis, becomes positions in memory.

use std::fmt::Write as _;

use tensorwrapper_core::backend::fuse::{Axis, normalise};
use tensorwrapper_core::layout::Strided;

/// The axes of a space over several operands, of which each brings a stride for every axis.
pub(super) type Axes = Vec<Axis<Vec<isize>>>;

/// The axes of these layouts from `first` to `last`; a layout that has fewer axes does not depend on the rest.
pub(super) fn axes(extents: &[usize], range: std::ops::Range<usize>, layouts: &[&Strided]) -> Axes {
    let stride = |layout: &&Strided, axis: usize| layout.strides().get(axis).copied().unwrap_or(0);
    range
        .map(|axis| Axis { extent: extents[axis], strides: layouts.iter().map(|layout| stride(layout, axis)).collect() })
        .collect()
}

/// Brings a space into normal form. Which operand's neighbours are to be neighbours in it, `priority` says.
pub(super) fn normal(mut axes: Axes, priority: &[usize]) -> Axes {
    normalise(&mut axes, priority);
    axes
}

/// The axis along which an operand's elements are neighbours in memory, of those that have more than one index.
pub(super) fn unit(axes: &Axes, operand: usize) -> Option<usize> {
    axes.iter().position(|axis| axis.strides[operand].unsigned_abs() == 1)
}

/// The body of a function that makes an index `n` into the place `p`: `fields` are the members to add to, one for each operand.
/// An operand with an empty name is left out.
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
