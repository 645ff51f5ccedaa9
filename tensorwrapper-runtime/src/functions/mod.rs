//! Functions that a program gives, computed together with their derivatives: values with gradients, fixed points, and many steps one
//! after the other.
//!
//! `gradients` computes a function and its gradient, once or many times; `fixed_point` solves equations `x = f(x, p)`, by `mixing`
//! for the solution and by `gmres` for its derivatives; `steps` repeats a step, and goes back with the few states that `checkpoints`
//! keeps. `planned` plans values over stand-ins, and `vectors` has tensors as vectors of numbers.

mod checkpoints;
mod fixed_point;
mod gmres;
mod gradients;
mod mixing;
mod planned;
mod steps;
#[cfg(test)]
mod tests;
mod vectors;

pub use fixed_point::Tolerance;
pub use gradients::PreparedGrad;
pub use steps::{PreparedStep, Steps};
