//! Derivatives through the tensor renormalisation group: the two-dimensional Ising model against its exact solution.
//!
//! ```text
//! cargo run --release --example ising
//! ```
//!
//! | file         | holds                                                                                    |
//! |--------------|------------------------------------------------------------------------------------------|
//! | `trg.rs`     | ln Z per site as a recorded value, by singular value decompositions of growing lattices   |
//! | `onsager.rs` | the exact solution and its derivatives                                                    |
//!
//! ln Z per site is differentiated by the inverse temperature β, once and twice: the energy and the heat capacity. Singular values of a
//! renormalised lattice come in pairs that grow equal from step to step. Where they are equal, the derivative of single singular
//! vectors is none, and the one of ln Z is nevertheless well defined. So the derivative is taken of the projector on the space that a cut
//! keeps. After a few steps, before values are equal, it is compared with the derivative through `svd` itself.
#![allow(non_snake_case)] // T, M and X are what these tensors are called

#[path = "../common/compare.rs"]
mod compare;
mod onsager;
mod trg;

use std::process::ExitCode;

use tensorwrapper::prelude::*;

use compare::{Compared, ended};
use onsager::onsager;
use trg::{Cut, Site, by_spaces, by_vectors, kept, partition};

/// Inverse temperatures above the transition, the largest bond and the steps, and how near ln Z and its derivatives come with them.
const RUNS: [(f64, (usize, usize), [f64; 3]); 2] = [(0.2, (14, 12), [1e-8, 1e-6, 5e-5]), (0.3, (8, 14), [1e-5, 2e-4, 3e-3])];
/// A run in which no values that are kept are equal yet.
const EARLY: (f64, (usize, usize), f64) = (0.3, (8, 4), 1e-10);

fn main() -> ExitCode {
    ended("ising", run())
}

/// All that is compared.
pub(crate) fn run() -> Result<Vec<Compared>, Error> {
    let site = Site::new()?;
    let mut all = Vec::new();
    for (beta, size, tolerances) in RUNS {
        println!("β = {beta}");
        let at = Tensor::filled((), beta)?;
        let (kept, pairs) = kept(&site, &at, size)?;
        if pairs == 0 {
            return Err(Error::new(tensorwrapper::ErrorKind::Undefined("no singular values are equal in this run".into())));
        }
        let found = derivatives(&site, &at, &kept, by_spaces)?;
        let names = ["ln Z", "its first derivative", "its second derivative"];
        for (((name, found), expected), tolerance) in names.into_iter().zip(found).zip(onsager(beta)).zip(tolerances) {
            all.push(Compared { name: format!("β = {beta}, {name}"), found, expected, tolerance });
        }
    }
    let (beta, size, tolerance) = EARLY;
    let at = Tensor::filled((), beta)?;
    println!("β = {beta}, by spaces and by vectors");
    let (kept, _) = kept(&site, &at, size)?;
    let one = Tensor::filled((), 1.0)?;
    let [by_spaces, by_vectors] = [by_spaces as Cut, by_vectors].map(|cut| partition(&site, &at, &kept, cut));
    let (by_spaces, by_vectors) = (by_spaces?, by_vectors?);
    let pairs = [
        ("ln Z", &by_spaces, &by_vectors),
        ("its derivative", &by_spaces.jvp((&at, &one))?, &by_vectors.jvp((&at, &one))?),
        ("its derivative in reverse", &by_spaces.grad(&at)?.at("").record("")?, &by_vectors.grad(&at)?.at("").record("")?),
    ];
    for (name, found, expected) in pairs {
        let (found, expected) = eval_all((found, expected))?;
        let [found, expected] = [found, expected].map(|number| number.as_slice()[0]);
        all.push(Compared { name: format!("{name}, by spaces and by vectors"), found, expected, tolerance });
    }
    Ok(all)
}

/// ln Z per site and its first and second derivative.
fn derivatives(site: &Site, beta: &Tensor<f64, ()>, kept: &[usize], cut: Cut) -> Result<[f64; 3], Error> {
    let one = Tensor::filled((), 1.0)?;
    let value = partition(site, beta, kept, cut)?;
    let first = value.jvp((beta, &one))?;
    let second = first.jvp((beta, &one))?;
    let (value, first, second) = eval_all((&value, &first, &second))?;
    Ok([value, first, second].map(|number| number.as_slice()[0]))
}
