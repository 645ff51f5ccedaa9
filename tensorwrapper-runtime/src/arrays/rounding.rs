//! Real elements, rounded, bounded, or told by their sign.

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::stored::{Numeric, Stored};

use super::iteration::each;
use super::methods;
use crate::tensor::{Tensor, TensorRef};

fn clip<T: Stored + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>, least: T, most: T) -> Result<Tensor<T, S>, Error> {
    if least > most {
        return Err(Error::new(ErrorKind::Undefined(format!("`clip` between {least} and {most}, which is less"))));
    }
    // NaN is neither less nor greater, and stays. Neither comparison depends on the other one, so that both are made for many elements.
    each(view, move |x| {
        let (is_less, is_greater) = (x < least, x > most);
        let x = if is_less { least } else { x };
        if is_greater { most } else { x }
    })
}

/// A function of numbers in double precision, in which numbers in single precision lose nothing.
fn by<T: Element, S: Extents>(
    view: &TensorRef<'_, T, S>,
    function: impl Fn(f64) -> f64 + Copy + Sync,
) -> Result<Tensor<T, S>, Error> {
    each(view, move |x| T::from_complex(function(x.to_complex().re).into()))
}

fn round<T: Element + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, S>, Error> {
    by(view, f64::round_ties_even)
}

fn floor<T: Element + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, S>, Error> {
    by(view, f64::floor)
}

fn ceil<T: Element + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, S>, Error> {
    by(view, f64::ceil)
}

fn sign<T: Numeric + PartialOrd, S: Extents>(view: &TensorRef<'_, T, S>) -> Result<Tensor<T, S>, Error> {
    each(view, |x| {
        if x > T::NOTHING {
            T::UNIT
        } else if x < T::NOTHING {
            T::UNIT.negated()
        } else {
            x
        }
    })
}

methods!(impl[T: Stored + PartialOrd] {
    /// Each element, or the bound that it lies beyond. NaN stays.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert_eq!(a.clip(0.0, 1.0)?.as_slice(), [0.0, 0.5, 1.0]);
    /// assert_eq!((a.round()?.as_slice(), a.sign()?.as_slice()), (&[-2.0, 0.0, 2.0][..], &[-1.0, 1.0, 1.0][..]));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::ErrorKind::Undefined) when the least is more than the most,
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("clamp"))]
    fn clip(least: T, most: T) -> Result<Tensor<T, S>, Error> = clip;
});

methods!(impl[T: Element + PartialOrd] {
    /// The nearest whole numbers; halves go to the even one, as in NumPy.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert_eq!(a.round()?.as_slice(), [-2.0, 0.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn round() -> Result<Tensor<T, S>, Error> = round;

    /// The largest whole numbers that are not larger.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert_eq!(a.floor()?.as_slice(), [-2.0, 0.0, 2.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn floor() -> Result<Tensor<T, S>, Error> = floor;

    /// The smallest whole numbers that are not smaller.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.5, 2.5])?;
    /// assert_eq!(a.ceil()?.as_slice(), [-1.0, 1.0, 3.0]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    fn ceil() -> Result<Tensor<T, S>, Error> = ceil;
});

methods!(impl[T: Numeric + PartialOrd] {
    /// 1 for positive elements, −1 for negative ones; zeros and NaN stay.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::Tensor;
    /// let a = Tensor::from_array([-1.5, 0.0, 2.5])?;
    /// assert_eq!(a.sign()?.as_slice(), [-1.0, 0.0, 1.0]);
    /// assert_eq!(Tensor::from_array([-7, 0, 2])?.sign()?.as_slice(), [-1, 0, 1]);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::ErrorKind::Memory) when the system has no memory for the result.
    #[doc(alias("signum", "sgn"))]
    fn sign() -> Result<Tensor<T, S>, Error> = sign;
});
