//! The driver of CUDA, NVRTC, cuBLAS and cuSOLVER on the processor, as far as the backend calls them: one library with four names, so that
//! a program which believes that it has a GPU runs to its end where there is none.
//!
//! It stands for what the manuals say, and for nothing of how quick a GPU is. Work is queued and done as late as it may be: when
//! somebody waits for it. Memory ends at a page that nobody may touch, begins as what is not a number, and is given back in the
//! stream's order. What the manuals forbid (memory that is not there, a thread without a context, copies from memory that has gone,
//! work that cannot be captured, handles that were destroyed) ends the program with a sentence, because a GPU may do anything then. What
//! they say may happen to anybody (no memory left, a call that fails) is an error like theirs, and tests can ask for it (`asked.rs`).

mod asked;
mod compiler;
mod dense;
mod driver;
mod events;
mod graphs;
mod memory;
mod modules;
#[path = "../../../tensorwrapper-cuda/src/simulator/memory.rs"]
mod pages;
mod products;
mod routine;
mod solver;
mod streams;
mod triangles;

/// What ends the program: a call that the manuals forbid.
macro_rules! forbidden {
    ($($words:tt)*) => {{
        eprintln!("stand-in for CUDA: {}", format_args!($($words)*));
        std::process::abort()
    }};
}
pub(crate) use forbidden;

/// Exports functions under the names that NVIDIA's libraries have. The bindings' function of the name takes the same arguments in the
/// same order, or this does not compile. A body that ends well is the library's word for success.
macro_rules! export {
    ($library:ident; $(fn $name:ident($($argument:ident: $kind:ty),* $(,)?) -> $status:ty $body:block)*) => {$(
        /// # Safety
        /// As the manual says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $kind),*) -> $status {
            // SAFETY: never called; it compares types.
            let _ = |$($argument: $kind),*| -> $status { unsafe { $library::$name($($argument),*) } };
            if crate::asked::fails(const { crate::asked::text(concat!(stringify!($name), "\0")) }) {
                return <$status as crate::asked::Status>::FAILED;
            }
            // SAFETY: arguments are as the manual asks, by the caller's promise.
            #[allow(unused_unsafe)]
            let done = move || -> Result<(), $status> { unsafe { $body } };
            done().err().unwrap_or(<$status as crate::asked::Status>::DONE)
        }
    )*};
}
pub(crate) use export;
