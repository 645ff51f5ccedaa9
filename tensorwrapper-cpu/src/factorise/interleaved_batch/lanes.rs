//! Numbers of eight matrices side by side, one in each lane: what the kernels of this folder are written in.
//!
//! Lanes are double precision, whatever the matrices are: one kernel serves both precisions, and single precision loses nothing
//! on the way. Everything is to be inlined into a kernel that was compiled for the vector instructions (see `multiversion`); loops count
//! by hand because iterators and closures may stay outside of it. Knows nothing of memory and of matrices.

use num_complex::Complex;

/// Matrices that are computed at once.
pub(super) const LANES: usize = 8;

/// A real number of each matrix.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in crate::factorise) struct Reals(pub(super) [f64; LANES]);

/// A complex number of each matrix.
#[derive(Clone, Copy, Debug)]
pub(in crate::factorise) struct Complexes {
    re: Reals,
    im: Reals,
}

/// Stands in innermost loops over rows: an instruction that is none keeps the compiler from making vectors of rows, gathered from
/// everywhere, instead of lanes.
#[inline(always)]
pub(super) fn rows_one_by_one() {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: there is no instruction.
    unsafe {
        std::arch::asm!("", options(nomem, nostack, preserves_flags));
    }
}

/// One number for each lane.
macro_rules! lanes {
    ($lane:ident => $value:expr) => {{
        let mut all = [0.0; LANES];
        let mut $lane = 0;
        while $lane < LANES {
            all[$lane] = $value;
            $lane += 1;
        }
        Reals(all)
    }};
}

#[allow(clippy::should_implement_trait, reason = "the operators' methods could stay outside of a kernel")]
impl Reals {
    pub(super) const ZERO: Reals = Reals([0.0; LANES]);

    #[inline(always)]
    pub(super) fn splat(x: f64) -> Reals {
        Reals([x; LANES])
    }
    #[inline(always)]
    pub(super) fn add(self, other: Reals) -> Reals {
        lanes!(n => self.0[n] + other.0[n])
    }
    #[inline(always)]
    pub(super) fn sub(self, other: Reals) -> Reals {
        lanes!(n => self.0[n] - other.0[n])
    }
    #[inline(always)]
    pub(super) fn mul(self, other: Reals) -> Reals {
        lanes!(n => self.0[n] * other.0[n])
    }
    #[inline(always)]
    pub(super) fn div(self, other: Reals) -> Reals {
        lanes!(n => self.0[n] / other.0[n])
    }
    #[inline(always)]
    pub(super) fn sqrt(self) -> Reals {
        lanes!(n => self.0[n].sqrt())
    }
    #[inline(always)]
    pub(super) fn abs(self) -> Reals {
        lanes!(n => self.0[n].abs())
    }
    /// The size of one number with the sign of another.
    #[inline(always)]
    pub(super) fn with_sign(self, sign: Reals) -> Reals {
        lanes!(n => self.0[n].copysign(sign.0[n]))
    }
    /// The larger one; the first where one is NaN.
    #[inline(always)]
    pub(super) fn max(self, other: Reals) -> Reals {
        lanes!(n => if other.0[n] > self.0[n] { other.0[n] } else { self.0[n] })
    }
    /// `yes` where `self` is larger than `than`, else `no`.
    #[inline(always)]
    pub(super) fn if_larger(self, than: Reals, yes: Reals, no: Reals) -> Reals {
        lanes!(n => if self.0[n] > than.0[n] { yes.0[n] } else { no.0[n] })
    }
    /// `yes` where both are the same, else `no`.
    #[inline(always)]
    pub(super) fn if_same(self, other: Reals, yes: Reals, no: Reals) -> Reals {
        lanes!(n => if self.0[n] == other.0[n] { yes.0[n] } else { no.0[n] })
    }
    /// One where the number lies between two others or is one of them, else zero; so it is where it is NaN.
    #[inline(always)]
    pub(super) fn between(self, least: f64, most: f64) -> Reals {
        lanes!(n => if self.0[n] >= least && self.0[n] <= most { 1.0 } else { 0.0 })
    }
    /// Whether every lane is at most what it is compared with; NaN is not.
    #[inline(always)]
    pub(super) fn are_at_most(self, limit: Reals) -> bool {
        let mut are = true;
        let mut n = 0;
        while n < LANES {
            are &= self.0[n] <= limit.0[n];
            n += 1;
        }
        are
    }
}

/// Numbers of one kind, one of each matrix.
pub(in crate::factorise) trait Many: Copy {
    /// What makes a number real: a factor of modulus one, where that takes one.
    type Phase: Copy;
    const ZERO: Self;

    /// Real numbers as what they are.
    fn reals(cells: &[Self]) -> Option<&[Reals]>;
    /// The same, writable.
    fn reals_mut(cells: &mut [Self]) -> Option<&mut [Reals]>;
    fn real(re: Reals) -> Self;
    fn re(self) -> Reals;
    fn set(&mut self, lane: usize, value: Complex<f64>);
    fn get(&self, lane: usize) -> Complex<f64>;
    fn conj(self) -> Self;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn scale(self, factor: Reals) -> Self;
    fn norm_sqr(self) -> Reals;
    /// The larger of both parts, by size; NaN where one is.
    fn size(self) -> Reals;
    /// Zero, and NaN where a part is NaN or infinity.
    fn nothing(self) -> Reals;
    /// 1/x, for numbers whose squares are no extremes.
    fn recip(self) -> Self;
    /// `yes` where `key` is the same as `number`, else `no`.
    fn if_same(key: Reals, number: Reals, yes: Self, no: Self) -> Self;
    /// A number and a phase whose product is real: that real one, of any sign, and the phase. Zero and none where the size is not
    /// larger than `least`.
    fn straighten(self, least: Reals) -> (Reals, Self::Phase);
    fn times_phase(self, phase: Self::Phase) -> Self;
    /// The factor of modulus one that makes a number real and positive; any for zero.
    fn to_positive(self) -> Self;
}

impl Many for Reals {
    type Phase = ();
    const ZERO: Reals = Reals::ZERO;

    fn reals(cells: &[Reals]) -> Option<&[Reals]> {
        Some(cells)
    }
    fn reals_mut(cells: &mut [Reals]) -> Option<&mut [Reals]> {
        Some(cells)
    }
    #[inline(always)]
    fn real(re: Reals) -> Reals {
        re
    }
    #[inline(always)]
    fn re(self) -> Reals {
        self
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: Complex<f64>) {
        self.0[lane] = value.re;
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> Complex<f64> {
        Complex::new(self.0[lane], 0.0)
    }
    #[inline(always)]
    fn conj(self) -> Reals {
        self
    }
    #[inline(always)]
    fn add(self, other: Reals) -> Reals {
        self.add(other)
    }
    #[inline(always)]
    fn sub(self, other: Reals) -> Reals {
        self.sub(other)
    }
    #[inline(always)]
    fn mul(self, other: Reals) -> Reals {
        self.mul(other)
    }
    #[inline(always)]
    fn scale(self, factor: Reals) -> Reals {
        self.mul(factor)
    }
    #[inline(always)]
    fn norm_sqr(self) -> Reals {
        self.mul(self)
    }
    #[inline(always)]
    fn size(self) -> Reals {
        self.abs()
    }
    #[inline(always)]
    fn nothing(self) -> Reals {
        self.sub(self)
    }
    #[inline(always)]
    fn recip(self) -> Reals {
        Reals::splat(1.0).div(self)
    }
    #[inline(always)]
    fn if_same(key: Reals, number: Reals, yes: Reals, no: Reals) -> Reals {
        key.if_same(number, yes, no)
    }
    #[inline(always)]
    fn straighten(self, least: Reals) -> (Reals, ()) {
        (self.abs().if_larger(least, self, Reals::ZERO), ())
    }
    #[inline(always)]
    fn times_phase(self, (): ()) -> Reals {
        self
    }
    #[inline(always)]
    fn to_positive(self) -> Reals {
        Reals::splat(1.0).with_sign(self)
    }
}

impl Many for Complexes {
    type Phase = Complexes;
    const ZERO: Complexes = Complexes { re: Reals::ZERO, im: Reals::ZERO };

    fn reals(_: &[Complexes]) -> Option<&[Reals]> {
        None
    }
    fn reals_mut(_: &mut [Complexes]) -> Option<&mut [Reals]> {
        None
    }
    #[inline(always)]
    fn real(re: Reals) -> Complexes {
        Complexes { re, im: Reals::ZERO }
    }
    #[inline(always)]
    fn re(self) -> Reals {
        self.re
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: Complex<f64>) {
        self.re.0[lane] = value.re;
        self.im.0[lane] = value.im;
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> Complex<f64> {
        Complex::new(self.re.0[lane], self.im.0[lane])
    }
    #[inline(always)]
    fn conj(self) -> Complexes {
        Complexes { re: self.re, im: Reals::ZERO.sub(self.im) }
    }
    #[inline(always)]
    fn add(self, other: Complexes) -> Complexes {
        Complexes { re: self.re.add(other.re), im: self.im.add(other.im) }
    }
    #[inline(always)]
    fn sub(self, other: Complexes) -> Complexes {
        Complexes { re: self.re.sub(other.re), im: self.im.sub(other.im) }
    }
    #[inline(always)]
    fn mul(self, other: Complexes) -> Complexes {
        Complexes { re: self.re.mul(other.re).sub(self.im.mul(other.im)), im: self.re.mul(other.im).add(self.im.mul(other.re)) }
    }
    #[inline(always)]
    fn scale(self, factor: Reals) -> Complexes {
        Complexes { re: self.re.mul(factor), im: self.im.mul(factor) }
    }
    #[inline(always)]
    fn norm_sqr(self) -> Reals {
        self.re.mul(self.re).add(self.im.mul(self.im))
    }
    #[inline(always)]
    fn size(self) -> Reals {
        // The larger one is no number where the real part is none; of the imaginary one the sum says it.
        self.re.abs().max(self.im.abs()).add(self.im.nothing())
    }
    #[inline(always)]
    fn nothing(self) -> Reals {
        self.re.nothing().add(self.im.nothing())
    }
    #[inline(always)]
    fn recip(self) -> Complexes {
        self.conj().scale(Reals::splat(1.0).div(self.norm_sqr()))
    }
    #[inline(always)]
    fn if_same(key: Reals, number: Reals, yes: Complexes, no: Complexes) -> Complexes {
        Complexes { re: key.if_same(number, yes.re, no.re), im: key.if_same(number, yes.im, no.im) }
    }
    #[inline(always)]
    fn straighten(self, least: Reals) -> (Reals, Complexes) {
        let size = self.norm_sqr().sqrt();
        (size.if_larger(least, size, Reals::ZERO), self.over(size, least))
    }
    #[inline(always)]
    fn to_positive(self) -> Complexes {
        self.over(self.norm_sqr().sqrt(), Reals::ZERO)
    }
    #[inline(always)]
    fn times_phase(self, phase: Complexes) -> Complexes {
        self.mul(phase)
    }
}

impl Complexes {
    /// The conjugate by its size; 1 where that is not larger than `least`.
    #[inline(always)]
    fn over(self, size: Reals, least: Reals) -> Complexes {
        let one = Reals::splat(1.0);
        let inverse = size.if_larger(least, one.div(size), Reals::ZERO);
        Complexes { re: size.if_larger(least, self.re.mul(inverse), one), im: Reals::ZERO.sub(self.im.mul(inverse)) }
    }
}
