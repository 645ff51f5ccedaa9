//! Decides which work overwrites one of its operands, which must be an intermediate of the same extents that no later step
//! reads.
//!
//! A device call never writes memory that it reads, so such element-wise work runs block by block; see `run/in_place.rs`.
//!
//! A tensor of which a part is written takes over the whole memory of the tensor that it is based on.

use crate::exec::plan::{InPlace, Kernel, Step, Work};
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::graph::{OpGraph, Operation, OperationNode, TensorId};
use tensorwrapper_core::layout::Strided;

/// Bytes of a block for each thread: part of a core's own cache. Tests of this crate have small tensors, and smaller blocks.
const BLOCK: usize = if cfg!(test) { 32 } else { 256 << 10 };

/// Blocks of a tensor below which nothing is gained: the block that is set aside takes memory, too.
const FEW: usize = 4;

/// Lets a step overwrite one of its operands if that is allowed.
pub(super) fn take_over(device: &dyn Device, graph: &OpGraph, node: &OperationNode, step: &mut Step) {
    match &node.operation {
        // Every reshaped tensor is an intermediate in C order. Its last reader takes its memory, others a copy.
        Operation::Reshape => step.takes_over = step.reshaped.filter(|tensor| step.release.contains(tensor)),
        Operation::Write { .. } => {
            // The part is written where the whole lies already, which then is not copied.
            if let [base, _] = &step.kernels[..]
                && let [read] = &base.inputs[..]
                && step.release.contains(&read.tensor)
                && read.layout == base.outputs[0].layout
                && step.kernels[1].inputs.iter().all(|part| part.tensor != read.tensor)
            {
                step.takes_over = Some(read.tensor);
                step.kernels.remove(0);
            }
        }
        Operation::Map { .. } => {
            if let [kernel] = &step.kernels[..]
                && let Some(found) = in_place(device, graph, kernel, &step.release)
            {
                step.takes_over = Some(found.tensor);
                step.in_place = Some(found);
            }
        }
        Operation::Contract { .. } | Operation::Place { .. } | Operation::Sliced { .. } | Operation::Factorise(_) => {}
    }
}

/// Chooses one of the tensors that are released after this work to be overwritten. It must be read only at the position that is
/// written at the same time.
fn in_place(device: &dyn Device, graph: &OpGraph, kernel: &Kernel, gone: &[TensorId]) -> Option<InPlace> {
    let (Work::Map(program, _), [output]) = (&kernel.work, &kernel.outputs[..]) else { return None };
    let (nest, inputs) = (&kernel.nest, &kernel.inputs[..program.inputs()]);
    let extents = nest.extents();
    // As kernels have it, axes of one index have no stride.
    let row_major = Strided::row_major(extents).ok()?;
    let row_major = Strided::within(extents, row_major.strides(), 0, usize::MAX).ok()?;
    if nest.kept() != nest.rank() || output.layout != row_major {
        return None;
    }
    let dtype = graph.tensor(output.tensor).dtype;
    let block = (BLOCK / dtype.size()).max(1).saturating_mul(device.threads());
    if output.layout.len() < block.saturating_mul(FEW) {
        return None;
    }
    let suits = |&&tensor: &&TensorId| {
        let mut reads = inputs.iter().filter(|access| access.tensor == tensor).peekable();
        let is_read = reads.peek().is_some();
        // A part from its beginning on lies as the output does, too, but its tensor has more elements.
        let is_whole = graph.tensor(tensor).extents.iter().product::<usize>() == output.layout.len();
        is_read && is_whole && graph.tensor(tensor).dtype == dtype && reads.all(|access| access.layout == output.layout)
    };
    let tensor = *gone.iter().filter(|&&tensor| tensor != output.tensor).find(suits)?;
    let (mut axis, mut inner) = (extents.len(), 1);
    while axis > 0 && inner * extents[axis - 1] <= block {
        axis -= 1;
        inner *= extents[axis];
    }
    // The tensor is larger than a block, so that some axis does not fit.
    let axis = axis.checked_sub(1)?;
    let length = block / inner;
    Some(InPlace { tensor, axis, length, elements: length * inner })
}
