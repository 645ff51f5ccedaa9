//! Blocks whose operands share memory, whose numbers are at the ends of what elements hold, and whose results differ in type alone.

use num_complex::Complex;
use tensorwrapper::prelude::*;
use tensorwrapper::{AnyOperand, Blocks, Pass, Structure, Tiling, eval_all};

fn counted(extents: &[usize], scale: f64) -> Tensor<f64> {
    let mut n = 0.0;
    Tensor::from_fn(extents, |_| {
        n += 1.0;
        n * scale
    })
    .unwrap()
}

/// A row of a tensor that changes would be read from the old one.
#[test]
fn views_of_changing_tensors_are_refused() {
    let a = counted(&[3, 2], 1.0);
    let row = a.view().chip(0, 2).unwrap();
    let r = (a.at("ij") * row.at("j")).record("i").unwrap();
    for changing in [&a as &dyn AnyOperand, &row] {
        let error = Context::cpu().prepare_all((&r,), &[changing]).unwrap_err();
        assert!(error.to_string().starts_with("a part of tensor 0 of those that change is read"), "{error}");
    }
    let turned = a.view().permute(&[1, 0]).unwrap();
    let r = (a.at("ij") * turned.at("jk")).record("ik").unwrap();
    let step = Context::cpu().prepare_all((&r,), &[&a]);
    if let Ok(step) = step {
        let b = counted(&[3, 2], 2.0);
        assert_eq!(step.run(&[&b]).unwrap().0, tensor!([i, k] = b[i, j] * b[k, j]));
    }
}

#[test]
fn empty_tensors_may_change() {
    let (x, y) = (counted(&[0], 1.0), counted(&[0, 3], 1.0));
    let r = (x.at("i") * y.at("ij")).record("j").unwrap();
    let step = Context::cpu().prepare_all((&r,), &[&x, &y]).unwrap();
    assert_eq!(step.run(&[&x, &y]).unwrap().0.as_slice(), [0.0; 3]);
}

#[test]
fn results_of_different_types_are_not_shared() {
    let x = Tensor::<f32>::from_slice([2], &[1.0, 2.5]).unwrap();
    let y = x.at("i").cast::<f64>().record("i").unwrap();
    let z = x.at("i").cast::<Complex<f64>>().record("i").unwrap();
    let (y, z) = eval_all((&y, &z)).unwrap();
    assert_eq!((y[[1]], z[[1]]), (2.5, Complex::new(2.5, 0.0)));
}

#[test]
fn numeric_factors_neither_overflow_nor_underflow() {
    let (a, b) = (counted(&[2, 2], 1.0), counted(&[2, 2], 1.0));
    for k in [1e160, 1e-170, 3.0] {
        let (y, z) = tensor! {
            let y[i, j] = k * a[i, k1] * b[k1, j];
            let z[i, j] = k * a[i, k1] * b[k1, j];
            (y, z)
        };
        assert_eq!(y.as_slice(), z.as_slice());
        assert_eq!(z[[0, 0]], k * 7.0);
    }
    let (a, c) = (counted(&[2, 2], 1e90), counted(&[2, 2], 1e180));
    let x = tensor!([i, j] = (a[i, k] * a[k, j] + c[i, j]) / 1e160);
    assert!((x[[0, 0]] / 8e20 - 1.0).abs() < 1e-12, "{x}");
    let small = Tensor::<f32>::filled([2, 2], 1.0).unwrap();
    let (_, product) = tensor! {
        let nothing[i, j] = 1e-50 * small[i, k] * small[k, j];
        let product[i, j] = small[i, k] * small[k, j];
        (nothing, product)
    };
    assert_eq!(product.as_slice(), [2.0f32; 4]);
}

/// An infinite number times 1 is infinite, not undefined.
#[test]
fn infinite_factor_of_a_term_stays_infinite() {
    let a = Tensor::<Complex<f64>>::filled([2, 2], Complex::new(1.0, 1.0)).unwrap();
    let b = Tensor::<Complex<f64>>::filled([2, 2], Complex::new(2.0, 1.0)).unwrap();
    let infinity = Complex::new(f64::INFINITY, 0.0);
    let sum = (infinity * a.at("ik") * b.at("kj") + a.at("ik") * a.at("kj")).record("ij").unwrap();
    let plain = Context::cpu().without(Pass::ChainAccumulate).eval(&sum).unwrap();
    assert_eq!(plain[[0, 0]].re, f64::INFINITY);
    assert_eq!(Context::cpu().eval(&sum).unwrap()[[0, 0]], plain[[0, 0]]);
}

#[test]
fn kept_product_is_not_fused_with_changing_tensors() {
    let (b, c, x) = (counted(&[4, 4], 0.5), counted(&[4, 4], 0.25), counted(&[4, 4], 1.0));
    let next = (b.at("ik") * c.at("kj") + x.at("ij")).record("ij").unwrap();
    let step = Context::cpu().prepare_all((&next,), &[&x]).unwrap();
    assert_eq!(step.kept_bytes(), 4 * 4 * 8);
    assert!(step.operations() <= 2.0 * 16.0, "{}", step.operations());
    assert_eq!(step.run(&[&x]).unwrap().0, tensor!([i, j] = b[i, k] * c[k, j] + x[i, j]));
    // What is kept counts, too: where there is no memory for it, it is computed in each run, and results must fit.
    assert_eq!(Context::cpu().memory_limit(200).prepare_all((&next,), &[&x]).unwrap().kept_bytes(), 0);
    let error = Context::cpu().memory_limit(100).prepare_all((&next,), &[&x]).unwrap_err();
    assert!(error.to_string().contains("but the context allows 100"), "{error}");
}

/// A product stands in several terms of a sum, several times in one, and where it does not fit: it is what it is everywhere.
#[test]
fn sum_may_read_a_product_twice() {
    let [a, b, c, v, w] = [0.5, 0.25, 1.0, 2.0, 0.125].map(|salt| counted(&[3, 3], salt));
    let x = (a.at("ik") * b.at("kj")).record("ij").unwrap();
    let sum = (a.at("ij") + b.at("ij")).record("ij").unwrap();
    let c = || c.at("ij");
    let five = || c() * v.at("ij") * w.at("ij") * v.at("ij") * w.at("ij");
    let all = [
        x.at("ij") * x.at("ij") + c(),
        x.at("ij") * v.at("ij") + x.at("ij") * w.at("ij"),
        x.at("ij") * w.at("ij") + x.at("ij") * five(),
        x.at("ij") + x.at("ij") * five(),
        x.at("ij") * x.at("ji") + x.at("ij"),
        sum.at("ij") + sum.at("ij") * x.at("ij"),
        x.at("ij") + x.at("ij") + a.at("ik") * b.at("kj"),
    ];
    for (n, equation) in all.iter().enumerate() {
        let recorded = equation.record("ij").unwrap();
        let plain = Pass::ALL.into_iter().fold(Context::reference(), Context::without).eval(&recorded).unwrap();
        let found = Context::cpu().eval(&recorded).unwrap();
        for (x, y) in found.as_slice().iter().zip(plain.as_slice()) {
            assert!((x - y).abs() <= 1e-12 * y.abs(), "equation {n}: {found} instead of {plain}");
        }
    }
}

#[test]
fn results_with_their_axes_in_another_order_are_shared() {
    let x = counted(&[3, 5], 0.25);
    let (p, q) = (x.at("ij").exp().record("ij").unwrap(), x.at("ij").exp().record("ji").unwrap());
    let explained = Context::cpu().explain((&p, &q)).unwrap();
    let exponentials = explained.steps().iter().filter(|step| step.equation.contains("exp(")).count();
    assert_eq!(exponentials, 1, "{explained}");
}

/// What a term needs is computed for that term, so that little is there at once.
#[test]
fn equations_are_lowered_where_they_are_read() {
    let (a, b) = (counted(&[3, 3], 0.5), counted(&[3, 3], 0.25));
    let (x, y) = (a.at("ij").exp().record("ij").unwrap(), b.at("ij").exp().record("ij").unwrap());
    let z = a.at("ik").cholesky("i,r").record().unwrap();
    let sum = ((x.at("ik") * y.at("kj")).sum("k") + z.at("ij")).record("ij").unwrap();
    let graph = sum.graph();
    let kinds: Vec<String> = graph.operations().iter().map(|node| format!("{:?}", node.operation)).collect();
    let place = |kind: &str| kinds.iter().position(|one| one.starts_with(kind)).unwrap();
    assert!(place("Contract") < place("Factorise"), "{kinds:?}");
}

#[test]
fn results_differ_by_labels_without_a_factor() {
    let (a, x) = (counted(&[3], 0.5), counted(&[3], 1.0));
    let graph = Graph::new();
    let (five, seven, one, two) = tensor! {
        in &graph;
        let five[i] = sum(j; 1.0[j] * exp(a[i]) * x[i]) where j: 5;
        let seven[i] = sum(j; 1.0[j] * exp(a[i]) * x[i]) where j: 7;
        let one[i] = exp(a[i]) * x[i];
        let two[i, j] = 1.0[j] * exp(a[i]) * x[i] where j: 2;
        (five, seven, one, two)
    };
    let step = Context::cpu().prepare_all((&five, &seven, &one, &two), &[&x]).unwrap();
    let (five, seven, one, two) = step.run(&[&x]).unwrap();
    let each: Vec<f64> = a.as_slice().iter().zip(x.as_slice()).map(|(a, x)| a.exp() * x).collect();
    for (n, expected) in each.into_iter().enumerate() {
        let found = [five[[n]] / 5.0, seven[[n]] / 7.0, one[[n]], two[[n, 0]], two[[n, 1]]];
        assert!(found.iter().all(|found| (found - expected).abs() < 1e-12), "{found:?} is not {expected}");
    }
}

#[test]
fn result_over_a_slice_of_an_intermediate_has_its_own_elements() {
    let (a, b) = (counted(&[2, 400, 8], 1e-4), counted(&[8, 500], 1e-4));
    let graph = Graph::new();
    let (rows, first) = tensor! {
        in &graph;
        let t[n, i, j] = a[n, i, k] * b[k, j];
        let u[i, j] = a[1, i, k] * b[k, j];
        let rows[i, j] = exp(u[i in ..300, j]);
        let first[i, j] = exp(t[0, i, j]);
        (rows, first)
    };
    let context = Context::cpu().threads(1);
    let (rows, first) = context.eval_all((&rows, &first)).unwrap();
    assert_eq!((rows.as_slice().len(), first.as_slice().len()), (300 * 500, 400 * 500));
    let expected = |n: usize, i: usize, j: usize| (0..8).map(|k| a[[n, i, k]] * b[[k, j]]).sum::<f64>().exp();
    for (i, j) in [(0, 0), (1, 499), (299, 250)] {
        assert!((rows[[i, j]] - expected(1, i, j)).abs() < 1e-12 * expected(1, i, j));
        assert!((first[[i, j]] - expected(0, i, j)).abs() < 1e-12 * expected(0, i, j));
    }
}

#[test]
fn nothing_is_kept_under_a_small_memory_limit() {
    let (a, x) = (counted(&[100, 100], 0.01), counted(&[100], 1.0));
    let next = (a.at("ij").exp() * x.at("j")).record("i").unwrap();
    let free = Context::cpu().threads(1).prepare_all((&next,), &[&x]).unwrap();
    let short = Context::cpu().threads(1).memory_limit(20_000).prepare_all((&next,), &[&x]).unwrap();
    assert_eq!((free.kept_bytes(), short.kept_bytes()), (80_000, 0));
    let (y, z) = (free.run(&[&x]).unwrap().0, short.run(&[&x]).unwrap().0);
    assert!(y.as_slice().iter().zip(z.as_slice()).all(|(y, z)| (y - z).abs() <= 1e-12 * y.abs()));
}

#[test]
fn result_requested_twice_counts_twice() {
    let a = counted(&[64, 64], 1e-3);
    let product = || (a.at("ik") * a.at("kj")).record("ij").unwrap();
    let (y, z) = (product(), product());
    let error = Context::cpu().memory_limit(40_000).eval_all((&y, &z)).unwrap_err();
    assert!(error.to_string().contains("but the context allows 40000"), "{error}");
    let (y, z) = Context::cpu().memory_limit(10_000_000).eval_all((&y, &z)).unwrap();
    assert_eq!(y, z);
}

/// Element-wise work over a grid of 10^8 blocks, few of which are there.
#[test]
fn large_grids_with_few_blocks() {
    let axis = Tiling::even(20_000, 2);
    let count = axis.len();
    assert_eq!(count, 10_000);
    let places = |shift: usize| (0..500).map(move |n| [(37 * n) % count, (101 * n + shift) % count]).collect::<Vec<_>>();
    let drawn = |shift: usize| {
        let structure = Structure::new([&axis, &axis]).with_blocks(places(shift)).unwrap();
        Blocks::<f64>::from_fn(&structure, |index| ((index[0] * 7 + index[1] * 3 + shift) % 11) as f64 - 5.0).unwrap()
    };
    let (a, b) = (drawn(0), drawn(5));
    let v = Tensor::<f64>::from_fn([20_000], |i| (i[0] % 5) as f64).unwrap();
    let at = |of: &Blocks<f64>, index: [usize; 2]| of.get(&index).unwrap();
    let check = |made: Blocks<f64, Shape![_, _]>, most: usize, expected: &dyn Fn([usize; 2]) -> f64| {
        assert!(made.structure().stored().unwrap().len() <= most);
        for [row, column] in places(0).into_iter().chain(places(5)).step_by(7) {
            let index = [2 * row + 1, 2 * column];
            assert!((made.get(&index).unwrap() - expected(index)).abs() < 1e-14, "{index:?}");
        }
    };
    check(tensor!([i, j] = sin(a[i, j])), 500, &|n| at(&a, n).sin());
    check(tensor!([j, i] = a[i, j] - 2.0 * b[i, j]), 1000, &|[i, j]| at(&a, [j, i]) - 2.0 * at(&b, [j, i]));
    check(tensor!([i, j] = v[j] * tanh(a[i, j])), 500, &|n| v[[n[1]]] * at(&a, n).tanh());
    check(tensor!([i, j] = clip(a[i, j], -1.0, 1.0) / (2.0 + v[i])), 500, &|n| at(&a, n).clamp(-1.0, 1.0) / (2.0 + v[[n[0]]]));
    check(tensor!([i, j] = select(v[i] > 1.0; a[i, j], b[i, j])), 1000, &|n| if v[[n[0]]] > 1.0 { at(&a, n) } else { at(&b, n) });
    // A value of every element is not sparse.
    let error = try_tensor!([i, j] = cos(a[i, j])).unwrap_err().to_string();
    assert!(error.starts_with("axes of 10000 tiles, 10000 tiles make more than"), "{error}");
}
