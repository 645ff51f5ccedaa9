//! Constant folding: the value of one instruction on numbers, as every device computes it on elements.

use num_complex::Complex;

use super::reference::Reference;
use super::{Device as _, Instruction, LoopNest, Output, Program, Reduction};
use crate::element::Dtype;
use crate::layout::Strided;
use crate::storage::{Buffer, SliceRef};

/// The value of an instruction whose registers hold these numbers, in their order; `None` if it is not constant or not finite.
pub fn constant(instruction: Instruction, numbers: &[Complex<f64>], dtype: Dtype) -> Option<Complex<f64>> {
    let mut instructions: Vec<Instruction> = numbers.iter().map(|&value| Instruction::Constant(value)).collect();
    let next = std::cell::Cell::new(0);
    instructions.push(instruction.with_registers(|_| next.replace(next.get() + 1)));
    let layout = Strided::row_major(&[]).ok()?;
    let mut result = Buffer::for_results(dtype, 1).ok()?;
    let nest = LoopNest::new(Vec::new(), 0);
    let output = Output::new(result.as_mut(), &layout);
    Reference.map(&nest, &Program::new(instructions), Reduction::Sum, &[], &[], output).ok()?;
    let value = match result.as_ref() {
        SliceRef::F32(data) => Complex::new(f64::from(data[0]), 0.0),
        SliceRef::F64(data) => Complex::new(data[0], 0.0),
        SliceRef::C32(data) => Complex::new(f64::from(data[0].re), f64::from(data[0].im)),
        SliceRef::C64(data) => data[0],
    };
    value.is_finite().then_some(value)
}
