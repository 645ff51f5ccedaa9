//! Lists of tensors as vectors of real numbers, for methods that know nothing of tensors; a complex number is two of them.

use num_complex::Complex;

use crate::expr::Value;
use crate::link::Link;
use crate::tensor::{AnyTensor, Tensor};
use tensorwrapper_core::dtype::dispatch;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// The numbers of tensors, in order.
pub(super) fn numbers(tensors: &[AnyTensor]) -> Result<Vec<f64>, Error> {
    let mut all = Vec::new();
    for tensor in tensors {
        let is_complex = tensor.dtype().is_complex();
        dispatch!(tensor.dtype(), T => {
            let dense = tensor.clone().into_tensor::<T>()?;
            for element in dense.as_slice() {
                let Complex { re, im } = element.to_complex();
                all.push(re);
                if is_complex {
                    all.push(im);
                }
            }
        });
    }
    Ok(all)
}

/// Tensors with the types and extents of these values, of these numbers.
pub(super) fn tensors(like: &[Link<Value<'_>>], numbers: &[f64]) -> Result<Vec<AnyTensor>, Error> {
    let mut rest = numbers.iter().copied();
    let mut next = || rest.next().expect("there are as many numbers as elements");
    let mut one = |value: &Link<Value<'_>>| {
        let (count, is_complex) = (value.extents.iter().product::<usize>(), value.dtype.is_complex());
        let mut element = || Complex::new(next(), if is_complex { next() } else { 0.0 });
        let elements: Vec<Complex<f64>> = (0..count).map(|_| element()).collect();
        Ok(dispatch!(value.dtype, T => {
            let elements = elements.into_iter().map(T::from_complex).collect();
            AnyTensor::from(Tensor::<T>::from_vec(&value.extents[..], elements)?)
        }))
    };
    like.iter().map(&mut one).collect()
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(super) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Adds a multiple of another vector.
pub(super) fn add(to: &mut [f64], factor: f64, other: &[f64]) {
    to.iter_mut().zip(other).for_each(|(to, other)| *to += factor * other);
}

pub(super) fn scaled(a: &[f64], factor: f64) -> Vec<f64> {
    a.iter().map(|a| a * factor).collect()
}

pub(super) fn difference(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}
