//! In which order the factors of a product are multiplied. A strategy is one file and one line in [`path`].
//!
//! | file | holds |
//! |---|---|
//! | `cost.rs` | what a product costs, what is to be least |
//! | `greedy.rs` | the pair next that shrinks most, with and without chance |
//! | `exact.rs`, `subsets.rs` | dynamic programming over subsets |
//! | `tree.rs` | a path that changes a little at little cost |
//! | `anneal.rs`, `reconfigure.rs` | improve a tree: by chance, by parts |
//! | `slice.rs` | labels to take one value of at a time |
//! | `auto.rs` | the search that uses all of these |
//! | `find.rs` | the door for those who want an order and nothing else |

mod anneal;
mod auto;
mod bits;
mod cost;
mod exact;
mod find;
mod greedy;
mod random;
mod reconfigure;
mod slice;
mod subsets;
#[cfg(test)]
mod tests;
mod tree;

use std::time::{Duration, Instant};

use crate::graph::Label;

pub use cost::{Minimize, Rates};
pub use find::{Found, Search, find};

/// How the order of products of three and more factors is found.
///
/// The same equation, order and seed give the same order of products, but for [`Budget`](Order::Budget), which takes what it
/// has found when time is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Order {
    /// The best order of up to 12 factors, a good one of more, quickly.
    #[default]
    Auto,
    /// The best order: of up to 16 factors among all orders, of more among those without outer products. Where
    /// the factors are so many, or share so many labels, that this cannot be searched, the same as [`Auto`](Order::Auto).
    Exact,
    /// The pair next that shrinks the tensors most.
    Greedy,
    /// The best order that is found in this time; of up to 16 factors the best there is, whatever time it takes.
    Budget(Duration),
    /// From left to right.
    AsWritten,
}

/// A product: the labels of its factors and of its result.
#[derive(Clone, Debug)]
pub(crate) struct Network {
    /// Labels of each factor, each once.
    pub(crate) inputs: Vec<Vec<Label>>,
    /// Labels of the result.
    pub(crate) output: Vec<Label>,
    /// The extent of each label.
    pub(crate) extents: Vec<usize>,
}

/// Pairs of factors in the order of multiplication. Factors are numbered from 0; each product gets the next number.
pub(crate) type Path = Vec<(usize, usize)>;

/// When a search has to end.
#[derive(Clone, Copy, Debug)]
struct Clock {
    end: Option<Instant>,
}

impl Clock {
    /// One that strikes after a time; never without one, nor after more time than clocks count.
    fn new(time: Option<Duration>) -> Clock {
        Clock { end: time.and_then(|time| Instant::now().checked_add(time)) }
    }

    fn is_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// An order for a product of one or more factors.
pub(crate) fn path(network: &Network, order: Order, seed: u64) -> Path {
    search(network, order, Minimize::Operations, seed, None).0
}

/// An order, and whether no other is better. `rounds` of annealing, where they are given, make [`Order::Auto`] search longer.
fn search(network: &Network, order: Order, minimize: Minimize, seed: u64, rounds: Option<usize>) -> (Path, bool) {
    let auto = |effort, time| auto::search(network, minimize, effort, seed, &Clock::new(time));
    // Searches of large networks take longer, so there are fewer.
    let starts = |of_all: usize, most: usize| (of_all / network.inputs.len().max(1)).min(most);
    let quick = auto::Effort { exact: 12, starts: starts(400, 8), rounds: rounds.unwrap_or(0) };
    let long = auto::Effort { exact: exact::DENSE, starts: starts(2000, 64), rounds: usize::MAX };
    match order {
        Order::Auto => auto(quick, None),
        Order::Exact if network.inputs.len() <= exact::DENSE => (auto::small(network, minimize), true),
        Order::Exact => {
            let (good, _) = auto(quick, None);
            let price = |path: &Path| cost::cost(network, path, minimize).price;
            match exact::connected(network, minimize, price(&good)) {
                // Outer products, which only the other search makes, may be better still.
                Some(best) => (if price(&best) <= price(&good) { best } else { good }, true),
                None => (good, false),
            }
        }
        Order::Greedy => (greedy::greedy(network), false),
        Order::Budget(time) => auto(long, Some(time)),
        Order::AsWritten => (as_written(network.inputs.len()), false),
    }
}

fn as_written(factors: usize) -> Path {
    let product = |n: usize| if n == 0 { 0 } else { factors + n - 1 };
    (0..factors.saturating_sub(1)).map(|n| (product(n), n + 1)).collect()
}

impl Network {
    /// The labels that the product of two factors keeps: those that somebody else needs.
    pub(crate) fn kept([a, b]: [&[Label]; 2], is_needed: impl Fn(Label) -> bool) -> Vec<Label> {
        let mut kept: Vec<Label> = Vec::new();
        // Batch labels first, then those of one factor, then those of the other: as a matrix product leaves them.
        let shared = a.iter().filter(|l| b.contains(l));
        for label in shared.chain(a).chain(b) {
            if is_needed(*label) && !kept.contains(label) {
                kept.push(*label);
            }
        }
        kept
    }

    /// Number of elements of a tensor of these labels.
    pub(crate) fn size(&self, labels: &[Label]) -> f64 {
        labels.iter().map(|&l| self.extents[l] as f64).product()
    }
}
