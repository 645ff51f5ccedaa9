//! What the CUDA driver says of a call, as an error.

use cudarc::driver::sys::CUresult;
use tensorwrapper_core::error::{Error, ErrorKind};

/// What the driver said of a call.
pub(super) fn check(result: CUresult, what: &str) -> Result<(), Error> {
    match result {
        CUresult::CUDA_SUCCESS => Ok(()),
        other => Err(Error::new(ErrorKind::Device(format!("the GPU reports {other:?} when {what}")))),
    }
}
