//! sin and cos. Arguments that are far from zero are left to the standard library.

use std::f64::consts::FRAC_2_PI;

use super::exponential::double::ROUNDING;
use super::kernel::{polynomial, two_difference};

/// π/2 in four parts; the first three have zeros for the digits of the number of quarter turns.
const QUARTER: [f64; 4] =
    [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_711_166_5e-21, 8.478_427_660_368_9e-32];

/// The functions here are meant for |x| below: the number of quarter turns has at most 20 digits.
pub(super) const NEAR: f64 = 1e6;

/// x - n·π/2 as two numbers, and n as the last digits.
#[inline(always)]
fn turned(x: f64) -> (f64, f64, u64) {
    let rounded = x.mul_add(FRAC_2_PI, ROUNDING);
    let n = rounded - ROUNDING;
    // The products are exact.
    let (b, b_lo) = two_difference((-n).mul_add(QUARTER[0], x), n * QUARTER[1]);
    let (c, c_lo) = two_difference(b, n * QUARTER[2]);
    let lo = (b_lo + c_lo) - n * QUARTER[3];
    let hi = c + lo;
    (hi, (c - hi) + lo, rounded.to_bits())
}

/// sin(x + lo), |x| ≤ π/4.
#[inline(always)]
fn sine(x: f64, lo: f64) -> f64 {
    let z = x * x;
    let v = z * x;
    let r = polynomial!(z; [
        8.333_333_333_322_49e-3, -1.984_126_982_985_795e-4, 2.755_731_370_707_006_8e-6, -2.505_076_025_340_686_3e-8,
        1.589_690_995_211_55e-10
    ]);
    x - (z.mul_add(0.5 * lo - v * r, -lo) - v * -1.666_666_666_666_663_2e-1)
}

/// cos(x + lo), |x| ≤ π/4.
#[inline(always)]
fn cosine(x: f64, lo: f64) -> f64 {
    let z = x * x;
    let r = z * polynomial!(z; [
        4.166_666_666_666_66e-2, -1.388_888_888_887_411e-3, 2.480_158_728_947_673e-5, -2.755_731_435_139_066_3e-7,
        2.087_572_321_298_175e-9, -1.135_964_755_778_819_5e-11
    ]);
    let half = 0.5 * z;
    let w = 1.0 - half;
    w + (((1.0 - w) - half) + (z * r - x * lo))
}

/// The sine of an angle in a quadrant, from sine and cosine in the first.
#[inline(always)]
fn in_quadrant(n: u64, sine: f64, cosine: f64) -> f64 {
    let y = if n & 1 == 0 { sine } else { cosine };
    f64::from_bits(y.to_bits() ^ ((n & 2) << 62))
}

#[inline(always)]
pub(super) fn sin(x: f64) -> f64 {
    let (hi, lo, n) = turned(x);
    let y = in_quadrant(n, sine(hi, lo), cosine(hi, lo));
    // A zero keeps its sign.
    if x == 0.0 { x } else { y }
}

#[inline(always)]
pub(super) fn cos(x: f64) -> f64 {
    let (hi, lo, n) = turned(x);
    in_quadrant(n.wrapping_add(1), sine(hi, lo), cosine(hi, lo))
}

/// The same for single precision, in double precision.
#[inline(always)]
fn turned_f32(x: f32) -> (f64, u64) {
    let x = f64::from(x);
    let rounded = x.mul_add(FRAC_2_PI, ROUNDING);
    let n = rounded - ROUNDING;
    ((-n).mul_add(QUARTER[1], (-n).mul_add(QUARTER[0], x)), rounded.to_bits())
}

#[inline(always)]
fn sine_f32(x: f64) -> f64 {
    let z = x * x;
    let r = polynomial!(z; [-0.166_666_646_563_122_08, 0.008_332_747_104_664_53, -0.000_195_876_390_987_376_2]);
    x * z.mul_add(r, 1.0)
}

#[inline(always)]
fn cosine_f32(x: f64) -> f64 {
    let z = x * x;
    let r = polynomial!(z; [0.041_666_664_653_488_79, -0.001_388_830_186_756_237, 2.454_768_977_246_003e-5]);
    (z * z).mul_add(r, z.mul_add(-0.5, 1.0))
}

#[inline(always)]
pub(super) fn sin_f32(x: f32) -> f32 {
    let (r, n) = turned_f32(x);
    in_quadrant(n, sine_f32(r), cosine_f32(r)) as f32
}

#[inline(always)]
pub(super) fn cos_f32(x: f32) -> f32 {
    let (r, n) = turned_f32(x);
    in_quadrant(n.wrapping_add(1), sine_f32(r), cosine_f32(r)) as f32
}
