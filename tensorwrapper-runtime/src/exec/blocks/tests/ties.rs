//! Equations over diagonals against dense ones: drawn, and what their results store.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::shape::Tiling;
use tensorwrapper_core::structure::Structure;

use super::super::super::context::Context;
use super::super::super::record::record;
use super::super::einsum_blocks;
use super::{filled, is_as_defined, same};
use crate::exec::RecordOperand;
use crate::tensor::{Blocks, Tensor};

/// Largest error of a sum of a few products of numbers of size 1.
const CLOSE: f64 = 1e-12;

fn drawn(rng: &mut StdRng, structure: &Structure) -> Blocks<f64> {
    Blocks::from_fn(structure, |_| rng.random_range(-1.0..1.0)).unwrap()
}

/// A diagonal of which some tiles may have no block.
fn diagonal(rng: &mut StdRng, cut: &Tiling) -> Blocks<f64> {
    let all = Structure::new([cut]);
    let kept: Vec<[usize; 1]> = (0..cut.len()).filter(|_| rng.random_bool(0.8)).map(|tile| [tile]).collect();
    let structure = if rng.random_bool(0.5) { all } else { all.with_blocks(kept).unwrap() };
    Blocks::diagonal(drawn(rng, &structure)).unwrap()
}

fn distance(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 {
    assert_eq!(a.extents(), b.extents());
    a.as_slice().iter().zip(b.as_slice()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Equations, and whether the first two axes of their results are tied.
const EQUATIONS: [(&str, bool); 38] = [
    ("[i, k] = D[i, j] * B[j, k]", false),
    ("[i, k] = B[i, j] * D[j, k]", false),
    ("[i, k] = D[i, j] * E[j, k]", true),
    ("[k, i] = D[i, j] * E[j, k]", true),
    ("[i, j] = D[i, j] + E[i, j]", true),
    ("[i, j] = 2.0 * D[i, j] - E[j, i] * F[i, j]", true),
    ("[i, j] = D[i, j] * B[i, j]", true),
    ("[i, j] = D[i, j] * B[i, j] + E[i, k] * D[k, j]", true),
    ("[i, j] = D[i, j] + B[i, j]", false),
    ("[i, j] = exp(D[i, j])", false),
    ("[i, j] = sin(D[i, j]) * B[i, j]", true),
    ("[i, j] = powi(D[i, j], 2) - abs(E[i, j])", true),
    ("[i, l] = D[i, j] * B[j, k] * E[k, l]", false),
    ("[i, l] = D[i, j] * E[j, k] * F[k, l]", true),
    ("[i, l] = D[i, j] * B[j, k] * E[k, l] + F[i, l]", false),
    ("[] = D[i, i]", false),
    ("[i] = max(j; D[i, j])", false),
    ("[j] = min(i; D[i, j] * B[i, j])", false),
    ("[i, j] = prod(k; D[i, k] + B[k, j])", false),
    ("[i] = max(k; D[i, k] * E[k, i] - F[i, k])", false),
    ("[] = D[i, j] * B[j, i]", false),
    ("[] = D[i, j] * E[j, i]", false),
    ("[i] = D[i, j]", false),
    ("[i] = D[i, j] * V[j]", false),
    ("[i, j] = D[i, j] * V[j]", true),
    ("[i, j] = sum(k; D[i, k] * B[k, j] - B[i, k] * E[k, j])", false),
    ("[i, j] = (D[i, k] + E[i, k]) * B[k, j]", false),
    ("[i, j] = D[i, k] * (B[k, j] + E[k, j])", false),
    ("[i, j, k, l] = D[i, j] * E[k, l]", true),
    ("[i, j] = D[i, j] / F[i, j] * H[i, j]", true),
    ("[i] = sum(k; D[i, k] + 2.0[i, k])", false),
    ("[i] = mean(k; D[i, k])", false),
    ("[] = mean(i, j; D[i, j] * B[i, j])", false),
    ("[i, j] = mean(k; D[i, k] * B[k, j])", false),
    ("[i, j] = select(D[i, j] > 0.0; D[i, j], 0.0)", true),
    ("[i, j] = select(B[i, j] > 0.0; D[i, j], E[i, j])", true),
    ("[i, j] = select(D[i, j] > 0.0; 1.0, B[i, j])", false),
    ("[i, j] = clip(D[i, j], -0.2, 0.3)", false),
];

#[test]
fn drawn_equations_of_diagonals() {
    let mut rng = StdRng::seed_from_u64(2331);
    let mut ties = 0;
    for (equation, is_tied) in EQUATIONS {
        for _ in 0..12 {
            let extents: Vec<usize> = (0..rng.random_range(1..4)).map(|_| rng.random_range(1..4)).collect();
            let cut = Tiling::cuts(extents.iter().copied());
            let other = Tiling::even(cut.extent(), 2);
            let [d, e, h] = [0; 3].map(|_| diagonal(&mut rng, &cut));
            let f = Blocks::diagonal(drawn(&mut rng, &Structure::new([&cut]))).unwrap();
            let b = drawn(&mut rng, &Structure::new([&other, &other]));
            let v = drawn(&mut rng, &Structure::new([&cut]));
            let dense: Vec<Tensor<f64>> = [&d, &e, &f, &h, &b, &v].iter().map(|t| t.to_dense().unwrap()).collect();
            let names = ["D", "E", "F", "H", "B", "V"];
            let read = |name: &&str| equation.split(|c: char| !c.is_ascii_uppercase()).any(|word| word == *name);
            let all = [&d, &e, &f, &h, &b, &v];
            let given: Vec<(&str, &dyn crate::RecordOperand<f64>)> =
                names.iter().zip(all).filter(|(name, _)| read(name)).map(|(name, t)| (*name, t as _)).collect();
            let plain: Vec<(&str, &dyn crate::RecordOperand<f64>)> =
                names.iter().zip(&dense).filter(|(name, _)| read(name)).map(|(name, t)| (*name, t as _)).collect();
            let result = Context::cpu().eval_blocks(equation, &given).unwrap_or_else(|error| panic!("{equation}: {error}"));
            is_as_defined(&result, &Context::reference().eval_blocks(equation, &given).unwrap(), equation);
            // Off the diagonal a quotient of zeros is zero here, and no number there.
            if !equation.contains('/') {
                let expected: Tensor<f64> = record(equation, &plain).unwrap().eval().unwrap();
                assert!(distance(&result.to_dense().unwrap(), &expected) < CLOSE, "{equation}");
            }
            assert_eq!(result.structure().ties().is_some(), is_tied, "{equation}");
            ties += usize::from(is_tied);
        }
    }
    assert!(ties > 100);
}

#[test]
fn long_diagonals_take_little() {
    let n = 100_000;
    let whole = Tiling::whole(n);
    let d = Blocks::diagonal(Blocks::<f64>::from_fn(&Structure::new([&whole]), |i| (1 + i[0] % 7) as f64).unwrap()).unwrap();
    let b = Tensor::<f64>::from_fn([n, 3], |i| (i[0] % 5 + i[1]) as f64).unwrap();
    let prepared = Context::cpu().prepare_blocks::<f64>("[i, k] = D[i, j] * B[j, k]", &[("D", &d), ("B", &b)]).unwrap();
    assert_eq!((prepared.multiplications(), d.bytes()), (3 * n as u128, 8 * n));
    let product = einsum_blocks("ij,jk->ik", &[&d, &b]).unwrap();
    assert_eq!(product.get(&[99_999, 2]).unwrap(), (1 + 99_999 % 7) as f64 * 6.0);
    let both = einsum_blocks("ij,jk->ik", &[&d, &d]).unwrap();
    assert_eq!((both.bytes(), both.get(&[8, 8]).unwrap(), both.structure()), (8 * n, 4.0, d.structure()));
    let x = both.inv([0]).unwrap();
    assert_eq!((x.bytes(), x.get(&[1, 1]).unwrap(), x.get(&[1, 2]).unwrap()), (8 * n, 0.25, 0.0));
    assert_eq!(d.matpow([0], 3).unwrap().get(&[1, 1]).unwrap(), 8.0);
    assert_eq!((d.expm([0]).unwrap().get(&[0, 0]).unwrap(), d.trace([0]).unwrap()), (1f64.exp(), 399_995.0));
    assert_eq!(d.solve([0], &product).unwrap().get(&[6, 2]).unwrap(), 3.0);
}

#[test]
fn charges_of_diagonals() {
    let bond = Tiling::cuts([2, 1]).charged([0, 1]).unwrap();
    let one = Blocks::<f64>::identity(&bond).unwrap();
    let b = Blocks::<f64>::from_fn(&Structure::new([&bond, &bond]).flow([1, -1], [0]).unwrap(), |i| (1 + i[0] + 3 * i[1]) as f64);
    let b = b.unwrap();
    let product = einsum_blocks("ij,jk->ik", &[&one, &b]).unwrap();
    assert_eq!((product.structure(), product.get(&[0, 1]).unwrap()), (b.structure(), 4.0));
    let twice = einsum_blocks("ij,jk->ik", &[&one, &one]).unwrap();
    assert_eq!(twice.structure(), one.structure());
    let error = einsum_blocks("ij,kj->ik", &[&one, &b]).unwrap_err();
    assert_eq!(error.to_string(), einsum_blocks("ij,kj->ik", &[&one.untied().unwrap(), &b]).unwrap_err().to_string());
    assert_eq!(one.inv([0]).unwrap().structure(), one.structure());
    // Slices and values of indices beside them change nothing.
    let (other, v) = (Blocks::<f64>::identity(&bond).unwrap(), b.slice(&[0..3, 0..1]).unwrap());
    let given: [(&str, &dyn RecordOperand<f64>); 3] = [("D", &one), ("E", &other), ("V", &v)];
    for (equation, valid, read) in [
        ("[i, j, l] = D[i, k] * E[j, k] * V[l in ..2, 0]", "[i, j, l] = D[i, k] * E[k, j] * V[l in ..2, 0]", 3),
        ("[i, j] = D[i, k] * E[j, k] * iota[j]", "[i, j] = D[i, k] * E[k, j] * iota[j]", 2),
        ("[i, j] = D[i, k] * E[j, k in ..3] * iota[j]", "[i, j] = D[i, k] * E[k in ..3, j] * iota[j]", 2),
    ] {
        let error = Context::cpu().eval_blocks(equation, &given[..read]).unwrap_err().to_string();
        assert!(error.starts_with("index `k` leaves both `D` and `E`"), "{equation}: {error}");
        Context::cpu().eval_blocks(valid, &given[..read]).unwrap();
    }
}

#[test]
fn functions_of_diagonals() {
    let cut = Tiling::cuts([1, 2]);
    let d = |numbers: [f64; 3]| {
        Blocks::diagonal(Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| numbers[i[0]]).unwrap()).unwrap()
    };
    let told = |result: Result<Blocks<f64>, crate::Error>| result.unwrap_err().to_string();
    assert_eq!(told(d([1.0, 0.0, 2.0]).inv([0])), "the matrix of `inv` is singular: its block [1, 1] has a zero on the diagonal");
    assert!(told(d([1.0, -1.0, 2.0]).cholesky([0])).contains("in its block [1, 1] is not positive"));
    let part =
        Blocks::diagonal(Blocks::<f64>::filled(&Structure::new([&cut]).with_blocks([[1]]).unwrap(), 2.0).unwrap()).unwrap();
    assert_eq!(told(part.inv([0])), "the matrix of `inv` is singular: the row of tiles [0] has no block");
    let e = part.expm([0]).unwrap();
    assert_eq!((e.get(&[0, 0]).unwrap(), e.get(&[2, 2]).unwrap()), (1.0, 2f64.exp()));
    assert_eq!((part.det([0]).unwrap(), part.trace([0]).unwrap(), part.slogdet([0]).unwrap().0), (0.0, 4.0, 0.0));
    let l = d([4.0, 9.0, 1.0]).cholesky([1]).unwrap();
    assert_eq!((l.get(&[1, 1]).unwrap(), d([4.0, 9.0, 1.0]).slogdet([0]).unwrap().1), (3.0, 4f64.ln() + 9f64.ln()));
    // Values stand in the order of the diagonal.
    let (values, _) = d([3.0, 1.0, 2.0]).eigh([0]).unwrap();
    assert_eq!(values.to_dense().unwrap().as_slice(), [3.0, 1.0, 2.0]);
    assert!(d([1.0; 3]).matpow([0], -2).unwrap().structure().ties().is_some());
    let packed = Blocks::<f64>::from_packed(&Structure::new([&cut; 2]), true, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    assert_eq!(packed.to_dense().unwrap().as_slice(), [1.0, 2.0, 4.0, 0.0, 3.0, 5.0, 0.0, 0.0, 6.0]);
    assert_eq!(packed.to_packed(false).unwrap(), [1.0, 0.0, 0.0, 3.0, 0.0, 6.0]);
}

/// Factors of a diagonal are those of the same matrix with its zeros, where each tile has one row.
fn factors_agree<T: Element>(numbers: &[T]) {
    let each = Tiling::each(numbers.len());
    let a = Blocks::diagonal(Blocks::<T>::from_fn(&Structure::new([&each]), |i| numbers[i[0]]).unwrap()).unwrap();
    let whole = a.untied().unwrap();
    let same = |one: &Blocks<T>, other: &Blocks<T>| {
        let (one, other) = (one.to_dense().unwrap(), other.to_dense().unwrap());
        let close = |(x, y): (&T, &T)| (x.to_complex() - y.to_complex()).norm() < CLOSE;
        assert!(one.as_slice().iter().zip(other.as_slice()).all(close), "{one:?} is not {other:?}");
    };
    let values = |one: &Blocks<T::Real>, other: &Blocks<T::Real>| {
        let numbers = |of: &Blocks<T::Real>| of.slab().iter().map(|x| x.to_complex().re).collect::<Vec<f64>>();
        assert!(numbers(one).iter().zip(numbers(other)).all(|(x, y)| (x - y).abs() < CLOSE));
    };
    for rows in [[0], [1]] {
        let ((u, s, v), (u2, s2, v2)) = (a.svd(rows).unwrap(), whole.svd(rows).unwrap());
        same(&u, &u2);
        values(&s, &s2);
        same(&v, &v2);
        let ((q, r), (q2, r2)) = (a.qr(rows).unwrap(), whole.qr(rows).unwrap());
        same(&q, &q2);
        same(&r, &r2);
        let ((l, q), (l2, q2)) = (a.lq(rows).unwrap(), whole.lq(rows).unwrap());
        same(&l, &l2);
        same(&q, &q2);
        let ((e, x), (e2, x2)) = (a.eigh(rows).unwrap(), whole.eigh(rows).unwrap());
        values(&e, &e2);
        same(&x, &x2);
        assert!([&u, &v, &q, &r, &l, &x].iter().all(|factor| factor.structure().ties().is_some()));
    }
}

#[test]
fn factors_of_diagonals() {
    factors_agree(&[2.0, -3.0, 0.0, 0.5]);
    factors_agree(&[2.0f32, -3.0]);
    factors_agree(&[Complex::new(3.0, 4.0), Complex::new(0.0, -2.0), Complex::ZERO, Complex::new(-1.0, 0.0)]);
    let mut rng = StdRng::seed_from_u64(2335);
    let bond = Tiling::cuts([2, 0, 1]).charged([0, 2, 1]).unwrap();
    for cut in [Tiling::cuts([1, 3, 2]), bond] {
        for _ in 0..8 {
            let a = diagonal(&mut rng, &cut);
            let expected = a.to_dense().unwrap();
            let product = |left: &Blocks<f64>, right: &Blocks<f64>| einsum_blocks("ij,jk->ik", &[left, right]).unwrap();
            for rows in [0, 1] {
                // A diagonal is its own transpose.
                let (u, s, v) = a.svd([rows]).unwrap();
                let middle = einsum_blocks("ij,j,jk->ik", &[&u, &s, &v]).unwrap();
                assert!(s.slab().iter().all(|&s| s >= 0.0));
                let (q, r) = a.qr([rows]).unwrap();
                let (l, o) = a.lq([rows]).unwrap();
                for again in [middle, product(&q, &r), product(&l, &o)] {
                    assert!(distance(&again.to_dense().unwrap(), &expected) < CLOSE);
                    assert_eq!(again.structure().charge_flow().is_some(), a.structure().charge_flow().is_some());
                }
                let (values, vectors) = a.eigh([rows]).unwrap();
                let left = einsum_blocks(["ij,jk->ik", "ji,jk->ik"][rows], &[&a, &vectors]).unwrap().to_dense().unwrap();
                let right = einsum_blocks("ik,k->ik", &[&vectors, &values]).unwrap();
                assert!(distance(&left, &right.to_dense().unwrap()) < CLOSE);
            }
        }
    }
    let long = Blocks::diagonal(Blocks::<f64>::filled(&Structure::new([&Tiling::whole(100_000)]), -2.0).unwrap()).unwrap();
    let (u, s, v) = long.svd([0]).unwrap();
    assert_eq!((u.bytes(), s.bytes(), v.get(&[7, 7]).unwrap()), (800_000, 800_000, -1.0));
    // Of what is cut off, what is left is found without the matrix, which would take 80 gigabytes.
    let (u, s, v, _) = long.svd_cut([0], &crate::Truncation::none().max(2)).unwrap();
    assert_eq!((u.bytes(), s.slab(), v.bytes()), (1_600_000, &[2.0, 2.0][..], 1_600_000));
    assert_eq!((u.get(&[1, 1]).unwrap(), u.get(&[1, 0]).unwrap(), v.get(&[1, 1]).unwrap()), (1.0, 0.0, -1.0));
    let limited = Context::cpu().memory_limit(1_000_000).svd_cut_blocks(&long, [0], &crate::Truncation::none().max(2));
    assert!(limited.unwrap_err().to_string().contains("1000000"));
    for max in 1..6 {
        let cut = Tiling::cuts([2, 0, 3, 1]).charged([0, 1, 2, 0]).unwrap();
        let a = diagonal(&mut rng, &cut);
        let truncation = crate::Truncation::none().max(max);
        for rows in [0, 1] {
            let (u, s, v, lost) = a.svd_cut([rows], &truncation).unwrap();
            let (u2, s2, v2, lost2) = a.untied().unwrap().svd_cut([rows], &truncation).unwrap();
            assert!((lost - lost2).abs() < CLOSE, "{lost} is not {lost2}");
            for (own, other) in [(&u, &u2), (&s, &s2), (&v, &v2)] {
                assert_eq!(own.structure(), other.structure());
            }
            let product = |u: &Blocks<f64>, s: &Blocks<f64>, v: &Blocks<f64>| {
                einsum_blocks("ij,j,jk->ik", &[u, s, v]).unwrap().to_dense().unwrap()
            };
            assert!(distance(&product(&u, &s, &v), &product(&u2, &s2, &v2)) < CLOSE);
        }
    }
    // What is cut off leaves no diagonal.
    let some = Blocks::diagonal(drawn(&mut rng, &Structure::new([&Tiling::cuts([2, 2])]))).unwrap();
    let (u, s, _, discarded) = some.svd_cut([0], &crate::Truncation::none().max(3)).unwrap();
    assert!(u.structure().ties().is_none() && s.slab().len() == 3 && discarded > 0.0);
    assert!(some.svd_cut([0], &crate::Truncation::none().tol(f64::NAN)).is_err());
    let wrong = Blocks::diagonal(Blocks::<f64>::filled(&Structure::new([&Tiling::whole(2)]), f64::NAN).unwrap()).unwrap();
    assert!(wrong.qr([0]).unwrap_err().to_string().contains("holds NaN or infinity"));
}

#[test]
fn three_axes_may_be_tied() {
    let cut = Tiling::cuts([2, 1]);
    let delta = Blocks::<f64>::from_fn(&Structure::new([&cut; 3]).tied([0, 1, 2]).unwrap(), |i| (1 + i[0]) as f64).unwrap();
    assert_eq!((delta.get(&[2, 2, 2]).unwrap(), delta.get(&[2, 1, 2]).unwrap(), delta.bytes()), (3.0, 0.0, 24));
    let dense = delta.to_dense().unwrap();
    let b = Blocks::<f64>::from_fn(&Structure::new([&cut; 2]), |i| (1 + i[0] + 2 * i[1]) as f64).unwrap();
    for subscripts in ["ijk,jl->ikl", "ijk,jl,kl->i", "ijk,kj->i", "iij,jk->k"] {
        let given: Vec<&dyn crate::DynOperand<f64>> =
            if subscripts.matches(',').count() == 2 { vec![&delta, &b, &b] } else { vec![&delta, &b] };
        let whole = b.to_dense().unwrap();
        let plain: Vec<&dyn crate::DynOperand<f64>> =
            if given.len() == 3 { vec![&dense, &whole, &whole] } else { vec![&dense, &whole] };
        let result = einsum_blocks(subscripts, &given).unwrap().to_dense().unwrap();
        assert!(distance(&result, &crate::exec::einsum(subscripts, &plain).unwrap()) < CLOSE, "{subscripts}");
    }
    let again = Blocks::from_dense(&dense, delta.structure()).unwrap();
    assert_eq!(
        (again.slab(), delta.untied().unwrap().slab()),
        (delta.slab(), Blocks::from_dense(&dense, &delta.structure().untied().unwrap()).unwrap().slab())
    );
}

#[test]
fn slices_and_indices_stand_beside_diagonals() {
    let cut = Tiling::cuts([2, 1]);
    let values = Blocks::<f64>::from_fn(&Structure::new([&cut]), |i| (2 + 3 * i[0]) as f64).unwrap();
    let d = Blocks::diagonal(values).unwrap();
    let b = Blocks::<f64>::from_fn(&Structure::new([&cut; 2]), |i| (1 + i[0] + 2 * i[1]) as f64).unwrap();
    // With whether the result is a diagonal.
    let equations = [
        ("[i, j] = D[i, j] * iota[j]", true),
        ("[i, j] = iota[i] * D[i, j] * iota[j] - D[i, j]", true),
        ("[i, j] = select(iota[i] > 0.5; D[i, j], 0.0)", true),
        ("[i, j] = D[i, j] + iota[i] * B[i, j]", false),
        ("[i] = D[i, k] * iota[k]", false),
        ("[] = D[i, k] * iota[i] * iota[k]", false),
        ("[i] = D[i, 0]", false),
        ("[i] = D[i in 1..3, 2]", false),
        ("[i, j] = D[i in 1..3, k] * D[k, l] * B[l, j in ..2]", false),
        ("[i, j] = D[i, j] * B[1, j]", true),
        ("[i, j] = D[i, k] * B[k, j] * iota[j] + D[2, i] * D[j, 1]", false),
        ("[j] = max(i; D[i, j] - 0.5 * D[0, j] * iota[i])", false),
    ];
    for (equation, is_tied) in equations {
        let read = |name: &str| equation.contains(&format!("{name}["));
        let given: Vec<(&str, &dyn RecordOperand<f64>)> =
            [("D", &d), ("B", &b)].into_iter().filter(|(name, _)| read(name)).map(|(name, tensor)| (name, tensor as _)).collect();
        let expected = record::<f64>(equation, &given).unwrap().eval().unwrap();
        for context in [Context::reference(), Context::cpu()] {
            let found = context.eval_blocks(equation, &given).unwrap();
            assert_eq!(found.to_dense().unwrap(), expected, "{equation}");
            assert_eq!(found.structure().ties().is_some(), is_tied, "{equation}");
        }
    }
    let error = Context::cpu().eval_blocks::<f64>("[i] = D[i, 3]", &[("D", &d)]).unwrap_err().to_string();
    assert!(error.contains('3') && error.contains("`D`"), "{error}");
}

#[test]
fn diagonals_in_layers() {
    let values = Blocks::<f64>::from_fn(&Structure::new([&Tiling::cuts([1, 2])]), |i| i[0] as f64).unwrap();
    let d = Blocks::diagonal(values).unwrap().nested([1, 1]).unwrap();
    let twice: Blocks<f64> = Context::cpu().eval_blocks("[i; j] = 2.0 * D[i; j]", &[("D", &d)]).unwrap();
    assert_eq!((twice.structure().layers(), twice.structure().ties().is_some()), (vec![1, 1], true));
    assert_eq!(twice.get(&[2, 2]).unwrap(), 4.0);
}

/// A product over nothing is one beside a diagonal, too.
#[test]
fn products_over_nothing_are_not_tied() {
    let (cut, none) = (Tiling::cuts([2, 1]), Tiling::whole(0));
    let mut rng = StdRng::seed_from_u64(2397);
    let d = Blocks::diagonal(filled::<f64>(&mut rng, &Structure::new([&cut]))).unwrap();
    let z = filled::<f64>(&mut rng, &Structure::new([&none]));
    let ones = Context::cpu().eval_blocks::<f64>("[i, j] = prod(k; D[i, j] * Z[k])", &[("D", &d), ("Z", &z)]).unwrap();
    same(&ones, &Tensor::filled([3, 3], 1.0).unwrap(), "a product over nothing");
    // A product over something is a diagonal, whatever has the index.
    let v = filled::<f64>(&mut rng, &Structure::new([&Tiling::whole(4)]));
    let names: [(&str, &dyn RecordOperand<f64>); 3] = [("D", &d), ("V", &v), ("Z", &z)];
    for (equation, is_tied) in [
        ("[i, j] = prod(k; D[i, j] * V[k])", true),
        ("[i, j] = prod(k; D[i, j] * V[k in 0..2])", true),
        ("[i, j] = prod(k; D[i, j] * V[k in 2..2])", false),
        ("[i, j] = prod(k; D[i, j] * (iota[k] + V[k] - V[k]))", true),
    ] {
        let read: Vec<_> = names.into_iter().filter(|(name, _)| equation.contains(&format!("{name}["))).collect();
        let found = Context::cpu().eval_blocks::<f64>(equation, &read).unwrap();
        assert_eq!(found.structure().ties().is_some(), is_tied, "{equation}");
        is_as_defined(&found, &Context::reference().eval_blocks(equation, &read).unwrap(), equation);
        same(&found, &record::<f64>(equation, &read).unwrap().eval().unwrap(), equation);
    }
}
