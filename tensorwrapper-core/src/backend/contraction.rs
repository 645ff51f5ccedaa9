//! Contractions: a device decides how to compute one when layouts and extents are known, and runs it later on any memory.
//!
//! Each run checks here that the memory is as large as the layouts need, so that kernels do not check it again.
//!
//! A program over a whole product that nobody else reads is part of its contraction. A device takes it as an epilogue where it
//! can; else `UnfusedEpilogue` runs one after the other, which defines what it means.

use std::any::Any;
use std::fmt::Debug;

use num_complex::Complex;
use smallvec::SmallVec;

use super::operand::{LoopNest, Operand, Output};
use super::program::Program;
use crate::element::Dtype;
use crate::error::Error;
use crate::layout::Strided;
use crate::storage::{SliceMut, SliceRef};

/// `output[o] = alpha · Σ over the reduced axes of Π factors`, any number of factors (none: the empty product).
#[derive(Clone, Copy, Debug)]
pub struct Contraction<'a> {
    /// The iteration space.
    pub nest: &'a LoopNest,
    /// What the sum is multiplied by.
    pub alpha: Complex<f64>,
    /// The element type of factors and output.
    pub dtype: Dtype,
    /// The layouts of the factors over the whole space, and which factors are conjugated as they are read.
    pub factors: &'a [(&'a Strided, bool)],
    /// The layout of the output over the axes that are kept.
    pub output: &'a Strided,
    /// The epilogue, computed with each sum: a program whose first input is the sum, and whose others are `others`.
    pub then: Option<&'a Program>,
    /// The layouts of the other inputs of the epilogue, as of factors, and which are conjugated. They depend on no reduced axis.
    pub others: &'a [(&'a Strided, bool)],
}

/// What a prepared contraction may ask of the device that it runs on. Every [`Device`](super::Device) is one.
pub trait KernelContext {
    /// [`Device::own`](super::Device::own): what kernels of a device with memory of its own find it by.
    fn device_state(&self) -> Option<&dyn Any>;

    /// [`Device::map`](super::Device::map) over the elements of the output: without reduced axes and without functions of the program's.
    ///
    /// # Errors
    /// As [`Device::map`](super::Device::map).
    fn map_elements(&self, nest: &LoopNest, program: &Program, inputs: &[Operand<'_>], output: Output<'_>) -> Result<(), Error>;
}

/// A kernel that a device has chosen for a contraction.
pub trait RunContraction: Debug + Send + Sync {
    /// Bytes of work space for a run, without the buffers that each thread keeps for all products.
    fn work_space(&self) -> usize {
        0
    }

    /// What a device with memory of its own downcasts in its sessions.
    fn own(&self) -> Option<&dyn Any> {
        None
    }

    /// The library that computes the product, if it is not one of the device's kernels.
    fn library(&self) -> Option<&'static str> {
        None
    }

    /// Whether it was chosen by measuring several kernels.
    fn is_measured(&self) -> bool {
        false
    }

    /// Computes it on the device that it was prepared for, or on another of the same [identity](super::Device::identity): it holds no
    /// device, because plans outlive devices. Every element of the output is written.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Safety
    /// `factors` has the memory of the factors, then of the epilogue's other inputs, as many as were prepared for. All memory is of the
    /// element type that was prepared for, and every position of the layouts lies inside it.
    unsafe fn run(&self, device: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error>;
}

/// A contraction that a device has prepared.
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
    /// A device's kernel for a contraction, with the sizes of memory that the contraction's layouts need.
    pub fn new(contraction: &Contraction<'_>, kernel: Box<dyn RunContraction>) -> PreparedContraction {
        PreparedContraction {
            kernel,
            dtype: contraction.dtype,
            factors: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| reach(layout)).collect(),
            output: reach(contraction.output),
        }
    }

    /// Bytes of work space for a run, without the buffers that each thread keeps for all products.
    pub fn work_space(&self) -> usize {
        self.kernel.work_space()
    }

    /// The library that computes the product, if it is not one of the device's kernels.
    pub fn library(&self) -> Option<&'static str> {
        self.kernel.library()
    }

    /// Whether it was chosen by measuring several kernels.
    pub fn is_measured(&self) -> bool {
        self.kernel.is_measured()
    }

    /// [`RunContraction::own`] of its kernel.
    pub fn own(&self) -> Option<&dyn Any> {
        self.kernel.own()
    }

    /// Bytes of memory that each factor and other input must have, and the output.
    pub fn needs(&self) -> (SmallVec<[usize; 2]>, usize) {
        let size = self.dtype.size();
        (self.factors.iter().map(|elements| elements * size).collect(), self.output * size)
    }

    /// Computes it on the device that it was prepared for, or on another of the same [identity](super::Device::identity).
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Panics
    /// When the memory is of another element type than was prepared for, or too small. Kernels rely on this check.
    pub fn run(&self, device: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
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

/// How many elements a layout of a kernel needs of its memory.
pub fn reach(layout: &Strided) -> usize {
    layout.reach().expect("layouts of a kernel start inside their memory")
}
