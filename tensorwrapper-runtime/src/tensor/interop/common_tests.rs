//! Which views have gaps, and what is refused whatever library it comes from.

use super::{Foreign, Gaps, Told, gap, read, write};
use crate::tensor::{TensorMut, TensorRef};
use tensorwrapper_core::layout::Strided;

#[test]
fn a_gap_is_where_an_element_between_lowest_and_highest_is_not_met() {
    let values = [-7, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 9];
    let mut counts = [0, 0];
    for extents in [[1, 2, 3], [2, 2, 2], [3, 1, 4], [4, 3, 1], [1, 1, 1], [2, 0, 3]] {
        for strides in values.iter().flat_map(|a| values.iter().flat_map(move |b| values.map(|c| [*a, *b, c]))) {
            let layout = Strided::within(&extents, &strides, 100, 200).unwrap();
            let span = layout.span().unwrap_or(0..0);
            let met: std::collections::HashSet<_> = layout.positions().map(|p| p as i128).collect();
            let covered = span.clone().all(|p| met.contains(&p));
            assert_eq!(gap(&layout).is_none(), covered, "{extents:?} {strides:?} of {span:?}");
            counts[usize::from(covered)] += 1;
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 1000, "{counts:?}");
}

#[test]
fn one_element_is_not_written_through_two_indices() {
    let mut elements = [1.0, 2.0];
    let foreign = Foreign { name: "a row", extents: &[3, 2], strides: &[0, -1], gaps: Gaps::Refused("help") };
    let last = &raw mut elements[1];
    // SAFETY: both elements are there for as long as the tensors are used, and nothing else uses them.
    let (read, written): (Result<TensorRef<'_, f64>, _>, Result<TensorMut<'_, f64>, _>) =
        unsafe { (read(elements.as_ptr().add(1), &foreign), write(last, &foreign)) };
    assert!(read.unwrap().elements().eq(&[2.0, 1.0, 2.0, 1.0, 2.0, 1.0]));
    assert_eq!(
        written.err().unwrap().to_string(),
        "a row, of extents [3, 2] and strides [0, -1], leads two indices to one element, which cannot be written"
    );
}

#[test]
fn strides_that_are_never_followed_are_told_as_one() {
    let layout = Strided::within(&[1, 3, 1], &[isize::MIN, -2, 7], 10, 11).unwrap();
    let Told { range, extents, strides } = Told::of(&layout);
    assert_eq!((range, &extents[..], &strides[..]), (6..11, &[1, 3, 1][..], &[1, -2, 1][..]));
    let empty = Strided::within(&[0, 3], &[9, -9], 5, 0).unwrap();
    let told = Told::of(&empty);
    assert_eq!((told.range, &told.strides[..]), (0..0, &[1, 1][..]));
}
