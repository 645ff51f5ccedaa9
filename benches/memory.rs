//! Copies, element-wise programs and sums against the speed of memory: every row beside a copy of as many bytes, or a sum
//! that does nothing but read, in the same run and in turn with it.
//!
//! `cargo bench --bench memory` prints shares, each from the best of several runs, and then Criterion's times of the same rows.
//! Results go to memory that exists. Filters choose rows; one thread unless `THREADS` says otherwise. The figures stand in
//! `docs/results/memory.md`.

mod bandwidth;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper::__private::memory::{Binary, Instruction, Program, run};
use tensorwrapper::{Element, Tensor};

/// Runs of which the best one counts.
const RUNS: usize = 30;

/// What one row computes, and from what: `size` elements a source, of which there are up to three.
struct Row {
    name: String,
    extents: Vec<usize>,
    kept: usize,
    program: Program,
    /// Strides of the sources, then of the target.
    strides: Vec<Vec<isize>>,
}

impl Row {
    fn sources(&self) -> usize {
        self.strides.len() - 1
    }

    /// Elements of the target.
    fn results(&self) -> usize {
        self.extents[..self.kept].iter().product()
    }

    fn points(&self) -> usize {
        self.extents.iter().product()
    }

    /// Elements that are read and written at the least.
    fn moved(&self) -> usize {
        self.sources() * self.points() + self.results()
    }
}

fn row_major(extents: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; extents.len()];
    for n in (1..extents.len()).rev() {
        strides[n - 1] = strides[n] * extents[n] as isize;
    }
    strides
}

/// Axis `n` of the result is axis `axes[n]` of a source of these extents.
fn permutation(extents: &[usize], axes: &[usize]) -> Row {
    let strides = row_major(extents);
    let result: Vec<usize> = axes.iter().map(|&axis| extents[axis]).collect();
    Row {
        name: format!("permuted {extents:?} by {axes:?}"),
        kept: result.len(),
        program: Program::new(vec![Instruction::Input(0)]),
        strides: vec![axes.iter().map(|&axis| strides[axis]).collect(), row_major(&result)],
        extents: result,
    }
}

/// Twenty of rank 2 to 6, of 16 to 64 MB of `f64`.
fn random_permutations() -> Vec<Row> {
    let mut rng = StdRng::seed_from_u64(20);
    let mut rows = Vec::new();
    while rows.len() < 20 {
        let rank = 2 + rows.len() % 5;
        let mean = (4e6f64).powf(1.0 / rank as f64);
        let extents: Vec<usize> = (0..rank).map(|_| (mean * rng.random_range(0.5..2.0)) as usize).collect();
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.shuffle(&mut rng);
        let size: usize = extents.iter().product();
        if (2_000_000..8_000_000).contains(&size) && !axes.is_sorted() {
            rows.push(permutation(&extents, &axes));
        }
    }
    rows
}

/// `a·A + b·Bᵀ − A·Bᵀ/C`
fn fused(n: usize) -> Row {
    let constant = |x: f64| Instruction::Constant(x.into());
    let combine = Instruction::Combine;
    let instructions = vec![
        Instruction::Input(0),
        Instruction::Input(1),
        Instruction::Input(2),
        constant(0.5),
        constant(1.5),
        combine(Binary::Multiply, 3, 0),
        combine(Binary::Multiply, 4, 1),
        combine(Binary::Add, 5, 6),
        combine(Binary::Multiply, 0, 1),
        combine(Binary::Divide, 8, 2),
        combine(Binary::Subtract, 7, 9),
    ];
    let (rows, columns) = (row_major(&[n, n]), vec![1, n as isize]);
    Row {
        name: format!("a·A + b·Bᵀ − A·Bᵀ/C of {n}²"),
        extents: vec![n, n],
        kept: 2,
        program: Program::new(instructions),
        strides: vec![rows.clone(), columns, rows.clone(), rows],
    }
}

/// `A + B·C`, all of them lying alike.
fn plain(n: usize) -> Row {
    let combine = Instruction::Combine;
    let inputs = (0..3).map(Instruction::Input);
    let program = inputs.chain([combine(Binary::Multiply, 1, 2), combine(Binary::Add, 0, 3)]).collect();
    Row {
        name: format!("A + B·C of {n}²"),
        extents: vec![n, n],
        kept: 2,
        program: Program::new(program),
        strides: vec![row_major(&[n, n]); 4],
    }
}

/// The sum over one axis.
fn sum(extents: &[usize], axis: usize) -> Row {
    let strides = row_major(extents);
    let kept: Vec<usize> = (0..extents.len()).filter(|&n| n != axis).collect();
    let result: Vec<usize> = kept.iter().map(|&n| extents[n]).collect();
    Row {
        name: format!("sum of {extents:?} over axis {axis}"),
        extents: kept.iter().chain([&axis]).map(|&n| extents[n]).collect(),
        kept: result.len(),
        program: Program::new(vec![Instruction::Input(0)]),
        strides: vec![kept.iter().chain([&axis]).map(|&n| strides[n]).collect(), row_major(&result)],
    }
}

fn named() -> Vec<Row> {
    let matrix = [permutation(&[2048, 2048], &[1, 0])];
    let cubes = [[2, 1, 0], [0, 2, 1], [1, 0, 2]].map(|axes| permutation(&[160; 3], &axes));
    let fours = [[3, 1, 0, 2], [2, 3, 0, 1]].map(|axes| permutation(&[48, 48, 48, 40], &axes));
    let five = [permutation(&[24, 16, 16, 24, 16], &[4, 0, 3, 1, 2])];
    let sums = [0, 1, 2].map(|axis| sum(&[300; 3], axis));
    let further = [sum(&[301, 299, 303], 1), sum(&[1_000_000, 27], 1), sum(&[27, 1_000_000], 0)];
    matrix
        .into_iter()
        .chain(cubes)
        .chain(fours)
        .chain(five)
        .chain([fused(3000), plain(3000)])
        .chain(sums)
        .chain(further)
        .collect()
}

/// Memory of a row, backed by huge pages as results of equations are.
struct Memory<T: Element> {
    sources: Vec<Tensor<T>>,
    target: Tensor<T>,
    /// A second array of the target's size or of the sources', whichever is larger: what is copied to.
    copied: Tensor<T>,
}

impl<T: Element> Memory<T> {
    fn of(row: &Row) -> Memory<T> {
        let filled = |len: usize| {
            let mut tensor = Tensor::<T>::zeros([len]).expect("the machine has memory for the rows");
            tensor.as_mut_slice().iter_mut().enumerate().for_each(|(n, x)| *x = T::from_complex(((n % 97) as f64 + 1.0).into()));
            tensor
        };
        Memory {
            sources: (0..row.sources()).map(|_| filled(row.points())).collect(),
            target: filled(row.results()),
            copied: filled(row.points()),
        }
    }

    fn run(&mut self, row: &Row, threads: usize) {
        let sources: Vec<(&[T], &[isize])> =
            self.sources.iter().zip(&row.strides).map(|(source, strides)| (source.as_slice(), &strides[..])).collect();
        let target = (self.target.as_mut_slice(), &row.strides[row.sources()][..]);
        run(threads, (&row.extents, row.kept), &row.program, &sources, target).expect("rows are well formed");
    }

    /// One array copied to another.
    fn copy(&mut self) {
        self.copied.as_mut_slice().copy_from_slice(black_box(self.sources[0].as_slice()));
    }

    /// One array read.
    fn read(&self) -> f64 {
        let elements = self.sources[0].as_slice();
        // SAFETY: plain numbers without padding.
        let (_, numbers, _) = unsafe { elements.align_to::<f64>() };
        bandwidth::read(numbers)
    }
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

/// Gigabytes a second of the row, and of what it is compared with: both the best of runs in turn.
fn share<T: Element>(row: &Row, threads: usize) -> [f64; 2] {
    let mut memory = Memory::<T>::of(row);
    let (mut own, mut plain) = (f64::INFINITY, f64::INFINITY);
    let is_sum = row.kept < row.extents.len();
    for _ in 0..RUNS {
        plain = plain.min(seconds(|| if is_sum { _ = black_box(memory.read()) } else { memory.copy() }));
        own = own.min(seconds(|| memory.run(row, threads)));
    }
    let size = size_of::<T>() as f64 * 1e-9;
    let copied = if is_sum { 1.0 } else { 2.0 } * row.points() as f64;
    [size * row.moved() as f64 / own, size * copied / plain]
}

fn threads() -> usize {
    std::env::var("THREADS").ok().and_then(|threads| threads.parse().ok()).unwrap_or(1)
}

/// Rows whose names have one of the program's arguments in them.
fn chosen(rows: Vec<Row>) -> Vec<Row> {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let is_wanted = |row: &Row| wanted.is_empty() || wanted.iter().any(|wanted| row.name.contains(wanted));
    rows.into_iter().filter(is_wanted).collect()
}

fn line<T: Element>(row: &Row) -> f64 {
    let [own, plain] = share::<T>(row, threads());
    println!("{:>5.1} GB/s of {:>5.1}, {:>4.0} %  {} {}", own, plain, 100.0 * own / plain, T::DTYPE, row.name);
    own / plain
}

fn shares(_: &mut Criterion) {
    for row in chosen(named()) {
        line::<f64>(&row);
    }
    let random = chosen(random_permutations());
    let mut found: Vec<f64> = random.iter().map(line::<f64>).collect();
    found.sort_unstable_by(f64::total_cmp);
    if let [worst, ..] = found[..] {
        println!("random permutations: median {:.0} %, worst {:.0} %", 100.0 * found[found.len() / 2], 100.0 * worst);
    }
    for row in chosen(named()).iter().take(9) {
        line::<f32>(row);
        line::<num_complex::Complex<f32>>(row);
        line::<num_complex::Complex<f64>>(row);
    }
}

fn times(criterion: &mut Criterion) {
    for row in chosen(named()) {
        let mut memory = Memory::<f64>::of(&row);
        let mut group = criterion.benchmark_group(&row.name);
        group.sample_size(10).measurement_time(Duration::from_secs(1)).warm_up_time(Duration::from_millis(300));
        group.bench_function("copy of the first array", |bench| bench.iter(|| memory.copy()));
        group.bench_function("row", |bench| bench.iter(|| memory.run(&row, threads())));
        group.finish();
    }
}

criterion_group!(memory, shares, times);
criterion_main!(memory);
