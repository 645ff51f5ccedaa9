//! Random tensors in random layouts, for the tests of all devices.

use num_complex::Complex;
use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;

use tensorwrapper_core::backend::{Operand, Output};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::layout::Strided;

/// Elements in memory that may have gaps between them.
#[derive(Clone, Debug)]
pub struct Placed<T> {
    /// All of the memory, gaps included.
    pub data: Vec<T>,
    /// The positions of the elements in the memory.
    pub layout: Strided,
    /// Whether they are conjugated as they are read.
    pub conjugate: bool,
}

impl<T: Element> Placed<T> {
    /// A random operand over a nest of these extents. It may be permuted, sliced or reversed, a broadcast along some axes (each with
    /// probability `absent`), and a diagonal of a larger tensor along others.
    pub fn operand(rng: &mut StdRng, extents: &[usize], absent: f64) -> Placed<T> {
        let (layout, len) = layout(rng, extents, absent);
        let data = (0..len).map(|_| number(rng)).collect();
        Placed { data, layout, conjugate: rng.random_bool(0.3) }
    }

    /// A random output of these extents; its memory is full of NaN.
    pub fn output(rng: &mut StdRng, extents: &[usize]) -> Placed<T> {
        let (layout, len) = layout(rng, extents, 0.0);
        Placed { data: vec![T::from_complex(f64::NAN.into()); len], layout, conjugate: false }
    }

    /// A contiguous operand with these elements, which are given in C order.
    pub fn of(extents: &[usize], data: Vec<T>) -> Placed<T> {
        Placed { data, layout: Strided::row_major(extents).unwrap(), conjugate: false }
    }

    /// The elements as an operand.
    pub fn as_operand(&self) -> Operand<'_> {
        let mut operand = Operand::new(T::erase(&self.data), &self.layout);
        operand.conjugate = self.conjugate;
        operand
    }

    /// The elements as an output.
    pub fn as_output(&mut self) -> Output<'_> {
        Output::new(T::erase_mut(&mut self.data), &self.layout)
    }

    /// The elements in lexicographic order.
    pub fn elements(&self) -> Vec<Complex<f64>> {
        self.layout.positions().map(|position| self.data[position].to_complex()).collect()
    }
}

/// A random number; its parts are between -1 and 1.
pub fn number<T: Element>(rng: &mut StdRng) -> T {
    T::from_complex(Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)))
}

/// Asserts that two memories have the same length and agree: each two elements are equal, are both NaN, or differ by at most
/// `tolerance · (1 + |expected|)`.
pub fn assert_close<T: Element>(found: &[T], expected: &[T], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (n, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (a, b) = (found.to_complex(), expected.to_complex());
        let same = a == b || (a.is_nan() && b.is_nan());
        let close = (a - b).norm() <= tolerance * (1.0 + b.norm());
        assert!(same || close, "element {n} is {a} instead of {b}, off by {:e}: {what}", (a - b).norm());
    }
}

/// The machine epsilon: the distance from 1 to the next larger number of the element type.
pub fn epsilon<T: Element>() -> f64 {
    if size_of::<T::Real>() == 4 { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

/// A layout, and the size of the memory that it lies in.
fn layout(rng: &mut StdRng, extents: &[usize], absent: f64) -> (Strided, usize) {
    let mut axes: Vec<usize> = Vec::new();
    for (n, &extent) in extents.iter().enumerate() {
        if !rng.random_bool(absent) {
            axes.push(n);
            if extent < 50 && rng.random_bool(0.05) {
                axes.push(n);
            }
        }
    }
    axes.sort_unstable();
    if rng.random_bool(0.7) {
        axes.shuffle(rng);
    }
    let mut strides = vec![0; extents.len()];
    let (mut offset, mut size) = (0, 1);
    let plain = rng.random_bool(0.5);
    for &n in axes.iter().rev() {
        let wild = |p: f64, rng: &mut StdRng| !plain && rng.random_bool(p);
        let step = if wild(0.2, rng) { 2 } else { 1 };
        let (before, after) = if wild(0.3, rng) { (1, 1) } else { (0, 0) };
        let reach = extents[n].saturating_sub(1) * step;
        if wild(0.2, rng) {
            strides[n] -= (step * size) as isize;
            offset += (before + reach) * size;
        } else {
            strides[n] += (step * size) as isize;
            offset += before * size;
        }
        size *= before + reach + 1 + after;
    }
    if extents.contains(&0) {
        size = offset;
    }
    (Strided::within(extents, &strides, offset, size).unwrap(), size)
}
