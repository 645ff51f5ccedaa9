//! Products of small matrices whose extents and strides are constants: kernels made for one size, in registers throughout.
//!
//! A size is a type ([`Fixed`]), so that the compiler lays out every loop; which vector instructions there are is asked once
//! for each call. Processors without them have no kernel here, and the caller's own loops serve. Knows nothing of equations.

pub(super) mod kernel;
mod problem;
mod rows;
#[cfg(test)]
mod tests;

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

pub use problem::{Axis, MOST_OUTER, MOST_TRANSPOSED, NARROWEST, Problem, Term};

use crate::simd::Simd;
use kernel::Size;
use tensorwrapper_core::element::Element;

/// A size and its strides, as a type.
pub trait Fixed {
    /// What is computed.
    const PROBLEM: Problem;
}

/// Such a size for the kernel.
struct ConstSize<P>(PhantomData<P>);

impl<P> ConstSize<P> {
    const NEW: ConstSize<P> = ConstSize(PhantomData);
}

impl<P> Clone for ConstSize<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for ConstSize<P> {}

impl<P: Fixed> Size for ConstSize<P> {
    const TRANSPOSED: bool = P::PROBLEM.b_column != 1;
    const KNOWN: Option<[usize; 2]> = Some([P::PROBLEM.rows, P::PROBLEM.columns]);

    #[inline(always)]
    fn problem(self) -> Problem {
        const { P::PROBLEM }
    }
}

/// The instructions of the kernels, or none; found out once.
#[inline(always)]
fn chosen() -> Option<Simd> {
    const UNKNOWN: u8 = 0;
    static CHOSEN: AtomicU8 = AtomicU8::new(UNKNOWN);
    #[cold]
    fn choose() -> u8 {
        // A name that the environment has wrong is refused by devices; straight code has none, and no way to fail: it keeps its
        // loops.
        let choice = match Simd::chosen() {
            Ok(Simd::Avx512) => 1,
            Ok(Simd::Avx2) => 2,
            Ok(Simd::Neon) => 3,
            Ok(Simd::Portable) | Err(_) => 4,
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
        3 => Some(Simd::Neon),
        _ => None,
    }
}

/// The operands of a product whose size is `P`: memory that reaches as far as that does, on a processor that has a kernel.
/// Two addresses, so that they travel in registers.
pub struct Factors<'f, P: Fixed, T: Element> {
    a: NonNull<T>,
    b: NonNull<T>,
    memory: PhantomData<(&'f [T], P)>,
}

impl<'f, P: Fixed, T: Element> Factors<'f, P, T> {
    /// Takes the operands; nothing where the processor has no vectors to multiply them with.
    ///
    /// # Panics
    /// When the memory is less than what the problem reaches.
    #[inline(always)]
    pub fn new(a: &'f [T], b: &'f [T]) -> Option<Self> {
        let [a_needs, b_needs, _] = const { P::PROBLEM.reach() };
        assert!(a.len() >= a_needs && b.len() >= b_needs, "the operands hold what the problem reaches");
        let (a, b) = (NonNull::from(a).cast(), NonNull::from(b).cast());
        chosen().map(|_| Factors { a, b, memory: PhantomData })
    }

    /// The product, in memory that is all written.
    ///
    /// # Panics
    /// When the memory is not that of the problem's result.
    #[inline(always)]
    pub fn product<'c>(&self, c: &'c mut [MaybeUninit<T>]) -> &'c mut [T] {
        // What was chosen stays; there are no factors where it is nothing.
        self.product_by(chosen().unwrap_or(Simd::Avx2), c)
    }

    /// The same with instructions that the processor has.
    #[inline(always)]
    fn product_by<'c>(&self, simd: Simd, c: &'c mut [MaybeUninit<T>]) -> &'c mut [T] {
        const { assert!(P::PROBLEM.covers(), "some element of the result is left out, or written twice") };
        assert!(c.len() == const { P::PROBLEM.reach()[2] }, "the result is as long as the problem says");
        debug_assert!(simd.is_available(), "{simd:?} was asked for on a processor without");
        let (a, b, to) = (self.a.as_ptr().cast_const(), self.b.as_ptr().cast_const(), c.as_mut_ptr().cast::<T>());
        // SAFETY: the processor has the instructions, and the memory reaches as far as the problem does.
        unsafe { kernel::run(simd, ConstSize::<P>::NEW, a, b, to) };
        // SAFETY: `c` is as long as the problem reaches, which covers all of it: the kernel has written every element.
        unsafe { c.assume_init_mut() }
    }
}
