//! Selections: there and back again, and what is refused.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::Mask;
use crate::error::ErrorKind;
use crate::shape::tests::random;
use crate::shape::{MultiIndex, Shape};

/// Some indices of each axis, in any order.
fn selection(rng: &mut StdRng, shape: &Shape) -> Vec<Vec<usize>> {
    let mut some = |first: usize, extent: usize| {
        let mut left: Vec<usize> = (first..first + extent).collect();
        let wanted = rng.random_range(0..=extent);
        (0..wanted).map(|_| left.swap_remove(rng.random_range(0..left.len()))).collect()
    };
    shape.origin().iter().zip(shape.extents()).map(|(&first, &extent)| some(first, extent)).collect()
}

#[test]
fn there_and_back_again() {
    let mut rng = StdRng::seed_from_u64(46);
    for case in 0..random::SHAPES {
        let whole = random::shape(&mut rng);
        let lists = selection(&mut rng, &whole);
        let mask = Mask::new(&whole, lists.clone()).unwrap();
        assert_eq!(mask.shape().extents(), lists.iter().map(Vec::len).collect::<Vec<_>>());
        let mut originals = HashSet::new();
        for index in mask.shape() {
            let original = mask.original(&index).unwrap();
            let expected: Vec<usize> = lists.iter().zip(&*index).map(|(list, &at)| list[at]).collect();
            assert_eq!(original[..], expected, "case {case}");
            assert_eq!(mask.locate(&original).unwrap(), Some(index), "case {case}");
            assert!(originals.insert(original), "case {case}: two indices have one original");
        }
        assert_eq!(mask.indices().collect::<HashSet<MultiIndex>>(), originals, "case {case}");
        let located = whole.indices().filter(|index| mask.locate(index).unwrap().is_some());
        assert_eq!(located.collect::<HashSet<MultiIndex>>(), originals, "case {case}");
        let ordered: Vec<MultiIndex> = mask.shape().indices().map(|index| mask.original(index).unwrap()).collect();
        assert_eq!(mask.indices().collect::<Vec<_>>(), ordered, "case {case}");
    }
}

#[test]
fn whole_and_empty_selections() {
    let null = Mask::new(&Shape::null(), Vec::<Vec<usize>>::new()).unwrap();
    assert_eq!((null.shape(), null.indices().count()), (&Shape::null(), 0));
    let scalar = Mask::new(&Shape::new([]), Vec::<Vec<usize>>::new()).unwrap();
    assert_eq!((scalar.shape(), scalar.original([]).unwrap().len(), scalar.indices().count()), (&Shape::new([]), 0, 1));
    let none = Mask::new(&Shape::new([3, 4]), [vec![], vec![1]]).unwrap();
    assert_eq!((none.rank(), none.shape(), none.indices().count()), (2, &Shape::new([0, 1]), 0));
    assert_eq!((none.whole(), none.selected(1), none.selected(2)), (&Shape::new([3, 4]), Some(&[1][..]), None));
}

#[test]
fn bad_selections_are_named() {
    let whole = Shape::new([2, 20]).with_origin([5, 0]).unwrap();
    let sentence = |lists: &[&[usize]]| Mask::new(&whole, lists.iter().copied()).unwrap_err().to_string();
    assert_eq!(sentence(&[&[5]]), "`Shape[2, 20]+[5, 0]` has rank 2 but 1 index is given");
    assert_eq!(
        sentence(&[&[5, 7], &[0]]),
        "index 7 is out of range for axis 0 of `Shape[2, 20]+[5, 0]`, which has extent 2\nhelp: its indices are 5..7"
    );
    assert_eq!(sentence(&[&[6], &[3, 8, 3]]), "index 3 of axis 1 of `Shape[2, 20]+[5, 0]` is selected twice, at 0 and at 2");
    let mask = Mask::new(&whole, [[6, 5], [0, 1]]).unwrap();
    assert!(matches!(mask.original([2, 0]).unwrap_err().kind(), ErrorKind::Bounds { place, .. } if place.axis == 0));
    assert!(matches!(mask.original([0]).unwrap_err().kind(), ErrorKind::Rank { .. }));
    assert!(matches!(mask.locate([4, 0]).unwrap_err().kind(), ErrorKind::Bounds { .. }));
    assert!(matches!(mask.locate([5]).unwrap_err().kind(), ErrorKind::Rank { .. }));
    assert_eq!(mask.locate([5, 2]).unwrap(), None);
}
