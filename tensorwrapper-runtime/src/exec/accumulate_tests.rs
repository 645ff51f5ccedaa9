//! Sums of single-precision data in double precision, against the same data in double precision.

use num_complex::Complex;

use crate::*;

/// Numbers whose sums in single precision lose most of what is small.
fn hard(index: &[usize], salt: usize) -> f32 {
    let n = index.iter().fold(salt, |n, &i| n * 31 + i + 1);
    let size = [1.0, 3e4, 1e-3][n % 3];
    ((n * 2_654_435_761) % 1000) as f32 * size * if n % 2 == 0 { 1.0 } else { -1.0 }
}

fn erased<T: Element>(operands: &[Tensor<T>]) -> Vec<&dyn DynOperand<T>> {
    operands.iter().map(|operand| operand as &dyn DynOperand<T>).collect()
}

/// Evaluates subscripts over single precision, with sums in double, and over the same numbers in double precision.
fn both(context: &Context, subscripts: &str, extents: &[&[usize]]) -> (Vec<f32>, Vec<f64>) {
    let operands = (0..extents.len()).map(|n| Tensor::<f32>::from_fn(extents[n], |index| hard(index, n)).unwrap());
    let operands: Vec<Tensor<f32>> = operands.collect();
    let doubles: Vec<Tensor<f64>> = operands.iter().map(|operand| operand.cast().unwrap()).collect();
    let single = context.clone().accumulate(Accumulate::Double);
    let single = single.einsum(subscripts, &erased(&operands)).unwrap();
    let double = Context::reference().einsum(subscripts, &erased(&doubles)).unwrap();
    (single.into_vec(), double.into_vec())
}

#[test]
fn every_sum_is_rounded_once() {
    let cases: [(&str, &[&[usize]]); 9] = [
        ("i->", &[&[1000]]),
        ("ij->j", &[&[50, 7]]),
        ("ii->", &[&[40, 40]]),
        ("ik,kj->ij", &[&[9, 60], &[60, 8]]),
        ("bik,bkj->jbi", &[&[3, 9, 40], &[3, 40, 8]]),
        ("i,i->", &[&[500], &[500]]),
        ("ij,jk,kl->il", &[&[5, 30], &[30, 20], &[20, 6]]),
        ("ij,jj,kj->ik", &[&[5, 30], &[30, 30], &[6, 30]]),
        ("ij->ji", &[&[4, 5]]),
    ];
    for context in [Context::cpu(), Context::reference()] {
        for (subscripts, extents) in cases {
            let (single, double) = both(&context, subscripts, extents);
            for (found, expected) in single.iter().zip(&double) {
                let error = (f64::from(*found) - expected).abs();
                // Half a unit in the last place, and what double precision loses beside the largest terms.
                assert!(error <= expected.abs() * 6.1e-8 + 1e-3, "{subscripts}: {found} instead of {expected}");
            }
        }
    }
}

/// The sums above would be wrong in single precision: the test can fail.
#[test]
fn single_precision_would_show() {
    let (_, double) = both(&Context::cpu(), "ik,kj->ij", &[&[9, 60], &[60, 8]]);
    let a = Tensor::<f32>::from_fn([9, 60], |index| hard(index, 0)).unwrap();
    let b = Tensor::<f32>::from_fn([60, 8], |index| hard(index, 1)).unwrap();
    let plain = Context::cpu().einsum("ik,kj->ij", &[&a, &b]).unwrap();
    let wrong = |(found, expected): (&f32, &f64)| (f64::from(*found) - expected).abs() > expected.abs() * 6.1e-8 + 1e-3;
    assert!(plain.as_slice().iter().zip(&double).any(wrong));
}

#[test]
fn functions_complex_numbers_and_slices() {
    let context = Context::cpu().accumulate(Accumulate::Double);
    let x = Tensor::<f32>::from_fn([64], |i| if i[0] == 0 { 1e8 } else { 1.0 }).unwrap();
    let turned = |x: f32| if x > 1e7 { -x } else { x };
    let y = x.at("i").map(&turned);
    assert_eq!((y + x.at("i")).sum("i").eval_in(&context, "").unwrap().as_slice(), [126.0]);
    let z = Tensor::<Complex<f32>>::from_fn([3], |i| Complex::new(0.0, [1e8, 1.0, -1e8][i[0]])).unwrap();
    assert_eq!(z.at("i").conj().eval_in(&context, "").unwrap().as_slice(), [Complex::new(0.0, -1.0)]);
    let product = z.at("i") * z.at("i").conj();
    assert_eq!(product.eval_in(&context, "").unwrap().as_slice(), [Complex::new(2e16, 0.0)]);
    let matrix = Tensor::<f32>::from_fn([4, 4], |i| [1e8, 1.0, 1.0, -1e8][i[1]]).unwrap();
    let part = matrix.view().slice(0, 1..3).unwrap();
    assert_eq!(part.at("ij").eval_in(&context, "i").unwrap().as_slice(), [2.0, 2.0]);
    assert_eq!(x.at("i").max("i").eval_in(&context, "").unwrap().as_slice(), [1e8]);
}
