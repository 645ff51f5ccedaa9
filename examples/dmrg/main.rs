//! The ground state of a spin chain by the density matrix renormalization group (S. R. White, Phys. Rev. Lett. 69, 2863 (1992)),
//! two sites at a time, every contraction as it stands in the papers.
//!
//! ```text
//! cargo run --release --example dmrg                                          # the Heisenberg chain of examples/data
//! cargo run --release --example dmrg -- MPO.npy SITES [--bond N] [--tolerance W] [--sweeps N]
//! ```
//!
//! | file         | holds                                                                |
//! |--------------|----------------------------------------------------------------------|
//! | `chain.rs`   | the state, its environments, sweeps                                  |
//! | `lanczos.rs` | the lowest eigenvector of an operator that is only applied           |
//! | `input.rs`   | the operator's file, and what is expected of it                      |
//!
//! `MPO.npy` holds the tensor `W[l, r, s, t]` that all sites share: left and right bond, spin after and before. The chain begins
//! with the last left bond and ends with the first right one. A bond of the state keeps at most `--bond` values, and fewer where
//! those that go weigh no more than `--tolerance` together. A `reference.json` beside the file may say what is expected.
//!
//! Exit status 0: all is well. 1: the energy or the entropy differs from what was expected. 2: what was given is no chain, and
//! one sentence says why.

#![allow(non_snake_case)] // W, L, R, A and B are what these tensors are called

mod chain;
mod input;
mod lanczos;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use chain::Chain;
use input::{Expected, expected, operator};

const USAGE: &str = "usage: dmrg [MPO.npy SITES] [--bond N] [--tolerance W] [--sweeps N]";

/// How near the energy must come to what is expected from above, and from below, where rounding alone may bring it.
const ABOVE: f64 = 1e-9;
const BELOW: f64 = 1e-10;
/// How near the entropy must come.
const ENTROPY: f64 = 1e-6;
/// A sweep that lowers the energy by less is the last.
const CONVERGED: f64 = 1e-11;

/// Why there is no result: one sentence.
pub(crate) struct Refused(pub(crate) String);

/// An output that nobody reads any more, for example.
impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Refused(format!("the output cannot be written: {error}"))
    }
}

/// What is wrong with extents or memory.
impl From<tensorwrapper::Error> for Refused {
    fn from(error: tensorwrapper::Error) -> Self {
        Refused(error.to_string().replace('\n', "; "))
    }
}

struct Options {
    file: PathBuf,
    sites: usize,
    bond: usize,
    tolerance: f64,
    sweeps: usize,
}

fn main() -> ExitCode {
    match run(std::env::args_os().skip(1).collect(), &mut io::stdout().lock()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(Refused(sentence)) => {
            eprintln!("dmrg: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// What the command line asks for; false if the result differs from what was expected.
pub(crate) fn run(arguments: Vec<OsString>, out: &mut impl Write) -> Result<bool, Refused> {
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        writeln!(out, "{USAGE}")?;
        return Ok(true);
    }
    let options = options(arguments).map_err(Refused)?;
    let W = operator(&options.file).map_err(Refused)?;
    let expected = expected(&options.file, options.sites).map_err(Refused)?;
    let mut chain = Chain::new(W, options.sites, options.bond, options.tolerance)?;
    if !chain.is_symmetric()? {
        return Err(Refused(format!("`{}` is an operator that is not symmetric", options.file.display())));
    }
    writeln!(out, "{:>5} {:>20} {:>9} {:>6} {:>12}", "sweep", "energy", "change", "bond", "discarded")?;
    let mut energy = f64::INFINITY;
    for sweep in 1..=options.sweeps {
        let report = chain.sweep()?;
        let change = report.energy - energy;
        writeln!(out, "{sweep:5} {:20.13} {change:9.1e} {:6} {:12.1e}", report.energy, chain.largest_bond(), report.discarded)?;
        out.flush()?;
        energy = report.energy;
        if change.abs() < CONVERGED {
            break;
        }
    }
    let entropy = chain.entropy();
    writeln!(out, "E0                     = {energy:.13}")?;
    writeln!(out, "entropy at the middle  = {entropy:.10} nats")?;
    Ok(compare(energy, entropy, &expected, out)?)
}

/// Whether the result is as expected, as far as anything is.
fn compare(energy: f64, entropy: f64, expected: &Expected, out: &mut impl Write) -> io::Result<bool> {
    let mut good = true;
    if let Some(exact) = expected.energy {
        // What is not a number is near to nothing.
        let near = energy - exact <= ABOVE && energy - exact >= -BELOW;
        good &= near;
        writeln!(out, "expected E0            = {exact:.13}, {}", verdict(near, energy - exact))?;
    }
    if let Some(exact) = expected.entropy {
        let near = (entropy - exact).abs() <= ENTROPY;
        good &= near;
        writeln!(out, "expected entropy       = {exact:.10}, {}", verdict(near, entropy - exact))?;
    }
    Ok(good)
}

fn verdict(near: bool, difference: f64) -> String {
    format!("{} ({difference:+.1e})", if near { "as found" } else { "DIFFERS" })
}

fn options(arguments: Vec<OsString>) -> Result<Options, String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/heisenberg-chain/mpo_N12_D1_h0.npy").into();
    let mut options = Options { file, sites: 12, bond: 64, tolerance: 1e-14, sweeps: 30 };
    let mut given: Vec<OsString> = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let name = argument.to_string_lossy().into_owned();
        if !name.starts_with("--") {
            given.push(argument);
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value behind it; {USAGE}"))?;
        let text = value.to_string_lossy().into_owned();
        let count =
            || text.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(|| format!("`{text}` is no number from 1 on; {USAGE}"));
        match name.as_str() {
            "--bond" => options.bond = count()?,
            "--sweeps" => options.sweeps = count()?,
            "--tolerance" => {
                let weight = text.parse().ok().filter(|weight: &f64| (0.0..1.0).contains(weight));
                options.tolerance = weight.ok_or_else(|| format!("`{text}` is no weight from 0 to below 1; {USAGE}"))?;
            }
            _ => return Err(format!("there is no option `{name}`; {USAGE}")),
        }
    }
    match &given[..] {
        [] => {}
        [file, sites] => {
            options.file = file.into();
            let text = sites.to_string_lossy();
            let sites = text.parse().ok().filter(|&sites: &usize| (2..=100_000).contains(&sites));
            options.sites = sites.ok_or_else(|| format!("`{text}` is no number of sites from 2 to 100000; {USAGE}"))?;
        }
        _ => return Err(format!("a file and a number of sites; {USAGE}")),
    }
    Ok(options)
}
