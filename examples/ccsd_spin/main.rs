//! CCSD in spin orbitals, over block tensors: the equations as a textbook prints them, computed for unique pairs of each spin.
//!
//! ```text
//! cargo run --release --example ccsd_spin [-- FOLDER]
//! ```
//!
//! | file           | does                                                                    |
//! |----------------|-------------------------------------------------------------------------|
//! | `integrals.rs` | spin orbitals, and antisymmetric integrals over them, cut by spin       |
//! | `equations.rs` | the equations as text, and a program of them that is planned once       |
//! | `solve.rs`     | the iteration                                                           |
//!
//! Integrals and amplitudes say that they are antisymmetric and that they conserve spin. What follows for everything that is made of
//! them is inferred: which blocks it has, which of them are computed, and which follow from these. The program counts what that
//! saves against the same equations over dense tensors.
#![allow(non_snake_case)]

// The other example is a program; here it is a library.
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
pub(crate) mod ccsd;
mod equations;
mod integrals;
pub(crate) mod solve;

use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::prelude::*;

use ccsd::cc::Orbitals;
use ccsd::molecule::Molecule;
use ccsd::scf::lowest_state;
use ccsd::{Failure, ended, folder};
use equations::{ITERATION, Program};
use integrals::{Tensors, dense};
use solve::Calculation;

/// A result further than this (in Hartree) from the reference is wrong.
const TOLERANCE: f64 = 1e-9;

fn main() -> ExitCode {
    ended("ccsd_spin", folder("ccsd_spin").and_then(|folder| run(&Molecule::read(&folder)?)))
}

/// The whole calculation; false if the energy differs from the reference.
fn run(molecule: &Molecule) -> Result<bool, Failure> {
    let mo = Orbitals::new(molecule, &lowest_state(molecule)?)?;
    let context = Context::default();
    let start = Instant::now();
    let mut calculation = Calculation::new(&context, &mo)?;
    println!("\nintegrals and plans of block tensors: {:.2} s", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let energy = calculation.solve()?;
    println!("iterations: {:.2} s", start.elapsed().as_secs_f64());

    report(&context, &calculation)?;
    println!("\nE(CCSD corr) = {energy:.12}");
    let [Some(known)] = molecule.reference(["E_CCSD_corr"]) else { return Ok(true) };
    let difference = energy - known;
    let close = difference.abs() <= TOLERANCE;
    println!("difference from reference.json: {difference:.1e}{}", if close { "" } else { "  too far" });
    Ok(close)
}

/// Multiplications of an iteration, and bytes of tensors, against the same equations over dense tensors.
fn report(context: &Context, calculation: &Calculation) -> Result<(), Failure> {
    let blocks = &calculation.tensors;
    let mut whole = dense(blocks)?;
    let program = Program::new(context, &ITERATION, &mut whole)?;
    println!("\n{:<16} {:>14} {:>14} {:>7} {:>9}", "multiplications", "dense", "blocks", "share", "products");
    let mut sums = [0, 0];
    for ((line, dense), (_, blocks)) in program.steps.iter().zip(&calculation.iteration.steps) {
        let counts = [dense.multiplications(), blocks.multiplications()];
        println!("{} {:>9}", share(line.name, counts), blocks.tuples());
        sums = [sums[0] + counts[0], sums[1] + counts[1]];
    }
    println!("{}", share("an iteration", sums));

    println!("\n{:<16} {:>14} {:>14} {:>7}", "bytes", "dense", "blocks", "share");
    let bytes = |tensors: &Tensors, name: &str| tensors[name].bytes() as u128;
    let integrals = ["oooo", "ooov", "oovv", "ovov", "ovvv", "vvvv"];
    for name in ["T1", "T2", "W_mbej", "W_abef"].into_iter().chain(integrals) {
        println!("{}", share(name, [bytes(&whole, name), bytes(blocks, name)]));
    }
    let all = |tensors: &Tensors| integrals.iter().map(|name| bytes(tensors, name)).sum();
    println!("{}", share("all integrals", [all(&whole), all(blocks)]));
    Ok(())
}

/// A line of the table.
fn share(name: &str, [dense, blocks]: [u128; 2]) -> String {
    format!("{name:<16} {dense:>14} {blocks:>14} {:>6.1}%", 100.0 * blocks as f64 / dense as f64)
}
