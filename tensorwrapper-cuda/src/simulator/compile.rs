//! Compiles collected texts to shared libraries, by the system's C++ compiler.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use libloading::Library;

use super::collection::Collection;
use super::compiled::CompiledKernels;
use crate::text::{Kernel, LINEAR, ON_HOST};
use tensorwrapper_core::error::{Error, ErrorKind};

/// The environment variable with the compiler and its first arguments, for machines where it is not `c++`.
const COMPILER: &str = "TENSORWRAPPER_CXX";
/// The number of texts in one source file. The preamble takes as long to compile as several of them.
const TEXTS_PER_FILE: usize = 48;

impl Collection {
    /// The command that compiles C++.
    ///
    /// # Errors
    /// [`ErrorKind::Unavailable`] where it cannot be run.
    pub fn compiler() -> Result<String, Error> {
        let words = words();
        match Command::new(&words[0]).args(&words[1..]).arg("--version").output() {
            Ok(output) if output.status.success() => Ok(words.join(" ")),
            _ => Err(Error::new(ErrorKind::Unavailable { library: "a C++ compiler".to_string(), tried: vec![words.join(" ")] })
                .with_help(format!("set {COMPILER} to the command that compiles C++"))),
        }
    }

    /// Compiles all kernels in a folder, after `change` was applied to each text.
    ///
    /// # Errors
    /// [`ErrorKind::Kernel`] with the compiler's messages and the source, and [`ErrorKind::Io`] for the folder.
    pub fn compile(&self, folder: &Path, change: impl Fn(&str) -> String) -> Result<Arc<CompiledKernels>, Error> {
        let io = |error: std::io::Error| Error::new(ErrorKind::Io { path: folder.to_path_buf(), message: error.to_string() });
        std::fs::create_dir_all(folder).map_err(io)?;
        let kernels = self.lock();
        let has_linalg = kernels.values().any(|kernel| kernel.kind == LINEAR);
        let own = |kernel: &Kernel| (kernel.source.name.clone(), Arc::clone(&kernel.source));
        let own: Vec<_> = kernels.values().map(own).collect::<BTreeMap<_, _>>().into_values().collect();
        let mut sources = Vec::new();
        for (n, own) in own.chunks(TEXTS_PER_FILE).enumerate() {
            let texts: String = own.iter().map(|source| source.text.as_str()).collect();
            let source = folder.join(format!("kernels{n}.cpp"));
            let whole = format!("{}{}", include_str!("shim.h"), change(&format!("{}{texts}", ON_HOST.concat())));
            std::fs::write(&source, whole).map_err(io)?;
            sources.push(source);
        }
        use rayon::prelude::*;
        sources.par_iter().map(|source| library(source)).collect::<Result<_, _>>().map(|libraries| {
            let (transfers, products, routines, settings, replays, refuses) = Default::default();
            let memory = [AtomicUsize::new(usize::MAX), AtomicUsize::new(0)];
            Arc::new(CompiledKernels { libraries, has_linalg, transfers, products, routines, settings, replays, refuses, memory })
        })
    }
}

/// The words of the compiler's command.
fn words() -> Vec<String> {
    let command = std::env::var(COMPILER).unwrap_or_default();
    let words: Vec<String> = command.split_whitespace().map(str::to_string).collect();
    if words.is_empty() { vec!["c++".to_string()] } else { words }
}

/// Compiles a source file and opens the library.
fn library(source: &Path) -> Result<Library, Error> {
    let failed = |message: String| {
        let source = std::fs::read_to_string(source).unwrap_or_default();
        Error::new(ErrorKind::Kernel { message, source })
    };
    let target: PathBuf = source.with_extension("so");
    let words = words();
    let output = Command::new(&words[0])
        .args(&words[1..])
        .args(["-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off", "-o"])
        .args([&target, source])
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(String::from_utf8_lossy(&output.stderr).into_owned()));
    }
    // SAFETY: the library's constructors do nothing.
    unsafe { Library::new(&target) }.map_err(|error| failed(error.to_string()))
}
