//! Functions of matrices with a symmetry, which their results have as far as it is kept.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;
use tensorwrapper_core::symmetry::{Sign, Symmetry};

use super::{CLOSE, dense, distance, filled};
use crate::exec::linalg;
use crate::tensor::{Blocks, Tensor};

fn size<T: Element>(a: &Tensor<T>) -> f64 {
    a.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max)
}

/// A drawn matrix with this symmetry and all blocks, of which each row has a large element: on the diagonal, or beside it in pairs.
fn drawn<T: Element>(rng: &mut StdRng, structure: &Structure, rows: &[usize], is_beside: bool) -> Blocks<T> {
    let columns: Vec<usize> = (0..structure.rank()).filter(|axis| !rows.contains(axis)).collect();
    let place = |index: &[usize], axes: &[usize]| {
        axes.iter().fold(0, |place, &axis| place * structure.tilings()[axis].extent() + index[axis])
    };
    let light = filled::<T>(rng, structure);
    let heavy = light.map_indexed(|index, x| {
        let (row, column) = (place(index, rows), place(index, &columns));
        let weight = if row == (column ^ usize::from(is_beside)) { 4.0 } else { 0.0 };
        // Of a pair the one before the diagonal is the negative of the other.
        let weight = if is_beside && row > column { -weight } else { weight };
        T::from_complex(x.to_complex() * 0.2 + weight)
    });
    Blocks::from_fn(structure, |index| heavy.as_ref().unwrap().get(index).unwrap()).unwrap()
}

/// Whether `inv`, `expm` and powers are right, and which of `[inv, expm, matpow 2, matpow 3, matpow -1]` have the operand's symmetry. What
/// has it stores as much as the operand.
fn kept<T: Element>(a: &Blocks<T>, rows: &[usize]) -> [bool; 5] {
    let columns: Vec<usize> = (0..a.structure().rank()).filter(|axis| !rows.contains(axis)).collect();
    let count = rows.len();
    let (first, last): (Vec<usize>, Vec<usize>) = ((0..count).collect(), (count..2 * count).collect());
    let matrix = dense(a, rows, &columns);
    let power = |n: i32| (a.matpow(rows, n).unwrap(), linalg::matpow(&matrix, n).eval().unwrap());
    let results = [
        (a.inv(rows).unwrap(), linalg::inv(&matrix).eval().unwrap()),
        (a.expm(rows).unwrap(), linalg::expm(&matrix).eval().unwrap()),
        power(2),
        power(3),
        power(-1),
    ];
    let mut number = 0;
    results.map(|(x, expected)| {
        let [rows, columns] = if number == 0 { [&first[..], &last] } else { [rows, &columns] };
        number += 1;
        let error = distance(&dense(&x, rows, columns), &expected) / size(&expected);
        assert!(error < CLOSE, "{error} of {x:?}");
        let has = x.structure().symmetry() == a.structure().symmetry();
        if has {
            assert_eq!(x.bytes(), a.bytes());
        }
        has
    })
}

#[test]
fn matrices_of_each_symmetry() {
    let mut rng = StdRng::seed_from_u64(2341);
    for extents in [vec![2, 3, 1], vec![4, 0, 4], vec![6, 8, 2, 10]] {
        let cut = Tiling::cuts(extents);
        let with = |symmetry: Symmetry| Structure::new([&cut, &cut]).with(symmetry).unwrap();
        let none = Symmetry::none(2);
        let (symmetric, hermitian) = (with(none.symmetric([0, 1]).unwrap()), with(none.hermitian(0, 1).unwrap()));
        let antisymmetric = with(none.antisymmetric([0, 1]).unwrap());
        let skew = with(none.generator(&[1, 0], Sign::Minus, true).unwrap());
        for row in [0, 1] {
            assert_eq!(kept(&drawn::<f64>(&mut rng, &symmetric, &[row], false), &[row]), [true; 5]);
            assert_eq!(kept(&drawn::<Complex<f64>>(&mut rng, &symmetric, &[row], false), &[row]), [true; 5]);
            assert_eq!(kept(&drawn::<Complex<f64>>(&mut rng, &hermitian, &[row], false), &[row]), [true; 5]);
            let odd = [true, false, false, true, true];
            assert_eq!(kept(&drawn::<f64>(&mut rng, &antisymmetric, &[row], true), &[row]), odd);
            assert_eq!(kept(&drawn::<Complex<f64>>(&mut rng, &antisymmetric, &[row], true), &[row]), odd);
            assert_eq!(kept(&drawn::<Complex<f64>>(&mut rng, &skew, &[row], true), &[row]), odd);
        }
        // An exponential of an antisymmetric matrix has no symmetry, its square is symmetric.
        let a = drawn::<f64>(&mut rng, &antisymmetric, &[0], true);
        assert!(a.expm([0]).unwrap().structure().symmetry().is_none());
        let square = a.matpow([0], 2).unwrap();
        assert_eq!(square.structure().symmetry(), symmetric.symmetry());
        assert_eq!(a.matpow([0], 0).unwrap().structure().symmetry(), symmetric.symmetry());
    }
}

/// Blocks on the diagonal are whole, of the others one of two is stored.
#[test]
fn half_of_the_elements_are_stored() {
    let cut = Tiling::cuts([4; 8]);
    let structure = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let x = drawn::<f64>(&mut StdRng::seed_from_u64(2342), &structure, &[0], false).inv([0]).unwrap();
    assert_eq!((x.blocks().len(), x.bytes()), (36, 36 * 16 * 8));
    let all = x.to_dense().unwrap();
    assert!((0..32).all(|i| (0..32).all(|j| all.as_slice()[32 * i + j] == all.as_slice()[32 * j + i])));
}

/// Pairs of axes as rows, in any order of rows and columns.
#[test]
fn pairs_of_axes_that_are_exchanged() {
    let mut rng = StdRng::seed_from_u64(2343);
    let (cut, other) = (Tiling::cuts([2, 1]), Tiling::cuts([1, 1]));
    let symmetry = Symmetry::none(4).exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap();
    let pairs = Structure::new([&cut, &other, &cut, &other]).with(symmetry).unwrap();
    assert_eq!(kept(&drawn::<f64>(&mut rng, &pairs, &[0, 1], false), &[0, 1]), [true; 5]);
    assert_eq!(kept(&drawn::<f64>(&mut rng, &pairs, &[2, 3], false), &[2, 3]), [true; 5]);
    // The axes of an inverse stand in another order than those of the matrix, so that its symmetry is written otherwise.
    let same = Structure::new([&cut; 4]);
    let exchanged = |sign| Symmetry::none(4).exchange(&[0, 1], &[2, 3], sign).unwrap();
    for rows in [[0, 1], [1, 0], [3, 2]] {
        let plain = same.with(exchanged(Sign::Plus)).unwrap();
        let a = drawn::<f64>(&mut rng, &plain, &rows, false);
        let found = kept(&a, &rows);
        assert_eq!(found[1..], [true; 4], "{rows:?}");
        assert_eq!(a.inv(rows).unwrap().structure().symmetry().order(), 2);
        // Both particles are exchanged, too.
        let both = same.with(exchanged(Sign::Plus).generator(&[1, 0, 3, 2], Sign::Plus, false).unwrap()).unwrap();
        let a = drawn::<Complex<f64>>(&mut rng, &both, &rows, false);
        assert_eq!(kept(&a, &rows)[1..], [true; 4], "{rows:?}");
        assert_eq!(a.inv(rows).unwrap().structure().symmetry().order(), 4);
    }
    // Exchanged crosswise: rows and columns are permuted alike besides, which powers keep.
    let crossed = Symmetry::none(4).exchange(&[0, 1], &[3, 2], Sign::Plus).unwrap();
    let a = drawn::<f64>(&mut rng, &same.with(crossed).unwrap(), &[0, 1], false);
    assert_eq!(kept(&a, &[0, 1]), [true; 5]);
}

/// An element of a group that exchanges one axis of the rows with one of the columns says nothing of an inverse or a power. Of two of them
/// the product may: here it exchanges all rows with all columns.
#[test]
fn a_group_that_mixes_rows_with_columns() {
    let mut rng = StdRng::seed_from_u64(2345);
    let (cut, other) = (Tiling::cuts([2, 1]), Tiling::cuts([1, 2]));
    let plain = Structure::new([&cut, &other, &cut, &other]);
    let transposed = Symmetry::none(4).exchange(&[0, 1], &[2, 3], Sign::Plus).unwrap();
    let one_each = |conjugate: bool| {
        let first = Symmetry::none(4).generator(&[2, 1, 0, 3], Sign::Plus, conjugate).unwrap();
        first.generator(&[0, 3, 2, 1], Sign::Plus, conjugate).unwrap()
    };
    fn inherits<T: Element>(a: &Blocks<T>, rows: &[usize], expected: &Symmetry) {
        assert_eq!(kept(a, rows), [false; 5], "{rows:?}");
        let results = [a.inv(rows), a.expm(rows), a.matpow(rows, 2), a.matpow(rows, 3), a.matpow(rows, -1)];
        for x in results {
            assert_eq!(x.unwrap().structure().symmetry(), expected, "{rows:?}");
        }
    }
    for rows in [[0, 1], [2, 3]] {
        let real = plain.with(one_each(false)).unwrap();
        inherits(&drawn::<f64>(&mut rng, &real, &rows, false), &rows, &transposed);
        // Conjugated once for each exchange, so that both together do not conjugate.
        let complex = plain.with(one_each(true)).unwrap();
        inherits(&drawn::<Complex<f64>>(&mut rng, &complex, &rows, false), &rows, &transposed);
        // One alone is part of nothing.
        let alone = plain.with(Symmetry::none(4).generator(&[2, 1, 0, 3], Sign::Plus, false).unwrap()).unwrap();
        inherits(&drawn::<f64>(&mut rng, &alone, &rows, false), &rows, &Symmetry::none(4));
    }
}

/// Rows among themselves and columns among themselves, alike, without an exchange of both; and rows alone, which says P·A = A and nothing
/// of exp A.
#[test]
fn a_group_that_leaves_rows_among_rows() {
    let mut rng = StdRng::seed_from_u64(2346);
    let same = Structure::new([&Tiling::cuts([2, 1]); 4]);
    let alike = same.with(Symmetry::none(4).generator(&[1, 0, 3, 2], Sign::Plus, false).unwrap()).unwrap();
    for rows in [[0, 1], [1, 0], [3, 2]] {
        assert_eq!(kept(&drawn::<f64>(&mut rng, &alike, &rows, false), &rows), [true; 5], "{rows:?}");
        assert_eq!(kept(&drawn::<Complex<f64>>(&mut rng, &alike, &rows, false), &rows), [true; 5], "{rows:?}");
    }
    let rows_alone = same.with(Symmetry::none(4).symmetric([0, 1]).unwrap()).unwrap();
    let a = filled::<f64>(&mut rng, &rows_alone);
    let (matrix, none) = (dense(&a, &[0, 1], &[2, 3]), Symmetry::none(4));
    let close =
        |x: &Blocks<f64>, expected: &Tensor<f64>| distance(&dense(x, &[0, 1], &[2, 3]), expected) / size(expected) < CLOSE;
    let (e, square) = (a.expm([0, 1]).unwrap(), a.matpow([0, 1], 2).unwrap());
    assert!(close(&e, &linalg::expm(&matrix).eval().unwrap()) && close(&square, &linalg::matpow(&matrix, 2).eval().unwrap()));
    assert_eq!([e.structure().symmetry(), square.structure().symmetry()], [&none; 2]);
}

/// A Hermitian matrix that conserves charges keeps both.
#[test]
fn charges_beside_a_symmetry() {
    let mut rng = StdRng::seed_from_u64(2344);
    let spin = Tiling::cuts([2, 3, 2]).charged([-1, 1, -1]).unwrap();
    let plain = Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap();
    let hermitian = plain.with(Symmetry::none(2).hermitian(0, 1).unwrap()).unwrap();
    for row in [0, 1] {
        let a = drawn::<Complex<f64>>(&mut rng, &hermitian, &[row], false);
        assert_eq!(kept(&a, &[row]), [true; 5]);
        assert!(a.inv([row]).unwrap().structure().charge_flow().is_some());
    }
    // What is missing beside a block-diagonal stays so, and has the symmetry as well.
    let cut = Tiling::cuts([rng.random_range(1..3), 2, 2]);
    let some = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let some = some.with_blocks([[0, 0], [0, 2], [1, 1], [2, 2]]).unwrap();
    let a = drawn::<f64>(&mut rng, &some, &[0], false);
    assert_eq!(kept(&a, &[0]), [true; 5]);
    assert_eq!(a.inv([0]).unwrap().blocks(), a.blocks());
}
