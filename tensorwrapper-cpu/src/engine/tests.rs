//! The engine in every form that this machine has, against the reference, where blocks and tiles begin and end.

use num_complex::Complex;
use rand::SeedableRng;
use rand::rngs::StdRng;

use super::Simd;
use crate::Cpu;
use crate::strategy::Route;
use crate::tests::sized_contract;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Device, LoopNest};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::contract_once;
use tensorwrapper_testing::{Placed, assert_close};

const DTYPES: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];

fn forms() -> impl Iterator<Item = Simd> {
    Simd::ALL.into_iter().filter(|simd| simd.is_available())
}

/// Extents by label, such as `i70 k900 j50`.
fn contract(equation: &str, extents: &str, threads: usize, dtypes: &[Dtype]) {
    let mut rng = StdRng::seed_from_u64(17);
    let size = |label: char| {
        let extent = extents.split(' ').find_map(|word| word.strip_prefix(label));
        extent.unwrap_or_else(|| panic!("`{label}` has no extent")).parse().unwrap()
    };
    for simd in forms() {
        let cpu = Cpu::forced(threads, Route::Engine(simd));
        for &dtype in dtypes {
            dispatch!(dtype, T => sized_contract::<T>(&mut rng, equation, &size, &cpu));
        }
    }
}

#[test]
fn more_rows_columns_and_terms_than_a_block_has() {
    contract("ik,kj->ij", "i70 k900 j50", 1, &DTYPES);
    contract("ki,jk->ij", "i1100 k20 j33", 2, &DTYPES);
    contract("ik,kj->ij", "i9 k390 j2100", 1, &[Dtype::F64]);
}

#[test]
fn one_block_of_rows_serves_all_blocks_of_columns() {
    // The result's neighbours are the few rows; columns lie along terms, across them, in two axes that do not fuse, and as the result does.
    for equation in ["ik,kj->ji", "ki,jk->ji", "ik,kj->ij"] {
        contract(equation, "i70 k40 j4100", 1, &DTYPES);
    }
    for equation in ["abxy,cdyx->cdab", "xaby,yxcd->dcab", "axyb,dxyc->cdba", "abxy,dcxy->cdab"] {
        contract(equation, "a5 b13 c7 d900 x4 y10", 2, &[Dtype::F64, Dtype::C32]);
    }
}

#[test]
fn groups_that_run_on_are_mostly_whole() {
    use super::space::{OWN, RESULT, Role, Space};
    use tensorwrapper_core::backend::fuse::Axis;
    // Runs of 210 in the result.
    let axis = |extent: usize, own: isize, result: isize| Axis { extent, strides: [own, 0, result] };
    let axes = [axis(4, 210, 300), axis(42, 5, 5), axis(5, 1, 1)];
    let spaces = Space::candidates(&axes, 0, 8, Role::Rows { panel: 3 }, true);
    let running = spaces.iter().find(|space| space.groups() == 105).expect("groups run on from one axis into the next");
    let broken = [1, 3].map(|groups| running.broken(RESULT, groups));
    // Three of four runs end inside of a group, of which 26.25 belong to a run.
    assert!((broken[0] - 0.75 / 26.25).abs() < 1e-12 && (broken[1] - 3.0 * broken[0]).abs() < 1e-12, "{broken:?}");
    assert!((running.vectors(RESULT) - (1.0 - broken[0]) / 8.0).abs() < 1e-12);
    assert!(!running.is_unit(RESULT) && running.runs(RESULT) > 1.0 / 8.0);
    let along = spaces.iter().find(|space| space.groups() == 168).expect("groups of five");
    assert_eq!((along.broken(RESULT, 3), along.broken(OWN, 1), along.vectors(OWN)), (0.0, 0.0, 0.2));
}

#[test]
fn few_columns_are_fetched_ahead_and_few_rows_too() {
    for equation in ["ik,kj->ij", "ki,kj->ij", "ik,jk->ji", "ki,kj->ji"] {
        contract(equation, "i700 k600 j5", 1, &[Dtype::F64, Dtype::F32]);
        contract(equation, "i21 k40 j3000", 1, &[Dtype::F64, Dtype::C64]);
    }
}

#[test]
fn every_order_of_axes() {
    // Unit axes of both operands in the sum; neither; one each; lanes across; groups that run on.
    for equation in
        ["abxy,cyx->abc", "xaby,yxc->cab", "abxc,xyd->dycab", "ayb,xy->xab", "axb,bx->a", "adb,cd->cba", "dabfe,fc->edcba"]
    {
        for extents in ["a24 b16 c9 d8 e8 f5 x26 y17", "a5 b19 c30 d7 e9 f3 x3 y50"] {
            contract(equation, extents, 1, &[Dtype::F32, Dtype::F64, Dtype::C64]);
        }
    }
}

#[test]
fn threads_share_long_sums_in_a_fixed_order() {
    contract("ik,kj->ij", "i7 k40000 j5", 2, &[Dtype::F64]);
    contract("bik,bkj->bji", "b2 i3 k60000 j2", 3, &[Dtype::C32]);
    let mut rng = StdRng::seed_from_u64(3);
    let nest = LoopNest::new(vec![6, 7, 50_000], 2);
    let operand = |rng: &mut StdRng, strides: [isize; 3], rows: usize| {
        let data: Vec<f32> = (0..rows * 50_000).map(|_| tensorwrapper_testing::number(rng)).collect();
        let layout = Strided::within(nest.extents(), &strides, 0, data.len()).unwrap();
        Placed { data, layout, conjugate: false }
    };
    let factors = [operand(&mut rng, [50_000, 0, 1], 6), operand(&mut rng, [0, 1, 7], 7)];
    let run = || {
        let mut output = Placed::of(&[6, 7], vec![f32::NAN; 42]);
        let operands: Vec<_> = factors.iter().map(Placed::as_operand).collect();
        contract_once(&Cpu::forced(3, Route::Chosen), &nest, Complex::ONE, &operands, output.as_output()).unwrap();
        output.data
    };
    let first = run();
    (0..5).for_each(|_| assert_eq!(run(), first));
}

/// Rows of one special value each: what becomes of it depends on no neighbour.
fn special<T: Element>(values: &[f64]) {
    let (rows, columns, terms) = (values.len() * 5, 11, 400);
    let nest = LoopNest::new(vec![rows, columns, terms], 2);
    let element = |n: usize| T::from_complex(Complex::new((n % 7) as f64 - 3.0, 0.0));
    let mut left: Vec<T> = (0..rows * terms).map(element).collect();
    for (n, &value) in values.iter().enumerate() {
        left[n * 5 * terms + 13 * n] = T::from_complex(value.into());
    }
    let tiny = values.iter().all(|value| value.is_subnormal());
    if tiny {
        left.iter_mut().filter(|x| x.to_complex().norm() >= 1.0).for_each(|x| *x = T::ZERO);
    }
    let right: Vec<T> = (0..terms * columns).map(element).collect();
    let [left, right] = [(left, [terms as isize, 0, 1]), (right, [0, 1, columns as isize])].map(|(data, strides)| {
        let layout = Strided::within(nest.extents(), &strides, 0, data.len()).unwrap();
        Placed { data, layout, conjugate: false }
    });
    let operands = [left.as_operand(), right.as_operand()];
    let mut expected = Placed::of(&[rows, columns], vec![T::ZERO; rows * columns]);
    contract_once(&Reference, &nest, Complex::ONE, &operands, expected.as_output()).unwrap();
    for simd in forms() {
        let mut found = Placed::of(&[rows, columns], vec![T::from_complex(f64::NAN.into()); rows * columns]);
        contract_once(&Cpu::forced(1, Route::Engine(simd)), &nest, Complex::ONE, &operands, found.as_output()).unwrap();
        assert_close(&found.data, &expected.data, 1e-5, &format!("{simd:?} {values:?}"));
        if tiny {
            assert_eq!(found.data, expected.data, "{simd:?}: small integers times the smallest number are exact");
            assert!(found.data.iter().any(|x| *x != T::ZERO), "nothing is flushed to zero");
        }
    }
}

#[test]
fn nan_and_infinity_go_where_they_must_and_denormals_stay() {
    special::<f64>(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]);
    special::<f32>(&[f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]);
    special::<f64>(&[5e-324, -5e-324, 3e-310]);
}

#[test]
fn elements_are_finished_in_the_same_pass_where_others_lie_as_the_result() {
    use tensorwrapper_core::backend::{Binary, Contraction, Instruction, Program};
    let [m, n, k] = [40, 50, 60];
    let nest = LoopNest::new(vec![m, n, k], 2);
    let layout = |strides: [isize; 3]| Strided::within(&[m, n, k], &strides, 0, usize::MAX).unwrap();
    let (left, right) = (layout([60, 0, 1]), layout([0, 1, 50]));
    let (alike, transposed) = (layout([50, 1, 0]), layout([1, 40, 0]));
    let output = Strided::row_major(&[m, n]).unwrap();
    let program = Program::new(vec![Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Add, 0, 1)]);
    let prepared = |other: &Strided| {
        let contraction = Contraction {
            nest: &nest,
            alpha: Complex::ONE,
            dtype: Dtype::F64,
            factors: &[(&left, false), (&right, false)],
            output: &output,
            then: Some(&program),
            others: &[(other, false)],
        };
        format!("{:?}", Cpu::new(Some(1)).prepare(&contraction).unwrap())
    };
    assert!(prepared(&alike).contains("WithEpilogue"), "{}", prepared(&alike));
    assert!(!prepared(&transposed).contains("WithEpilogue"), "{}", prepared(&transposed));
}
