//! Symmetries of block equations' results: what is inferred of many axes, and claims that are proved or refused.

use num_complex::Complex;
use tensorwrapper::{Blocks, Extents, Sign, Structure, Symmetry, Tensor, Tiling, tensor, try_tensor};

use super::block_tensors::{blocks, same};

/// A tensor whose axes have two indices each, in a tile of their own.
fn many(symmetry: Symmetry) -> Blocks<f64> {
    let cut = Tiling::cuts([1, 1]);
    blocks(&Structure::new(&vec![cut; symmetry.rank()]).with(symmetry).unwrap())
}

fn same_complex<S: Extents, S2: Extents>(found: &Blocks<Complex<f64>, S>, expected: &Tensor<Complex<f64>, S2>) {
    let dense = found.to_dense().unwrap();
    assert_eq!(dense.extents(), expected.extents());
    for (a, b) in dense.as_slice().iter().zip(expected.as_slice()) {
        assert!((a - b).norm() <= 1e-12 * (1.0 + b.norm()), "{a} is not {b} in {found:?}");
    }
}

/// The sentence of a claim that does not follow.
fn refused<R>(result: Result<R, tensorwrapper::Error>, adjective: &str, labels: &str) {
    let Err(error) = result else { panic!("a claim that does not hold was believed") };
    let sentence = format!("the left side is claimed to be {adjective} in {labels}, but the right side is not known to be");
    assert!(error.to_string().starts_with(&sentence), "{error}");
}

#[test]
fn symmetries_of_seven_and_eight_axes_carry_over() {
    let none = Symmetry::none(7);
    let groups = [
        none.exchange(&[0, 1, 2], &[3, 4, 5], Sign::Minus).unwrap(),
        none.generator(&[1, 2, 0, 3, 4, 5, 6], Sign::Plus, false).unwrap(),
        none.generator(&[1, 2, 3, 4, 5, 6, 0], Sign::Plus, false).unwrap(),
    ];
    for group in groups {
        let (a, cut) = (many(group.clone()), Tiling::cuts([1, 1]));
        let twice = tensor!([a, b, c, d, e, f, g] = 2.0 * a[a, b, c, d, e, f, g]);
        assert_eq!(*twice.structure().symmetry(), group);
        let x = a.to_dense().unwrap();
        same(&twice, &tensor!([a, b, c, d, e, f, g] = 2.0 * x[a, b, c, d, e, f, g]));
        // Element by element, and beside a label more.
        let sine = tensor!([a, b, c, d, e, f, g] = sin(a[a, b, c, d, e, f, g]));
        assert_eq!(*sine.structure().symmetry(), group);
        same(&sine, &tensor!([a, b, c, d, e, f, g] = sin(x[a, b, c, d, e, f, g])));
        let v = blocks(&Structure::new([&cut]));
        let outer = tensor!([h, a, b, c, d, e, f, g] = v[h] * a[a, b, c, d, e, f, g]);
        assert_eq!(outer.structure().symmetry().order(), group.order());
        // With the axes in another order, the group moves with them.
        let turned = tensor!([g, f, e, d, c, b, a] = 2.0 * a[a, b, c, d, e, f, g]);
        assert_eq!(turned.structure().symmetry().order(), group.order());
        same(&tensor!([a, b, c, d, e, f, g] = 0.5 * turned[g, f, e, d, c, b, a]), &x);
    }
    // Four pairs of axes change places because the factors do.
    let a = many(Symmetry::none(4));
    let square = tensor!([i, j, k, l, m, n, o, p] = a[i, j, k, l] * a[m, n, o, p]);
    let exchange = Symmetry::none(8).exchange(&[0, 1, 2, 3], &[4, 5, 6, 7], Sign::Plus).unwrap();
    assert_eq!(*square.structure().symmetry(), exchange);
    let x = a.to_dense().unwrap();
    same(&square, &tensor!([i, j, k, l, m, n, o, p] = x[i, j, k, l] * x[m, n, o, p]));
}

#[test]
fn what_is_cut_otherwise_is_no_image() {
    let (one, other) = (Tiling::cuts([1, 2]), Tiling::cuts([2, 1]));
    let a = blocks(&Structure::new([&one, &one, &one]));
    let b = tensor!([a, b, c, d, e, f, g] = a[a, b, c] * a[d, e, f] * a[g, g, g]);
    // What is said to be cut otherwise is no image.
    let cut = tensor!([a, b, c, d, e, f, g] = a[a, b, c] * a[d, e, f] * a[g, g, g] where a: &other);
    assert_eq!((b.structure().symmetry().order(), cut.structure().symmetry().order()), (2, 1));
    same(&cut, &b.to_dense().unwrap());
}

#[test]
fn claims_of_groups_of_three_are_proved_or_refused() {
    let none = Symmetry::none(7);
    let a = many(none.exchange(&[0, 1, 2], &[3, 4, 5], Sign::Plus).unwrap());
    let known = tensor!([i, j, k, l, m, n, p] = 2.0 * a[i, j, k, l, m, n, p] where sym((i, j, k), (l, m, n)));
    assert_eq!(known.structure().symmetry(), a.structure().symmetry());
    let wrong = try_tensor!([i, j, k, l, m, n, p] = 2.0 * a[i, j, k, l, m, n, p] where sym((i, j, k), (m, l, n)));
    refused(wrong, "symmetric", "(`i`, `j`, `k`), (`m`, `l`, `n`)");
    // No pair of factors may change places alone, so that nothing but the claim leads to this one.
    let cut = Tiling::cuts([1, 1]);
    let [b, c, d] = [0.5, 1.5, 2.5].map(|by| {
        Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (by * (1 + i[0]) as f64 + i[1] as f64).sin()).unwrap()
    });
    let e = blocks(&Structure::new([&cut]));
    let plain = tensor!([i, j, k, l, m, n, p] = b[i, x] * b[l, y] * c[j, x] * c[m, y] * d[k, x] * d[n, y] * e[p]);
    let claimed = tensor!(
        [i, j, k, l, m, n, p] = b[i, x] * b[l, y] * c[j, x] * c[m, y] * d[k, x] * d[n, y] * e[p]
        where sym((i, j, k), (l, m, n))
    );
    assert_eq!(claimed.structure().symmetry(), a.structure().symmetry());
    same(&claimed, &plain.to_dense().unwrap());
}

#[test]
fn antisymmetry_in_three_indices_is_proved_or_refused() {
    let cut = Tiling::cuts([2, 1, 1]);
    let antisymmetric = Symmetry::none(3).antisymmetric([0, 1, 2]).unwrap();
    let t = blocks(&Structure::new([&cut, &cut, &cut]).with(antisymmetric.clone()).unwrap());
    let [c, d] = [0.5, 1.5].map(|by| {
        Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (by * (1 + i[0]) as f64 + i[1] as f64).sin()).unwrap()
    });
    let turned = tensor!([i, j, k] = t[p, q, r] * c[p, i] * c[q, j] * c[r, k] where asym(i, j, k));
    assert_eq!(*turned.structure().symmetry(), antisymmetric);
    let [x, y, z] = [t.to_dense().unwrap(), c.to_dense().unwrap(), d.to_dense().unwrap()];
    same(&turned, &tensor!([i, j, k] = x[p, q, r] * y[p, i] * y[q, j] * y[r, k]));
    assert!(turned.get(&[0, 1, 3]).unwrap() != 0.0);
    let wrong = try_tensor!([i, j, k] = t[p, q, r] * c[p, i] * c[q, j] * d[r, k] where asym(i, j, k));
    // What exchanges three indices is no function of a tensor.
    let sentence = wrong.as_ref().unwrap_err().to_string();
    assert!(sentence.ends_with("help: if it is, write `where assume asym(i, j, k)`"), "{sentence}");
    refused(wrong, "antisymmetric", "`i`, `j`, `k`");
    // Of two of them it is true.
    let pair = tensor!([i, j, k] = t[p, q, r] * c[p, i] * c[q, j] * d[r, k] where asym(i, j));
    assert_eq!(*pair.structure().symmetry(), Symmetry::none(3).antisymmetric([0, 1]).unwrap());
    same(&pair, &tensor!([i, j, k] = x[p, q, r] * y[p, i] * y[q, j] * z[r, k]));
    // Of all orders with their signs, whatever the factors are; with one wrong sign it is nothing.
    let [u, v, w] =
        [0.5, 1.5, 2.5].map(|by| Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| (by * i[0] as f64).cos()).unwrap());
    let all = tensor!(
        [i, j, k] = u[i] * v[j] * w[k] + u[j] * v[k] * w[i] + u[k] * v[i] * w[j]
            - u[j] * v[i] * w[k] - u[k] * v[j] * w[i] - u[i] * v[k] * w[j]
        where asym(i, j, k)
    );
    assert_eq!(*all.structure().symmetry(), antisymmetric);
    let [u3, v3, w3] = [&u, &v, &w].map(|of| of.to_dense().unwrap());
    let cyclic = tensor!([i, j, k] = u3[i] * v3[j] * w3[k] + u3[j] * v3[k] * w3[i] + u3[k] * v3[i] * w3[j]);
    same(&all, &tensor!([i, j, k] = cyclic[i, j, k] - cyclic[j, i, k]));
    let wrong = try_tensor!(
        [i, j, k] = u[i] * v[j] * w[k] + u[j] * v[k] * w[i] + u[k] * v[i] * w[j]
            - u[j] * v[i] * w[k] - u[k] * v[j] * w[i] + u[i] * v[k] * w[j]
        where asym(i, j, k)
    );
    refused(wrong, "antisymmetric", "`i`, `j`, `k`");
}

#[test]
fn hermitian_results_are_proved_or_refused() {
    let cut = Tiling::cuts([2, 1, 1]);
    let pair = Structure::new([&cut, &cut]);
    let complex = |i: &[usize]| Complex::new((i[0] as f64 + 0.5).sin() * (1 + i[1]) as f64, (i[0] + 3 * i[1]) as f64 / 4.0);
    let hermitian = Symmetry::none(2).hermitian(0, 1).unwrap();
    let c = Blocks::<Complex<f64>>::from_fn(&pair, complex).unwrap();
    let h = Blocks::<Complex<f64>>::from_fn(&pair.with(hermitian.clone()).unwrap(), complex).unwrap();
    let (x, y) = (c.to_dense().unwrap(), h.to_dense().unwrap());
    let turned = tensor!([p, q] = conj(c[i, p]) * h[i, j] * c[j, q] where herm(p, q));
    assert_eq!(*turned.structure().symmetry(), hermitian);
    same_complex(&turned, &tensor!([p, q] = conj(x[i, p]) * y[i, j] * x[j, q]));
    assert!(turned.get(&[0, 1]).unwrap().im != 0.0);
    let gram = tensor!([p, q] = 2.0 * c[p, i] * conj(c[q, i]) where herm(p, q));
    assert_eq!(*gram.structure().symmetry(), hermitian);
    same_complex(&gram, &tensor!([p, q] = 2.0 * x[p, i] * conj(x[q, i])));
    // Without the conjugate it is not, and it is not symmetric either.
    refused(try_tensor!([p, q] = c[i, p] * h[i, j] * c[j, q] where herm(p, q)), "Hermitian", "`p`, `q`");
    refused(try_tensor!([p, q] = conj(c[i, p]) * h[i, j] * c[j, q] where sym(p, q)), "symmetric", "`p`, `q`");
    // Symmetric, and so not Hermitian.
    refused(try_tensor!([p, q] = c[p, i] * c[q, i] where herm(p, q)), "Hermitian", "`p`, `q`");
    // Real numbers do not notice conjugation.
    let a = blocks(&pair);
    let real = tensor!([p, q] = a[p, i] * a[q, i] where herm(p, q));
    assert_eq!(*real.structure().symmetry(), Symmetry::none(2).symmetric([0, 1]).unwrap());
}
