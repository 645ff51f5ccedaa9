//! Functions of a matrix in equations, written by its eigenvectors or singular vectors: `C[p, n] * g(e[n]) * conj(C[q, n])`.
//!
//! Such a term is smooth where values are equal, although the vectors are not. Its derivative puts the change of the matrix between two
//! copies of the vectors, `C[p, a] * g[a, b] * (Cᴴ·dA·C)[a, b] * conj(C[q, b])`, with the divided differences of g at the values. The
//! result is again a sum of such terms, of one order more, so that second derivatives follow from the same rule.
//!
//! `find.rs` recognises the terms, whose `form.rs` is what the others read; `path.rs` tells how the function depends on the values,
//! `weights.rs` and `table.rs` record its divided differences, `eigen.rs` and `singular.rs` have the changes.
//!
//! Sources: Yu. L. Daleckii, S. G. Krein (1965); N. J. Higham, "Functions of Matrices" (2008), §3.2. For singular values: F. Arrigo,
//! M. Benzi, C. Fenu, "Computation of generalized matrix functions" (2016), in the form that follows from the matrix
//! [[0, A], [Aᴴ, 0]].

mod eigen;
mod find;
mod form;
mod path;
mod singular;
mod table;
mod weights;

use super::build::Labels;
use crate::expr::Value;
use crate::link::Link;
pub(super) use find::find;
use form::Kind;
pub(super) use form::{Spectral, hermitian_part};
use tensorwrapper_core::error::Error;
use weights::{Change, Slope};

/// The changes of the term, of which `bound` are summed, for changes of the arguments, which are Hermitian where the matrix is.
///
/// # Errors
/// What has no derivative.
pub(super) fn changes<'a>(
    spectral: &Spectral<'a>,
    labels: &mut Labels,
    bound: &[usize],
    arguments: &[Option<Link<Value<'a>>>],
    slope: Slope<'_, 'a>,
) -> Result<Vec<Change<'a>>, Error> {
    match spectral.kind {
        Kind::Eigen => eigen::changes(spectral, labels, bound, arguments, slope),
        Kind::Across | Kind::Left | Kind::Right => singular::changes(spectral, labels, bound, &arguments[0], slope),
    }
}
