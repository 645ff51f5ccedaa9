//! The table of scalar functions: what each computes, and how.
//!
//! A function of the language has one row here, and its name in `tensorwrapper_notation`. A function that only programs need (a
//! derivative's sign, for example) has a row in the second part of the table, and no name in the language.

use num_complex::Complex;
use num_traits::Float;

use crate::element::Element;

/// Arithmetic that element-wise programs need beyond [`Element`].
pub trait Scalar: Element {
    /// Replaces each value by the value of the function there.
    fn apply(function: Unary, values: &mut [Self]);
    /// An integer power.
    fn power_integer(self, exponent: i32) -> Self;
    /// A real power; for complex numbers the principal value.
    fn power_real(self, exponent: f64) -> Self;
}

/// The CUDA text of a function, an expression in `x` of type `T`. For complex numbers it calls overloads of the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// For real `T`.
    pub real: &'static str,
    /// For complex `T`.
    pub complex: &'static str,
}

/// Each row: what the function is, its name here, its value for a real and for a complex number, and the same as CUDA text. Rows
/// behind `beside` have no name in the language.
macro_rules! table {
    (
        language { $($(#[$doc:meta])* $Function:ident: $real:expr, $complex:expr; $cuda_real:literal, $cuda_complex:literal;)* }
        beside { $($(#[$own_doc:meta])* $Own:ident: $own_real:expr, $own_complex:expr; $own_cuda_real:literal, $own_cuda_complex:literal;)* }
    ) => {
        /// A function of one value, as programs call it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Unary {
            $($(#[$doc])* $Function,)*
            $($(#[$own_doc])* $Own,)*
        }

        impl Unary {
            /// Every function: those of the language in the order of its reference, then the others.
            pub const ALL: [Unary; [$(stringify!($Function),)* $(stringify!($Own),)*].len()] =
                [$(Unary::$Function,)* $(Unary::$Own,)*];

            /// The function's name. If the language has the function, it has the same name there.
            pub fn name(self) -> &'static str {
                match self {
                    $(Unary::$Function => tensorwrapper_notation::Function::$Function.name(),)*
                    $(Unary::$Own => stringify!($Own),)*
                }
            }
        }

        /// Every name of the language has its row: a missing one does not compile.
        impl From<tensorwrapper_notation::Function> for Unary {
            #[inline]
            fn from(function: tensorwrapper_notation::Function) -> Unary {
                match function {
                    $(tensorwrapper_notation::Function::$Function => Unary::$Function,)*
                }
            }
        }

        scalars! { $($Function: $real, $complex;)* $($Own: $own_real, $own_complex;)* }

        /// The row's CUDA text.
        pub fn cuda(function: Unary) -> Text {
            match function {
                $(Unary::$Function => Text { real: $cuda_real, complex: $cuda_complex },)*
                $(Unary::$Own => Text { real: $own_cuda_real, complex: $own_cuda_complex },)*
            }
        }
    };
}

macro_rules! scalars {
    ($($rows:tt)*) => {
        scalar! { f32, f32, f32, real; $($rows)* }
        scalar! { f64, f64, f64, real; $($rows)* }
        scalar! { Complex<f32>, f32, Complex<f32>, complex; $($rows)* }
        scalar! { Complex<f64>, f64, Complex<f64>, complex; $($rows)* }
    };
}

macro_rules! scalar {
    ($T:ty, $R:ty, $Arg:ty, $field:ident; $($Function:ident: $real:expr, $complex:expr;)*) => {
        impl Scalar for $T {
            #[inline]
            fn apply(function: Unary, values: &mut [Self]) {
                match function {
                    $(Unary::$Function => each(values, pick!($field, $real, $complex)),)*
                }
            }
            #[inline]
            fn power_integer(self, exponent: i32) -> Self {
                self.powi(exponent)
            }
            #[inline]
            fn power_real(self, exponent: f64) -> Self {
                self.powf(exponent as $R)
            }
        }
    };
}

macro_rules! pick {
    (real, $real:expr, $complex:expr) => {
        $real
    };
    (complex, $real:expr, $complex:expr) => {
        $complex
    };
}

table! {
    language {
        /// eˣ
        Exp: |x| x.exp(), |z| z.exp(); "exp(x)", "exp(x)";
        /// Natural logarithm.
        Ln: |x| x.ln(), |z| z.ln(); "log(x)", "log(x)";
        /// Square root.
        Sqrt: |x| x.sqrt(), |z| z.sqrt(); "sqrt(x)", "sqrt(x)";
        /// Absolute value; of a complex number its modulus, with zero imaginary part.
        Abs: |x| x.abs(), |z| Complex::from(z.norm()); "fabs(x)", "T(abs(x))";
        /// Sine.
        Sin: |x| x.sin(), |z| z.sin(); "sin(x)", "sin(x)";
        /// Cosine.
        Cos: |x| x.cos(), |z| z.cos(); "cos(x)", "cos(x)";
        /// Tangent.
        Tan: |x| x.tan(), complex_tan; "tan(x)", "tan(x)";
        /// Hyperbolic tangent.
        Tanh: |x| x.tanh(), complex_tanh; "tanh(x)", "tanh(x)";
        /// 1/x
        Recip: |x| x.recip(), complex_recip; "T(1) / x", "T(1) / x";
        /// Complex conjugate.
        Conj: |x| x, |z| z.conj(); "x", "conj(x)";
        /// Real part, with zero imaginary part.
        Re: |x| x, |z| Complex::from(z.re); "x", "T(real(x))";
        /// Imaginary part, with zero imaginary part.
        Im: |_| 0.0, |z| Complex::from(z.im); "T(0)", "T(imag(x))";
    }
    beside {
        /// x/|x|, and 0 at 0: the slope of the absolute value.
        Sign: real_sign, complex_sign;
            "x != x ? x : T((x > T(0)) - (x < T(0)))", "real(x) == 0 && imag(x) == 0 ? x : x / T(abs(x))";
        /// 1 where the value is zero, 0 elsewhere.
        IsZero: |x| real_is(x, x == 0.0), |z| complex_is(z, z.re == 0.0 && z.im == 0.0);
            "x != x ? x : T(x == T(0) ? 1 : 0)", "real(x) != real(x) || imag(x) != imag(x) ? x : T(real(x) == 0 && imag(x) == 0 ? 1 : 0)";
        /// 1 where the real part is larger than zero, 0 elsewhere.
        IsPositive: |x| real_is(x, x > 0.0), |z| complex_is(z, z.re > 0.0);
            "x != x ? x : T(x > T(0) ? 1 : 0)", "real(x) != real(x) || imag(x) != imag(x) ? x : T(real(x) > 0 ? 1 : 0)";
    }
}

/// A statement about a number as one or zero; what is not a number stays so.
fn real_is<R: Float>(x: R, is: bool) -> R {
    match (x.is_nan(), is) {
        (true, _) => x,
        (false, true) => R::one(),
        (false, false) => R::zero(),
    }
}

fn complex_is<R: Float>(z: Complex<R>, is: bool) -> Complex<R> {
    if z.re.is_nan() || z.im.is_nan() { z } else { Complex::from(real_is(z.re, is)) }
}

fn real_sign<R: Float>(x: R) -> R {
    if x == R::zero() || x.is_nan() { x } else { x.signum() }
}

fn complex_sign<R: Float>(z: Complex<R>) -> Complex<R> {
    if z.re == R::zero() && z.im == R::zero() { z } else { z.unscale(z.norm()) }
}

fn each<T: Copy>(values: &mut [T], function: impl Fn(T) -> T) {
    for value in values {
        *value = function(*value);
    }
}

/// 1/z, by a division that does not overflow on the way.
fn complex_recip<Z: Element>(z: Z) -> Z {
    Z::ONE.quotient(z)
}

/// The textbook formula divides two overflowing numbers long after both parts have reached their limits.
fn complex_tanh<R: Float>(z: Complex<R>) -> Complex<R> {
    let (one, two) = (R::one(), R::one() + R::one());
    if z.re.abs() > R::from(20).unwrap_or(one) {
        Complex::new(one.copysign(z.re), two * (two * z.im).sin() * (-two * z.re.abs()).exp())
    } else {
        z.tanh()
    }
}

/// tan z = -i tanh(iz)
fn complex_tan<R: Float>(z: Complex<R>) -> Complex<R> {
    let w = complex_tanh(Complex::new(-z.im, z.re));
    Complex::new(w.im, -w.re)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<T: Scalar>(function: Unary, x: T) -> T {
        let mut value = [x];
        T::apply(function, &mut value);
        value[0]
    }

    #[test]
    fn every_row_has_text_in_x() {
        for function in Unary::ALL {
            let Text { real, complex } = cuda(function);
            assert!(real.contains('x') || function == Unary::Im, "{function:?}: {real}");
            assert!(complex.contains('x'), "{function:?}: {complex}");
        }
    }

    #[test]
    fn complex_values_extend_real_ones() {
        for function in Unary::ALL {
            for x in [0.3, 1.7, 2.5] {
                let (real, complex) = (of(function, x), of(function, Complex::new(x, 0.0)));
                assert!(
                    (complex - real).norm() < 1e-14 * (1.0 + f64::abs(real)),
                    "{function:?} of {x}: {real} against {complex}"
                );
                let single = of(function, x as f32);
                assert!(
                    (f64::from(single) - real).abs() < 1e-5 * (1.0 + f64::abs(real)),
                    "{function:?} of {x}: {real} against {single}"
                );
            }
        }
    }

    #[test]
    fn tangents_do_not_overflow() {
        assert_eq!(of(Unary::Tanh, Complex::new(-1000.0, 1.0)).re, -1.0);
        assert_eq!(of(Unary::Tan, Complex::new(0.5f32, 500.0)).im, 1.0);
        let near = |a: Complex<f64>, b: Complex<f64>| assert!((a - b).norm() < 1e-15 * b.norm(), "{a} against {b}");
        for z in [Complex::new(0.4, -0.7), Complex::new(-1.2, 3.0)] {
            near(of(Unary::Tan, z), z.sin() / z.cos());
            near(of(Unary::Tanh, z), z.sinh() / z.cosh());
        }
    }
}
