//! What all derivatives of one product cost.

use super::{Drawn, near};
use crate::{Context, Expr, Tensor};

const EXTENTS: [usize; 5] = [3, 5, 8, 13, 20];

/// The labels of that many factors whose product is a number: a ring with some more labels across it, of which a factor has at most four.
/// (The derivative by a factor that holds several vectors together would be their outer product, which is computed at once and counted
/// once for each of them.)
fn network(drawn: &mut Drawn, factors: usize) -> Vec<String> {
    let mut below = |n: usize| (((drawn.number() + 1.0) / 2.0 * n as f64) as usize).min(n - 1);
    let mut names = vec![String::new(); factors];
    let mut free = 'a'..='z';
    let mut join = |names: &mut Vec<String>, (one, other): (usize, usize)| {
        if one != other && names[one].len() < 4 && names[other].len() < 4 {
            let label = free.next().expect("there are fewer labels than letters");
            names[one].push(label);
            names[other].push(label);
        }
    };
    (0..factors).for_each(|factor| join(&mut names, (factor, (factor + 1) % factors)));
    for _ in 0..3 {
        join(&mut names, (below(factors), below(factors)));
    }
    names
}

/// A product of drawn tensors whose result is a number.
struct Product {
    names: Vec<String>,
    tensors: Vec<Tensor<f64>>,
}

impl Product {
    fn drawn(drawn: &mut Drawn, factors: usize, n: usize) -> Product {
        let names = network(drawn, factors);
        let extent = |label: u8| EXTENTS[(usize::from(label) * 7 + n) % EXTENTS.len()];
        let tensors = names.iter().map(|own| drawn.tensor(&own.bytes().map(extent).collect::<Vec<_>>())).collect();
        Product { names, tensors }
    }

    /// The product and its derivatives by all factors.
    fn recorded(&self) -> Vec<Expr<'_, f64>> {
        let mut factors = self.tensors.iter().zip(&self.names).map(|(tensor, own)| tensor.at(own));
        let first = factors.next().unwrap();
        let product = factors.fold(first, |before, factor| before * factor).record("").unwrap();
        let mut all = vec![product.at("").record("").unwrap()];
        all.extend(product.grad(&self.tensors.iter().collect::<Vec<_>>()[..]).unwrap());
        all
    }
}

/// By how much the product with all derivatives costs more than the product.
fn ratio(all: &[Expr<'_, f64>]) -> f64 {
    let cost = |count: usize| Context::cpu().explain(&all[..count]).unwrap().operations();
    cost(all.len()) / cost(1)
}

/// Checks the ratios of drawn products: each, and their mean.
fn check(counts: std::ops::Range<usize>, [most, mean]: [f64; 2]) {
    let drawn = &mut Drawn::new(17);
    let mut logarithms = 0.0;
    for n in 0..60 {
        let product = Product::drawn(drawn, counts.start + n % counts.len(), n);
        let found = ratio(&product.recorded());
        assert!(found <= most, "{found} times the product {:?}", product.names);
        logarithms += found.ln();
    }
    let found = (logarithms / 60.0).exp();
    assert!(found <= mean, "{found} in the mean");
}

/// A product of two tensors has two derivatives, each of which costs as much as it, so that all of them and the product cost three times
/// as much; a little more where the best order for the product is not that for all.
#[test]
fn all_derivatives_of_up_to_six_factors_cost_three_times_the_product() {
    check(3..7, [3.5, 3.02]);
}

#[test]
fn all_derivatives_of_up_to_twelve_factors_cost_three_times_the_product() {
    check(7..13, [3.5, 3.02]);
}

/// The derivative by a factor is the product of all others.
#[test]
fn derivatives_of_many_factors_are_products_of_the_others() {
    let drawn = &mut Drawn::new(18);
    for n in 0..24 {
        let product = Product::drawn(drawn, 7 + n % 6, n);
        let found = crate::eval_all(&product.recorded()[..]).unwrap();
        for (left_out, found) in found[1..].iter().enumerate() {
            let others = (0..product.names.len()).filter(|factor| *factor != left_out);
            let mut factors = others.map(|factor| product.tensors[factor].at(&product.names[factor]));
            let first = factors.next().unwrap();
            let others = factors.fold(first, |before, factor| before * factor).record(&product.names[left_out]).unwrap();
            let expected = Context::cpu().eval(&others).unwrap();
            near(&format!("{:?} by factor {left_out}", product.names), found, &expected, 1e-12);
        }
    }
}

/// The trace of a product of a hundred matrices, with its derivatives by all of these.
#[test]
fn a_chain_of_a_hundred_matrices_costs_three_times_as_much_with_its_derivatives() {
    let drawn = &mut Drawn::new(19);
    let matrices: Vec<Tensor<f64>> = (0..100).map(|_| drawn.tensor(&[64, 64])).collect();
    let mut before = matrices[0].at("ij").record("ij").unwrap();
    for matrix in &matrices[1..99] {
        before = (before.at("ik") * matrix.at("kj")).record("ij").unwrap();
    }
    let label = |n: usize| format!("i{}", n % 100);
    let factor = |n: usize| matrices[n].at(&format!("{},{}", label(n), label(n + 1)));
    // An equation for each product, and one for all.
    let losses = [
        (before.at("ij") * matrices[99].at("ji")).record("").unwrap(),
        (1..100).fold(factor(0), |product, n| product * factor(n)).record("").unwrap(),
    ];
    for loss in &losses {
        let mut all = vec![loss.at("").record("").unwrap()];
        all.extend(loss.grad(&matrices.iter().collect::<Vec<_>>()[..]).unwrap());
        let found = ratio(&all);
        assert!(found <= 3.0, "{found}");
    }
}
