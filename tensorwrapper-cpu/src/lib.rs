//! The fast device: all cores of this machine.
//!
//! Files by stage: `fuse` brings iteration spaces into normal form; `classify` sorts the axes of products, `contract` prepares
//! them and sends them to `direct` (dots, matrix times vector, …), to `beside` (small ones whose neighbours in memory belong to others), to `engine` (packed block by block from any strides, our own kernels), or to
//! `matrix` (small and plain matrices, and those whose neighbours in memory belong to others: cut by `split`, packed, then `gemm`);
//! `fixed` multiplies small matrices whose extents are constants, for straight code;
//! `map` runs element-wise programs, in the order that `loops` chooses, and where an input lies across in `blocks` of two axes or in
//! tiles of more that `cross` cuts; `fold` reduces; `evaluate` interprets programs that `ready` has
//! made into passes, in loops that `forms` compiles for the vector instructions; `permute`
//! copies; `factorise` decomposes matrices.

mod beside;
mod blocks;
mod classify;
mod contract;
mod copy;
mod cross;
mod direct;
mod engine;
mod evaluate;
pub mod factorise;
#[cfg(test)]
mod factorise_tests;
pub mod fixed;
mod fold;
mod forms;
mod gemm;
#[cfg(test)]
mod large_tests;
mod lines;
mod loops;
mod map;
mod matrix;
mod packed;
mod passes;
mod permute;
mod plain;
mod ready;
#[cfg(test)]
mod refusal_tests;
mod running;
mod sink;
mod small;
mod split;
mod stream;
mod tasks;
#[cfg(test)]
mod tests;
mod vector;

pub use copy::copy;

use tensorwrapper_core::backend::contraction::Apart;
use tensorwrapper_core::backend::{
    Contraction, Decomposition, Device, LoopNest, Operand, Output, PreparedContraction, Program, Reduction, RunContraction,
};
use tensorwrapper_core::callback::Callback;
use tensorwrapper_core::element::{Dtype, dispatch};
use tensorwrapper_core::error::Error;

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

/// Which way products of two factors go; anything but `Chosen` is for tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Route {
    /// By size and strides.
    #[default]
    Chosen,
    /// Dot products and scaled additions.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Direct,
    /// Matrix products by small tiles.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Tiles,
    /// Matrix products by the blocked kernel.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Blocked,
    /// Matrix products by the engine, in one form of its kernels.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Engine(engine::Simd),
    /// By the blocked kernel, with every operand packed and the result scattered.
    #[cfg_attr(not(test), allow(dead_code, reason = "forced in tests alone"))]
    Packed,
}

impl Cpu {
    /// Uses so many threads, at least one and at most [`MOST_THREADS`]; `None`: as many as the machine has cores.
    pub fn new(threads: Option<usize>) -> Cpu {
        let available = || std::thread::available_parallelism().map_or(1, usize::from);
        Cpu { threads: threads.unwrap_or_else(available).clamp(1, MOST_THREADS), route: Route::Chosen }
    }

    /// The vector instructions of what is no product. Every method asks, so that a wrong name is refused whatever is computed.
    ///
    /// # Errors
    /// A name in the environment that no form of the kernels has.
    fn simd(&self) -> Result<engine::Simd, Error> {
        if let Route::Engine(simd) = self.route { Ok(simd) } else { engine::Simd::chosen() }
    }

    /// One device for each set of instructions that this processor has.
    #[cfg(test)]
    pub(crate) fn forms() -> Vec<Cpu> {
        let available = engine::Simd::ALL.into_iter().filter(|simd| simd.is_available());
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

    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error> {
        self.simd()?;
        let kernel: Box<dyn RunContraction> = match contraction.then {
            None => dispatch!(contraction.dtype, T => Box::new(contract::prepare::<T>(self, contraction)?)),
            Some(program) => {
                let finished: Option<Box<dyn RunContraction>> = dispatch!(contraction.dtype, T => {
                    contract::prepare_finished::<T>(self, contraction, program)?.map(|ready| Box::new(ready) as _)
                });
                match finished {
                    Some(kernel) => kernel,
                    None => Box::new(Apart::new(self, contraction, program)?),
                }
            }
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
        dispatch!(output.dtype(), T => map::map_by::<T>(self.simd()?, self.threads, nest, (program, functions), reduction, inputs, output))
    }

    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error> {
        factorise::factorise(self.simd()?, self.threads, call, inputs, outputs)
    }

    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        factorise::space(self.threads, call, dtype, extents, operands)
    }
}
