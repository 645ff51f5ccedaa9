//! Generic code: const parameters, abstract extents, abstract shapes, abstract elements.

#![deny(warnings)]
#![allow(dead_code)]

use tensorwrapper::prelude::*;

/// Extents as const parameters.
pub fn multiply<const M: usize, const N: usize, const P: usize>(
    a: &Tensor<f64, Shape![M, N]>,
    b: &Tensor<f64, Shape![N, P]>,
) -> Tensor<f64, Shape![M, P]> {
    tensor!([i, j] = a[i, k] * b[k, j])
}

/// Positions that a const parameter must reach: the run checks.
pub fn first<const N: usize>(a: &Tensor<f64, Shape![N, _]>) -> Tensor<f64, Shape![_]> {
    tensor!([j] = a[0, j] + a[7, j])
}

/// Abstract extents.
pub fn square<T: Element, N: Len>(a: &Tensor<T, (N, N)>) -> Tensor<T, (N, N)> {
    tensor!([i, j] = a[i, k] * a[k, j])
}

/// An abstract shape.
pub fn norm<T: Element, S: Extents>(a: &Tensor<T, S>) -> T {
    tensor!([] = a[i, j] * conj(a[i, j]))
}

/// An abstract rank.
pub fn trace<T: Element>(a: &Tensor<T>) -> T {
    tensor!([] = a[i, i])
}

/// Const parameters of an `impl`.
#[derive(Debug)]
pub struct Layer<const IN: usize, const OUT: usize> {
    weight: Tensor<f64, Shape![OUT, IN]>,
    bias: Tensor<f64, Shape![OUT]>,
}

impl<const IN: usize, const OUT: usize> Layer<IN, OUT> {
    /// A layer's output.
    pub fn forward(&self, x: &Tensor<f64, Shape![IN]>) -> Tensor<f64, Shape![OUT]> {
        tensor!([o] = tanh(sum(i; self.weight[o, i] * x[i]) + self.bias[o]))
    }
}
