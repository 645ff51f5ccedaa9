//! Numbers, operators and functions of static expressions.

use std::marker::PhantomData;

use num_complex::Complex;
use tensorwrapper_notation::Function;

use super::form::ProductForm;
use super::indices::Nth;
use super::node::Node;
use crate::exec;
use crate::tensor::StaticTensor;
use tensorwrapper_core::backend::Reduction;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::element::{Element, dispatch};
pub use tensorwrapper_core::internal::expansion::ScalarOperand;
pub(super) use tensorwrapper_core::internal::expansion::convert;

impl<X: Element> ScalarOperand for StaticTensor<X, ()> {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self.nested())
    }
}
impl<X: Element> ScalarOperand for &StaticTensor<X, ()> {
    #[inline(always)]
    fn number<T: Element>(&self) -> T {
        convert(*self.nested())
    }
}

/// A reference to a number.
pub trait BorrowedScalar {
    /// The number.
    type Number: ScalarOperand;
    /// The reference.
    fn get(&self) -> &Self::Number;
}
impl<X: ScalarOperand> BorrowedScalar for &X {
    type Number = X;
    #[inline(always)]
    fn get(&self) -> &X {
        self
    }
}

/// The number that operand `N` is.
#[derive(Debug)]
pub struct Capture<const N: usize>;
impl<T: Element, O: Nth<N, Item: BorrowedScalar>, const N: usize> Node<T, O> for Capture<N> {
    const FORM: ProductForm = ProductForm::Number;
    #[inline(always)]
    fn scale(operands: &O) -> T {
        operands.nth().get().number()
    }
    #[inline(always)]
    fn value<const L: usize>(operands: &O, _: &[usize; L]) -> T {
        operands.nth().get().number()
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// A literal, by the bits of its `f64`.
#[derive(Debug)]
pub struct Literal<const BITS: u64>;
impl<T: Element, O, const BITS: u64> Node<T, O> for Literal<BITS> {
    const FORM: ProductForm = ProductForm::Number;
    #[inline(always)]
    fn scale(_: &O) -> T {
        T::from_complex(Complex::new(f64::from_bits(BITS), 0.0))
    }
    #[inline(always)]
    fn value<const L: usize>(_: &O, _: &[usize; L]) -> T {
        T::from_complex(Complex::new(f64::from_bits(BITS), 0.0))
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// The value of label `K`.
#[derive(Debug)]
pub struct LabelValue<const K: usize>;
impl<T: Element, O, const K: usize> Node<T, O> for LabelValue<K> {
    #[inline(always)]
    fn value<const L: usize>(_: &O, at: &[usize; L]) -> T {
        T::from_complex(Complex::new(at[K] as f64, 0.0))
    }
    #[inline(always)]
    fn fits(_: &O) -> bool {
        true
    }
}

/// An operator on two numbers.
pub trait Combine {
    /// Whether it multiplies.
    const IS_PRODUCT: bool = false;
    /// Whether it adds.
    const IS_SUM: bool = false;
    /// Its value.
    fn combine<T: Element>(a: T, b: T) -> T;
}

/// An operator that folds the values along a label.
pub trait Reduce: Combine {
    /// Whether it is `max` or `min`, which need ordered elements and at least one value.
    const IS_EXTREME: bool;
    /// The value of an empty reduction. For `max` and `min` it is never used.
    fn of_nothing<T: Element>() -> T;
}

macro_rules! operators {
    ($($Operator:ident $([$IS:ident])?: $combine:expr $(=> $extreme:literal, $nothing:expr)?;)*) => { $(
        #[allow(missing_docs)]
        #[derive(Debug)]
        pub struct $Operator;
        impl Combine for $Operator {
            $(const $IS: bool = true;)?
            #[inline(always)]
            fn combine<T: Element>(a: T, b: T) -> T {
                $combine(a, b)
            }
        }
        $(impl Reduce for $Operator {
            const IS_EXTREME: bool = $extreme;
            #[inline(always)]
            fn of_nothing<T: Element>() -> T {
                $nothing
            }
        })?
    )* };
}
operators! {
    Add [IS_SUM]: |a, b| a + b;
    Subtract: |a, b| a - b;
    Multiply [IS_PRODUCT]: |a, b| a * b;
    Divide: T::quotient;
    Sum [IS_SUM]: |a, b| a + b=> false, T::ZERO;
    Product [IS_PRODUCT]: |a, b| a * b=> false, T::ONE;
    Max: |a, b| Reduction::Max.combine(a, b)=> true, T::ZERO;
    Min: |a, b| Reduction::Min.combine(a, b)=> true, T::ZERO;
}

/// The same number in the type that a table of functions has, and back.
#[inline(always)]
fn same<A: Element, B: Element>(value: A) -> B {
    match B::typed(A::erase(&[value])) {
        Some(&[value]) => value,
        _ => unreachable!("the types are one"),
    }
}

/// Function number `F` of [`Function::ALL`].
#[derive(Debug)]
pub struct Apply<const F: usize, A>(PhantomData<A>);
impl<T: Element, O, A: Node<T, O>, const F: usize> Node<T, O> for Apply<F, A> {
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        let value = A::value(operands, at);
        dispatch!(T::DTYPE, U => {
            let mut values = [same::<T, U>(value)];
            U::apply(Function::ALL[F].into(), &mut values);
            same::<U, T>(values[0])
        })
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        A::fits(operands)
    }
}

/// An exponent of type `X`.
pub trait Exponent<X, O> {
    /// The exponent.
    fn exponent(operands: &O) -> X;
}

/// A whole exponent.
#[derive(Debug)]
pub struct ConstInteger<const N: i32>;
impl<O, const N: i32> Exponent<i32, O> for ConstInteger<N> {
    #[inline(always)]
    fn exponent(_: &O) -> i32 {
        N
    }
}

/// A real exponent, by its bits.
#[derive(Debug)]
pub struct ConstReal<const BITS: u64>;
impl<O, const BITS: u64> Exponent<f64, O> for ConstReal<BITS> {
    #[inline(always)]
    fn exponent(_: &O) -> f64 {
        f64::from_bits(BITS)
    }
}

/// The exponent that operand `N` is.
macro_rules! captured_exponents {
    ($($X:ty: $Variant:ident;)*) => { $(
        impl<'n, O: Nth<N, Item = &'n exec::Number>, const N: usize> Exponent<$X, O> for Capture<N> {
            #[inline(always)]
            fn exponent(operands: &O) -> $X {
                match operands.nth() {
                    exec::Number::$Variant(exponent) => *exponent,
                    other => unreachable!("{other:?} is no exponent of this power"),
                }
            }
        }
    )* };
}
captured_exponents! {
    i32: Whole;
    f64: Real;
}

/// Each element to a whole power.
#[derive(Debug)]
pub struct PowerInteger<A, P>(PhantomData<(A, P)>);
impl<T: Element, O, A: Node<T, O>, P: Exponent<i32, O>> Node<T, O> for PowerInteger<A, P> {
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        let value = A::value(operands, at);
        dispatch!(T::DTYPE, U => same::<U, T>(same::<T, U>(value).power_integer(P::exponent(operands))))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        A::fits(operands)
    }
}

/// Each element to a real power.
#[derive(Debug)]
pub struct PowerReal<A, P>(PhantomData<(A, P)>);
impl<T: Element, O, A: Node<T, O>, P: Exponent<f64, O>> Node<T, O> for PowerReal<A, P> {
    #[inline(always)]
    fn value<const L: usize>(operands: &O, at: &[usize; L]) -> T {
        let value = A::value(operands, at);
        dispatch!(T::DTYPE, U => same::<U, T>(same::<T, U>(value).power_real(P::exponent(operands))))
    }
    #[inline(always)]
    fn fits(operands: &O) -> bool {
        A::fits(operands)
    }
}
