//! [`Mask`]: selected indices of each axis of a shape, numbered as if they were contiguous.
//!
//! Knows nothing of elements or tensors.

use super::index::MultiIndex;
use super::value::Shape;
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// A selection of indices on each axis of a [`Shape`], in any order. The selected indices are numbered as if they were contiguous.
///
/// The selection has a [`shape`](Mask::shape) that begins at zero. [`original`](Mask::original) converts an index of the selection to the
/// index of the whole shape, and [`locate`](Mask::locate) converts back.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::{Error, Mask, Shape};
/// let rows_and_columns = [vec![7, 2, 5], vec![0, 19]];
/// let mask = Mask::new(&Shape::new([10, 20]), rows_and_columns)?;
/// assert_eq!(mask.shape(), &Shape::new([3, 2]));
/// assert_eq!(mask.original([1, 1])?, [2, 19]);
/// assert_eq!(mask.locate([2, 19])?, Some([1, 1].into()));
/// assert_eq!(mask.locate([3, 19])?, None);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mask {
    whole: Shape,
    shape: Shape,
    axes: Vec<Selected>,
}

/// What is selected on one axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Selected {
    /// The index in the whole at each index of the selection.
    original: Vec<usize>,
    /// The indices of the selection in the order of their originals, to find them by.
    ascending: Vec<usize>,
}

impl Mask {
    /// The selection of these indices on each axis of a shape. The indices may be in any order, and count as those of the shape do.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] when the number of lists is not that of the axes, [`ErrorKind::Bounds`] when an index is not in its axis,
    /// [`ErrorKind::Shape`] when an index is given twice.
    pub fn new<L: Into<Vec<usize>>>(shape: &Shape, lists: impl IntoIterator<Item = L>) -> Result<Mask, Error> {
        let lists: Vec<Vec<usize>> = lists.into_iter().map(Into::into).collect();
        if lists.len() != shape.rank() {
            let (operand, rank, given) = (format!("{shape:?}"), shape.rank(), lists.len());
            return Err(Error::new(ErrorKind::Rank { operand, rank, given }));
        }
        let mut axes = Vec::with_capacity(lists.len());
        for (axis, original) in lists.into_iter().enumerate() {
            original.iter().try_for_each(|&index| shape.check_index(axis, index))?;
            let mut ascending: Vec<usize> = (0..original.len()).collect();
            ascending.sort_by_key(|&at| original[at]);
            if let Some(pair) = ascending.windows(2).find(|pair| original[pair[0]] == original[pair[1]]) {
                let (index, first, second) = (original[pair[0]], pair[0], pair[1]);
                return Err(Error::new(ErrorKind::Shape(format!(
                    "index {index} of axis {axis} of `{shape:?}` is selected twice, at {first} and at {second}"
                ))));
            }
            axes.push(Selected { original, ascending });
        }
        let selected = if shape.is_null() { Shape::null() } else { axes.iter().map(|axis| axis.original.len()).collect() };
        Ok(Mask { whole: shape.clone(), shape: selected, axes })
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// The shape of the selection, beginning at zero.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The shape that the indices are selected from.
    pub fn whole(&self) -> &Shape {
        &self.whole
    }

    /// The indices selected on one axis, in their order; `None` if there is no such axis.
    pub fn selected(&self, axis: usize) -> Option<&[usize]> {
        self.axes.get(axis).map(|axis| &axis.original[..])
    }

    /// The index of the whole for an index of the selection.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Bounds`] when the index is not one of [`shape`](Mask::shape).
    pub fn original(&self, index: impl AsRef<[usize]>) -> Result<MultiIndex, Error> {
        let index = index.as_ref();
        self.shape.check_rank(index)?;
        index.iter().enumerate().try_for_each(|(axis, &index)| self.shape.check_index(axis, index))?;
        Ok(self.at(index))
    }

    /// The index of the selection for an index of the whole, if it is selected.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] and [`ErrorKind::Bounds`] when the index is not one of [`whole`](Mask::whole).
    pub fn locate(&self, original: impl AsRef<[usize]>) -> Result<Option<MultiIndex>, Error> {
        let original = original.as_ref();
        self.whole.check_rank(original)?;
        original.iter().enumerate().try_for_each(|(axis, &index)| self.whole.check_index(axis, index))?;
        let find = |(axis, index): (&Selected, &usize)| {
            let found = axis.ascending.binary_search_by_key(index, |&at| axis.original[at]);
            found.ok().map(|found| axis.ascending[found])
        };
        Ok(self.axes.iter().zip(original).map(find).collect())
    }

    /// The selected indices of the whole, in the order of the selection with its last axis fastest.
    ///
    /// ```
    /// # use tensorwrapper_core::{Error, Mask, Shape};
    /// let mask = Mask::new(&Shape::new([10, 20]), [[7, 2], [0, 19]])?;
    /// assert_eq!(mask.indices().collect::<Vec<_>>(), [[7, 0], [7, 19], [2, 0], [2, 19]]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn indices(&self) -> impl Iterator<Item = MultiIndex> + '_ {
        self.shape.indices().map(|index| self.at(&index))
    }

    fn at(&self, index: &[usize]) -> MultiIndex {
        self.axes.iter().zip(index).map(|(axis, &at)| axis.original[at]).collect()
    }
}
