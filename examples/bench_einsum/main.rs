//! A partner for benchmark drivers: contracts what it is told on standard input, and answers with the time that it took.
//!
//! ```text
//! cargo run --release --example bench_einsum -- --threads 1
//! > adb,cd->cba f64 312x312x312 24x312
//! < 0.012345678 0.012340000 1.5e3 2.5e4
//! ```
//!
//! A line asks for an equation, an element type (`f64`, `f32`, `c64`, `c32`) and the shapes of the operands, which are
//! kept, and planned for, as long as the line stays the same. The answer is the time on the wall and of the processor, in seconds, and, the
//! first time, a weighted sum and norm of the result, so that a driver can compare libraries, and how it is computed; or `error` and a
//! sentence.

mod clock;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use num_complex::Complex;
use tensorwrapper::{Context, DynOperand, Element, Error, Tensor};

use clock::processor_seconds;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let threads = match &arguments[..] {
        [] => Ok(1),
        [option, number] if option == "--threads" => number.parse::<usize>().map_err(|_| format!("`{number}` is no number")),
        _ => Err("usage: bench_einsum [--threads N]".to_string()),
    };
    let served = threads.and_then(|n| {
        let context = Context::cpu().threads(n);
        serve(&context, io::stdin().lock(), io::stdout().lock()).map_err(|error| error.to_string())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("bench_einsum: {sentence}");
            ExitCode::from(2)
        }
    }
}

/// What a line asks for, ready to run: gives the times, and the sums if they are wanted.
pub(crate) type Job = Box<dyn Fn(bool) -> Result<String, String>>;

/// Where lines are computed.
pub(crate) trait Place {
    /// An equation over these operands, ready to run.
    fn job<T: Element>(&self, equation: &str, operands: Vec<Tensor<T>>) -> Result<Job, Error>;
}

/// Operands are where the context computes, and no line copies them anew; results come to the host.
impl Place for Context {
    fn job<T: Element>(&self, equation: &str, operands: Vec<Tensor<T>>) -> Result<Job, Error> {
        let operands = operands.into_iter().map(|operand| operand.to(self)).collect::<Result<Vec<_>, Error>>()?;
        let product = self.prepare(equation, &erased(&operands))?;
        let methods: Vec<&str> = product.explain().steps().iter().filter_map(|step| step.method).collect();
        let methods = methods.join("; ");
        Ok(Box::new(move |first| {
            let told = answer(first, || product.run(&erased(&operands)), Ok)?;
            Ok(if first { format!("{told} {methods}") } else { told })
        }))
    }
}

/// Answers every line.
pub(crate) fn serve(place: &impl Place, questions: impl BufRead, mut answers: impl Write) -> io::Result<()> {
    writeln!(answers, "ready tensorwrapper {}", env!("CARGO_PKG_VERSION"))?;
    answers.flush()?;
    let mut kept: Option<(String, Job)> = None;
    for line in questions.lines() {
        let line = line?;
        let new = kept.as_ref().is_none_or(|(last, _)| *last != line);
        if new {
            // The last operands go before new ones come.
            kept = None;
        }
        let prepared = match kept.take() {
            Some((_, job)) => Ok(job),
            None => job(place, &line),
        };
        let answer = prepared.and_then(|job| job(new).inspect(|_| kept = Some((line, job))));
        match answer {
            Ok(answer) => writeln!(answers, "{answer}")?,
            Err(sentence) => writeln!(answers, "error {}", sentence.replace('\n', " "))?,
        }
        answers.flush()?;
    }
    Ok(())
}

fn job(place: &impl Place, line: &str) -> Result<Job, String> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [equation, dtype, shapes @ ..] = &words[..] else { return Err("EQUATION DTYPE SHAPE... is asked for".into()) };
    let extent = |text: &str| text.parse::<usize>().map_err(|_| format!("`{text}` is no extent"));
    let shapes: Result<Vec<Vec<usize>>, String> = shapes.iter().map(|shape| shape.split('x').map(extent).collect()).collect();
    match *dtype {
        "f32" => typed_job::<f32>(place, equation, &shapes?),
        "f64" => typed_job::<f64>(place, equation, &shapes?),
        "c32" => typed_job::<Complex<f32>>(place, equation, &shapes?),
        "c64" => typed_job::<Complex<f64>>(place, equation, &shapes?),
        other => Err(format!("`{other}` is no element type; there are f32, f64, c32, c64")),
    }
}

fn typed_job<T: Element>(place: &impl Place, equation: &str, shapes: &[Vec<usize>]) -> Result<Job, String> {
    let given = |(n, shape): (usize, &Vec<usize>)| operand(n as u32, shape);
    let operands: Result<Vec<Tensor<T>>, Error> = shapes.iter().enumerate().map(given).collect();
    operands.and_then(|operands| place.job(equation, operands)).map_err(|error| error.to_string())
}

/// What a line is answered: the sums of a run of its own, if they are wanted, and the times of another.
pub(crate) fn answer<T: Element, R>(
    first: bool,
    run: impl Fn() -> Result<R, Error>,
    read: impl Fn(R) -> Result<Tensor<T>, Error>,
) -> Result<String, String> {
    let told = |error: Error| error.to_string();
    let (sum, norm) = if first { summary(&run().and_then(read).map_err(told)?) } else { (0.0, 0.0) };
    // The clock on the wall last and first: reading the other one is a call of the system.
    let (cpu, wall) = (processor_seconds(), Instant::now());
    let result = run().map_err(told)?;
    let (wall, cpu) = (wall.elapsed().as_secs_f64(), processor_seconds() - cpu);
    drop(result);
    Ok(format!("{wall:.9} {cpu:.9} {sum:.15e} {norm:.15e}"))
}

fn erased<T: Element>(operands: &[Tensor<T>]) -> Vec<&dyn DynOperand<T>> {
    operands.iter().map(|operand| operand as _).collect()
}

/// Numbers between -0.5 and 0.5 that every program of the benchmark makes alike.
fn operand<T: Element>(number: u32, shape: &[usize]) -> Result<Tensor<T>, Error> {
    let mut tensor = Tensor::<T>::zeros(shape.to_vec())?;
    let make = |from: usize, part: &mut [T]| {
        for (i, element) in part.iter_mut().enumerate() {
            let x = ((from + i) as u32).wrapping_mul(2_654_435_761).wrapping_add(number * 40503);
            *element = T::from_complex((f64::from(x ^ (x >> 15)) / 4_294_967_296.0 - 0.5).into());
        }
    };
    std::thread::scope(|scope| {
        for (n, part) in tensor.as_mut_slice().chunks_mut(PART).enumerate() {
            scope.spawn(move || make(n * PART, part));
        }
    });
    Ok(tensor)
}

/// How many elements a thread makes or sums up, outside of all times.
const PART: usize = 1 << 24;

/// A weighted sum and norm; the weights tell one order of axes from another.
fn summary<T: Element>(tensor: &Tensor<T>) -> (f64, f64) {
    let part = |(n, part): (usize, &[T])| {
        // What rounding has taken from the sum is kept: with a hundred million terms it is more than drivers tolerate.
        let (mut sum, mut lost, mut squares) = (0.0, 0.0, 0.0);
        for (j, x) in part.iter().enumerate() {
            let x = x.to_complex() * (7919 * (n * PART + j) % 101 + 1) as f64;
            let term = x.re + x.im - lost;
            let next = sum + term;
            lost = (next - sum) - term;
            sum = next;
            squares += x.norm_sqr();
        }
        (sum, squares)
    };
    let parts: Vec<(f64, f64)> = std::thread::scope(|scope| {
        let part = &part;
        let started: Vec<_> = tensor.as_slice().chunks(PART).enumerate().map(|given| scope.spawn(move || part(given))).collect();
        started.into_iter().map(|one| one.join().expect("sums do not panic")).collect()
    });
    let (sum, squares) = parts.iter().fold((0.0, 0.0), |(sum, squares), part| (sum + part.0, squares + part.1));
    (sum, squares.sqrt())
}
