//! Reductions along axes, rounding and comparisons of views, against plain loops.

use rand::{RngExt, SeedableRng, rngs::StdRng};

use crate::tensor::{Tensor, TensorRef};

/// A matrix, or a view of it in another order.
fn turned<'a>(rng: &mut StdRng, of: &'a Tensor<f64>) -> TensorRef<'a, f64> {
    match rng.random_range(0..3) {
        0 => of.t(),
        1 => of.view().reverse(1).unwrap(),
        _ => of.view(),
    }
}

/// The elements of each row.
fn rows(of: &TensorRef<'_, f64>) -> Vec<Vec<f64>> {
    let elements: Vec<f64> = of.elements().copied().collect();
    elements.chunks(of.extents()[1]).map(<[f64]>::to_vec).collect()
}

#[test]
fn reductions_along_axes() {
    let mut rng = StdRng::seed_from_u64(21);
    for _ in 0..200 {
        let extents = [rng.random_range(1..6), rng.random_range(2..6)];
        let a = Tensor::<f64>::from_fn(extents, |_| rng.random_range(-2.0..2.0)).unwrap();
        let by_hand = |fold: &dyn Fn(&[f64]) -> f64| rows(&a.view()).iter().map(|row| fold(row)).collect::<Vec<f64>>();
        let mean = |row: &[f64]| row.iter().sum::<f64>() / row.len() as f64;
        let var = |row: &[f64], ddof: f64| row.iter().map(|x| (x - mean(row)).powi(2)).sum::<f64>() / (row.len() as f64 - ddof);
        // The same elements from the matrix, and from its transpose along the other axis.
        let check = |name: &str, found: [Tensor<f64>; 2], expected: Vec<f64>| {
            for found in found {
                assert_eq!(found.extents(), [extents[0]], "{name}");
                let near = found.iter().zip(&expected).all(|(x, y)| (x - y).abs() <= 1e-13);
                assert!(near, "{name}: {:?}, {expected:?}", found.as_slice());
            }
        };
        let t = a.t();
        check("mean", [a.mean_along(1).unwrap(), t.mean_along(0).unwrap()], by_hand(&mean));
        check("prod", [a.prod_along(1).unwrap(), t.prod_along(0).unwrap()], by_hand(&|row| row.iter().product()));
        check(
            "min",
            [a.min_along(1).unwrap(), t.min_along(0).unwrap()],
            by_hand(&|row| row.iter().copied().fold(f64::MAX, f64::min)),
        );
        check(
            "max",
            [a.max_along(1).unwrap(), t.max_along(0).unwrap()],
            by_hand(&|row| row.iter().copied().fold(f64::MIN, f64::max)),
        );
        check("var", [a.sample_var_along(1).unwrap(), t.sample_var_along(0).unwrap()], by_hand(&|row| var(row, 1.0)));
        check("std", [a.std_along(1).unwrap(), t.std_along(0).unwrap()], by_hand(&|row| var(row, 0.0).sqrt()));
        assert!((a.mean_along([0, 1]).unwrap()[[]] - a.mean()).abs() < 1e-14);
    }
    let nothing = Tensor::<f64>::zeros([2, 0]).unwrap();
    assert!(nothing.mean_along(1).unwrap().iter().all(|x| x.is_nan()) && nothing.prod_along(1).unwrap().as_slice() == [1.0; 2]);
}

#[test]
fn rounding_and_comparisons_of_views() {
    let mut rng = StdRng::seed_from_u64(22);
    for _ in 0..200 {
        let (a, b) = [0, 1].map(|_| Tensor::<f64>::from_fn([3, 3], |_| f64::from(rng.random_range(-6..7)) / 4.0).unwrap()).into();
        let (x, y) = (turned(&mut rng, &a), turned(&mut rng, &b));
        let each = |f: fn(f64) -> f64| x.elements().map(|x| f(*x)).collect::<Vec<f64>>();
        assert_eq!(x.floor().unwrap().as_slice(), each(f64::floor));
        assert_eq!(x.ceil().unwrap().as_slice(), each(f64::ceil));
        assert_eq!(x.round().unwrap().as_slice(), each(f64::round_ties_even));
        let pairs = |f: fn(&f64, &f64) -> bool| x.elements().zip(y.elements()).map(|(x, y)| f(x, y)).collect::<Vec<bool>>();
        assert_eq!(x.less(&y).unwrap().as_slice(), pairs(f64::lt));
        assert_eq!(x.less_equal(&y).unwrap().as_slice(), pairs(f64::le));
        assert_eq!(x.greater(&y).unwrap().as_slice(), pairs(f64::gt));
        assert_eq!(x.greater_equal(&y).unwrap().as_slice(), pairs(f64::ge));
        assert_eq!(x.equal(&y).unwrap().as_slice(), pairs(f64::eq));
        assert_eq!(x.not_equal(&y).unwrap().as_slice(), pairs(f64::ne));
        assert_eq!(x.less_equal(0.25).unwrap().count(), x.elements().filter(|x| **x <= 0.25).count());
    }
}

/// The mean of integers is that of the numbers that they are, though their sum wraps around.
#[test]
fn means_of_integers() {
    let a = Tensor::from_array([[i64::MAX, i64::MAX - 2], [i64::MIN, 3]]).unwrap();
    assert_eq!(a.mean(), 0.5 * (i64::MAX as f64) / 2.0);
    assert_eq!(a.mean_along(1).unwrap().as_slice(), [i64::MAX as f64, i64::MIN as f64 / 2.0]);
    let a = Tensor::from_fn([3, 4, 5], |i| (i[0] * 20 + i[1] * 5 + i[2]) as i32 - 31).unwrap();
    let floats = a.cast::<f64>().unwrap();
    assert_eq!(a.mean(), floats.mean());
    for axes in [&[0][..], &[1], &[2, 0], &[0, 1, 2], &[]] {
        let (turned, expected) = (a.permute(&[2, 0, 1]).unwrap(), floats.permute(&[2, 0, 1]).unwrap());
        assert_eq!(turned.mean_along(axes).unwrap(), expected.mean_along(axes).unwrap(), "{axes:?}");
    }
    assert_eq!(Tensor::from_array([[200u8, 255], [3, 4]]).unwrap().view().mean_along(0).unwrap().as_slice(), [101.5, 129.5]);
    let nothing = Tensor::<i32>::zeros([2, 0]).unwrap();
    assert!(nothing.mean().is_nan() && nothing.mean_along(1).unwrap().iter().all(|x| x.is_nan()));
    assert_eq!(nothing.mean_along(0).unwrap().extents(), [0]);
    assert!(nothing.mean_along(2).is_err());
}
