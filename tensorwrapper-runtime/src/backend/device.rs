//! The trait that every backend implements.

use std::fmt::Debug;

#[cfg(test)]
use num_complex::Complex;

use super::add::add;
use super::{Contraction, LoopNest, Operand, Output, PreparedContraction, Program};
use crate::callback::Callback;
use crate::error::Error;

pub use tensorwrapper_notation::syntax::Factorisation;

/// How the values at one output element are folded into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    /// Sum; over nothing 0.
    Sum,
    /// Product; over nothing 1.
    Product,
    /// Largest (real elements only); over nothing an error. A NaN wins.
    Max,
    /// Smallest (real elements only); over nothing an error. A NaN wins.
    Min,
}

/// Something that computes. All memory that it is handed lies where it can reach it.
///
/// Operands and outputs are already known to lie inside their memory (see [`Operand::new`]),
/// to fit the iteration space, and to be of one element type (outputs of [`Factorisation::Eigh`] excepted, and inputs that a
/// program converts).
/// An output never overlaps an operand. Outputs are overwritten whole, whatever they held.
pub trait Device: Debug + Send + Sync {
    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// The number of threads that it computes with.
    fn threads(&self) -> usize {
        1
    }

    /// What it is: devices of one name and one number of threads prepare and compute the same.
    fn identity(&self) -> (&'static str, usize) {
        (self.name(), self.threads())
    }

    /// Decides how to compute a contraction, to run it on any memory later, any number of times.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) when the environment asks for what is not there.
    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error>;

    /// Prepares a contraction and runs it once.
    ///
    /// # Errors
    /// As [`prepare`](Device::prepare), and [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    #[cfg(test)]
    fn contract(&self, nest: &LoopNest, alpha: Complex<f64>, factors: &[Operand<'_>], output: Output<'_>) -> Result<(), Error> {
        let layouts: Vec<_> = factors.iter().map(|factor| (factor.layout(), factor.conjugate)).collect();
        let contraction = Contraction {
            nest,
            alpha,
            dtype: output.dtype(),
            factors: &layouts,
            output: output.layout(),
            then: None,
            others: &[],
        };
        let memory: Vec<_> = factors.iter().map(Operand::data).collect();
        self.prepare(&contraction)?.run(&memory, output.into_data())
    }

    /// `output[o] = reduction over the reduced axes of program(inputs)`. The program calls `functions` by their positions,
    /// any number of times and in any order; they are of the output's element type.
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::error::ErrorKind::Undefined) for `Max` or `Min` over nothing into something.
    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error>;

    /// `output[o] += part[o]`, of one element type.
    fn add(&self, part: &Operand<'_>, output: Output<'_>) {
        add(part, output);
    }

    /// A batch of matrix decompositions. The nest is `[batch…, n, n]`, inputs are `[batch…, row, column]`, and only their
    /// lower triangles are read.
    ///
    /// * `Cholesky`: A = L·Lᴴ. One input, one output `[batch…, row, k]`, zero above the diagonal.
    /// * `Eigh`: A·x = λ·B·x with xᴴ·B·x = 1; B = 1 where only A is given. Outputs: eigenvalues, ascending, of the *real*
    ///   type `[batch…, n]`, eigenvectors `[batch…, row, n]`.
    ///
    /// The strides of an output count its own axes.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`](crate::error::ErrorKind::LinearAlgebra), naming the batch item, when a matrix is
    /// not positive definite, holds NaN or infinity, or an iteration does not converge.
    fn factorise(
        &self,
        nest: &LoopNest,
        factorisation: Factorisation,
        inputs: &[Operand<'_>],
        outputs: Vec<Output<'_>>,
    ) -> Result<(), Error>;
}
