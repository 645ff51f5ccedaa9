//! `iota[i]`, the value of an index, `argmax(k; X)`, the value at which X is largest, and `mean(k; X)`, which divides by the number of
//! values: against plain loops, on every device, in every form of equation, and in derivatives.

use tensorwrapper::prelude::*;
use tensorwrapper::{Context, Element, Extents, Indexed, StaticTensor, record};

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

#[test]
fn variances_are_those_of_the_methods() -> Result<(), Error> {
    let a: Matrix<f64> = numbers(7, 130);
    // Far from zero, where the mean of squares less the square of the mean would lose its digits.
    let far = tensor!([i, j] = a[i, j] + 1e8[i, j]);
    for context in &contexts() {
        for x in [&a, &far] {
            let expected = x.var_along(1)?;
            let found: Tensor<f64, Shape![_]> = tensor!(in context; [i] = var(j; x[i, j]));
            assert!(found.allclose(&expected, 1e-12, 1e-14).is_ok(), "{found} {expected}");
            let all = tensor!(in context; [] = std(i, j; x[i, j]));
            assert!((all / x.std() - 1.0).abs() < 1e-12);
        }
        let of_products: Tensor<f64, Shape![_]> = tensor!(in context; [j] = std(i; a[i, j] * a[i, 0] - 1[i] * a[0, j]));
        let products = tensor!([i, j] = a[i, j] * a[i, 0] - 1[i] * a[0, j]);
        assert!(of_products.allclose(&products.std_along(0)?, 1e-12, 1e-14).is_ok());
    }
    // Of complex numbers, the squares of absolute values.
    let z = Tensor::<Complex<f64>, _>::from_fn((2, 40), |i| Complex::new(i[1] as f64, (i[0] * i[1] % 7) as f64))?;
    let found = tensor!([i] = cast(f64; re(var(j; z[i, j]))));
    assert!(found.allclose(&z.var_along(1)?, 1e-12, 0.0).is_ok());
    assert_eq!(a.at("i,j").std("i,j").eval("")?[[]], tensor!([] = std(i, j; a[i, j])));
    // The slope of a variance, and of a deviation, by each element.
    let (slope, of_root) = tensor! {
        let v = var(i, j; a[i, j]);
        let s = std(i, j; a[i, j]);
        let g[i, j] = grad(v; a[i, j]);
        let h[i, j] = grad(s; a[i, j]);
        (g, h)
    };
    let (mean, deviation) = (a.mean(), a.std());
    for i in a.shape().indices() {
        let expected = 2.0 * (a[&i] - mean) / 910.0;
        assert!((slope[&i] - expected).abs() < 1e-15 && (of_root[&i] - expected / (2.0 * deviation)).abs() < 1e-15);
    }
    let s = StaticTensor::<f64, Shape![2, 3]>::from_fn(|at| (at[0] + at[1] * at[1]) as f64);
    let v: StaticTensor<f64, Shape![2]> = tensor!([i] = var(j; s[i, j]));
    assert!((v[[0]] - 26.0 / 9.0).abs() < 1e-15 && (v[[1]] - 26.0 / 9.0).abs() < 1e-15);
    // A sum inside of a variance is to be said.
    let b = Tensor::<f64>::zeros([2, 2, 2])?;
    let error = (b.at("ikl") * b.at("ikl")).var("l").eval("i").unwrap_err().to_string();
    assert!(error.contains("the body of `var`"), "{error}");
    Ok(())
}

/// Where the largest and the smallest elements of rows are by the methods of tensors, which count NaN among them.
fn by_methods<T: Element + PartialOrd>(of: &Matrix<T>) -> [Vec<f64>; 2] {
    [of.argmax_along(1), of.argmin_along(1)].map(|places| places.unwrap().as_slice().iter().map(|&at| at as f64).collect())
}

fn places_in<T: Element + PartialOrd>() {
    let as_numbers = |found: &Tensor<T, Shape![_]>| found.as_slice().iter().map(|x| x.to_complex().re).collect::<Vec<f64>>();
    for (rows, columns) in [(1, 1), (3, 4), (17, 130), (30, 400)] {
        // Of seven different numbers, so that many are equal.
        let mut a: Matrix<T> = numbers(rows, columns);
        for round in 0..2 {
            let expected = by_methods(&a);
            for context in &contexts() {
                let largest: Tensor<T, Shape![_]> = tensor!(in context; [i] = argmax(j; a[i, j]));
                let smallest: Tensor<T, Shape![_]> = tensor!(in context; [i] = argmin(j; a[i, j]));
                assert_eq!([as_numbers(&largest), as_numbers(&smallest)], expected, "{rows} × {columns}, round {round}");
            }
            // The second time, a NaN is first wherever it is.
            let nan = T::from_complex(Complex::new(f64::NAN, 0.0));
            (0..rows).for_each(|i| a[[i, (7 * i + 3) % columns]] = nan);
            a[[0, columns - 1]] = nan;
        }
    }
}

#[test]
fn places_of_extremes_are_those_of_the_methods() {
    places_in::<f64>();
    places_in::<f32>();
}

#[test]
fn places_of_extremes_in_every_form() -> Result<(), Error> {
    let a: Matrix<f64> = numbers(7, 30);
    let b: Matrix<f64> = Tensor::from_fn((7, 30), |at| (5 * at[0] + 11 * at[1]) as f64 % 13.0)?;
    let product = &a * &b;
    let [largest, smallest] = by_methods(&product);
    // Of an expression, of a slice (counted from its start), twice in one equation, and below another one's labels.
    assert_eq!(tensor!([i] = argmax(j; a[i, j] * b[i, j])).as_slice(), largest);
    let difference = tensor!([i] = argmax(j; a[i, j] * b[i, j]) - argmin(k; a[i, k] * b[i, k]));
    assert!(difference.as_slice().iter().zip(largest.iter().zip(&smallest)).all(|(found, (x, y))| *found == x - y));
    let sliced = tensor!([i] = argmax(j; a[i, j in 10..20]));
    let part = tensor!([i, j] = a[i, j in 10..20]);
    assert_eq!(sliced.as_slice().iter().map(|&x| x as i64).collect::<Vec<_>>(), part.argmax_along(1)?.as_slice());
    let chained = (a.at("i,j") * b.at("i,j")).argmin("j").eval("i")?;
    assert_eq!(chained.as_slice(), smallest);
    let s = StaticTensor::<f64, Shape![2, 3]>::from_fn(|at| [[1.0, 5.0, 5.0], [7.0, 2.0, 2.0]][at[0]][at[1]]);
    let m: StaticTensor<f64, Shape![2]> = tensor!([i] = argmax(j; s[i, j]));
    assert_eq!([m[[0]], m[[1]]], [1.0, 0.0]);
    let n: f64 = tensor!([] = argmin(i; s[i, 1]));
    assert_eq!(n, 1.0);
    // It selects: each row's largest element.
    let mask = tensor!([i, j] = iota[j] * 1[i] == argmax(k; a[i, k]) * 1[j] where j: 30);
    assert_eq!(tensor!([i] = sum(j; select(mask[i, j]; a[i, j], 0.0))).as_slice(), a.max_along(1)?.as_slice());
    // It has no slope: a function of it alone has no derivative, and beside others it adds nothing.
    let slope =
        tensor! { let l[] = sum(i, j; a[i, j] * a[i, j]) + sum(i; argmax(j; a[i, j])); let g[i, j] = grad(l; a[i, j]); g };
    is(&slope, |i, j| 2.0 * a[[i, j]]);
    Ok(())
}

#[test]
fn places_of_extremes_that_are_not_there() -> Result<(), Error> {
    let none: Matrix<f64> = Tensor::zeros((3, 0))?;
    let fault = |text: &str| record(text, &[("a", &none)]).and_then(|recorded| recorded.eval()).unwrap_err().to_string();
    for text in ["[i] = max(j; a[i, j])", "[i] = argmax(j; a[i, j])"] {
        assert!(fault(text).starts_with("index `j` has extent 0"), "{}", fault(text));
    }
    let many = fault("[] = argmax(i, j; a[i, j])");
    assert!(many.contains("`argmax` gives the value of one index, and `j` is a second one"), "{many}");
    let complex: Matrix<Complex<f64>> = numbers(2, 3);
    let order = record("[i] = argmax(j; a[i, j])", &[("a", &complex)]).unwrap_err().to_string();
    let sentence = "`max` and `min` need an order, which `Complex<f64>` has not";
    assert_eq!(order.matches(sentence).count(), 1, "{order}");
    Ok(())
}

/// Places are one operation on the processor: in prepared blocks, as a kept part and as one that changes, in graphs of the program, and of
/// operands however they lie.
#[test]
fn places_as_operations() -> Result<(), tensorwrapper::Error> {
    use tensorwrapper::graph::{Edge, Instruction, OpGraph, Operation, Program, Reduction};
    let defined = |line: &mut dyn Iterator<Item = f64>| {
        let all: Vec<f64> = line.collect();
        (0..all.len()).fold(0, |best, n| if all[n] > all[best] { n } else { best }) as f64
    };
    let (a, w): (Matrix<f64>, Tensor<f64, Shape![_]>) = (numbers(40, 700), Tensor::from_fn((700,), |at| (at[0] % 13) as f64)?);
    let other: Matrix<f64> = Tensor::from_fn((40, 700), |at| ((7 * at[0] + 5 * at[1]) % 31) as f64)?;
    let place: Expr<'_, f64> = (a.at("ij") * w.at("j")).argmax("j").record("i")?;
    let read: Expr<'_, f64> = (place.at("i") * 2.0).record("i")?;
    let as_defined = |of: &Matrix<f64>, [found, twice]: [&Tensor<f64>; 2]| {
        for i in 0..40 {
            let expected = defined(&mut (0..700).map(|j| of[[i, j]] * w[[j]]));
            assert_eq!([found[[i]], twice[[i]]], [expected, 2.0 * expected], "row {i}");
        }
    };
    let (found, twice) = Context::cpu().prepare_all((&place, &read), &[&a])?.run(&[&other])?;
    as_defined(&other, [&found, &twice]);
    let (found, twice) = Context::cpu().prepare_all((&place, &read), &[&w])?.run(&[&w])?;
    as_defined(&a, [&found, &twice]);
    // A place that is kept.
    let v: Tensor<f64, Shape![_]> = Tensor::from_fn((40,), |at| 1.0 + at[0] as f64)?;
    let scaled: Expr<'_, f64> = (place.at("i") * v.at("i")).record("i")?;
    let (found,) = Context::cpu().prepare_all((&scaled,), &[&v])?.run(&[&v])?;
    for i in 0..40 {
        assert_eq!(found[[i]], v[[i]] * defined(&mut (0..700).map(|j| a[[i, j]] * w[[j]])));
    }
    // Rows and columns of views that are reversed, transposed and cut.
    let view = a.view().reverse(1)?.slice(0, 3..31)?;
    let view = view.t();
    let found: Tensor<f64, Shape![_]> = tensor!([i] = argmax(j; view[j, i]));
    let columns: Tensor<f64, Shape![_]> = tensor!([j] = argmin(i; view[j, i]));
    for i in 0..28 {
        assert_eq!(found[[i]], defined(&mut (0..700).map(|j| a[[i + 3, 699 - j]])));
    }
    for j in 0..700 {
        assert_eq!(columns[[j]], defined(&mut (0..28).map(|i| -a[[i + 3, 699 - j]])));
    }
    // A graph of the program: refused by name where a device finds no places.
    let mut graph = OpGraph::new();
    let source = graph.add_source(vec![40, 700], tensorwrapper::Dtype::F64);
    let operation = Operation::Place { program: Program::new(vec![Instruction::Input(0)]), extreme: Reduction::Max };
    let made =
        graph.add_operation(operation, vec![Edge::whole(source, &[0, 1])], &[(&[0], tensorwrapper::Dtype::F64)], vec![40, 700]);
    graph.add_sink(made[0]);
    let found: Tensor<f64> = Context::cpu().run_graph(&graph, &[&a])?.remove(0).into_tensor()?;
    assert_eq!(found[[5]], defined(&mut (0..700).map(|j| a[[5, j]])));
    let told = Context::reference().run_graph(&graph, &[&a]).unwrap_err().to_string();
    assert!(told.contains("places of extremes, which `reference` does not find"), "{told}");
    Ok(())
}
