//! The device: what the rest of the library calls, and how many threads it may use. Knows no kernel.

use std::sync::Arc;

use super::map::{self, flat};
use super::simd::Simd;
use super::strategy::Route;
use super::{contract, extremes, factorise, sums};
use tensorwrapper_core::backend::UnfusedEpilogue;
use tensorwrapper_core::backend::{
    BufferedSum, Contraction, Decomposition, Device, ElementWise, FindPlaces, LoopNest, Operand, Output, PreparedContraction,
    PreparedSum, Program, Reduction, RunContraction, RunMap, RunSum,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{Dtype, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// More threads than this are not used: each has memory of its own, and no machine has so many cores.
pub(crate) const MOST_THREADS: usize = 1024;

/// The processor.
///
/// Results are the same bit by bit in every run with the same number of threads.
#[derive(Clone, Debug)]
pub struct Cpu {
    threads: usize,
    route: Route,
}

impl Cpu {
    /// Uses so many threads, at least one and at most 1024; `None`: as many as the machine has cores.
    pub fn new(threads: Option<usize>) -> Cpu {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Cpu { threads: threads.unwrap_or_else(available).clamp(1, MOST_THREADS), route: Route::Chosen }
    }

    /// The vector instructions of what is no product. Every method asks, so that a wrong name is refused whatever is computed.
    ///
    /// # Errors
    /// A name in the environment that no form of the kernels has.
    fn simd(&self) -> Result<Simd, Error> {
        if let Route::Engine(simd) = self.route { Ok(simd) } else { Simd::chosen() }
    }

    /// One device for each set of instructions that this processor has.
    #[cfg(test)]
    pub(crate) fn forms() -> Vec<Cpu> {
        let available = Simd::ALL.into_iter().filter(|simd| simd.is_available());
        available.map(|simd| Cpu::forced(1, Route::Engine(simd))).collect()
    }

    /// A device whose products of two factors all go one way, and whose other loops use the engine's instructions.
    #[cfg(test)]
    pub(crate) fn forced(threads: usize, route: Route) -> Cpu {
        Cpu { threads, route }
    }
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new(None)
    }
}

impl Device for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn with_threads(&self, threads: usize) -> Option<Arc<dyn Device>> {
        Some(Arc::new(Cpu { threads: threads.clamp(1, MOST_THREADS), route: self.route }))
    }

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        self.simd()?;
        let kernel: Box<dyn RunContraction> = match contraction.then {
            None => dispatch!(contraction.dtype, T => Box::new(contract::prepare::<T>(self.threads, self.route, contraction)?)),
            Some(program) => {
                let fused: Option<Box<dyn RunContraction>> = dispatch!(contraction.dtype, T => {
                    contract::prepare_with_epilogue::<T>((self.threads, self.route), contraction, program)?.map(|ready| Box::new(ready) as _)
                });
                match fused {
                    Some(kernel) => kernel,
                    None => Box::new(UnfusedEpilogue::new(self, contraction, program)?),
                }
            }
        };
        Ok(PreparedContraction::new(contraction, kernel))
    }

    fn prepare_sum(&self, contraction: &Contraction<'_>) -> Result<PreparedSum, Error> {
        self.simd()?;
        let kernel: Option<Box<dyn RunSum>> =
            dispatch!(contraction.dtype, T => sums::prepare::<T>(self.route, contraction)?.map(|sum| Box::new(sum) as _));
        let kernel = match kernel {
            Some(kernel) => kernel,
            None => Box::new(BufferedSum::new(contraction, |product| self.prepare(product))?.begun_at_once(contraction)),
        };
        Ok(PreparedSum::new(contraction, kernel))
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
        dispatch!(output.dtype(), T => map::map_by::<T>(self.simd()?, self.threads, nest, (program, functions), reduction, inputs, output))
    }

    fn prepare_map(&self, work: &ElementWise<'_>) -> Option<Box<dyn RunMap>> {
        let simd = self.simd().ok()?;
        dispatch!(work.dtype, T => flat::prepare::<T>(simd, work))
    }

    fn places(&self) -> Option<&dyn FindPlaces> {
        Some(self)
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        factorise::factorise(self.simd()?, self.threads, call, inputs, outputs)
    }

    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        factorise::space(self.threads, call, dtype, extents, operands)
    }
}

impl FindPlaces for Cpu {
    fn find(
        &self,
        nest: &LoopNest,
        program: &Program,
        extreme: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error> {
        let (threads, values) = ((self.simd()?, self.threads), (program, functions));
        match output.dtype() {
            Dtype::F32 => extremes::find::<f32>(threads, nest, values, extreme, inputs, output),
            Dtype::F64 => extremes::find::<f64>(threads, nest, values, extreme, inputs, output),
            dtype => Err(Error::without_order(dtype)),
        }
    }

    fn space(&self, output: &Strided) -> usize {
        extremes::space(output)
    }
}
