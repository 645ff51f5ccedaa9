//! Evaluates a program with its derivatives and compares them with what was expected.

use num_complex::Complex;
use serde_json::Value;
use tensorwrapper::{Context, Element, Expr, Tensor, or_zero};

use super::cases::{Case, Elements, Input, drawn};
use super::program::{Names, Recorded, record, said};

/// A tensor of an input or a direction.
enum Given {
    Real(Tensor<f64>),
    Complex(Tensor<Complex<f64>>),
}

impl Given {
    fn recorded(&self) -> Result<Recorded<'_>, String> {
        let axes = |rank: usize| (0..rank).map(|n| format!("x{n},")).collect::<String>();
        Ok(match self {
            Given::Real(tensor) => {
                let axes = axes(tensor.rank());
                Recorded::Real(tensor.at(&axes).record(&axes).map_err(said)?)
            }
            Given::Complex(tensor) => {
                let axes = axes(tensor.rank());
                Recorded::Complex(tensor.at(&axes).record(&axes).map_err(said)?)
            }
        })
    }
}

fn tensor(case: &Case, input: &Input, direction: Option<u64>) -> Result<Given, String> {
    let count: usize = input.extents.iter().product();
    let (real, imaginary) = match (&input.elements, direction) {
        (_, Some(seed)) => (drawn(seed, count), drawn(seed + 500_000, count)),
        (Elements::Constant(elements), None) => (elements.clone(), vec![0.0; count]),
        (Elements::Drawn { seed, shift }, None) => {
            let real = drawn(*seed, count).into_iter().map(|x| x + shift).collect();
            (real, drawn(seed + 500_000, count))
        }
    };
    Ok(match case.is_complex {
        false => Given::Real(Tensor::from_vec(&input.extents[..], real).map_err(said)?),
        true => {
            let elements = real.into_iter().zip(imaginary).map(|(re, im)| Complex::new(re, im)).collect();
            Given::Complex(Tensor::from_vec(&input.extents[..], elements).map_err(said)?)
        }
    })
}

/// A summary of a case that a context evaluates, or what is wrong.
pub(crate) fn judge(case: &Case, context: &Context) -> Result<String, String> {
    let given = case.inputs.iter().map(|input| tensor(case, input, None)).collect::<Result<Vec<_>, String>>()?;
    let mut inputs = Names::new();
    for (input, given) in case.inputs.iter().zip(&given) {
        inputs.insert(input.name.clone(), given.recorded()?);
    }
    let find =
        |name: &String| case.inputs.iter().position(|input| input.name == *name).ok_or(format!("there is no input `{name}`"));
    let places = case.by.iter().map(|(name, _)| find(name)).collect::<Result<Vec<_>, String>>()?;
    let directions = places.iter().zip(&case.by).map(|(&n, (_, seed))| tensor(case, &case.inputs[n], Some(*seed)));
    let directions = directions.collect::<Result<Vec<_>, String>>()?;
    let variables: Vec<Recorded<'_>> = case.by.iter().map(|(name, _)| inputs[name].clone()).collect();
    let names = record(case, inputs)?;
    let last = case.lines.last().and_then(|line| line.outputs.last()).ok_or("the program is empty")?;
    let Some(Recorded::Real(loss)) = names.get(last) else { return Err(format!("the last line, `{last}`, is no real number")) };
    match case.is_complex {
        false => derivatives(case, context, &names, loss, (&real(&variables), &real_tensors(&directions))),
        true => derivatives(case, context, &names, loss, (&complex(&variables), &complex_tensors(&directions))),
    }
}

fn real<'a>(values: &[Recorded<'a>]) -> Vec<Expr<'a, f64>> {
    values.iter().filter_map(|value| if let Recorded::Real(value) = value { Some(value.clone()) } else { None }).collect()
}

fn complex<'a>(values: &[Recorded<'a>]) -> Vec<Expr<'a, Complex<f64>>> {
    values.iter().filter_map(|value| if let Recorded::Complex(value) = value { Some(value.clone()) } else { None }).collect()
}

fn real_tensors(given: &[Given]) -> Vec<&Tensor<f64>> {
    given.iter().filter_map(|given| if let Given::Real(tensor) = given { Some(tensor) } else { None }).collect()
}

fn complex_tensors(given: &[Given]) -> Vec<&Tensor<Complex<f64>>> {
    given.iter().filter_map(|given| if let Given::Complex(tensor) = given { Some(tensor) } else { None }).collect()
}

fn derivatives<'a, T: Element>(
    case: &Case,
    context: &Context,
    names: &Names<'a>,
    loss: &Expr<'a, f64>,
    (variables, directions): (&[Expr<'a, T>], &[&'a Tensor<T>]),
) -> Result<String, String> {
    let expect = &case.expect;
    let scale = expect["scale"].as_f64().unwrap_or(1.0).max(1.0);
    let tolerances = case.tolerances;
    let mut worst = 0.0f64;
    let mut near = |what: &str, found: &[Complex<f64>], expected: &Value, tolerance: f64| -> Result<(), String> {
        let deviation = deviation(found, expected).map_err(|sentence| format!("{what}: {sentence}"))?;
        worst = worst.max(deviation / (tolerance * scale));
        match deviation <= tolerance * scale {
            true => Ok(()),
            false => Err(format!("{what} deviates by {deviation:.1e}, and {:.1e} is allowed", tolerance * scale)),
        }
    };
    near("the value", &elements(context, loss)?, &expect["value"], tolerances.value)?;
    let gradients = loss.grad(variables).map_err(said)?;
    for ((name, _), gradient) in case.by.iter().zip(&gradients) {
        near(&format!("the gradient by `{name}`"), &elements(context, gradient)?, &expect["grad"][name], tolerances.gradient)?;
    }
    let along: Vec<(&Expr<'a, T>, &'a Tensor<T>)> = variables.iter().zip(directions.iter().copied()).collect();
    let second = loss.hvp(&along[..]).map_err(said)?;
    for ((name, _), second) in case.by.iter().zip(&second) {
        near(
            &format!("the second derivative by `{name}`"),
            &elements(context, second)?,
            &expect["hvp"][name],
            tolerances.second,
        )?;
    }
    if let Some(changes) = expect["jvp"].as_object() {
        // A line of the program need not read every input.
        let along: Vec<_> = variables.iter().zip(directions.iter().copied()).map(|(x, change)| (or_zero(x), change)).collect();
        for (name, expected) in changes {
            let what = format!("the change of `{name}`");
            let found = match names.get(name).ok_or(format!("nothing is called `{name}`"))? {
                Recorded::Real(value) => elements(context, &value.jvp(&along[..]).map_err(said)?)?,
                Recorded::Complex(value) => elements(context, &value.jvp(&along[..]).map_err(said)?)?,
            };
            near(&what, &found, expected, tolerances.gradient)?;
        }
    }
    Ok(format!("{} variables, largest deviation {worst:.1e} of what is allowed", variables.len()))
}

fn elements<T: Element>(context: &Context, value: &Expr<'_, T>) -> Result<Vec<Complex<f64>>, String> {
    Ok(context.eval(value).map_err(said)?.as_slice().iter().map(|x| x.to_complex()).collect())
}

/// The largest deviation from a number, a list of numbers, or `{re, im}` of such.
fn deviation(found: &[Complex<f64>], expected: &Value) -> Result<f64, String> {
    let list = |value: &Value| -> Result<Vec<f64>, String> {
        let one = |x: &Value| x.as_f64().ok_or(format!("{x} is no number"));
        match value {
            Value::Array(all) => all.iter().map(one).collect(),
            number => Ok(vec![one(number)?]),
        }
    };
    let (re, im) = match expected.is_object() {
        true => (list(&expected["re"])?, list(&expected["im"])?),
        false => {
            let re = list(expected)?;
            let im = vec![0.0; re.len()];
            (re, im)
        }
    };
    if re.len() != found.len() || im.len() != found.len() {
        return Err(format!("there are {} elements, and {} are expected", found.len(), re.len()));
    }
    let one = |((x, re), im): ((&Complex<f64>, f64), f64)| {
        let deviation = (x - Complex::new(re, im)).norm();
        if deviation.is_nan() { f64::INFINITY } else { deviation }
    };
    Ok(found.iter().zip(re).zip(im).map(one).fold(0.0, f64::max))
}
