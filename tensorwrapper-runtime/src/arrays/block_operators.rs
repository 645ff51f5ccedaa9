//! `a + b`, `2.0 * a`, `-a`, `a += b`: the operators of Rust on whole block tensors.
//!
//! Where both tensors have the same structure, stored elements are combined as they lie. Otherwise the operator is the equation
//! `[i, j] = a[i, j] + b[i, j]`, which infers the structure of its result.
//!
//! ```compile_fail,E0277
//! # use tensorwrapper_runtime::{Blocks, Shape};
//! fn sum(a: &Blocks<f64, Shape![3]>, b: &Blocks<f64, Shape![4]>) {
//!     let _ = a + b; // extents that differ
//! }
//! ```

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::shape::{Extents, Join};
use tensorwrapper_core::stored::Numeric;

use super::operators::or_panic;
use crate::exec::Context;
use crate::expr::OperandData;
use crate::tensor::Blocks;

/// An operator of two tensors.
#[derive(Clone, Copy)]
struct Operator<T> {
    sign: char,
    function: fn(T, T) -> T,
}

impl<T: Element> Operator<T> {
    /// Whether the result has the structure that both tensors have: a product has other signs under permutations, and other charges.
    fn keeps(self, left: &Blocks<T, impl Extents>, right: &Blocks<T, impl Extents>) -> bool {
        self.sign != '*' && left.structure() == right.structure()
    }

    /// The equation of this operator.
    ///
    /// # Errors
    /// As [`Context::eval_blocks`].
    fn by_equation(self, left: &Blocks<T, impl Extents>, right: &Blocks<T, impl Extents>) -> Result<Blocks<T>, Error> {
        // Labels for the left one: a right one of another rank is refused with the sentence of equations.
        let labels = (0..left.structure().rank()).map(|axis| format!("i{axis}")).collect::<Vec<String>>().join(", ");
        let text = format!("[{labels}] = a[{labels}] {} b[{labels}]", self.sign);
        let named = [("a", OperandData::Blocks(left.erase())), ("b", OperandData::Blocks(right.erase()))];
        Ok(Blocks::of_any(Context::global().call_text(&text, T::DTYPE, &named)?))
    }

    /// Writes the result in the place of the left tensor.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn assign(self, left: &mut Blocks<T, impl Extents>, right: &Blocks<T, impl Extents>) -> Result<(), Error> {
        if !self.keeps(left, right) {
            let result = self.by_equation(left, right)?;
            return left.replace(result);
        }
        left.slab_mut().iter_mut().zip(right.slab()).for_each(|(x, &y)| *x = (self.function)(*x, y));
        Ok(())
    }

    /// The result of a tensor whose memory it may take.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn of_owned<S: Extents>(
        self,
        mut left: Blocks<T, impl Extents>,
        right: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T, S>, Error> {
        self.assign(&mut left, right)?;
        left.from_zero().into_typed()
    }

    /// The result of a tensor that stays.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn of_borrowed<S: Extents>(
        self,
        left: &Blocks<T, impl Extents>,
        right: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T, S>, Error> {
        match self.keeps(left, right) {
            true => self.of_owned(left.clone(), right),
            false => self.by_equation(left, right)?.into_typed(),
        }
    }
}

/// Multiplies or divides all elements by a number. What is not stored is zero, and stays so.
///
/// # Errors
/// As [`Blocks::scale`].
fn by_number<T: Element>(of: &mut Blocks<T, impl Extents>, by: T, function: impl Fn(T, T) -> T) -> Result<(), Error> {
    of.check_factor(by)?;
    each(of, |x| function(x, by));
    Ok(())
}

/// A function of each stored element, under which elements that follow from others still do.
fn each<T: Element>(of: &mut Blocks<T, impl Extents>, function: impl Fn(T) -> T) {
    of.slab_mut().iter_mut().for_each(|x| *x = function(*x));
}

/// One row for each operator of two tensors: its traits, how it is written, and the function of two elements.
macro_rules! of_tensors {
    ($($Trait:ident $method:ident $Assign:ident $assign:ident $sign:literal $function:expr;)*) => { $(
        of_tensors!(@right $Trait $method $Assign $assign, &Blocks<T, S2>, |right| right, Operator { sign: $sign, function: $function });
        of_tensors!(@right $Trait $method $Assign $assign, Blocks<T, S2>, |right| &right, Operator { sign: $sign, function: $function });
    )* };
    (@right $Trait:ident $method:ident $Assign:ident $assign:ident, $R:ty, |$right:ident| $read:expr, $operator:expr) => {
        impl<T: Element, S: Extents + Join<S2>, S2: Extents> $Trait<$R> for &Blocks<T, S> {
            type Output = Blocks<T, S::Joined>;
            #[track_caller]
            fn $method(self, $right: $R) -> Self::Output {
                or_panic($operator.of_borrowed(self, $read))
            }
        }
        /// The result takes the memory of the left operand, if it has the same structure.
        impl<T: Element, S: Extents + Join<S2>, S2: Extents> $Trait<$R> for Blocks<T, S> {
            type Output = Blocks<T, S::Joined>;
            #[track_caller]
            fn $method(self, $right: $R) -> Self::Output {
                or_panic($operator.of_owned(self, $read))
            }
        }
        /// The tensor takes the structure of the result, which may have other blocks.
        impl<T: Element, S: Extents + Join<S2>, S2: Extents> $Assign<$R> for Blocks<T, S> {
            #[track_caller]
            fn $assign(&mut self, $right: $R) {
                or_panic($operator.assign(self, $read));
            }
        }
    };
}
of_tensors! {
    Add add AddAssign add_assign '+' Numeric::plus;
    Sub sub SubAssign sub_assign '-' Numeric::minus;
    Mul mul MulAssign mul_assign '*' Numeric::times;
}

/// One row for each operator of a tensor and a number: its traits, the types, and the function of an element and the number.
macro_rules! of_numbers {
    ($($Trait:ident $method:ident $Assign:ident $assign:ident [$($generic:ident)?] $T:ty, $N:ty, $apply:expr;)*) => { $(
        impl<$($generic: Element,)? S: Extents> $Assign<$N> for Blocks<$T, S> {
            #[track_caller]
            fn $assign(&mut self, right: $N) {
                or_panic($apply(self, right));
            }
        }
        /// The result takes the memory of the tensor.
        impl<$($generic: Element,)? S: Extents> $Trait<$N> for Blocks<$T, S> {
            type Output = Blocks<$T, S>;
            #[track_caller]
            fn $method(mut self, right: $N) -> Self::Output {
                self.$assign(right);
                self.from_zero()
            }
        }
        impl<$($generic: Element,)? S: Extents> $Trait<$N> for &Blocks<$T, S> {
            type Output = Blocks<$T, S>;
            #[track_caller]
            fn $method(self, right: $N) -> Self::Output {
                self.clone().$method(right)
            }
        }
    )* };
}
of_numbers! {
    Mul mul MulAssign mul_assign [T] T, T, |of, by| by_number(of, by, Numeric::times);
    Div div DivAssign div_assign [T] T, T, |of, by| by_number(of, by, Element::quotient);
    Mul mul MulAssign mul_assign [] Complex<f32>, f32, |of, by| real(of, |z: Complex<f32>| z * by);
    Div div DivAssign div_assign [] Complex<f32>, f32, |of, by| real(of, |z: Complex<f32>| z / by);
    Mul mul MulAssign mul_assign [] Complex<f64>, f64, |of, by| real(of, |z: Complex<f64>| z * by);
    Div div DivAssign div_assign [] Complex<f64>, f64, |of, by| real(of, |z: Complex<f64>| z / by);
}

/// [`each`], which a real number of complex elements cannot fail to be.
fn real<T: Element>(of: &mut Blocks<T, impl Extents>, function: impl Fn(T) -> T) -> Result<(), Error> {
    each(of, function);
    Ok(())
}

/// Numbers on the left side, which are those on the right one: products of numbers do not ask for an order.
macro_rules! numbers_of {
    ($($N:ty, $T:ty;)*) => { $(
        impl<S: Extents> Mul<Blocks<$T, S>> for $N {
            type Output = Blocks<$T, S>;
            #[track_caller]
            fn mul(self, right: Blocks<$T, S>) -> Self::Output {
                right * self
            }
        }
        impl<S: Extents> Mul<&Blocks<$T, S>> for $N {
            type Output = Blocks<$T, S>;
            #[track_caller]
            fn mul(self, right: &Blocks<$T, S>) -> Self::Output {
                right * self
            }
        }
    )* };
}
numbers_of! {
    f32, f32;
    f64, f64;
    Complex<f32>, Complex<f32>;
    Complex<f64>, Complex<f64>;
    f32, Complex<f32>;
    f64, Complex<f64>;
}

/// The result takes the memory of the tensor.
impl<T: Element, S: Extents> Neg for Blocks<T, S> {
    type Output = Blocks<T, S>;
    fn neg(mut self) -> Blocks<T, S> {
        each(&mut self, Numeric::negated);
        self.from_zero()
    }
}

impl<T: Element, S: Extents> Neg for &Blocks<T, S> {
    type Output = Blocks<T, S>;
    fn neg(self) -> Blocks<T, S> {
        -self.clone()
    }
}
