//! All derivatives at once against derivatives one by one.

use super::{Drawn, near};
use crate::{Error, Expr, Tensor};

/// A function of one recorded tensor.
type OfOne = dyn for<'a> Fn(&Expr<'a, f64>) -> Result<Expr<'a, f64>, Error>;

/// Checks both sides of the Jacobian of a function of a matrix.
fn check(extents: [usize; 2], function: &OfOne, seed: u64) {
    let mut drawn = Drawn::new(seed);
    let a = drawn.tensor::<f64>(&extents);
    let x = a.at("ij").record("ij").unwrap();
    let y = function(&x).unwrap();
    let jacobian = y.jacobian(&x).unwrap().eval().unwrap();
    let direction = drawn.tensor::<f64>(&extents);
    let change = y.jvp((&x, &direction)).unwrap().eval().unwrap();
    let rank = y.extents().len();
    let left: String = (0..rank).map(|n| format!("y{n},")).collect();
    let product = (jacobian.at(&format!("{left}p,q")) * direction.at("p,q")).eval(&left).unwrap();
    near("the Jacobian times a direction", &product, &change, 1e-12);
}

#[test]
fn jacobians_are_all_derivatives() {
    // Few results, and few variables.
    check([3, 4], &|x| (x.at("ij") * x.at("kj")).record("i"), 61);
    check([2, 2], &|x| (x.at("ij") * x.at("kl") * x.at("jm")).record("iklm"), 62);
    check([3, 3], &|x| x.at("ij").inv("ji").record(), 63);
    check([2, 2], &|x| (x.at("ij").expm("ij").record()?.at("ij") * x.at("kl").sin()).record("ijkl"), 64);
    check([2, 3], &|x| (x.at("i,j").prod("j,") * x.at("0,k") + x.at("i,1") * x.at("1,k")).record("i,k"), 65);
    check([4, 2], &|x| x.at("ij").max("j").record("i"), 66);
}

#[test]
fn colours_are_sums_of_columns() {
    let mut drawn = Drawn::new(68);
    let a = drawn.tensor::<f64>(&[2, 3]);
    let x = a.at("ij").record("ij").unwrap();
    let y = (x.at("ij") * x.at("ik").sin()).record("jki").unwrap();
    let colours = [2, 0, 2, 2, 4, 0];
    let found = y.jacobian_coloured(&x, &colours).unwrap().eval().unwrap();
    let all = y.jacobian(&x).unwrap().eval().unwrap();
    let sums = Tensor::<f64>::from_fn([2, 3, 5], |i| f64::from(u8::from(colours[3 * i[0] + i[1]] == i[2]))).unwrap();
    near("the sums", &found, &(all.at("jkipq") * sums.at("pqc")).eval("jkic").unwrap(), 1e-13);
    let said = |colours: &[usize]| y.jacobian_coloured(&x, colours).unwrap_err().to_string();
    assert_eq!(said(&[0; 5]), "the variable has 6 elements, but 5 colours are given");
    assert!(said(&[0, 0, 0, 0, 0, usize::MAX]).starts_with("colour 18446744073709551615 of a variable that has 6 elements"));
    let other = drawn.tensor::<f64>(&[2]);
    assert!(y.jacobian_coloured(&other, &[0, 1]).unwrap_err().to_string().contains("does not depend"));
}

#[test]
fn hessians_are_second_derivatives() {
    let mut drawn = Drawn::new(67);
    let a = drawn.tensor::<f64>(&[2, 3]);
    let x = a.at("ij").record("ij").unwrap();
    let y = x.at("ij").tanh().record("ij").unwrap();
    let loss = (y.at("ij") * x.at("kj") * x.at("kj")).record("").unwrap();
    let hessian = loss.hessian(&x).unwrap().eval().unwrap();
    let direction = drawn.tensor::<f64>(&[2, 3]);
    let along = loss.hvp((&x, &direction)).unwrap().eval().unwrap();
    near("H·d", &(hessian.at("ijkl") * direction.at("kl")).eval("ij").unwrap(), &along, 1e-12);
    let linear = x.at("ij").sum("i,j").record("").unwrap();
    assert_eq!(linear.hessian(&x).unwrap().eval().unwrap().as_slice(), [0.0; 36]);
    let a = Tensor::<f64>::filled([2], 1.0).unwrap();
    assert!(linear.jacobian(&a).unwrap_err().to_string().contains("does not depend"));
}

#[test]
fn variables_that_are_not_read_are_errors_or_zero_on_request() {
    let (x, y) = (Tensor::<f64>::filled([2], 0.5).unwrap(), Tensor::<f64>::filled([2], 1.0).unwrap());
    let value = (x.at("i") * x.at("i")).record("i").unwrap();
    let error = value.jvp(((&x, &y), (&y, &x))).unwrap_err().to_string();
    assert!(error.contains("the value does not depend on variable 1"), "{error}");
    let change = value.jvp(((&x, &y), (crate::or_zero(&y), &x))).unwrap().eval().unwrap();
    assert_eq!(change.as_slice(), [1.0, 1.0]);
    let none = value.jvp(((crate::or_zero(&y), &x),)).unwrap().eval().unwrap();
    assert_eq!(none.as_slice(), [0.0, 0.0]);
    let number = value.at("i").record("").unwrap();
    let error = number.hvp(((&x, &y), (&y, &x))).unwrap_err().to_string();
    assert!(error.contains("the value does not depend on variable 1"), "{error}");
    let (along, zero) = number.hvp(((&x, &y), (crate::or_zero(&y), &x))).unwrap();
    assert_eq!((along.eval().unwrap().as_slice(), zero.eval().unwrap().as_slice()), (&[2.0, 2.0][..], &[0.0, 0.0][..]));
}

#[test]
fn a_list_of_references_is_a_list_of_variables() {
    let all: Vec<Tensor<f64>> = (0..3).map(|n| Tensor::filled([2], 1.0 + f64::from(n)).unwrap()).collect();
    let references: Vec<&Tensor<f64>> = all.iter().collect();
    let product = (all[0].at("i") * all[1].at("i") * all[2].at("i")).record("").unwrap();
    let gradients = product.grad(&references[..]).unwrap();
    let found: Vec<f64> = gradients.iter().map(|gradient| gradient.eval().unwrap().as_slice()[0]).collect();
    assert_eq!(found, [6.0, 3.0, 2.0]);
}
