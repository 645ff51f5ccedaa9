//! A process computes after `fork`, whatever its parent has done before.
//!
//! Forks are made by a process of their own that runs one test alone: of many tests at once, another could hold a lock at that moment.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::*;
use tensorwrapper_core::internal::thread_pool::threads;

/// Set for the process that forks.
const FORKS: &str = "TENSORWRAPPER_TEST_FORKS";

/// A process that is not done by then never will be.
const PATIENCE: Duration = Duration::from_secs(300);

fn numbers(extents: &[usize]) -> Tensor<f64> {
    Tensor::from_fn(extents, |i| i.iter().fold(0.37, |x: f64, &i| (x * 91.7 + i as f64).sin())).unwrap()
}

/// The operands of a plan that outlives a fork.
fn factors() -> [Tensor<f64>; 2] {
    [numbers(&[300, 200]), numbers(&[200, 300])]
}

/// Work that goes to the pool, by every road there is.
fn results(context: &Context, prepared: &Prepared<f64>) -> Vec<Tensor<f64>> {
    let [left, right] = factors();
    let (a, b, batch) = (numbers(&[700, 700]), numbers(&[700, 300]), numbers(&[100, 30, 30]));
    let (long, cube, row, square) = (numbers(&[1 << 18]), numbers(&[60, 70, 80]), numbers(&[700]), numbers(&[200, 200]));
    let einsum = |text: &str, operands: &[&dyn DynOperand<f64>]| context.einsum(text, operands).unwrap();
    let eval = |expr: Result<Expr<'_, f64>, Error>| context.eval(&expr.unwrap()).unwrap();
    let symmetric = eval((a.at("ij") + a.at("ji")).record("ij"));
    let visited = AtomicUsize::new(0);
    Shape::new([100, 100]).indices().par_visit(|index| {
        visited.fetch_add(index[0] * index[1], Ordering::Relaxed);
    });
    vec![
        prepared.run(&[&left, &right]).unwrap(),
        einsum("ij,jk->ik", &[&a, &b]),
        einsum("ij,ij->", &[&a, &a]),
        einsum("ij,j->i", &[&a, &row]),
        einsum("i,i->", &[&long, &long]),
        einsum("bij,bjk->bik", &[&batch, &batch]),
        einsum("ijk->kji", &[&cube]),
        einsum("ijk->j", &[&cube]),
        eval((cube.at("ijk").exp() * cube.at("ijk")).record("ijk")),
        eval(cube.at("ijk").max("ijk").record("")),
        linalg::eigh(&symmetric).eval_in(context).unwrap().0,
        linalg::svd(&b).eval_in(context).unwrap().1,
        linalg::det(&batch.view().permute(&[1, 2, 0]).unwrap()).eval_in(context).unwrap(),
        linalg::solve(&symmetric, &b).eval_in(context).unwrap(),
        linalg::matpow(&square, 3).eval_in(context).unwrap(),
        Tensor::filled([], visited.into_inner() as f64).unwrap(),
    ]
}

/// What a process that is made now answers, as the status with which it ends.
fn forked(work: impl FnOnce() -> i32) -> i32 {
    // SAFETY: no other thread of this process holds anything that the new one could wait for: those of the pool wait for work, and the
    // test's main thread for this one.
    let child = unsafe { libc::fork() };
    assert!(child >= 0, "{}", std::io::Error::last_os_error());
    if child == 0 {
        let status = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(101);
        // SAFETY: the process ends here and now, without what the parent means to do at its end.
        unsafe { libc::_exit(status) };
    }
    let (begun, mut status) = (Instant::now(), 0);
    // SAFETY: the process is a child of this one, which nobody else waits for, and `status` outlives the call.
    while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
        if begun.elapsed() > PATIENCE {
            // SAFETY: it is still that child, as nobody has waited for its end.
            unsafe { libc::kill(child, libc::SIGKILL) };
            panic!("the forked process hangs");
        }
        sleep(Duration::from_millis(5));
    }
    if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 102 }
}

/// 0, or 1 more than the number of the first result that differs.
fn first_difference(found: &[Tensor<f64>], expected: &[Tensor<f64>]) -> i32 {
    let differs = |(a, b): (&Tensor<f64>, &Tensor<f64>)| {
        let scale = b.as_slice().iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        a.extents() != b.extents() || !a.as_slice().iter().zip(b.as_slice()).all(|(x, y)| (x - y).abs() <= 1e-9 * scale)
    };
    found.iter().zip(expected).position(differs).map_or(0, |n| n as i32 + 1)
}

/// What the process does that runs one test alone.
fn forks() {
    let [left, right] = factors();
    // More threads than are worth it, so that everything has several.
    let context = Context::cpu().threads(4);
    let prepared = context.prepare("ij,jk->ik", &[&left, &right]).unwrap();
    // Nobody has used the pool, so that each process may have one.
    assert_eq!(forked(|| i32::from(threads(4) != 4 || results(&context, &prepared).is_empty())), 0);
    let expected = results(&context, &prepared);
    assert_eq!(threads(4), 4, "the pool is this process's");
    let computed = forked(|| match threads(4) {
        1 => first_difference(&results(&context, &prepared), &expected),
        _ => 100,
    });
    assert_eq!(computed, 0, "the result of that number, counted from 1, is another after a fork");
    // A process made by that process has no threads either; and this one still has its own.
    let of_child = || forked(|| first_difference(&results(&context, &prepared), &expected));
    assert_eq!(forked(of_child), 0);
    assert_eq!((threads(4), first_difference(&results(&context, &prepared), &expected)), (4, 0));
}

#[test]
fn forked_processes_compute() {
    if std::env::var_os(FORKS).is_some() {
        return forks();
    }
    let program = std::env::current_exe().unwrap();
    let one = ["--exact", "exec::fork_tests::forked_processes_compute", "--nocapture", "--test-threads=1"];
    let done = Command::new(program).args(one).env(FORKS, "1").output().unwrap();
    assert!(done.status.success(), "{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
}
