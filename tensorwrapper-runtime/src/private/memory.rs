//! Runs the processor's element-wise kernels on existing memory. `benches/memory.rs` measures this, because every public
//! function allocates memory for its result. It is not for programs, and no expansion calls it.

pub use tensorwrapper_core::backend::{Binary, Instruction, Program, Reduction};
use tensorwrapper_core::backend::{Device, LoopNest, Operand, Output};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_cpu::Cpu;

/// `target[…] = sum of program(sources)`: the first `kept` axes are the target's, the others are summed over. Each source
/// has a stride for every axis, the target one for each of its own; all start at their memory's first element.
///
/// # Errors
/// What the device reports, and strides that lead outside the memory.
pub fn run<T: Element>(
    threads: usize,
    (extents, kept): (&[usize], usize),
    program: &Program,
    sources: &[(&[T], &[isize])],
    target: (&mut [T], &[isize]),
) -> Result<(), Error> {
    let layouts =
        sources.iter().map(|(data, strides)| Strided::within(extents, strides, 0, data.len())).collect::<Result<Vec<_>, _>>()?;
    let inputs: Vec<Operand<'_>> =
        sources.iter().zip(&layouts).map(|((data, _), layout)| Operand::new(T::erase(data), layout)).collect();
    let layout = Strided::within(&extents[..kept], target.1, 0, target.0.len())?;
    let nest = LoopNest::new(extents.to_vec(), kept);
    let output = Output::new(T::erase_mut(target.0), &layout);
    Cpu::new(Some(threads)).map(&nest, program, Reduction::Sum, &[], &inputs, output)
}
