//! `rust_peers --lib NAME --threads N`: one Rust library behind the line protocol
//! of `../README.md`. NAME: cpueinsum, cpueinsum-packed, cpueinsum-blas,
//! ndarray-einsum, gemm.
mod cblas;
mod ttgt;

use cpueinsum::tcontract::PlanConfig;
use cpueinsum::{ArenaProvider, BatchPolicy, EinsumPlan, EinsumSpecRef, Exec, Layout, Scratch, StepBackend, Tcontract};
use cpueinsum_blas::{Blas, BlasScalar};
use ndarray::{ArrayD, IxDyn, LinalgScalar};
use num_complex::{Complex32, Complex64, ComplexFloat};
use rust_peers::{row_major, set_huge_from_env, zeroed};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Instant;
use strided_view::{StridedView, StridedViewMut};

trait Elem: BlasScalar + LinalgScalar + ComplexFloat + Send + Sync + 'static {
    fn of(x: f64) -> Self;
    fn parts(self) -> (f64, f64);
}
impl Elem for f32 {
    fn of(x: f64) -> Self {
        x as f32
    }
    fn parts(self) -> (f64, f64) {
        (self as f64, 0.0)
    }
}
impl Elem for f64 {
    fn of(x: f64) -> Self {
        x
    }
    fn parts(self) -> (f64, f64) {
        (self, 0.0)
    }
}
impl Elem for Complex32 {
    fn of(x: f64) -> Self {
        Complex32::new(x as f32, 0.0)
    }
    fn parts(self) -> (f64, f64) {
        (self.re as f64, self.im as f64)
    }
}
impl Elem for Complex64 {
    fn of(x: f64) -> Self {
        Complex64::new(x, 0.0)
    }
    fn parts(self) -> (f64, f64) {
        (self.re, self.im)
    }
}

/// Threads, and what each library needs to use them.
struct Host {
    threads: usize,
    pool: threadteam::Pool,
    /// faer inside cpueinsum runs in parallel only on a reserved team.
    team: Option<threadteam::Team>,
    arena: ArenaProvider,
}

type Job<'h> = Box<dyn FnMut() -> Result<Summable, String> + 'h>;
/// A result: how to sum it, boxed so the four element types share one loop.
type Summable = Box<dyn FnOnce() -> (f64, f64)>;

fn summary<T: Elem>(r: Vec<T>) -> Summable {
    Box::new(move || {
        let (mut s, mut q) = (0.0, 0.0);
        for (j, x) in r.iter().enumerate() {
            let (w, (re, im)) = ((j * 7919 % 101 + 1) as f64, x.parts());
            s += w * (re + im);
            q += w * w * (re * re + im * im);
        }
        (s, q.sqrt())
    })
}

fn fill<T: Elem>(n: usize, k: usize) -> Vec<T> {
    (0..n as u32)
        .map(|i| {
            let x = i.wrapping_mul(2654435761).wrapping_add(k as u32 * 40503);
            T::of((x ^ (x >> 15)) as f64 / 4294967296.0 - 0.5)
        })
        .collect()
}

fn cpueinsum_job<'h, T: Elem, B: StepBackend<T> + 'h>(
    host: &'h Host,
    backend: B,
    config: PlanConfig,
    terms: Vec<Vec<char>>,
    out: Vec<char>,
    shapes: Vec<Vec<usize>>,
    ext: &BTreeMap<char, usize>,
) -> Result<Job<'h>, String> {
    let lab = |t: &[char]| t.iter().map(|c| *c as i64).collect::<Vec<_>>();
    let labels: Vec<Vec<i64>> = terms.iter().map(|t| lab(t)).collect();
    let inputs: Vec<&[i64]> = labels.iter().map(|l| &l[..]).collect();
    let n = terms.len();
    // Left to right; peers.py gives two operands.
    let path: Vec<[usize; 2]> = (0..n.saturating_sub(1)).map(|s| [if s == 0 { 0 } else { n + s - 1 }, s + 1]).collect();
    let od: Vec<usize> = out.iter().map(|c| ext[c]).collect();
    let (ol, os) = (lab(&out), row_major(&od));
    let st: Vec<Vec<isize>> = shapes.iter().map(|d| row_major(d)).collect();
    let lay = shapes.iter().zip(&st).map(|(d, s)| Layout::new(d, s)).collect::<Result<Vec<_>, _>>().map_err(|e| e.to_string())?;
    let plan = EinsumPlan::<T, B>::compile(
        EinsumSpecRef { inputs: &inputs, output: &ol, path: &path },
        &lay,
        Layout::new(&od, &os).map_err(|e| e.to_string())?,
        backend,
        &config,
    )
    .map_err(|e| e.to_string())?;
    if std::env::var_os("RUST_PEERS_VERBOSE").is_some() {
        eprintln!("backend steps {}", plan.backend_steps());
    }
    let ops: Vec<Vec<T>> = shapes.iter().enumerate().map(|(k, d)| fill(d.iter().product(), k)).collect();
    let mut scratch = Scratch::new();
    Ok(Box::new(move || {
        let mut ex = match &host.team {
            None => Exec::serial_with_workspace(&host.arena),
            Some(t) => Exec::from_token(t.exec(host.threads), Some(&host.arena), BatchPolicy::default()),
        };
        let mut c = zeroed::<T>(od.iter().product());
        let views: Vec<_> = (0..n).map(|i| StridedView::new(&ops[i], &shapes[i], &st[i], 0).unwrap()).collect();
        let mut dv = StridedViewMut::new(&mut c, &od, &os, 0).unwrap();
        plan.execute_into(&mut ex, &views, &mut dv, &mut scratch).map_err(|e| e.to_string())?;
        Ok(summary(c))
    }))
}

fn job<'h, T: Elem>(lib: &str, host: &'h Host, eq: &str, shapes: Vec<Vec<usize>>) -> Result<Job<'h>, String> {
    let (ins, out) = eq.split_once("->").ok_or("equation without ->")?;
    let terms: Vec<Vec<char>> = ins.split(',').map(|t| t.chars().collect()).collect();
    let out: Vec<char> = out.chars().collect();
    let mut ext = BTreeMap::new();
    for (t, d) in terms.iter().zip(&shapes) {
        if t.len() != d.len() {
            return Err("rank".into());
        }
        ext.extend(t.iter().copied().zip(d.iter().copied()));
    }
    match lib {
        "cpueinsum" => cpueinsum_job::<T, _>(host, Tcontract, PlanConfig::default(), terms, out, shapes, &ext),
        "cpueinsum-packed" => cpueinsum_job::<T, _>(host, Tcontract, PlanConfig::packed(), terms, out, shapes, &ext),
        "cpueinsum-blas" => cpueinsum_job::<T, _>(host, Blas::default(), PlanConfig::default(), terms, out, shapes, &ext),
        "ndarray-einsum" => {
            let ops: Vec<ArrayD<T>> = shapes
                .iter()
                .enumerate()
                .map(|(k, d)| ArrayD::from_shape_vec(IxDyn(d), fill(d.iter().product(), k)).unwrap())
                .collect();
            let refs: Vec<&dyn ndarray_einsum::ArrayLike<T>> = ops.iter().map(|o| o as _).collect();
            let path = ndarray_einsum::einsum_path(eq, &refs, ndarray_einsum::OptimizationMethod::Naive)?;
            drop(refs);
            Ok(Box::new(move || {
                let refs: Vec<&dyn ndarray_einsum::ArrayLike<T>> = ops.iter().map(|o| o as _).collect();
                let r = path.contract_operands(&refs);
                let r = if r.is_standard_layout() { r } else { r.as_standard_layout().into_owned() };
                Ok(summary(r.into_raw_vec_and_offset().0))
            }))
        }
        "gemm" => {
            let [a, b]: [Vec<char>; 2] = terms.try_into().map_err(|_| "two operands only")?;
            let plan = ttgt::Plan::new([a, b, out], &ext)?;
            let (a, b) = (fill::<T>(shapes[0].iter().product(), 0), fill::<T>(shapes[1].iter().product(), 1));
            let (team, par) = match host.threads {
                1 => (None, gemm::Parallelism::None),
                n => (Some(&host.pool), gemm::Parallelism::Rayon(n)),
            };
            Ok(Box::new(move || Ok(summary(plan.run(&a, &b, team, par)))))
        }
        _ => Err(format!("unknown library {lib}")),
    }
}

fn cpu_seconds() -> f64 {
    #[repr(C)]
    struct Ts {
        s: i64,
        n: i64,
    }
    extern "C" {
        fn clock_gettime(c: i32, t: *mut Ts) -> i32;
    }
    let mut t = Ts { s: 0, n: 0 };
    // SAFETY: a valid out pointer; 2 = CLOCK_PROCESS_CPUTIME_ID on Linux.
    unsafe { clock_gettime(2, &mut t) };
    t.s as f64 + 1e-9 * t.n as f64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let arg = |k: &str| args.iter().position(|a| a == k).and_then(|i| args.get(i + 1));
    let lib = arg("--lib").expect("--lib NAME").clone();
    let threads: usize = arg("--threads").map_or(1, |v| v.parse().expect("--threads N"));
    for v in ["RAYON_NUM_THREADS", "MATMUL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"] {
        std::env::set_var(v, threads.to_string());
    }
    set_huge_from_env();
    let info = match lib.as_str() {
        "cpueinsum" | "cpueinsum-packed" => format!("cpueinsum {}", cpueinsum::VERSION),
        "cpueinsum-blas" => match cblas::check() {
            Ok(()) => format!("cpueinsum {} {}", cpueinsum::VERSION, std::env::var("RUST_PEERS_BLAS").unwrap()),
            Err(e) => return println!("not available: {e}"),
        },
        "ndarray-einsum" => "ndarray-einsum 0.9.0 (matrixmultiply)".into(),
        "gemm" => "gemm 0.19.0 x86-v4 + strided-perm 0.10.0".into(),
        _ => return println!("not available: unknown library {lib}"),
    };
    let pool = || threadteam::Pool::builder().threads(threads).build().unwrap();
    let host = Host {
        threads,
        pool: pool(),
        team: (threads > 1 && lib.starts_with("cpueinsum")).then(|| pool().into_team(threads).unwrap()),
        arena: ArenaProvider::new(),
    };
    println!("ready {info}");
    std::panic::set_hook(Box::new(|_| {}));
    let (mut key, mut cur): (String, Option<Job<'_>>) = Default::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let answer = catch_unwind(AssertUnwindSafe(|| -> Result<String, String> {
            let mut sum = (0.0, 0.0);
            if line != key || cur.is_none() {
                cur = None;
                let p: Vec<&str> = line.split_whitespace().collect();
                let shapes = p
                    .get(2..)
                    .ok_or("line")?
                    .iter()
                    .map(|s| s.split('x').map(|x| x.parse::<usize>().map_err(|e| e.to_string())).collect())
                    .collect::<Result<Vec<Vec<usize>>, _>>()?;
                let mut j = match p[1] {
                    "f64" => job::<f64>(&lib, &host, p[0], shapes),
                    "f32" => job::<f32>(&lib, &host, p[0], shapes),
                    "c64" => job::<Complex64>(&lib, &host, p[0], shapes),
                    "c32" => job::<Complex32>(&lib, &host, p[0], shapes),
                    d => Err(format!("dtype {d}")),
                }?;
                sum = j()?();
                (cur, key) = (Some(j), line.clone());
            }
            let run = cur.as_mut().unwrap();
            let (c0, t0) = (cpu_seconds(), Instant::now());
            let r = run()?;
            let (t, c) = (t0.elapsed().as_secs_f64(), cpu_seconds() - c0);
            drop(r);
            Ok(format!("{t:.9} {c:.9} {:.15e} {:.15e}", sum.0, sum.1))
        }));
        match answer {
            Ok(Ok(a)) => println!("{a}"),
            Ok(Err(e)) => {
                cur = None;
                println!("error {}", e.replace('\n', " "))
            }
            Err(e) => {
                cur = None;
                let m = e.downcast_ref::<String>().cloned().or(e.downcast_ref::<&str>().map(|s| s.to_string()));
                println!("error panic {}", m.unwrap_or_default().replace('\n', " "))
            }
        }
        std::io::stdout().flush().unwrap();
    }
}
