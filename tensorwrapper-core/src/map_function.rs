//! The compile-time check of the function of a `map(f; X, Y)`: its arguments and result, and whether threads may share it.
//!
//! A function that passes becomes a [`Callback`]. This file must not know what calls that.

use std::marker::PhantomData;

use crate::callback::{
    Arity, Callback, Function1, Function2, Function3, Function4, Function5, Function6, Function7, Function8, Typed, by_arity,
};
use crate::element::Element;

/// A function that is to be checked for elements of type `T`. Two method lookups decide, not trait bounds: for a function that does not
/// meet a bound, rustc reports an error of its own, at the place of the macro.
#[derive(Debug)]
pub struct Candidate<'a, T, F>(&'a F, PhantomData<T>);

/// Starts the check of a function for an equation over elements of type `T`.
pub fn candidate<T, F>(function: &F, _: PhantomData<T>) -> Candidate<'_, T, F> {
    Candidate(function, PhantomData)
}

impl<'a, T, F: Sync> Candidate<'a, T, F> {
    /// Found first: several threads may call the function.
    pub fn __share(self) -> Sharing<'a, T, F> {
        Sharing(self.0, PhantomData)
    }
}

/// Found second, if the first lookup fails: threads cannot share the function.
pub trait RefuseSharing<T>: Sized {
    #[allow(missing_docs)]
    fn __share(self) -> Unshared<T> {
        Unshared(PhantomData)
    }
}
impl<T, F> RefuseSharing<T> for Candidate<'_, T, F> {}

/// A function that threads can share.
#[derive(Debug)]
pub struct Sharing<'a, T, F>(&'a F, PhantomData<T>);

/// The outcome for a function that threads cannot share.
#[derive(Debug)]
pub struct Unshared<T>(PhantomData<T>);

/// A function that several threads may call at once.
#[diagnostic::on_unimplemented(
    message = "`map` calls its function from several threads, and this one cannot be shared by them",
    label = "not `Sync`",
    note = "what the function refers to must be `Sync`: not a `Cell`, a `RefCell` or an `Rc`; in generic code, `F: Sync`"
)]
pub trait Shared<M> {
    /// Checks at compile time that the function is shared.
    fn check(self, _: M)
    where
        Self: Sized,
    {
    }
}
#[diagnostic::do_not_recommend]
impl<F: Sync, M> Shared<M> for PhantomData<F> {}

/// The type of a function that a `map` calls.
pub fn called<F>(_: &F) -> PhantomData<F> {
    PhantomData
}

/// Passed as itself to checks. rustc proposes an unmet bound to the user's generics unless it cannot be written, and a bound with the
/// type of this function cannot be.
pub fn unwritten() {}

/// The outcome for a function with other arguments or another result.
#[derive(Debug)]
pub struct Refused;

/// The outcome for a function that has been refused already, so that no second error is reported.
#[derive(Debug)]
pub struct Excused;

/// A function of `N` elements of type `T`.
#[diagnostic::on_unimplemented(
    message = "the function of this `map` has to take {N} `{T}` and give one",
    label = "does not take {N} `{T}` and give one",
    note = "`map(f; X, Y)` calls `f` with one element of each of its arguments; the result is such an element too; there are no functions of integers"
)]
pub trait MapFunction<T, const N: usize>: Sized {
    /// Checks at compile time that the function fits.
    fn check(resolved: Resolved<Self, T>) -> Resolved<Self, T> {
        resolved
    }
}

/// A function that may be called repeatedly and by several threads at once. Method lookup does not know yet which closures change what
/// they capture.
#[diagnostic::on_unimplemented(
    message = "`map` calls its function from several threads, and this one changes or consumes what it captures",
    label = "not an `Fn`",
    note = "what the function of a `map` counts or collects stands in an atomic number or a `Mutex`"
)]
pub trait Repeated<T, const N: usize>: Sized {
    /// The function, erased.
    fn callback<'a>(resolved: Resolved<Self, T>) -> Callback<'a>
    where
        Self: 'a;
}

/// The outcome of a lookup, and the element type that it was made for. Both types are settled here, so that an error message can name
/// them.
#[derive(Debug)]
pub struct Resolved<C, T>(C, PhantomData<T>);

/// The outcome for a function of `N` elements.
#[derive(Debug)]
pub struct Accepted<'a, F, const N: usize>(&'a F);

#[diagnostic::do_not_recommend]
impl<T: Element, F, const N: usize> MapFunction<T, N> for Accepted<'_, F, N> {}

#[diagnostic::do_not_recommend]
impl<T, const N: usize> MapFunction<T, N> for Excused {}

macro_rules! refused {
    ($($Outcome:ident)*) => { $(
        #[diagnostic::do_not_recommend]
        impl<T, const N: usize> Repeated<T, N> for $Outcome {
            fn callback<'a>(_: Resolved<Self, T>) -> Callback<'a> {
                unreachable!("the compiler has refused this function")
            }
        }
    )* };
}
refused! { Refused Excused }

macro_rules! checks {
    ($($count:literal $Function:ident $Variant:ident $callback:ident $lookup:ident ($($a:ident $T:ident),*);)*) => {
        $(
            /// A function of this number of elements of one type, with its own type erased.
            pub fn $callback<T: Element, F: $Function<T> + Sync>(function: &F) -> Callback<'_> {
                T::erase_function(Typed(Arity::$Variant(function)))
            }

            impl<'a, T: Element, F: FnOnce($($T),*) -> T> Sharing<'a, T, F> {
                /// Found first: the function has the right arguments and result. Whether it may be called repeatedly is checked later.
                pub fn $lookup(self) -> Resolved<Accepted<'a, F, $count>, T> {
                    Resolved(Accepted(self.0), PhantomData)
                }
            }

            #[diagnostic::do_not_recommend]
            impl<T: Element, F: $Function<T> + Sync> Repeated<T, $count> for Accepted<'_, F, $count> {
                fn callback<'a>(resolved: Resolved<Self, T>) -> Callback<'a>
                where
                    Self: 'a,
                {
                    $callback::<T, F>(resolved.0.0)
                }
            }
        )*

        /// Found second, if the first lookup fails: the function does not fit.
        pub trait RefuseFunction<T>: Sized {
            $(
                #[allow(missing_docs)]
                fn $lookup(self) -> Resolved<Refused, T> {
                    Resolved(Refused, PhantomData)
                }
            )*
        }
        impl<T, F> RefuseFunction<T> for Sharing<'_, T, F> {}
        impl<T> Unshared<T> {
            $(
                /// The function has been refused already, because threads cannot share it.
                pub fn $lookup(self) -> Resolved<Excused, T> {
                    Resolved(Excused, PhantomData)
                }
            )*
        }
    };
}
by_arity!(checks);
