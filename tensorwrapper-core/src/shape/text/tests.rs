//! Texts of shapes that are read back, and texts that are none.

use super::super::AnyShape;
use super::*;

fn again<T: std::str::FromStr<Err = Error> + fmt::Display + fmt::Debug + PartialEq>(values: impl IntoIterator<Item = T>) {
    for value in values {
        assert_eq!(value.to_string().parse::<T>().as_ref(), Ok(&value), "{value}");
    }
}

fn tilings() -> Vec<Tiling> {
    let charged = |moduli: &[i64], charge: &[i64]| {
        let charges = Charges::new(ChargeGroup::product(moduli.to_vec()).unwrap(), [charge, charge]).unwrap();
        Tiling::cuts([0, 3]).charged(charges).unwrap()
    };
    let none = |moduli: [i64; 1]| Tiling::cuts([]).charged(Charges::modulo(moduli, [[0; 1]; 0]).unwrap()).unwrap();
    let plain = [Tiling::cuts([]), Tiling::whole(usize::MAX), Tiling::cuts([5, 0, 10]), none([0]), none([3])];
    let groups: [(&[i64], &[i64]); 5] = [(&[0], &[i64::MIN]), (&[2], &[1]), (&[0, 2], &[-1, 1]), (&[0, 0], &[1, 2]), (&[], &[])];
    plain.into_iter().chain(groups.map(|(moduli, charge)| charged(moduli, charge))).collect()
}

#[test]
fn shapes_are_read_as_they_are_written() {
    let smooth = [Shape::null(), Shape::new([]), Shape::new([2, 0]), Shape::new([2, 3]).with_origin([0, 7]).unwrap()];
    again(tilings());
    again(smooth.clone());
    again(tilings().iter().map(|tiling| TiledShape::new([tiling, &Tiling::whole(2)])));
    again([TiledShape::new(Vec::<Tiling>::new()), TiledShape::new([Tiling::each(2)]).with_origin([4]).unwrap()]);
    let rows = JaggedShape::rows([Shape::new([1]), Shape::new([0]), Shape::new([2]).with_origin([3]).unwrap()]).unwrap();
    let moved = rows.clone().with_origin([8]).unwrap();
    let deep = JaggedShape::of([moved.clone(), rows.clone(), Shape::new([2, 2]).into()]).unwrap();
    again(smooth.into_iter().map(JaggedShape::from).chain([rows.clone(), moved, deep]));
    again([Nested::new([0, 1, 1], rows).unwrap()]);
    again([Nested::new([1, 1], TiledShape::new([Tiling::each(2), Tiling::whole(1)])).unwrap()]);
    again([Nested::new([], Shape::new([])).unwrap()]);
    assert!("[2]".parse::<Nested<Shape>>().is_err() && Shape::new([2]).rank() == AnyShape::rank(&Shape::new([3])));
}

#[test]
fn bad_text_is_told_at_its_place() {
    fn told<T: std::str::FromStr<Err = Error> + fmt::Debug>(text: &str) -> String {
        text.parse::<T>().unwrap_err().to_string()
    }
    assert_eq!(told::<Tiling>("5, x"), "expected the extent of a tile, found `x` (at byte 3)");
    let pair = ChargeGroup::product([0, 2]).unwrap();
    assert_eq!(Charges::new(pair, [[1]]).unwrap_err().to_string(), "charge [1] has 1 integer, but its group has 2");
    assert_eq!(told::<Tiling>("1(0), 2(0, 1)"), "charge [0, 1] has 2 integers, but its group has 1 (at byte 7)");
    assert_eq!(told::<Tiling>("1, 2 in Z_2"), "tile 0 has no charge in Z_2 (at byte 1)");
    assert_eq!(told::<Tiling>("1(0) in Z_0"), "there is no group Z_0 (at byte 8)");
    assert_eq!(told::<Tiling>("1(0) in U(2)"), "expected a group, `U(1)` or `Z_2`, found `U` (at byte 8)");
    assert!(told::<Tiling>(&format!("1, {}", usize::MAX)).ends_with("indices (at byte 3)"));
    assert!(told::<Tiling>("1(99999999999999999999)").contains("more than 64 bits (at byte 2)"));
    assert_eq!(told::<Shape>("[2, 3..1]"), "the range 3..1 ends before it begins (at byte 4)");
    assert_eq!(told::<Shape>("[2"), "expected `,` or `]`, found the end of the text (at byte 2)");
    assert_eq!(told::<JaggedShape>("{[1], [1, 2]}"), "row 1 has rank 2, but row 0 has rank 1 (at byte 0)");
    assert_eq!(told::<JaggedShape>("{[1], 2}"), "expected `[` or `{`, found `2` (at byte 6)");
    assert!(told::<JaggedShape>(&"{".repeat(100_000)).contains("more than 256 times (at byte 256)"));
    assert!(told::<TiledShape>("[[1]]+[1, 2]").ends_with("(at byte 6)"));
    assert_eq!(
        told::<Nested<Shape>>("[2, 2] in layers of [1] axes"),
        "layers [1] have 1 axis in all, but `Shape[2, 2]` has rank 2 (at byte 20)"
    );
}
