//! [`find`]: the entry point for programs that want an order and nothing else. It checks the input, and returns the costs with the order.

use super::bits::{NOTHING, Weights};
use super::clock::Clock;
use super::cost::Minimize;
use super::network::Network;
use super::order::Order;
use super::random::Random;
use super::search::search as find_path;
use super::slice;
use super::tree::Tree;
use tensorwrapper_core::error::{Error, ErrorKind};

/// The settings of [`find`].
///
/// ```
/// use std::time::Duration;
/// # mod tensorwrapper { pub use tensorwrapper_order as order; pub use tensorwrapper_order::Order; }
/// use tensorwrapper::{Order, order::{Minimize, Search}};
/// let search = Search::new().order(Order::Budget(Duration::from_secs(1))).minimize(Minimize::Size).seed(7);
/// # let _ = search;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Search {
    order: Order,
    minimize: Minimize,
    seed: u64,
    rounds: Option<usize>,
    limit: Option<f64>,
}

impl Search {
    /// The settings that an equation has by default: [`Order::Auto`], fewest operations, seed 0, no limit.
    #[must_use]
    pub fn new() -> Search {
        Search::default()
    }

    /// Sets the strategy.
    #[must_use]
    pub fn order(self, order: Order) -> Search {
        Search { order, ..self }
    }

    /// Sets what the order minimizes; operations by default. [`Order::Greedy`], [`Order::AsWritten`] and [`Order::Path`] do not use it.
    #[must_use]
    pub fn minimize(self, minimize: Minimize) -> Search {
        Search { minimize, ..self }
    }

    /// Sets the seed of the random numbers. The same seed gives the same order.
    #[must_use]
    pub fn seed(self, seed: u64) -> Search {
        Search { seed, ..self }
    }

    /// Sets the number of rounds of simulated annealing for [`Order::Auto`], 0 by default. More rounds find better orders and take
    /// longer.
    #[must_use]
    pub fn rounds(self, rounds: usize) -> Search {
        Search { rounds: Some(rounds), ..self }
    }

    /// Sets the most elements that an intermediate may have. Labels are sliced until no intermediate has more; the result itself may have
    /// more. Slicing may change the order, also that of [`Order::AsWritten`] and [`Order::Path`].
    #[must_use]
    pub fn limit(self, elements: f64) -> Search {
        Search { limit: Some(elements), ..self }
    }
}

/// An order of products, and its costs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Found {
    /// Pairs of factors in the order of multiplication. Factors are numbered from 0 and each product gets the next number.
    pub pairs: Vec<(usize, usize)>,
    /// The sliced labels, ascending. The whole order is run once for each combination of their values. The results of these runs are
    /// added up or, along labels that the result has, put together.
    pub sliced: Vec<usize>,
    /// Logarithm to base 2 of the multiplications, in all slices together; −∞ if there are none.
    pub log2_operations: f64,
    /// Logarithm to base 2 of the number of elements of the largest product in a slice, the result included.
    pub log2_largest: f64,
    /// Whether it is known that no other order is better in what was minimized; see [`Order::Exact`] and [`Minimize`].
    pub is_best: bool,
}

impl Found {
    /// The pairs in the numbers of NumPy's `einsum_path`: positions in the list of remaining factors. Each product is appended to the end
    /// of that list.
    pub fn linear(&self) -> Vec<(usize, usize)> {
        let mut left: Vec<usize> = (0..=self.pairs.len()).collect();
        let mut next = left.len();
        let pair = |&(a, b): &(usize, usize)| {
            let position = |factor| left.binary_search(&factor).expect("a path uses each factor once");
            let (a, b) = (position(a.min(b)), position(a.max(b)));
            left.remove(b);
            left.remove(a);
            left.push(next);
            next += 1;
            (a, b)
        };
        self.pairs.iter().map(pair).collect()
    }
}

/// Finds an order for a product of tensors. `inputs` has the labels of each tensor's axes, and a label is a position in `extents`. The
/// result has the labels of `output`; all others are summed. A label may be on any number of tensors, and twice on one, where it means a
/// diagonal. No elements are needed, and nothing is computed.
///
/// # Errors
/// If there are no tensors, a label has no extent, no tensor has a label of `output`, the pairs of [`Order::Path`] do not fit, or the limit
/// is below one element.
///
/// ```
/// # mod tensorwrapper { pub use tensorwrapper_order as order; pub use tensorwrapper_order::Order; }
/// use tensorwrapper::order::{Search, find};
/// // ij,jk,k->i with j the longest: from the right.
/// let found = find(&[vec![0, 1], vec![1, 2], vec![2]], &[0], &[10, 1000, 20], &Search::new())?;
/// assert_eq!(found.pairs, [(1, 2), (0, 3)]);
/// assert_eq!(found.log2_operations.exp2().round(), 1000.0 * 20.0 + 10.0 * 1000.0);
/// # Ok::<(), tensorwrapper_order::Error>(())
/// ```
pub fn find(inputs: &[Vec<usize>], output: &[usize], extents: &[usize], search: &Search) -> Result<Found, Error> {
    let network = checked(inputs, output, extents)?;
    let limit = match search.limit {
        // Not a number is no limit to be met either.
        Some(elements) if elements < 1.0 || elements.is_nan() => {
            let message = format!("no product has at most {elements} elements: the least is 1");
            return Err(Error::new(ErrorKind::Shape(message)));
        }
        limit => limit.map_or(f64::INFINITY, f64::log2),
    };
    let (path, is_best) = find_path(&network, &search.order, search.minimize, search.seed, search.rounds)?;
    let tree = Tree::new(&network, Weights::new(extents), &path, search.minimize);
    let limits = slice::Limits { elements: limit, adds: false, is_free: true };
    let mut random = Random::new(search.seed, 1);
    let (sliced, tree) = slice::slice(&network, tree, limits, &mut random, &Clock::new(None));
    let cost = tree.cost();
    let slices: f64 = sliced.iter().map(|&label| (extents[label] as f64).log2()).sum();
    // An untouched tree is the path as it was found, in its order.
    let (pairs, is_best) = if sliced.is_empty() { (path, is_best) } else { (tree.path(), false) };
    // Logarithms of nothing are finite only among themselves.
    let log2 = |log: f64| if log < NOTHING / 2.0 { f64::NEG_INFINITY } else { log };
    Ok(Found { pairs, sliced, log2_operations: log2(cost.operations + slices), log2_largest: log2(cost.largest), is_best })
}

fn checked(inputs: &[Vec<usize>], output: &[usize], extents: &[usize]) -> Result<Network, Error> {
    let refuse = |message: String| Err(Error::new(ErrorKind::Label(message)));
    let mut is_used = vec![false; extents.len()];
    let mut factors = Vec::with_capacity(inputs.len());
    for (n, labels) in inputs.iter().enumerate() {
        if let Some(label) = labels.iter().find(|&&label| label >= extents.len()) {
            return refuse(format!("label {label} of tensor {n} has no extent: there are {}", extents.len()));
        }
        labels.iter().for_each(|&label| is_used[label] = true);
        factors.push(once(labels));
    }
    if let Some(label) = output.iter().find(|&&label| !is_used.get(label).copied().unwrap_or(false)) {
        return refuse(format!("label {label} of the result is on no tensor"));
    }
    if inputs.is_empty() {
        return Err(Error::new(ErrorKind::Shape("a product needs at least one tensor".to_string())));
    }
    Ok(Network { inputs: factors, output: once(output), extents: extents.to_vec() })
}

/// Labels without repetition, ascending.
fn once(labels: &[usize]) -> Vec<usize> {
    let mut labels = labels.to_vec();
    labels.sort_unstable();
    labels.dedup();
    labels
}
