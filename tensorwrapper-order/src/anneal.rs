//! Simulated annealing of a tree by rotations. It must not know where the tree comes from.
//!
//! Source: G. Kalachev, P. Panteleev, M.-H. Yung, "Multi-tensor contraction for XEB verification of quantum circuits",
//! arXiv:2108.05665 (2021).

use super::clock::Clock;
use super::random::Random;
use super::tree::Tree;

/// How a tree is cooled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cooling {
    /// The first and the last temperature. The energy of a change is 1 if it makes two products cost twice as much.
    pub(super) from: f64,
    pub(super) to: f64,
    /// How often a change is tried for each product.
    pub(super) sweeps: usize,
}

/// The best tree that was found, or the given one if none was better.
pub(super) fn anneal(start: &Tree, cooling: Cooling, random: &mut Random, clock: &Clock) -> Tree {
    let mut tree = start.clone();
    let (mut best, mut least) = (None, start.total());
    let products = tree.products();
    for sweep in 0..cooling.sweeps {
        let passed = sweep as f64 / (cooling.sweeps.max(2) - 1) as f64;
        let temperature = cooling.from * (cooling.to / cooling.from).powf(passed);
        for _ in 0..products.len() {
            let bits = random.bits();
            let product = products.start + random.below(products.len());
            let Some(rotation) = tree.rotation(product, (bits & 1) as usize, (bits >> 1 & 1) as usize) else { continue };
            let (before, after) = tree.change(&rotation);
            if is_taken(before, after, temperature, random) {
                tree.rotate(&rotation);
            }
        }
        // Hot trees are hardly ever the best.
        if temperature < 0.5 || sweep + 1 == cooling.sweeps {
            let total = tree.total();
            if total < least - 1e-9 {
                least = total;
                best = Some(tree.clone());
            }
        }
        if clock.is_over() {
            break;
        }
    }
    best.unwrap_or_else(|| start.clone())
}

/// Whether a change is made: always if it is an improvement, otherwise with a probability that falls with the loss (Metropolis).
fn is_taken(before: [f64; 2], after: [f64; 2], temperature: f64, random: &mut Random) -> bool {
    let (old, new) = (before[0].max(before[1]), after[0].max(after[1]));
    let allowed = -temperature * random.unit().ln();
    // A sum is between its larger term and twice that, which decides most cases without a power.
    if new + 1.0 - old <= allowed {
        return true;
    }
    if new - old - 1.0 > allowed {
        return false;
    }
    let sum = |[x, y]: [f64; 2], most: f64| most + (1.0 + (x.min(y) - most).exp2()).log2();
    sum(after, new) - sum(before, old) <= allowed
}
