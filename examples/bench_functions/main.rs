//! A partner for `benches/peers/functions.py` and `function_errors.py`: elementary functions of many elements.
//!
//! ```text
//! cargo run --release --example bench_functions -- [--threads N]
//! > exp f64 10000
//! < 0.0000057
//! ```
//!
//! Every line that comes names a function, an element type and a number of elements, and is answered with the least time of many
//! runs, in seconds.
//!
//! ```text
//! bench_functions --values exp x.f64 y.f64
//! bench_functions --every x^1.7
//! ```
//!
//! The first one reads numbers of `f64` from a file and writes the function's values to another one. The second one prints the greatest
//! error over all numbers of `f32`.

mod errors;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::prelude::*;

type Vector<T> = Tensor<T, Shape![_]>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let one = Context::cpu().threads(1);
    let done = match words[..] {
        [] => serve(&one),
        ["--threads", number] => number.parse().map_err(Into::into).and_then(|number| serve(&one.threads(number))),
        ["--values", function, from, to] => errors::values(&one, function, from, to),
        ["--every", function] => errors::every(&one, function),
        _ => {
            eprintln!("usage: bench_functions [--threads N | --values FUNCTION FROM TO | --every FUNCTION]");
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench_functions: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(context: &Context) -> Result<(), Box<dyn std::error::Error>> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [function, element, number] = words[..] else { return Err(format!("`{line}` is no request").into()) };
        let number = number.parse()?;
        let seconds = match element {
            "f64" => time(context, function, &arguments(number, |x| x)?)?,
            "f32" => time(context, function, &arguments(number, |x| x as f32)?)?,
            _ => return Err(format!("`{element}` is no element type").into()),
        };
        println!("{seconds:e}");
        io::stdout().flush()?;
    }
    Ok(())
}

/// Numbers between 0.01 and 3, with both signs where the function takes them.
fn arguments<T: Element>(number: usize, round: impl Fn(f64) -> T) -> Result<[Vector<T>; 2], Error> {
    let spread = |index: &[usize]| 6.0 * index[0] as f64 / number as f64 - 3.0;
    Ok([
        Tensor::from_fn((number,), |index| round(spread(index)))?,
        Tensor::from_fn((number,), |index| round(0.01 + spread(index).abs()))?,
    ])
}

/// The least time of a function's values at all elements, written into a tensor that is there.
fn time<T: Element>(
    context: &Context,
    function: &str,
    [x, positive]: &[Vector<T>; 2],
) -> Result<f64, Box<dyn std::error::Error>> {
    let mut y = Vector::<T>::zeros((x.len(),))?;
    let runs = (20_000_000 / x.len().max(1)).clamp(20, 3000);
    let mut least = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        match function {
            "exp" => tensor! { in context; y[i] = exp(x[i]); },
            "ln" => tensor! { in context; y[i] = ln(positive[i]); },
            "tanh" => tensor! { in context; y[i] = tanh(x[i]); },
            "sin" => tensor! { in context; y[i] = sin(x[i]); },
            "cos" => tensor! { in context; y[i] = cos(x[i]); },
            "sqrt" => tensor! { in context; y[i] = sqrt(positive[i]); },
            "powf" => tensor! { in context; y[i] = powf(positive[i], 1.7); },
            "powi" => tensor! { in context; y[i] = powi(x[i], 3); },
            _ => return Err(format!("`{function}` is no function").into()),
        }
        least = least.min(start.elapsed().as_secs_f64());
    }
    Ok(least)
}
