//! Results that stay on a device: read there by what follows, never copied to the host and back, and never read where they are not.

use tensorwrapper::prelude::*;
use tensorwrapper::{DeviceTensor, ErrorKind, Layout, MemoryKind, einsum, linalg, try_tensor};

use crate::placed::{device, matrix};

#[test]
fn chains_copy_nothing_between_steps() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("chains"), Context::cpu());
    let there = gpu.on_device()?;
    let a = there.take(&matrix(1))?;
    assert_eq!((a.extents(), a.placement().memory_kind, programs.transfers()), (&[5, 5][..], MemoryKind::Device, [1, 0]));
    let (mut found, mut expected) = (there.take(&matrix(2))?, matrix(2));
    let host = matrix(1);
    for _ in 0..4 {
        found = there.einsum("ij,jk->ik", &[&found, &a])?;
        expected = cpu.einsum("ij,jk->ik", &[&expected, &host])?;
    }
    assert_eq!(programs.transfers(), [2, 0]);
    assert_eq!(found.to_host()?, expected);
    assert_eq!(found.to_host()?, expected, "it is still there");
    assert_eq!(programs.transfers(), [2, 2]);
    Ok(())
}

#[test]
fn results_of_blocks_stay_on_the_device() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("blocks"), Context::cpu());
    let there = gpu.on_device()?;
    let (a, b) = (there.take(&matrix(1))?, there.take(&matrix(2))?);
    let (p, q) = (matrix(1), matrix(2));
    for round in 0..3 {
        let transfers = programs.transfers();
        let (x, y): (DeviceTensor<f64>, DeviceTensor<f64>) = {
            let (x, y) = tensor!(in &there; let y[i, k] = a[i, j] * b[j, k]; let x[i, l] = y[i, k] * a[k, l]; (x, y));
            (x.into_dyn(), y.into_dyn())
        };
        assert_eq!(programs.transfers(), transfers, "round {round}");
        let (u, v) = tensor!(in &cpu; let v[i, k] = p[i, j] * q[j, k]; let u[i, l] = v[i, k] * p[k, l]; (u, v));
        assert_eq!((x.to_host()?, y.to_host()?), (u.into_dyn(), v.into_dyn()));
    }
    Ok(())
}

/// A number is a number, a tensor of rank 0 one in later equations, and what is written is on the host.
#[test]
fn scalars_and_assignments_come_to_the_host() -> Result<(), Error> {
    let ((_, gpu), cpu) = (device("numbers"), Context::cpu());
    let there = gpu.on_device()?;
    let (a, p) = (there.take(&matrix(1))?, matrix(1));
    let (x, e): (DeviceTensor<f64, _>, f64) =
        tensor!(in &there; let x[i, k] = a[i, j] * a[j, k]; let e = a[i, j] * a[i, j]; (x, e));
    let (u, f) = tensor!(in &cpu; let u[i, k] = p[i, j] * p[j, k]; let f = p[i, j] * p[i, j]; (u, f));
    assert_eq!((x.to_host()?, e), (u, f));
    let number = tensor!(in &there; let n[] = a[i, j] * a[i, j]; n);
    assert_eq!((number.rank(), number.to_host()?[[]]), (0, f));
    let mut written = matrix(3);
    tensor!(in &there; written[i, k] = a[i, j] * a[j, k];);
    assert_eq!(written, cpu.einsum("ij,jk->ik", &[&p, &p])?);
    tensor!(in &there; written[i, 0] = a[i, j] * a[j, 0];);
    assert_eq!(written, cpu.einsum("ij,jk->ik", &[&p, &p])?);
    Ok(())
}

/// Whoever cannot read the elements says so; what names no context runs where they are.
#[test]
fn device_results_are_not_read_by_the_host() -> Result<(), Error> {
    let ((programs, gpu), (_, other), cpu) = (device("alone"), device("elsewhere"), Context::cpu());
    let there = gpu.on_device()?;
    let (a, b, host) = (there.take(&matrix(1))?, there.take(&matrix(2))?, matrix(2));
    let expected = cpu.einsum("ij,jk->ik", &[&matrix(1), &matrix(2)])?;
    let graph = Graph::new();
    let product = tensor!(in &graph; let x[i, k] = a[i, j] * b[j, k]; x);
    let prepared = cpu.prepare::<f64>("ij,jk->ik", &[&a, &b])?;
    let mut target = matrix(5);
    let faults = [
        cpu.einsum("ij,jk->ik", &[&a, &b]).expect_err("the host cannot read it"),
        other.einsum("ij,jk->ik", &[&a, &b]).expect_err("another device cannot read it"),
        other.on_device()?.einsum("ij,jk->ik", &[&a, &b]).expect_err("another device cannot read it"),
        try_tensor!(in &cpu; let x[i, k] = a[i, j] * b[j, k]; x).expect_err("the host cannot read it"),
        cpu.eval(&product).expect_err("the host cannot read it"),
        prepared.run(&[&a, &b]).expect_err("the host cannot read it"),
        prepared.run_into(&[&a, &b], &mut target).expect_err("the host cannot read it"),
        cpu.prepare_all((&product,), &[&a]).expect_err("the host cannot read it"),
        linalg::det(&a).eval_in(&cpu).expect_err("the host cannot read it"),
    ];
    for fault in &faults {
        assert!(matches!(fault.kind(), ErrorKind::Placement(_)), "{fault}");
        assert!(fault.to_string().contains("an operand lies in the memory of simulator "), "{fault}");
        assert!(fault.help().is_some_and(|help| help.contains("to_host()")), "{fault}");
    }
    assert_eq!(target, matrix(5));
    let fault = einsum("ij,jk->ik", &[&a, &host]).expect_err("two places");
    assert!(fault.to_string().contains("operands lie in two places"), "{fault}");
    // A tensor of the host's is what an equation gives that says nothing else.
    let [up, down] = programs.transfers();
    assert_eq!(einsum("ij,jk->ik", &[&a, &b])?, expected);
    assert_eq!(tensor!([i, k] = a[i, j] * b[j, k]), expected);
    assert_eq!((a.at("ij") * b.at("jk")).eval("ik")?, expected);
    assert_eq!(programs.transfers(), [up, down + 3]);
    assert_eq!(there.einsum("ij,jk->ik", &[&a, &host])?.to_host()?, expected, "the host's is copied there");
    let fault = cpu.on_device().expect_err("the processor has no other memory");
    assert!(matches!(fault.kind(), ErrorKind::Unsupported(_)), "{fault}");
    assert!(format!("{a:?}").starts_with("DeviceTensor<f64> of extents [5, 5] in the memory of simulator "), "{a:?}");
    Ok(())
}

/// By every door: recorded results, prepared plans and blocks, linear algebra, which the host computes between.
#[test]
fn results_of_every_entry_point_stay_on_the_device() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("doors"), Context::cpu());
    let there = gpu.on_device()?;
    let (a, p) = (there.take(&matrix(1))?, matrix(1));
    let square = (a.at("ij") * a.at("jk")).record("ik")?;
    let cube = (square.at("ij") * a.at("jk")).record("ik")?;
    let expected = [cpu.einsum("ij,jk->ik", &[&p, &p])?, cpu.einsum("ij,jk,kl->il", &[&p, &p, &p])?];
    let [up, down] = programs.transfers();
    let (second, third) = there.eval_all((&square, &cube))?;
    let all = there.eval_all(&[square.clone(), square.clone()][..])?;
    let prepared = gpu.prepare::<f64>("ij,jk->ik", &[&a, &a])?;
    let mut run = prepared.run_on_device(&[&a, &a])?;
    for _ in 0..4 {
        run = prepared.run_on_device(&[&a, &a])?;
    }
    assert_eq!(programs.transfers(), [up, down]);
    assert_eq!([second.to_host()?, third.to_host()?], expected);
    assert_eq!(there.eval(&cube)?.to_host()?, expected[1]);
    assert!(all.iter().chain([&run]).all(|found| found.to_host().is_ok_and(|found| found == expected[0])));
    assert!(cpu.prepare::<f64>("ij,jk->ik", &[&p, &p])?.run_on_device(&[&p, &p]).is_err());

    let inverse = (linalg::inv(&matrix(3)).eval()?, tensor!(in &there; let x[j, i] = inv((matrix(3))[i, j]); x).to_host()?);
    assert_eq!(inverse.0, inverse.1.into_dyn());
    Ok(())
}

/// What a prepared block gives is what its next run reads.
#[test]
fn loops_run_on_the_device() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("loops"), Context::cpu());
    let (a, first) = (matrix(1), matrix(2));
    let graph = Graph::new();
    let next = tensor!(in &graph; let x[i, l] = a[i, j] * a[j, k] * first[k, l] ; x);
    let (block, known) = (gpu.prepare_all((&next,), &[&first])?, cpu.prepare_all((&next,), &[&first])?);
    let there = gpu.on_device()?;
    let (mut x, mut expected) = (there.take(&first)?.into_typed()?, first.clone().into_typed()?);
    let before = programs.transfers();
    for _ in 0..5 {
        (x,) = block.run_on_device(&[&x])?;
        (expected,) = known.run(&[&expected])?;
    }
    assert_eq!(programs.transfers(), before, "what the block keeps is there, and what it does not read is not copied");
    assert_eq!(x.to_host()?, expected);
    Ok(())
}

#[test]
fn extents_of_every_kind() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("extents"), Context::cpu());
    let there = gpu.on_device()?;
    let empty = there.take(&Tensor::<f64>::zeros([0, 3])?)?;
    assert_eq!((empty.to_host()?.extents(), empty.is_empty(), empty.len()), (&[0, 3][..], true, 0));
    let square = there.take(&Tensor::<f64>::filled([3, 3], 1.0)?)?;
    assert_eq!(there.einsum("ij,jk->ik", &[&empty, &square])?.to_host()?, Tensor::<f64>::zeros([0, 3])?);
    let one = there.take(&Tensor::<f64>::filled([1, 1], 2.0)?)?;
    assert_eq!(there.einsum("ij,jk->ik", &[&one, &one])?.to_host()?.as_slice(), [4.0]);
    let typed: DeviceTensor<f64, Shape![5, _]> = there.take(&matrix(1))?.into_typed()?;
    assert!(there.take(&matrix(1))?.into_typed::<Shape![4, _]>().is_err());
    let product: DeviceTensor<f64, Shape![_, 5]> = tensor!(in &there; let x[k, i] = typed[i, j] * typed[j, k]; x);
    let p = matrix(1);
    assert_eq!(product.to_host()?, cpu.einsum("ij,jk->ki", &[&p, &p])?);
    // A tensor in another layout is there in C order; one that is there already is not copied.
    let (turned, _) = matrix(1).relayout(&Layout::new([1, 0])?)?;
    assert_eq!(there.take(&turned)?.to_host()?, matrix(1));
    let placed = matrix(1).to(&gpu)?;
    let transfers = programs.transfers();
    let taken = there.take(&placed)?;
    drop(placed);
    assert_eq!(programs.transfers(), transfers);
    assert_eq!(taken.to_host()?, matrix(1));
    Ok(())
}
