//! What all derivatives of one product cost.

use super::Drawn;
use crate::{Context, Tensor};

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

/// A product of two tensors has two derivatives, each of which costs as much as it, so that all of them and the product cost three times
/// as much; a little more where the best order for the product is not that for all.
#[test]
fn all_derivatives_of_up_to_six_factors_cost_three_times_the_product() {
    let drawn = &mut Drawn::new(17);
    let mut ratios = Vec::new();
    for n in 0..60 {
        let names = network(drawn, 3 + n % 4);
        let extent = |label: u8| EXTENTS[(usize::from(label) * 7 + n) % EXTENTS.len()];
        let tensors: Vec<Tensor<f64>> =
            names.iter().map(|own| drawn.tensor(&own.bytes().map(extent).collect::<Vec<_>>())).collect();
        let mut factors = tensors.iter().zip(&names).map(|(tensor, own)| tensor.at(own));
        let first = factors.next().unwrap();
        let product = factors.fold(first, |before, factor| before * factor).record("").unwrap();
        let mut all = vec![product.at("").record("").unwrap()];
        all.extend(product.grad(&tensors.iter().collect::<Vec<_>>()[..]).unwrap());
        let cost = |count: usize| Context::cpu().explain(&all[..count]).unwrap().operations();
        let (value, with) = (cost(1), cost(all.len()));
        assert!(with <= 3.5 * value, "{with} operations, {value} of the product {names:?}");
        ratios.push(with / value);
    }
    let mean = ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64;
    assert!(mean.exp() <= 3.02, "{} in the mean", mean.exp());
}
