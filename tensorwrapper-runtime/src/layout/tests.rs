//! Layout arithmetic against hand-computed positions.

use super::*;

#[test]
fn row_major_strides_and_positions() {
    let layout = Layout::row_major(&[2, 3, 4]).unwrap();
    assert_eq!(layout.strides(), [12, 4, 1]);
    assert_eq!(layout.position(&[1, 2, 3]), Some(23));
    assert_eq!(layout.position(&[1, 3, 0]), None);
    assert!(layout.positions().eq(0..24));
}

#[test]
fn slice_chip_permute() {
    let layout = Layout::row_major(&[2, 3, 4]).unwrap().slice(1, 1, 2).chip(0, 1).permute(&[1, 0]);
    assert_eq!(layout.extents(), [4, 2]);
    assert_eq!(layout.positions().collect::<Vec<_>>(), [16, 20, 17, 21, 18, 22, 19, 23]);
    assert!(!layout.is_row_major());
}

#[test]
fn strided_refuses_what_reaches_outside() {
    assert!(Layout::strided(&[3], &[-1], 2, 3).is_ok());
    assert!(Layout::strided(&[3], &[-1], 1, 3).is_err());
    assert!(Layout::strided(&[3, 2], &[1, 2], 0, 4).is_err());
    assert!(Layout::strided(&[3, 0], &[100, 2], 0, 0).is_ok());
}

#[test]
fn counts_do_not_overflow() {
    assert_eq!(element_count(&[]).unwrap(), 1);
    assert_eq!(element_count(&[5, 0]).unwrap(), 0);
    assert!(element_count(&[usize::MAX, 2]).is_err());
    assert!(element_count(&[usize::MAX, 2, 0]).is_err());
}
