//! Products of matrices that are found in contractions: computed on the host from the arguments that a library would get, and
//! compared with the reference.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use super::strided::strided_gemm;
use super::{gemm_launches, permuted_launches};
use crate::simulator::multiply;
use crate::text::{Gemm, Memory, Route, Transpose};
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Contraction, LoopNest};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::contract_once;
use tensorwrapper_testing::{Placed, assert_close, epsilon, number};

const DTYPES: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];

/// The product of matrices that is found in a contraction, if any.
fn found<T: Element>(nest: &LoopNest, alpha: Complex<f64>, factors: &[Placed<T>; 2], output: &Placed<T>) -> Option<Gemm> {
    let layouts = factors.each_ref().map(|factor| (&factor.layout, factor.conjugate));
    strided_gemm(&Contraction {
        nest,
        alpha,
        dtype: T::DTYPE,
        factors: &layouts,
        output: &output.layout,
        then: None,
        others: &[],
    })
}

/// Computes a product as a library would.
fn computed<T: Element>(gemm: &Gemm, factors: &[Placed<T>; 2], output: &mut Placed<T>) -> Result<(), Error> {
    let inside = |memory: u64, start: usize| memory + start as u64;
    let factor = |n: usize| {
        let argument = gemm.factors[n].1.argument;
        let Memory::Input(input) = argument.memory else { panic!("{gemm:?} reads what no factor is") };
        inside(factors[input].data.as_ptr() as u64, argument.start)
    };
    let target = inside(output.data.as_mut_ptr() as u64, gemm.output.argument.start);
    // SAFETY: the memory is as large as the layouts reach; the test checks that the arguments stay inside.
    unsafe { multiply(gemm, [factor(0), factor(1)], target) }
}

/// Compares the whole output memory with the reference; returns whether a product of matrices was found.
fn agrees<T: Element>(nest: &LoopNest, alpha: Complex<f64>, factors: &[Placed<T>; 2], output: Placed<T>) -> bool {
    let Some(gemm) = found(nest, alpha, factors, &output) else { return false };
    let what = format!("{nest:?}, {:?} to {:?}: {gemm:?}", factors.each_ref().map(|factor| &factor.layout), output.layout);
    let (mut by_library, mut expected) = (output.clone(), output);
    computed(&gemm, factors, &mut by_library).unwrap_or_else(|error| panic!("{error}: {what}"));
    let operands = factors.each_ref().map(Placed::as_operand);
    contract_once(&Reference, nest, alpha, &operands, expected.as_output()).unwrap();
    let terms: usize = nest.reduced_extents().iter().product();
    assert_close(&by_library.data, &expected.data, epsilon::<T>() * 16.0 * (terms + 1) as f64, &what);
    true
}

/// A tensor with these axes of a space, in this order in memory, the last fastest.
fn with_axes<T: Element>(rng: &mut StdRng, extents: &[usize], axes: &[usize], rank: usize) -> Placed<T> {
    let mut strides = vec![0; rank];
    let gap = *[0, 0, 0, 3].choose(rng).unwrap();
    let mut len = 1;
    for (n, &axis) in axes.iter().rev().enumerate() {
        strides[axis] = len as isize;
        // Gaps, as in a part of a larger tensor.
        len = len * extents[axis] + if n == 0 { gap } else { 0 };
    }
    let offset = rng.random_range(0..4);
    let layout = Strided::within(&extents[..rank], &strides, offset, offset + len).unwrap();
    let data = (0..offset + len).map(|_| number(rng)).collect();
    Placed { data, layout, conjugate: rng.random_bool(0.4) }
}

/// Two tensors and their product with given numbers of axes of each kind, in random orders in memory.
fn product<T: Element>(rng: &mut StdRng) -> bool {
    let [batch, rows, lines, terms] = [(); 4].map(|()| *[0, 1, 1, 1, 2].choose(rng).unwrap());
    let kept = batch + rows + lines;
    let extents: Vec<usize> = (0..kept + terms).map(|_| rng.random_range(1..6)).collect();
    let in_order = rng.random_bool(0.5);
    let axes = |kinds: [std::ops::Range<usize>; 3], rng: &mut StdRng| -> Vec<usize> {
        let mut axes: Vec<usize> = kinds.into_iter().flatten().collect();
        if !in_order {
            axes.shuffle(rng);
        }
        axes
    };
    let (of_batch, of_rows, of_lines) = (0..batch, batch..batch + rows, batch + rows..kept);
    let of_terms = kept..kept + terms;
    let left = axes([of_batch.clone(), of_rows.clone(), of_terms.clone()], rng);
    let right = axes([of_batch.clone(), of_terms, of_lines.clone()], rng);
    let output = axes([of_batch, of_rows, of_lines], rng);
    let factors = [with_axes::<T>(rng, &extents, &left, kept + terms), with_axes(rng, &extents, &right, kept + terms)];
    let mut output = with_axes::<T>(rng, &extents, &output, kept);
    output.data.fill(T::from_complex(f64::NAN.into()));
    let alpha = *[Complex::ONE, Complex::new(-0.5, 0.0), Complex::new(0.3, 0.7)].choose(rng).unwrap();
    agrees(&LoopNest::new(extents, kept), alpha, &factors, output)
}

#[test]
fn products_of_tensors_in_every_order() {
    let mut rng = StdRng::seed_from_u64(1);
    let seen = (0..8000).filter(|round| dispatch!(DTYPES[round % 4], T => product::<T>(&mut rng))).count();
    assert!(seen > 2500, "{seen} products of matrices");
}

/// Sliced, reversed and repeated axes, diagonals and broadcasts: every product that is found is right.
#[test]
fn any_contraction() {
    let mut rng = StdRng::seed_from_u64(2);
    let mut seen = 0;
    for round in 0..20_000 {
        let rank = rng.random_range(0..5);
        let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(usize::from(round % 11 != 0)..5)).collect();
        let nest = LoopNest::new(extents, rng.random_range(0..=rank));
        seen += dispatch!(DTYPES[round % 4], T => {
            let factors = [(); 2].map(|()| Placed::<T>::operand(&mut rng, nest.extents(), 0.35));
            let output = Placed::<T>::output(&mut rng, &nest.extents()[..nest.kept()]);
            usize::from(agrees(&nest, Complex::new(0.7, 0.1), &factors, output))
        });
    }
    assert!(seen > 1000, "{seen} products of matrices");
}

/// The arguments of an equation over tensors in C order: labels of the space, kept ones first.
fn arguments(space: &[(char, usize)], kept: usize, factors: [(&str, bool); 2]) -> Option<Gemm> {
    let extents: Vec<usize> = space.iter().map(|&(_, extent)| extent).collect();
    let mut rng = StdRng::seed_from_u64(3);
    let mut tensor = |labels: &str, rank: usize, conjugate: bool| {
        let axis = |label: char| space.iter().position(|&(known, _)| known == label).unwrap();
        let axes: Vec<usize> = labels.chars().map(axis).collect();
        let mut strides = vec![0; rank];
        let len = axes.iter().rev().fold(1, |len, &axis| {
            strides[axis] = len as isize;
            len * extents[axis]
        });
        let data: Vec<Complex<f64>> = (0..len).map(|_| number(&mut rng)).collect();
        Placed { data, layout: Strided::within(&extents[..rank], &strides, 0, len).unwrap(), conjugate }
    };
    let output: String = space[..kept].iter().map(|&(label, _)| label).collect();
    let operands = factors.map(|(labels, conjugate)| tensor(labels, extents.len(), conjugate));
    let output = tensor(&output, kept, false);
    let nest = LoopNest::new(extents, kept);
    assert_eq!(agrees(&nest, Complex::ONE, &operands, output.clone()), found(&nest, Complex::ONE, &operands, &output).is_some());
    found(&nest, Complex::ONE, &operands, &output)
}

#[test]
fn arguments_of_known_equations() {
    let matrix = [('i', 5), ('j', 6), ('k', 7)];
    // Matrices in C order are stored by columns as their transposes: the factors are exchanged, and none is transposed.
    let plain = arguments(&matrix, 2, [("ik", false), ("kj", false)]).unwrap();
    assert_eq!(plain.factors.map(|(transpose, stored)| (transpose, stored.ld)), [(Transpose::Plain, 6), (Transpose::Plain, 7)]);
    assert_eq!((plain.factors[0].1.argument.memory, plain.output.ld), (Memory::Input(1), 6));
    assert_eq!((plain.sizes, plain.batch), ([6, 5, 7], 1));
    let transposed = arguments(&matrix, 2, [("ki", false), ("jk", false)]).unwrap();
    assert_eq!(
        transposed.factors.map(|(transpose, stored)| (transpose, stored.ld)),
        [(Transpose::Transposed, 7), (Transpose::Transposed, 5)]
    );
    // Conjugation is possible only together with transposition.
    let adjoint = arguments(&matrix, 2, [("ki", true), ("kj", false)]).unwrap();
    assert_eq!(adjoint.factors.map(|(transpose, _)| transpose), [Transpose::Plain, Transpose::Adjoint]);
    assert_eq!(arguments(&matrix, 2, [("ik", true), ("kj", false)]), None);
    // A batch with one factor that is the same for all items.
    let batch = [('b', 3), ('i', 5), ('j', 6), ('k', 7)];
    let same = arguments(&batch, 3, [("bik", false), ("jk", false)]).unwrap();
    assert_eq!((same.batch, same.sizes), (1, [6, 15, 7]), "rows and batch are one axis");
    let other = arguments(&batch, 3, [("bki", false), ("jk", false)]).unwrap();
    assert_eq!((other.batch, other.factors.map(|(_, stored)| stored.batch_stride), other.output.batch_stride), (3, [0, 35], 30));
    // Rows that do not fuse into one axis become a batch; terms that do not are no product.
    let apart = [('a', 3), ('b', 4), ('e', 5), ('d', 6), ('c', 7)];
    let apart = arguments(&apart, 4, [("abcd", false), ("ec", false)]).unwrap();
    assert_eq!((apart.batch, apart.sizes), (12, [6, 5, 7]));
    let crossed = [('i', 3), ('j', 4), ('k', 5), ('l', 6)];
    assert_eq!(arguments(&crossed, 2, [("ikl", false), ("lkj", false)]), None);
}

/// Large matrices are left to a library, small ones to generated kernels; TF32 is used only if asked for.
#[test]
fn what_is_worth_a_call_of_a_library() {
    let product = |n: usize, route: Route, tf32: bool| {
        let nest = LoopNest::new(vec![n, n, n], 2);
        let layout = |strides: &[isize]| Strided::within(&[n, n, n][..strides.len()], strides, 0, n * n).unwrap();
        let side = n as isize;
        let (left, right, output) = (layout(&[side, 0, 1]), layout(&[0, 1, side]), layout(&[side, 1]));
        let contraction = Contraction {
            nest: &nest,
            alpha: Complex::ONE,
            dtype: Dtype::F32,
            factors: &[(&left, false), (&right, false)],
            output: &output,
            then: None,
            others: &[],
        };
        gemm_launches(&contraction, route, tf32).map(|launches| launches.product.unwrap())
    };
    assert_eq!(product(8, Route::Chosen, false), None);
    assert_eq!(product(32, Route::LargeTiles, false), None);
    assert_eq!(product(8, Route::Library, false).unwrap().sizes, [8; 3]);
    assert!(!product(32, Route::Chosen, false).unwrap().tf32);
    assert!(product(32, Route::Chosen, true).unwrap().tf32);
}

/// Of the products behind copies, one has the fewest elements to copy, and the other no batch but that of the equation.
#[test]
fn copies_leave_a_batch_or_one_product() {
    // `fdea,ecfb->dcba` with the axes d, c, b, a, e, f: a factor in another order, where each `d` is a product of its own.
    let extents = [4, 2, 7, 6, 5, 3];
    let layout = |strides: &[isize]| Strided::within(&extents[..strides.len()], strides, 0, 1000).unwrap();
    let (left, right) = (layout(&[30, 0, 0, 1, 6, 120]), layout(&[0, 21, 1, 0, 42, 7]));
    let output = Strided::row_major(&extents[..4]).unwrap();
    let nest = LoopNest::new(extents.to_vec(), 4);
    let factors = [(&left, false), (&right, false)];
    let (dtype, alpha) = (Dtype::F64, Complex::ONE);
    let contraction = Contraction { nest: &nest, alpha, dtype, factors: &factors, output: &output, then: None, others: &[] };
    let found = permuted_launches(&contraction, Route::Library, false);
    let sizes = found.each_ref().map(|launches| {
        let launches = launches.as_ref().expect("there are both ways");
        let product = launches.product.expect("the library multiplies");
        (product.batch, product.sizes, launches.before.len(), launches.launches.len())
    });
    assert_eq!(sizes, [(4, [6, 14, 15], 2, 0), (1, [14, 24, 15], 2, 1)]);
    // Matrices where they lie need no copies, and no batch is left.
    let (left, right) = (layout(&[1, 0, 0, 0, 4, 20]), layout(&[0, 21, 3, 0, 42, 1]));
    let output = layout(&[14, 7, 1, 0]);
    let factors = [(&left, false), (&right, false)];
    let contraction = Contraction { factors: &factors, output: &output, ..contraction };
    assert!(permuted_launches(&contraction, Route::Library, false)[1].is_none());
}
