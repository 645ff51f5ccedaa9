//! Every way of walking a shape against counting.

use std::sync::Mutex;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use super::{Indices, MultiIndex};
use crate::error::ErrorKind;
use crate::shape::Shape;
use crate::shape::tests::random;

fn all(indices: Indices) -> Vec<Vec<usize>> {
    indices.map(|index| index.to_vec()).collect()
}

/// A `for` loop, which asks for one after another where `collect` may fold.
fn one_by_one(mut indices: Indices) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    for index in indices.by_ref() {
        found.push(index.to_vec());
    }
    assert!(indices.next().is_none() && indices.size_hint() == (0, Some(0)));
    found
}

fn visited(indices: Indices) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    indices.visit(|index| found.push(index.to_vec()));
    found
}

fn folded(indices: Indices) -> Vec<Vec<usize>> {
    indices.fold(Vec::new(), |mut found, index| {
        found.push(index.to_vec());
        found
    })
}

fn arrays<const R: usize>(indices: Indices) -> Vec<Vec<usize>> {
    let fixed = indices.of_rank::<R>().unwrap();
    let (hint, mut singly) = (fixed.size_hint(), Vec::new());
    for index in fixed.clone() {
        singly.push(index.to_vec());
    }
    let folded = fixed.fold(Vec::new(), |found, index| [found, vec![index.to_vec()]].concat());
    assert_eq!((singly.len(), hint), (folded.len(), (singly.len(), Some(singly.len()))));
    assert_eq!(singly, folded);
    singly
}

/// What all ways agree on.
fn every_way(indices: &Indices) -> Vec<Vec<usize>> {
    let found = all(indices.clone());
    let hint = indices.size_hint();
    assert_eq!(hint, (found.len(), Some(found.len())));
    assert_eq!(one_by_one(indices.clone()), found);
    assert_eq!(visited(indices.clone()), found);
    assert_eq!(folded(indices.clone()), found);
    let fixed = match indices.rank() {
        0 => arrays::<0>(indices.clone()),
        1 => arrays::<1>(indices.clone()),
        2 => arrays::<2>(indices.clone()),
        3 => arrays::<3>(indices.clone()),
        4 => arrays::<4>(indices.clone()),
        _ => found.clone(),
    };
    assert_eq!(fixed, found);
    let together = Mutex::new(Vec::new());
    indices.clone().par_visit(|index| together.lock().unwrap().push(index.to_vec()));
    let mut together = together.into_inner().unwrap();
    together.sort();
    assert_eq!(together, found, "threads visit the same set");
    found
}

#[test]
fn every_way_counts_the_same() {
    let mut rng = StdRng::seed_from_u64(43);
    for case in 0..random::SHAPES {
        let shape = random::shape(&mut rng);
        let found = every_way(&shape.indices());
        assert_eq!(found, random::by_counting(&shape), "case {case}: {shape:?}");
        assert_eq!(found.len(), shape.size().unwrap());
        assert!(found.is_sorted_by(|a, b| a < b), "case {case}: lexicographic");
        let offsets = every_way(&shape.offsets());
        let moved: Vec<Vec<usize>> =
            offsets.iter().map(|offset| offset.iter().zip(shape.origin()).map(|(x, first)| x + first).collect()).collect();
        assert_eq!(found, moved, "case {case}: an index is its offset from the origin");
    }
}

#[test]
fn base_count_and_step_are_a_filter() {
    let mut rng = StdRng::seed_from_u64(44);
    for case in 0..random::SHAPES {
        let shape = random::shape(&mut rng);
        let (base, end) = random::part(&mut rng, &shape);
        let count: Vec<usize> = base.iter().zip(&end).map(|(base, end)| end - base).collect();
        let step: Vec<usize> = base.iter().map(|_| rng.random_range(1..4)).collect();
        let inside = |index: &Vec<usize>| {
            (0..shape.rank()).all(|n| (base[n]..end[n]).contains(&index[n]) && (index[n] - base[n]).is_multiple_of(step[n]))
        };
        let expected: Vec<Vec<usize>> = random::by_counting(&shape).into_iter().filter(inside).collect();
        let within = shape.indices_within(&base, &count, &step).unwrap();
        assert_eq!(every_way(&within), expected, "case {case}: {shape:?} {base:?} {count:?} {step:?}");
        let from_zero: Vec<usize> = base.iter().zip(shape.origin()).map(|(base, first)| base - first).collect();
        let offsets = all(shape.offsets_within(&from_zero, &count, &step).unwrap());
        let moved: Vec<Vec<usize>> =
            expected.iter().map(|index| index.iter().zip(shape.origin()).map(|(x, first)| x - first).collect()).collect();
        assert_eq!(offsets, moved, "case {case}");
    }
}

/// Whatever has been taken already, two parts are the rest, in order.
#[test]
fn parts_are_the_rest() {
    let mut rng = StdRng::seed_from_u64(45);
    for case in 0..random::SHAPES {
        let shape = random::shape(&mut rng);
        let (base, end) = random::part(&mut rng, &shape);
        let count: Vec<usize> = base.iter().zip(&end).map(|(base, end)| end - base).collect();
        let step: Vec<usize> = base.iter().map(|_| rng.random_range(1..3)).collect();
        let mut indices = shape.indices_within(&base, &count, &step).unwrap();
        for _ in 0..rng.random_range(0..6) {
            let _ = indices.next();
        }
        let rest = every_way(&indices);
        let (first, second) = indices.split();
        assert_eq!(second.is_some(), rest.len() > 1, "case {case}");
        let mut parts = every_way(&first);
        assert!(second.is_none() || !parts.is_empty());
        parts.extend(second.iter().flat_map(every_way));
        assert_eq!(parts, rest, "case {case}: {shape:?}");
    }
}

#[test]
fn nothing_and_a_scalar() {
    assert_eq!(all(Shape::null().indices()).len(), 0);
    assert_eq!(all(Shape::null().indices_within([], [], []).unwrap()).len(), 0);
    assert_eq!(all(Shape::new([]).indices()), [Vec::<usize>::new()]);
    assert_eq!(all(Shape::new([3, 0]).indices()).len(), 0);
    assert_eq!(all(Shape::new([3, 3]).indices_within([0, 3], [3, 0], [1, 1]).unwrap()).len(), 0);
    assert_eq!(Shape::null().indices().of_rank::<0>().unwrap().count(), 0);
}

#[test]
fn ranks_beyond_what_is_inline() {
    let shape = Shape::new([2; 10]);
    let found = every_way(&shape.indices());
    assert_eq!(found, random::by_counting(&shape));
    assert_eq!(shape.indices().of_rank::<10>().unwrap().last().unwrap(), [1; 10]);
}

/// Nobody walks them, but asking for the first ones is no mistake.
#[test]
fn more_indices_than_numbers() {
    let shape = Shape::new([usize::MAX, usize::MAX]);
    let mut indices = shape.indices();
    assert_eq!(indices.size_hint(), (usize::MAX, None));
    assert_eq!(indices.next().unwrap(), [0, 0]);
    assert_eq!(indices.next().unwrap(), [0, 1]);
    let (first, second) = indices.split();
    assert_eq!((first.size_hint().1, second.unwrap().next().unwrap()[0]), (None, usize::MAX / 2));
    let end = Shape::new([1]).with_origin([usize::MAX - 1]).unwrap();
    assert_eq!(all(end.indices()), [[usize::MAX - 1]]);
    assert_eq!(Shape::new([usize::MAX]).indices().size_hint(), (usize::MAX, Some(usize::MAX)));
    let sparse = Shape::new([usize::MAX]).indices_within([1], [usize::MAX - 1], [usize::MAX]).unwrap();
    assert_eq!(all(sparse), [[1]]);
}

#[test]
fn ways_that_leave_the_shape() {
    let shape = Shape::new([4, 6]).with_origin([10, 0]).unwrap();
    let sentence = |base: [usize; 2], count: [usize; 2], step: [usize; 2]| {
        shape.indices_within(base, count, step).unwrap_err().to_string().lines().next().unwrap().to_string()
    };
    let axis = |index: &str, axis, extent| {
        format!("range {index} is out of range for axis {axis} of `Shape[4, 6]+[10, 0]`, which has extent {extent}")
    };
    assert_eq!(sentence([9, 0], [1, 1], [1, 1]), axis("9..10", 0, 4));
    assert_eq!(sentence([10, 0], [4, 7], [1, 1]), axis("0..7", 1, 6));
    assert_eq!(sentence([10, 1], [4, usize::MAX], [1, 1]), axis(&format!("1..1 + {}", usize::MAX), 1, 6));
    assert_eq!(sentence([10, 0], [4, 6], [1, 0]), "a step of 0 along axis 1 goes nowhere");
    let few = shape.indices_within([10, 0], [4], [1, 1]).unwrap_err();
    assert!(matches!(few.kind(), ErrorKind::Rank { rank: 2, given: 1, .. }));
    let wide = Shape::new([usize::MAX]);
    assert!(wide.indices_within([1], [usize::MAX], [1]).is_err());
    let error = shape.indices().of_rank::<3>().unwrap_err();
    assert_eq!(error.to_string(), "indices of rank 2 are not arrays of 3");
}

#[test]
fn an_index_is_a_list() {
    let index = Shape::new([2, 3]).indices().nth(4).unwrap();
    assert_eq!(index, [1, 1]);
    assert_eq!((index.len(), index[0], format!("{index:?}")), (2, 1, "[1, 1]".to_string()));
    assert_eq!(index, MultiIndex::from([1, 1]));
    let (later, longer) = (MultiIndex::from([2, 0]), MultiIndex::from([1; 9]));
    assert!(index < later && index < longer && longer < later, "lexicographic, whatever the rank");
    assert_eq!((longer.len(), &longer), (9, &[1; 9].into()));
    assert_ne!(index, [1, 1, 0]);
}
