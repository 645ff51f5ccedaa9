//! Properties of a device: its architecture, its name, and the versions of the libraries that it is used with.

use std::ffi::CStr;

use cudarc::driver::sys;

use super::blas::Blas;
use super::compiler;
use super::status::check;
use crate::hash::Digest;
use crate::text::ON_DEVICE;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The name of a device's architecture, with its architecture-specific features.
pub(super) fn architecture(device: sys::CUdevice) -> Result<String, Error> {
    use sys::CUdevice_attribute as Attribute;
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the device is valid, and each call writes to a variable of its own.
    unsafe {
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR;
        check(sys::cuDeviceGetAttribute(&raw mut major, attribute, device), "it is asked for its architecture")?;
        let attribute = Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR;
        check(sys::cuDeviceGetAttribute(&raw mut minor, attribute, device), "it is asked for its architecture")?;
    }
    // Products in double precision use tensor cores that exist since 8.0.
    if major < 8 {
        let library = "a GPU of compute capability 8.0 or newer".to_string();
        return Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("compute capability {major}.{minor}")] }));
    }
    Ok(format!("sm_{major}{minor}{}", if major >= 9 { "a" } else { "" }))
}

/// The oldest driver that has all functions that are called here.
const OLDEST: i32 = 12_000;

/// Checks that the driver, which is open and started, is new enough, and not of an older major version than the compiler: a
/// driver does not load what a newer compiler has made.
///
/// # Errors
/// [`ErrorKind::Unavailable`] with the versions that were found.
pub(super) fn check_version() -> Result<(), Error> {
    let driver = version()?;
    check_driver(driver)?;
    check_compiler(driver, compiler::version()?)
}

/// The driver's version: 1000 times the major and 10 times the minor number.
fn version() -> Result<i32, Error> {
    let mut version = 0;
    // SAFETY: the number is written.
    check(unsafe { sys::cuDriverGetVersion(&raw mut version) }, "the driver is asked for its version")?;
    Ok(version)
}

/// A driver's version as people write it.
fn words(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

fn check_driver(version: i32) -> Result<(), Error> {
    if version >= OLDEST {
        return Ok(());
    }
    let library = format!("a driver of CUDA {} or newer", words(OLDEST));
    Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("the driver of CUDA {}", words(version))] }))
}

fn check_compiler(driver: i32, (major, minor): (i32, i32)) -> Result<(), Error> {
    if major <= driver / 1000 {
        return Ok(());
    }
    let library = format!("NVRTC of CUDA {} for the driver of CUDA {}", driver / 1000, words(driver));
    Err(Error::new(ErrorKind::Unavailable { library, tried: vec![format!("NVRTC {major}.{minor}")] })
        .with_help("install the NVRTC of the driver's generation, or a newer driver"))
}

/// Everything that the speed of a strategy on a device depends on.
#[derive(Clone, Debug)]
struct DeviceProperties {
    /// The device's name.
    name: String,
    driver: i32,
    compiler: (i32, i32),
    /// The version of cuBLAS, if there is one.
    products: Option<i32>,
    /// The preamble of all kernels.
    text: String,
}

/// The file name for measurements on a device: its name, the versions of the driver, of this crate, of the compiler and of
/// cuBLAS, and a digest of the preamble of kernels.
pub(super) fn described(device: sys::CUdevice, products: Option<&Blas>) -> Result<String, Error> {
    let mut name = [0; 128];
    // SAFETY: the device is valid; at most this many characters are written, with a zero at the end.
    let name = unsafe {
        check(sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32, device), "it is asked for its name")?;
        CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned()
    };
    let products = products.map(Blas::version).transpose()?;
    Ok(DeviceProperties { name, driver: version()?, compiler: compiler::version()?, products, text: ON_DEVICE.concat() }
        .file_name())
}

impl DeviceProperties {
    /// A name of letters, digits, dots and dashes.
    fn file_name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        let name: String = self.name.chars().map(plain).collect();
        let text = Digest::of_text(&self.text).name();
        let (driver, (major, minor), products) = (self.driver, self.compiler, self.products.unwrap_or(0));
        format!("{name}-{driver}-{}-{major}.{minor}-{products}-{text}", env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_drivers_are_reported_with_their_version() {
        assert!(check_driver(12_000).is_ok() && check_driver(13_000).is_ok());
        let error = check_driver(11_080).unwrap_err();
        let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
        assert_eq!(library, "a driver of CUDA 12.0 or newer");
        assert_eq!(tried, &["the driver of CUDA 11.8"]);
    }

    #[test]
    fn compiler_newer_than_the_driver_is_reported() {
        assert!(check_compiler(12_040, (12, 9)).is_ok() && check_compiler(13_010, (12, 4)).is_ok());
        let error = check_compiler(12_080, (13, 0)).unwrap_err();
        let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
        assert_eq!(
            (library.as_str(), &tried[..]),
            ("NVRTC of CUDA 12 for the driver of CUDA 12.8", &["NVRTC 13.0".to_string()][..])
        );
    }

    #[test]
    fn different_properties_have_different_files() {
        let properties = DeviceProperties {
            name: "NVIDIA H200 (SXM)".to_string(),
            driver: 12_080,
            compiler: (13, 0),
            products: Some(130_001),
            text: "kernels".to_string(),
        };
        let name = properties.file_name();
        assert!(name.starts_with("NVIDIA-H200--SXM--12080-"), "{name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c)), "{name}");
        let others = [
            DeviceProperties { name: "NVIDIA H200".to_string(), ..properties.clone() },
            DeviceProperties { driver: 13_000, ..properties.clone() },
            DeviceProperties { compiler: (13, 1), ..properties.clone() },
            DeviceProperties { products: None, ..properties.clone() },
            DeviceProperties { text: "other kernels".to_string(), ..properties.clone() },
        ];
        assert!(others.iter().all(|other| other.file_name() != name));
        assert_eq!(properties.clone().file_name(), name);
    }
}
