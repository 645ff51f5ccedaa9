//! What `explain(…).equations()` prints can be pasted into `tensor!`, and computes the same.

use tensorwrapper::prelude::*;
use tensorwrapper::{Error, Extents, eval_all};

fn numbers(extents: &[usize], seed: usize) -> Tensor<f64> {
    let of = |index: &[usize]| index.iter().enumerate().map(|(axis, i)| i * (7 + 4 * axis)).sum::<usize>();
    Tensor::from_fn(extents, |index| ((of(index) + 3 * seed) % 23) as f64 / 11.0 - 0.9).unwrap()
}

/// The text of a block, compared with what is printed, and the block itself.
macro_rules! pasted {
    ($printed:expr; $($block:tt)*) => {{
        let without = |text: &str| -> String {
            text.lines().filter(|line| !line.starts_with("//")).flat_map(str::chars).filter(|c| !c.is_whitespace()).collect()
        };
        let (printed, block) = ($printed.to_string(), stringify!($($block)*));
        assert_eq!(without(&printed), without(block), "this is printed:\n{printed}");
        tensor! { $($block)* }
    }};
}

#[track_caller]
fn agree<S: Extents, Q: Extents>(found: &Tensor<f64, S>, expected: &Tensor<f64, Q>) {
    assert_eq!(found.extents(), expected.extents());
    for (a, b) in found.as_slice().iter().zip(expected.as_slice()) {
        assert!((a - b).abs() <= 1e-12 * b.abs().max(1.0), "{a} is not {b}");
    }
}

#[test]
fn a_value_and_its_gradients() -> Result<(), Error> {
    let (x0, x1, x2) = (numbers(&[3, 2], 1), numbers(&[3, 4], 2), numbers(&[4, 2], 3));
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let c[i, j] = x1[i, k] * x2[k, j];
        let loss = sum(i, j; x0[i, j] * tanh(c[i, j])) - 0.5 * c[i, j] * c[i, j] / 3.0;
        loss
    };
    let (a, b) = loss.grad((&x1, &x2))?;
    let explanation = Context::cpu().explain((&loss, &a, &b))?;
    let (r0, r1, r2) = pasted! { explanation.equations().unwrap();
        let t0[i, j] = x1[i, k] * x2[k, j];
        let r0 = sum(i, j; x0[i, j] * tanh(t0[i, j])) - sum(i_, j_; 0.5 * t0[i_, j_] * t0[i_, j_] / 3.0);
        let t1[i, j] = x0[i, j] * (1.0 - powi(tanh(t0[i, j]), 2)) + (-1.0) / 3.0 * t0[i, j] * 0.5
            + (-1.0) / 3.0 * (0.5 * t0[i, j]);
        let r1[i, k] = t1[i, j] * x2[k, j];
        let r2[k, j] = t1[i, j] * x1[i, k];
        (r0, r1, r2)
    };
    let (loss, a, b) = eval_all((&loss, &a, &b))?;
    assert!((r0 - loss.as_slice()[0]).abs() < 1e-13);
    agree(&r1, &a);
    agree(&r2, &b);
    Ok(())
}

#[test]
fn parts_positions_and_reductions() -> Result<(), Error> {
    let (x0, x1) = (numbers(&[3, 4], 1), numbers(&[4], 2));
    let graph = Graph::new();
    let (y, z) = tensor! {
        in &graph;
        let part[i, j] = x0[i in 1..3, j in 0..2] / (1.5 + x1[j in 2..4]);
        let line[(i, j)] = part[i, j];
        let most = max(n; x1[n]);
        let y[i] = x0[i, 2] * x1[3] + 2.0 * most * 1[i] + line[0] * 1[i];
        let z = y[i] * y[i] + prod(j; x1[j]);
        (y, z)
    };
    let explanation = Context::cpu().explain((&y, &z))?;
    let (r0, r1) = pasted! { explanation.equations().unwrap();
        let t0 = max(n; x1[n]);
        let t1[i, j] = x0[i in 1..3, j in 0..2] / (1.5 + x1[j in 2..4]);
        let t2[i, j] = t1[i, j];
        let t4[(l0, l1)] = t2[l0, l1];
        let t3[l0] = t4[l0];
        let r0[i] = x0[i, 2] * x1[3] + 2.0 * t0 * 1[i] + t3[0] * 1[i];
        let r1 = r0[i] * r0[i] + prod(j; x1[j]);
        (r0, r1)
    };
    let (y, z) = eval_all((&y, &z))?;
    agree(&r0, &y);
    assert!((r1 - z.as_slice()[0]).abs() < 1e-13);
    Ok(())
}

#[test]
fn operations_of_linear_algebra() -> Result<(), Error> {
    let (x0, x1) = (numbers(&[3, 3], 1), numbers(&[3, 2], 4));
    let graph = Graph::new();
    let (r, e, d) = tensor! {
        in &graph;
        let s[i, j] = x0[i, j] + x0[j, i];
        let (e[n], c[i, n]) = eigh(s[i, j]);
        let y[k, j] = solve(x0[i, k], x1[i, j]);
        let (u[i, r], v[r], w[r, j]) = svd(x1[i, j]);
        let r[i, j] = c[i, n] * exp(e[n]) * c[j, n] + y[i, r] * u[j, r] * v[r];
        let d = det(x0[i, j]);
        (r, e, d)
    };
    let explanation = Context::cpu().explain((&r, &e, &d))?;
    let (r0, r1, r2) = pasted! { explanation.equations().unwrap();
        let t0[i, j] = x0[i, j] + x0[j, i];
        let t1[i, j] = t0[i, j];
        let (t2[l2], t3[l0, l2]) = eigh(t1[l0, l1]);
        let r1[l0] = t2[l0];
        let t4[i, k] = x0[i, k];
        let t5[i, j] = x1[i, j];
        let t6[l1, l2] = solve(t4[l0, l1], t5[l0, l2]);
        let t7[i, j] = x1[i, j];
        let (t8[l0, l2], t9[l2], t10[l2, l1]) = svd(t7[l0, l1]);
        let r0[i, j] = sum(n; t3[i, n] * exp(r1[n]) * t3[j, n]) + t6[i, r] * t8[j, r] * t9[r];
        let t11[i, j] = x0[i, j];
        let t12 = det(t11[l0, l1]);
        let r2 = t12;
        (r0, r1, r2)
    };
    let (r, e, d) = eval_all((&r, &e, &d))?;
    agree(&r0, &r);
    agree(&r1, &e);
    assert!((r2 - d.as_slice()[0]).abs() < 1e-13);
    Ok(())
}

/// A derivative of a part is written into zeros: each element says where it comes from.
#[test]
fn derivatives_of_parts() -> Result<(), Error> {
    let (x0, x1) = (numbers(&[5, 4], 1), numbers(&[2, 4], 2));
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let part[i, j] = x0[i in 1..3, j] * x1[i, j];
        let loss = sum(i, j; part[i, j] * part[i, j]) + x0[i, 2] * x0[i, 2] + x0[4, 0];
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 5; l__1: 4; l__2: 4; l__3: 4; l__4: 5;
        let t0[l__0, l__1] = select(iota[l__0] == 4.0 && iota[l__1] == 0.0; 1.0, 0.0);
        let t1[i_] = x0[i_, 2];
        let t2[l0, l__2] = select(iota[l__2] == 2.0; t1[l0], 0.0);
        let t3[i_] = x0[i_, 2];
        let t4[l0, l__3] = select(iota[l__3] == 2.0; t3[l0], 0.0);
        let t5[i, j] = x0[i in 1..3, j] * x1[i, j];
        let t6[i, j] = t5[i, j] + t5[i, j];
        let t7[i, j] = t6[i, j] * x1[i, j];
        let t8[l__4, l1] = sum(p0; select(iota[l__4] == iota[p0] + 1.0; t7[p0, l1], 0.0));
        let r[i0, i1] = t0[i0, i1] + t2[i0, i1] + t4[i0, i1] + t8[i0, i1];
        r
    };
    agree(&r, &gradient.eval()?);
    Ok(())
}

/// Slopes of functions that have none everywhere, and the values of indices.
#[test]
fn signs_and_the_values_of_indices() -> Result<(), Error> {
    let x0 = numbers(&[6], 1);
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let most = max(i; x0[i]);
        let loss = sum(i; abs(x0[i]) * iota[i]) + most * most;
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        let t0 = max(i; x0[i]);
        let t1 = t0 + t0;
        let t2[i] = select(x0[i] == t0; 1.0, 0.0);
        let t3 = sum(i; t2[i]);
        let t4[i] = t1 * (t2[i] * (1.0 / t3));
        let t5[i] = iota[i] * select(x0[i] > 0.0; 1.0, select(x0[i] < 0.0; -1.0, x0[i]));
        let r[i0] = t4[i0] + t5[i0];
        r
    };
    agree(&r, &gradient.eval()?);
    Ok(())
}

/// Of complex numbers, by a tensor of which a diagonal and a column are read.
#[test]
fn derivatives_of_complex_diagonals() -> Result<(), Error> {
    let x0 = Tensor::<Complex<f64>>::from_fn([4, 4], |i| Complex::new(i[0] as f64 - 1.5, 1.0 - i[1] as f64))?;
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let loss = cast(f64; re(sum(i; abs(x0[i, i]) * x0[i, 1])));
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 4; l__1: 4;
        let t0[i] = conj(abs(x0[i, i]));
        let t1[l0, l__0] = select(iota[l__0] == 1.0; t0[l0], 0.0);
        let t2[i] = re(conj(x0[i, 1])) * select(x0[i, i] == 0.0; x0[i, i], (x0[i, i]) / abs(x0[i, i]));
        let t3[l0, l__1] = select(iota[l__1] == iota[l0]; t2[l0], 0.0);
        let r[i0, i1] = t1[i0, i1] + t3[i0, i1];
        r
    };
    let gradient = gradient.eval()?;
    assert!(r.iter().zip(&gradient).all(|(a, b)| (a - b).norm() < 1e-13), "{r} is not {gradient}");
    Ok(())
}

/// Rules of linear algebra multiply with triangles and identities, which the text makes of the values of indices.
#[test]
fn derivatives_of_linear_algebra() -> Result<(), Error> {
    let x0 = Tensor::<f64>::from_fn([3, 3], |i| if i[0] == i[1] { 4.0 + i[0] as f64 } else { 0.3 * (i[0] + i[1]) as f64 })?;
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let l[i, k] = cholesky(x0[i, j]);
        let loss = l[i, k] * l[i, k] * l[i, k];
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 3; l__1: 3;
        let t0[i, j] = x0[i, j];
        let t1[l0, l2] = cholesky(t0[l0, l1]);
        let t2[k, i] = conj(t1[i, k]);
        let t3[k, i] = conj(t1[i, k]);
        let t4[l__0, l__1] = select(iota[l__0] < iota[l__1]; 0.0, select(iota[l__0] == iota[l__1]; 0.5, 1.0));
        let t5[i, k] = t1[i, k] * t1[i, k] + t1[i, k] * t1[i, k] + t1[i, k] * t1[i, k];
        let t6[i, j] = t4[i, j] * conj(t1[k, i]) * t5[k, j];
        let t7[i, j] = 0.5 * t6[i, j] + 0.5 * conj(t6[j, i]);
        let t8[k, j] = t7[k, j];
        let t9[l1, l2] = triangular_solve(t3[l0, l1], t8[l0, l2]; upper);
        let t10[i, j] = conj(t9[j, i]);
        let t11[k, j] = t10[k, j];
        let t12[l1, l2] = triangular_solve(t2[l0, l1], t11[l0, l2]; upper);
        let r[i, j] = conj(t12[j, i]);
        r
    };
    agree(&r, &gradient.eval()?);
    Ok(())
}

/// Among complex numbers the values of indices have an order by their real parts.
#[test]
fn derivatives_of_complex_triangles() -> Result<(), Error> {
    let of = |i: &[usize]| Complex::new(if i[0] == i[1] { 4.0 } else { 0.3 }, 0.2 * (i[0] as f64 - i[1] as f64));
    let x0 = Tensor::<Complex<f64>>::from_fn([2, 2], of)?;
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let l[i, k] = cholesky(x0[i, j]);
        let loss = cast(f64; re(l[i, k] * l[i, k] * l[i, k]));
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 2; l__1: 2;
        let t0[i, j] = x0[i, j];
        let t1[l0, l2] = cholesky(t0[l0, l1]);
        let t2[k, i] = conj(t1[i, k]);
        let t3[k, i] = conj(t1[i, k]);
        let t4[l__0, l__1] = select(re(iota[l__0]) < re(iota[l__1]); 0.0, select(iota[l__0] == iota[l__1]; 0.5, 1.0));
        let t5[i, k] = conj(t1[i, k]) * conj(t1[i, k]) + conj(t1[i, k]) * conj(t1[i, k]) + conj(t1[i, k]) * conj(t1[i, k]);
        let t6[i, j] = t4[i, j] * conj(t1[k, i]) * t5[k, j];
        let t7[i, j] = 0.5 * t6[i, j] + 0.5 * conj(t6[j, i]);
        let t8[k, j] = t7[k, j];
        let t9[l1, l2] = triangular_solve(t3[l0, l1], t8[l0, l2]; upper);
        let t10[i, j] = conj(t9[j, i]);
        let t11[k, j] = t10[k, j];
        let t12[l1, l2] = triangular_solve(t2[l0, l1], t11[l0, l2]; upper);
        let r[i, j] = conj(t12[j, i]);
        r
    };
    let gradient = gradient.eval()?;
    assert!(r.iter().zip(&gradient).all(|(a, b)| (a - b).norm() < 1e-13), "{r} is not {gradient}");
    Ok(())
}

#[test]
fn derivatives_of_determinants_and_traces() -> Result<(), Error> {
    let x0 = numbers(&[3, 3], 1);
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let d = det(x0[i, j]);
        let s[i, j] = x0[i, k] * x0[k, j];
        let t = trace(s[i, j]);
        let loss = d * t;
        loss
    };
    let gradient = loss.grad(&x0)?;
    let explanation = Context::cpu().explain((&gradient,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 3; l__1: 3; l__2: 3; l__3: 3;
        let t0[l__0, l__1] = select(iota[l__0] == iota[l__1]; 1.0, 0.0);
        let t1[i, j] = x0[i, j];
        let t2 = det(t1[l0, l1]);
        let t3[i, j] = t0[i, j] * t2;
        let t4[k, j] = t3[i, j] * x0[i, k];
        let t5[i, k] = t3[i, j] * x0[k, j];
        let t6[i, j] = x0[i, k] * x0[k, j];
        let t7[i, j] = t6[i, j];
        let t8 = trace(t7[l0, l1]);
        let t9[i, j] = t1[i, j];
        let (t10[l0, l2], t11[l2], t12[l2, l1]) = svd(t9[l0, l1]);
        let t13[i, r] = t10[i, r];
        let t14 = det(t13[l0, l1]);
        let t15[r, j] = t12[r, j];
        let t16 = det(t15[l0, l1]);
        let t17 = t14 * t16;
        let t18[l__2, l__3] = select(iota[l__2] == iota[l__3]; 1.0, 0.0);
        let t19[r, q] = t11[q] * (1.0 - t18[r, q]) + t18[r, q];
        let t20[r] = prod(q; t19[r, q]);
        let t21[j, i] = t17 * conj(t12[r, j]) * t20[r] * conj(t10[i, r]);
        let t22[i, j] = t8 * conj(t21[j, i]);
        let r[i0, i1] = t4[i0, i1] + t5[i0, i1] + t22[i0, i1];
        r
    };
    agree(&r, &gradient.eval()?);
    Ok(())
}

#[test]
fn jacobians() -> Result<(), Error> {
    let x0 = numbers(&[2, 3], 1);
    let graph = Graph::new();
    let value = tensor! {
        in &graph;
        let value[i] = x0[i, j] * x0[i, j] * x0[i, 0];
        value
    };
    let jacobian = value.jacobian(&x0)?;
    let explanation = Context::cpu().explain((&jacobian,))?;
    assert!(explanation.equations().unwrap().missing().is_empty());
    let r = pasted! { explanation.equations().unwrap();
        where l__0: 2; l__1: 2; l__2: 3;
        let t0[l__0, l__1] = select(iota[l__0] == iota[l__1]; 1.0, 0.0);
        let t1[batch, i] = t0[batch, i] * (x0[i, j] * x0[i, j]);
        let t2[l0, l1, l__2] = select(iota[l__2] == 0.0; t1[l0, l1], 0.0);
        let t3[batch, i, j] = t0[batch, i] * x0[i, 0] * x0[i, j];
        let t4[batch, i, j] = t0[batch, i] * x0[i, 0] * x0[i, j];
        let r[batch, i0, i1] = t2[batch, i0, i1] + t3[batch, i0, i1] + t4[batch, i0, i1];
        r
    };
    agree(&r, &jacobian.eval()?);
    Ok(())
}

/// What has no words in the language is said, and nothing is left out in silence.
#[test]
fn what_cannot_be_written_is_named() -> Result<(), Error> {
    let x = numbers(&[3], 1);
    let twice = |x: f64| 2.0 * x;
    let double = x.at("i").map(&twice).record("i")?;
    let explanation = Context::cpu().explain((&double,))?;
    let equations = explanation.equations().unwrap();
    let what = "made by a function of the program";
    assert!(equations.missing().iter().any(|(name, reason)| name == "r" && reason == what), "{equations}");
    assert!(equations.to_string().contains(&format!("// r is {what}")), "{equations}");
    Ok(())
}
