//! Whether a constant position lies on an axis of constant extent, decided by types.
//!
//! Stable Rust compares constants of types nowhere, so the numbers are turned into `typenum`'s and back. Its table ends
//! at 1024 and knows no generic `N`; there [`Within`] is not implemented, and the run time decides. No type of
//! `typenum` is seen outside of this file.

use typenum::{B0, B1, Const as Number, IsLess, ToUInt, U};

use super::extent::Const;

/// The outcome: `Verdict<true>` where the position lies on the axis.
#[derive(Debug)]
pub struct Verdict<const INSIDE: bool>;

/// Implemented by an extent that can be compared with the position `I`.
pub trait Within<const I: usize> {
    /// The outcome.
    type Verdict;
}

impl<const N: usize, const I: usize> Within<I> for Const<N>
where
    Number<N>: ToUInt,
    Number<I>: ToUInt,
    U<I>: IsLess<U<N>, Output: Bit>,
{
    type Verdict = <<U<I> as IsLess<U<N>>>::Output as Bit>::Verdict;
}

/// `typenum`'s bits as verdicts.
pub trait Bit {
    /// The verdict.
    type Verdict;
}
impl Bit for B0 {
    type Verdict = Verdict<false>;
}
impl Bit for B1 {
    type Verdict = Verdict<true>;
}
