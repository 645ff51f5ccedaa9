//! Elementary functions of many elements at once, by vector instructions.
//!
//! `exponential` has exp and ln, `circular` sin and cos, `power` powers; `kernel` has what they share. Each of these functions is plain
//! arithmetic without branches, which the compiler turns into vectors. `hyperbolic` has tanh, which looks constants up; `lanes` has the
//! instructions for that. Errors are below one unit in the last place (`tests`). An element's value depends on nothing but the element:
//! neither on its neighbours nor on the number of threads.
//!
//! Where there is no fused multiply-add, and for complex numbers, the functions are those of `Scalar`.
//!
//! Sources: the structure of each function but tanh is that of FreeBSD's msun (S. Moshier, K. C. Ng), with arguments reduced as in W. J.
//! Cody, W. Waite, "Software Manual for the Elementary Functions" (1980), and sums in two numbers as in T. J. Dekker, Numer. Math.
//! 18 (1971) 224. Polynomials are Chebyshev fits that were made with 60 digits, those of `sine` and `cosine` msun's;
//! `hyperbolic` says how those of tanh were made.

mod circular;
mod exponential;
// Other processors compute one number after the other, and do not need all of it.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod hyperbolic;
mod kernel;
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
mod lanes;
mod power;
#[cfg(test)]
mod tests;

use super::multiversion::{Loops, dispatch};
use crate::simd::Simd;
use exponential::{double, single};
use kernel::{Call, From, Ordinary};
pub(super) use power::Exponent;
use tensorwrapper_core::backend::Unary;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// Whether a multiply-add is one instruction.
fn is_fused(simd: Simd) -> bool {
    matches!(simd, Simd::Avx512 | Simd::Avx2 | Simd::Neon)
}

/// Runs a function of real numbers by vector instructions and returns; goes on where elements are complex.
macro_rules! by_vectors {
    ($simd:expr, $from:expr, $to:expr, $function:expr, $dispatch:path) => {
        match ($from.map(T::erase), T::erase_mut($to)) {
            (None, SliceMut::F64(to)) => return $dispatch($simd, Call { function: $function, from: From::Itself, to }),
            (None, SliceMut::F32(to)) => return $dispatch($simd, Call { function: $function, from: From::Itself, to }),
            (Some(SliceRef::F64(from)), SliceMut::F64(to)) => {
                return $dispatch($simd, Call { function: $function, from: From::Memory(from), to });
            }
            (Some(SliceRef::F32(from)), SliceMut::F32(to)) => {
                return $dispatch($simd, Call { function: $function, from: From::Memory(from), to });
            }
            _ => {}
        }
    };
}

/// Writes the values of a function at elements of `from`; at those of `to` itself, if there are no others.
pub(super) fn apply<T: Scalar>(simd: Simd, function: Unary, from: Option<&[T]>, to: &mut [T]) {
    use Unary::{Cos, Exp, Ln, Recip, Sin, Sqrt, Tanh};
    if is_fused(simd) && matches!(function, Tanh) {
        by_vectors!(simd, from, to, hyperbolic::Tanh, hyperbolic::dispatch);
    }
    if is_fused(simd) && matches!(function, Exp | Ln | Sin | Cos | Sqrt | Recip) {
        by_vectors!(simd, from, to, function, dispatch);
    }
    from.iter().for_each(|from| to.copy_from_slice(from));
    T::apply(function, to);
}

/// As [`apply`], for powers.
pub(super) fn power<T: Scalar>(simd: Simd, exponent: Exponent, from: Option<&[T]>, to: &mut [T]) {
    if is_fused(simd) {
        by_vectors!(simd, from, to, exponent, dispatch);
    }
    from.iter().for_each(|from| to.copy_from_slice(from));
    match exponent {
        Exponent::Whole(n) => to.iter_mut().for_each(|x| *x = x.power_integer(n)),
        Exponent::Real(p) => to.iter_mut().for_each(|x| *x = x.power_real(p)),
    }
}

macro_rules! functions {
    ($R:ident, $functions:ident, $sin:path, $cos:path) => {
        impl Loops for Call<'_, $R, Unary> {
            type Result = ();

            #[inline(always)]
            fn run(self) {
                let Call { function, from, to } = self;
                // The short form where all elements of a block are ordinary; elsewhere one that has the same values.
                macro_rules! whole {
                    ($ordinary:expr, $short:path, $long:path) => {{
                        let ordinary = $ordinary;
                        kernel::blocks!(from, to, |x, out| match ordinary.holds_all(x) {
                            true => kernel::each!(x, out, $short),
                            false => kernel::each!(x, out, $long),
                        });
                    }};
                }
                match function {
                    Unary::Exp => whole!(Ordinary::<$R>::near_zero($functions::NEAR), $functions::exp_near, $functions::exp),
                    Unary::Ln => {
                        let ordinary = Ordinary::<$R>::between($R::MIN_POSITIVE, $R::INFINITY);
                        kernel::blocks!(from, to, |x, out| match ordinary.holds_all(x) {
                            true => $functions::ln_normal(x, out),
                            false => kernel::each!(x, out, $functions::ln),
                        });
                    }
                    Unary::Sqrt => {
                        kernel::blocks!(from, to, |x, out| kernel::each!(x, out, $R::sqrt));
                    }
                    Unary::Recip => {
                        kernel::blocks!(from, to, |x, out| kernel::each!(x, out, $R::recip));
                    }
                    Unary::Sin => {
                        let ordinary = Ordinary::<$R>::near_zero(circular::NEAR as $R);
                        kernel::apart!(from, to, ordinary, |x| $sin(x), others x.sin());
                    }
                    Unary::Cos => {
                        let ordinary = Ordinary::<$R>::near_zero(circular::NEAR as $R);
                        kernel::apart!(from, to, ordinary, |x| $cos(x), others x.cos());
                    }
                    _ => unreachable!("other functions are computed elsewhere"),
                }
            }
        }
    };
}
functions!(f64, double, circular::sin, circular::cos);
functions!(f32, single, circular::sin_f32, circular::cos_f32);
