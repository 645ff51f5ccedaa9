//! The greedy order: at each step the pair whose product is smallest against what it replaces.
//!
//! Source: D. G. A. Smith, J. Gray, "opt_einsum", J. Open Source Softw. 3, 753 (2018).

use super::{Network, Path};
use crate::graph::Label;

/// A pair that may be next: its positions among the live factors, and the labels of its product.
struct Candidate {
    cost: (f64, f64),
    pair: (usize, usize),
    kept: Vec<Label>,
}

/// At each step, size of the product less the sizes of its factors; among equals the fewest operations, then the
/// earliest pair, so that the answer depends on nothing else.
pub(super) fn greedy(network: &Network) -> Path {
    let mut live: Vec<(usize, Vec<Label>)> = network.inputs.iter().cloned().enumerate().collect();
    let mut next = live.len();
    let mut path = Path::new();
    while live.len() > 1 {
        let mut best: Option<Candidate> = None;
        for i in 0..live.len() {
            for j in i + 1..live.len() {
                let (a, b) = (&live[i].1, &live[j].1);
                let others = live.iter().enumerate().filter(|(n, _)| *n != i && *n != j).map(|(_, (_, labels))| labels);
                let kept = network.kept([a, b], others);
                let mut all = a.clone();
                all.extend(b.iter().filter(|l| !a.contains(l)));
                let cost = (network.size(&kept) - network.size(a) - network.size(b), network.size(&all));
                if best.as_ref().is_none_or(|known| cost < known.cost) {
                    best = Some(Candidate { cost, pair: (i, j), kept });
                }
            }
        }
        let Candidate { pair: (i, j), kept, .. } = best.expect("two factors make a pair");
        let (b, a) = (live.remove(j), live.remove(i));
        path.push((a.0, b.0));
        live.push((next, kept));
        next += 1;
    }
    path
}
