//! A table of right and left sides, over all element types.

use num_complex::Complex;
use tensorwrapper::prelude::*;

use crate::static_expr::{same, same_number, some};

/// The same equation over static tensors and over tensors; `number` compares numbers.
macro_rules! agree {
    ($($name:ident)*: $($equation:tt)*) => {
        agree!(@by same, $($name)*: $($equation)*)
    };
    (number $($name:ident)*; $($equation:tt)*) => {
        agree!(@by same_number, $($name)*: $($equation)*)
    };
    (@by same, $($name:ident)*: $($equation:tt)*) => {{
        let fixed = tensor!($($equation)*);
        $(let $name = &$name.to_tensor().unwrap();)*
        same(&fixed, &tensor!($($equation)*));
    }};
    (@by same_number, $($name:ident)*: $($equation:tt)*) => {{
        let fixed = tensor!($($equation)*);
        $(let $name = &$name.to_tensor().unwrap();)*
        same_number(fixed, tensor!($($equation)*));
    }};
}

fn table<T: Element>(alpha: T) {
    let a: &StaticTensor<T, Shape![3, 4]> = &some(1);
    let b: &StaticTensor<T, Shape![4, 5]> = &some(2);
    let q: &StaticTensor<T, Shape![4, 4]> = &some(3);
    let x: &StaticTensor<T, Shape![4]> = &some(4);
    let y: &StaticTensor<T, Shape![3]> = &some(5);
    let t: &StaticTensor<T, Shape![2, 3, 4]> = &some(6);
    let one: &StaticTensor<T, Shape![]> = &some(7);
    let (n, whole, power) = (2, -2, 1.5);

    agree!(a b: [i, j] = a[i, k] * b[k, j]);
    agree!(a b: [j, i] = a[i, k] * b[k, j]);
    agree!(a x y: [i] = alpha * a[i, j] * x[j] + y[i]);
    agree!(a x y: [i] = 2.5 * a[i, j] * x[j] - y[i] / 4.0);
    agree!(a: [j, i] = a[i, j]);
    agree!(a: [j, i] = -a[i, j]);
    agree!(a y: [i, j] = a[i, j] / y[i]);
    agree!(a x y: [i, j] = a[i, j] / (y[i] + x[j]));
    agree!(x y: [i, j] = y[i] * x[j]);
    agree!(x y: [i, j] = 1[j] * y[i] + 2.0 * 1[i] * x[j]);
    agree!(y: [i, j] = 1[j] * y[i] where j: 2);
    agree!(q: [i] = q[i, i]);
    agree!(q x: [i, i] = q[i, i] * x[i]);
    agree!(x y: [i, j, i] = x[i] * y[j]);
    agree!(t a: [l] = t[l, i, j] * a[i, j]);
    agree!(t: [j] = t[1, 2, j]);
    agree!(t: [l, j] = t[l, { n }, j]);
    agree!(t x: [i] = t[0, i, { n + 1 }] * x[3]);
    agree!(a: [i, j] = a[i in 1..3, j in ..2]);
    agree!(a q: [i, k] = a[i in 0..2, j] * q[j, k in 1..4]);
    agree!(a b x: [i] = a[i, j] * sum(k; b[j, k]) * q[j, l] * x[l]);
    agree!(a: [i] = prod(j; a[i, j]));
    agree!(a x: [i] = exp(sum(j; a[i, j] * x[j])) + 1[i]);
    agree!(a: [i, j] = sin(a[i, j]) * cos(a[i, j]) + tanh(a[i, j]) * tan(a[i, j]));
    agree!(a: [i, j] = sqrt(a[i, j]) - ln(a[i, j]) + abs(a[i, j]) / recip(a[i, j]));
    agree!(a: [i, j] = conj(a[i, j]) * re(a[i, j]) - im(a[i, j]));
    agree!(a: [i, j] = powi(a[i, j], 3) + powf(a[i, j], 0.5));
    agree!(a: [i, j] = powi(a[i, j], whole) * powf(a[i, j], power));
    agree!(q: [i, j] = sym(i, j; q[i, j]));
    agree!(q: [i, j] = asym(i, j; q[i, j]));
    agree!(a one: [i, j] = one * a[i, j] + one[] * a[i, j]);
    agree!(number a; [] = a[i, j] * a[i, j]);
    agree!(number q; [] = q[i, i]);
    agree!(number q x; [] = x[i] * q[i, j] * x[j] / alpha);
    agree!(number x; [] = prod(i; x[i]));
    agree!(number one; [] = 3.0 * one[]);
    agree!(number t; [] = t[1, 0, 2]);

    let fixed = einsum!("ik,kj->ij", a, b);
    same(&fixed, &tensor!([i, j] = a[i, k] * b[k, j]).to_tensor().unwrap());
}

#[test]
fn forms_agree() {
    table::<f32>(0.5);
    table::<f64>(-1.5);
    table::<Complex<f32>>(Complex::new(0.5, 0.25));
    table::<Complex<f64>>(Complex::new(0.0, -1.0));
}

#[test]
fn extremes_agree() {
    fn table<T: Element>() {
        let a: &StaticTensor<T, Shape![3, 4]> = &some(8);
        agree!(a: [i] = max(j; a[i, j]));
        agree!(a: [j] = min(i; -a[i, j]));
        agree!(number a; [] = max(i, j; a[i, j]) - min(i, j; a[i, j]));
    }
    table::<f32>();
    table::<f64>();
}

#[test]
fn real_numbers_scale_complex_tensors() {
    let a: StaticTensor<Complex<f64>, Shape![3, 4]> = some(9);
    let (real, complex) = (0.5, Complex::new(1.0, 2.0));
    agree!(a: [i, j] = real * a[i, j] / complex);
    let (a, single): (StaticTensor<Complex<f32>, Shape![3, 4]>, _) = (some(9), &0.5);
    agree!(a: [i, j] = single * a[i, j]);
}

#[test]
fn extents_may_be_generic() {
    fn square<T: Element, const N: usize>(a: &StaticTensor<T, Shape![N, N]>) -> StaticTensor<T, Shape![N, N]> {
        tensor!([i, j] = a[i, k] * a[k, j])
    }
    let a = some::<f64, Shape![3, 3]>(10);
    same(&square(&a), &tensor!([i, j] = a[i, k] * a[k, j]).to_tensor().unwrap());

    fn third<const N: usize>(a: &StaticTensor<f64, Shape![N]>) -> Result<f64, Error> {
        try_tensor!([] = a[2])
    }
    assert_eq!(third(&StaticTensor::new([1.0, 2.0, 3.0])), Ok(3.0));
    let error = third(&StaticTensor::new([1.0, 2.0])).unwrap_err();
    assert_eq!(error.to_string(), "index 2 is out of range for axis 0 of `a`, which has extent 2");
}

#[test]
fn empty_sums_are_zero() {
    let a: StaticTensor<f64, Shape![2, 0]> = StaticTensor::zeros();
    agree!(a: [i] = sum(j; a[i, j]) + 1[i]);
    agree!(a: [i] = prod(j; a[i, j]));
    agree!(a: [j, i] = a[i, j]);
    agree!(number a; [] = sum(i, j; a[i, j]));
}
