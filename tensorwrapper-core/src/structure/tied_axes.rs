//! Axes that are tied, as numbers: of each axis the first one whose index it has. Of these the first ones have elements, and make the
//! [core](super::Structure::core) of a structure.
//!
//! Knows nothing of structures.

/// Whether an axis has elements of its own: whether it is tied to none before it.
pub fn has_elements(ties: Option<&[usize]>, axis: usize) -> bool {
    ties.is_none_or(|ties| ties[axis] == axis)
}

/// The axes that have elements, which are those of the core of a structure.
pub fn firsts(ties: &[usize]) -> impl Iterator<Item = usize> + '_ {
    (0..ties.len()).filter(|&axis| has_elements(Some(ties), axis))
}

/// Of each axis the axis of the core of a structure that its index is read from.
pub fn places(ties: &[usize]) -> Vec<usize> {
    ties.iter().map(|&first| firsts(ties).take_while(|&axis| axis < first).count()).collect()
}

/// Of an index or a block the numbers on these axes: with [`firsts`] what the core of a structure has of it, with [`places`] the
/// whole again.
pub fn picked(of: &[usize], axes: &[usize]) -> Vec<usize> {
    axes.iter().map(|&axis| of[axis]).collect()
}

/// The axes that are tied to one that has elements, itself included.
pub fn tied(ties: &[usize], first: usize) -> Vec<usize> {
    (0..ties.len()).filter(|&axis| ties[axis] == first).collect()
}
