//! Questions and changes, with answers known beforehand.

use super::*;
use crate::layout::Layouts;

#[test]
fn axes_have_numbers_and_letters() {
    let four: Logical = "f32[2,3,4,5]".parse().unwrap();
    assert_eq!(["p", "z", "y", "x"].map(|name| four.axis_named(name).unwrap()), [0, 1, 2, 3]);
    assert_eq!([-4, -1, 0, 3].map(|n| four.extent(n).unwrap()), [2, 5, 2, 5]);
    assert_eq!(four.axis(-5).unwrap_err().to_string(), "`f32[2,3,4,5]` of rank 4 has no axis -5");
    assert!(four.axis(4).is_err() && four.axis(isize::MIN).is_err() && four.axis(isize::MAX).is_err());
    assert_eq!(four.axis_named("w").unwrap_err().to_string(), "no axis of `f32[2,3,4,5]` is called `w`: they are p,z,y,x");
    let five: Logical = "f32[1,1,1,1,1]".parse().unwrap();
    assert!(five.axis_names().is_empty() && five.axis_named("x").is_err());
    let scalar: Logical = "f32[]".parse().unwrap();
    assert!(scalar.axis_names().is_empty() && scalar.axis(0).is_err() && scalar.axis(-1).is_err());
}

#[test]
fn sizes() {
    let scalar = read("c128[]");
    assert_eq!((scalar.logical().element_count(), scalar.logical().true_rank(), scalar.byte_size()), (1, 0, 16));
    assert_eq!(scalar.position(&[]).unwrap(), 0);
    assert_eq!(scalar.strides(), Some(vec![]));
    // XLA counts extents that are not 1.
    assert_eq!("f32[0,1,2]".parse::<Logical>().unwrap().true_rank(), 2);
    assert_eq!(read("f32[3,5]{1,0:T(2,2)}").byte_size(), 24 * 4);
    assert_eq!(read("f32[3,5]{1,0:W(4,5)T(2,2)}").byte_size(), 24 * 4);
    assert_eq!(read("f32[]{:T(128)}").buffer_len(), 128);
    assert_eq!(read("f32[0,5]{1,0:T(2,2)}").byte_size(), 0);
    assert_eq!(read("f32[3,5]{1,0:T(2,2)}").strides(), None);
    assert_eq!(read("f64[2,3]{0,1:W(3,5)}").strides(), Some(vec![1, 3]));
}

/// The example of XLA's page on tiled layouts: combined axes, and a second level that makes pairs of rows.
#[test]
fn tiles_combine_axes_and_are_tiled() {
    let combined = read("f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}");
    assert_eq!(combined.buffer_len(), 56 * 37 * 2 * 3);
    let (row, column) = ((7 + 3) * 8 + 5, 4 * 10 + 9);
    let position = ((row / 2 * 37 + column / 3) * 2 + row % 2) * 3 + column % 3;
    assert_eq!(combined.position(&[1, 3, 5, 4, 9]).unwrap(), position);

    let pairs = read("f32[16,256]{1,0:T(8,128)(2,1)}");
    let (row, column) = (13, 200);
    let (outer, inner) = ((row / 8 * 2 + column / 128) * 8 * 128, (row % 8, column % 128));
    assert_eq!(pairs.position(&[row, column]).unwrap(), outer + (inner.0 / 2 * 128 + inner.1) * 2 + inner.0 % 2);
}

#[test]
fn axes_are_permuted_deleted_and_filtered() {
    let stored = read("f32[2,<=1,3,1]{2,0,3,1:W(4,1,5,1)S(1)}");
    assert_eq!(stored.permute(&[3, 2, 0, 1]).unwrap().to_string(), "f32[1,3,2,<=1]{1,2,0,3:W(1,5,4,1)S(1)}");
    assert_eq!(stored.delete(&[0]).unwrap().to_string(), "f32[<=1,3,1]{1,2,0:W(1,5,1)S(1)}");
    assert_eq!(stored.filter(|axis| axis % 2 == 0).unwrap().to_string(), "f32[2,3]{1,0:W(4,5)S(1)}");
    assert_eq!(stored.drop_degenerate().unwrap(), stored.filter(|axis| axis % 2 == 0).unwrap());
    assert_eq!(stored.layout().delete(&[1, 3]).unwrap().to_string(), "{1,0:W(4,5)S(1)}");
    assert_eq!(stored.logical().filter(|axis| axis == 2).unwrap().to_string(), "f32[3]");
    assert_eq!(read("f32[1,5]{1,0:T(2,2)}").drop_degenerate().unwrap().buffer_len(), read("f32[1,5]{1,0:T(2,2)}").buffer_len());
}

#[test]
fn equality_with_and_without_layout() {
    let (a, b) = (read("f32[2,3]{1,0}"), read("f32[2,3]{0,1}"));
    assert!(a != b && a.logical() == b.logical());
    assert!(a.logical().same_extents(read("f64[2,3]{1,0}").logical()) && a.logical() != read("f64[2,3]{1,0}").logical());
    assert!(!a.logical().same_extents(read("f32[3,2]{1,0}").logical()));
    let bound = read("f32[<=2,3]{1,0}");
    assert!(a.logical() != bound.logical() && a.logical().is_compatible(bound.logical()));
    assert!(!a.logical().is_compatible(read("f64[2,3]{1,0}").logical()));
    assert_eq!(Physical::from(a.logical().clone()), a);
    assert_eq!(a.logical().clone().with_dtype(Dtype::C32).unwrap().to_string(), "c64[2,3]");
    for (text, rows, columns) in
        [("{2,1,0}", true, false), ("{0,1,2}", false, true), ("{1,0,2}", false, false), ("{0}", true, true)]
    {
        let layout: Layout = text.parse().unwrap();
        assert_eq!((layout.is_row_major(), layout.is_column_major()), (rows, columns), "{text}");
    }
}

#[test]
fn tuples() {
    for text in ["()", "(f32[2]{0})", "(f32[2]{0}, (f64[], c64[3]{0}), ())", "f32[<=456,3]{1,0:T(2,2)S(1)}"] {
        assert_eq!(text.parse::<Layouts>().unwrap().to_string(), text);
    }
    let spaced: Layouts = " ( f32 [ 2 , 3 ] { 1 , 0 : T ( 2 , 2 ) ( 2 ) } , /*index=1*/ f64[ ] ) ".parse().unwrap();
    assert_eq!(spaced.to_string(), "(f32[2,3]{1,0:T(2,2)(2)}, f64[])");
    assert_eq!("(f32[2], ())".parse::<Layouts<Logical>>().unwrap().arrays().count(), 1);
    let deep = |n: usize| format!("{}f32[]{}", "(".repeat(n), ")".repeat(n));
    assert_eq!(deep(64).parse::<Layouts>().unwrap().to_string(), deep(64));
    let fault = deep(100_000).parse::<Layouts>().unwrap_err().to_string();
    assert_eq!(fault, "more than 64 tuples are inside each other (at byte 64)");
}
