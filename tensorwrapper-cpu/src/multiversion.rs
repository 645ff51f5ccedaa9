//! Plain loops, compiled once for each set of vector instructions: the compilation's target may have the oldest ones alone.
//!
//! Results are the same in every form: loops say themselves in which order they add, and products are rounded before that.

use crate::simd::{Caches, Simd};
pub(super) use tensorwrapper_core::storage::LINE;

/// Loops to be compiled in several forms. `run` and everything that it calls is to be inlined, or it is compiled in one only.
pub trait Loops {
    /// What they result in.
    type Result;
    /// Runs the loops.
    fn run(self) -> Self::Result;
}

/// Runs loops in the form for these instructions, which the processor has.
pub(super) fn dispatch<L: Loops>(simd: Simd, loops: L) -> L::Result {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx2,fma")]
        fn wide<L: Loops>(loops: L) -> L::Result {
            loops.run()
        }
        match simd {
            // SAFETY: forms are chosen among those that are available.
            Simd::Avx512 => return unsafe { wide(loops) },
            // SAFETY: as above.
            Simd::Avx2 => return unsafe { narrow(loops) },
            Simd::Neon | Simd::Portable => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = simd;
    baseline(loops)
}

/// The same without the widest instructions: elements seldom start where those' lines do, and a store across two lines costs
/// more than several narrow ones.
pub(super) fn dispatch_narrow<L: Loops>(simd: Simd, loops: L) -> L::Result {
    #[cfg(target_arch = "x86_64")]
    match simd {
        // SAFETY: forms are chosen among those that are available, and whoever has the wider one has this.
        Simd::Avx512 | Simd::Avx2 => return unsafe { narrow(loops) },
        Simd::Neon | Simd::Portable => {}
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = simd;
    baseline(loops)
}

/// Runs loops of the floors above in the form for this processor, without the widest instructions.
pub fn vectorised<L: Loops>(loops: L) -> L::Result {
    // A name in the environment that is none is an error of every operation of the device, which these loops are not.
    dispatch_narrow(Simd::chosen().unwrap_or(Simd::Portable), loops)
}

/// The same of loops that write nothing, or less than they read, with the widest instructions.
pub fn vectorised_reads<L: Loops>(loops: L) -> L::Result {
    dispatch(Simd::chosen().unwrap_or(Simd::Portable), loops)
}

/// With the instructions of the compilation's target. Not inlined, so that there is one copy for all that dispatch the same loops.
#[inline(never)]
fn baseline<L: Loops>(loops: L) -> L::Result {
    loops.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn narrow<L: Loops>(loops: L) -> L::Result {
    loops.run()
}

/// Asks for elements that will be read soon, into the second cache.
#[inline(always)]
pub(super) fn prefetch<T>(elements: &[T]) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        let start = elements.as_ptr().cast::<i8>();
        for at in (0..size_of_val(elements)).step_by(LINE) {
            // SAFETY: a hint, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T1>(start.wrapping_add(at)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = elements;
}

/// Asks for the line of an address, which may be any, into the second cache.
#[inline(always)]
pub(super) fn prefetch_line<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Asks for the line of an address, which may be any, into the first cache.
#[inline(always)]
pub(super) fn ask_line<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

/// Bytes of a result from which on it is written past the caches, if it is written once: what is larger would not stay there, and lines
/// that are written whole need not be read before.
pub(super) fn streamed() -> usize {
    Caches::here().third / 2
}

/// Waits until everything that was written past the caches is visible to all threads.
pub(super) fn finish_streams() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    unsafe {
        std::arch::x86_64::_mm_sfence()
    };
}
