//! Numbers of axes, and lists with one number for each axis.

use crate::error::{Error, ErrorKind};

/// The axis that a number stands for; negative numbers count from the last axis, which is -1. `None` if there is no such axis.
pub fn axis_of(number: isize, rank: usize) -> Option<usize> {
    let axis = if number < 0 { rank.checked_add_signed(number) } else { Some(number.unsigned_abs()) };
    axis.filter(|&axis| axis < rank)
}

/// The error for a step of 0 along an axis.
pub fn no_step(axis: usize) -> Error {
    Error::new(ErrorKind::Shape(format!("a step of 0 along axis {axis} goes nowhere")))
}

/// A list with one number for each axis; up to rank 8 it needs no allocation.
pub type PerAxis<N> = smallvec::SmallVec<[N; 8]>;
