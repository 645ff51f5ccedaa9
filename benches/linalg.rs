//! Linear algebra against `faer` alone, and batches of small matrices: nanoseconds a call, as JSON lines.
//!
//! ```text
//! cargo bench --bench linalg
//! ```
//!
//! Times are of the process' processor, interleaved, the least of several rounds: the machine may be busy with other work.

use std::hint::black_box;

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};
use tensorwrapper::{Context, Tensor, linalg};

/// Rounds of which the fastest counts.
const ROUNDS: usize = 7;

/// Nanoseconds of the processor that this process has used.
fn processor() -> u128 {
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

fn alone(context: &Context, n: usize) {
    let general = |i: usize, j: usize| element(1, i, j) + if i == j { n as f64 } else { 0.0 };
    let definite = |i: usize, j: usize| element(2, i.max(j), i.min(j)) + if i == j { 2.0 * n as f64 } else { 0.0 };
    let a = Tensor::<f64>::from_fn([n, n], |x| general(x[0], x[1])).unwrap();
    let s = Tensor::<f64>::from_fn([n, n], |x| definite(x[0], x[1])).unwrap();
    let b = Tensor::<f64>::from_fn([n, n], |x| element(3, x[0], x[1])).unwrap();
    let (fa, fs) = (Mat::from_fn(n, n, general), Mat::from_fn(n, n, definite));
    let fb = Mat::from_fn(n, n, |i, j| element(3, i, j));
    // Clocks of processor time are coarse.
    let calls = (1 << 25) / (n * n * n) + 1;
    let t = times(
        calls,
        &mut [
            &mut || drop(black_box(linalg::cholesky(&s).eval_in(context).unwrap())),
            &mut || drop(black_box(fs.llt(Side::Lower).unwrap().L().to_owned())),
            &mut || drop(black_box(linalg::solve(&a, &b).eval_in(context).unwrap())),
            &mut || drop(black_box(fa.partial_piv_lu().solve(&fb))),
            &mut || drop(black_box(linalg::qr(&a).eval_in(context).unwrap())),
            &mut || {
                let qr = fa.qr();
                drop(black_box((qr.compute_thin_Q(), qr.thin_R().to_owned())));
            },
            &mut || drop(black_box(linalg::eigh(&s).eval_in(context).unwrap())),
            &mut || drop(black_box(fs.self_adjoint_eigen(Side::Lower).unwrap())),
            &mut || drop(black_box(linalg::svd(&a).eval_in(context).unwrap())),
            &mut || drop(black_box(fa.thin_svd().unwrap())),
        ],
    );
    for (k, what) in ["cholesky", "solve", "qr", "eigh", "svd"].into_iter().enumerate() {
        report(what, n, t[2 * k], t[2 * k + 1]);
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
    let t = times(
        40,
        &mut [
            &mut || drop(black_box(first.at("bij").eigh(["bn", "bin"]).eval_in(context).unwrap())),
            &mut || drop(black_box(first.at("bij").cholesky("bik").matrix("i", "j").eval_in(context).unwrap())),
            &mut || drop(black_box(first.at("bik").solve(right.at("bij"), "bkj").eval_in(context).unwrap())),
            &mut || drop(black_box(linalg::eigh(&a).eval_in(context).unwrap())),
        ],
    );
    for (what, t) in ["eigh", "cholesky", "solve", "eigh, batch last"].into_iter().zip(t) {
        println!("{{\"what\": \"1000 x (8 x 8) {what}\", \"ours_ns\": {t:.0}}}");
    }
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
    // One thread, so that processor time is time.
    faer::set_global_parallelism(faer::Par::Seq);
    let context = Context::cpu().threads(1);
    for n in [64, 128, 256] {
        alone(&context, n);
    }
    batched(&context);
    truncated(&context);
}
