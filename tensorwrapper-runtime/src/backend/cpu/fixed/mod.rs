//! Products of small matrices whose extents and strides are constants: kernels made for one size, in registers throughout.
//!
//! A size is a type ([`Fixed`]), so that the compiler lays out every loop; which vector instructions there are is asked once
//! for each call. Processors without them have no kernel here, and the caller's own loops serve. Knows nothing of equations.

#[cfg(target_arch = "x86_64")]
mod kernel;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod problem;
#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicU8, Ordering};

pub(crate) use problem::{Axis, MOST_OUTER, MOST_TURNED, Problem, Term};

use super::engine::Simd;
use crate::element::Element;

/// A size and its strides, as a type.
pub(crate) trait Fixed {
    /// What is computed.
    const PROBLEM: Problem;
}

/// The instructions of the kernels, or none; found out once.
#[inline(always)]
fn chosen() -> Option<Simd> {
    const UNKNOWN: u8 = 0;
    static CHOSEN: AtomicU8 = AtomicU8::new(UNKNOWN);
    #[cold]
    fn choose() -> u8 {
        // A name that the environment has wrong is refused where results can fail; here it asks for no kernel.
        let choice = match Simd::chosen() {
            Ok(Simd::Avx512) => 1,
            Ok(Simd::Avx2) => 2,
            Ok(Simd::Neon | Simd::Portable) | Err(_) => 3,
        };
        CHOSEN.store(choice, Ordering::Relaxed);
        choice
    }
    let choice = match CHOSEN.load(Ordering::Relaxed) {
        UNKNOWN => choose(),
        known => known,
    };
    match choice {
        1 => Some(Simd::Avx512),
        2 => Some(Simd::Avx2),
        _ => None,
    }
}

/// The product of `a` and `b` in `c`, all of whose elements it writes; or `c` again where the processor has no vectors to
/// compute it with.
///
/// # Panics
/// When the memory is less than what the problem reaches.
#[inline(always)]
pub(crate) fn product<'c, P: Fixed, T: Element>(
    a: &[T],
    b: &[T],
    c: &'c mut [MaybeUninit<T>],
) -> Result<&'c mut [T], &'c mut [MaybeUninit<T>]> {
    match chosen() {
        Some(simd) => product_by::<P, T>(simd, a, b, c),
        None => Err(c),
    }
}

/// The same with instructions that the processor has.
#[inline(always)]
fn product_by<'c, P: Fixed, T: Element>(
    simd: Simd,
    a: &[T],
    b: &[T],
    c: &'c mut [MaybeUninit<T>],
) -> Result<&'c mut [T], &'c mut [MaybeUninit<T>]> {
    let [a_needs, b_needs, c_needs] = const { P::PROBLEM.reach() };
    const { assert!(P::PROBLEM.covers(), "some element of the result is left out, or written twice") };
    assert!(a.len() >= a_needs && b.len() >= b_needs && c.len() == c_needs, "the operands hold what the problem reaches");
    debug_assert!(simd.is_available(), "{simd:?} was asked for on a processor without");
    #[cfg(target_arch = "x86_64")]
    {
        let (a, b, to) = (a.as_ptr(), b.as_ptr(), c.as_mut_ptr().cast::<T>());
        // SAFETY: the processor has the instructions, and the memory reaches as far as the problem does.
        unsafe {
            match simd {
                Simd::Avx512 => kernel::avx512::<P, T>(a, b, to),
                Simd::Avx2 => kernel::avx2::<P, T>(a, b, to),
                Simd::Neon | Simd::Portable => return Err(c),
            }
        }
        // SAFETY: `c` is as long as the problem reaches, which covers all of it: the kernel has written every element.
        Ok(unsafe { c.assume_init_mut() })
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (simd, a, b);
        Err(c)
    }
}
