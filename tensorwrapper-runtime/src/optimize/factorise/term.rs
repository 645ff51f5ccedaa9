//! Terms of sums of products, and a canonical form of products that does not depend on the names of labels or the order of
//! factors: two products are the same if their forms are equal. This file must not know of graphs.

use num_complex::Complex;
use smallvec::SmallVec;

/// Number of a label in its sum: first those of the sum's axes, in order, then those that a term sums over.
pub(in crate::optimize) type Name = u8;

/// A tensor of the table of nodes, labelled.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::optimize) struct Factor {
    pub(in crate::optimize) node: u32,
    pub(in crate::optimize) conjugate: bool,
    pub(in crate::optimize) labels: SmallVec<[Name; 6]>,
}

/// `scale · Π factors`, summed over the labels that the sum has not.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Term {
    pub(super) scale: Complex<f64>,
    pub(super) factors: Vec<Factor>,
}

/// The role of a label in a product that is part of a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::optimize) enum Role {
    /// It keeps its name.
    Named,
    /// Another product needs it.
    Open,
    /// It is summed here.
    Inner,
}

/// The canonical form of a product.
pub(in crate::optimize) type Key = SmallVec<[u16; 24]>;

/// Orders of equal factors that are tried; a product with more is told from fewer others than it could be.
const MOST_ORDERS: usize = 720;

/// The key of a product, and its labels that are not named in the order of the key.
pub(in crate::optimize) fn canonical(factors: &[&Factor], role: impl Fn(Name) -> Role) -> (Key, SmallVec<[Name; 8]>) {
    let rough = |factor: &Factor| -> (u32, bool, SmallVec<[u16; 6]>) {
        let word = |&label: &Name| match role(label) {
            Role::Named => u16::from(label),
            Role::Open => OPEN,
            Role::Inner => INNER,
        };
        (factor.node, factor.conjugate, factor.labels.iter().map(word).collect())
    };
    let order: Vec<(_, usize)> = factors.iter().enumerate().map(|(n, factor)| (rough(factor), n)).collect();
    least(order, MOST_ORDERS, |order| written(factors, order, &role), |other, best| other.0 < best.0)
}

/// The smallest key that can be made from the items in order, where items that look alike may be in any order. All their orders
/// are tried, unless there are more than `most`.
pub(super) fn least<K: Ord, B>(
    mut things: Vec<(K, usize)>,
    most: usize,
    mut made: impl FnMut(&[usize]) -> B,
    is_less: impl Fn(&B, &B) -> bool,
) -> B {
    things.sort_unstable();
    let mut groups: SmallVec<[(usize, usize); 8]> = SmallVec::new();
    for n in 0..things.len() {
        match groups.last_mut() {
            Some((start, len)) if things[*start].0 == things[n].0 => *len += 1,
            _ => groups.push((n, 1)),
        }
    }
    let mut order: SmallVec<[usize; 8]> = things.into_iter().map(|(_, thing)| thing).collect();
    let mut best = made(&order);
    let orders = groups.iter().fold(1usize, |all, &(_, len)| all.saturating_mul((1..=len).product()));
    if orders > 1 && orders <= most {
        while next(&mut order, &groups) {
            let other = made(&order);
            if is_less(&other, &best) {
                best = other;
            }
        }
    }
    best
}

const OPEN: u16 = 0x100;
const INNER: u16 = 0x200;
const FACTOR: u16 = 0x400;

fn written(factors: &[&Factor], order: &[usize], role: &impl Fn(Name) -> Role) -> (Key, SmallVec<[Name; 8]>) {
    let (mut key, mut seen) = (Key::new(), SmallVec::<[Name; 8]>::new());
    for &n in order {
        let factor = factors[n];
        let node = (factor.node as usize) << 1 | usize::from(factor.conjugate);
        // Two words, so that no number of nodes is too large.
        key.push(FACTOR | (node >> 15) as u16);
        key.push((node & 0x7fff) as u16);
        for &label in &factor.labels {
            let kind = match role(label) {
                Role::Named => {
                    key.push(u16::from(label));
                    continue;
                }
                Role::Open => OPEN,
                Role::Inner => INNER,
            };
            let place = seen.iter().position(|&known| known == label).unwrap_or_else(|| {
                seen.push(label);
                seen.len() - 1
            });
            key.push(kind | place as u16);
        }
    }
    (key, seen)
}

/// The next order: within each group all permutations, group by group as the digits of a number. False after the last.
fn next(order: &mut [usize], groups: &[(usize, usize)]) -> bool {
    for &(start, len) in groups {
        let part = &mut order[start..start + len];
        if let Some(n) = (1..len).rev().find(|&n| part[n - 1] < part[n]) {
            let larger = (n..len).rev().find(|&m| part[m] > part[n - 1]).expect("the next one is larger");
            part.swap(n - 1, larger);
            part[n..].reverse();
            return true;
        }
        part.sort_unstable();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factor(node: u32, labels: &[Name]) -> Factor {
        Factor { node, conjugate: false, labels: labels.iter().copied().collect() }
    }

    #[test]
    fn names_of_summed_labels_and_the_order_of_factors_make_no_difference() {
        let role = |label: Name| if label < 2 { Role::Open } else { Role::Inner };
        let key = |factors: &[Factor]| canonical(&factors.iter().collect::<Vec<_>>(), role).0;
        let one = key(&[factor(7, &[0, 2]), factor(7, &[2, 3]), factor(8, &[3, 1])]);
        assert_eq!(one, key(&[factor(8, &[2, 0]), factor(7, &[3, 2]), factor(7, &[1, 3])]));
        assert_ne!(one, key(&[factor(7, &[0, 2]), factor(7, &[3, 2]), factor(8, &[3, 1])]));
        // Which labels are open is part of it.
        assert_ne!(key(&[factor(7, &[0, 1])]), key(&[factor(7, &[0, 2])]));
    }

    #[test]
    fn all_orders_of_two_groups_are_visited() {
        let (mut order, groups) = ([0, 1, 2, 3, 4], [(0, 2), (2, 3)]);
        let mut seen = vec![order];
        while next(&mut order, &groups) {
            seen.push(order);
        }
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 12);
    }
}
