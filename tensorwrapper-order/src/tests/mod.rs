//! Orders compared with their definition: random networks, and all orders there are where these are few.

mod exact;
mod paths;
mod trees;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::cost::{Minimize, Step};
use super::network::{Network, Path};
use tensorwrapper_core::graph::Label;

/// A random network: hyper-edges, labels of one factor alone or of all, labels of the result, factors without
/// labels, equal factors, parts that share nothing, and extents down to 0.
fn network(rng: &mut StdRng, factors: usize) -> Network {
    let labels = rng.random_range(1..2 * factors + 2);
    let density = rng.random_range(0.5..3.0) / labels as f64;
    let mut inputs: Vec<Vec<Label>> = Vec::new();
    let everywhere = rng.random_bool(0.2);
    for _ in 0..factors {
        match inputs.last() {
            Some(last) if rng.random_bool(0.1) => inputs.push(last.clone()),
            _ => inputs.push((0..labels).filter(|&l| (everywhere && l == 0) || rng.random_bool(density.min(0.9))).collect()),
        }
    }
    let share = rng.random_range(0.0..0.4);
    let is_used = |label: &Label| inputs.iter().flatten().any(|l| l == label);
    let output = (0..labels).filter(|label| rng.random_bool(share) && is_used(label)).collect();
    let least = if rng.random_bool(0.2) { 0 } else { 1 };
    let extents = (0..labels).map(|_| rng.random_range(least..5)).collect();
    Network { inputs, output, extents }
}

/// What products cost, by the definition: a list of live factors, and at each step the product of two extents of labels.
#[derive(Clone, Debug)]
struct Simulation<'n> {
    network: &'n Network,
    live: Vec<Option<Vec<Label>>>,
    steps: Vec<Step>,
}

impl<'n> Simulation<'n> {
    fn new(network: &'n Network) -> Simulation<'n> {
        Simulation { network, live: network.inputs.iter().cloned().map(Some).collect(), steps: Vec::new() }
    }

    fn run(network: &'n Network, path: &Path) -> Simulation<'n> {
        let mut simulation = Simulation::new(network);
        path.iter().for_each(|&pair| simulation.multiply(pair));
        assert_eq!(simulation.live.iter().flatten().count(), 1, "a path leaves one factor");
        simulation
    }

    fn multiply(&mut self, (a, b): (usize, usize)) {
        let [a, b] = [a, b].map(|factor| self.live[factor].take().expect("a path uses each factor once"));
        let union: Vec<Label> = a.iter().chain(b.iter().filter(|l| !a.contains(l))).copied().collect();
        let is_needed = |l: &Label| self.network.output.contains(l) || self.live.iter().flatten().flatten().any(|x| x == l);
        let kept: Vec<Label> = union.iter().filter(|l| is_needed(l)).copied().collect();
        let log = |labels: &[Label]| self.network.size(labels).log2();
        self.steps.push(Step { operations: log(&union), factors: [log(&a), log(&b)], result: log(&kept) });
        self.live.push(Some(kept));
    }

    /// The price of all steps.
    fn price(&self, minimize: Minimize) -> f64 {
        self.steps.iter().map(|&step| minimize.price(step).exp2()).sum()
    }

    fn operations(&self) -> f64 {
        self.price(Minimize::Operations)
    }

    fn largest(&self) -> f64 {
        self.steps.iter().map(|step| step.result.exp2()).fold(0.0, f64::max)
    }
}

/// Whether two numbers are one but for rounding.
#[track_caller]
fn assert_close(found: f64, expected: f64, case: &dyn std::fmt::Debug) {
    let close = (found - expected).abs() <= 1e-9 * expected.abs().max(1e-300) || found == expected;
    assert!(close, "{found} is not {expected}: {case:?}");
}

fn seeded(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}
