//! Fixed points against direct solutions and differences, and planned gradients.

use num_complex::Complex;

use crate::{Context, Error, Expr, Tensor, Tolerance, or_zero};

const TIGHT: f64 = 1e-13;

fn tight() -> Tolerance {
    Tolerance::new(TIGHT)
}

fn wave(extents: &[usize], phase: f64, scale: f64) -> Tensor<f64> {
    let mut n = 0.0;
    let element = |_: &[usize]| {
        n += 1.0;
        scale * (phase + 1.7 * n).sin()
    };
    Tensor::from_fn(extents, element).unwrap()
}

fn moved(x: &Tensor<f64>, step: f64, along: &Tensor<f64>) -> Tensor<f64> {
    (x.at("i") + along.at("i") * step).eval("i").unwrap()
}

fn dot(a: &Tensor<f64>, b: &Tensor<f64>) -> f64 {
    a.as_slice().iter().zip(b.as_slice()).map(|(a, b)| a * b).sum()
}

fn near(found: &Tensor<f64>, expected: &Tensor<f64>, tolerance: f64) {
    assert_eq!(found.extents(), expected.extents());
    for (found, expected) in found.as_slice().iter().zip(expected.as_slice()) {
        assert!((found - expected).abs() <= tolerance, "{found} instead of {expected}");
    }
}

/// Differences of the fourth order.
fn difference(of: impl Fn(f64) -> Tensor<f64>) -> Tensor<f64> {
    let h = 1e-2;
    let [a, b, c, d] = [-2.0 * h, -h, h, 2.0 * h].map(of);
    let axes = "i";
    ((a.at(axes) - d.at(axes)) * (1.0 / (12.0 * h)) + (c.at(axes) - b.at(axes)) * (8.0 / (12.0 * h))).eval(axes).unwrap()
}

/// x = tanh(A·x + p + y·p²)/2, y = |x|²/4 + p·c, whose two parts depend on p in two ways.
fn solution<'a>(a: &'a Tensor<f64>, p: &'a Tensor<f64>, zero: &'a (Tensor<f64>, Tensor<f64>)) -> (Expr<'a, f64>, Expr<'a, f64>) {
    let square = (p.at("i") * p.at("i")).record("i").unwrap();
    let step = |(x, y): (Expr<'a, f64>, Expr<'a, f64>), p: Expr<'a, f64>| {
        let sum = (a.at("ij") * x.at("j") + p.at("i") + y.at("") * square.at("i")).record("i")?;
        let next_x = (sum.at("i").tanh() * 0.5).record("i")?;
        Ok((next_x, (x.at("i") * x.at("i") * 0.25 + p.at("i") * a.at("ii")).record("")?))
    };
    Context::cpu().fixed_point(step, (&zero.0, &zero.1), p, tight()).unwrap()
}

fn start(size: usize) -> (Tensor<f64>, Tensor<f64>) {
    (Tensor::zeros([size]).unwrap(), Tensor::zeros([]).unwrap())
}

/// A number that both parts of the solution make, and p besides.
fn number<'a>((x, y): &(Expr<'a, f64>, Expr<'a, f64>), p: &'a Tensor<f64>) -> Expr<'a, f64> {
    (x.at("i").exp() * p.at("i") + y.at("") * x.at("i") * y.at("")).record("").unwrap()
}

#[test]
fn a_linear_fixed_point_is_the_solution_of_its_equations() {
    let (a, b, w) = (wave(&[5, 5], 0.3, 0.3), wave(&[5], 1.0, 1.0), wave(&[5], 2.0, 1.0));
    let zero = Tensor::<f64>::zeros([5]).unwrap();
    let one = Tensor::<f64>::from_fn([5, 5], |i| f64::from(u8::from(i[0] == i[1]))).unwrap();
    let x = Context::cpu()
        .fixed_point(|x, (a, b)| (a.at("ij") * x.at("j") + b.at("i")).record("i"), &zero, (&a, &b), tight())
        .unwrap();
    let matrix = (one.at("ij") - a.at("ij")).record("ij").unwrap();
    let direct = matrix.at("ij").solve(b.at("i"), "j").record().unwrap();
    near(&x.eval().unwrap(), &direct.eval().unwrap(), 1e-11);
    let (found, expected) = (x.vjp(&w, (&a, &b)).unwrap(), direct.vjp(&w, (&a, &b)).unwrap());
    near(&found.0.eval().unwrap(), &expected.0.eval().unwrap(), 1e-10);
    near(&found.1.eval().unwrap(), &expected.1.eval().unwrap(), 1e-10);
}

#[test]
fn derivatives_of_a_solution_are_those_of_its_values() {
    let (a, p, d, e) = (wave(&[4, 4], 0.1, 0.3), wave(&[4], 0.7, 0.6), wave(&[4], 1.1, 1.0), wave(&[4], 0.2, 1.0));
    let zero = start(4);
    let x = solution(&a, &p, &zero);
    let value = |p: &Tensor<f64>| number(&solution(&a, p, &zero), p).eval().unwrap();
    let gradient = |p: &Tensor<f64>| number(&solution(&a, p, &zero), p).grad(p).unwrap().eval().unwrap();
    let loss = number(&x, &p);
    let along = |d: &Tensor<f64>| loss.jvp((&p, d)).unwrap().eval().unwrap().as_slice()[0];
    let by_p = gradient(&p);
    assert!((along(&d) - dot(&by_p, &d)).abs() < 1e-11);
    let slope = difference(|h| Tensor::from_slice([1], value(&moved(&p, h, &d)).as_slice()).unwrap());
    assert!((slope.as_slice()[0] - dot(&by_p, &d)).abs() < 1e-7, "{slope:?}");
    // Forward over reverse, and symmetric.
    let second = |d: &Tensor<f64>| loss.hvp(((&p, d),)).unwrap().0.eval().unwrap();
    near(&second(&d), &difference(|h| gradient(&moved(&p, h, &d))), 1e-6);
    assert!((dot(&second(&d), &e) - dot(&second(&e), &d)).abs() < 1e-10);
    // By the matrix, too.
    let by_a = loss.grad(&a).unwrap().eval().unwrap();
    let along_a = wave(&[4, 4], 0.4, 1.0);
    let change = loss.jvp((&a, &along_a)).unwrap().eval().unwrap();
    assert!((change.as_slice()[0] - dot(&by_a, &along_a)).abs() < 1e-11);
}

#[test]
fn all_derivatives_at_once_are_those_along_each_direction() {
    let (a, p) = (wave(&[3, 3], 0.1, 0.3), wave(&[3], 0.7, 0.6));
    let zero = start(3);
    let x = solution(&a, &p, &zero);
    let loss = number(&x, &p);
    // Three rows and columns, then one row and three columns, then nine columns.
    let (jacobian, hessian) = (x.0.jacobian(&p).unwrap().eval().unwrap(), loss.hessian(&p).unwrap().eval().unwrap());
    let (by_y, by_a) = (x.1.jacobian(&p).unwrap().eval().unwrap(), x.0.jacobian(&a).unwrap().eval().unwrap());
    for n in 0..3 {
        let unit = Tensor::<f64>::from_fn([3], |i| f64::from(u8::from(i[0] == n))).unwrap();
        let column = |of: &Tensor<f64>| Tensor::from_fn([3], |i| of[[i[0], n]]).unwrap();
        near(&x.0.jvp((&p, &unit)).unwrap().eval().unwrap(), &column(&jacobian), 1e-11);
        near(&loss.hvp(((&p, &unit),)).unwrap().0.eval().unwrap(), &column(&hessian), 1e-10);
        assert!((x.1.jvp((&p, &unit)).unwrap().eval().unwrap().as_slice()[0] - by_y[[n]]).abs() < 1e-11);
        let row = x.0.vjp(&unit, &a).unwrap().eval().unwrap();
        near(&row, &Tensor::from_fn([3, 3], |i| by_a[[n, i[0], i[1]]]).unwrap(), 1e-11);
    }
}

#[test]
fn third_derivatives_exist() {
    // x = cos(p·x)/2: one number, by differences of the second derivative.
    let zero = Tensor::<f64>::zeros([1]).unwrap();
    let one = Tensor::<f64>::filled([1], 1.0).unwrap();
    let second = |p: &Tensor<f64>, is_third: bool| {
        let x = Context::cpu().fixed_point(|x, p| ((x.at("i") * p.at("i")).cos() * 0.5).record("i"), &zero, p, tight()).unwrap();
        let first = x.jvp((p, &one)).unwrap().jvp((p, &one)).unwrap();
        if is_third { first.jvp((p, &one)).unwrap().eval().unwrap() } else { first.eval().unwrap() }
    };
    let p = Tensor::<f64>::filled([1], 1.3).unwrap();
    near(&second(&p, true), &difference(|h| second(&moved(&p, h, &one), false)), 1e-6);
}

#[test]
fn a_solution_is_a_variable_itself() {
    let (a, p) = (wave(&[3, 3], 0.1, 0.3), wave(&[3], 0.7, 0.6));
    let zero = start(3);
    let x = solution(&a, &p, &zero);
    let loss = number(&x, &p);
    let by_x = loss.grad(&x.0).unwrap().eval().unwrap();
    let (found, y) = (x.0.eval().unwrap(), x.1.eval().unwrap().as_slice()[0]);
    let expected = (found.at("i").exp() * p.at("i")).eval("i").unwrap();
    let expected = Tensor::from_fn([3], |i| expected[[i[0]]] + y * y).unwrap();
    near(&by_x, &expected, 1e-13);
}

#[test]
fn complex_solutions_have_the_gradients_of_their_parts() {
    type C = Complex<f64>;
    let p = Tensor::<C>::from_fn([3], |i| C::new(0.3 + i[0] as f64 * 0.2, 0.4 - i[0] as f64 * 0.3)).unwrap();
    let zero = Tensor::<C>::zeros([3]).unwrap();
    // x = p·exp(x)/4 + i·conj(x)·p/5
    let of = |p: &Tensor<C>| {
        let x = Context::cpu()
            .fixed_point(
                |x, p| {
                    (p.at("i") * x.at("i").exp() * C::new(0.25, 0.0) + x.at("i").conj() * p.at("i") * C::new(0.0, 0.2))
                        .record("i")
                },
                &zero,
                p,
                tight(),
            )
            .unwrap();
        let loss = (x.at("i") * x.at("i") * p.at("i").conj()).real().record("").unwrap();
        (loss.eval().unwrap().as_slice()[0], loss.grad(p).unwrap().eval().unwrap())
    };
    let (_, gradient) = of(&p);
    let h = 1e-4;
    for n in 0..3 {
        let at = |step: C| of(&Tensor::from_fn([3], |i| p[[i[0]]] + if i[0] == n { step } else { C::new(0.0, 0.0) }).unwrap()).0;
        let slope = |unit: C| (at(unit * h) - at(-unit * h)) / (2.0 * h);
        let expected = C::new(slope(C::new(1.0, 0.0)), slope(C::new(0.0, 1.0)));
        assert!((gradient[[n]] - expected).norm() < 1e-7, "{} instead of {expected}", gradient[[n]]);
    }
}

#[test]
fn steps_that_run_away_are_brought_back_by_mixing() {
    let p = Tensor::<f64>::from_slice([3], &[-3.0, 2.5, -1.5]).unwrap();
    let zero = Tensor::<f64>::zeros([3]).unwrap();
    let x = Context::cpu().fixed_point(|x, p| (x.at("i") * p.at("i") + p.at("i")).record("i"), &zero, &p, tight()).unwrap();
    let expected = Tensor::from_fn([3], |i| p[[i[0]]] / (1.0 - p[[i[0]]])).unwrap();
    near(&x.eval().unwrap(), &expected, 1e-11);
}

fn fault<T>(result: Result<T, Error>) -> String {
    result.err().expect("this is refused").to_string()
}

/// y = y/2 + x
fn inner<'a>(x: &Expr<'a, f64>) -> Result<Expr<'a, f64>, Error> {
    Context::cpu().fixed_point(|y, x| (y.at("i") * 0.5 + x.at("i")).record("i"), x, x, tight())
}

#[test]
fn what_cannot_be_is_an_error() {
    let context = Context::cpu();
    let p = Tensor::<f64>::filled([2], 1.0).unwrap();
    let few = Tolerance::new(1e-12).steps(3);
    let none = context.fixed_point(|x, p| (x.at("i") + p.at("i")).record("i"), &p, &p, few);
    assert!(fault(none).starts_with("no fixed point was found in 3 steps"));
    let other = context.fixed_point(|x, p| (x.at("i") * p.at("j")).record("ij"), &p, &p, tight());
    assert!(fault(other).starts_with("tensor 0 of the state has extents [2], but its step gives extents [2, 2]"));
    // Every x is a solution for p = 1.
    let kept = context.fixed_point(|x, p| (x.at("i") * p.at("i")).record("i"), &p, &p, tight()).unwrap();
    assert!(fault(kept.vjp(&p, &p)).starts_with("the derivative of a fixed point: its linear equations"));
    let half = context.fixed_point(|x, p| (x.at("i") * p.at("i") * 0.5 + p.at("i")).record("i"), &p, &p, tight()).unwrap();
    let nested = context.fixed_point(|x, ()| inner(&x), &p, (), tight());
    assert!(fault(nested).starts_with("a fixed point inside a step"));
    let product = (half.at("i") * p.at("i")).record("i").unwrap();
    assert!(
        fault(context.prepare_all((&product,), &[&p])).starts_with("a fixed point that was computed already depends on tensor 0")
    );
}

#[test]
fn planned_gradients_are_those_of_their_parameters() {
    let (a, x, unused) = (wave(&[3, 3], 0.1, 1.0), wave(&[3], 0.5, 1.0), wave(&[2], 0.0, 1.0));
    let context = Context::cpu();
    let prepared = context
        .prepare_grad((&a, &x, or_zero(&unused)), |(a, x, _)| (a.at("ij") * x.at("i") * x.at("j")).sum("ij").exp().record(""))
        .unwrap();
    let (a, x) = (wave(&[3, 3], 0.4, 1.0), wave(&[3], 0.9, 1.0));
    let (value, (by_a, by_x, by_unused)) = prepared.run((&a, &x, &unused)).unwrap();
    let (expected, (of_a, of_x)) =
        context.value_and_grad((&a, &x), |(a, x)| (a.at("ij") * x.at("i") * x.at("j")).sum("ij").exp().record("")).unwrap();
    assert_eq!(value, expected);
    near(&by_a, &of_a, 1e-14);
    near(&by_x, &of_x, 1e-14);
    assert_eq!(by_unused.as_slice(), [0.0, 0.0]);
    let recorded = (a.at("ij") * 2.0).record("ij").unwrap();
    let refused = context.prepare_grad(&recorded, |a| (a.at("ij") * a.at("ij")).record(""));
    assert!(fault(refused).starts_with("parameter 0 is a recorded result"));
}

/// x = tanh(A·x + p·y), y = y/2 + |x|²/9, many times; p.a is not used.
fn repeated(kept: usize, count: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let (a, x, y) = (wave(&[3, 3], 0.2, 0.8), wave(&[3], 0.6, 0.7), Tensor::<f64>::filled([], 0.4).unwrap());
    let (p, unused) = (wave(&[3], 1.4, 0.5), wave(&[2], 0.1, 1.0));
    let step = Context::cpu()
        .prepare_step((&x, &y), (&a, &p, or_zero(&unused)), |(x, y), (a, p, _)| {
            let sum = (a.at("ij") * x.at("j") + p.at("i") * y.at("")).record("i")?;
            Ok((sum.at("i").tanh().record("i")?, (y.at("") * 0.5 + x.at("i") * x.at("i") * (1.0 / 9.0)).record("")?))
        })
        .unwrap()
        .keeping(kept);
    let run = step.run((&x, &y), (&a, &p, &unused), count).unwrap();
    let (w, v) = (wave(&[3], 2.2, 1.0), Tensor::<f64>::filled([], 0.7).unwrap());
    let ((by_x, by_y), (by_a, by_p, by_unused)) = run.vjp((&w, &v)).unwrap();
    assert_eq!(by_unused.as_slice(), [0.0, 0.0]);
    let (last, _) = run.state().unwrap();
    let by_state = [by_x.as_slice(), by_y.as_slice()].concat();
    (last.as_slice().to_vec(), by_state, [by_a.as_slice(), by_p.as_slice()].concat())
}

#[test]
fn steps_have_the_derivatives_of_one_long_recording() {
    let (a, x, y) = (wave(&[3, 3], 0.2, 0.8), wave(&[3], 0.6, 0.7), Tensor::<f64>::filled([], 0.4).unwrap());
    let (p, w, v) = (wave(&[3], 1.4, 0.5), wave(&[3], 2.2, 1.0), Tensor::<f64>::filled([], 0.7).unwrap());
    let (mut last_x, mut last_y) = (x.at("i").record("i").unwrap(), y.at("").record("").unwrap());
    for _ in 0..7 {
        let sum = (a.at("ij") * last_x.at("j") + p.at("i") * last_y.at("")).record("i").unwrap();
        last_y = (last_y.at("") * 0.5 + last_x.at("i") * last_x.at("i") * (1.0 / 9.0)).record("").unwrap();
        last_x = sum.at("i").tanh().record("i").unwrap();
    }
    let loss = (last_x.at("i") * w.at("i") + last_y.at("") * v.at("")).record("").unwrap();
    let (_, (of_x, of_y, of_a, of_p)) = loss.value_and_grad((&x, &y, &a, &p)).unwrap();
    let (last, by_state, by_parameters) = repeated(3, 7);
    let is_near = |found: &[f64], expected: &[f64]| found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-13);
    assert!(is_near(&last, last_x.eval().unwrap().as_slice()));
    assert!(is_near(&by_state, &[of_x.as_slice(), of_y.as_slice()].concat()), "{by_state:?}");
    assert!(is_near(&by_parameters, &[of_a.as_slice(), of_p.as_slice()].concat()), "{by_parameters:?}");
}

/// ⟨w, jvp(v)⟩ = ⟨vjp(w), v⟩, and the state is that of a run.
#[test]
fn changes_of_many_steps_are_adjoint_to_weights() {
    let (a, x, y) = (wave(&[3, 3], 0.2, 0.8), wave(&[3], 0.6, 0.7), Tensor::<f64>::filled([], 0.4).unwrap());
    let (da, dx, dy) = (wave(&[3, 3], 1.2, 0.3), wave(&[3], 2.6, 0.4), Tensor::<f64>::filled([], -0.3).unwrap());
    let (w, v) = (wave(&[3], 2.2, 1.0), Tensor::<f64>::filled([], 0.7).unwrap());
    let step = Context::cpu()
        .prepare_step((&x, &y), &a, |(x, y), a| {
            let sum = (a.at("ij") * x.at("j") + x.at("i") * y.at("")).record("i")?;
            Ok((sum.at("i").tanh().record("i")?, (y.at("") * 0.5 + x.at("i") * x.at("i") * (1.0 / 9.0)).record("")?))
        })
        .unwrap();
    for count in [0, 1, 9] {
        let ((last_x, last_y), (change_x, change_y)) = step.jvp(((&x, &y), (&dx, &dy)), (&a, &da), count).unwrap();
        let run = step.run((&x, &y), &a, count).unwrap();
        let (end_x, end_y) = run.state().unwrap();
        assert_eq!((last_x.as_slice(), last_y.as_slice()), (end_x.as_slice(), end_y.as_slice()));
        let ((by_x, by_y), by_a) = run.vjp((&w, &v)).unwrap();
        let dot = |one: &Tensor<f64>, other: &Tensor<f64>| -> f64 {
            one.as_slice().iter().zip(other.as_slice()).map(|(x, y)| x * y).sum()
        };
        let forward = dot(&w, &change_x) + dot(&v, &change_y);
        let back = dot(&by_x, &dx) + dot(&by_y, &dy) + dot(&by_a, &da);
        assert!((forward - back).abs() < 1e-13, "{count} steps: {forward} {back}");
    }
    let long = wave(&[4], 0.0, 1.0);
    assert!(fault(step.jvp(((&x, &y), (&long, &dy)), (&a, &da), 1)).starts_with("the change of the state has extents"));
}

#[test]
fn few_states_give_the_same_derivatives_as_many() {
    for count in [0, 1, 2, 50] {
        let all = repeated(100, count);
        for kept in [1, 2, 5] {
            assert_eq!(repeated(kept, count), all, "{count} steps, {kept} states");
        }
    }
}

#[test]
fn steps_that_do_not_fit_are_refused() {
    let (x, p) = (wave(&[3], 0.6, 0.7), wave(&[3], 1.4, 0.5));
    let context = Context::cpu();
    let other = context.prepare_step(&x, &p, |x, p| (x.at("i") * p.at("j")).record("ij"));
    assert!(fault(other).starts_with("tensor 0 of the state has extents [3], but its step gives extents [3, 3]"));
    let without = context.prepare_step(&x, &p, |x, _| (x.at("i") * 0.5).record("i"));
    assert!(fault(without).starts_with("the value does not depend on variable 0"));
    let step = context.prepare_step(&x, &p, |x, p| (x.at("i") * p.at("i")).record("i")).unwrap();
    let long = wave(&[4], 0.0, 1.0);
    assert!(fault(step.run(&long, &p, 3)).starts_with("the state has extents [[4]], but the step was prepared for [[3]]"));
    assert!(fault(step.run(&x, &p, 3).unwrap().vjp(&long)).starts_with("the weight has extents"));
}
