//! How elements lie in memory: strides, which views, kernels and plans share, and descriptions that people read and write, [`Logical`]
//! and [`Physical`], with their text.
//!
//! How an array is indexed (`logical.rs`) and how it is stored (`physical.rs`) are two types. Orders of axes and padding become a
//! `Strided`, which is all that devices see. Tiles are in `levels.rs`, and only an `Indexer` uses them. Dense tensors have no tiles:
//! `Physical` knows XLA's tiles and converts from and to them (`store`, `load`).
//!
//! Knows nothing of tensors and devices.

mod bitcast;
mod buffer;
mod indexer;
mod levels;
mod logical;
mod order;
mod parse;
mod physical;
mod reciprocal;
mod strided;
#[cfg(test)]
mod tests;
mod text;
mod tile;
mod walk;

pub use indexer::Indexer;
pub use logical::Logical;
pub use order::{Fill, Layout};
pub use physical::Physical;
pub use strided::{Positions, Strided, element_count};
pub use text::Layouts;
pub use tile::Tile;
pub use walk::Walk;

use crate::error::{Error, ErrorKind};
use crate::shape::PerAxis;

/// The error for a layout, or a list of extents or axes, that does not fit.
fn refuse<T>(message: String) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Shape(message)))
}

/// Checks that `axes` names each axis of an array of this rank once. The error has the wrong entry, and why it is wrong.
fn check_order(axes: &[usize], rank: usize) -> Result<(), (usize, String)> {
    let mut found: PerAxis<bool> = PerAxis::from_elem(false, rank);
    for (n, &axis) in axes.iter().enumerate() {
        if axis >= rank {
            return Err((n, format!("there is no axis {axis} among {rank}: an order of axes names each of them once")));
        }
        if std::mem::replace(&mut found[axis], true) {
            return Err((n, format!("axis {axis} stands twice in the order {axes:?}")));
        }
    }
    match found.iter().position(|found| !found) {
        Some(axis) => Err((axes.len(), format!("axis {axis} is missing in the order {axes:?}"))),
        None => Ok(()),
    }
}

/// The axes that stay when some are removed.
///
/// # Errors
/// When an axis to remove does not exist or is named twice.
fn staying(rank: usize, going: &[usize]) -> Result<Vec<usize>, Error> {
    let mut goes: PerAxis<bool> = PerAxis::from_elem(false, rank);
    for &axis in going {
        if axis >= rank {
            return refuse(format!("there is no axis {axis} to delete among {rank}"));
        }
        if std::mem::replace(&mut goes[axis], true) {
            return refuse(format!("axis {axis} is to be deleted twice"));
        }
    }
    Ok((0..rank).filter(|&axis| !goes[axis]).collect())
}
