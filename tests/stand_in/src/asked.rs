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

/// What each library says of a call that went well, and of one that did not.
macro_rules! statuses {
    ($($kind:ident: $done:ident, $failed:ident;)*) => {$(
        impl Status for $kind {
            const DONE: $kind = $kind::$done;
            const FAILED: $kind = $kind::$failed;
        }
    )*};
}

statuses! {
    CUresult: CUDA_SUCCESS, CUDA_ERROR_LAUNCH_FAILED;
    nvrtcResult: NVRTC_SUCCESS, NVRTC_ERROR_INTERNAL_ERROR;
    cublasStatus_t: CUBLAS_STATUS_SUCCESS, CUBLAS_STATUS_EXECUTION_FAILED;
    cusolverStatus_t: CUSOLVER_STATUS_SUCCESS, CUSOLVER_STATUS_EXECUTION_FAILED;
}

/// Calls since the last question, and the number of the one that is to fail, with all that come after it or alone.
#[derive(Default)]
struct Calls {
    counted: BTreeMap<&'static CStr, usize>,
    all: usize,
    fails: Option<(usize, bool)>,
    /// The first that failed.
    failed: Option<&'static CStr>,
}

static CALLS: Mutex<Calls> = Mutex::new(Calls { counted: BTreeMap::new(), all: 0, fails: None, failed: None });

fn calls() -> MutexGuard<'static, Calls> {
    CALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text that ends with a zero.
pub(crate) const fn text(name: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(name.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("names end with a zero"),
    }
}

/// Counts a call; whether it is to fail.
pub(crate) fn fails(name: &'static CStr) -> bool {
    let mut calls = calls();
    *calls.counted.entry(name).or_default() += 1;
    calls.all += 1;
    let fails = calls.fails.is_some_and(|(number, all_after)| calls.all == number || all_after && calls.all > number);
    if fails {
        calls.failed.get_or_insert(name);
        // A capture that cannot be ended well has ended.
        if name == c"cuStreamEndCapture" {
            crate::streams::abandon();
        }
    }
    fails
}

/// Counts calls anew, and has the one of this number fail, counted from 1, or none where it is 0; and all behind it, if that is asked, as
/// where a device is lost. How many there were before.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_fail(number: usize, all_after: bool) -> usize {
    let mut calls = calls();
    calls.fails = (number > 0).then_some((number, all_after));
    calls.counted.clear();
    calls.failed = None;
    std::mem::take(&mut calls.all)
}

/// The function whose call failed first since calls were counted anew, or null.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_failed() -> *const c_char {
    calls().failed.map_or(std::ptr::null(), CStr::as_ptr)
}

/// How often a function was called since calls were counted anew.
///
/// # Safety
/// The name ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stand_in_calls(name: *const c_char) -> usize {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    calls().counted.get(name).copied().unwrap_or(0)
}

/// Gives each device so many bytes from now on. How many the devices have given away, together.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_memory(bytes: usize) -> usize {
    crate::memory::limit(bytes)
}

/// Has nothing left, as if devices were new: what calls that failed have not given back is gone.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_reset() {
    crate::streams::reset();
    crate::events::reset();
    crate::graphs::reset();
    crate::modules::reset();
    crate::memory::reset();
    crate::driver::reset();
    crate::products::reset();
    crate::solver::reset();
    crate::compiler::reset();
}

/// Has no text compile from now on, or all of them.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_refuse_texts(all: bool) {
    crate::compiler::refuse(all);
}

/// Whether the calling thread was left with a context that nobody holds.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_dangles() -> bool {
    crate::driver::dangles()
}

/// How many contexts, streams, events, graphs, texts, pools, pieces of pinned memory, handles of libraries and programs of the compiler
/// there are.
#[unsafe(no_mangle)]
pub extern "C" fn stand_in_things() -> usize {
    crate::driver::contexts()
        + crate::streams::streams()
        + crate::events::events()
        + crate::graphs::graphs()
        + crate::modules::modules()
        + crate::products::count()
        + crate::solver::count()
        + crate::compiler::count()
        + crate::memory::pools()
        + crate::memory::pinned()
}
