//! Single matrices that were wrong or refused once, by the bounds of all others.

use num_complex::Complex;
use tensorwrapper::linalg;
use tensorwrapper::prelude::*;

use super::judge::{Item, Kind, epsilon, judged};
use super::matrix::{C, Matrix};

fn devices() -> [Context; 2] {
    [Context::cpu(), Context::reference()]
}

/// The residual of one matrix, or of a batch of so many that are the same, on both devices.
#[track_caller]
fn is_right<T: Element>(kind: Kind, a: &Matrix, batch: usize, what: &str) {
    let a = a.rounded::<T>();
    let items = vec![Item { b: Matrix::unit(a.rows), a }; batch];
    for context in devices() {
        let found = judged::<T>(kind, &items, &context, true).unwrap_or_else(|error| panic!("{what} {}: {error}", T::DTYPE));
        assert!(found.iter().all(|&found| found <= 1.0), "{what} {}: {found:?} of the bound", T::DTYPE);
    }
}

/// Small pairs of conjugate eigenvalues beside large elements.
#[test]
fn eigenvectors_of_graded_matrices() {
    for n in [9, 10, 20, 70] {
        let a =
            Matrix::from_fn(n, n, |i, j| ((((i * 7 + j * 2 + i * j) % 11) as f64 - 5.0) * 10f64.powi(-((i + j) as i32))).into());
        is_right::<f64>(Kind::Eig, &a, 1, "graded");
        is_right::<C>(Kind::Eig, &a, 1, "graded");
        if n <= 20 {
            is_right::<f32>(Kind::Eig, &a, 1, "graded");
            is_right::<Complex<f32>>(Kind::Eig, &a, 1, "graded");
        }
        // Conjugates are so exactly, and vectors of real eigenvalues are real.
        let tensor = Tensor::<f64>::from_fn([n, n], |at| a.at(at[0], at[1]).re).unwrap();
        let (values, vectors) = linalg::eig(&tensor).eval().unwrap();
        for (k, value) in values.as_slice().iter().enumerate() {
            let own = |k: usize| (0..n).map(|i| vectors[[i, k]]).collect::<Vec<_>>();
            match values.as_slice().iter().position(|other| other == &value.conj()) {
                Some(other) if other != k => assert_eq!(own(k), own(other).iter().map(C::conj).collect::<Vec<_>>()),
                other => assert!(other.is_some() && own(k).iter().all(|x| x.im == 0.0), "{value} of order {n}"),
            }
        }
    }
}

/// Jordan's blocks and shifts have fewer eigenvectors than rows: nearly parallel ones stand for the others.
#[test]
fn eigenvectors_of_defective_matrices() {
    fn defective<T: Element>() {
        for n in [2, 3, 8, 9, 24, 60] {
            for value in [C::ZERO, C::ONE, C::new(-0.3, 0.8), C::new(1e-3, 0.0)] {
                let upper = Matrix::from_fn(n, n, |i, j| match j.wrapping_sub(i) {
                    0 => value,
                    1 => C::ONE,
                    _ => C::ZERO,
                });
                is_right::<T>(Kind::Eig, &upper, 1, "a Jordan block");
                is_right::<T>(Kind::Eig, &upper.adjoint(), 1, "a Jordan block below");
            }
        }
    }
    defective::<f32>();
    defective::<f64>();
    defective::<Complex<f32>>();
    defective::<Complex<f64>>();
    let shift = Tensor::<f64>::from_fn([30, 30], |at| f64::from(u8::from(at[0] + 1 == at[1]))).unwrap();
    let (values, vectors) = linalg::eig(&shift).eval().unwrap();
    assert!(values.as_slice().iter().all(|&x| x == C::ZERO));
    assert!((0..30).all(|k| (vectors[[0, k]].norm() - 1.0).abs() < 1e-14));
}

/// Where eigenvalues are many times the same, and something beside them fails, their vectors are independent all the same.
#[test]
fn equal_eigenvalues_have_orthogonal_vectors() {
    let n = 40;
    let a = Tensor::<f64>::from_fn([n, n], |at| match (at[0], at[1]) {
        (i, j) if i == j => {
            if i < 30 {
                0.5
            } else {
                2.0
            }
        }
        (i, j) if i + 1 == j && i < 29 => 1.0,
        _ => 0.0,
    })
    .unwrap();
    let (values, vectors) = linalg::eig(&a).eval().unwrap();
    assert!(values.as_slice()[30..].iter().all(|&x| x == C::from(2.0)));
    let own = Tensor::<C>::from_fn([10, 10], |at| vectors[[30 + at[0], 30 + at[1]]]).unwrap();
    assert_eq!(linalg::rank(&own).eval().unwrap()[[]], 10.0);
}

/// Eigenvalues are in order by their real parts, and zero is no less for its sign.
#[test]
fn zeros_of_any_sign_are_in_order() {
    let i = C::I;
    for elements in [[C::ZERO, -i, -i, i], [-i, C::ZERO, C::ONE, i], [i, C::ZERO, C::ZERO, -i]] {
        is_right::<C>(Kind::Eig, &Matrix::from_fn(2, 2, |row, column| elements[2 * row + column]), 1, "an imaginary matrix");
    }
}

/// Elements whose squares are no numbers any more, beside others that are.
#[test]
fn hermitian_matrices_with_elements_too_small_for_squares() {
    for small in [1e-150, 1e-158, 1e-161, 1e-163, 1e-170, 1e-300] {
        for n in [2, 3, 5, 8, 12] {
            let element = |i: usize, j: usize| match i.cmp(&j) {
                std::cmp::Ordering::Equal => C::from(1.0 + (i % 3) as f64),
                std::cmp::Ordering::Greater => C::new(0.6, 0.8 * (i + j) as f64) * small,
                std::cmp::Ordering::Less => C::ZERO,
            };
            let a = Matrix::from_fn(n, n, element);
            for batch in [1, 9] {
                is_right::<C>(Kind::Eigh, &a, batch, "a complex one");
                is_right::<f64>(Kind::Eigh, &a, batch, "a real one");
            }
        }
    }
    for n in [3, 7, 8] {
        let a = Matrix::from_fn(n, n, |i, j| C::new(1.0 + (i * j) as f64, (i + j) as f64) * 10f64.powi(-7 * (i.min(j)) as i32));
        is_right::<f32>(Kind::Eigh, &a.mirrored(), 1, "a graded one");
        is_right::<Complex<f32>>(Kind::Eigh, &a.mirrored(), 1, "a graded one");
    }
}

/// What is lost is told to its own digits, also where only a part of the singular values was computed.
#[test]
fn discarded_weights_are_accurate() {
    let (n, kept) = (180, 8);
    // The bound is below a hundredth of what is left: one that is lost itself fails.
    for size in [1e-6, 1e-9] {
        let wave = |i: usize, k: usize| ((i + 1) as f64 * (k + 1) as f64 * 0.7).sin();
        let a = Tensor::<f64>::from_fn([n, n], |at| {
            let large: f64 = (0..kept).map(|k| wave(at[0], k) * wave(at[1], k)).sum();
            large + size * ((at[0] * 31 + at[1] * 17) as f64).sin()
        })
        .unwrap();
        let (_, s, _) = linalg::svd(&a).eval().unwrap();
        let squares = |values: &[f64]| values.iter().rev().map(|s| s * s).sum::<f64>();
        let expected = squares(&s.as_slice()[kept..]) / squares(s.as_slice());
        for context in devices() {
            let (.., lost) = linalg::svd_cut(&a).max(kept).eval_in(&context).unwrap();
            let off = (lost[[]].sqrt() - expected.sqrt()).abs();
            assert!(off <= 20.0 * n as f64 * epsilon::<f64>(), "{size}: {} instead of {expected}", lost[[]]);
        }
    }
}
