//! In which order the factors of a product are multiplied. A strategy is one file and one line in [`path`].
//!
//! | file | holds |
//! |---|---|
//! | `cost.rs` | what a product costs, what is to be least |
//! | `greedy.rs` | the pair next that shrinks most, with and without chance |
//! | `few.rs` | the best order of at most five |
//! | `exact.rs`, `subsets.rs` | dynamic programming over subsets |
//! | `tree.rs` | a path that changes a little at little cost |
//! | `anneal.rs`, `reconfigure.rs` | improve a tree: by chance, by parts |
//! | `slice.rs` | labels to take one value of at a time |
//! | `sequence.rs` | which of two factors is computed first |
//! | `auto.rs` | the search that uses all of these |
//! | `given.rs` | an order that the program gives |
//! | `find.rs` | the door for those who want an order and nothing else |

mod anneal;
mod auto;
mod bits;
mod cost;
mod exact;
mod few;
mod find;
mod given;
mod greedy;
mod random;
mod reconfigure;
mod sequence;
mod slice;
mod subsets;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;
use std::time::{Duration, Instant};

use smallvec::SmallVec;

use tensorwrapper_core::error::Error;
use tensorwrapper_core::graph::Label;

pub use cost::{Minimize, Rates};
pub use few::Few;
pub use find::{Found, Search, find};

/// How the order of products of three and more factors is found.
///
/// The same equation, order and seed give the same order of products, but for [`Budget`](Order::Budget), which takes what it
/// has found when time is up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
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
    /// These pairs, as NumPy's `einsum_path` counts them: positions in the list of the factors that are left, to whose end each
    /// product goes. It is the order of every product of three and more factors that an equation or a block has; one that it
    /// does not fit is an [`ErrorKind::Order`](crate::ErrorKind::Order). See [`Order::path`].
    Path(Arc<[(usize, usize)]>),
}

impl Order {
    /// The order of these pairs; see [`Order::Path`].
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Order, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let from_the_right = Context::cpu().order(Order::path([(1, 2), (0, 1)]));
    /// assert_eq!(from_the_right.einsum("ij,jk,kl->il", &[&a, &a, &a])?.as_slice(), [4.0; 4]);
    ///
    /// let error = from_the_right.einsum("ij,jk,kl,lm->im", &[&a, &a, &a, &a]).unwrap_err();
    /// assert_eq!(error.to_string(), "the path has 2 pairs, but a product of 4 factors is made of 3");
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn path(pairs: impl IntoIterator<Item = (usize, usize)>) -> Order {
        Order::Path(pairs.into_iter().collect())
    }

    /// Whether it is the best order wherever factors are few.
    fn is_exact_for_few(&self) -> bool {
        match self {
            Order::Auto | Order::Exact | Order::Budget(_) => true,
            Order::Greedy | Order::AsWritten | Order::Path(_) => false,
        }
    }
}

/// A product: the labels of its factors and of its result.
#[derive(Clone, Debug)]
pub struct Network {
    /// Labels of each factor, each once.
    pub inputs: Vec<Vec<Label>>,
    /// Labels of the result.
    pub output: Vec<Label>,
    /// The extent of each label.
    pub extents: Vec<usize>,
}

/// Pairs of factors in the order of multiplication. Factors are numbered from 0; each product gets the next number.
pub type Path = Vec<(usize, usize)>;

/// Labels of a tensor, each once: few enough to need no memory of their own.
pub type Labels = SmallVec<[Label; 6]>;

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
///
/// # Errors
/// A path that the program gives and that does not fit.
pub fn path(network: &Network, order: &Order, minimize: Minimize, seed: u64) -> Result<Path, Error> {
    if minimize == Minimize::Operations
        && order.is_exact_for_few()
        && let Some(few) = Few::of(network)
    {
        return Ok(few.best().path);
    }
    Ok(sequence::least_held(network, search(network, order, minimize, seed, None)?.0, &[]))
}

/// An order for whoever does not say what it is to have least of: the fewest operations. In a long product with a label on three and more
/// tensors they may be the fewest and not take the least time: the order of least time is taken then, where that is less.
///
/// # Errors
/// As [`path`].
pub fn usual(network: &Network, order: &Order, seed: u64) -> Result<Path, Error> {
    if let Some(path) = Few::of(network).and_then(|few| usual_of_few(&few, order)) {
        return Ok(path);
    }
    let fewest = path(network, order, Minimize::Operations, seed)?;
    let is_long = || cost::cost(network, &fewest, Minimize::Operations).operations >= LONG;
    if *order != Order::Auto || !network.has_hyper_edge() || !is_long() {
        return Ok(fewest);
    }
    let time = Minimize::Time(Rates::default());
    let quickest = path(network, order, time, seed)?;
    let seconds = |path: &Path| cost::cost(network, path, time).price;
    Ok(if seconds(&quickest) < seconds(&fewest) { quickest } else { fewest })
}

/// The [`usual`] order of a few factors, where one search tells it: it is the best, and no order of less time is to be looked for.
pub fn usual_of_few(few: &Few<'_>, order: &Order) -> Option<Path> {
    if !order.is_exact_for_few() {
        return None;
    }
    let best = few.best();
    let is_searched_again = *order == Order::Auto && few.has_hyper_edge() && best.operations >= LONG.exp2();
    (!is_searched_again).then_some(best.path)
}

/// The logarithm of the operations of a product that is worth a second search.
const LONG: f64 = 20.0;

/// An order of parts: the pairs, and of each label that is cut, ascending, how many of its values are taken at a time, which divide
/// its extent. No product has more elements than `limit`, a logarithm not below 0, but that the result may, unless parts of it
/// are added up. `path` is changed where it is not the program's own.
pub fn cut(
    network: &Network,
    path: &Path,
    (order, minimize, seed): (&Order, Minimize, u64),
    limit: f64,
) -> (Path, Vec<(Label, usize)>) {
    let tree = tree::Tree::new(network, bits::Weights::new(&network.extents), path, minimize);
    let is_free = match order {
        Order::Auto | Order::Exact | Order::Budget(_) => true,
        Order::Greedy | Order::AsWritten | Order::Path(_) => false,
    };
    let limits = slice::Limits { elements: limit, adds: true, is_free };
    let (sliced, mut tree) = slice::slice(network, tree, limits, &mut random::Random::new(seed, 1), &Clock::new(None));
    if sliced.is_empty() {
        return (path.clone(), Vec::new());
    }
    let lengths = slice::lengths(network, &mut tree, limits, &sliced);
    let path = if is_free { tree.path() } else { path.clone() };
    (sequence::least_held(network, path, &lengths), lengths)
}

/// An order, and whether no other is better. `rounds` of annealing, where they are given, make [`Order::Auto`] search longer.
///
/// # Errors
/// A path that the program gives and that does not fit.
fn search(network: &Network, order: &Order, minimize: Minimize, seed: u64, rounds: Option<usize>) -> Result<(Path, bool), Error> {
    let auto = |effort, time| auto::search(network, minimize, effort, seed, &Clock::new(time));
    // Searches of large networks take longer, so there are fewer.
    let starts = |of_all: usize, most: usize| (of_all / network.inputs.len().max(1)).min(most);
    let quick = auto::Effort { exact: 12, starts: starts(400, 8), rounds: rounds.unwrap_or(0) };
    let long = auto::Effort { exact: exact::DENSE, starts: starts(2000, 64), rounds: usize::MAX };
    Ok(match order {
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
        Order::Budget(time) => auto(long, Some(*time)),
        Order::AsWritten => (as_written(network.inputs.len()), false),
        Order::Path(pairs) => (given::given(pairs, network.inputs.len())?, false),
    })
}

fn as_written(factors: usize) -> Path {
    let product = |n: usize| if n == 0 { 0 } else { factors + n - 1 };
    (0..factors.saturating_sub(1)).map(|n| (product(n), n + 1)).collect()
}

impl Network {
    /// The labels that the product of two factors keeps: those that somebody else needs.
    pub fn kept([a, b]: [&[Label]; 2], is_needed: impl Fn(Label) -> bool) -> Labels {
        let mut kept = Labels::new();
        // Batch labels first, then those of one factor, then those of the other: as a matrix product leaves them.
        let shared = a.iter().filter(|l| b.contains(l));
        for label in shared.chain(a).chain(b) {
            if is_needed(*label) && !kept.contains(label) {
                kept.push(*label);
            }
        }
        kept
    }

    /// Whether a label is on three and more tensors, the result included.
    fn has_hyper_edge(&self) -> bool {
        let mut holders = vec![0u32; self.extents.len()];
        self.inputs.iter().chain([&self.output]).flatten().for_each(|&label| holders[label] += 1);
        holders.into_iter().any(|count| count > 2)
    }

    /// Number of elements of a tensor of these labels.
    pub fn size(&self, labels: &[Label]) -> f64 {
        labels.iter().map(|&l| self.extents[l] as f64).product()
    }
}
