//! "Tensor Sparsity Design" and what the other designs say of zeros: each sentence, as this library says it.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, JaggedShape, Nested, Shape, Sparsity, Structure, Symmetry, Tiling, einsum_blocks};

fn cut() -> Tiling {
    Tiling::cuts([2, 3])
}

/// A matrix of 5 by 5 in blocks of 2 and 3.
fn matrix() -> Structure {
    Structure::new([&cut(), &cut()])
}

fn part(extents: [usize; 2], origin: [usize; 2]) -> Shape {
    Shape::new(extents).with_origin(origin).unwrap()
}

fn numbered(structure: &Structure) -> Blocks<f64> {
    Blocks::from_fn(structure, |index| (1 + 5 * index[0] + index[1]) as f64).unwrap()
}

// "Sparsity: knowing which elements are zero", and its queries
mod queries {
    use super::*;

    // "Element": the elements that may be other than zero; "Zero<Element>" is the dual problem, and "need[s] the overall shape"
    #[test]
    fn elements_and_their_dual() {
        let (shape, corners) = (Shape::new([5, 5]), [[0, 0], [4, 4]]);
        let (some, rest) = (Sparsity::elements(&shape, corners).unwrap(), Sparsity::zero_elements(&shape, corners).unwrap());
        for index in &shape {
            let own = part([1, 1], [index[0], index[1]]);
            let is_corner = corners.contains(&[index[0], index[1]]);
            assert_eq!((some.is_zero(&own).unwrap(), rest.is_zero(&own).unwrap()), (!is_corner, is_corner));
        }
        assert_eq!((some.fraction(), rest.fraction()), (0.08, 0.92));
        assert_eq!(some.union(&rest).unwrap().fraction(), 1.0);
        assert!(Sparsity::elements(&shape, [[0, 5]]).is_err());
    }

    // "A slice is zero only if every element is zero"
    #[test]
    fn slices() {
        let some = Sparsity::elements(&Shape::new([5, 5]), [[3, 1]]).unwrap();
        let rows: Vec<bool> = (0..5).map(|row| some.is_zero(&part([1, 5], [row, 0])).unwrap()).collect();
        assert_eq!(rows, [true, true, true, false, true]);
        assert!(some.is_zero(&part([5, 1], [0, 0])).unwrap() && !some.is_zero(&part([5, 1], [0, 1])).unwrap());
        // A slice without elements has none that is not zero.
        assert!(some.is_zero(&part([0, 5], [3, 0])).unwrap());
    }

    // "Block(shape, sub-shapes)": parts may overlap, and what they have in common counts once
    #[test]
    fn parts_that_overlap() {
        let shape = Shape::new([5, 5]);
        let both = Sparsity::blocks(&shape, &[part([3, 3], [0, 0]), part([3, 3], [2, 2])]).unwrap();
        assert_eq!(both.fraction(), 17.0 / 25.0);
        let rest = Sparsity::zero_blocks(&shape, &[part([3, 3], [0, 0]), part([3, 3], [2, 2])]).unwrap();
        assert_eq!(rest.fraction(), 8.0 / 25.0);
        assert!(rest.is_zero(&part([1, 1], [2, 2])).unwrap() && !rest.is_zero(&part([1, 1], [4, 0])).unwrap());
    }

    // "over Shape, JaggedShape, Nested": indices of layers "are flattened", and those of rows are those of the padded shape
    #[test]
    fn of_layers_and_rows() {
        let nested = Nested::new([1, 1], Shape::new([5, 5])).unwrap();
        let below = Sparsity::elements(&nested, [[4, 0]]).unwrap();
        let layers = matrix().nested([1, 1]).unwrap().with_sparsity(&below).unwrap();
        assert_eq!((layers.layers(), layers.stored().unwrap().iter().collect::<Vec<_>>()), (vec![1, 1], vec![vec![1, 0]]));
        let rows = JaggedShape::rows([3, 1, 4].map(|extent| Shape::new([extent]))).unwrap();
        let last = Sparsity::elements(rows.padded(), [[2, 3]]).unwrap();
        let rows = Structure::jagged(&rows).unwrap().with_sparsity(&last).unwrap();
        // With the ends of all rows, which keep their extents.
        assert_eq!((rows.stored().unwrap().elements(), rows.ragged_by(1)), (2 + 1 + 1, Some(&[0][..])));
        assert_eq!(rows.row_extents(1).unwrap(), [3, 1, 4]);
    }
}

// "Norm(shape, tile norms, τ)": "NormBased(t, 1e-9)"
#[test]
fn norms() {
    let b = numbered(&matrix().with_blocks([[0, 0], [1, 1]]).unwrap());
    let tiles = Shape::new([2, 2]);
    let norms: Vec<f64> = tiles.into_iter().map(|block| b.norm(&block).unwrap()).collect();
    let large = Sparsity::norms(&[&cut(), &cut()], &norms, 1e-9).unwrap();
    assert_eq!((large.fraction(), matrix().with_sparsity(&large).unwrap()), (13.0 / 25.0, b.structure().clone()));
    assert!(Sparsity::norms(&[&cut(), &cut()], &[1.0, -1.0, 0.0, 0.0], 0.0).is_err());
    assert!(Sparsity::norms(&[&cut(), &cut()], &norms, f64::NAN).is_err());
    // The union of what several tensors have.
    let other = Sparsity::norms(&[&cut(), &cut()], &[0.0, 1.0, 0.0, 0.0], 0.5).unwrap();
    assert_eq!(large.union(&other).unwrap().fraction(), 19.0 / 25.0);
}

// "unions of zeros and of non-zeros"
#[test]
fn unions() {
    let shape = Shape::new([5, 5]);
    let (above, left) = (part([2, 5], [0, 0]), part([5, 2], [0, 0]));
    let (some, other) = (Sparsity::blocks(&shape, [&above]).unwrap(), Sparsity::blocks(&shape, [&left]).unwrap());
    let (of_zeros, of_others) = (some.union_of_zeros(&other).unwrap(), some.union(&other).unwrap());
    for index in &shape {
        let [one, two] = [&some, &other].map(|sparsity| sparsity.is_zero_at(&index[..]).unwrap());
        let both = [&of_zeros, &of_others].map(|sparsity| sparsity.is_zero_at(&index[..]).unwrap());
        assert_eq!(both, [one || two, one && two], "{index:?}");
    }
    // The zeros of one problem are the others of its dual.
    let zeros = |part| Sparsity::zero_blocks(&shape, [part]).unwrap();
    assert_eq!(zeros(&above).union_of_zeros(&zeros(&left)).unwrap(), Sparsity::zero_blocks(&shape, [&above, &left]).unwrap());
    // As in a product of elements.
    let [a, b] = [&some, &other].map(|sparsity| numbered(&matrix().with_sparsity(sparsity).unwrap()));
    let product = tensor!([i, j] = a[i, j] * b[i, j]);
    assert_eq!(product.blocks(), matrix().with_sparsity(&of_zeros).unwrap().stored().unwrap().iter().collect::<Vec<_>>());
    assert!(some.union_of_zeros(&Sparsity::elements(&Shape::new([5]), [[0]]).unwrap()).is_err());
}

// "could look at a provided element sparsity, [and] back out a block sparsity"
#[test]
fn elements_make_blocks() {
    let some = Sparsity::elements(&Shape::new([5, 5]), [[0, 4], [1, 2], [3, 3]]).unwrap();
    let structure = matrix().with_sparsity(&some).unwrap();
    assert_eq!(structure.stored().unwrap().iter().collect::<Vec<_>>(), [[0, 1], [1, 1]]);
    assert_eq!((some.fraction(), structure.fill().unwrap()), (0.12, 0.6));
}

// "Element(shape, indices[, symmetry])": with a symmetry, fewer elements have to be named
#[test]
fn symmetry_completes_what_is_said() {
    let symmetric = matrix().with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let below = Sparsity::elements(&Shape::new([5, 5]), [[4, 1]]).unwrap();
    let a = numbered(&symmetric.with_sparsity(&below).unwrap());
    assert_eq!((a.get(&[4, 1]).unwrap(), a.get(&[1, 4]).unwrap(), a.get(&[0, 0]).unwrap()), (10.0, 10.0, 0.0));
    assert_eq!(a.structure().fill().unwrap(), 12.0 / 25.0);
}

// "effective sparsity": values so small that they count as zero
#[test]
fn effective_sparsity() {
    let dense = Tensor::<f64>::from_fn([5, 5], |i| if i[0] < 2 && i[1] >= 2 { 1e-12 } else { 1.0 }).unwrap();
    let all = Blocks::from_dense(&dense, &matrix()).unwrap();
    assert_eq!(all.truncated(1e-9).unwrap().blocks(), [[0, 0], [1, 0], [1, 1]]);
    assert_eq!(all.truncated(0.0).unwrap().blocks().len(), 4);
}

// "operational sparsity": that of C follows from those of A and B
mod operational_sparsity {
    use super::*;

    // "a + b": "the union"
    #[test]
    fn of_sums() {
        let (a, b) = (numbered(&matrix().with_blocks([[0, 0]]).unwrap()), numbered(&matrix().with_blocks([[1, 0]]).unwrap()));
        let c = tensor!([i, j] = a[i, j] + b[i, j]);
        assert_eq!(c.blocks(), [[0, 0], [1, 0]]);
    }

    // A product has the blocks that some product of blocks contributes to; an element-wise one those of both
    #[test]
    fn of_products() {
        let (a, b) = (
            numbered(&matrix().with_blocks([[0, 1], [1, 1]]).unwrap()),
            numbered(&matrix().with_blocks([[0, 0], [1, 0]]).unwrap()),
        );
        assert_eq!(einsum_blocks("ik,kj->ij", &[&a, &b]).unwrap().blocks(), [[0, 0], [1, 0]]);
        assert_eq!(einsum_blocks("ki,kj->ij", &[&a, &a]).unwrap().blocks(), [[1, 1]]);
        assert!(einsum_blocks("ij,ij->ij", &[&a, &b]).unwrap().blocks().is_empty());
        assert_eq!(einsum_blocks("ij,ij->", &[&a, &b]).unwrap().to_dense().unwrap().as_slice(), [0.0]);
    }

    // "effective operational sparsity: subtraction": what cancels is known when it was computed
    #[test]
    fn of_differences() {
        let a = numbered(&matrix());
        let b = numbered(&matrix().with_blocks([[0, 0], [0, 1], [1, 1]]).unwrap());
        let c = tensor!([i, j] = a[i, j] - b[i, j]);
        assert_eq!((c.blocks().len(), c.truncated(0.0).unwrap().blocks()), (4, vec![vec![1, 0]]));
    }
}

// Layout design: "The sparsity and symmetry of the tensor will need to be updated to match the new shape"
#[test]
fn other_cuts() {
    let antisymmetric = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
    let a = numbered(&matrix().with(antisymmetric.clone()).unwrap().with_blocks([[0, 1]]).unwrap());
    let finer = Tiling::each(5);
    let same = a.tiled(&[finer.clone(), finer.clone()]).unwrap();
    assert_eq!((same.blocks().len(), same.structure().symmetry()), (6, &antisymmetric));
    // Axes that are cut differently cannot be exchanged: both images are stored.
    let other = a.tiled(&[finer, cut()]).unwrap();
    assert_eq!((other.blocks().len(), other.structure().symmetry().is_none()), (5, true));
    assert_eq!(other.to_dense().unwrap().as_slice(), a.to_dense().unwrap().as_slice());
}

// Layout design: "MonoTile l(shape, symmetry, sparsity)", one box of what the page's `Tiled` has in many
#[test]
fn one_tile() {
    let a = numbered(&matrix().with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap().with_blocks([[0, 1]]).unwrap());
    let mono = a.smooth().unwrap();
    assert_eq!((mono.blocks().len(), mono.structure().symmetry()), (1, a.structure().symmetry()));
    assert_eq!(mono.to_dense().unwrap().as_slice(), a.to_dense().unwrap().as_slice());
}

// "an upper-triangular matrix is a jagged matrix" (Symmetry design): rows that begin on the diagonal are blocks, too
#[test]
fn triangles() {
    let each = Tiling::each(3);
    let upper = Structure::new([&each, &each]).upper().unwrap();
    let a = Blocks::<f64>::from_packed(&upper, true, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!((a.bytes(), a.blocks().len()), (48, 6));
    assert_eq!(a.to_dense().unwrap().as_slice(), [1.0, 2.0, 4.0, 0.0, 3.0, 5.0, 0.0, 0.0, 6.0]);
}

// Shape design: "a jagged shape can always be turned into a smooth shape by padding"
#[test]
fn padding() {
    let row = |extent: usize| Tensor::<f64>::from_fn([extent], |i| (1 + i[0]) as f64).unwrap();
    let rows = Blocks::rows([row(1), row(3)]).unwrap();
    assert_eq!((rows.bytes(), rows.smooth().unwrap().bytes()), (32, 48));
    assert_eq!(rows.smooth().unwrap().to_dense().unwrap().as_slice(), [1.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
}
