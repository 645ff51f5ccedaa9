//! What is refused, and in which words.

use super::*;
use crate::error::ErrorKind;
use crate::layout::Layouts;

/// A text, the byte at fault, and the sentence.
type Mistake = (&'static str, usize, &'static str);

const OF_GRAMMAR: [Mistake; 36] = [
    ("", 0, "expected an element type: `f32`, `f64`, `c64` or `c128`, found the end of the text"),
    ("  ", 2, "expected an element type: `f32`, `f64`, `c64` or `c128`, found the end of the text"),
    ("g32[2]", 0, "expected an element type: `f32`, `f64`, `c64` or `c128`, found `g32`"),
    ("Ⅷ[2]", 0, "expected an element type: `f32`, `f64`, `c64` or `c128`, found `Ⅷ`"),
    ("bf16[2]{0}", 0, "`bf16` is an element type of XLA that tensors here do not have"),
    ("(f32[], pred[])", 8, "`pred` is an element type of XLA that tensors here do not have"),
    ("f32", 3, "expected `[`, found the end of the text"),
    ("f32(2)", 3, "expected `[`, found `(`"),
    ("f32[2,3", 7, "expected `,` or `]`, found the end of the text"),
    ("f32[2 3]{1,0}", 6, "expected `,` or `]`, found `3`"),
    ("f32[2,]{1,0}", 6, "expected an extent, found `]`"),
    ("f32[-1]{0}", 4, "expected an extent, found `-`"),
    ("f32[?]{0}", 4, "`?` is an extent without bound, which arrays here do not have"),
    ("f32[9223372036854775808]{0}", 4, "this number is larger than memory can address"),
    ("f32[99999999999999999999999]{0}", 4, "this number is larger than memory can address"),
    ("f32[2]", 6, "expected a layout as `{1,0}`, found the end of the text"),
    ("f32[2,3]{1 0}", 11, "expected `,`, `:` or `}`, found `0`"),
    ("f32[2,3]{1,}", 11, "expected an axis, found `}`"),
    ("f32[2,3]{,}", 9, "expected an axis, found `,`"),
    ("f32[2,3]{1,0", 12, "expected `,`, `:` or `}`, found the end of the text"),
    ("f32[2,3]{1,0:}", 13, "expected `W`, `T` or `S`, found `}`"),
    ("f32[2,3]{1,0:T2}", 14, "expected `(`, found `2`"),
    ("f32[2,3]{1,0:T(2}", 16, "expected `,` or `)`, found `}`"),
    ("f32[2,3]{1,0:T(2,-1)}", 17, "expected the extent of a tile, or `*`, found `-`"),
    ("f32[2,3]{1,0:S(x)}", 15, "expected the number of a memory, found `x`"),
    ("f32[2,3]{1,0:S(4294967296)}", 15, "the number of a memory is at most 4294967295"),
    ("f32[2,3]{1,0:S(1)T(2)}", 17, "padding `W`, tiles `T` and memory `S` stand in this order, each at most once"),
    ("f32[2,3]{1,0:T(2)T(2)}", 17, "padding `W`, tiles `T` and memory `S` stand in this order, each at most once"),
    ("f32[2,3]{1,0:T(2)E(4)}", 17, "`E` is a size of elements in bits in XLA, which layouts here do not have"),
    ("f32[2,3]{1,0:SC(0:1)}", 13, "`SC` is a configuration of splits in XLA, which layouts here do not have"),
    ("f32[2,3]{1,0:D(D,C)}", 13, "`D` is levels of sparse dimensions in XLA, which layouts here do not have"),
    ("f32[2,3]{1,0:W(2,3;-1)}", 19, "expected `0`, `1`, `-inf`, `inf` or `?`, found `-`"),
    ("f32[2,3]{1,0:W(2 3)}", 17, "expected `,`, `;` or `)`, found `3`"),
    ("f32[2,3]{1,0} f", 14, "expected the end of the text, found `f`"),
    ("(f32[2]{0}", 10, "expected `,` or `)`, found the end of the text"),
    ("(f32[2]{0}, )", 12, "expected an element type: `f32`, `f64`, `c64` or `c128`, found `)`"),
];

const OF_MEANING: [Mistake; 16] = [
    ("f32[2,3]{1,1}", 11, "axis 1 stands twice in the order [1, 1]"),
    ("f32[2,3]{1,2}", 11, "there is no axis 2 among 2: an order of axes names each of them once"),
    ("f32[2,3]{0}", 8, "layout `{0}` orders 1 axis, `f32[2,3]` has 2"),
    ("f32[2]{}", 6, "layout `{}` orders 0 axes, `f32[2]` has 1"),
    ("f32[]{0}", 5, "layout `{0}` orders 1 axis, `f32[]` has 0"),
    ("f32[2,3]{1,0:W(2)}", 13, "2 axes are padded to 1 width, [2]"),
    ("f32[2,3]{1,0:W()}", 13, "2 axes are padded to 0 widths, []"),
    ("(f32[2,3]{1,0:W(2,2)})", 18, "axis 1 of `f32[2,3]` is padded to 2, below its extent 3"),
    ("f32[2,3]{1,0:T(2,0)}", 17, "an extent of a tile is 0"),
    ("f32[2,3]{1,0:T()}", 14, "a tile has no extents"),
    ("f32[2,3]{1,0:T(2,*)}", 14, "the last extent of a tile is `*`, and no axis is left to combine with"),
    ("c64[2]{0:W(3;inf)}", 13, "padding by `inf` needs an order, which `Complex<f32>` has not"),
    (
        "f64[1152921504606846976]{0}",
        0,
        "an array of extents [1152921504606846976] of `f64` has more bytes than memory can address",
    ),
    (
        "f64[4294967296,4294967296,0]{2,1,0}",
        0,
        "a tensor of extents [4294967296, 4294967296, 0] has more elements than memory can address",
    ),
    (
        "f32[2]{0:W(4294967296)T(4294967297,4294967296)}",
        0,
        "a tensor of extents [1, 1, 4294967297, 4294967296] has more elements than memory can address",
    ),
    (
        "f32[2]{0:T(4611686018427387904)}",
        0,
        "an array of extents [1, 4611686018427387904] of `f32` has more bytes than memory can address",
    ),
];

#[test]
fn texts_are_refused_at_their_place() {
    for (text, place, sentence) in OF_GRAMMAR.into_iter().chain(OF_MEANING) {
        let error = text.parse::<Layouts>().expect_err(text);
        let ErrorKind::Syntax { message, position } = error.kind() else { panic!("`{text}`: {error}") };
        assert_eq!((*position, &message[..]), (place, sentence), "`{text}`");
        assert!(error.to_string().ends_with(&format!("(at byte {place})")));
    }
    let logical = "f32[2]{0}".parse::<Logical>().unwrap_err().to_string();
    assert_eq!(logical, "expected the end of the text, found `{` (at byte 6)");
}

#[test]
fn values_are_refused_as_texts_are() {
    let message = |error: crate::Error| error.to_string();
    assert_eq!(message(Layout::new([0, 2]).unwrap_err()), "there is no axis 2 among 2: an order of axes names each of them once");
    assert_eq!(message(Layout::row_major(2).with_padding([1], Fill::Zero).unwrap_err()), "2 axes are padded to 1 width, [1]");
    assert_eq!(message(Tile::new([2, 0]).unwrap_err()), "extent 1 of a tile is 0");
    assert!(Tile::new([]).is_err() && Tile::combining([Some(2), None]).is_err());
    let array = Logical::new(Dtype::F32, [2, 3]).unwrap();
    assert_eq!(message(array.permute(&[0]).unwrap_err()), "axis 1 is missing in the order [0]");
    assert_eq!(message(array.permute(&[0, 0]).unwrap_err()), "axis 0 stands twice in the order [0, 0]");
    assert_eq!(message(array.delete(&[2]).unwrap_err()), "there is no axis 2 to delete among 2");
    assert_eq!(message(array.delete(&[1, 1]).unwrap_err()), "axis 1 is to be deleted twice");
    assert!(array.clone().with_dynamic(2).is_err());
    assert!(Logical::new(Dtype::F32, [1 << 60]).unwrap().with_dtype(Dtype::C64).is_err());
    let huge = Logical::new(Dtype::C64, [0, 1 << 60]).unwrap();
    assert!(huge.delete(&[0]).is_err() && Physical::row_major(huge).delete(&[0]).is_err());
    let many = Layout::row_major(2).with_tiles(vec![Tile::new([2, 2]).unwrap(); 40]);
    let error = Physical::new(array, many).unwrap_err();
    assert_eq!(message(error), "tiles that make 82 dimensions in memory, more than 64, are not supported");
}

#[test]
fn indices_are_refused_by_name() {
    let stored = read("f32[2,3]{1,0}");
    let message = |error: crate::Error| error.to_string();
    assert_eq!(
        message(stored.position(&[0, 3]).unwrap_err()),
        "index 3 is out of range for axis 1 of `f32[2,3]`, which has extent 3"
    );
    assert_eq!(message(stored.position(&[0]).unwrap_err()), "`f32[2,3]` has rank 2 but 1 index is given");
    assert_eq!(message(stored.index_at(6).unwrap_err()), "there is no position 6 among the 6 of `f32[2,3]{1,0}`");
    assert!(stored.logical().bump(&mut [0, 3]).is_err() && stored.logical().bump(&mut [0]).is_err());
    let walk = |base: &[usize], count: &[usize], step: &[usize]| message(stored.walk(base, count, step).unwrap_err());
    assert_eq!(walk(&[0], &[1, 1], &[1, 1]), "`f32[2,3]` has rank 2 but 1 index is given");
    let leaves = |range: &str| format!("range {range} is out of range for axis 1 of `f32[2,3]{{1,0}}`, which has extent 3");
    assert_eq!(walk(&[0, 1], &[1, 3], &[1, 1]), leaves("1..4"));
    // One that is empty leaves the axis where it begins beyond it.
    assert_eq!(walk(&[0, 5], &[1, 0], &[1, 1]), leaves("5..5"));
    assert_eq!(walk(&[0, usize::MAX], &[1, 1], &[1, 1]), leaves(&format!("{}..{}", usize::MAX, usize::MAX as u128 + 1)));
    assert_eq!(walk(&[0, 0], &[1, 1], &[1, 0]), "a step of 0 along axis 1 goes nowhere");
    let other = message(stored.reshape_is_bitcast(&read("f32[7]{0}")).unwrap_err());
    assert_eq!(other, "`f32[2,3]` has 6 elements and `f32[7]` has 7: neither is the other reshaped");
    assert!(stored.align(read("f32[7]{0}").logical()).is_err());
    let other = message(stored.transpose_is_bitcast(&[1, 0], &stored).unwrap_err());
    assert_eq!(other, "`f32[2,3]` in the order [1, 0] is not `f32[2,3]`");
    assert!(stored.transpose_is_bitcast(&[1, 1], &stored).is_err());
    assert_eq!(message(stored.store(&[1.0f64; 6]).unwrap_err()), "elements are `f64` where `f32` is needed");
    assert_eq!(message(stored.store(&[1.0f32; 5]).unwrap_err()), "5 elements are given where `f32[2,3]{1,0}` takes 6");
    assert!(stored.load(&[1.0f32; 7]).is_err());
    assert_eq!(
        read("f32[1000000,1000000,1000000]{2,1,0}").store(&[1.0f32]).unwrap_err().to_string().split(' ').next(),
        Some("1")
    );
}
