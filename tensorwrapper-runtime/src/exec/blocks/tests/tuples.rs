//! How many products of blocks a product of two tensors takes: for each block of the result that is stored, one for each class of summed
//! tiles that patterns allow and symmetry takes for equal. Both are counted here one by one, by another way than `join`.

use std::collections::BTreeSet;

use rand::seq::{IndexedRandom, SliceRandom};

use super::*;
use crate::tensor::rounds;

/// How many products are drawn by default.
const PRODUCTS: u64 = 400;

/// Two factors and a result, by numbers of labels, each of which has a cut.
struct Drawn<T: Element> {
    cuts: Vec<Tiling>,
    factors: [Vec<usize>; 2],
    result: Vec<usize>,
    tensors: Vec<Blocks<T>>,
    /// Which tensor each factor is.
    chosen: [usize; 2],
}

impl<T: Element> Drawn<T> {
    /// Nothing where a label is summed that one factor alone has: it is summed before.
    fn new(rng: &mut StdRng) -> Option<Drawn<T>> {
        let kinds = [0; 2].map(|_| Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(1..4)).collect::<Vec<_>>()));
        let labels = rng.random_range(1..6);
        let cuts: Vec<Tiling> = (0..labels).map(|_| kinds.choose(rng).unwrap().clone()).collect();
        let mut factor = || {
            let mut all: Vec<usize> = (0..labels).collect();
            all.shuffle(rng);
            all.truncate(rng.random_range(1..5));
            all
        };
        let factors = [factor(), factor()];
        let mut all: Vec<usize> = factors.concat();
        all.sort_unstable();
        all.dedup();
        let is_shared = |label: &usize| factors.iter().all(|factor| factor.contains(label));
        let mut result: Vec<usize> = all.into_iter().filter(|label| !is_shared(label) || rng.random_bool(0.2)).collect();
        result.shuffle(rng);
        if result.len() > 4 {
            return None;
        }
        let tilings = factors.each_ref().map(|labels| labels.iter().map(|&label| &cuts[label]).collect::<Vec<_>>());
        let is_one = tilings[0] == tilings[1] && rng.random_bool(0.7);
        let mut tensor = |cuts: &[&Tiling]| {
            let share = *[0.4, 0.8, 1.0].choose(rng).unwrap();
            let structure = sparse(rng, cuts, share).with(drawn::symmetry(rng, cuts, T::DTYPE.is_complex())).unwrap();
            filled(rng, &structure)
        };
        let mut tensors = vec![tensor(&tilings[0])];
        if !is_one {
            tensors.push(tensor(&tilings[1]));
        }
        Some(Drawn { factors, result, chosen: [0, tensors.len() - 1], tensors, cuts })
    }

    /// Whether the product has a term for these tiles of all labels.
    fn is_there(&self, tiles: &[usize]) -> bool {
        (0..2).all(|n| {
            let block: Vec<usize> = self.factors[n].iter().map(|&label| tiles[label]).collect();
            self.tensors[self.chosen[n]].structure().image(&block).unwrap().is_some()
        })
    }

    /// The sign with which the product becomes itself when labels take the places of others, if it does.
    fn sign_of(&self, places: &[usize]) -> Option<Sign> {
        // By which sign one factor becomes the other, or itself.
        let sign = |from: usize, to: usize| -> Option<Sign> {
            if self.chosen[from] != self.chosen[to] {
                return None;
            }
            let moved: Vec<usize> = self.factors[from].iter().map(|&label| places[label]).collect();
            let symmetry = self.tensors[self.chosen[from]].structure().symmetry();
            let is_same = |by: &&tensorwrapper_core::symmetry::SignedPermutation| {
                let is_real = !T::DTYPE.is_complex() || !by.conjugates();
                is_real && by.axes().map(|axis| moved[axis]).eq(self.factors[to].iter().copied())
            };
            symmetry.elements().iter().find(is_same).map(|by| by.sign())
        };
        [[0, 1], [1, 0]].iter().find_map(|to| Some(sign(0, to[0])? * sign(1, to[1])?))
    }

    /// The products of blocks that there have to be, and whether some of their sums are zero by symmetry.
    fn count(&self, result: &Structure) -> (usize, bool) {
        let summed: Vec<usize> = (0..self.cuts.len()).filter(|label| self.factors[0].contains(label)).collect();
        let summed: Vec<usize> = summed.into_iter().filter(|label| !self.result.contains(label)).collect();
        let mut exchanges = vec![];
        let mut vanishes = false;
        for order in permutations(&summed) {
            let mut places: Vec<usize> = (0..self.cuts.len()).collect();
            summed.iter().zip(&order).for_each(|(&from, &to)| places[from] = to);
            if places.iter().enumerate().any(|(from, &to)| self.cuts[from] != self.cuts[to]) {
                continue;
            }
            match self.sign_of(&places) {
                Some(Sign::Plus) => exchanges.push(places),
                Some(Sign::Minus) => vanishes = true,
                None => (),
            }
        }
        let stored = result.stored().unwrap();
        let used: BTreeSet<usize> = self.factors.concat().into_iter().collect();
        let counts: Vec<usize> =
            self.cuts.iter().enumerate().map(|(label, cut)| if used.contains(&label) { cut.len() } else { 1 }).collect();
        let mut classes: BTreeSet<Vec<usize>> = BTreeSet::new();
        for tiles in &tensorwrapper_core::shape::Shape::new(counts) {
            let block: Vec<usize> = self.result.iter().map(|&label| tiles[label]).collect();
            if stored.find(&block).is_some() && self.is_there(&tiles) {
                let image = |places: &Vec<usize>| -> Vec<usize> { places.iter().map(|&place| tiles[place]).collect() };
                classes.insert(exchanges.iter().map(image).min().unwrap());
            }
        }
        (classes.len(), vanishes)
    }
}

/// All orders.
fn permutations(of: &[usize]) -> Vec<Vec<usize>> {
    if of.is_empty() {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for n in 0..of.len() {
        let mut rest = of.to_vec();
        let first = rest.remove(n);
        all.extend(permutations(&rest).into_iter().map(|order| [vec![first], order].concat()));
    }
    all
}

/// How many products of blocks the plan of a drawn product has, after they were compared with those that are counted here. Nothing where
/// none was drawn.
fn counted<T: Element>(rng: &mut StdRng) -> Option<usize> {
    let drawn = Drawn::<T>::new(rng)?;
    let letters = |labels: &[usize]| labels.iter().map(|&label| (b'a' + label as u8) as char).collect::<String>();
    let operands = drawn.chosen.map(|n| &drawn.tensors[n]);
    let subscripts = format!("{},{}->{}", letters(&drawn.factors[0]), letters(&drawn.factors[1]), letters(&drawn.result));
    let result = agrees(&subscripts, &operands);
    let (expected, vanishes) = drawn.count(result.structure());
    let indexed = |labels: &[usize]| letters(labels).chars().map(String::from).collect::<Vec<_>>().join(", ");
    let (names, mut named) = (["A", "B"], Vec::new());
    for (name, tensor) in names.iter().zip(&drawn.tensors) {
        named.push((*name, tensor as &dyn crate::RecordOperand<T>));
    }
    let read = |n: usize| format!("{}[{}]", names[drawn.chosen[n]], indexed(&drawn.factors[n]));
    let equation = format!("[{}] = {} * {}", indexed(&drawn.result), read(0), read(1));
    let found = Context::cpu().prepare_blocks::<T>(&equation, &named).unwrap().tuples();
    let structures: Vec<_> = drawn.tensors.iter().map(|tensor| tensor.structure()).collect();
    let expected = if vanishes { 0 } else { expected };
    assert_eq!(found, expected, "{equation} over {structures:?} into {:?}", result.structure());
    Some(found)
}

#[test]
fn exactly_the_products_of_blocks_that_patterns_and_groups_allow() {
    let (mut all, mut equations) = (0, 0u64);
    for seed in 0..rounds(PRODUCTS) {
        let mut rng = StdRng::seed_from_u64(2400 + seed);
        let found = if seed % 3 == 0 { counted::<Complex<f64>>(&mut rng) } else { counted::<f64>(&mut rng) };
        equations += u64::from(found.is_some_and(|found| found > 0));
        all += found.unwrap_or(0);
    }
    println!("{all} products of blocks in {equations} equations");
    assert!(3 * equations > rounds(PRODUCTS), "{equations}");
}
