//! Tests of functions of each element, of products of matrices and of norms.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::Measured;
use tensorwrapper_core::element::Element;

use crate::exec::einsum;
use crate::tensor::Tensor;

fn drawn(rng: &mut StdRng, extents: &[usize]) -> Tensor<f64> {
    Tensor::from_fn(extents, |_| rng.random_range(0.1..2.0)).unwrap()
}

#[test]
fn functions_are_those_of_numbers() {
    let mut rng = StdRng::seed_from_u64(51);
    let a = drawn(&mut rng, &[7, 9]);
    let turned = a.t();
    let close = |made: Tensor<f64>, function: &dyn Fn(f64) -> f64| {
        let expected = a.map(function).unwrap();
        assert!(made.allclose(&expected, 1e-14, 0.0).is_ok());
    };
    close(a.exp().unwrap(), &f64::exp);
    close(a.ln().unwrap(), &f64::ln);
    close(a.sqrt().unwrap(), &f64::sqrt);
    close(a.sin().unwrap(), &f64::sin);
    close(a.cos().unwrap(), &f64::cos);
    close(a.tanh().unwrap(), &f64::tanh);
    close(a.powi(-3).unwrap(), &|x| x.powi(-3));
    close(a.powf(0.3).unwrap(), &|x| x.powf(0.3));
    close((-&a).abs().unwrap(), &|x| x);
    let signs = Tensor::from_array([-0.0f64, f64::NAN, f64::NEG_INFINITY]).unwrap().abs().unwrap();
    assert!(signs.as_slice()[0].is_sign_positive() && signs.as_slice()[1].is_nan() && signs.as_slice()[2] == f64::INFINITY);
    close(a.powi(2).unwrap(), &|x| x * x);
    // Of a view in another order, and of nothing.
    assert_eq!(turned.exp().unwrap(), a.exp().unwrap().t().to_tensor().unwrap());
    assert_eq!(Tensor::<f64>::zeros([0, 3]).unwrap().exp().unwrap().extents(), [0, 3]);
    assert!(Tensor::from_array([-1.0f64]).unwrap().ln().unwrap().as_slice()[0].is_nan());
    let z = Tensor::from_array([Complex::new(-4.0, 0.0), Complex::new(0.0, 1.0)]).unwrap();
    assert!((z.sqrt().unwrap().as_slice()[0] - Complex::new(0.0, 2.0)).norm() < 1e-15);
    let sizes: Tensor<f32, _> = Tensor::from_array([Complex::new(3.0f32, -4.0), Complex::new(0.0, 0.0)]).unwrap().abs().unwrap();
    assert_eq!(sizes.as_slice(), [5.0, 0.0]);
}

#[test]
fn products_of_matrices_and_batches() {
    let mut rng = StdRng::seed_from_u64(52);
    let factors = [
        (vec![3], vec![3], "k,k->"),
        (vec![3], vec![3, 4], "k,kj->j"),
        (vec![2, 3], vec![3], "ik,k->i"),
        (vec![2, 3], vec![3, 4], "ik,kj->ij"),
        (vec![5, 2, 3], vec![5, 3, 4], "zik,zkj->zij"),
        (vec![5, 2, 3], vec![3, 4], "zik,kj->zij"),
        (vec![2, 3], vec![5, 3, 4], "ik,zkj->zij"),
        (vec![6, 5, 2, 3], vec![5, 3, 4], "yzik,zkj->yzij"),
        (vec![5, 2, 3], vec![3], "zik,k->zi"),
        (vec![3], vec![5, 3, 4], "k,zkj->zj"),
    ];
    for (left, right, equation) in factors {
        let (a, b) = (drawn(&mut rng, &left), drawn(&mut rng, &right));
        let product = a.matmul(&b).unwrap();
        let expected = einsum(equation, &[&a, &b]).unwrap();
        assert!(product.allclose(&expected, 1e-14, 0.0).is_ok(), "{equation}");
    }
    let refused = |left: &[usize], right: &[usize]| {
        let zeros = |extents: &[usize]| Tensor::<f64>::zeros(extents).unwrap();
        zeros(left).matmul(zeros(right)).unwrap_err().to_string()
    };
    assert!(refused(&[2, 3], &[2, 3]).starts_with("`matmul` of extents [2, 3] and [2, 3]"));
    assert!(refused(&[4, 2, 3], &[5, 3, 2]).contains("so must the axes before the matrices"));
    assert!(refused(&[], &[3]).contains("rank 0") && refused(&[3], &[]).contains("rank 0"));
}

#[test]
fn norms_of_all_sizes() {
    let mut rng = StdRng::seed_from_u64(53);
    let a = drawn(&mut rng, &[6, 5]);
    let expected = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    for scale in [1.0, 1e-200, 1e200, 1e-310, 1e300] {
        let scaled = (scale * &a).norm();
        assert!((scaled / scale / expected - 1.0).abs() < 1e-10, "{scale}");
    }
    assert_eq!(Tensor::from_array([Complex::new(3e30f32, 0.0), Complex::new(0.0, 4e30)]).unwrap().norm(), 5e30);
    // Squares of single precision that are not normal numbers, and many of them.
    let small = Tensor::<f32>::filled([100_000], 1e-22).unwrap().norm();
    assert!((f64::from(small) / (1e-22 * 1e5f64.sqrt()) - 1.0).abs() < 1e-6, "{small}");
    assert_eq!(Tensor::<f64>::zeros([2, 0]).unwrap().norm(), 0.0);
    assert_eq!(Tensor::from_array([1.0, f64::INFINITY]).unwrap().norm(), f64::INFINITY);
    assert!(Tensor::<f64, _>::from_array([1.0, f64::NAN]).unwrap().norm().is_nan());
    assert!(Tensor::from_array([1e200, f64::NAN]).unwrap().norm().is_nan());
    assert!((a.view().t().norm() / a.norm() - 1.0).abs() < 1e-14);
}

#[test]
fn variances_of_samples() {
    let a = Tensor::from_array([[1.0f64, 2.0, 6.0], [4.0, 4.0, 4.0]]).unwrap();
    assert_eq!(a.sample_var_along(1).unwrap().as_slice(), [7.0, 0.0]);
    assert_eq!(a.sample_std_along(1).unwrap().as_slice(), [7.0_f64.sqrt(), 0.0]);
    assert!((a.sample_var() - a.var() * 6.0 / 5.0).abs() < 1e-15);
    let one = Tensor::from_array([2.0f64]).unwrap();
    assert!(one.sample_std().is_nan() && one.std() == 0.0);
    assert!(Tensor::<f64>::zeros([0]).unwrap().var().is_nan());
}

#[test]
fn integers_have_products_powers_and_signs() {
    let mut rng = StdRng::seed_from_u64(53);
    // Beyond 2^53, where double precision is not exact; products of these wrap around.
    let a = Tensor::<i64>::from_fn([5, 40], |_| rng.random()).unwrap();
    let b = Tensor::<i64>::from_fn([40, 6], |_| rng.random()).unwrap();
    let product = Tensor::<i64>::from_fn([5, 6], |at| {
        (0..40).fold(0, |sum: i64, k| sum.wrapping_add(a[[at[0], k]].wrapping_mul(b[[k, at[1]]])))
    });
    let product = product.unwrap();
    assert_eq!(a.matmul(&b).unwrap(), product);
    assert_eq!(a.dot(&b).unwrap(), product);
    assert_eq!(b.t().matmul(a.t()).unwrap().t().to_tensor().unwrap(), product);
    let outer = a.outer(&b).unwrap();
    assert_eq!((outer.extents(), outer[[4, 39, 38, 5]]), (&[5, 40, 40, 6][..], a[[4, 39]].wrapping_mul(b[[38, 5]])));
    assert_eq!(a.kron(&b).unwrap()[[3 * 40 + 7, 11 * 6 + 2]], a[[3, 11]].wrapping_mul(b[[7, 2]]));
    for exponent in [0, 1, 2, 3, 7, 64, i32::MAX] {
        assert_eq!(a.t().powi(exponent).unwrap()[[8, 2]], a[[2, 8]].wrapping_pow(exponent as u32), "{exponent}");
    }
    let bytes = Tensor::from_array([0u8, 1, 3, 255]).unwrap();
    assert_eq!(bytes.powi(5).unwrap().as_slice(), [0, 1, 243, 255]);
    assert_eq!(bytes.sign().unwrap().as_slice(), [0, 1, 1, 1]);
    assert_eq!(Tensor::from_array([i32::MIN, 0, 9]).unwrap().sign().unwrap().as_slice(), [-1, 0, 1]);
    let error = bytes.powi(-1).unwrap_err().to_string();
    assert_eq!(error, "`powi` of integers with the exponent -1: `u8` has no fractions; `a.cast::<f64>()?` has");
}

/// As NumPy's, the absolute value of the smallest integer wraps around.
#[test]
fn absolute_values_of_integers() {
    let a = Tensor::from_array([[i32::MIN, -7], [0, i32::MAX]]).unwrap();
    assert_eq!(a.abs().unwrap().as_slice(), [i32::MIN, 7, 0, i32::MAX]);
    assert_eq!(a.view().permute(&[1, 0]).unwrap().abs().unwrap().as_slice(), [i32::MIN, 0, 7, i32::MAX]);
    assert_eq!(Tensor::from_array([-3i64, 4]).unwrap().abs().unwrap().as_slice(), [3, 4]);
    assert_eq!(Tensor::from_array([0u8, 255]).unwrap().abs().unwrap().as_slice(), [0, 255]);
}

/// Generic code over elements has real absolute values and means of its own type, that over integers too asks for both.
#[test]
fn generic_absolute_values_and_means() {
    fn largest<T: Element>(a: &Tensor<T>) -> Option<T::Real> {
        a.abs().ok()?.max()
    }
    fn centre<T: Measured>(a: &Tensor<T>) -> T::Mean {
        a.mean()
    }
    fn shifted<T: Element>(a: &Tensor<T>) -> T {
        a.mean() + T::ONE
    }
    let a = Tensor::from_array([Complex::new(3.0f32, 4.0), Complex::new(-1.0, 0.0)]).unwrap().into_dyn();
    assert_eq!((largest(&a), centre(&a), shifted(&a)), (Some(5.0), Complex::new(1.0, 2.0), Complex::new(2.0, 2.0)));
    assert_eq!(centre(&Tensor::from_array([1u8, 2]).unwrap().into_dyn()), 1.5);
}
