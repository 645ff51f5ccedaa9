//! `a + b`, `2.0 * a`, `-a`, `a += b`: the operators of Rust on whole block tensors.
//!
//! Sums of tensors of the same structure have that structure, and stored elements are combined as they lie; so are those of products, if
//! no element follows from another and no charge is conserved. Otherwise the operator is the equation `[i, j] = left[i, j] + right[i, j]`,
//! which infers the structure of its result. The layers are those of the left tensor, or of the right one if the left has one layer.
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

use super::axes::same_extents;
use super::operators::or_panic;
use crate::exec::Context;
use crate::expr::OperandData;
use crate::tensor::Blocks;

/// An operator of two tensors.
#[derive(Clone, Copy)]
struct Operator<F> {
    sign: char,
    function: F,
}

impl<F: Copy> Operator<F> {
    /// Whether the result has the structure that both tensors have. A product has other signs under permutations, and other charges;
    /// what it has of ties and equal blocks is left to the equation.
    fn keeps<T: Element>(self, left: &Blocks<T, impl Extents>, right: &Blocks<T, impl Extents>) -> bool {
        let of = left.structure();
        let is_plain = || of.symmetry().is_none() && of.charge_flow().is_none() && of.ties().is_none() && !of.has_equal_blocks();
        of == right.structure() && (self.sign != '*' || is_plain())
    }

    /// The equation of this operator.
    ///
    /// # Errors
    /// [`ErrorKind::Shape`](crate::ErrorKind::Shape) for other extents, in the words of dense operators; as [`Context::eval_blocks`].
    fn by_equation<T: Element>(
        self,
        left: &Blocks<T, impl Extents>,
        right: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T>, Error> {
        let [own, other] = [left.structure(), right.structure()];
        // Sentences of equations would talk of labels that nobody wrote.
        same_extents(&format!("`{}` of two tensors", self.sign), own.shape().extents(), other.shape().extents())?;
        let labels = (0..own.rank()).map(|axis| format!("i{axis}")).collect::<Vec<String>>().join(", ");
        let text = format!("[{labels}] = left[{labels}] {} right[{labels}]", self.sign);
        // Tensors of one layer fit those of any, which equations compare. The labels stand in one layer, so that results have one.
        let (flat, layers) = ([own.flat(), other.flat()], [own.layers(), other.layers()]);
        let mut operands = [left.erase(), right.erase()];
        if layers.iter().any(|layers| layers.len() == 1) {
            operands.iter_mut().zip(&flat).for_each(|(operand, flat)| operand.structure = flat);
        }
        let [left, right] = operands.map(OperandData::Blocks);
        let mut result = Context::global().call_text(&text, T::DTYPE, &[("left", left), ("right", right)])?;
        let layers = layers.into_iter().find(|layers| layers.len() > 1);
        result.structure = result.structure.nested(layers.unwrap_or_else(|| vec![own.rank()]))?;
        Ok(Blocks::of_any(result))
    }

    /// Writes the result in the place of the left tensor.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn assign<T: Element>(self, left: &mut Blocks<T, impl Extents>, right: &Blocks<T, impl Extents>) -> Result<(), Error>
    where
        F: Fn(T, T) -> T,
    {
        if !self.keeps(left, right) {
            let result = self.by_equation(left, right)?;
            return left.replace(result);
        }
        left.combine_stored(right, self.function);
        Ok(())
    }

    /// The result of a tensor whose memory it may take.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn of_owned<T: Element, S: Extents>(
        self,
        mut left: Blocks<T, impl Extents>,
        right: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T, S>, Error>
    where
        F: Fn(T, T) -> T,
    {
        self.assign(&mut left, right)?;
        left.without_origin().into_typed()
    }

    /// The result of a tensor that stays.
    ///
    /// # Errors
    /// As [`by_equation`](Operator::by_equation).
    fn of_borrowed<T: Element, S: Extents>(
        self,
        left: &Blocks<T, impl Extents>,
        right: &Blocks<T, impl Extents>,
    ) -> Result<Blocks<T, S>, Error>
    where
        F: Fn(T, T) -> T,
    {
        match self.keeps(left, right) {
            true => self.of_owned(left.clone(), right),
            false => self.by_equation(left, right)?.into_typed(),
        }
    }
}

/// Divides all elements by a number. What is not stored is zero, and stays so.
///
/// # Errors
/// As [`Blocks::scale`].
fn divide<T: Element>(of: &mut Blocks<T, impl Extents>, by: T) -> Result<(), Error> {
    of.check_factor(by)?;
    of.each_stored(|x| x.quotient(by));
    Ok(())
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
                self.without_origin()
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
    Mul mul MulAssign mul_assign [T] T, T, Blocks::scale;
    Div div DivAssign div_assign [T] T, T, divide;
    Mul mul MulAssign mul_assign [] Complex<f32>, f32, |of, by| real(of, |z: Complex<f32>| z * by);
    Div div DivAssign div_assign [] Complex<f32>, f32, |of, by| real(of, |z: Complex<f32>| z / by);
    Mul mul MulAssign mul_assign [] Complex<f64>, f64, |of, by| real(of, |z: Complex<f64>| z * by);
    Div div DivAssign div_assign [] Complex<f64>, f64, |of, by| real(of, |z: Complex<f64>| z / by);
}

/// A function of each element by a real number: symmetries that conjugate allow it, so that it cannot fail.
fn real<T: Element>(of: &mut Blocks<T, impl Extents>, function: impl Fn(T) -> T) -> Result<(), Error> {
    of.each_stored(function);
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
        self.each_stored(Numeric::negated);
        self.without_origin()
    }
}

impl<T: Element, S: Extents> Neg for &Blocks<T, S> {
    type Output = Blocks<T, S>;
    fn neg(self) -> Blocks<T, S> {
        -self.clone()
    }
}
