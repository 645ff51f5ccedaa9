//! What tests ask of the stand-in, by functions of its own beside NVIDIA's: calls that fail, memory, and counts.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cudarc::cublas::sys::cublasStatus_t;
use cudarc::cusolver::sys::cusolverStatus_t;
use cudarc::driver::sys::CUresult;
use cudarc::nvrtc::sys::nvrtcResult;

/// What a library answers.
pub(crate) trait Status {
    const DONE: Self;
    /// What it says of a call that fails because somebody has asked for it.
    const FAILED: Self;
}

impl Status for CUresult {
    const DONE: CUresult = CUresult::CUDA_SUCCESS;
    const FAILED: CUresult = CUresult::CUDA_ERROR_LAUNCH_FAILED;
}

impl Status for nvrtcResult {
    const DONE: nvrtcResult = nvrtcResult::NVRTC_SUCCESS;
    const FAILED: nvrtcResult = nvrtcResult::NVRTC_ERROR_INTERNAL_ERROR;
}

impl Status for cublasStatus_t {
    const DONE: cublasStatus_t = cublasStatus_t::CUBLAS_STATUS_SUCCESS;
    const FAILED: cublasStatus_t = cublasStatus_t::CUBLAS_STATUS_EXECUTION_FAILED;
}

impl Status for cusolverStatus_t {
    const DONE: cusolverStatus_t = cusolverStatus_t::CUSOLVER_STATUS_SUCCESS;
    const FAILED: cusolverStatus_t = cusolverStatus_t::CUSOLVER_STATUS_EXECUTION_FAILED;
}

/// Calls since the last question, and the number of the one that is to fail, with all that come after it or alone.
#[derive(Default)]
struct Calls {
    counted: BTreeMap<&'static str, usize>,
    all: usize,
    fails: Option<(usize, bool)>,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { counted: BTreeMap::new(), all: 0, fails: None });

fn calls() -> MutexGuard<'static, Calls> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts a call; whether it is to fail.
pub(crate) fn fails(name: &'static str) -> bool {
    let mut calls = calls();
    *calls.counted.entry(name).or_default() += 1;
    calls.all += 1;
    match calls.fails {
        Some((number, all_after)) => calls.all == number || all_after && calls.all > number,
        None => false,
    }
}

/// Counts calls anew, and has the one of this number fail, counted from 1, or none where it is 0; and all behind it, if that is asked, as
/// where a device is lost. How many there were before.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_fail(number: usize, all_after: bool) -> usize {
    let mut calls = calls();
    calls.fails = (number > 0).then_some((number, all_after));
    calls.counted.clear();
    std::mem::take(&mut calls.all)
}

/// How often a function was called since calls were counted anew.
///
/// # Safety
/// The name ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stand_in_calls(name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    calls().counted.get(&*name).copied().unwrap_or(0)
}

/// Gives each device so many bytes from now on. How many the devices have given away, together.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_memory(bytes: usize) -> usize {
    crate::memory::limit(bytes)
}

/// How many contexts, streams, events, graphs, texts, pools and pieces of pinned memory there are.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_things() -> usize {
    crate::driver::contexts()
        + crate::streams::streams()
        + crate::events::events()
        + crate::graphs::graphs()
        + crate::modules::modules()
        + crate::memory::pools()
        + crate::memory::pinned()
}
