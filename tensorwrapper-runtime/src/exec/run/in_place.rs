//! Element-wise work that overwrites one of its operands, block by block: each block of the operand is copied to a buffer that
//! fits in a cache, and then overwritten. This file must not know what is computed.

use smallvec::SmallVec;

use crate::exec::plan::{Access, InPlace, Kernel, Work};
use tensorwrapper_core::backend::{Device, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::TensorId;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{Buffer, SliceMut, SliceRef};

impl InPlace {
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
            let block = Block { in_place: self, kernel, program, index: &index, extents: &extents };
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
    in_place: &'b InPlace,
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
        let layouts = inputs.iter().map(|access| match access.tensor == self.in_place.tensor {
            true => Ok(own.clone()),
            false => lies(&access.layout),
        });
        let layouts: SmallVec<[Strided; 4]> = layouts.collect::<Result<_, Error>>()?;
        let operand = |(access, layout): (&Access, _)| {
            let data = if access.tensor == self.in_place.tensor { aside.as_ref() } else { read(access.tensor) };
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
