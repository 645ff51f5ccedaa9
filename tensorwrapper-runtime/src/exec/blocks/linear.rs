//! Operations of linear algebra in equations over block tensors: `(U[i, r], s[r], V[r, j]) = svd(A[i, j])`.
//!
//! The argument is computed as an equation of its own, with its rows in front. `sectors` does the rest, and the axes of the results are
//! brought into the order in which they are written.

use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::{Factorisation, Options, Role, Word};
use tensorwrapper_notation::{Factorise, LabelId};

use super::super::context::Context;
use super::call::BlockCall;
use super::sectors::Truncation;
use super::tree::{TreeHoles, unsupported};
use crate::tensor::{AnyBlocks, Blocks};

impl Context {
    /// Computes an operation of linear algebra over block tensors: its results, in the order of the equation.
    ///
    /// # Errors
    /// As the methods of [`Blocks`]; and [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for batches, and for what block tensors
    /// do not have.
    pub(crate) fn factorise_blocks(&self, call: &BlockCall<'_>, factorise: &Factorise) -> Result<Vec<AnyBlocks>, Error> {
        check(factorise)?;
        dispatch!(call.dtype, T => self.factorised::<T>(call, factorise))
    }

    fn factorised<T: Element>(&self, call: &BlockCall<'_>, factorise: &Factorise) -> Result<Vec<AnyBlocks>, Error> {
        let a = self.argument::<T>(call, 0)?;
        let rows: Vec<usize> = (0..factorise.labels(Role::Row).len()).collect();
        let ordered = Ordered { context: self, call, factorise };
        // Options are no operands.
        let (options, holes) = (factorise.options(), || call.holes(Vec::new()));
        let one = |x: Blocks<T>| Ok(vec![ordered.result(0, x)?]);
        match factorise.kind() {
            Factorisation::Svd => {
                let (u, s, v, lost) = self.svd_cut_blocks(&a, &rows, &truncation(options, &holes()))?;
                let mut found = vec![ordered.result(0, u)?, ordered.result(1, s)?, ordered.result(2, v)?];
                if call.equation.left().len() > found.len() {
                    found.push(number(T::Real::from_complex(lost.into()))?);
                }
                Ok(found)
            }
            kind @ (Factorisation::Qr | Factorisation::Lq) => {
                let is_right = kind == Factorisation::Qr;
                let (left, right) = if is_right { self.qr_blocks(&a, &rows)? } else { self.lq_blocks(&a, &rows)? };
                Ok(vec![ordered.result(0, left)?, ordered.result(1, right)?])
            }
            Factorisation::Eigh => {
                let (values, vectors) = self.eigh_blocks(&a, &rows)?;
                Ok(vec![ordered.result(0, values)?, ordered.result(1, vectors)?])
            }
            Factorisation::Cholesky => one(self.cholesky_blocks(&a, &rows)?),
            Factorisation::Inv => one(self.inv_blocks(&a, &rows)?),
            Factorisation::Expm => one(self.expm_blocks(&a, &rows)?),
            Factorisation::Matpow => one(self.matpow_blocks(&a, &rows, exponent(options, &holes()))?),
            Factorisation::Solve => one(self.solve_blocks(&a, &rows, &self.argument::<T>(call, 1)?)?),
            Factorisation::Det => Ok(vec![number(self.det_blocks(&a, &rows)?)?]),
            Factorisation::Trace => Ok(vec![number(self.trace_blocks(&a, &rows)?)?]),
            Factorisation::Slogdet => {
                let (sign, logarithm) = self.slogdet_blocks(&a, &rows)?;
                Ok(vec![number(sign)?, number(logarithm)?])
            }
            kind => Err(unsupported(&format!("`{}`", kind.name()))),
        }
    }

    /// An argument, with its rows in front.
    fn argument<T: Element>(&self, call: &BlockCall<'_>, argument: usize) -> Result<Blocks<T>, Error> {
        let equation = call.equation.argument(argument).expect("the operation has so many arguments");
        let text = format!("argument {argument} of {}", call.text);
        let found = self.call_blocks(&BlockCall { equation: &equation, text: &text, ..call.clone() })?;
        Ok(Blocks::of_any(found))
    }
}

/// Refuses what is not computed over block tensors.
fn check(factorise: &Factorise) -> Result<(), Error> {
    let name = factorise.kind().name();
    if !factorise.batch().is_empty() {
        let message = format!("a batch of matrices of `{name}` in an equation of block tensors");
        let help = "take one matrix at a time: `a.chip(0, n)?` has those at position n of axis 0";
        return Err(Error::new(ErrorKind::Unsupported(message)).with_help(help));
    }
    if factorise.options().has(Word::Full) {
        return Err(unsupported(&format!("`{name}` with `full`")));
    }
    if factorise.kind() == Factorisation::Eigh && factorise.arguments() > 1 {
        return Err(unsupported("`eigh` of two matrices"));
    }
    Ok(())
}

/// How many singular values are kept.
fn truncation(options: &Options, holes: &impl TreeHoles) -> Truncation {
    let max = options.max.as_ref().map(|max| max.value(|hole| holes.extent(hole)));
    let tol = options.tol.as_ref().map(|tol| tol.real(|hole| holes.real(hole)));
    Truncation { max, tol }
}

/// The exponent of `matpow`.
fn exponent(options: &Options, holes: &impl TreeHoles) -> i32 {
    options.exponent.as_ref().map_or(1, |exponent| exponent.whole(|hole| holes.whole(hole)))
}

/// A tensor of rank 0.
fn number<T: Element>(number: T) -> Result<AnyBlocks, Error> {
    Ok(Blocks::filled(&Structure::new([]), number)?.into())
}

/// Brings the axes of results into the order, and the layers, of the equation.
struct Ordered<'o> {
    context: &'o Context,
    call: &'o BlockCall<'o>,
    factorise: &'o Factorise,
}

impl Ordered<'_> {
    fn result<T: Element>(&self, number: usize, found: Blocks<T>) -> Result<AnyBlocks, Error> {
        let (found, layers) = (self.in_order(number, found)?, &*self.call.equation.left()[number].layers);
        Ok(if layers.is_empty() { found.into() } else { found.nested(layers)?.into() })
    }

    fn in_order<T: Element>(&self, number: usize, found: Blocks<T>) -> Result<Blocks<T>, Error> {
        let (own, wanted) = (self.factorise.result_axes(number), self.call.equation.left()[number].labels());
        if own == wanted {
            return Ok(found);
        }
        let subscripts = |labels: &[LabelId]| -> Result<String, Error> {
            let letter = |label: &LabelId| ('a'..='z').chain('A'..='Z').nth(own.iter().position(|known| known == label)?);
            labels.iter().map(letter).collect::<Option<_>>().ok_or_else(|| unsupported("results of so many axes"))
        };
        let subscripts = format!("{}->{}", subscripts(&own)?, subscripts(&wanted)?);
        self.context.einsum_blocks(&subscripts, &[&found])
    }
}
