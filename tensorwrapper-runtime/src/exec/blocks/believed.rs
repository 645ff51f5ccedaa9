//! Compares what `where assume` has a plan believe with the same equation without it: in development builds, where memory allows it and the
//! size of the numbers is known.

use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;

use super::super::run::Observer;
use super::operand::BlockOperand;
use super::prepared::Believed;
use crate::tensor::{Blocks, element_at};

/// Elements that are compared, at most.
const MOST: usize = 256;

impl Believed {
    /// Compares elements of a result with those of the equation without claims. Nothing is compared where that cannot be computed, or where
    /// nothing bounds its terms, so that rounding could not be told from a difference.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] where one differs by more than rounding.
    pub(super) fn check<T: Element>(&self, operands: &[BlockOperand<'_, T>], result: &Blocks<T>) -> Result<(), Error> {
        let plain = self.plain.run_on(operands, &Observer::default());
        let (Ok(plain), Ok(scale)) = (plain, self.plain.scale(operands)) else { return Ok(()) };
        if scale.is_infinite() {
            return Ok(());
        }
        // Terms may cancel, so that their size counts, and not that of their sum.
        let close = if T::DTYPE.real() == Dtype::F32 { 1e-3 } else { 1e-10 } * scale;
        for index in stored_indices(plain.structure())? {
            let (Ok(own), Ok(expected)) =
                (element_at(result.structure(), result.slab(), &index), element_at(plain.structure(), plain.slab(), &index))
            else {
                continue;
            };
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

/// Indices of stored elements: all of few, and of many some that are far apart, always the same ones.
fn stored_indices(structure: &Structure) -> Result<Vec<Vec<usize>>, Error> {
    let stored = structure.stored()?;
    // Where the elements of each block begin among all.
    let mut begins = Vec::with_capacity(stored.len());
    let mut all = 0;
    for number in 0..stored.len() {
        begins.push(all);
        all += structure.block_shape(&stored.block(number))?.extents().iter().product::<usize>();
    }
    // Steps of the golden ratio fall on all parts of a range, and on all of it if they have no divisor in common with it.
    let mut step = ((all as f64 * 0.618_033_988_749_895) as usize).max(1);
    while divisor(step, all) > 1 {
        step += 1;
    }
    let mut found = Vec::with_capacity(all.min(MOST));
    for n in 0..all.min(MOST) {
        let place = (n as u128 * step as u128 % all as u128) as usize;
        let number = begins.partition_point(|&begin| begin <= place) - 1;
        let shape = structure.block_shape(&stored.block(number))?;
        let mut rest = place - begins[number];
        let mut index = shape.origin().to_vec();
        for (index, &extent) in index.iter_mut().zip(shape.extents()).rev() {
            *index += rest % extent;
            rest /= extent;
        }
        found.push(index);
    }
    Ok(found)
}

/// The greatest common divisor.
fn divisor(a: usize, b: usize) -> usize {
    if a == 0 { b } else { divisor(b % a, a) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensorwrapper_core::shape::Tiling;

    #[test]
    fn few_elements_are_all_compared_and_many_at_different_places() {
        let cut = Tiling::cuts([1, 0, 2]);
        let few = Structure::new([&cut, &cut]).with_blocks([[0, 2], [2, 0]]).unwrap();
        let mut found = stored_indices(&few).unwrap();
        found.sort();
        assert_eq!(found, [[0, 1], [0, 2], [1, 0], [2, 0]]);
        assert_eq!(stored_indices(&Structure::new([&Tiling::whole(3), &Tiling::whole(0)])).unwrap().len(), 0);
        assert_eq!(stored_indices(&Structure::new(&[])).unwrap(), [[0; 0]]);
        for extents in [[16, 32, 1], [10, 100, 1], [100, 7, 100]] {
            let structure = Structure::new(&extents.map(Tiling::whole));
            let mut many = stored_indices(&structure).unwrap();
            assert!(many.iter().all(|index| index.iter().zip(extents).all(|(&index, extent)| index < extent)));
            many.sort();
            many.dedup();
            assert_eq!(many.len(), MOST);
            assert!(many.iter().any(|index| index[1] % 2 == 1), "{extents:?}");
        }
    }
}
