//! Structs as variables, directions, states and parameters.

use super::*;
use tensorwrapper::{Expr, Tolerance, or_zero};

fn near<X: Tensors + Clone>(found: &X, expected: &X) {
    let mut difference = found.clone();
    difference.axpy(-X::Elem::ONE, expected).unwrap();
    assert!(difference.norm() < 1e-12 * (1.0 + expected.norm()), "{} of {}", difference.norm(), expected.norm());
}

/// A number that depends on both kinds of amplitudes.
fn energy<'a>(t: &AmplitudesRecorded<'a, Const<2>, Dyn>) -> Result<Expr<'a, f64>, Error> {
    (t.t2.at("ijab") * t.t1.at("ia") * t.t1.at("jb") + (t.t2.at("ijab") * t.t2.at("ijab")).sin().sum("ijab")).record("")
}

/// The same, of tensors.
fn recorded(t: &Amplitudes<Const<2>, Dyn>) -> Result<Expr<'_, f64>, Error> {
    (t.t2.at("ijab") * t.t1.at("ia") * t.t1.at("jb") + (t.t2.at("ijab") * t.t2.at("ijab")).sin().sum("ijab")).record("")
}

#[test]
fn gradients_are_the_same_struct() -> Result<(), Error> {
    let t = amplitudes(3, 0.1);
    let energy_of_t = recorded(&t)?;
    let gradient: Amplitudes<Const<2>, Dyn> = energy_of_t.grad(&t)?.eval()?;
    assert_eq!(gradient.label, "water");
    let (t1, t2) = (&t.t1, &t.t2);
    let by_t2 = tensor!([i,j,a,b] = t1[i,a] * t1[j,b] + 2.0 * t2[i,j,a,b] * cos(t2[i,j,a,b] * t2[i,j,a,b]));
    let by_t1 = tensor!([i,a] = t2[i,j,a,b] * t1[j,b] + t2[j,i,b,a] * t1[j,b]);
    near(&gradient, &Amplitudes { t1: by_t1, t2: by_t2, label: String::new() });
    // With the value, and planned once.
    let (value, both) = energy_of_t.value_and_grad(&t)?;
    assert_eq!(value, energy_of_t.eval()?[[]]);
    near(&both, &gradient);
    let prepared = Context::cpu().prepare_grad(&t, |t| energy(&t))?;
    let other = amplitudes(3, 0.4);
    near(&prepared.run(&other)?.1, &recorded(&other)?.grad(&other)?.eval()?);
    // Beside another variable, and one that nothing depends on.
    let field = Tensor::<f64, ()>::scalar(0.5);
    let scaled = (energy_of_t.at("") * field.at("") * field.at("")).record("")?;
    let (by_field, by_t) = scaled.grad((&field, &t))?;
    assert!((by_field.eval()?[[]] - value).abs() < 1e-14);
    near(&by_t.eval()?, &gradient.map(|x| 0.25 * x));
    let error = scaled.grad((&t, &other)).err().unwrap().to_string();
    assert!(error.starts_with("the value does not depend on variable `1.t1` of the derivative"), "{error}");
    let single = t.t1.at("ia").record("")?;
    assert!(single.grad(&t).err().unwrap().to_string().contains("variable `t2`"));
    let (_, by_other) = scaled.grad((&t, or_zero(&other)))?;
    assert_eq!(by_other.eval()?.norm(), 0.0);
    Ok(())
}

#[test]
fn directions_are_structs() -> Result<(), Error> {
    let (t, d) = (amplitudes(3, 0.1), amplitudes(3, 0.7));
    let energy_of_t = recorded(&t)?;
    let gradient = energy_of_t.grad(&t)?;
    let change = energy_of_t.jvp((&t, &d))?.eval()?[[]];
    assert!((change - gradient.eval()?.dot(&d)?).abs() < 1e-12);
    let along = energy_of_t.hvp((&t, &d))?.eval()?;
    // Differences of gradients.
    let at = |step: f64| {
        let mut shifted = t.clone();
        shifted.axpy(step, &d).unwrap();
        recorded(&shifted).unwrap().grad(&shifted).unwrap().eval().unwrap()
    };
    let h = 1e-5;
    let difference = at(h).zip(&at(-h), |a, b| (a - b) / (2.0 * h))?;
    assert!(difference.zip(&along, |a, b| a - b)?.norm() < 1e-7 * along.norm());
    // Recorded structs are variables and directions, too.
    let (_, again) = Context::cpu().value_and_grad(&t, |t| {
        let along = energy(&t)?.hvp((&t, &t))?;
        (along.t1.at("ia") * along.t1.at("ia") + along.t2.at("ijab")).record("")
    })?;
    assert!(again.norm() > 0.0);
    let error = energy_of_t.jvp((&t, &amplitudes(2, 0.1))).unwrap_err().to_string();
    assert_eq!(error, "a variable has extents [2, 3], but its direction [2, 2]");
    Ok(())
}

/// A network's result for an input.
fn output<'a>(network: &NetworkRecorded<'a, f64>, input: &'a Tensor<f64>) -> Result<Expr<'a, f64>, Error> {
    let mut x = None;
    for layer in &network.layers {
        let product = match x.take() {
            None => (layer.weight.at("ij") * input.at("j")).record("i")?,
            Some(x) => (layer.weight.at("ij") * Expr::at(&x, "j")).record("i")?,
        };
        let product = match &layer.bias {
            Some(bias) => (product.at("i") + bias.at("i")).record("i")?,
            None => product,
        };
        x = Some(product.at("i").tanh().record("i")?);
    }
    let x = x.expect("there are layers");
    (x.at("i") * network.scales[0].at("") * network.scales[1].at("")).record("")
}

#[test]
fn networks_of_any_depth() -> Result<(), Error> {
    let network = network::<f64>();
    let input = Tensor::<f64>::from_slice([2], &[0.3, -0.8])?;
    let (value, gradient) = Context::cpu().value_and_grad(or_zero(&network), |x| output(&x, &input))?;
    assert_eq!(gradient.r#box.0.as_slice(), [0.0, 0.0]);
    assert_eq!((gradient.layers.len(), gradient.layers[1].bias.is_none(), gradient.r#box.1.is_none()), (2, true, true));
    let along = gradient.map(|x| x / gradient.norm());
    let at = |step: f64| {
        let mut shifted = network.clone();
        shifted.axpy(step, &along).unwrap();
        Context::cpu().value_and_grad(or_zero(&shifted), |x| output(&x, &input)).unwrap().0
    };
    let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
    assert!((slope - gradient.norm()).abs() < 1e-8 && value.is_finite(), "{slope}, not {}", gradient.norm());
    Ok(())
}

/// A state of two numbers that a step changes.
#[derive(Clone, Tensors)]
struct State {
    place: Tensor<f64, Shape![2]>,
    speed: Tensor<f64, Shape![2]>,
}

#[test]
fn states_of_steps_and_of_fixed_points() -> Result<(), Error> {
    let vector = |x: f64, y: f64| Tensor::<f64, Shape![2]>::from_slice((Const,), &[x, y]);
    let state = State { place: vector(1.0, 0.5)?, speed: vector(0.0, 0.2)? };
    let stiffness = vector(1.0, 2.0)?;
    let step = Context::cpu().prepare_step(&state, &stiffness, |x, k| {
        let speed = (x.speed.at("i") - k.at("i") * x.place.at("i") * 0.01).record("i")?.into_typed()?;
        let place = (x.place.at("i") + speed.at("i") * 0.01).record("i")?.into_typed()?;
        Ok(StateRecorded { place, speed })
    })?;
    let run = step.run(&state, &stiffness, 50)?;
    let weight = State { place: vector(1.0, -1.0)?, speed: vector(0.5, 0.0)? };
    let (by_state, by_stiffness) = run.vjp(&weight)?;
    let end = |shift: f64, k: f64| -> Result<f64, Error> {
        let mut first = state.clone();
        first.place[[0]] += shift;
        let stiffness = vector(1.0 + k, 2.0)?;
        step.run(&first, &stiffness, 50)?.state()?.dot(&weight)
    };
    let slope = |shift: f64, k: f64| Ok::<f64, Error>((end(shift, k)? - end(-shift, -k)?) / 2e-5);
    assert!((slope(1e-5, 0.0)? - by_state.place[[0]]).abs() < 1e-9);
    assert!((slope(0.0, 1e-5)? - by_stiffness[[0]]).abs() < 1e-9);

    let found = Context::cpu().fixed_point(
        |x, k| {
            let place = (x.speed.at("i").cos() * k.at("i") * 0.3).record("i")?.into_typed()?;
            let speed = (x.place.at("i") * 0.5 + 0.1 * k.at("i")).record("i")?.into_typed()?;
            Ok(StateRecorded { place, speed })
        },
        &state,
        &stiffness,
        Tolerance::new(1e-13),
    )?;
    let solution: State = found.eval()?;
    let (place, speed) = (solution.place[[1]], solution.speed[[1]]);
    assert!((place - 0.6 * speed.cos()).abs() < 1e-12 && (speed - (0.5 * place + 0.2)).abs() < 1e-12);
    // p = 0.3 k cos(s), s = p/2 + 0.1 k
    let by_k = found.place.at("i").record("")?.grad(&stiffness)?.eval()?[[1]];
    let expected = (0.3 * speed.cos() - 0.6 * speed.sin() * 0.1) / (1.0 + 0.6 * speed.sin() * 0.5);
    assert!((by_k - expected).abs() < 1e-9, "{by_k}, not {expected}");
    Ok(())
}
