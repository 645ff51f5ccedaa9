//! tanh, by constants that are looked up for each number: `double` and `single` have the formulas of both types.

pub(super) mod double;
pub(super) mod single;

use super::kernel::{Call, From};
use super::lanes::{ENTRIES, Formula, Lanes, Pair};
use crate::simd::Simd;

/// The function, as that of a [`Call`].
#[derive(Clone, Copy)]
pub(super) struct Tanh;

/// A type of numbers, with the registers for them and the formula of tanh.
pub(super) trait Tabled: Lanes<Real = Self> {
    #[cfg(target_arch = "x86_64")]
    type Wide: Lanes<Real = Self>;
    #[cfg(target_arch = "x86_64")]
    type Narrow: Lanes<Real = Self>;
    type Tanh<V: Lanes<Real = Self>>: Formula<V>;
    const ZERO: Self;
}

impl Tabled for f64 {
    #[cfg(target_arch = "x86_64")]
    type Wide = std::arch::x86_64::__m512d;
    #[cfg(target_arch = "x86_64")]
    type Narrow = std::arch::x86_64::__m256d;
    type Tanh<V: Lanes<Real = f64>> = double::Quotient<V>;
    const ZERO: f64 = 0.0;
}

impl Tabled for f32 {
    #[cfg(target_arch = "x86_64")]
    type Wide = std::arch::x86_64::__m512;
    #[cfg(target_arch = "x86_64")]
    type Narrow = std::arch::x86_64::__m256;
    type Tanh<V: Lanes<Real = f32>> = single::Polynomials<V>;
    const ZERO: f32 = 0.0;
}

/// Writes as many values as whole registers have, from the number `n` on, and returns the number after them.
///
/// # Safety
/// See [`Lanes`]; `len` numbers are read at `from` and written to `to`, which may be the same place.
#[inline(always)]
unsafe fn write_registers<V: Lanes<Real: Tabled>>(from: *const V::Real, to: *mut V::Real, mut n: usize, len: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        let formula = <V::Real as Tabled>::Tanh::<V>::in_registers();
        while n + V::COUNT <= len {
            formula.value(V::load(from.add(n))).store(to.add(n));
            n += V::COUNT;
        }
    }
    n
}

/// Writes all values.
///
/// # Safety
/// As [`write_registers`].
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn write_all<V: Lanes<Real: Tabled>>(from: *const V::Real, to: *mut V::Real, len: usize) {
    // SAFETY: the caller's promise; the array has room for the widest register.
    unsafe {
        let n = write_registers::<Pair<Pair<V>>>(from, to, 0, len);
        let n = write_registers::<V>(from, to, n, len);
        if n < len {
            let mut rest = [V::Real::ZERO; ENTRIES];
            let place = rest.as_mut_ptr();
            std::ptr::copy_nonoverlapping(from.add(n), place, len - n);
            write_registers::<V>(place, place, 0, V::COUNT);
            std::ptr::copy_nonoverlapping(place, to.add(n), len - n);
        }
    }
}

#[inline(always)]
fn one<R: Tabled>(x: R) -> R {
    // SAFETY: a number alone needs no instructions of its own.
    unsafe { R::Tanh::<R>::in_registers().value(x) }
}

/// Writes the values in the form for these instructions, which the processor has.
pub(super) fn dispatch<R: Tabled>(simd: Simd, Call { from, to, .. }: Call<'_, R, Tanh>) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx2,fma")]
        unsafe fn wide<R: Tabled>(from: *const R, to: *mut R, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { write_all::<R::Wide>(from, to, len) }
        }
        #[target_feature(enable = "avx2,fma")]
        unsafe fn narrow<R: Tabled>(from: *const R, to: *mut R, len: usize) {
            // SAFETY: the caller's promise.
            unsafe { write_all::<R::Narrow>(from, to, len) }
        }
        let (len, place) = (to.len(), to.as_mut_ptr());
        let given = match &from {
            From::Memory(from) => from[..len].as_ptr(),
            From::Itself => place,
        };
        match simd {
            // SAFETY: forms are chosen among those that are available, and both slices have so many numbers.
            Simd::Avx512 => return unsafe { wide(given, place, len) },
            // SAFETY: as above.
            Simd::Avx2 => return unsafe { narrow(given, place, len) },
            Simd::Neon | Simd::Portable => {}
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = simd;
    match from {
        From::Memory(from) => to.iter_mut().zip(from).for_each(|(to, &x)| *to = one(x)),
        From::Itself => to.iter_mut().for_each(|x| *x = one(*x)),
    }
}
