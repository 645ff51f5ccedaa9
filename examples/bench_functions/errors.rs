//! What a function makes of given numbers of `f64`, and its errors at all numbers of `f32`.

use std::fmt;
use std::fs;
use std::str::FromStr;

use tensorwrapper::prelude::*;

use super::Vector;

type Failure = Box<dyn std::error::Error>;

/// A function by its name: `exp`, `x^1.7`, or `x^-5`, whose exponent is a whole number.
#[derive(Clone, Copy)]
enum Function {
    Exp,
    Ln,
    Tanh,
    Sin,
    Cos,
    Sqrt,
    Real(f64),
    Whole(i32),
}

impl FromStr for Function {
    type Err = Failure;

    fn from_str(name: &str) -> Result<Function, Failure> {
        Ok(match name {
            "exp" => Function::Exp,
            "ln" => Function::Ln,
            "tanh" => Function::Tanh,
            "sin" => Function::Sin,
            "cos" => Function::Cos,
            "sqrt" => Function::Sqrt,
            _ => {
                let exponent = name.strip_prefix("x^").ok_or_else(|| format!("`{name}` is no function"))?;
                exponent.parse().map(Function::Whole).or_else(|_| exponent.parse().map(Function::Real))?
            }
        })
    }
}

impl Function {
    fn compute<T: Element>(self, context: &Context, x: &Vector<T>, y: &mut Vector<T>) {
        match self {
            Function::Exp => tensor! { in context; y[i] = exp(x[i]); },
            Function::Ln => tensor! { in context; y[i] = ln(x[i]); },
            Function::Tanh => tensor! { in context; y[i] = tanh(x[i]); },
            Function::Sin => tensor! { in context; y[i] = sin(x[i]); },
            Function::Cos => tensor! { in context; y[i] = cos(x[i]); },
            Function::Sqrt => tensor! { in context; y[i] = sqrt(x[i]); },
            Function::Real(p) => tensor! { in context; y[i] = powf(x[i], { p }); },
            Function::Whole(n) => tensor! { in context; y[i] = powi(x[i], { n }); },
        }
    }

    /// The function of `f64` that the one of `f32` stands for, whose exponent is a number of `f32`.
    fn of_single(self) -> Function {
        if let Function::Real(p) = self { Function::Real(f64::from(p as f32)) } else { self }
    }
}

/// Reads numbers from a file, eight bytes each, the lowest first, and writes the function's values to another one.
pub fn values(context: &Context, function: &str, from: &str, to: &str) -> Result<(), Failure> {
    let function: Function = function.parse()?;
    let bytes = fs::read(from)?;
    let (numbers, []) = bytes.as_chunks::<8>() else { return Err(format!("`{from}` has a part of a number").into()) };
    let x = Vector::from_vec((numbers.len(),), numbers.iter().map(|&number| f64::from_le_bytes(number)).collect())?;
    let mut y = Vector::zeros((x.len(),))?;
    function.compute(context, &x, &mut y);
    fs::write(to, y.as_slice().iter().flat_map(|y| y.to_le_bytes()).collect::<Vec<u8>>())?;
    Ok(())
}

/// Numbers that are looked at together.
const CHUNK: usize = 1 << 16;
/// An odd number, whose multiples modulo 2³² are all numbers once. One after the other, they are numbers of `f32` of very different sizes.
const SCATTER: u32 = 2_654_435_761;

/// Prints the errors at all numbers of `f32`, in their order and scattered: a function that looks at blocks of elements must not
/// compute other values beside other neighbours.
///
/// Taken as exact is what this library's own function of `f64` says. `function_errors.py` finds the errors of that: below one unit of
/// `f64`, which is 10⁻⁸ units of `f32`. So the greatest error is right in all its digits, and some hundred results may be taken for the
/// nearest number wrongly, or for another.
pub fn every(context: &Context, function: &str) -> Result<(), Failure> {
    let function: Function = function.parse()?;
    let [mut x, mut y] = [Vector::<f32>::zeros((CHUNK,))?, Vector::zeros((CHUNK,))?];
    let [mut wide, mut exact] = [Vector::<f64>::zeros((CHUNK,))?, Vector::zeros((CHUNK,))?];
    for (order, factor) in [("in order", 1), ("scattered", SCATTER)] {
        let mut errors = Errors::default();
        for first in (0..=u32::MAX).step_by(CHUNK) {
            for (n, (x, wide)) in x.as_mut_slice().iter_mut().zip(wide.as_mut_slice()).enumerate() {
                *x = f32::from_bits((first + n as u32).wrapping_mul(factor));
                *wide = f64::from(*x);
            }
            function.compute(context, &x, &mut y);
            function.of_single().compute(context, &wide, &mut exact);
            errors.add(x.as_slice(), y.as_slice(), exact.as_slice());
        }
        println!("{order}: {errors}");
    }
    Ok(())
}

/// What was found at the numbers so far.
#[derive(Default)]
struct Errors {
    worst: f64,
    at: f32,
    /// Results that are not the nearest number to the exact one.
    misrounded: u64,
    /// Results with another sign than the exact one, those of zeros included, and numbers for what is none or the reverse.
    unlike: u64,
    /// A sum over arguments with their results, which is the same in any order.
    fingerprint: u64,
}

impl Errors {
    fn add(&mut self, x: &[f32], y: &[f32], exact: &[f64]) {
        for ((&x, &y), &exact) in x.iter().zip(y).zip(exact) {
            let mixed = (u64::from(x.to_bits()) << 32 | u64::from(y.to_bits())).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = if y.is_nan() { 0 } else { mixed ^ mixed >> 29 };
            self.fingerprint = self.fingerprint.wrapping_add(mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9));
            // The nearest number is off by half a unit at most, so there is little to do for nearly all arguments.
            if y.to_bits() != (exact as f32).to_bits() || self.worst < 0.5 {
                self.look_at(x, y, exact);
            }
        }
    }

    fn look_at(&mut self, x: f32, y: f32, exact: f64) {
        if y.is_nan() || exact.is_nan() {
            self.unlike += u64::from(y.is_nan() != exact.is_nan());
            return;
        }
        self.unlike += u64::from(y.is_sign_negative() != exact.is_sign_negative());
        self.misrounded += u64::from(y.to_bits() != (exact as f32).to_bits());
        let error = units(y, exact);
        if error > self.worst {
            (self.worst, self.at) = (error, x);
        }
    }
}

/// |y - exact| in units of the last place that numbers of `f32` between the same powers of two as the exact value have; of 2⁻¹⁴⁹ where
/// these are subnormal. Infinity stands for 2¹²⁸, and for everything beyond.
fn units(y: f32, exact: f64) -> f64 {
    let most = 2f64.powi(128);
    let found = if y.is_infinite() { exact.abs().max(most).copysign(f64::from(y)) } else { f64::from(y) };
    if found == exact {
        return 0.0;
    }
    let exponent = (exact.abs().to_bits() >> 52).max(1023 - 126);
    (found - exact).abs() / f64::from_bits((exponent - 23) << 52)
}

impl fmt::Display for Errors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Errors { worst, at, misrounded, unlike, fingerprint } = self;
        write!(f, "{worst:.4} units at {at:e}, {misrounded} not nearest, {unlike} unlike, all {fingerprint:016x}")
    }
}
