//! Elements copied from one strided place to another: what the floors above need of a device to move a tensor.

use std::sync::LazyLock;

use super::device::Cpu;
use tensorwrapper_core::backend::{Device, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Elements that are copied one by one before a kernel has sorted its axes.
const FEW: usize = 16;

/// Copies all elements that `from` finds in `source` to where `to`, of the same extents, finds them in `target`.
///
/// # Errors
/// [`ErrorKind::Memory`](tensorwrapper_core::error::ErrorKind::Memory) for work space.
///
/// # Panics
/// When a layout reaches outside of its memory; callers check with the user's words.
pub fn copy<T: Element>(source: &[T], from: &Strided, target: &mut [T], to: &Strided) -> Result<(), Error> {
    if from.len() <= FEW {
        from.positions().zip(to.positions()).for_each(|(from, to)| target[to] = source[from]);
        return Ok(());
    }
    static PROCESSOR: LazyLock<Cpu> = LazyLock::new(Cpu::default);
    static ELEMENT: LazyLock<Program> = LazyLock::new(|| Program::new(vec![Instruction::Input(0)]));
    let nest = LoopNest::new(from.extents().to_vec(), from.rank());
    let (input, output) = (Operand::new(T::erase(source), from), Output::new(T::erase_mut(target), to));
    PROCESSOR.map(&nest, &ELEMENT, Reduction::Sum, &[], &[input], output)
}
