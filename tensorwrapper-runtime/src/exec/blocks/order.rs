//! The order in which the factors of a product are multiplied, where a share of their blocks is there.
//!
//! Which blocks meet is known once products are inferred, which is too much work for every order. So blocks are taken to lie as by chance:
//! of all products of blocks of two tensors with the shares a and b, a·b are there, and a block of a result is there unless none of
//! the n products is that it sums, 1 − (1 − a·b)ⁿ. In the same way a block of an intermediate is read unless it meets no block of the other
//! factors; one that is not read is not made. Of a few factors, the order of fewest multiplications is taken.

use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_order::{Minimize, Order, Search, find};

use crate::optimize::{Accumulate, Choices};

/// The most factors of which all orders are compared.
const MOST: usize = 10;
/// By what an element of a result counts, so that of orders with as many multiplications the smaller intermediates are made.
const ELEMENT: f64 = 1e-9;

/// What a caller can choose of a plan.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chosen {
    order: Order,
    minimize: Option<Minimize>,
    seed: u64,
    accumulate: Accumulate,
    /// The bytes that a run may take: products are computed in parts to keep within them.
    pub(super) memory: Option<usize>,
}

impl Chosen {
    pub(super) fn of(choices: &Choices) -> Chosen {
        Chosen {
            order: choices.order.clone(),
            minimize: choices.minimize,
            seed: choices.seed,
            accumulate: choices.accumulate,
            memory: choices.memory,
        }
    }

    /// Whether the order of fewest multiplications is asked for.
    fn is_fewest(&self) -> bool {
        matches!(self.order, Order::Auto | Order::Exact) && matches!(self.minimize, None | Some(Minimize::Operations))
    }
}

/// A product of three or more factors, which lack a share of their blocks.
#[derive(Debug)]
pub(super) struct SparseNetwork<'n> {
    /// The labels of each factor, and the share of its blocks that are there.
    pub(super) factors: Vec<(&'n [usize], f64)>,
    pub(super) left: &'n [usize],
    /// The extent of each label, and in how many tiles it is cut.
    pub(super) extents: Vec<usize>,
    pub(super) tiles: Vec<usize>,
}

/// The share of its elements that a structure has, those that follow from others included.
pub(super) fn share(structure: &Structure) -> Result<f64, Error> {
    let all: f64 = structure.tilings().iter().map(|tiling| tiling.extent() as f64).product();
    let stored = structure.stored()?.filled() as f64 * structure.symmetry().elements().len() as f64;
    Ok(if all == 0.0 { 1.0 } else { (stored / all).min(1.0) })
}

impl SparseNetwork<'_> {
    /// Pairs in positions of what is left: two factors are taken out, and their product is put at the end.
    ///
    /// # Errors
    /// An order given by the program that does not fit.
    pub(super) fn order(&self, chosen: &Chosen) -> Result<Vec<(usize, usize)>, Error> {
        let is_whole = self.factors.iter().all(|(_, share)| *share == 1.0);
        if !is_whole && self.factors.len() <= MOST && self.extents.len() <= 64 && chosen.is_fewest() {
            return Ok(self.fewest());
        }
        let search = Search::new().order(chosen.order.clone()).minimize(chosen.minimize.unwrap_or_default()).seed(chosen.seed);
        let inputs: Vec<Vec<usize>> = self.factors.iter().map(|(labels, _)| labels.to_vec()).collect();
        Ok(find(&inputs, self.left, &self.extents, &search)?.linear())
    }

    /// The order of fewest multiplications, by dynamic programming over all sets of factors.
    fn fewest(&self) -> Vec<(usize, usize)> {
        let sets = 1usize << self.factors.len();
        let members = |set: usize| (0..self.factors.len()).filter(move |n| set >> n & 1 == 1);
        let union = |set: usize| members(set).fold(0, |all, n| all | bits(self.factors[n].0));
        let product = |labels: u64, of: &[usize]| {
            (0..of.len()).filter(|label| labels >> label & 1 == 1).map(|label| of[label] as f64).product::<f64>()
        };
        // The share of blocks for which, of all tiles of these labels, at least one has a block of each of these factors.
        let some = |of: usize, labels: u64| {
            let all: f64 = members(of).map(|n| self.factors[n].1).product();
            -(product(labels, &self.tiles) * (-all).ln_1p()).exp_m1()
        };
        let (mut kept, mut shares, mut reads) = (vec![0; sets], vec![1.0; sets], vec![1.0; sets]);
        for set in 1..sets {
            let (inside, outside) = (union(set), union(sets - 1 - set));
            kept[set] = inside & (bits(self.left) | outside);
            shares[set] = if set.is_power_of_two() {
                self.factors[set.trailing_zeros() as usize].1
            } else {
                some(set, inside & !kept[set])
            };
            reads[set] = some(sets - 1 - set, outside & !kept[set]);
        }
        let (mut costs, mut halves) = (vec![0.0; sets], vec![0; sets]);
        for set in (1..sets).filter(|set| !set.is_power_of_two()) {
            // Each pair once: the half without the first factor of the set.
            let others = set & (set - 1);
            let (mut best, mut half) = (f64::INFINITY, others);
            while half != 0 {
                let other = set ^ half;
                let step = product(kept[half] | kept[other], &self.extents) * shares[half] * shares[other] * reads[set];
                let cost = costs[half] + costs[other] + step;
                if cost < best {
                    (best, halves[set]) = (cost, half);
                }
                half = (half - 1) & others;
            }
            costs[set] = best + ELEMENT * product(kept[set], &self.extents) * shares[set] * reads[set];
        }
        let mut pairs = Vec::new();
        let mut left: Vec<usize> = (0..self.factors.len()).map(|n| 1 << n).collect();
        multiply(sets - 1, &halves, &mut left, &mut pairs);
        pairs
    }
}

/// Makes the product of a set of factors from those that are left.
fn multiply(set: usize, halves: &[usize], left: &mut Vec<usize>, pairs: &mut Vec<(usize, usize)>) {
    if set.is_power_of_two() {
        return;
    }
    let parts = [set ^ halves[set], halves[set]];
    parts.iter().for_each(|&part| multiply(part, halves, left, pairs));
    let place = |part: usize| left.iter().position(|&own| own == part).expect("it was made");
    let [a, b] = parts.map(place);
    left.remove(a.max(b));
    left.remove(a.min(b));
    left.push(set);
    pairs.push((a.min(b), a.max(b)));
}

fn bits(labels: &[usize]) -> u64 {
    labels.iter().fold(0, |all, &label| all | 1 << label)
}
