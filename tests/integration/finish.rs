//! What is done with each element of a product, in the same pass or after it: the fast device against the reference, where blocks
//! of rows, columns and sums begin and end, and where the two cannot be one pass.

use num_complex::Complex;
use tensorwrapper::Dtype;
use tensorwrapper::prelude::*;

type Matrix<T> = Tensor<T, Shape![_, _]>;

/// Numbers between -1 and 1, far from alike, of which real types keep the real part.
fn matrix<T: Element>(seed: u64, extents: (usize, usize)) -> Matrix<T> {
    let mut state = seed * 0x9e37_79b9 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / (1u64 << 30) as f64 - 1.0
    };
    Tensor::from_fn(extents, |_| T::from_complex(Complex::new(next(), next()))).expect("memory for a small matrix")
}

fn assert_close<T: Element>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let tolerance = if matches!(T::DTYPE, Dtype::F32 | Dtype::C32) { 5e-4 } else { 1e-10 };
    for (n, (x, y)) in found.iter().zip(expected).enumerate() {
        let (x, y) = (x.to_complex(), y.to_complex());
        assert!((x - y).norm() <= tolerance * (1.0 + y.norm()), "{what}: element {n} is {x}, not {y}");
    }
}

/// Small enough for a tile; one block of the engine; several blocks of sums; odd edges; one row; worth two threads.
const SIZES: [(usize, usize, usize); 6] = [(4, 4, 4), (50, 70, 33), (30, 41, 900), (601, 9, 20), (1, 600, 17), (230, 301, 40)];

/// The operands of the forms below: `a[i, k]`, `b[k, j]`, `c[i, j]`, `d[i, j]`, `e[j, i]`.
struct Operands<T: Element> {
    a: Matrix<T>,
    b: Matrix<T>,
    c: Matrix<T>,
    d: Matrix<T>,
    e: Matrix<T>,
}

impl<T: Element> Operands<T> {
    fn new((m, n, k): (usize, usize, usize)) -> Operands<T> {
        let extents = [(m, k), (k, n), (m, n), (m, n), (n, m)];
        let [a, b, c, d, e] = std::array::from_fn(|n| matrix(n as u64, extents[n]));
        Operands { a, b, c, d, e }
    }
}

/// A form of equation, on any device.
type Form<T> = (&'static str, fn(&Context, &Operands<T>) -> Vec<T>);

fn compare<T: Element>(forms: &[Form<T>]) {
    for size in SIZES {
        let operands = Operands::<T>::new(size);
        for (name, form) in forms {
            let expected = form(&Context::reference(), &operands);
            for threads in [1, 2] {
                let found = form(&Context::cpu().threads(threads), &operands);
                assert_close(&found, &expected, &format!("{name} of {size:?} on {threads} threads"));
            }
        }
    }
}

macro_rules! forms {
    ($T:ty: $($name:literal: |$a:ident, $b:ident, $c:ident, $d:ident, $e:ident| { $($equation:tt)* })*) => {
        compare::<$T>(&[$(($name, |context, Operands { a: $a, b: $b, c: $c, d: $d, e: $e }| {
            tensor! { in context; $($equation)* }.into_vec()
        })),*])
    };
}

#[test]
fn chains_of_epilogue_steps() {
    forms! { f64:
        "alpha and beta": |a, b, c, _d, _e| { let r[i, j] = 2.0 * a[i, k] * b[k, j] + 0.5 * c[i, j]; r }
        "a function": |a, b, c, _d, _e| { let r[i, j] = tanh(sum(k; a[i, k] * b[k, j]) - c[i, j]); r }
        "a difference": |a, b, c, _d, _e| { let r[i, j] = c[i, j] - a[i, k] * b[k, j]; r }
        "two others": |a, b, c, d, _e| { let r[i, j] = (sum(k; a[i, k] * b[k, j]) + c[i, j]) / (2.0 + d[i, j]); r }
        "powers": |a, b, _c, d, _e| { let r[i, j] = powi(0.5 * (sum(k; a[i, k] * b[k, j]) + 1.0), 3) * d[i, j]; r }
        "into the other order": |a, b, _c, _d, e| { let r[j, i] = exp(-abs(sum(k; a[i, k] * b[k, j]))) - e[j, i]; r }
    }
    forms! { f32:
        "alpha and beta": |a, b, c, _d, _e| { let r[i, j] = 2.0 * a[i, k] * b[k, j] + 0.5 * c[i, j]; r }
    }
}

#[test]
fn complex_numbers_and_conjugates() {
    forms! { Complex<f64>:
        "a conjugate added": |a, b, c, _d, _e| { let r[i, j] = conj(a[i, k]) * b[k, j] + 0.5 * conj(c[i, j]); r }
        "a conjugate times": |a, b, c, d, _e| { let r[i, j] = conj(c[i, j]) * (a[i, k] * b[k, j]) - d[i, j]; r }
    }
    forms! { Complex<f32>:
        "a conjugate added": |a, b, c, _d, _e| { let r[i, j] = a[i, k] * conj(b[k, j]) - conj(c[i, j]); r }
    }
}

#[test]
fn epilogues_that_need_a_separate_pass() {
    forms! { f64:
        "an operand in another order": |a, b, _c, _d, e| { let r[i, j] = a[i, k] * b[k, j] + e[j, i]; r }
        "the product twice": |a, b, c, _d, _e| { let p[i, j] = a[i, k] * b[k, j]; let r[i, j] = p[i, j] * p[i, j] + c[i, j]; r }
        "a function of another": |a, b, c, _d, _e| { let r[i, j] = a[i, k] * b[k, j] + exp(c[i, j]); r }
        "two products": |a, b, c, d, _e| { let r[i, j] = a[i, k] * b[k, j] + tanh(sum(l; a[i, l] * b[l, j]) - c[i, j]) * d[i, j]; r }
        "a part of the product": |a, b, _c, _d, _e| { let p[i, j] = a[i, k] * b[k, j]; let r[i] = 2.0 * p[i, 0]; r }
        "a vector added": |a, b, c, _d, _e| { let r[i, j] = a[i, k] * b[k, j] + 1[i] * c[0, j]; r }
    }
}

#[test]
fn product_is_stored_when_it_is_a_result_itself() {
    for size in SIZES {
        let Operands { a, b, c, .. } = Operands::<f64>::new(size);
        let both = |context: &Context| {
            let (p, r) = tensor! {
                in context;
                let p[i, j] = a[i, k] * b[k, j];
                let r[i, j] = tanh(p[i, j]) + c[i, j];
                (p, r)
            };
            [p.into_vec(), r.into_vec()].concat()
        };
        assert_close(&both(&Context::cpu()), &both(&Context::reference()), &format!("{size:?}"));
    }
}

#[test]
fn batches_and_operands_with_gaps() {
    let a = Tensor::<f64, Shape![_, _, _]>::from_fn((5, 80, 60), |i| (i[0] + 3 * i[1]) as f64 * 0.01 - i[2] as f64 * 0.02)
        .expect("memory for a few numbers");
    let b = matrix::<f64>(7, (60, 100));
    let wide = Tensor::<f64, Shape![_, _, _]>::from_fn((5, 120, 100), |i| (i[0] * i[1]) as f64 * 0.1 - i[2] as f64)
        .expect("memory for a few numbers");
    let run = |context: &Context| {
        tensor! { in context; let r[n, i, j] = a[n, i, k] * b[k, j] + 0.25 * wide[n, i in 10..90, j]; r }.into_vec()
    };
    let expected = run(&Context::reference());
    for threads in [1, 2] {
        assert_close(&run(&Context::cpu().threads(threads)), &expected, "a slice of a larger tensor added");
    }
}

#[test]
fn previous_contents_of_the_result_are_not_read() {
    // Results are made in memory of tensors that are gone, full of NaN in debug builds.
    for _ in 0..3 {
        let (a, b, c) = (matrix::<f64>(1, (900, 64)), matrix::<f64>(2, (64, 900)), matrix::<f64>(3, (900, 900)));
        let r = tensor!([i, j] = a[i, k] * b[k, j] + c[i, j]);
        assert!(r.as_slice().iter().all(|x| x.is_finite()));
        drop(Tensor::<f64>::filled([900, 900], f64::NAN).expect("memory for a matrix"));
    }
}

#[test]
fn infinite_numbers_are_subtracted_as_they_are() {
    for size in SIZES {
        let Operands { a, b, mut c, .. } = Operands::<Complex<f64>>::new(size);
        c.as_mut_slice().fill(Complex::new(f64::INFINITY, 0.0));
        let run = |context: &Context| tensor! { in context; let r[i, j] = a[i, k] * b[k, j] - c[i, j]; r }.into_vec();
        for (found, expected) in run(&Context::cpu()).iter().zip(run(&Context::reference())) {
            assert_eq!(found.re, expected.re, "{size:?}");
            assert!((found.im - expected.im).abs() < 1e-10, "{size:?}: {found} instead of {expected}");
        }
    }
}
