//! The CUDA backend without a GPU: the kernels that the corpus of einsum cases and programs of the language need, run in the
//! simulator against the `cpu` backend, and compiled by NVRTC for the architectures that there are. Where there is a GPU,
//! `tests/corpus.rs` runs on it, too.
//!
//! What cannot be done on a machine is said, and is a failure where `CI` is set.

mod chosen;
mod compiled;
mod equations;
mod first;
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
