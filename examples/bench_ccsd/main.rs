//! A partner for `benches/peers/ccsd.py`: one iteration of coupled cluster at a time, for as many times as it is asked.
//!
//! ```text
//! cargo run --release --example bench_ccsd -- FOLDER [--threads N] [--by-hand]
//! < ready 364080000 operations, 12345 bytes kept
//! > step
//! < 0.012345678 0.012340000 0.1 0.5
//! ```
//!
//! Before it is ready, the program converges Hartree-Fock, forms the integrals over orbitals, prepares the equations term by
//! term (`--by-hand`: those of the `ccsd` example) and takes two steps from the amplitudes of perturbation theory, so that no
//! amplitude vanishes. Every line that comes then is answered with the time of the same third step, on the wall and of the
//! processor, in seconds, and with the norms of the singles and doubles that it gives, which any program must agree upon.
#![allow(non_snake_case)]

// The other examples are programs; here they are libraries.
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
pub(crate) mod ccsd;
#[path = "../bench_einsum/clock.rs"]
mod clock;
#[path = "../ccsd_naive/equations.rs"]
pub(crate) mod equations;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::keep_memory;
use tensorwrapper::prelude::*;

use ccsd::cc::{Amplitudes, Equations, Orbitals, equations as by_hand, mp2, planned};
use ccsd::molecule::Molecule;
use ccsd::scf::lowest_state;
use ccsd::{Failure, ended};
use clock::processor_seconds;
use equations::term_by_term;

/// Bytes of large results that wait for the next ones while steps are taken.
const KEPT: usize = 256 << 20;

fn main() -> ExitCode {
    ended("bench_ccsd", Request::read(std::env::args().skip(1)).and_then(|request| request.serve()).map(|()| true))
}

/// What the command line asks for.
struct Request {
    folder: PathBuf,
    threads: usize,
    equations: Equations,
}

impl Request {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Request, Failure> {
        let usage = || Failure::Input("usage: bench_ccsd FOLDER [--threads N] [--by-hand]".into());
        let folder = arguments.next().filter(|first| !first.starts_with("--")).ok_or_else(usage)?;
        let mut request = Request { folder: folder.into(), threads: 1, equations: term_by_term };
        while let Some(option) = arguments.next() {
            match option.as_str() {
                "--threads" => {
                    let number = arguments.next().ok_or_else(usage)?;
                    let wrong = |_| Failure::Input(format!("`{number}` is no number of threads"));
                    request.threads = number.parse().map_err(wrong)?;
                }
                "--by-hand" => request.equations = by_hand,
                _ => return Err(usage()),
            }
        }
        Ok(request)
    }

    /// Gets ready, and answers every line.
    fn serve(&self) -> Result<(), Failure> {
        let (mo, guess) = start(&self.folder)?;
        let context = Context::cpu().threads(self.threads);
        planned(&context, &mo, &guess, self.equations, &mut |iteration| {
            let step = |t: &Amplitudes| iteration.next(t).map_err(Failure::from);
            let t = step(&step(&guess)?)?;
            say(format_args!(
                "ready {:.0} operations, {} bytes kept",
                iteration.planned.operations(),
                iteration.planned.kept_bytes()
            ))?;
            for line in io::stdin().lock().lines() {
                line.map_err(outside)?;
                let (wall, cpu) = (Instant::now(), processor_seconds());
                let next = step(&t)?;
                let (wall, cpu) = (wall.elapsed().as_secs_f64(), processor_seconds() - cpu);
                say(format_args!("{wall:.9} {cpu:.9} {:.12} {:.12}", norm(next.t1.as_slice()), norm(next.t2.as_slice())))?;
            }
            Ok(())
        })
    }
}

/// Orbitals and the amplitudes of perturbation theory. The integrals over basis functions, which no iteration reads, are given back, and
/// no memory waits for results of the size of a dropped one until then.
fn start(folder: &std::path::Path) -> Result<(Orbitals, Amplitudes), Failure> {
    keep_memory(0);
    let molecule = Molecule::read(folder)?;
    let mo = Orbitals::new(&molecule, &lowest_state(&molecule)?)?;
    let (_, guess) = mp2(&mo)?;
    drop(molecule);
    keep_memory(KEPT);
    Ok((mo, guess))
}

fn norm(elements: &[f64]) -> f64 {
    elements.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn say(line: std::fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(outside)
}

fn outside(error: io::Error) -> Failure {
    Failure::Calculation(format!("the program that asks is gone: {error}"))
}
