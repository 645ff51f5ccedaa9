//! What `where assume` has a plan believe, compared with the result without it: in development builds, and where memory allows it.

use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};

use super::super::run::Observer;
use super::operand::BlockOperand;
use super::prepared::PreparedBlocks;
use crate::tensor::{Blocks, element_at};

/// Elements that are compared, at most; of larger results some that are drawn.
const MOST: usize = 256;

/// A plan of the same equation that believes nothing.
pub(super) struct Believed {
    pub(super) plain: PreparedBlocks,
    /// What is believed, in words: `antisymmetric in i, j`.
    pub(super) claims: Vec<String>,
}

impl Believed {
    /// Compares elements of a result with those of the equation without claims.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] where one differs by more than rounding, and what the other result needs.
    pub(super) fn check<T: Element>(&self, operands: &[BlockOperand<'_, T>], result: &Blocks<T>) -> Result<(), Error> {
        let plain = self.plain.run_on(operands, &Observer::default())?;
        let scale = plain.slab().iter().map(|x| x.to_complex().norm()).filter(|norm| norm.is_finite()).fold(0.0, f64::max);
        let close = if T::DTYPE.real() == Dtype::F32 { 1e-3 } else { 1e-10 } * scale;
        for index in indices(result.structure().shape().extents()) {
            let own = element_at(result.structure(), result.slab(), &index)?;
            let Ok(expected) = element_at(plain.structure(), plain.slab(), &index) else { continue };
            if (own.to_complex() - expected.to_complex()).norm() > close {
                return Err(differs(&self.claims, &index, &expected, &own));
            }
        }
        Ok(())
    }
}

fn differs<T: Element>(claims: &[String], index: &[usize], expected: &T, own: &T) -> Error {
    let message = format!(
        "the left side is believed to be {}, but element {index:?} of the right side is {expected}, and by symmetry {own}",
        claims.join(" and ")
    );
    Error::new(ErrorKind::Shape(message)).with_help("`where assume` is compared with the right side in development builds alone")
}

/// All indices of few elements, or some of many, always the same ones.
fn indices(extents: &[usize]) -> Vec<Vec<usize>> {
    let all: usize = extents.iter().fold(1, |all, &extent| all.saturating_mul(extent));
    let unravelled = |mut place: usize| {
        let mut index: Vec<usize> = extents.iter().rev().map(|&extent| (place % extent, place /= extent).0).collect();
        index.reverse();
        index
    };
    // Steps of the golden ratio fall on all parts of a range.
    let step = ((all as f64 * 0.618_033_988_749_895) as usize).max(1);
    let places = (0..all.min(MOST)).map(|n| if all <= MOST { n } else { n.wrapping_mul(step) % all });
    places.map(unravelled).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_elements_are_all_compared_and_many_at_different_places() {
        assert_eq!(indices(&[2, 2]), [[0, 0], [0, 1], [1, 0], [1, 1]]);
        assert_eq!((indices(&[]).len(), indices(&[3, 0]).len()), (1, 0));
        let mut many = indices(&[1000, 7, 1000]);
        assert!(many.iter().all(|index| index[0] < 1000 && index[1] < 7 && index[2] < 1000));
        many.sort();
        many.dedup();
        assert_eq!(many.len(), MOST);
        // More elements than can be counted.
        assert_eq!(indices(&[usize::MAX, 5]).len(), MOST);
    }
}
