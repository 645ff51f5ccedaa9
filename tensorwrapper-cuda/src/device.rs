//! The backend over any driver. Single operations copy their operands from the host and their results back. What the device
//! cannot compute (user functions, and linear algebra without a library) is left to a host device.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use super::contraction::{CudaContraction, Options};
use super::driver::Driver;
use super::launch::{Written, run, span};
use super::linear;
use super::text::{Fold, Input, Route, fold_launches};
use tensorwrapper_core::backend::UnfusedEpilogue;
use tensorwrapper_core::backend::linear::copies;
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, DeviceCache, Factorised, KernelRequest, LoopNest, MemoryLocation, Operand, Output,
    PreparedContraction, Program, Reduction, Resident, RunContraction, TensorDescriptor,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{Dtype, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// A device that computes by generated kernels and NVIDIA's libraries.
#[derive(Debug)]
pub(crate) struct Cuda<D: Driver> {
    pub(crate) driver: Arc<D>,
    pub(crate) options: Options,
    /// Computes user functions, and linear algebra that no library has.
    pub(crate) host: Arc<dyn Device>,
}

impl<D: Driver> Cuda<D> {
    /// A device over this driver; `host` computes what is left to the host.
    pub(crate) fn new(driver: Arc<D>, route: Route, host: Arc<dyn Device>) -> Cuda<D> {
        Cuda { driver, options: Options { route, tf32: false, measures: true }, host }
    }

    fn with(&self, options: Options) -> Arc<dyn Device> {
        Arc::new(Cuda { driver: self.driver.clone(), options, host: self.host.clone() })
    }
}

impl<D: Driver> Device for Cuda<D> {
    fn name(&self) -> &'static str {
        self.driver.name()
    }

    fn identity(&self) -> (&'static str, usize) {
        let name = match (self.options.tf32, self.options.measures) {
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
        Some(self.with(Options { tf32, ..self.options }))
    }

    fn with_measuring(&self, measures: bool) -> Option<Arc<dyn Device>> {
        Some(self.with(Options { measures, ..self.options }))
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        let kernel: Box<dyn RunContraction> =
            match (CudaContraction::new(&*self.driver, self.options, contraction), contraction.then) {
                (Some(ready), _) => Box::new(ready),
                (None, Some(program)) => Box::new(UnfusedEpilogue::new(self, contraction, program)?),
                (None, None) => unreachable!("a contraction without an epilogue calls no function of the host"),
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
        let Some(launches) = fold_launches(&fold, self.options.route) else {
            return self.host.map(nest, program, reduction, functions, inputs, output);
        };
        self.driver.prepare(&launches.kernels().collect::<Vec<_>>())?;
        let spans: Vec<Range<usize>> = inputs.iter().map(|operand| span(operand.layout())).collect();
        let data: Vec<SliceRef<'_>> = inputs.iter().map(Operand::data).collect();
        let written = Written::new(output.layout());
        // SAFETY: operands and outputs were checked to lie inside their memory when they were constructed.
        unsafe { run(&self.driver, &launches, (&data, &spans), (output.into_data(), &written)) }
    }

    fn resident(&self) -> Option<&dyn Resident> {
        Some(self)
    }

    fn own(&self) -> Option<&dyn Any> {
        Some(&self.driver)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        let arguments: Vec<Strided> = inputs.iter().map(|input| input.layout().clone()).collect();
        let results: Vec<Strided> = outputs.iter().map(|output| output.layout().clone()).collect();
        let [of_arguments, of_results] = [&arguments, &results].map(|layouts| layouts.iter().collect::<Vec<_>>());
        if self.factors_by(call, inputs[0].data().dtype(), &of_arguments, &of_results).is_none() {
            return self.host.factorise(call, inputs, outputs);
        }
        let sources: Vec<SliceRef<'_>> = inputs.iter().map(Operand::data).collect();
        let mut targets: Vec<SliceMut<'_>> = outputs.into_iter().map(Output::into_data).collect();
        let argument =
            |(n, layout): (usize, _)| TensorDescriptor { dtype: sources[n].dtype(), layout, conjugate: inputs[n].conjugate };
        let result = |(n, layout): (usize, _)| TensorDescriptor { dtype: SliceMut::dtype(&targets[n]), layout, conjugate: false };
        let read = arguments.iter().enumerate().map(argument).collect();
        let written = results.iter().enumerate().map(result).collect();
        let factorised = Factorised { call, inputs: read, outputs: written, cache: &DeviceCache::new() };
        self.make(&[KernelRequest::Factorise(factorised.clone())])?;
        let sizes: Vec<usize> = targets.iter().map(|target| target.len() * target.dtype().size()).collect();
        let mut session = self.session(&sources, &sizes, false)?;
        let location = |memory: usize| MemoryLocation { memory, start: 0 };
        // Elements that the layout does not reach must keep their values.
        for (n, target) in targets.iter().enumerate() {
            session.write(target.as_ref(), location(sources.len() + n))?;
        }
        let locations: Vec<MemoryLocation> = (0..sources.len() + targets.len()).map(location).collect();
        let (read, written) = locations.split_at(sources.len());
        let done = session.factorise(&factorised, read, written)?;
        assert!(done, "`factors_by` said that the device does it");
        let mut targets = targets.iter_mut().enumerate();
        targets.try_for_each(|(n, target)| session.read(location(sources.len() + n), target.reborrow()))
    }

    fn factors_by(
        &self,
        call: &Decomposition,
        dtype: Dtype,
        arguments: &[&Strided],
        results: &[&Strided],
    ) -> Option<&'static str> {
        self.driver.linalg_library().filter(|_| linear::has(call, dtype, arguments, results))
    }

    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        match self.driver.linalg_library().filter(|_| linear::knows(call.kind)) {
            Some(_) => linear::space(call, dtype, extents, operands),
            None => copies(call, dtype, extents, operands),
        }
    }
}
