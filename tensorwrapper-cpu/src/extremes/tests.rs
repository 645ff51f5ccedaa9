//! Places of drawn programs over drawn layouts: those of the two reductions that define them.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt as _, SeedableRng as _};

use super::super::Cpu;
use super::pieces::PIECE;
use tensorwrapper_core::backend::{Binary, Device, FindPlaces, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::layout::Strided;

/// The place by its definition, over one line.
fn defined(line: &[f64], extreme: Reduction) -> usize {
    if let Some(nan) = line.iter().position(|x| x.is_nan()) {
        return nan;
    }
    let ahead = |x: f64, y: f64| if extreme == Reduction::Max { x > y } else { x < y };
    line.iter().enumerate().fold(0, |at, (n, &x)| if ahead(x, line[at]) { n } else { at })
}

/// Strides of axes whose elements lie in this order, the last one with neighbours `step` apart.
fn strides(extents: &[usize], order: &[usize], step: usize) -> Vec<isize> {
    let (mut strides, mut next) = (vec![0; extents.len()], step);
    for &axis in order.iter().rev() {
        strides[axis] = next as isize;
        next *= extents[axis].max(1);
    }
    strides
}

fn agrees(rng: &mut StdRng, extents: &[usize], threads: usize) {
    let (kept, extent) = (extents.len() - 1, *extents.last().unwrap());
    let extreme = if rng.random_bool(0.5) { Reduction::Max } else { Reduction::Min };
    let mut operands = Vec::new();
    for _ in 0..2 {
        let mut order: Vec<usize> = (0..extents.len()).collect();
        if rng.random_bool(0.6) {
            order.shuffle(rng);
        }
        let mut strides = strides(extents, &order, if rng.random_bool(0.8) { 1 } else { 2 });
        if rng.random_bool(0.2) {
            strides[rng.random_range(0..=kept)] = 0;
        }
        let (layout, reach) = Strided::reaching(extents.iter().copied().collect(), strides.into(), 3).unwrap();
        let distinct = rng.random_range(2..400);
        let draw = |rng: &mut StdRng| if rng.random_bool(1e-4) { f64::NAN } else { f64::from(rng.random_range(0..distinct)) };
        let data: Vec<f64> = (0..reach).map(|_| draw(rng)).collect();
        operands.push((data, layout));
    }
    let sum = [Instruction::Input(0), Instruction::Input(1), Instruction::Combine(Binary::Subtract, 0, 1)];
    let is_sum = rng.random_bool(0.5);
    let program = Program::new(if is_sum { sum.to_vec() } else { vec![Instruction::Input(0)] });
    let inputs: Vec<Operand<'_>> =
        operands.iter().take(program.inputs()).map(|(data, layout)| Operand::new(f64::erase(data), layout)).collect();
    let order: Vec<usize> = (0..kept).rev().collect();
    let own = strides(&extents[..kept], &if rng.random_bool(0.7) { (0..kept).collect() } else { order }, 1);
    let (own, reach) = Strided::reaching(extents[..kept].iter().copied().collect(), own.into(), 0).unwrap();
    let mut found = vec![-1.0; reach];
    let nest = LoopNest::new(extents.to_vec(), kept);
    let output = Output::new(f64::erase_mut(&mut found), &own);
    Cpu::new(Some(threads)).find(&nest, &program, extreme, &[], &inputs, output).unwrap();
    let elements = |(data, layout): &(Vec<f64>, Strided)| layout.positions().map(|place| data[place]).collect::<Vec<f64>>();
    let [left, right] = [0, 1].map(|n| elements(&operands[n]));
    let values: Vec<f64> = if is_sum { left.iter().zip(&right).map(|(x, y)| x - y).collect() } else { left };
    let expected = values.chunks_exact(extent).map(|line| defined(line, extreme) as f64);
    let places: Vec<usize> = own.positions().collect();
    for (place, expected) in places.into_iter().zip(expected) {
        assert_eq!(found[place], expected, "{extents:?} {program:?} {extreme:?}");
    }
}

#[test]
fn places_are_those_of_the_definition() {
    let mut rng = StdRng::seed_from_u64(7);
    for _ in 0..400 {
        let rank = rng.random_range(1..=4);
        let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(1..12)).collect();
        agrees(&mut rng, &extents, 1);
    }
    // Lines of several pieces, pieces of several lines, and as many elements as several threads look through.
    for extents in
        [vec![2 * PIECE + 5], vec![3, PIECE + 1], vec![40, 3, 1111], vec![1500, 100], vec![3, 7, 130, 50], vec![2, 90_000]]
    {
        for threads in [1, 2] {
            (0..4).for_each(|_| agrees(&mut rng, &extents, threads));
        }
    }
}

#[test]
fn nothing_has_no_place() {
    let layout = Strided::row_major(&[2, 0]).unwrap();
    let own = Strided::row_major(&[2]).unwrap();
    let (mut found, nest) = ([0.0; 2], LoopNest::new(vec![2, 0], 1));
    let input = || [Operand::new(f64::erase(&[]), &layout)];
    let program = Program::new(vec![Instruction::Input(0)]);
    let output = Output::new(f64::erase_mut(&mut found), &own);
    assert!(Cpu::new(Some(1)).find(&nest, &program, Reduction::Max, &[], &input(), output).is_err());
    let mut complex = [num_complex::Complex::new(0.0, 0.0)];
    let one = Strided::row_major(&[1]).unwrap();
    let nest = LoopNest::new(vec![1], 0);
    let values = [num_complex::Complex::new(1.0, 0.0)];
    let input = [Operand::new(num_complex::Complex::<f64>::erase(&values), &one)];
    let rank_0 = Strided::row_major(&[]).unwrap();
    let output = Output::new(num_complex::Complex::<f64>::erase_mut(&mut complex), &rank_0);
    let told = Cpu::new(Some(1)).find(&nest, &program, Reduction::Max, &[], &input, output).unwrap_err();
    assert!(told.to_string().contains("order"), "{told}");
    assert!(Cpu::new(Some(1)).places().is_some());
}
