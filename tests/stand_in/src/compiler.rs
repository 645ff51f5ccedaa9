//! NVRTC: texts of kernels, compiled for the processor by the system's C++ compiler and the simulator's shim.

use std::ffi::{CStr, c_char, c_int};
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use cudarc::nvrtc::sys::{self, nvrtcProgram, nvrtcResult};

use crate::{export, forbidden};

/// What the compiled code begins with, before its length and the library.
pub(crate) const MARK: &[u8] = b"code of the stand-in\0";
/// The compiler's version: one that there is not, so that nobody takes its code for NVRTC's.
const VERSION: (c_int, c_int) = (13, 99);
/// Command of the C++ compiler, as the simulator takes it.
const COMPILER: &str = "TENSORWRAPPER_CXX";
/// Nobody runs it.
const PTX: &[u8] = b"// there is no such text here\0";
const OPTIONS: [&str; 6] = ["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off"];

macro_rules! of_product {
    ($name:literal) => {
        include_str!(concat!("../../../tensorwrapper-cuda/src/", $name))
    };
}
/// What only a GPU has, and what all texts have behind it.
const ON_DEVICE: &str = of_product!("text/device.cuh");
const SHARED: [&str; 4] = [
    of_product!("text/numbers.cuh"),
    of_product!("text/fold.cuh"),
    of_product!("text/contract.cuh"),
    of_product!("text/linear.cuh"),
];
const SHIM: &str = of_product!("simulator/shim.h");
/// A kernel is exported with the number of its arguments, each of 64 bits.
const EXPORT: &str = r#"
template <class... P> static constexpr unsigned tw_count(void (*)(P...)) {
  static_assert(((sizeof(P) == 8) && ...), "arguments have 64 bits");
  return sizeof...(P);
}
#define TW_COUNTED(KERNEL) extern "C" const unsigned tw_count_##KERNEL; const unsigned tw_count_##KERNEL = tw_count(KERNEL);
"#;

/// Programs that nobody has given back.
static PROGRAMS: AtomicUsize = AtomicUsize::new(0);
/// Whether no text compiles.
static REFUSES: AtomicBool = AtomicBool::new(false);
/// What the compiler says then.
const REFUSED: &[u8] = b"error: no text compiles today";

pub(crate) fn count() -> usize {
    PROGRAMS.load(Ordering::Relaxed)
}

pub(crate) fn reset() {
    PROGRAMS.store(0, Ordering::Relaxed);
}

/// Has it compile no text from now on, or all of them.
pub(crate) fn refuse(all: bool) {
    REFUSES.store(all, Ordering::Relaxed);
}

/// A program of the caller's, behind its handle.
struct Program {
    source: String,
    code: Option<Vec<u8>>,
    log: Vec<u8>,
}

/// # Safety
/// The handle is a program's.
unsafe fn program<'p>(program: nvrtcProgram) -> &'p mut Program {
    // SAFETY: the caller's promise.
    unsafe { &mut *program.cast::<Program>() }
}

fn compiler() -> Command {
    let words = std::env::var(COMPILER).unwrap_or_default();
    let mut words = words.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("c++"));
    command.args(words);
    command
}

/// Where texts are compiled: beside what the product keeps, so that the header serves later programs.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let cache = std::env::var_os("TENSORWRAPPER_CACHE").map_or_else(std::env::temp_dir, PathBuf::from);
        let folder = cache.join("stand-in");
        let made = std::fs::create_dir_all(&folder);
        if made.is_err() {
            forbidden!("{} cannot be written", folder.display());
        }
        folder
    })
}

/// The header that all texts begin with, compiled once where the compiler can.
fn header() -> &'static Path {
    static HEADER: OnceLock<PathBuf> = OnceLock::new();
    HEADER.get_or_init(|| {
        let text = [SHIM, EXPORT, &SHARED.concat()].concat();
        let mut hasher = std::hash::DefaultHasher::new();
        (&text, OPTIONS, std::env::var_os(COMPILER)).hash(&mut hasher);
        let file = folder().join(format!("kernels-{:016x}.h", hasher.finish()));
        let compiled = file.with_extension("h.gch");
        if compiled.exists() {
            return file;
        }
        // Another program may be doing the same: both files appear whole or not at all.
        let own = folder().join(format!("kernels-{}.h", std::process::id()));
        let new = own.with_extension("h.gch");
        if std::fs::write(&own, text).and_then(|()| std::fs::rename(&own, &file)).is_err() {
            forbidden!("{} cannot be written", file.display());
        }
        let options = OPTIONS.iter().filter(|option| **option != "-shared");
        let made = compiler().args(options).args(["-x", "c++-header", "-o"]).args([&new, &file]).output();
        if made.is_ok_and(|made| made.status.success()) {
            let _ = std::fs::rename(&new, compiled);
        }
        let _ = std::fs::remove_file(&new);
        file
    })
}

/// Names of the kernels that a text exports.
fn exported(text: &str) -> impl Iterator<Item = &str> {
    text.split("TW_EXPORT(").skip(1).filter_map(|rest| rest.split(')').next())
}

fn compile(source: &str) -> Result<Vec<u8>, Vec<u8>> {
    static TEXTS: AtomicUsize = AtomicUsize::new(0);
    if REFUSES.load(Ordering::Relaxed) {
        return Err(REFUSED.to_vec());
    }
    let Some(own) = source.strip_prefix(ON_DEVICE).and_then(|rest| rest.strip_prefix(&SHARED.concat())) else {
        return Err(b"the text does not begin as those of the product do".to_vec());
    };
    let number = TEXTS.fetch_add(1, Ordering::Relaxed);
    let file = folder().join(format!("text-{}-{number}.cpp", std::process::id()));
    let counted: String = exported(own).map(|name| format!("TW_COUNTED({name})\n")).collect();
    std::fs::write(&file, format!("{own}\n{counted}")).map_err(|error| error.to_string())?;
    let library = file.with_extension("so");
    let output = compiler().args(OPTIONS).arg("-include").arg(header()).arg("-o").args([&library, &file]).output();
    let done = match output {
        Ok(Output { status, .. }) if status.success() => std::fs::read(&library).map_err(|error| error.to_string().into_bytes()),
        Ok(Output { stderr, .. }) => Err(stderr),
        Err(error) => Err(error.to_string().into_bytes()),
    };
    let _ = (std::fs::remove_file(&file), std::fs::remove_file(&library));
    done
}

/// Whether NVRTC knows an option.
fn is_known(option: &str) -> bool {
    ["--std=c++17", "--ptxas-options=-v", "--minimal"].contains(&option)
        || ["sm_80", "sm_90a", "sm_100a"].iter().any(|name| option == format!("--gpu-architecture={name}"))
}

/// Writes bytes to where their size was asked for.
///
/// # Safety
/// There is room for them.
unsafe fn give(bytes: &[u8], to: *mut c_char) {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), bytes.len()) }
}

export! { sys;
    fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> nvrtcResult {
        (*major, *minor) = VERSION;
        Ok(())
    }
    fn nvrtcCreateProgram(
        made: *mut nvrtcProgram,
        source: *const c_char,
        _name: *const c_char,
        headers: c_int,
        _texts: *const *const c_char,
        _names: *const *const c_char,
    ) -> nvrtcResult {
        if headers != 0 {
            forbidden!("{headers} headers");
        }
        let source = CStr::from_ptr(source).to_string_lossy().into_owned();
        PROGRAMS.fetch_add(1, Ordering::Relaxed);
        *made = Box::into_raw(Box::new(Program { source, code: None, log: vec![0] })).cast();
        Ok(())
    }
    fn nvrtcCompileProgram(given: nvrtcProgram, count: c_int, options: *const *const c_char) -> nvrtcResult {
        let mut options = (0..count as usize).map(|n| CStr::from_ptr(*options.add(n)).to_string_lossy());
        if !options.all(|option| is_known(&option)) {
            return Err(nvrtcResult::NVRTC_ERROR_INVALID_OPTION);
        }
        let program = program(given);
        match compile(&program.source) {
            Ok(library) => {
                program.code = Some([MARK, &(library.len() as u64).to_le_bytes(), &library].concat());
                Ok(())
            }
            Err(mut log) => {
                log.push(0);
                program.log = log;
                Err(nvrtcResult::NVRTC_ERROR_COMPILATION)
            }
        }
    }
    fn nvrtcGetCUBINSize(given: nvrtcProgram, size: *mut usize) -> nvrtcResult {
        let Some(code) = &program(given).code else { forbidden!("code of a text that was not compiled") };
        *size = code.len();
        Ok(())
    }
    fn nvrtcGetCUBIN(given: nvrtcProgram, to: *mut c_char) -> nvrtcResult {
        let Some(code) = &program(given).code else { forbidden!("code of a text that was not compiled") };
        give(code, to);
        Ok(())
    }
    fn nvrtcGetPTXSize(given: nvrtcProgram, size: *mut usize) -> nvrtcResult {
        program(given);
        *size = PTX.len();
        Ok(())
    }
    fn nvrtcGetPTX(given: nvrtcProgram, to: *mut c_char) -> nvrtcResult {
        program(given);
        give(PTX, to);
        Ok(())
    }
    fn nvrtcGetProgramLogSize(given: nvrtcProgram, size: *mut usize) -> nvrtcResult {
        *size = program(given).log.len();
        Ok(())
    }
    fn nvrtcGetProgramLog(given: nvrtcProgram, to: *mut c_char) -> nvrtcResult {
        give(&program(given).log, to);
        Ok(())
    }
    fn nvrtcDestroyProgram(given: *mut nvrtcProgram) -> nvrtcResult {
        PROGRAMS.fetch_sub(1, Ordering::Relaxed);
        drop(Box::from_raw((*given).cast::<Program>()));
        *given = std::ptr::null_mut();
        Ok(())
    }
}
