//! The sentence that says why there is no result: for which item of the batch, and how large its matrix is.

use tensorwrapper_notation::syntax::Factorisation;

use super::decomposition::Decomposition;
use super::failure::Failure;
use crate::error::{Error, ErrorKind};

/// One item of a batch, as sentences name it.
pub struct Item<'i> {
    /// The operation.
    pub call: &'i Decomposition,
    /// Its index in the batch.
    pub index: &'i [usize],
    /// Rows and columns of each argument.
    pub sizes: &'i [(usize, usize)],
}

impl Item<'_> {
    /// The error for an argument that holds NaN or infinity.
    pub fn not_finite(&self, argument: usize) -> Error {
        wrong(format!("{} holds NaN or infinity", self.subject(argument)))
    }

    /// The error for an algorithm that has no result.
    pub fn failed(&self, failure: &Failure) -> Error {
        let name = self.call.form().name;
        let (rows, columns) = self.sizes[0];
        let of = format!("of a {rows}×{columns} matrix{}", self.place());
        let error = wrong(match failure {
            // Of two matrices the second is the one that has to be.
            Failure::NotPositiveDefinite { pivot } => {
                format!("{} is not positive definite: its pivot {pivot} is not positive", self.subject(self.sizes.len() - 1))
            }
            Failure::Singular { pivot } => format!("{} is singular: its pivot {pivot} is zero", self.subject(0)),
            Failure::Overflow => format!("the result of `{name}` {of} is larger than the numbers of its type"),
            Failure::EqualValues { states: [first, second] } => format!(
                "states {first} and {second}{} have values that are equal or almost equal, so that this derivative may depend on the \
                 choice of their vectors or on their order",
                self.place()
            ),
            Failure::NoConvergence => format!("the iteration of `{name}` {of} did not converge"),
        });
        match failure {
            Failure::EqualValues { .. } => error.with_help(
                "a function of the matrix has a derivative there if one equation has both vectors, as in \
                 `[p, q] = C[p, n] * exp(e[n]) * conj(C[q, n])`; `broaden = 1e-8` behind the `;` of `eigh` or `svd` asks for a \
                 derivative that takes equal values apart",
            ),
            _ => error,
        }
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

#[cfg(test)]
mod tests {
    use super::super::{Algorithms, Eigen, Matrix, Svd, run};
    use super::*;
    use crate::backend::Operand;
    use crate::element::Element;
    use crate::layout::Strided;

    /// A device on which no iteration ends.
    struct Endless;

    impl Algorithms<f64> for Endless {
        fn cholesky(&self, _: &mut Matrix<f64>) -> Result<(), Failure> {
            Err(Failure::NoConvergence)
        }
        fn eigh(&self, _: &mut Matrix<f64>) -> Result<Vec<f64>, Failure> {
            Err(Failure::NoConvergence)
        }
        fn eig(&self, _: &Matrix<f64>) -> Result<Eigen<f64>, Failure> {
            Err(Failure::NoConvergence)
        }
        fn qr(&self, a: Matrix<f64>, _: bool) -> (Matrix<f64>, Matrix<f64>) {
            (a.clone(), a)
        }
        fn svd(&self, _: Matrix<f64>, _: bool) -> Result<Svd<f64>, Failure> {
            Err(Failure::NoConvergence)
        }
        fn lu(&self, a: &mut Matrix<f64>, _: &dyn Fn() -> Matrix<f64>) -> Vec<usize> {
            (0..a.rows).collect()
        }
        fn solve_triangular(&self, _: &Matrix<f64>, _: bool, _: bool, _: &mut Matrix<f64>) {}
        fn multiply(&self, a: &Matrix<f64>, _: &Matrix<f64>) -> Matrix<f64> {
            a.clone()
        }
        fn expm(&self, _: Matrix<f64>) -> Result<Matrix<f64>, Failure> {
            Err(Failure::NoConvergence)
        }
    }

    #[test]
    fn what_does_not_converge_is_said_with_its_place() {
        for kind in [Factorisation::Eigh, Factorisation::Eig, Factorisation::Svd, Factorisation::Pinv, Factorisation::Rank] {
            for (batch, place) in [(0, ""), (1, " at batch index [0]")] {
                let call = Decomposition::plain(kind, batch, [1, 1, 0, 0, 0, 0]);
                let (data, layout) = (vec![1.0; 9 * (batch + 1)], Strided::row_major(&[2, 3, 3][1 - batch..]).unwrap());
                let input = Operand::new(f64::erase(&data), &layout);
                let error = run::<f64>(1, &call, &[input], Vec::new(), &Endless).unwrap_err();
                let name = call.form().name;
                assert_eq!(error.to_string(), format!("the iteration of `{name}` of a 3×3 matrix{place} did not converge"));
            }
        }
    }
}
