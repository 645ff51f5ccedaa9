//! The trait that every backend implements.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::add::add;
use super::contraction::{Contraction, KernelContext, PreparedContraction};
use super::linear;
use super::linear::Decomposition;
use super::operand::{LoopNest, Operand, Output};
use super::program::Program;
use super::reduce::Reduction;
use super::resident::Resident;
use crate::callback::Callback;
use crate::element::Dtype;
use crate::error::Error;
use crate::layout::Strided;

/// Something that computes, on the memory of the host.
///
/// Callers guarantee that operands and outputs lie inside their memory (see [`Operand::new`]), fit the iteration space, and have one
/// element type; outputs of linear algebra and inputs that a program converts may have another. An output never overlaps an operand.
/// Every element of an output is written, and what it held before is not read.
pub trait Device: KernelContext + Debug + Send + Sync {
    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// The number of threads that it computes with.
    fn threads(&self) -> usize {
        1
    }

    /// The device as one with memory of its own, if it is.
    fn resident(&self) -> Option<&dyn Resident> {
        None
    }

    /// What contractions that were prepared for the device need of it when they run, in a type that only the device knows.
    fn own(&self) -> Option<&dyn Any> {
        None
    }

    /// The same device on so many threads, where it computes on the processor's.
    fn with_threads(&self, _threads: usize) -> Option<std::sync::Arc<dyn Device>> {
        None
    }

    /// The same device with products in single precision from fewer bits, or without, where it has the choice.
    fn with_tf32(&self, _tf32: bool) -> Option<Arc<dyn Device>> {
        None
    }

    /// The same device with kernels chosen by measurement, or by rule alone, if it has the choice.
    fn with_measuring(&self, _measures: bool) -> Option<Arc<dyn Device>> {
        None
    }

    /// A description for people.
    fn described(&self) -> String {
        let (name, threads) = self.identity();
        let threads = if threads == 1 { "1 thread".to_string() } else { format!("{threads} threads") };
        format!("{name}, {threads}")
    }

    /// What tells devices apart: those of one name and one number of threads prepare and compute the same.
    fn identity(&self) -> (&'static str, usize) {
        (self.name(), self.threads())
    }

    /// Decides how to compute a contraction, which is then run on any memory, any number of times.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) when the environment asks for a kernel that this machine cannot run.
    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error>;

    /// `output[o] = reduction over the reduced axes of program(inputs)`. The program calls `functions` by their positions,
    /// any number of times and in any order; they are of the output's element type.
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::error::ErrorKind::Undefined) for `Max` or `Min` over nothing, if there is an output element.
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

    /// An operation of linear algebra on a batch of matrices. Operands have the axes of the batch, then those of their roles
    /// in the order of the operation's row in the table; see [`Decomposition`].
    ///
    /// * `Cholesky`: A = L·Lᴴ, L zero above its diagonal, which is positive. Of A the lower triangle is read.
    /// * `Eigh`: A·x = λ·B·x with xᴴ·B·x = 1, λ ascending; B = 1 where only A is given. Lower triangles are read.
    /// * `Eig`: A·x = λ·x with xᴴ·x = 1, λ by real, then by imaginary part.
    /// * `Qr`, `Lq`: A = Q·R and A = L·Q, the triangle's diagonal not negative.
    /// * `Svd`: A = U·diag(s)·V, s descending. Where it is cut, the last results are the discarded weight and the number of
    ///   singular values that are kept; outputs have room for more than those, and it is filled as well.
    /// * `Lu`: A = P·L·U by partial pivoting.
    /// * `Solve`, `TriangularSolve`, `Lstsq`: A·X = B; of a triangle the other elements are not read.
    /// * `Inv`, `Pinv`, `Matpow`, `Expm`, `Det`, `Slogdet`, `Norm`, `Trace`, `Rank`: what their names say.
    ///
    /// In each vector of `Eigh`, `Eig` and of U in `Svd` the largest component is real and positive.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`](crate::error::ErrorKind::LinearAlgebra), naming the batch item, when a matrix has no such
    /// factors, holds NaN or infinity, or an iteration does not converge.
    fn factorise(&self, call: &Decomposition, inputs: &[Operand<'_>], outputs: Vec<Output<'_>>) -> Result<(), Error>;

    /// The library that computes an operation of linear algebra in the device's own memory, for these layouts of arguments and results;
    /// `None` if the host does it.
    fn factors_by(&self, _: &Decomposition, _: Dtype, _arguments: &[&Strided], _results: &[&Strided]) -> Option<&'static str> {
        None
    }

    /// Bytes of work space that [`factorise`](Device::factorise) needs for so many operands of an element type. The extents are those of the
    /// batch and of all roles.
    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        linear::copies(call, dtype, extents, operands)
    }
}

/// Every device is what its kernels are handed when they run.
impl<D: Device + ?Sized> KernelContext for D {
    fn device_state(&self) -> Option<&dyn Any> {
        self.own()
    }

    fn map_elements(&self, nest: &LoopNest, program: &Program, inputs: &[Operand<'_>], output: Output<'_>) -> Result<(), Error> {
        self.map(nest, program, Reduction::Sum, &[], inputs, output)
    }
}
