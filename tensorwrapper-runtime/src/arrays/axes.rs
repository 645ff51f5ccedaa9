//! Axes by number, checked against a tensor's rank, and extents, compared with those of another tensor.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::PerAxis;

/// Axes of a tensor by their numbers, counted from 0: one (`1`), or several (`[0, 2]`).
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name axes",
    label = "not the number of an axis, and no array of such numbers",
    note = "axes are counted from 0: `1`, or `[0, 2]`"
)]
pub trait Axes {
    /// The numbers.
    fn numbers(&self) -> &[usize];
}

impl Axes for usize {
    fn numbers(&self) -> &[usize] {
        std::slice::from_ref(self)
    }
}
impl<const N: usize> Axes for [usize; N] {
    fn numbers(&self) -> &[usize] {
        self
    }
}
impl Axes for &[usize] {
    fn numbers(&self) -> &[usize] {
        self
    }
}
impl Axes for Vec<usize> {
    fn numbers(&self) -> &[usize] {
        self
    }
}

/// All axes of a tensor: those that are not named, in order, then those that are; and how many are not.
///
/// # Errors
/// [`ErrorKind::Shape`] when there is no such axis, or one is named twice.
pub(super) fn divided(axes: &impl Axes, rank: usize) -> Result<(PerAxis<usize>, usize), Error> {
    let named = axes.numbers();
    for (n, &axis) in named.iter().enumerate() {
        checked(axis, rank)?;
        if named[..n].contains(&axis) {
            return Err(Error::new(ErrorKind::Shape(format!("axis {axis} is named twice in {named:?}"))));
        }
    }
    let mut order: PerAxis<usize> = (0..rank).filter(|axis| !named.contains(axis)).collect();
    let kept = order.len();
    order.extend(named.iter().copied());
    Ok((order, kept))
}

/// The axis, if the tensor has it.
///
/// # Errors
/// [`ErrorKind::Shape`] otherwise.
pub(super) fn checked(axis: usize, rank: usize) -> Result<usize, Error> {
    match axis < rank {
        true => Ok(axis),
        false => Err(Error::new(ErrorKind::Shape(format!("there is no axis {axis} in a tensor of rank {rank}")))),
    }
}

/// The error that two tensors are of other extents; `what` is done with them.
pub(super) fn same_extents(what: &str, left: &[usize], right: &[usize]) -> Result<(), Error> {
    if left == right {
        return Ok(());
    }
    let message = match left.iter().zip(right).position(|(l, r)| l != r).filter(|_| left.len() == right.len()) {
        Some(axis) => format!(
            "{what}: extents {left:?} and {right:?} differ on axis {axis}; nothing is broadcast, as an equation does by `1[i] * b[j]`"
        ),
        None => format!("{what}: extents {left:?} and {right:?} are of ranks {} and {}", left.len(), right.len()),
    };
    Err(Error::new(ErrorKind::Shape(message)))
}
