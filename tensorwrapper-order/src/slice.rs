//! Slices labels, so that no intermediate is larger than a limit: one value of such a label is taken at a time. The file must not know
//! who runs the slices.
//!
//! Labels are chosen one at a time, and the tree is improved after each choice, because the best order of the whole product is not the
//! best order of a slice.

use super::bits::{labels, log2};
use super::clock::Clock;
use super::cost::{Objective, sum};
use super::network::Network;
use super::random::Random;
use super::reconfigure::Reconfigure;
use super::tree::Tree;
use tensorwrapper_core::graph::Label;

/// Penalties for products above the limit, each tried in a search of its own. A small penalty keeps the best order and slices it; a large
/// one finds another order that needs fewer slices.
const FINES: [f64; 4] = [0.25, 0.5, 1.0, 2.0];

/// Rounds in which a tree is improved after each label.
const ROUNDS: usize = 4;

/// The conditions that slices have to meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most elements of a product, as a logarithm not below 0. The result may have more.
    pub(super) elements: f64,
    /// Whether slices that are added up need memory of their own, so that the result may not have more then either.
    pub(super) adds: bool,
    /// Whether the tree may change.
    pub(super) is_free: bool,
}

/// The sliced labels, ascending, and the tree of one slice.
pub(super) fn slice(network: &Network, tree: Tree, limits: Limits, random: &mut Random, clock: &Clock) -> (Vec<Label>, Tree) {
    let Limits { elements: limit, is_free, .. } = limits;
    if too_large(&tree, limit, false).is_none() {
        return (Vec::new(), tree);
    }
    if !is_free {
        let mut tree = tree;
        let mut sliced = sliced(network, &mut tree, limits, &mut |_| ());
        sliced.sort_unstable();
        return (sliced, tree);
    }
    let mut reconfigure = Reconfigure::new(network.extents.len());
    let mut found = FINES.map(|fine| {
        let mut tree = tree.clone();
        tree.seek(Objective { limit, fine, ..tree.objective() });
        let sliced = sliced(network, &mut tree, limits, &mut |tree: &mut Tree| reconfigure.run(tree, 8, ROUNDS, random, clock));
        tree.seek(tree.objective().minimize.into());
        let slices: f64 = sliced.iter().map(|&label| log2(network.extents[label])).sum();
        (tree.total() + slices, sliced, tree)
    });
    found.sort_by(|x, y| x.0.total_cmp(&y.0));
    let [(_, mut sliced, tree), ..] = found;
    sliced.sort_unstable();
    (sliced, tree)
}

/// For each sliced label, how many values are taken at a time in this tree of one slice: the largest divisor of its extent that the
/// limits allow, so that all slices have the same size.
pub(super) fn lengths(network: &Network, tree: &mut Tree, limits: Limits, sliced: &[Label]) -> Vec<(Label, usize)> {
    let adds = adds(network, limits, sliced);
    let length = |&label: &Label| {
        let extent = network.extents[label];
        let divisors = (2..=extent).filter(|parts| extent.is_multiple_of(*parts)).map(|parts| extent / parts);
        let fits = |&length: &usize| {
            set(tree, label, length);
            too_large(tree, limits.elements, adds).is_none()
        };
        let length = { divisors }.find(fits).unwrap_or(1);
        set(tree, label, length);
        (label, length)
    };
    sliced.iter().map(length).collect()
}

/// Slices labels of a tree, which `improve` improves.
fn sliced(network: &Network, tree: &mut Tree, limits: Limits, improve: &mut impl FnMut(&mut Tree)) -> Vec<Label> {
    let mut sliced = Vec::new();
    improve(tree);
    while let Some(product) = too_large(tree, limits.elements, adds(network, limits, &sliced)) {
        let label = cheapest(tree, product, network);
        set(tree, label, 1);
        sliced.push(label);
        improve(tree);
    }
    // What was sliced early may not be needed any more.
    for n in (0..sliced.len()).rev() {
        let label = sliced.remove(n);
        set(tree, label, network.extents[label]);
        if too_large(tree, limits.elements, adds(network, limits, &sliced)).is_some() {
            set(tree, label, 1);
            sliced.insert(n, label);
        }
    }
    sliced
}

/// Whether slices are added up in memory that counts.
fn adds(network: &Network, limits: Limits, sliced: &[Label]) -> bool {
    limits.adds && sliced.iter().any(|label| !network.output.contains(label))
}

fn set(tree: &mut Tree, label: Label, extent: usize) {
    let mut weights = tree.weights().clone();
    weights.set(label, extent);
    tree.reweigh(weights);
}

/// The largest product that exceeds the limit. The result, which is stored as a whole, counts only if `result` is set.
fn too_large(tree: &Tree, limit: f64, result: bool) -> Option<usize> {
    let products = tree.products();
    let end = if result { products.end } else { products.end.saturating_sub(1).max(products.start) };
    let most = (products.start..end).max_by(|&a, &b| tree.size(a).total_cmp(&tree.size(b)))?;
    // A limit is met up to rounding of logarithms.
    (tree.size(most) > limit + 1e-9).then_some(most)
}

/// The label of a product whose slicing costs the fewest operations for the size that it saves.
fn cheapest(tree: &Tree, product: usize, network: &Network) -> Label {
    // The operations of all products that a label is part of become fewer, all others are done once for each slice.
    let mut with: Vec<Vec<f64>> = vec![Vec::new(); network.extents.len()];
    let mut all = Vec::new();
    for node in tree.products() {
        let operations = tree.step(node).operations;
        all.push(operations);
        labels(tree.union(node)).for_each(|label| with[label].push(operations));
    }
    let all = sum(all.iter().copied());
    let dearness = |label: Label| {
        let log = tree.weights().of(label);
        let part = sum(with[label].iter().copied());
        // (all - part) * extent + part, relative to all.
        let rest = (1.0 - (part - all).exp2()).max(0.0);
        (rest * log.exp2() + (part - all).exp2()).log2() / log
    };
    let candidates = labels(tree.row(product).iter().copied()).filter(|&label| tree.weights().of(label) > 0.0);
    candidates.min_by(|&a, &b| dearness(a).total_cmp(&dearness(b))).expect("a product of more than one element has such a label")
}
