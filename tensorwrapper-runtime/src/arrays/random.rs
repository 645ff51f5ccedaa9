//! Tensors of random elements, by seed: the feature `rand`.
//!
//! A seed gives the same elements on every machine: they come from the generator PCG XSL RR 128/64 (M. E. O'Neill,
//! HMC-CS-2014-0905), which is not for secrets.

use rand_distr::Distribution;
use rand_distr::{Normal, StandardUniform, Uniform};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::SeedableRng;

use num_complex::Complex;
use std::ops::Range;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::{Extents, IntoShape};
use tensorwrapper_core::storage::Owned;

use crate::tensor::{Tensor, row_major};

/// Random elements.
impl<T: Element, S: Extents> Tensor<T, S> {
    /// A tensor of random elements in [0, 1), every number as likely as any other. Real and imaginary parts are drawn separately.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let a: Tensor<f64, Shape![_, _]> = Tensor::random((100, 100), 7)?;
    /// assert!(a.min() >= Some(0.0) && a.max() < Some(1.0) && (a.mean() - 0.5).abs() < 0.02);
    /// assert_eq!(a, Tensor::<f64, Shape![_, _]>::random((100, 100), 7)?);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`zeros`](Tensor::zeros).
    #[doc(alias("rand", "random_itensor"))]
    pub fn random(shape: impl IntoShape<S>, seed: u64) -> Result<Self, Error> {
        Tensor::drawn_in_rows(shape, StandardUniform, seed)
    }

    /// A tensor of random elements in a range, every number as likely as any other. Real and imaginary parts are drawn separately.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let angles: Tensor<f64, Shape![_]> = Tensor::uniform((3,), -3.0..3.0, 7)?;
    /// assert!(angles.iter().all(|angle| (-3.0..3.0).contains(angle)));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`zeros`](Tensor::zeros), and [`ErrorKind::Undefined`] for a range that is empty or not finite.
    pub fn uniform(shape: impl IntoShape<S>, range: Range<f64>, seed: u64) -> Result<Self, Error> {
        let distribution = Uniform::new(range.start, range.end).map_err(|_| {
            Error::new(ErrorKind::Undefined(format!("random numbers from {range:?}, which is empty or not finite")))
        })?;
        Tensor::drawn_in_rows(shape, distribution, seed)
    }

    /// A tensor of normally distributed elements with this mean and standard deviation. Real and imaginary parts are drawn separately.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Shape, Tensor};
    /// let a: Tensor<f64> = Tensor::normal([100, 100], 2.0, 0.5, 7)?;
    /// assert!((a.mean() - 2.0).abs() < 0.02 && (a.sample_std() - 0.5).abs() < 0.02);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`zeros`](Tensor::zeros), and [`ErrorKind::Undefined`] for a deviation that is negative or not finite.
    #[doc(alias("randn", "gauss"))]
    pub fn normal(shape: impl IntoShape<S>, mean: f64, deviation: f64, seed: u64) -> Result<Self, Error> {
        let distribution = Normal::new(mean, deviation)
            .ok()
            .filter(|_| deviation >= 0.0)
            .ok_or_else(|| Error::new(ErrorKind::Undefined(format!("random numbers of standard deviation {deviation}"))))?;
        Tensor::drawn(shape, distribution, seed)
    }

    /// Elements drawn in C order.
    fn drawn(shape: impl IntoShape<S>, distribution: impl Distribution<f64>, seed: u64) -> Result<Self, Error> {
        let layout = row_major(shape)?;
        let mut elements = Owned::for_results(layout.len())?;
        let mut generator = Pcg64::seed_from_u64(seed);
        elements.iter_mut().for_each(|element| *element = one(&distribution, &mut generator));
        Ok(Tensor::from_parts(elements, layout))
    }

    /// The same elements for a distribution that takes one number of the generator for each of its own. A number of the generator follows
    /// from the one before it, so that a row of them waits for every step; four rows that begin at their places do not wait for each other.
    fn drawn_in_rows(shape: impl IntoShape<S>, distribution: impl Distribution<f64>, seed: u64) -> Result<Self, Error> {
        let layout = row_major(shape)?;
        let mut elements = Owned::for_results(layout.len())?;
        let row = elements.len() / 4;
        let parts = if T::DTYPE.is_complex() { 2 } else { 1 };
        let [mut a, mut b, mut c, mut d] = [0, 1, 2, 3].map(|n| {
            let mut generator = Pcg64::seed_from_u64(seed);
            generator.advance((n * row * parts) as u128);
            generator
        });
        let (first, rest) = elements.split_at_mut(row);
        let (second, rest) = rest.split_at_mut(row);
        let (third, fourth) = rest.split_at_mut(row);
        let (with, left) = fourth.split_at_mut(row);
        for (((first, second), third), fourth) in first.iter_mut().zip(second).zip(third).zip(with) {
            *first = one(&distribution, &mut a);
            *second = one(&distribution, &mut b);
            *third = one(&distribution, &mut c);
            *fourth = one(&distribution, &mut d);
        }
        left.iter_mut().for_each(|element| *element = one(&distribution, &mut d));
        Ok(Tensor::from_parts(elements, layout))
    }
}

/// The next element of a generator.
#[inline(always)]
fn one<T: Element>(distribution: &impl Distribution<f64>, generator: &mut Pcg64) -> T {
    let re = distribution.sample(generator);
    let im = if T::DTYPE.is_complex() { distribution.sample(generator) } else { 0.0 };
    T::from_complex(Complex::new(re, im))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_forever() {
        let a = Tensor::<f64>::random([3], 1).unwrap();
        assert_eq!(a.as_slice(), [0.8398736585259249, 0.017298675035571365, 0.11390171020416662]);
        let z = Tensor::<Complex<f32>>::normal([1000], 0.0, 1.0, 2).unwrap();
        assert!(z.mean().norm() < 0.15 && (z.var() - 2.0).abs() < 0.2);
        assert!(Tensor::<f32>::uniform([1000], -1.0..1.0, 3).unwrap().less(0.0).unwrap().count().abs_diff(500) < 60);
    }

    #[test]
    fn rows_are_those_of_one_generator() {
        fn check<T: Element>(shape: [usize; 1], range: Range<f64>) {
            let distribution = Uniform::new(range.start, range.end).unwrap();
            let rows: Tensor<T> = Tensor::drawn_in_rows(shape, distribution, 5).unwrap();
            assert_eq!(rows, Tensor::drawn(shape, distribution, 5).unwrap(), "{shape:?}");
            let rows: Tensor<T> = Tensor::drawn_in_rows(shape, StandardUniform, 5).unwrap();
            assert_eq!(rows, Tensor::drawn(shape, StandardUniform, 5).unwrap(), "{shape:?}");
        }
        for extent in [0, 1, 3, 4, 7, 1002, 4095] {
            check::<f64>([extent], -1.0..3.0);
            check::<Complex<f32>>([extent], -1.0..3.0);
        }
    }

    #[test]
    fn refusals() {
        let said = |result: Result<Tensor<f64>, Error>| result.unwrap_err().to_string();
        assert_eq!(said(Tensor::uniform([1], 1.0..0.0, 0)), "random numbers from 1.0..0.0, which is empty or not finite");
        assert_eq!(said(Tensor::normal([1], 0.0, -1.0, 0)), "random numbers of standard deviation -1");
        assert_eq!(said(Tensor::normal([1], 0.0, f64::NAN, 0)), "random numbers of standard deviation NaN");
    }
}
