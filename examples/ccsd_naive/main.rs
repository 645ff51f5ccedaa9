//! The CCSD equations term by term, as they are derived: one product a term, and no intermediate but the ladder, whose integrals are a
//! block tensor.
//!
//! ```text
//! cargo run --release --example ccsd_naive [-- [FOLDER] [--explain]]
//! ```
//!
//! As they stand they take far more operations than anybody would wait for. What the `ccsd` example writes by hand, which terms
//! share a factor, what is formed once and in which order, is found here by the library; the program counts the operations
//! of both, and the energies are the same. With `--explain` it says what is computed once and what each iteration computes, step
//! by step, with the time that each step took.
#![allow(non_snake_case)]

// The other example is a program; here it is a library.
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
pub(crate) mod ccsd;
pub(crate) mod equations;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::Pass;
use tensorwrapper::prelude::*;

use ccsd::cc::{Amplitudes, Equations, Orbitals, equations as by_hand, mp2, planned, solve};
use ccsd::molecule::Molecule;
use ccsd::scf::lowest_state;
use ccsd::{Failure, ended};
use equations::term_by_term;

fn main() -> ExitCode {
    ended("ccsd_naive", request().and_then(|(folder, explain)| run(&Molecule::read(&folder)?, explain)).map(|()| true))
}

/// The folder of the command line, or water in cc-pVDZ, and whether the plan is to be explained.
fn request() -> Result<(PathBuf, bool), Failure> {
    let (options, folders): (Vec<OsString>, Vec<OsString>) =
        std::env::args_os().skip(1).partition(|argument| argument.to_string_lossy().starts_with("--"));
    if folders.len() > 1 || options.iter().any(|option| option != "--explain") {
        return Err(Failure::Input("usage: ccsd_naive [FOLDER] [--explain]".into()));
    }
    let water = || concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-ccpvdz").into();
    Ok((folders.into_iter().next().map_or_else(water, PathBuf::from), !options.is_empty()))
}

fn run(molecule: &Molecule, explain: bool) -> Result<(), Failure> {
    let mo = Orbitals::new(molecule, &lowest_state(molecule)?)?;
    let (_, guess) = mp2(&mo)?;
    let (naive, _) = solve(&mo, &guess, term_by_term)?;
    let (hand, _) = solve(&mo, &guess, by_hand)?;
    println!("\nE(CCSD corr) = {naive:.12}, by hand {hand:.12}, difference {:.1e}", naive - hand);

    println!("\noperations of an iteration, beside the ladder");
    let written = Pass::ALL.into_iter().fold(Context::default(), Context::without);
    for (name, equations) in [("by hand", by_hand as Equations), ("term by term", term_by_term)] {
        report(&format!("{name}, as written"), &written, equations, (&mo, &guess))?;
        report(name, &Context::default(), equations, (&mo, &guess))?;
    }
    if explain { explained(&mo, &guess) } else { Ok(()) }
}

fn report(name: &str, context: &Context, equations: Equations, (mo, t): (&Orbitals, &Amplitudes)) -> Result<(), Failure> {
    let start = Instant::now();
    planned(context, mo, t, equations, &mut |step| {
        let (time, operations, bytes) = (start.elapsed().as_secs_f64(), step.planned.operations(), step.planned.kept_bytes());
        println!("{name:<25} {operations:>15.0}, prepared in {time:.3} s, {bytes} bytes kept");
        Ok(())
    })
}

/// What an iteration of the equations term by term computes, measured.
fn explained(mo: &Orbitals, t: &Amplitudes) -> Result<(), Failure> {
    planned(&Context::default(), mo, t, term_by_term, &mut |step| {
        println!("\n{}", step.planned.measure(&[&t.t1, &t.t2, &step.ladder(t)?], 5)?);
        Ok(())
    })
}
