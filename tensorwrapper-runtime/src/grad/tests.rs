//! Derivatives against differences, and the identities that they satisfy.

mod drawn;
mod equations;
mod fixed;
mod jacobians;
mod linear_algebra;
mod matrix_functions;
mod products;
mod spectral;
mod systems;

use num_complex::Complex;

use crate::{Error, Expr, Tensor};
use tensorwrapper_core::element::Element;

/// A stream of numbers from -1 to 1.
pub(super) struct Drawn(u64);

impl Drawn {
    pub(super) fn new(seed: u64) -> Drawn {
        Drawn(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        2.0 * (((z ^ (z >> 31)) >> 11) as f64 * 2f64.powi(-53)) - 1.0
    }

    pub(super) fn tensor<T: Element>(&mut self, extents: &[usize]) -> Tensor<T> {
        Tensor::from_fn(extents, |_| T::from_complex(Complex::new(self.number(), self.number()))).unwrap()
    }
}

/// Labels for that many axes.
pub(super) fn labels(rank: usize) -> String {
    (0..rank).map(|n| format!("x{n},")).collect()
}

/// A function of recorded tensors.
pub(super) type Function<T> = dyn for<'a> Fn(&[Expr<'a, T>]) -> Result<Expr<'a, T>, Error>;

fn recorded<T: Element>(tensors: &[Tensor<T>]) -> Vec<Expr<'_, T>> {
    let axes = |tensor: &Tensor<T>| labels(tensor.rank());
    tensors.iter().map(|tensor| tensor.at(&axes(tensor)).record(&axes(tensor)).unwrap()).collect()
}

fn dot<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> f64 {
    let product = |(a, b): (&T, &T)| (a.to_complex().conj() * b.to_complex()).re;
    a.as_slice().iter().zip(b.as_slice()).map(product).sum()
}

/// The sum of the products' absolute values, which is what the rounding of [`dot`] is measured by.
fn magnitude<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a.to_complex().norm() * b.to_complex().norm()).sum()
}

fn moved<T: Element>(tensors: &[Tensor<T>], along: &[Tensor<T>], step: f64) -> Vec<Tensor<T>> {
    let one = |(x, d): (&Tensor<T>, &Tensor<T>)| {
        let element = |(x, d): (&T, &T)| T::from_complex(x.to_complex() + d.to_complex() * step);
        let elements = x.as_slice().iter().zip(d.as_slice()).map(element).collect();
        Tensor::from_vec(x.extents(), elements).unwrap()
    };
    tensors.iter().zip(along).map(one).collect()
}

/// The derivative of a tensor along a line by differences of the fourth order.
fn difference<T: Element>(of: &dyn Fn(f64) -> Tensor<T>, step: f64) -> Tensor<T> {
    let at: Vec<Tensor<T>> = [-2.0, -1.0, 1.0, 2.0].iter().map(|n| of(n * step)).collect();
    let weights = [1.0, -8.0, 8.0, -1.0].map(|weight| weight / (12.0 * step));
    let element = |n: usize| {
        let sum: Complex<f64> = at.iter().zip(weights).map(|(tensor, weight)| tensor.as_slice()[n].to_complex() * weight).sum();
        T::from_complex(sum)
    };
    Tensor::from_vec(at[0].extents(), (0..at[0].as_slice().len()).map(element).collect()).unwrap()
}

fn largest<T: Element>(tensor: &Tensor<T>) -> f64 {
    tensor.as_slice().iter().map(|x| x.to_complex().norm()).fold(0.0, f64::max)
}

fn near<T: Element>(what: &str, found: &Tensor<T>, expected: &Tensor<T>, tolerance: f64) {
    assert_eq!(found.extents(), expected.extents(), "{what}");
    let scale = largest(expected).max(1.0);
    for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
        let deviation = (found.to_complex() - expected.to_complex()).norm();
        assert!(deviation <= tolerance * scale, "{what}: {found:?} instead of {expected:?}, scale {scale}");
    }
}

/// `Re Σ conj(w)·f(x)`
fn loss<'a, T: Element>(inputs: &[Expr<'a, T>], function: &Function<T>, weight: &'a Tensor<T>) -> Expr<'a, T::Real> {
    let value = function(inputs).unwrap();
    let axes = labels(value.extents().len());
    (weight.at(&axes).conj() * value.at(&axes)).real().record("").unwrap()
}

fn gradients<T: Element>(inputs: &[Tensor<T>], function: &Function<T>, weight: &Tensor<T>) -> Vec<Tensor<T>>
where
    T::Real: crate::RealNumber,
{
    let variables = recorded(inputs);
    let gradients = loss(&variables, function, weight).grad(&variables[..]).unwrap();
    gradients.iter().map(|gradient| gradient.eval().unwrap()).collect()
}

/// Two directions, and a weight of the value.
type Directions<T> = (Vec<Tensor<T>>, Vec<Tensor<T>>, Tensor<T>);

fn directions<T: Element>(inputs: &[Tensor<T>], function: &Function<T>, drawn: &mut Drawn) -> Directions<T> {
    let extents = function(&recorded(inputs)).unwrap().extents().to_vec();
    let (v, u) = inputs.iter().map(|x| (drawn.tensor::<T>(x.extents()), drawn.tensor::<T>(x.extents()))).unzip();
    (v, u, drawn.tensor::<T>(&extents))
}

/// The change along a direction and the weighted derivatives of a function, against differences and against each other.
pub(super) fn check_first<T: Element>(inputs: &[Tensor<T>], function: &Function<T>, drawn: &mut Drawn)
where
    T::Real: crate::RealNumber,
{
    first(inputs, function, &directions(inputs, function, drawn));
}

fn first<T: Element>(inputs: &[Tensor<T>], function: &Function<T>, (v, _, weight): &Directions<T>)
where
    T::Real: crate::RealNumber,
{
    let variables = recorded(inputs);
    let value = function(&variables).unwrap();
    let with: Vec<_> = variables.iter().zip(v).collect();
    let change = value.jvp(&with[..]).unwrap().eval().unwrap();
    let of = |step: f64| {
        let moved = moved(inputs, v, step);
        function(&recorded(&moved)).unwrap().eval().unwrap()
    };
    near("the change", &change, &difference(&of, 1e-3), 1e-7);
    let weighted = value.vjp(weight, &variables[..]).unwrap();
    let weighted: Vec<Tensor<T>> = weighted.iter().map(|value| value.eval().unwrap()).collect();
    let (one, other) = (dot(weight, &change), weighted.iter().zip(v).map(|(g, d)| dot(g, d)).sum::<f64>());
    let scale = magnitude(weight, &change) + weighted.iter().zip(v).map(|(g, d)| magnitude(g, d)).sum::<f64>();
    assert!((one - other).abs() <= 1e-11 * scale.max(1.0), "⟨w, jvp(v)⟩ = {one}, but ⟨vjp(w), v⟩ = {other}");
}

/// The same and the second derivatives: against differences, and against themselves.
pub(super) fn check<T: Element>(inputs: &[Tensor<T>], function: &Function<T>, drawn: &mut Drawn)
where
    T::Real: crate::RealNumber,
{
    let all = directions(inputs, function, drawn);
    first(inputs, function, &all);
    let (v, u, weight) = all;
    let variables = recorded(inputs);
    let with: Vec<_> = variables.iter().zip(&v).collect();
    let loss = loss(&variables, function, &weight);
    let second: Vec<Tensor<T>> = loss.hvp(&with[..]).unwrap().iter().map(|value| value.eval().unwrap()).collect();
    for (n, second) in second.iter().enumerate() {
        let of = |step: f64| gradients(&moved(inputs, &v, step), function, &weight).swap_remove(n);
        near(&format!("the second derivative by input {n}"), second, &difference(&of, 1e-3), 1e-6);
    }
    let with: Vec<_> = variables.iter().zip(&u).collect();
    let other_second: Vec<Tensor<T>> = loss.hvp(&with[..]).unwrap().iter().map(|value| value.eval().unwrap()).collect();
    let along = |h: &[Tensor<T>], d: &[Tensor<T>]| h.iter().zip(d).map(|(h, d)| dot(h, d)).sum::<f64>();
    let (one, other) = (along(&second, &u), along(&other_second, &v));
    let of = |h: &[Tensor<T>], d: &[Tensor<T>]| h.iter().zip(d).map(|(h, d)| magnitude(h, d)).sum::<f64>();
    let scale = of(&second, &u) + of(&other_second, &v);
    assert!((one - other).abs() <= 1e-11 * scale.max(1.0), "u·H·v = {one}, but v·H·u = {other}");
}
