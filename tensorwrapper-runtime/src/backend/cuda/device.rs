//! The backend over any driver: single operations, whose operands come from the host and whose result goes back to it. What no
//! kernel does (functions of the program's, linear algebra) the processor does.

use std::any::Any;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use super::choice::{Chosen, Key, Way};
use super::copies::There;
use super::driver::{Address, Driver, Region, queue};
use super::gemm::{multiplied, permuted};
use super::linear;
use super::text::{Fold, Input, Launches, Route, contracted, folded};
use crate::backend::contraction::{Apart, reach};
use crate::backend::cpu::Cpu;
use crate::backend::linear::copies;
use crate::backend::{
    Contraction, Decomposition, Device, Factorised, Found, LoopNest, Operand, Output, PreparedContraction, Program, Reduction,
    Resident, RunContraction, Seen, Site,
};
use crate::callback::Callback;
use crate::element::{Dtype, Element, dispatch};
use crate::erased::{SliceMut, SliceRef};
use crate::error::{Error, ErrorKind};
use crate::layout::Strided;

/// A device that computes by generated kernels.
#[derive(Debug)]
pub(crate) struct Cuda<D: Driver> {
    pub(super) driver: Arc<D>,
    pub(super) route: Route,
    /// Whether products in single precision may be computed from fewer bits.
    tf32: bool,
    /// Whether ways to compute a product are measured, or chosen by its size alone.
    measures: bool,
}

impl<D: Driver> Cuda<D> {
    /// The device that a driver drives.
    pub(super) fn new(driver: Arc<D>, route: Route) -> Cuda<D> {
        Cuda { driver, route, tf32: false, measures: true }
    }

    /// How a contraction is computed: by a library where there is one and it is worth it, else by generated kernels alone; `None` where
    /// what is computed then calls functions of the host's.
    fn contracted(&self, contraction: &Contraction<'_>) -> Result<Option<Chosen>, Error> {
        let library = self.driver.products().and_then(|_| multiplied(contraction, self.route, self.tf32));
        let points = contraction.nest.extents().iter().map(|&extent| extent as u128).product();
        if self.measures && self.driver.products().is_some() && self.driver.is_measured(points) {
            let library = library.clone().or_else(|| multiplied(contraction, Route::Library, self.tf32));
            let ways = [
                (Way::Library, library),
                (Way::Permuted, permuted(contraction, self.route, self.tf32)),
                (Way::Kernels, contracted(contraction, self.route)),
            ];
            let ways: Vec<(Way, Launches)> = ways.into_iter().filter_map(|(way, launches)| Some((way, launches?))).collect();
            if let Some(launches) = self.measured(contraction, ways)? {
                return Ok(Some(Chosen { launches, is_measured: true }));
            }
        }
        let launches = library.or_else(|| contracted(contraction, self.route));
        Ok(launches.map(|launches| Chosen { launches, is_measured: false }))
    }

    /// The quickest of several ways, by what was measured before or is now; `None` where there is no choice, or no memory to measure in.
    fn measured(&self, contraction: &Contraction<'_>, mut ways: Vec<(Way, Launches)>) -> Result<Option<Launches>, Error> {
        if ways.len() < 2 {
            return Ok(None);
        }
        let place = |wanted: Way| ways.iter().position(|(way, _)| *way == wanted);
        let (mut choices, key) = (self.driver.choices().open(), Key::new(contraction, self.tf32));
        let chosen = match choices.find(key).and_then(place) {
            Some(known) => known,
            None => match self.race(contraction, &ways) {
                // A way that is none of these is of a file that is not right.
                Ok(quickest) => place(choices.note(key, ways[quickest].0)).unwrap_or(quickest),
                Err(error) if matches!(error.kind(), ErrorKind::Memory { .. }) => return Ok(None),
                Err(error) => return Err(error),
            },
        };
        Ok(Some(ways.swap_remove(chosen).1))
    }

    /// Runs all ways over memory of their own; which is the quickest, the first of equals.
    fn race(&self, contraction: &Contraction<'_>, ways: &[(Way, Launches)]) -> Result<usize, Error> {
        let inputs = contraction.factors.iter().chain(contraction.others).map(|(layout, _)| *layout);
        let room = |layout: &Strided| -> Result<Region<D>, Error> {
            let region = Region::new(&self.driver, reach(layout) * contraction.dtype.size())?;
            // SAFETY: there are so many bytes.
            unsafe { self.driver.clear(region.address(), region.bytes()) }?;
            Ok(region)
        };
        let inputs = inputs.map(room).collect::<Result<Vec<_>, Error>>()?;
        let output = room(contraction.output)?;
        let addresses: Vec<Address> = inputs.iter().map(Region::address).collect();
        let mut times = Vec::with_capacity(ways.len());
        self.make(ways.iter().map(|(_, launches)| launches))?;
        for (way, launches) in ways {
            let scratch = Region::new(&self.driver, launches.scratch)?;
            // SAFETY: all memory is as large as the layouts reach that the launches were made for.
            let mut work = || unsafe { queue(&*self.driver, launches, &addresses, output.address(), scratch.address()) };
            times.push(self.driver.timed(*way, &mut work)?);
        }
        let quickest = (0..times.len()).min_by(|&a, &b| times[a].total_cmp(&times[b]));
        Ok(quickest.expect("there are two ways at least"))
    }

    /// Has all kernels of operations made.
    fn make<'l>(&self, launches: impl IntoIterator<Item = &'l Launches>) -> Result<(), Error> {
        self.driver.prepare(&launches.into_iter().flat_map(Launches::kernels).collect::<Vec<_>>())
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
        let kernel: Box<dyn RunContraction> = match (self.contracted(contraction)?, contraction.then) {
            (Some(Chosen { launches, is_measured }), _) => {
                self.make([&launches])?;
                let inputs = contraction.factors.iter().chain(contraction.others).map(|(layout, _)| span(layout)).collect();
                let output = Written::new(contraction.output);
                let library = launches.product.and_then(|_| self.driver.products());
                Box::new(Ready { launches, library, is_measured, inputs, output, _driver: PhantomData::<fn(D)> })
            }
            (None, Some(program)) => Box::new(Apart::new(self, contraction, program)?),
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
        self.make([&launches])?;
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
        let sizes: Vec<usize> = targets.iter().map(|target| target.len() * target.dtype().size()).collect();
        let mut session = self.session(&sources, &sizes, false)?;
        let site = |memory: usize| Site { memory, start: 0 };
        // What no position leads to is to stay as it is.
        for (n, target) in targets.iter().enumerate() {
            session.write(target.as_ref(), site(sources.len() + n))?;
        }
        let argument = |(n, layout)| Seen { site: site(n), dtype: sources[n].dtype(), layout, conjugate: inputs[n].conjugate };
        let read: Vec<Seen<'_>> = arguments.iter().enumerate().map(argument).collect();
        let result = |(n, layout)| {
            let (site, target): (Site, &SliceMut<'_>) = (site(sources.len() + n), &targets[n]);
            Seen { site, dtype: target.dtype(), layout, conjugate: false }
        };
        let written: Vec<Seen<'_>> = results.iter().enumerate().map(result).collect();
        let done = session.factorise(&Factorised { call, inputs: &read, outputs: &written, found: &Found::new() })?;
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

/// A contraction, ready to run.
#[derive(Debug)]
pub(super) struct Ready<D: Driver> {
    launches: Launches,
    /// The library that has its product, if one has.
    library: Option<&'static str>,
    is_measured: bool,
    /// Which elements of each input are read.
    inputs: Vec<Range<usize>>,
    output: Written,
    /// Of such a driver, none of which it keeps open.
    _driver: PhantomData<fn(D)>,
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
        self.library
    }

    fn is_measured(&self) -> bool {
        self.is_measured
    }

    fn work_space(&self) -> usize {
        self.launches.scratch
    }

    unsafe fn run(&self, device: &dyn Device, inputs: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let own = device.own().and_then(|own| own.downcast_ref::<Cuda<D>>());
        let driver = &own.expect("a contraction runs on a device as it was prepared for").driver;
        // SAFETY: the caller's promise.
        unsafe { run(driver, &self.launches, (inputs, &self.inputs), (output, &self.output)) }
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
