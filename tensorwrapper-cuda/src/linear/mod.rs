//! Linear algebra on a device: a library's [routines](crate::routine), and between them kernels that gather matrices from strided
//! memory, set signs and phases, scale, and write results ([`matrices`]).
//!
//! Conventions and error messages are those of all devices (`backend/linear/` of the core). The host reads whether there is a
//! result, so that none of this can be recorded. The host device computes the rest: eigenvalues of matrices that are not
//! Hermitian, least squares, pseudo-inverses, powers, exponentials, norms, traces and ranks.
//!
//! No routine is given what is not finite, and items of a batch behind the first without a result are not computed. The plan
//! knows who computes (`Device::factors_by`), so explanations know too.

mod elimination;
mod factors;
mod kernels;
mod matrices;
mod operation;
mod support;

pub(crate) use kernels::OperationKernels;
use matrices::Matrices;
pub(crate) use operation::Operation;
pub(crate) use support::{has, knows, space};

use crate::driver::Driver;
use tensorwrapper_core::backend::Factorisation;
use tensorwrapper_core::error::Error;

/// Computes the results.
///
/// # Errors
/// [`ErrorKind::LinearAlgebra`](tensorwrapper_core::error::ErrorKind::LinearAlgebra) for the first item of the batch that has no
/// result, and those of the device.
///
/// # Safety
/// The library [has](has) the operation, and the memory is as large as the layouts reach.
pub(crate) unsafe fn run<D: Driver>(operation: &Operation<'_, D>) -> Result<(), Error> {
    let mut matrices = Matrices::new(operation);
    // SAFETY: the caller's promise.
    unsafe {
        match operation.call.kind {
            Factorisation::Cholesky => factors::cholesky(&mut matrices),
            Factorisation::Eigh => factors::eigh(&mut matrices),
            Factorisation::Qr => factors::qr(&mut matrices, false),
            Factorisation::Lq => factors::qr(&mut matrices, true),
            Factorisation::Svd => factors::svd(&mut matrices),
            Factorisation::Lu => elimination::lu(&mut matrices),
            Factorisation::Solve => elimination::solve(&mut matrices),
            Factorisation::Inv => elimination::inverse(&mut matrices),
            Factorisation::TriangularSolve => elimination::triangular(&mut matrices),
            Factorisation::Det | Factorisation::Slogdet => elimination::determinant(&mut matrices),
            _ => unreachable!("the library does not have this operation, which `has` says"),
        }
    }
}
