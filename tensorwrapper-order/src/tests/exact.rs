//! The best order by dynamic programming, and the best of all orders.

use rand::RngExt as _;

use super::super::cost::{Minimize, Rates};
use super::super::network::Network;
use super::super::tree::cost;
use super::super::{exact, greedy};
use super::{Simulation, assert_close, network, seeded};

/// The least price of all orders, or of those without outer products.
fn least(simulation: &Simulation<'_>, minimize: Minimize, outer: bool) -> f64 {
    let live: Vec<usize> = (0..simulation.live.len()).filter(|&n| simulation.live[n].is_some()).collect();
    if live.len() < 2 {
        return simulation.price(minimize);
    }
    let pairs = live.iter().flat_map(|&a| live.iter().map(move |&b| (a, b))).filter(|(a, b)| a < b);
    let mut best = f64::INFINITY;
    for (a, b) in pairs {
        let labels = |n: usize| simulation.live[n].as_ref().unwrap();
        if outer || labels(a).iter().any(|l| labels(b).contains(l)) {
            let mut next = simulation.clone();
            next.multiply((a, b));
            best = best.min(least(&next, minimize, outer));
        }
    }
    best
}

const RATES: Rates = Rates { matrix: 8.0, other: 2.0, elements: 3.0 };

#[test]
fn no_order_is_better() {
    let mut rng = seeded(1);
    for case in 0..400 {
        let factors = if case % 10 == 0 { 6 } else { rng.random_range(2..6) };
        let network = network(&mut rng, factors);
        for minimize in [Minimize::Operations, Minimize::Size, Minimize::Time(RATES)] {
            let path = exact::dense(&network, minimize, None).expect("small numbers");
            let found = Simulation::run(&network, &path).price(minimize);
            assert_close(found, least(&Simulation::new(&network), minimize, true), &(minimize, &network));
        }
    }
}

/// An order under a cap is the same as without, and none is found where the cap is the best there is.
#[test]
fn a_cap_only_refuses() {
    let mut rng = seeded(2);
    for _ in 0..60 {
        let factors = rng.random_range(3..11);
        let network = network(&mut rng, factors);
        let price = |path| cost(&network, &path, Minimize::Operations).price;
        let free = price(exact::dense(&network, Minimize::Operations, None).unwrap());
        // Nothing is not less than nothing.
        if network.extents.contains(&0) && free < 0.0 {
            continue;
        }
        let good = price(greedy::greedy(&network));
        match exact::dense(&network, Minimize::Operations, Some(good)) {
            Some(path) => assert_close(price(path).exp2(), free.exp2(), &network),
            None => assert_close(good.exp2(), free.exp2(), &network),
        }
        assert!(exact::dense(&network, Minimize::Operations, Some(free)).is_none(), "{network:?}");
    }
}

#[test]
fn connected_subsets_find_the_best_without_outer_products() {
    let mut rng = seeded(3);
    let mut cases = 0;
    while cases < 200 {
        let factors = rng.random_range(2..6);
        let network = network(&mut rng, factors);
        let known = cost(&network, &greedy::greedy(&network), Minimize::Operations).price;
        let path = exact::connected(&network, Minimize::Operations, known).expect("five factors are few");
        let found = Simulation::run(&network, &path).operations();
        let best = least(&Simulation::new(&network), Minimize::Operations, false);
        // Where parts share nothing there is no order without outer products, and the path is only valid.
        if best.is_finite() {
            assert_close(found, best, &network);
            cases += 1;
        }
    }
}

/// A part of each kind, and each alone as the whole.
#[test]
fn parts_are_ordered_each_for_itself() {
    let chain = |first: usize| [vec![first, first + 1], vec![first + 1, first + 2], vec![first + 2, first + 3]];
    let extents = vec![2, 3, 4, 5, 6, 2, 5, 3];
    let alone = |first: usize| {
        let network = Network { inputs: chain(first).to_vec(), output: vec![], extents: extents.clone() };
        cost(&network, &exact::connected(&network, Minimize::Operations, 20.0).unwrap(), Minimize::Operations).price.exp2()
    };
    let mut inputs = [chain(0), chain(4)].concat();
    inputs.push(vec![]);
    let both = Network { inputs, output: vec![], extents: extents.clone() };
    let path = exact::connected(&both, Minimize::Operations, 20.0).unwrap();
    // Three numbers are multiplied at the end, by two multiplications.
    assert_close(Simulation::run(&both, &path).operations(), alone(0) + alone(4) + 2.0, &path);
}

/// Chains of matrices, of which the textbook's dynamic programme knows the best order.
#[test]
fn chains_of_matrices() {
    let mut rng = seeded(4);
    for matrices in [2, 3, 7, 12, 20, 40] {
        let extents: Vec<usize> = (0..=matrices).map(|_| rng.random_range(1..50)).collect();
        let mut best = vec![vec![0.0; matrices]; matrices];
        for len in 1..matrices {
            for i in 0..matrices - len {
                let j = i + len;
                let cut = |k: usize| best[i][k] + best[k + 1][j] + (extents[i] * extents[k + 1] * extents[j + 1]) as f64;
                best[i][j] = (i..j).map(cut).fold(f64::INFINITY, f64::min);
            }
        }
        let inputs = (0..matrices).map(|n| vec![n, n + 1]).collect();
        let network = Network { inputs, output: vec![0, matrices], extents };
        let known = cost(&network, &greedy::greedy(&network), Minimize::Operations).price;
        let path = exact::connected(&network, Minimize::Operations, known).expect("a chain has few connected subsets");
        assert_close(Simulation::run(&network, &path).operations(), best[0][matrices - 1], &matrices);
    }
}

/// What cannot be searched is said, and soon.
#[test]
fn too_much_is_refused() {
    let inputs: Vec<Vec<usize>> = (0..40).map(|n| (0..780).filter(|l| l % 40 == n || l / 20 == n).collect()).collect();
    let dense = Network { inputs, output: vec![], extents: vec![2; 780] };
    assert!(exact::connected(&dense, Minimize::Operations, 500.0).is_none());
    let long = Network { inputs: (0..65).map(|n| vec![n]).collect(), output: vec![], extents: vec![2; 65] };
    assert!(exact::connected(&long, Minimize::Operations, 20.0).is_none());
}
