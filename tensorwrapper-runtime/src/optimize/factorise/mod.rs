//! Factorisation of sums of products: terms that share a factor are joined, what several terms need is formed once, and each
//! product is cut into pairs, all by what it costs.
//!
//! A sum of products is a linear combination with the products in it that nobody else reads (`gather.rs`). All of a graph's
//! sums are looked at together (`work.rs`): products and sums are known by a form in which the names of their labels and the
//! order of their factors do not count (`term.rs`), so that what two equations share is found, whatever they call it. Terms
//! are joined the one first that saves most (`join.rs`), products are formed the dearest first (`form.rs`), and what comes out
//! becomes operations again (`emit.rs`). This is done for several guesses of how much is shared; the cheapest graph counts.
//! Source: A. Hartono et al., "Performance optimization of tensor contraction expressions for many-body methods in quantum
//! chemistry", J. Phys. Chem. A 113, 12715 (2009).

mod emit;
mod form;
mod gather;
mod join;
mod term;
mod work;

use std::collections::HashMap;

use self::emit::Emitter;
use self::gather::{Gathered, Leaf, gather};
use self::term::Term;
pub(super) use self::term::{Factor, Key, Name, Role, canonical};
use self::work::{Kind, Weights, Work};
use super::count::operations;
use super::rewrite::{keep, rewrite_reading};
use crate::graph::{OpGraph, TensorId};

/// What an element that is read and written costs, in multiplications of a product.
const ELEMENT: f64 = 2.0;

/// Guesses of how much of a product's cost others carry that may use it, too.
const SHARES: [f64; 3] = [0.0, 0.5, 1.0];

/// What a factorisation may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'k> {
    /// Whether products may be formed in another order than the graph says.
    pub(super) reorders: bool,
    /// The most elements of an intermediate.
    pub(super) most: f64,
    /// Which tensors are kept from run to run, by their numbers; none where all are new in each run.
    pub(super) kept: &'k [bool],
}

/// The same graph with its sums of products in the cheapest form that is found.
pub(super) fn factorise(graph: &OpGraph, bounds: Bounds<'_>) -> OpGraph {
    let (gathered, part_of) = gather(graph, bounds.reorders);
    let sums = || gathered.iter().enumerate().filter_map(|(n, sum)| Some((n, sum.as_ref().filter(|sum| sum.contracts)?)));
    if !sums().any(|(n, sum)| part_of[n].is_none() && is_worth(sum)) {
        return graph.clone();
    }
    let roots: Vec<usize> = sums().map(|(n, _)| n).filter(|&n| part_of[n].is_none()).collect();
    // What is a part of a root is no operation of its own, nor is a part of that.
    let mut is_part = vec![false; gathered.len()];
    for n in (0..gathered.len()).rev() {
        is_part[n] = part_of[n].is_some_and(|whole| is_part[whole.0] || roots.binary_search(&whole.0).is_ok());
    }
    let mut best: Option<(f64, OpGraph)> = None;
    for share in SHARES {
        let weights = Weights { element: ELEMENT, share, most: bounds.most };
        let (mut work, leaves, sums) = collected(graph, &gathered, &roots, weights, bounds);
        if sums.iter().all(|(_, sum)| work.sums[*sum].entries.len() == 1) && share > 0.0 && sums.len() == 1 {
            break;
        }
        work.join_all();
        work.form_all();
        let made = emitted(graph, &is_part, &work, &leaves, &sums);
        let cost = operations(&made) + (ELEMENT - 1.0) * super::count::elements(&made);
        if best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, made));
        }
    }
    best.map_or_else(|| graph.clone(), |(_, graph)| graph)
}

/// Whether anything may be found in a sum.
fn is_worth(sum: &Gathered) -> bool {
    sum.terms.len() > 1 || sum.terms.iter().any(|term| term.factors.len() > 2)
}

/// The sums of a graph as work, the leaves that they are made of, and which tensor each is.
fn collected(
    graph: &OpGraph,
    gathered: &[Option<Gathered>],
    roots: &[usize],
    weights: Weights,
    bounds: Bounds<'_>,
) -> (Work, Vec<Leaf>, Vec<(TensorId, usize)>) {
    let mut work = Work::new(weights);
    let mut leaves: Vec<Leaf> = Vec::new();
    let mut known: HashMap<Leaf, u32> = HashMap::new();
    let mut sums = Vec::new();
    for &root in roots {
        let sum = gathered[root].as_ref().expect("a root is a sum");
        let mut terms = Vec::with_capacity(sum.terms.len());
        for product in &sum.terms {
            let factor = |(leaf, conjugate, labels): &(Leaf, bool, Vec<usize>)| {
                let node = *known.entry(leaf.clone()).or_insert_with(|| {
                    leaves.push(leaf.clone());
                    let is_kept = bounds.kept.get(leaf.tensor.0).copied().unwrap_or(false);
                    work.add_node(Kind::Leaf(leaves.len() - 1), leaf.extents.clone(), is_kept)
                });
                Factor { node, conjugate: *conjugate, labels: labels.iter().map(|&label| label as Name).collect() }
            };
            terms.push(Term { scale: product.scale, factors: product.factors.iter().map(factor).collect() });
        }
        let number = work.add_sum(graph.tensor(TensorId(root)).extents.clone(), terms);
        sums.push((TensorId(root), number));
    }
    (work, leaves, sums)
}

fn emitted(graph: &OpGraph, is_part: &[bool], work: &Work, leaves: &[Leaf], sums: &[(TensorId, usize)]) -> OpGraph {
    let sum_of: HashMap<TensorId, usize> = sums.iter().copied().collect();
    let mut emitter = Emitter::new(work, leaves, sums.iter().map(|(_, sum)| *sum));
    rewrite_reading(graph, |result, _, node, read| {
        let output = node.outputs[0].tensor;
        let moved = |tensor: TensorId| read(&crate::graph::Edge { tensor, axes: Vec::new(), conjugate: false }).tensor;
        match sum_of.get(&output) {
            Some(&sum) => vec![emitter.sum(result, &moved, sum, graph.tensor(output).dtype)],
            None if node.outputs.len() == 1 && is_part[output.0] => Vec::new(),
            None => keep(graph, result, node, node.inputs.iter().map(read).collect()),
        }
    })
}
