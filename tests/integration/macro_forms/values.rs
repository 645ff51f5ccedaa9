//! The value form: what a right side means, and the type of its result.

use super::{Outcome, assert_close, assert_type, reference, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

#[test]
fn products() {
    let (a, b) = (sample([2, 3, 4], 1), sample([3, 4, 5], 2));
    assert_close(&tensor!([i, j] = a[i, k, l] * b[k, l, j]), &reference(&(a.at("ikl") * b.at("klj")), "ij"));
    assert_close(&tensor!([j, i] = a[i, k, l] * b[k, l, j]), &reference(&(a.at("ikl") * b.at("klj")), "ji"));
    let (m, n) = (sample([3, 3], 3), sample([3, 3], 4));
    assert_close(&tensor!([i, j] = m[i, j] * n[i, j]), &reference(&(m.at("ij") * n.at("ij")), "ij"));
    assert_close(&tensor!([i, j, k, l] = m[i, j] * n[k, l]), &reference(&(m.at("ij") * n.at("kl")), "ijkl"));
    // A hyper-edge, a trace and a diagonal.
    assert_close(&tensor!([i, j] = m[i, r] * n[j, r] * m[r, r]), &reference(&(m.at("ir") * n.at("jr") * m.at("rr")), "ij"));
    assert!((tensor!([] = m[i, i]) - (m[[0, 0]] + m[[1, 1]] + m[[2, 2]])).abs() < 1e-14);
    assert_eq!(tensor!([i] = m[i, i]).as_slice(), [m[[0, 0]], m[[1, 1]], m[[2, 2]]]);
}

#[test]
fn sums_and_quotients() {
    let (v, e, f) = (sample([2, 3], 1), sample([2], 2), sample([3], 3));
    let found = tensor!([i, a] = v[i, a] / (e[i] - f[a] - 3.0) - v[i, a] + 2.0 * v[i, a]);
    let by_hand = Tensor::<f64>::from_fn([2, 3], |x| {
        let (i, a) = (x[0], x[1]);
        v[[i, a]] / (e[[i]] - f[[a]] - 3.0) + v[[i, a]]
    });
    assert_close(&found, &by_hand.unwrap());
    // Each term sums its own `k`.
    let (p, q) = (sample([2, 3], 4), sample([2, 5], 5));
    let (k3, k5) = (sample([3], 6), sample([5], 7));
    let found = tensor!([i] = p[i, k] * k3[k] - q[i, k] * k5[k]);
    let by_hand = |i: usize| (0..3).map(|k| p[[i, k]] * k3[[k]]).sum::<f64>() - (0..5).map(|k| q[[i, k]] * k5[[k]]).sum::<f64>();
    assert_close(&found, &Tensor::<f64>::from_fn([2], |x| by_hand(x[0])).unwrap());
    // A label of the left that an addend in parentheses lacks: constant along it.
    assert_close(
        &tensor!([i, a] = -(1[a] * e[i] + f[a] * 1[i]) * 2.0),
        &Tensor::<f64>::from_fn([2, 3], |x| -2.0 * (e[[x[0]]] + f[[x[1]]])).unwrap(),
    );
}

#[test]
fn a_sum_in_parentheses_belongs_to_its_addend() {
    let (a, b, c) = (sample([2], 1), sample([2, 3], 2), sample([2], 3));
    // `k` is nowhere but in the first addend: the second is not multiplied by its extent.
    let found = tensor!([i] = a[i] * (b[i, k] + c[i]));
    let by_hand = |i: usize| a[[i]] * ((0..3).map(|k| b[[i, k]]).sum::<f64>() + c[[i]]);
    assert_close(&found, &Tensor::<f64>::from_fn([2], |x| by_hand(x[0])).unwrap());
    // Here it is outside too, and belongs to the term.
    let d = sample([3], 4);
    let found = tensor!([i] = d[k] * (b[i, k] + c[i]));
    let by_hand = |i: usize| (0..3).map(|k| d[[k]] * (b[[i, k]] + c[[i]])).sum::<f64>();
    assert_close(&found, &Tensor::<f64>::from_fn([2], |x| by_hand(x[0])).unwrap());
}

#[test]
fn reductions_and_functions() {
    let a = sample([2, 3], 1);
    assert_close(&tensor!([i] = sum(k; a[i, k])), &reference(&a.at("ik").sum("k"), "i"));
    assert_close(&tensor!([i] = prod(k; a[i, k])), &reference(&a.at("ik").prod("k"), "i"));
    assert_close(
        &tensor!([i] = max(k; a[i, k]) - min(k; a[i, k])),
        &reference(&(a.at("ik").max("k") - a.at("ik").min("k")), "i"),
    );
    assert_close(&tensor!([i] = sum(k, l; a[i, k] * a[l, k])), &reference(&(a.at("ik") * a.at("lk")), "i"));
    let found = tensor!([i, k] = exp(a[i, k]) + ln(a[i, k]) + sqrt(a[i, k]) + abs(-a[i, k]) + sin(a[i, k]) + cos(a[i, k])
        + tan(0.5 * a[i, k]) + tanh(a[i, k]) + recip(a[i, k]) + conj(a[i, k]) + re(a[i, k]) + im(a[i, k])
        + powi(a[i, k], -3) + powf(a[i, k], 1.5) + powi(a[i, k] + 1.0, 2));
    let by_hand = |x: f64| {
        x.exp()
            + x.ln()
            + x.sqrt()
            + x
            + x.sin()
            + x.cos()
            + (0.5 * x).tan()
            + x.tanh()
            + 1.0 / x
            + x
            + x
            + x.powi(-3)
            + x.powf(1.5)
            + (x + 1.0).powi(2)
    };
    assert_close(&found, &Tensor::<f64>::from_fn([2, 3], |x| by_hand(a[[x[0], x[1]]])).unwrap());
    // A softmax needs no name for its denominator.
    let soft = tensor!([i, k] = exp(a[i, k]) / sum(l; exp(a[i, l])));
    assert!(tensor!([i] = soft[i, k]).as_slice().iter().all(|row| (row - 1.0).abs() < 1e-14));
}

#[test]
fn slices_and_positions() {
    let a = sample([4, 5], 1);
    let (n, range) = (3, 1..4);
    let cut = a.view().slice(0, 1..3).unwrap().slice(1, 1..4).unwrap().to_tensor().unwrap();
    assert_close(&tensor!([i, k] = a[i in 1..3, k in range]), &cut);
    assert_close(&tensor!([i, k] = a[i in 1..=2, k in 1..n + 1]), &cut);
    assert_close(&tensor!([i, k] = a[i in 1..n, k in { 1..=n }]), &cut);
    assert_close(&tensor!([k] = a[2, k]), &a.view().chip(0, 2).unwrap().to_tensor().unwrap());
    assert_close(&tensor!([k] = a[{ n - 1 }, k in ..]), &a.view().chip(0, 2).unwrap().to_tensor().unwrap());
    assert_eq!(tensor!([] = a[{ n }, 4]), a[[3, 4]]);
    assert_eq!(tensor!([i] = a[i, i in 1..]).as_slice(), [a[[0, 1]], a[[1, 2]], a[[2, 3]], a[[3, 4]]]);
    // A difference of neighbours.
    let difference = tensor!([i, k] = a[i, k in 1..] - a[i, k in ..4]);
    assert_eq!(difference[[3, 3]], a[[3, 4]] - a[[3, 3]]);
}

#[test]
fn a_repeated_label_on_the_left_is_a_diagonal() {
    let v = sample([3], 1);
    let found = tensor!([i, i] = v[i]);
    let by_hand = Tensor::<f64>::from_fn([3, 3], |x| if x[0] == x[1] { v[[x[0]]] } else { 0.0 });
    assert_close(&found, &by_hand.unwrap());
    let m = sample([2, 3], 2);
    let found = tensor!([i, k, i] = m[i, k]);
    assert_eq!((found.extents(), found[[1, 2, 1]], found[[0, 2, 1]]), (&[2, 3, 2][..], m[[1, 2]], 0.0));
}

#[test]
fn result_type_has_every_known_extent() -> Outcome {
    let a: Tensor<f64, Shape![2, _]> = sample((Const, 3), 1);
    let b: Tensor<f64, Shape![_, 4]> = sample((3, Const), 2);
    let c: Tensor<f64, Shape![3, _]> = sample((Const, 4), 3);
    let x: Tensor<f64> = sample([4], 4);
    assert_type::<Tensor<f64, Shape![2, 4]>>(&tensor!([i, j] = a[i, k] * b[k, j]));
    assert_type::<Tensor<f64, Shape![2, _]>>(&tensor!([i, k] = a[i, k] * 2.0));
    // Known in a later operand, in another term, behind a reduction, by `where`.
    assert_type::<Tensor<f64, Shape![3, 4]>>(&tensor!([k, j] = b[k, j] - c[k, j]));
    assert_type::<Tensor<f64, Shape![4]>>(&tensor!([j] = x[j] * sum(k; b[k, j])));
    assert_type::<Tensor<f64, Shape![4]>>(&tensor!([j] = 3.0 * x[j] where j: 4));
    assert_type::<Tensor<f64, Shape![_]>>(&tensor!([j] = 3.0 * x[j]));
    // A literal range is known, others are not.
    assert_type::<Tensor<f64, Shape![2, _]>>(&tensor!([j, k] = x[j in 1..3] * x[k in 1..]));
    assert_type::<Tensor<f64, Shape![4, 4]>>(&tensor!([j, j] = b[0, j]));
    assert_type::<Tensor<f64, Shape![]>>(&Tensor::scalar(tensor!([] = x[j])));
    let whole = tensor!([i, j] = a[i, k] * b[k, j]).into_dyn();
    assert_type::<Tensor<f64>>(&whole);
    Ok(())
}

#[test]
fn more_axes_than_tuples_have() -> Outcome {
    let wide = Tensor::<f64>::filled([1; 9], 2.0)?;
    let found = tensor!([a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r] =
        wide[a, b, c, d, e, f, g, h, i] * wide[j, k, l, m, n, o, p, q, r]);
    assert_type::<Tensor<f64>>(&found);
    assert_eq!((found.rank(), found.as_slice()), (18, &[4.0][..]));
    Ok(())
}

#[test]
fn empty_extents() -> Outcome {
    let a = Tensor::<f64>::zeros([0, 3])?;
    assert_eq!(tensor!([k] = a[i, k]).as_slice(), [0.0; 3]);
    assert_eq!(tensor!([k] = prod(i; a[i, k])).as_slice(), [1.0; 3]);
    assert_eq!(tensor!([i, k] = 2.0 * a[i, k]).extents(), [0, 3]);
    assert_eq!(tensor!([k, l] = a[i, k] * a[i, l]).as_slice(), [0.0; 9]);
    Ok(())
}

#[test]
fn numbers_of_every_element_type() {
    fn check<T: Element>() {
        let number = |re: f64, im: f64| T::from_complex(Complex::new(re, im));
        let a = Tensor::<T>::from_fn([2, 3], |x| number(1.0 + x[0] as f64, x[1] as f64)).unwrap();
        let found = tensor!([i, j] = 2.0 * a[i, k] * conj(a[j, k]) - a[i, 0] * a[j, 0]);
        let by_hand = |i: usize, j: usize| {
            let at = |i: usize, k: usize| a[[i, k]].to_complex();
            let sum: Complex<f64> = (0..3).map(|k| at(i, k) * at(j, k).conj()).sum();
            T::from_complex(2.0 * sum - at(i, 0) * at(j, 0))
        };
        assert_close(&found, &Tensor::<T>::from_fn([2, 2], |x| by_hand(x[0], x[1])).unwrap());
    }
    check::<f32>();
    check::<f64>();
    check::<Complex<f32>>();
    check::<Complex<f64>>();
}
