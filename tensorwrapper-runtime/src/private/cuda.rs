//! Access to the generated kernels without a GPU: `tests/cuda/` runs them in the simulator and compiles them with NVRTC. It is
//! not for programs, and no expansion calls it.

use std::sync::Arc;

use crate::exec::Context;
use tensorwrapper_cpu::Cpu;
pub use tensorwrapper_cuda::simulator::{Collected, Collection, CompiledKernels, KernelRequests, Schedule};
pub use tensorwrapper_cuda::{Compiled, Route, compile, try_for_each, version};

/// A context that collects the kernels it needs, and computes nothing.
#[must_use]
pub fn collecting(collection: &Collection, route: Route) -> Context {
    Context::of(collection.device(route, Arc::new(Cpu::new(None))))
}

/// A context that runs kernels that were collected.
#[must_use]
pub fn running(programs: &Arc<CompiledKernels>, schedule: Schedule, route: Route) -> Context {
    Context::of(programs.device(schedule, route, Arc::new(Cpu::new(None))))
}
