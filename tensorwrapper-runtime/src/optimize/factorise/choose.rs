//! Chooses the pairs that terms are cut into: the most expensive term first, so that cheap ones find what expensive ones have made;
//! then each term once more while all others stay, and each shared product's terms without it, until nothing is saved. A product that
//! another term has chosen costs nothing.

use std::collections::HashMap;

use super::costs::{Chosen, State};
use super::work::{Entry, Work};

/// The most rounds in which terms are chosen once more. Most often the second one changes nothing.
const MOST_ROUNDS: usize = 8;

/// How products are cut into pairs.
pub(super) struct Choices {
    /// All terms as they are before any is formed.
    pub(super) entries: Vec<Entry>,
    /// The sum of each, and its number there; by what they cost if each were alone, the most expensive first.
    pub(super) places: Vec<(usize, usize)>,
    /// By the numbers of keys.
    chosen: Vec<Option<Chosen>>,
    uses: Vec<u32>,
}

impl Choices {
    fn key(&self, entry: usize, set: usize) -> usize {
        self.entries[entry].keys[set] as usize
    }

    /// What is known of a product, by the number of its key.
    fn state(&self, key: u32, without: Option<usize>) -> State {
        match self.chosen[key as usize] {
            Some(_) => State::Formed,
            None if without == Some(key as usize) => State::Barred,
            None => State::Open,
        }
    }

    /// The products that a term consists of, by the numbers of their keys.
    fn keys_of(&self, entry: usize) -> Vec<usize> {
        let (mut keys, mut open) = (Vec::new(), vec![(entry, self.entries[entry].kept.len() - 1)]);
        while let Some((entry, set)) = open.pop() {
            if set.count_ones() > 1 {
                let chosen = self.chosen(entry, set);
                keys.push(self.key(entry, set));
                open.extend([(chosen.entry, chosen.set ^ chosen.half), (chosen.entry, chosen.half)]);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// How a product of a term is formed.
    pub(super) fn chosen(&self, entry: usize, set: usize) -> Chosen {
        self.chosen[self.key(entry, set)].expect("every product of a term is formed")
    }
}

impl Work {
    /// Chooses the pairs of all terms.
    pub(super) fn choose_all(&self) -> Choices {
        let mut costed: Vec<(f64, (usize, usize))> = Vec::new();
        for (sum, known) in self.sums.iter().enumerate() {
            for (number, entry) in known.entries.iter().enumerate() {
                costed.push((self.costs(entry).cost.last().copied().unwrap_or(0.0), (sum, number)));
            }
        }
        costed.sort_by(|a, b| b.0.total_cmp(&a.0));
        let places: Vec<(usize, usize)> = costed.into_iter().map(|(_, place)| place).collect();
        let entries: Vec<Entry> = places.iter().map(|&(sum, number)| self.sums[sum].entries[number].clone()).collect();
        let keys = self.products.len();
        let mut choices = Choices { entries, places, chosen: vec![None; keys], uses: vec![0; keys] };
        for n in 0..choices.entries.len() {
            let costs = self.costs_beside(&choices.entries[n], self.weights.share, |key| choices.state(key, None));
            self.take(&mut choices, n, |_, entry, set| Chosen { entry, set, half: costs.half[set] });
        }
        for _ in 0..MOST_ROUNDS {
            if !(self.choose_again(&mut choices) | self.choose_without(&mut choices)) {
                break;
            }
        }
        choices
    }

    /// Chooses each term once more. What it alone used is free to be formed in another way. Returns whether that saves anything.
    fn choose_again(&self, choices: &mut Choices) -> bool {
        let terms = 0..choices.entries.len();
        terms.filter(|&n| self.choose_these(choices, &[n], None)).count() > 0
    }

    /// Does without each product that several terms use, one after the other: where it costs none of them anything to go another way,
    /// the product itself is saved. Returns whether that saves anything.
    fn choose_without(&self, choices: &mut Choices) -> bool {
        let shared: Vec<usize> = (0..choices.uses.len()).filter(|&key| choices.uses[key] > 1).collect();
        let mut users: Vec<Vec<usize>> = vec![Vec::new(); choices.uses.len()];
        for n in 0..choices.entries.len() {
            choices.keys_of(n).into_iter().for_each(|key| users[key].push(n));
        }
        shared.into_iter().filter(|&key| self.choose_these(choices, &users[key], Some(key))).count() > 0
    }

    /// Chooses some terms once more, without a product. Returns whether that saves anything; if not, all is as it was.
    fn choose_these(&self, choices: &mut Choices, terms: &[usize], without: Option<usize>) -> bool {
        let given: Vec<(f64, Vec<Chosen>)> = terms.iter().map(|&n| self.give(choices, n)).collect();
        let freed: f64 = given.iter().map(|(cost, _)| cost).sum();
        let mut taken = 0.0;
        for &n in terms {
            let costs = self.costs_beside(&choices.entries[n], 0.0, |key| choices.state(key, without));
            taken += self.take(choices, n, |_, entry, set| Chosen { entry, set, half: costs.half[set] });
        }
        if taken < freed * (1.0 - 1e-9) {
            return true;
        }
        // Another form of the same cost would only make way for a third.
        terms.iter().for_each(|&n| drop(self.give(choices, n)));
        let before: HashMap<usize, Chosen> =
            given.into_iter().flat_map(|(_, gone)| gone).map(|one| (choices.key(one.entry, one.set), one)).collect();
        for &n in terms {
            self.take(choices, n, |key, _, _| before[&key]);
        }
        false
    }

    /// Uses the products that a term consists of, and forms those that are not formed yet as `form` says by the number of its key,
    /// the term and the set of its factors. Returns what these cost.
    fn take(&self, choices: &mut Choices, entry: usize, form: impl Fn(usize, usize, usize) -> Chosen) -> f64 {
        let mut cost = 0.0;
        let mut open = vec![(entry, choices.entries[entry].kept.len() - 1)];
        while let Some((entry, set)) = open.pop() {
            if set.count_ones() < 2 {
                continue;
            }
            let key = choices.key(entry, set);
            choices.uses[key] += 1;
            if choices.chosen[key].is_none() {
                let chosen = form(key, entry, set);
                choices.chosen[key] = Some(chosen);
                cost += self.own_cost(&choices.entries[chosen.entry], chosen);
                open.extend([(chosen.entry, chosen.set ^ chosen.half), (chosen.entry, chosen.half)]);
            }
        }
        cost
    }

    /// Uses the products that a term consists of no longer. Returns what those cost that nothing else uses, and how they were formed.
    fn give(&self, choices: &mut Choices, entry: usize) -> (f64, Vec<Chosen>) {
        let (mut cost, mut gone) = (0.0, Vec::new());
        let mut open = vec![(entry, choices.entries[entry].kept.len() - 1)];
        while let Some((entry, set)) = open.pop() {
            if set.count_ones() < 2 {
                continue;
            }
            let key = choices.key(entry, set);
            choices.uses[key] -= 1;
            if choices.uses[key] == 0 {
                let chosen = choices.chosen[key].take().expect("what is used is formed");
                cost += self.own_cost(&choices.entries[chosen.entry], chosen);
                open.extend([(chosen.entry, chosen.set ^ chosen.half), (chosen.entry, chosen.half)]);
                gone.push(chosen);
            }
        }
        (cost, gone)
    }
}
