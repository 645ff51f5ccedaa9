//! Tensors that were taken to a device: read there without being copied again, and equations run where their operands are. On
//! simulated devices, whose products of matrices are a library's and need no compiler.

use std::sync::Arc;

use tensorwrapper::__private::cuda::{Collection, CompiledKernels, Route, Schedule, running};
use tensorwrapper::prelude::*;
use tensorwrapper::{ErrorKind, MemoryKind, Placement, einsum, try_tensor};

/// A device's programs, of which there are none, and a context on a new device that counts its transfers there.
pub(crate) fn device(name: &str) -> (Arc<CompiledKernels>, Context) {
    let folder = std::env::temp_dir().join(format!("tensorwrapper-placed-{name}-{}", std::process::id()));
    let programs = Collection::default().compile(&folder, str::to_string).unwrap_or_else(|error| panic!("{error}"));
    let _ = std::fs::remove_dir_all(&folder);
    let context = running(&programs, Schedule::Forward, Route::Library);
    (programs, context)
}

pub(crate) fn matrix(seed: usize) -> Tensor<f64> {
    Tensor::from_fn([5, 5], |index| ((seed + 3 * index[0] + 7 * index[1]) % 11) as f64).expect("memory for a few numbers")
}

fn is_there(tensor: &Tensor<f64>) -> bool {
    tensor.placement().memory_kind == MemoryKind::Device && tensor.placement().resident_device.is_some()
}

#[test]
fn operand_on_the_device_is_not_copied_again() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("there"), Context::cpu());
    let (a, b) = (matrix(1).to(&gpu)?, matrix(2));
    assert!(is_there(&a) && is_there(&a.clone().to(&gpu)?) && !is_there(&b) && !is_there(&a.clone()));
    assert_eq!(a.as_slice(), matrix(1).as_slice());
    let [before, _] = programs.transfers();
    let expected = Context::cpu().einsum("ij,jk->ik", &[&a, &b])?;
    for round in 1..=3 {
        assert_eq!(gpu.einsum("ij,jk->ik", &[&a, &b])?, expected);
        assert_eq!(programs.transfers()[0], before + round, "`b` alone is copied");
    }
    // Parts and views of it are there, too, and so are plans of several steps over it.
    let part = tensor!(in &gpu; let x[i, j] = a[i in 1..4, k] * a[k, j]; x);
    let part_expected = tensor!(in &cpu; let x[i, j] = a[i in 1..4, k] * a[k, j]; x);
    assert_eq!(part, part_expected);
    let cube = tensor!(in &gpu; let y[i, k] = a[i, j] * a[j, k]; let x[i, l] = y[i, k] * a[k, l]; x);
    assert_eq!(cube, tensor!(in &cpu; let y[i, k] = a[i, j] * a[j, k]; let x[i, l] = y[i, k] * a[k, l]; x));
    assert_eq!(programs.transfers()[0], before + 3);
    Ok(())
}

/// What a prepared block keeps is on the device, too, and with it all that its runs read but what changes.
#[test]
fn prepared_block_copies_only_changed_operands() -> Result<(), Error> {
    let (programs, gpu) = device("prepared");
    let (a, b, x) = (matrix(1).to(&gpu)?, matrix(2).to(&gpu)?, matrix(3));
    let graph = Graph::new();
    let next = tensor!(in &graph; let x[i, l] = a[i, j] * b[j, k] * x[k, l]; x);
    let blocks = [gpu.prepare_all((&next,), &[&x])?, Context::cpu().prepare_all((&next,), &[&x])?];
    assert!(blocks[0].kept_bytes() > 0, "the product of both is kept");
    for n in 0..3 {
        let changed = matrix(n);
        let [up, down] = programs.transfers();
        assert_eq!(blocks[0].run(&[&changed])?, blocks[1].run(&[&changed])?);
        assert_eq!(programs.transfers(), [up + 1, down + 1]);
    }
    Ok(())
}

#[test]
fn changed_operand_is_copied_again() -> Result<(), Error> {
    let (programs, gpu) = device("changes");
    let change: [fn(&mut Tensor<f64>); 6] = [
        |t| t[[0, 0]] = 50.0,
        |t| t.as_mut_slice()[1] = 51.0,
        |t| t.view_mut()[[2, 2]] = 52.0,
        |t| *t.get_mut(&[1, 1]).expect("the index is in range") = 53.0,
        |t| {
            let cpu = Context::cpu();
            tensor!(in &cpu; t[i, j] *= 3;);
        },
        |t| *t = matrix(9),
    ];
    for (number, change) in change.into_iter().enumerate() {
        let mut a = matrix(1).to(&gpu)?;
        change(&mut a);
        assert_eq!(a.placement(), &Placement::HOST, "change {number}");
        let [before, _] = programs.transfers();
        assert_eq!(gpu.einsum("ij,jk->ik", &[&a, &a])?, Context::cpu().einsum("ij,jk->ik", &[&a, &a])?, "change {number}");
        assert_eq!(programs.transfers()[0], before + 1, "change {number}: one tensor is copied once");
    }
    let back = matrix(1).to(&gpu)?.to_host();
    assert_eq!((back.placement(), &back), (&Placement::HOST, &matrix(1)));
    assert_eq!(AnyTensor::from(matrix(1).to(&gpu)?).placement(), &Placement::HOST);
    assert_eq!(matrix(1).to(&gpu)?.to(&Context::cpu())?.placement(), &Placement::HOST);
    Ok(())
}

#[test]
fn equations_run_on_the_device_of_their_operands() -> Result<(), Error> {
    let ((programs, gpu), cpu) = (device("where"), Context::cpu());
    let (a, b) = (matrix(1).to(&gpu)?, matrix(2).to(&gpu)?);
    let expected = Context::cpu().einsum("ij,jk->ik", &[&a, &b])?;
    for _ in 0..3 {
        let [up, down] = programs.transfers();
        let by_macro = tensor!([i, k] = a[i, j] * b[j, k]);
        assert_eq!(by_macro, expected);
        assert_eq!(einsum("ij,jk->ik", &[&a, &b])?, expected);
        assert_eq!((a.at("ij") * b.at("jk")).eval("ik")?, expected);
        assert_eq!(programs.transfers(), [up, down + 3], "results alone are copied");
    }
    // Operands of the host's stay there, whatever other tensors do.
    let transfers = programs.transfers();
    let (c, d) = (matrix(1), matrix(2));
    assert_eq!(tensor!([i, k] = c[i, j] * d[j, k]), expected);
    // A context that is named decides.
    assert_eq!(tensor!(in &cpu; let x[i, k] = a[i, j] * b[j, k]; x), expected);
    assert_eq!(programs.transfers(), transfers);
    Ok(())
}

#[test]
fn operands_on_two_devices_need_a_context() -> Result<(), Error> {
    let ((_, gpu), (_, other)) = (device("one"), device("other"));
    let (a, b, c) = (matrix(1).to(&gpu)?, matrix(2), matrix(3).to(&other)?);
    for _ in 0..2 {
        let faults = [
            try_tensor!([i, k] = a[i, j] * b[j, k]).expect_err("two places"),
            try_tensor!([i, k] = a[i, j] * c[j, k]).expect_err("two devices"),
            einsum("ij,jk->ik", &[&b, &c]).expect_err("two places"),
        ];
        for fault in faults {
            assert!(matches!(fault.kind(), ErrorKind::Placement(_)), "{fault}");
            assert!(fault.to_string().contains("operands lie in two places: a tensor of extents [5, 5] "), "{fault}");
            assert!(fault.help().is_some_and(|help| help.contains("in &context;") && help.contains("to(&context)")), "{fault}");
        }
    }
    let expected = Context::cpu().einsum("ij,jk->ik", &[&a, &c])?;
    assert_eq!(tensor!(in &gpu; let x[i, k] = a[i, j] * c[j, k]; x), expected);
    assert_eq!(tensor!(in &other; let x[i, k] = a[i, j] * c[j, k]; x), expected);
    Ok(())
}

/// A context by default is one that the program names, and products that are rounded to TF32 are in the same memory as others.
#[test]
fn default_placement_is_named_and_rounding_does_not_change_it() -> Result<(), Error> {
    let (programs, gpu) = device("rounding");
    let (a, b) = (matrix(1).to(&gpu)?, matrix(2).to(&gpu.clone().tf32(true))?);
    let transfers = programs.transfers();
    let expected = Context::cpu().einsum("ij,jk->ik", &[&a, &b])?;
    assert_eq!(einsum("ij,jk->ik", &[&a, &b])?, expected);
    assert_eq!(programs.transfers(), [transfers[0], transfers[1] + 1], "the result alone is copied");
    let default = Context::default();
    assert_eq!(default.einsum("ij,jk->ik", &[&a, &matrix(2)])?, expected);
    assert_eq!(tensor!(in &default; let x[i, k] = a[i, j] * b[j, k]; x), expected);
    assert_eq!(programs.transfers(), [transfers[0], transfers[1] + 1], "it computes on the host");
    Ok(())
}

/// A device copies from pinned memory directly, and has read it when the tensor may be written again.
#[test]
fn pinned_memory_is_copied_from_directly() -> Result<(), Error> {
    let (programs, gpu) = device("pinned");
    let pinned = || Placement::PINNED;
    let mut a = matrix(3).to_pinned(&gpu)?;
    let b = matrix(4);
    assert_eq!((a.placement(), a.preferred_compute_device()), (&pinned(), None));
    assert_eq!(a, matrix(3));
    let mut plain = matrix(3);
    for run in 0..3 {
        let direct = programs.direct_transfers();
        let product = gpu.einsum("ij,jk->ik", &[&a, &b])?;
        assert_eq!(programs.direct_transfers(), direct + 1);
        // What has not been read by now is read too late.
        a.as_mut_slice().iter_mut().for_each(|x| *x += f64::from(run));
        assert_eq!(product, Context::cpu().einsum("ij,jk->ik", &[&plain, &b])?);
        plain.as_mut_slice().iter_mut().for_each(|x| *x += f64::from(run));
        assert_eq!((&a, a.placement()), (&plain, &pinned()));
    }
    // A part of it, a copy on a device of it, and what is no longer pinned.
    let direct = programs.direct_transfers();
    let held = a.to(&gpu)?;
    assert_eq!((programs.direct_transfers(), held.placement().memory_kind.clone()), (direct + 1, MemoryKind::Device));
    let back = held.to_host();
    assert_eq!(back.placement(), &pinned());
    assert_eq!(back.clone().placement(), &Placement::HOST);
    let elements = back.into_vec();
    assert_eq!(elements, plain.as_slice());
    let empty = Tensor::<f64>::zeros([0, 3])?.to_pinned(&gpu)?;
    assert_eq!(empty.placement(), &pinned());
    assert_eq!(matrix(3).to_pinned(&Context::cpu())?.placement(), &Placement::HOST);
    Ok(())
}
