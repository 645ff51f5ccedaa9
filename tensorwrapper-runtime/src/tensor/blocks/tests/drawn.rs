//! Drawn structures through every constructor and conversion, against dense tensors that are made without them.
//!
//! A few hundred are drawn; `TENSORWRAPPER_DRAWN=200000` asks for more.

mod structures;

use rand::rngs::StdRng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::AxisPart;

use self::structures::{Drawn, follows};
use super::*;

/// How many structures are drawn by default.
const STRUCTURES: u64 = 400;

/// How many rounds a test of drawn structures has: `few`, unless more are asked for.
pub(crate) fn rounds(few: u64) -> u64 {
    std::env::var("TENSORWRAPPER_DRAWN").map_or(few, |count| count.parse().expect("a number of structures"))
}

/// A structure of any kind.
pub(crate) fn drawn_structure(rng: &mut StdRng, is_complex: bool) -> Structure {
    Drawn::new(rng, is_complex).structure
}

/// Whole numbers, of which some are zero: nothing is rounded.
fn whole<T: Element>(index: &[usize], seed: u64) -> T {
    let mixed = index.iter().fold(seed, |mixed, &n| (mixed ^ (n as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23));
    let number = |bits: u64| (bits % 7) as f64 * 12.0 - 36.0;
    T::from_complex(Complex::new(number(mixed >> 20), if T::DTYPE.is_complex() { number(mixed >> 40) } else { 0.0 }))
}

fn conversions<T: Element>(rng: &mut StdRng, seed: u64) {
    let drawn = Drawn::new(rng, T::DTYPE.is_complex());
    let structure = &drawn.structure;
    let what = format!("seed {seed}: {structure:?}");
    let of = |index: &[usize]| whole::<T>(index, seed);
    let dense = Tensor::<T>::from_fn(structure.shape().extents(), |index| drawn.element(index, &of)).unwrap();
    let same = |found: &Blocks<T>, how: &str| assert_eq!(found.to_dense().unwrap(), dense, "{how}, {what}");
    let blocks = Blocks::from_fn(structure, of).unwrap();
    same(&blocks, "from_fn");
    same(&Blocks::from_dense(&dense, structure).unwrap(), "from_dense");
    same(&blocks.map_indexed(|_, x| x).unwrap(), "map_indexed");
    let copied = |of: &[&[T]], out: &mut [T]| out.copy_from_slice(of[0]);
    same(&Blocks::map_blocks(|_, of, out| copied(of, out), &[&blocks]).unwrap(), "map_blocks");
    same(&blocks.smooth().unwrap(), "smooth");
    same(&blocks.without_equal_blocks().unwrap(), "without_equal_blocks");
    same(&blocks.untied().unwrap(), "untied");
    same(&blocks.clone().flat(), "flat");
    let layers = if structure.rank() > 1 { vec![1, structure.rank() - 1] } else { vec![structure.rank()] };
    let nested = blocks.clone().nested(layers.clone()).unwrap();
    assert_eq!(nested.structure().layers(), layers);
    same(&nested.flat(), "nested");
    let zeros = Blocks::<T>::zeros(structure).unwrap();
    assert!(zeros.to_dense().unwrap().as_slice().iter().all(|x| *x == T::ZERO), "zeros, {what}");
    let ones = Blocks::filled(structure, T::ONE).unwrap().to_dense().unwrap();
    let expected = Tensor::<T>::from_fn(structure.shape().extents(), |index| drawn.element(index, &|_| T::ONE)).unwrap();
    assert_eq!(ones, expected, "filled, {what}");
    elements(&blocks, &dense, &what);
    lists(rng, &blocks, &dense, &what);
    truncations(rng, &blocks, &dense, &what);
    parts(rng, &blocks, &dense, &what);
    written(rng, &drawn, &blocks, &what);
    mistakes::<T>(rng, structure);
    // The text of a structure is the structure.
    let text = structure.to_string();
    assert_eq!(text.parse::<Structure>().as_ref(), Ok(structure), "{text}");
    assert_eq!(structure.symmetry().to_string().parse::<Symmetry>().as_ref(), Ok(structure.symmetry()), "{what}");
    let shape = blocks.shape();
    assert_eq!(shape.to_string().parse().as_ref(), Ok(&shape), "{what}");
    // What is shown can be shown.
    assert!(blocks.to_string().len() + format!("{blocks:?}").len() > 0);
}

/// Single elements, blocks and their norms.
fn elements<T: Element>(blocks: &Blocks<T>, dense: &Tensor<T>, what: &str) {
    let structure = blocks.structure();
    for index in &structure.shape() {
        assert_eq!(blocks.get(&index).unwrap(), dense.get(&index).unwrap(), "{index:?}, {what}");
    }
    let counts: Shape = structure.tilings().iter().map(Tiling::len).collect();
    for block in &counts {
        let shape = structure.block_shape(&block).unwrap();
        let own: Vec<T> = shape.indices().map(|index| dense.get(&index).unwrap()).collect();
        let norm = own.iter().map(|x| x.to_complex().norm_sqr()).sum::<f64>().sqrt();
        assert!((blocks.norm(&block).unwrap() - norm).abs() <= 1e-12 * norm, "{block:?}, {what}");
        match blocks.block(&block).unwrap() {
            Some(view) if structure.ties().is_none() => {
                assert_eq!(view.to_tensor().unwrap().as_slice(), own, "{block:?}, {what}")
            }
            Some(_) => (),
            None => assert!(structure.stored().unwrap().find(&block).is_none()),
        }
    }
}

/// Coordinates and compressed rows, sparsity of elements.
fn lists<T: Element>(rng: &mut StdRng, blocks: &Blocks<T>, dense: &Tensor<T>, what: &str) {
    let (structure, shape) = (blocks.structure(), blocks.structure().shape());
    let list = blocks.to_coo().unwrap();
    let nonzero = |index: &[usize]| dense.get(index).unwrap() != T::ZERO;
    let expected: Vec<Vec<usize>> = shape.indices().map(|index| index.to_vec()).filter(|index| nonzero(index)).collect();
    assert!(list.iter().map(|(index, _)| index).eq(&expected), "to_coo, {what}");
    assert!(list.iter().all(|(index, x)| dense.get(index).unwrap() == *x), "to_coo, {what}");
    let mut shuffled = list.clone();
    shuffled.shuffle(rng);
    let again = Blocks::from_coo(structure, shuffled.clone()).unwrap();
    assert_eq!(again.to_dense().unwrap(), *dense, "from_coo, {what}");
    // One of those that follow from each other is enough.
    let is_first = |index: &Vec<usize>| structure.symmetry().elements().iter().all(|by| by.image(index) >= *index);
    let some = shuffled.iter().filter(|(index, _)| is_first(index)).cloned();
    assert_eq!(Blocks::from_coo(structure, some).unwrap().to_dense().unwrap(), *dense, "from_coo, {what}");
    if structure.rank() == 2 {
        let (starts, columns, elements) = blocks.to_csr().unwrap();
        let again = Blocks::from_csr(structure, &starts, &columns, &elements).unwrap();
        assert_eq!(again.to_dense().unwrap(), *dense, "from_csr, {what}");
    }
    let sparsity = Sparsity::elements(&shape, &expected).unwrap();
    let sparse = structure.with_sparsity(&sparsity).unwrap();
    assert_eq!(Blocks::from_dense(dense, &sparse).unwrap().to_dense().unwrap(), *dense, "with_sparsity, {what}");
    assert!(sparse.stored().unwrap().elements() <= structure.stored().unwrap().elements(), "with_sparsity, {what}");
    for index in &shape {
        assert_eq!(sparsity.is_zero_at(&index).unwrap(), !nonzero(&index), "{index:?}, {what}");
    }
    let cuts: Vec<&Tiling> = structure.tilings().iter().collect();
    let blocked = sparsity.blocked(&cuts).unwrap();
    assert_eq!(blocked.union(&sparsity).unwrap(), blocked, "blocked, {what}");
    assert_eq!(structure.with_sparsity(&blocked).unwrap(), sparse, "blocked, {what}");
}

/// Without small blocks, and in other tiles.
fn truncations<T: Element>(rng: &mut StdRng, blocks: &Blocks<T>, dense: &Tensor<T>, what: &str) {
    let structure = blocks.structure();
    let tau = *[0.0, 12.0, 40.0, 100.0].choose(rng).unwrap();
    let short = blocks.truncated(tau).unwrap();
    let again = Blocks::from_dense_truncated(dense, structure, tau).unwrap();
    assert_eq!((short.structure(), short.slab()), (again.structure(), again.slab()), "from_dense_truncated, {what}");
    for index in &structure.shape() {
        let block: Vec<usize> =
            structure.tilings().iter().zip(&index[..]).map(|(tiling, &n)| tiling.locate(n).unwrap().0).collect();
        let (found, own) = (short.get(&index).unwrap(), dense.get(&index).unwrap());
        let is_small = blocks.norm(&block).unwrap() <= tau;
        // Ends of rows stay, however small they are.
        let is_right =
            found == own && !is_small || found == T::ZERO && is_small || structure.ragged_by(block.len() - 1).is_some();
        assert!(is_right, "truncated({tau}) at {index:?}, {what}");
    }
    let cut = |tiling: &Tiling| match rng.random_range(0..4) {
        0 => tiling.clone(),
        1 => Tiling::each(tiling.extent()),
        2 => Tiling::whole(tiling.extent()),
        _ => Tiling::even(tiling.extent(), 2),
    };
    let cuts: Vec<Tiling> = structure.tilings().iter().map(cut).collect();
    // Rows may not end there.
    if let Ok(other) = blocks.tiled(&cuts) {
        assert_eq!((other.to_dense().unwrap(), other.structure().tilings()), (dense.clone(), &cuts[..]), "tiled, {what}");
    } else {
        assert!((0..cuts.len()).any(|axis| structure.ragged_by(axis).is_some()), "tiled, {what}");
    }
}

/// Ranges and positions.
fn parts<T: Element>(rng: &mut StdRng, blocks: &Blocks<T>, dense: &Tensor<T>, what: &str) {
    let extents = dense.extents().to_vec();
    let part = |&extent: &usize| {
        let begin = rng.random_range(0..extent + 1);
        match begin < extent && rng.random_bool(0.3) {
            true => AxisPart::Position(begin),
            false => AxisPart::Range(begin, rng.random_range(begin..extent + 1)),
        }
    };
    let parts: Vec<AxisPart> = extents.iter().map(part).collect();
    let found = blocks.part(&parts).unwrap();
    for index in &found.structure().shape() {
        let mut own = index.iter();
        let at = |part: &AxisPart| match part {
            AxisPart::Position(position) => *position,
            AxisPart::Range(begin, _) => begin + own.next().unwrap(),
        };
        let at: Vec<usize> = parts.iter().map(at).collect();
        assert_eq!(found.get(&index).unwrap(), dense.get(&at).unwrap(), "{parts:?} at {index:?}, {what}");
    }
    if let Ok(rows) = blocks.clone().into_rows() {
        for (n, row) in rows.iter().enumerate() {
            for index in &Shape::new(row.extents()) {
                assert_eq!(row.get(&index).unwrap(), dense.get(&[&[n], &index[..]].concat()).unwrap(), "into_rows, {what}");
            }
        }
    }
}

/// Elements and blocks that are written, some of which were not there.
fn written<T: Element>(rng: &mut StdRng, drawn: &Drawn, blocks: &Blocks<T>, what: &str) {
    let structure = blocks.structure();
    if structure.shape().extents().contains(&0) {
        return;
    }
    let (mut target, before) = (blocks.clone(), blocks.to_dense().unwrap());
    let index: Vec<usize> = structure.shape().extents().iter().map(|&extent| rng.random_range(0..extent)).collect();
    let own: T = T::from_complex(Complex::new(5.0, 0.0));
    let (block, _) = drawn.block_of(&index);
    let group = structure.symmetry().elements();
    match target.set(&index, own) {
        Err(error) => {
            assert_eq!((target.structure(), target.to_dense().unwrap()), (structure, before), "{error}, {what}");
            let ends = drawn.rows.as_ref().is_some_and(|rows| index[index.len() - 1] >= rows[index[0]]);
            let differ = |ties: &Vec<usize>| ties.iter().zip(&index).any(|(&first, own)| index[first] != *own);
            let fixed = group.iter().any(|by| by.image(&index) == index && follows(own, by) != own);
            let others = drawn.flow.is_some() || drawn.ties.as_ref().is_some_and(differ);
            assert!(ends || fixed || others, "set: {error}, {what}");
        }
        Ok(()) => {
            let is_changed = |at: &[usize]| {
                let by = group.iter().find(|by| by.image(at) == index);
                let (other, begins) = drawn.block_of(at);
                let starts = drawn.block_of(&index).1;
                let offset =
                    |at: &[usize], begins: &[usize]| at.iter().zip(begins).map(|(at, begin)| at - begin).collect::<Vec<_>>();
                let equal = drawn.class(&block).contains(&other) && offset(at, &begins) == offset(&index, &starts);
                by.map(|by| follows(own, by)).or(equal.then_some(own))
            };
            for at in &structure.shape() {
                let expected = is_changed(&at).unwrap_or(before.get(&at).unwrap());
                assert_eq!(target.get(&at).unwrap(), expected, "set {index:?}: {at:?}, {what}");
            }
        }
    }
    // What a block has may be written where it is.
    let mut target = Blocks::zeros(structure).unwrap();
    for number in 0..structure.stored().unwrap().len() {
        let orbit = structure.orbit(number).unwrap();
        let (image, by) = orbit.choose(rng).unwrap();
        let (extents, stored) = (structure.block_shape(image).unwrap(), structure.stored().unwrap().block(number));
        let elements: Vec<T> = match structure.ties() {
            Some(_) => blocks.block(&stored).unwrap().unwrap().to_tensor().unwrap().as_slice().to_vec(),
            None => extents.indices().map(|index| blocks.get(&index).unwrap()).collect(),
        };
        target.set_block(image, &elements).unwrap();
        assert!(by.image(image) == stored || structure.has_equal_blocks(), "{what}");
        assert!(target.set_block(image, &[&elements[..], &[T::ONE]].concat()).is_err());
    }
    assert_eq!(target.slab(), blocks.slab(), "set_block, {what}");
}

/// What does not fit is an error.
fn mistakes<T: Element>(rng: &mut StdRng, structure: &Structure) {
    let rank = structure.rank();
    let mut index = || {
        (0..(rank + rng.random_range(0..2)).saturating_sub(rng.random_range(0..2)))
            .map(|_| rng.random_range(0..6))
            .collect::<Vec<usize>>()
    };
    let indices = [index(), index(), index()];
    let shape = structure.shape();
    let is_index = |index: &Vec<usize>| index.len() == rank && index.iter().zip(shape.extents()).all(|(n, extent)| n < extent);
    let all_fit = indices.iter().all(is_index);
    let _: Result<Structure, Error> = structure.with_blocks(&indices);
    assert_eq!(Sparsity::elements(&shape, &indices).is_ok(), all_fit);
    let list = indices.iter().map(|index| (index, T::ONE));
    assert!(Blocks::from_coo(structure, list).is_err() || all_fit);
    let _: Result<Structure, Error> = structure.equal_blocks(&indices[..2]);
    let _: Result<Structure, Error> = structure.tied(&indices[0]);
    let _: Result<Structure, Error> = structure.nested(indices[1].clone());
    let _: Result<Structure, Error> = structure.with_ragged([(indices[0].len(), indices[1].clone())]);
    let signs: Vec<i64> = indices[2].iter().map(|&n| n as i64 - 2).collect();
    assert!(structure.flow(&signs, [1]).is_err() || signs.iter().all(|sign| sign.abs() == 1));
    let _: Result<Structure, Error> =
        Symmetry::none(rank).generator(&indices[0], Sign::Minus, false).and_then(|own| structure.with(own));
    for index in &indices {
        assert_eq!(Blocks::<T>::zeros(structure).unwrap().get(index).is_ok(), is_index(index), "{structure:?} at {index:?}");
        assert!(Blocks::<T>::zeros(structure).unwrap().set(index, T::ONE).is_err() || is_index(index));
    }
    let numbers: Vec<usize> = indices.concat();
    let _: Result<Blocks<T>, Error> = Blocks::from_csr(structure, &numbers, &indices[0], &vec![T::ONE; indices[0].len()]);
}

#[test]
fn drawn_structures_through_every_conversion() {
    for seed in 0..rounds(STRUCTURES) {
        let mut rng = StdRng::seed_from_u64(2380 + seed);
        match seed % 3 {
            0 => conversions::<Complex<f64>>(&mut rng, seed),
            _ => conversions::<f64>(&mut rng, seed),
        }
    }
}
