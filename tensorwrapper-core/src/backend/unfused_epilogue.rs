//! A contraction and its epilogue as two operations: for devices whose kernel cannot do both at once.

use smallvec::SmallVec;

use super::contraction::{Contraction, KernelContext, PreparedContraction, RunContraction, reach};
use super::device::Device;
use super::operand::{LoopNest, Operand, Output};
use super::program::Program;
use crate::element::Dtype;
use crate::error::Error;
use crate::layout::Strided;
use crate::storage::{Buffer, SliceMut, SliceRef};

/// A contraction into a buffer, then its epilogue over the buffer.
#[derive(Debug)]
pub struct UnfusedEpilogue {
    /// The sum alone, in C order.
    product: PreparedContraction,
    dtype: Dtype,
    sum: Strided,
    nest: LoopNest,
    program: Program,
    /// Where the other inputs lie, how much memory they need, and whether they are conjugated.
    others: Vec<(Strided, usize, bool)>,
    output: (Strided, usize),
}

impl UnfusedEpilogue {
    /// Prepares both for a device.
    ///
    /// # Errors
    /// As [`Device::prepare`].
    pub fn new(device: &dyn Device, contraction: &Contraction<'_>, program: &Program) -> Result<UnfusedEpilogue, Error> {
        let kept = contraction.nest.kept();
        let extents = &contraction.nest.extents()[..kept];
        let sum = Strided::row_major(extents)?;
        let product = device.prepare(&Contraction { output: &sum, then: None, others: &[], ..*contraction })?;
        let other = |&(layout, conjugate): &(&Strided, bool)| {
            let layout = Strided::within(extents, &layout.strides()[..kept], layout.offset(), usize::MAX)?;
            let reach = reach(&layout);
            Ok((layout, reach, conjugate))
        };
        let others = contraction.others.iter().map(other).collect::<Result<_, Error>>()?;
        let nest = LoopNest::new(extents.to_vec(), kept);
        let output = (contraction.output.clone(), reach(contraction.output));
        Ok(UnfusedEpilogue { product, dtype: contraction.dtype, sum, nest, program: program.clone(), others, output })
    }
}

impl RunContraction for UnfusedEpilogue {
    fn work_space(&self) -> usize {
        self.product.work_space().saturating_add(self.sum.len().saturating_mul(self.dtype.size()))
    }

    unsafe fn run(&self, device: &dyn KernelContext, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let (factors, others) = inputs.split_at(inputs.len() - self.others.len());
        let mut sum = Buffer::for_results(output.dtype(), self.sum.len())?;
        self.product.run(device, factors, sum.as_mut())?;
        let mut operands: SmallVec<[Operand<'_>; 4]> = SmallVec::new();
        operands.push(Operand::new(sum.as_ref(), &self.sum));
        let known = others.iter().zip(&self.others);
        operands.extend(known.map(|(&data, (layout, reach, conjugate))| Operand::reaching(data, layout, *reach, *conjugate)));
        let output = Output::reaching(output, &self.output.0, self.output.1);
        device.map_elements(&self.nest, &self.program, &operands, output)
    }
}
