//! Times products of block tensors: U(1) two-site products, small blocks, block-sparse matrices, and the particle ladder of spin orbitals.
//!
//! `cargo run --release --example bench_blocks -- --threads 1` prints a line for each case: its name, then microseconds of a prepared run
//! into a result that exists, of a call whose plan is kept, of planning, and of the same product over dense tensors, each the median of
//! some runs. `benches/peers/blocks.py` times the peers.

use std::time::{Duration, Instant};

use serde_json::Value;
use tensorwrapper::{Blocks, Context, DynOperand, Error, RecordOperand, Structure, Symmetry, Tensor, Tiling};

/// The bonds of the U(1) cases.
const BONDS: &str = include_str!("../data/structured/u1_bonds.json");
/// Time that a case is run for, at least.
const LONG: Duration = Duration::from_millis(300);

fn main() -> Result<(), Error> {
    let option = |name: &str| std::env::args().skip_while(|argument| argument != name).nth(1);
    let threads = option("--threads").and_then(|n| n.parse().ok()).unwrap_or(1);
    let timing = Timing { context: Context::cpu().threads(threads), only: option("--only") };
    let bonds: Value = serde_json::from_str(BONDS).expect("the file of bonds is JSON");
    for bond in bonds["bonds"].as_array().into_iter().flatten() {
        let axis = |name: &str| -> Result<Tiling, Error> {
            let list =
                |field: &str| bond[name][field].as_array().into_iter().flatten().filter_map(Value::as_i64).collect::<Vec<_>>();
            Tiling::cuts(list("extents").into_iter().map(|n| n as usize)).charged(list("charges"))
        };
        let site = Tiling::cuts([1, 1]).charged([-1, 1])?;
        let (l, m, r) = (axis("l")?, axis("m")?, axis("r")?);
        let a = filled(&Structure::new([&l, &site, &m]).flow([1, 1, -1], [0])?)?;
        let b = filled(&Structure::new([&m, &site, &r]).flow([1, 1, -1], [0])?)?;
        timing.case(&format!("u1-{}", bond["size"]), "lsm,mtr->lstr", &[&a, &b])?;
    }
    // Pairs of blocks of 4 × 4, all of them.
    let small = Tiling::even(64, 4);
    let small = filled(&Structure::new([&small, &small]))?;
    timing.case("small-4", "ik,kj->ij", &[&small, &small])?;
    for (tile, fill) in [(64, 0.05), (64, 0.2), (64, 0.5), (16, 0.2)] {
        let cut = Tiling::even(2048, tile);
        let [a, b] = [1, 2].map(|seed| filled(&drawn(&cut, fill, seed)?));
        timing.case(&format!("matrix-{tile}-{fill}"), "ik,kj->ij", &[&a?, &b?])?;
    }
    ladder(&timing)
}

/// `tau[i, j, e, f] * W[a, b, e, f]` of water in cc-pVDZ, over spin orbitals.
fn ladder(timing: &Timing) -> Result<(), Error> {
    let occupied = Tiling::cuts([2, 3, 2, 3]).charged([1, 1, -1, -1])?;
    let virtuals = Tiling::cuts([5, 5, 5, 4, 5, 5, 5, 4]).charged([1, 1, 1, 1, -1, -1, -1, -1])?;
    let pairs = Symmetry::none(4).antisymmetric([0, 1])?.antisymmetric([2, 3])?;
    let tau = Structure::new([&occupied, &occupied, &virtuals, &virtuals]).with(pairs.clone())?.flow([1, 1, -1, -1], [0])?;
    let w = Structure::new([&virtuals; 4]).with(pairs)?.flow([1, 1, -1, -1], [0])?;
    timing.case("ladder", "ijef,efab->ijab", &[&filled(&tau)?, &filled(&w)?])
}

/// A share of the blocks of a square matrix.
fn drawn(cut: &Tiling, fill: f64, seed: u64) -> Result<Structure, Error> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / 2f64.powi(31)
    };
    let all = Structure::new([cut, cut]);
    let blocks: Vec<Vec<usize>> = all.stored()?.iter().filter(|_| next() < fill).collect();
    all.with_blocks(&blocks)
}

fn filled(structure: &Structure) -> Result<Blocks<f64>, Error> {
    Blocks::from_fn(structure, |index| index.iter().fold(0.5, |x, &n| (x * 7.3 + n as f64 * 0.37).sin()))
}

/// What is timed, and where.
struct Timing {
    context: Context,
    /// A part of the names of cases that are timed.
    only: Option<String>,
}

impl Timing {
    /// Times one product.
    fn case(&self, name: &str, subscripts: &str, operands: &[&Blocks<f64>; 2]) -> Result<(), Error> {
        if self.only.as_ref().is_some_and(|only| !name.contains(only.as_str())) {
            return Ok(());
        }
        let context = &self.context;
        let (inputs, written) = subscripts.split_once("->").expect("subscripts have an arrow");
        let (left, right) = inputs.split_once(',').expect("there are two operands");
        let commas = |labels: &str| labels.chars().map(String::from).collect::<Vec<_>>().join(", ");
        let same = std::ptr::eq(operands[0], operands[1]);
        let other = if same { "A" } else { "B" };
        let equation = format!("[{}] = A[{}] * {other}[{}]", commas(written), commas(left), commas(right));
        let given: [&dyn DynOperand<f64>; 2] = [operands[0], operands[1]];
        let names: [(&str, &dyn RecordOperand<f64>); 2] = [("A", operands[0]), ("B", operands[1])];
        let distinct = if same { 1 } else { 2 };
        let (names, distinct) = (&names[..distinct], &given[..distinct]);
        let prepared = context.prepare_blocks(&equation, names)?;
        let mut result = Blocks::zeros(prepared.structure())?;
        let ready = median(&mut || prepared.run_to(distinct, &mut result))?;
        let called = median(&mut || context.einsum_blocks(subscripts, &given).map(drop))?;
        let mut runs = 0;
        // A plan that is kept for an equation would be found: each run has labels of its own.
        let mut planned = || {
            runs += 1;
            let own = |labels: &str| labels.chars().map(|label| format!("{label}{runs}")).collect::<Vec<_>>().join(", ");
            let equation = format!("[{}] = A[{}] * {other}[{}]", own(written), own(left), own(right));
            context.prepare_blocks(&equation, names).map(drop)
        };
        let planning = median(&mut planned)?;
        let dense: Vec<Tensor<f64>> = operands.iter().map(|operand| operand.to_dense()).collect::<Result<_, _>>()?;
        let dense = median(&mut || context.einsum(subscripts, &[&dense[0], &dense[1]]).map(drop))?;
        let (tuples, work) = (prepared.tuples(), prepared.multiplications());
        println!(
            "{name:14} prepared {ready:10.1} called {called:10.1} planning {planning:10.1} dense {dense:10.1} tuples {tuples} multiplications {work}"
        );
        Ok(())
    }
}

/// The median time of a run, in microseconds.
fn median(run: &mut dyn FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    run()?;
    let (begun, mut times) = (Instant::now(), Vec::new());
    while times.len() < 5 || begun.elapsed() < LONG {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[times.len() / 2])
}
