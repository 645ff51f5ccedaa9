//! The CUDA backend without a GPU: the kernels that the corpus of einsum cases and programs of the language need, run in the simulator
//! against the `cpu` backend, and compiled by NVRTC for the architectures that there are; and under `driver` the whole backend over a
//! stand-in for NVIDIA's libraries. The corpus itself runs on every device that this program finds: a GPU or the stand-in.
//!
//! This is a program of its own because it needs the feature `cuda`, and because the stand-in takes the place of the system's libraries
//! for a whole process. A test that a machine cannot run says so, and fails where `CI` is set.

#![allow(clippy::duplicate_mod, reason = "the corpus and the example share the reader of cases")]

mod blocks;
mod chosen;
mod compiled;
#[path = "../integration/corpus.rs"]
mod corpus;
mod derived;
mod driver;
mod equations;
mod first;
mod integers;
mod linear;
mod missing;
mod placed;
mod pool;
mod program;
mod replayed;
mod simulated;
mod steps;
mod there;

/// Whether something that a test needs is there; a test machine has it, elsewhere the test says that it is skipped.
fn is_there<T>(test: &str, needed: Result<T, tensorwrapper::Error>) -> bool {
    match needed {
        Ok(_) => true,
        Err(error) if std::env::var_os("CI").is_some() => panic!("{test}: {error}"),
        Err(error) => {
            println!("SKIPPED {test}: {error}");
            false
        }
    }
}
