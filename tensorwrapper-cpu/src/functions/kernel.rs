//! What elementary functions share: polynomials, loops, and sums of two numbers that are exact.

/// A polynomial by Horner's rule, the constant term first.
macro_rules! polynomial {
    ($x:expr; [$($terms:expr),*]) => { $crate::functions::kernel::polynomial!($x; $($terms),*) };
    ($x:expr; $last:expr) => { $last };
    ($x:expr; $first:expr, $($rest:expr),+) => { ($x).mul_add($crate::functions::kernel::polynomial!($x; $($rest),+), $first) };
}
pub(super) use polynomial;

/// Elements that are looked at together: whether all of them are ordinary.
pub(super) const BLOCK: usize = 64;

/// A block at the start of a cache line, which the widest vectors fill: one that lies across two takes longer.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lines<R>(pub(super) [R; BLOCK]);

/// What a function is computed of, element by element: other memory, or the result's own.
pub(super) enum From<'v, R> {
    Memory(&'v [R]),
    Itself,
}

/// Elements of one type, and a function of them.
pub(super) struct Call<'v, R, F> {
    pub(super) function: F,
    pub(super) from: From<'v, R>,
    pub(super) to: &'v mut [R],
}

/// A type of real numbers, with that of whole numbers of as many digits.
pub(super) trait Digits {
    type Bits: Copy;
}
impl Digits for f64 {
    type Bits = u64;
}
impl Digits for f32 {
    type Bits = u32;
}

/// Numbers between two bounds. They are compared as whole numbers, as maxima of those are vectors.
#[derive(Clone, Copy)]
pub(super) struct Ordinary<R: Digits> {
    /// The digits that count: all of them, or all but the sign.
    mask: R::Bits,
    least: R::Bits,
    /// How many numbers there are from the least one on.
    count: R::Bits,
}

macro_rules! ordinary {
    ($R:ty, $Bits:ty) => {
        impl Ordinary<$R> {
            /// Numbers x with |x| < most.
            #[inline(always)]
            pub(super) fn near_zero(most: $R) -> Self {
                Ordinary { mask: <$Bits>::MAX >> 1, least: 0, count: most.to_bits() }
            }

            /// Numbers x with least ≤ x < most, for positive bounds; none, where they are not in this order.
            #[inline(always)]
            pub(super) fn between(least: $R, most: $R) -> Self {
                Ordinary { mask: <$Bits>::MAX, least: least.to_bits(), count: most.to_bits().saturating_sub(least.to_bits()) }
            }

            #[inline(always)]
            fn place(self, x: $R) -> $Bits {
                (x.to_bits() & self.mask).wrapping_sub(self.least)
            }

            #[inline(always)]
            pub(super) fn holds(self, x: $R) -> bool {
                self.place(x) < self.count
            }

            #[inline(always)]
            pub(super) fn holds_all(self, all: &[$R]) -> bool {
                let mut most = 0;
                for &x in all {
                    let place = self.place(x);
                    most = if place > most { place } else { most };
                }
                most < self.count
            }
        }
    };
}
ordinary!(f64, u64);
ordinary!(f32, u32);

/// Runs code for each block: it makes the elements of `$result` of those of `$x`. The last block is filled up with ones.
macro_rules! blocks {
    ($from:expr, $to:expr, |$x:ident, $result:ident| $run:expr) => {
        use $crate::functions::kernel::{BLOCK, From};
        let (mut copied, mut made) = ([1.0; BLOCK], [0.0; BLOCK]);
        for (n, out) in $to.chunks_mut(BLOCK).enumerate() {
            let len = out.len();
            let lying = match $from {
                From::Memory(from) => <&[_; BLOCK]>::try_from(&from[n * BLOCK..][..len]).ok(),
                From::Itself => None,
            };
            let $x = lying.unwrap_or_else(|| {
                let given = if let From::Memory(from) = $from { &from[n * BLOCK..][..len] } else { &out[..] };
                copied[..len].copy_from_slice(given);
                &copied
            });
            {
                let $result =
                    if len == BLOCK { <&mut [_; BLOCK]>::try_from(&mut *out).expect("it is a block") } else { &mut made };
                $run;
            }
            if len < BLOCK {
                out.copy_from_slice(&made[..len]);
            }
        }
    };
}
pub(super) use blocks;

/// The values of a function for a block. It is named, not a closure, as it has to be inlined.
macro_rules! each {
    ($x:expr, $result:expr, $function:expr $(, $argument:expr)*) => {
        for n in 0..$crate::functions::kernel::BLOCK {
            $result[n] = $function($x[n] $(, $argument)*);
        }
    };
}
pub(super) use each;

/// Writes the values of a function by its short form where elements are ordinary, and by another one elsewhere.
macro_rules! apart {
    ($from:expr, $to:expr, $ordinary:expr, |$x:ident| $short:expr, others $long:expr) => {
        $crate::functions::kernel::blocks!($from, $to, |block, out| {
            if $ordinary.holds_all(block) {
                for n in 0..$crate::functions::kernel::BLOCK {
                    let $x = block[n];
                    out[n] = $short;
                }
            } else {
                for n in 0..$crate::functions::kernel::BLOCK {
                    let $x = block[n];
                    out[n] = if $ordinary.holds($x) { $short } else { $long };
                }
            }
        });
    };
}
pub(super) use apart;

/// The sum of two numbers that is exact in two numbers (D. E. Knuth, TAOCP volume 2, theorem B of 4.2.2); here a difference.
#[inline(always)]
pub(super) fn two_difference(a: f64, b: f64) -> (f64, f64) {
    let s = a - b;
    let back = s - a;
    (s, (a - (s - back)) - (b + back))
}

/// A product that is exact in two numbers.
#[inline(always)]
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    (p, a.mul_add(b, -p))
}
