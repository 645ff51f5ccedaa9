//! `a + b`, `2.0 * a` and `-a` of static tensors: their extents are in their types, so nothing can fail.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use num_complex::Complex;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::StaticExtents;
use tensorwrapper_core::stored::Numeric;

use crate::tensor::StaticTensor;

/// One row for each operator: its traits, the function, and the numbers that may stand on its left side.
macro_rules! operators {
    ($($Trait:ident $method:ident $Assign:ident $assign:ident $function:expr, $($N:ty)*;)*) => { $(
        impl<T: Element, S: StaticExtents> $Assign for StaticTensor<T, S> {
            #[inline]
            fn $assign(&mut self, right: Self) {
                let pairs = self.as_mut_slice().iter_mut().zip(right.as_slice());
                pairs.for_each(|(x, y)| *x = $function(*x, *y));
            }
        }
        impl<T: Element, S: StaticExtents> $Trait for StaticTensor<T, S> {
            type Output = Self;
            #[inline]
            fn $method(mut self, right: Self) -> Self {
                self.$assign(right);
                self
            }
        }
        impl<T: Element, S: StaticExtents> $Assign<T> for StaticTensor<T, S> {
            #[inline]
            fn $assign(&mut self, right: T) {
                self.as_mut_slice().iter_mut().for_each(|x| *x = $function(*x, right));
            }
        }
        impl<T: Element, S: StaticExtents> $Trait<T> for StaticTensor<T, S> {
            type Output = Self;
            #[inline]
            fn $method(mut self, right: T) -> Self {
                self.$assign(right);
                self
            }
        }
        $(impl<S: StaticExtents> $Trait<StaticTensor<$N, S>> for $N {
            type Output = StaticTensor<$N, S>;
            #[inline]
            fn $method(self, mut right: StaticTensor<$N, S>) -> Self::Output {
                right.as_mut_slice().iter_mut().for_each(|x| *x = $function(self, *x));
                right
            }
        })*
    )* };
}
operators! {
    Add add AddAssign add_assign Numeric::plus, f32 f64 Complex<f32> Complex<f64>;
    Sub sub SubAssign sub_assign Numeric::minus, f32 f64 Complex<f32> Complex<f64>;
    Mul mul MulAssign mul_assign Numeric::times, f32 f64 Complex<f32> Complex<f64>;
    Div div DivAssign div_assign Element::quotient, f32 f64 Complex<f32> Complex<f64>;
}

impl<T: Element, S: StaticExtents> Neg for StaticTensor<T, S> {
    type Output = Self;
    #[inline]
    fn neg(mut self) -> Self {
        self.as_mut_slice().iter_mut().for_each(|x| *x = -*x);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors() {
        let (a, b) = (StaticTensor::new([1.0, 2.0, 3.0]), StaticTensor::new([0.5, -1.0, 2.0]));
        assert_eq!(2.0 * a - b / 0.5 + 1.0, StaticTensor::new([2.0, 7.0, 3.0]));
        assert_eq!(-(a * b), StaticTensor::new([-0.5, 2.0, -6.0]));
        let mut c = a;
        c /= b;
        c -= a;
        assert_eq!(c, StaticTensor::new([1.0, -4.0, -1.5]));
    }
}
