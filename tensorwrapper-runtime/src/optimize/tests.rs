//! Orders and passes on graphs small enough to know the answer.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Choices, optimize};
use crate::expr::Expr;
use crate::link::Link;
use crate::lower::lower;
use crate::tensor::Tensor;
use tensorwrapper_core::graph::{Label, OpGraph};
use tensorwrapper_order::internal::{Network, Path, path};
use tensorwrapper_order::{Minimize, Order, Search, find};

fn ordered(network: &Network, order: &Order) -> Path {
    path(network, order, Minimize::Operations, 0).unwrap()
}

/// The greedy pairs in the order in which they are found, which is not that in which they are computed.
fn as_found(network: &Network) -> Path {
    let search = Search::new().order(Order::Greedy);
    find(&network.inputs, &network.output, &network.extents, &search).unwrap().pairs
}

/// A matrix chain whose cheap order is from the right.
#[test]
fn greedy_starts_where_tensors_shrink() {
    let network = Network { inputs: vec![vec![0, 1], vec![1, 2], vec![2]], output: vec![0], extents: vec![100, 100, 100] };
    assert_eq!(ordered(&network, &Order::Greedy), [(1, 2), (0, 3)]);
    assert_eq!(ordered(&network, &Order::AsWritten), [(0, 1), (3, 2)]);
}

/// A label on three factors is kept until its last factor is in.
#[test]
fn a_hyper_edge_is_kept() {
    // The third factor has 1, the result 0.
    assert_eq!(Network::kept([&[0, 1], &[1]], |label| [0, 1].contains(&label))[..], [1, 0]);
    assert_eq!(Network::kept([&[0, 1], &[1]], |label| label == 0)[..], [0]);
}

/// The greedy order by its definition: all pairs that share a label, each assessed at each step.
fn by_definition(network: &Network) -> Path {
    /// Positions of two live factors, and the labels of their product.
    type Next = (usize, usize, Vec<Label>);
    let mut live: Vec<(usize, Vec<Label>)> = network.inputs.iter().cloned().enumerate().collect();
    let mut path = Path::new();
    while live.len() > 1 {
        let mut best: Option<((bool, f64, f64), Next)> = None;
        for i in 0..live.len() {
            for j in i + 1..live.len() {
                let (a, b) = (&live[i].1, &live[j].1);
                let others = live.iter().enumerate().filter(|(n, _)| *n != i && *n != j).map(|(_, (_, labels))| labels);
                let needed: Vec<Label> = others.chain([&network.output]).flatten().copied().collect();
                let kept = Network::kept([a, b], |label| needed.contains(&label)).to_vec();
                let all: Vec<Label> = a.iter().chain(b.iter().filter(|l| !a.contains(l))).copied().collect();
                let apart = all.len() == a.len() + b.len();
                let (size, operations) = (|labels: &[Label]| network.size(labels), network.size(&all));
                let cost = match apart {
                    true => (true, size(a).max(size(b)), size(a).min(size(b))),
                    false => (false, size(&kept) - size(a) - size(b), operations),
                };
                if best.as_ref().is_none_or(|known| cost < known.0) {
                    best = Some((cost, (i, j, kept)));
                }
            }
        }
        let (_, (i, j, kept)) = best.unwrap();
        let (b, a) = (live.remove(j), live.remove(i));
        live.push((network.inputs.len() + path.len(), kept));
        path.push((a.0, b.0));
    }
    path
}

/// Hyper-edges, labels of one factor alone, factors without labels and parts that share nothing included.
#[test]
fn greedy_finds_the_pairs_of_its_definition() {
    let mut rng = StdRng::seed_from_u64(31);
    for case in 0..300 {
        let labels = rng.random_range(1..8);
        let some = |rng: &mut StdRng, p: f64| (0..labels).filter(|_| rng.random_bool(p)).collect::<Vec<Label>>();
        let density = rng.random_range(0.05..0.6);
        let inputs: Vec<_> = (0..rng.random_range(2..9)).map(|_| some(&mut rng, density)).collect();
        let output = some(&mut rng, 0.3).into_iter().filter(|label| inputs.iter().flatten().any(|l| l == label)).collect();
        let extents = (0..labels).map(|_| rng.random_range(0..6)).collect();
        let network = Network { inputs, output, extents };
        assert_eq!(as_found(&network), by_definition(&network), "case {case}: {network:?}");
    }
}

/// Multiplications of a path, and the number of factors that it leaves.
fn operations(network: &Network, path: &Path) -> (f64, usize) {
    let mut live: Vec<Option<Vec<Label>>> = network.inputs.iter().cloned().map(Some).collect();
    let mut sum = 0.0;
    for &(a, b) in path {
        let [a, b] = [a, b].map(|factor| live[factor].take().expect("a path uses each factor once"));
        sum += network.size(&a.iter().chain(b.iter().filter(|l| !a.contains(l))).copied().collect::<Vec<_>>());
        let needed: Vec<Label> = live.iter().flatten().chain([&network.output]).flatten().copied().collect();
        let kept = Network::kept([&a, &b], |label| needed.contains(&label)).to_vec();
        live.push(Some(kept));
    }
    (sum, live.iter().flatten().count())
}

/// A chain of matrices and a grid with a hyper-edge through all of it: large enough that a fourth power would be noticed.
#[test]
fn large_networks_are_ordered_at_once() {
    let chain = Network { inputs: (0..200).map(|n| vec![n, n + 1]).collect(), output: vec![0, 200], extents: vec![2; 201] };
    let path = ordered(&chain, &Order::Greedy);
    assert_eq!(operations(&chain, &path), (199.0 * 8.0, 1));
    let side = 20;
    let grid = |n: usize| {
        let (row, column) = (n / side, n % side);
        let across = (column > 0).then(|| n - 1).into_iter().chain((column + 1 < side).then_some(n));
        let down = (row > 0).then(|| n - side).into_iter().chain((row + 1 < side).then_some(n));
        across.chain(down.map(|label| label + side * side)).chain([2 * side * side]).collect()
    };
    let inputs: Vec<Vec<Label>> = (0..side * side).map(grid).collect();
    let network = Network { inputs, output: vec![], extents: vec![2; 2 * side * side + 1] };
    let path = ordered(&network, &Order::Greedy);
    assert_eq!(operations(&network, &path).1, 1);
    assert_eq!(ordered(&network, &Order::Greedy), path);
}

/// A graph that has been optimised can be run as one of the program's own, and goes through the passes again.
#[test]
fn passes_leave_their_own_work_as_it_is() {
    let [a, b, c] = [1.0, 2.0, 3.0].map(|x| Tensor::<f64>::filled([6, 6], x).unwrap());
    let product: Expr<'_, f64> = (a.at("ik") * b.at("kl") * c.at("lj")).record("ij").unwrap();
    let sum = ((product.at("ij") + a.at("ij")).exp() + b.at("ik") * c.at("kj")).record("ij").unwrap();
    let graph = lower(&[Link::clone(sum.value())]).graph;
    let once = optimize(&graph, &Choices::default(), None).unwrap();
    let finished = |graph: &OpGraph| graph.operations().iter().filter(|node| node.inputs.len() > 2).count();
    assert!(finished(&once) > 0, "no product has a last step: {once:?}");
    let twice = optimize(&once, &Choices::default(), None).unwrap();
    twice.verify().unwrap();
    assert_eq!((twice.cost(), finished(&twice)), (once.cost(), finished(&once)));
}
