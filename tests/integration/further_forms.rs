//! Forms beyond the first: recorded blocks, fused and remaining axes, labels that change places, subscripts in literals.

use tensorwrapper::prelude::*;

#[test]
fn a_recorded_block_is_an_operand_of_later_ones() -> Result<(), Error> {
    let a = Tensor::<f64>::from_fn([2, 2], |i| (2 * i[0] + i[1]) as f64)?;
    let graph = Graph::new();
    let (square, trace) = tensor! {
        in &graph;
        let square[i, j] = a[i, k] * a[k, j];
        let trace = square[i, i];
        (square, trace)
    };
    let _: &Expr<'_, f64, Shape![_, _]> = &square;
    let _: &Expr<'_, f64, ()> = &trace;
    let cube = tensor! { in &graph; [i, j] = square[i, k] * a[k, j] * trace };
    let (square, cube) = eval_all((&square, &cube))?;
    assert_eq!(square.as_slice(), [2.0, 3.0, 6.0, 11.0]);
    assert_eq!(cube.as_slice(), [78.0, 143.0, 286.0, 507.0]);
    assert_eq!(trace.eval()?.as_slice(), [13.0]);
    Ok(())
}

#[test]
fn shared_results_are_in_the_graph_once() -> Result<(), Error> {
    let a = Tensor::<f64>::filled([3, 3], 1.0)?;
    let graph = Graph::new();
    let (x, y) = tensor! {
        in &graph;
        let s[i, j] = a[i, k] * a[k, j];
        let x[i, j] = s[i, k] * a[k, j];
        let y[i, j] = s[i, k] * s[k, j];
        (x, y)
    };
    assert_eq!((x.graph().operations().len(), y.graph().operations().len()), (2, 2));
    let all = eval_all(&[x, y][..])?;
    assert_eq!((all[0][[0, 0]], all[1][[0, 0]]), (9.0, 27.0));
    Ok(())
}

#[test]
fn faults_are_found_when_they_are_recorded() -> Result<(), Error> {
    let a = Tensor::<f64>::filled([2, 3], 1.0)?;
    let graph = Graph::new();
    let error = try_tensor! { in &graph; [i, j] = a[i, k] * a[k, j] }.unwrap_err();
    assert_eq!(error.to_string(), "index `k` has extent 3 on axis 1 of `a` but 2 on axis 0");
    Ok(())
}

#[test]
fn fused_and_remaining_axes_on_both_sides() -> Result<(), Error> {
    let a = Tensor::<f64>::from_fn([2, 6], |i| (i[0] * 6 + i[1]) as f64)?;
    let apart = tensor!([i, k, j] = a[i, (j, k)] where j: 2);
    assert_eq!((apart.extents(), apart[[1, 2, 1]], apart[[1, 2, 0]]), (&[2, 3, 2][..], 11.0, 8.0));
    let joined = tensor!([(i, k), j] = apart[i, k, j]);
    assert_eq!((joined.extents(), joined[[5, 1]]), (&[6, 2][..], 11.0));
    let mut b = Tensor::<f64>::zeros([2, 6])?;
    tensor!(b[i, (j, k)] = apart[i, k, j]);
    assert_eq!(b, a);
    // What is computed in between is taken apart too.
    let doubled = tensor! { let d[i, n] = 2.0 * a[i, n]; [j, i, k] = d[i, (j, k)] where k: 3 };
    assert_eq!(doubled[[1, 0, 2]], 10.0);
    let rolled = tensor!([.., i] = apart[i, ..] + 1.0[i] * apart[0, ..]);
    assert_eq!((rolled.extents(), rolled[[2, 1, 1]]), (&[3, 2, 2][..], 16.0));
    let message = try_tensor!([i, k, j] = a[i, (j, k)] where j: 4).unwrap_err().to_string();
    assert_eq!(message, "fused `(j, k)` has extent 4·?, which does not make axis 1 of `a`, of extent 6");
    assert!(try_tensor!([i, k, j] = a[i, (j, k)]).is_err());
    Ok(())
}

#[test]
fn exchanged_labels() -> Result<(), Error> {
    let a = Tensor::<f64>::from_fn([3, 3, 2], |i| (i[0] * 6 + i[1] * 2 + i[2]) as f64)?;
    let [x, y] = [
        tensor!([i, j] = asym(i, j; a[i, j, k] * a[j, j, k])),
        tensor!([i, j] = a[i, j, k] * a[j, j, k] - a[j, i, k] * a[i, i, k]),
    ];
    assert_eq!(x, y);
    let pairs = Tensor::<f64>::from_fn([2, 3, 2, 3], |i| (i[0] * 18 + i[1] * 6 + i[2] * 3 + i[3]) as f64)?;
    let s = tensor!([i, a, j, b] = sym((i, a), (j, b); pairs[i, a, j, b]));
    assert_eq!(s, tensor!([i, a, j, b] = pairs[i, a, j, b] + pairs[j, b, i, a]));
    Ok(())
}

#[test]
fn subscripts_of_both_kinds_agree() -> Result<(), Error> {
    let a = Tensor::<f64>::from_fn([2, 3, 3], |i| (i[0] * 9 + i[1] * 3 + i[2]) as f64)?;
    assert_eq!(einsum!("...ii->...i", a), einsum("...ii->...i", &[&a])?);
    assert_eq!(einsum!("bij,bjk->bik", a, a), einsum("bij,bjk->bik", &[&a, &a])?);
    let error = try_einsum!("bij,ijk->bk", a, a).unwrap_err();
    assert_eq!(error.to_string(), "index `i` has extent 3 on axis 1 of `a` but 2 on axis 0");
    Ok(())
}

/// `...` on one side alone stands for no axes, whether the compiler knows the rank or the run finds it.
#[test]
fn empty_ellipsis_on_either_side() -> Result<(), Error> {
    let known: Tensor<f64, Shape![3]> = Tensor::from_fn((Const,), |i| i[0] as f64 + 1.0)?;
    let (found, one) = (known.clone().into_dyn(), Tensor::<f64>::filled([], 2.0)?);
    let same: Tensor<f64, Shape![3]> = einsum!("...i->i", known);
    assert_eq!(same, known);
    assert_eq!(einsum!(". . .i - > i", found).as_slice(), [1.0, 2.0, 3.0]);
    assert_eq!(einsum!("i,...->i", found, one).as_slice(), [2.0, 4.0, 6.0]);
    let sum: f64 = einsum!("i... , ...i ->", known, known);
    assert_eq!(sum, 14.0);
    assert_eq!(einsum!("ii->...i", Tensor::<f64>::filled([2, 2], 3.0)?).as_slice(), [3.0, 3.0]);
    assert_eq!(einsum!("...i->i", StaticTensor::new([1.0, 2.0])), StaticTensor::new([1.0, 2.0]));
    let matrix = Tensor::<f64>::filled([2, 2], 1.0)?;
    let error = try_einsum!("...i->i", matrix).unwrap_err();
    assert_eq!(error.to_string(), "`matrix` has rank 2 but 1 index is given");
    Ok(())
}

#[test]
fn constants_neither_overflow_nor_underflow_in_between() {
    let a = Tensor::<f64>::from_slice([3], &[1.0, 49.0, -2.0]).unwrap();
    let tiny = Tensor::<f64>::filled([2], 1e-190).unwrap();
    let small = tensor!([] = sum(i; a[i] / 1e200));
    assert!((small / 48e-200 - 1.0).abs() < 1e-12, "{small}");
    let sum = tensor!([] = sum(i; tiny[i] / 1e-200));
    assert!((sum / 2e10 - 1.0).abs() < 1e-12, "{sum}");
    let infinity = f64::INFINITY;
    assert_eq!(tensor!([] = infinity * 2.0 * a[i] * a[i]), infinity);
    let z = Tensor::from_slice([1], &[num_complex::Complex::new(1.0, 2.0)]).unwrap();
    assert_eq!(tensor!([i] = z[i] / 1e-200)[[0]], num_complex::Complex::new(1e200, 2e200));
    assert_eq!(tensor!([] = sum(i; z[i] * 1e200 / 1e200)), num_complex::Complex::new(1.0, 2.0));
    let large = tensor!([i] = 1e200 * z[i]);
    assert_eq!(tensor!([i] = large[i] / large[i])[[0]], num_complex::Complex::new(1.0, 0.0));
    let empty = 0;
    let infinite = Tensor::<f64>::filled([1], infinity).unwrap();
    assert_eq!(tensor!([i] = sum(k; infinite[i] * 1[k]) where k: empty)[[0]], 0.0);
}

#[test]
fn remaining_axes_are_not_broadcast() {
    let (y, t) = (Tensor::<f64>::filled([3], 1.0).unwrap(), Tensor::<f64>::filled([2, 3], 2.0).unwrap());
    let message = "`..` stands for 1 axis in one term, but for 2 in the result";
    assert_eq!(try_tensor!([..] = y[..] + t[..]).unwrap_err().to_string(), message);
    let mut written = t.clone();
    assert_eq!(try_tensor!(written[..] = y[..]).unwrap_err().to_string(), message);
    // In a product, axes are matched from the right.
    assert_eq!(tensor!([..] = y[..] * t[..]), t);
    assert_eq!(try_tensor!(written[..] += y[..]).unwrap_err().to_string(), message);
    assert_eq!(try_tensor!(written[..] -= 2.0 * y[..]).unwrap_err().to_string(), message);
}

/// As for labels: an addend in parentheses, and in what an update adds, is constant along the axes that it lacks.
#[test]
fn addends_in_parentheses_are_constant_along_remaining_axes() {
    let a = Tensor::<f64>::from_fn([2, 3, 2], |i| (i[0] * 6 + i[1] * 2 + i[2]) as f64).unwrap();
    let b = Tensor::<f64>::from_slice([2], &[10.0, 20.0]).unwrap();
    let sum = tensor!([i, j, k] = a[i, j, k] + b[i] * 1[j, k]);
    assert_eq!(tensor!([i, j, k] = (a[i, j, k] + 1[j, k] * b[i])), sum);
    assert_eq!(tensor!([i, ..] = (a[i, ..] + b[i])), sum);
    assert_eq!(tensor!([i, ..] = 1 * (a[i, ..] + b[i])), sum);
    assert_eq!(tensor!([i, ..] = -(-b[i] - a[i, ..])), sum);
    assert_eq!(tensor!([i, ..] = (b[i] + a[i, ..]) + a[i, ..] - a[i, ..]), sum);
    assert_eq!((a.at("i,..") + b.at("i")).exp().eval("i,..").unwrap(), tensor!([i, ..] = exp(sum[i, ..])));
    let mut c = Tensor::<f64>::zeros([2, 3, 2]).unwrap();
    tensor!(c[i, ..] += a[i, ..] + b[i]);
    assert_eq!(c, sum);
    tensor!(c[i, j, k] -= a[i, j, k] + 1[j, k] * b[i]);
    assert_eq!(c, Tensor::zeros([2, 3, 2]).unwrap());
    tensor!(c[i, ..] = a[i, ..]);
    tensor!(c[i, ..] /= b[i]);
    assert_eq!(c, tensor!([i, j, k] = a[i, j, k] / b[i]));
}

#[test]
fn extents_too_large_to_multiply_are_refused() {
    let big = 1usize << 40;
    let error = try_tensor!([(i, j)] = 1[i, j] where i: big, j: big).unwrap_err();
    assert!(error.to_string().contains("more elements than memory can address"), "{error}");
}

#[test]
fn places_behind_references_and_values_in_parentheses() {
    let (mut a, mut b) = (Tensor::<f64>::filled([2], 1.0).unwrap(), Tensor::<f64>::filled([2], 2.0).unwrap());
    let y = a.clone();
    for c in [&mut a, &mut b].iter_mut() {
        tensor!(c[i] += y[i]);
    }
    assert_eq!((a.as_slice(), b.as_slice()), (&[2.0, 2.0][..], &[3.0, 3.0][..]));
    let e: f64 = tensor! { let e = y[i] * y[i]; (e) };
    let tuple: (f64,) = tensor! { let e = y[i] * y[i]; (e,) };
    assert_eq!((e, tuple), (2.0, (2.0,)));
    let raw = tensor! { let r#type[i] = 2.0 * y[i]; r#type };
    assert_eq!(raw[[0]], 2.0);
    // Parentheses make no other tensor.
    let d = tensor! { a[i] *= 10.0; let d[i] = (a)[i]; d };
    assert_eq!((d[[0]], a[[0]]), (20.0, 20.0));
}

/// Subscripts say what is summed by leaving it out: no warning, which would have no cure.
#[test]
#[deny(deprecated)]
fn subscripts_sum_without_a_warning() {
    let a: Tensor<f64, Shape![2, 3]> = Tensor::filled((Const, Const), 1.0).unwrap();
    let rows: Tensor<f64, Shape![2]> = einsum!("ik->i", a);
    assert_eq!((rows.as_slice(), einsum!("ik->", a)), (&[3.0, 3.0][..], 6.0));
}
