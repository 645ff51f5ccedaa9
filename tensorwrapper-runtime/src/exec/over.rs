//! Work that is written over one of its operands: an intermediate of the same extents that nobody reads afterwards.
//!
//! Devices write to no memory that they read, so element-wise work goes block by block: what it reads of the operand is set aside in
//! memory as small as a cache, and then written over. It must not know what is computed.

use smallvec::SmallVec;

use super::plan::{Kernel, Step, Work};
use tensorwrapper_core::backend::{Device, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::erased::{Buffer, SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::{OpGraph, Operation, OperationNode, TensorId};
use tensorwrapper_core::layout::Strided;

/// Bytes of a block for each thread: part of a core's own cache. Tests of this crate have small tensors, and smaller blocks.
const BLOCK: usize = if cfg!(test) { 32 } else { 256 << 10 };

/// Blocks of a tensor below which nothing is gained: the block that is set aside takes memory, too.
const FEW: usize = 4;

/// How element-wise work is cut into blocks.
#[derive(Debug)]
pub(super) struct Over {
    tensor: TensorId,
    /// The axis that is cut: those before it are gone through one by one, those behind it are whole.
    axis: usize,
    /// Indices of a block along it, fewer in the last.
    length: usize,
    /// Elements of a block.
    elements: usize,
}

/// Has a step written over an operand, where that may be.
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
                && let Some(over) = Over::new(device, graph, kernel, &step.release)
            {
                step.takes_over = Some(over.tensor);
                step.over = Some(over);
            }
        }
        Operation::Contract { .. } | Operation::Sliced { .. } | Operation::Factorise(_) => {}
    }
}

impl Over {
    /// Over one of the tensors that go after this work, if it may be: all that is read of it is at the place that is written then.
    fn new(device: &dyn Device, graph: &OpGraph, kernel: &Kernel, gone: &[TensorId]) -> Option<Over> {
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
        Some(Over { tensor, axis, length, elements: length * inner })
    }

    /// Elements that are set aside.
    pub(super) fn elements(&self) -> usize {
        self.elements
    }

    /// Computes all blocks. What the work reads beside the tensor that is written over comes from `read`.
    ///
    /// # Errors
    /// What the device reports, and memory for a block.
    pub(super) fn run<'m>(
        &self,
        device: &dyn Device,
        functions: &[Callback<'_>],
        kernel: &Kernel,
        read: &impl Fn(TensorId) -> SliceRef<'m>,
        mut output: SliceMut<'_>,
    ) -> Result<(), Error> {
        let Work::Map(program, _) = &kernel.work else { unreachable!("element-wise work is written over operands") };
        let all = kernel.nest.extents();
        let mut aside = Buffer::for_results(output.dtype(), self.elements)?;
        let mut index: SmallVec<[usize; 8]> = SmallVec::from_elem(0, self.axis + 1);
        let (mut start, len) = (0, kernel.outputs[0].layout.len());
        while start < len {
            let mut extents: SmallVec<[usize; 8]> = SmallVec::from_slice(all);
            extents[..self.axis].fill(1);
            extents[self.axis] = self.length.min(all[self.axis] - index[self.axis]);
            let block = Block { over: self, kernel, program, index: &index, extents: &extents };
            start += block.run(device, functions, read, (aside.as_mut(), output.after(start)))?;
            // The next block: the axis that is cut runs fastest.
            index[self.axis] += extents[self.axis];
            for axis in (1..=self.axis).rev() {
                if index[axis] == all[axis] {
                    index[axis] = 0;
                    index[axis - 1] += 1;
                }
            }
        }
        Ok(())
    }
}

/// One block.
struct Block<'b> {
    over: &'b Over,
    kernel: &'b Kernel,
    program: &'b Program,
    /// Its first index along all axes up to the one that is cut.
    index: &'b [usize],
    extents: &'b [usize],
}

impl Block<'_> {
    /// Computes it at the beginning of the output that is left; returns its number of elements.
    fn run<'m>(
        &self,
        device: &dyn Device,
        functions: &[Callback<'_>],
        read: &impl Fn(TensorId) -> SliceRef<'m>,
        (aside, output): (SliceMut<'_>, SliceMut<'_>),
    ) -> Result<usize, Error> {
        let own = Strided::row_major(self.extents)?;
        let len = own.len();
        let ((mut aside, _), (output, _)) = (aside.split(len), output.split(len));
        aside.copy_from(output.as_ref());
        let inputs = &self.kernel.inputs[..self.program.inputs()];
        let lies = |layout: &Strided| {
            let moved: isize = self.index.iter().zip(layout.strides()).map(|(&n, &stride)| n as isize * stride).sum();
            Strided::within(self.extents, layout.strides(), layout.offset().wrapping_add_signed(moved), usize::MAX)
        };
        let layouts = inputs.iter().map(|access| match access.tensor == self.over.tensor {
            true => Ok(own.clone()),
            false => lies(&access.layout),
        });
        let layouts: SmallVec<[Strided; 4]> = layouts.collect::<Result<_, Error>>()?;
        let operand = |(access, layout): (&super::plan::Access, _)| {
            let data = if access.tensor == self.over.tensor { aside.as_ref() } else { read(access.tensor) };
            let mut operand = Operand::new(data, layout);
            operand.conjugate = access.conjugate;
            operand
        };
        let operands: SmallVec<[Operand<'_>; 4]> = inputs.iter().zip(&layouts).map(operand).collect();
        let nest = LoopNest::new(self.extents.to_vec(), self.extents.len());
        device.map(&nest, self.program, Reduction::Sum, functions, &operands, Output::new(output, &own))?;
        Ok(len)
    }
}
