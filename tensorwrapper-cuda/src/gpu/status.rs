//! Status codes of the CUDA driver as errors.

use cudarc::driver::sys::CUresult;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The status of a call as a result; `what` says what the call is for.
pub(super) fn check(result: CUresult, what: &str) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("the GPU reports {other:?} when {what}")))),
    }
}
