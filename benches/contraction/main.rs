//! Products of two tensors against what the machine can do: its peak of fused multiply-adds and the speed of its memory, both
//! measured in turn with every row; two threads against one; and memory beside operands and result.
//!
//! `cargo bench --bench contraction [PART OF A NAME]` prints a line a row. Results go to memory that exists. Times are the best of
//! many: what other programs of the machine cost is in the others. How figures are to be read is said in
//! `docs/results/contraction.md`; other libraries are compared by `benches/peers/`.

#[path = "../bandwidth.rs"]
mod bandwidth;
mod extra;
mod peak;
mod rows;

use std::hint::black_box;
use std::time::{Duration, Instant};

use num_complex::Complex;
use tensorwrapper::{Element, Prepared};

use rows::{Bound, Problem, Row};

/// Samples of a row at least, and the time that all of them take at least.
const SAMPLES: usize = 10;
const TIME: Duration = Duration::from_millis(600);
/// Seconds that a sample takes at least.
const SAMPLE: f64 = 1e-3;

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// A row, ready to run some number of times.
struct Run<'p, T: Element> {
    problem: &'p mut Problem<T>,
    product: Prepared<T>,
    calls: usize,
}

impl<'p, T: Element> Run<'p, T> {
    fn new(problem: &'p mut Problem<T>, threads: usize) -> Run<'p, T> {
        let product = problem.prepare(threads);
        let mut run = Run { problem, product, calls: 1 };
        while run.sample() * (run.calls as f64) < SAMPLE {
            run.calls *= 2;
        }
        run
    }

    /// Seconds of one call.
    fn sample(&mut self) -> f64 {
        let Run { problem, product, calls } = self;
        seconds(|| (0..*calls).for_each(|_| problem.run(product))) / *calls as f64
    }
}

/// What samples are taken for: enough of them, for long enough.
fn sampled(mut sample: impl FnMut()) {
    let start = Instant::now();
    for n in 0.. {
        if n >= SAMPLES && start.elapsed() >= TIME {
            return;
        }
        sample();
    }
}

/// Bytes of the numbers that an element consists of.
fn number<T: Element>() -> usize {
    if T::DTYPE.is_complex() { size_of::<T>() / 2 } else { size_of::<T>() }
}

/// The memory that the speed of memory is measured in: as much as the largest tensor of a row has.
struct Memory {
    from: Vec<f64>,
    to: Vec<f64>,
}

impl Memory {
    fn new<T: Element>(row: &Row) -> Memory {
        let largest = row.sizes().into_iter().max().expect("there are three tensors") * size_of::<T>();
        let written = || (0..largest / size_of::<f64>()).map(|n| (n % 97) as f64).collect();
        Memory { from: written(), to: written() }
    }

    /// Bytes a second, of an array that is read, written or copied.
    fn speed(&mut self, bound: Bound) -> f64 {
        let bytes = size_of_val(&self.from[..]) as f64;
        let calls = (4e6 / bytes).ceil() as usize;
        let each = |run: &mut dyn FnMut()| seconds(|| (0..calls).for_each(|_| run())) / calls as f64;
        match bound {
            Bound::Peak => f64::INFINITY,
            Bound::Read => bytes / each(&mut || _ = black_box(bandwidth::read(black_box(&self.from)))),
            Bound::Write => {
                let to = &mut self.to;
                bytes / each(&mut || black_box(&mut *to).fill(black_box(1.0)))
            }
            Bound::Copy => {
                let Memory { from, to } = self;
                2.0 * bytes / each(&mut || black_box(&mut *to).copy_from_slice(black_box(from)))
            }
        }
    }
}

/// Prints the speed of a row on one thread, and its share of what the machine can do.
fn share<T: Element>(row: &Row) {
    let mut problem = Problem::<T>::new(row);
    let mut memory = if row.bound == Bound::Peak { None } else { Some(Memory::new::<T>(row)) };
    let mut run = Run::new(&mut problem, 1);
    let (mut own, mut peak, mut speed) = (f64::INFINITY, 0.0f64, 0.0f64);
    sampled(|| {
        peak = peak.max(peak::operations(number::<T>(), 1));
        speed = speed.max(memory.as_mut().map_or(f64::INFINITY, |memory| memory.speed(row.bound)));
        own = own.min(run.sample());
    });
    let operations = row.operations::<T>();
    let bytes = row.sizes().into_iter().sum::<usize>() * size_of::<T>();
    let (computed, moved) = (operations / peak, bytes as f64 / speed);
    let least = computed.max(moved);
    let bound = if computed >= moved {
        format!("peak {:>5.1} GF/s", peak * 1e-9)
    } else {
        format!("{:<5} {:>4.1} GB/s", row.bound.name(), speed * 1e-9)
    };
    let (rate, unit) = if computed >= moved { (operations, "GF/s") } else { (bytes as f64, "GB/s") };
    println!(
        "{:>6.1} {unit} of {bound}, {:>4.0} %, {:>9.1} µs  {} {}",
        rate / own * 1e-9,
        100.0 * least / own,
        own * 1e6,
        T::DTYPE,
        row.name
    );
}

/// Prints how much faster two threads are than one, and their share of the peak of two.
fn threads<T: Element>(row: &Row) {
    let [mut first, mut second] = [Problem::<T>::new(row), Problem::<T>::new(row)];
    let mut runs = [Run::new(&mut first, 1), Run::new(&mut second, 2)];
    let (mut own, mut peaks) = ([f64::INFINITY; 2], [0.0f64; 2]);
    sampled(|| {
        for n in 0..2 {
            peaks[n] = peaks[n].max(peak::operations(number::<T>(), n + 1));
            own[n] = own[n].min(runs[n].sample());
        }
    });
    let [one, two] = own.map(|own| row.operations::<T>() / own);
    println!(
        "{:>6.1} GF/s on 2 threads, {:.2} times one's; {:>3.0} % of their peak, which is {:.2} times one's  {} {}",
        two * 1e-9,
        two / one,
        100.0 * two / peaks[1],
        peaks[1] / peaks[0],
        T::DTYPE,
        row.name
    );
}

/// Whether a row is asked for.
fn is_wanted(kind: &str, row: &Row) -> bool {
    let mut parts = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).peekable();
    parts.peek().is_none() || parts.any(|part| kind.contains(&part) || row.name.contains(&part))
}

fn wanted(kind: &'static str, rows: Vec<Row>) -> impl Iterator<Item = Row> {
    rows.into_iter().filter(move |row| is_wanted(kind, row))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, rest @ ..] = &arguments[..]
        && option == extra::OPTION
    {
        return extra::answer(&rows::large(), rest);
    }
    for row in wanted("shares", [8, 16, 24, 32, 48, 64, 128, 256, 512, 1000, 2400].map(rows::square).into()) {
        share::<f64>(&row);
        share::<f32>(&row);
    }
    for row in wanted("shares", [128, 1000].map(rows::square).into()) {
        share::<Complex<f64>>(&row);
        share::<Complex<f32>>(&row);
    }
    for row in wanted("shares", rows::thin()) {
        share::<f64>(&row);
        share::<f32>(&row);
    }
    for row in wanted("threads", rows::shared()) {
        threads::<f64>(&row);
        threads::<f32>(&row);
    }
    for row in wanted("extra memory", rows::large()) {
        for threads in [1, 2] {
            let extra = extra::megabytes(&row, threads);
            println!("{extra:>6.1} MB beside operands and result, {threads} threads  f64 {}", row.name);
        }
    }
}
