//! Blocks that a symmetry maps to themselves: within them elements follow from others.

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::symmetry::{Sign, SignedPermutation};

use super::erased::follows;

/// Replaces the elements of a block, which are in C order, by what follows from the first ones, and makes these fit themselves. The
/// permutations map the block to itself, and each other permutation that does is among them.
pub(super) fn make_consistent<T: Element>(elements: &mut [T], extents: &[usize], stabiliser: &[&SignedPermutation]) {
    // How far the image of an element moves with each axis.
    let steps: Vec<Vec<usize>> = stabiliser.iter().map(|by| image_strides(by, extents)).collect();
    let mut images = vec![0; stabiliser.len()];
    let mut index = vec![0; extents.len()];
    for own in 0..elements.len() {
        // Places ascend as indices do, and what comes first has been made to fit before.
        let (from, &first) = images.iter().enumerate().min_by_key(|&(_, place)| place).expect("the identity is one of them");
        elements[own] = match first < own {
            true => follows(elements[first], stabiliser[from]),
            false => {
                fitting(elements[own], stabiliser.iter().zip(&images).filter(|&(_, &place)| place == own).map(|(by, _)| *by))
            }
        };
        for axis in (0..extents.len()).rev() {
            index[axis] += 1;
            images.iter_mut().zip(&steps).for_each(|(place, steps)| *place += steps[axis]);
            if index[axis] < extents[axis] {
                break;
            }
            index[axis] = 0;
            images.iter_mut().zip(&steps).for_each(|(place, steps)| *place -= steps[axis] * extents[axis]);
        }
    }
}

/// How far the place of the image of an element, in C order, is from that of the element behind it along each axis.
fn image_strides(by: &SignedPermutation, extents: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; extents.len()];
    let mut stride = 1;
    for (n, axis) in by.axes().enumerate().collect::<Vec<_>>().into_iter().rev() {
        strides[axis] = stride;
        stride *= extents[n];
    }
    strides
}

/// The mean of all that the symmetry says of an element, by permutations that map it to itself.
fn fitting<'p, T: Element>(element: T, fixing: impl Iterator<Item = &'p SignedPermutation>) -> T {
    let (mut is_zero, mut is_real, mut is_imaginary) = (false, false, false);
    for by in fixing {
        match (by.conjugates(), by.sign()) {
            (false, Sign::Plus) => {}
            (false, Sign::Minus) => is_zero = true,
            (true, Sign::Plus) => is_real = true,
            (true, Sign::Minus) => is_imaginary = true,
        }
    }
    match (is_zero, is_real, is_imaginary) {
        (false, false, false) => element,
        (true, ..) => T::ZERO,
        (false, true, _) => T::from_complex(element.to_complex().re.into()),
        (false, false, true) => T::from_complex(Complex::new(0.0, element.to_complex().im)),
    }
}
