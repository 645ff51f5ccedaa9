//! The backend over the CUDA driver, NVRTC, cuBLAS and cuSOLVER, from the first call of a library to the last: with `tests/stand_in/` in
//! their place, which counts calls, has any of them fail, and ends the program where a manual is not kept.
//!
//! `.ci/kernels` builds the stand-in, leads the system's loader to it and sets `TENSORWRAPPER_STAND_IN`; elsewhere these tests are
//! skipped, and say so.

mod devices;
mod failing;
mod left;
mod programs;
mod replayed;

use std::ffi::{CStr, CString, c_char};
use std::sync::{Mutex, MutexGuard, PoisonError};

use libloading::Library;

/// The stand-in, which one test uses at a time: what it counts is the whole program's.
struct StandIn {
    library: Library,
    _turn: MutexGuard<'static, ()>,
}

impl StandIn {
    /// The stand-in, where it takes the place of NVIDIA's libraries.
    ///
    /// # Panics
    /// When it is said to be there, and is not.
    fn of(test: &str) -> Option<StandIn> {
        static TURN: Mutex<()> = Mutex::new(());
        if std::env::var_os("TENSORWRAPPER_STAND_IN").is_none() {
            println!("SKIPPED {test}: there is no stand-in for CUDA");
            return None;
        }
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: its constructors do nothing.
        let library = unsafe { Library::new("libcuda.so.1") }.expect("the loader finds the stand-in");
        let stand_in = StandIn { library, _turn: turn };
        stand_in.fail(0, false);
        stand_in.memory(usize::MAX);
        Some(stand_in)
    }

    fn symbol<F: Copy>(&self, name: &str) -> F {
        // SAFETY: the stand-in exports functions of the types that are named below.
        let found = unsafe { self.library.get::<F>(name.as_bytes()) };
        *found.unwrap_or_else(|error| panic!("the driver is the stand-in: {error}"))
    }

    /// Has a call fail that is counted from 1, and all behind it, if that is asked; 0 for none. How many calls there were before.
    fn fail(&self, number: usize, all_after: bool) -> usize {
        self.symbol::<extern "C" fn(usize, bool) -> usize>("stand_in_fail")(number, all_after)
    }

    /// The function whose call failed first since calls were counted anew.
    fn failed(&self) -> Option<&'static str> {
        let name = self.symbol::<extern "C" fn() -> *const c_char>("stand_in_failed")();
        // SAFETY: null, or a constant text of the stand-in, which stays open.
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().expect("names are letters"))
    }

    /// How often a function was called since calls were counted anew.
    fn calls(&self, name: &str) -> usize {
        let name = CString::new(name).expect("names have no zeros");
        self.symbol::<extern "C" fn(*const c_char) -> usize>("stand_in_calls")(name.as_ptr())
    }

    /// Gives each device so many bytes. How many of them are taken.
    fn memory(&self, bytes: usize) -> usize {
        self.symbol::<extern "C" fn(usize) -> usize>("stand_in_memory")(bytes)
    }

    /// Has nothing left of what calls that failed have not given back; no device is open.
    fn reset(&self) {
        self.symbol::<extern "C" fn()>("stand_in_reset")();
    }

    /// Whether this thread was left with a context that nobody holds.
    fn dangles(&self) -> bool {
        self.symbol::<extern "C" fn() -> bool>("stand_in_dangles")()
    }

    /// Has no text compile from now on, or all of them.
    fn refuse_texts(&self, all: bool) {
        self.symbol::<extern "C" fn(bool)>("stand_in_refuse_texts")(all);
    }

    /// Contexts, streams, events, graphs, texts, pools, pieces of pinned memory, handles and programs that there are.
    fn things(&self) -> usize {
        self.symbol::<extern "C" fn() -> usize>("stand_in_things")()
    }
}

/// Removes files of such names from the folder of what is kept on disk.
fn forget(is_one: impl Fn(&str) -> bool) {
    let folder = std::env::var_os("TENSORWRAPPER_CACHE").expect("what is kept goes to a folder of the tests");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = files.filter(|file| is_one(&file.file_name().to_string_lossy()));
    ours.for_each(|file| std::fs::remove_file(file.path()).expect("it is a file of the tests"));
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.fail(0, false);
        self.refuse_texts(false);
        self.memory(usize::MAX);
        // What the test had of devices has gone before.
        self.reset();
    }
}
