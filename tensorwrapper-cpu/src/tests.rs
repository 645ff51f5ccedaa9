//! The fast device against the reference, over random nests, layouts, programs and element types.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::backend::Unary;

use super::{Cpu, strategy::Route};
use crate::simd::Simd;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Arguments, Binary, Comparison, Device, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::error::ErrorKind;
use tensorwrapper_core::internal::map_function::callback2;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, assert_close, contract_once, epsilon, number};

const DTYPES: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];

fn nest(rng: &mut StdRng, largest: usize, smallest: usize, max_rank: usize) -> LoopNest {
    let rank = rng.random_range(0..=max_rank);
    let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(smallest..=largest)).collect();
    LoopNest::new(extents, rng.random_range(0..=rank))
}

/// All ways of products, the engine's in every form that this machine has.
fn routes() -> Vec<Route> {
    let forms = [Route::Engine, Route::ResultBlocks, Route::InOrder, Route::Lanes];
    let forms = forms.into_iter().flat_map(|form| Simd::ALL.into_iter().filter(|simd| simd.is_available()).map(form));
    [Route::Chosen, Route::Axpy, Route::Tiles, Route::Staged, Route::Blocked, Route::Packed].into_iter().chain(forms).collect()
}

/// Contracts on both devices and compares the whole memory of the output.
pub(super) fn on_both<T: Element>(cpu: &Cpu, nest: &LoopNest, alpha: Complex<f64>, factors: &[Placed<T>], output: &Placed<T>) {
    let operands: Vec<_> = factors.iter().map(Placed::as_operand).collect();
    let (mut found, mut expected) = (output.clone(), output.clone());
    contract_once(cpu, nest, alpha, &operands, found.as_output()).unwrap();
    contract_once(&Reference, nest, alpha, &operands, expected.as_output()).unwrap();
    let terms: usize = nest.reduced_extents().iter().product();
    let layouts: Vec<_> = factors.iter().map(|factor| (&factor.layout, factor.conjugate)).collect();
    let what = format!("{cpu:?}, {}, {nest:?}, alpha {alpha}, factors {layouts:?}, output {:?}", T::DTYPE, output.layout);
    assert_close(&found.data, &expected.data, epsilon::<T>() * 16.0 * (terms + 1) as f64, &what);
}

fn random_contract<T: Element>(rng: &mut StdRng, cpu: &Cpu, nest: &LoopNest, factors: usize) {
    let factors: Vec<Placed<T>> = (0..factors).map(|_| Placed::operand(rng, nest.extents(), 0.3)).collect();
    let output = Placed::output(rng, &nest.extents()[..nest.kept()]);
    let alpha = *[Complex::ONE, Complex::new(-0.5, 0.0), Complex::new(0.3, 0.7)].choose(rng).unwrap();
    on_both(cpu, nest, alpha, &factors, &output);
}

#[test]
fn small_contractions_on_every_route() {
    let mut rng = StdRng::seed_from_u64(1);
    let routes = routes();
    for round in 0..5000 {
        let cpu = Cpu::forced(1 + round % 3, routes[round % routes.len()]);
        let nest = nest(&mut rng, 5, usize::from(round % 7 != 0), 6);
        dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => random_contract::<T>(&mut rng, &cpu, &nest, 2));
    }
}

#[test]
fn any_number_of_factors() {
    let mut rng = StdRng::seed_from_u64(2);
    for round in 0..600 {
        let nest = nest(&mut rng, 4, 0, 4);
        let factors = [0, 1, 3, 4][round % 4];
        dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => random_contract::<T>(&mut rng, &Cpu::new(Some(2)), &nest, factors));
    }
}

#[test]
fn larger_contractions() {
    let mut rng = StdRng::seed_from_u64(3);
    let routes = routes();
    for round in 0..80 {
        let route = routes[round % routes.len()];
        let nest = nest(&mut rng, 21, 9, 4);
        dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => random_contract::<T>(&mut rng, &Cpu::forced(2, route), &nest, 2));
    }
}

/// Row-major operands of a product as an equation writes it, one letter an axis, upper-case letters being of extent 3.
fn named_contract<T: Element>(rng: &mut StdRng, equation: &str, extent: usize, cpu: &Cpu) {
    sized_contract::<T>(rng, equation, &|label| if label.is_uppercase() { 3 } else { extent }, cpu);
}

/// The same, of any extents.
pub(super) fn sized_contract<T: Element>(rng: &mut StdRng, equation: &str, size: &dyn Fn(char) -> usize, cpu: &Cpu) {
    let (inputs, out) = equation.split_once("->").unwrap();
    let mut unique: Vec<char> = out.chars().collect();
    let summed = |label: &char| *label != ',' && !out.contains(*label);
    inputs.chars().filter(summed).for_each(|label| unique.extend((!unique.contains(&label)).then_some(label)));
    let extents: Vec<usize> = unique.iter().map(|&label| size(label)).collect();
    let factors: Vec<Placed<T>> = inputs
        .split(',')
        .map(|labels| {
            let mut strides = vec![0; unique.len()];
            let mut len = 1;
            for label in labels.chars().rev() {
                strides[unique.iter().position(|&u| u == label).unwrap()] += len as isize;
                len *= size(label);
            }
            let data = (0..len).map(|_| number(rng)).collect();
            let layout = Strided::within(&extents, &strides, 0, len).unwrap();
            Placed { data, layout, conjugate: rng.random_bool(0.5) }
        })
        .collect();
    let kept = &extents[..out.len()];
    let output = Placed::of(kept, vec![T::from_complex(f64::NAN.into()); kept.iter().product()]);
    on_both(cpu, &LoopNest::new(extents.clone(), out.len()), Complex::new(2.0, -1.0), &factors, &output);
}

#[test]
fn classes_of_products() {
    let mut rng = StdRng::seed_from_u64(4);
    let equations = [
        "ik,kj->ij",
        "ki,kj->ij",
        "ik,jk->ij",
        "ki,jk->ij",
        "ik,kj->ji",
        "ik,k->i",
        "ki,k->i",
        "k,ki->i",
        "k,k->",
        "ik,ik->",
        "ik,ki->",
        "bik,bkj->bij",
        "ikb,kjb->ijb",
        "bk,bk->b",
        "kb,kb->b",
        "bik,bk->bi",
        "iKb,Kjb->ijb",
        "bIK,bKJ->bIJ",
        "IKb,KJb->IJb",
        "abcd,dbea->ec",
        "aKbL,KcLd->abcd",
        "Kab,cKd->dbca",
        "iik,kj->ij",
        "ikk,kj->ij",
        "iki,kji->ij",
        "ikx,kj->ij",
        "xik,kjy->ij",
        "ik,kj->",
        "ik,kj->i",
        "i,j->ij",
        "i,j->ji",
        "i,j->ijx",
        "i,j->ixj",
        "ik,k->ix",
        "ik,kj->ixj",
        "ij,ij->ij",
        "ij,ji->ij",
        "ij,->ij",
        ",->",
    ];
    for (n, equation) in equations.into_iter().enumerate() {
        for extent in [2, 7, 19] {
            for route in routes().into_iter().filter(|route| !matches!(route, Route::Tiles | Route::Staged | Route::Blocked)) {
                let cpu = Cpu::forced(1 + n % 2, route);
                dispatch!(DTYPES[(n + extent) % 4], T => named_contract::<T>(&mut rng, equation, extent, &cpu));
            }
        }
    }
}

#[test]
fn products_that_many_threads_share() {
    let mut rng = StdRng::seed_from_u64(5);
    for equation in ["k,k->", "ik,k->i", "ki,k->i", "kI,k->I", "Ik,k->I", "bIk,bk->bI", "ik,kj->ij"] {
        let extent = if equation.len() < 6 { 100_000 } else { 150 };
        named_contract::<f64>(&mut rng, equation, extent, &Cpu::new(Some(3)));
        named_contract::<Complex<f32>>(&mut rng, equation, extent, &Cpu::new(Some(2)));
    }
}

#[test]
fn sums_over_an_axis_of_neither_factor_repeat() {
    let mut rng = StdRng::seed_from_u64(6);
    let nest = LoopNest::new(vec![3, 4, 5], 1);
    let factor = |rng: &mut StdRng| {
        let layout = Strided::within(&[3, 4, 5], &[4, 1, 0], 0, 12).unwrap();
        Placed::<f64> { data: (0..12).map(|_| number(rng)).collect(), layout, conjugate: false }
    };
    let factors = [factor(&mut rng), factor(&mut rng)];
    on_both(&Cpu::new(Some(1)), &nest, Complex::ONE, &factors, &Placed::of(&[3], vec![0.0; 3]));
}

/// A random program; `tame` ones keep values of parts between -1 and 1 small, so that sums and products can be compared. The others have
/// no operations that each device rounds in its own way.
pub(crate) fn program(rng: &mut StdRng, inputs: usize, tame: bool) -> Program {
    let mut instructions: Vec<Instruction> = (0..inputs).map(Instruction::Input).collect();
    if rng.random_bool(0.2) || instructions.is_empty() {
        instructions.push(Instruction::Constant(Complex::new(0.7, -0.2)));
    }
    use Unary::{Abs, Conj, Cos, Exp, Im, Ln, Re, Sin, Tanh};
    const TAME: [Unary; 7] = [Sin, Cos, Tanh, Abs, Conj, Re, Im];
    let exact: Vec<Unary> = Unary::ALL.into_iter().filter(|one| ![Exp, Ln, Sin, Cos, Tanh].contains(one)).collect();
    for _ in 0..rng.random_range(0..5) {
        let (a, b) = (rng.random_range(0..instructions.len()), rng.random_range(0..instructions.len()));
        instructions.push(match rng.random_range(0..if tame { 7 } else { 13 }) {
            0 => Instruction::Negate(a),
            1 if tame => Instruction::Apply(*TAME.choose(rng).unwrap(), a),
            1 => Instruction::Apply(*[Abs, Conj, Re, Im].choose(rng).unwrap(), a),
            2 => Instruction::Combine(Binary::Multiply, a, b),
            3 => Instruction::Combine(Binary::Subtract, a, b),
            4 => Instruction::Constant(Complex::new(-0.4, 0.1)),
            5 => Instruction::Call(0, Arguments::new(&[a, b])),
            6 if tame => Instruction::PowerInteger(a, rng.random_range(1..6)),
            6 => Instruction::PowerInteger(a, rng.random_range(0..3)),
            7 => Instruction::Combine(Binary::Add, a, b),
            8 => Instruction::Combine(Binary::Divide, a, b),
            9 => Instruction::Compare(*Comparison::ALL.choose(rng).unwrap(), a, b),
            10 | 11 => Instruction::Select(rng.random_range(0..instructions.len()), a, b),
            _ => Instruction::Apply(*exact.choose(rng).unwrap(), a),
        });
    }
    Program::new(instructions)
}

fn random_map<T: Scalar>(rng: &mut StdRng, cpu: &Cpu, nest: &LoopNest) {
    let number = rng.random_range(0..4);
    let inputs: Vec<Placed<T>> = (0..number).map(|_| Placed::operand(rng, nest.extents(), 0.2)).collect();
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let reduction = *[Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min].choose(rng).unwrap();
    // Products of many numbers leave the range of the type.
    let terms: usize = nest.reduced_extents().iter().product();
    let reduction = if terms > 50 && reduction == Reduction::Product { Reduction::Sum } else { reduction };
    let exact = (nest.kept() == nest.rank() || matches!(reduction, Reduction::Max | Reduction::Min)) && rng.random_bool(0.7);
    let program = program(rng, number, !exact);
    let product = |a: T, b: T| a * b;
    let functions = [callback2(&product)];
    let output = Placed::<T>::output(rng, &nest.extents()[..nest.kept()]);
    let (mut found, mut expected) = (output.clone(), output);
    let result = cpu.map(nest, &program, reduction, &functions, &operands, found.as_output());
    let wanted = Reference.map(nest, &program, reduction, &functions, &operands, expected.as_output());
    let layouts: Vec<_> = inputs.iter().map(|input| (&input.layout, input.conjugate)).collect();
    let what = format!("{}, {nest:?}, {program:?}, {reduction:?}, {layouts:?}, output {:?}", T::DTYPE, found.layout);
    assert_eq!(result, wanted, "{what}");
    if result.is_ok() {
        let tolerance = if exact { 0.0 } else { epsilon::<T>() * 64.0 * (terms + 1) as f64 };
        assert_close(&found.data, &expected.data, tolerance, &what);
    }
}

/// An input of another element type, however it lies.
fn random_conversion<U: Scalar, T: Scalar>(rng: &mut StdRng, nest: &LoopNest) {
    let (other, own) = (Placed::<U>::operand(rng, nest.extents(), 0.2), Placed::<T>::operand(rng, nest.extents(), 0.2));
    let program =
        Program::new(vec![Instruction::Converted(0), Instruction::Input(1), Instruction::Combine(Binary::Subtract, 0, 1)]);
    let inputs = [other.as_operand(), own.as_operand()];
    let output = Placed::<T>::output(rng, &nest.extents()[..nest.kept()]);
    let (mut found, mut expected) = (output.clone(), output);
    Cpu::new(Some(2)).map(nest, &program, Reduction::Sum, &[], &inputs, found.as_output()).unwrap();
    Reference.map(nest, &program, Reduction::Sum, &[], &inputs, expected.as_output()).unwrap();
    let tolerance = epsilon::<T>() * 64.0 * (nest.reduced_extents().iter().product::<usize>() + 1) as f64;
    let what = format!("{} to {}, {nest:?}, {:?}", U::DTYPE, T::DTYPE, other.layout);
    assert_close(&found.data, &expected.data, tolerance, &what);
}

#[test]
fn conversions() {
    let mut rng = StdRng::seed_from_u64(10);
    for round in 0..400 {
        let nest = if round % 10 == 0 { nest(&mut rng, 25, 6, 3) } else { nest(&mut rng, 5, 1, 5) };
        let (from, to) = (*DTYPES.choose(&mut rng).unwrap(), *DTYPES.choose(&mut rng).unwrap());
        if from != to {
            dispatch!(from, U => dispatch!(to, T => random_conversion::<U, T>(&mut rng, &nest)));
        }
    }
}

#[test]
fn small_maps() {
    let mut rng = StdRng::seed_from_u64(7);
    for round in 0..4000 {
        let nest = nest(&mut rng, 5, usize::from(round % 5 != 0), 5);
        let cpu = Cpu::forced(1 + round % 2, routes()[round % routes().len()]);
        dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => random_map::<T>(&mut rng, &cpu, &nest));
    }
}

#[test]
fn larger_maps() {
    let mut rng = StdRng::seed_from_u64(8);
    for round in 0..100 {
        let nest = nest(&mut rng, 25, 6, 4);
        dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => random_map::<T>(&mut rng, &Cpu::forced(3, routes()[round % routes().len()]), &nest));
    }
    for extents in [vec![70_000], vec![3, 40_000], vec![40_000, 3], vec![300, 300]] {
        for kept in 0..=extents.len() {
            let nest = LoopNest::new(extents.clone(), kept);
            for _ in 0..4 {
                random_map::<f64>(&mut rng, &Cpu::new(Some(2)), &nest);
                random_map::<Complex<f32>>(&mut rng, &Cpu::new(Some(2)), &nest);
            }
        }
    }
}

#[test]
fn inputs_that_lie_across_are_packed_in_tiles() {
    let mut rng = StdRng::seed_from_u64(11);
    let extents = [1100, 1030];
    let sum = Program::new(vec![Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Add, 0, 1)]);
    for kept in [2, 1, 0] {
        let nest = LoopNest::new(extents.to_vec(), kept);
        let straight = Placed::<f32>::of(&extents, (0..1100 * 1030).map(|_| number(&mut rng)).collect());
        let layout = Strided::within(&extents, &[1, 1100], 0, 1100 * 1030).unwrap();
        let transposed = Placed { data: straight.data.clone(), layout, conjugate: false };
        let output = Placed::<f32>::output(&mut rng, &extents[..kept]);
        let (mut found, mut expected) = (output.clone(), output);
        let inputs = [straight.as_operand(), transposed.as_operand()];
        Cpu::new(Some(2)).map(&nest, &sum, Reduction::Max, &[], &inputs, found.as_output()).unwrap();
        Reference.map(&nest, &sum, Reduction::Max, &[], &inputs, expected.as_output()).unwrap();
        assert_close(&found.data, &expected.data, 0.0, "a sum with the transpose");
    }
}

/// Such an output makes no sense, but it must not harm memory either.
#[test]
fn outputs_that_write_one_position_twice_stay_inside() {
    let copy = Program::new(vec![Instruction::Input(0)]);
    for extents in [vec![3, 3, 3, 3], vec![9000, 9]] {
        let nest = LoopNest::new(extents.clone(), extents.len());
        let input = Placed::of(&extents, vec![1.0f64; extents.iter().product()]);
        let layout = Strided::within(&extents, &vec![0; extents.len()], 0, 1).unwrap();
        let mut output = Placed { data: vec![0.0], layout, conjugate: false };
        let cpu = Cpu::new(Some(2));
        cpu.map(&nest, &copy, Reduction::Sum, &[], &[input.as_operand()], output.as_output()).unwrap();
        assert_eq!(output.data, [1.0]);
        contract_once(&cpu, &nest, Complex::ONE, &[input.as_operand(), input.as_operand()], output.as_output()).unwrap();
        assert_eq!(output.data, [1.0]);
    }
}

#[test]
fn permutations() {
    let mut rng = StdRng::seed_from_u64(9);
    let copy = Program::new(vec![Instruction::Input(0)]);
    for round in 0..420 {
        let rank = round % 7;
        let largest = [1000, 1000, 150, 40, 16, 6, 5][rank];
        let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(1..largest)).collect();
        let nest = LoopNest::new(extents, rank);
        dispatch!(DTYPES[round % 4], T => {
            let input = Placed::<T>::operand(&mut rng, nest.extents(), 0.1);
            let output = Placed::<T>::output(&mut rng, &nest.extents()[..nest.kept()]);
            let (mut found, mut expected) = (output.clone(), output);
            Cpu::new(Some(2)).map(&nest, &copy, Reduction::Sum, &[], &[input.as_operand()], found.as_output()).unwrap();
            Reference.map(&nest, &copy, Reduction::Sum, &[], &[input.as_operand()], expected.as_output()).unwrap();
            assert_close(&found.data, &expected.data, 0.0, &format!("{:?} to {:?}", input.layout, found.layout));
        });
    }
}

#[test]
fn a_nan_wins_over_everything() {
    let nest = LoopNest::new(vec![600], 0);
    for position in [0, 1, 300, 599] {
        let mut data: Vec<f64> = (0..600).map(f64::from).collect();
        data[position] = f64::NAN;
        let input = Placed::of(&[600], data);
        for reduction in [Reduction::Max, Reduction::Min] {
            let mut output = Placed::of(&[], vec![0.0f64]);
            let program = Program::new(vec![Instruction::Input(0)]);
            Cpu::new(Some(1)).map(&nest, &program, reduction, &[], &[input.as_operand()], output.as_output()).unwrap();
            assert!(output.data[0].is_nan(), "{reduction:?} with NaN at {position}");
        }
    }
}

#[test]
fn extremes_of_nothing_and_of_complex_numbers_are_undefined() {
    let program = Program::new(vec![Instruction::Input(0)]);
    let devices: [&dyn Device; 2] = [&Reference, &Cpu::new(Some(1))];
    for device in devices {
        let empty = Placed::<f64>::of(&[2, 0], vec![]);
        let mut output = Placed::of(&[2], vec![0.0; 2]);
        let nest = LoopNest::new(vec![2, 0], 1);
        let error = device.map(&nest, &program, Reduction::Max, &[], &[empty.as_operand()], output.as_output()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Undefined(_)), "{error}");
        assert_eq!(error.to_string(), "`max` or `min` over nothing has no value");
        device.map(&nest, &program, Reduction::Product, &[], &[empty.as_operand()], output.as_output()).unwrap();
        assert_eq!(output.data, [1.0; 2]);

        let nest = LoopNest::new(vec![0, 0], 1);
        let empty = Placed::<f64>::of(&[0, 0], vec![]);
        let mut nothing = Placed::<f64>::of(&[0], vec![]);
        device.map(&nest, &program, Reduction::Min, &[], &[empty.as_operand()], nothing.as_output()).unwrap();

        let complex = Placed::of(&[1], vec![Complex::new(1.0, 0.0)]);
        let mut output = Placed::of(&[], vec![Complex::new(0.0, 0.0)]);
        let nest = LoopNest::new(vec![1], 0);
        let error = device.map(&nest, &program, Reduction::Max, &[], &[complex.as_operand()], output.as_output()).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Undefined(_)), "{error}");
        let sentence =
            "`max` and `min` need an order, which `Complex<f64>` has not\nhelp: take `abs` in an equation over real elements";
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn results_repeat_bit_by_bit() {
    let mut rng = StdRng::seed_from_u64(10);
    let nest = LoopNest::new(vec![90, 80, 70], 2);
    let factors: Vec<Placed<f32>> = (0..2).map(|_| Placed::operand(&mut rng, nest.extents(), 0.3)).collect();
    let operands: Vec<_> = factors.iter().map(Placed::as_operand).collect();
    let run = || {
        let mut output = Placed::of(&[90, 80], vec![0.0f32; 7200]);
        contract_once(&Cpu::new(Some(3)), &nest, Complex::ONE, &operands, output.as_output()).unwrap();
        output.data
    };
    let first = run();
    (0..5).for_each(|_| assert_eq!(run(), first));
}
