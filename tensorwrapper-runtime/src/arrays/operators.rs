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
fn or_panic<R>(result: Result<R, Error>) -> R {
    match result {
        Ok(result) => result,
        Err(error) => panic!("{error}"),
    }
}

/// One row for each operator: its traits, how it is written, what a device calls it, the function, and the types of numbers that may stand on
/// its left side.
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

/// A complex tensor and a real number, which is a factor or a divisor of both parts.
macro_rules! real_factors {
    ($($R:ty)*) => { $(
        real_factors!(@operator $R, Mul mul);
        real_factors!(@operator $R, Div div);
        impl<S: Extents> Mul<&Tensor<Complex<$R>, S>> for $R {
            type Output = Tensor<Complex<$R>, S>;
            #[track_caller]
            fn mul(self, right: &Tensor<Complex<$R>, S>) -> Self::Output {
                right * self
            }
        }
        impl<S: Extents> Mul<Tensor<Complex<$R>, S>> for $R {
            type Output = Tensor<Complex<$R>, S>;
            fn mul(self, right: Tensor<Complex<$R>, S>) -> Self::Output {
                right * self
            }
        }
    )* };
    (@operator $R:ty, $Trait:ident $method:ident) => {
        impl<S: Extents> $Trait<$R> for &Tensor<Complex<$R>, S> {
            type Output = Tensor<Complex<$R>, S>;
            #[track_caller]
            fn $method(self, right: $R) -> Self::Output {
                or_panic(self.map(|x| x.$method(right)))
            }
        }
        impl<S: Extents> $Trait<$R> for Tensor<Complex<$R>, S> {
            type Output = Tensor<Complex<$R>, S>;
            fn $method(mut self, right: $R) -> Self::Output {
                self.map_inplace(|x| x.$method(right));
                self
            }
        }
    };
}
real_factors! { f32 f64 }

impl<T: Numeric, S: Extents> Neg for &Tensor<T, S> {
    type Output = Tensor<T, S>;
    #[track_caller]
    fn neg(self) -> Tensor<T, S> {
        or_panic(each(&self.view(), |x| x.negated()))
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

impl<S: Extents> Not for &Tensor<bool, S> {
    type Output = Tensor<bool, S>;
    #[track_caller]
    fn not(self) -> Tensor<bool, S> {
        or_panic(each(&self.view(), |x| !x))
    }
}
