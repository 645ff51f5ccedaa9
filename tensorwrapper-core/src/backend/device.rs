//! The trait that every backend implements.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use tensorwrapper_notation::sentence::counted;

use super::add::add;
use super::contraction::{Contraction, KernelContext, PreparedContraction};
use super::element_wise::{ElementWise, RunMap};
use super::linear;
use super::linear::Decomposition;
use super::operand::{LoopNest, Operand, Output};
use super::place::FindPlaces;
use super::program::Program;
use super::reduce::Reduction;
use super::resident::Resident;
use super::sum::{BufferedSum, PreparedSum};
use crate::callback::Callback;
use crate::element::Dtype;
use crate::error::Error;
use crate::layout::Strided;

/// A device: it computes on the memory of the host.
///
/// Callers guarantee that operands and outputs lie inside their memory (see [`Operand::new`]), fit the iteration space, and have one
/// element type. Outputs of linear algebra may have another element type, and so may inputs that a program converts. An output never
/// overlaps an operand. The device writes every element of an output and does not read its previous contents.
pub trait Device: KernelContext + Debug + Send + Sync {
    /// The backend's name, as in the tests' device list.
    fn name(&self) -> &'static str;

    /// The number of threads that it computes with.
    fn threads(&self) -> usize {
        1
    }

    /// Whether it is the definition of every result. Products of block tensors are then computed over dense tensors by this library's
    /// reference device.
    fn is_definition(&self) -> bool {
        false
    }

    /// The device as a [`Resident`] one, if it has memory of its own.
    fn resident(&self) -> Option<&dyn Resident> {
        None
    }

    /// The state that contractions prepared for the device need when they run, in a type that only the device knows.
    fn own(&self) -> Option<&dyn Any> {
        None
    }

    /// The same device with this number of threads; `None` if it does not compute on the processor's threads.
    fn with_threads(&self, _threads: usize) -> Option<std::sync::Arc<dyn Device>> {
        None
    }

    /// The same device with or without TF32, products in single precision from fewer bits; `None` if the device has no such setting.
    fn with_tf32(&self, _tf32: bool) -> Option<Arc<dyn Device>> {
        None
    }

    /// The same device with kernels chosen by measurement, or else by rule alone; `None` if the device has no such setting.
    fn with_measuring(&self, _measures: bool) -> Option<Arc<dyn Device>> {
        None
    }

    /// A description for people.
    fn described(&self) -> String {
        let (name, threads) = self.identity();
        format!("{name}, {}", counted(threads, "thread"))
    }

    /// Identifies the device; by default its name and number of threads. Devices with the same identity prepare and compute the same.
    fn identity(&self) -> (&'static str, usize) {
        (self.name(), self.threads())
    }

    /// Decides how to compute a contraction. The result can be run any number of times, on any memory.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`](crate::error::ErrorKind::Unsupported) when the environment asks for a kernel that this machine cannot
    /// run.
    fn prepare(&self, contraction: &Contraction<'_>) -> Result<PreparedContraction, Error>;

    /// Decides how to compute sums of products of two factors that have the extents and strides of this contraction, which has no epilogue.
    /// Its layouts begin where a run says.
    ///
    /// # Errors
    /// As [`prepare`](Device::prepare).
    ///
    /// # Panics
    /// When it has another number of factors than two, or an epilogue.
    fn prepare_sum(&self, contraction: &Contraction<'_>) -> Result<PreparedSum, Error> {
        let sum = BufferedSum::new(contraction, |product| self.prepare(product))?;
        Ok(PreparedSum::new(contraction, Box::new(sum)))
    }

    /// `output[o] = reduction over the reduced axes of program(inputs)`. The program calls `functions` by their positions,
    /// any number of times and in any order; they are of the output's element type.
    ///
    /// # Errors
    /// [`ErrorKind::Undefined`](crate::error::ErrorKind::Undefined) for `Max` or `Min` over no values, if the output has an element.
    fn map(
        &self,
        nest: &LoopNest,
        program: &Program,
        reduction: Reduction,
        functions: &[Callback<'_>],
        inputs: &[Operand<'_>],
        output: Output<'_>,
    ) -> Result<(), Error>;

    /// Prepares an element-wise program without functions for runs whose operands have these layouts. A device may always return nothing:
    /// then runs call [`map`](Device::map).
    fn prepare_map(&self, _: &ElementWise<'_>) -> Option<Box<dyn RunMap>> {
        None
    }

    /// What finds places of extremes for the device in one pass, if it has that and computes in the host's memory. `argmax` and its like
    /// are two reductions on other devices.
    fn places(&self) -> Option<&dyn FindPlaces> {
        None
    }

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
    /// * `Svd`: A = U·diag(s)·V, s descending. With truncation, the last results are the discarded weight and the number of singular
    ///   values that are kept. Outputs have room for more singular values than are kept, and all of it is filled.
    /// * `Lu`: A = P·L·U by partial pivoting.
    /// * `Solve`, `TriangularSolve`, `Lstsq`: A·X = B. `TriangularSolve` does not read elements outside of the triangle.
    /// * `Inv`, `Pinv`, `Matpow`, `Expm`, `Det`, `Slogdet`, `Norm`, `Trace`, `Rank`: what their names say.
    ///
    /// In each eigenvector of `Eigh` and `Eig`, and in each column of U of `Svd`, the largest component is real and positive.
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

    /// Bytes of work space that [`factorise`](Device::factorise) needs for this number of operands of this element type. The extents are
    /// those of the batch and of all roles.
    fn factor_space(&self, call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
        linear::copies(call, dtype, extents, operands)
    }
}

/// Kernels get the device that they run on as a [`KernelContext`].
impl<D: Device + ?Sized> KernelContext for D {
    fn device_state(&self) -> Option<&dyn Any> {
        self.own()
    }

    fn map_elements(&self, nest: &LoopNest, program: &Program, inputs: &[Operand<'_>], output: Output<'_>) -> Result<(), Error> {
        self.map(nest, program, Reduction::Sum, &[], inputs, output)
    }
}
