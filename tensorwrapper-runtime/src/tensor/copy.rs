//! Strided elements brought into C order: the one loop on this floor.

use crate::element::Element;
use crate::erased;
use crate::error::Error;
use crate::layout::Layout;

/// Rows and columns of a block of a transposition: two blocks of the largest elements fit the nearest cache.
const BLOCK: usize = 32;

/// The elements that a layout finds, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Element>(source: &[T], layout: &Layout) -> Result<Vec<T>, Error> {
    let len = layout.len();
    let mut axes = merged_axes(layout);
    let Some((columns, stride)) = axes.pop() else {
        let mut only = erased::reserve(len)?;
        only.extend(layout.positions().map(|p| source[p]));
        return Ok(only);
    };
    let rows = |axes: &[_]| outer(axes, layout.offset());
    if stride == 1 {
        let mut result = erased::reserve(len)?;
        rows(&axes).for_each(|start| result.extend_from_slice(&source[start..start + columns]));
        return Ok(result);
    }
    // Reading along the last axis jumps. Another axis may jump less: then both are walked in blocks.
    let closest = (0..axes.len()).min_by_key(|&a| axes[a].1.unsigned_abs());
    let Some(closest) = closest.filter(|&a| axes[a].1.unsigned_abs() < stride.unsigned_abs()) else {
        let mut result = erased::reserve(len)?;
        rows(&axes).for_each(|start| result.extend((0..columns).map(|n| source[at(start, n, stride)])));
        return Ok(result);
    };
    let mut result = erased::zeros(len)?;
    let mut target_axes = axes.clone();
    let mut step = columns as isize;
    for axis in target_axes.iter_mut().rev() {
        (axis.1, step) = (step, step * axis.0 as isize);
    }
    let ((count, near), (_, far)) = (axes.remove(closest), target_axes.remove(closest));
    for (from, to) in rows(&axes).zip(outer(&target_axes, 0)) {
        for (row, column) in blocks(count, columns) {
            for r in row..count.min(row + BLOCK) {
                let (from, to) = (at(from, r, near), at(to, r, far));
                for c in column..columns.min(column + BLOCK) {
                    result[to + c] = source[at(from, c, stride)];
                }
            }
        }
    }
    Ok(result)
}

fn at(start: usize, n: usize, stride: isize) -> usize {
    (start as isize + n as isize * stride) as usize
}

/// Upper left corners of all blocks.
fn blocks(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).step_by(BLOCK).flat_map(move |row| (0..columns).step_by(BLOCK).map(move |column| (row, column)))
}

/// Starts of all rows that the given axes lead to, last axis fastest.
fn outer(axes: &[(usize, isize)], offset: usize) -> impl Iterator<Item = usize> + use<> {
    let count = axes.iter().map(|axis| axis.0).product();
    let (axes, mut index, mut position) = (axes.to_vec(), vec![0; axes.len()], offset as isize);
    (0..count).map(move |_| {
        let current = position as usize;
        for (i, &(extent, stride)) in index.iter_mut().zip(&axes).rev() {
            *i += 1;
            position = position.wrapping_add(stride);
            if *i < extent {
                break;
            }
            position = position.wrapping_sub(stride.wrapping_mul(extent as isize));
            *i = 0;
        }
        current
    })
}

/// Extents and strides without axes of extent 1, neighbours that continue each other made one. None where there is at
/// most one element.
fn merged_axes(layout: &Layout) -> Vec<(usize, isize)> {
    let mut axes: Vec<(usize, isize)> = Vec::new();
    if layout.is_empty() {
        return axes;
    }
    for (&extent, &stride) in layout.extents().iter().zip(layout.strides()).filter(|axis| *axis.0 != 1) {
        match axes.last_mut() {
            Some(last) if Some(last.1) == stride.checked_mul(extent as isize) => *last = (last.0 * extent, stride),
            _ => axes.push((extent, stride)),
        }
    }
    axes
}
