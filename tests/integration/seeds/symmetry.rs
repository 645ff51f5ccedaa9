//! "Tensor Symmetry Design": what it says of elements that follow from others, as this library says it.

use num_complex::Complex;
use tensorwrapper::{Blocks, Shape, Sign, Structure, Symmetry, Tiling, einsum, einsum_blocks};

fn none(rank: usize) -> Symmetry {
    Symmetry::none(rank)
}

// "TotallySymmetric", "TotallyAntisymmetric", of rank 0 to 3
#[test]
fn total() {
    for rank in 0..4 {
        let (plus, minus) =
            (none(rank).symmetric((0..rank).collect::<Vec<_>>()), none(rank).antisymmetric((0..rank).collect::<Vec<_>>()));
        let (plus, minus) = (plus.unwrap(), minus.unwrap());
        let order = [1, 1, 2, 6][rank];
        assert_eq!((plus.order(), minus.order()), (order, order));
        // n(n+1)…/r! and n(n-1)…/r! of 4
        assert_eq!(plus.unique_count(&vec![4; rank]).unwrap(), [1, 4, 10, 20][rank]);
        assert_eq!(minus.unique_count(&vec![4; rank]).unwrap(), [1, 4, 6, 4][rank]);
        assert_eq!((plus.is_none(), minus.is_none()), (rank < 2, rank < 2));
    }
}

// "Modes are sorted into sets", of which "{01}{23} is not {0123}"
#[test]
fn sets_of_modes() {
    let pairs = none(4).symmetric([0, 1]).unwrap().symmetric([2, 3]).unwrap();
    let all = none(4).symmetric([0, 1, 2, 3]).unwrap();
    assert_ne!(pairs, all);
    assert_eq!((pairs.order(), all.order()), (4, 24));
    assert_eq!(pairs.canonical(&[1, 0, 3, 2]).0, [0, 1, 2, 3]);
    assert_eq!(pairs.canonical(&[2, 3, 0, 1]).0, [2, 3, 0, 1]);
    // Sets "may overlap": what is said twice is one group.
    assert_eq!(none(3).symmetric([0, 1]).unwrap().symmetric([1, 2]).unwrap(), none(3).symmetric([0, 1, 2]).unwrap());
    // "both symmetric and antisymmetric modes"
    let both = none(4).symmetric([0, 1]).unwrap().antisymmetric([2, 3]).unwrap();
    assert_eq!((both.sign(&[1, 0, 3, 2]).unwrap(), both.sign(&[1, 0, 2, 2]).unwrap()), (Some(Sign::Minus), None));
}

// "modes 0 and 1 symmetric, 0 and 2 antisymmetric": all six of them make every element zero, and are refused
#[test]
fn contradictions() {
    for [a, b, c] in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let refused = none(3).symmetric([a, b]).unwrap().antisymmetric([a, c]).unwrap_err().to_string();
        assert!(refused.starts_with("these symmetries make every element zero"), "{refused}");
    }
}

// "Generalizes to Hermitian/anti-Hermitian"
#[test]
fn conjugation() {
    let cut = Tiling::cuts([1, 2]);
    let number = |index: &[usize]| Complex::new(1.0 + index[0] as f64, 2.0 + index[1] as f64);
    let of = |symmetry| Blocks::from_fn(&Structure::new([&cut, &cut]).with(symmetry).unwrap(), number).unwrap();
    let hermitian = of(none(2).hermitian(0, 1).unwrap());
    let anti = of(none(2).generator(&[1, 0], Sign::Minus, true).unwrap());
    for index in &Shape::new([3, 3]) {
        let turned = [index[1], index[0]];
        assert_eq!(hermitian.get(&index).unwrap(), hermitian.get(&turned).unwrap().conj());
        assert_eq!(anti.get(&index).unwrap(), -anti.get(&turned).unwrap().conj());
    }
    assert_eq!((hermitian.get(&[1, 1]).unwrap().im, anti.get(&[1, 1]).unwrap().re), (0.0, 0.0));
}

// "is this element unique, how many unique ones for a shape, the sign": one way of choosing, the smallest index
#[test]
fn queries() {
    let pairs = none(2).antisymmetric([0, 1]).unwrap();
    let unique = Shape::new([3, 3]).into_iter().filter(|index| pairs.is_unique(index).unwrap()).map(|index| index.to_vec());
    assert_eq!(unique.collect::<Vec<_>>(), [[0, 1], [0, 2], [1, 2]]);
    assert_eq!(pairs.unique_count(&[3, 3]).unwrap(), 3);
    assert!(pairs.unique_count(&[3, 4]).is_err());
}

// "Nesting: symmetry of each layer": of a symmetric matrix of matrices only those on the diagonal are symmetric
#[test]
fn of_layers() {
    let cut = Tiling::cuts([2, 2]);
    let structure = Structure::new([&cut, &cut]).with(none(2).symmetric([0, 1]).unwrap()).unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| (1 + 4 * i[0] + i[1]) as f64).unwrap();
    let inner = |block: [usize; 2]| a.block(&block).unwrap().unwrap().elements().copied().collect::<Vec<f64>>();
    assert_eq!(inner([0, 0]), [1.0, 2.0, 2.0, 6.0]);
    assert_eq!(inner([0, 1]), [3.0, 4.0, 7.0, 8.0]);
    assert!(a.block(&[1, 0]).unwrap().is_none());
}

// "Translational: the upper left block must be the same as the lower right"
#[test]
fn translations() {
    let cell = Tiling::cuts([2, 2]);
    let structure = Structure::new([&cell, &cell]).equal_blocks([[0, 0], [1, 1]]).unwrap();
    let a = Blocks::<f64>::from_fn(&structure, |i| (1 + 4 * i[0] + i[1]) as f64).unwrap();
    assert_eq!((a.blocks(), a.bytes()), (vec![vec![0, 0], vec![0, 1], vec![1, 0]], 12 * 8));
    for index in &Shape::new([2, 2]) {
        assert_eq!(a.get(&index).unwrap(), a.get(&[index[0] + 2, index[1] + 2]).unwrap());
    }
    let square = einsum_blocks("ij,jk->ik", &[&a, &a]).unwrap();
    let dense = a.to_dense().unwrap();
    assert_eq!(square.to_dense().unwrap().as_slice(), einsum("ij,jk->ik", &[&dense, &dense]).unwrap().as_slice());
}
