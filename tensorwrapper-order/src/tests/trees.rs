//! Trees that are changed: what they say of themselves stays true, and searches make them no worse.

use rand::RngExt as _;
use rand::rngs::StdRng;

use super::super::anneal::{Cooling, anneal};
use super::super::bits::Weights;
use super::super::clock::Clock;
use super::super::cost::{Minimize, Rates};
use super::super::greedy;
use super::super::network::Network;
use super::super::random::Random;
use super::super::reconfigure::Reconfigure;
use super::super::slice::{Limits, slice};
use super::super::tree::Tree;
use super::{Simulation, assert_close, network, seeded};

const WAYS: [Minimize; 3] =
    [Minimize::Operations, Minimize::Size, Minimize::Time(Rates { matrix: 8.0, other: 2.0, elements: 3.0 })];

fn tree(network: &Network, minimize: Minimize) -> Tree {
    Tree::new(network, Weights::new(&network.extents), &greedy::greedy(network), minimize)
}

/// That a tree's prices are those of its path, by the definition.
fn check(network: &Network, tree: &Tree) {
    let simulation = Simulation::run(network, &tree.path());
    let cost = tree.cost();
    assert_close(cost.price.exp2(), simulation.price(tree.objective().minimize), &(tree.path(), network));
    assert_close(cost.operations.exp2(), simulation.operations(), &(tree.path(), network));
    assert_close(cost.largest.exp2(), simulation.largest(), &(tree.path(), network));
}

fn some_network(rng: &mut StdRng) -> Network {
    let factors = rng.random_range(2..14);
    network(rng, factors)
}

#[test]
fn rotated_trees_are_those_of_their_paths() {
    let mut rng = seeded(11);
    for case in 0..150 {
        let network = some_network(&mut rng);
        let mut tree = tree(&network, WAYS[case % 3]);
        check(&network, &tree);
        for _ in 0..40 {
            let product = rng.random_range(tree.products());
            if let Some(rotation) = tree.rotation(product, rng.random_range(0..2), rng.random_range(0..2)) {
                tree.rotate(&rotation);
            }
        }
        check(&network, &tree);
    }
}

#[test]
fn annealing_is_never_worse_than_its_start() {
    let mut rng = seeded(12);
    let mut better = 0;
    for case in 0..60 {
        let network = some_network(&mut rng);
        let start = tree(&network, WAYS[case % 3]);
        let cooling = Cooling { from: 2.0, to: 0.1, sweeps: 30 };
        let end = anneal(&start, cooling, &mut Random::new(case as u64, 0), &Clock::new(None));
        check(&network, &end);
        assert!(end.total() <= start.total() + 1e-9, "{network:?}");
        better += usize::from(end.total() < start.total() - 1e-9);
    }
    assert!(better > 5, "annealing found {better} better trees");
}

#[test]
fn reconfigured_trees_are_never_worse_and_small_ones_the_best() {
    let mut rng = seeded(13);
    for case in 0..90 {
        let network = some_network(&mut rng);
        let start = tree(&network, WAYS[case % 3]);
        let mut end = start.clone();
        let width = rng.random_range(3..9);
        let mut random = Random::new(case as u64, 0);
        Reconfigure::new(network.extents.len()).run(&mut end, width, 10, &mut random, &Clock::new(None));
        check(&network, &end);
        assert!(end.total() <= start.total() + 1e-9, "{network:?}");
        if network.inputs.len() <= width {
            let best = super::super::exact::dense(&network, WAYS[case % 3], None).unwrap();
            let least = Simulation::run(&network, &best).price(WAYS[case % 3]);
            assert_close(end.total().exp2(), least, &network);
        }
    }
}

/// A clock that has struck leaves the tree as it is.
#[test]
fn time_ends_searches() {
    let mut rng = seeded(14);
    let network = network(&mut rng, 30);
    let start = tree(&network, Minimize::Operations);
    let mut same = start.clone();
    let over = Clock::new(Some(std::time::Duration::ZERO));
    Reconfigure::new(network.extents.len()).run(&mut same, 8, 10, &mut Random::new(0, 0), &over);
    assert_eq!(same.path(), start.path());
}

#[test]
fn slices_meet_their_limit() {
    let mut rng = seeded(15);
    let mut sliced_networks = 0;
    for case in 0..200 {
        let network = some_network(&mut rng);
        let limit = rng.random_range(0.0..6.0);
        let random = &mut Random::new(case, 0);
        let limits = Limits { elements: limit, adds: false, is_free: true };
        let (sliced, tree) = slice(&network, tree(&network, Minimize::Operations), limits, random, &Clock::new(None));
        let mut extents = network.extents.clone();
        sliced.iter().for_each(|&label| extents[label] = 1);
        let one = Network { extents, ..network.clone() };
        check(&one, &tree);
        let simulation = Simulation::run(&one, &tree.path());
        let (_, intermediates) = simulation.steps.split_last().expect("there are two factors");
        assert!(intermediates.iter().all(|step| step.result <= limit + 1e-9), "{limit} {sliced:?} {network:?}");
        sliced_networks += usize::from(!sliced.is_empty());
    }
    assert!(sliced_networks > 20, "{sliced_networks} networks were sliced");
}

/// A cube of tensors, whose middle is large: eight times less memory for less than twice the operations.
#[test]
fn slices_of_a_cube_are_cheap() {
    let side = 4;
    let mut inputs = vec![Vec::new(); side * side * side];
    let mut labels = 0;
    for n in 0..inputs.len() {
        for (step, place) in [(1, n % side), (side, n / side % side), (side * side, n / side / side)] {
            if place + 1 < side {
                inputs[n].push(labels);
                inputs[n + step].push(labels);
                labels += 1;
            }
        }
    }
    let network = Network { inputs, output: vec![], extents: vec![2; labels] };
    let mut whole = tree(&network, Minimize::Operations);
    let reconfigure = &mut Reconfigure::new(labels);
    reconfigure.run(&mut whole, 9, 20, &mut Random::new(0, 0), &Clock::new(None));
    let (before, largest) = (whole.cost().operations, whole.cost().largest);
    let limits = Limits { elements: largest - 3.0, adds: false, is_free: true };
    let (sliced, tree) = slice(&network, whole, limits, &mut Random::new(0, 1), &Clock::new(None));
    let after = tree.cost().operations + sliced.len() as f64;
    assert!(after < before + 1.0, "{before} became {after}: {sliced:?}");
}
