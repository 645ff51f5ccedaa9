//! Factorisation of sums of products: terms that share a factor are joined, products that several terms need are formed once,
//! and each product is split into pairs. A cost model makes all these choices.
//!
//! A sum of products is a linear combination with the products in it that no other operation reads (`gather.rs`). All sums of a
//! graph are considered together (`work.rs`). Products and sums are identified by a canonical form that does not depend on the
//! names of labels or the order of factors (`term.rs`), so that shared parts of two equations are found under any names. Terms
//! are joined, the join that saves most first (`join.rs`); how products are cut into pairs is chosen by what that costs beside all others
//! (`costs.rs`, `choose.rs`), and they are formed (`form.rs`); and the result is turned back into operations (`emit.rs`). Products that a
//! sum reads several times alike are one before (`repeated.rs`).
//!
//! This is repeated for several guesses of how much is shared, with all results at once and with one after the other, and again with what
//! was found. The cheapest graph within the memory limit is taken; if none is within it, the graph that needs the least memory. The
//! original graph is a candidate if memory is limited or its products are pairs already.
//! Source: A. Hartono et al., "Performance optimization of tensor contraction expressions for many-body methods in quantum
//! chemistry", J. Phys. Chem. A 113, 12715 (2009).

mod choose;
mod costs;
mod emit;
mod form;
mod gather;
mod join;
mod repeated;
mod term;
mod work;

use std::collections::HashMap;

use self::emit::Emitter;
use self::gather::{Gathered, Leaf, Product, gather};
use self::repeated::{Repeated, repeated};
use self::term::Term;
pub(super) use self::term::{Factor, Key, Name, Role, canonical};
use self::work::{Kind, Weights, Work};
use super::hoist::kept;
use super::pairwise::are_pairs;
use tensorwrapper_core::graph::{OpGraph, OperationNode, Rewriter, TensorId};

/// What an element that is read and written costs, in multiplications of a product.
const ELEMENT: f64 = 2.0;

/// Guesses of how much of a product's cost others carry that may use it, too.
const SHARES: [f64; 4] = [0.0, 0.5, 0.75, 1.0];

/// The same where results are looked at one after the other.
const STAGED: [f64; 2] = [0.75, 1.0];

/// The most results of a graph of which each is looked at first once.
const MOST_FIRST: usize = 4;

/// The most times that the form that was found is taken for a graph to begin with.
const MOST_ROUNDS: usize = 3;

/// The limits of a factorisation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'k> {
    /// Whether products may be formed in another order than the graph says.
    pub(super) reorders: bool,
    /// Bytes that intermediates and results may take together.
    pub(super) memory: Option<usize>,
    /// Which tensors are kept from run to run, by their numbers; empty if all are computed in each run.
    pub(super) kept: &'k [bool],
}

/// The graph with its sums of products in the cheapest form that was found; `None` if it has no sums that can be changed.
pub(super) fn factorise(graph: &OpGraph, bounds: Bounds<'_>) -> Option<OpGraph> {
    let is_kept: Vec<bool> = graph.sources().map(|source| bounds.kept.get(source.0).copied().unwrap_or(false)).collect();
    let (mut best, mut found) = factorised(graph, bounds, &is_kept)?;
    for _ in 0..MOST_ROUNDS {
        let kept = kept(&found, &is_kept);
        match factorised(&found, Bounds { kept: &kept, ..bounds }, &is_kept) {
            Some((price, again)) if price < best => (best, found) = (price, again),
            _ => break,
        }
    }
    Some(found)
}

/// The cheapest of several forms of a graph.
fn factorised(graph: &OpGraph, bounds: Bounds<'_>, is_kept: &[bool]) -> Option<(Price, OpGraph)> {
    let (mut gathered, mut part_of) = gather(graph, bounds.reorders);
    let repeated = repeated(graph, &mut gathered, &mut part_of);
    let sums = || gathered.iter().enumerate().filter_map(|(n, sum)| Some((n, sum.as_ref().filter(|sum| sum.contracts)?)));
    if !sums().any(|(n, sum)| part_of[n].is_none() && (is_worth(sum) || !repeated[n].is_empty())) {
        return None;
    }
    let roots: Vec<usize> = sums().map(|(n, _)| n).filter(|&n| part_of[n].is_none()).collect();
    // What is a part of a root is no operation of its own, nor is a part of that.
    let mut is_part = vec![false; gathered.len()];
    for n in (0..gathered.len()).rev() {
        is_part[n] = part_of[n].is_some_and(|whole| is_part[whole.0] || roots.binary_search(&whole.0).is_ok());
    }
    let mut best: Option<(Price, OpGraph)> = None;
    let mut offer = |made: OpGraph| {
        let price = price(&made, is_kept, bounds.memory);
        if best.as_ref().is_none_or(|(known, _)| price < *known) {
            best = Some((price, made));
        }
    };
    // What is already in pairs can be compared as it stands; what is not may still be all that memory allows.
    if bounds.memory.is_some() || are_pairs(graph) {
        offer(graph.clone());
    }
    let staged = staged(graph, &roots);
    let together = [roots];
    let of = |shares: &'static [f64], stages| shares.iter().map(move |&share| (stages, share));
    let ways: Vec<(&[Vec<usize>], f64)> =
        of(&SHARES, &together[..]).chain(staged.iter().flat_map(|stages| of(&STAGED, &stages[..]))).collect();
    // Where memory is short, also with intermediates that are small beside it.
    let mosts = [Some(f64::INFINITY), bounds.memory.map(|bytes| bytes as f64 / 32.0)];
    for (most, (stages, share)) in mosts.into_iter().flatten().flat_map(|most| ways.iter().map(move |&way| (most, way))) {
        let weights = Weights { element: ELEMENT, share, most };
        let mut sums = Collected::new(graph, weights, bounds);
        for stage in stages {
            stage.iter().for_each(|&root| sums.add(root, (&gathered, &repeated[root])));
            sums.work.join_all();
        }
        // Where nothing can be shared there is nothing to guess.
        if let [(_, sum)] = &sums.sums[..]
            && sums.work.sums[*sum].entries.len() == 1
            && share > SHARES[0]
        {
            continue;
        }
        sums.work.form_all();
        offer(emitted(graph, &is_part, &sums));
    }
    best
}

/// Orders in which the roots are looked at, if there are several results: results in their order, so that what derivatives need beside a
/// value comes after it and may use what the value is made of, and each result before all others, because a derivative that takes more
/// than the value should choose first.
fn staged(graph: &OpGraph, roots: &[usize]) -> Vec<Vec<Vec<usize>>> {
    let sinks = graph.sinks();
    let firsts = if sinks.len() > MOST_FIRST { 1 } else { sinks.len() };
    let order = |first: usize| [first].into_iter().chain((0..sinks.len()).filter(move |&n| n != first));
    let mut orders: Vec<Vec<Vec<usize>>> = Vec::new();
    for first in 0..firsts {
        let stages = stages(graph, roots, order(first).map(|n| sinks[n]));
        if stages.len() > 1 && !orders.contains(&stages) {
            orders.push(stages);
        }
    }
    orders
}

/// The roots by the first of some results that needs them.
fn stages(graph: &OpGraph, roots: &[usize], sinks: impl Iterator<Item = TensorId>) -> Vec<Vec<usize>> {
    let mut is_needed = vec![false; graph.tensors().len()];
    let mut stages = Vec::new();
    for sink in sinks {
        let mut stage: Vec<usize> = Vec::new();
        let mut open = vec![sink];
        while let Some(tensor) = open.pop() {
            if std::mem::replace(&mut is_needed[tensor.0], true) {
                continue;
            }
            stage.extend(roots.binary_search(&tensor.0).is_ok().then_some(tensor.0));
            let producer = graph.tensor(tensor).producer;
            open.extend(producer.into_iter().flat_map(|producer| &graph.operation(producer).inputs).map(|edge| edge.tensor));
        }
        stage.sort_unstable();
        stages.extend((!stage.is_empty()).then_some(stage));
    }
    let unused: Vec<usize> = roots.iter().copied().filter(|&root| !is_needed[root]).collect();
    stages.extend((!unused.is_empty()).then_some(unused));
    stages
}

/// Bytes beyond those that may be taken, then what a graph costs.
type Price = (f64, f64);

/// What is computed once, from sources that are kept by their slots, costs nothing.
fn price(graph: &OpGraph, is_kept: &[bool], memory: Option<usize>) -> Price {
    let excess = memory.map_or(0.0, |bytes| (graph.peak_bytes() - bytes as f64).max(0.0));
    let kept = kept(graph, is_kept);
    let own = |node: &&OperationNode| !node.outputs.iter().all(|edge| kept[edge.tensor.0]);
    let size = |tensor: TensorId| graph.tensor(tensor).extents.iter().map(|&extent| extent as f64).product::<f64>();
    let cost =
        |node: &OperationNode| node.cost() + (ELEMENT - 1.0) * node.outputs.iter().map(|edge| size(edge.tensor)).sum::<f64>();
    (excess, graph.operations().iter().filter(own).map(cost).sum())
}

/// Whether anything may be found in a sum.
fn is_worth(sum: &Gathered) -> bool {
    sum.terms.len() > 1 || sum.terms.iter().any(|term| term.factors.len() > 2)
}

/// The sums of a graph as work.
struct Collected<'g> {
    graph: &'g OpGraph,
    bounds: Bounds<'g>,
    work: Work,
    /// What the sums are made of, and the node of each.
    leaves: Vec<Leaf>,
    known: HashMap<Leaf, u32>,
    /// Which tensor each sum is.
    sums: Vec<(TensorId, usize)>,
}

impl<'g> Collected<'g> {
    fn new(graph: &'g OpGraph, weights: Weights, bounds: Bounds<'g>) -> Collected<'g> {
        Collected { graph, bounds, work: Work::new(weights), leaves: Vec::new(), known: HashMap::new(), sums: Vec::new() }
    }

    /// Adds the sum that a tensor is, with the sums that it reads instead of several tensors.
    fn add(&mut self, root: usize, (gathered, repeated): (&[Option<Gathered>], &[Repeated])) {
        let sum = gathered[root].as_ref().expect("a root is a sum");
        let extents = self.graph.tensor(TensorId(root)).extents.clone();
        let mut terms: Vec<Term> = sum.terms.iter().map(|product| self.term(product, extents.len())).collect();
        for Repeated { inner, reads } in repeated {
            let inner = inner.terms.iter().map(|product| self.term(product, extents.len())).collect();
            let inner = self.work.add_sum(extents.clone(), inner);
            let node = self.work.know(inner);
            terms.extend(reads.iter().map(|(scale, labels)| {
                let labels = labels.iter().map(|&label| label as Name).collect();
                Term { scale: *scale, factors: vec![Factor { node, conjugate: false, labels }] }
            }));
        }
        let number = self.work.add_sum(extents, terms);
        self.sums.push((TensorId(root), number));
    }

    fn term(&mut self, product: &Product, axes: usize) -> Term {
        let Collected { work, leaves, known, bounds, .. } = self;
        let factor = |(leaf, conjugate, labels): &(Leaf, bool, Vec<usize>)| {
            let node = *known.entry(leaf.clone()).or_insert_with(|| {
                leaves.push(leaf.clone());
                let is_kept = bounds.kept.get(leaf.tensor.0).copied().unwrap_or(false);
                work.add_node(Kind::Leaf(leaves.len() - 1), leaf.extents.clone(), is_kept)
            });
            Factor { node, conjugate: *conjugate, labels: labels.iter().map(|&label| label as Name).collect() }
        };
        let term = Term { scale: product.scale, factors: product.factors.iter().map(factor).collect() };
        work.presummed(term, axes)
    }
}

fn emitted(graph: &OpGraph, is_part: &[bool], made: &Collected<'_>) -> OpGraph {
    let sum_of: HashMap<TensorId, usize> = made.sums.iter().copied().collect();
    let mut emitter = Emitter::new(&made.work, &made.leaves, made.sums.iter().map(|(_, sum)| *sum));
    Rewriter::run(graph, |rewriter, _, node| {
        let output = node.outputs[0].tensor;
        match sum_of.get(&output) {
            Some(&sum) => vec![emitter.sum(rewriter, sum, graph.tensor(output).dtype)],
            None if node.outputs.len() == 1 && is_part[output.0] => Vec::new(),
            None => rewriter.keep(node),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::link::Link;

    use super::*;
    use crate::lower::lower;
    use crate::tensor::Tensor;

    fn factorised(expr: &crate::Expr<'_, f64>, memory: Option<usize>) -> OpGraph {
        let graph = lower(&[Link::clone(expr.value())]).graph;
        let made = factorise(&graph, Bounds { reorders: true, memory, kept: &[] }).unwrap_or(graph);
        made.verify().unwrap();
        made
    }

    #[test]
    fn terms_that_share_a_factor_are_joined() {
        let [a, b, c] = [1.0, 2.0, 3.0].map(|x| Tensor::<f64>::filled([8, 8], x).unwrap());
        let sum = (a.at("ik") * b.at("kj") + a.at("il") * c.at("lj")).record("ij").unwrap();
        // One sum and one product in the place of two products and a sum.
        assert_eq!(factorised(&sum, None).cost(), 64.0 + 512.0);
        // The same product under other names, and in another order of axes.
        let twice = (a.at("ik") * b.at("kj") + b.at("li") * a.at("jl")).record("ij").unwrap();
        assert_eq!(factorised(&twice, None).cost(), 64.0 + 512.0);
    }

    fn matrix(n: usize) -> Tensor<f64> {
        Tensor::from_fn([8, 8], |place| (place[0] * 8 + place[1] + n * 64) as f64).unwrap()
    }

    fn product<'a>(x: &'a Tensor<f64>, y: &'a Tensor<f64>) -> crate::Expr<'a, f64> {
        (x.at("ij") * y.at("jk")).record("ik").unwrap()
    }

    #[test]
    fn products_that_are_read_twice_alike_are_joined() {
        let [a, b, c] = [0, 1, 2].map(matrix);
        let (x, y) = (product(&a, &b), product(&a, &c));
        // As W[i,j] - W[j,i] / 2 of W = A·(2 B - C).
        let sum = (2.0 * x.at("ij") - x.at("ji") - y.at("ij") + 0.5 * y.at("ji")).record("ij").unwrap();
        let cost = factorised(&sum, None).cost();
        assert!(cost < 2.0 * 512.0, "{cost}");
    }

    #[test]
    fn a_shared_product_makes_way_where_its_users_lose_nothing_without_it() {
        let [a, b, c, d] = [0, 1, 2, 3].map(matrix);
        let (left, right) = (product(&a, &b), product(&d, &b));
        let [first, second] = [&a, &d].map(|x| (x.at("ij") * b.at("jk") * c.at("kl")).record("il").unwrap());
        let graph = lower(&[left, right, first, second].map(|expr| Link::clone(expr.value()))).graph;
        let made = factorise(&graph, Bounds { reorders: true, memory: None, kept: &[] }).unwrap_or(graph);
        // (A·B)·C and (D·B)·C read what is wanted anyway; B·C would be a fifth product.
        assert_eq!(made.cost(), 4.0 * 512.0);
    }

    #[test]
    fn where_memory_is_short_a_form_that_takes_less_is_found_though_it_costs_more() {
        let row = |n: usize| Tensor::<f64>::filled([n, 64], 1.0).unwrap();
        let (x, y) = (row(2), row(2));
        // A·(B + C) stores a sum of 64 x 64 elements, which A·B + A·C does not.
        let [b, c] = [1.0, 2.0].map(|v| Tensor::<f64>::filled([64, 64], v).unwrap());
        let sum = (x.at("ik") * b.at("kj") + x.at("ik") * c.at("kj") + y.at("ij")).record("ij").unwrap();
        let (free, short) = (factorised(&sum, None), factorised(&sum, Some(6000)));
        assert!(free.peak_bytes() > 32_000.0 && free.cost() < short.cost());
        assert!(short.peak_bytes() <= 6000.0);
    }
}
