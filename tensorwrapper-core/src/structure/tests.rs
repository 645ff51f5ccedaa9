//! Structures: which blocks are stored, and what follows from them.

use super::{Sparsity, Structure};
use crate::shape::{Charges, Shape, Tiling};
use crate::symmetry::{Sign, Symmetry};

fn stored(structure: &Structure) -> Vec<Vec<usize>> {
    structure.stored().unwrap().iter().collect()
}

#[test]
fn blocks_lie_one_after_the_other() {
    let structure = Structure::new([&Tiling::cuts([1, 2]), &Tiling::cuts([3, 4])]);
    let blocks = structure.stored().unwrap();
    assert_eq!(stored(&structure), [[0, 0], [0, 1], [1, 0], [1, 1]]);
    let places: Vec<_> = (0..4).map(|n| (blocks.start(n), blocks.size(n))).collect();
    assert_eq!(places, [(0, 3), (3, 4), (7, 6), (13, 8)]);
    assert_eq!((blocks.elements(), blocks.find(&[1, 0]), blocks.find(&[2, 0])), (21, Some(2), None));
    assert_eq!(structure.block_shape(&[1, 1]).unwrap(), Shape::new([2, 4]).with_origin([1, 3]).unwrap());
}

#[test]
fn large_blocks_begin_at_cache_lines() {
    let structure = Structure::new([&Tiling::cuts([1, 600, 700])]);
    let blocks = structure.stored().unwrap();
    assert_eq!([0, 1, 2].map(|n| blocks.start(n)), [0, 16, 624]);
}

#[test]
fn images_complete_the_blocks_that_are_given() {
    let cut = Tiling::cuts([2, 3, 1]);
    let antisymmetric = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
    let structure = Structure::new([&cut, &cut]).with_blocks([[2, 0], [1, 1]]).unwrap().with(antisymmetric).unwrap();
    assert_eq!(stored(&structure), [[0, 2], [1, 1]]);
    let image = structure.image(&[2, 0]).unwrap().unwrap();
    assert_eq!((image.number, image.by.sign()), (0, Sign::Minus));
    assert_eq!(structure.image(&[0, 1]).unwrap(), None);
    assert_eq!(structure.fill().unwrap(), (2.0 * 2.0 + 9.0) / 36.0);
}

#[test]
fn charges_say_which_blocks_are_there() {
    let irreps = Charges::modulo([2, 2], [[0, 0], [0, 1], [1, 1]]).unwrap();
    let orbitals = Tiling::cuts([4, 2, 1]).charged(irreps).unwrap();
    let integrals = Structure::new([&orbitals, &orbitals, &orbitals]).flow([1, 1, 1], [1, 0]).unwrap();
    for block in Shape::new([3, 3, 3]).indices() {
        let charge = block.iter().fold([0, 0], |sum, &tile| {
            let own = [[0, 0], [0, 1], [1, 1]][tile];
            [(sum[0] + own[0]) % 2, (sum[1] + own[1]) % 2]
        });
        assert_eq!(integrals.image(&block).unwrap().is_some(), charge == [1, 0], "{block:?}");
    }
}

#[test]
fn mistakes_are_told() {
    let (spin, plain) = (Tiling::cuts([1, 1]).charged([-1, 1]).unwrap(), Tiling::cuts([1, 1]));
    let told = |result: Result<Structure, crate::Error>| result.unwrap_err().to_string();
    let pair = Structure::new([&spin, &spin]);
    assert_eq!(told(Structure::new([&spin, &plain]).flow([1, 1], [0])), "axis 1 has no charges: it is cut 1, 1");
    assert_eq!(told(pair.flow([1], [0])), "1 sign is given for the charges of 2 axes");
    assert_eq!(told(pair.flow([1, 2], [0])), "the sign of an axis's charges is 1 or -1, not 2");
    assert_eq!(told(pair.flow([1, 1], [0, 0])), "the total charge needs 1 integer, not 2");
    let conserving = pair.flow([1, -1], [0]).unwrap();
    assert_eq!(told(conserving.with_blocks([[0, 1]])), "block [0, 1] has charge [-2], but the total is [0]");
    let symmetric = Symmetry::none(2).symmetric([0, 1]).unwrap();
    assert_eq!(told(conserving.with(symmetric)), "axes 0 and 1 cannot be exchanged: the signs of their charges differ");
    assert!(conserving.with(Symmetry::none(2).hermitian(0, 1).unwrap()).is_ok());
    assert_eq!(told(pair.with(Symmetry::none(3))), "a tensor of rank 2 cannot have a symmetry of 3 axes");
    assert!(told(pair.with_blocks([[0, 2]])).contains("index 2 is out of range for axis 1"));
    let many = Structure::new([&Tiling::each(20_000), &Tiling::each(20_000)]);
    assert!(
        many.stored().unwrap_err().to_string().starts_with("axes of 20000 tiles, 20000 tiles make more than 67108864 blocks")
    );
}

#[test]
fn another_symmetry_keeps_the_images_that_the_first_one_made() {
    let cut = Tiling::cuts([2, 1]);
    let symmetric = Symmetry::none(2).symmetric([0, 1]).unwrap();
    let structure = Structure::new([&cut, &cut]).with(symmetric).unwrap().with_blocks([[0, 1]]).unwrap();
    assert_eq!(stored(&structure.with(Symmetry::none(2)).unwrap()), [[0, 1], [1, 0]]);
}

/// Boxes of all kinds against a list of elements.
#[test]
fn sparsity_by_elements_and_parts() {
    use super::Sparsity;
    let shape = Shape::new([4, 5]);
    let part = |origin: [usize; 2], extents: [usize; 2]| Shape::new(extents).with_origin(origin).unwrap();
    let parts = [part([0, 0], [2, 3]), part([1, 2], [2, 2]), part([0, 1], [4, 1]), part([3, 4], [1, 1]), part([2, 0], [0, 5])];
    let is_in = |index: &[usize]| {
        parts.iter().any(|part| (0..2).all(|n| (part.origin()[n]..part.origin()[n] + part.extents()[n]).contains(&index[n])))
    };
    let indices: Vec<[usize; 2]> = shape.indices().map(|index| [index[0], index[1]]).collect();
    let inside: Vec<[usize; 2]> = indices.iter().copied().filter(|index| is_in(index)).collect();
    let blocks = Sparsity::blocks(&shape, &parts).unwrap();
    let elements = Sparsity::elements(&shape, inside.iter().chain(&inside)).unwrap();
    let [no_blocks, no_elements] =
        [Sparsity::zero_blocks(&shape, &parts).unwrap(), Sparsity::zero_elements(&shape, &inside).unwrap()];
    for index in &indices {
        for (sparsity, is_zero) in [(&blocks, false), (&elements, false), (&no_blocks, true), (&no_elements, true)] {
            assert_eq!(sparsity.is_zero(&part(*index, [1, 1])).unwrap(), is_in(index) == is_zero, "{index:?}");
        }
    }
    let share = inside.len() as f64 / 20.0;
    for (sparsity, expected) in [(&blocks, share), (&elements, share), (&no_blocks, 1.0 - share), (&no_elements, 1.0 - share)] {
        assert!((sparsity.fraction() - expected).abs() < 1e-15);
    }
    assert!((blocks.union(&elements).unwrap().fraction() - share).abs() < 1e-15);
    assert!((blocks.union(&no_elements).unwrap().fraction() - 1.0).abs() < 1e-15);
    assert_eq!(
        (blocks.union_of_zeros(&elements).unwrap(), blocks.union_of_zeros(&no_elements).unwrap().fraction()),
        (elements.clone(), 0.0)
    );
    let (rows, columns) = (Tiling::cuts([2, 0, 2]), Tiling::cuts([1, 3, 1]));
    let structure = Structure::new([&rows, &columns]);
    let has = |block: &Vec<usize>| {
        let (row, column) = (rows.tile(block[0]).unwrap(), columns.tile(block[1]).unwrap());
        inside.iter().any(|index| row.contains(&index[0]) && column.contains(&index[1]))
    };
    let expected: Vec<Vec<usize>> = stored(&structure).into_iter().filter(has).collect();
    assert_eq!(stored(&structure.with_sparsity(&blocks).unwrap()), expected);
    assert_eq!(stored(&structure.with_sparsity(&elements).unwrap()), expected);
    let told = |result: Result<Sparsity, crate::Error>| result.unwrap_err().to_string();
    assert_eq!(told(Sparsity::elements(&shape, [[0, 5]])), "[0..1, 5..6] is no part of a tensor with indices [0..4, 0..5]");
    assert!(told(blocks.union_of_zeros(&Sparsity::blocks(&Shape::new([5]), []).unwrap())).contains("[0..5]"));
    assert!(told(blocks.union(&Sparsity::blocks(&Shape::new([4]), []).unwrap())).contains("[0..4]"));
    assert!(told(Sparsity::norms(&[&rows], &[1.0], 0.0)).contains("1 norm is given for 3 blocks"));
    assert!(Structure::new([&rows]).with_sparsity(&blocks).is_err());
}

#[test]
fn sparsity_leaves_blocks_out() {
    let cut = Tiling::cuts([1, 1]);
    let plain = Structure::new([&cut, &cut]);
    let shape = plain.shape();
    let diagonal = Sparsity::elements(&shape, [[0, 0], [1, 1]]).unwrap();
    let blocks = |structure: &Structure| structure.stored().unwrap().iter().collect::<Vec<_>>();
    // Never more than were there.
    assert_eq!(blocks(&plain.with_blocks([[0, 0], [0, 1]]).unwrap().with_sparsity(&diagonal).unwrap()), [[0, 0]]);
    let symmetric = plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap().with_blocks([[0, 1]]).unwrap();
    let below = Sparsity::elements(&shape, [[1, 0], [1, 1]]).unwrap();
    assert_eq!(blocks(&symmetric.with_sparsity(&below).unwrap()), [[0, 1]]);
    // Nor blocks of another charge, in either order, nor off a diagonal.
    let spin = cut.clone().charged([-1, 1]).unwrap();
    let charged = Structure::new([&spin, &spin]);
    let all = Sparsity::zero_elements(&shape, [[0, 0]]).unwrap();
    let expected = charged.with_sparsity(&all).unwrap().flow([1, -1], [0]).unwrap();
    assert_eq!(charged.flow([1, -1], [0]).unwrap().with_sparsity(&all).unwrap(), expected);
    assert_eq!(blocks(&plain.tied([0, 1]).unwrap().with_sparsity(&all).unwrap()), [[1, 1]]);
}

#[test]
fn sparsity_without_indices() {
    let (none, empty) = (Shape::new([0, 2]), Tiling::cuts([0]));
    let structure = Structure::new([&empty, &Tiling::whole(2)]);
    for sparsity in [
        Sparsity::zero_elements(&none, [[0usize; 2]; 0]).unwrap(),
        Sparsity::zero_blocks(&none, []).unwrap(),
        Sparsity::blocks(&none, [&none]).unwrap(),
    ] {
        assert!(structure.with_sparsity(&sparsity).unwrap().stored().unwrap().is_empty(), "{sparsity:?}");
        assert_eq!(sparsity.fraction(), 0.0);
    }
    assert_eq!(Sparsity::zero_elements(&Shape::new([]), [[0usize; 0]; 1]).unwrap().fraction(), 0.0);
    assert_eq!(Sparsity::zero_elements(&Shape::new([]), [[0usize; 0]; 0]).unwrap().fraction(), 1.0);
}

#[test]
fn what_is_around_many_elements() {
    let shape = Shape::new([40, 50, 20]);
    let zeros: Vec<[usize; 3]> = (0..20_000).map(|n| n * 7919 % 40_000).map(|n| [n / 1000, n / 20 % 50, n % 20]).collect();
    let sparsity = Sparsity::zero_elements(&shape, &zeros).unwrap();
    let is_zero = |index: &[usize]| sparsity.is_zero(&Shape::new([1; 3]).with_origin(index).unwrap()).unwrap();
    let distinct: std::collections::BTreeSet<[usize; 3]> = zeros.iter().copied().collect();
    assert!((sparsity.fraction() - 1.0 + distinct.len() as f64 / 40_000.0).abs() < 1e-12);
    for index in shape.indices().step_by(97) {
        assert_eq!(is_zero(&index), distinct.contains(&[index[0], index[1], index[2]]), "{index:?}");
    }
}

/// What a value is hashed to.
fn hashed(value: &impl std::hash::Hash) -> u64 {
    std::hash::BuildHasher::hash_one(&std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::new(), value)
}

#[test]
fn equal_structures_have_equal_hashes() {
    let cut = Tiling::cuts([2, 3]);
    let plain = Structure::new([&cut, &cut]);
    // All blocks, said in two ways.
    let given = plain.with_blocks([[1, 1], [0, 1], [0, 0], [1, 0]]).unwrap();
    assert!(given == plain && hashed(&given) == hashed(&plain));
    let others = [
        plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap(),
        plain.with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap(),
        plain.nested([1, 1]).unwrap(),
        plain.tied([0, 1]).unwrap(),
        plain.with_ragged([(1, vec![0])]).unwrap(),
        Structure::new([&cut]),
        plain.equal_blocks([[0, 1], [0, 1]]).unwrap(),
    ];
    for (n, other) in others.iter().enumerate().take(6) {
        assert!(*other != plain && hashed(other) != hashed(&plain), "{n}");
        assert!(others[..n].iter().all(|before| hashed(before) != hashed(other)), "{n}");
    }
    assert!(others[6] == plain && hashed(&others[6]) == hashed(&plain));
    let (few, same) = (plain.with_blocks([[0, 1]]).unwrap(), plain.with_blocks([[0, 1], [0, 1]]).unwrap());
    assert!(few == same && few != plain && few.stored() == same.stored());
    assert_eq!((hashed(&few), hashed(few.stored().unwrap())), (hashed(&same), hashed(same.stored().unwrap())));
}

#[test]
fn sparsity_is_what_it_says_and_not_how() {
    let shape = Shape::new([4, 4]);
    let part = |extents: [usize; 2], origin: [usize; 2]| Shape::new(extents).with_origin(origin).unwrap();
    let rows = Sparsity::blocks(&shape, &[part([1, 4], [0, 0]), part([1, 4], [1, 0])]).unwrap();
    let columns = Sparsity::blocks(&shape, &[part([2, 2], [0, 2]), part([2, 3], [0, 0])]).unwrap();
    let elements = Sparsity::elements(&shape, (0..8).map(|n| [n / 4, n % 4])).unwrap();
    for other in [&columns, &elements] {
        assert_eq!((&rows, hashed(&rows)), (other, hashed(other)));
        assert_eq!(*other, rows);
    }
    // As many elements, but others.
    let below = Sparsity::blocks(&shape, &[part([2, 4], [1, 0])]).unwrap();
    assert_ne!(rows, below);
    assert_ne!(below, rows);
    assert_ne!(elements, below);
    let some = Sparsity::elements(&shape, [[0, 0], [1, 1]]).unwrap();
    assert!(some == Sparsity::elements(&shape, [[1, 1], [0, 0]]).unwrap());
    assert!(some != Sparsity::elements(&shape, [[0, 0], [1, 2]]).unwrap() && some != rows);
    assert!(some != Sparsity::elements(&Shape::new([4, 5]), [[0, 0], [1, 1]]).unwrap());
    // Blocks that have one of them, of axes that are cut so; other axes cannot be.
    let halves = Tiling::cuts([1, 0, 3]);
    let blocked = some.blocked(&[&halves, &halves]).unwrap();
    assert_eq!(blocked, Sparsity::blocks(&shape, &[part([1, 1], [0, 0]), part([3, 3], [1, 1])]).unwrap());
    assert!(some.blocked(&[&halves, &Tiling::whole(5)]).is_err());
    for index in &shape {
        assert_eq!(blocked.is_zero_at(&index), Ok((index[0] == 0) != (index[1] == 0)), "{index:?}");
    }
    assert!(some.is_zero_at([4, 0]).is_err() && some.is_zero_at([0]).is_err());
}
