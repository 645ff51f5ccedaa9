//! Derivatives of recorded values, which are recorded values themselves: a value and its derivatives share passes, plan and printer.
//!
//! `normal` writes an equation as a sum of terms of element-wise work, in which `squares` replaces squares of absolute values, norms and
//! roots. `linear` has the derivative of that work, once for both directions; `reverse` and `forward` walk a recording by it. `rules` has
//! the operations of linear algebra, `fixed` those of solutions of equations. `batched` makes the same values for many directions at once.
//! `factor` replaces the derivatives that stand in equations, `projected` gives gradients by block tensors their structure. `build` makes
//! values.
//! Knows nothing of lowering, plans and devices.
//!
//! For a real number L the gradient by a complex variable z is ∂L/∂Re z + i·∂L/∂Im z, so that `z - step * gradient` descends. JAX
//! returns the conjugate of it, PyTorch the same.
//!
//! Sources: S. Laue, M. Mitterreiter, J. Giesen, "Computing Higher Order Derivatives of Matrix and Tensor Expressions", NeurIPS
//! (2018); those of `rules`.

mod batched;
mod build;
mod entry_points;
mod factor;
mod fixed;
mod forward;
mod linear;
mod normal;
mod order;
mod product;
mod projected;
mod reverse;
mod rules;
mod spectral;
mod squares;
mod symmetric;
#[cfg(test)]
mod tests;
mod variables;

pub(crate) use build::added;
pub(crate) use entry_points::{pulled_back, pushed_forward};
pub(crate) use factor::without_derivatives;
pub(crate) use fixed::solved;
pub(crate) use projected::Projection;
pub use variables::{Directions, NumberShape, OrZero, RealNumber, VariableStruct, Variables, or_zero};
