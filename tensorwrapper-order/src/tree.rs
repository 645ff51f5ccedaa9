//! A path as a binary tree whose shape can be changed step by step at little cost. The file must not know which change is wanted.
//!
//! A node is a tensor: leaves are factors, and all other nodes are products. The labels that a product keeps are known without counting
//! the tensors that have a label: for `p = (a b) c`, the labels that `a c` keeps are those that `b` or `p` has.

use super::bits::{Rows, Weights};
use super::cost::{Cost, Minimize, Objective, Step, sum};
use super::network::{Network, Path};

/// The tree of a path. Leaves are numbered as the factors, products behind them, and the last node is the root.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    leaves: usize,
    /// The factors of each product.
    children: Vec<[usize; 2]>,
    /// The labels of each node.
    rows: Rows,
    /// The size of each node.
    sizes: Vec<f64>,
    /// The price of each product.
    prices: Vec<f64>,
    weights: Weights,
    objective: Objective,
}

/// Another order of three tensors: instead of `(a b) c`, the products `(a c) b`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    /// The product of all three.
    parent: usize,
    /// The inner product.
    child: usize,
    /// `a`, `b` and `c`.
    nodes: [usize; 3],
    /// Prices of the inner product and of the parent afterwards.
    prices: [f64; 2],
}

impl Tree {
    /// The tree of a path of at least one factor.
    pub(super) fn new(network: &Network, weights: Weights, path: &Path, objective: impl Into<Objective>) -> Tree {
        let leaves = network.inputs.len();
        let nodes = leaves + path.len();
        let mut rows = Rows::new(nodes, network.extents.len());
        // How many factors that are still to be multiplied have a label, the result included.
        let mut holders = vec![0usize; network.extents.len()];
        network.output.iter().for_each(|&label| holders[label] += 1);
        for (leaf, labels) in network.inputs.iter().enumerate() {
            for &label in labels {
                rows.put(leaf, label);
                holders[label] += 1;
            }
        }
        for (n, &(a, b)) in path.iter().enumerate() {
            for factor in [a, b] {
                super::bits::labels(rows.row(factor).iter().copied()).for_each(|label| holders[label] -= 1);
            }
            let union = rows.row(a).iter().zip(rows.row(b)).map(|(a, b)| a | b);
            let kept: Vec<_> = super::bits::labels(union).filter(|&label| holders[label] > 0).collect();
            for label in kept {
                rows.put(leaves + n, label);
                holders[label] += 1;
            }
        }
        let children = path.iter().map(|&(a, b)| [a, b]).collect();
        let (sizes, prices) = (vec![0.0; nodes], vec![0.0; path.len()]);
        let mut tree = Tree { leaves, children, rows, sizes, prices, weights, objective: objective.into() };
        tree.assess();
        tree
    }

    /// Computes the sizes and prices of all nodes again, for these extents.
    pub(super) fn reweigh(&mut self, weights: Weights) {
        self.weights = weights;
        self.assess();
    }

    fn assess(&mut self) {
        for node in 0..self.sizes.len() {
            self.sizes[node] = self.weights.size(self.rows.row(node).iter().copied());
        }
        for node in self.leaves..self.sizes.len() {
            self.prices[node - self.leaves] = self.objective.price(self.step(node));
        }
    }

    pub(super) fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(super) fn objective(&self) -> Objective {
        self.objective
    }

    /// Sets another objective.
    pub(super) fn seek(&mut self, objective: Objective) {
        self.objective = objective;
        self.assess();
    }

    /// The numbers of the products.
    pub(super) fn products(&self) -> std::ops::Range<usize> {
        self.leaves..self.sizes.len()
    }

    /// The factors of a product; none for a leaf.
    pub(super) fn children(&self, node: usize) -> Option<[usize; 2]> {
        node.checked_sub(self.leaves).map(|product| self.children[product])
    }

    pub(super) fn row(&self, node: usize) -> &[u64] {
        self.rows.row(node)
    }

    pub(super) fn size(&self, node: usize) -> f64 {
        self.sizes[node]
    }

    /// The price of a product.
    pub(super) fn price(&self, node: usize) -> f64 {
        self.prices[node - self.leaves]
    }

    /// The labels of both factors of a product.
    pub(super) fn union(&self, node: usize) -> impl Iterator<Item = u64> + Clone + '_ {
        let [a, b] = self.children[node - self.leaves];
        self.rows.row(a).iter().zip(self.rows.row(b)).map(|(a, b)| a | b)
    }

    pub(super) fn step(&self, node: usize) -> Step {
        let [a, b] = self.children[node - self.leaves];
        let factors = [self.sizes[a], self.sizes[b]];
        Step { operations: self.weights.size(self.union(node)), factors, result: self.sizes[node] }
    }

    pub(super) fn cost(&self) -> Cost {
        let operations = sum(self.products().map(|node| self.weights.size(self.union(node))));
        let largest = self.products().map(|node| self.sizes[node]).fold(f64::NEG_INFINITY, f64::max);
        Cost { price: self.total(), operations, largest }
    }

    /// The price of all products.
    pub(super) fn total(&self) -> f64 {
        sum(self.prices.iter().copied())
    }

    /// The rotation in which a product's factor on `side` gives up its own factor on `other`, and gets the product's other factor
    /// instead. `None` if the factor on `side` is a leaf.
    pub(super) fn rotation(&self, parent: usize, side: usize, other: usize) -> Option<Rotation> {
        let factors = self.children[parent - self.leaves];
        let (child, c) = (factors[side], factors[1 - side]);
        let inner = self.children(child)?;
        let (a, b) = (inner[1 - other], inner[other]);
        let (rows, weights) = (&self.rows, &self.weights);
        let (row_a, row_b, row_c, row_p) = (rows.row(a), rows.row(b), rows.row(c), rows.row(parent));
        let union = row_a.iter().zip(row_c).map(|(a, c)| a | c);
        let open = union.clone().zip(row_b.iter().zip(row_p)).map(|(union, (b, p))| union & (b | p));
        let size = if self.objective.is_plain() { 0.0 } else { weights.size(open.clone()) };
        let around = weights.size(open.zip(row_b).map(|(open, b)| open | b));
        let inner = Step { operations: weights.size(union), factors: [self.sizes[a], self.sizes[c]], result: size };
        let outer = Step { operations: around, factors: [size, self.sizes[b]], result: self.sizes[parent] };
        let prices = [self.objective.price(inner), self.objective.price(outer)];
        Some(Rotation { parent, child, nodes: [a, b, c], prices })
    }

    /// The prices of both products before and after a rotation.
    pub(super) fn change(&self, rotation: &Rotation) -> ([f64; 2], [f64; 2]) {
        ([self.price(rotation.child), self.price(rotation.parent)], rotation.prices)
    }

    pub(super) fn rotate(&mut self, rotation: &Rotation) {
        let Rotation { parent, child, nodes: [a, b, c], prices } = *rotation;
        self.children[child - self.leaves] = [a, c];
        self.children[parent - self.leaves] = [child, b];
        self.prices[child - self.leaves] = prices[0];
        self.prices[parent - self.leaves] = prices[1];
        self.close(child, b, parent);
    }

    /// Computes the labels of a product. The tensors outside of it are `sibling` and those outside of `parent`.
    fn close(&mut self, node: usize, sibling: usize, parent: usize) {
        let rows = &self.rows;
        let around = rows.row(sibling).iter().zip(rows.row(parent)).map(|(sibling, parent)| sibling | parent);
        let open: smallvec::SmallVec<[u64; 16]> = self.union(node).zip(around).map(|(union, around)| union & around).collect();
        self.rows.set(node, &open);
        self.sizes[node] = self.weights.size(open.iter().copied());
    }

    /// Gives products other factors and labels, so that a part of the tree gets another shape. The products keep the numbers that the
    /// part has. Everything outside of the part stays as it is.
    pub(super) fn regraft(&mut self, part: &[(usize, [usize; 2], Vec<u64>)]) {
        for (node, factors, row) in part {
            self.children[node - self.leaves] = *factors;
            self.rows.set(*node, row);
            self.sizes[*node] = self.weights.size(row.iter().copied());
        }
        for (node, ..) in part {
            self.prices[node - self.leaves] = self.objective.price(self.step(*node));
        }
    }

    /// The products in an order in which they can be computed: each after its factors.
    pub(super) fn in_order(&self) -> Vec<usize> {
        let mut open = Vec::from_iter(self.products().last());
        let mut order = Vec::with_capacity(self.children.len());
        while let Some(node) = open.pop() {
            order.push(node);
            open.extend(self.children(node).into_iter().flatten().filter(|&child| child >= self.leaves));
        }
        order.reverse();
        order
    }

    /// The tree as a path.
    pub(super) fn path(&self) -> Path {
        let mut number: Vec<usize> = (0..self.sizes.len()).collect();
        let mut path = Path::with_capacity(self.children.len());
        for node in self.in_order() {
            let [a, b] = self.children[node - self.leaves].map(|factor| number[factor]);
            number[node] = self.leaves + path.len();
            path.push((a.min(b), a.max(b)));
        }
        path
    }
}

/// The cost of a path.
pub(super) fn cost(network: &Network, path: &Path, minimize: Minimize) -> Cost {
    Tree::new(network, Weights::new(&network.extents), path, minimize).cost()
}
