//! Structures that are drawn, and what their elements are, found without asking them.

use rand::RngExt;
use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::JaggedShape;
use tensorwrapper_core::symmetry::SignedPermutation;

use super::super::*;

/// A structure, and what is known of it without asking it.
pub(super) struct Drawn {
    pub(super) structure: Structure,
    /// Of the axes of rows their extents, where the last axis is ragged by the first.
    pub(super) rows: Option<Vec<usize>>,
    /// The blocks that were given, if not all.
    pub(super) given: Option<Vec<Vec<usize>>>,
    /// The signs of charges, what they add up to, and the modulus of charges, or 0.
    pub(super) flow: Option<(Vec<i64>, i64, i64)>,
    pub(super) ties: Option<Vec<usize>>,
    /// Blocks that are said to be equal, in pairs.
    pub(super) equal: Vec<[Vec<usize>; 2]>,
}

fn tilings(rng: &mut StdRng, rank: usize) -> (Vec<Tiling>, Option<i64>) {
    let modulus = *[None, None, Some(0), Some(2)].choose(rng).unwrap();
    let kind = |rng: &mut StdRng| {
        let cut = Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(0..4)).collect::<Vec<_>>());
        let charges: Vec<[i64; 1]> = (0..cut.len()).map(|_| [rng.random_range(-1..2)]).collect();
        match modulus {
            None => cut,
            Some(0) => cut.charged(Charges::from(charges.concat())).unwrap(),
            Some(modulus) => cut.charged(Charges::modulo([modulus], charges).unwrap()).unwrap(),
        }
    };
    let kinds: Vec<Tiling> = (0..rng.random_range(1..3)).map(|_| kind(rng)).collect();
    ((0..rank).map(|_| kinds.choose(rng).unwrap().clone()).collect(), modulus)
}

fn block(rng: &mut StdRng, structure: &Structure) -> Vec<usize> {
    structure.tilings().iter().map(|tiling| rng.random_range(0..tiling.len().max(1))).collect()
}

impl Drawn {
    fn plain(structure: Structure) -> Drawn {
        Drawn { structure, rows: None, given: None, flow: None, ties: None, equal: Vec::new() }
    }

    pub(super) fn new(rng: &mut StdRng, is_complex: bool) -> Drawn {
        if rng.random_bool(0.1) {
            return Drawn::of_rows(rng);
        }
        let rank = rng.random_range(0..5);
        let (tilings, modulus) = tilings(rng, rank);
        let mut drawn = Drawn::plain(Structure::new(&tilings));
        let mut axes: Vec<usize> = (0..rank).collect();
        match rng.random_range(0..4) {
            0 => {
                for _ in 0..rng.random_range(1..3) {
                    axes.shuffle(rng);
                    let sign = *[Sign::Plus, Sign::Minus].choose(rng).unwrap();
                    let larger = drawn.structure.symmetry().generator(&axes, sign, is_complex && rng.random_bool(0.5));
                    // Other axes may be cut differently, or signs contradict each other.
                    drawn.structure = larger.and_then(|larger| drawn.structure.with(larger)).unwrap_or(drawn.structure.clone());
                }
            }
            1 => {
                axes.shuffle(rng);
                axes.truncate(rng.random_range(0..3));
                if let Ok(tied) = drawn.structure.tied(&axes) {
                    let first = |axis: usize| *axes.iter().min().filter(|_| axes.contains(&axis)).unwrap_or(&axis);
                    drawn.ties = Some((0..rank).map(first).collect());
                    drawn.structure = tied;
                }
            }
            2 => {
                for _ in 0..rng.random_range(0..5) {
                    let pair = [block(rng, &drawn.structure), block(rng, &drawn.structure)];
                    if let Ok(joined) = drawn.structure.equal_blocks(&pair) {
                        drawn.structure = joined;
                        drawn.equal.push(pair);
                    }
                }
            }
            _ => (),
        }
        if let Some(modulus) = modulus {
            let signs: Vec<i64> = (0..rank).map(|_| *[1, -1].choose(rng).unwrap()).collect();
            let total = rng.random_range(-1..2);
            // Symmetries, ties and equal blocks may not conserve it.
            if let Ok(charged) = drawn.structure.flow(&signs, [total]) {
                drawn.structure = charged;
                drawn.flow = Some((signs, total, modulus));
            }
        }
        if rng.random_bool(0.6) {
            let share = *[0.0, 0.3, 0.8].choose(rng).unwrap();
            let stored: Vec<Vec<usize>> = drawn.structure.stored().unwrap().iter().collect();
            let group = drawn.structure.symmetry().elements();
            // Any block of an orbit says that it is there.
            let images = stored.iter().filter(|_| rng.random_bool(share)).collect::<Vec<_>>();
            let given: Vec<Vec<usize>> = images.into_iter().map(|block| group.choose(rng).unwrap().image(block)).collect();
            drawn.structure = drawn.structure.with_blocks(&given).unwrap();
            drawn.given = Some(given);
        }
        drawn
    }

    fn of_rows(rng: &mut StdRng) -> Drawn {
        let rows: Vec<usize> = (0..rng.random_range(1..5)).map(|_| rng.random_range(0..4)).collect();
        let tail: Vec<usize> = (0..rng.random_range(0..2)).map(|_| rng.random_range(1..3)).collect();
        let shape = |&row: &usize| Shape::new([&tail[..], &[row]].concat());
        let structure = Structure::jagged(&JaggedShape::rows(rows.iter().map(shape)).unwrap()).unwrap();
        Drawn { rows: Some(rows), ..Drawn::plain(structure) }
    }

    /// The block of an index, and where its tiles begin.
    pub(super) fn block_of(&self, index: &[usize]) -> (Vec<usize>, Vec<usize>) {
        let tile = |(tiling, index): (&Tiling, &usize)| {
            let bounds = tiling.bounds();
            let tile = (0..tiling.len()).find(|&tile| (bounds[tile]..bounds[tile + 1]).contains(index)).unwrap();
            (tile, bounds[tile])
        };
        self.structure.tilings().iter().zip(index).map(tile).unzip()
    }

    /// The blocks that are equal to this one.
    pub(super) fn class(&self, block: &[usize]) -> Vec<Vec<usize>> {
        let mut class = vec![block.to_vec()];
        loop {
            let is_new = |pair: &&[Vec<usize>; 2]| class.contains(&pair[0]) != class.contains(&pair[1]);
            let Some(pair) = self.equal.iter().find(is_new) else { return class };
            let new = if class.contains(&pair[0]) { &pair[1] } else { &pair[0] };
            class.push(new.clone());
        }
    }

    fn has(&self, block: &[usize]) -> bool {
        if let Some((signs, total, modulus)) = &self.flow {
            let charge = |axis: usize| self.structure.tilings()[axis].charges().unwrap().of(block[axis])[0];
            let sum: i64 = signs.iter().enumerate().map(|(axis, sign)| sign * charge(axis)).sum();
            if (if *modulus == 0 { sum - total } else { (sum - total).rem_euclid(*modulus) }) != 0 {
                return false;
            }
        }
        let class = self.class(block);
        let images = || self.structure.symmetry().elements().iter().map(|by| by.image(block));
        self.given.as_ref().is_none_or(|given| images().chain(class.clone()).any(|image| given.contains(&image)))
    }

    /// The element at an index, of a tensor that has these elements where a canonical one is.
    pub(super) fn element<T: Element>(&self, index: &[usize], of: &dyn Fn(&[usize]) -> T) -> T {
        if let Some(rows) = &self.rows {
            return if index[index.len() - 1] < rows[index[0]] { of(index) } else { T::ZERO };
        }
        let (block, begins) = self.block_of(index);
        let differ = |ties: &Vec<usize>| ties.iter().zip(index).any(|(&first, own)| index[first] != *own);
        if !self.has(&block) || self.ties.as_ref().is_some_and(differ) {
            return T::ZERO;
        }
        if !self.equal.is_empty() {
            let first = self.class(&block).into_iter().min().unwrap();
            let bounds = |axis: usize| self.structure.tilings()[axis].bounds();
            let moved = (0..index.len()).map(|axis| index[axis] - begins[axis] + bounds(axis)[first[axis]]);
            return of(&moved.collect::<Vec<_>>());
        }
        let group = self.structure.symmetry().elements();
        let images = group.iter().map(|by| ((by.image(&block), by.image(index)), by));
        let ((_, canonical), by) = images.min_by(|one, other| one.0.cmp(&other.0)).unwrap();
        let fixes = |by: &&SignedPermutation| by.image(&canonical) == canonical;
        let own = of(&canonical);
        let all: Vec<Complex<f64>> = group.iter().filter(fixes).map(|by| follows(own, by).to_complex()).collect();
        follows(T::from_complex(all.iter().sum::<Complex<f64>>() / all.len() as f64), by)
    }
}

pub(super) fn follows<T: Element>(element: T, by: &SignedPermutation) -> T {
    let element = if by.conjugates() { element.conj() } else { element };
    if by.sign() == Sign::Minus { T::ZERO - element } else { element }
}
