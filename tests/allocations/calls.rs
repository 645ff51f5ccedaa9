//! What repeated calls allocate: their results, and a prepared one into a tensor that is there nothing.

use std::hint::black_box;

use tensorwrapper::prelude::*;

use crate::{alone, counting};

/// What a process keeps that has not called `keep_memory`.
const KEPT: usize = 1 << 30;

/// The number of allocations of a call that was made before.
fn allocations<R>(mut call: impl FnMut() -> R) -> usize {
    drop(black_box(call()));
    counting::allocations(call)
}

fn tensor_of(extents: &[usize]) -> Tensor<f64> {
    Tensor::from_fn(extents, |i| i.iter().sum::<usize>() as f64).unwrap()
}

#[test]
fn prepared_product_into_existing_tensor_allocates_nothing() {
    let _alone = alone(KEPT);
    for context in [Context::cpu(), Context::cpu().threads(1)] {
        for n in [1, 2, 3, 4, 8] {
            let (a, x) = (tensor_of(&[n, n]), tensor_of(&[n]));
            let mut c = tensor_of(&[n, n]);
            for text in ["ik,kj->ij", "ki,kj->ij", "ik,jk->ij", "ki,jk->ji"] {
                let product = context.prepare(text, &[&a, &a]).unwrap();
                assert_eq!(allocations(|| product.run_into(&[&a, &a], &mut c).unwrap()), 0, "{text}, {n}");
                assert_eq!(allocations(|| product.run_into(&[&a.view(), &a], &mut c.view_mut()).unwrap()), 0, "{text}, {n}");
            }
            if n > 1 {
                let (product, mut y) = (context.prepare("ik,k->i", &[&a, &x]).unwrap(), tensor_of(&[n]));
                assert_eq!(allocations(|| product.run_into(&[&a, &x], &mut y).unwrap()), 0, "matrix times vector, {n}");
            }
        }
    }
}

/// Products whose matrices lie across each other are packed, some at a time, however many there are.
#[test]
fn long_strided_batch_is_packed_in_pieces() {
    let _alone = alone(KEPT);
    let context = Context::cpu().threads(1);
    let mut most = Vec::new();
    for batch in [301, 1203] {
        let ones = Tensor::<f64>::filled([48, 48, batch], 1.0).unwrap();
        let mut result = Tensor::<f64>::filled([48, 48, batch], f64::NAN).unwrap();
        let product = context.prepare("ikb,kjb->ijb", &[&ones, &ones]).unwrap();
        most.push(counting::most_bytes(|| product.run_into(&[&ones, &ones], &mut result).unwrap()));
        assert!(result.as_slice().iter().all(|&x| x == 48.0));
    }
    // Matrices of which a cache line has too many to be packed together.
    let ones = Tensor::<f64>::filled([700, 300, 9], 1.0).unwrap();
    let others = Tensor::<f64>::filled([300, 50, 9], 1.0).unwrap();
    let mut result = Tensor::<f64>::filled([700, 50, 9], f64::NAN).unwrap();
    let product = context.prepare("ikb,kjb->ijb", &[&ones, &others]).unwrap();
    most.push(counting::most_bytes(|| product.run_into(&[&ones, &others], &mut result).unwrap()));
    assert!(result.as_slice().iter().all(|&x| x == 300.0));
    // Both factors are 11, 44 and 16 MB. What threads keep to pack in serves the second product, too.
    assert!(most[0] > 0 && most.iter().all(|&bytes| bytes < 12 << 20), "{most:?} bytes");
}

#[test]
fn other_repeated_calls_allocate_their_result() {
    let _alone = alone(KEPT);
    let (a, b) = (tensor_of(&[4, 4]), tensor_of(&[4, 4]));
    let product = Context::cpu().prepare("ik,kj->ij", &[&a, &b]).unwrap();
    assert_eq!(allocations(|| product.run(&[&a, &b]).unwrap()), 1);
    assert_eq!(allocations(|| einsum("ik,kj->ij", &[&a, &b]).unwrap()), 1);
    assert_eq!(allocations(|| tensor!([i, j] = a[i, k] * b[k, j])), 1);
}

/// The values of an index are kept with the plan.
#[test]
fn repeated_equations_with_values_of_indices_are_not_planned() {
    let _alone = alone(KEPT);
    let (a, x) = (tensor_of(&[4, 6]), tensor_of(&[4]));
    // The result, and memory for what is between two steps.
    assert!(allocations(|| tensor!([i] = iota[i] * x[i])) <= 2);
    assert!(allocations(|| tensor!([i] = argmax(j; a[i, j]))) <= 4);
    // Other elements of the same extents have the same plan, and not the same places.
    let place = |a: &Tensor<f64>| tensor!([i] = argmax(j; a[i, j])).as_slice()[1];
    let at = |n: usize| Tensor::<f64>::from_fn([4, 6], move |i| if i[1] == n { 1.0 } else { 0.0 }).unwrap();
    assert_eq!([place(&at(3)), place(&at(5)), place(&at(0))], [3.0, 5.0, 0.0]);
}

/// Equations over integers are planned once: planning one takes more than a hundred allocations.
#[test]
fn repeated_equations_over_integers_are_not_planned() {
    let _alone = alone(KEPT);
    let a = Tensor::<i32>::from_fn([4, 4], |i| (i[0] + i[1]) as i32).unwrap();
    let counts = [
        allocations(|| tensor!([i, j] = a[i, j] + a[j, i])),
        allocations(|| tensor!([i, j] = a[i, k] * a[k, j])),
        allocations(|| tensor!([] = sum(i, j; 2 * a[i, j]))),
        allocations(|| einsum("ik,kj->ij", &[&a, &a]).unwrap()),
    ];
    assert!(counts.iter().all(|&count| count < 30), "{counts:?}");
}

/// A context that is made for the call finds what others have planned.
#[test]
fn context_for_one_call_finds_kept_plan() {
    let _alone = alone(KEPT);
    let a = tensor_of(&[4, 4]);
    let own = allocations(|| Context::cpu().threads(1));
    let call = || {
        let context = Context::cpu().threads(1);
        tensor! { in &context; let c[i, j] = a[i, k] * a[k, j]; c }
    };
    assert_eq!(allocations(call), own + 1);
    assert_eq!(allocations(|| Context::cpu().threads(1).einsum("ik,kj->ij", &[&a, &a]).unwrap()), own + 1);
}
