//! Tiled shapes: tiles and indices, parts, and the jagged shapes that they are stored as.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::TiledShape;
use crate::shape::tests::random;
use crate::shape::{JaggedShape, Shape, Tiling};

/// A shape of rank 0 to 3; tiles without indices are frequent.
fn tiled(rng: &mut StdRng) -> TiledShape {
    let rank = rng.random_range(0..4);
    let mut axis = || {
        let tiles = rng.random_range(0..4);
        Tiling::cuts((0..tiles).map(|_| rng.random_range(0..4)).collect::<Vec<usize>>())
    };
    let tilings: Vec<Tiling> = (0..rank).map(|_| axis()).collect();
    let origin: Vec<usize> = (0..rank).map(|_| rng.random_range(0..9)).collect();
    TiledShape::new(tilings).with_origin(origin).unwrap()
}

#[test]
fn each_index_is_in_one_tile() {
    let mut rng = StdRng::seed_from_u64(61);
    for _ in 0..random::SHAPES {
        let shape = tiled(&mut rng);
        let boxes: Vec<Shape> = shape.boxes().collect();
        assert_eq!(boxes.len(), shape.tiles().size().unwrap());
        let mut in_tiles: Vec<Vec<usize>> = boxes.iter().flat_map(random::by_counting).collect();
        in_tiles.sort();
        assert_eq!(in_tiles, random::by_counting(shape.shape()), "{shape:?}");
        for index in shape.indices() {
            let (tile, offset) = shape.locate(&index).unwrap();
            let tile = shape.tile(&tile).unwrap();
            let found: Vec<usize> = tile.origin().iter().zip(&*offset).map(|(first, offset)| first + offset).collect();
            assert_eq!(found, index[..], "{shape:?}");
            assert!(random::by_counting(&tile).contains(&found), "{shape:?}");
        }
    }
}

#[test]
fn as_a_jagged_shape_each_tile_is_a_row() {
    let mut rng = StdRng::seed_from_u64(62);
    for _ in 0..random::SHAPES {
        let shape = tiled(&mut rng);
        let stored = JaggedShape::from(shape.clone());
        assert_eq!((stored.rank(), stored.size().unwrap()), (2 * shape.rank(), shape.size().unwrap()), "{shape:?}");
        for tile in &shape.tiles() {
            let row = stored.row(&tile).unwrap();
            assert_eq!(row, Shape::new(shape.tile(&tile).unwrap().extents()).into(), "{shape:?}");
        }
        for index in &stored {
            let (tile, offset) = index.split_at(shape.rank());
            let origin = shape.tile(tile).unwrap().origin().to_vec();
            let whole: Vec<usize> = origin.iter().zip(offset).map(|(first, offset)| first + offset).collect();
            let located = shape.locate(&whole).unwrap();
            assert_eq!((&*located.0, &*located.1), (tile, offset), "{shape:?}");
        }
    }
}

#[test]
fn parts_have_parts_of_the_tiles() {
    let mut rng = StdRng::seed_from_u64(63);
    for _ in 0..random::SHAPES {
        let whole = tiled(&mut rng);
        let (begin, end) = random::part(&mut rng, whole.shape());
        let part = whole.slice(&begin, &end).unwrap();
        assert_eq!(part.shape(), &whole.shape().slice(&begin, &end).unwrap());
        // Indices of one tile stay together, those of two stay apart.
        for (index, next) in part.indices().zip(part.indices().skip(1)) {
            let together = |shape: &TiledShape| shape.locate(&index).unwrap().0 == shape.locate(&next).unwrap().0;
            assert_eq!(together(&part), together(&whole), "{whole:?}, {begin:?} to {end:?}");
        }
        let (begin, end) = random::part(&mut rng, part.shape());
        assert_eq!(part.slice(&begin, &end).unwrap(), whole.slice(&begin, &end).unwrap(), "{whole:?}");
        let chip = whole.chip(&begin, &end).unwrap();
        assert_eq!(chip.shape(), &whole.shape().chip(&begin, &end).unwrap());
        let first = whole.origin();
        let last: Vec<usize> = first.iter().zip(whole.extents()).map(|(first, extent)| first + extent).collect();
        assert_eq!(whole.slice(first, last).unwrap(), whole, "the whole is a part of itself");
    }
}

#[test]
fn charges_go_with_their_tiles() {
    let bond = Tiling::cuts([1, 2, 1]).charged([-2, 0, 2]).unwrap();
    let shape = TiledShape::new([&bond, &Tiling::whole(4)]);
    let part = shape.slice([2, 0], [4, 4]).unwrap();
    assert_eq!(format!("{part:?}"), "TiledShape[[1(0), 1(2)], [4]]+[2, 0]");
    assert_eq!(shape.chip_at([2]).unwrap(), TiledShape::new([Tiling::whole(4)]));
    assert_eq!(shape.slice_at([3]).unwrap().tilings()[0], Tiling::cuts([1]).charged([2]).unwrap());
}

#[test]
fn many_tiles_of_few_extents_need_little() {
    let axis = Tiling::even(1_000_001, 2);
    let stored = JaggedShape::from(TiledShape::new([&axis, &axis, &axis]));
    assert_eq!((stored.rank(), stored.size().unwrap()), (6, 1_000_001usize.pow(3)));
    assert_eq!(stored.row([0, 500_000, 1]).unwrap(), Shape::new([2, 1, 2]).into());
    let even = JaggedShape::from(TiledShape::new([Tiling::even(6, 2), Tiling::each(5)]));
    assert_eq!(even, Shape::new([3, 5, 2, 1]).into());
}

#[test]
fn faults_are_sentences() {
    let shape = TiledShape::new([Tiling::cuts([5, 15]), Tiling::cuts([4])]).with_origin([1, 0]).unwrap();
    assert_eq!(
        shape.tile([0, 1]).unwrap_err().to_string(),
        "axis 1 of `TiledShape[[5, 15], [4]]+[1, 0]` has no tile 1; it has 1"
    );
    assert_eq!(shape.tile([0]).unwrap_err().to_string(), "`Shape[20, 4]+[1, 0]` has rank 2 but 1 index is given");
    assert!(shape.locate([0, 0]).is_err() && shape.locate([21, 0]).is_err() && shape.locate([1, 0, 0]).is_err());
    assert!(shape.slice([0, 0], [3, 4]).is_err() && shape.chip_at([21]).is_err() && shape.slice_at([1, 0, 0]).is_err());
    assert!(shape.clone().with_origin([usize::MAX, 0]).is_err());
}
