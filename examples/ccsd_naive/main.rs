//! The CCSD equations term by term, as they are derived: one product a term, and no intermediate.
//!
//! ```text
//! cargo run --release --example ccsd_naive [-- FOLDER]
//! ```
//!
//! As they stand they take far more operations than anybody would wait for. What the `ccsd` example writes by hand, which terms
//! share a factor, what is formed once and in which order, is found here by the library; the program counts the operations
//! of both, and the energies are the same.
#![allow(non_snake_case)]

// The other example is a program; here it is a library.
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
pub(crate) mod ccsd;
pub(crate) mod equations;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::Pass;
use tensorwrapper::prelude::*;

use ccsd::Failure;
use ccsd::cc::{Amplitudes, Equations, Orbitals, equations as by_hand, mp2, solve};
use ccsd::molecule::Molecule;
use ccsd::scf::lowest_state;
use equations::term_by_term;

fn main() -> ExitCode {
    let folder = std::env::args_os().nth(1);
    let folder =
        folder.map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/water-ccpvdz").into(), PathBuf::from);
    match Molecule::read(&folder).and_then(|molecule| run(&molecule)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Calculation(sentence)) => complain(&sentence, 1),
        Err(Failure::Input(sentence)) => complain(&sentence, 2),
    }
}

fn complain(sentence: &str, status: u8) -> ExitCode {
    eprintln!("ccsd_naive: {sentence}");
    ExitCode::from(status)
}

fn run(molecule: &Molecule) -> Result<(), Failure> {
    let mo = Orbitals::new(molecule, &lowest_state(molecule)?)?;
    let (_, guess) = mp2(&mo)?;
    let (naive, _) = solve(&mo, &guess, term_by_term)?;
    let (hand, _) = solve(&mo, &guess, by_hand)?;
    println!("\nE(CCSD corr) = {naive:.12}, by hand {hand:.12}, difference {:.1e}", naive - hand);

    println!("\noperations of an iteration");
    let written = Pass::ALL.into_iter().fold(Context::default(), Context::without);
    for (name, equations) in [("by hand", by_hand as Equations), ("term by term", term_by_term)] {
        report(&format!("{name}, as written"), &written, equations, (&mo, &guess))?;
        report(name, &Context::default(), equations, (&mo, &guess))?;
    }
    Ok(())
}

fn report(name: &str, context: &Context, equations: Equations, (mo, t): (&Orbitals, &Amplitudes)) -> Result<(), Failure> {
    equations(mo, t, &mut |(next1, next2)| {
        let start = Instant::now();
        let step = context.prepare_all((next1, next2), &[&t.t1, &t.t2])?;
        let (time, operations, bytes) = (start.elapsed().as_secs_f64(), step.operations(), step.kept_bytes());
        println!("{name:<25} {operations:>15.0}, prepared in {time:.3} s, {bytes} bytes kept");
        Ok(())
    })
}
