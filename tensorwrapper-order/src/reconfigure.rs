//! Better orders of small parts of a tree, found by dynamic programming. The file must not know how the tree was made.

use std::collections::VecDeque;

use super::bits::labels;
use super::clock::Clock;
use super::random::Random;
use super::subsets::{Set, Shared, Subsets};
use super::tree::Tree;

/// Searches parts of a tree; keeps its memory between searches.
#[derive(Debug)]
pub(super) struct Reconfigure {
    subsets: Subsets,
    /// For each label, the tensors of the part that have it, if any.
    holders: Vec<Set>,
}

impl Reconfigure {
    /// For networks of so many labels.
    pub(super) fn new(labels: usize) -> Reconfigure {
        Reconfigure { subsets: Subsets::default(), holders: vec![0; labels] }
    }

    /// Replaces every part of at most `width` tensors below a product by its best order. Ends when no part improves, after this number of
    /// rounds, or when the time is up. The tree never becomes worse.
    pub(super) fn run(&mut self, tree: &mut Tree, width: usize, rounds: usize, random: &mut Random, clock: &Clock) {
        for _ in 0..rounds {
            let mut better = false;
            for root in tree.in_order() {
                if clock.is_over() {
                    return;
                }
                better |= self.improve(tree, root, width, random);
            }
            if !better {
                return;
            }
        }
    }

    /// Improves the part below a product, and returns whether it could.
    fn improve(&mut self, tree: &mut Tree, root: usize, width: usize, random: &mut Random) -> bool {
        let (tensors, products) = part(tree, root, width, random);
        if tensors.len() < 3 {
            return false;
        }
        let scale = super::cost::sum(products.iter().map(|&product| tree.price(product)));
        let shared = self.shared(tree, root, &tensors);
        let cap = 1.0 - 1e-9;
        if self.subsets.solve(tensors.len(), shared.into_iter(), tree.objective(), (scale, cap)).is_none() {
            return false;
        }
        let part = self.grown(tree, root, &tensors, &products);
        tree.regraft(&part);
        true
    }

    /// The labels of a part's tensors.
    fn shared(&mut self, tree: &Tree, root: usize, tensors: &[usize]) -> Vec<Shared> {
        let mut met = Vec::new();
        for (n, &tensor) in tensors.iter().enumerate() {
            for label in labels(tree.row(tensor).iter().copied()) {
                if self.holders[label] == 0 {
                    met.push(label);
                }
                self.holders[label] |= 1 << n;
            }
        }
        let outer = |label: usize| tree.row(root)[label / 64] >> (label % 64) & 1 == 1;
        met.into_iter()
            .map(|label| {
                let holders = std::mem::take(&mut self.holders[label]);
                Shared { holders, log: tree.weights().of(label), is_inner: !outer(label) }
            })
            .collect()
    }

    /// The best order as a list of products, parents first. Each has one of the numbers that the part's products had, the numbers of its
    /// factors, and its labels.
    fn grown(&self, tree: &Tree, root: usize, tensors: &[usize], products: &[usize]) -> Vec<(usize, [usize; 2], Vec<u64>)> {
        let mut free = products.iter().copied().filter(|&product| product != root);
        let mut open = vec![(root, self.subsets.all(), tree.row(root).to_vec())];
        let mut part = Vec::with_capacity(products.len());
        let union = |set: Set| {
            let mut row = vec![0; tree.row(root).len()];
            for (_, &tensor) in tensors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1) {
                row.iter_mut().zip(tree.row(tensor)).for_each(|(all, word)| *all |= word);
            }
            row
        };
        while let Some((node, set, row)) = open.pop() {
            let (a, b) = self.subsets.halves(set);
            let mut child = |own: Set, other: Set| {
                if own.is_power_of_two() {
                    return tensors[own.trailing_zeros() as usize];
                }
                let kept = union(own).iter().zip(union(other)).zip(&row).map(|((own, other), row)| own & (other | row)).collect();
                let number = free.next().expect("a part has as many products in every order");
                open.push((number, own, kept));
                number
            };
            let factors = [child(a, b), child(b, a)];
            part.push((node, factors, row));
        }
        part
    }
}

/// Opens products below a product until there are `width` tensors. Returns these tensors, and the products that were opened.
fn part(tree: &Tree, root: usize, width: usize, random: &mut Random) -> (Vec<usize>, Vec<usize>) {
    let (mut tensors, mut products) = (Vec::with_capacity(width), Vec::with_capacity(width));
    let mut open = VecDeque::from([root]);
    while let Some(node) = open.pop_front() {
        match tree.children(node) {
            Some(factors) if tensors.len() + open.len() + 2 <= width => {
                products.push(node);
                for factor in factors {
                    // Now broad, now deep: parts of one shape would miss what parts of another find.
                    if random.bits() & 3 == 0 { open.push_front(factor) } else { open.push_back(factor) }
                }
            }
            _ => tensors.push(node),
        }
    }
    (tensors, products)
}
