//! Which operations of linear algebra a library computes, and how much memory they take.

use crate::routine::MAX_JACOBI_ORDER;
use tensorwrapper_core::backend::{Decomposition, Factorisation, Role};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::layout::Strided;

/// Whether the library has this kind of operation.
pub(crate) fn knows(kind: Factorisation) -> bool {
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
        | Factorisation::Rank
        | Factorisation::Gaps
        | Factorisation::Distinct
        | Factorisation::Uniform
        | Factorisation::Divided
        | Factorisation::Adjugate => false,
    }
}

/// Whether the library computes an operation on arguments and results with these layouts.
pub(crate) fn has(call: &Decomposition, dtype: Dtype, arguments: &[&Strided], results: &[&Strided]) -> bool {
    let mut layouts = arguments.iter().chain(results);
    // It counts in 32 bits, and does not take empty matrices.
    if !knows(call.kind) || !layouts.all(|layout| !layout.is_empty() && layout.len() < 1 << 31) {
        return false;
    }
    // LAPACK's routine compares complex pivots by the sum of the absolute values of their parts, the reference by their modulus,
    // so that factors could differ from the host's. What the library does has not been tested on a GPU.
    if call.kind == Factorisation::Lu && dtype.is_complex() {
        return false;
    }
    let (rows, columns) = size(call, arguments[0], call.form().arguments[0]);
    if !is_counted(call.kind, rows, columns) {
        return false;
    }
    // The library does not fill a result that has room for more singular values than there are.
    let items: usize = arguments[0].extents()[..call.batch].iter().product();
    call.kind != Factorisation::Svd || results.get(1).is_none_or(|values| values.len() <= items * rows.min(columns))
}

/// Whether the library's internal counts of 32 bits are large enough for one matrix. For singular values, it refuses a matrix
/// where the square of the larger side does not fit, and is silently wrong where six times the number of elements does not
/// (cupy#7611). For eigenvalues, its work space is a multiple of the matrix, which has failed near an order of 25 000.
fn is_counted(kind: Factorisation, rows: usize, columns: usize) -> bool {
    let (most, least) = (rows.max(columns) as u128, rows.min(columns) as u128);
    let largest = match kind {
        Factorisation::Svd => (most * most).max(6 * most * least),
        Factorisation::Eigh => 4 * most * most,
        _ => 0,
    };
    largest < 1 << 31
}

/// Whether the singular vectors of a batch are computed by Jacobi rotations, with all matrices in one call. U and V are square
/// then, which is not worth the memory where one side is much longer than the other and square factors are not asked for.
pub(super) fn by_rotations(items: usize, rows: usize, columns: usize, full: bool) -> bool {
    let (most, least) = (rows.max(columns), rows.min(columns));
    items > 1 && most <= MAX_JACOBI_ORDER && (full || most <= 2 * least)
}

/// Bytes of the matrices that are gathered for the library, by the extents of the batch and of all roles.
pub(crate) fn space(call: &Decomposition, dtype: Dtype, extents: &[usize], operands: usize) -> usize {
    let form = call.form();
    let roles = form.arguments.iter().take(operands).copied().chain(form.results.iter().map(|result| result.roles));
    let points = |roles: &[Role]| call.labels(roles).iter().map(|&label| extents[label]).product::<usize>();
    // Factors overwrite their matrix, or have memory of the same size.
    let operands_twice = 2 * roles.map(points).sum::<usize>();
    let [items, all_rows, all_columns] = [&[][..], &[Role::Row], &[Role::Column]].map(points);
    let (rows, columns) = (all_rows / items.max(1), all_columns / items.max(1));
    let vectors = match call.kind {
        Factorisation::Svd if by_rotations(items, rows, columns, call.full) => rows * rows + columns * columns,
        // The larger of both factors is at most as large as the matrix, which was counted; the other one is square.
        Factorisation::Svd => rows.min(columns).pow(2),
        _ => 0,
    };
    (operands_twice + items * vectors) * dtype.size()
}

/// The rows and columns of an operand's matrices.
pub(super) fn size(call: &Decomposition, layout: &Strided, roles: &[Role]) -> (usize, usize) {
    let mut extents = layout.extents()[call.batch..].iter();
    let mut group = |role: Option<&Role>| {
        let count = role.map_or(0, |&role| call.roles[role as usize]);
        extents.by_ref().take(count).product::<usize>()
    };
    let rows = group(roles.first());
    (rows, group(roles.get(1)))
}
