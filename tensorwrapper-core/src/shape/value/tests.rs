//! Rank, extents, size and origin, and what is refused of them.

use std::collections::HashSet;

use crate::error::ErrorKind;
use crate::shape::Extents as _;
use crate::{Error, Shape};

fn sentence<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn rank_extents_and_size() {
    let shape = Shape::new([10, 20, 30]);
    assert_eq!((shape.rank(), shape.extents(), shape.origin()), (3, &[10, 20, 30][..], &[0, 0, 0][..]));
    assert_eq!(shape.size().unwrap(), 6000);
    assert!(!shape.is_empty() && !shape.is_null());
    assert_eq!(Shape::new([2, 0, 3]).size().unwrap(), 0);
    assert!(Shape::new([2, 0, 3]).is_empty());
    let long: Shape = (1..=10).collect();
    assert_eq!((long.rank(), long.size().unwrap()), (10, 3_628_800), "beyond what is kept inline");
}

#[test]
fn a_scalar_is_not_null() {
    let (scalar, null) = (Shape::new([]), Shape::null());
    assert_eq!((scalar.rank(), scalar.size().unwrap(), scalar.is_empty(), scalar.is_null()), (0, 1, false, false));
    assert_eq!((null.rank(), null.size().unwrap(), null.is_empty(), null.is_null()), (0, 0, true, true));
    assert_ne!(scalar, null);
    assert!(!scalar.same_extents(&null));
    assert_eq!(Shape::default(), scalar);
    assert_eq!(null.clone().with_origin([]).unwrap(), null);
}

#[test]
fn shapes_are_made_of_lists_and_types() {
    let shape = Shape::new([3, 4]);
    assert_eq!(Shape::new(vec![3, 4]), shape);
    assert_eq!(Shape::new(&[3, 4][..]), shape);
    assert_eq!(Shape::from([3, 4]), shape);
    assert_eq!(Shape::from(vec![3, 4]), shape);
    assert_eq!(Shape::from(&[3, 4][..]), shape);
    assert_eq!([3, 4].into_iter().collect::<Shape>(), shape);
    assert_eq!(Shape::of::<Shape![3, 4]>(), shape);
    assert_eq!(Shape::of::<Shape![]>(), Shape::new([]));
    assert!(<Shape![3, _]>::check(shape.extents()).is_ok());
}

#[test]
fn axes_count_from_either_end() {
    let shape = Shape::new([10, 20, 30]);
    let of = |axis| shape.extent(axis).unwrap();
    assert_eq!([of(0), of(1), of(2), of(-1), of(-2), of(-3)], [10, 20, 30, 30, 20, 10]);
    for axis in [3, -4, isize::MAX, isize::MIN] {
        let error = shape.extent(axis).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape(_)), "{axis}");
        let message = format!("`Shape[10, 20, 30]` is of rank 3 and has no axis {axis}\n");
        assert!(error.to_string().starts_with(&message), "{error}");
    }
    assert!(Shape::new([]).extent(0).is_err() && Shape::new([]).extent(-1).is_err() && Shape::null().extent(0).is_err());
}

#[test]
fn sizes_beyond_a_number_are_errors() {
    let huge = Shape::new([usize::MAX, 2]);
    assert_eq!(sentence(huge.size()), format!("`{huge:?}` has more than {} indices", usize::MAX));
    assert_eq!(Shape::new([usize::MAX, 1]).size().unwrap(), usize::MAX);
    assert_eq!(Shape::new([usize::MAX, 2, 0]).size().unwrap(), 0, "nothing, however wide");
}

#[test]
fn origins_tell_shapes_apart() {
    let (shape, moved) = (Shape::new([2, 3]), Shape::new([2, 3]).with_origin([10, 10]).unwrap());
    assert_eq!(moved.origin(), [10, 10]);
    assert_ne!(shape, moved);
    assert!(shape.same_extents(&moved));
    assert!(!shape.same_extents(&Shape::new([2])));
    let all: HashSet<Shape> = [shape.clone(), moved.clone(), moved.with_origin([0, 0]).unwrap()].into();
    assert_eq!(all.len(), 2);
    assert_eq!(sentence(shape.clone().with_origin([1])), "`Shape[2, 3]` has rank 2 but 1 index is given");
    let message = format!("axis 1 of extent 3 cannot begin at {0}: its indices would exceed {0}", usize::MAX);
    assert_eq!(sentence(shape.with_origin([0, usize::MAX])), message);
}

#[test]
fn shapes_as_text() {
    assert_eq!(format!("{:?}", Shape::new([2, 3])), "Shape[2, 3]");
    assert_eq!(format!("{:?}", Shape::new([2, 3]).with_origin([0, 1]).unwrap()), "Shape[2, 3]+[0, 1]");
    assert_eq!(format!("{:?} {:?}", Shape::new([]), Shape::null()), "Shape[] Shape::null()");
}
