//! Layers of smooth, tiled and jagged shapes, and what is refused.

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::Nested;
use crate::Error;
use crate::shape::tests::random;
use crate::shape::{AnyShape, JaggedShape, Shape, TiledShape, Tiling};

fn sentence<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

fn jagged() -> JaggedShape {
    JaggedShape::rows([Shape::new([10, 20]), Shape::new([30, 40])]).unwrap()
}

#[test]
fn layers_partition_the_axes() {
    let nested = Nested::new([0, 2, 0, 1], Shape::new([10, 20, 30])).unwrap();
    assert_eq!((nested.n_layers(), nested.layers()), (4, &[0, 2, 0, 1][..]));
    let of_layers = |f: &dyn Fn(usize) -> usize| (0..4).map(f).collect::<Vec<_>>();
    assert_eq!(of_layers(&|layer| nested.rank_layer(layer).unwrap()), [0, 2, 0, 1]);
    assert_eq!(of_layers(&|layer| nested.elements_in_layer(layer).unwrap()), [1, 200, 200, 6000]);
    assert_eq!((0..4).map(|axis| nested.layer_of(axis)).collect::<Vec<_>>(), [Some(1), Some(1), Some(3), None]);
    assert_eq!(
        (nested.extents(), nested.size().unwrap(), nested.clone().flat()),
        (&[10, 20, 30][..], 6000, Shape::new([10, 20, 30]))
    );
    let none = Nested::new([1, 1], Shape::new([3, 0])).unwrap();
    assert_eq!((none.elements_in_layer(0).unwrap(), none.elements_in_layer(1).unwrap()), (3, 0));
}

#[test]
fn layers_of_rows() {
    let nested = Nested::new([1, 1, 1], jagged()).unwrap();
    assert_eq!([0, 1, 2].map(|layer| nested.elements_in_layer(layer).unwrap()), [2, 40, 1400]);
    assert_eq!(nested.element([1, 29]).unwrap(), Nested::new([1], Shape::new([40]).into()).unwrap());
    assert!(nested.element([0, 29]).is_err());
    let part = nested.slice([0, 0, 15], [2, 10, 40]).unwrap();
    assert_eq!((part.layers(), part.elements_in_layer(2).unwrap()), (&[1, 1, 1][..], 10 * 5 + 10 * 25));
}

#[test]
fn layers_of_tiles() {
    let shape = TiledShape::new([Tiling::cuts([5, 15]), Tiling::whole(4)]);
    let nested = Nested::new([1, 1], shape.clone()).unwrap();
    assert_eq!((nested.elements_in_layer(0).unwrap(), nested.tiles()), (20, Shape::new([2, 1])));
    assert_eq!(*nested.chip_at([7]).unwrap(), TiledShape::new([Tiling::whole(4)]));
    // Tiles as the outer layer, their elements as the inner one.
    let stored = Nested::new([2, 2], JaggedShape::from(shape)).unwrap();
    assert_eq!((stored.elements_in_layer(0).unwrap(), stored.elements_in_layer(1).unwrap()), (2, 80));
    assert_eq!(*stored.element([1, 0]).unwrap(), Shape::new([15, 4]).into());
}

#[test]
fn elements_are_behind_whole_layers() {
    let matrices = Nested::new([2, 1, 1], Shape::new([2, 2, 10, 10])).unwrap();
    let layers = |index: &[usize]| matrices.element(index).map(|element| element.layers().to_vec());
    assert_eq!(layers(&[1, 1]).unwrap(), [1, 1]);
    assert_eq!(layers(&[1, 1, 3]).unwrap(), [1]);
    assert_eq!(layers(&[1, 1, 3, 4]).unwrap(), []);
    assert_eq!(
        sentence(layers(&[1])),
        "an index of 1 number leads to no element of `Nested[2, 1, 1](Shape[2, 2, 10, 10])`\nhelp: it has 2 or 3 or 4 numbers"
    );
    assert!(layers(&[1, 2]).is_err());
    let inner = Nested::new([0, 2], Shape::new([10, 20])).unwrap();
    assert_eq!(inner.element([]).unwrap(), Nested::new([2], Shape::new([10, 20])).unwrap());
    assert!(Nested::new([], Shape::new([])).unwrap().element([]).is_err());
}

#[test]
fn chips_drop_layers_that_lose_all_axes() {
    let matrices = Nested::new([2, 0, 2], Shape::new([2, 2, 10, 10])).unwrap();
    let layers = |leading: &[usize]| matrices.chip_at(leading).unwrap().layers().to_vec();
    assert_eq!([&[][..], &[0], &[0, 1], &[0, 1, 2]].map(layers), [vec![2, 0, 2], vec![1, 0, 2], vec![0, 2], vec![0, 1]]);
    let inner = matrices.chip([0, 0, 3, 0], [2, 2, 4, 10]).unwrap();
    assert_eq!(inner, Nested::new([2, 0, 1], Shape::new([2, 2, 10])).unwrap());
    let outer = matrices.chip([0, 0, 3, 4], [2, 2, 4, 5]).unwrap();
    assert_eq!(outer, Nested::new([2, 0], Shape::new([2, 2])).unwrap());
}

#[test]
fn parts_are_those_of_the_shape() {
    let mut rng = StdRng::seed_from_u64(71);
    for _ in 0..random::SHAPES {
        let shape = random::shape(&mut rng);
        let outer = rng.random_range(0..=shape.rank());
        let nested = Nested::new([outer, shape.rank() - outer], shape.clone()).unwrap();
        assert_eq!(nested.elements_in_layer(1).unwrap(), shape.size().unwrap());
        let (begin, end) = random::part(&mut rng, &shape);
        let slice = nested.slice(&begin, &end).unwrap();
        assert_eq!((slice.layers(), &*slice), (nested.layers(), &shape.slice(&begin, &end).unwrap()));
        let chip = nested.chip(&begin, &end).unwrap();
        assert_eq!((chip.layers().iter().sum(), &*chip), (chip.rank(), &shape.chip(&begin, &end).unwrap()));
    }
}

#[test]
fn faults_are_sentences() {
    let shape = Shape::new([10, 20]);
    assert_eq!(sentence(Nested::new([1], shape.clone())), "layers [1] have 1 axis in all, but `Shape[10, 20]` has rank 2");
    let many = sentence(Nested::new([usize::MAX, 3], shape.clone()));
    assert!(many.contains("have more than 18446744073709551615 axes in all"), "{many}");
    let nested = Nested::new([1, 1], shape.clone()).unwrap();
    assert_eq!(sentence(nested.rank_layer(2)), "`Nested[1, 1](Shape[10, 20])` has no layer 2; it has 2, which count from 0");
    assert!(nested.elements_in_layer(2).is_err());
    assert_eq!(sentence(AnyShape::size_of_leading(&shape, 3)), "`Shape[10, 20]` has rank 2, so it does not begin with 3 axes");
    assert!(nested.slice([0], [1]).is_err() && nested.chip_at([10]).is_err() && nested.slice_at([0, 0, 0]).is_err());
    assert!(Nested::new([1, 1], Shape::new([usize::MAX, 2])).unwrap().elements_in_layer(1).is_err());
}

/// The methods of the trait are those of the types.
#[test]
fn any_shape() {
    fn looked_at<S: AnyShape>(shape: &S) -> (usize, usize, usize, usize, usize) {
        let first = shape.indices().next().unwrap();
        let (begin, end): (Vec<_>, Vec<_>) = first.iter().map(|&at| (at, at + 1)).unzip();
        assert_eq!(shape.offsets().next().unwrap().iter().sum::<usize>(), 0);
        assert_eq!(shape.slice(&begin, &end).unwrap().size().unwrap(), 1);
        assert_eq!(shape.chip(&begin, &end).unwrap().rank(), 0);
        let (row, chip) = (shape.slice_at(&first[..1]).unwrap(), shape.chip_at(&first[..1]).unwrap());
        (shape.rank(), shape.size().unwrap(), shape.size_of_leading(1).unwrap(), row.size().unwrap(), chip.rank())
    }
    assert_eq!(looked_at(&Shape::new([2, 3])), (2, 6, 2, 3, 1));
    assert_eq!(looked_at(&TiledShape::new([Tiling::each(2), Tiling::cuts([1, 2])])), (2, 6, 2, 3, 1));
    assert_eq!(looked_at(&jagged()), (3, 1400, 2, 200, 2));
    assert_eq!(looked_at(&Nested::new([1, 2], jagged()).unwrap()), (3, 1400, 2, 200, 2));
}
