//! [`SignedPermutation`]: one element of a symmetry group.
//!
//! Knows nothing of groups.

use std::fmt;

use smallvec::SmallVec;
use tensorwrapper_notation::sentence::counted;

use crate::error::{Error, ErrorKind};

/// A sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// +1.
    Plus,
    /// −1.
    Minus,
}

impl std::ops::Mul for Sign {
    type Output = Sign;
    fn mul(self, other: Sign) -> Sign {
        if self == other { Sign::Plus } else { Sign::Minus }
    }
}

/// Printed as `+` or `-`.
impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if *self == Sign::Plus { "+" } else { "-" })
    }
}

/// A permutation of axes with a sign, perhaps with conjugation: `T[x] = sign · T[y]`, where `y` has the index `x[axes[n]]` on axis `n`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SignedPermutation {
    axes: SmallVec<[u32; 8]>,
    conjugates: bool,
    sign: Sign,
}

impl SignedPermutation {
    /// A permutation with a sign.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when `axes` does not name each axis once, and when there are more than 2³² axes.
    pub fn new(axes: &[usize], sign: Sign) -> Result<SignedPermutation, Error> {
        let mut named = vec![false; axes.len()];
        for &axis in axes {
            match named.get_mut(axis) {
                Some(named) if !*named => *named = true,
                _ => {
                    let message = format!("{axes:?} is no permutation of {}", counted(axes.len(), "axis"));
                    return Err(Error::new(ErrorKind::Shape(message)));
                }
            }
        }
        let numbers: Result<_, _> = axes.iter().map(|&axis| u32::try_from(axis)).collect();
        let too_many = |_| Error::new(ErrorKind::Shape(format!("{} axes are too many to be permuted", axes.len())));
        Ok(SignedPermutation { axes: numbers.map_err(too_many)?, conjugates: false, sign })
    }

    /// The permutation that changes nothing.
    ///
    /// # Panics
    /// When there are more than 2³² axes.
    pub fn identity(rank: usize) -> SignedPermutation {
        assert!(rank.saturating_sub(1) <= u32::MAX as usize, "{rank} axes are too many to be permuted");
        SignedPermutation { axes: (0..rank).map(|axis| axis as u32).collect(), conjugates: false, sign: Sign::Plus }
    }

    /// Two groups of axes change places, the first of one with the first of the other, and so on.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] when the groups have different lengths, share an axis or name one twice, or when there is no such axis.
    pub fn exchange(rank: usize, first: &[usize], second: &[usize], sign: Sign) -> Result<SignedPermutation, Error> {
        let refused = |message: String| Err(Error::new(ErrorKind::Shape(message)));
        if let Some(axis) = first.iter().chain(second).find(|&&axis| axis >= rank) {
            return refused(format!("there is no axis {axis} among {rank}"));
        }
        if first.len() != second.len() {
            return refused(format!("{} cannot change places with {}", counted(first.len(), "axis"), second.len()));
        }
        let mut all: Vec<usize> = first.iter().chain(second).copied().collect();
        all.sort_unstable();
        if let Some(pair) = all.windows(2).find(|pair| pair[0] == pair[1]) {
            return refused(format!("axis {} cannot change places with itself", pair[0]));
        }
        let mut axes: Vec<usize> = (0..rank).collect();
        first.iter().zip(second).for_each(|(&first, &second)| axes.swap(first, second));
        SignedPermutation::new(&axes, sign)
    }

    /// The same with conjugation.
    #[must_use]
    pub fn conjugating(self) -> SignedPermutation {
        SignedPermutation { conjugates: true, ..self }
    }

    /// The same with this sign.
    #[must_use]
    pub fn with_sign(self, sign: Sign) -> SignedPermutation {
        SignedPermutation { sign, ..self }
    }

    /// Number of axes.
    pub fn rank(&self) -> usize {
        self.axes.len()
    }

    /// The permutation: the index on axis `n` of the one is that on axis `axes[n]` of the other.
    pub fn axes(&self) -> impl ExactSizeIterator<Item = usize> + Clone + '_ {
        self.axes.iter().map(|&axis| axis as usize)
    }

    /// The axis whose index stands on this one.
    ///
    /// # Panics
    /// When there is no such axis.
    pub fn axis(&self, n: usize) -> usize {
        self.axes[n] as usize
    }

    /// The index `y` of the element that the one at index `x` follows from: `y[n] = x[axes[n]]`. Blocks follow as elements do.
    ///
    /// # Panics
    /// When the index has fewer numbers than there are axes.
    pub fn image(&self, index: &[usize]) -> Vec<usize> {
        self.axes().map(|axis| index[axis]).collect()
    }

    /// The index whose [image](SignedPermutation::image) this one is.
    ///
    /// # Panics
    /// When the index has fewer numbers than there are axes.
    pub fn preimage(&self, image: &[usize]) -> Vec<usize> {
        let mut index = image.to_vec();
        self.axes().zip(image).for_each(|(axis, &n)| index[axis] = n);
        index
    }

    /// The sign.
    pub fn sign(&self) -> Sign {
        self.sign
    }

    /// Whether elements are conjugated.
    pub fn conjugates(&self) -> bool {
        self.conjugates
    }

    /// This one, and then the other: `T[x] = sign · T[z]` for what the other says of `T[y]`.
    ///
    /// # Panics
    /// When the other one is of another rank.
    #[must_use]
    pub fn then(&self, other: &SignedPermutation) -> SignedPermutation {
        assert_eq!(self.rank(), other.rank(), "both permute the same axes");
        SignedPermutation {
            axes: other.axes.iter().map(|&axis| self.axes[axis as usize]).collect(),
            conjugates: self.conjugates != other.conjugates,
            sign: self.sign * other.sign,
        }
    }

    /// The one that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> SignedPermutation {
        let mut axes = self.axes.clone();
        self.axes.iter().enumerate().for_each(|(n, &axis)| axes[axis as usize] = n as u32);
        SignedPermutation { axes, ..self.clone() }
    }

    /// One axis of each cycle.
    pub fn cycles(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.rank()).filter(|&start| {
            let mut axis = self.axis(start);
            while axis > start {
                axis = self.axis(axis);
            }
            axis == start
        })
    }
}

/// Printed as `-(1, 0)`, with conjugation as `-(1, 0)*`.
impl fmt::Debug for SignedPermutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes: Vec<String> = self.axes.iter().map(u32::to_string).collect();
        write!(f, "{}({}){}", self.sign, axes.join(", "), if self.conjugates { "*" } else { "" })
    }
}
