//! Prepared plans run again and again: step by step at first, then all that was recorded at once, with the same results.

use num_complex::Complex;
use tensorwrapper::__private::cuda::{Collection, CompiledKernels, Route, Schedule, collecting, running};
use tensorwrapper::prelude::*;
use tensorwrapper::{DeviceTensor, DynOperand, ErrorKind, Replay};

use crate::placed::{device, matrix};
use crate::{equations, is_there};

/// The first run is as any other, the second in memory that is kept, the third recorded.
const RECORDED: usize = 3;

#[test]
fn recorded_work_is_replayed() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("again"), Context::cpu());
    let (a, b) = (matrix(1).to(&gpu)?, matrix(2));
    let text = "ij,jk,kl,lm->im";
    let on = |context: &Context| context.prepare::<f64>(text, &[&a, &b, &a, &b]);
    let (prepared, known) = (on(&gpu)?, on(&cpu)?);
    for run in 1..=6 {
        assert_eq!(
            prepared.explain().replay(),
            Some(if run <= RECORDED { &Replay::NotYet } else { &Replay::Whole }),
            "run {run}"
        );
        // Other elements at other addresses of the host's go where the first ones were.
        let changed = matrix(run);
        let expected = known.run(&[&a, &changed, &a, &changed])?;
        let [up, down] = programs.transfers();
        assert_eq!(prepared.run(&[&a, &changed, &a, &changed])?, expected, "run {run}");
        assert_eq!(programs.transfers(), [up + 1, down + 1], "run {run}: what is two operands is copied once");
        assert_eq!(programs.replays(), (run + 1).saturating_sub(RECORDED), "run {run}");
        let mut target = matrix(9);
        known.run_into(&[&b, &b, &b, &b], &mut target)?;
    }
    assert!(prepared.explain().to_string().contains("replayed as one yes"), "{}", prepared.explain());
    assert_eq!(known.explain().replay(), None);
    // Somebody who looks on at each step sees each.
    let replays = programs.replays();
    assert!(prepared.measure(&[&a, &b, &a, &b], 2)?.steps().iter().all(|step| step.measured.is_some()));
    assert_eq!(programs.replays(), replays);
    // Into a tensor that is there, and after a clone; a run that fails leaves what was recorded.
    let mut target = matrix(9);
    prepared.clone().run_into(&[&a, &b, &a, &b], &mut target)?;
    assert_eq!(target, known.run(&[&a, &b, &a, &b])?);
    assert!(prepared.run(&[&a]).is_err());
    assert_eq!(programs.replays(), replays + 1);
    Ok(())
}

/// Operands that move on the device are copied there to where the first ones were.
#[test]
fn moved_operands_are_followed() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("moving"), Context::cpu());
    let there = gpu.on_device()?;
    let (a, p) = (there.take(&matrix(1))?, matrix(1));
    let step = gpu.prepare::<f64>("ij,jk->ik", &[&a, &a])?;
    let (mut x, mut expected) = (there.take(&matrix(2))?, matrix(2));
    let mut all: Vec<DeviceTensor<f64>> = Vec::new();
    let transfers = programs.transfers();
    for run in 1..=8 {
        let next = step.run_on_device(&[&a, &x])?;
        all.push(std::mem::replace(&mut x, next));
        expected = cpu.einsum("ij,jk->ik", &[&p, &expected])?;
        expected = cpu.einsum("ij->ij", &[&expected])?;
        assert_eq!(x.to_host()?, expected, "run {run}");
    }
    assert_eq!(programs.transfers(), [transfers[0], transfers[1] + 8], "nothing but what was asked for");
    assert!(programs.replays() >= 4, "{} replays", programs.replays());
    // From the device to the host and back, and one tensor where there were two.
    for (left, right) in [(&p, &p), (&matrix(4), &p), (&p, &p)] {
        assert_eq!(step.run(&[left, right])?, cpu.einsum("ij,jk->ik", &[left, right])?);
        assert_eq!(step.run(&[&a, left])?, cpu.einsum("ij,jk->ik", &[&p, left])?);
    }
    Ok(())
}

/// What the host does between steps cannot be recorded, and is told.
#[test]
fn plans_that_cannot_be_recorded_run_step_by_step() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("steps"), Context::cpu());
    let (a, x) = (matrix(3), matrix(4));
    let graph = Graph::new();
    let solved = tensor!(in &graph; let y[i, k] = a[i, j] * x[j, k]; let z[j, k] = solve(a[i, j], y[i, k]); z);
    let block = gpu.prepare_all((&solved,), &[&x])?;
    let told = block.explain().each.replay().cloned();
    assert!(matches!(&told, Some(Replay::Never(reason)) if reason.ends_with(", linear algebra")), "{told:?}");
    let explained = block.explain().each;
    let on_host: Vec<bool> = explained.steps().iter().map(|step| step.on_host).collect();
    assert_eq!(on_host.iter().filter(|on_host| **on_host).count(), 1, "{explained}");
    assert!(explained.to_string().contains("decomposition on the host"), "{explained}");
    assert!(block.explain().to_string().contains("replayed as one no: the host does step "), "{}", block.explain());
    let called = tensor!(in &graph; let y[i, k] = a[i, j] * x[j, k]; let z[i, k] = map(|v: f64| v.max(0.5); y[i, k]); z);
    let blocks = [gpu.prepare_all((&called,), &[&x])?, cpu.prepare_all((&called,), &[&x])?];
    for run in 0..4 {
        let changed = matrix(run);
        assert_eq!(blocks[0].run(&[&changed])?, blocks[1].run(&[&changed])?);
        let ((found,), (expected,)) = (block.run(&[&changed])?, cpu.prepare_all((&solved,), &[&x])?.run(&[&changed])?);
        assert!(found.as_slice().iter().zip(expected.as_slice()).all(|(a, b)| (a - b).abs() < 1e-9));
    }
    let told = blocks[0].explain().each.replay().cloned();
    assert!(matches!(&told, Some(Replay::Never(reason)) if reason.contains("functions of the program's")), "{told:?}");
    assert_eq!(programs.replays(), 0);
    Ok(())
}

/// Where a library does linear algebra, the host waits to know whether there is a result, and says so.
#[test]
fn plans_that_the_host_waits_in_run_step_by_step() -> Result<(), Error> {
    let (a, x) = (matrix(3), matrix(4));
    let graph = Graph::new();
    let solved = tensor!(in &graph; let y[i, k] = a[i, j] * x[j, k]; let z[j, k] = solve(a[i, j], y[i, k]); z);
    let block = collecting(&Collection::default(), Route::Library).prepare_all((&solved,), &[&x])?;
    let told = block.explain().each.replay().cloned();
    assert!(
        matches!(&told, Some(Replay::Never(reason)) if reason.ends_with("for whether linear algebra has a result")),
        "{told:?}"
    );
    assert!(block.explain().each.steps().iter().all(|step| !step.on_host), "{}", block.explain());
    Ok(())
}

/// A device that refuses to record computes the same step by step, and explanations have its words.
#[test]
fn refusal_of_the_device_is_reported() -> Result<(), Error> {
    let (programs, gpu) = device("refuses");
    let a = matrix(1);
    let prepared = gpu.prepare::<f64>("ij,jk,kl->il", &[&a, &a, &a])?;
    let expected = Context::cpu().einsum("ij,jk,kl->il", &[&a, &a, &a])?;
    for _ in 1..RECORDED {
        assert_eq!(prepared.run(&[&a, &a, &a])?, expected);
    }
    // For want of memory it is tried again.
    programs.refuse_to_record(Some(ErrorKind::Memory { bytes: 1 }));
    for _ in 0..2 {
        assert_eq!(prepared.run(&[&a, &a, &a])?, expected);
    }
    assert_eq!((prepared.explain().replay(), programs.replays()), (Some(&Replay::NotYet), 0));
    let kept = programs.limit_memory(usize::MAX);
    programs.refuse_to_record(None);
    assert_eq!(prepared.clone().run(&[&a, &a, &a])?, expected);
    assert_eq!((prepared.explain().replay(), programs.replays()), (Some(&Replay::Whole), 1));
    assert_eq!(programs.limit_memory(usize::MAX), kept);
    // For any other reason it is not, and there need not be room for the memory that is kept and for that of the run.
    let again = gpu.prepare::<f64>("ij,jk,kl->il", &[&a, &a, &a])?;
    drop(prepared);
    for _ in 1..RECORDED {
        assert_eq!(again.run(&[&a, &a, &a])?, expected);
    }
    programs.refuse_to_record(Some(ErrorKind::Device("there is no recording today".to_string())));
    assert_eq!(programs.limit_memory(kept + kept / 2), kept);
    for _ in 0..3 {
        assert_eq!(again.run(&[&a, &a, &a])?, expected);
    }
    let told = again.explain().replay().cloned();
    assert!(matches!(&told, Some(Replay::Never(reason)) if reason.contains("no recording today")), "{told:?}");
    assert_eq!((programs.replays(), programs.limit_memory(usize::MAX)), (1, 0));
    Ok(())
}

/// Several threads with plans of their own, and with one plan, on one device: what one has recorded is its own work alone.
#[test]
fn threads_record_only_their_own_work() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("threads"), Context::cpu());
    let (a, text) = (matrix(1), "ij,jk,kl->il");
    let shared = gpu.prepare::<f64>(text, &[&a, &a, &a])?;
    let run = &|seed: usize| -> Result<(), Error> {
        for _ in 0..5 {
            let own = gpu.prepare::<f64>(text, &[&matrix(0), &matrix(0), &matrix(0)])?;
            for run in 0..6 {
                let (b, c) = (matrix(seed), matrix(run));
                let expected = cpu.einsum(text, &[&b, &c, &b])?;
                for plan in [&own, &shared] {
                    assert_eq!(plan.run(&[&b, &c, &b])?, expected, "run {run} of thread {seed}");
                }
                assert_eq!(gpu.einsum(text, &[&b, &c, &b])?, expected, "run {run} of thread {seed}");
            }
        }
        Ok(())
    };
    let done: Result<Vec<()>, Error> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|seed| scope.spawn(move || run(seed))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    done?;
    assert!(programs.replays() >= 4 * 5 * (6 + 1 - RECORDED), "{} replays", programs.replays());
    Ok(())
}

/// Plans that are gone keep nothing, and those that are not give up what they keep where somebody else needs it.
#[test]
fn kept_memory_is_available_to_other_plans() -> Result<(), Error> {
    let (programs, gpu) = device("kept");
    let (a, text) = (matrix(1), "ij,jk,kl->il");
    let expected = Context::cpu().einsum(text, &[&a, &a, &a])?;
    let run = |times: usize| -> Result<_, Error> {
        let prepared = gpu.prepare::<f64>(text, &[&a, &a, &a])?;
        for _ in 0..times {
            assert_eq!(prepared.run(&[&a, &a, &a])?, expected);
        }
        Ok(prepared)
    };
    drop(run(4)?);
    assert_eq!((programs.replays(), programs.limit_memory(usize::MAX)), (2, 0));
    let plans = [run(1)?, run(3)?, run(4)?];
    let kept = programs.limit_memory(usize::MAX);
    assert!(kept > 2 * 25 * 8 && kept % 2 == 0, "two plans keep memory: {kept} bytes");
    // Room for what they keep and no more: another run takes that of the one that has kept it longest.
    programs.limit_memory(kept + 100);
    assert_eq!(gpu.einsum(text, &[&a, &a, &a])?, expected);
    assert_eq!(programs.limit_memory(kept + 100), kept / 2);
    let taken = a.clone().to(&gpu)?;
    for plan in &plans {
        assert_eq!(plan.run(&[&a, &a, &a])?, expected);
    }
    drop(taken);
    // Where that does not do, it is an error, and the plans go on.
    programs.limit_memory(100);
    assert!(matches!(plans[1].run(&[&a, &a, &a]).map_err(|error| error.kind().clone()), Err(ErrorKind::Memory { .. })));
    programs.limit_memory(usize::MAX);
    for _ in 0..4 {
        for plan in &plans {
            assert_eq!(plan.run(&[&a, &a, &a])?, expected);
        }
    }
    assert!(plans.iter().all(|plan| plan.explain().replay() == Some(&Replay::Whole)));
    // So do copies of results that stay there, and of operands that move.
    // The third plan has kept memory for longest by now, the second for the shortest time.
    let last = &plans[1];
    let told =
        |expected: [&Replay; 3]| assert!(plans.iter().zip(expected).all(|(plan, told)| plan.explain().replay() == Some(told)));
    let taken = programs.limit_memory(usize::MAX);
    programs.limit_memory(taken + 100);
    let there = last.run_on_device(&[&a, &a, &a])?;
    assert_eq!(there.to_host()?, expected);
    told([&Replay::Whole, &Replay::Whole, &Replay::NotYet]);
    let moved = gpu.on_device()?;
    programs.limit_memory(usize::MAX);
    let moved = [moved.take(&a)?, moved.take(&a)?];
    let held = gpu.prepare::<f64>(text, &[&moved[0], &a, &a])?;
    for _ in 0..4 {
        assert_eq!(held.run(&[&moved[0], &a, &a])?, expected);
    }
    let taken = programs.limit_memory(usize::MAX);
    programs.limit_memory(taken + 100);
    assert_eq!(held.run(&[&moved[1], &a, &a])?, expected);
    told([&Replay::NotYet, &Replay::Whole, &Replay::NotYet]);
    // It lies where the last attempt has put it, and not where it was recorded.
    assert_eq!((held.explain().replay(), programs.limit_memory(usize::MAX) < taken), (Some(&Replay::NotYet), true));
    for _ in 0..2 {
        assert_eq!(held.run(&[&moved[1], &a, &a])?, expected);
    }
    assert_eq!(held.explain().replay(), Some(&Replay::Whole));
    // A plan that has no room for copies beside what it keeps gives that up, and runs.
    drop(held);
    let taken = programs.limit_memory(usize::MAX);
    programs.limit_memory(taken + 100);
    assert_eq!(last.run_on_device(&[&a, &a, &a])?.to_host()?, expected);
    told([&Replay::NotYet, &Replay::NotYet, &Replay::NotYet]);
    Ok(())
}

/// The corpus in every element type, each case prepared and run until it has been replayed twice.
#[test]
fn replayed_corpus_has_the_same_results() {
    if !is_there("replayed kernels", Collection::compiler()) {
        return;
    }
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("replayed");
    let routes = [Route::Chosen, Route::Library];
    let collection = Collection::default();
    for route in routes {
        corpus(&collecting(&collection, route), &collecting(&collection, route), None);
    }
    let programs = collection.compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let mut cases = 0;
    for route in routes {
        cases += corpus(&running(&programs, Schedule::Forward, route), &Context::cpu(), Some(&*programs));
    }
    println!("{cases} cases replayed twice each, {} replays", programs.replays());
    assert!(cases > 300 && programs.replays() == 2 * cases, "{cases} cases, {} replays", programs.replays());
    let _ = std::fs::remove_dir_all(&folder);
}

fn corpus(device: &Context, known: &Context, programs: Option<&CompiledKernels>) -> usize {
    let each = [each::<f32>, each::<f64>, each::<Complex<f32>>, each::<Complex<f64>>];
    each.iter().map(|each| each(device, known, programs)).sum()
}

fn each<T: Element>(device: &Context, known: &Context, programs: Option<&CompiledKernels>) -> usize {
    let mut cases = 0;
    equations::each_case::<T>(|id, subscripts, operands| {
        let operands: Vec<&dyn DynOperand<T>> = operands.iter().map(|tensor| tensor as &dyn DynOperand<T>).collect();
        let Ok(prepared) = device.prepare(subscripts, &operands) else { return };
        let expected = known.einsum(subscripts, &operands).unwrap_or_else(|error| panic!("{id}: {error}"));
        let mut first: Option<Tensor<T>> = None;
        for run in 1..=RECORDED + 1 {
            let replays = programs.map(CompiledKernels::replays);
            let found = prepared.run(&operands).unwrap_or_else(|error| panic!("{id}, run {run}: {error}"));
            let Some(programs) = programs else { continue };
            assert_eq!(Some(programs.replays()), replays.map(|before| before + usize::from(run >= RECORDED)), "{id}, run {run}");
            let tolerance = if matches!(T::DTYPE.size() / if T::DTYPE.is_complex() { 2 } else { 1 }, 4) { 2e-4 } else { 1e-11 };
            let close = |(a, b): (&T, &T)| (a.to_complex() - b.to_complex()).norm() <= tolerance * (1.0 + b.to_complex().norm());
            assert!(found.as_slice().iter().zip(expected.as_slice()).all(close), "{id}, run {run}");
            assert_eq!(&found, first.get_or_insert_with(|| found.clone()), "{id}, run {run}: not the same bits");
        }
        cases += 1;
    });
    cases
}
