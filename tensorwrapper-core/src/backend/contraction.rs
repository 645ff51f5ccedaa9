//! Contractions: a device decides how to compute one when layouts and extents are known, and runs it later on any memory.
//!
//! Each run checks here that the memory is as large as the layouts need, so that kernels do not check it again.
//!
//! A program over a whole product that nothing else reads is part of its contraction: its epilogue. Devices that cannot compute both at
//! once use `UnfusedEpilogue`, which runs one after the other and defines the result.

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

/// `output[o] = alpha · Σ over the reduced axes of Π factors`. There may be any number of factors; without factors the product is 1.
#[derive(Clone, Copy, Debug)]
pub struct Contraction<'a> {
    /// The iteration space.
    pub nest: &'a LoopNest,
    /// The number that the sum is multiplied by.
    pub alpha: Complex<f64>,
    /// The element type of factors and output.
    pub dtype: Dtype,
    /// The layouts of the factors over the whole space, and which factors are conjugated as they are read.
    pub factors: &'a [(&'a Strided, bool)],
    /// The layout of the output over the axes that are kept.
    pub output: &'a Strided,
    /// The epilogue, computed with each sum: a program whose first input is the sum, and whose others are `others`.
    pub then: Option<&'a Program>,
    /// The layouts of the other inputs of the epilogue, and which of them are conjugated, as in `factors`. They do not depend on reduced
    /// axes.
    pub others: &'a [(&'a Strided, bool)],
}

/// The methods of a device that a prepared contraction may call when it runs. Every [`Device`](super::Device) implements them.
pub trait KernelContext {
    /// [`Device::own`](super::Device::own): the state that kernels need of a device with memory of its own.
    fn device_state(&self) -> Option<&dyn Any>;

    /// [`Device::map`](super::Device::map) over the elements of the output, without reduced axes and without functions of the program.
    ///
    /// # Errors
    /// As [`Device::map`](super::Device::map).
    fn map_elements(&self, nest: &LoopNest, program: &Program, inputs: &[Operand<'_>], output: Output<'_>) -> Result<(), Error>;
}

/// A kernel that a device has chosen for a contraction.
pub trait RunContraction: Debug + Send + Sync {
    /// Bytes of work space that a run needs, not counting the buffers that each thread keeps for all products.
    fn work_space(&self) -> usize {
        0
    }

    /// The kernel in a type that only its device knows. A device with memory of its own downcasts it in its sessions.
    fn own(&self) -> Option<&dyn Any> {
        None
    }

    /// The library that computes the product; `None` if a kernel of the device computes it.
    fn library(&self) -> Option<&'static str> {
        None
    }

    /// How the device computes the product, in a few words, such as `packed in blocks`; `None` if there is no choice to speak of.
    fn method(&self) -> Option<&'static str> {
        None
    }

    /// Whether it was chosen by measuring several kernels.
    fn is_measured(&self) -> bool {
        false
    }

    /// Computes the contraction on the device that it was prepared for, or on another one of the same
    /// [identity](super::Device::identity). The kernel holds no device, because plans outlive devices. Every element of the output is
    /// written.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Safety
    /// `factors` holds the memory of the factors, followed by that of the epilogue's other inputs, as many as the contraction was
    /// prepared for. All memory has the element type that the contraction was prepared for, and every position of the layouts lies inside
    /// it.
    unsafe fn run(&self, device: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error>;
}

/// A contraction that a device has prepared.
#[derive(Debug)]
pub struct PreparedContraction {
    kernel: Box<dyn RunContraction>,
    dtype: Dtype,
    /// The number of elements that the memory of each factor must have, followed by those of the epilogue's other inputs.
    factors: SmallVec<[usize; 2]>,
    /// Number of elements that the output's memory must have.
    output: usize,
}

impl PreparedContraction {
    /// A device's kernel for a contraction, together with the number of elements that each of the contraction's layouts needs.
    #[inline]
    pub fn new(contraction: &Contraction<'_>, kernel: Box<dyn RunContraction>) -> PreparedContraction {
        PreparedContraction {
            kernel,
            dtype: contraction.dtype,
            factors: contraction.factors.iter().chain(contraction.others).map(|(layout, _)| reach(layout)).collect(),
            output: reach(contraction.output),
        }
    }

    /// Bytes of work space that a run needs, not counting the buffers that each thread keeps for all products.
    pub fn work_space(&self) -> usize {
        self.kernel.work_space()
    }

    /// The library that computes the product; `None` if a kernel of the device computes it.
    pub fn library(&self) -> Option<&'static str> {
        self.kernel.library()
    }

    /// How the device computes the product, in a few words; `None` if there is no choice to speak of.
    pub fn method(&self) -> Option<&'static str> {
        self.kernel.method()
    }

    /// Whether it was chosen by measuring several kernels.
    pub fn is_measured(&self) -> bool {
        self.kernel.is_measured()
    }

    /// [`RunContraction::own`] of its kernel.
    pub fn own(&self) -> Option<&dyn Any> {
        self.kernel.own()
    }

    /// Bytes of memory that are needed: for each factor and each other input of the epilogue, and for the output.
    pub fn needs(&self) -> (SmallVec<[usize; 2]>, usize) {
        let size = self.dtype.size();
        (self.factors.iter().map(|elements| elements * size).collect(), self.output * size)
    }

    /// Computes the contraction on the device that it was prepared for, or on another one of the same
    /// [identity](super::Device::identity).
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Panics
    /// When memory has another element type than the contraction was prepared for, or is too small. Kernels rely on this check.
    #[inline]
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

/// The number of elements that memory must have for a kernel's layout.
#[inline]
pub fn reach(layout: &Strided) -> usize {
    layout.reach().expect("layouts of a kernel start inside their memory")
}
