//! NVRTC, which compiles the texts of kernels to machine code for one architecture.

use std::ffi::{CStr, CString, c_char};

use cudarc::nvrtc::sys;

use crate::library::NvidiaLibrary;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The first version with the option `--minimal`.
const MINIMAL: (i32, i32) = (12, 4);

/// A compiled text.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// Machine code.
    pub cubin: Vec<u8>,
    /// The same in PTX.
    pub ptx: String,
    /// The compiler's messages, with the registers and spills of each kernel.
    pub log: String,
}

/// The compiler's version.
///
/// # Errors
/// [`ErrorKind::Unavailable`] where there is none.
pub fn version() -> Result<(i32, i32), Error> {
    NvidiaLibrary::Nvrtc.open()?;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the library is open, and both are written.
    check(unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }, "")?;
    Ok((major, minor))
}

/// The options for a version of the compiler.
pub(super) fn options(architecture: &str, version: (i32, i32)) -> Vec<String> {
    let mut options = vec![format!("--gpu-architecture={architecture}"), "--std=c++17".into(), "--ptxas-options=-v".into()];
    if version >= MINIMAL {
        // Without textures and the runtime's functions, which kernels do not use, an empty text takes a seventh less time.
        options.push("--minimal".into());
    }
    options
}

/// Compiles a source for an architecture such as `sm_90a`.
///
/// # Errors
/// [`ErrorKind::Kernel`] with the compiler's messages, and [`ErrorKind::Unavailable`] where there is no compiler.
pub fn compile(source: &str, architecture: &str) -> Result<Compiled, Error> {
    NvidiaLibrary::Nvrtc.open()?;
    let text = CString::new(source).expect("sources are text");
    let mut program = std::ptr::null_mut();
    // SAFETY: the library is open; the text lives until the call returns, and there are no headers.
    let created = unsafe {
        sys::nvrtcCreateProgram(&raw mut program, text.as_ptr(), c"kernels.cu".as_ptr(), 0, std::ptr::null(), std::ptr::null())
    };
    check(created, source)?;
    NvrtcProgram(program).compile(source, architecture)
}

/// A program object of the compiler.
struct NvrtcProgram(sys::nvrtcProgram);

impl NvrtcProgram {
    fn compile(self, source: &str, architecture: &str) -> Result<Compiled, Error> {
        let options = options(architecture, version()?);
        let options: Vec<CString> = options.into_iter().map(|option| CString::new(option).expect("options are text")).collect();
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is valid, and the options live until the call returns.
        let result = unsafe { sys::nvrtcCompileProgram(self.0, pointers.len() as i32, pointers.as_ptr()) };
        let log = self.log()?;
        if result != sys::nvrtcResult::NVRTC_SUCCESS {
            return Err(Error::new(ErrorKind::Kernel { message: log, source: source.to_string() }));
        }
        let mut length = 0;
        // SAFETY: the program is compiled; the length is written.
        check(unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut length) }, source)?;
        let mut cubin = vec![0u8; length];
        // SAFETY: the buffer has the length that the compiler gave.
        check(unsafe { sys::nvrtcGetCUBIN(self.0, cubin.as_mut_ptr().cast()) }, source)?;
        // SAFETY: the program is compiled; the length is written.
        check(unsafe { sys::nvrtcGetPTXSize(self.0, &raw mut length) }, source)?;
        let mut ptx = vec![0u8; length];
        // SAFETY: the buffer has the length that the compiler gave.
        check(unsafe { sys::nvrtcGetPTX(self.0, ptx.as_mut_ptr().cast()) }, source)?;
        Ok(Compiled { cubin, ptx: String::from_utf8_lossy(&ptx).into_owned(), log })
    }

    fn log(&self) -> Result<String, Error> {
        let mut length = 0;
        // SAFETY: the program is valid; the length is written.
        check(unsafe { sys::nvrtcGetProgramLogSize(self.0, &raw mut length) }, "")?;
        let mut log = vec![0u8; length.max(1)];
        // SAFETY: the buffer has the length that the compiler gave.
        check(unsafe { sys::nvrtcGetProgramLog(self.0, log.as_mut_ptr().cast()) }, "")?;
        Ok(CStr::from_bytes_until_nul(&log).map(|log| log.to_string_lossy().into_owned()).unwrap_or_default())
    }
}

impl Drop for NvrtcProgram {
    fn drop(&mut self) {
        // SAFETY: the only owner is being dropped. A failure is ignored.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.0) };
    }
}

fn check(result: sys::nvrtcResult, source: &str) -> Result<(), Error> {
    if result == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Kernel { message: format!("{result:?}"), source: source.to_string() }))
}
