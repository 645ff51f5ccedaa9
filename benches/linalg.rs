//! Linear algebra against `faer` alone, and batches of small matrices: nanoseconds a call, as JSON lines.
//!
//! ```text
//! cargo bench --bench linalg -- [alone] [small] [batched] [truncated] [threads] [oblong] [OPERATION…] [ORDER…]
//! ```
//!
//! Times are of the process' processor, interleaved, the least of several rounds: the machine may be busy with other work. Those of
//! `threads` and `oblong`, one of them and two, are of the clock, and need a machine that is not.

use std::hint::black_box;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use tensorwrapper::prelude::*;
use tensorwrapper::{Context, Tensor, linalg};

/// Rounds of which the fastest counts.
const ROUNDS: usize = 7;

/// Nanoseconds of the processor that this process has used.
fn processor() -> u128 {
    // The system brings the count up to date where it looks for somebody else to run.
    std::thread::yield_now();
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// The least time of each of several computations, taken in turns.
fn times(calls: usize, each: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut least = vec![f64::INFINITY; each.len()];
    for _ in 0..ROUNDS {
        for (least, compute) in least.iter_mut().zip(each.iter_mut()) {
            let start = processor();
            (0..calls).for_each(|_| compute());
            *least = least.min((processor() - start) as f64 / calls as f64);
        }
    }
    least
}

fn element(seed: usize, i: usize, j: usize) -> f64 {
    let mut z = (seed * 1_000_003 + i * 1009 + j) as u64;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9).wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 * (-52f64).exp2() - 1.0
}

fn report(what: &str, n: usize, ours: f64, theirs: f64) {
    println!(
        "{{\"what\": \"{what}\", \"n\": {n}, \"ours_ns\": {ours:.0}, \"faer_ns\": {theirs:.0}, \"ratio\": {:.3}}}",
        ours / theirs
    );
}

/// One matrix, here a tensor and results that are tensors, there a `Mat` and faer's documented function with a result whose factors
/// can be read: what it keeps as they are is not copied once more.
fn alone(context: &Context, n: usize, wants: &dyn Fn(&str) -> bool) {
    let general = |i: usize, j: usize| element(1, i, j) + if i == j { n as f64 } else { 0.0 };
    let definite = |i: usize, j: usize| element(2, i.max(j), i.min(j)) + if i == j { 2.0 * n as f64 } else { 0.0 };
    let a = Tensor::<f64>::from_fn([n, n], |x| general(x[0], x[1])).unwrap();
    let s = Tensor::<f64>::from_fn([n, n], |x| definite(x[0], x[1])).unwrap();
    let b = Tensor::<f64>::from_fn([n, n], |x| element(3, x[0], x[1])).unwrap();
    let (fa, fs) = (Mat::from_fn(n, n, general), Mat::from_fn(n, n, definite));
    let fb = Mat::from_fn(n, n, |i, j| element(3, i, j));
    let calls = (1 << 24) / (n * n * n) + 1;
    let both = |what: &str, ours: &mut dyn FnMut(), theirs: &mut dyn FnMut()| {
        if wants(what) {
            let t = times(calls, &mut [ours, theirs]);
            report(what, n, t[0], t[1]);
        }
    };
    both("cholesky", &mut || drop(black_box(tensor! { in context; let l[i, k] = cholesky(s[i, j]); l })), &mut || {
        drop(black_box(fs.llt(Side::Lower).unwrap()))
    });
    both(
        "lu",
        &mut || drop(black_box(tensor! { in context; let (p[i, q], l[q, r], u[r, j]) = lu(a[i, j]); (p, l, u) })),
        &mut || {
            // A permutation is a matrix here, and so it is there.
            let lu = fa.partial_piv_lu();
            let mut p = Mat::<f64>::zeros(n, n);
            lu.P().arrays().0.iter().enumerate().for_each(|(row, &column)| p[(column, row)] = 1.0);
            drop(black_box((lu, p)));
        },
    );
    both("solve", &mut || drop(black_box(tensor! { in context; let x[k, j] = solve(a[i, k], b[i, j]); x })), &mut || {
        drop(black_box(fa.partial_piv_lu().solve(&fb)))
    });
    both("qr", &mut || drop(black_box(tensor! { in context; let (q[i, r], t[r, j]) = qr(a[i, j]); (q, t) })), &mut || {
        let qr = fa.qr();
        drop(black_box((qr.compute_thin_Q(), qr)));
    });
    both("eigh", &mut || drop(black_box(tensor! { in context; let (e[m], c[i, m]) = eigh(s[i, j]); (e, c) })), &mut || {
        drop(black_box(fs.self_adjoint_eigen(Side::Lower).unwrap()))
    });
    both(
        "svd",
        &mut || drop(black_box(tensor! { in context; let (u[i, r], w[r], v[r, j]) = svd(a[i, j]); (u, w, v) })),
        &mut || drop(black_box(fa.thin_svd().unwrap())),
    );
    both("eig", &mut || drop(black_box(tensor! { in context; let (e[m], c[i, m]) = eig(a[i, j]); (e, c) })), &mut || {
        drop(black_box(fa.eigen().unwrap()))
    });
}

/// Times one thread and two of a computation by the clock, in turns.
fn both(what: &str, shape: &str, calls: usize, compute: &dyn Fn(&Context)) {
    let (one, two) = (Context::cpu().threads(1), Context::cpu().threads(2));
    let mut least = [f64::INFINITY; 2];
    for _ in 0..2 * ROUNDS {
        for (least, context) in least.iter_mut().zip([&one, &two]) {
            let start = std::time::Instant::now();
            (0..calls).for_each(|_| compute(context));
            *least = least.min(start.elapsed().as_nanos() as f64 / calls as f64);
        }
    }
    let ([one, two], ratio) = (least, least[1] / least[0]);
    println!(
        "{{\"what\": \"threads {what}\", \"n\": \"{shape}\", \"one_ns\": {one:.0}, \"two_ns\": {two:.0}, \"ratio\": {ratio:.3}}}"
    );
}

/// A matrix whose diagonal stands out.
fn matrix(rows: usize, columns: usize) -> Tensor<f64> {
    let element = |x: &[usize]| element(1, x[0], x[1]) + if x[0] == x[1] { rows as f64 } else { 0.0 };
    Tensor::from_fn([rows, columns], element).unwrap()
}

/// One thread and two of square matrices.
fn threads(n: usize, wants: &dyn Fn(&str) -> bool) {
    let a = matrix(n, n);
    let s = Tensor::<f64>::from_fn([n, n], |x| {
        element(2, x[0].max(x[1]), x[0].min(x[1])) + if x[0] == x[1] { 2.0 * n as f64 } else { 0.0 }
    });
    let (s, calls) = (s.unwrap(), (1 << 25) / (n * n * n) + 1);
    let both = |what: &str, compute: &dyn Fn(&Context)| {
        if wants(what) {
            both(what, &n.to_string(), calls, compute);
        }
    };
    both("cholesky", &|context| drop(black_box(linalg::cholesky(&s).eval_in(context).unwrap())));
    both("lu", &|context| drop(black_box(linalg::lu(&a).eval_in(context).unwrap())));
    both("solve", &|context| drop(black_box(linalg::solve(&a, &s).eval_in(context).unwrap())));
    both("qr", &|context| drop(black_box(linalg::qr(&a).eval_in(context).unwrap())));
    both("eigh", &|context| drop(black_box(linalg::eigh(&s).eval_in(context).unwrap())));
    both("svd", &|context| drop(black_box(linalg::svd(&a).eval_in(context).unwrap())));
    both("eig", &|context| drop(black_box(linalg::eig(&a).eval_in(context).unwrap())));
}

/// The same of tall and wide matrices, and of triangles with few right sides, of at least the work that two threads are put to.
fn oblong(wants: &dyn Fn(&str) -> bool) {
    for (rows, columns) in [(4096, 512), (16384, 256), (131_072, 96), (256, 16384)] {
        let (a, shape) = (matrix(rows, columns), format!("{rows} x {columns}"));
        let both = |what: &str, compute: &dyn Fn(&Context)| {
            if wants(what) {
                both(what, &shape, 1, compute);
            }
        };
        // The permutation is a matrix of as many rows and columns as there are rows.
        if rows <= 4096 {
            both("lu", &|context| drop(black_box(linalg::lu(&a).eval_in(context).unwrap())));
        }
        both("qr", &|context| drop(black_box(linalg::qr(&a).eval_in(context).unwrap())));
        both("svd", &|context| drop(black_box(linalg::svd(&a).eval_in(context).unwrap())));
    }
    for (rows, columns) in [(4096, 8), (2048, 32), (1024, 128), (128, 8192)] {
        let (a, b, shape) = (matrix(rows, rows), matrix(rows, columns), format!("{rows}, {columns} right sides"));
        if wants("triangular_solve") {
            both("triangular_solve", &shape, 1, &|context| {
                drop(black_box(linalg::triangular_solve(&a, &b).eval_in(context).unwrap()));
            });
        }
    }
}

/// 1000 matrices of order 8, batch axis last.
fn batched(context: &Context) {
    let items = 1000;
    let definite = |x: &[usize]| element(4 + x[2], x[0].max(x[1]), x[0].min(x[1])) + if x[0] == x[1] { 16.0 } else { 0.0 };
    let a = Tensor::<f64>::from_fn([8, 8, items], definite).unwrap();
    let b = Tensor::<f64>::from_fn([8, 1, items], |x| element(9, x[0], x[2])).unwrap();
    // As numpy has it, batch first.
    let first = a.view().permute(&[2, 0, 1]).and_then(|view| view.to_tensor()).unwrap();
    let right = b.view().permute(&[2, 0, 1]).and_then(|view| view.to_tensor()).unwrap();
    // Rows in another order, so that pivots are not on the diagonal.
    let general = Tensor::<f64>::from_fn([items, 8, 8], |x| first[[x[0], (x[1] * 3 + x[0]) % 8, x[2]]]).unwrap();
    let t = times(
        20,
        &mut [
            &mut || drop(black_box(first.at("bij").eigh(["bn", "bin"]).eval_in(context).unwrap())),
            &mut || drop(black_box(first.at("bij").cholesky("bik").matrix("i", "j").eval_in(context).unwrap())),
            &mut || drop(black_box(first.at("bik").solve(right.at("bij"), "bkj").eval_in(context).unwrap())),
            &mut || drop(black_box(general.at("bik").solve(right.at("bij"), "bkj").eval_in(context).unwrap())),
            &mut || drop(black_box(linalg::eigh(&a).eval_in(context).unwrap())),
            &mut || drop(black_box(linalg::cholesky(&a).eval_in(context).unwrap())),
            &mut || drop(black_box(linalg::solve(&a, &b).eval_in(context).unwrap())),
        ],
    );
    let names =
        ["eigh", "cholesky", "solve", "solve with rows moved", "eigh, batch last", "cholesky, batch last", "solve, batch last"];
    for (what, t) in names.into_iter().zip(t) {
        println!("{{\"what\": \"1000 x (8 x 8) {what}\", \"ours_ns\": {t:.0}}}");
    }
}

/// Static matrices, and the same as tensors.
fn small(context: &Context) {
    macro_rules! of_order {
        ($($N:literal)*) => { $({
            let a: StaticTensor<f64, Shape![$N, $N]> =
                StaticTensor::from_fn(|x| element(30, x[0].max(x[1]), x[0].min(x[1])) + if x[0] == x[1] { 8.0 } else { 0.0 });
            let b: StaticTensor<f64, Shape![$N]> = StaticTensor::from_fn(|x| element(31, x[0], 0));
            let (m, v) = (Tensor::from_slice([$N, $N], a.as_slice()).unwrap(), Tensor::from_slice([$N], b.as_slice()).unwrap());
            let (m, v): (Tensor<f64>, Tensor<f64>) = (m, v);
            macro_rules! row {
                ($what:literal; $of_static:expr; $of_tensors:expr) => {
                    let t = times(20_000, &mut [
                        &mut || { black_box($of_static); },
                        &mut || drop(black_box($of_tensors)),
                    ]);
                    println!(
                        "{{\"what\": \"static {}\", \"n\": {}, \"static_ns\": {:.0}, \"tensors_ns\": {:.0}}}",
                        $what, $N, t[0], t[1]
                    );
                };
            }
            let (a, b) = (&a, &b);
            row!("cholesky"; { let a = black_box(a); tensor!([i, k] = cholesky(a[i, j])) };
                tensor! { in context; let l[i, k] = cholesky(m[i, j]); l });
            row!("solve"; { let a = black_box(a); tensor!([k] = solve(a[i, k], b[i])) };
                tensor! { in context; let x[k] = solve(m[i, k], v[i]); x });
            row!("inv"; { let a = black_box(a); tensor!([j, i] = inv(a[i, j])) };
                tensor! { in context; let x[j, i] = inv(m[i, j]); x });
            row!("det"; { let a = black_box(a); tensor!([] = det(a[i, j])) };
                tensor! { in context; let d[] = det(m[i, j]); d });
            row!("eigh"; { let a = black_box(a); tensor!(([n], [i, n]) = eigh(a[i, j])) };
                tensor! { in context; let (e[n], c[i, n]) = eigh(m[i, j]); (e, c) });
            row!("svd"; { let a = black_box(a); tensor!(([i, r], [r], [r, j]) = svd(a[i, j])) };
                tensor! { in context; let (u[i, r], s[r], w[r, j]) = svd(m[i, j]); (u, s, w) });
        })* };
    }
    of_order!(2 3 4 8);
}

/// 512 × 512 to rank 32: singular values that fall by e every `scale`, and those of random numbers.
fn truncated(context: &Context) {
    let n = 512;
    let random = |seed: usize| Tensor::<f64>::from_fn([n, n], |x| element(seed, x[0], x[1])).unwrap();
    let (q, _) = linalg::qr(&random(20)).eval().unwrap();
    let (p, _) = linalg::qr(&random(21)).eval().unwrap();
    for scale in [4.0, 16.0, f64::INFINITY] {
        let a = if scale.is_finite() {
            let s = Tensor::<f64>::from_fn([n], |x| (-(x[0] as f64) / scale).exp()).unwrap();
            (q.at("ik") * s.at("k") * p.at("jk")).eval("ij").unwrap()
        } else {
            random(22)
        };
        let t = times(
            2,
            &mut [&mut || drop(black_box(linalg::svd(&a).max(32).eval_in(context).unwrap())), &mut || {
                drop(black_box(linalg::svd(&a).eval_in(context).unwrap()))
            }],
        );
        println!(
            "{{\"what\": \"svd 512 to 32, scale {scale}\", \"cut_ns\": {:.0}, \"full_ns\": {:.0}, \"ratio\": {:.2}}}",
            t[0],
            t[1],
            t[1] / t[0]
        );
    }
}

fn main() {
    // The parts to be measured: all of them where none is named; of those against faer also operations and orders.
    let asked: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (orders, names): (Vec<_>, Vec<_>) = asked.into_iter().partition(|word| word.parse::<usize>().is_ok());
    let wants = |part: &str| names.is_empty() || names.iter().any(|word| word == part);
    let orders: Vec<usize> = orders.iter().filter_map(|word| word.parse().ok()).collect();
    // From now on the system's allocator keeps what matrices leave: else both sides wait for pages, now one and now the other.
    drop(black_box(Vec::<u8>::with_capacity(31 << 20)));
    // One thread, so that processor time is time.
    faer::set_global_parallelism(faer::Par::Seq);
    let context = Context::cpu().threads(1);
    let orders = if orders.is_empty() { &[64, 128, 256, 512][..] } else { &orders };
    if names.iter().any(|word| word == "threads") {
        return orders.iter().for_each(|&n| threads(n, &|what| names.len() == 1 || wants(what)));
    }
    if names.iter().any(|word| word == "oblong") {
        return oblong(&|what| names.len() == 1 || wants(what));
    }
    for &n in orders {
        alone(&context, n, &|what| wants("alone") || wants(what));
    }
    if wants("small") {
        small(&context);
    }
    if wants("batched") {
        batched(&context);
    }
    if wants("truncated") {
        truncated(&context);
    }
}
