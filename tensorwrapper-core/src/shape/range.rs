//! Whether a constant position lies on an axis of constant extent, decided by types.
//!
//! Stable Rust does not compare constants of types, so the numbers are converted to `typenum`'s types and back. The table of `typenum`
//! ends at 1024 and does not cover a generic `N`. For other numbers [`Within`] is not implemented, and the check is made at run time.
//! Only this file and `fused` use types of `typenum`.

use typenum::{B0, B1, Const as Number, IsLess, ToUInt, U};

use super::extent::Const;
use super::outcome::{Divided, Located};

/// Implemented by an extent that can be compared with the position `I`.
pub trait Within<const I: usize> {
    /// The type of the outcome, a [`Located`].
    type Located;
    /// The outcome.
    fn located() -> Self::Located;
}

impl<const N: usize, const I: usize> Within<I> for Const<N>
where
    Number<N>: ToUInt,
    Number<I>: ToUInt,
    U<I>: IsLess<U<N>, Output: Bit>,
{
    type Located = <<U<I> as IsLess<U<N>>>::Output as Bit>::Located<N>;
    fn located() -> Self::Located {
        <<U<I> as IsLess<U<N>>>::Output as Bit>::located::<N>()
    }
}

/// `typenum`'s bits as outcomes.
pub trait Bit {
    /// The type of the outcome for an axis of extent `N`.
    type Located<const N: usize>;
    /// The outcome for an axis of extent `N`.
    fn located<const N: usize>() -> Self::Located<N>;
    /// The type of the outcome of dividing `N` by `P`.
    type Divided<const P: usize, const N: usize>;
    /// The outcome of dividing `N` by `P`.
    fn divided<const P: usize, const N: usize>() -> Self::Divided<P, N>;
}

impl Bit for B0 {
    type Located<const N: usize> = Located<N, false>;
    fn located<const N: usize>() -> Located<N, false> {
        Located
    }
    type Divided<const P: usize, const N: usize> = Divided<P, N, false>;
    fn divided<const P: usize, const N: usize>() -> Divided<P, N, false> {
        Divided
    }
}

impl Bit for B1 {
    type Located<const N: usize> = Located<N, true>;
    fn located<const N: usize>() -> Located<N, true> {
        Located
    }
    type Divided<const P: usize, const N: usize> = Divided<P, N, true>;
    fn divided<const P: usize, const N: usize>() -> Divided<P, N, true> {
        Divided
    }
}
