//! Strategies through their entry points: paths are valid, have the costs that are returned, and are the same for the same arguments.

use std::time::Duration;

use rand::RngExt as _;

use super::super::internal::{Network, path, usual};
use super::super::tree::cost;
use super::super::{Found, Minimize, Order, Rates, Search, find};
use super::{Simulation, assert_close, network, seeded};
use tensorwrapper_core::error::{Error, ErrorKind};

const ORDERS: [Order; 5] = [Order::Auto, Order::Exact, Order::Greedy, Order::Budget(Duration::from_millis(1)), Order::AsWritten];

fn found(network: &Network, search: Search) -> Found {
    find(&network.inputs, &network.output, &network.extents, &search).expect("the network is good")
}

#[test]
fn every_order_is_a_path_that_costs_what_it_says() {
    let mut rng = seeded(21);
    for case in 0..120 {
        // Most are small; some are beyond what is searched exactly.
        let factors = if case % 4 == 0 { rng.random_range(13..40) } else { rng.random_range(1..9) };
        let network = network(&mut rng, factors);
        for order in ORDERS.into_iter().filter(|order| *order != Order::Exact || factors < 9) {
            let found = found(&network, Search::new().order(order.clone()));
            let simulation = Simulation::run(&network, &found.pairs);
            assert_close(found.log2_operations.exp2(), simulation.operations(), &(&order, &network));
            assert_close(found.log2_largest.exp2(), simulation.largest(), &(order, &network));
            assert!(found.sliced.is_empty());
        }
    }
}

#[test]
fn auto_is_never_above_greedy_and_exact_never_above_auto() {
    let mut rng = seeded(22);
    for case in 0..60 {
        let factors = if case % 3 == 0 { rng.random_range(13..20) } else { rng.random_range(2..12) };
        let network = network(&mut rng, factors);
        let operations = |order: Order| {
            let path = path(&network, &order, Minimize::Operations, 0).unwrap();
            Simulation::run(&network, &path).operations()
        };
        let [auto, exact, greedy] = [Order::Auto, Order::Exact, Order::Greedy].map(operations);
        assert!(auto <= greedy * (1.0 + 1e-9), "{auto} {greedy} {network:?}");
        // Beyond sixteen factors the exact search is that without outer products.
        assert!(factors > 16 || exact <= auto * (1.0 + 1e-9), "{exact} {auto} {network:?}");
    }
}

#[test]
fn the_same_arguments_have_the_same_order() {
    let mut rng = seeded(23);
    let mut differ = 0;
    for _ in 0..6 {
        let network = network(&mut rng, 40);
        let search = Search::new().rounds(1).seed(5);
        assert_eq!(found(&network, search.clone()), found(&network, search.clone()));
        differ += usize::from(found(&network, search.clone()).pairs != found(&network, search.seed(6)).pairs);
    }
    assert!(differ > 0, "another seed is another search");
}

#[test]
fn linear_paths_are_those_of_numpy() {
    let network = Network { inputs: vec![vec![0], vec![0, 1], vec![1, 2], vec![2]], output: vec![], extents: vec![2, 3, 4] };
    let found = Found { pairs: vec![(1, 2), (0, 3), (4, 5)], ..found(&network, Search::new()) };
    // Left are 0 1 2 3, then 0 3 4, then 4 5.
    assert_eq!(found.linear(), [(1, 2), (0, 1), (0, 1)]);
}

#[test]
fn what_is_to_be_least_is_less() {
    let mut rng = seeded(24);
    for _ in 0..30 {
        let factors = rng.random_range(4..12);
        let network = network(&mut rng, factors);
        let [operations, size] = [Minimize::Operations, Minimize::Size].map(|m| found(&network, Search::new().minimize(m)));
        assert!(operations.log2_operations <= size.log2_operations + 1e-9, "{network:?}");
        // A sum of powers is a maximum but for the number of its terms.
        let slack = (factors as f64).log2() / 16.0;
        assert!(size.log2_largest <= operations.log2_largest + slack, "{network:?}");
    }
}

/// Three hundred tensors whose worst products no floating-point number counts, and far more.
#[test]
fn numbers_beyond_all_numbers() {
    let star = |points: usize| Network {
        inputs: (0..points).map(|n| (n * 4..n * 4 + 4).collect()).collect(),
        output: (0..points * 4).collect(),
        extents: vec![2; points * 4],
    };
    for points in [300, 1000] {
        let network = star(points);
        for order in [Order::Auto, Order::Greedy, Order::AsWritten] {
            let found = found(&network, Search::new().order(order.clone()));
            // The last product is the result; those before are together at most as large.
            assert!((found.log2_operations - 4.0 * points as f64).abs() <= 1.0, "{order:?} {}", found.log2_operations);
            assert!((found.log2_largest - 4.0 * points as f64).abs() < 1e-6, "{order:?}");
        }
    }
    // Of the few factors that are searched at once, too.
    let few = Network { inputs: vec![vec![0, 1], vec![1, 2], vec![2, 0]], output: vec![], extents: vec![usize::MAX; 3] };
    assert!((found(&few, Search::new()).log2_operations - 192.0).abs() < 1e-3);
    let many: Vec<usize> = (0..20).collect();
    let few = Network { inputs: vec![many.clone(), many.clone(), many], output: vec![], extents: vec![usize::MAX; 20] };
    assert!((found(&few, Search::new()).log2_operations - 1281.0).abs() < 1e-3);
}

/// Ten thousand tensors: a chain, a label on all of them, nothing shared at all, the same tensor again and again.
#[test]
fn ten_thousand_tensors() {
    let many = 10_000;
    let chain: Vec<Vec<usize>> = (0..many).map(|n| vec![n, n + 1]).collect();
    let found = find(&chain, &[0, many], &vec![2; many + 1], &Search::new()).unwrap();
    assert_close(found.log2_operations.exp2(), 8.0 * (many - 1) as f64, &"chain");
    for labels in [|n| vec![n, 10_000], |n| vec![n], |_| vec![0, 1], |_| vec![]] {
        let inputs: Vec<Vec<usize>> = (0..many).map(labels).collect();
        let found = find(&inputs, &[], &vec![2; many + 1], &Search::new()).unwrap();
        let mut seen = vec![false; 2 * many - 1];
        found.pairs.iter().flat_map(|&(a, b)| [a, b]).for_each(|n| assert!(!std::mem::replace(&mut seen[n], true)));
        assert_eq!(found.pairs.len(), many - 1);
        assert!(found.log2_largest <= 2.0);
    }
}

#[test]
fn limits_are_met_or_refused() {
    let mut rng = seeded(25);
    for _ in 0..40 {
        let network = network(&mut rng, 9);
        let found = found(&network, Search::new().limit(4.0));
        let mut extents = network.extents.clone();
        let slices: usize = found.sliced.iter().map(|&label| std::mem::replace(&mut extents[label], 1)).product();
        let one = Network { extents, ..network.clone() };
        let simulation = Simulation::run(&one, &found.pairs);
        let (_, intermediates) = simulation.steps.split_last().unwrap();
        assert!(intermediates.iter().all(|step| step.result <= 2.0 + 1e-9), "{network:?}");
        assert_close(found.log2_operations.exp2(), simulation.operations() * slices as f64, &network);
    }
    for limit in [0.0, -1.0, 0.5, f64::NAN] {
        let message = refusal(&[vec![0]], &[], &[2], Search::new().limit(limit));
        assert_eq!(message, format!("no product has at most {limit} elements: the least is 1"));
    }
}

fn refusal(inputs: &[Vec<usize>], output: &[usize], extents: &[usize], search: Search) -> String {
    find(inputs, output, extents, &search)
        .map_err(|error: Error| match error.kind() {
            ErrorKind::Label(message) | ErrorKind::Shape(message) => message.clone(),
            kind => panic!("{kind:?}"),
        })
        .expect_err("it is refused")
}

#[test]
fn what_is_no_network_is_refused() {
    let refusal = |inputs: &[Vec<usize>], output: &[usize], extents: &[usize]| refusal(inputs, output, extents, Search::new());
    assert_eq!(refusal(&[], &[], &[]), "a product needs at least one tensor");
    assert_eq!(refusal(&[vec![0], vec![0, 3]], &[], &[2, 2]), "label 3 of tensor 1 has no extent: there are 2");
    assert_eq!(refusal(&[vec![0]], &[1], &[2, 2]), "label 1 of the result is on no tensor");
    assert_eq!(refusal(&[vec![0]], &[7], &[2, 2]), "label 7 of the result is on no tensor");
    // A diagonal, a result that repeats a label and a single tensor are good.
    let one = find(&[vec![0, 0]], &[0, 0], &[3], &Search::new()).unwrap();
    assert_eq!((one.pairs, one.log2_operations, one.is_best), (vec![], f64::NEG_INFINITY, true));
}

/// Hyper-edges make products that are no matrix products: these are avoided where they take long, unless operations are asked for.
#[test]
fn long_products_with_hyper_edges_take_the_least_time() {
    let cube = |extent: usize| {
        let labels = |text: &str| text.bytes().map(|letter| usize::from(letter - b'a')).collect();
        let inputs = "abc,ade,bdf,cef,agh,bgi,chj,eij,dhi,fgj".split(',').map(labels).collect();
        Network { inputs, output: Vec::new(), extents: vec![extent; 10] }
    };
    let prices = |network: &Network, path: &_| {
        [Minimize::Operations, Minimize::Time(Rates::default())].map(|minimize| cost(network, path, minimize).price)
    };
    let by = |network: &Network, minimize: Minimize| prices(network, &path(network, &Order::Auto, minimize, 0).unwrap());
    let network = cube(10);
    let found = prices(&network, &usual(&network, &Order::Auto, 0).unwrap());
    let [fewest, quickest] = [by(&network, Minimize::Operations), by(&network, Minimize::Time(Rates::default()))];
    assert!(quickest[1] < fewest[1] - 0.5, "{quickest:?} {fewest:?}");
    assert_close(found[1], quickest[1], &network);
    // Short ones, and other orders, have the fewest operations.
    let exact = prices(&network, &usual(&network, &Order::Exact, 0).unwrap());
    assert_close(exact[0], fewest[0], &network);
    let network = cube(2);
    assert_close(
        prices(&network, &usual(&network, &Order::Auto, 0).unwrap())[0],
        by(&network, Minimize::Operations)[0],
        &network,
    );
}

/// A price by time: large products of matrices have the rate of matrices, others less, none less than the other rate.
#[test]
fn times_depend_on_the_shape_of_a_product() {
    let rates = Rates { matrix: 1e10, other: 1e9, elements: 1e12 };
    // Operations per second of `batch` products of these rows, columns and terms, without what it takes to read and write.
    let speed = |[batch, rows, columns, terms]: [f64; 4]| {
        let operations = batch * rows * columns * terms;
        let [left, right, result] = [rows * terms, terms * columns, rows * columns].map(|elements| batch * elements);
        operations / (rates.product(operations, [left, right], result) - (left + right + result) / rates.elements)
    };
    let [large, narrow, few_terms, small] =
        [[1.0, 1e4, 1e4, 1e4], [1.0, 1e4, 4.0, 1e4], [1.0, 1e4, 1e4, 4.0], [1e6, 2.0, 2.0, 2.0]].map(speed);
    assert!(large > 0.99e10 && large <= 1.0001e10, "{large:e}");
    assert!(narrow < 0.6e10 && narrow > 0.5e10, "{narrow:e}");
    assert!(few_terms < 0.51e10 && few_terms > 0.49e10, "{few_terms:e}");
    assert!((small / 1e9 - 1.0).abs() < 1e-6, "{small:e}");
    assert!((speed([1.0, 1e4, 4.0, 1e4]) / speed([1.0, 4.0, 1e4, 1e4]) - 1.0).abs() < 1e-6, "rows and columns change places");
}
