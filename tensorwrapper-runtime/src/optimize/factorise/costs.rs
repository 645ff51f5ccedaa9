//! What the products of a term cost.

use super::work::{Entry, Work, size};

/// The cost of every set of factors of a term, and the half that its best order multiplies last.
pub(super) struct Costs {
    pub(super) cost: Vec<f64>,
    pub(super) half: Vec<usize>,
}

/// Whether a product exists, may be formed, or is to be done without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Formed,
    Open,
    Barred,
}

/// How a product is formed: in which term, of which of its factors, and which half of these is multiplied last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chosen {
    pub(super) entry: usize,
    pub(super) set: usize,
    pub(super) half: usize,
}

impl Work {
    /// What the parts of a term cost, where parts that others may use are carried by all of them.
    pub(super) fn costs(&self, entry: &Entry) -> Costs {
        self.costs_beside(entry, self.weights.share, |_| State::Open)
    }

    /// What the parts of a term cost beside those that are formed, which cost nothing.
    pub(super) fn costs_beside(&self, entry: &Entry, share: f64, state: impl Fn(u32) -> State) -> Costs {
        let sets = entry.kept.len();
        let (mut cost, mut half) = (vec![0.0; sets], vec![0; sets]);
        for set in 1..sets {
            if set.count_ones() < 2 {
                continue;
            }
            let state = state(entry.keys[set]);
            if state == State::Formed {
                continue;
            }
            // The half without the first factor, so that each pair is looked at once.
            let others = set & (set - 1);
            let (mut best, mut part) = (f64::INFINITY, others);
            half[set] = others;
            while part != 0 {
                let own = cost[part] + cost[set ^ part] + step(entry, set, part);
                if own < best {
                    (best, half[set]) = (own, part);
                }
                part = (part - 1) & others;
            }
            let result = size(&entry.extents, entry.kept[set]);
            if entry.are_kept[set] && result <= self.weights.most {
                continue;
            }
            let users = f64::from(self.users[entry.keys[set] as usize].max(1));
            let is_refused = result > self.weights.most || state == State::Barred;
            let fine = if is_refused && set + 1 < sets { f64::INFINITY } else { 0.0 };
            cost[set] = best / users.powf(share) + self.weights.element * result + fine;
        }
        Costs { cost, half }
    }

    /// What a product of two parts costs that is formed as it was chosen.
    pub(super) fn own_cost(&self, entry: &Entry, Chosen { set, half, .. }: Chosen) -> f64 {
        let result = size(&entry.extents, entry.kept[set]);
        if entry.are_kept[set] && result <= self.weights.most {
            return 0.0;
        }
        step(entry, set, half) + self.weights.element * result
    }
}

/// The multiplications of a product of two parts of a term.
fn step(entry: &Entry, set: usize, half: usize) -> f64 {
    size(&entry.extents, entry.kept[half] | entry.kept[set ^ half])
}
