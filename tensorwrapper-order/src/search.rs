//! From an [`Order`] to a path: chooses the strategy, and how long it runs. A new strategy is one line in [`search`].

use tensorwrapper_core::error::Error;

use super::clock::Clock;
use super::cost::{Minimize, Rates};
use super::few::Few;
use super::network::{Network, Path};
use super::order::Order;
use super::{auto, exact, given, greedy, sequence, tree};

/// Finds an order for a product of one or more factors.
///
/// # Errors
/// When the program gives a path that does not fit.
pub fn path(network: &Network, order: &Order, minimize: Minimize, seed: u64) -> Result<Path, Error> {
    if minimize == Minimize::Operations
        && order.is_exact_for_few()
        && let Some(few) = Few::of(network)
    {
        return Ok(few.best().path);
    }
    Ok(sequence::least_held(network, search(network, order, minimize, seed, None)?.0, &[]))
}

/// Finds an order for programs that do not say what to minimize. This is the order of fewest operations, with one exception: in a long
/// product with a label on three or more tensors, that order may not be the fastest, because its products are not products of matrices.
/// Then the order of least estimated time is searched, and taken if its time is less.
///
/// # Errors
/// As [`path`].
pub fn usual(network: &Network, order: &Order, seed: u64) -> Result<Path, Error> {
    if let Some(path) = Few::of(network).and_then(|few| usual_of_few(&few, order)) {
        return Ok(path);
    }
    let fewest = path(network, order, Minimize::Operations, seed)?;
    let is_long = || tree::cost(network, &fewest, Minimize::Operations).operations >= LONG;
    if *order != Order::Auto || !network.has_hyper_edge() || !is_long() {
        return Ok(fewest);
    }
    let time = Minimize::Time(Rates::default());
    let quickest = path(network, order, time, seed)?;
    let seconds = |path: &Path| tree::cost(network, path, time).price;
    Ok(if seconds(&quickest) < seconds(&fewest) { quickest } else { fewest })
}

/// The [`usual`] order for a few factors, if a single search finds it. `None` if [`usual`] would search in another way, or search again
/// for the least time.
pub fn usual_of_few(few: &Few<'_>, order: &Order) -> Option<Path> {
    if !order.is_exact_for_few() {
        return None;
    }
    let best = few.best();
    let is_searched_again = *order == Order::Auto && few.has_hyper_edge() && best.operations >= LONG.exp2();
    (!is_searched_again).then_some(best.path)
}

/// The logarithm of the number of operations from which a second search is worth its time.
const LONG: f64 = 20.0;

/// An order, and whether it is known that no other is better. `rounds` of annealing, if they are given, make [`Order::Auto`] search
/// longer.
///
/// # Errors
/// When the program gives a path that does not fit.
pub(super) fn search(
    network: &Network,
    order: &Order,
    minimize: Minimize,
    seed: u64,
    rounds: Option<usize>,
) -> Result<(Path, bool), Error> {
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
            let price = |path: &Path| tree::cost(network, path, minimize).price;
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
