//! Sums of products, prepared: a device decides how to compute one when all but the memory is known, and runs it on memory as
//! often as it is asked to.
//!
//! Whether the memory is as large as the layouts reach is checked here, once a run, so that no kernel checks it again.

use std::any::Any;
use std::fmt::Debug;

use num_complex::Complex;
use smallvec::SmallVec;

use super::{Device, LoopNest, Operand, Output, Program, Reduction};
use crate::element::Dtype;
use crate::erased::{Buffer, SliceMut, SliceRef};
use crate::error::Error;
use crate::layout::Strided;

/// `output[o] = alpha · Σ over the reduced axes of Π factors`, any number of factors (none: the empty product).
#[derive(Clone, Copy, Debug)]
pub struct Contraction<'a> {
    /// The iteration space.
    pub nest: &'a LoopNest,
    /// What the sum is multiplied by.
    pub alpha: Complex<f64>,
    /// The element type of factors and output.
    pub dtype: Dtype,
    /// Where the factors lie, their extents those of the whole space, and which of them are conjugated as they are read.
    pub factors: &'a [(&'a Strided, bool)],
    /// Where the output lies; its extents are those of the kept axes.
    pub output: &'a Strided,
    /// What is computed with each element then: a program of which the sum is the first input. The other ones lie as factors do,
    /// and depend on no reduced axis.
    pub then: Option<&'a Program>,
    pub others: &'a [(&'a Strided, bool)],
}

/// What a device has made of a contraction.
pub trait RunContraction: Debug + Send + Sync {
    /// Bytes that it takes while it runs, beside what threads keep for all their products.
    fn work_space(&self) -> usize {
        0
    }

    /// What a device with memory of its own knows again in its sessions.
    fn own(&self) -> Option<&dyn Any> {
        None
    }

    /// The library that computes the product, where it is not a kernel of the device's own.
    fn library(&self) -> Option<&'static str> {
        None
    }

    /// Whether it was chosen because it was the quickest of several when they were measured.
    fn is_measured(&self) -> bool {
        false
    }

    /// Computes it on the device that it was prepared for, or on one of the same name and number: what is prepared holds no device, because
    /// plans are kept longer than those. The output is overwritten whole, whatever it held.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Safety
    /// There are as many factors and other inputs behind them as were prepared for, all memory is of the element type that was,
    /// and every position that the layouts lead to lies inside.
    unsafe fn run(&self, device: &dyn Device, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error>;
}

/// A contraction that was prepared for a device.
#[derive(Debug)]
pub struct PreparedContraction {
    kernel: Box<dyn RunContraction>,
    dtype: Dtype,
    /// Number of elements that each factor's memory must have, and that of each other input of what is computed then.
    factors: SmallVec<[usize; 2]>,
    /// Number of elements that the output's memory must have.
    output: usize,
}

impl PreparedContraction {
    /// Puts what a device has made of a contraction together with what it needs of memory.
    pub fn new(contraction: &Contraction<'_>, kernel: Box<dyn RunContraction>) -> PreparedContraction {
        PreparedContraction {
            kernel,
            dtype: contraction.dtype,
            factors: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| reach(layout)).collect(),
            output: reach(contraction.output),
        }
    }

    /// Bytes that it takes while it runs, beside what threads keep for all their products.
    pub fn work_space(&self) -> usize {
        self.kernel.work_space()
    }

    /// The library that computes the product, where it is not a kernel of the device's own.
    pub fn library(&self) -> Option<&'static str> {
        self.kernel.library()
    }

    /// Whether it was chosen because it was the quickest of several when they were measured.
    pub fn is_measured(&self) -> bool {
        self.kernel.is_measured()
    }

    /// What a device with memory of its own has made of it.
    pub fn own(&self) -> Option<&dyn Any> {
        self.kernel.own()
    }

    /// Bytes of memory that each factor and other input must have, and the output.
    pub fn needs(&self) -> (SmallVec<[usize; 2]>, usize) {
        let size = self.dtype.size();
        (self.factors.iter().map(|elements| elements * size).collect(), self.output * size)
    }

    /// Computes it on the device that it was prepared for, or on one of the same name and number.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Panics
    /// When the memory is of another element type than was prepared for, or too small. Kernels rely on this check.
    pub fn run(&self, device: &dyn Device, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let fits = |(data, &reach): (&SliceRef<'_>, &usize)| data.dtype() == self.dtype && data.len() >= reach;
        assert!(
            factors.len() == self.factors.len() && factors.iter().zip(&self.factors).all(fits),
            "factors lie as prepared for"
        );
        assert!(output.dtype() == self.dtype && output.len() >= self.output, "the output lies as prepared for");
        // SAFETY: number, element types and lengths were just compared with what the kernel was made for.
        unsafe { self.kernel.run(device, factors, output) }
    }
}

/// A contraction and what is computed then, one after the other: what a device does that cannot do both at once.
#[derive(Debug)]
pub struct UnfusedEpilogue {
    /// The sum alone, in C order.
    product: PreparedContraction,
    sum: Strided,
    nest: LoopNest,
    program: Program,
    /// Where the other inputs lie, how much memory they need, and whether they are conjugated.
    others: Vec<(Strided, usize, bool)>,
    output: (Strided, usize),
}

/// How many elements a layout of a kernel needs of its memory.
pub fn reach(layout: &Strided) -> usize {
    layout.reach().expect("layouts of a kernel start inside their memory")
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
        Ok(UnfusedEpilogue { product, sum, nest, program: program.clone(), others, output })
    }
}

impl RunContraction for UnfusedEpilogue {
    fn work_space(&self) -> usize {
        self.product.work_space().saturating_add(self.sum.len().saturating_mul(self.product.dtype.size()))
    }

    unsafe fn run(&self, device: &dyn Device, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let (factors, others) = inputs.split_at(inputs.len() - self.others.len());
        let mut sum = Buffer::for_results(output.dtype(), self.sum.len())?;
        self.product.run(device, factors, sum.as_mut())?;
        let mut operands: SmallVec<[Operand<'_>; 4]> = SmallVec::new();
        operands.push(Operand::new(sum.as_ref(), &self.sum));
        let known = others.iter().zip(&self.others);
        operands.extend(known.map(|(&data, (layout, reach, conjugate))| Operand::reaching(data, layout, *reach, *conjugate)));
        let output = Output::reaching(output, &self.output.0, self.output.1);
        device.map(&self.nest, &self.program, Reduction::Sum, &[], &operands, output)
    }
}
