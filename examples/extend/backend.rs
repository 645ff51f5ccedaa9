//! A backend: the processor's, with a line for each call and a count of the multiplications of its products.
//!
//! A device prepares contractions, and runs element-wise programs and operations of linear algebra. This one hands everything to
//! another device and writes down what it hands on.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tensorwrapper::backend::{
    Callback, Contraction, Cpu, Decomposition, Device, KernelContext, LoopNest, Operand, Output, PreparedContraction, Program,
    Reduction, RunContraction, SliceMut, SliceRef,
};
use tensorwrapper::{Dtype, Error};

/// The processor's device, which counts. Clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Counting {
    inner: Arc<Cpu>,
    count: Arc<AtomicU64>,
}

impl Counting {
    /// One that has counted nothing yet.
    pub(crate) fn new() -> Counting {
        Counting { inner: Arc::new(Cpu::new(Some(1))), count: Arc::new(AtomicU64::new(0)) }
    }

    /// Multiplications of all products so far.
    pub(crate) fn multiplications(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }
}

impl Device for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    /// The kernels of the processor's device look for that device.
    fn own(&self) -> Option<&dyn Any> {
        self.inner.own()
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        let kernel = Counted {
            kernel: self.inner.prepare(contraction)?,
            multiplications: contraction.nest.extents().iter().map(|&extent| extent as u64).product(),
            count: Arc::clone(&self.count),
        };
        Ok(PreparedContraction::new(contraction, Box::new(kernel)))
    }

    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        self.inner.factor_space(call, dtype, extents, operands)
    }

    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        println!("    map of {} instructions over {:?}", program.instructions().len(), nest.extents());
        self.inner.map(nest, program, reduction, functions, inputs, output)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        println!("    {} of {:?}", call.kind.name(), inputs[0].layout().extents());
        self.inner.factorise(call, inputs, outputs)
    }
}

/// What the processor has made of a contraction.
#[derive(Debug)]
struct Counted {
    kernel: PreparedContraction,
    multiplications: u64,
    count: Arc<AtomicU64>,
}

impl RunContraction for Counted {
    fn work_space(&self) -> usize {
        self.kernel.work_space()
    }

    // Whether the memory is what was prepared for is checked before this is called, and again by the inner contraction.
    unsafe fn run(&self, device: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        println!("    contraction of {} multiplications, factors: {}", self.multiplications, factors.len());
        self.count.fetch_add(self.multiplications, Ordering::Relaxed);
        self.kernel.run(device, factors, output)
    }
}
