//! Compares what `where assume` has a plan believe with the same equation without it: in development builds, where memory allows it.

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
    /// Compares elements of a result with those of the equation without claims. Nothing is compared where that cannot be computed, where it
    /// is rounding alone, or where conditions choose, which rounding may change.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`] where one differs by more than rounding.
    pub(super) fn check<T: Element>(&self, operands: &[BlockOperand<'_, T>], result: &Blocks<T>) -> Result<(), Error> {
        if self.plain.chooses() {
            return Ok(());
        }
        let plain = self.plain.run_on(operands, &Observer::default());
        let (Ok(plain), Ok(bound)) = (plain, self.plain.scale(operands)) else { return Ok(()) };
        let Some(close) = tolerance::<T>(&plain, bound, operands) else { return Ok(()) };
        let at = |of: &Blocks<T>, index: &[usize]| element_at(of.structure(), of.slab(), index).ok();
        for stored in stored_indices(plain.structure())? {
            // The images of a stored element need not be stored.
            for index in result.structure().symmetry().elements().iter().map(|by| by.image(&stored)) {
                let (Some(own), Some(expected)) = (at(result, &index), at(&plain, &index)) else { continue };
                if (own.to_complex() - expected.to_complex()).norm() > close {
                    return Err(differs(&self.claims, &index, &expected, &own));
                }
            }
        }
        Ok(())
    }
}

/// How far elements may be from each other. Terms may cancel, so that the bound of their size counts beside the largest element, as far as
/// it is no looser than a thousandth of that. Nothing where all elements are so small beside their terms, or beside the operands, that they
/// may be rounding.
fn tolerance<T: Element>(plain: &Blocks<T>, bound: f64, operands: &[BlockOperand<'_, T>]) -> Option<f64> {
    let largest = |elements: &[T]| elements.iter().map(|x| x.to_complex().norm()).filter(|x| x.is_finite()).fold(0.0, f64::max);
    let (own, given) = (largest(plain.slab()), operands.iter().map(|operand| largest(&operand.slab)).fold(0.0, f64::max));
    let (relative, rounding) = if T::DTYPE.real() == Dtype::F32 { (1e-3, 1e-5) } else { (1e-8, 1e-13) };
    let terms = if bound.is_finite() { bound } else { given };
    (own > 1e3 * rounding * terms).then(|| (relative * own).max((rounding * terms).min(1e-3 * own)))
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
