//! Groups, canonical indices and counts of unique elements.

use super::{Sign, SignedPermutation, Symmetry};
use crate::shape::Shape;

fn groups() -> Vec<Symmetry> {
    let none = Symmetry::none;
    vec![
        none(0),
        none(3),
        none(2).symmetric([0, 1]).unwrap(),
        none(3).antisymmetric([0, 1, 2]).unwrap(),
        none(4).symmetric([0, 2]).unwrap().antisymmetric([1, 3]).unwrap(),
        none(4).exchange(&[0, 1], &[2, 3], Sign::Minus).unwrap(),
        none(2).hermitian(0, 1).unwrap(),
        none(2).generator(&[1, 0], Sign::Minus, true).unwrap(),
        none(3).generator(&[1, 2, 0], Sign::Plus, false).unwrap(),
        none(4).hermitian(0, 1).unwrap().antisymmetric([2, 3]).unwrap(),
        none(4).hermitian(0, 1).unwrap().exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap(),
    ]
}

#[test]
fn a_group_is_closed_and_has_inverses() {
    for group in groups() {
        for a in group.elements() {
            assert!(group.contains(&a.inverse()), "{group:?} lacks the inverse of {a:?}");
            assert!(group.elements().iter().all(|b| group.contains(&a.then(b))), "{group:?} is not closed");
            assert_eq!(a.then(&a.inverse()).axes().collect::<Vec<_>>(), (0..group.rank()).collect::<Vec<_>>());
        }
    }
}

#[test]
fn unique_elements_are_counted_as_they_are_found() {
    for group in groups() {
        for extent in 0..4 {
            let shape = Shape::new(vec![extent; group.rank()]);
            let found = shape.indices().filter(|index| group.is_unique(index).unwrap()).count();
            assert_eq!(group.unique_count(shape.extents()).unwrap(), found, "{group:?} of extent {extent}");
        }
    }
}

#[test]
fn the_canonical_index_is_the_same_for_all_that_follow_from_it() {
    for group in groups() {
        for index in Shape::new(vec![3; group.rank()]).indices() {
            let (canonical, element) = group.canonical(&index);
            assert_eq!(element.image(&index), canonical);
            assert_eq!(group.canonical(&canonical).0, canonical);
            for other in group.elements() {
                let image = other.image(&index);
                assert_eq!(other.preimage(&image)[..], index[..]);
                assert_eq!(group.canonical(&image).0, canonical);
            }
        }
    }
}

#[test]
fn mistakes_are_told() {
    // One axis has nothing to change places with, nor has none.
    assert!(Symmetry::none(2).antisymmetric([1]).is_ok_and(|none| none.is_none()));
    assert!(Symmetry::none(2).symmetric([]).is_ok_and(|none| none.is_none()));
    let told = |result: Result<Symmetry, crate::Error>| result.unwrap_err().to_string();
    let none = Symmetry::none(3);
    assert_eq!(told(none.symmetric([0, 3])), "there is no axis 3 among 3");
    assert_eq!(told(none.symmetric([1, 1])), "axis 1 cannot change places with itself");
    assert_eq!(told(none.exchange(&[0], &[1, 2], Sign::Plus)), "1 axis cannot change places with 2");
    assert_eq!(told(none.generator(&[0, 0, 1], Sign::Plus, false)), "[0, 0, 1] is no permutation of 3 axes");
    assert_eq!(told(none.generator(&[0, 1], Sign::Plus, false)), "a symmetry of 3 axes cannot have a permutation of 2");
    let zero = "these symmetries make every element zero: axes 0, 1, 2 have sign + and sign -";
    assert_eq!(told(none.generator(&[0, 1, 2], Sign::Minus, false)), zero);
    let many = "the symmetries generate a group of more than 40320 permutations";
    assert_eq!(told(Symmetry::none(9).symmetric([0, 1, 2, 3, 4, 5, 6, 7, 8])), many);
    let extents = none.symmetric([0, 1]).unwrap().unique_count(&[2, 3, 4]).unwrap_err();
    assert_eq!(extents.to_string(), "axes 0 and 1 cannot be exchanged: their extents are 2 and 3");
}

#[test]
fn a_group_is_extended_by_what_it_lacks() {
    let exchange = |first, second| SignedPermutation::exchange(9, &[first], &[second], Sign::Plus).unwrap();
    let mut group = Symmetry::none(9);
    group.extend_by([SignedPermutation::identity(9), exchange(0, 1), exchange(1, 0), exchange(1, 2), exchange(0, 2)]).unwrap();
    assert_eq!((group.order(), group.generators()), (6, &[exchange(0, 1), exchange(1, 2)][..]));
    // What cannot be added leaves what came before it, and ends the list.
    let eight = Symmetry::none(9).symmetric([0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
    let all = (0..8).map(|n| exchange(n, n + 1));
    assert!(group.extend_by(all.chain([exchange(0, 8)])).unwrap_err().to_string().contains("more than 40320"));
    assert_eq!(group, eight);
    let mut odd = Symmetry::none(2).antisymmetric([0, 1]).unwrap();
    let before = odd.clone();
    let both = [SignedPermutation::exchange(2, &[0], &[1], Sign::Plus).unwrap(), SignedPermutation::identity(2).conjugating()];
    assert!(odd.extend_by(both).is_err());
    assert_eq!(odd, before);
}

#[test]
fn cycles_of_a_permutation() {
    let cycles = |axes: &[usize]| SignedPermutation::new(axes, Sign::Plus).unwrap().cycles().collect::<Vec<_>>();
    assert_eq!(cycles(&[0, 1, 2]), [0, 1, 2]);
    assert_eq!(cycles(&[1, 2, 0, 3]), [0, 3]);
    assert_eq!(cycles(&[1, 0, 3, 2]), [0, 2]);
}

#[test]
fn groups_are_read_as_they_are_written() {
    let pairs = Symmetry::none(4).antisymmetric([0, 1]).unwrap().exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap();
    let conjugating = Symmetry::none(2).generator(&[0, 1], Sign::Minus, true).unwrap().hermitian(0, 1).unwrap();
    let large = Symmetry::none(7).antisymmetric([0, 1, 2, 3, 4, 5, 6]).unwrap();
    for group in [pairs.clone(), conjugating, large, Symmetry::none(0), Symmetry::none(3)] {
        assert_eq!(group.to_string().parse().as_ref(), Ok(&group));
    }
    // The same group, from other generators.
    let other = Symmetry::none(4).exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap().antisymmetric([2, 3]).unwrap();
    assert_eq!(other.to_string(), pairs.to_string());
    let told = |text: &str| text.parse::<Symmetry>().unwrap_err().to_string();
    assert_eq!(told("[]"), "a symmetry needs a permutation, which says how many axes there are (at byte 0)");
    assert_eq!(told("[(1, 0)]"), "expected `+` or `-`, found `(` (at byte 1)");
    assert_eq!(told("[+(1, 0), +(0)]"), "a symmetry of 2 axes cannot have a permutation of 1 (at byte 0)");
    assert!(told("[+(1, 0), -(1, 0)]").starts_with("these symmetries make every element zero"));
}

/// More axes than 16 bits can count: a group of theirs is not taken for that of fewer.
#[test]
fn very_many_axes_keep_their_number() {
    let rank = (1 << 16) + 2;
    let none = Symmetry::none(rank);
    assert_eq!((none.elements()[0].rank(), none.elements()[0].axis(rank - 1)), (rank, rank - 1));
    let ends = none.exchange(&[0], &[rank - 1], Sign::Minus).unwrap();
    let index: Vec<usize> = (0..rank).collect();
    let (canonical, by) = ends.canonical(&index.iter().rev().copied().collect::<Vec<_>>());
    assert_eq!((canonical[0], canonical[rank - 1], by.sign()), (0, rank - 1, Sign::Minus));
    assert!(SignedPermutation::new(&index[1..], Sign::Plus).is_err());
}

#[test]
#[should_panic(expected = "both permute the same axes")]
fn permutations_of_other_ranks_are_not_composed() {
    let _ = SignedPermutation::identity(3).then(&SignedPermutation::identity(2));
}
