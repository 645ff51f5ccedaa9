//! Sentences: why there is no result, for which item of the batch, and how large its matrix is.

use super::{Decomposition, Factorisation, Failure};
use crate::error::{Error, ErrorKind};

/// One item of a batch, as sentences name it.
pub(super) struct Item<'i> {
    pub(super) call: &'i Decomposition,
    /// Its place in the batch.
    pub(super) index: &'i [usize],
    /// Rows and columns of each argument.
    pub(super) sizes: &'i [(usize, usize)],
}

impl Item<'_> {
    /// An argument holds something that is no number.
    pub(super) fn not_finite(&self, argument: usize) -> Error {
        wrong(format!("{} holds NaN or infinity", self.subject(argument)))
    }

    /// An algorithm has no result.
    pub(super) fn failed(&self, failure: &Failure) -> Error {
        let name = self.call.form().name;
        let (rows, columns) = self.sizes[0];
        let of = format!("of a {rows}×{columns} matrix{}", self.place());
        wrong(match failure {
            // Of two matrices the second is the one that has to be.
            Failure::NotPositiveDefinite { pivot } => {
                format!("{} is not positive definite: its pivot {pivot} is not positive", self.subject(self.sizes.len() - 1))
            }
            Failure::Singular { pivot } => format!("{} is singular: its pivot {pivot} is zero", self.subject(0)),
            Failure::Overflow => format!("the result of `{name}` {of} is larger than the numbers of its type"),
            Failure::NoConvergence => format!("the iteration of `{name}` {of} did not converge"),
        })
    }

    /// Where in the batch it is, if there is one.
    fn place(&self) -> String {
        if self.index.is_empty() { String::new() } else { format!(" at batch index {:?}", self.index) }
    }

    /// An argument.
    fn subject(&self, argument: usize) -> String {
        let name = self.call.form().name;
        let (rows, columns) = self.sizes[argument];
        let (which, noun) = match (self.sizes.len(), self.call.kind) {
            (1, _) => ("", "matrix"),
            (_, Factorisation::Eigh) => (["first ", "second "][argument], "matrix"),
            _ => ("", ["matrix", "right side"][argument]),
        };
        format!("the {which}{rows}×{columns} {noun} of `{name}`{}", self.place())
    }
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::LinearAlgebra { message })
}
