//! A partner for `benches/peers/methods.py`: operators and methods of whole tensors.
//!
//! ```text
//! cargo run --release --features rand --example bench_methods
//! > sum_along(0) 1000
//! < 0.0000004
//! ```
//!
//! Every line that comes names an operation and a number of elements, and is answered with the least time of many runs, in seconds. The
//! results are made anew in each run. `RAYON_NUM_THREADS` says on how many threads.

use std::hint::black_box;
use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Instant;

use tensorwrapper::prelude::*;
use tensorwrapper::{concatenate, einsum_path, select, stack};

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench_methods: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> Result<(), Box<dyn std::error::Error>> {
    for line in io::stdin().lock().lines() {
        let line = line?;
        let Some((operation, number)) = line.rsplit_once(' ') else { return Err(format!("`{line}` is no request").into()) };
        println!("{:e}", time(operation, &Operands::new(number.trim().parse()?)?)?);
        io::stdout().flush()?;
    }
    Ok(())
}

struct Operands {
    /// Matrices of so many elements.
    a: Tensor<f64, Shape![_, _]>,
    b: Tensor<f64, Shape![_, _]>,
    /// Whole numbers with many equal ones.
    whole: Tensor<f64, Shape![_, _]>,
    mask: Tensor<bool, Shape![_, _]>,
    /// Truth values of which none holds, and of which all do.
    none: Tensor<bool, Shape![_, _]>,
    every: Tensor<bool, Shape![_, _]>,
    /// As many elements as a row of the matrices.
    row: Tensor<f64, Shape![_]>,
    /// A vector whose outer product has as many elements.
    short: Tensor<f64, Shape![_]>,
    /// The matrix's rows in another order, and the order of each row's elements.
    rows: Tensor<i64, Shape![_]>,
    order: Tensor<i64, Shape![_, _]>,
    /// The matrix of 1000 elements as arrays.
    nested: [[f64; 40]; 25],
    /// The whole numbers as integers, and square matrices of integers whose product has as many multiplications. Double precision holds
    /// what is computed of the first two, and not of the last one.
    counts: Tensor<i32, Shape![_, _]>,
    square: Tensor<i64, Shape![_, _]>,
    large: Tensor<i64, Shape![_, _]>,
    number: usize,
}

impl Operands {
    fn new(number: usize) -> Result<Operands, Error> {
        let columns = if number <= 1000 { 40 } else { 1000 };
        let shape = (number / columns, columns);
        // What a generator of Lehmer draws; both sides have the same elements.
        let mut state = 1u64;
        let mut next = move || {
            state = state * 48271 % 2147483647;
            state as f64 / 2147483647.0 - 0.5
        };
        let a = Tensor::from_fn(shape, |_| next())?;
        let b = Tensor::from_fn(shape, |_| next() + 1.0)?;
        let whole = a.map(|x| (x * 100.0).round())?;
        let root = (number as f64).sqrt() as usize;
        let side = (number as f64).cbrt().round() as usize;
        let square = Tensor::from_fn((side, side), |i| whole.as_slice()[i[0] * side + i[1]] as i64)?;
        Ok(Operands {
            mask: a.greater(0.0)?,
            none: a.greater(1.0)?,
            every: a.less(1.0)?,
            row: Tensor::from_fn((columns,), |_| next())?,
            short: Tensor::from_fn((root,), |_| next())?,
            rows: a.view().chip(1, 0)?.argsort_along(0)?.into_typed()?,
            order: a.argsort_along(1)?,
            nested: std::array::from_fn(|i| std::array::from_fn(|j| a.as_slice()[40 * i + j])),
            counts: whole.cast()?,
            large: tensor!([i, j] = square[i, j] * { 1 << 50 }),
            square,
            a,
            b,
            whole,
            number,
        })
    }
}

/// The least time of an operation, results included.
fn time(operation: &str, operands: &Operands) -> Result<f64, Box<dyn std::error::Error>> {
    let Operands { a, b, whole, mask, none, every, row, short, rows, order, nested, counts, square, large, number } = operands;
    let (mut target, other) = (a.clone(), mask.clone());
    let runs = (20_000_000 / number).clamp(20, 3000);
    let mut least = f64::INFINITY;
    macro_rules! timed {
        ($($(#[$only:meta])? $text:literal: $operation:expr;)*) => {
            match operation {
                $($(#[$only])? $text => for _ in 0..runs {
                    let start = Instant::now();
                    // Dropped here, as NumPy gives its memory back.
                    let _ = black_box($operation);
                    least = least.min(start.elapsed().as_secs_f64());
                },)*
                _ => return Err(format!("`{operation}` is no operation").into()),
            }
        };
    }
    timed! {
        "a + b": a + b;
        "a - b": a - b;
        "a * b": a * b;
        "a / b": a / b;
        "2.0 * a": 2.0 * a;
        "-a": -a;
        "a += b": target += b;
        "a -= b": target -= b;
        "sum": a.sum();
        "sum_along(0)": a.sum_along(0)?;
        "sum_along(1)": a.sum_along(1)?;
        "prod": b.prod();
        "prod_along(0)": b.prod_along(0)?;
        "prod_along(1)": b.prod_along(1)?;
        "mean": a.mean();
        "mean_along(0)": a.mean_along(0)?;
        "mean_along(1)": a.mean_along(1)?;
        "var": a.var();
        "var_along(0)": a.var_along(0)?;
        "var_along(1)": a.var_along(1)?;
        "sample_var": a.sample_var();
        "std": a.std();
        "std_along(0)": a.std_along(0)?;
        "std_along(1)": a.std_along(1)?;
        "max": a.max();
        "min": a.min();
        "max_along(0)": a.max_along(0)?;
        "max_along(1)": a.max_along(1)?;
        "min_along(0)": a.min_along(0)?;
        "min_along(1)": a.min_along(1)?;
        "argmax": a.argmax();
        "argmin": a.argmin();
        "argmax_along(0)": a.argmax_along(0)?;
        "argmax_along(1)": a.argmax_along(1)?;
        "argmin_along(0)": a.argmin_along(0)?;
        "argmin_along(1)": a.argmin_along(1)?;
        "cumsum_along(0)": a.cumsum_along(0)?;
        "cumsum_along(1)": a.cumsum_along(1)?;
        "cumprod_along(0)": b.cumprod_along(0)?;
        "cumprod_along(1)": b.cumprod_along(1)?;
        "sort_along(0)": a.sort_along(0)?;
        "sort_along(1)": a.sort_along(1)?;
        "argsort_along(0)": a.argsort_along(0)?;
        "argsort_along(1)": a.argsort_along(1)?;
        "unique": whole.unique()?;
        "less": a.less(b)?;
        "greater_equal": a.greater_equal(b)?;
        "equal": a.equal(0.0)?;
        "not_equal": a.not_equal(b)?;
        "select": select(mask, a, b)?;
        "compress": a.compress(mask)?;
        "count": mask.count();
        "any": none.any();
        "all": every.all();
        "mask & mask": mask & &other;
        "mask | mask": mask | &other;
        "!mask": !mask;
        "map(x * x)": a.map(|x| x * x)?;
        "map_inplace(-x)": target.map_inplace(|x| -x);
        "zip_map(x * y)": a.zip_map(b, |x, y| x * y)?;
        "clip": a.clip(-0.25, 0.25)?;
        "abs": a.abs()?;
        "exp": a.exp()?;
        "ln": b.ln()?;
        "sin": a.sin()?;
        "cos": a.cos()?;
        "tanh": a.tanh()?;
        "powf(1.5)": b.powf(1.5)?;
        "sqrt": a.sqrt()?;
        "powi(2)": a.powi(2)?;
        "norm": a.norm();
        "round": b.round()?;
        "floor": b.floor()?;
        "ceil": b.ceil()?;
        "sign": a.sign()?;
        "iter": a.iter().sum::<f64>();
        "indices": a.shape().indices().map(|at| a[&at]).sum::<f64>();
        "lanes": a.lanes(1)?.map(|row| row.sum()).collect::<Vec<_>>();
        "concatenate(0)": concatenate(0, [a, b])?;
        "concatenate(1)": concatenate(1, [a, b])?;
        "stack(2)": stack(2, [a, b])?;
        "split(0)": a.split(0, 5)?;
        "chips(0)": a.chips(0)?;
        "pad": a.pad(&[(1, 1), (2, 2)], 0.0)?;
        "roll(1)": a.roll(3, 1)?;
        "tile": a.tile(&[1, 2])?;
        "take(0)": a.take(0, rows)?;
        "take_along(1)": a.take_along(1, order)?;
        "t": a.t();
        "transpose": a.transpose().to_tensor()?;
        "tril": a.tril(0)?;
        "triu": a.triu(0)?;
        "diag": row.diag()?;
        "dot": a.dot(row)?;
        "matmul": a.matmul(row)?;
        "outer": short.outer(short)?;
        "kron": short.kron(short)?;
        "from_array": Tensor::from_array(*nested)?;
        "ones": Tensor::<f64, Shape![_]>::ones((*number,))?;
        "zeros": Tensor::<f64, Shape![_]>::zeros((*number,))?;
        "filled": Tensor::<f64, Shape![_]>::filled((*number,), 2.5)?;
        "eye": Tensor::<f64, _>::eye(short.len())?;
        "arange": Tensor::<f64, _>::arange(0..*number as i64)?;
        "linspace": Tensor::<f64, _>::linspace(0.0, 1.0, *number)?;
        #[cfg(feature = "rand")]
        "random": Tensor::<f64, Shape![_]>::random((*number,), 7)?;
        #[cfg(feature = "rand")]
        "uniform": Tensor::<f64, Shape![_]>::uniform((*number,), -1.0..1.0, 7)?;
        #[cfg(feature = "rand")]
        "normal": Tensor::<f64, Shape![_]>::normal((*number,), 0.0, 1.0, 7)?;
        "allclose": a.allclose(a, 1e-12, 0.0);
        "einsum_path": einsum_path("ij,kj,kl,l->i", &[a, b, a, row])?;
        "[i, j] = clip(a[i, j], -0.25, 0.25)": tensor!([i, j] = clip(a[i, j], -0.25, 0.25));
        "[i, j] = a[i, j] < b[i, j]": tensor!([i, j] = a[i, j] < b[i, j]);
        "[i, j] = select(a[i, j] > 0; a[i, j], 0)": tensor!([i, j] = select(a[i, j] > 0; a[i, j], 0));
        "[i, j] = select(m[i, j]; a[i, j], b[i, j])": tensor!([i, j] = select(mask[i, j]; a[i, j], b[i, j]));
        "[] = sum(i, j; select(a[i, j] > 0; 1, 0))": tensor!([] = sum(i, j; select(a[i, j] > 0; 1, 0)));
        "[i] = argmax(j; a[i, j])": tensor!([i] = argmax(j; a[i, j]));
        "[i] = argmin(j; a[i, j])": tensor!([i] = argmin(j; a[i, j]));
        "[i] = mean(j; a[i, j])": tensor!([i] = mean(j; a[i, j]));
        "[i] = var(j; a[i, j])": tensor!([i] = var(j; a[i, j]));
        "[i] = std(j; a[i, j])": tensor!([i] = std(j; a[i, j]));
        "[i, j] = a[i, j] * iota[j]": tensor!([i, j] = a[i, j] * iota[j]);
        "2 n + n * n, i32": tensor!([i, j] = 2 * counts[i, j] + counts[i, j] * counts[i, j]);
        "matrix product, i64": tensor!([i, j] = square[i, k] * square[k, j]);
        "matrix product, i64, large": tensor!([i, j] = large[i, k] * large[k, j]);
    }
    Ok(least)
}
