//! `a + b`, `2.0 * a`, `-a`, `a += b`: the operators of Rust on whole tensors.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, Div, DivAssign, Mul, MulAssign, Neg, Not, Sub, SubAssign,
};

use num_complex::Complex;
use tensorwrapper_core::backend::Binary;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Extents, Join};
use tensorwrapper_core::stored::{Numeric, Stored};

use super::elementwise::{Combination, combine_into, combined, combined_with_number};
use super::iteration::each;
use super::operand::ElementwiseOperand;
use crate::tensor::{Tensor, TensorRef};

/// The result of an operator, which has no way to report an error but to panic.
#[track_caller]
pub(super) fn or_panic<R>(result: Result<R, Error>) -> R {
    match result {
        Ok(result) => result,
        Err(error) => panic!("{error}"),
    }
}

/// One row for each operator: its traits, how it is written, what a device calls it, the function, and the types of numbers that may stand
/// on its left side.
macro_rules! operators {
    ($($Trait:ident $method:ident $Assign:ident $assign:ident $sign:literal $instruction:expr, [$Bound:path] $function:expr, $($N:ty)*;)*) => { $(
        operators!(@tensors $Trait $method $Assign $assign [$Bound] Combination { sign: $sign, instruction: $instruction, function: $function });
        $(operators!(@numbers $Trait $method $N, Combination { sign: $sign, instruction: $instruction, function: $function });)*
    )* };
    (@tensors $Trait:ident $method:ident $Assign:ident $assign:ident [$Bound:path] $combination:expr) => {
        impl<T: $Bound, S: Extents + Join<R::Extents>, R: ElementwiseOperand<T>> $Trait<R> for &TensorRef<'_, T, S> {
            type Output = Tensor<T, S::Joined>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                or_panic(combined($combination, self, &right.right()))
            }
        }
        impl<T: $Bound, S: Extents + Join<R::Extents>, R: ElementwiseOperand<T>> $Trait<R> for TensorRef<'_, T, S> {
            type Output = Tensor<T, S::Joined>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                (&self).$method(right)
            }
        }
        impl<T: $Bound, S: Extents + Join<R::Extents>, R: ElementwiseOperand<T>> $Trait<R> for &Tensor<T, S> {
            type Output = Tensor<T, S::Joined>;
            #[track_caller]
            fn $method(self, right: R) -> Self::Output {
                (&self.view()).$method(right)
            }
        }
        /// The result takes the memory of the left operand.
        impl<T: $Bound, S: Extents + Join<R::Extents>, R: ElementwiseOperand<T>> $Trait<R> for Tensor<T, S> {
            type Output = Tensor<T, S::Joined>;
            #[track_caller]
            fn $method(mut self, right: R) -> Self::Output {
                self.$assign(right);
                or_panic(self.into_typed())
            }
        }
        impl<T: $Bound, S: Extents + Join<R::Extents>, R: ElementwiseOperand<T>> $Assign<R> for Tensor<T, S> {
            #[track_caller]
            fn $assign(&mut self, right: R) {
                or_panic(combine_into($combination, self, &right.right()));
            }
        }
    };
    (@numbers $Trait:ident $method:ident $N:ty, $combination:expr) => {
        impl<S: Extents> $Trait<&TensorRef<'_, $N, S>> for $N {
            type Output = Tensor<$N, S>;
            #[track_caller]
            fn $method(self, right: &TensorRef<'_, $N, S>) -> Self::Output {
                or_panic(combined_with_number($combination, self, right))
            }
        }
        impl<S: Extents> $Trait<TensorRef<'_, $N, S>> for $N {
            type Output = Tensor<$N, S>;
            #[track_caller]
            fn $method(self, right: TensorRef<'_, $N, S>) -> Self::Output {
                self.$method(&right)
            }
        }
        impl<S: Extents> $Trait<&Tensor<$N, S>> for $N {
            type Output = Tensor<$N, S>;
            #[track_caller]
            fn $method(self, right: &Tensor<$N, S>) -> Self::Output {
                self.$method(&right.view())
            }
        }
        impl<S: Extents> $Trait<Tensor<$N, S>> for $N {
            type Output = Tensor<$N, S>;
            #[track_caller]
            fn $method(self, right: Tensor<$N, S>) -> Self::Output {
                self.$method(&right)
            }
        }
    };
}
operators! {
    Add add AddAssign add_assign '+' Some(Binary::Add), [Numeric] Numeric::plus,
        f32 f64 Complex<f32> Complex<f64> i32 i64 u8;
    Sub sub SubAssign sub_assign '-' Some(Binary::Subtract), [Numeric] Numeric::minus,
        f32 f64 Complex<f32> Complex<f64> i32 i64 u8;
    Mul mul MulAssign mul_assign '*' Some(Binary::Multiply), [Numeric] Numeric::times,
        f32 f64 Complex<f32> Complex<f64> i32 i64 u8;
    Div div DivAssign div_assign '/' Some(Binary::Divide), [Element] Element::quotient,
        f32 f64 Complex<f32> Complex<f64>;
    BitAnd bitand BitAndAssign bitand_assign '&' None, [Truth] |x, y| Truth::both(x, y),;
    BitOr bitor BitOrAssign bitor_assign '|' None, [Truth] |x, y| Truth::either(x, y),;
}

/// `bool` alone, so that the operators of truth values are of the form of the others.
pub trait Truth: Stored {
    #[doc(hidden)]
    fn both(self, other: Self) -> Self;
    #[doc(hidden)]
    fn either(self, other: Self) -> Self;
}
impl Truth for bool {
    fn both(self, other: bool) -> bool {
        self & other
    }
    fn either(self, other: bool) -> bool {
        self | other
    }
}

/// Real numbers as factors and divisors of complex tensors, for whose imaginary parts nothing is computed. Sums, and two tensors, have no
/// such forms: with them, rustc would not infer the types of `einsum!(…) + (einsum!(…) + einsum!(…)) / 2.0` and of `&a * &b.cast()?`.
macro_rules! real_beside_complex {
    ($($R:ty)*) => { $(
        real_beside_complex!(@operator $R, Mul mul MulAssign mul_assign, |z: Complex<$R>, x: $R| z * x, |x: $R, z: Complex<$R>| z * x);
        real_beside_complex!(@operator $R, Div div DivAssign div_assign, |z: Complex<$R>, x: $R| z / x, |x: $R, z: Complex<$R>| <Complex<$R>>::from_real(x).quotient(z));
    )* };
    (@operator $R:ty, $Trait:ident $method:ident $Assign:ident $assign:ident, $by_real:expr, $of_real:expr) => {
        real_beside_complex!(@number $R, $Trait $method, &TensorRef<'_, Complex<$R>, S>, |z| z, $by_real, $of_real);
        real_beside_complex!(@number $R, $Trait $method, TensorRef<'_, Complex<$R>, S>, |z| &z, $by_real, $of_real);
        real_beside_complex!(@number $R, $Trait $method, &Tensor<Complex<$R>, S>, |z| &z.view(), $by_real, $of_real);
        impl<S: Extents> $Assign<$R> for Tensor<Complex<$R>, S> {
            fn $assign(&mut self, right: $R) {
                let by = $by_real;
                self.map_inplace(|z| by(z, right));
            }
        }
        /// The result takes the memory of the tensor.
        impl<S: Extents> $Trait<$R> for Tensor<Complex<$R>, S> {
            type Output = Tensor<Complex<$R>, S>;
            fn $method(mut self, right: $R) -> Self::Output {
                self.$assign(right);
                self
            }
        }
        /// The result takes the memory of the tensor.
        impl<S: Extents> $Trait<Tensor<Complex<$R>, S>> for $R {
            type Output = Tensor<Complex<$R>, S>;
            fn $method(self, mut right: Tensor<Complex<$R>, S>) -> Self::Output {
                let of = $of_real;
                right.map_inplace(|z| of(self, z));
                right
            }
        }
    };
    (@number $R:ty, $Trait:ident $method:ident, $Z:ty, |$z:ident| $view:expr, $by_real:expr, $of_real:expr) => {
        impl<S: Extents> $Trait<$R> for $Z {
            type Output = Tensor<Complex<$R>, S>;
            #[track_caller]
            fn $method(self, right: $R) -> Self::Output {
                let ($z, by) = (self, $by_real);
                or_panic(each($view, move |z| by(z, right)))
            }
        }
        impl<S: Extents> $Trait<$Z> for $R {
            type Output = Tensor<Complex<$R>, S>;
            #[track_caller]
            fn $method(self, $z: $Z) -> Self::Output {
                let of = $of_real;
                or_panic(each($view, move |z| of(self, z)))
            }
        }
    };
}
real_beside_complex! { f32 f64 }

impl<T: Numeric, S: Extents> Neg for &Tensor<T, S> {
    type Output = Tensor<T, S>;
    #[track_caller]
    fn neg(self) -> Tensor<T, S> {
        -&self.view()
    }
}

impl<T: Numeric, S: Extents> Neg for Tensor<T, S> {
    type Output = Tensor<T, S>;
    #[track_caller]
    fn neg(mut self) -> Tensor<T, S> {
        self.map_inplace(|x| x.negated());
        self
    }
}

impl<T: Numeric, S: Extents> Neg for &TensorRef<'_, T, S> {
    type Output = Tensor<T, S>;
    #[track_caller]
    fn neg(self) -> Tensor<T, S> {
        or_panic(each(self, |x| x.negated()))
    }
}

impl<T: Numeric, S: Extents> Neg for TensorRef<'_, T, S> {
    type Output = Tensor<T, S>;
    #[track_caller]
    fn neg(self) -> Tensor<T, S> {
        -&self
    }
}

impl<S: Extents> Not for &TensorRef<'_, bool, S> {
    type Output = Tensor<bool, S>;
    #[track_caller]
    fn not(self) -> Tensor<bool, S> {
        or_panic(each(self, |x| !x))
    }
}

impl<S: Extents> Not for TensorRef<'_, bool, S> {
    type Output = Tensor<bool, S>;
    #[track_caller]
    fn not(self) -> Tensor<bool, S> {
        !&self
    }
}

impl<S: Extents> Not for &Tensor<bool, S> {
    type Output = Tensor<bool, S>;
    #[track_caller]
    fn not(self) -> Tensor<bool, S> {
        !&self.view()
    }
}

impl<S: Extents> Not for Tensor<bool, S> {
    type Output = Tensor<bool, S>;
    fn not(mut self) -> Tensor<bool, S> {
        self.map_inplace(|x| !x);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Z = Complex<f64>;

    #[test]
    fn real_beside_complex() {
        let z =
            Tensor::from_array([[Z::new(1.0, 2.0), Z::new(-3.0, 0.5)], [Z::new(0.0, f64::INFINITY), Z::new(4.0, -1.0)]]).unwrap();
        let one = |f: fn(Z) -> Z| z.iter().map(|&z| f(z)).collect::<Vec<Z>>();
        // As equations divide, without the square of the divisor.
        let [large, small] = [990, -990].map(|exponent| 2.0_f64.powi(exponent));
        let far = Tensor::from_array([Z::new(0.0, large), Z::new(small, 0.0), Z::new(0.0, f64::INFINITY)]).unwrap();
        let expected = [Z::new(0.0, -small), Z::new(large, 0.0), Z::new(0.0, 0.0)];
        assert_eq!((1.0 / &far).as_slice(), expected);
        assert_eq!((1.0 / far.view()).as_slice(), expected);
        assert_eq!((1.0 / far).as_slice(), expected);
        assert_eq!((z.view() * 2.0).as_slice(), one(|z| z * 2.0));
        assert_eq!((2.0 * z.t()).as_slice(), (&z.t().to_tensor().unwrap() * 2.0).as_slice());
        let at = z.as_slice().as_ptr();
        let mut of = z.clone() / 2.0;
        of *= 3.0;
        of /= 0.5;
        assert_eq!(of.as_slice(), one(|z| z / 2.0 * 3.0 / 0.5));
        let taken = 2.0 * z;
        assert_eq!(taken.as_slice().as_ptr(), at, "the result takes the memory");
        // The help of operators, `b.cast()?`, needs no type.
        let (a, b) = (Tensor::from_array([1.0, 2.0]).unwrap(), Tensor::from_array([3, 4]).unwrap());
        assert_eq!((&a * &b.cast().unwrap()).as_slice(), [3.0, 8.0]);
    }

    #[test]
    fn signs_of_views_and_masks() {
        let a = Tensor::from_array([[1.0, 2.0], [3.0, 4.0]]).unwrap();
        assert_eq!((-a.t()).as_slice(), [-1.0, -3.0, -2.0, -4.0]);
        assert_eq!((-&a.view()).as_slice(), [-1.0, -2.0, -3.0, -4.0]);
        assert_eq!((!a.greater(2.0).unwrap()).as_slice(), [true, true, false, false]);
        assert_eq!((!a.greater(2.0).unwrap().t()).as_slice(), [true, false, true, false]);
        let mut sum = 0.0;
        for x in &a.view().slice(0, 1..).unwrap() {
            sum += x;
        }
        assert_eq!(sum, 7.0);
    }
}
