//! Powers: real ones by logarithms of 70 digits, whole ones by products in two numbers.

use std::f64::consts::{LN_2, LOG2_E};

use super::exponential::double;
use super::kernel::{BLOCK, Call, Lines, Ordinary, blocks, polynomial, two_product};
use crate::multiversion::Loops;

/// The exponent of a power.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exponent {
    Whole(i32),
    Real(f64),
}

/// A quotient `f / (2 + f)`, f = m - 1, in two numbers, for `x = 2ᵏ·m`; and k.
#[inline(always)]
fn quotient(x: f64) -> (f64, f64, f64) {
    let (k, m) = double::parts(x);
    let f = m - 1.0;
    let inverse = 1.0 / (2.0 + f);
    let s = f * inverse;
    // The difference is exact, as f and 2s are near each other.
    (k, s, (-s).mul_add(f, f - (s + s)) * inverse)
}

/// ln x as two numbers, by the series of `ln((1 + s) / (1 - s))`.
#[inline(always)]
fn ln((k, s, s_lo): (f64, f64, f64)) -> (f64, f64) {
    // 2s + ⅔s³ + s³·(…); the first term in brackets is what ⅔ has beyond its number.
    let (z, z_lo) = two_product(s, s);
    let z_lo = (s + s).mul_add(s_lo, z_lo);
    let rest = polynomial!(z; [
        3.700_743_415_417_188e-17, 0.4, 0.285_714_285_714_293_7, 0.222_222_222_216_527_65, 0.181_818_183_360_998_48,
        0.153_845_948_870_071_8, 0.133_348_087_988_123_4, 0.117_061_264_645_633_98, 0.117_243_270_608_467_47
    ]);
    let (c, c_lo) = two_product(z, s);
    let c_lo = c_lo + z.mul_add(s_lo, z_lo * s);
    let (t, t_lo) = two_product(c, 2.0 / 3.0);
    let t_lo = c.mul_add(rest, c_lo.mul_add(2.0 / 3.0, t_lo));
    // Exact, as the factor has zeros for the digits of k.
    let l = k * double::LN2;
    // Each sum begins with the larger number, or with zero.
    let u = l + (s + s);
    let u_lo = (l - u) + (s + s);
    let v = u + t;
    let v_lo = (u - v) + t;
    let lo = (u_lo + v_lo) + k.mul_add(double::LN2_REST, s_lo + s_lo) + t_lo;
    let hi = v + lo;
    (hi, (v - hi) + lo)
}

/// e to the power `p·(hi + lo)`, where it is normal.
#[inline(always)]
fn exp((hi, lo): (f64, f64), p: f64) -> f64 {
    let (y, y_lo) = two_product(p, hi);
    let y_lo = p.mul_add(lo, y_lo);
    let (n, hi, lo) = double::reduced(y, -y_lo);
    double::scaled(1.0 + (hi + lo), n)
}

/// xᵖ, where both x and the result are normal; elsewhere anything. In three loops: a processor looks ahead of one that is short to several
/// vectors, and works on one where another waits.
#[inline(always)]
fn power(x: &[f64; BLOCK], out: &mut [f64; BLOCK], p: f64) {
    let [mut a, mut b, mut c] = [Lines([0.0; BLOCK]); 3];
    let (Lines(a), Lines(b), Lines(c)) = (&mut a, &mut b, &mut c);
    for n in 0..BLOCK {
        (a[n], b[n], c[n]) = quotient(x[n]);
    }
    for n in 0..BLOCK {
        (a[n], b[n]) = ln((a[n], b[n], c[n]));
    }
    for n in 0..BLOCK {
        out[n] = exp((a[n], b[n]), p);
    }
}

/// ln x with 10 digits more than single precision has.
#[inline(always)]
fn ln_f32(x: f32) -> f64 {
    let (k, m) = double::parts(f64::from(x));
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let r = polynomial!(z; [
        0.666_666_665_540_420_1, 0.400_001_222_118_106_5, 0.285_507_786_331_919_64, 0.233_316_144_718_434_98
    ]);
    k.mul_add(LN_2, s.mul_add(2.0, s * z * r))
}

/// eʸ, where it is normal.
#[inline(always)]
fn exp_f32(y: f64) -> f32 {
    let n = y.mul_add(LOG2_E, double::ROUNDING) - double::ROUNDING;
    let r = (-n).mul_add(LN_2, y);
    let q = polynomial!(r; [
        0.500_000_001_353_873, 0.166_666_666_817_042_15, 0.041_666_464_197_405_69, 0.008_333_310_844_647_862,
        0.001_393_373_071_579_208_3, 0.000_198_910_804_639_988_43
    ]);
    double::scaled((r * r).mul_add(q, r) + 1.0, n) as f32
}

/// As [`power`].
#[inline(always)]
fn power_f32(x: &[f32; BLOCK], out: &mut [f32; BLOCK], p: f64) {
    let Lines(y) = &mut Lines([0.0; BLOCK]);
    for n in 0..BLOCK {
        y[n] = p * ln_f32(x[n]);
    }
    for n in 0..BLOCK {
        out[n] = exp_f32(y[n]);
    }
}

/// Numbers as sums of two.
type Pairs = [[f64; BLOCK]; 2];

/// The products of a block's numbers in two numbers each.
#[inline(always)]
fn multiply(to: &mut Pairs, by: &Pairs) {
    let [hi, lo] = to;
    let [by_hi, by_lo] = by;
    for n in 0..BLOCK {
        let (p, e) = two_product(hi[n], by_hi[n]);
        let e = hi[n].mul_add(by_lo[n], lo[n].mul_add(by_hi[n], e));
        hi[n] = p + e;
        lo[n] = (p - hi[n]) + e;
    }
}

/// The powers of a block's numbers, by repeated squares.
#[inline(always)]
fn whole(block: &[f64; BLOCK], exponent: u32) -> Pairs {
    let mut square = [*block, [0.0; BLOCK]];
    let mut result = None;
    let mut rest = exponent;
    while rest > 0 {
        if rest & 1 == 1 {
            match &mut result {
                None => result = Some(square),
                Some(result) => multiply(result, &square),
            }
        }
        rest >>= 1;
        if rest > 0 {
            let by = square;
            multiply(&mut square, &by);
        }
    }
    result.unwrap_or([[1.0; BLOCK], [0.0; BLOCK]])
}

#[inline(always)]
fn cube(x: f64) -> f64 {
    let (p, e) = two_product(x, x);
    p.mul_add(x, e * x)
}

/// The inverse of a sum of two numbers.
#[inline(always)]
fn inverse(hi: f64, lo: f64) -> f64 {
    let inverse = 1.0 / hi;
    (-inverse).mul_add(lo, (-inverse).mul_add(hi, 1.0)).mul_add(inverse, inverse)
}

/// Where products of two numbers are exact: neither too large nor so small that the second number is not.
const EXACT: f64 = 1e250;

macro_rules! powers {
    ($R:ident, $power:ident, $largest:literal) => {
        impl Loops for Call<'_, $R, Exponent> {
            type Result = ();

            #[inline(always)]
            fn run(self) {
                let Call { function, from, to } = self;
                match function {
                    Exponent::Whole(exponent) => {
                        let ordinary = Ordinary::<f64>::between(1.0 / EXACT, EXACT);
                        blocks!(from, to, |x, out| {
                            let mut given = Lines([1.0; BLOCK]);
                            let Lines(given) = &mut given;
                            for n in 0..BLOCK {
                                given[n] = f64::from(x[n]);
                            }
                            let [mut hi, lo] = match exponent {
                                3 => {
                                    given.iter_mut().for_each(|x| *x = cube(*x));
                                    [*given, [0.0; BLOCK]]
                                }
                                _ => whole(given, exponent.unsigned_abs()),
                            };
                            let mut sizes = hi;
                            sizes.iter_mut().for_each(|size| *size = size.abs());
                            if exponent < 0 {
                                for (hi, &lo) in hi.iter_mut().zip(&lo) {
                                    *hi = inverse(*hi, lo);
                                }
                            }
                            for n in 0..BLOCK {
                                out[n] = hi[n] as $R;
                            }
                            // Each of the others by itself, so that an element's value does not depend on its neighbours.
                            if !ordinary.holds_all(&sizes) {
                                for n in 0..BLOCK {
                                    if !ordinary.holds(sizes[n]) {
                                        let x = f64::from(x[n]);
                                        let value = match exponent {
                                            1 => x,
                                            2 => x * x,
                                            -1 => 1.0 / x,
                                            _ => x.powf(f64::from(exponent)),
                                        };
                                        out[n] = value as $R;
                                    }
                                }
                            }
                        });
                    }
                    Exponent::Real(exponent) => {
                        let p = exponent as $R;
                        // Numbers between these bounds and their powers are normal.
                        let most = if p.is_nan() { 0.0 } else { (2.0 as $R).powf(($largest / p.abs()).min($largest)) };
                        let ordinary = Ordinary::<$R>::between(1.0 / most, most);
                        let exponent = f64::from(p);
                        blocks!(from, to, |x, out| {
                            $power(x, out, exponent);
                            if !ordinary.holds_all(x) {
                                for n in 0..BLOCK {
                                    out[n] = if ordinary.holds(x[n]) { out[n] } else { x[n].powf(p) };
                                }
                            }
                        });
                    }
                }
            }
        }
    };
}
powers!(f64, power, 1021.0);
powers!(f32, power_f32, 125.0);
