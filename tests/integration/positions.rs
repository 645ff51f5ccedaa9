//! `iota[i]`, the value of an index, and `mean(k; X)`, which divides by the number of its values: against plain loops, on every device, in
//! every form of equation, and in derivatives.

use tensorwrapper::prelude::*;
use tensorwrapper::{Context, Element, Extents, Indexed, StaticTensor};

type Matrix<T> = Tensor<T, Shape![_, _]>;

fn numbers<T: Element>(rows: usize, columns: usize) -> Matrix<T> {
    Tensor::from_fn((rows, columns), |at| T::from_complex(Complex::new((3 * at[0] + at[1] * at[1]) as f64 % 7.0, at[0] as f64)))
        .unwrap()
}

fn contexts() -> [Context; 3] {
    [Context::reference(), Context::cpu().threads(1), Context::cpu()]
}

/// Every element of a result by a function of its place.
fn is<T: Element, S: Extents>(found: &Tensor<T, S>, expected: impl Fn(usize, usize) -> T) {
    let columns = found.extents()[1];
    for (n, &element) in found.as_slice().iter().enumerate() {
        assert_eq!(element, expected(n / columns, n % columns), "at {}, {}", n / columns, n % columns);
    }
}

fn in_one_type<T: Element>() {
    let number = |x: usize| T::from_complex(Complex::new(x as f64, 0.0));
    for (rows, columns) in [(1, 1), (3, 4), (17, 130), (30, 400)] {
        let a: Matrix<T> = numbers(rows, columns);
        for context in &contexts() {
            is(&tensor!(in context; [i, j] = a[i, j] * iota[j] + iota[i] * 1[j]), |i, j| a[[i, j]] * number(j) + number(i));
            // An index has its values in the order of the equation, whatever a tensor is read with.
            let turned = tensor!(in context; [j, i] = a[i, j] + iota[j] * iota[i]);
            is(&turned, |j, i| a[[i, j]] + number(j * i));
            let summed: Tensor<T, Shape![_]> = tensor!(in context; [i] = a[i, j] * iota[j]);
            for i in 0..rows {
                assert_eq!(summed[[i]], (0..columns).map(|j| a[[i, j]] * number(j)).fold(T::ZERO, |sum, x| sum + x));
            }
            let total: T = tensor!(in context; [] = sum(i, j; a[i, j] * iota[i]));
            assert_eq!(total, (0..rows * columns).map(|n| a.as_slice()[n] * number(n / columns)).fold(T::ZERO, |sum, x| sum + x));
        }
    }
}

#[test]
fn values_of_indices_are_their_loops() {
    in_one_type::<f64>();
    in_one_type::<f32>();
    in_one_type::<Complex<f64>>();
    in_one_type::<Complex<f32>>();
}

#[test]
fn masks_and_slices() {
    let a: Matrix<f64> = numbers(5, 5);
    for context in &contexts() {
        let lower = tensor!(in context; [i, j] = select(iota[i] >= iota[j]; a[i, j], 0.0));
        is(&lower, |i, j| if i >= j { a[[i, j]] } else { 0.0 });
        // The index of a slice begins at 0.
        let part = tensor!(in context; [i, j] = a[i in 2..5, j] * iota[i]);
        assert_eq!(part.extents(), [3, 5]);
        is(&part, |i, j| a[[i + 2, j]] * i as f64);
        let odd = tensor!(in context; [i, j] = sin(0.5 * iota[i]) * a[i, j] - a[j, i] * exp(-iota[j]));
        is(&odd, |i, j| (0.5 * i as f64).sin() * a[[i, j]] - a[[j, i]] * (-(j as f64)).exp());
    }
    // Declared extents are extents, too.
    let n = 4;
    let table: Tensor<f64, Shape![_, 3]> = tensor!([i, j] = iota[i] * iota[j] where i: n, j: 3);
    assert_eq!(table.extents(), [4, 3]);
    is(&table, |i, j| (i * j) as f64);
}

#[test]
fn every_form_has_them() -> Result<(), Error> {
    let a: Matrix<f64> = numbers(3, 4);
    let expected = |i: usize, j: usize| a[[i, j]] * j as f64 + i as f64;
    is(&(a.at("i,j") * Indexed::iota("j") + Indexed::iota("i") * Indexed::spread(1.0, "j")).eval("i,j")?, expected);
    let graph = Graph::new();
    let recorded = tensor!(in &graph; let x[i, j] = a[i, j] * iota[j]; let y[i, j] = x[i, j] + iota[i] * 1[j]; y);
    is(&recorded.eval()?, expected);
    let mut c = a.clone();
    tensor!(c[i, j] = a[i, j] * iota[j] + iota[i] * 1[j]);
    is(&c, expected);
    tensor!(c[i, j] += iota[i] * 1[j]);
    is(&c, |i, j| expected(i, j) + i as f64);
    let s = StaticTensor::<f64, Shape![2, 3]>::from_fn(|at| (at[0] + at[1]) as f64);
    let t: StaticTensor<f64, Shape![2, 3]> = tensor!([i, j] = s[i, j] * iota[j] + iota[i] * 1[j]);
    for (i, j) in (0..2).flat_map(|i| (0..3).map(move |j| (i, j))) {
        assert_eq!(t[[i, j]], ((i + j) * j + i) as f64);
    }
    Ok(())
}

#[test]
fn they_are_constants_of_derivatives() -> Result<(), Error> {
    let a: Matrix<f64> = numbers(3, 4);
    let slope = tensor! {
        let l[] = a[i, j] * a[i, j] * iota[j];
        let g[i, j] = grad(l; a[i, j]);
        g
    };
    is(&slope, |i, j| 2.0 * a[[i, j]] * j as f64);
    Ok(())
}

#[test]
fn what_they_lack_is_said() {
    let a: Matrix<f64> = numbers(3, 4);
    let error = (a.at("i,j") * Indexed::iota("i,j")).eval("i,j").unwrap_err().to_string();
    assert!(error.contains("`iota` takes one label"), "{error}");
    // Nothing tells how far the index goes, as with a constant along it.
    let told = |factor: Indexed<'static, f64>| (a.at("i,j") * factor).eval("i,j,k").unwrap_err().to_string();
    assert_eq!(told(Indexed::iota("k")), told(Indexed::spread(1.0, "k")));
}

#[test]
fn means_are_their_loops() -> Result<(), Error> {
    let a: Matrix<f64> = numbers(7, 130);
    let lines = |i: usize| (0..130).map(|j| a[[i, j]]).sum::<f64>() / 130.0;
    for context in &contexts() {
        let means: Tensor<f64, Shape![_]> = tensor!(in context; [i] = mean(j; a[i, j]));
        let all: f64 = tensor!(in context; [] = mean(i, j; a[i, j]));
        let centred = tensor!(in context; [i, j] = a[i, j] - mean(k; a[i, k]) * 1[j]);
        (0..7).for_each(|i| assert!((means[[i]] - lines(i)).abs() < 1e-14));
        assert!((all - (0..7).map(lines).sum::<f64>() / 7.0).abs() < 1e-14);
        assert!((0..7).all(|i| (0..130).all(|j| (centred[[i, j]] - (a[[i, j]] - lines(i))).abs() < 1e-14)));
        // Of a slice, of a product, and of what is summed inside.
        let part: f64 = tensor!(in context; [] = mean(i, j; a[i in 1..3, j in ..4] * a[i in 2..4, j in 1..5]));
        let expected: f64 = (0..8).map(|n| a[[1 + n / 4, n % 4]] * a[[2 + n / 4, 1 + n % 4]]).sum::<f64>() / 8.0;
        assert!((part - expected).abs() < 1e-12);
    }
    let ones = Tensor::<f64>::ones([49])?;
    assert_eq!(tensor!([] = mean(i; ones[i])), 1.0);
    assert_eq!(a.at("i,j").mean("i,j").eval("")?[[]], a.mean());
    let s = StaticTensor::<f64, Shape![2, 3]>::from_fn(|at| (at[0] + at[1] * at[1]) as f64);
    let m: StaticTensor<f64, Shape![2]> = tensor!([i] = mean(j; s[i, j]));
    assert_eq!([m[[0]], m[[1]]], [5.0 / 3.0, 8.0 / 3.0]);
    let slope = tensor! { let l[] = mean(i, j; a[i, j] * a[i, j]); let g[i, j] = grad(l; a[i, j]); g };
    assert!((0..7).all(|i| (0..130).all(|j| (slope[[i, j]] - 2.0 * a[[i, j]] / 910.0).abs() < 1e-15)));
    let none = Tensor::<f64>::zeros([3, 0])?;
    assert!(tensor!([i] = mean(j; none[i, j])).as_slice().iter().all(|x| x.is_nan()));
    Ok(())
}
