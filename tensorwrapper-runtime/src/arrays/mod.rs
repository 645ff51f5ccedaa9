//! Methods and operators of whole tensors, by the names that users of arrays know.
//!
//! Equations say more and fuse more; this is for what needs no labels: `&a + &b`, a maximum along an axis, a sorted copy. Everything here
//! computes on the host and at once. Large tensors of the numbers of equations go to the processor's device, which has the kernels and
//! the threads; what is small, and integers and truth values, is computed in plain loops. The floors below must not know of this one.
//!
//! `loops` has the plain loops. `elementwise` combines two tensors element by element, and `operators` gives that the signs of Rust, as
//! `static_operators` does for static tensors and `block_operators` for block tensors. `functions` has the functions of each element.
//! `reductions`, `moments` and `positions` work along axes, `ordering` sorts lines, many of them `side_by_side` by `networks`.
//! `joining` puts tensors together and divides them by the `runs` of their elements, `taking` takes elements by masks and indices,
//! `matrices` has what is known of matrices, and `comparisons` makes truth values, which select.

#[cfg(test)]
mod along_tests;
mod axes;
mod block_operators;
mod comparisons;
mod elementwise;
mod functions;
#[cfg(test)]
mod functions_tests;
mod iteration;
mod joining;
mod loops;
mod matrices;
mod moments;
mod networks;
mod operand;
mod operators;
mod ordering;
mod positions;
#[cfg(feature = "rand")]
mod random;
#[cfg(not(feature = "rand"))]
mod random_missing;
mod reductions;
mod rounding;
mod runs;
mod side_by_side;
mod static_operators;
mod taking;
#[cfg(test)]
mod tests;

pub use axes::Axes;
pub use comparisons::select;
pub use iteration::Lanes;
pub use joining::{concatenate, stack};
pub use operand::{ElementwiseOperand, WholeOperand};

/// Gives [`Tensor`](crate::Tensor) and [`TensorRef`](crate::TensorRef) methods that are functions of a view of all elements.
macro_rules! methods {
    (impl[$T:ident: $($bound:tt)+] { $(
        $(#[$doc:meta])*
        fn $name:ident$([$($G:ident: $GB:path),*])?($($argument:ident: $A:ty),*) -> $R:ty = $function:path;
    )* }) => {
        impl<$T: $($bound)+, S: tensorwrapper_core::shape::Extents> $crate::Tensor<$T, S> { $(
            $(#[$doc])*
            pub fn $name$(<$($G: $GB),*>)?(&self, $($argument: $A),*) -> $R {
                $function(&self.view(), $($argument),*)
            }
        )* }
        impl<$T: $($bound)+, S: tensorwrapper_core::shape::Extents> $crate::TensorRef<'_, $T, S> { $(
            #[doc = concat!("What [`Tensor::", stringify!($name), "`](crate::Tensor::", stringify!($name), ") does, of this view.")]
            #[allow(clippy::missing_errors_doc, reason = "the page of the tensor's method has the errors")]
            pub fn $name$(<$($G: $GB),*>)?(&self, $($argument: $A),*) -> $R {
                $function(self, $($argument),*)
            }
        )* }
    };
}
use methods;
