//! Judges every decomposition by its residual, over as many matrices as are asked for, and prints a table.
//!
//! ```text
//! cargo run --release --example residuals -- 1000000            # so many matrices, on one thread
//! cargo run --release --example residuals -- 10000 7 eig        # the seed of the random numbers, and one operation alone
//! ```
//!
//! The families and the bounds are those of `tests/residuals`. Columns are operations, rows are families: how many matrices, the largest
//! residual by its bound, and how many were refused because they are singular up to rounding.
//!
//! Exit status 0: all within their bounds. 1: some were not, and are printed. 2: the arguments are none.

#[path = "../../tests/residuals/mod.rs"]
mod residuals;

use std::process::ExitCode;

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use residuals::families::NAMES;
use residuals::judge::Kind;
use residuals::{Case, Tally};
use tensorwrapper::Context;

const USAGE: &str = "usage: residuals COUNT [SEED [OPERATION]]";

/// Matrices that are not within their bounds, of which no more are printed.
const PRINTED: usize = 40;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (Some(Ok(count)), seed, kind) = (
        arguments.first().map(|count| count.parse::<usize>()),
        arguments.get(1).map_or(Ok(1), |seed| seed.parse::<u64>()),
        arguments.get(2),
    ) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|k| kind.is_none_or(|name| name == k.name())).collect();
    let (Ok(seed), false) = (seed, kinds.is_empty()) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let tallies = tallied(count, &kinds, &mut StdRng::seed_from_u64(seed));
    print(&kinds, &tallies)
}

/// What was found of each operation, family by family.
fn tallied(count: usize, kinds: &[Kind], rng: &mut StdRng) -> Vec<Vec<Tally>> {
    let context = Context::cpu().threads(1);
    let mut tallies = vec![vec![Tally::default(); NAMES.len()]; kinds.len()];
    let (mut done, mut round) = (0, 0);
    while done < count {
        let (k, family) = (round % kinds.len(), round / kinds.len() % NAMES.len());
        // Most are small, some are not.
        let (most, batch) = match rng.random_range(0..400) {
            0 => (80, 1),
            1..=8 => (30, 2),
            9..=60 => (16, 16),
            61..=120 => (8, 3),
            _ => (8, 32),
        };
        let case = Case::drawn(rng, kinds[k], family, most, batch);
        let found = match rng.random_range(0..4) {
            0 => case.run::<f32>(rng, &context),
            1 => case.run::<f64>(rng, &context),
            2 => case.run::<Complex<f32>>(rng, &context),
            _ => case.run::<Complex<f64>>(rng, &context),
        };
        done += found.matrices;
        tallies[k][family].add(found);
        round += 1;
    }
    tallies
}

fn print(kinds: &[Kind], tallies: &[Vec<Tally>]) -> ExitCode {
    println!("| | {} |", NAMES.join(" | "));
    println!("|---{}|", "|---".repeat(NAMES.len()));
    let mut all = Tally::default();
    for (kind, families) in kinds.iter().zip(tallies) {
        let cell = |tally: &Tally| match tally.refused {
            0 => format!("{}: {:.2}", tally.matrices, tally.worst),
            refused => format!("{}: {:.2}, {refused} refused", tally.matrices, tally.worst),
        };
        println!("| `{}` | {} |", kind.name(), families.iter().map(cell).collect::<Vec<_>>().join(" | "));
        families.iter().for_each(|tally| all.add(tally.clone()));
    }
    println!("\n{} matrices, {} refused, {} not within their bounds.", all.matrices, all.refused, all.faults.len());
    all.faults.iter().take(PRINTED).for_each(|fault| println!("{fault}"));
    ExitCode::from(u8::from(!all.faults.is_empty()))
}
