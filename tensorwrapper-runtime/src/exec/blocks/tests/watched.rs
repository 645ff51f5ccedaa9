//! Limits of memory, progress and cancellation of runs over block tensors.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use super::*;
use crate::exec::{Cancel, Progress, RecordOperand};
use tensorwrapper_core::error::ErrorKind;

/// Three matrices of four blocks each, and an equation whose product of two is an intermediate.
const CHAIN: &str = "[i, l] = A[i, j] * B[j, k] * C[k, l] + A[i, l]";

fn matrices() -> [Blocks<f64>; 3] {
    let mut rng = StdRng::seed_from_u64(31);
    let cut = Tiling::cuts([3, 5]);
    [0; 3].map(|_| filled(&mut rng, &Structure::new([&cut, &cut])))
}

fn named([a, b, c]: &[Blocks<f64>; 3]) -> [(&'static str, &dyn RecordOperand<f64>); 3] {
    [("A", a), ("B", b), ("C", c)]
}

#[test]
fn what_does_not_fit_is_refused_before_it_is_computed() {
    let matrices = matrices();
    let given = named(&matrices);
    let context = Context::cpu().threads(1);
    let expected = context.eval_blocks(CHAIN, &given).unwrap();
    let needed = context.prepare_blocks(CHAIN, &given).unwrap().peak_bytes();
    // The result and the product of two, at least.
    assert!(needed >= 2 * 8 * 8 * 8, "{needed}");
    let found = context.clone().memory_limit(needed).eval_blocks(CHAIN, &given).unwrap();
    assert_eq!(found.slab(), expected.slab());
    // The plan is the one that was kept: it is refused all the same.
    for refused in [
        context.clone().memory_limit(550).eval_blocks(CHAIN, &given).unwrap_err(),
        context.clone().memory_limit(550).prepare_blocks(CHAIN, &given).unwrap_err(),
    ] {
        let message = format!(
            "an intermediate `[i, k]` of extents [8, 8] needs 512 bytes, {needed} with what is needed at the same time, but the \
             context allows 550\nhelp: computed in 8 parts it does not fit either"
        );
        assert_eq!(refused.to_string().replace("`[j, l]`", "`[i, k]`"), message);
    }
    let error = context.memory_limit(511).eval_blocks(CHAIN, &given).unwrap_err();
    assert_eq!(error.to_string(), "a result `[i, l]` of extents [8, 8] needs 512 bytes, but the context allows 511");
    // Blocks that are not there take nothing.
    let cut = Tiling::cuts([3, 5]);
    let diagonal = Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]]).unwrap();
    let d = Blocks::<f64>::from_fn(&diagonal, |i| i[0] as f64).unwrap();
    let square = "[i, k] = D[i, j] * D[j, k]";
    let limited = Context::cpu().threads(1).memory_limit(8 * (9 + 25));
    assert_eq!(limited.prepare_blocks::<f64>(square, &[("D", &d)]).unwrap().peak_bytes(), 8 * (9 + 25));
    limited.eval_blocks::<f64>(square, &[("D", &d)]).unwrap();
}

#[test]
fn steps_are_reported() {
    let matrices = matrices();
    let seen: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let listener = Arc::clone(&seen);
    let context = Context::cpu().threads(1).progress(move |progress| {
        listener.lock().unwrap().push(progress);
        ControlFlow::Continue(())
    });
    let prepared = context.prepare_blocks(CHAIN, &named(&matrices)).unwrap();
    let [a, b, c] = &matrices;
    let expected = Context::cpu().threads(1).eval_blocks(CHAIN, &named(&matrices)).unwrap();
    assert_eq!(prepared.run(&[a, b, c]).unwrap().slab(), expected.slab());
    let reports = std::mem::take(&mut *seen.lock().unwrap());
    let steps: Vec<usize> = reports.iter().map(|progress| progress.step).collect();
    assert_eq!(steps, (0..=reports[0].steps).collect::<Vec<_>>());
    assert!(reports[0].steps >= 2 && reports[0].done == 0.0, "{reports:?}");
    let last = reports[reports.len() - 1];
    assert_eq!((last.done, last.operations), (last.operations, prepared.multiplications() as f64 + 64.0));
    // Who asks for no reports gets none, although both share the plan; and the other way about.
    Context::cpu().threads(1).eval_blocks(CHAIN, &named(&matrices)).unwrap();
    assert!(seen.lock().unwrap().is_empty());
    context.eval_blocks(CHAIN, &named(&matrices)).unwrap();
    context.eval_blocks(CHAIN, &named(&matrices)).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 2 * reports.len());
}

#[test]
fn a_cancelled_run_writes_nothing() {
    let matrices = matrices();
    let [a, b, c] = &matrices;
    let cancel = Cancel::new();
    let token = cancel.clone();
    // Cancelled when the first step is done.
    let context = Context::cpu().cancel(&cancel).progress(move |progress| {
        if progress.step == 1 {
            token.cancel();
        }
        ControlFlow::Continue(())
    });
    let prepared = context.prepare_blocks(CHAIN, &named(&matrices)).unwrap();
    let mut target = a.clone();
    let error = prepared.run_to(&[a, b, c], &mut target).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled { step: 1, .. } | ErrorKind::Cancelled { step: 2, .. }), "{error}");
    assert_eq!(target.slab(), a.slab());
    let error = context.einsum_blocks("ij,jk->ik", &[a, b]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Cancelled { step: 0, steps: 1 }), "{error}");
}
