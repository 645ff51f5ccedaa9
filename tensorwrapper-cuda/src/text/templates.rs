//! The preamble of every text: the CUDA C++ templates that generated types instantiate.

/// What NVRTC compiles in front of a kernel's own text.
pub(crate) const ON_DEVICE: [&str; 5] = [include_str!("device.cuh"), NUMBERS, FOLD, CONTRACT, BETWEEN];
/// What stands between the simulator's own preamble and a kernel's text.
pub(crate) const ON_HOST: [&str; 4] = [NUMBERS, FOLD, CONTRACT, BETWEEN];
const NUMBERS: &str = include_str!("numbers.cuh");
const FOLD: &str = include_str!("fold.cuh");
const CONTRACT: &str = include_str!("contract.cuh");
const BETWEEN: &str = include_str!("linear.cuh");
