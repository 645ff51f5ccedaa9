//! Factors of drawn block tensors against what defines them, and against the dense ones.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::ErrorKind;
use tensorwrapper_core::shape::{ChargeGroup, Charges, Tiling};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, Symmetry};

use super::super::einsum_blocks;
use super::Truncation;
use crate::exec::{Context, linalg};
use crate::tensor::{Blocks, Tensor};

mod inherited;
mod square;
mod triangle;

/// Largest error of sums of a few hundred numbers of size 1.
const CLOSE: f64 = 1e-12;

fn filled<T: Element>(rng: &mut StdRng, structure: &Structure) -> Blocks<T> {
    let mut number = || rng.random_range(-1.0..1.0);
    Blocks::from_fn(structure, |_| T::from_complex(Complex::new(number(), number()))).unwrap()
}

/// Charges of U(1), Z_2, Z_3 and a product, or none.
fn group(rng: &mut StdRng) -> Option<ChargeGroup> {
    let moduli: &[i64] = [&[0][..], &[2], &[3], &[0, 2], &[]][rng.random_range(0..5)];
    (!moduli.is_empty()).then(|| ChargeGroup::product(moduli.iter().copied()).unwrap())
}

fn tiling(rng: &mut StdRng, group: Option<&ChargeGroup>) -> Tiling {
    let extents: Vec<usize> = (0..rng.random_range(1..4)).map(|_| rng.random_range(0..4)).collect();
    let plain = Tiling::cuts(extents);
    let Some(group) = group else { return plain };
    let charges: Vec<Vec<i64>> = (0..plain.len()).map(|_| charge(rng, group)).collect();
    plain.charged(Charges::new(group.clone(), charges).unwrap()).unwrap()
}

fn charge(rng: &mut StdRng, group: &ChargeGroup) -> Vec<i64> {
    (0..group.rank()).map(|_| rng.random_range(-1..2)).collect()
}

/// All blocks, or some of them.
fn thinned(rng: &mut StdRng, structure: Structure) -> Structure {
    if rng.random_bool(0.5) {
        return structure;
    }
    let share = rng.random_range(0.0..1.0);
    let blocks: Vec<Vec<usize>> = structure.stored().unwrap().iter().filter(|_| rng.random_bool(share)).collect();
    structure.with_blocks(blocks).unwrap()
}

fn drawn(rng: &mut StdRng) -> Structure {
    let (group, rank) = (group(rng), rng.random_range(1..5));
    let tilings: Vec<Tiling> = (0..rank).map(|_| tiling(rng, group.as_ref())).collect();
    let structure = Structure::new(&tilings);
    let Some(group) = group else { return thinned(rng, structure) };
    let signs: Vec<i64> = (0..rank).map(|_| if rng.random_bool(0.5) { 1 } else { -1 }).collect();
    let total = charge(rng, &group);
    let structure = structure.flow(signs, total).unwrap();
    thinned(rng, structure)
}

/// Some axes, in any order.
fn chosen(rng: &mut StdRng, rank: usize) -> (Vec<usize>, Vec<usize>) {
    let mut rows: Vec<usize> = (0..rank).collect();
    rows.shuffle(rng);
    rows.truncate(rng.random_range(0..rank + 1));
    let columns = (0..rank).filter(|axis| !rows.contains(axis)).collect();
    (rows, columns)
}

/// The tensor as a dense matrix, its axes in this order.
fn dense<T: Element>(a: &Blocks<T>, rows: &[usize], columns: &[usize]) -> Tensor<T> {
    let letter = |axis: &usize| (b'a' + *axis as u8) as char;
    let all: String = (0..rows.len() + columns.len()).map(|axis| letter(&axis)).collect();
    let ordered: String = rows.iter().chain(columns).map(letter).collect();
    let permuted = crate::exec::einsum(&format!("{all}->{ordered}"), &[&a.to_dense().unwrap()]).unwrap();
    let extent = |axes: &[usize]| axes.iter().map(|&axis| a.structure().tilings()[axis].extent()).product::<usize>();
    Tensor::from_slice([extent(rows), extent(columns)], permuted.as_slice()).unwrap()
}

fn distance<T: Element>(a: &Tensor<T>, b: &Tensor<T>) -> f64 {
    assert_eq!(a.extents(), b.extents());
    a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| (x.to_complex() - y.to_complex()).norm()).fold(0.0, f64::max)
}

/// The product of two factors that share their new axis, which has the charge of the tensor that they are factors of.
fn product<T: Element>(left: &Blocks<T>, right: &Blocks<T>, of: &Blocks<T>) -> Tensor<T> {
    let (rows, columns) = (left.structure().rank() - 1, right.structure().rank() - 1);
    let names: String = (0..rows + columns).map(|axis| (b'a' + axis as u8) as char).collect();
    let both = einsum_blocks(&format!("{}z,z{}->{names}", &names[..rows], &names[rows..]), &[left, right]).unwrap();
    let [own, other] = [&both, of].map(|tensor| tensor.structure().charge_flow().map(|flow| flow.total().to_vec()));
    assert_eq!(own, other);
    dense(&both, &(0..rows).collect::<Vec<_>>(), &(rows..rows + columns).collect::<Vec<_>>())
}

/// Whether the columns of a matrix are orthonormal.
fn has_orthonormal_columns<T: Element>(a: &Tensor<T>) -> bool {
    let [rows, columns] = a.extents() else { panic!("a matrix has two axes") };
    let element = |row: usize, column: usize| a.as_slice()[row * columns + column].to_complex();
    (0..*columns).all(|n| {
        (0..=n).all(|m| {
            let inner: Complex<f64> = (0..*rows).map(|row| element(row, n).conj() * element(row, m)).sum();
            (inner - f64::from(u8::from(m == n))).norm() < CLOSE
        })
    })
}

/// The left factor's columns are orthonormal; the right one's rows, for its adjoint.
fn left_is_orthonormal<T: Element>(left: &Blocks<T>) -> bool {
    let rank = left.structure().rank();
    has_orthonormal_columns(&dense(left, &(0..rank - 1).collect::<Vec<_>>(), &[rank - 1]))
}

fn right_is_orthonormal<T: Element>(right: &Blocks<T>) -> bool {
    has_orthonormal_columns(&dense(right, &(1..right.structure().rank()).collect::<Vec<_>>(), &[0]))
}

fn factors_are_right<T: Element>(rng: &mut StdRng, a: &Blocks<T>) {
    let (rows, columns) = chosen(rng, a.structure().rank());
    let matrix = dense(a, &rows, &columns);
    let (u, s, v) = a.svd(&rows).unwrap();
    assert!(distance(&product(&u, &v.scaled_along(0, &s).unwrap(), a), &matrix) < CLOSE);
    let last = u.structure().rank() - 1;
    assert!(distance(&product(&u.scaled_along(last, &s).unwrap(), &v, a), &matrix) < CLOSE);
    assert!(left_is_orthonormal(&u) && right_is_orthonormal(&v));
    let mut values: Vec<f64> = s.to_dense().unwrap().as_slice().iter().map(|s| s.to_complex().re).collect();
    values.sort_by(|a, b| b.total_cmp(a));
    if !matrix.as_slice().is_empty() {
        let (_, expected, _) = linalg::svd_full(&matrix).eval().unwrap();
        for (n, value) in expected.as_slice().iter().enumerate() {
            assert!((value.to_complex().re - values.get(n).unwrap_or(&0.0)).abs() < CLOSE);
        }
    }
    let truncation = match rng.random_range(0..3) {
        0 => Truncation::none().max(rng.random_range(0..6)),
        1 => Truncation::none().tol(rng.random_range(0.0..0.5)),
        _ => Truncation::none().max(rng.random_range(0..6)).tol(rng.random_range(0.0..0.5)),
    };
    let (u, s, v, discarded) = a.svd_cut(&rows, &truncation).unwrap();
    let extent = s.structure().tilings()[0].extent();
    assert!(truncation.max.is_none_or(|max| extent <= max) && left_is_orthonormal(&u) && right_is_orthonormal(&v));
    if truncation.max.is_none_or(|max| extent < max) {
        assert!(discarded <= truncation.tol.unwrap_or(0.0) + 1e-15 || extent == values.len());
    }
    let squares = |numbers: &mut dyn Iterator<Item = Complex<f64>>| numbers.map(|x| x.norm_sqr()).sum::<f64>();
    let all = squares(&mut matrix.as_slice().iter().map(|x| x.to_complex()));
    let kept = product(&u, &v.scaled_along(0, &s).unwrap(), a);
    let differences = kept.as_slice().iter().zip(matrix.as_slice()).map(|(x, y)| x.to_complex() - y.to_complex());
    assert!((squares(&mut differences.into_iter()) - discarded * all).abs() < CLOSE * all.max(1.0));
    let (q, r) = a.qr(&rows).unwrap();
    assert!(distance(&product(&q, &r, a), &matrix) < CLOSE && left_is_orthonormal(&q));
    let (l, q) = a.lq(&rows).unwrap();
    assert!(distance(&product(&l, &q, a), &matrix) < CLOSE && right_is_orthonormal(&q));
}

#[test]
fn factors_of_drawn_tensors() {
    let mut rng = StdRng::seed_from_u64(2311);
    for round in 0..400 {
        let structure = drawn(&mut rng);
        if round % 2 == 0 {
            let a = filled::<f64>(&mut rng, &structure);
            factors_are_right(&mut rng, &a);
        } else {
            let a = filled::<Complex<f64>>(&mut rng, &structure);
            factors_are_right(&mut rng, &a);
        }
    }
}

#[test]
fn factors_of_symmetric_tensors() {
    let mut rng = StdRng::seed_from_u64(2312);
    for _ in 0..60 {
        let (group, sign) = (group(&mut rng), if rng.random_bool(0.5) { Sign::Plus } else { Sign::Minus });
        let (one, other) = (tiling(&mut rng, group.as_ref()), tiling(&mut rng, group.as_ref()));
        let plain = Structure::new([&one, &one, &other]);
        let plain = match &group {
            Some(group) => plain.flow([1, 1, -1], group.neutral()).unwrap(),
            None => plain,
        };
        let structure = plain.with(Symmetry::none(3).exchange(&[0], &[1], sign).unwrap()).unwrap();
        let a = filled::<Complex<f64>>(&mut rng, &structure);
        factors_are_right(&mut rng, &a);
    }
}

/// A drawn Hermitian matrix of two pairs of axes, with charges or without, of which some blocks are there.
fn hermitian<T: Element>(rng: &mut StdRng) -> Blocks<T> {
    let group = group(rng);
    let (one, other) = (tiling(rng, group.as_ref()), tiling(rng, group.as_ref()));
    let plain = Structure::new([&one, &other, &one, &other]);
    let plain = match &group {
        Some(group) => plain.flow([1, -1, -1, 1], group.neutral()).unwrap(),
        None => plain,
    };
    let plain = thinned(rng, plain);
    let exchanged = Symmetry::none(4).generator(&[2, 3, 0, 1], Sign::Plus, true).unwrap();
    filled(rng, &plain.with(exchanged).unwrap())
}

fn eigenvectors_are_right<T: Element>(rng: &mut StdRng) {
    let a = hermitian::<T>(rng);
    let (w, x) = a.eigh([0, 1]).unwrap();
    assert!(left_is_orthonormal(&x));
    let (x, w) = (dense(&x, &[0, 1], &[2]), w.to_dense().unwrap());
    let size = w.as_slice().len();
    let expected = dense(&a, &[0, 1], &[2, 3]);
    assert_eq!(expected.extents(), [size, size]);
    let element = |m: usize, n: usize| {
        let term = |k: usize| {
            let [left, right] = [m, n].map(|row| x.as_slice()[row * size + k].to_complex());
            left * w.as_slice()[k].to_complex() * right.conj()
        };
        (0..size).map(term).sum::<Complex<f64>>()
    };
    let again = Tensor::from_fn([size, size], |i| T::from_complex(element(i[0], i[1]))).unwrap();
    assert!(distance(&again, &expected) < CLOSE);
}

#[test]
fn eigenvectors_of_drawn_matrices() {
    let mut rng = StdRng::seed_from_u64(2313);
    for round in 0..120 {
        if round % 2 == 0 { eigenvectors_are_right::<f64>(&mut rng) } else { eigenvectors_are_right::<Complex<f64>>(&mut rng) }
    }
}

/// With an operator that changes the charge of Z_2, eigenvectors are of both charges.
#[test]
fn an_operator_that_changes_the_charge_has_eigenvectors_without_one() {
    let tiling = Tiling::cuts([1, 1]).charged(Charges::modulo([2], [[0], [1]]).unwrap()).unwrap();
    let x = Blocks::<f64>::from_fn(&Structure::new([&tiling, &tiling]).flow([1, -1], [1]).unwrap(), |_| 1.0).unwrap();
    let (values, vectors) = x.eigh([0]).unwrap();
    assert!((values.get(&[0]).unwrap() + 1.0).abs() < CLOSE && (values.get(&[1]).unwrap() - 1.0).abs() < CLOSE);
    assert!(vectors.structure().charge_flow().is_none() && vectors.structure().tilings()[1].charges().is_none());
}

#[test]
fn vectors_between_factors_keep_the_charge() {
    let tiling = Tiling::cuts([2, 3]).charged([0, 1]).unwrap();
    let a = filled::<f64>(&mut StdRng::seed_from_u64(1), &Structure::new([&tiling, &tiling]).flow([1, -1], [0]).unwrap());
    let (u, s, v) = a.svd([0]).unwrap();
    let again = einsum_blocks("ik,k,kj->ij", &[&u, &s, &v]).unwrap();
    assert_eq!(again.structure().charge_flow(), a.structure().charge_flow());
    assert!(distance(&again.to_dense().unwrap(), &a.to_dense().unwrap()) < CLOSE);
}

#[test]
fn sectors_are_steps_that_are_reported_and_cancelled() {
    let tiling = Tiling::cuts([2, 3, 2]).charged([0, 1, 2]).unwrap();
    let structure = Structure::new([&tiling, &tiling]).flow([1, -1], 0).unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| if i[0] == i[1] { 3.0 } else { 0.5 }).unwrap();
    // Each sector is a step on one thread. On several threads, those beside a large one are one together, and so are pieces of matrices of
    // one size.
    for (threads, steps, operation) in
        [(1, 3, "svd"), (1, 3, "eigh"), (2, 2, "svd"), (2, 2, "eigh"), (2, 2, "inv"), (2, 2, "solve")]
    {
        let cpu = || Context::cpu().threads(threads);
        let run = |context: &Context| match operation {
            "svd" => context.svd_blocks(&a, [0]).map(drop),
            "eigh" => context.eigh_blocks(&a, [0]).map(drop),
            "inv" => context.inv_blocks(&a, [0]).map(drop),
            _ => context.solve_blocks(&a, [0], &a).map(drop),
        };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let listener = Arc::clone(&seen);
        run(&cpu().progress(move |progress| {
            listener.lock().unwrap().push((progress.step, progress.steps));
            ControlFlow::Continue(())
        }))
        .unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.iter().all(|(_, of)| *of == steps) && seen.last() == Some(&(steps, steps)), "{operation}: {seen:?}");
        let stop = cpu().progress(|progress| match progress.step {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        let error = run(&stop).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Cancelled { step: 1, .. }), "{operation}: {error}");
    }
    // Of many small ones some are a step together.
    let each = Tiling::each(70).charged((0..70).collect::<Vec<i64>>()).unwrap();
    let a = Blocks::<f64>::filled(&Structure::new([&each, &each]).flow([1, -1], 0).unwrap(), 2.0).unwrap();
    let steps = Arc::new(Mutex::new(Vec::new()));
    let listener = Arc::clone(&steps);
    let context = Context::cpu().threads(2).progress(move |progress| {
        listener.lock().unwrap().push(progress.steps);
        ControlFlow::Continue(())
    });
    context.svd_blocks(&a, [0]).unwrap();
    assert!(steps.lock().unwrap().iter().all(|steps| *steps == 2));
}

/// Of several sectors that cannot be factorised the first one is told, on any number of threads.
#[test]
fn the_first_sector_that_fails_is_told() {
    let tiling = Tiling::cuts([40, 40, 40, 40]).charged([0, 1, 2, 3]).unwrap();
    let structure = Structure::new([&tiling, &tiling]).flow([1, -1], 0).unwrap();
    let number = |i: &[usize]| if i[0] == i[1] && i[0] > 40 { f64::NAN } else { 1.0 };
    let a = Blocks::<f64>::from_fn(&structure, number).unwrap();
    for threads in [1, 2, 4] {
        let told = Context::cpu().threads(threads).svd_blocks(&a, [0]).unwrap_err().to_string();
        assert!(told.contains("the sector of charge [1] "), "{threads} threads: {told}");
    }
}

#[test]
fn what_is_no_matrix_is_refused() {
    let (cut, other) = (Tiling::cuts([1, 2]), Tiling::cuts([2, 1]));
    let plain = Structure::new([&cut, &other]);
    let a = Blocks::<f64>::from_fn(&plain, |i| if i[0] == 1 { f64::NAN } else { 1.0 }).unwrap();
    assert_eq!(
        a.svd([2]).unwrap_err().to_string(),
        "axis 2 cannot be among the rows: the tensor has 2 axes, the first of which is axis 0"
    );
    assert_eq!(a.qr([0, 0]).unwrap_err().to_string(), "axis 0 is named twice among the rows");
    assert_eq!(
        a.eigh([0]).unwrap_err().to_string(),
        "`eigh` needs rows and columns that are cut alike, but rows are cut [1, 2] and columns [2, 1]"
    );
    assert!(a.eigh([]).is_err() && a.eigh([0, 1]).is_err());
    let error = a.svd([0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LinearAlgebra { .. }) && error.to_string().contains("NaN"), "{error}");
    for tol in [-1.0, f64::NAN] {
        let sentence = a.svd_cut([0], &Truncation::none().tol(tol));
        assert!(sentence.is_err());
    }
    // Nothing at all.
    let nothing = Blocks::<f64>::zeros(&plain.with_blocks([[0; 2]; 0]).unwrap()).unwrap();
    let (u, s, v, discarded) = nothing.svd_cut([1], &Truncation::none().max(3).tol(0.1)).unwrap();
    assert_eq!((u.structure().shape().extents(), v.structure().shape().extents()), (&[3, 0][..], &[0, 3][..]));
    assert_eq!((s.blocks().len(), discarded), (0, 0.0));
    let scalar = Blocks::<f64>::from_fn(&Structure::new([]), |_| -2.0).unwrap();
    let (u, s, v) = scalar.svd([]).unwrap();
    assert_eq!((u.get(&[0]).unwrap() * v.get(&[0]).unwrap(), s.get(&[0]).unwrap()), (-1.0, 2.0));
}
