//! Blocks: names, headers, contexts and values.

use super::{Outcome, assert_close, assert_type, reference, sample};
use tensorwrapper::prelude::*;

#[test]
fn values_of_a_block() -> Outcome {
    let a = sample::<Shape>([2, 2], 1);
    let b = reference(&(a.at("ik") * a.at("kj")), "ij");
    // A name, a tuple, an equation in value form, a number, nothing.
    let named = tensor! { let b[i, j] = a[i, k] * a[k, j]; b };
    assert_close(&named, &b);
    let (b1, c1, t1) = tensor! {
        let b[i, j] = a[i, k] * a[k, j];
        let c[i] = b[i, i];
        let t = c[i] * 1[i];
        (b, c, t)
    };
    assert_close(&b1, &b);
    assert_type::<f64>(&t1);
    assert!((t1 - c1.as_slice().iter().sum::<f64>()).abs() < 1e-13);
    let (only,) = tensor! { let b[i] = a[i, i]; (b,) };
    assert_close(&only, &reference(&a.at("ii"), "i"));
    let last = tensor! { let b[i, j] = a[i, k] * a[k, j]; [j, i] = b[i, j] - a[j, i] };
    assert_close(&last, &reference(&(b.at("ij") - a.at("ji")), "ji"));
    let mut c = a.clone();
    assert_type::<()>(&tensor! { let b[i] = a[i, i]; c[i, j] = b[i] * b[j]; });
    assert_type::<()>(&tensor! { c[i, j] += a[i, j]; () });
    let d = reference(&(a.at("ii") * a.at("jj") + a.at("ij")), "ij");
    assert_close(&c, &d);
    // The same name twice, and a name beside what is made of it.
    let (x, y, z) = tensor! { let x[i] = a[i, i]; let y[j] = x[j]; (x, y, x) };
    assert_eq!((x.as_slice(), x.as_slice()), (y.as_slice(), z.as_slice()));
    Ok(())
}

#[test]
fn numbers_and_rank_zero() {
    let a = sample::<Shape>([2, 2], 1);
    let (e, e0, b) = tensor! {
        let e = a[i, j] * a[i, j];
        let e0[] = a[i, i];
        let b[i, j] = a[i, j] / e + e0 * a[j, i] - e0[] * a[j, i];
        (e, e0, b)
    };
    assert_type::<f64>(&e);
    assert_type::<Tensor<f64, Shape![]>>(&e0);
    assert!((e0[[]] - a[[0, 0]] - a[[1, 1]]).abs() < 1e-14);
    assert_close(&b, &reference(&(a.at("ij") / e), "ij"));
}

#[test]
fn names_shadow() {
    let (a, x) = (sample([2, 2], 1), sample::<Shape>([2], 2));
    let found = tensor! {
        let x[i] = a[i, k] * x[k];
        let x[i] = a[i, k] * x[k];
        let a[i] = x[i] * x[i];
        [i] = a[i] + x[i]
    };
    let two = reference(&(a.at("ik") * a.at("kl") * x.at("l")), "i");
    assert_close(&found, &reference(&(two.at("i") * two.at("i") + two.at("i")), "i"));
    // A number shadows a tensor, and the reverse.
    let (n, x) = tensor! { let x = x[i] * x[i]; let n = 2.0 * x; let x[i] = x * a[i, i]; (n, x) };
    assert_close(&x, &reference(&(0.5 * n * a.at("ii")), "i"));
    // A block-local name in place of a written tensor.
    let mut c = a.clone();
    let inner = tensor! { c[i, j] *= 2.0; let c[i] = c[i, i]; c };
    assert_eq!((inner.rank(), c.rank()), (1, 2));
    assert_eq!(inner[[1]], c[[1, 1]]);
}

#[test]
fn ranges_declared_in_a_header() {
    let (nocc, nvir) = (2, 3);
    let (t1, v) = (sample([2, 3], 1), sample([2, 2, 3, 3], 2));
    let e = tensor! {
        where i, j: nocc; a, b: nvir;
        let tau[i, j, a, b] = t1[i, a] * t1[j, b];
        let e = v[i, j, a, b] * (2.0 * tau[i, j, a, b] - tau[i, j, b, a]);
        e
    };
    let expected = 2.0 * v.at("ijab") * t1.at("ia") * t1.at("jb") - v.at("ijab") * t1.at("ib") * t1.at("ja");
    assert!((e - reference(&expected, "")[[]]).abs() < 1e-12);
    // Written twice, with literals; known extents are part of the type.
    let x = tensor! {
        where i: 2;
        where a: { nvir };
        let x[i, a] = 2.0 * t1[i, a];
        x
    };
    assert_type::<Tensor<f64, Shape![2, _]>>(&x);
    // An equation's own `where` comes first.
    assert_eq!(tensor! { where i: 7; [i] = 1[i] where i: 4 }.extents(), [4]);
}

#[test]
fn declared_ranges_are_checked() {
    let a = sample::<Shape>([2, 3], 1);
    let n = 4;
    let error = try_tensor! { where i: n; let b[i] = a[i, k]; b }.unwrap_err();
    assert_eq!(error.to_string(), "index `i` has extent 2 in `a` but 4 in `where`");
}

#[test]
fn a_context_by_name() -> Outcome {
    struct Setup {
        context: Context,
    }
    let a = sample::<Shape>([3, 3], 1);
    let expected = reference(&(a.at("ik") * a.at("kl") * a.at("lj")), "ij");
    let setup = Setup { context: Context::reference() };
    for context in [Context::cpu(), Context::cpu().threads(1), Context::reference(), setup.context.clone()] {
        assert_close(&tensor! { in &context; [i, j] = a[i, k] * a[k, l] * a[l, j] }, &expected);
        let mut c = a.clone();
        try_tensor! { in &context; c[i, j] = a[i, k] * a[k, l] * a[l, j]; }?;
        assert_close(&c, &expected);
    }
    let found = tensor! { in &setup.context; where i: 3; let b[i, j] = a[i, k] * a[k, l] * a[l, j]; b };
    assert_close(&found, &expected);
    let borrowed = &setup.context;
    assert_close(&tensor! { in borrowed; [i, j] = a[i, k] * a[k, l] * a[l, j] }, &expected);
    Ok(())
}

#[test]
fn the_result_form() {
    let a = sample::<Shape>([2, 3], 1);
    let found: Result<Tensor<f64, Shape![_]>, Error> = try_tensor!([i] = a[i, k] * a[i, k]);
    assert_close(&found.unwrap(), &reference(&(a.at("ik") * a.at("ik")), "i"));
    let mut c = a.clone();
    let written: Result<(), Error> = try_tensor!(c[i, j] += a[i, j]);
    assert!(written.is_ok());
    let both: Result<(f64, Tensor<f64, Shape![_]>), Error> = try_tensor! { let e = c[i, j]; let d[i] = c[i, 0]; (e, d) };
    assert!((both.unwrap().0 - reference(&c.at("ij"), "")[[]]).abs() < 1e-12);
}
