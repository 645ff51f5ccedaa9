//! The form of an operand: whether it is dense, a block tensor or holds truth values, which decides the type of a result.

use std::marker::PhantomData;
use std::sync::Arc;

use super::integers::Integers;
use super::truth::truths;
use crate::tensor::{AnyBlocks, Blocks, Tensor};
use tensorwrapper_core::Numeric;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::shape::Extents;
use tensorwrapper_core::storage::{Buffer, Owned};

/// How the elements of a tensor are kept: all of them, or those of some blocks. A result of an equation is in blocks where an operand is.
pub trait Form: sealed::Sealed + 'static {
    /// The form of a result of operands in this form and in another one.
    type With<F: Form>: Form;
    /// A computed result.
    type Computed<T: Numeric, S: Extents>;
    /// A computed result without axes, as a plain value.
    type Number<T: Numeric>;
    /// The plain value of a number that a run has computed.
    #[doc(hidden)]
    fn number<T: Numeric>(computed: T) -> Self::Number<T>;
    /// The next result of a run, which has this form.
    #[doc(hidden)]
    fn next<T: Numeric, S: Extents>(results: &mut dyn NextResult) -> Self::Computed<T, S>;
}

/// The results of a run, one by one.
#[doc(hidden)]
pub trait NextResult {
    /// A dense one. Its layout is lent: moving it would cost a small equation more than its arithmetic.
    fn next_dense(&mut self) -> (Buffer, &Strided);
    /// One in blocks.
    fn next_blocks(&mut self) -> AnyBlocks;
    /// A dense one of integers.
    fn next_integers(&mut self) -> Arc<Integers>;
}

/// Makes a tensor of the next result, which is dense.
fn next_tensor<T: Numeric, R>(results: &mut dyn NextResult, make: impl FnOnce(Owned<T>, &Strided) -> R) -> R {
    if T::IS_INTEGER {
        let (elements, layout) = Integers::into_typed(results.next_integers());
        return make(elements, &layout);
    }
    let (elements, layout) = results.next_dense();
    let elements = T::of_buffer(elements);
    make(elements.unwrap_or_else(|_| unreachable!("a result of {} was recorded", T::NAME)), layout)
}

/// All elements: the form of [`Tensor`], of views and of recorded results.
#[derive(Debug)]
pub enum Whole {}

/// Truth values: the form of a comparison's result and of tensors of `bool`. In a run they are 1 and 0.
#[derive(Debug)]
pub enum Truth {}

/// Blocks of elements: the form of [`Blocks`].
#[derive(Debug)]
pub enum InBlocks {}

/// A form whose tensors may have their indices in layers.
#[diagnostic::on_unimplemented(
    message = "a dense tensor has one layer of indices, but `;` asks for more",
    label = "not a block tensor",
    note = "indices are separated by `,`; layers are those of a `Blocks`, as `Blocks::nested` makes them"
)]
pub trait InLayers: Form {
    /// For the compile-time checks: an operand in layers is in blocks.
    fn check(_: PhantomData<Self>)
    where
        Self: Sized,
    {
    }
}

#[diagnostic::do_not_recommend]
impl InLayers for InBlocks {}

impl Form for Whole {
    type With<F: Form> = F;
    type Computed<T: Numeric, S: Extents> = Tensor<T, S>;
    type Number<T: Numeric> = T;
    fn number<T: Numeric>(computed: T) -> T {
        computed
    }
    fn next<T: Numeric, S: Extents>(results: &mut dyn NextResult) -> Tensor<T, S> {
        next_tensor(results, |elements: Owned<T>, layout| Tensor::from_parts(elements, layout.clone()))
    }
}

impl Form for Truth {
    type With<F: Form> = F;
    type Computed<T: Numeric, S: Extents> = Tensor<bool, S>;
    type Number<T: Numeric> = bool;
    fn number<T: Numeric>(computed: T) -> bool {
        computed != T::NOTHING
    }
    fn next<T: Numeric, S: Extents>(results: &mut dyn NextResult) -> Tensor<bool, S> {
        next_tensor(results, |elements: Owned<T>, layout| Tensor::from_parts(truths(&elements), layout.clone()))
    }
}

impl Form for InBlocks {
    type With<F: Form> = InBlocks;
    type Computed<T: Numeric, S: Extents> = Blocks<T, S>;
    type Number<T: Numeric> = T;
    fn number<T: Numeric>(computed: T) -> T {
        computed
    }
    fn next<T: Numeric, S: Extents>(results: &mut dyn NextResult) -> Blocks<T, S> {
        Blocks::of_any(results.next_blocks())
    }
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Whole {}
    impl Sealed for super::Truth {}
    impl Sealed for super::InBlocks {}
}
