//! Strided elements brought into C order: the one loop on this floor.

use crate::element::Element;
use crate::erased;
use crate::error::Error;
use crate::layout::Strided;

/// Rows and columns of a block of a transposition: two blocks of the largest elements fit the nearest cache.
const BLOCK: usize = 32;

/// The extent and stride of one axis.
type Axis = (usize, isize);

/// The elements that a layout finds, last index running fastest.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) when the system has none.
pub(super) fn in_c_order<T: Element>(source: &[T], layout: &Strided) -> Result<Vec<T>, Error> {
    let mut axes = merged_axes(layout);
    let Some(last) = axes.pop() else {
        let mut only = erased::reserve(layout.len())?;
        only.extend(layout.positions().map(|p| source[p]));
        return Ok(only);
    };
    // Reading along the last axis jumps by its stride. Where another axis jumps less, both are walked in blocks.
    let closest = (0..axes.len()).min_by_key(|&a| axes[a].1.unsigned_abs());
    match closest.filter(|&a| axes[a].1.unsigned_abs() < last.1.unsigned_abs()) {
        Some(closest) => by_blocks(source, layout, &axes, closest, last),
        None => by_rows(source, layout, &axes, last),
    }
}

fn by_rows<T: Element>(source: &[T], layout: &Strided, axes: &[Axis], last: Axis) -> Result<Vec<T>, Error> {
    let (columns, stride) = last;
    let mut result = erased::reserve(layout.len())?;
    for start in outer(axes, layout.offset()) {
        match stride {
            1 => result.extend_from_slice(&source[start..start + columns]),
            _ => result.extend((0..columns).map(|n| source[at(start, n, stride)])),
        }
    }
    Ok(result)
}

fn by_blocks<T: Element>(source: &[T], layout: &Strided, axes: &[Axis], closest: usize, last: Axis) -> Result<Vec<T>, Error> {
    let (columns, stride) = last;
    let mut result = erased::zeros(layout.len())?;
    let (mut from_axes, mut to_axes) = (axes.to_vec(), axes.to_vec());
    let mut step = columns as isize;
    for axis in to_axes.iter_mut().rev() {
        (axis.1, step) = (step, step * axis.0 as isize);
    }
    let ((rows, near), (_, far)) = (from_axes.remove(closest), to_axes.remove(closest));
    for (from, to) in outer(&from_axes, layout.offset()).zip(outer(&to_axes, 0)) {
        for (row, column) in blocks(rows, columns) {
            for r in row..rows.min(row + BLOCK) {
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
fn outer(axes: &[Axis], offset: usize) -> impl Iterator<Item = usize> + use<> {
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
fn merged_axes(layout: &Strided) -> Vec<Axis> {
    let mut axes: Vec<Axis> = Vec::new();
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
