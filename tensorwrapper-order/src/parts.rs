//! Orders for products that are made in parts: labels are cut until every product is small enough to be held.

use tensorwrapper_core::graph::Label;

use super::bits::Weights;
use super::clock::Clock;
use super::cost::Minimize;
use super::network::{Network, Path};
use super::order::Order;
use super::random::Random;
use super::tree::Tree;
use super::{sequence, slice};

/// An order for a product that is made in parts. Returns the pairs and the labels that are cut, ascending, each with the number of its
/// values that are taken at a time, a divisor of its extent. `limit` is the logarithm of the most elements that a product may have, and
/// is not below 0. The result may have more, unless parts of it are added up. The pairs are those of `path`, or better ones if the
/// program has not chosen the order.
pub fn cut(
    network: &Network,
    path: &Path,
    (order, minimize, seed): (&Order, Minimize, u64),
    limit: f64,
) -> (Path, Vec<(Label, usize)>) {
    let tree = Tree::new(network, Weights::new(&network.extents), path, minimize);
    let is_free = match order {
        Order::Auto | Order::Exact | Order::Budget(_) => true,
        Order::Greedy | Order::AsWritten | Order::Path(_) => false,
    };
    let limits = slice::Limits { elements: limit, adds: true, is_free };
    let (sliced, mut tree) = slice::slice(network, tree, limits, &mut Random::new(seed, 1), &Clock::new(None));
    if sliced.is_empty() {
        return (path.clone(), Vec::new());
    }
    let lengths = slice::lengths(network, &mut tree, limits, &sliced);
    let path = if is_free { tree.path() } else { path.clone() };
    (sequence::least_held(network, path, &lengths), lengths)
}
