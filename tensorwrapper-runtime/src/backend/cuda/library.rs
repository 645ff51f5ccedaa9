//! NVIDIA's libraries, found when the program runs: in folders that an environment variable names, in the active Python environment,
//! in the toolkit's folders, and wherever the system's loader looks.
//!
//! What is found is opened once and stays open; the bindings, which know the libraries' plain names alone, then find it by them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::error::{Error, ErrorKind};

/// The environment variable that names folders to look in first, separated as in `PATH`.
const FOLDERS: &str = "TENSORWRAPPER_CUDA_LIBRARIES";

/// A library that the backend calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Library {
    Driver,
    Compiler,
    /// Not needed: without it generated kernels multiply.
    Products,
    /// Not needed: without it the host does linear algebra.
    LinearAlgebra,
}

impl Library {
    /// What people call it.
    fn title(self) -> &'static str {
        match self {
            Library::Driver => "the CUDA driver",
            Library::Compiler => "NVRTC, the compiler of CUDA kernels",
            Library::Products => "cuBLAS",
            Library::LinearAlgebra => "cuSOLVER",
        }
    }

    /// Its files' names, in the order in which they are tried, and those of what it opens by itself, which must be there before.
    fn names(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Library::Driver => (&["libcuda.so.1", "libcuda.so"], &[]),
            Library::Compiler => (&["libnvrtc.so.13", "libnvrtc.so"], &["libnvrtc-builtins.so.13.0"]),
            Library::Products => (&["libcublas.so.13", "libcublas.so"], &["libcublasLt.so.13"]),
            Library::LinearAlgebra => (
                &["libcusolver.so.12", "libcusolver.so"],
                &["libcublasLt.so.13", "libcublas.so.13", "libnvJitLink.so.13", "libcusparse.so.12"],
            ),
        }
    }

    /// Whether the bindings find it.
    fn is_bound(self) -> bool {
        // SAFETY: libraries of these names are NVIDIA's, whose constructors may run.
        unsafe {
            match self {
                Library::Driver => cudarc::driver::sys::is_culib_present(),
                Library::Compiler => cudarc::nvrtc::sys::is_culib_present(),
                Library::Products => cudarc::cublas::sys::is_culib_present(),
                Library::LinearAlgebra => cudarc::cusolver::sys::is_culib_present(),
            }
        }
    }

    fn state(self) -> &'static OnceLock<Result<(), Error>> {
        static DRIVER: OnceLock<Result<(), Error>> = OnceLock::new();
        static COMPILER: OnceLock<Result<(), Error>> = OnceLock::new();
        static PRODUCTS: OnceLock<Result<(), Error>> = OnceLock::new();
        static LINEAR_ALGEBRA: OnceLock<Result<(), Error>> = OnceLock::new();
        match self {
            Library::Driver => &DRIVER,
            Library::Compiler => &COMPILER,
            Library::Products => &PRODUCTS,
            Library::LinearAlgebra => &LINEAR_ALGEBRA,
        }
    }

    /// Sees to it that the library is open: nothing of it may be called before.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with everything that was tried.
    pub(super) fn open(self) -> Result<(), Error> {
        self.state().get_or_init(|| open(self, &folders())).clone()
    }
}

fn open(library: Library, folders: &[PathBuf]) -> Result<(), Error> {
    let (names, before) = library.names();
    let mut tried = Vec::new();
    for folder in folders {
        for name in names {
            let path = folder.join(name);
            if !path.exists() {
                continue;
            }
            tried.push(path.display().to_string());
            before.iter().for_each(|name| {
                keep(&folder.join(name));
            });
            if keep(&path) && library.is_bound() {
                return Ok(());
            }
        }
    }
    if library.is_bound() {
        return Ok(());
    }
    tried.extend(names.iter().map(|name| (*name).to_string()));
    tried.extend(folders.iter().map(|folder| folder.display().to_string()));
    Err(Error::new(ErrorKind::Unavailable { library: library.title().to_string(), tried })
        .with_help(format!("install it, or name its folder in {FOLDERS}")))
}

/// Opens a library for as long as the program runs; whether that went well.
fn keep(path: &Path) -> bool {
    // SAFETY: libraries of these names are NVIDIA's, whose constructors may run.
    match unsafe { libloading::Library::new(path) } {
        Ok(library) => {
            std::mem::forget(library);
            true
        }
        Err(_) => false,
    }
}

/// Folders that may have the libraries, in the order in which they are looked through.
fn folders() -> Vec<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let mut found: Vec<PathBuf> = variable(FOLDERS).map(|value| std::env::split_paths(&value).collect()).unwrap_or_default();
    for environment in ["VIRTUAL_ENV", "CONDA_PREFIX"].into_iter().filter_map(variable) {
        found.extend(python(&PathBuf::from(environment)));
    }
    for toolkit in ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable) {
        found.push(PathBuf::from(toolkit).join("lib64"));
    }
    found.extend(["/usr/local/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/lib/wsl/lib"].map(PathBuf::from));
    found.retain(|folder| folder.is_dir());
    found
}

/// The folders of NVIDIA's packages in a Python environment: `lib/python3.11/site-packages/nvidia/cu13/lib` and their like.
fn python(environment: &Path) -> Vec<PathBuf> {
    let inside = |folder: PathBuf| -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort();
        entries
    };
    let versions = inside(environment.join("lib"));
    let packages = versions.into_iter().flat_map(|version| inside(version.join("site-packages/nvidia")));
    packages.map(|package| package.join("lib")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_what_was_tried() {
        let empty = std::env::temp_dir();
        // Where there is a driver, the loader finds it.
        match open(Library::Driver, std::slice::from_ref(&empty)) {
            Ok(()) => assert!(Library::Driver.is_bound()),
            Err(error) => {
                let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
                assert_eq!(library, "the CUDA driver");
                assert!(tried.contains(&"libcuda.so.1".to_string()), "{tried:?}");
                assert!(tried.contains(&empty.display().to_string()), "{tried:?}");
                assert!(error.help().is_some_and(|help| help.contains(FOLDERS)));
            }
        }
    }

    /// Without them there are kernels, or the host, so that nobody is stopped; asked for by itself, each says what was tried.
    #[test]
    fn libraries_that_may_be_missing_are_found_or_named() {
        for (wanted, name, file) in
            [(Library::Products, "cuBLAS", "libcublas.so.13"), (Library::LinearAlgebra, "cuSOLVER", "libcusolver.so.12")]
        {
            if let Err(error) = wanted.open() {
                let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
                assert_eq!(library, name);
                assert!(tried.contains(&file.to_string()), "{tried:?}");
            }
        }
    }

    #[test]
    fn packages_of_a_python_environment_are_found() {
        let root = std::env::temp_dir().join(format!("tensorwrapper-library-{}", std::process::id()));
        let lib = root.join("lib/python3.11/site-packages/nvidia/cu13/lib");
        std::fs::create_dir_all(&lib).unwrap();
        assert_eq!(python(&root), [lib]);
        std::fs::remove_dir_all(&root).unwrap();
        assert!(python(&root).is_empty());
    }

    #[test]
    fn a_file_that_is_no_library_is_not_opened() {
        let root = std::env::temp_dir().join(format!("tensorwrapper-no-library-{}", std::process::id()));
        std::fs::create_dir_all(&root).unwrap();
        let file = root.join("libcuda.so.1");
        std::fs::write(&file, "text").unwrap();
        assert!(!keep(&file));
        if let Err(error) = open(Library::Driver, std::slice::from_ref(&root)) {
            let ErrorKind::Unavailable { tried, .. } = error.kind() else { panic!("{error}") };
            assert_eq!(tried[0], file.display().to_string());
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
