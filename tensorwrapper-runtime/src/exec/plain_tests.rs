//! Products that are planned by their labels alone: the same graphs as of all others.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::statements::{checked, product, subscripts_statement};
use crate::expr::OperandData;
use crate::link::Link;
use crate::lower::lower_over;
use crate::optimize::{Choices, Plain, is_optimal, optimize};
use crate::tensor::Tensor;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_order::Order;

/// Hyper-edges, outer products, labels of one factor alone, extents of 1, scalars; now and then extents that do not fit.
fn random(rng: &mut StdRng) -> (String, Vec<Tensor<f64>>) {
    let labels = rng.random_range(1..9);
    let extents: Vec<usize> = (0..labels).map(|_| [1, 2, 3, 4, 6, 12][rng.random_range(0..6)]).collect();
    let (mut words, mut tensors): (Vec<String>, Vec<Tensor<f64>>) = Default::default();
    for _ in 0..rng.random_range(2..=5) {
        let own: Vec<usize> = (0..labels).filter(|_| rng.random_bool(0.4)).take(4).collect();
        words.push(own.iter().map(|&label| (b'a' + label as u8) as char).collect());
        tensors.push(Tensor::filled(own.iter().map(|&label| extents[label]).collect::<Vec<_>>(), 1.0).unwrap());
    }
    let mut output: Vec<char> = words.concat().chars().filter(|_| rng.random_bool(0.4)).collect();
    output.sort_unstable();
    output.dedup();
    if rng.random_bool(0.5) {
        output.reverse();
    }
    (format!("{}->{}", words.join(","), output.into_iter().collect::<String>()), tensors)
}

#[test]
fn plain_products_have_the_graph_that_lowering_and_passes_make() {
    let mut rng = StdRng::seed_from_u64(3);
    let mut plain = [0; 6];
    for case in 0..2000 {
        let (text, tensors) = random(&mut rng);
        let choices = Choices { order: [Order::Auto, Order::Exact][case % 2].clone(), ..Choices::default() };
        let equation = checked(&subscripts_statement(&text, tensors.len()).unwrap()).unwrap();
        let Some(known) = Plain::new(&equation) else { continue };
        let Some(graph) = known.pairs(&choices, Dtype::F64, tensors.iter().map(Tensor::extents)) else { continue };
        let parts: Vec<_> = tensors.iter().map(Tensor::parts).collect();
        let values: Vec<_> = parts.iter().map(|&(data, layout)| OperandData::Elements(data, layout).value().unwrap()).collect();
        let value = product::<f64>(&equation, &values).unwrap();
        let lowered = lower_over(&values, &[Link::clone(&value)]).graph;
        let made = if is_optimal(&lowered, &choices) { lowered } else { optimize(&lowered, &choices, None).unwrap() };
        graph.verify().unwrap();
        assert_eq!(graph, made, "{text}");
        plain[tensors.len()] += 1;
    }
    assert!(plain[2..].iter().all(|&count| count > 100), "{plain:?} of the cases were plain, by their factors");
}

#[test]
fn equations_that_are_no_plain_product_are_refused() {
    let [a, b] = [[2, 3], [2, 3]].map(|extents| Tensor::<f64>::filled(extents, 1.0).unwrap());
    let pairs = |text: &str, choices: Choices| {
        let equation = checked(&subscripts_statement(text, 2).unwrap()).unwrap();
        Plain::new(&equation).and_then(|plain| plain.pairs(&choices, Dtype::F64, [&a, &b].into_iter().map(Tensor::extents)))
    };
    assert!(pairs("ik,jk->ij", Choices::default()).is_some());
    assert!(pairs("ik,kj->ij", Choices::default()).is_none());
    assert!(pairs("ik,k->i", Choices::default()).is_none());
    assert!(pairs("ij,ij->ij", Choices::default()).is_none());
    assert!(pairs("ik,jk->ij", Choices { memory: Some(1 << 20), ..Choices::default() }).is_none());
    assert!(pairs("ik,jk->ij", Choices { order: Order::AsWritten, ..Choices::default() }).is_none());
}
