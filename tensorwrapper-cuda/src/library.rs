//! NVIDIA's libraries, which are found when the program runs: in folders that an environment variable names, in the active Python
//! environment, in the toolkit's folders, and wherever the system's loader looks.
//!
//! A library is opened once and stays open. The bindings know only its plain name, by which they find it once it is open.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tensorwrapper_core::error::{Error, ErrorKind};

/// The environment variable that names folders to look in first, separated as in `PATH`.
const FOLDERS: &str = "TENSORWRAPPER_CUDA_LIBRARIES";
/// The major versions of CUDA whose libraries have all functions that are called here, the newest first.
const GENERATIONS: [i32; 2] = [13, 12];

/// A library that the backend calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NvidiaLibrary {
    Driver,
    Nvrtc,
    /// Optional: without it generated kernels multiply.
    Cublas,
    /// Optional: without it the host does linear algebra.
    Cusolver,
}

impl NvidiaLibrary {
    /// Its name in messages.
    fn title(self) -> &'static str {
        match self {
            NvidiaLibrary::Driver => "the CUDA driver",
            NvidiaLibrary::Nvrtc => "NVRTC, the compiler of CUDA kernels",
            NvidiaLibrary::Cublas => "cuBLAS",
            NvidiaLibrary::Cusolver => "cuSOLVER",
        }
    }

    /// Its files, in the order in which they are tried; none is of a newer major version than `newest`.
    fn files(self, newest: i32) -> Vec<LibraryFile> {
        let generations = GENERATIONS.into_iter().filter(|&generation| generation <= newest);
        let (plain, known): (&str, Vec<LibraryFile>) = match self {
            NvidiaLibrary::Driver => ("libcuda.so", vec![LibraryFile::new("libcuda.so.1".to_string(), &[])]),
            NvidiaLibrary::Nvrtc => {
                ("libnvrtc.so", generations.map(|n| LibraryFile::new(format!("libnvrtc.so.{n}"), &[])).collect())
            }
            NvidiaLibrary::Cublas => {
                let file = |n| LibraryFile::new(format!("libcublas.so.{n}"), &[format!("libcublasLt.so.{n}")]);
                ("libcublas.so", generations.map(file).collect())
            }
            NvidiaLibrary::Cusolver => {
                let file = |n| {
                    let before = ["libcublasLt.so", "libcublas.so", "libnvJitLink.so"].map(|name| format!("{name}.{n}"));
                    // The numbers of cuSOLVER are one behind those of CUDA, and that of cuSPARSE has not changed.
                    LibraryFile::new(
                        format!("libcusolver.so.{}", n - 1),
                        &[&before[..], &["libcusparse.so.12".to_string()]].concat(),
                    )
                };
                ("libcusolver.so", generations.map(file).collect())
            }
        };
        known.into_iter().chain([LibraryFile::new(plain.to_string(), &[])]).collect()
    }

    /// Whether the bindings find the library.
    fn is_bound(self) -> bool {
        // SAFETY: libraries of these names are NVIDIA's, whose constructors may run.
        unsafe {
            match self {
                NvidiaLibrary::Driver => cudarc::driver::sys::is_culib_present(),
                NvidiaLibrary::Nvrtc => cudarc::nvrtc::sys::is_culib_present(),
                NvidiaLibrary::Cublas => cudarc::cublas::sys::is_culib_present(),
                NvidiaLibrary::Cusolver => cudarc::cusolver::sys::is_culib_present(),
            }
        }
    }

    fn state(self) -> &'static OnceLock<Result<(), Error>> {
        static DRIVER: OnceLock<Result<(), Error>> = OnceLock::new();
        static NVRTC: OnceLock<Result<(), Error>> = OnceLock::new();
        static CUBLAS: OnceLock<Result<(), Error>> = OnceLock::new();
        static CUSOLVER: OnceLock<Result<(), Error>> = OnceLock::new();
        match self {
            NvidiaLibrary::Driver => &DRIVER,
            NvidiaLibrary::Nvrtc => &NVRTC,
            NvidiaLibrary::Cublas => &CUBLAS,
            NvidiaLibrary::Cusolver => &CUSOLVER,
        }
    }

    /// Opens the library, if it is not open. None of its functions may be called before.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] with everything that was tried.
    pub(crate) fn open(self) -> Result<(), Error> {
        let find = || {
            let newest = if self == NvidiaLibrary::Driver { GENERATIONS[0] } else { newest() };
            open(self, newest, &folders())
        };
        self.state().get_or_init(find).clone()
    }
}

/// The file of a library, and those that it opens by itself, which must be open before.
#[derive(Debug)]
struct LibraryFile {
    name: String,
    before: Vec<String>,
}

impl LibraryFile {
    fn new(name: String, before: &[String]) -> LibraryFile {
        LibraryFile { name, before: before.to_vec() }
    }
}

/// The newest major version of libraries that the driver supports: those of CUDA 13 need a driver of CUDA 13, which also supports
/// older ones. Without a driver, where kernels are compiled only, any version will do.
fn newest() -> i32 {
    let mut version = 0;
    // SAFETY: the driver is open where this is called, and the number is written.
    let status =
        NvidiaLibrary::Driver.open().is_ok().then(|| unsafe { cudarc::driver::sys::cuDriverGetVersion(&raw mut version) });
    if status == Some(cudarc::driver::sys::CUresult::CUDA_SUCCESS) { version / 1000 } else { GENERATIONS[0] }
}

fn open(library: NvidiaLibrary, newest: i32, folders: &[PathBuf]) -> Result<(), Error> {
    let files = library.files(newest);
    let mut tried = Vec::new();
    // A newer version is preferred, also if it is in a later folder.
    for LibraryFile { name, before } in &files {
        for folder in folders {
            let path = folder.join(name);
            if !path.exists() {
                continue;
            }
            tried.push(path.display().to_string());
            before.iter().for_each(|name| {
                keep(&folder.join(name));
            });
            if library == NvidiaLibrary::Nvrtc {
                builtins(folder);
            }
            if keep(&path) && library.is_bound() {
                return Ok(());
            }
        }
    }
    if library.is_bound() {
        return Ok(());
    }
    tried.extend(files.into_iter().map(|file| file.name));
    tried.extend(folders.iter().map(|folder| folder.display().to_string()));
    Err(Error::new(ErrorKind::Unavailable { library: library.title().to_string(), tried })
        .with_help(format!("install it, or name its folder in {FOLDERS}")))
}

/// Opens the library that NVRTC opens by itself, whose name has major and minor version.
fn builtins(folder: &Path) {
    let is_one =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnvrtc-builtins.so."));
    inside(folder).into_iter().filter(is_one).for_each(|path| {
        keep(&path);
    });
}

/// Opens a library until the program ends; returns whether that worked.
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

/// Folders that may have the libraries, in the order in which they are searched.
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

/// The folders of NVIDIA's packages in a Python environment, such as `lib/python3.11/site-packages/nvidia/cu13/lib`.
fn python(environment: &Path) -> Vec<PathBuf> {
    let versions = inside(&environment.join("lib"));
    let packages = versions.into_iter().flat_map(|version| inside(&version.join("site-packages/nvidia")));
    packages.map(|package| package.join("lib")).collect()
}

/// The entries of a folder, sorted by name.
fn inside(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_library_is_reported_with_all_that_was_tried() {
        let empty = std::env::temp_dir();
        // On a machine with a driver, the loader finds it.
        match open(NvidiaLibrary::Driver, 13, std::slice::from_ref(&empty)) {
            Ok(()) => assert!(NvidiaLibrary::Driver.is_bound()),
            Err(error) => {
                let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
                assert_eq!(library, "the CUDA driver");
                assert!(tried.contains(&"libcuda.so.1".to_string()), "{tried:?}");
                assert!(tried.contains(&empty.display().to_string()), "{tried:?}");
                assert!(error.help().is_some_and(|help| help.contains(FOLDERS)));
            }
        }
    }

    /// Nothing else reports that an optional library is missing, so what it says is tested here.
    #[test]
    fn optional_libraries_are_found_or_reported() {
        for (wanted, name, file) in
            [(NvidiaLibrary::Cublas, "cuBLAS", "libcublas.so.13"), (NvidiaLibrary::Cusolver, "cuSOLVER", "libcusolver.so.12")]
        {
            if let Err(error) = wanted.open() {
                let ErrorKind::Unavailable { library, tried } = error.kind() else { panic!("{error}") };
                assert_eq!(library, name);
                assert!(tried.contains(&file.to_string()), "{tried:?}");
            }
        }
    }

    #[test]
    fn files_are_of_no_newer_version_than_the_driver() {
        let names = |library: NvidiaLibrary, newest| library.files(newest).into_iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names(NvidiaLibrary::Nvrtc, 13), ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"]);
        assert_eq!(names(NvidiaLibrary::Cublas, 12), ["libcublas.so.12", "libcublas.so"]);
        assert_eq!(names(NvidiaLibrary::Cusolver, 14), ["libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"]);
        let before = &NvidiaLibrary::Cusolver.files(12)[0].before;
        assert_eq!(before[..], ["libcublasLt.so.12", "libcublas.so.12", "libnvJitLink.so.12", "libcusparse.so.12"]);
        assert_eq!(names(NvidiaLibrary::Driver, 12), ["libcuda.so.1", "libcuda.so"]);
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
        if let Err(error) = open(NvidiaLibrary::Driver, 13, std::slice::from_ref(&root)) {
            let ErrorKind::Unavailable { tried, .. } = error.kind() else { panic!("{error}") };
            assert_eq!(tried[0], file.display().to_string());
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
