//! What may stand before the brackets: names, fields, calls, elements of collections, views, `macro_rules!` variables.

use super::{Outcome, assert_close, reference, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

struct System {
    t1: Tensor<f64>,
    pair: (Tensor<f64>, (f64, Tensor<f64>)),
    weight: f64,
}

impl System {
    fn new() -> System {
        System { t1: sample([3], 1), pair: (sample([3], 2), (0.5, sample([3], 3))), weight: 2.0 }
    }

    fn t1(&self) -> &Tensor<f64> {
        &self.t1
    }

    fn doubled(&self) -> Tensor<f64> {
        tensor!([i] = self.weight * self.t1[i] * self.pair.1.0 * 2.0).into_dyn()
    }
}

fn twice(x: &Tensor<f64>) -> Tensor<f64> {
    tensor!([i] = 2.0 * x[i]).into_dyn()
}

#[test]
fn fields_and_calls() {
    let s = System::new();
    assert_close(&s.doubled(), &reference(&(s.t1.at("i") * 2.0), "i"));
    let found = tensor!([i] = s.t1[i] * s.pair.0[i] + s.pair.1.1[i]);
    assert_close(&found, &reference(&(s.t1.at("i") * s.pair.0.at("i") + s.pair.1.1.at("i")), "i"));
    let found = tensor!([i] = (twice(&s.t1))[i] - s.t1()[i] - (s.t1())[i] + (s.pair).0[i]);
    assert_close(&found, &s.pair.0);
    let tuple = (&s.t1, sample([3], 4));
    assert_close(&tensor!([i] = tuple.0[i] - tuple.1[i]), &reference(&(s.t1.at("i") - tuple.1.at("i")), "i"));
}

#[test]
fn elements_of_collections() {
    let train: Vec<Tensor<f64>> = (0..3).map(|n| sample([2, 2], n)).collect();
    let n = 1;
    let found = tensor!([i, k] = (train[0])[i, j] * (train[n])[j, l] * (train[n + 1])[l, k]);
    let expected = reference(&(train[0].at("ij") * train[1].at("jl") * train[2].at("lk")), "ik");
    assert_close(&found, &expected);
    let array = [sample::<Shape>([2], 5), sample([2], 6)];
    assert!(
        (tensor!([] = (array[0])[i] * (array.last().unwrap())[i]) - reference(&(array[0].at("i") * array[1].at("i")), "")[[]])
            .abs()
            < 1e-14
    );
}

#[test]
fn references_views_and_recordings() -> Outcome {
    let a = sample::<Shape>([3, 4], 1);
    let (by_ref, boxed) = (&&a, Box::new(a.clone()));
    assert_eq!(tensor!([i, j] = by_ref[i, j] - (*boxed)[i, j]).as_slice(), [0.0; 12]);
    let turned = a.view().permute(&[1, 0])?;
    let row = turned.chip(1, 2)?;
    assert_close(&tensor!([i] = turned[k, i] * row[k]), &reference(&(a.at("ik") * a.at("2,k")), "i"));
    let foreign = [1.0, 2.0, 3.0, 4.0];
    let lent = TensorRef::from_slice([4], &foreign)?;
    assert_close(&tensor!([i] = a[i, k] * lent[k]), &reference(&(a.at("ik") * lent.at("k")), "i"));
    let mut b = a.clone();
    let exclusive = b.view_mut();
    assert_close(&tensor!([i] = exclusive[i, k] * lent[k]), &reference(&(a.at("ik") * lent.at("k")), "i"));
    // A recorded result of the plain API is an operand too.
    let recorded = (a.at("ik") * a.at("jk")).record("ij")?;
    assert_close(&tensor!([i] = recorded[i, i]), &reference(&(a.at("ik") * a.at("ik")), "i"));
    Ok(())
}

#[test]
fn macro_rules_variables() {
    macro_rules! scaled {
        ($a:expr, $b:ident, $factor:literal, $label:ident) => {
            tensor!([$label] = $factor * $a[$label, k] * $b[k])
        };
    }
    macro_rules! tokens {
        ($($equation:tt)*) => { tensor!($($equation)*) };
    }
    macro_rules! number {
        ($a:expr, $x:expr) => {
            tensor!([i] = $x * $a[i])
        };
    }
    let (a, b) = (sample([2, 3], 1), sample([3], 2));
    let holder = (a.clone(), 0);
    let expected = reference(&(2.0 * a.at("ik") * b.at("k")), "i");
    assert_close(&scaled!(a, b, 2.0, i), &expected);
    assert_close(&scaled!(holder.0, b, 2.0, row), &expected);
    assert_close(&scaled!((holder).0, b, 2.0, row), &expected);
    assert_close(&tokens!([i] = 2.0 * a[i, k] * b[k]), &expected);
    assert_close(&number!(b, 1.0 + 1.0), &reference(&(2.0 * b.at("i")), "i"));
    assert_close(&number!(b, holder.1 as f64), &reference(&(0.0 * b.at("i")), "i"));
}

#[test]
fn labels_of_any_script() {
    let (a, b) = (sample([2, 3], 1), sample([3, 2], 2));
    let expected = reference(&(a.at("ik") * b.at("kj")), "ij");
    assert_close(&tensor!([α, β] = a[α, σ] * b[σ, β]), &expected);
    assert_close(&tensor!([i1, j_left] = a[i1, 軸] * b[軸, j_left]), &expected);
    // Labels are no variables: one of the same name is neither used nor hidden, and keywords of the language are free.
    let (i, sum, exp) = (3, 4, 5);
    assert_close(&tensor!([i, exp] = a[i, sum] * b[sum, exp]), &expected);
    assert_eq!(i + sum + exp, 12);
    // An operand may be called like a function or a label.
    let (exp, k) = (a.clone(), b.clone());
    assert_close(&tensor!([i, j] = exp[i, k] * k[k, j]), &expected);
}

#[test]
fn scalars() -> Outcome {
    let a = sample::<Shape>([2, 3], 1);
    let (alpha, beta, point) = (0.5, &2.0, (1.5, 2));
    let number = Tensor::scalar(3.0);
    let e = Tensor::<f64, Shape![]>::from_vec((), vec![4.0])?;
    let found = tensor!([i, j] = alpha * a[i, j] + beta * a[i, j] + point.0 * a[i, j] + { point.1 as f64 } * a[i, j] - 1_0e-1 * a[i, j]
        + number * a[i, j] + e[] * a[i, j] + a[i, j] / 2.0 + 2 * a[i, j]);
    assert_close(&found, &reference(&(14.5 * a.at("ij")), "ij"));
    assert_close(&tensor!([i, j] = a[i, j] + 1.5[i, j]), &Tensor::<f64>::from_fn([2, 3], |x| a[[x[0], x[1]]] + 1.5)?);
    Ok(())
}

#[test]
fn spread_constants() {
    let (a, b) = (sample([2, 3], 1), sample([3], 2));
    let n = 2;
    let found = tensor!([i, j] = a[i, j] + 1[i] * b[j] - { n as f64 }[i, j] * 0.25);
    let by_hand = Tensor::<f64>::from_fn([2, 3], |x| a[[x[0], x[1]]] + b[[x[1]]] - 0.5);
    assert_close(&found, &by_hand.unwrap());
    // Summed over a spread label: its extent comes from `where`.
    assert_close(&tensor!([j] = 2[i] * b[j] where i: 5), &reference(&(10.0 * b.at("j")), "j"));
    assert_eq!(tensor!([i, j] = 1[i, j] where i: 2, j: n).as_slice(), [1.0; 4]);
    assert_close(&Tensor::scalar(tensor!([] = a[i, j] * 1[i] * 1[j])), &reference(&a.at("ij"), ""));
}

#[test]
fn real_and_complex_scalars_of_complex_tensors() {
    let z = Tensor::<Complex<f64>>::from_fn([2], |x| Complex::new(1.0, x[0] as f64)).unwrap();
    let (real, phase) = (0.5, Complex::new(0.0, 1.0));
    let found = tensor!([i] = 2.0 * real * phase * z[i] + { phase * phase } * z[i] + { real }[i]);
    let by_hand = Tensor::<Complex<f64>>::from_fn([2], |x| phase * z[[x[0]]] - z[[x[0]]] + 0.5);
    assert_close(&found, &by_hand.unwrap());
    let single = Tensor::<Complex<f32>>::filled([2], Complex::new(1.0, -1.0)).unwrap();
    let half = 0.5f32;
    assert_eq!(tensor!([] = half * single[i] * single[i]), Complex::new(0.0, -2.0));
    let f = Tensor::<f32>::filled([2], 3.0).unwrap();
    assert_eq!(tensor!([i] = half * f[i] + 0.25 * f[i]).as_slice(), [2.25f32; 2]);
}
