//! The cost of a product of two tensors, and what searches minimize.
//!
//! Costs are logarithms to base 2: the operations of some hundred tensors exceed the range of floating-point numbers.

use std::hash::{Hash, Hasher};

/// What a search minimizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Minimize {
    /// The number of multiplications. For each product, this is the product of the extents of all labels of both factors.
    #[default]
    Operations,
    /// The number of elements of the largest product. The search minimizes a sum of high powers of the sizes instead of the maximum. So
    /// of two orders with the same largest product it prefers the one whose other products are smaller.
    Size,
    /// The time in seconds, estimated from the rates of a machine.
    Time(Rates),
}

/// How much a machine does in a second, from which times are estimated.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// Multiplications per second in large products of matrices, at the most.
    pub matrix: f64,
    /// Multiplications per second in all other products, and in products of matrices at the least.
    pub other: f64,
    /// Elements read and written per second.
    pub elements: f64,
}

/// What a kernel computes for nothing at the edges of a product of matrices, in rows, in columns (the fewer of both) and in terms: lanes
/// that are not filled, columns that do not fill a tile, results that are stored after few terms.
///
/// Fitted to the steps of a hundred networks, each timed alone (`docs/results/order.md`).
const EDGES: [f64; 3] = [8.0, 3.0, 4.0];

impl Default for Rates {
    /// One core of a present-day processor, double precision.
    fn default() -> Rates {
        Rates { matrix: 3e10, other: 2e9, elements: 3e9 }
    }
}

impl Rates {
    /// The estimated time of work on so many elements that is no product of two tensors; `is_fast`: its operations are as fast as those of
    /// products of matrices.
    pub fn seconds(self, is_fast: bool, operations: f64, elements: f64) -> f64 {
        operations / if is_fast { self.matrix } else { self.other } + elements / self.elements
    }

    /// The estimated time of a product of two tensors with this number of operations, and these numbers of elements of both factors and of
    /// the result; [`Minimize::Time`] minimizes the sum.
    pub fn product(self, operations: f64, factors: [f64; 2], result: f64) -> f64 {
        let [a, b] = factors.map(f64::log2);
        Minimize::Time(self).price(Step { operations: operations.log2(), factors: [a, b], result: result.log2() }).exp2()
    }

    fn bits(&self) -> [u64; 3] {
        [self.matrix, self.other, self.elements].map(f64::to_bits)
    }
}

/// Compared bit by bit, so that rates can be part of the key of a plan.
impl PartialEq for Rates {
    fn eq(&self, other: &Rates) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for Rates {}

impl Hash for Rates {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().hash(state);
    }
}

/// The power with which a sum of sizes approximates their maximum, up to `log2(steps) / 16`.
const POWER: f64 = 16.0;

/// One product: the number of its operations, the sizes of both factors and of the result, all as logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) operations: f64,
    pub(super) factors: [f64; 2],
    pub(super) result: f64,
}

impl Minimize {
    /// The logarithm of what a product adds to the sum that is minimized.
    pub(super) fn price(self, step: Step) -> f64 {
        match self {
            Minimize::Operations => step.operations,
            Minimize::Size => POWER * step.result,
            Minimize::Time(rates) => {
                let [a, b] = step.factors;
                let u = step.operations;
                // What the union has beside a tensor: the other's own labels, which are rows or columns, and the summed ones.
                let [rows, columns, terms] = [a.min(b), a.max(b), step.result].map(|tensor| u - tensor);
                let edges = [rows, columns, terms].into_iter().zip(EDGES).map(|(log, edge)| 1.0 + edge * (-log).exp2());
                let rate = (rates.matrix.log2() - edges.product::<f64>().log2()).max(rates.other.log2());
                let arithmetic = u - rate;
                let traffic = sum([a, b, step.result].into_iter()) - rates.elements.log2();
                sum([arithmetic, traffic].into_iter())
            }
        }
    }
}

/// What is minimized, and the number of elements that no product should exceed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Objective {
    pub(super) minimize: Minimize,
    /// The logarithm of this number.
    pub(super) limit: f64,
    /// The penalty: a product of 2ⁿ times the limit costs 2^(n · fine) times as much.
    pub(super) fine: f64,
}

impl From<Minimize> for Objective {
    fn from(minimize: Minimize) -> Objective {
        Objective { minimize, limit: f64::INFINITY, fine: 0.0 }
    }
}

impl Objective {
    /// The logarithm of what a product adds to the sum that is to be least.
    pub(super) fn price(self, step: Step) -> f64 {
        self.minimize.price(step) + self.fine * (step.result - self.limit).max(0.0)
    }

    /// Whether only operations are part of the price, not sizes.
    pub(super) fn is_plain(self) -> bool {
        self.limit == f64::INFINITY && self.minimize == Minimize::Operations
    }
}

/// The logarithm of a sum, from the logarithms of its terms; of an empty sum −∞.
pub(super) fn sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY { most } else { most + logs.map(|log| (log - most).exp2()).sum::<f64>().log2() }
}

/// What a path costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Cost {
    /// The sum that was minimized.
    pub(super) price: f64,
    /// Operations of all products.
    pub(super) operations: f64,
    /// The largest product.
    pub(super) largest: f64,
}

impl Cost {
    /// The values to compare orders by: for sizes the true maximum, then operations.
    pub(super) fn rank(&self, minimize: Minimize) -> (f64, f64) {
        match minimize {
            Minimize::Operations | Minimize::Time(_) => (self.price, self.largest),
            Minimize::Size => (self.largest, self.operations),
        }
    }

    /// Whether this is less, by more than rounding.
    pub(super) fn is_below(&self, other: &Cost, minimize: Minimize) -> bool {
        let (own, others) = (self.rank(minimize), other.rank(minimize));
        own.0 < others.0 - 1e-9 || (own.0 < others.0 + 1e-9 && own.1 < others.1 - 1e-9)
    }
}
