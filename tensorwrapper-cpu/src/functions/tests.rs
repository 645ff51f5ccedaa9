//! Elementary functions against values of 100 digits, and against each other.
//!
//! `TENSORWRAPPER_DRAWN=n` draws so many arguments for each function of `f64`, and takes every argument of `f32` from 2³² on.

use super::*;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::backend::{Device, Instruction, LoopNest, Operand, Output, Program, Reduction, Unary};
use tensorwrapper_core::layout::Strided;

/// A number as the sum of two, with about 31 digits.
#[derive(Clone, Copy, Debug)]
struct Two(f64, f64);

const LN_2: Two = Two(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
/// π/2 in three numbers.
const QUARTER: [f64; 3] = [std::f64::consts::FRAC_PI_2, 6.123_233_995_736_766e-17, -1.497_384_904_859_169_8e-33];

impl Two {
    fn sum(a: f64, b: f64) -> Two {
        let s = a + b;
        let back = s - a;
        Two(s, (a - (s - back)) + (b - back))
    }
    fn plus(self, other: Two) -> Two {
        let Two(s, e) = Two::sum(self.0, other.0);
        let Two(t, f) = Two::sum(self.1, other.1);
        let Two(s, e) = Two::sum(s, e + t);
        Two::sum(s, e + f)
    }
    fn times(self, other: Two) -> Two {
        let p = self.0 * other.0;
        let e = self.0.mul_add(other.0, -p);
        Two::sum(p, e + (self.0 * other.1 + self.1 * other.0))
    }
    fn scaled(self, factor: f64) -> Two {
        self.times(Two(factor, 0.0))
    }
    fn over(self, other: Two) -> Two {
        let first = Two(self.0 / other.0, 0.0);
        let rest = self.plus(other.times(first).scaled(-1.0));
        let second = Two(rest.0 / other.0, 0.0);
        let rest = rest.plus(other.times(second).scaled(-1.0));
        first.plus(second).plus(Two(rest.0 / other.0, 0.0))
    }

    /// eˣ and, as often as it can be halved, a power of two.
    fn exp(self) -> (Two, i32) {
        let n = (self.0 / LN_2.0).round();
        let r = self.plus(LN_2.scaled(-n));
        (r.series(1.0, |k| 1.0 / k), n as i32)
    }
    /// Σ xᵏ·a₁⋯aₖ, for |x| below one.
    fn series(self, first: f64, ratio: impl Fn(f64) -> f64) -> Two {
        let (mut term, mut sum) = (Two(first, 0.0), Two(first, 0.0));
        for k in 1..40 {
            // Ratios are inverses of whole numbers, which are no exact numbers.
            let divisor = (1.0 / ratio(f64::from(k))).round();
            term = term.times(self).over(Two(divisor, 0.0));
            sum = sum.plus(term);
        }
        sum
    }
    /// By Newton's method, from a value of 15 digits.
    fn ln(x: f64) -> Two {
        let (mut y, shift) = if x < f64::MIN_POSITIVE { (Two((x * 2f64.powi(60)).ln(), 0.0), 60) } else { (Two(x.ln(), 0.0), 0) };
        for _ in 0..2 {
            let (e, n) = y.scaled(-1.0).exp();
            // x·e^(-y) - 1; the power of two in two steps.
            let scaled = x * 2f64.powi(shift) * 2f64.powi(n / 2) * 2f64.powi(n - n / 2);
            y = y.plus(e.scaled(scaled).plus(Two(-1.0, 0.0)));
        }
        y.plus(LN_2.scaled(-f64::from(shift)))
    }
    fn sin_cos(x: f64) -> [Two; 2] {
        let n = (x / QUARTER[0]).round();
        let mut r = Two(x, 0.0);
        for part in QUARTER {
            let p = -n * part;
            r = r.plus(Two(p, (-n).mul_add(part, -p)));
        }
        let z = r.times(r).scaled(-1.0);
        let sin = r.times(z.series(1.0, |k| 1.0 / ((2.0 * k) * (2.0 * k + 1.0))));
        let cos = z.series(1.0, |k| 1.0 / ((2.0 * k - 1.0) * (2.0 * k)));
        match (n as i64).rem_euclid(4) {
            0 => [sin, cos],
            1 => [cos, sin.scaled(-1.0)],
            2 => [sin.scaled(-1.0), cos.scaled(-1.0)],
            _ => [cos.scaled(-1.0), sin],
        }
    }
    fn tanh(x: f64) -> Two {
        if x.abs() < 1e-4 {
            let z = Two(x, 0.0).times(Two(x, 0.0));
            let bracket = Two(1.0, 0.0).plus(z.over(Two(-3.0, 0.0))).plus(z.times(z).scaled(2.0).over(Two(15.0, 0.0)));
            return bracket.plus(z.times(z).times(z).scaled(-17.0).over(Two(315.0, 0.0))).scaled(x);
        }
        if x.abs() > 30.0 {
            return Two(1f64.copysign(x), -f64::MIN_POSITIVE.copysign(x));
        }
        let (e, n) = Two(2.0 * x, 0.0).exp();
        let e = e.scaled(2f64.powi(n));
        e.plus(Two(-1.0, 0.0)).over(e.plus(Two(1.0, 0.0)))
    }

    /// The error of a value, in units of the last place of the exact one; times 2ⁿ.
    fn error(self, n: i32, found: f64) -> f64 {
        let (half, rest) = (n / 2, n - n / 2);
        let rounded = self.0 * 2f64.powi(half) * 2f64.powi(rest);
        if rounded.is_infinite() || found.is_infinite() {
            return if rounded == found { 0.0 } else { f64::INFINITY };
        }
        let exponent = ((rounded.abs().to_bits() >> 52) as i32).max(1) - 1075;
        // The difference is taken before the power of two, whose result may be subnormal.
        let found = found * 2f64.powi(-half) * 2f64.powi(-rest);
        ((found - self.0) - self.1).abs() / 2f64.powi(exponent - half) * 2f64.powi(rest)
    }
}

fn drawn() -> u64 {
    std::env::var("TENSORWRAPPER_DRAWN").map_or(40_000, |count| count.parse().expect("`TENSORWRAPPER_DRAWN` is a number"))
}

fn forms() -> Vec<Simd> {
    Simd::ALL.into_iter().filter(|&simd| simd.is_available() && is_fused(simd)).collect()
}

/// Arguments whose binades are drawn, between powers of two; and others of a range.
fn arguments(rng: &mut StdRng, binades: std::ops::Range<i32>, range: std::ops::Range<f64>, is_signed: bool) -> Vec<f64> {
    let mut one = |n: usize| {
        let x = match n % 2 {
            0 => f64::from_bits(rng.random_range(0..1 << 52) | ((rng.random_range(binades.clone()) + 1023) as u64) << 52),
            _ => return rng.random_range(range.clone()),
        };
        if is_signed && rng.random() { -x } else { x }
    };
    (0..1000).map(&mut one).collect()
}

/// Writes values of a function at elements of other memory, or of its own.
type Applied<'f> = dyn Fn(Simd, Option<&[f64]>, &mut [f64]) + 'f;
/// A function with its name, here and in the standard library.
type Named = (&'static str, Unary, fn(f64) -> f64);

/// Checks that errors are below one unit, and that every form has the same bits, whatever stands beside an element.
fn check(
    what: &str,
    (binades, range, is_signed): (std::ops::Range<i32>, std::ops::Range<f64>, bool),
    apply: &Applied<'_>,
    exact: &dyn Fn(f64) -> (Two, i32),
) {
    let mut rng = StdRng::seed_from_u64(7);
    let (mut worst, mut at) = (0.0, 0.0);
    for _ in 0..drawn().div_ceil(1000) {
        let x = arguments(&mut rng, binades.clone(), range.clone(), is_signed);
        let mut all: Option<Vec<f64>> = None;
        for simd in forms() {
            let mut y = x.clone();
            apply(simd, None, &mut y);
            let mut apart = vec![0.0; x.len()];
            apply(simd, Some(&x), &mut apart);
            assert!(apart.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()), "{what} into other memory");
            if let Some(first) = &all {
                assert!(first.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()), "{what} by {simd:?}");
            }
            all = Some(y);
        }
        let Some(y) = all else { return };
        for (&x, &y) in x.iter().zip(&y) {
            let (two, n) = exact(x);
            let error = two.error(n, y);
            if error.is_nan() || error > worst {
                (worst, at) = (error, x);
            }
        }
        let alone: Vec<f64> = x[..70].iter().map(|&x| one(x, |values| apply(forms()[0], None, values))).collect();
        assert!(alone.iter().zip(&y).all(|(a, b)| a.to_bits() == b.to_bits()), "{what} of one element");
    }
    println!("{what}: {worst:.4} units at {at:e}");
    assert!(worst < 1.0, "{what} of {at:e} is off by {worst} units");
}

fn one<R: Copy>(x: R, apply: impl Fn(&mut [R])) -> R {
    let mut x = [x];
    apply(&mut x);
    x[0]
}

#[test]
fn double_precision() {
    let by = |function| move |simd, from: Option<&[f64]>, to: &mut [f64]| apply(simd, function, from, to);
    check("exp", (-60..10, -745.0..709.7, true), &by(Unary::Exp), &|x| Two(x, 0.0).exp());
    check("ln", (-1022..1024, 0.5..2.0, false), &by(Unary::Ln), &|x| (Two::ln(x), 0));
    check("tanh", (-60..10, -1.0..1.0, true), &by(Unary::Tanh), &|x| (Two::tanh(x), 0));
    check("sin", (-60..19, -10.0..10.0, true), &by(Unary::Sin), &|x| (Two::sin_cos(x)[0], 0));
    check("cos", (-60..19, -10.0..10.0, true), &by(Unary::Cos), &|x| (Two::sin_cos(x)[1], 0));
    for p in [1.7, -0.3, 0.5, 13.25, -1e-3] {
        let exact = |x: f64| Two::ln(x).scaled(p).exp();
        let most = (1000.0 / f64::abs(p)).min(1000.0) as i32;
        check(
            &format!("the power {p}"),
            (-most..most, 0.5..2.0, false),
            &|simd, from, to| power(simd, Exponent::Real(p), from, to),
            &exact,
        );
    }
    for n in [3_i32, 4, 7, -1, -5, 31, -64] {
        let exact = |x: f64| {
            let power = (0..n.abs()).fold(Two(1.0, 0.0), |power, _| power.times(Two(x, 0.0)));
            (if n < 0 { Two(1.0, 0.0).over(power) } else { power }, 0)
        };
        let most = 800 / n.abs();
        check(
            &format!("the power {n}"),
            (-most..most, 0.5..2.0, true),
            &|simd, from, to| power(simd, Exponent::Whole(n), from, to),
            &exact,
        );
    }
}

#[test]
fn single_precision() {
    let step = ((1u64 << 32) / drawn().min(1 << 32)).max(1);
    let functions: [Named; 5] = [
        ("exp", Unary::Exp, f64::exp),
        ("ln", Unary::Ln, f64::ln),
        ("tanh", Unary::Tanh, f64::tanh),
        ("sin", Unary::Sin, f64::sin),
        ("cos", Unary::Cos, f64::cos),
    ];
    for (what, function, exact) in functions {
        every(what, step, &|simd, x: &mut [f32]| apply(simd, function, None, x), &exact);
    }
    every("the power 1.7", step, &|simd, x| power(simd, Exponent::Real(1.7), None, x), &|x| x.powf(f64::from(1.7f32)));
    every("the power -3", step, &|simd, x| power(simd, Exponent::Whole(-3), None, x), &|x| x.powi(-3));
}

/// tanh beside the borders of its intervals, their centers, the place from which on it is one, and the smallest numbers.
#[test]
fn tanh_at_borders() {
    macro_rules! check {
        ($R:ident, $Bits:ident, $module:ident, $scale:expr, $error:expr) => {
            let (limit, start) = (hyperbolic::$module::LIMIT, hyperbolic::$module::START);
            // Quarters of binades from the start on.
            let quarter = |n: $Bits| $R::from_bits(start.to_bits() + (n << ($R::MANTISSA_DIGITS - 3)));
            let borders = (0..=16).map(|n| (quarter(n) - start) / $scale);
            let places = borders.chain(hyperbolic::$module::CENTERS).chain([limit, 1.0, $R::MIN_POSITIVE, $R::MAX, 0.0]);
            let near = places.flat_map(|x| (0..9).map(move |n| $R::from_bits((x.to_bits() + n).saturating_sub(4))));
            let x: Vec<$R> = near.flat_map(|x| [x, -x]).collect();
            // As it is computed where instructions have no form of their own, one number after the other.
            let mut one = vec![0.0; x.len()];
            hyperbolic::dispatch(Simd::Portable, Call { function: hyperbolic::Tanh, from: From::Memory(&x), to: &mut one });
            for (&x, &y) in x.iter().zip(&one) {
                // Numbers so small are their own values, and units of exact values are not for them.
                let is_near = if x.abs() < 1e-30 { y.to_bits() == x.to_bits() } else { x.is_infinite() || $error(x, y) < 1.0 };
                assert!(x.is_nan() || is_near, "tanh of {x:e} is {y:e}");
                assert!(x.abs() < limit || x.is_nan() || y == $R::signum(x), "tanh of {x:e} is {y:e}");
                assert!(x.is_nan() || y.abs() <= 1.0 && y.is_sign_negative() == x.is_sign_negative());
            }
            for pair in one.chunks(2) {
                assert!(pair[0].is_nan() || pair[0].to_bits() == (-pair[1]).to_bits());
            }
            for simd in forms() {
                // Of every length up to several registers, so that each number is at every place of one.
                for start in 0..x.len() {
                    let end = x.len().min(start + 1 + start % 67);
                    let mut y = vec![0.0; end - start];
                    apply(simd, Unary::Tanh, Some(&x[start..end]), &mut y);
                    let same = |(a, b): (&$R, &$R)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
                    assert!(y.iter().zip(&one[start..end]).all(same), "tanh by {simd:?}");
                }
            }
        };
    }
    check!(f64, u64, double, hyperbolic::double::SCALE, |x: f64, y: f64| Two::tanh(x).error(0, y));
    check!(f32, u32, single, 1.0, |x: f32, y: f32| {
        let unit = 2f64.powi(((y.abs().to_bits() >> 23) as i32).max(1) - 150);
        (f64::from(y) - f64::from(x).tanh()).abs() / unit
    });
}

/// Checks every argument, or one of so many.
fn every(what: &str, step: u64, apply: &dyn Fn(Simd, &mut [f32]), exact: &dyn Fn(f64) -> f64) {
    for simd in forms() {
        let (mut worst, mut at) = (0.0f64, 0.0f32);
        for first in (0..1u64 << 32).step_by(4096 * step as usize) {
            let x: Vec<f32> = (0..4096).map(|n| f32::from_bits((first + n * step) as u32)).collect();
            let mut y = x.clone();
            apply(simd, &mut y);
            for (&x, &y) in x.iter().zip(&y) {
                let expected = exact(f64::from(x));
                let rounded = expected as f32;
                assert_eq!(y.is_nan(), rounded.is_nan(), "{what} of {x:e} is {y:e}");
                let unit = 2f64.powi(((rounded.abs().to_bits() >> 23) as i32).max(1) - 150);
                // The largest number and infinity are neighbours.
                let finite = |y: f32| f64::from(y).clamp(-2f64.powi(128), 2f64.powi(128));
                let error = (finite(y) - expected.clamp(-2f64.powi(128), 2f64.powi(128))).abs() / unit.min(2f64.powi(104));
                if error > worst {
                    (worst, at) = (error, x);
                }
            }
        }
        println!("{what} of f32 by {simd:?}: {worst:.4} units at {at:e}");
        assert!(worst < 1.0, "{what} of {at:e} is off by {worst} units");
    }
}

#[test]
fn whole_powers_depend_on_the_element_alone() {
    let extraordinary = [0.0, 1e200, f64::NAN, -4.476_546_622_757_241_6e61, 3e-70];
    for (simd, n) in forms().into_iter().flat_map(|simd| [3, -5, 7, -64].map(|n| (simd, n))) {
        let of = |x: &[f64]| {
            let mut y = x.to_vec();
            power(simd, Exponent::Whole(n), None, &mut y);
            y
        };
        let ordinary: Vec<f64> = (0..50).map(|n| 1.0 + f64::from(n) / 37.0).collect();
        let together = of(&[&ordinary[..], &extraordinary].concat());
        for (&x, &y) in ordinary.iter().chain(&extraordinary).zip(&together) {
            assert!(of(&[x])[0].to_bits() == y.to_bits(), "{x:e} to the power {n} by {simd:?}, alone and beside others");
        }
        // Of MPFR: powers that are too small to be normal have digits left.
        if n == -5 {
            assert_eq!(together[53], -5.562_684_646_267_964e-309, "by {simd:?}");
            assert_eq!(of(&[1e62]), [1e-310], "by {simd:?}");
        }
        for (&x, &y) in extraordinary.iter().zip(&together[50..]) {
            let expected = x.powf(f64::from(n));
            let is_near = y == expected || (y - expected).abs() <= expected.abs() * f64::EPSILON;
            assert!(is_near || y.is_nan() && x.is_nan(), "{x:e} to the power {n}: {y:e}, not {expected:e}");
        }
    }
}

#[test]
fn zeros_infinities_and_what_is_no_number() {
    macro_rules! check {
        ($R:ident) => {
            let special =
                [0.0, -0.0, $R::INFINITY, $R::NEG_INFINITY, $R::NAN, -1.5, $R::MAX, $R::MIN_POSITIVE / 8.0, -3.0e9, 1.0];
            let same = |found: $R, expected: $R| {
                let is_near = (found - expected).abs() <= expected.abs() * $R::EPSILON;
                let both = found.is_nan() && expected.is_nan() || found.to_bits() == expected.to_bits();
                both || is_near && found != 0.0
            };
            for simd in forms() {
                for (function, exact) in [
                    (Unary::Exp, $R::exp as fn($R) -> $R),
                    (Unary::Ln, $R::ln),
                    (Unary::Tanh, $R::tanh),
                    (Unary::Sin, $R::sin),
                    (Unary::Cos, $R::cos),
                ] {
                    let mut found = special;
                    apply(simd, function, None, &mut found);
                    for (&x, &found) in special.iter().zip(&found) {
                        assert!(same(found, exact(x)), "{function:?} of {x:e}: {found:e}, not {:e}", exact(x));
                    }
                }
                for p in [0.0, 1.0, -2.0, 3.0, 0.5, f64::NAN, f64::INFINITY] {
                    let mut found = special;
                    power(simd, Exponent::Real(p), None, &mut found);
                    for (&x, &found) in special.iter().zip(&found) {
                        let expected = x.powf(p as $R);
                        assert!(same(found, expected), "{x:e} to the power {p}: {found:e}, not {expected:e}");
                    }
                }
                for n in [0, 1, -1, 2, 3, -3, 1000, i32::MIN] {
                    let mut found = special;
                    power(simd, Exponent::Whole(n), None, &mut found);
                    for (&x, &found) in special.iter().zip(&found) {
                        let expected = x.powf(n as $R);
                        assert!(same(found, expected), "{x:e} to the power {n}: {found:e}, not {expected:e}");
                    }
                }
            }
        };
    }
    check!(f64);
    check!(f32);
}

/// Each function by a device of so many threads.
fn by_threads<T: Scalar>(threads: usize, from: &[T], instruction: Instruction) -> Vec<T> {
    let program = Program::new(vec![Instruction::Input(0), instruction]);
    let layout = Strided::row_major(&[from.len()]).unwrap();
    let mut made = vec![T::ZERO; from.len()];
    let inputs = [Operand::new(T::erase(from), &layout)];
    let output = Output::new(T::erase_mut(&mut made), &layout);
    let nest = LoopNest::new(vec![from.len()], 1);
    crate::Cpu::new(Some(threads)).map(&nest, &program, Reduction::Sum, &[], &inputs, output).unwrap();
    made
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let mut rng = StdRng::seed_from_u64(8);
    let from: Vec<f64> = (0..150_001).map(|_| rng.random_range(0.0..30.0)).collect();
    let single: Vec<f32> = from.iter().map(|&x| x as f32).collect();
    let functions = Unary::ALL.into_iter().map(|function| Instruction::Apply(function, 0));
    for instruction in functions.chain([Instruction::PowerInteger(0, 3), Instruction::PowerReal(0, 1.7)]) {
        let (one, one_single) = (by_threads(1, &from, instruction), by_threads(1, &single, instruction));
        for threads in [2, 3, 4] {
            let equal = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(equal(&one, &by_threads(threads, &from, instruction)), "{instruction:?}, {threads}");
            let equal = |a: &[f32], b: &[f32]| a.iter().zip(b).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(equal(&one_single, &by_threads(threads, &single, instruction)), "{instruction:?}, {threads}");
        }
    }
}
