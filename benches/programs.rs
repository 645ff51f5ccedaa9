//! What programs of many recorded steps cost: time in proportion to the steps, and no deeper stack for more of them.
//!
//! `cargo bench --bench programs [PART OF A NAME]`; the figures stand in `docs/results/language.md`. Every program is recorded,
//! lowered, planned, computed, explained and dropped with a thousand steps and with ten times as many, in a thread of 2 MiB.

use std::time::{Duration, Instant};

use tensorwrapper::prelude::*;
use tensorwrapper::{Context, eval_all};

/// Steps of the small program; the large one has ten times as many.
const STEPS: usize = 1000;
/// Runs of each, of which the quickest counts.
const RUNS: usize = 3;
const THREAD: usize = 2 << 20;

type Step<'a> = Expr<'a, f64>;

/// Records a program over some tensors: its results, and nothing else.
type Program = for<'a> fn(&'a Inputs, usize) -> Vec<Step<'a>>;

/// What programs read.
struct Inputs {
    vector: Tensor<f64>,
    matrix: Tensor<f64>,
    /// A permutation, so that systems neither grow nor shrink.
    turn: Tensor<f64>,
    /// One for each step.
    vectors: Vec<Tensor<f64>>,
}

fn inputs(steps: usize) -> Inputs {
    let vector = || Tensor::from_fn([4], |at| 0.1 * at[0] as f64).expect("a small vector fits");
    let matrix = Tensor::from_fn([4, 4], |at| if at[0] == at[1] { 0.5 } else { 0.01 }).expect("a small matrix fits");
    let turn = Tensor::from_fn([4, 4], |at| if at[1] == (at[0] + 1) % 4 { 1.0 } else { 0.0 }).expect("a small matrix fits");
    Inputs { vector: vector(), matrix, turn, vectors: (0..steps).map(|_| vector()).collect() }
}

fn recorded<'a>(chain: tensorwrapper::Indexed<'a, f64>) -> Step<'a> {
    chain.record("i").expect("the equation is right")
}

fn additions<'a>(Inputs { vector, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let first = recorded(vector.at("i"));
    vec![(0..steps).fold(first, |x, _| recorded(x.at("i") + vector.at("i")))]
}

fn different_tensors<'a>(Inputs { vectors, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let first = recorded(vectors[0].at("i"));
    vec![(0..steps).fold(first, |x, n| recorded(x.at("i") + vectors[n].at("i")))]
}

fn products<'a>(Inputs { vector, matrix, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let first = recorded(vector.at("i"));
    vec![(0..steps).fold(first, |x, _| recorded(matrix.at("ik") * x.at("k")))]
}

fn network<'a>(Inputs { matrix, vectors, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let first = recorded(vectors[0].at("i"));
    vec![(0..steps).fold(first, |x, n| recorded(((matrix.at("ik") * x.at("k")).sum("k") + vectors[n].at("i")).tanh()))]
}

fn sums_of_products<'a>(Inputs { matrix, vectors, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let first = recorded(vectors[0].at("i"));
    vec![(0..steps).fold(first, |x, n| recorded(matrix.at("ik") * vectors[n].at("k") + x.at("i")))]
}

fn many_results<'a>(Inputs { matrix, vectors, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    (0..steps).map(|n| recorded(matrix.at("ik") * vectors[n].at("k"))).collect()
}

fn many_readers<'a>(Inputs { matrix, vectors, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    // Every step reads the two before it, and all steps are needed at the end.
    let mut last = [recorded(vectors[0].at("i")), recorded(vectors[0].at("i") * matrix.at("ii"))];
    let mut all = Vec::new();
    for _ in 0..steps {
        let next = recorded(matrix.at("ik") * (last[0].at("k") * last[1].at("k")));
        last = [last[1].clone(), next.clone()];
        all.push(next);
    }
    while all.len() > 1 {
        all = all.chunks(2).map(|pair| pair[1..].iter().fold(pair[0].clone(), |x, y| recorded(x.at("i") + y.at("i")))).collect();
    }
    all
}

fn systems<'a>(Inputs { vector, turn, .. }: &'a Inputs, steps: usize) -> Vec<Step<'a>> {
    let solved = |x: Step<'a>| turn.at("ik").solve(x.at("i"), "k").record().expect("the system is right");
    vec![(0..steps).fold(recorded(vector.at("i")), |x, _| solved(x))]
}

const PROGRAMS: [(&str, Program); 8] = [
    ("x = x + a", additions),
    ("x = x + a(n)", different_tensors),
    ("x = A x", products),
    ("x = tanh(A x + a(n))", network),
    ("x = A a(n) + x", sums_of_products),
    ("y(n) = A a(n)", many_results),
    ("sum of all x(n) = A (x(n-1) x(n-2))", many_readers),
    ("x = solve(A, x)", systems),
];

/// Planning is part of `eval`, too.
const PARTS: [&str; 7] = ["record", "lower", "plan", "eval", "print", "drop", "all"];

/// The time of each part.
fn measure(program: Program, steps: usize) -> [Duration; PARTS.len()] {
    let inputs = inputs(steps);
    let context = Context::cpu();
    let mut times = [Duration::ZERO; PARTS.len()];
    let begin = Instant::now();
    let mut last = begin;
    let mut ends = times.iter_mut();
    let mut end = || {
        *ends.next().expect("each part has its time") = last.elapsed();
        last = Instant::now();
    };
    let results = program(&inputs, steps);
    end();
    let graphs = results.first().map(Expr::graph);
    end();
    let explained = context.explain(&results[..]).expect("the program is planned");
    end();
    let values = eval_all(&results[..]).expect("the program is computed");
    assert_eq!(values.len(), results.len());
    end();
    assert!(explained.to_string().len() > explained.steps().len());
    assert!(!explained.html().is_empty() && !explained.dot().is_empty());
    end();
    drop((explained, graphs, results, values));
    end();
    times[PARTS.len() - 1] = begin.elapsed();
    times
}

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|part| !part.starts_with('-')).collect();
    println!("{:<40} {:>8} {}", "milliseconds", "steps", PARTS.map(|part| format!("{part:>9}")).concat());
    for (name, program) in PROGRAMS {
        if !asked.is_empty() && !asked.iter().any(|part| name.contains(part.as_str())) {
            continue;
        }
        let quickest = |steps: usize| {
            let runs = (0..RUNS).map(|_| {
                let thread = std::thread::Builder::new().stack_size(THREAD);
                thread.spawn(move || measure(program, steps)).expect("a thread starts").join().expect("the program ends")
            });
            let least = |all: [Duration; PARTS.len()], one: [Duration; PARTS.len()]| std::array::from_fn(|n| all[n].min(one[n]));
            let times: [Duration; PARTS.len()] = runs.reduce(least).expect("there are runs");
            println!("{name:<40} {steps:>8} {}", times.map(|time| format!("{:>9.2}", time.as_secs_f64() * 1e3)).concat());
            times
        };
        let (few, many) = (quickest(STEPS), quickest(10 * STEPS));
        let ratio = |n: usize| format!("{:>9.1}", many[n].as_secs_f64() / few[n].as_secs_f64());
        println!("{name:<40} {:>8} {}", "ratio", std::array::from_fn::<String, { PARTS.len() }, _>(ratio).concat());
    }
}
