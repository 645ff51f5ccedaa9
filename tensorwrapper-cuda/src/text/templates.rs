//! The bodies of kernels: CUDA C++ templates that generated types instantiate, and what stands before them.

/// What NVRTC compiles before a kernel's own text.
pub(crate) const ON_DEVICE: [&str; 5] = [include_str!("device.cuh"), NUMBERS, FOLD, CONTRACT, BETWEEN];
/// What follows the simulator's preamble before a kernel's own text.
pub(crate) const ON_HOST: [&str; 4] = [NUMBERS, FOLD, CONTRACT, BETWEEN];
const NUMBERS: &str = include_str!("numbers.cuh");
const FOLD: &str = include_str!("fold.cuh");
const CONTRACT: &str = include_str!("contract.cuh");
const BETWEEN: &str = include_str!("linear.cuh");
