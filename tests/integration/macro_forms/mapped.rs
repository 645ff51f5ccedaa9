//! `map(f; X, Y)`: functions of the program's, through every door.

use super::{assert_close, assert_type, reference, sample};
use num_complex::Complex;
use tensorwrapper::Indexed;
use tensorwrapper::prelude::*;

fn step(x: f64) -> f64 {
    if x > 1.0 { x } else { 0.1 * x }
}

fn hypotenuse<T: Element>(x: T, y: T) -> T {
    x * x + y * y
}

#[test]
fn a_function_of_one_element_is_a_path_a_variable_or_a_closure() {
    let (a, b, c) = (sample((3, 4), 1), sample((4, 3), 2), sample((3, 3), 3));
    let expected = reference(&a.at("ij").map(&step), "ij");
    let by_hand: Vec<f64> = a.as_slice().iter().map(|&x| step(x)).collect();
    assert_eq!(expected.as_slice(), by_hand);
    assert_close(&tensor!([i, j] = map(step; a[i, j])), &expected);
    let variable = |x: f64| step(x);
    assert_close(&tensor!([i, j] = map(variable; a[i, j])), &expected);
    assert_close(&tensor!([i, j] = map({ |x: f64| step(x) }; a[i, j])), &expected);
    assert_close(&tensor!([i, j] = map(|x| if x > 1.0 { x } else { 0.1 * x }; a[i, j])), &expected);
    let pointer: fn(f64) -> f64 = step;
    assert_close(&tensor!([i, j] = map(pointer; a[i, j])), &expected);
    assert_close(&tensor!([i, j] = map(f64::sqrt; a[i, j])), &reference(&a.at("ij").sqrt(), "ij"));
    // What is around it, and what is inside.
    let found = tensor!([i, j] = 2.0 * map(step; sum(k; a[i, k] * b[k, j]) - 1.0[i, j]) / c[j, i]);
    let product = (a.at("ik") * b.at("kj")).sum("k");
    assert_close(&found, &reference(&(2.0 * (product - Indexed::spread(1.0, "ij")).map(&step) / c.at("ji")), "ij"));
    let total = tensor!([] = map(step; a[i, j]) * map(step; map(step; b[j, i])));
    assert!((total - reference(&(a.at("ij").map(&step) * b.at("ji").map(&step).map(&step)), "").as_slice()[0]).abs() < 1e-12);
}

#[test]
fn functions_of_several_elements() {
    let (a, b) = (sample((3, 4), 1), sample((4,), 2));
    let expected = reference(&a.at("ij").zip_map(b.at("j"), &hypotenuse), "ij");
    assert_close(&expected, &reference(&(a.at("ij").powi(2) + Indexed::spread(1.0, "i") * b.at("j").powi(2)), "ij"));
    let found = tensor!([i, j] = map(hypotenuse; a[i, j], b[j]));
    assert_type::<Tensor<f64, Shape![_, _]>>(&found);
    assert_close(&found, &expected);
    let three = |x: f64, y: f64, z: f64| x * y - z;
    let found = tensor!([i, j] = map(three; a[i, j], b[j], 0.5 * a[i, j]));
    assert_close(&found, &reference(&(a.at("ij") * b.at("j") - 0.5 * a.at("ij")), "ij"));
    let four = tensor!([i] = map({ |x: f64, y, z, w| x + 2.0 * y + 3.0 * z + 4.0 * w }; b[i], 1.0, b[i], { 0.5 }));
    assert_close(&four, &reference(&(4.0 * b.at("i") + Indexed::spread(4.0, "i")), "i"));
    let eight = |a: f64, b: f64, c: f64, d: f64, e: f64, f: f64, g: f64, h: f64| a + b + c + d + e + f + g + h;
    assert_close(&tensor!([i] = map(eight; b[i], b[i], b[i], b[i], b[i], b[i], b[i], b[i])), &reference(&(8.0 * b.at("i")), "i"));
    let all = Indexed::map_all((b.at("i"), b.at("i"), 2.0 * b.at("i")), &three);
    assert_close(&reference(&all, "i"), &reference(&(b.at("i") * b.at("i") - 2.0 * b.at("i")), "i"));
}

#[test]
fn a_function_may_borrow_and_serve_several_places() {
    let (a, scale) = (sample((3, 3), 1), vec![2.0, 3.0]);
    let scaled = |x: f64| scale[0] * x + scale[1];
    let (w, e) = tensor! {
        let w[i, j] = map(scaled; a[i, j]) + map(scaled; a[j, i]);
        let e = sum(i; map(scaled; w[i, i]));
        (w, e)
    };
    let expected = reference(&(2.0 * a.at("ij") + 2.0 * a.at("ji") + Indexed::spread(6.0, "ij")), "ij");
    assert_close(&w, &expected);
    assert!((e - tensor!([] = sum(i; map(scaled; expected[i, i])))).abs() < 1e-12);
    // An exchange calls one function twice, `move` or not.
    let owned = scale.clone();
    let found = tensor!([i, j] = asym(i, j; map({ move |x: f64| owned[0] * x }; a[i, j])));
    assert_close(&found, &reference(&(2.0 * a.at("ij") - 2.0 * a.at("ji")), "ij"));
    let mut c = a.clone();
    tensor!(c[i, j] -= map(scaled; c[j, i]));
    assert_close(&c, &reference(&(a.at("ij") - 2.0 * a.at("ji") - Indexed::spread(3.0, "ij")), "ij"));
}

#[test]
fn recorded_functions_run_when_their_results_are_computed() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let (a, calls) = (sample((20, 30), 1), AtomicUsize::new(0));
    let counted = |x: f64| {
        calls.fetch_add(1, Ordering::Relaxed);
        2.0 * x
    };
    let graph = Graph::new();
    let recorded = tensor! {
        in &graph;
        let w[i, j] = map(counted; a[i, j]);
        w
    };
    assert_eq!(calls.load(Ordering::Relaxed), 0);
    assert_eq!(recorded.graph().operations().len(), 1);
    assert_close(&recorded.eval().unwrap(), &reference(&(2.0 * a.at("ij")), "ij"));
    assert_eq!(calls.load(Ordering::Relaxed), 600);
    // The recording borrows the function, and is forgotten when nobody computes it any more.
    let again = try_tensor!([j] = max(i; recorded[i, j])).unwrap();
    assert_close(&again, &reference(&(2.0 * a.at("ij")).max("i"), "j"));
}

/// One pass, as with the language's own functions.
#[test]
fn functions_are_fused() {
    let (a, b) = (sample((6, 5), 1), sample((6,), 2));
    let x = ((a.at("ij").map(&step) + 1.0 * a.at("ij").exp()) / b.at("i")).zip_map(a.at("ij"), &hypotenuse);
    assert_eq!(x.record("ij").unwrap().graph().operations().len(), 1);
    // The sum is in the same pass too.
    assert_eq!(x.sum("j").record("i").unwrap().graph().operations().len(), 1);
}

#[test]
fn every_element_type_and_many_elements() {
    fn check<T: Element>(tolerance: f64) {
        let n = 70;
        let a =
            Tensor::<T>::from_fn([n, n], |i| T::from_complex(Complex::new((i[0] * 7 + i[1]) as f64 * 1e-3, i[0] as f64 * 1e-2)))
                .unwrap();
        let function = |x: T, y: T| x * y + T::ONE;
        let found = tensor!([j, i] = map(function; a[i, j], conj(a[j, i])) * a[i, 3]);
        let reference = reference(&((a.at("ij") * a.at("ji").conj() + Indexed::spread(T::ONE, "ij")) * a.at("i,3")), "ji");
        for (x, y) in found.as_slice().iter().zip(reference.as_slice()) {
            assert!((x.to_complex() - y.to_complex()).norm() <= tolerance * (1.0 + y.to_complex().norm()), "{x} against {y}");
        }
    }
    check::<f32>(1e-5);
    check::<f64>(1e-14);
    check::<Complex<f32>>(1e-5);
    check::<Complex<f64>>(1e-14);
}
