//! Whether tensors agree within tolerances, and where they do not.

use std::fmt;

use super::dense::Tensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::{Extents, MultiIndex};
use tensorwrapper_notation::sentence::{are, counted};

/// How two tensors differ: what [`Tensor::allclose`] tells.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Difference<T> {
    /// They have other extents.
    Extents {
        /// The extents of the tensor.
        found: Vec<usize>,
        /// Those of the other one.
        expected: Vec<usize>,
    },
    /// Some elements differ by more than is allowed.
    Elements {
        /// The index of the element that is farthest beyond what is allowed.
        index: Vec<usize>,
        /// That element of the tensor.
        found: T,
        /// That element of the other one.
        expected: T,
        /// How many elements differ by more than is allowed, and how many there are.
        count: usize,
        /// The number of all elements.
        of: usize,
    },
}

/// The index of an element by its number in C order.
pub(crate) fn index_of(extents: &[usize], mut number: usize) -> MultiIndex {
    let mut index = vec![0; extents.len()];
    for (index, &extent) in index.iter_mut().zip(extents).rev() {
        (*index, number) = (number % extent, number / extent);
    }
    index.into_iter().collect()
}

impl<T: Element> fmt::Display for Difference<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Extents { found, expected } => write!(f, "the extents are {found:?} and {expected:?}"),
            Difference::Elements { index, found, expected, count, of } => {
                write!(
                    f,
                    "{count} of {} {} different, most of all {found:?} and {expected:?} at {index:?}",
                    counted(*of, "element"),
                    are(*count)
                )
            }
        }
    }
}

impl<T: Element> std::error::Error for Difference<T> {}

impl<T: Element, S: Extents> Tensor<T, S> {
    /// Whether this tensor has the extents of another one, and each element x is as near to the other's y as |x − y| ≤ absolute +
    /// relative·|y|. Equal infinities are near to each other; NaN is near to nothing.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let x = Tensor::<f64>::from_slice([3], &[1.0, 2.0, 3.0])?;
    /// let y = Tensor::<f64>::from_slice([3], &[1.0, 2.5, 3.1])?;
    /// assert!(x.allclose(&x, 1e-12, 0.0).is_ok());
    /// let difference = x.allclose(&y, 1e-6, 1e-9).unwrap_err();
    /// assert_eq!(difference.to_string(), "2 of 3 elements are different, most of all 2.0 and 2.5 at [1]");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// A [`Difference`]: other extents, or the element that differs most.
    #[doc(alias("isapprox", "isclose", "assert_allclose"))]
    pub fn allclose<S2: Extents>(&self, other: &Tensor<T, S2>, relative: f64, absolute: f64) -> Result<(), Difference<T>> {
        if self.extents() != other.extents() {
            return Err(Difference::Extents { found: self.extents().to_vec(), expected: other.extents().to_vec() });
        }
        let (mut count, mut worst): (usize, Option<(f64, usize, T, T)>) = (0, None);
        for (n, (x, y)) in self.view().elements().zip(other.view().elements()).enumerate() {
            if x == y {
                continue;
            }
            let size = |x: T| x.abs().to_complex().re;
            let excess = size(*x - *y) - (absolute + relative * size(*y));
            if excess <= 0.0 {
                continue;
            }
            count += 1;
            let excess = if excess.is_nan() { f64::INFINITY } else { excess };
            if worst.is_none_or(|(most, ..)| excess > most) {
                worst = Some((excess, n, *x, *y));
            }
        }
        let Some((_, place, found, expected)) = worst else { return Ok(()) };
        let index = index_of(self.extents(), place).to_vec();
        let of = self.extents().iter().product();
        Err(Difference::Elements { index, found, expected, count, of })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infinities_nans_and_extents() {
        let of = |elements: &[f64]| Tensor::<f64>::from_slice([elements.len()], elements).unwrap();
        let x = of(&[f64::INFINITY, 1.0]);
        assert_eq!(x.allclose(&x, 0.0, 0.0), Ok(()));
        assert!(x.allclose(&of(&[f64::NEG_INFINITY, 1.0]), 1.0, 1.0).is_err());
        let found = of(&[1.0, f64::NAN]).allclose(&of(&[1.5, 1.0]), 0.0, 0.1).unwrap_err();
        assert!(matches!(found, Difference::Elements { ref index, count: 2, of: 2, .. } if *index == [1]), "{found:?}");
        let found = x.allclose(&of(&[1.0]), 0.0, 0.0).unwrap_err();
        assert_eq!(found.to_string(), "the extents are [2] and [1]");
        // 0.1 of 100 is allowed, of 1 not.
        assert_eq!(of(&[100.1]).allclose(&of(&[100.0]), 1e-2, 0.0), Ok(()));
        let matrix = Tensor::<f64>::zeros([2, 3]).unwrap();
        let mut other = matrix.clone();
        other[[1, 2]] = 1.0;
        assert!(matches!(matrix.allclose(&other, 0.0, 0.0), Err(Difference::Elements { index, .. }) if index == [1, 2]));
    }

    #[test]
    fn constructors_at_their_edges() {
        assert!(Tensor::<f64, _>::eye(0).unwrap().as_slice().is_empty());
        assert!(Tensor::<f64, _>::arange(3..3).unwrap().as_slice().is_empty());
        assert_eq!(Tensor::<f32, _>::arange(-2..1).unwrap().as_slice(), [-2.0, -1.0, 0.0]);
        assert_eq!(Tensor::<f64, _>::linspace(2.0, 5.0, 1).unwrap().as_slice(), [2.0]);
        assert!(Tensor::<f64, _>::linspace(2.0, 5.0, 0).unwrap().as_slice().is_empty());
        let last = *Tensor::<f64, _>::linspace(0.1, 0.7, 7).unwrap().as_slice().last().unwrap();
        assert_eq!(last, 0.7);
        // Numbers are written some at a time.
        for count in [2, 65_536, 65_537, 131_073] {
            let [first, last] = [(1.0, -1.0), (3.0, 5.0)].map(|(re, im)| num_complex::Complex::new(re, im));
            let (real, complex) =
                (Tensor::<f32, _>::linspace(1.0, 3.0, count).unwrap(), Tensor::<_, _>::linspace(first, last, count).unwrap());
            for n in [0, 1, count / 2, count - 2, count - 1] {
                let share = n as f64 / (count - 1) as f64;
                assert!((real[[n]] - (1.0 + 2.0 * share) as f32).abs() <= f32::EPSILON * 3.0, "{n} of {count}");
                assert!((complex[[n]] - (first + (last - first) * share)).norm() < 1e-14, "{n} of {count}");
            }
        }
        assert_eq!(Tensor::<f64>::ones([2, 2]).unwrap().as_slice(), [1.0; 4]);
    }
}
