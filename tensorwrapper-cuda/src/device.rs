//! The backend over any driver: single operations, whose operands come from the host and whose result goes back to it. What no
//! kernel does (functions of the program's, linear algebra) the processor does.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::copies::There;
use super::driver::{Address, Driver, Region, queue};
use super::linear;
use super::ready::Ready;
use super::text::{Fold, Input, Launches, Route, folded};
use tensorwrapper_core::backend::contraction::{UnfusedEpilogue, reach};
use tensorwrapper_core::backend::linear::copies;
use tensorwrapper_core::backend::{
    Asked, Contraction, Decomposition, Device, Factorised, Found, LoopNest, Operand, Output, PreparedContraction, Program,
    Reduction, Resident, RunContraction, Seen, Site,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::erased::{SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_cpu::Cpu;

/// A device that computes by generated kernels.
#[derive(Debug)]
pub(crate) struct Cuda<D: Driver> {
    pub(super) driver: Arc<D>,
    pub(super) route: Route,
    /// Whether products in single precision may be computed from fewer bits.
    pub(super) tf32: bool,
    /// Whether ways to compute a product are measured, or chosen by its size alone.
    pub(super) measures: bool,
}

impl<D: Driver> Cuda<D> {
    /// The device that a driver drives.
    pub(super) fn new(driver: Arc<D>, route: Route) -> Cuda<D> {
        Cuda { driver, route, tf32: false, measures: true }
    }
}

impl<D: Driver> Clone for Cuda<D> {
    fn clone(&self) -> Cuda<D> {
        Cuda { driver: self.driver.clone(), route: self.route, tf32: self.tf32, measures: self.measures }
    }
}

impl<D: Driver> Device for Cuda<D> {
    fn name(&self) -> &'static str {
        self.driver.name()
    }

    fn identity(&self) -> (&'static str, usize) {
        let name = match (self.tf32, self.measures) {
            (false, true) => self.driver.name(),
            (true, true) => "cuda with TF32",
            (false, false) => "cuda by rule",
            (true, false) => "cuda with TF32 by rule",
        };
        (name, self.driver.number())
    }

    fn described(&self) -> String {
        format!("{} {}", self.identity().0, self.driver.number())
    }

    fn with_tf32(&self, tf32: bool) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Cuda { tf32, ..self.clone() }))
    }

    fn with_measuring(&self, measures: bool) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Cuda { measures, ..self.clone() }))
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        let kernel: Box<dyn RunContraction> = match (Ready::new(self, contraction), contraction.then) {
            (Some(ready), _) => Box::new(ready),
            (None, Some(program)) => Box::new(UnfusedEpilogue::new(self, contraction, program)?),
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
        let fold = Fold::map(nest, (program, reduction), inputs.iter().map(input).collect(), (output.layout(), output.dtype()));
        let Some(launches) = folded(&fold, self.route) else {
            return Cpu::default().map(nest, program, reduction, functions, inputs, output);
        };
        self.driver.prepare(&launches.kernels().collect::<Vec<_>>())?;
        let spans: Vec<Range<usize>> = inputs.iter().map(|operand| span(operand.layout())).collect();
        let data: Vec<SliceRef<'_>> = inputs.iter().map(Operand::data).collect();
        let written = Written::new(output.layout());
        // SAFETY: operands and outputs lie inside their memory, which was checked when they were made.
        unsafe { run(&self.driver, &launches, (&data, &spans), (output.into_data(), &written)) }
    }

    fn resident(&self) -> Option<&dyn Resident> {
        Some(self)
    }

    fn own(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        let arguments: Vec<Strided> = inputs.iter().map(|input| input.layout().clone()).collect();
        let results: Vec<Strided> = outputs.iter().map(|output| output.layout().clone()).collect();
        let [of_arguments, of_results] = [&arguments, &results].map(|layouts| layouts.iter().collect::<Vec<_>>());
        if self.factors_by(call, inputs[0].data().dtype(), &of_arguments, &of_results).is_none() {
            return Cpu::default().factorise(call, inputs, outputs);
        }
        let sources: Vec<SliceRef<'_>> = inputs.iter().map(Operand::data).collect();
        let mut targets: Vec<SliceMut<'_>> = outputs.into_iter().map(Output::into_data).collect();
        let argument = |(n, layout): (usize, _)| Seen { dtype: sources[n].dtype(), layout, conjugate: inputs[n].conjugate };
        let result = |(n, layout): (usize, _)| Seen { dtype: SliceMut::dtype(&targets[n]), layout, conjugate: false };
        let read = arguments.iter().enumerate().map(argument).collect();
        let written = results.iter().enumerate().map(result).collect();
        let factorised = Factorised { call, inputs: read, outputs: written, found: &Found::new() };
        self.make(&[Asked::Factorise(factorised.clone())])?;
        let sizes: Vec<usize> = targets.iter().map(|target| target.len() * target.dtype().size()).collect();
        let mut session = self.session(&sources, &sizes, false)?;
        let site = |memory: usize| Site { memory, start: 0 };
        // What no position leads to is to stay as it is.
        for (n, target) in targets.iter().enumerate() {
            session.write(target.as_ref(), site(sources.len() + n))?;
        }
        let sites: Vec<Site> = (0..sources.len() + targets.len()).map(site).collect();
        let (read, written) = sites.split_at(sources.len());
        let done = session.factorise(&factorised, read, written)?;
        assert!(done, "what the device has said to do is done");
        let mut targets = targets.iter_mut().enumerate();
        targets.try_for_each(|(n, target)| session.read(site(sources.len() + n), target.reborrow()))
    }

    fn factors_by(
        &self,
        call: &Decomposition,
        dtype: Dtype,
        arguments: &[&Strided],
        results: &[&Strided],
    ) -> Option<&'static str> {
        self.driver.solves().filter(|_| linear::has(call, dtype, arguments, results))
    }

    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        match self.driver.solves().filter(|_| linear::knows(call.kind)) {
            Some(_) => linear::space(call, dtype, extents, operands),
            None => copies(call, dtype, extents, operands),
        }
    }
}

/// Which elements of an output's memory a kernel may write.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) elements: Range<usize>,
    /// Whether it writes all of them; else the others are to stay as they are.
    all: bool,
}

impl Written {
    pub(super) fn new(layout: &Strided) -> Written {
        let elements = span(layout);
        Written { all: elements.len() == layout.len(), elements }
    }
}

/// From the first element of the memory that a layout leads to, to behind the last.
pub(super) fn span(layout: &Strided) -> Range<usize> {
    let start = layout.start();
    start..reach(layout).max(start)
}

/// Takes operands to the device, runs an operation there, and brings the result back.
///
/// # Safety
/// Inputs and output have these elements, of the types and with the layouts that the kernels were made for.
pub(super) unsafe fn run<D: Driver>(
    driver: &Arc<D>,
    launches: &Launches,
    (inputs, spans): (&[SliceRef<'_>], &[Range<usize>]),
    (output, written): (SliceMut<'_>, &Written),
) -> Result<(), Error> {
    if written.elements.is_empty() {
        return Ok(());
    }
    let parts: Vec<&[u8]> = inputs.iter().zip(spans).map(|(data, span)| bytes(data.range(span.clone()))).collect();
    let regions = There::all(driver, &parts)?;
    // Where the memory would begin whose part is there.
    let before = inputs.iter().zip(spans).map(|(data, span)| (span.start * data.dtype().size()) as u64);
    let addresses: Vec<Address> =
        regions.iter().zip(before).map(|(region, before)| region.address().wrapping_sub(before)).collect();
    let size = output.dtype().size();
    let target = &mut bytes_mut(output)[written.elements.start * size..written.elements.end * size];
    let result = if written.all { Region::new(driver, target.len())? } else { Region::holding(driver, target)? };
    let start = result.address().wrapping_sub((written.elements.start * size) as u64);
    let scratch = (launches.scratch > 0).then(|| Region::new(driver, launches.scratch)).transpose()?;
    let between = scratch.as_ref().map_or(0, Region::address);
    // SAFETY: as the caller promises; what the layouts lead to was uploaded, or is as large.
    unsafe { queue(&**driver, launches, &addresses, start, between) }?;
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
