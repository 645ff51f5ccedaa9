//! A partner for `benches/peers/grad.py`: a value and its derivatives, for as many times as it is asked.
//!
//! ```text
//! cargo run --release --example bench_grad -- PROGRAM FOLDER [--threads N] [--memory PART]
//! < ready 364080000 operations of the value, 812000000 of all
//! > step
//! < 0.012345678 0.012340000 0.1 0.5
//! ```
//!
//! PROGRAM is one of those in `programs.rs`, whose operands are read from FOLDER. Every line that comes is answered with the time of one
//! run, on the wall and of the processor, in seconds, with the value, and with the norm of all derivatives, which any program must
//! agree upon.
#![allow(non_snake_case)]

// The other examples are programs; here they are libraries.
#[allow(dead_code)]
#[path = "../ccsd/main.rs"]
mod ccsd;
#[path = "../bench_einsum/clock.rs"]
mod clock;
#[path = "../ccsd_naive/equations.rs"]
mod equations;
#[path = "../ccsd_naive/ladder.rs"]
mod ladder;
mod programs;

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::prelude::*;

use ccsd::{Failure, ended};
use clock::processor_seconds;
use programs::{PROGRAMS, Recorded, Tensors};

fn main() -> ExitCode {
    ended("bench_grad", Request::read(std::env::args().skip(1)).and_then(|request| request.serve()).map(|()| true))
}

/// What the command line asks for.
struct Request {
    program: String,
    folder: PathBuf,
    threads: usize,
    /// The part of the memory that the program would take, if it is to make do with less.
    memory: Option<f64>,
}

impl Request {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Request, Failure> {
        let usage = || Failure::Input("usage: bench_grad PROGRAM FOLDER [--threads N] [--memory PART]".into());
        let (Some(program), Some(folder)) = (arguments.next(), arguments.next()) else { return Err(usage()) };
        let mut request = Request { program, folder: folder.into(), threads: 1, memory: None };
        while let Some(option) = arguments.next() {
            let number = arguments.next().ok_or_else(usage)?;
            let wrong = |what: &str| Failure::Input(format!("`{number}` is no {what}"));
            match &option[..] {
                "--threads" => request.threads = number.parse().map_err(|_| wrong("number of threads"))?,
                "--memory" => request.memory = Some(number.parse().map_err(|_| wrong("part of the memory"))?),
                _ => return Err(usage()),
            }
        }
        Ok(request)
    }

    /// Gets ready, and answers every line.
    fn serve(&self) -> Result<(), Failure> {
        let known = || PROGRAMS.map(|(name, _)| name).join(", ");
        let missing = || Failure::Input(format!("`{}` is none of {}", self.program, known()));
        let (_, program) = PROGRAMS.into_iter().find(|(name, _)| *name == self.program).ok_or_else(missing)?;
        let tensors = Tensors::read(&self.folder)?;
        let context = Context::cpu().threads(self.threads);
        program(&tensors, &mut |Recorded { value, derivatives, inputs }| {
            let own = context.prepare_all(std::slice::from_ref(&value), inputs)?.operations();
            let all: Vec<_> = [value].into_iter().chain(derivatives).collect();
            let limited = match self.memory {
                Some(part) => {
                    let bytes = context.explain(&all[..])?.peak_bytes() as f64 * part;
                    context.clone().memory_limit(bytes as usize)
                }
                None => context.clone(),
            };
            let prepared = limited.prepare_all(&all[..], inputs)?;
            say(format_args!("ready {:.0} operations of the value, {:.0} of all", own, prepared.operations()))?;
            for line in io::stdin().lock().lines() {
                line.map_err(outside)?;
                let (wall, cpu) = (Instant::now(), processor_seconds());
                let found = prepared.run(inputs)?;
                let (wall, cpu) = (wall.elapsed().as_secs_f64(), processor_seconds() - cpu);
                let squares = found[1..].iter().flat_map(|tensor| tensor.as_slice()).map(|x| x * x);
                say(format_args!("{wall:.9} {cpu:.9} {:.12} {:.12}", found[0].as_slice()[0], squares.sum::<f64>().sqrt()))?;
            }
            Ok(())
        })
    }
}

fn say(line: std::fmt::Arguments<'_>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(outside)
}

fn outside(error: io::Error) -> Failure {
    Failure::Calculation(format!("the program that asks is gone: {error}"))
}
