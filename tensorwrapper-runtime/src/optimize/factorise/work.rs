//! The data of a factorisation: a table of tensors, and sums of products of them, whose parts are identified by their canonical
//! form. This file must not know of graphs.

use std::collections::HashMap;

use num_complex::Complex;
use smallvec::SmallVec;

use super::term::{Factor, Key, Name, Role, Term, canonical, least};

/// Orders of axes that are tried.
const MOST_ORDERS: usize = 24;

/// A tensor that products are made of.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) extents: Vec<usize>,
    /// Whether it costs nothing, because it is kept from run to run.
    pub(super) is_kept: bool,
}

/// Where a tensor comes from.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// From elsewhere, by its number there.
    Leaf(usize),
    /// One of the sums, by its number.
    Sum(usize),
    /// `Π factors`, one or two, summed over all labels from the number of axes on.
    Product(Vec<Factor>),
}

/// A sum of products.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    pub(super) extents: Vec<usize>,
    pub(super) entries: Vec<Entry>,
    /// Whether it is among those that have changed.
    is_new: bool,
}

/// A term, and what is known of the products of some of its factors, by the set of the factors as bits.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) term: Term,
    /// Labels that the product has, as bits.
    pub(super) kept: Vec<u64>,
    /// Labels that the product runs over before it is summed.
    pub(super) extents: Vec<f64>,
    /// The number of the product's key.
    pub(super) keys: Vec<u32>,
    /// The number of its key where the labels of the sum have their names, and its other open labels in the order of that.
    pub(super) rests: Vec<(u32, SmallVec<[Name; 8]>)>,
    /// Whether all factors are kept from run to run.
    pub(super) are_kept: Vec<bool>,
}

/// The weights of the cost model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Weights {
    /// The cost of an element that is read from or written to memory, in multiplications.
    pub(super) element: f64,
    /// The exponent that says how much of a product's cost is assumed to be shared with other terms that could use it.
    pub(super) share: f64,
    /// The most elements of an intermediate.
    pub(super) most: f64,
}

/// The most factors of a term for which all subsets are examined.
pub(super) const MOST_FACTORS: usize = 6;

/// All sums, with the products and sums that are already known.
#[derive(Clone, Debug)]
pub(super) struct Work {
    pub(super) nodes: Vec<Node>,
    pub(super) sums: Vec<Sum>,
    pub(super) weights: Weights,
    pub(super) products: HashMap<Key, u32>,
    rests: HashMap<Key, u32>,
    /// How often a product may be used.
    pub(super) users: Vec<u32>,
    known: HashMap<SumKey, Known>,
    /// Sums that are known, by what does not depend on labels.
    rough: HashMap<u64, u32>,
    /// Single tensors that are summed over some of their labels: the node of each.
    pub(super) presums: HashMap<(Factor, usize), u32>,
    /// Sums that have changed since they were last looked at.
    changed: Vec<usize>,
}

type SumKey = Vec<(Key, [u64; 2])>;

/// A sum that is a node: by what it must be multiplied to be as its key says, and its axes in the order of the key.
#[derive(Clone, Debug)]
struct Known {
    node: u32,
    scale: Complex<f64>,
    axes: SmallVec<[Name; 8]>,
}

/// A tensor as another one: `scale · node[labels]`.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) node: u32,
    pub(super) scale: Complex<f64>,
    pub(super) labels: SmallVec<[Name; 6]>,
}

impl Work {
    pub(super) fn new(weights: Weights) -> Work {
        Work {
            nodes: Vec::new(),
            sums: Vec::new(),
            weights,
            products: HashMap::new(),
            rests: HashMap::new(),
            users: Vec::new(),
            known: HashMap::new(),
            rough: HashMap::new(),
            presums: HashMap::new(),
            changed: Vec::new(),
        }
    }

    /// The sums that have changed since this was asked last.
    pub(super) fn take_changed(&mut self) -> Vec<usize> {
        let changed = std::mem::take(&mut self.changed);
        changed.iter().for_each(|&sum| self.sums[sum].is_new = false);
        changed
    }

    fn change(&mut self, sum: usize) {
        if !std::mem::replace(&mut self.sums[sum].is_new, true) {
            self.changed.push(sum);
        }
    }

    pub(super) fn add_node(&mut self, kind: Kind, extents: Vec<usize>, is_kept: bool) -> u32 {
        self.nodes.push(Node { kind, extents, is_kept });
        (self.nodes.len() - 1) as u32
    }

    /// Adds a sum of these terms, those that are alike as one. Returns its number.
    pub(super) fn add_sum(&mut self, extents: Vec<usize>, terms: Vec<Term>) -> usize {
        let number = self.sums.len();
        self.sums.push(Sum { extents, entries: Vec::new(), is_new: false });
        self.change(number);
        for term in terms {
            self.add_term(number, term);
        }
        number
    }

    /// Adds a term, to one that is like it if there is one.
    pub(super) fn add_term(&mut self, sum: usize, term: Term) {
        let entry = self.entry(term, self.sums[sum].extents.len());
        let all = entry.kept.len() - 1;
        let like = self.sums[sum].entries.iter().position(|known| {
            known.term.factors.len() == entry.term.factors.len()
                && known.rests.last().map(|r| r.0) == entry.rests.last().map(|r| r.0)
        });
        if let (Some(n), true) = (like, all > 0) {
            // What cancels stays, times zero: it may be infinite.
            self.sums[sum].entries[n].term.scale += entry.term.scale;
            return;
        }
        self.count(&entry, true);
        self.sums[sum].entries.push(entry);
        self.change(sum);
    }

    pub(super) fn remove(&mut self, sum: usize, entry: usize) -> Entry {
        let entry = self.sums[sum].entries.remove(entry);
        self.count(&entry, false);
        self.change(sum);
        entry
    }

    fn count(&mut self, entry: &Entry, is_new: bool) {
        for (set, &key) in entry.keys.iter().enumerate().filter(|(set, _)| set.count_ones() > 1) {
            debug_assert!(set < entry.kept.len());
            let users = &mut self.users[key as usize];
            *users = if is_new { *users + 1 } else { users.saturating_sub(1) };
        }
    }

    /// The extent of each label of a term.
    pub(super) fn extents(&self, term: &Term) -> Vec<f64> {
        let mut extents = Vec::new();
        for factor in &term.factors {
            for (&label, &extent) in factor.labels.iter().zip(&self.nodes[factor.node as usize].extents) {
                if extents.len() <= usize::from(label) {
                    extents.resize(usize::from(label) + 1, 1.0);
                }
                extents[usize::from(label)] = extent as f64;
            }
        }
        extents
    }

    fn entry(&mut self, term: Term, axes: usize) -> Entry {
        let own: SmallVec<[u64; 8]> =
            term.factors.iter().map(|factor| factor.labels.iter().fold(0, |bits, &label| bits | 1 << label)).collect();
        let sets = 1usize << term.factors.len();
        let outside = (1u64 << axes) - 1;
        let union = |set: usize| own.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).fold(0, |all, (_, bits)| all | bits);
        let (mut kept, mut keys) = (Vec::with_capacity(sets), Vec::with_capacity(sets));
        let (mut rests, mut are_kept) = (Vec::with_capacity(sets), Vec::with_capacity(sets));
        for set in 0..sets {
            let (inside, others) = (union(set), union(sets - 1 - set));
            let open = inside & (outside | others);
            kept.push(if set.count_ones() == 1 { inside } else { open });
            let factors: SmallVec<[&Factor; 8]> =
                term.factors.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, factor)| factor).collect();
            are_kept.push(factors.iter().all(|factor| self.nodes[factor.node as usize].is_kept));
            let role = |label: Name| if open >> label & 1 == 1 { Role::Open } else { Role::Inner };
            let product = if factors.len() > 1 { canonical(&factors, role).0 } else { Key::new() };
            let next = self.products.len() as u32;
            keys.push(*self.products.entry(product).or_insert(next));
            let named = |label: Name| if usize::from(label) < axes { Role::Named } else { role(label) };
            let (rest, labels) = canonical(&factors, named);
            let next = self.rests.len() as u32;
            let labels = labels.into_iter().filter(|&label| named(label) == Role::Open).collect();
            rests.push((*self.rests.entry(rest).or_insert(next), labels));
        }
        self.users.resize(self.products.len(), 0);
        let extents = self.extents(&term);
        Entry { term, kept, extents, keys, rests, are_kept }
    }

    /// The node of a sum of these terms over these axes, up to a factor and the order of axes, if there is one.
    pub(super) fn find(&self, axes: usize, terms: &[Term]) -> Option<Found> {
        self.rough.get(&rough(terms)).copied().filter(|&known| known > 0)?;
        let (key, scale, order) = sum_key(axes, terms);
        let known = self.known.get(&key)?;
        let mut labels: SmallVec<[Name; 6]> = SmallVec::from_elem(0, axes);
        known.axes.iter().zip(&order).for_each(|(&axis, &label)| labels[usize::from(axis)] = label);
        // Both are alike once each is multiplied by its own number.
        Some(Found { node: known.node, scale: known.scale / scale, labels })
    }

    /// Makes a node of a sum, to be found.
    pub(super) fn know(&mut self, sum: usize) -> u32 {
        let terms: Vec<Term> = self.sums[sum].entries.iter().map(|entry| entry.term.clone()).collect();
        let extents = self.sums[sum].extents.clone();
        let size: f64 = extents.iter().map(|&extent| extent as f64).product();
        let is_kept =
            size <= self.weights.most && self.sums[sum].entries.iter().all(|entry| *entry.are_kept.last().expect("all"));
        let node = self.add_node(Kind::Sum(sum), extents.clone(), is_kept);
        let (key, scale, axes) = sum_key(extents.len(), &terms);
        *self.rough.entry(rough(&terms)).or_default() += 1;
        self.known.entry(key).or_insert(Known { node, scale, axes });
        node
    }
}

/// The size of a product that has these labels.
pub(super) fn size(extents: &[f64], labels: u64) -> f64 {
    let mut size = 1.0;
    let mut rest = labels;
    while rest != 0 {
        size *= extents[rest.trailing_zeros() as usize];
        rest &= rest - 1;
    }
    size
}

/// What of terms does not depend on labels and scales.
fn rough(terms: &[Term]) -> u64 {
    terms.iter().fold(terms.len() as u64, |sum, term| {
        let factors = term.factors.iter().fold(0u64, |all, factor| all.wrapping_add(mixed(u64::from(factor.node) + 1)));
        sum.wrapping_add(mixed(factors ^ term.factors.len() as u64))
    })
}

fn mixed(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb)
}

/// A sum by what it is, what it is to be multiplied by to be as the key says, and its axes in the order of the key.
fn sum_key(axes: usize, terms: &[Term]) -> (SumKey, Complex<f64>, SmallVec<[Name; 8]>) {
    // Axes are told apart by where they stand; only those that look alike are tried in all orders.
    let place = |axis: usize| {
        let mut places: Vec<(u32, usize, usize)> = Vec::new();
        for term in terms {
            for factor in &term.factors {
                let own = factor.labels.iter().enumerate().filter(|(_, label)| usize::from(**label) == axis);
                places.extend(own.map(|(n, _)| (factor.node, n, term.factors.len())));
            }
        }
        places.sort_unstable();
        places
    };
    let places = (0..axes).map(|axis| (place(axis), axis)).collect();
    least(places, MOST_ORDERS, |order| key_of(terms, axes, order), |other, best| other.0 < best.0)
}

fn key_of(terms: &[Term], axes: usize, order: &[usize]) -> (SumKey, Complex<f64>, SmallVec<[Name; 8]>) {
    let mut names: SmallVec<[Name; 8]> = SmallVec::from_elem(0, axes);
    order.iter().enumerate().for_each(|(n, &axis)| names[axis] = n as Name);
    let mut keyed: Vec<(Key, Complex<f64>)> = terms
        .iter()
        .map(|term| {
            let mut factors = term.factors.clone();
            for label in factors.iter_mut().flat_map(|factor| &mut factor.labels) {
                if usize::from(*label) < axes {
                    *label = names[usize::from(*label)];
                }
            }
            let role = |label: Name| if usize::from(label) < axes { Role::Named } else { Role::Inner };
            (canonical(&factors.iter().collect::<Vec<_>>(), role).0, term.scale)
        })
        .collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    let scale: Complex<f64> =
        Complex::<f64>::ONE / keyed.iter().map(|(_, scale)| *scale).find(|&scale| scale != Complex::ZERO).unwrap_or(Complex::ONE);
    let key = keyed.into_iter().map(|(key, own)| (key, rounded(own * scale))).collect();
    (key, scale, order.iter().map(|&axis| axis as Name).collect())
}

/// A number as what can be compared: rounded by a few bits, so that numbers that are one but for rounding are one; zeros without their
/// signs.
pub(super) fn rounded(number: Complex<f64>) -> [u64; 2] {
    [number.re, number.im].map(|x| ((x + 0.0).to_bits() + 8) >> 4)
}
