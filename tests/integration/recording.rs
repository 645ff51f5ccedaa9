//! What closures and functions record with `tensor!` over their arguments can be returned from them.

use tensorwrapper::prelude::*;
use tensorwrapper::{Error, Tolerance};

type Matrix = Tensor<f64, Shape![3, 3]>;

fn numbers(seed: usize) -> Matrix {
    Tensor::from_fn((Const, Const), |i| ((5 * i[0] + 3 * i[1] + seed) % 7) as f64 / 10.0 - 0.3).unwrap()
}

/// A recorded argument by value, a tensor by reference, and a number.
fn loss<'a>(w: Expr<'a, f64, Shape![3, 3]>, x: &'a Matrix, share: f64) -> Expr<'a, f64, ()> {
    let graph = Graph::new();
    tensor! {
        in &graph;
        let y[i, j] = w[i, k] * x[k, j];
        let loss = share * y[i, j] * y[i, j];
        loss
    }
}

/// A single recorded equation.
fn product<'a>(a: &Expr<'a, f64, Shape![3, 3]>, b: Expr<'a, f64, Shape![3, 3]>) -> Expr<'a, f64, Shape![3, 3]> {
    let graph = Graph::new();
    tensor! {
        in &graph;
        let c[i, j] = a[i, k] * b[k, j];
        c
    }
}

#[test]
fn functions_return_what_they_record() -> Result<(), Error> {
    let (w, x) = (numbers(1), numbers(2));
    let graph = Graph::new();
    let recorded = tensor!(in &graph; let v[i, j] = 2.0 * w[i, j]; v);
    let found = loss(recorded.clone(), &x, 0.5).grad(&recorded)?.eval()?;
    let y = tensor!([i, j] = 2.0 * w[i, k] * x[k, j]);
    let expected = tensor!([i, k] = y[i, j] * x[k, j]);
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));
    let square = product(&recorded, recorded.clone()).eval()?;
    let expected = tensor!([i, j] = 4.0 * w[i, k] * w[k, j]);
    assert!(square.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));
    Ok(())
}

#[test]
fn values_and_gradients_of_blocks() -> Result<(), Error> {
    let (w, x) = (numbers(1), numbers(2));
    let (value, (by_w, by_x)) = Context::cpu().value_and_grad((&w, &x), |(w, x)| {
        let (graph, share) = (Graph::new(), 0.25);
        Ok(tensor! {
            in &graph;
            let y[i, j] = w[i, k] * x[k, j];
            let loss = share * sum(i, j; tanh(y[i, j]));
            loss
        })
    })?;
    let y = tensor!([i, j] = w[i, k] * x[k, j]);
    let slope = tensor!([i, j] = 0.25 * (1.0[i, j] - powi(tanh(y[i, j]), 2)));
    assert!((value - tensor!([] = 0.25 * sum(i, j; tanh(y[i, j])))).abs() < 1e-14);
    let expected = tensor!([i, k] = slope[i, j] * x[k, j]);
    assert!(by_w.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));
    let expected = tensor!([k, j] = slope[i, j] * w[i, k]);
    assert!(by_x.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));

    let prepared = Context::cpu().prepare_grad(&w, |w| Ok(loss(w, &x, 0.5)))?;
    let (value, _) = prepared.run(&w)?;
    assert!((value - tensor!([] = 0.5 * y[i, j] * y[i, j])).abs() < 1e-14);
    Ok(())
}

#[test]
fn fixed_points_and_steps_of_blocks() -> Result<(), Error> {
    let (p, start) = (numbers(3), numbers(0));
    // x = p + x·x/10
    let solution = Context::cpu().fixed_point(
        |x, p| {
            let graph = Graph::new();
            Ok(tensor!(in &graph; let next[i, j] = p[i, j] + 0.1 * x[i, k] * x[k, j]; next))
        },
        &start,
        &p,
        Tolerance::new(1e-13),
    )?;
    let x = solution.eval()?;
    let rest = tensor!([i, j] = p[i, j] + 0.1 * x[i, k] * x[k, j] - x[i, j]);
    assert!(rest.as_slice().iter().all(|rest| rest.abs() < 1e-12));

    let step = Context::cpu().prepare_step(&start, &p, |x, p| {
        let graph = Graph::new();
        Ok(tensor!(in &graph; let next[i, j] = p[i, j] + 0.1 * x[i, k] * x[k, j]; next))
    })?;
    let run = step.run(&start, &p, 3)?;
    let mut x = start.clone();
    for _ in 0..3 {
        x = tensor!([i, j] = p[i, j] + 0.1 * x[i, k] * x[k, j]);
    }
    let last = run.state()?;
    assert!(last.as_slice().iter().zip(x.as_slice()).all(|(a, b)| (a - b).abs() < 1e-14));
    Ok(())
}

/// A block with a derivative, over arguments.
#[test]
fn closures_with_derivatives_in_the_language() -> Result<(), Error> {
    let w = numbers(1);
    let graph = Graph::new();
    let recorded = tensor!(in &graph; let v[i, j] = w[i, j]; v);
    let slope = |a: Expr<'_, f64, Shape![3, 3]>| {
        let graph = Graph::new();
        tensor! {
            in &graph;
            let l = a[i, j] * a[j, k] * a[k, i];
            let g[i, j] = grad(l; a[i, j]);
            g
        }
        .eval()
    };
    let found = slope(recorded)?;
    let expected = tensor!([i, j] = 3.0 * w[j, k] * w[k, i]);
    assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-13));
    Ok(())
}
