//! Strided arithmetic against hand-computed positions.

use super::*;

#[test]
fn row_major_strides_and_positions() {
    let layout = Strided::row_major(&[2, 3, 4]).unwrap();
    assert_eq!(layout.strides(), [12, 4, 1]);
    assert_eq!(layout.position(&[1, 2, 3]), Some(23));
    assert_eq!(layout.position(&[1, 3, 0]), None);
    assert!(layout.positions().eq(0..24));
}

#[test]
fn slice_chip_permute() {
    let layout = Strided::row_major(&[2, 3, 4]).unwrap().slice(1, 1, 2).chip(0, 1).permute(&[1, 0]);
    assert_eq!(layout.extents(), [4, 2]);
    assert_eq!(layout.positions().collect::<Vec<_>>(), [16, 20, 17, 21, 18, 22, 19, 23]);
    assert!(!layout.is_row_major());
}

#[test]
fn strided_refuses_what_reaches_outside() {
    assert!(Strided::within(&[3], &[-1], 2, 3).is_ok());
    assert!(Strided::within(&[3], &[-1], 1, 3).is_err());
    assert!(Strided::within(&[3, 2], &[1, 2], 0, 4).is_err());
    assert!(Strided::within(&[3, 0], &[100, 2], 0, 0).is_ok());
}

#[test]
fn counts_do_not_overflow() {
    assert_eq!(element_count(&[]).unwrap(), 1);
    assert_eq!(element_count(&[5, 0]).unwrap(), 0);
    assert!(element_count(&[usize::MAX, 2]).is_err());
    assert!(element_count(&[usize::MAX, 2, 0]).is_err());
}

#[test]
fn diagonals_walk_two_axes() {
    let layout = Strided::row_major(&[3, 2, 3]).unwrap();
    for (a, b) in [(0, 2), (2, 0)] {
        let diagonal = layout.clone().diagonal(a, b);
        assert_eq!((diagonal.extents(), diagonal.strides()), (&[3, 2][..], &[7, 3][..]));
        assert_eq!(diagonal.positions().collect::<Vec<_>>(), [0, 3, 7, 10, 14, 17]);
    }
}

#[test]
fn owned_positions_are_the_borrowed_ones() {
    let layout = Strided::row_major(&[2, 3]).unwrap().permute(&[1, 0]);
    assert_eq!(layout.positions().len(), 6);
    assert!(layout.clone().into_positions().eq(layout.positions()));
    assert!(Strided::row_major(&[]).unwrap().positions().eq([0]));
}

/// Small layouts of any strides, against marking every position.
#[test]
fn injective_means_that_no_position_is_met_twice() {
    let strides = -4..=4;
    for (e0, e1) in [(1, 1), (1, 3), (2, 2), (3, 2), (4, 3), (0, 3)] {
        for s0 in strides.clone() {
            for (s1, s2) in strides.clone().map(|s1| (s1, 1)).chain(strides.clone().map(|s1| (s1, -6))) {
                let layout = Strided::within(&[e0, e1, 2], &[s0, s1, s2], 50, 100).unwrap();
                let positions: Vec<usize> = layout.positions().collect();
                let distinct: std::collections::HashSet<usize> = positions.iter().copied().collect();
                assert_eq!(layout.is_injective(), distinct.len() == positions.len(), "{layout:?}");
            }
        }
    }
}

/// Nothing bounds the strides of axes that have at most one index.
#[test]
fn strides_that_nobody_follows_may_be_huge() {
    let max = isize::MAX;
    let one = Strided::within(&[1, 1], &[max, -max], 3, 4).unwrap();
    assert!(one.is_injective() && one.positions().eq([3]));
    assert_eq!(one.clone().diagonal(0, 1).position(&[0]), Some(3));
    let none = Strided::within(&[4, 0], &[max, max], usize::MAX, 0).unwrap();
    assert_eq!(none.position(&[3, 0]), None);
    assert!(none.is_row_major() && none.is_injective() && none.slice(0, 2, 2).positions().eq([]));
}

#[test]
#[should_panic(expected = "slice outside of its axis")]
fn slices_do_not_wrap_around() {
    Strided::row_major(&[4]).unwrap().slice(0, usize::MAX, 2);
}
