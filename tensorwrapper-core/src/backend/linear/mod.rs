//! Operations of linear algebra on batches of matrices: what all devices share.
//!
//! A device implements [`Algorithms`] for one dense matrix, and [`run`] does the rest:
//!
//! | file | holds |
//! |---|---|
//! | `decomposition.rs` | one call of an operation: which one, with which settings, over which axes |
//! | `matrix.rs`, `magnitude.rs`, `tiles.rs` | a dense matrix, sizes of elements, copies that transpose |
//! | `algorithms.rs`, `failure.rs` | what a device implements, and why it may have no result |
//! | `conventions.rs` | signs, phases and scales of factors, the same on every device |
//! | `factors.rs`, `determinant.rs`, `derived.rs` | every operation of the table, made of the algorithms |
//! | `space.rs`, `gather.rs`, `part.rs` | where matrices lie in strided memory, and how they are read and written |
//! | `gaps.rs`, `divided.rs` | what derivatives of vectors and of functions of a matrix divide by, and where these do not exist |
//! | `cut.rs` | how many singular values are kept |
//! | `faults.rs` | the sentence that says why a matrix of the batch has no result |
//! | `batch.rs`, `scratch.rs` | a batch on the threads of a device, and the memory that it takes |
//!
//! A group of axes is read as one axis of a matrix. The number of singular values that a tolerance keeps is computed while the equation
//! is recorded, because extents depend on it. Rows are scaled if elimination leaves the range of numbers.

mod algorithms;
mod batch;
mod conventions;
mod cut;
mod decomposition;
mod derived;
mod determinant;
mod divided;
pub mod elimination;
mod factors;
mod failure;
mod faults;
mod gaps;
mod gather;
mod magnitude;
mod matrix;
mod part;
mod properties;
mod scratch;
mod space;
mod tiles;

pub use tensorwrapper_notation::syntax::{Elements, Factorisation, Form, Role};

pub use algorithms::{Algorithms, Area, Eigen, Svd};
pub use batch::{Batch, run};
pub use conventions::power as power_of_two;
pub use conventions::{conjugate_phase, epsilon, exponent_at, exponent_of, phase_tolerance, set_phase, times_power};
pub use cut::discarded;
pub use decomposition::Decomposition;
pub use determinant::Determinant;
pub use failure::Failure;
pub use faults::Item;
pub use gaps::EQUAL_WITHIN;
pub use gather::Source;
pub use magnitude::{are_finite, is_finite, largest_of, norm, part_size, real, square};
pub use matrix::Matrix;
pub use properties::is_transposed;
pub use scratch::{One, copies, sizes};
pub use space::{Along, Place, Space, indices};
