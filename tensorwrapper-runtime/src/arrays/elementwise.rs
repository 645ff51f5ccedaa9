//! Two tensors of the same extents, or a tensor and a number, combined element by element.

use tensorwrapper_core::backend::{Binary, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::Owned;
use tensorwrapper_core::stored::Stored;

use super::axes::same_extents;
use super::iteration::{each, each_pair};
use super::loops::{self, device};
use super::operand::Right;
use crate::tensor::{Tensor, TensorRef};

/// Elements up to which plain loops are faster than the call of a device for operands in any order.
pub(super) const FEW: usize = 1 << 10;

/// Bytes of a result that is written past the caches, as the device does.
const LARGE: usize = 1 << 26;

/// An operation on two elements.
#[derive(Clone, Copy)]
pub(super) struct Combination<F> {
    /// How it is written.
    pub(super) sign: char,
    /// What a device calls it, if a device has it.
    pub(super) instruction: Option<Binary>,
    pub(super) function: F,
}

impl<F> Combination<F> {
    /// Refuses a right side of other extents.
    fn check<T: Stored>(&self, left: &[usize], right: &Right<'_, T>) -> Result<(), Error> {
        match right {
            Right::Tensor(right) => same_extents(&format!("`{}` of two tensors", self.sign), left, right.extents()),
            Right::Number(_) => Ok(()),
        }
    }
}

/// `left op right` as a new tensor.
///
/// # Errors
/// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for other extents, [`ErrorKind::Memory`](crate::ErrorKind::Memory).
pub(super) fn combined<T: Stored, S: Extents, S2: Extents>(
    by: Combination<impl Fn(T, T) -> T + Copy + Sync>,
    left: &TensorRef<'_, T, S>,
    right: &Right<'_, T>,
) -> Result<Tensor<T, S2>, Error> {
    by.check(left.extents(), right)?;
    let is_in_order = left.as_slice().is_some()
        && match right {
            Right::Number(_) => true,
            Right::Tensor(right) => right.as_slice().is_some(),
        };
    let is_for_loops = if is_in_order { left.len().saturating_mul(size_of::<T>()) < LARGE } else { left.len() <= FEW };
    if !is_for_loops
        && let Some(binary) = by.instruction
        && let Some(result) = by_device(binary, left, right)?
    {
        return Ok(result);
    }
    match right {
        &Right::Number(number) => each(left, move |x| (by.function)(x, number))?.into_typed(),
        Right::Tensor(right) => each_pair(left, right, by.function)?.into_typed(),
    }
}

/// `number op right` as a new tensor.
///
/// # Errors
/// [`ErrorKind::Memory`](crate::ErrorKind::Memory).
pub(super) fn combined_with_number<T: Stored, S: Extents>(
    by: Combination<impl Fn(T, T) -> T + Copy + Sync>,
    number: T,
    right: &TensorRef<'_, T, S>,
) -> Result<Tensor<T, S>, Error> {
    each(right, move |x| (by.function)(number, x))
}

/// The result, computed by the device; `None` if it does not know the type of the elements.
fn by_device<T: Stored, S: Extents, S2: Extents>(
    binary: Binary,
    left: &TensorRef<'_, T, S>,
    right: &Right<'_, T>,
) -> Result<Option<Tensor<T, S2>>, Error> {
    let layout = Strided::row_major(left.extents())?;
    let Some((left, left_layout)) = left.numbers() else { return Ok(None) };
    let number;
    let (right, right_layout) = match right {
        Right::Tensor(right) => match right.numbers() {
            Some((right, layout)) => (right, layout.clone()),
            None => return Ok(None),
        },
        Right::Number(x) => {
            number = [*x];
            let Some(number) = T::numbers(&number) else { return Ok(None) };
            (number, Strided::within(layout.extents(), &vec![0; layout.rank()], 0, 1)?)
        }
    };
    let program = Program::new(vec![Instruction::Input(0), Instruction::Input(1), Instruction::Combine(binary, 0, 1)]);
    let mut elements = Owned::for_results(layout.len())?;
    let Some(output) = T::numbers_mut(&mut elements) else { return Ok(None) };
    let nest = LoopNest::new(layout.extents().to_vec(), layout.rank());
    let inputs = [Operand::new(left, left_layout), Operand::new(right, &right_layout)];
    device().map(&nest, &program, Reduction::Sum, &[], &inputs, Output::new(output, &layout))?;
    Ok(Some(Tensor::from_parts(elements, layout)))
}

/// `target = target op right`.
///
/// # Errors
/// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for other extents; the target is as it was.
pub(super) fn combine_into<T: Stored, S: Extents>(
    by: Combination<impl Fn(T, T) -> T + Copy + Sync>,
    target: &mut Tensor<T, S>,
    right: &Right<'_, T>,
) -> Result<(), Error> {
    by.check(target.extents(), right)?;
    let is_plain = target.is_plain();
    let (elements, layout) = target.parts_mut();
    match right {
        &Right::Number(number) if is_plain => loops::update(elements, move |x| (by.function)(x, number)),
        Right::Tensor(right) if is_plain && right.as_slice().is_some() => {
            loops::update_by(elements, right.as_slice().unwrap_or_default(), by.function);
        }
        Right::Number(number) => layout.positions().for_each(|p| elements[p] = (by.function)(elements[p], *number)),
        Right::Tensor(right) => {
            layout.positions().zip(right.elements()).for_each(|(p, y)| elements[p] = (by.function)(elements[p], *y));
        }
    }
    Ok(())
}
