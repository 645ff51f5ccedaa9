//! Programs of few points, against the reference.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::Cpu;
use crate::tests::{program, sized_contract};
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Binary, Device, ElementWise, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::internal::map_function::callback2;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, assert_close, epsilon};

/// As many elements with the axes in the other order, backwards, or as one number along the first axis.
fn in_another_order(rng: &mut StdRng, extents: &[usize]) -> Strided {
    let len = extents.iter().product();
    if rng.random_bool(0.3) {
        let backwards: Vec<isize> = Strided::row_major(extents).unwrap().strides().iter().map(|&stride| -stride).collect();
        return Strided::within(extents, &backwards, len - 1, len).unwrap();
    }
    let turned: Vec<usize> = extents.iter().rev().copied().collect();
    let mut strides: Vec<isize> = Strided::row_major(&turned).unwrap().strides().iter().rev().copied().collect();
    if let Some(first) = strides.first_mut().filter(|_| rng.random_bool(0.3)) {
        *first = 0;
    }
    Strided::within(extents, &strides, 0, len).unwrap()
}

/// Programs whose inputs lie in the order of the points or in others, or are one number, from few points to more than a thread's.
/// Returns how many of them a device had prepared.
fn in_order<T: Scalar>(rng: &mut StdRng, kept: &[usize], reduced: &[usize]) -> usize {
    let mut prepared = 0;
    let extents = [kept, reduced].concat();
    let number = rng.random_range(1..3);
    let inputs: Vec<Placed<T>> = (0..number)
        .map(|_| {
            let mut input =
                Placed::of(&extents, (0..extents.iter().product()).map(|_| tensorwrapper_testing::number(rng)).collect());
            if rng.random_bool(0.2) && !input.data.is_empty() {
                input.layout =
                    Strided::within(&extents, &vec![0; extents.len()], input.data.len() / 2, input.data.len()).unwrap();
            }
            if rng.random_bool(0.3) && !input.data.is_empty() {
                input.layout = in_another_order(rng, &extents);
            }
            input.conjugate = rng.random_bool(0.2);
            input
        })
        .collect();
    let program = program(rng, number, true);
    let product = |a: T, b: T| a * b;
    let functions = [callback2(&product)];
    let nest = LoopNest::new(extents.clone(), kept.len());
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let output = Placed::of(kept, vec![T::ZERO; kept.iter().product()]);
    let terms: usize = reduced.iter().product();
    let reductions = [Reduction::Sum, Reduction::Max, Reduction::Min];
    for reduction in if T::DTYPE.is_complex() { &reductions[..1] } else { &reductions } {
        let (mut found, mut expected) = (output.clone(), output.clone());
        let what = format!("{}, {nest:?}, {program:?}, {reduction:?}", T::DTYPE);
        let result = Cpu::new(Some(1)).map(&nest, &program, *reduction, &functions, &operands, found.as_output());
        let wanted = Reference.map(&nest, &program, *reduction, &functions, &operands, expected.as_output());
        assert_eq!(result, wanted, "{what}");
        if result.is_ok() {
            assert_close(&found.data, &expected.data, epsilon::<T>() * 64.0 * (terms + 1) as f64, &what);
        }
        let layouts: Vec<_> = inputs.iter().map(|input| (&input.layout, input.conjugate)).collect();
        let work = ElementWise {
            nest: &nest,
            program: &program,
            reduction: *reduction,
            dtype: T::DTYPE,
            inputs: &layouts,
            output: &output.layout,
        };
        if let Some(ready) = Cpu::new(Some(1)).prepare_map(&work) {
            let memory: Vec<_> = inputs.iter().map(|input| T::erase(&input.data)).collect();
            let mut again = output.clone();
            ready.run(&memory, T::erase_mut(&mut again.data));
            assert_eq!(again.data, found.data, "{what}");
            prepared += 1;
        }
    }
    prepared
}

#[test]
fn programs_of_operands_in_any_order() {
    let mut rng = StdRng::seed_from_u64(12);
    let mut prepared = [0; 3];
    for round in 0..600 {
        let kept: &[usize] = [&[][..], &[1], &[4, 4], &[65], &[3, 0], &[64, 3], &[1000], &[7, 9, 5]][round % 8];
        let reduced: &[usize] = [&[][..], &[1], &[3, 3], &[64], &[0], &[200], &[257], &[2, 1]][round / 8 % 8];
        prepared[0] += in_order::<f64>(&mut rng, kept, reduced);
        prepared[1] += in_order::<f32>(&mut rng, kept, reduced);
        prepared[2] += in_order::<Complex<f64>>(&mut rng, kept, reduced);
    }
    assert!(prepared.iter().all(|&count| count > 50), "{prepared:?}");
}

/// `select(m; a, b) * m` and a sum of it, where m has another element type, in any order.
fn converted<T: Scalar, M: Scalar>(rng: &mut StdRng, extents: &[usize]) {
    let len: usize = extents.iter().product();
    let truths = (0..len).map(|_| if rng.random_bool(0.5) { M::ONE } else { M::ZERO }).collect();
    let mut mask = Placed::of(extents, truths);
    if rng.random_bool(0.5) && len > 0 {
        mask.layout = in_another_order(rng, extents);
    }
    mask.conjugate = rng.random_bool(0.3);
    let [a, b] = [0, 1].map(|_| Placed::of(extents, (0..len).map(|_| tensorwrapper_testing::number::<T>(rng)).collect()));
    if rng.random_bool(0.5) {
        mask.data = (0..mask.data.len()).map(|_| tensorwrapper_testing::number(rng)).collect();
    }
    // A choice by it, times it.
    let instructions = vec![
        Instruction::Input(0),
        Instruction::Converted(1),
        Instruction::Input(2),
        Instruction::Select(1, 0, 2),
        Instruction::Combine(Binary::Multiply, 3, 1),
    ];
    let program = Program::new(instructions);
    let operands = [a.as_operand(), mask.as_operand(), b.as_operand()];
    for kept in [extents.len(), extents.len() - 1] {
        let nest = LoopNest::new(extents.to_vec(), kept);
        let output = Placed::of(&extents[..kept], vec![T::ZERO; extents[..kept].iter().product()]);
        let (mut found, mut expected) = (output.clone(), output);
        Cpu::new(Some(1)).map(&nest, &program, Reduction::Sum, &[], &operands, found.as_output()).unwrap();
        Reference.map(&nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
        assert_close(
            &found.data,
            &expected.data,
            epsilon::<T>().max(epsilon::<M>()) * 1024.0,
            &format!("{}, {nest:?}", M::DTYPE),
        );
    }
}

#[test]
fn inputs_of_other_types() {
    let mut rng = StdRng::seed_from_u64(13);
    for _ in 0..40 {
        for extents in [&[3][..], &[4, 4], &[64, 3], &[17, 65], &[5, 0], &[70, 70]] {
            converted::<f64, f32>(&mut rng, extents);
            converted::<f32, f64>(&mut rng, extents);
            converted::<Complex<f64>, Complex<f32>>(&mut rng, extents);
            converted::<Complex<f32>, f64>(&mut rng, extents);
        }
    }
}

#[test]
fn products_of_one_factor_and_of_three() {
    let mut rng = StdRng::seed_from_u64(45);
    for equation in ["ij->ij", "ij->ji", "ij->i", "ij->j", "ijk->", "i->ix", "i,i,i->", "ij,j,i->ij", "i,ij,j->", "ij,,ij->i"] {
        for extent in [1, 2, 7, 19] {
            for threads in [1, 2] {
                let cpu = Cpu::new(Some(threads));
                sized_contract::<f64>(&mut rng, equation, &|_| extent, &cpu);
                sized_contract::<Complex<f32>>(&mut rng, equation, &|_| extent, &cpu);
            }
        }
    }
}
