//! Jagged shapes: which indices they have, their parts against lists of indices, and what is refused.

use std::collections::HashSet;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

use crate::error::{Error, ErrorKind};
use crate::shape::tests::random;
use crate::shape::{JaggedShape, Shape};

fn vectors(extents: impl IntoIterator<Item = usize>) -> JaggedShape {
    JaggedShape::rows(extents.into_iter().map(|extent| Shape::new([extent]))).unwrap()
}

fn at(extents: impl AsRef<[usize]>, origin: impl AsRef<[usize]>) -> Shape {
    Shape::new(extents).with_origin(origin).unwrap()
}

fn sentence(result: Result<JaggedShape, Error>) -> String {
    result.unwrap_err().to_string()
}

/// A shape of the given rank, with rows within rows at random; one in four is smooth.
fn jagged(rng: &mut StdRng, rank: usize) -> JaggedShape {
    let mut few = |n: usize| -> Vec<usize> { (0..n).map(|_| rng.random_range(0..4)).collect() };
    let (rows, first) = (few(1)[0], few(1)[0]);
    if rank == 0 || rows == 0 {
        return at(few(rank), few(rank)).into();
    }
    let rows: Vec<JaggedShape> = (0..rows).map(|_| jagged(rng, rank - 1)).collect();
    JaggedShape::of(rows).unwrap().with_origin([first]).unwrap()
}

fn cases(seed: u64) -> impl Iterator<Item = (JaggedShape, StdRng)> {
    let mut rng = StdRng::seed_from_u64(seed);
    (0..random::SHAPES).map(move |case| (jagged(&mut rng, case as usize % 5), StdRng::seed_from_u64(seed ^ (case << 8))))
}

fn indices(shape: &JaggedShape) -> Vec<Vec<usize>> {
    shape.indices().map(|index| index.to_vec()).collect()
}

/// The indices of a box, in order.
fn inside(indices: &[Vec<usize>], begin: &[usize], end: &[usize]) -> Vec<Vec<usize>> {
    let in_box = |index: &&Vec<usize>| index.iter().zip(begin.iter().zip(end)).all(|(i, (begin, end))| (begin..end).contains(&i));
    indices.iter().filter(in_box).cloned().collect()
}

#[test]
fn indices_are_in_order_and_as_many_as_the_size() {
    for (shape, _) in cases(51) {
        let all = indices(&shape);
        assert_eq!(all.len(), shape.size().unwrap(), "{shape:?}");
        assert!(all.is_sorted() && all.windows(2).all(|pair| pair[0] != pair[1]), "{shape:?}");
        assert_eq!(all.is_empty(), shape.is_empty(), "{shape:?}");
        assert_eq!(shape.offsets().count(), all.len(), "{shape:?}");
        let boxed: Vec<_> = shape.boxes().flat_map(|part| random::by_counting(&part)).collect();
        assert_eq!(boxed, all, "{shape:?}");
        // What is padding is what is not found.
        let found: Vec<_> = random::by_counting(shape.padded()).into_iter().filter(|index| shape.contains(index)).collect();
        assert_eq!(found, all, "{shape:?}");
        for axes in 0..=shape.rank() {
            let leading: HashSet<_> = all.iter().map(|index| &index[..axes]).collect();
            assert!(shape.size_of_leading(axes).unwrap() >= leading.len(), "{shape:?}");
        }
    }
}

#[test]
fn slices_are_the_indices_in_a_box() {
    for (shape, mut rng) in cases(52) {
        let (begin, end) = random::part(&mut rng, shape.padded());
        let part = shape.slice(&begin, &end).unwrap();
        assert_eq!(part.rank(), shape.rank());
        assert_eq!(indices(&part), inside(&indices(&shape), &begin, &end), "{shape:?}, {begin:?} to {end:?}");
        let (begin, end) = random::part(&mut rng, part.padded());
        if begin.iter().zip(&end).all(|(begin, end)| begin < end) {
            let inner = part.slice(&begin, &end).unwrap();
            assert_eq!(indices(&inner), inside(&indices(&shape), &begin, &end), "{shape:?}, {begin:?} to {end:?}");
        }
        let (begin, extents) = (shape.padded().origin(), shape.padded().extents());
        let end: Vec<usize> = begin.iter().zip(extents).map(|(begin, extent)| begin + extent).collect();
        assert_eq!(shape.slice(begin, end).unwrap(), shape, "the whole is a part of itself");
    }
}

#[test]
fn chips_are_slices_without_axes() {
    for (shape, mut rng) in cases(53) {
        let (begin, mut end) = random::part(&mut rng, shape.padded());
        for axis in 0..shape.rank() {
            if begin[axis] < end[axis] && rng.random_bool(0.6) {
                end[axis] = begin[axis] + 1;
            }
        }
        let kept: Vec<usize> = (0..shape.rank()).filter(|&axis| end[axis] - begin[axis] != 1).collect();
        let slice = shape.slice(&begin, &end).unwrap();
        let expected: Vec<Vec<usize>> =
            indices(&slice).into_iter().map(|index| kept.iter().map(|&axis| index[axis]).collect()).collect();
        match shape.chip(&begin, &end) {
            Ok(chip) => {
                assert_eq!((chip.rank(), indices(&chip)), (kept.len(), expected), "{shape:?}, {begin:?} to {end:?}");
            }
            Err(error) if kept.is_empty() => assert!(expected.is_empty(), "{shape:?}: {error}"),
            Err(error) => {
                assert_eq!(kept.len(), 1, "{shape:?}: {error}");
                assert!(expected.windows(2).any(|pair| pair[0][0] + 1 < pair[1][0]), "{shape:?}: {error}");
            }
        }
    }
}

#[test]
fn rows_are_pinned_slices() {
    for (shape, _) in cases(54) {
        for index in indices(&shape).iter().take(5) {
            for pinned in 0..=shape.rank() {
                let (row, slice) = (shape.row(&index[..pinned]).unwrap(), shape.slice_at(&index[..pinned]).unwrap());
                assert_eq!(shape.chip_at(&index[..pinned]).unwrap(), row);
                let expected: Vec<_> = indices(&shape).into_iter().filter(|other| other[..pinned] == index[..pinned]).collect();
                assert_eq!(indices(&slice), expected, "{shape:?}");
                let rest: Vec<_> = expected.iter().map(|index| index[pinned..].to_vec()).collect();
                assert_eq!(indices(&row), rest, "{shape:?}");
            }
        }
    }
}

#[test]
fn a_shape_is_made_of_its_rows() {
    for (shape, _) in cases(55) {
        if shape.rank() == 0 || shape.padded().extents()[0] == 0 {
            continue;
        }
        let first = shape.padded().origin()[0];
        let rows = (first..first + shape.padded().extents()[0]).map(|row| shape.row([row]).unwrap());
        assert_eq!(JaggedShape::of(rows).unwrap().with_origin([first]).unwrap(), shape);
    }
}

#[test]
fn equal_rows_are_smooth() {
    assert_eq!(vectors([3, 3]), Shape::new([2, 3]).into());
    assert_eq!(JaggedShape::of([vectors([3, 3]), vectors([3, 3])]).unwrap().smooth(), Some(&Shape::new([2, 2, 3])));
    let shifted = JaggedShape::rows([at([3], [0]), at([3], [1])]).unwrap();
    assert_eq!((shifted.is_smooth(), shifted.extent(1).unwrap(), shifted.padded()), (false, Some(3), &Shape::new([2, 4])));
    assert_eq!(shifted.offsets().collect::<Vec<_>>(), Shape::new([2, 3]).indices().collect::<Vec<_>>());
    assert_eq!(JaggedShape::rows([]).unwrap(), Shape::new([0]).into());
    assert_eq!(JaggedShape::rows([Shape::new([]), Shape::new([])]).unwrap(), Shape::new([2]).into());
    assert_eq!(JaggedShape::null().size().unwrap(), 0);
    assert_eq!((JaggedShape::null().indices().count(), JaggedShape::null().contains([])), (0, false));
}

#[test]
fn extents_that_rows_have_in_common() {
    let matrices = JaggedShape::rows([Shape::new([10, 7]), Shape::new([30, 7])]).unwrap();
    let extents = [0, 1, 2, -1].map(|axis| matrices.extent(axis).unwrap());
    assert_eq!((extents, matrices.smooth_rank()), ([Some(2), None, Some(7), Some(7)], 2));
    let message = "`JaggedShape{Shape[10, 7], Shape[30, 7]}` is of rank 3 and has no axis 3";
    assert!(matrices.extent(3).unwrap_err().to_string().starts_with(message));
    let mixed = JaggedShape::of([vectors([5, 5]), vectors([5, 6])]).unwrap();
    assert_eq!((mixed.smooth_rank(), mixed.extent(1).unwrap(), mixed.extent(2).unwrap()), (1, Some(2), None));
}

#[test]
fn columns_are_the_rows_that_reach_them() {
    let shape = vectors([3, 1, 4]);
    let column = |j| shape.chip([0, j], [3, j + 1]);
    assert_eq!(column(0).unwrap(), Shape::new([3]).into());
    assert_eq!(column(3).unwrap(), at([1], [2]).into());
    assert_eq!(
        sentence(column(1)),
        "rows 0 and 2 reach this index, but row 1 between them does not\n\
         help: `slice` keeps the axis, and so can leave rows out"
    );
    assert_eq!(shape.chip([0, 3], [2, 4]).unwrap(), Shape::new([0]).into());
    assert_eq!(sentence(shape.chip([1, 3], [2, 4])), "`JaggedShape{Shape[3], Shape[1], Shape[4]}` has no index [1, 3]");
    let matrices = JaggedShape::rows([Shape::new([1, 2]), Shape::new([2, 3])]).unwrap();
    assert_eq!(matrices.chip([0, 1, 0], [2, 2, 3]).unwrap(), vectors([0, 3]), "rows that are left with an axis stay");
}

#[test]
fn faults_are_sentences() {
    let unequal = JaggedShape::rows([Shape::new([1, 2, 3]), Shape::new([1, 2])]);
    assert_eq!(sentence(unequal), "row 1 has rank 2, but row 0 has rank 3");
    let null = JaggedShape::rows([Shape::new([1]), Shape::null()]);
    assert_eq!(sentence(null), "row 1 is the null shape, which has neither axes nor elements");
    let shape = vectors([10, 20]);
    assert_eq!(sentence(shape.row([0, 1, 2])), "`JaggedShape{Shape[10], Shape[20]}` has rank 2 but 3 indices are given");
    assert_eq!(
        sentence(shape.row([2])),
        "index 2 is out of range for axis 0 of `JaggedShape{Shape[10], Shape[20]}`, which has extent 2"
    );
    assert!(matches!(shape.slice_at([0, 15]).unwrap_err().kind(), ErrorKind::Bounds { place, .. } if place.extent == 10));
    assert_eq!(
        sentence(shape.slice([0, 0], [2, 21])),
        "range 0..21 is out of range for axis 1 of `JaggedShape{Shape[10], Shape[20]}`, which has extent 20"
    );
    assert_eq!(
        sentence(shape.slice([0, 5], [2, 4])),
        "the range 5..4 on axis 1 of `JaggedShape{Shape[10], Shape[20]}` ends before it begins"
    );
    assert!(matches!(shape.slice([0], [2, 4]).unwrap_err().kind(), ErrorKind::Rank { given: 1, .. }));
    assert!(matches!(shape.clone().with_origin([0, 0, 0]).unwrap_err().kind(), ErrorKind::Rank { given: 3, .. }));
    assert!(shape.clone().with_origin([usize::MAX]).is_err() && shape.clone().with_origin([0, usize::MAX - 15]).is_err());
    assert!(shape.slice([0, usize::MAX], [2, usize::MAX]).is_err() && shape.row([usize::MAX]).is_err());
    let moved = shape.with_origin([5]).unwrap();
    assert_eq!(
        sentence(moved.row([4])),
        "index 4 is out of range for axis 0 of `JaggedShape{Shape[10], Shape[20]}+[5]`, which has extent 2\n\
         help: its indices are 5..7"
    );
}

#[test]
fn sizes_and_depths_have_limits() {
    let large = JaggedShape::rows([Shape::new([usize::MAX, 2]), Shape::new([1, 1])]).unwrap();
    assert!(large.size().unwrap_err().to_string().contains("has more than 18446744073709551615 indices"));
    let nearly = vectors([usize::MAX, 1]);
    assert!(matches!(nearly.size().unwrap_err().kind(), ErrorKind::Shape(_)));
    assert_eq!(JaggedShape::of([nearly.slice([0, 0], [2, 2]).unwrap()]).unwrap().size().unwrap(), 3);
    let mut deep = vectors([1, 2]);
    for _ in 1..256 {
        deep = JaggedShape::of([deep]).unwrap();
    }
    assert_eq!((deep.rank(), deep.size().unwrap(), deep.indices().count()), (257, 3, 3));
    assert_eq!(sentence(JaggedShape::of([deep])), "rows cannot be within rows more than 256 times");
}

#[test]
fn printing() {
    let deeper = JaggedShape::of([vectors([20, 30]).with_origin([1]).unwrap(), vectors([10])]).unwrap();
    assert_eq!(format!("{deeper:?}"), "JaggedShape{{Shape[20], Shape[30]}+[1], Shape[1, 10]}");
    assert_eq!(format!("{:?}", vectors([4, 4])), "JaggedShape(Shape[2, 4])");
    assert!(format!("{:?}", vectors(0..1000)).ends_with("Shape[14], Shape[15], …: 1000 rows}"));
    assert!(format!("{:?}", vectors(0..16)).ends_with("Shape[14], Shape[15]}"));
    let many = JaggedShape::of((0..9).map(|extent| vectors([extent, extent + 1]))).unwrap();
    assert!(format!("{many:?}").ends_with("{Shape[7], Shape[8]}, …: 9 rows}"));
}
