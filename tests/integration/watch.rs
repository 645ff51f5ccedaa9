//! Runs that somebody watches: progress, cancellation between steps, targets that stay as they were, spans.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use tensorwrapper::prelude::*;
use tensorwrapper::{Cancel, Context, ErrorKind, Progress};

fn matrix(n: usize) -> Tensor<f64> {
    Tensor::from_fn([n, n], |at| (at[0] * n + at[1]) as f64 * 0.01).unwrap()
}

/// Every call of the function that is told of progress.
fn told(context: Context) -> (Context, Arc<Mutex<Vec<Progress>>>) {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&calls);
    let context = context.progress(move |progress| {
        heard.lock().unwrap().push(progress);
        ControlFlow::Continue(())
    });
    (context, calls)
}

#[test]
fn progress_is_reported_before_each_step_and_after_the_last() {
    let a = matrix(4);
    for context in [Context::cpu(), Context::reference()] {
        let plain = context.einsum("ij,jk,kl->il", &[&a, &a, &a]).unwrap();
        let (context, calls) = told(context);
        let watched = context.einsum("ij,jk,kl->il", &[&a, &a, &a]).unwrap();
        assert_eq!(watched, plain);
        let calls = std::mem::take(&mut *calls.lock().unwrap());
        let steps: Vec<_> = calls.iter().map(|p| (p.step, p.steps, p.done, p.operations)).collect();
        assert_eq!(steps, [(0, 2, 0.0, 128.0), (1, 2, 64.0, 128.0), (2, 2, 128.0, 128.0)]);
    }
}

/// A single contraction has a quick way of its own when nobody watches.
#[test]
fn every_entry_point_reports_progress() {
    let a = matrix(3);
    let (context, calls) = told(Context::cpu());
    let heard = |what: &str| {
        let n = std::mem::take(&mut *calls.lock().unwrap()).len();
        assert!(n >= 2, "{what} told {n} times");
    };
    context.einsum("ij,jk->ik", &[&a, &a]).unwrap();
    heard("einsum");
    context.contract(&[(&a, &[0, 1]), (&a, &[1, 2])], &[0, 2]).unwrap();
    heard("contract");
    let prepared = context.prepare("ij,jk->ik", &[&a, &a]).unwrap();
    prepared.run(&[&a, &a]).unwrap();
    heard("run");
    prepared.run_into(&[&a, &a], &mut matrix(3)).unwrap();
    heard("run_into");
    let product = (a.at("i,k") * a.at("k,j")).record("i,j").unwrap();
    context.eval(&product).unwrap();
    heard("eval");
    context.eval_all((&product,)).unwrap();
    heard("eval_all");
    let m: Tensor<f64, Shape![_, _]> = matrix(3).into_typed().unwrap();
    for _ in 0..2 {
        let _ = tensor! { in &context; let x[i, j] = m[i, k] * m[k, j]; x };
        heard("a block");
    }
}

#[test]
fn a_cancelled_run_leaves_its_target_as_it_was() {
    let a = matrix(5);
    for stop in 0..3 {
        let context =
            Context::cpu().progress(move |p| if p.step == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
        let prepared = context.prepare("ij,jk,kl,lm->im", &[&a, &a, &a, &a]).unwrap();
        let mut target = Tensor::<f64>::filled([5, 5], 7.0).unwrap();
        let error = prepared.run_into(&[&a, &a, &a, &a], &mut target).unwrap_err();
        assert_eq!(error.kind(), &ErrorKind::Cancelled { step: stop, steps: 3 });
        assert_eq!(error.to_string(), format!("the run was cancelled after {stop} of 3 steps"));
        assert_eq!(target, Tensor::<f64>::filled([5, 5], 7.0).unwrap());
    }
    // After the last step there is nothing to end.
    let context = Context::cpu().progress(|p| if p.step == p.steps { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    assert!(context.einsum("ij,jk,kl->il", &[&a, &a, &a]).is_ok());
}

#[test]
fn a_block_that_is_cancelled_writes_nothing() {
    let m: Tensor<f64, Shape![_, _]> = matrix(4).into_typed().unwrap();
    let context = Context::cpu().progress(|p| if p.step == 1 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) });
    let mut first = m.clone();
    let mut second = m.clone();
    let error = try_tensor! {
        in &context;
        first[i, j] += m[i, k] * m[k, j];
        second[i, j] = exp(m[i, j]) * m[j, i];
    };
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::Cancelled { step: 1, .. }));
    assert_eq!((&first, &second), (&m, &m));
}

#[test]
fn cancel_token_ends_runs_from_another_thread() {
    let cancel = Cancel::new();
    let remote = cancel.clone();
    let context = Context::cpu().cancel(&cancel).progress(move |p| {
        if p.step == 1 {
            let remote = remote.clone();
            std::thread::spawn(move || remote.cancel()).join().unwrap();
        }
        ControlFlow::Continue(())
    });
    let a = matrix(3);
    let error = context.einsum("ij,jk,kl,lm->im", &[&a, &a, &a, &a]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled { step: 2, steps: 3 }), "{error}");
    assert!(cancel.is_cancelled());
}
