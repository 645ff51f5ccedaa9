//! Assignments: into what, which part, and in which order with what is read.

use super::{Outcome, assert_close, reference, sample};
use num_complex::Complex;
use tensorwrapper::prelude::*;

#[test]
fn every_operator() {
    let (a, b) = (sample([2, 2], 1), sample([2, 2], 2));
    let mut c = a.clone();
    tensor!(c[i, j] = b[i, k] * b[k, j]);
    assert_close(&c, &reference(&(b.at("ik") * b.at("kj")), "ij"));
    c = a.clone();
    tensor!(c[i, j] += b[i, k] * b[k, j]);
    assert_close(&c, &reference(&(a.at("ij") + b.at("ik") * b.at("kj")), "ij"));
    c = a.clone();
    tensor!(c[i, j] -= b[i, j] - a[i, j]);
    assert_close(&c, &reference(&(a.at("ij") - (b.at("ij") - a.at("ij"))), "ij"));
    c = a.clone();
    tensor!(c[i, j] *= b[i, j] + a[i, j]);
    assert_close(&c, &reference(&(a.at("ij") * (b.at("ij") + a.at("ij"))), "ij"));
    c = a.clone();
    tensor!(c[i, j] /= b[i, j] + a[i, j]);
    assert_close(&c, &reference(&(a.at("ij") / (b.at("ij") + a.at("ij"))), "ij"));
}

#[test]
fn updates_by_fewer_labels() {
    let (a, e) = (sample([2, 3], 1), sample([2], 2));
    let f = sample([3], 3);
    let mut c = a.clone();
    tensor!(c[i, j] *= e[i]);
    tensor!(c[i, j] /= e[i] + f[j]);
    let by_hand = |i: usize, j: usize| a[[i, j]] * e[[i]] / (e[[i]] + f[[j]]);
    assert_close(&c, &Tensor::<f64>::from_fn([2, 3], |x| by_hand(x[0], x[1])).unwrap());
    let mut c = a.clone();
    // A sum that belongs to the update alone.
    tensor!(c[i, j] *= a[i, k] * f[k]);
    let by_hand = |i: usize, j: usize| a[[i, j]] * (0..3).map(|k| a[[i, k]] * f[[k]]).sum::<f64>();
    assert_close(&c, &Tensor::<f64>::from_fn([2, 3], |x| by_hand(x[0], x[1])).unwrap());
}

#[test]
fn the_old_value_is_read() {
    let a = sample([3, 3], 1);
    let mut c = a.clone();
    tensor!(c[i, j] = c[j, i]);
    assert_close(&c, &reference(&a.at("ij"), "ji"));
    tensor!(c[i, j] += c[i, k] * c[k, j]);
    assert_close(&c, &reference(&(a.at("ji") + a.at("ki") * a.at("jk")), "ij"));
    let mut v = sample::<Shape>([4], 2);
    let before = v.clone();
    tensor!(v[i in 1..] = v[i in ..3]);
    assert_eq!(v.as_slice(), [before[[0]], before[[0]], before[[1]], before[[2]]]);
}

struct State {
    c: Tensor<f64>,
    inner: (Tensor<f64, Shape![2, 2]>, u8),
}

impl State {
    fn step(&mut self, a: &Tensor<f64>) {
        tensor!(self.c[i, j] += a[i, k] * self.c[k, j]);
        tensor!(self.inner.0[i, j] = self.c[j, i]);
    }
}

fn halve(c: &mut Tensor<f64>) {
    tensor!(c[i, j] *= 0.5);
}

#[test]
fn places_of_every_kind() -> Outcome {
    let a = sample::<Shape>([2, 2], 1);
    let mut state = State { c: a.clone(), inner: (Tensor::zeros((Const, Const))?, 0) };
    state.step(&a);
    let expected = reference(&(a.at("ij") + a.at("ik") * a.at("kj")), "ij");
    assert_close(&state.c, &expected);
    assert_close(&state.inner.0, &reference(&expected.at("ij"), "ji"));
    halve(&mut state.c);
    assert_close(&state.c, &reference(&(0.5 * expected.at("ij")), "ij"));
    let exclusive = &mut state;
    tensor!(exclusive.c[i, j] += exclusive.inner.0[j, i]);
    assert_close(&state.c, &reference(&(1.5 * expected.at("ij")), "ij"));
    // Views, of a tensor and of foreign memory.
    let mut c = a.clone();
    let mut upper = c.view_mut().chip(0, 0)?;
    tensor!(upper[j] = 2.0 * a[1, j]);
    assert_eq!(c.as_slice(), [2.0 * a[[1, 0]], 2.0 * a[[1, 1]], a[[1, 0]], a[[1, 1]]]);
    let mut foreign = [0.0; 4];
    let mut lent = TensorMut::strided([2, 2], &[1, 2], 0, &mut foreign)?;
    tensor!(lent[i, j] = a[i, j]);
    assert_eq!(foreign, [a[[0, 0]], a[[1, 0]], a[[0, 1]], a[[1, 1]]]);
    Ok(())
}

#[test]
fn elements_of_one_collection_on_both_sides() {
    let mut psi: Vec<Tensor<f64>> = (0..3).map(|n| sample([2, 2], n)).collect();
    let before = psi.clone();
    let n = 1;
    tensor!((psi[n])[l, r] = (psi[n])[l, m] * (psi[n + 1])[m, r]);
    assert_close(&psi[1], &reference(&(before[1].at("lm") * before[2].at("mr")), "lr"));
    tensor!((psi[0])[l, r] += (psi[n])[r, l]);
    assert_close(&psi[0], &reference(&(before[0].at("lr") + psi[1].at("rl")), "lr"));
    // A tensor of another extent may be moved in: the place's extents are those of what is written.
    tensor! {
        (psi[0])[l, r] = (psi[2])[l, r];
        (psi[2])[l, r] = 2.0 * (psi[2])[l, r];
    };
    assert_close(&psi[0], &before[2]);
    assert_close(&psi[2], &reference(&(2.0 * before[2].at("lr")), "lr"));
}

#[test]
fn parts_of_a_tensor() {
    let (a, v) = (sample([4, 5], 1), sample([2, 3], 2));
    let n = 2;
    let mut c = a.clone();
    tensor!(c[i in 1..3, j in n..] = v[i, j]);
    let inside = |x: &[usize]| (1..3).contains(&x[0]) && x[1] >= 2;
    let by_hand = Tensor::<f64>::from_fn([4, 5], |x| if inside(x) { v[[x[0] - 1, x[1] - 2]] } else { a[[x[0], x[1]]] });
    assert_close(&c, &by_hand.unwrap());
    let mut c = a.clone();
    tensor!(c[{ n + 1 }, j] -= c[0, j]);
    let by_hand = |x: &[usize]| a[[x[0], x[1]]] - if x[0] == 3 { a[[0, x[1]]] } else { 0.0 };
    assert_close(&c, &Tensor::<f64>::from_fn([4, 5], by_hand).unwrap());
    // One element.
    tensor!(c[0, 0] = 7.0);
    tensor!(c[0, 1] += 1.0);
    assert_eq!((c[[0, 0]], c[[0, 1]], c[[0, 2]]), (7.0, a[[0, 1]] + 1.0, a[[0, 2]]));
    // Transposed: the labels of the place may come in any order on the right.
    let mut c = Tensor::<f64>::zeros([3, 2]).unwrap();
    tensor!(c[j, i] = v[i, j]);
    assert_close(&c, &reference(&v.at("ij"), "ji"));
}

#[test]
fn a_diagonal_leaves_the_rest_alone() {
    let (a, d) = (sample([3, 3], 1), sample([3], 2));
    let mut c = a.clone();
    tensor!(c[i, i] += d[i]);
    let by_hand = |x: &[usize]| a[[x[0], x[1]]] + if x[0] == x[1] { d[[x[0]]] } else { 0.0 };
    assert_close(&c, &Tensor::<f64>::from_fn([3, 3], by_hand).unwrap());
    tensor!(c[i, i] = 0[i]);
    assert_eq!((c[[0, 0]], c[[1, 1]], c[[0, 1]]), (0.0, 0.0, a[[0, 1]]));
    // Beside the diagonal.
    tensor!(c[i in ..2, i in 1..] = 2[i]);
    assert_eq!((c[[0, 1]], c[[1, 2]], c[[1, 0]]), (2.0, 2.0, a[[1, 0]]));
}

#[test]
fn a_constant_into_everything() {
    let mut c = sample::<Shape>([2, 3], 1);
    tensor!(c[i, j] = 1.5[i, j]);
    assert_eq!(c.as_slice(), [1.5; 6]);
    let mut rank0 = Tensor::scalar(Complex::new(1.0, 2.0));
    tensor!(rank0[] *= 2.0);
    assert_eq!(rank0.as_slice(), [Complex::new(2.0, 4.0)]);
    let mut empty = Tensor::<f64>::zeros([0, 3]).unwrap();
    tensor!(empty[i, j] += 1[i, j]);
    assert!(empty.is_empty());
}

#[test]
fn writes_of_a_block_follow_each_other() {
    let a = sample([2, 2], 1);
    let (mut c, mut d) = (a.clone(), a.clone());
    let trace = tensor! {
        c[i, j] += a[i, k] * a[k, j];
        d[i, j] = c[j, i];
        c[i, j] *= 2.0;
        c[0, j] = d[1, j];
        let s[i] = c[i, 1];
        [] = s[i] * 1[i]
    };
    let once = reference(&(a.at("ij") + a.at("ik") * a.at("kj")), "ij");
    assert_close(&d, &reference(&once.at("ij"), "ji"));
    let by_hand = |x: &[usize]| if x[0] == 0 { once[[x[1], 1]] } else { 2.0 * once[[1, x[1]]] };
    assert_close(&c, &Tensor::<f64>::from_fn([2, 2], by_hand).unwrap());
    assert!((trace - c[[0, 1]] - c[[1, 1]]).abs() < 1e-12);
}
