//! Equations within a limit of memory: their terms are computed in parts, and have the same values.

use super::*;
use crate::exec::RecordOperand;
use tensorwrapper_core::error::ErrorKind;

/// Whether the equation can be computed in less memory than it takes at once. If it can, its values in the least such memory, to within one
/// part in 16, are the same.
fn is_same_in_parts<T: Element>(equation: &str, given: &[(&str, &dyn RecordOperand<T>)]) -> bool {
    let context = Context::cpu().threads(1);
    let whole = context.prepare_blocks(equation, given).unwrap().peak_bytes();
    let fits = |limit: &usize| {
        let prepared = context.clone().memory_limit(*limit).prepare_blocks(equation, given);
        prepared.is_ok_and(|prepared| {
            assert!(prepared.peak_bytes() <= *limit, "{equation}: {} of {limit} bytes", prepared.peak_bytes());
            true
        })
    };
    let Some(limit) = (0..16).map(|share| whole / 16 * share).find(fits) else { return false };
    let expected = context.eval_blocks(equation, given).unwrap();
    let found = context.memory_limit(limit).eval_blocks(equation, given).unwrap();
    assert_eq!(found.structure(), expected.structure(), "{equation}");
    let scale = expected.slab().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
    for (found, expected) in found.slab().iter().zip(expected.slab()) {
        let difference = (found.to_complex() - expected.to_complex()).norm();
        assert!(difference <= 1e-13 * scale, "{equation}: {difference} in parts");
    }
    true
}

/// The same of subscripts.
pub(super) fn agrees_in_parts<T: Element>(subscripts: &str, operands: &[&Blocks<T>]) -> bool {
    let names: Vec<String> = (0..operands.len()).map(|n| format!("x{n}")).collect();
    let (inputs, output) = subscripts.split_once("->").unwrap();
    let indexed =
        |name: &str, labels: &str| format!("{name}[{}]", labels.chars().map(String::from).collect::<Vec<_>>().join(", "));
    let factors: Vec<String> = inputs.split(',').zip(&names).map(|(labels, name)| indexed(name, labels)).collect();
    let equation = format!("{} = {}", indexed("", output), factors.join(" * "));
    let given: Vec<(&str, &dyn RecordOperand<T>)> =
        names.iter().zip(operands).map(|(name, operand)| (&name[..], *operand as &dyn RecordOperand<T>)).collect();
    is_same_in_parts(&equation, &given)
}

#[test]
fn sums_charges_dense_operands_diagonals_and_claims_in_parts() {
    let mut rng = StdRng::seed_from_u64(40);
    let bond = Tiling::cuts([3, 1, 4]).charged([0, 1, -1]).unwrap();
    let conserving = Structure::new([&bond, &bond]).flow([1, -1], [0]).unwrap();
    let [a, b, c] = [0; 3].map(|_| filled::<f64>(&mut rng, &conserving));
    let symmetric = filled::<f64>(
        &mut rng,
        &Structure::new([&bond.clone().uncharged(); 2]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap(),
    );
    let diagonal = Blocks::diagonal(filled::<f64>(&mut rng, &Structure::new([&bond.clone().uncharged()]))).unwrap();
    let dense = Tensor::<f64>::from_fn([8, 8], |i| (i[0] * 5 + i[1]) as f64 * 0.1 - 2.0).unwrap();
    let all: [(&str, &dyn RecordOperand<f64>); 6] =
        [("A", &a), ("B", &b), ("C", &c), ("S", &symmetric), ("D", &diagonal), ("M", &dense)];
    for equation in [
        "[i, l] = A[i, j] * B[j, k] * C[k, l] - 0.5 * C[i, j] * A[j, k] * B[k, l]",
        "[i, l] = A[i, j] * M[j, k] * C[k, l] + M[i, j] * B[j, k] * M[k, l]",
        "[i, l] = S[i, j] * D[j, k] * M[k, m] * S[m, l]",
        "[p, q] = M[i, p] * S[i, j] * M[j, q]",
        "[i, l] = M[i, j] * S[j, k] * M[k, l] - M[l, j] * S[j, k] * M[k, i] where asym(i, l)",
        "[i] = M[i, j] * sum(k; S[j, k]) * S[j, l] * M[l, m]",
    ] {
        let named = |(name, _): &&(&str, &dyn RecordOperand<f64>)| equation.contains(&format!("{name}["));
        let given: Vec<(&str, &dyn RecordOperand<f64>)> = all.iter().filter(named).copied().collect();
        assert!(is_same_in_parts(equation, &given), "{equation}");
    }
}

#[test]
fn intermediates_are_made_in_parts_where_they_do_not_fit() {
    let mut rng = StdRng::seed_from_u64(41);
    let (ao, mo) = (Tiling::even(24, 6), Tiling::cuts([5]));
    let none = Symmetry::none(4);
    let integrals = none.symmetric([0, 1]).unwrap().symmetric([2, 3]).unwrap();
    let g = filled::<f64>(&mut rng, &Structure::new([&ao; 4]).with(integrals).unwrap());
    let c = filled::<f64>(&mut rng, &Structure::new([&ao, &mo]));
    // Half transformed, the integrals are 24^2 * 5^2 elements, and after one step 24^3 * 5 without symmetry.
    let transform = "[p, q, r, s] = C[i, p] * C[j, q] * g[i, j, k, l] * C[k, r] * C[l, s]";
    let given: [(&str, &dyn RecordOperand<f64>); 2] = [("C", &c), ("g", &g)];
    let context = Context::cpu().threads(1);
    let whole = context.prepare_blocks(transform, &given).unwrap();
    let limit = whole.peak_bytes() / 3;
    let parts = context.clone().memory_limit(limit).prepare_blocks(transform, &given).unwrap();
    assert!(parts.peak_bytes() <= limit && parts.products().len() > whole.products().len());
    let equations: Vec<String> = parts.products().into_iter().map(|product| product.equation).collect();
    assert!(equations.iter().any(|equation| equation.contains(" in 0..")), "{equations:?}");
    assert_eq!(parts.structure(), whole.structure());
    let (one, other) = (whole.run::<f64>(&[&c, &g]).unwrap(), parts.run::<f64>(&[&c, &g]).unwrap());
    let scale = one.slab().iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    assert!(one.slab().iter().zip(other.slab()).all(|(x, y)| (x - y).abs() <= 1e-13 * scale));
    // With less, nothing is computed, and the message says what was tried.
    let error = context.memory_limit(8 * 5 * 5 * 5 * 5 + 100).prepare_blocks(transform, &given).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Limit { is_result: false, .. }), "{error}");
    assert!(error.to_string().ends_with("computed in 24 parts it does not fit either"), "{error}");
}

#[test]
fn what_all_parts_share_is_made_once() {
    let mut rng = StdRng::seed_from_u64(42);
    let cut = Tiling::even(16, 4);
    let [a, b, c, d] = [0; 4].map(|_| filled::<f64>(&mut rng, &Structure::new([&cut, &cut])));
    // The product of the last two has no label that the large intermediate is cut along.
    let equation = "[] = A[i, j] * B[k, l] * (C[i, m] * D[m, k]) * A[j, l]";
    let given: [(&str, &dyn RecordOperand<f64>); 4] = [("A", &a), ("B", &b), ("C", &c), ("D", &d)];
    let context = Context::cpu().threads(1);
    let whole = context.prepare_blocks(equation, &given).unwrap();
    let limit = whole.peak_bytes() - 1;
    let parts = context.memory_limit(limit).prepare_blocks(equation, &given).unwrap();
    assert!(parts.peak_bytes() <= limit);
    assert!(parts.multiplications() <= whole.multiplications(), "{parts:?} {whole:?}");
    let run = |plan: &crate::exec::blocks::PreparedBlocks| plan.run::<f64>(&[&a, &b, &c, &d]).unwrap().get(&[]).unwrap();
    assert!((run(&parts) - run(&whole)).abs() <= 1e-13 * run(&whole).abs().max(1e3));
}
