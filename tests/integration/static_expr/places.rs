//! Assignments into static tensors, failures, and what has no static form.

use num_complex::Complex;
use tensorwrapper::{ErrorKind, prelude::*};

use crate::static_expr::{same, some};

/// The same assignment to a static tensor and to a tensor, from static tensors and from tensors.
macro_rules! agree {
    ($target:ident, $($name:ident)*: $($equation:tt)*) => {{
        let (mut fixed, mut mixed) = ($target, $target);
        let mut computed = $target.to_tensor().unwrap();
        {
            let $target = &mut fixed;
            tensor!($($equation)*);
        }
        $(let $name = &$name.to_tensor().unwrap();)*
        {
            let $target = &mut computed;
            tensor!($($equation)*);
        }
        {
            let $target = &mut mixed;
            tensor!($($equation)*);
        }
        same(&fixed, &computed);
        same(&mixed, &computed);
    }};
}

fn table<T: Element>() {
    let a: StaticTensor<T, Shape![3, 4]> = some(1);
    let c: StaticTensor<T, Shape![3, 3]> = some(2);
    let x: StaticTensor<T, Shape![3]> = some(3);
    let s: StaticTensor<T, Shape![]> = some(4);
    let n = 1;
    agree!(c, a: c[i, j] = a[i, k] * a[j, k]);
    agree!(c, a: c[i, j] += a[i, k] * a[j, k]);
    agree!(c, a: c[i, j] -= 2.0 * a[i, k] * a[j, k]);
    agree!(c, x: c[i, j] *= x[i] * 1[j]);
    agree!(c, x: c[i, j] /= x[j] * 1[i]);
    agree!(c, : c[i, j] = c[j, i]);
    agree!(c, x: c[i, i] = x[i]);
    agree!(c, x: c[1, j] += x[j]);
    agree!(c, x: c[{ n }, j] = x[j] * c[j, 0]);
    agree!(c, a: c[i in 1..3, j] = a[i in 0..2, j in 1..4]);
    agree!(s, a: s[] += sum(i, j; a[i, j]));
    // What has no static form is written too.
    agree!(c, x: c[i in n.., j] += x[i in ..2] * x[j]);
}

#[test]
fn places_agree() {
    table::<f32>();
    table::<f64>();
    table::<Complex<f32>>();
    table::<Complex<f64>>();
}

#[test]
fn places_are_variables_references_and_fields() {
    struct State {
        c: StaticTensor<f64, Shape![2]>,
    }
    let (mut state, x) = (State { c: StaticTensor::zeros() }, StaticTensor::new([1.0, 2.0]));
    tensor!(state.c[i] += x[i]);
    let mut list = [state.c; 2];
    tensor!((list[1])[i] += x[i] * state.c[i]);
    assert_eq!((state.c, list[1]), (x, StaticTensor::new([2.0, 6.0])));
    let mut tensor = x.to_tensor().unwrap();
    tensor!(tensor[i] += x[i]);
    assert_eq!(tensor.as_slice(), [2.0, 4.0]);
}

#[test]
fn failures_are_those_of_tensors() {
    let a = StaticTensor::new([[1.0, 2.0], [3.0, 4.0]]);
    let (mut c, n) = (a, 2);
    let bounds = "index 2 is out of range for axis 1 of `a`, which has extent 2";
    assert_eq!(try_tensor!([i] = a[i, { n }]).unwrap_err().to_string(), bounds);
    let error = try_tensor!(c[{ n }, j] = a[0, j]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Bounds { .. }), "{error}");
    assert_eq!(c, a, "a failure leaves the target as it was");
    let panic = std::panic::catch_unwind(|| tensor!([i] = a[i, { n }])).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(bounds));
    let nothing: StaticTensor<f64, Shape![2, 0]> = StaticTensor::zeros();
    let error = try_tensor!([i] = max(k; nothing[i, k])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Undefined { .. }), "{error}");
    let complex = StaticTensor::new([Complex::new(1.0, 2.0)]);
    assert!(try_tensor!([] = max(i; complex[i])).is_err());
    let fine: Result<StaticTensor<f64, Shape![2]>, Error> = try_tensor!([i] = a[i, { n - 1 }]);
    assert_eq!(fine, Ok(StaticTensor::new([2.0, 4.0])));
    assert_eq!(try_tensor!(c[i, j] = a[j, i]), Ok(()));
}

#[test]
fn equations_without_a_static_form_make_tensors() {
    let a = StaticTensor::new([[1.0, 2.0], [3.0, 4.0]]);
    let (n, dynamic) = (2, a.to_tensor().unwrap());
    let fused: Tensor<f64, Shape![4]> = tensor!([(i, j)] = a[i, j]);
    assert_eq!(fused.as_slice(), [1.0, 2.0, 3.0, 4.0]);
    let rest: Tensor<f64> = tensor!([j, ..] = a[.., j]);
    let ranged: Tensor<f64, Shape![2, _]> = tensor!([i, j] = a[i, j in ..n]);
    let open: Tensor<f64, Shape![2, _]> = tensor!([i, j] = a[i, j in 1..]);
    let declared: Tensor<f64, Shape![2, 2]> = tensor!([i, j] = a[i, j] where i: n);
    let mixed: Tensor<f64, Shape![2, 2]> = tensor!([i, k] = a[i, j] * dynamic[j, k]);
    let scale = Tensor::scalar(1.0);
    let scaled: Tensor<f64, Shape![2, 2]> = tensor!([i, j] = scale * a[i, j]);
    assert_eq!(a, scaled);
    let block: Tensor<f64, Shape![2, 2]> = tensor! {
        let b[i, j] = 2.0 * a[i, j];
        b
    };
    let graph = Graph::new();
    let recorded: Expr<'_, f64, Shape![2, 2]> = tensor! { in &graph; [i, j] = a[j, i] };
    assert_eq!(recorded.eval().unwrap().as_slice(), [1.0, 3.0, 2.0, 4.0]);
    assert_eq!((rest.as_slice(), ranged.as_slice()), (&[1.0, 3.0, 2.0, 4.0][..], a.as_slice()));
    assert_eq!((open.as_slice(), declared.as_slice()), (&[2.0, 4.0][..], a.as_slice()));
    assert_eq!((mixed.as_slice(), block.as_slice()), (&[7.0, 10.0, 15.0, 22.0][..], &[2.0, 4.0, 6.0, 8.0][..]));
}
