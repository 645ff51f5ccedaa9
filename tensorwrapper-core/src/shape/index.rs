//! [`MultiIndex`]: one index of a shape, by value.
//!
//! Knows nothing of shapes.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// Ranks up to this need no memory of their own.
const INLINE: usize = 8;

/// One index of a [`Shape`](super::Shape): a number for each axis, as a slice. Up to rank 8 it needs no allocation.
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::Shape;
/// let last = Shape::new([2, 3]).indices().last().expect("there are six");
/// assert_eq!(last, [1, 2]);
/// assert_eq!((last.len(), last[1]), (2, 2));
/// ```
#[derive(Clone)]
pub struct MultiIndex(Kept);

/// An array beside its length, which the compiler keeps in registers where it knows the length; a `SmallVec` it does not.
#[derive(Clone)]
enum Kept {
    Inline(u8, [usize; INLINE]),
    Apart(Box<[usize]>),
}

impl MultiIndex {
    #[inline(always)]
    pub(super) fn new(index: &[usize]) -> MultiIndex {
        if index.len() > INLINE {
            return MultiIndex(Kept::Apart(index.into()));
        }
        let mut at = [0; INLINE];
        // Number by number: the last one has just been written, and a wider read would wait for it.
        match *index {
            [i] => at[0] = i,
            [i, j] => (at[0], at[1]) = (i, j),
            [i, j, k] => (at[0], at[1], at[2]) = (i, j, k),
            [i, j, k, l] => (at[0], at[1], at[2], at[3]) = (i, j, k, l),
            _ => at[..index.len()].copy_from_slice(index),
        }
        MultiIndex(Kept::Inline(index.len() as u8, at))
    }
}

impl Deref for MultiIndex {
    type Target = [usize];
    #[inline(always)]
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Kept::Inline(rank, at) => &at[..usize::from(*rank)],
            Kept::Apart(index) => index,
        }
    }
}

impl AsRef<[usize]> for MultiIndex {
    fn as_ref(&self) -> &[usize] {
        self
    }
}

impl FromIterator<usize> for MultiIndex {
    fn from_iter<I: IntoIterator<Item = usize>>(index: I) -> MultiIndex {
        MultiIndex::new(&index.into_iter().collect::<super::axes::PerAxis<usize>>())
    }
}

impl<const R: usize> From<[usize; R]> for MultiIndex {
    #[inline(always)]
    fn from(index: [usize; R]) -> MultiIndex {
        MultiIndex::new(&index)
    }
}

impl PartialEq for MultiIndex {
    fn eq(&self, other: &MultiIndex) -> bool {
        **self == **other
    }
}

impl<const R: usize> PartialEq<[usize; R]> for MultiIndex {
    fn eq(&self, other: &[usize; R]) -> bool {
        **self == other[..]
    }
}

impl Eq for MultiIndex {}

impl PartialOrd for MultiIndex {
    fn partial_cmp(&self, other: &MultiIndex) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Lexicographic, the order in which shapes are walked.
impl Ord for MultiIndex {
    fn cmp(&self, other: &MultiIndex) -> Ordering {
        (**self).cmp(&**other)
    }
}

impl Hash for MultiIndex {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

/// Printed as a list: `[0, 1]`.
impl fmt::Debug for MultiIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}
