//! Structs as vectors.

use super::*;

fn names(tensors: &impl Tensors) -> Vec<String> {
    let mut names = Vec::new();
    tensors.visit(|name, tensor| names.push(format!("{name} {:?}", tensor.extents())));
    names
}

#[test]
fn every_tensor_has_a_name() {
    assert_eq!(names(&amplitudes(3, 0.1)), ["t1 [2, 3]", "t2 [2, 2, 3, 3]"]);
    let expected =
        ["layers.0.weight [3, 2]", "layers.0.bias [3]", "layers.1.weight [4, 3]", "scales.0 []", "scales.1 []", "box.0 [2]"];
    assert_eq!(names(&network::<f32>()), expected);
    assert_eq!(names(&Pair(amplitudes(1, 0.1), 7, amplitudes(2, 0.2)))[2..], ["2.t1 [2, 2]", "2.t2 [2, 2, 2, 2]"]);
}

#[test]
fn the_operations_of_vectors() -> Result<(), Error> {
    let (a, b) = (amplitudes(3, 0.1), amplitudes(3, 0.7));
    let elements = |x: &Amplitudes<Const<2>, Dyn>| [x.t1.as_slice(), x.t2.as_slice()].concat();
    let (xs, ys) = (elements(&a), elements(&b));
    let all = |f: &dyn Fn(f64, f64) -> f64| xs.iter().zip(&ys).map(|(&x, &y)| f(x, y)).collect::<Vec<f64>>();
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    near(a.dot(&b)?, all(&|x, y| x * y).iter().sum());
    near(a.norm(), all(&|x, _| x * x).iter().sum::<f64>().sqrt());
    assert_eq!(elements(&a.map(|x| x * x)), all(&|x, _| x * x));
    assert_eq!(elements(&a.zip(&b, f64::max)?), all(&f64::max));
    let mut sum = a.clone();
    sum.axpy(-0.5, &b)?;
    assert_eq!(elements(&sum), all(&|x, y| -0.5 * y + x));
    // What is no tensor is kept.
    assert!([&a.map(f64::exp), &a.zip(&b, |x, _| x)?, &sum].iter().all(|made| made.label == "water"));
    sum.visit_mut(|name, mut tensor| tensor.as_mut_slice().unwrap().fill(if name == "t1" { 1.0 } else { 0.0 }));
    assert_eq!(sum.norm(), 6.0f64.sqrt());
    Ok(())
}

#[test]
fn complex_elements_and_any_layout() -> Result<(), Error> {
    use tensorwrapper::Layout;
    let mut a = network::<Complex<f64>>();
    let b = a.map(|x| x * Complex::i());
    let square: Complex<f64> = a.dot(&a)?;
    assert!((square.re - a.norm().powi(2)).abs() < 1e-12 && square.im.abs() < 1e-12);
    // ⟨a, i·a⟩ = i·⟨a, a⟩
    assert!((a.dot(&b)? - Complex::<f64>::i() * square).norm() < 1e-12);
    let before = a.clone();
    let weight = a.layers[0].weight.clone();
    a.layers[0].weight = weight.relayout(&Layout::column_major(2))?.0;
    assert!((a.dot(&b)? - before.dot(&b)?).norm() < 1e-12 && (a.norm() - before.norm()).abs() < 1e-12);
    assert_eq!(a.zip(&b, |x, y| x - y)?, before.zip(&b, |x, y| x - y)?);
    assert_eq!(b.zip(&a, |x, y| x - y)?, b.zip(&before, |x, y| x - y)?);
    a.axpy(Complex::new(0.0, 1.0), &b)?;
    assert_eq!(a.norm(), 0.0);
    Ok(())
}

#[test]
fn norms_neither_overflow_nor_lose_what_is_small() {
    let scaled = |factor: f64| amplitudes(2, 0.1).map(|x| x * factor).norm() / amplitudes(2, 0.1).norm();
    assert!((scaled(1e200) / 1e200 - 1.0).abs() < 1e-14 && (scaled(1e-200) / 1e-200 - 1.0).abs() < 1e-14);
    assert_eq!((scaled(0.0), scaled(f64::INFINITY).is_nan()), (0.0, true));
    let mut infinite = amplitudes(2, 0.1);
    infinite.t1[[0, 0]] = f64::NEG_INFINITY;
    assert_eq!(infinite.norm(), f64::INFINITY);
}

#[test]
fn structs_of_other_forms_are_refused() {
    let (a, b) = (amplitudes(2, 0.1), amplitudes(3, 0.1));
    let mut changed = a.clone();
    let refused = "`t1` has extents [2, 2] in one struct but [2, 3] in the other";
    assert_eq!(changed.axpy(1.0, &b).unwrap_err().to_string(), refused);
    assert_eq!(changed, a);
    assert_eq!(a.dot(&b).unwrap_err().to_string(), refused);
    let one = network::<f64>();
    let mut other = one.clone();
    other.layers[0].bias = None;
    let refused = "one struct has a tensor `layers.0.bias` where the other has `layers.1.weight`";
    assert_eq!(one.zip(&other, |x, _| x).unwrap_err().to_string(), refused);
    let mut other = one.clone();
    other.r#box.1 = Some(one.layers[1].clone());
    let refused = "one struct has a tensor `box.1.weight` that the other has not";
    assert_eq!(one.dot(&other).unwrap_err().to_string(), refused);
    assert_eq!(other.dot(&one).unwrap_err().to_string(), refused);
}
