//! Derivatives of the operations of linear algebra. Each rule is written in the language itself.
//!
//! Rules see matrices: the labels of each role are one axis, behind the axes of the batch. In the texts `..` stands for the labels of
//! the batch. In the comments, G is the weight of a result and dA the change of an argument.
//!
//! Sources: M. B. Giles, "An extended collection of matrix derivative results for forward and reverse mode automatic
//! differentiation", Oxford NA-08/01 (2008); J. Townsend, "Differentiating the singular value decomposition" (2016); Z.-Q. Wan,
//! S.-X. Zhang, arXiv:1909.02659, for the phases of complex singular vectors; I. Murray, arXiv:1602.07527, for Cholesky factors.

mod determinant;
mod divided;
mod eigen;
mod elimination;
mod matrix;
mod parts;
mod phases;
mod series;
mod singular;
mod solve;
mod text;
mod triangular;

use std::sync::Arc;

use tensorwrapper_notation::syntax::Factorisation;

use crate::expr::Factorised;
use matrix::Call;
pub(super) use matrix::{identity, mask};
pub(super) use parts::Parts;
use parts::{alike, no_derivative};
use tensorwrapper_core::error::Error;

/// The weights of the arguments for weights of the results.
///
/// # Errors
/// Operations that have no derivative.
pub(super) fn reverse<'a>(call: &Arc<Factorised<'a>>, weights: &Parts<'a>, varies: &[bool]) -> Result<Parts<'a>, Error> {
    let flat = Call::new(call)?;
    let weights = alike(weights, &flat.results);
    let found = match call.call.kind {
        Factorisation::Solve | Factorisation::TriangularSolve => solve::reverse(&flat, &weights)?,
        Factorisation::Lstsq | Factorisation::Pinv => solve::reverse_pinv(&flat, &weights)?,
        Factorisation::Inv => solve::reverse_inv(&flat, &weights)?,
        Factorisation::Det => determinant::reverse_det(&flat, &weights)?,
        Factorisation::Slogdet => determinant::reverse_slogdet(&flat, &weights)?,
        Factorisation::Cholesky => triangular::reverse_cholesky(&flat, &weights)?,
        Factorisation::Qr => triangular::reverse_qr(&flat, &weights)?,
        Factorisation::Lq => triangular::reverse_lq(&flat, &weights)?,
        Factorisation::Lu => elimination::reverse_lu(&flat, &weights)?,
        Factorisation::Eigh => eigen::reverse_eigh(&flat, &weights, varies)?,
        Factorisation::Eig => eigen::reverse_eig(&flat, &weights)?,
        Factorisation::Svd => singular::reverse(&flat, &weights)?,
        Factorisation::Expm | Factorisation::Matpow => series::reverse(&flat, &weights)?,
        Factorisation::Norm => series::reverse_norm(&flat, &weights)?,
        Factorisation::Trace => series::reverse_trace(&flat, &weights)?,
        Factorisation::Gaps if call.call.unit => vec![weights[0].clone(), None],
        Factorisation::Gaps => eigen::reverse_gaps(&flat, &weights)?,
        Factorisation::Distinct | Factorisation::Uniform => vec![weights[0].clone(), None],
        Factorisation::Divided => divided::reverse(&flat, &weights, varies)?,
        Factorisation::Adjugate => determinant::reverse_adjugate(&flat, &weights)?,
        Factorisation::Rank => return Err(no_derivative("`rank`")),
    };
    Ok(alike(&found, &call.arguments))
}

/// Whether a result has a derivative.
///
/// # Errors
/// The discarded weight of a truncated `svd` has none.
pub(super) fn check_result(call: &Factorised<'_>, result: usize) -> Result<(), Error> {
    match (call.call.kind, result) {
        (Factorisation::Svd, 3) => Err(no_derivative("the discarded weight of `svd`")),
        _ => Ok(()),
    }
}

/// The changes of the results for changes of the arguments. `is_symmetric` tells that nothing depends on the order of its values.
///
/// # Errors
/// Operations that have no derivative.
pub(super) fn forward<'a>(call: &Arc<Factorised<'a>>, changes: &Parts<'a>, is_symmetric: bool) -> Result<Parts<'a>, Error> {
    let flat = Call::new(call)?;
    let changes = alike(changes, &flat.arguments);
    let found = match call.call.kind {
        Factorisation::Solve | Factorisation::TriangularSolve => solve::forward(&flat, &changes)?,
        Factorisation::Lstsq | Factorisation::Pinv => solve::forward_pinv(&flat, &changes)?,
        Factorisation::Inv => solve::forward_inv(&flat, &changes)?,
        Factorisation::Det => determinant::forward_det(&flat, &changes)?,
        Factorisation::Slogdet => determinant::forward_slogdet(&flat, &changes)?,
        Factorisation::Cholesky => triangular::forward_cholesky(&flat, &changes)?,
        Factorisation::Qr => triangular::forward_qr(&flat, &changes)?,
        Factorisation::Lq => triangular::forward_lq(&flat, &changes)?,
        Factorisation::Lu => elimination::forward_lu(&flat, &changes)?,
        Factorisation::Eigh => eigen::forward_eigh(&flat, &changes, is_symmetric)?,
        Factorisation::Eig => eigen::forward_eig(&flat, &changes, is_symmetric)?,
        Factorisation::Svd => singular::forward(&flat, &changes, is_symmetric)?,
        Factorisation::Expm | Factorisation::Matpow => series::forward(&flat, &changes)?,
        Factorisation::Norm => series::forward_norm(&flat, &changes)?,
        Factorisation::Trace => series::forward_trace(&flat, &changes)?,
        Factorisation::Gaps if call.call.unit => vec![changes[0].clone()],
        Factorisation::Gaps => eigen::forward_gaps(&flat, &changes)?,
        Factorisation::Distinct | Factorisation::Uniform => vec![changes[0].clone()],
        Factorisation::Divided => divided::forward(&flat, &changes)?,
        Factorisation::Adjugate => determinant::forward_adjugate(&flat, &changes)?,
        Factorisation::Rank => return Err(no_derivative("`rank`")),
    };
    Ok(alike(&found, &flat.recorded_results))
}
