//! Derivatives on reference cases and on the equations of coupled cluster.

use std::path::Path;

use tensorwrapper::prelude::*;
use tensorwrapper::{Accumulate, Pass};

#[allow(dead_code)]
#[path = "../../examples/derivatives/main.rs"]
mod reference;
// The example is a program; what it prints is nothing to this test.
#[allow(dead_code)]
#[path = "../../examples/fit/main.rs"]
mod fit;
#[allow(dead_code)]
#[path = "../../examples/ising/main.rs"]
mod ising;
#[allow(dead_code)]
#[path = "../../examples/lambda/main.rs"]
mod lambda;

fn data(name: &str) -> std::path::PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data")).join(name)
}

#[test]
fn reference_cases() {
    for file in ["derivatives/ad_cases.json", "derivatives/ad_cases_more.json"] {
        let all = reference::read(&data(file)).unwrap();
        assert_eq!(all.len(), 10);
        for case in &all {
            reference::judge(case, &Context::default()).unwrap_or_else(|sentence| panic!("{}: {sentence}", case.name));
        }
    }
}

/// The reference device, several threads, sums in double precision, and the CPU without each pass.
fn contexts() -> Vec<(String, Context)> {
    let without = Pass::ALL.into_iter().map(|pass| (format!("without {pass:?}"), Context::cpu().without(pass)));
    let plain = Pass::ALL.into_iter().fold(Context::reference(), Context::without);
    let others = [
        ("reference".to_string(), Context::reference()),
        ("reference without passes".to_string(), plain),
        ("two threads".to_string(), Context::cpu().threads(2)),
        ("in double precision".to_string(), Context::cpu().accumulate(Accumulate::Double)),
    ];
    others.into_iter().chain(without).collect()
}

#[test]
fn reference_cases_on_each_device_and_without_each_pass() {
    let contexts = contexts();
    for file in ["derivatives/ad_cases.json", "derivatives/ad_cases_more.json"] {
        for case in &reference::read(&data(file)).unwrap() {
            for (name, context) in &contexts {
                reference::judge(case, context).unwrap_or_else(|sentence| panic!("{} {name}: {sentence}", case.name));
            }
        }
    }
}

/// The elements that reach a maximum are found in the precision in which the maximum was: the products are rounded.
#[test]
fn maxima_of_rounded_products() {
    let numbers =
        |seed: usize| Tensor::<f32, Shape![_, _]>::from_fn((3, 5), |i| ((i[0] * 5 + i[1] + seed) as f32).sin()).unwrap();
    let (a, b) = (numbers(1), numbers(7));
    for (name, context) in &contexts() {
        let (m, n, by_a, by_b) = tensor! {
            in context;
            let m[i] = max(j; a[i, j] * b[i, j] / 3.0);
            let n[j] = min(i; 0.7 * a[i, j] - b[i, j]);
            let loss = sum(i; m[i]) - 2.0 * sum(j; n[j]);
            let (by_a[i, j], by_b[i, j]) = grad(loss; a[i, j], b[i, j]);
            (m, n, by_a, by_b)
        };
        for (i, j) in (0..3).flat_map(|i| (0..5).map(move |j| (i, j))) {
            // Which elements reach it is decided here by what is far from rounding.
            let is_largest = f32::from(u8::from((a[[i, j]] * b[[i, j]] / 3.0 - m[[i]]).abs() < 1e-5));
            let is_least = f32::from(u8::from((0.7 * a[[i, j]] - b[[i, j]] - n[[j]]).abs() < 1e-5));
            let expected = [is_largest * b[[i, j]] / 3.0 - 1.4 * is_least, is_largest * a[[i, j]] / 3.0 + 2.0 * is_least];
            for (found, expected) in [by_a[[i, j]], by_b[[i, j]]].into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-6, "{name}, element {i}, {j}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn infinite_maxima() {
    let x = Tensor::<f64, Shape![_]>::from_vec((4,), vec![1.0, f64::INFINITY, 2.0, f64::INFINITY]).unwrap();
    for (name, context) in &contexts() {
        let (most, least) = tensor! {
            in context;
            let most = 3.0 * max(i; x[i]);
            let least = min(i; -x[i]);
            let g[i] = grad(most; x[i]);
            let h[i] = grad(least; x[i]);
            (g, h)
        };
        assert_eq!(most.as_slice(), [0.0, 1.5, 0.0, 1.5], "{name}");
        assert_eq!(least.as_slice(), [0.0, -0.5, 0.0, -0.5], "{name}");
    }
}

#[test]
fn multipliers_and_dipole_moment_of_water() {
    // The example accepts a molecule without a reference, and prints what it finds; here each figure has one.
    let reference = std::fs::read_to_string(data("water-ccpvdz").join("reference.json")).unwrap();
    for (_, key, _) in lambda::RESULTS {
        assert!(reference.contains(&format!("\"{key}\":")), "{key}");
    }
    assert!(lambda::run(&data("water-ccpvdz")).is_ok_and(|is_good| is_good));
}

#[test]
fn the_ground_state_of_a_chain() {
    assert!(fit::run().unwrap().iter().all(|energy| energy.is_near()));
}

#[test]
fn the_ising_model_and_its_exact_solution() {
    let all = ising::run().unwrap();
    assert_eq!(all.len(), 9);
    for one in &all {
        assert!(one.is_near(), "{}: {}, not {}", one.name, one.found, one.expected);
    }
}

/// What a block records has derivatives, and they are evaluated with it at once.
#[test]
fn blocks_have_derivatives() {
    let a = Tensor::<f64, Shape![2, 3]>::from_fn((Const, Const), |i| 0.3 * (i[0] as f64) - 0.2 * (i[1] as f64)).unwrap();
    let b = Tensor::<f64, Shape![3, 2]>::from_fn((Const, Const), |i| 0.1 + 0.4 * (i[0] as f64) * (i[1] as f64)).unwrap();
    let w = Tensor::<f64, Shape![2, 2]>::filled((Const, Const), 0.5).unwrap();
    let graph = Graph::new();
    let loss = tensor! {
        in &graph;
        let c[i,j] = a[i,k] * b[k,j];
        let loss = w[i,j] * tanh(c[i,j]);
        loss
    };
    let (by_a, by_b) = loss.grad((&a, &b)).unwrap();
    // The shapes are those of the variables.
    let (value, by_a, by_b) = eval_all((&loss, &by_a, &by_b)).unwrap();
    let by_a: Tensor<f64, Shape![2, 3]> = by_a;
    let by_b: Tensor<f64, Shape![3, 2]> = by_b;
    let c = tensor!([i,j] = a[i,k] * b[k,j]);
    let expected_a = tensor!([i,k] = w[i,j] * (1.0 - tanh(c[i,j]) * tanh(c[i,j])) * b[k,j]);
    let expected_b = tensor!([k,j] = w[i,j] * (1.0 - tanh(c[i,j]) * tanh(c[i,j])) * a[i,k]);
    assert!((value[[]] - tensor!([] = w[i,j] * tanh(c[i,j]))).abs() < 1e-15);
    assert!(tensor!([] = max(i, k; abs(by_a[i,k] - expected_a[i,k]))) < 1e-15);
    assert!(tensor!([] = max(k, j; abs(by_b[k,j] - expected_b[k,j]))) < 1e-15);
}

/// The axes of a value, then those of the variable: up to rank 16 the compiler knows them.
#[test]
fn shapes_of_jacobians_and_hessians() {
    let a = Tensor::<f64, Shape![2, 3]>::from_fn((Const, Const), |i| 0.3 * (i[0] as f64) - 0.2 * (i[1] as f64)).unwrap();
    let x = Tensor::<f64, Shape![_]>::from_vec((3,), vec![0.5, -1.0, 2.0]).unwrap();
    let graph = Graph::new();
    let (y, loss) = tensor! {
        in &graph;
        let y[i] = a[i, j] * x[j] * x[j];
        let loss = y[i] * y[i];
        (y, loss)
    };
    let by_a: Tensor<f64, Shape![2, 2, 3]> = y.jacobian(&a).unwrap().eval().unwrap();
    let by_x: Tensor<f64, Shape![2, _]> = y.jacobian(&x).unwrap().eval().unwrap();
    let coloured: Tensor<f64, Shape![2, _]> = y.jacobian_coloured(&x, &[0, 0, 1]).unwrap().eval().unwrap();
    let second: Tensor<f64, Shape![2, 3, 2, 3]> = loss.hessian(&a).unwrap().eval().unwrap();
    for (i, j) in [(0, 0), (0, 2), (1, 1)] {
        assert_eq!(by_a[[i, i, j]], x[[j]] * x[[j]]);
        assert_eq!(by_a[[i, 1 - i, j]], 0.0);
        assert!((by_x[[i, j]] - 2.0 * a[[i, j]] * x[[j]]).abs() < 1e-15);
        assert!((second[[i, j, i, 1]] - 2.0 * x[[j]] * x[[j]] * x[[1]] * x[[1]]).abs() < 1e-14);
    }
    assert_eq!(coloured.extents(), [2, 2]);
    // A weight has the shape of the value.
    let weight = Tensor::<f64, Shape![2]>::filled((Const,), 1.0).unwrap();
    let pulled: Tensor<f64, Shape![_]> = y.vjp(&weight, &x).unwrap().eval().unwrap();
    assert!((pulled[[1]] - by_x[[0, 1]] - by_x[[1, 1]]).abs() < 1e-15);
}

/// A matrix and a vector of such extents.
type Pair<D, E> = (Tensor<f64, (D, E)>, Tensor<f64, (E,)>);

/// The gradient of |A·x|² in blocks and by methods: its shape is that of the variable, whatever the extents are.
fn gradients<const N: usize, M: Len>(
    a: &Tensor<f64, (Const<N>, M)>,
    x: &Tensor<f64, (M,)>,
) -> Result<Pair<Const<N>, M>, tensorwrapper::Error> {
    let graph = Graph::new();
    let (loss, by_a) = try_tensor! {
        in &graph;
        let y[i] = a[i, j] * x[j];
        let loss = y[i] * y[i];
        let g[i, j] = grad(loss; a[i, j]);
        (loss, g)
    }?;
    let by_a: Tensor<f64, (Const<N>, M)> = by_a.eval()?;
    let by_x: Tensor<f64, (M,)> = loss.grad(x)?.eval()?;
    Ok((by_a, by_x))
}

#[test]
fn gradients_by_generic_and_fused_extents() -> Result<(), tensorwrapper::Error> {
    let a = Tensor::<f64, Shape![2, 3]>::from_fn((Const, Const), |i| (i[0] + 2 * i[1]) as f64)?;
    let x = Tensor::<f64, Shape![3]>::from_fn((Const,), |i| i[0] as f64 - 0.5)?;
    let (by_a, by_x): Pair<Const<2>, Const<3>> = gradients(&a, &x)?;
    let y = tensor!([i] = a[i, j] * x[j]);
    assert_eq!(by_a.as_slice(), tensor!([i, j] = 2.0 * y[i] * x[j]).as_slice());
    assert_eq!(by_x.as_slice(), tensor!([j] = 2.0 * y[i] * a[i, j]).as_slice());
    // A fused axis of constants is a constant, and its gradient has it.
    let flat: Tensor<f64, Shape![6]> = tensor!([(i, j)] = a[i, j]);
    let (by_flat, by_parts) = tensor! {
        let b[i, j] = flat[(i, j)] * x[j];
        let loss = b[i, j] * b[i, j];
        let g[(i, j)] = grad(loss; flat[(i, j)]) where i: 2;
        let c[(i, j)] = a[i, j] * x[j];
        let other = c[n] * c[n];
        let h[i, j] = grad(other; a[i, j]);
        (g, h)
    };
    let by_flat: Tensor<f64, Shape![6]> = by_flat;
    let by_parts: Tensor<f64, Shape![2, 3]> = by_parts;
    assert_eq!(by_flat.as_slice(), by_parts.as_slice());
    assert_eq!(by_parts.as_slice(), tensor!([i, j] = 2.0 * a[i, j] * x[j] * x[j]).as_slice());
    Ok(())
}
