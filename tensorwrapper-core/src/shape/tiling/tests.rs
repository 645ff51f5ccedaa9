//! Tilings of one axis: cuts, tiles, refinements.

use super::Tiling;

#[test]
fn an_index_is_found_behind_tiles_without_indices() {
    let tiling = Tiling::cuts([0, 2, 0, 0, 3, 0]);
    assert_eq!((tiling.extent(), tiling.len()), (5, 6));
    assert_eq!(tiling.locate(0).unwrap(), (1, 0));
    assert_eq!(tiling.locate(2).unwrap(), (4, 0));
    assert_eq!(tiling.locate(4).unwrap(), (4, 2));
    assert_eq!(tiling.locate(5).unwrap_err().to_string(), "`Tiling[0, 2, 0, 0, 3, 0]` has no index 5; it has 5");
    assert_eq!(tiling.tile(6).unwrap_err().to_string(), "`Tiling[0, 2, 0, 0, 3, 0]` has no tile 6; it has 6");
}

#[test]
fn every_index_lies_in_the_tile_that_is_located() {
    for extents in [vec![], vec![1], vec![3, 4, 2], vec![0, 1, 0]] {
        let tiling = Tiling::cuts(extents);
        for index in 0..tiling.extent() {
            let (tile, at) = tiling.locate(index).unwrap();
            assert_eq!(tiling.tile(tile).unwrap().start + at, index);
            assert!(tiling.tile(tile).unwrap().contains(&index));
        }
    }
}

#[test]
fn a_refinement_is_cut_wherever_one_of_two_is() {
    let refined = Tiling::cuts([6, 3, 3]).refined(&Tiling::cuts([4, 4, 4])).unwrap();
    assert_eq!(refined, Tiling::cuts([4, 2, 2, 1, 3]));
    assert_eq!(Tiling::cuts([6]).refined(&Tiling::cuts([5])), None);
}

#[test]
fn charges_are_compared_as_elements_of_their_group() {
    let charged = |charges: [[i64; 2]; 2]| {
        let charges = crate::shape::Charges::modulo([2, 3], charges).unwrap();
        Tiling::cuts([1, 2]).charged(charges).unwrap()
    };
    assert_eq!(charged([[3, -1], [0, 0]]), charged([[1, 2], [2, 3]]));
    assert_eq!(format!("{:?}", charged([[3, -1], [0, 0]])), "Tiling[1(1, 2), 2(0, 0) in Z_2 x Z_3]");
}

#[test]
fn a_slice_has_the_tiles_of_its_range() {
    let tiling = Tiling::cuts([0, 2, 0, 0, 3, 0]).charged([0, 1, 2, 3, 4, 5]).unwrap();
    let slice = |begin, end| format!("{}", tiling.slice(begin, end).unwrap());
    assert_eq!(slice(0, 5), format!("{tiling}"));
    assert_eq!((slice(1, 3), slice(2, 2), slice(1, 1)), ("1(1), 0(2), 0(3), 1(4)".into(), "0(2), 0(3)".into(), "in U(1)".into()));
    let message = "`Tiling[2, 3]` has no range 4..6; its indices are 0..5";
    assert_eq!(Tiling::cuts([2, 3]).slice(4, 6).unwrap_err().to_string(), message);
    assert!(Tiling::cuts([2, 3]).slice(3, 2).is_err());
}
