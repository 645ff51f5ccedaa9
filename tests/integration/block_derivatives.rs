//! Derivatives over block tensors: gradients keep the structure of their variables, and are those of dense tensors in it.

use tensorwrapper::prelude::*;
use tensorwrapper::{Blocks, Structure, Symmetry, Tiling, try_tensor};

type Dense = Tensor<f64, Shape![_, _]>;
type Square = Blocks<f64, Shape![_, _]>;

fn filled(structure: &Structure, seed: f64) -> Square {
    let element = |index: &[usize]| (seed + 3.0 * index[0] as f64 + 5.0 * index[1] as f64).sin();
    Blocks::<f64>::from_fn(structure, element).unwrap().into_typed().unwrap()
}

fn near(found: &Square, expected: &Dense) {
    let found = found.to_dense().unwrap();
    let largest: f64 = tensor!([] = max(i, j; abs(found[i, j] - expected[i, j])));
    assert!(largest < 1e-12, "{found}\n{expected}");
}

/// All elements are one variable each: gradients by tensors with some blocks are those of dense ones, in these blocks.
#[test]
fn gradients_have_the_blocks_of_their_variables() {
    let cut = Tiling::cuts([2, 3, 1]);
    let structure = Structure::new([&cut, &cut]).with_blocks([[0, 1], [1, 0], [1, 1], [2, 2]]).unwrap();
    let (a, b) = (filled(&structure, 0.3), filled(&Structure::new([&cut, &cut]), 0.7));
    let (value, by_a, by_b): (f64, Square, Square) = tensor! {
        let c[i, j] = a[i, k] * b[k, j];
        let L = c[i, j] * c[i, j] + 0.5 * a[i, j] * b[j, i];
        let (ga[i, k], gb[k, j]) = grad(L; a[i, k], b[k, j]);
        (L, ga, gb)
    };
    assert_eq!(by_a.structure(), a.structure());
    let (dense_a, dense_b) = (a.to_dense().unwrap(), b.to_dense().unwrap());
    let (expected, of_a, of_b): (f64, Dense, Dense) = tensor! {
        let c[i, j] = dense_a[i, k] * dense_b[k, j];
        let L = c[i, j] * c[i, j] + 0.5 * dense_a[i, j] * dense_b[j, i];
        let (ga[i, k], gb[k, j]) = grad(L; dense_a[i, k], dense_b[k, j]);
        (L, ga, gb)
    };
    assert!((value - expected).abs() < 1e-12);
    let ones = Blocks::<f64>::filled(&structure, 1.0).unwrap().to_dense().unwrap();
    near(&by_a, &tensor!([i, j] = ones[i, j] * of_a[i, j]));
    near(&by_b, &of_b);
}

/// Compares the value of equations and its gradient by the first tensor with those of the same equations over dense tensors.
macro_rules! gradient_is_that_of_dense_tensors {
    (($a:ident, $b:ident; $value:ident) => $($equations:tt)*) => {{
        let cut = Tiling::cuts([2, 3, 1]);
        let structure = Structure::new([&cut, &cut]).with_blocks([[0, 1], [1, 0], [1, 1], [2, 2]]).unwrap();
        let ($a, $b) = (filled(&structure, 0.3), filled(&structure, 0.7));
        let (value, gradient): (f64, Square) = tensor! { $($equations)* let g[i, j] = grad($value; $a[i, j]); ($value, g) };
        assert_eq!(gradient.structure(), $a.structure());
        let ($a, $b) = ($a.to_dense().unwrap(), $b.to_dense().unwrap());
        let (expected, dense): (f64, Dense) = tensor! { $($equations)* let g[i, j] = grad($value; $a[i, j]); ($value, g) };
        assert!((value - expected).abs() < 1e-12);
        let ones = Blocks::<f64>::filled(&structure, 1.0).unwrap().to_dense().unwrap();
        near(&gradient, &tensor!([i, j] = ones[i, j] * dense[i, j]));
    }};
}

/// Choices, means and values of indices.
#[test]
fn gradients_of_choices() {
    gradient_is_that_of_dense_tensors! { (a, b; L) =>
        let c[i, j] = select(a[i, j] > 0.2 * b[i, j]; a[i, j] * a[i, j], 3.0 * b[i, j]) * clip(b[i, j], -0.5, 0.8);
        let m[i] = mean(j; a[i, j] * b[i, j]);
        let L = c[i, j] * a[i, j] + iota[i] * m[i] * m[i];
    }
}

/// Absolute values and extrema, whose slopes have no word in the language. Elements outside of the blocks count as zeros.
#[test]
fn gradients_of_absolute_values_and_extrema() {
    gradient_is_that_of_dense_tensors! { (a, b; L) =>
        let c[i, j] = abs(a[i, j] - 0.3 * b[i, j]) * a[i, j];
        let most = max(i, j; a[i, j] * b[i, j]);
        let least[i] = min(j; a[i, j] + b[i, j]);
        let L = sum(i, j; c[i, j]) + most * most + least[i] * least[i];
    }
}

/// A function of a tensor, its gradient, and the change of the gradient along a direction.
fn cubic(a: &Square, b: &Square, d: &Square) -> (f64, Square, Square) {
    tensor! {
        let c[i, j] = a[i, k] * b[k, j];
        let L = c[i, j] * a[i, k] * c[k, j] + tanh(a[i, j]) * b[j, i];
        let g[i, j] = grad(L; a[i, j]);
        let h[i, j] = grad(g[i, j]; a[p, q]) * d[p, q];
        (L, g, h)
    }
}

/// Gradients and second derivatives against differences along directions of the structure.
fn against_differences(structure: &Structure) {
    let (a, d, e) = (filled(structure, 0.3), filled(structure, 1.1), filled(structure, 2.9));
    let b = filled(&Structure::new(structure.tilings()), 0.7);
    let (_, gradient, along) = cubic(&a, &b, &d);
    assert_eq!((gradient.structure(), along.structure().shape()), (structure, structure.shape()));
    let at = |step: f64| {
        let moved: Square = tensor!([i, j] = a[i, j] + step * d[i, j]);
        cubic(&moved, &b, &d)
    };
    let step = 1e-3;
    let weight = |of: &Square, by: &Square| of.inner(by).unwrap();
    let around = |of: &dyn Fn(f64) -> f64| (8.0 * (of(step) - of(-step)) - (of(2.0 * step) - of(-2.0 * step))) / (12.0 * step);
    let change = around(&|step| at(step).0);
    assert!((change - weight(&gradient, &d)).abs() < 1e-8 * change.abs().max(1.0), "{change} {}", weight(&gradient, &d));
    let change = around(&|step| weight(&at(step).1, &e));
    assert!((change - weight(&along, &e)).abs() < 1e-7 * change.abs().max(1.0), "{change} {}", weight(&along, &e));
}

#[test]
fn symmetric_antisymmetric_and_charged_variables() {
    let cut = Tiling::cuts([2, 1, 3]);
    let plain = Structure::new([&cut, &cut]);
    against_differences(&plain);
    against_differences(&plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap());
    against_differences(&plain.with(Symmetry::none(2).antisymmetric([0, 1]).unwrap()).unwrap());
    let some = plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap().with_blocks([[0, 1], [2, 2]]).unwrap();
    against_differences(&some);
    let spin = Tiling::cuts([2, 1, 3]).charged([-1, 0, 1]).unwrap();
    against_differences(&Structure::new([&spin, &spin]).flow([1, -1], [0]).unwrap());
    against_differences(&Structure::new([&spin, &spin]).flow([1, -1], [1]).unwrap());
}

/// A gradient that is a tensor of the program.
#[test]
fn linear_functions() {
    let cut = Tiling::cuts([2, 1]);
    let plain = Structure::new([&cut, &cut]);
    let symmetric = filled(&plain.with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap(), 0.2);
    let b = filled(&plain, 0.5);
    let dense: Dense = Tensor::from_fn((3, 3), |i| (i[0] as f64 - 2.0 * i[1] as f64).cos()).unwrap();
    let (by_b, by_symmetric, by_dense): (Square, Square, Square) = tensor! {
        let L = symmetric[i, j] * b[i, j] + dense[i, j] * b[j, i];
        let g[i, j] = grad(L; b[i, j]);
        let h[i, j] = grad(L; symmetric[i, j]);
        let f[i, j] = grad(L; dense[i, j]);
        (g, h, f)
    };
    let [x, y] = [&symmetric, &b].map(|tensor| tensor.to_dense().unwrap());
    near(&by_b, &tensor!([i, j] = x[i, j] + dense[j, i]));
    assert_eq!(by_symmetric.structure(), symmetric.structure());
    near(&by_symmetric, &tensor!([i, j] = 0.5 * (y[i, j] + y[j, i])));
    near(&by_dense, &tensor!([i, j] = y[j, i]));
}

/// Weights of tensors, dense variables beside block tensors, and numbers that an equation makes on the way.
#[test]
fn pullbacks_changes_and_dense_variables() {
    let cut = Tiling::cuts([2, 2]);
    let structure = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 0]]).unwrap();
    let (a, d, w) = (filled(&structure, 0.3), filled(&structure, 0.9), filled(&Structure::new([&cut, &cut]), 0.7));
    let dense: Dense = Tensor::from_fn((4, 4), |i| (i[0] as f64 - 2.0 * i[1] as f64).cos()).unwrap();
    let (pulled, pushed, by_dense): (Square, Square, Dense) = tensor! {
        let c[i, j] = a[i, k] * dense[k, j] * a[j, i];
        let p[k, l] = w[i, j] * grad(c[i, j]; a[k, l]);
        let f[i, j] = grad(c[i, j]; a[k, l]) * d[k, l];
        let L = c[i, j] * w[i, j];
        let M = L * L;
        let g[k, j] = grad(M; dense[k, j]);
        (p, f, g)
    };
    let [x, y, z] = [&a, &d, &w].map(|tensor| tensor.to_dense().unwrap());
    let (of_x, of_y, of_dense): (Dense, Dense, Dense) = tensor! {
        let c[i, j] = x[i, k] * dense[k, j] * x[j, i];
        let p[k, l] = z[i, j] * grad(c[i, j]; x[k, l]);
        let f[i, j] = grad(c[i, j]; x[k, l]) * y[k, l];
        let L = c[i, j] * z[i, j];
        let M = L * L;
        let g[k, j] = grad(M; dense[k, j]);
        (p, f, g)
    };
    let ones = Blocks::<f64>::filled(&structure, 1.0).unwrap().to_dense().unwrap();
    assert_eq!(pulled.structure(), &structure);
    near(&pulled, &tensor!([i, j] = ones[i, j] * of_x[i, j]));
    near(&pushed, &of_y);
    let largest: f64 = tensor!([] = max(k, j; abs(by_dense[k, j] - of_dense[k, j])));
    assert!(largest < 1e-11, "{by_dense}\n{of_dense}");
}

/// What is not computed over block tensors is an error that says so, and nothing is computed.
#[test]
fn what_has_no_derivative_over_block_tensors_is_named() {
    let cut = Tiling::cuts([1, 2]);
    let a = filled(&Structure::new([&cut, &cut]), 0.3);
    let all = try_tensor! {
        let c[i, j] = a[i, k] * a[k, j];
        let J[i, j, p, q] = grad(c[i, j]; a[p, q]);
        J
    };
    let error = all.map(|_: Blocks<f64, Shape![_, _, _, _]>| ()).unwrap_err().to_string();
    assert!(error.contains("all derivatives of `c` by the block tensor `a`"), "{error}");
    let part = try_tensor! {
        let L = a[0, j] * a[j, 1];
        let g[j] = grad(L; a[0, j]);
        g
    };
    let error = part.map(|_: Blocks<f64, Shape![_]>| ()).unwrap_err().to_string();
    assert!(error.contains("a part written into a tensor"), "{error}");
    let independent = try_tensor! {
        let L = a[i, j] * a[j, i];
        let b[i, j] = 2.0 * a[i, j];
        let g[i, j] = grad(L; b[i, j]);
        g
    };
    let error = independent.map(|_: Square| ()).unwrap_err().to_string();
    assert!(error.contains("`L` does not depend on `b`"), "{error}");
}
