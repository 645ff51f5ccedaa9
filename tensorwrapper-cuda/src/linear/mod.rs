//! Linear algebra on a device: a library's routines ([`routine`]), and between them kernels that read matrices out of strided memory, set
//! signs and phases, undo scales, and write results ([`matrices`]).
//!
//! Conventions and sentences are those of all devices (`backend/linear/`). Whether there is a result the host reads, so that nothing
//! of this is recorded. What is not here the processor computes: eigenvalues of matrices that are not Hermitian, least squares,
//! pseudo-inverses, powers, exponentials, norms, traces and ranks.

mod elimination;
mod factors;
mod matrices;
mod routine;

pub(super) use matrices::Kept;
use matrices::Matrices;
pub(super) use routine::{Call, Columns, Divisor, JACOBI, Routine, TOGETHER, WIDE};

use super::driver::{Address, Driver};
use super::text::Route;
use std::sync::Arc;
use tensorwrapper_core::backend::linear::{Item, indices};
use tensorwrapper_core::backend::{Decomposition, Factorisation, Role, Seen};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Whether a library has an operation.
pub(super) fn knows(kind: Factorisation) -> bool {
    match kind {
        Factorisation::Cholesky
        | Factorisation::Eigh
        | Factorisation::Qr
        | Factorisation::Lq
        | Factorisation::Svd
        | Factorisation::Lu
        | Factorisation::Solve
        | Factorisation::TriangularSolve
        | Factorisation::Inv
        | Factorisation::Det
        | Factorisation::Slogdet => true,
        Factorisation::Eig
        | Factorisation::Lstsq
        | Factorisation::Pinv
        | Factorisation::Matpow
        | Factorisation::Expm
        | Factorisation::Norm
        | Factorisation::Trace
        | Factorisation::Rank => false,
    }
}

/// Whether a library computes an operation over arguments and results that lie like this.
pub(super) fn has(call: &Decomposition, dtype: Dtype, arguments: &[&Strided], results: &[&Strided]) -> bool {
    let mut layouts = arguments.iter().chain(results);
    // It counts in 32 bits, and knows nothing of matrices without elements.
    if !knows(call.kind) || !layouts.all(|layout| !layout.is_empty() && layout.len() < 1 << 31) {
        return false;
    }
    // Among complex numbers LAPACK's routine chooses pivots by the sum of their parts, the reference by their modulus: factors may
    // differ from the host's, and nobody has looked on a GPU.
    if call.kind == Factorisation::Lu && dtype.is_complex() {
        return false;
    }
    let (rows, columns) = size(call, arguments[0], call.form().arguments[0]);
    if !is_counted(call.kind, rows, columns) {
        return false;
    }
    // More singular values than there are would be zeros.
    let items: usize = arguments[0].extents()[..call.batch].iter().product();
    call.kind != Factorisation::Svd || results.get(1).is_none_or(|values| values.len() <= items * rows.min(columns))
}

/// Whether the library's own counts of 32 bits hold what it computes of one matrix. Of singular values it refuses the square of the
/// larger side whatever it is asked for, and is wrong without a word from six times the number of elements on (cupy#7611); of
/// eigenvalues its work space is some multiple of the matrix, which has failed near an order of 25 000.
fn is_counted(kind: Factorisation, rows: usize, columns: usize) -> bool {
    let (most, least) = (rows.max(columns) as u128, rows.min(columns) as u128);
    let largest = match kind {
        Factorisation::Svd => (most * most).max(6 * most * least),
        Factorisation::Eigh => 4 * most * most,
        _ => 0,
    };
    largest < 1 << 31
}

/// Whether singular vectors of a batch are found by rotations, all matrices in one call. U and V are square then, so that this is not
/// worth its memory where one side is much longer than the other and nobody asks for square factors.
fn by_rotations(items: usize, rows: usize, columns: usize, full: bool) -> bool {
    let (most, least) = (rows.max(columns), rows.min(columns));
    items > 1 && most <= JACOBI && (full || most <= 2 * least)
}

/// Bytes of the matrices that stand between memory and a library, by the extents of the batch and of all roles.
pub(super) fn space(call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
    let form = call.form();
    let roles = form.arguments.iter().take(operands).copied().chain(form.results.iter().map(|result| result.roles));
    let points = |roles: &[Role]| call.labels(roles).iter().map(|&label| extents[label]).product::<usize>();
    // Factors are where their matrix was, or beside it.
    let beside = 2 * roles.map(points).sum::<usize>();
    let [items, all_rows, all_columns] = [&[][..], &[Role::Row], &[Role::Column]].map(points);
    let (rows, columns) = (all_rows / items.max(1), all_columns / items.max(1));
    let vectors = match call.kind {
        Factorisation::Svd if by_rotations(items, rows, columns, call.full) => rows * rows + columns * columns,
        // The longer of both factors, uncut, may be as large as the matrix, which was counted; the other is square.
        Factorisation::Svd => rows.min(columns).pow(2),
        _ => 0,
    };
    (beside + items * vectors) * dtype.size()
}

/// Rows and columns of the matrices of an operand.
fn size(call: &Decomposition, layout: &Strided, roles: &[Role]) -> (usize, usize) {
    let mut extents = layout.extents()[call.batch..].iter();
    let mut group = |role: Option<&Role>| {
        let count = role.map_or(0, |&role| call.roles[role as usize]);
        extents.by_ref().take(count).product::<usize>()
    };
    let rows = group(roles.first());
    (rows, group(roles.get(1)))
}

/// An operation on a device.
pub(super) struct Operation<'o, D: Driver> {
    pub(super) driver: &'o Arc<D>,
    pub(super) route: Route,
    pub(super) call: &'o Decomposition,
    /// Arguments and results, with the addresses where their memories begin.
    pub(super) inputs: &'o [(Seen<'o>, Address)],
    pub(super) outputs: &'o [(Seen<'o>, Address)],
    pub(super) kept: &'o Kept,
}

/// The first item of a batch with an argument that is not finite, and which.
type NotFinite = Option<(usize, usize)>;

impl<D: Driver> Operation<'_, D> {
    /// Computes the results.
    ///
    /// # Errors
    /// [`ErrorKind::LinearAlgebra`](tensorwrapper_core::error::ErrorKind::LinearAlgebra) for the first item of the batch that has none; what the device
    /// reports.
    ///
    /// # Safety
    /// The library [has](has) it, and there is memory for all that the layouts lead to.
    pub(super) unsafe fn run(&self) -> Result<(), Error> {
        let mut matrices = Matrices::new(self);
        // SAFETY: the caller's promise.
        unsafe {
            match self.call.kind {
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
                _ => unreachable!("the library has no such operation, and nobody asks for it"),
            }
        }
    }

    /// The sentence for an item of the batch.
    fn wrong(&self, item: usize, say: impl FnOnce(&Item<'_>) -> Error) -> Error {
        let extents = &self.inputs[0].0.layout.extents()[..self.call.batch];
        let roles = self.call.form().arguments;
        let sizes: Vec<_> = self.inputs.iter().zip(roles).map(|((seen, _), roles)| size(self.call, seen.layout, roles)).collect();
        say(&Item { call: self.call, index: &indices(extents, item), sizes: &sizes })
    }
}
