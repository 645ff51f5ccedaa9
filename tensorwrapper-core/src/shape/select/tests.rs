//! Slices and chips: which part they are, and what is refused.

use rand::SeedableRng as _;
use rand::rngs::StdRng;

use crate::error::{Error, ErrorKind};
use crate::shape::Shape;
use crate::shape::tests::random;

fn sentence(result: Result<Shape, Error>) -> String {
    result.unwrap_err().to_string()
}

fn at(extents: impl AsRef<[usize]>, origin: impl AsRef<[usize]>) -> Shape {
    Shape::new(extents).with_origin(origin).unwrap()
}

#[test]
fn parts_begin_at_their_first_index() {
    let s = Shape::new([10, 20]);
    assert_eq!(s.slice([2, 5], [4, 9]).unwrap(), at([2, 4], [2, 5]));
    assert_eq!(s.slice_at([2]).unwrap(), at([1, 20], [2, 0]));
    assert_eq!(s.slice_at([2, 3]).unwrap(), at([1, 1], [2, 3]));
    assert_eq!(s.slice_at([]).unwrap(), s);
    assert_eq!(s.chip([2, 5], [3, 9]).unwrap(), at([4], [5]));
    assert_eq!(s.chip([2, 5], [4, 6]).unwrap(), at([2], [2]));
    assert_eq!(s.chip_at([2]).unwrap(), Shape::new([20]));
    assert_eq!(s.chip_at([2, 3]).unwrap(), Shape::new([]));
    assert_eq!(s.chip_at([]).unwrap(), s);
    let moved = at([10, 20], [100, 200]);
    assert_eq!(moved.slice([102, 205], [104, 209]).unwrap(), at([2, 4], [102, 205]));
    assert_eq!(moved.chip_at([102]).unwrap(), at([20], [200]));
}

/// A range of one index is chipped off, an axis that happens to have one index and is not pinned stays.
#[test]
fn what_chips_away() {
    let s = Shape::new([1, 20]);
    assert_eq!(s.chip([0, 0], [1, 20]).unwrap(), Shape::new([20]));
    assert_eq!(Shape::new([20, 1]).chip_at([3]).unwrap(), Shape::new([1]));
    assert_eq!(s.chip([0, 4], [0, 4]).unwrap(), at([0, 0], [0, 4]));
}

#[test]
fn parts_of_nothing() {
    assert_eq!(Shape::new([]).slice([], []).unwrap(), Shape::new([]));
    assert_eq!(Shape::new([]).chip_at([]).unwrap(), Shape::new([]));
    assert_eq!(Shape::null().slice([], []).unwrap(), Shape::null());
    assert_eq!(Shape::null().chip_at([]).unwrap(), Shape::null());
    assert_eq!(Shape::new([0, 3]).slice([0, 1], [0, 3]).unwrap(), at([0, 2], [0, 1]));
    assert_eq!(Shape::new([4]).slice([4], [4]).unwrap(), at([0], [4]));
    assert!(Shape::new([0, 3]).slice_at([0]).is_err());
}

#[test]
fn bounds_are_named() {
    let s = Shape::new([10, 20]);
    assert_eq!(sentence(s.slice_at([10])), "index 10 is out of range for axis 0 of `Shape[10, 20]`, which has extent 10");
    assert_eq!(sentence(s.chip_at([0, 20])), "index 20 is out of range for axis 1 of `Shape[10, 20]`, which has extent 20");
    let out = s.slice([0, 15], [10, 21]);
    assert!(matches!(out.as_ref().unwrap_err().kind(), ErrorKind::Bounds { place, .. } if place.axis == 1 && place.extent == 20));
    assert_eq!(sentence(out), "range 15..21 is out of range for axis 1 of `Shape[10, 20]`, which has extent 20");
    assert_eq!(sentence(s.chip([0, 5], [3, 4])), "the range 5..4 on axis 1 of `Shape[10, 20]` ends before it begins");
    assert_eq!(sentence(s.slice([0], [10, 20])), "`Shape[10, 20]` has rank 2 but 1 index is given");
    assert_eq!(sentence(s.slice([0, 0], [1, 2, 3])), "`Shape[10, 20]` has rank 2 but 3 indices are given");
    assert_eq!(sentence(s.chip_at([1, 2, 3])), "`Shape[10, 20]` has rank 2 but 3 indices are given");
    let moved = at([2, 3], [10, 10]);
    let message =
        "index 3 is out of range for axis 0 of `Shape[2, 3]+[10, 10]`, which has extent 2\nhelp: its indices are 10..12";
    assert_eq!(sentence(moved.chip_at([3])), message);
    assert!(moved.slice([9, 10], [11, 11]).is_err() && moved.slice([10, 10], [13, 11]).is_err());
    assert!(s.slice([usize::MAX, 0], [usize::MAX, 0]).is_err());
}

#[test]
fn a_part_of_a_part_is_a_part() {
    let mut rng = StdRng::seed_from_u64(41);
    for case in 0..random::SHAPES {
        let whole = random::shape(&mut rng);
        let (begin, end) = random::part(&mut rng, &whole);
        let part = whole.slice(&begin, &end).unwrap();
        let (begin, end) = random::part(&mut rng, &part);
        let inner = part.slice(&begin, &end).unwrap();
        assert_eq!(inner, whole.slice(&begin, &end).unwrap(), "case {case}: {whole:?}, {begin:?} to {end:?}");
        assert_eq!(inner.rank(), whole.rank());
        let chip = part.chip(&begin, &end).unwrap();
        assert_eq!(chip.size().unwrap(), inner.size().unwrap(), "case {case}: what is chipped off has one index");
    }
}

#[test]
fn pins_are_ranges_of_one_index() {
    let mut rng = StdRng::seed_from_u64(42);
    for case in 0..random::SHAPES {
        let whole = random::shape(&mut rng);
        for index in random::by_counting(&whole).iter().take(5) {
            for pinned in 0..=whole.rank() {
                let mut begin = whole.origin().to_vec();
                let mut end: Vec<usize> = begin.iter().zip(whole.extents()).map(|(first, extent)| first + extent).collect();
                for axis in 0..pinned {
                    (begin[axis], end[axis]) = (index[axis], index[axis] + 1);
                }
                let slice = whole.slice_at(&index[..pinned]).unwrap();
                assert_eq!(slice, whole.slice(&begin, &end).unwrap(), "case {case}");
                let chip = whole.chip_at(&index[..pinned]).unwrap();
                assert_eq!(
                    (chip.extents(), chip.origin()),
                    (&slice.extents()[pinned..], &slice.origin()[pinned..]),
                    "case {case}"
                );
            }
        }
    }
}
