//! Reductions of more than a tile with inputs that lie across: equal to the reference, and the same bits for any number of threads.

use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::Cpu;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Binary, Device, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::{Placed, assert_close, epsilon, number};

/// `(2·A + B) · (C − A) / (x + y + 5)` over extents of which the first `kept` stay, where each of `A`, `B` and `C` has its axes in
/// another order, `x` is one number for each chunk, and `y` runs along the last axis but one.
fn reduced<T: Scalar>(rng: &mut StdRng, extents: [usize; 4], kept: usize, reduction: Reduction) {
    let len = extents.iter().product::<usize>();
    let mut placed = |order: [usize; 4]| {
        let mut strides = [1; 4];
        (0..3).rev().for_each(|n| strides[order[n]] = strides[order[n + 1]] * extents[order[n + 1]] as isize);
        let layout = Strided::within(&extents, &strides, 0, len).unwrap();
        Placed { data: (0..len).map(|_| number::<T>(rng)).collect(), layout, conjugate: order[3] == 2 }
    };
    let mut inputs = vec![placed([0, 1, 2, 3]), placed([0, 2, 3, 1]), placed([0, 3, 1, 2])];
    for axis in [0, 2] {
        let mut strides = [0; 4];
        strides[axis] = 1;
        let layout = Strided::within(&extents, &strides, 0, extents[axis]).unwrap();
        inputs.push(Placed { data: (0..extents[axis]).map(|_| number::<T>(rng)).collect(), layout, conjugate: false });
    }
    let combine = Instruction::Combine;
    let program = (0..5).map(Instruction::Input).chain([
        Instruction::Constant(2.0.into()),
        Instruction::Constant(5.0.into()),
        combine(Binary::Multiply, 5, 0),
        combine(Binary::Add, 7, 1),
        combine(Binary::Subtract, 2, 0),
        combine(Binary::Multiply, 8, 9),
        combine(Binary::Add, 3, 6),
        combine(Binary::Add, 11, 4),
        combine(Binary::Divide, 10, 12),
    ]);
    let (nest, program) = (LoopNest::new(extents.to_vec(), kept), Program::new(program.collect()));
    let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
    let output = Placed::of(&extents[..kept], vec![T::ZERO; extents[..kept].iter().product()]);
    let found = [1, 2, 3].map(|threads| {
        let mut found = output.clone();
        Cpu::new(Some(threads)).map(&nest, &program, reduction, &[], &operands, found.as_output()).unwrap();
        found.data
    });
    assert!(found[0] == found[1] && found[0] == found[2], "{extents:?} on one, two and three threads");
    let mut expected = output;
    Reference.map(&nest, &program, reduction, &[], &operands, expected.as_output()).unwrap();
    assert_close(
        &found[0],
        &expected.data,
        epsilon::<T>() * 256.0 * (len as f64).sqrt(),
        &format!("{extents:?}, {kept} kept, {reduction:?}"),
    );
}

#[test]
fn long_reductions_of_inputs_that_lie_across_are_folded_from_tiles() {
    let mut rng = StdRng::seed_from_u64(47);
    reduced::<f64>(&mut rng, [6, 19, 18, 21], 0, Reduction::Sum);
    reduced::<f64>(&mut rng, [3, 40, 41, 39], 1, Reduction::Sum);
    reduced::<f32>(&mut rng, [1, 67, 33, 35], 0, Reduction::Max);
    reduced::<num_complex::Complex<f64>>(&mut rng, [2, 200, 7, 30], 0, Reduction::Sum);
    // Blocks of two axes whose rows are short, and long.
    reduced::<f64>(&mut rng, [5, 3, 90, 25], 2, Reduction::Sum);
    reduced::<f64>(&mut rng, [5, 3, 90, 65], 3, Reduction::Sum);
}
