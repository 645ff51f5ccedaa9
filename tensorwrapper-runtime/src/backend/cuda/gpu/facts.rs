//! What a device is: its architecture and its name; and how its memory pool is set up.

use std::ffi::CStr;

use cudarc::driver::sys;

use super::blas::Blas;
use super::check;
use crate::backend::cuda::text::ON_DEVICE;
use crate::error::{Error, ErrorKind};

/// The name of a device's architecture, with all that it alone can do.
pub(super) fn architecture(device: sys::CUdevice) -> Result<String, Error> {
    use sys::CUdevice_attribute as Attribute;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the device is one, and each call writes to a variable of its own.
    unsafe {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        check(sys::cuDeviceGetAttribute(&raw mut major, attribute, device), "it is asked for its architecture")?;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
        check(sys::cuDeviceGetAttribute(&raw mut minor, attribute, device), "it is asked for its architecture")?;
    }
    // Products in double precision need the tensor cores that came with 8.0.
    if major < 8 {
        let library = "a GPU of compute capability 8.0 or newer".to_string();
        return Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("compute capability {major}.{minor}")] }));
    }
    Ok(format!("sm_{major}{minor}{}", if major >= 9 { "a" } else { "" }))
}

/// The oldest driver that has all that is called here: the times of events came with CUDA 12.8.
const OLDEST: i32 = 12_080;

/// Looks whether the driver, which is open and started, is new enough.
///
/// # Errors
/// [`ErrorKind::Unavailable`] with the version that it has.
pub(super) fn check_version() -> Result<(), Error> {
    let mut version = 0;
    // SAFETY: the number is written.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, "the driver is asked for its version")?;
    if version >= OLDEST {
        return Ok(());
    }
    let words = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    let library = format!("a driver of CUDA {} or newer", words(OLDEST));
    Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("the driver of CUDA {}", words(version))] }))
}

/// A device's name, and all that decides how quick a way is there, as a file's name has them: versions of the driver, of this program,
/// of the compiler and of the library of products, and the text that kernels begin with.
pub(super) fn described(device: sys::CUdevice, products: Option<&Blas>) -> Result<String, Error> {
    let (mut name, mut version) = ([0; 128], 0);
    // SAFETY: the device is one; so many characters are written, a zero among them, and one number.
    let name = unsafe {
        check(sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device), "it is asked for its name")?;
        check(sys::cuDriverGetVersion(&raw mut version), "the driver is asked for its version")?;
        CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
    };
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let (major, minor) = super::version()?;
    let library = products.map(Blas::version).transpose()?.unwrap_or(0);
    // FNV-1a.
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let text = ON_DEVICE.concat().bytes().fold(0xcbf2_9ce4_8422_2325, step);
    Ok(format!("{name}-{version}-{}-{major}.{minor}-{library}-{text:016x}", env!("CARGO_PKG_VERSION")))
}

/// Has the device's pool keep freed memory, which every run asks for again.
pub(super) fn keep_memory(device: sys::CUdevice) -> Result<(), Error> {
    let (mut pool, mut most) = (std::ptr::null_mut(), u64::MAX);
    // SAFETY: the pool is written, then told a number that lives until the call returns.
    unsafe {
        check(sys::cuDeviceGetDefaultMemPool(&raw mut pool, device), "its memory pool is asked for")?;
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        check(sys::cuMemPoolSetAttribute(pool, attribute, (&raw mut most).cast()), "its memory pool is set up")
    }
}
