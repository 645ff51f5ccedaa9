//! The ground state of a spin chain by the density matrix renormalization group (S. R. White, Phys. Rev. Lett. 69, 2863 (1992)),
//! two sites at a time, every contraction as it stands in the papers.
//!
//! ```text
//! cargo run --release --example dmrg                                          # the Heisenberg chain of examples/data
//! cargo run --release --example dmrg -- MPO.npy SITES [--bond N] [--tolerance W] [--sweeps N] [--charges]
//! ```
//!
//! | file         | holds                                                                |
//! |--------------|----------------------------------------------------------------------|
//! | `sweep.rs`   | sweeps, whatever the tensors of a chain are                          |
//! | `chain.rs`   | a state of dense tensors, and its environments                       |
//! | `charges.rs` | the charges that an operator conserves                               |
//! | `blocks.rs`  | a state of tensors that conserve charges, and its environments       |
//! | `lanczos.rs` | the lowest eigenvector of an operator that is only applied           |
//! | `input.rs`   | the operator's file, and what is expected of it                      |
//!
//! `MPO.npy` holds the tensor `W[l, r, s, t]` that all sites share: left and right bond, spin after and before. The chain begins
//! with the last left bond and ends with the first right one. A bond of the state keeps at most `--bond` values, and fewer where
//! those that go weigh no more than `--tolerance` together. With `--charges` tensors store only blocks that conserve the
//! charge, which is twice the spin's z component; the state begins as up, down, up, down, and keeps the charge of that. A
//! `reference.json` beside the file may say what is expected.
//!
//! Exit status 0: all is well. 1: the energy or the entropy differs from what was expected. 2: what was given is no chain, and
//! one sentence says why.

#![allow(non_snake_case)] // W, L, R, A and B are what these tensors are called

mod blocks;
mod chain;
mod charges;
mod input;
mod lanczos;
mod sweep;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use blocks::BlockChain;
use chain::Chain;
use charges::Conserving;
use input::{Expected, expected, operator};
use sweep::{Sweeps, Width};

const USAGE: &str = "usage: dmrg [MPO.npy SITES] [--bond N] [--tolerance W] [--sweeps N] [--charges]";

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
    width: Width,
    sweeps: usize,
    has_charges: bool,
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
    let mut chain: Box<dyn Sweeps> = if options.has_charges {
        let W = Conserving::new(&W)?.ok_or_else(|| Refused(format!("`{}` conserves no spin", options.file.display())))?;
        Box::new(BlockChain::new(W, options.sites, options.width)?)
    } else {
        Box::new(Chain::new(W, options.sites, options.width)?)
    };
    if !chain.is_symmetric()? {
        return Err(Refused(format!("`{}` is an operator that is not symmetric", options.file.display())));
    }
    writeln!(out, "{:>5} {:>20} {:>9} {:>6} {:>12} {:>9}", "sweep", "energy", "change", "bond", "discarded", "seconds")?;
    let mut energy = f64::INFINITY;
    for sweep in 1..=options.sweeps {
        let begin = Instant::now();
        let report = chain.sweep()?;
        let (bond, seconds) = (chain.largest_bond(), begin.elapsed().as_secs_f64());
        let change = report.energy - energy;
        writeln!(out, "{sweep:5} {:20.13} {change:9.1e} {bond:6} {:12.1e} {seconds:9.3}", report.energy, report.discarded)?;
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
    let mut options = Options { file, sites: 12, width: Width { bond: 64, tolerance: 1e-14 }, sweeps: 30, has_charges: false };
    let mut given: Vec<OsString> = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let name = argument.to_string_lossy().into_owned();
        if !name.starts_with("--") {
            given.push(argument);
            continue;
        }
        if name == "--charges" {
            options.has_charges = true;
            continue;
        }
        let value = arguments.next().ok_or_else(|| format!("`{name}` needs a value behind it; {USAGE}"))?;
        let text = value.to_string_lossy().into_owned();
        let count =
            || text.parse().ok().filter(|&n: &usize| n > 0).ok_or_else(|| format!("`{text}` is no number from 1 on; {USAGE}"));
        match name.as_str() {
            "--bond" => options.width.bond = count()?,
            "--sweeps" => options.sweeps = count()?,
            "--tolerance" => {
                let weight = text.parse().ok().filter(|weight: &f64| (0.0..1.0).contains(weight));
                options.width.tolerance = weight.ok_or_else(|| format!("`{text}` is no weight from 0 to below 1; {USAGE}"))?;
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
