//! Functions that a program gives, computed together with their derivatives: values with gradients, and fixed points.
//!
//! `gradients` computes a function and its gradient, once or many times; `fixed_point` solves equations `x = f(x, p)`, by `mixing`
//! for the solution and by `gmres` for its derivatives. `vectors` has tensors as vectors of numbers.

mod fixed_point;
mod gmres;
mod gradients;
mod mixing;
#[cfg(test)]
mod tests;
mod vectors;

pub use fixed_point::Tolerance;
pub use gradients::PreparedGrad;
