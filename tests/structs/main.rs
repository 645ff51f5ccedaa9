//! Structs of tensors: vectors, files, variables of derivatives.

#![cfg(test)]

mod derivatives;
mod files;
mod vectors;

use num_complex::Complex;
use tensorwrapper::Tensors;
use tensorwrapper::prelude::*;

/// Amplitudes of coupled cluster, over extents that are known or not.
#[derive(Clone, Debug, PartialEq, Tensors)]
struct Amplitudes<O: Len, V: Len> {
    t1: Tensor<f64, (O, V)>,
    t2: Tensor<f64, (O, O, V, V)>,
    #[tensors(skip)]
    label: String,
}

fn amplitudes(virtuals: usize, shift: f64) -> Amplitudes<Const<2>, Dyn> {
    let t1 = Tensor::from_fn((Const, virtuals), |i| shift + i[0] as f64 - 0.3 * i[1] as f64).unwrap();
    let element = |i: &[usize]| shift * i[0] as f64 - 0.1 * (i[1] * i[2]) as f64 + 0.05 * i[3] as f64;
    Amplitudes { t1, t2: Tensor::from_fn((Const, Const, virtuals, virtuals), element).unwrap(), label: "water".to_string() }
}

/// Rust's own derives read no macros in the fields of a struct with parameters.
type Matrix = Shape![_, _];
type Vector = Shape![_];

/// A layer of a network.
#[derive(Clone, Debug, PartialEq, Tensors)]
struct Layer<T: Element> {
    weight: Tensor<T, Matrix>,
    bias: Option<Tensor<T, Vector>>,
}

/// A network of any number of layers.
#[derive(Clone, Debug, PartialEq, Tensors)]
pub(crate) struct Network<T: Element> {
    layers: Vec<Layer<T>>,
    scales: [Tensor<T, ()>; 2],
    r#box: (Tensor<T>, Option<Layer<T>>),
}

fn network<T: Element>() -> Network<T> {
    let element = |x: usize, y: usize| T::from_complex(Complex::new(0.1 + x as f64 - 0.4 * y as f64, 0.5 * y as f64));
    let layer = |n: usize, m: usize, has_bias: bool| Layer {
        weight: Tensor::from_fn([n, m], |i| element(i[0], i[1])).unwrap().into_typed().unwrap(),
        bias: has_bias.then(|| Tensor::from_fn([n], |i| element(i[0], n)).unwrap().into_typed().unwrap()),
    };
    Network {
        layers: vec![layer(3, 2, true), layer(4, 3, false)],
        scales: [Tensor::scalar(element(0, 0)), Tensor::scalar(element(1, 1))],
        r#box: (Tensor::from_fn([2], |i| element(i[0], 1)).unwrap(), None),
    }
}

/// A struct without names, over another.
#[derive(Clone, Debug, PartialEq, Tensors)]
struct Pair<X: Tensors>(X, #[tensors(skip)] usize, X);
