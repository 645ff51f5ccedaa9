//! Prepared subscripts mean what subscripts mean, on whatever lies like what they were made for, and refuse the rest.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{Accumulate, Cancel, DynOperand, ErrorKind, Graph};

fn contexts() -> [Context; 3] {
    [Context::cpu(), Context::cpu().threads(1), Context::reference()]
}

fn tensor_of<T: Element>(extents: &[usize], salt: usize) -> Tensor<T> {
    let number = |i: &[usize]| i.iter().fold(salt, |n, &i| (n * 7 + 3 * i) % 11) as f64 - 5.0;
    Tensor::from_fn(extents, |i| T::from_complex(Complex::new(number(i), 0.5 * number(i) - 1.0))).unwrap()
}

/// Subscripts with all kinds of steps: single products, chains, sums of one factor, diagonals, element-wise ones, none.
const CASES: [(&str, &[&[usize]]); 16] = [
    ("ik,kj->ij", &[&[4, 3], &[3, 5]]),
    ("ki,jk->ji", &[&[3, 4], &[5, 3]]),
    ("bik,bkj->jbi", &[&[2, 3, 4], &[2, 4, 5]]),
    ("ik,k->i", &[&[4, 4], &[4]]),
    ("i,i->", &[&[7], &[7]]),
    ("i,j->ij", &[&[3], &[4]]),
    ("ij,jk,kl->il", &[&[2, 3], &[3, 4], &[4, 2]]),
    ("ij,jk,kl,lm,mi->", &[&[2, 3], &[3, 2], &[2, 4], &[4, 3], &[3, 2]]),
    ("ikx,kj->ij", &[&[4, 3, 2], &[3, 5]]),
    ("ii,ij->j", &[&[3, 3], &[3, 4]]),
    ("ij->iij", &[&[3, 2]]),
    ("ij,jk->iik", &[&[3, 2], &[2, 3]]),
    ("ij->ji", &[&[3, 4]]),
    ("ij->", &[&[3, 4]]),
    ("ik,kj->ij", &[&[0, 3], &[3, 5]]),
    ("ik,kj->ij", &[&[2, 0], &[0, 5]]),
];

fn cases<T: Element>() {
    for (text, extents) in CASES {
        let operands: Vec<Tensor<T>> = extents.iter().enumerate().map(|(n, e)| tensor_of(e, n)).collect();
        let given: Vec<&dyn DynOperand<T>> = operands.iter().map(|operand| operand as _).collect();
        let expected = Context::reference().einsum(text, &given).unwrap();
        for context in contexts() {
            let prepared = context.prepare(text, &given).unwrap();
            assert_eq!(prepared.extents(), expected.extents(), "{text}");
            for _ in 0..2 {
                assert_eq!(prepared.run(&given).unwrap(), expected, "{text} of {extents:?}");
                // What is there before is overwritten unread.
                let nan = T::from_complex(f64::NAN.into());
                let mut found = Tensor::<T>::filled(expected.extents(), nan).unwrap();
                prepared.run_into(&given, &mut found).unwrap();
                assert_eq!(found, expected, "{text} of {extents:?}, into a tensor");
                let reversed: Vec<usize> = expected.extents().iter().rev().copied().collect();
                let mut turned = Tensor::<T>::filled(&reversed[..], nan).unwrap();
                let axes: Vec<usize> = (0..reversed.len()).rev().collect();
                prepared.run_into(&given, &mut turned.view_mut().into_dyn().permute(&axes).unwrap()).unwrap();
                assert_eq!(
                    turned.view().into_dyn().permute(&axes).unwrap(),
                    expected.view(),
                    "{text} of {extents:?}, into a transpose"
                );
            }
        }
    }
}

#[test]
fn prepared_means_what_einsum_means() {
    cases::<f32>();
    cases::<f64>();
    cases::<Complex<f32>>();
    cases::<Complex<f64>>();
}

#[test]
fn operands_may_start_anywhere() {
    let stack = tensor_of::<f64>(&[5, 3, 4], 1);
    let item = |n: usize| stack.view().into_dyn().chip(0, n).unwrap();
    let flipped = |n: usize| item(n).reverse(0).unwrap();
    let context = Context::cpu();
    let prepared = context.prepare("ik,jk->ij", &[&item(0), &flipped(1)]).unwrap();
    let mut results = Tensor::<f64>::zeros([5, 3, 3]).unwrap();
    for n in 0..5 {
        prepared.run_into(&[&item(n), &flipped(4 - n)], &mut results.view_mut().into_dyn().chip(0, n).unwrap()).unwrap();
    }
    for n in 0..5 {
        let expected = Context::reference().einsum("ik,jk->ij", &[&item(n), &flipped(4 - n)]).unwrap();
        assert_eq!(results.view().into_dyn().chip(0, n).unwrap(), expected.view());
    }
}

/// Operands that were one when the plan was made need not be one when it runs, and the other way round.
#[test]
fn plans_do_not_depend_on_addresses() {
    let (a, b) = (tensor_of::<f64>(&[4, 4], 1), tensor_of::<f64>(&[4, 4], 2));
    for context in contexts() {
        let prepared = context.prepare("ik,kj->ij", &[&a, &a]).unwrap();
        let expected = Context::reference().einsum("ik,kj->ij", &[&a, &b]).unwrap();
        assert_eq!(prepared.run(&[&a, &b]).unwrap(), expected);
        assert_eq!(prepared.clone().run(&[&b, &b]).unwrap(), context.einsum("ik,kj->ij", &[&b, &b]).unwrap());
    }
}

#[test]
fn static_tensors_are_operands_and_targets() {
    let a: StaticTensor<f64, Shape![2, 2]> = StaticTensor::from_fn(|i| (2 * i[0] + i[1]) as f64);
    let mut c = StaticTensor::<f64, Shape![2, 2]>::filled(f64::NAN);
    Context::cpu().prepare("ik,kj->ij", &[&a, &a]).unwrap().run_into(&[&a, &a], &mut c).unwrap();
    assert_eq!(c.as_slice(), [2.0, 3.0, 6.0, 11.0]);
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let (a, b) = (tensor_of::<f64>(&[4, 3], 1), tensor_of::<f64>(&[3, 5], 2));
    let prepared = Context::cpu().prepare("ik,kj->ij", &[&a, &b]).unwrap();
    let says = |error: Error, sentence: &str| {
        assert!(matches!(error.kind(), ErrorKind::Shape(_) | ErrorKind::Unsupported(_)), "{error}");
        assert!(error.to_string().starts_with(sentence), "{error}");
    };
    let wrong = prepared.run(&[&a, &a]).unwrap_err();
    says(wrong, "operand 1 of `ik,kj->ij` has extents [4, 3], but the plan was made for extents [3, 5]");
    says(prepared.run(&[&a]).unwrap_err(), "the plan of `ik,kj->ij` was made for 2 operands, but runs with 1 operand");
    let turned = tensor_of::<f64>(&[3, 4], 1);
    let turned = turned.view().into_dyn().permute(&[1, 0]).unwrap();
    let wrong = prepared.run(&[&turned, &b]).unwrap_err();
    let sentence =
        "operand 0 of `ik,kj->ij` has strides [1, 4], but the plan was made for strides [3, 1] of the same extents [4, 3]";
    says(wrong, sentence);
    let mut small = Tensor::<f64>::filled([4, 4], 7.0).unwrap();
    let wrong = prepared.run_into(&[&a, &b], &mut small).unwrap_err();
    says(wrong, "the result of `ik,kj->ij` has extents [4, 5], but is written into a tensor of extents [4, 4]");
    assert!(small.as_slice().iter().all(|&x| x == 7.0), "a refused target is as it was");
    let recorded = a.at("ij").record("ji").unwrap();
    let wrong = Context::cpu().prepare("ij->i", &[&recorded]).unwrap_err();
    says(wrong, "operand 0 of `ij->i` is a recorded result");
    assert_eq!(Context::cpu().einsum("ij->i", &[&recorded]).unwrap().extents(), [3]);
    // What is wrong with the subscripts is said as ever.
    let einsum = Context::cpu().einsum("ik,kj->ij", &[&a, &a]).unwrap_err();
    assert_eq!(Context::cpu().prepare("ik,kj->ij", &[&a, &a]).unwrap_err(), einsum);
    assert!(matches!(einsum.kind(), ErrorKind::Extent { .. }), "{einsum}");
}

/// Everything that a plan depends on is part of what it is found by.
#[test]
fn plan_keys_hold_everything_that_plans_depend_on() {
    let x = Tensor::<f32>::from_slice([3], &[1e8, 1.0, -1e8]).unwrap();
    for _ in 0..2 {
        assert_eq!(Context::cpu().einsum("i->", &[&x]).unwrap().as_slice(), [0.0]);
        assert_eq!(Context::cpu().accumulate(Accumulate::Double).einsum("i->", &[&x]).unwrap().as_slice(), [1.0]);
        assert_eq!(Context::cpu().einsum("i->i", &[&x]).unwrap(), x);
        let wide: Tensor<f64> = x.cast().unwrap();
        assert_eq!(Context::cpu().einsum("i->", &[&wide]).unwrap().as_slice(), [1.0]);
    }
    let a = tensor_of::<f64>(&[3, 3], 1);
    let turned = a.view().into_dyn().permute(&[1, 0]).unwrap();
    let x = tensor_of::<f64>(&[3], 2);
    for _ in 0..2 {
        for context in contexts() {
            let plain = context.einsum("ij,j->i", &[&a, &x]).unwrap();
            assert_eq!(plain, Context::reference().einsum("ji,j->i", &[&turned, &x]).unwrap());
            assert_eq!(context.einsum("ij,j->i", &[&turned, &x]).unwrap(), context.einsum("ji,j->i", &[&a, &x]).unwrap());
        }
    }
}

#[test]
fn impossible_results_are_refused_before_computing() {
    // Extents whose product overflows, of operands that are one element everywhere.
    let one = [1.0];
    let wide = |n: usize| TensorRef::<f64>::strided([n], &[0], 0, &one).unwrap();
    let huge = wide(1 << 33);
    for context in contexts() {
        let error = context.einsum("i,j->ij", &[&huge, &huge]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Shape(_)), "{error}");
        assert!(context.prepare("i,j->ij", &[&huge, &huge]).is_err());
        // More bytes than any machine has: 2^60 elements.
        let large = wide(1 << 30);
        let error = context.einsum("i,j->ij", &[&large, &large]).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Memory { bytes: 1 << 63 });
        // The sum over what cannot be is not begun: it would take hours.
        let error = context.einsum("i,j,k->ijk", &[&large, &large, &wide(2)]).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Memory { .. } | ErrorKind::Shape(_)), "{error}");
    }
}

/// Blocks are written into tensors of every kind, and one that fails leaves the tensor as it was.
#[test]
fn prepared_blocks_write_into_tensors() {
    let (a, b) = (tensor_of::<f64>(&[3, 4], 1), tensor_of::<f64>(&[3, 4], 2));
    let sum = (a.at("ij") + 2.0 * b.at("ij")).record("ij").unwrap();
    let expected = tensor!([i, j] = b[i, j] + 2.0 * a[i, j]);
    let prepared = Context::cpu().prepare_all((&sum,), &[&a, &b]).unwrap();
    let mut whole = Tensor::<f64>::zeros([3, 4]).unwrap();
    prepared.run_into(&[&b, &a], &mut whole).unwrap();
    assert_eq!(whole, expected);
    let mut turned = Tensor::<f64>::zeros([4, 3]).unwrap();
    prepared.run_into(&[&b, &a], &mut turned.view_mut().permute(&[1, 0]).unwrap()).unwrap();
    assert_eq!(turned, tensor!([j, i] = expected[i, j]));
    let mut fixed = StaticTensor::<f64, Shape![3, 4]>::zeros();
    prepared.run_into(&[&b, &a], &mut fixed).unwrap();
    assert_eq!(fixed.to_tensor().unwrap().as_slice(), expected.as_slice());
    let error = prepared.run_into(&[&b, &a], &mut turned).unwrap_err().to_string();
    assert_eq!(error, "the result of the prepared block has extents [3, 4], but is written into a tensor of extents [4, 3]");
    let cancel = Cancel::new();
    let watched = Context::cpu().cancel(&cancel).prepare_all((&sum,), &[&a, &b]).unwrap();
    cancel.cancel();
    assert!(watched.run_into(&[&a, &a], &mut whole).is_err());
    assert_eq!(whole, expected);
    // 40 matrices, of which the last one is singular.
    let batch = Tensor::<f64>::from_fn([40, 20, 20], |at| f64::from(at[1] == at[2] && at[0] < 39)).unwrap();
    let graph = Graph::new();
    let result = tensor!(in &graph; let x[b, j, i] = inv(i, j; batch[b, i, j]); x);
    let prepared = Context::cpu().prepare_all((&result,), &[&batch]).unwrap();
    let mut kept = Tensor::<f64>::filled([40, 20, 20], 7.0).unwrap();
    let error = prepared.run_into(&[&batch], &mut kept).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::LinearAlgebra { .. }), "{error}");
    assert!(kept.iter().all(|&x| x == 7.0), "nothing is half written");
}
