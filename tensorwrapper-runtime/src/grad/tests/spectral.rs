//! Equal eigenvalues and singular values: derivatives where they exist, and an error where they do not.

use super::{Drawn, Function, check, near};
use crate::{Error, Expr, Tensor};

/// A matrix with these values: Q·diag(values)·R for drawn orthogonal Q and R.
pub(super) fn with_values(values: &[f64], is_symmetric: bool, drawn: &mut Drawn) -> Tensor<f64> {
    let n = values.len();
    let [q, r] = [0, 1].map(|_| {
        let (q, _) = drawn.tensor::<f64>(&[n, n]).at("ij").qr(["ir", "rj"]).eval().unwrap();
        q
    });
    let values = Tensor::<f64>::from_slice([n], values).unwrap();
    let right = if is_symmetric { &q } else { &r };
    (q.at("ik") * values.at("k") * right.at("jk")).eval("ij").unwrap()
}

fn symmetric<'a>(x: &Expr<'a, f64>) -> Result<Expr<'a, f64>, Error> {
    ((x.at("ij") + x.at("ji")) * 0.5).record("ij")
}

fn exponential<'a>(x: &[Expr<'a, f64>]) -> Result<Expr<'a, f64>, Error> {
    let (e, c) = symmetric(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
    (c.at("pn") * (e.at("n") * 0.5).exp() * c.at("qn")).record("pq")
}

fn sum_of_powers<'a>(x: &[Expr<'a, f64>]) -> Result<Expr<'a, f64>, Error> {
    let (e, _) = symmetric(&x[0])?.at("ij").eigh(["n", "in"]).record()?;
    (e.at("n") * 0.25).exp().sum("n,").record("")
}

#[test]
fn a_function_of_a_matrix_is_right_where_eigenvalues_are_equal() {
    let mut drawn = Drawn::new(51);
    let a = with_values(&[1.0, 1.0, 4.0], true, &mut drawn);
    let x = a.at("ij").record("ij").unwrap();
    let value = exponential(std::slice::from_ref(&x)).unwrap();
    // The same by a series, which has no eigenvectors.
    let other = (symmetric(&x).unwrap().at("ij") * 0.5).expm("ij").record().unwrap();
    let weight = drawn.tensor::<f64>(&[3, 3]);
    let (own, other) = (value.vjp(&weight, &x).unwrap().eval().unwrap(), other.vjp(&weight, &x).unwrap().eval().unwrap());
    near("the gradient", &own, &other, 1e-10);
}

#[test]
fn sums_over_eigenvalues_are_right_at_second_order() {
    let mut drawn = Drawn::new(52);
    for values in [[2.0, 2.0, 8.0], [3.0, 3.0, 3.0], [1.0, 2.0, 2.0 + 1e-15]] {
        let a = with_values(&values, true, &mut drawn);
        check(&[a], &|x: &[Expr<'_, f64>]| sum_of_powers(x), &mut drawn);
    }
}

/// The Hessian of a sum over eigenvalues against that of the trace of a series, which has no eigenvectors.
#[test]
fn hessians_at_equal_eigenvalues_are_those_of_a_series() {
    let mut drawn = Drawn::new(58);
    for values in [[2.0, 2.0, 8.0], [1.0, 1.0, 4.0], [3.0, 3.0, 3.0]] {
        let a = with_values(&values, true, &mut drawn);
        let x = a.at("ij").record("ij").unwrap();
        let exponential = (symmetric(&x).unwrap().at("ij") * 0.25).expm("ij").record().unwrap();
        let own = sum_of_powers(std::slice::from_ref(&x)).unwrap();
        let other = exponential.at("ii").sum("i,").record("").unwrap();
        let [own, other] = [own, other].map(|value| value.hessian(&x).unwrap().eval().unwrap());
        near("the Hessian", &own, &other, 1e-10);
    }
}

#[test]
fn singular_values_are_right_where_they_are_equal() {
    let mut drawn = Drawn::new(53);
    let function: &Function<f64> = &|x| {
        let (_, s, _) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
        s.at("r").powf(1.5).sum("r,").record("")
    };
    let a = with_values(&[2.0, 2.0, 0.5], false, &mut drawn);
    check(&[a], function, &mut drawn);
    // The nearest orthogonal matrix, which is smooth where no singular value is zero.
    let nearest: &Function<f64> = &|x| {
        let (u, _, v) = x[0].at("ij").svd(["ir", "r", "rj"]).record()?;
        (u.at("ir") * v.at("rj")).record("ij")
    };
    let a = with_values(&[2.0, 2.0, 0.5], false, &mut drawn);
    let x = a.at("ij").record("ij").unwrap();
    let direction = drawn.tensor::<f64>(&[3, 3]);
    let change = nearest(std::slice::from_ref(&x)).unwrap().jvp((&x, &direction)).unwrap().eval().unwrap();
    let of = |step: f64| {
        let moved = super::moved(std::slice::from_ref(&a), std::slice::from_ref(&direction), step);
        nearest(&super::recorded(&moved)).unwrap().eval().unwrap()
    };
    near("the change", &change, &super::difference(&of, 1e-3), 1e-8);
    let weight = drawn.tensor::<f64>(&[3, 3]);
    let weighted = nearest(std::slice::from_ref(&x)).unwrap().vjp(&weight, &x).unwrap().eval().unwrap();
    assert!((super::dot(&weight, &change) - super::dot(&weighted, &direction)).abs() < 1e-10);
}

#[test]
fn a_single_vector_of_equal_eigenvalues_has_no_derivative() {
    let mut drawn = Drawn::new(54);
    let a = with_values(&[1.0, 1.0, 4.0], true, &mut drawn);
    let x = a.at("ij").record("ij").unwrap();
    let (_, c) = symmetric(&x).unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
    let weight = drawn.tensor::<f64>(&[3, 3]);
    let loss = (c.at("i,0") * c.at("j,0") * weight.at("ij")).record("").unwrap();
    let error = loss.grad(&x).unwrap().eval().unwrap_err().to_string();
    let sentence = "states 0 and 1 have values that are equal or almost equal, so that this derivative may depend on the choice of their \
                    vectors or on their order";
    assert!(error.contains(sentence), "{error}");
    // Both together are the projector on their space, which has one.
    let loss = (c.at("i,n in 0..2") * c.at("j,n in 0..2") * weight.at("ij")).record("").unwrap();
    let gradient = loss.grad(&x).unwrap().eval().unwrap();
    let of = |step: f64| {
        let moved = super::moved(std::slice::from_ref(&a), std::slice::from_ref(&weight), step);
        let x = super::recorded(&moved);
        let (_, c) = symmetric(&x[0]).unwrap().at("ij").eigh(["n", "in"]).record().unwrap();
        (c.at("i,n in 0..2") * c.at("j,n in 0..2") * weight.at("ij")).eval("").unwrap()
    };
    let change = super::difference(&of, 1e-3);
    assert!((super::dot(&gradient, &weight) - change.as_slice()[0]).abs() < 1e-7);
}

#[test]
fn complex_functions_of_equal_eigenvalues_are_adjoint() {
    use num_complex::Complex;
    let mut drawn = Drawn::new(55);
    let a = Tensor::<Complex<f64>>::from_fn([3, 3], |i| Complex::from(if i[0] == i[1] { 1.5 } else { 0.0 })).unwrap();
    let x = a.at("ij").record("ij").unwrap();
    let both = ((x.at("ij") + x.at("ji").conj()) * Complex::from(0.5)).record("ij").unwrap();
    let (e, c) = both.at("ij").eigh(["n", "in"]).record().unwrap();
    let phases = (e.at("n").converted::<Complex<f64>>() * Complex::new(0.0, -1.0)).exp().record("n").unwrap();
    let value = (c.at("pn") * phases.at("n") * c.at("qn").conj()).record("pq").unwrap();
    let (direction, weight) = (drawn.tensor::<Complex<f64>>(&[3, 3]), drawn.tensor::<Complex<f64>>(&[3, 3]));
    let change = value.jvp((&x, &direction)).unwrap().eval().unwrap();
    let weighted = value.vjp(&weight, &x).unwrap().eval().unwrap();
    assert!((super::dot(&weight, &change) - super::dot(&weighted, &direction)).abs() < 1e-12);
}

#[test]
fn equal_eigenvalues_in_a_metric_change_with_it() {
    let mut drawn = Drawn::new(56);
    let one = Tensor::<f64>::from_fn([2, 2], |i| f64::from(u8::from(i[0] == i[1]))).unwrap();
    let metric = one.at("ij").record("ij").unwrap();
    let (_, c) = one.at("ij").eigh_in_metric(metric.at("ij"), ["n", "in"]).record().unwrap();
    // The inverse of the metric.
    let value = (c.at("pn") * c.at("qn")).record("pq").unwrap();
    let direction = drawn.tensor::<f64>(&[2, 2]);
    let change = value.jvp((&metric, &direction)).unwrap().eval().unwrap();
    let expected = ((direction.at("ij") + direction.at("ji")) * -0.5).eval("ij").unwrap();
    near("the change", &change, &expected, 1e-12);
}

/// What depends on the choice of vectors: one of them, with its value.
fn of_one_vector<'a>(x: &Expr<'a, f64>, is_singular: bool, part: Option<f64>) -> Expr<'a, f64> {
    if is_singular {
        let factors = x.at("ij").svd(["ir", "r", "rj"]);
        let (u, s, v) = part.map_or(factors.clone(), |part| factors.broaden(part)).record().unwrap();
        return (u.at("i,0") * s.at("0") * v.at("0,j").powi(3)).record("ij").unwrap();
    }
    let both = symmetric(x).unwrap();
    let factors = both.at("ij").eigh(["n", "in"]);
    let (e, c) = part.map_or(factors.clone(), |part| factors.broaden(part)).record().unwrap();
    (c.at("i,0") * e.at("0") * c.at("j,0").powi(3)).record("ij").unwrap()
}

/// Both modes agree at equal values, and near to none they are the derivative but for (b/d)².
#[test]
fn broadened_derivatives_exist_at_equal_values() {
    let mut drawn = Drawn::new(57);
    let weights = [drawn.tensor::<f64>(&[3, 3]), drawn.tensor::<f64>(&[3, 3])];
    for (values, part, is_apart) in
        [([1.0, 1.0, 4.0], 1e-6, false), ([1.0, 2.5, 4.0], 1e-6, true), ([0.0, 0.0, 0.0], 1e-3, false)]
    {
        for is_singular in [false, true] {
            let a = with_values(&values, !is_singular, &mut drawn);
            let x = a.at("ij").record("ij").unwrap();
            let broad = of_one_vector(&x, is_singular, Some(part));
            let change = broad.jvp((&x, &weights[0])).unwrap().eval().unwrap();
            let weighted = broad.vjp(&weights[1], &x).unwrap().eval().unwrap();
            let (one, other) = (super::dot(&weights[1], &change), super::dot(&weighted, &weights[0]));
            assert!((one - other).abs() <= 1e-9 * one.abs().max(1.0), "{values:?} {one} {other}");
            assert!(one.is_finite());
            // The same value with or without, and an error without where values are equal.
            let plain = of_one_vector(&x, is_singular, None);
            let [found, expected] = [&broad, &plain].map(|value| value.eval().unwrap());
            assert_eq!(found.as_slice(), expected.as_slice());
            match plain.jvp((&x, &weights[0])).unwrap().eval() {
                Ok(exact) => {
                    assert!(is_apart);
                    near("the change", &change, &exact, 1e-9);
                }
                Err(error) => assert!(!is_apart && error.to_string().contains("`broaden = 1e-8`"), "{error}"),
            }
        }
    }
    let x = weights[0].at("ij").record("ij").unwrap();
    let error = x.at("ij").eigh(["n", "in"]).broaden(0.0).record().unwrap_err().to_string();
    assert!(error.contains("`broaden` of `eigh` is 0, and has to be larger than 0"), "{error}");
}
