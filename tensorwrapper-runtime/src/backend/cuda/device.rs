//! The backend over any driver: single operations, whose operands come from the host and whose result goes back to it. What no
//! kernel does (functions of the program's, linear algebra) the processor does.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use num_complex::Complex;

use super::copies::There;
use super::driver::{Driver, Region, queue};
use super::gemm::multiplied;
use super::text::{Fold, Input, Launches, Route, contracted, folded};
use crate::backend::contraction::{Apart, reach};
use crate::backend::cpu::Cpu;
use crate::backend::{
    Contraction, Decomposition, Device, LoopNest, Operand, Output, PreparedContraction, Program, Reduction, Resident,
    RunContraction,
};
use crate::callback::Callback;
use crate::element::{Element, dispatch};
use crate::erased::{SliceMut, SliceRef};
use crate::error::Error;
use crate::layout::Strided;

/// A device that computes by generated kernels.
#[derive(Debug)]
pub(crate) struct Cuda<D: Driver> {
    pub(super) driver: Arc<D>,
    pub(super) route: Route,
    /// Whether products in single precision may be computed from fewer bits.
    tf32: bool,
}

impl<D: Driver> Cuda<D> {
    /// The device that a driver drives.
    pub(super) fn new(driver: Arc<D>, route: Route) -> Cuda<D> {
        Cuda { driver, route, tf32: false }
    }

    /// How a contraction is computed: by a library where there is one and it is worth it, else by generated kernels alone; `None` where
    /// what is computed then calls functions of the host's.
    fn contracted(&self, contraction: &Contraction<'_>) -> Option<Launches> {
        let by_library = self.driver.products().and_then(|_| multiplied(contraction, self.route, self.tf32));
        by_library.or_else(|| contracted(contraction, self.route))
    }

    /// Has all kernels of an operation made.
    fn make(&self, launches: &Launches) -> Result<(), Error> {
        launches.launches.iter().try_for_each(|launch| self.driver.prepare(&launch.kernel))
    }
}

impl<D: Driver> Clone for Cuda<D> {
    fn clone(&self) -> Cuda<D> {
        Cuda { driver: self.driver.clone(), route: self.route, tf32: self.tf32 }
    }
}

impl<D: Driver> Device for Cuda<D> {
    fn name(&self) -> &'static str {
        self.driver.name()
    }

    fn identity(&self) -> (&'static str, usize) {
        (if self.tf32 { "cuda with TF32" } else { self.driver.name() }, self.driver.number())
    }

    fn described(&self) -> String {
        format!("{} {}", self.identity().0, self.driver.number())
    }

    fn with_tf32(&self, tf32: bool) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Cuda { tf32, ..self.clone() }))
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        let kernel: Box<dyn RunContraction> = match (self.contracted(contraction), contraction.then) {
            (Some(launches), _) => {
                self.make(&launches)?;
                let inputs = contraction.factors.iter().chain(contraction.others).map(|(layout, _)| span(layout)).collect();
                let output = Written::new(contraction.output);
                Box::new(Ready { driver: self.driver.clone(), launches, inputs, output })
            }
            (None, Some(program)) => Box::new(Apart::new(Box::new(self.clone()), contraction, program)?),
            (None, None) => unreachable!("a sum of products calls no function of the host's"),
        };
        Ok(PreparedContraction::new(contraction, kernel))
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
        dispatch!(output.dtype(), T => reduction.check_over::<T>(nest))?;
        let input = |operand| {
            let operand: &Operand<'_> = operand;
            Input { layout: operand.layout(), dtype: operand.data().dtype(), conjugate: operand.conjugate }
        };
        let fold = Fold {
            nest,
            dtype: output.dtype(),
            inputs: inputs.iter().map(input).collect(),
            program,
            reduction,
            alpha: Complex::ONE,
            then: None,
            others: Vec::new(),
            output: output.layout(),
        };
        let Some(launches) = folded(&fold, self.route) else {
            return Cpu::default().map(nest, program, reduction, functions, inputs, output);
        };
        let spans: Vec<Range<usize>> = inputs.iter().map(|operand| span(operand.layout())).collect();
        let data: Vec<SliceRef<'_>> = inputs.iter().map(Operand::data).collect();
        let written = Written::new(output.layout());
        // SAFETY: operands and outputs lie inside their memory, which was checked when they were made.
        unsafe { run(&self.driver, &launches, (&data, &spans), (output.into_data(), &written)) }
    }

    fn resident(&self) -> Option<&dyn Resident> {
        Some(self)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        Cpu::default().factorise(call, inputs, outputs)
    }
}

/// A contraction, ready to run.
#[derive(Debug)]
pub(super) struct Ready<D: Driver> {
    driver: Arc<D>,
    launches: Launches,
    /// Which elements of each input are read.
    inputs: Vec<Range<usize>>,
    output: Written,
}

impl<D: Driver> Ready<D> {
    /// Its kernels.
    pub(super) fn launches(&self) -> &Launches {
        &self.launches
    }

    /// Whether the result has no element.
    pub(super) fn writes_nothing(&self) -> bool {
        self.output.elements.is_empty()
    }
}

impl<D: Driver> RunContraction for Ready<D> {
    fn own(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn library(&self) -> Option<&'static str> {
        self.launches.product.and_then(|_| self.driver.products())
    }

    fn work_space(&self) -> usize {
        self.launches.scratch
    }

    unsafe fn run(&self, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        // SAFETY: the caller's promise.
        unsafe { run(&self.driver, &self.launches, (inputs, &self.inputs), (output, &self.output)) }
    }
}

/// Which elements of an output's memory a kernel may write.
#[derive(Clone, Debug)]
struct Written {
    elements: Range<usize>,
    /// Whether it writes all of them; else the others are to stay as they are.
    all: bool,
}

impl Written {
    fn new(layout: &Strided) -> Written {
        let elements = span(layout);
        Written { all: elements.len() == layout.len(), elements }
    }
}

/// From the first element of the memory that a layout leads to, to behind the last.
fn span(layout: &Strided) -> Range<usize> {
    let start = layout.start();
    start..reach(layout).max(start)
}

/// Takes operands to the device, runs an operation there, and brings the result back.
///
/// # Safety
/// Inputs and output have these elements, of the types and with the layouts that the kernels were made for.
unsafe fn run<D: Driver>(
    driver: &Arc<D>,
    launches: &Launches,
    (inputs, spans): (&[SliceRef<'_>], &[Range<usize>]),
    (output, written): (SliceMut<'_>, &Written),
) -> Result<(), Error> {
    if written.elements.is_empty() {
        return Ok(());
    }
    let mut regions = Vec::with_capacity(inputs.len());
    let mut addresses = Vec::with_capacity(inputs.len());
    for (data, span) in inputs.iter().zip(spans) {
        let region = There::holding(driver, bytes(data.range(span.clone())))?;
        // Where the memory would begin whose part is there.
        addresses.push(region.address().wrapping_sub((span.start * data.dtype().size()) as u64));
        regions.push(region);
    }
    let size = output.dtype().size();
    let target = &mut bytes_mut(output)[written.elements.start * size..written.elements.end * size];
    let result = if written.all { Region::new(driver, target.len())? } else { Region::holding(driver, target)? };
    let start = result.address().wrapping_sub((written.elements.start * size) as u64);
    // SAFETY: as the caller promises; what the layouts lead to was uploaded, or is as large.
    unsafe { queue(driver, launches, &addresses, start) }?;
    result.read(target)
}

/// Elements as bytes.
pub(super) fn bytes(data: SliceRef<'_>) -> &[u8] {
    fn raw<T: Element>(data: &[T]) -> &[u8] {
        // SAFETY: elements are one or two floating-point numbers without gaps, and any of their bytes is a byte.
        unsafe { std::slice::from_raw_parts(data.as_ptr().cast(), size_of_val(data)) }
    }
    match data {
        SliceRef::F32(data) => raw(data),
        SliceRef::F64(data) => raw(data),
        SliceRef::C32(data) => raw(data),
        SliceRef::C64(data) => raw(data),
    }
}

/// The same to write.
pub(super) fn bytes_mut(data: SliceMut<'_>) -> &mut [u8] {
    fn raw<T: Element>(data: &mut [T]) -> &mut [u8] {
        // SAFETY: elements are one or two floating-point numbers without gaps, and any bytes are such numbers.
        unsafe { std::slice::from_raw_parts_mut(data.as_mut_ptr().cast(), size_of_val(data)) }
    }
    match data {
        SliceMut::F32(data) => raw(data),
        SliceMut::F64(data) => raw(data),
        SliceMut::C32(data) => raw(data),
        SliceMut::C64(data) => raw(data),
    }
}
