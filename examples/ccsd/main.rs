//! Coupled cluster for a closed-shell molecule: RHF, MP2, CCSD and (T), from a folder of integrals.
//!
//! ```text
//! cargo run --release --example ccsd [-- FOLDER]
//! ```
//!
//! | file           | does                                                          |
//! |----------------|---------------------------------------------------------------|
//! | `molecule.rs`  | reads the folder and answers for what stands in it            |
//! | `scf.rs`       | Hartree-Fock: orbitals and their energies                     |
//! | `cc.rs`        | integrals over orbitals, MP2 and the CCSD equations           |
//! | `triples.rs`   | the (T) correction                                            |
//! | `diis.rs`      | what makes both iterations converge                           |
//!
//! Every tensor expression is a `tensor!` equation, so this reads next to the papers it comes from: p, q, r, s are basis
//! functions, i, j, k, l occupied and a, b, c, d empty orbitals. The only loop over orbitals is the outermost of (T).
#![allow(non_snake_case)] // S, H, F, C and D are what these matrices are called

pub(crate) mod cc;
pub(crate) mod diis;
pub(crate) mod molecule;
pub(crate) mod scf;
mod triples;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tensorwrapper::prelude::*;

use cc::Orbitals;
use molecule::Molecule;

// The extents are known when the folder has been read; the ranks are known now, and every equation is checked for them.
pub(crate) type Vector = Tensor<f64, Shape![_]>;
pub(crate) type Matrix = Tensor<f64, Shape![_, _]>;
pub(crate) type Tensor4 = Tensor<f64, Shape![_, _, _, _]>;

/// Why there is no result: one sentence for the person, and the exit status.
pub(crate) enum Failure {
    /// What was given cannot be calculated (exit status 2).
    Input(String),
    /// The calculation did not get there (exit status 1).
    Calculation(String),
}

/// Nothing that stands in a checked molecule makes the library refuse, but a machine without memory may.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Calculation(error.to_string())
    }
}

/// The four results, named as in `reference.json`.
const RESULTS: [(&str, &str); 4] =
    [("E(RHF)", "E_RHF"), ("E(MP2 corr)", "E_MP2_corr"), ("E(CCSD corr)", "E_CCSD_corr"), ("E((T))", "E_CCSD_T_correction")];

/// A result further than this (in Hartree) from the reference is wrong.
const TOLERANCE: f64 = 1e-8;

fn main() -> ExitCode {
    ended("ccsd", folder("ccsd").and_then(|folder| run(&folder)))
}

/// How a program over a molecule ends: with a sentence where there is no result, and false where a result is wrong.
pub(crate) fn ended(program: &str, result: Result<bool, Failure>) -> ExitCode {
    let (sentence, status) = match result {
        Ok(true) => return ExitCode::SUCCESS,
        Ok(false) => return ExitCode::from(1),
        Err(Failure::Calculation(sentence)) => (sentence, 1),
        Err(Failure::Input(sentence)) => (sentence, 2),
    };
    eprintln!("{program}: {sentence}");
    ExitCode::from(status)
}

/// The folder of the command line, or water in cc-pVDZ.
pub(crate) fn folder(program: &str) -> Result<PathBuf, Failure> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next();
    if arguments.next().is_some() {
        return Err(Failure::Input(format!("one molecule folder at a time, please: {program} [FOLDER]")));
    }
    Ok(folder.map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-ccpvdz").into(), PathBuf::from))
}

/// The whole calculation; false if a result differs from the reference.
fn run(folder: &Path) -> Result<bool, Failure> {
    let molecule = Molecule::read(folder)?;
    let Molecule { name, nao, nocc, .. } = &molecule;
    println!("{name}: {} electrons, {nao} basis functions, {nocc} occupied orbitals", 2 * nocc);

    let energies = energies(&molecule)?;
    println!();
    for ((label, _), energy) in RESULTS.iter().zip(energies) {
        println!("{label:<12} = {:.12}", without_negative_zero(energy));
    }
    Ok(compare(energies, &molecule))
}

/// Hartree-Fock, then what MP2, CCSD and (T) add: in the order of `RESULTS`, in Hartree.
pub(crate) fn energies(molecule: &Molecule) -> Result<[f64; 4], Failure> {
    let hf = scf::lowest_state(molecule)?;
    let mo = Orbitals::new(molecule, &hf)?;
    let (mp2, guess) = cc::mp2(&mo)?;
    let (ccsd, amplitudes) = cc::solve(&mo, &guess, cc::equations)?;
    let triples = triples::correction(&mo, &amplitudes);
    Ok([hf.energy, mp2, ccsd, triples])
}

/// Prints how far the results are from those that the folder names, if it does; false if one is too far.
fn compare(energies: [f64; 4], molecule: &Molecule) -> bool {
    let known = molecule.reference(RESULTS.map(|(_, key)| key));
    if known.iter().any(Option::is_some) {
        println!("\ndifference from reference.json");
    }
    let mut good = true;
    for (((_, key), energy), known) in RESULTS.iter().zip(energies).zip(known) {
        let Some(known) = known else { continue };
        let difference = energy - known;
        let close = difference.abs() <= TOLERANCE;
        println!("  {key:<20} {difference:>9.1e}{}", if close { "" } else { "  too far" });
        good &= close;
    }
    good
}

/// A correction that vanishes shall not print as -0.000000000000.
fn without_negative_zero(energy: f64) -> f64 {
    if energy.abs() < 5e-13 { 0.0 } else { energy }
}
