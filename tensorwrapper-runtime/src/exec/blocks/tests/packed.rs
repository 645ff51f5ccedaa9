//! Products and sums whose pairs of labels are packed, against dense ones, and how many multiplications they take.

use super::*;
use crate::exec::{RecordOperand, record};
use rand::seq::IndexedRandom;

/// Compares an equation with the dense one, on every context; the result and its multiplications.
fn compare<T: Element>(equation: &str, operands: &[(&str, &Blocks<T>)]) -> (Blocks<T>, u128) {
    let read = |name: &str| equation.contains(&format!("{name}["));
    let given: Vec<(&str, &dyn RecordOperand<T>)> =
        operands.iter().filter(|(name, _)| read(name)).map(|(name, tensor)| (*name, *tensor as _)).collect();
    let expected = record::<T>(equation, &given).unwrap().eval().unwrap();
    same(&Context::reference().eval_blocks(equation, &given).unwrap(), &expected, equation);
    let found = Context::cpu().eval_blocks(equation, &given).unwrap();
    same(&found, &expected, equation);
    let prepared = Context::cpu().prepare_blocks(equation, &given).unwrap();
    (found, prepared.multiplications())
}

/// Elements that follow from each other within a block do so exactly, where their pair is packed.
fn is_consistent<T: Element>(found: &Blocks<T>) {
    let again = Blocks::from_dense(&found.to_dense().unwrap(), found.structure()).unwrap();
    assert_eq!(again.slab(), found.slab());
}

fn pairs(rank: usize, sign: Sign, groups: &[&[usize]]) -> Symmetry {
    groups.iter().fold(Symmetry::none(rank), |symmetry, axes| match sign {
        Sign::Plus => symmetry.symmetric(axes).unwrap(),
        Sign::Minus => symmetry.antisymmetric(axes).unwrap(),
    })
}

#[test]
fn unique_pairs_are_multiplied_once() {
    let mut rng = StdRng::seed_from_u64(2371);
    let (occ, vir) = (Tiling::cuts([2, 3]), Tiling::cuts([1, 4, 3]));
    for (sign, rows, columns) in [(Sign::Minus, 10, 28), (Sign::Plus, 15, 36)] {
        let both = pairs(4, sign, &[&[0, 1], &[2, 3]]);
        let t = filled::<f64>(&mut rng, &Structure::new([&occ, &occ, &vir, &vir]).with(both.clone()).unwrap());
        let v = filled::<f64>(&mut rng, &Structure::new([&vir; 4]).with(both).unwrap());
        let (ladder, multiplications) = compare("[i, j, a, b] = 0.5 * T[i, j, c, d] * V[c, d, a, b]", &[("T", &t), ("V", &v)]);
        assert_eq!((multiplications, ladder.structure().symmetry().order()), (rows * columns * columns, 4));
        is_consistent(&ladder);
        // Axes in another order, and operands read across.
        compare("[a, i, b, j] = T[i, j, c, d] * V[a, b, d, c]", &[("T", &t), ("V", &v)]);
        // Of what is left alone nothing is packed.
        let (_, all) = compare("[i, j, a, e] = T[i, j, c, d] * V[c, e, a, d]", &[("T", &t), ("V", &v)]);
        assert!(all > rows * columns * 64);
        compare("[] = T[i, j, c, d] * T[i, j, c, d]", &[("T", &t)]);
        compare("[i, k] = T[i, j, c, d] * T[k, j, c, d]", &[("T", &t)]);
    }
    // Of one index there is no pair.
    let each = Tiling::each(4);
    let pair = pairs(2, Sign::Minus, &[&[0, 1]]);
    let a = filled::<f64>(&mut rng, &Structure::new([&each, &each]).with(pair.clone()).unwrap());
    assert_eq!(compare("[] = A[i, j] * A[i, j]", &[("A", &a)]).1, 6);
    let one = filled::<f64>(&mut rng, &Structure::new([&Tiling::whole(1); 2]).with(pair).unwrap());
    assert_eq!(compare("[] = A[i, j] * A[i, j]", &[("A", &one)]).0.get(&[]).unwrap(), 0.0);
}

/// Sums that have a symmetry, of terms that have none: some of these are packed, others not.
fn sums<T: Element>(rng: &mut StdRng) {
    let cut = Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(1..5)).collect::<Vec<_>>());
    let other = Tiling::cuts((0..rng.random_range(1..3)).map(|_| rng.random_range(1..4)).collect::<Vec<_>>());
    let finer = Tiling::each(cut.extent());
    let rows = if rng.random_bool(0.3) { &finer } else { &cut };
    let structures = [
        sparse(rng, &[&cut, &cut, &other], 0.7),
        sparse(rng, &[&other, &other], 0.8),
        sparse(rng, &[rows, &other, &other], 0.7),
        sparse(rng, &[&other, &cut], 0.8),
        sparse(rng, &[&cut, &cut, &cut], 0.7).with(pairs(3, Sign::Minus, &[&[0, 1, 2]])).unwrap(),
    ];
    let [p, w, z, y, t] = structures.map(|structure| filled::<T>(rng, &structure));
    let operands = [("P", &p), ("W", &w), ("Z", &z), ("Y", &y), ("T", &t)];
    let sign = ["+", "-"].choose(rng).unwrap();
    let conj =
        |text: &str| if T::DTYPE.is_complex() && rng.random_bool(0.5) { format!("conj({text})") } else { text.to_string() };
    let own = "P[i, j, c] * W[c, a]";
    let apart = "Z[i, a, c] * Y[c, j]";
    let turned = ["P[j, i, c] * W[c, a]", "Z[j, a, c] * Y[c, i]"].map(conj);
    compare(&format!("[i, j, a] = {own} {sign} {}", turned[0]), &operands);
    let text = format!("[i, j, a] = {own} {sign} {} {sign} {} + {apart}", turned[0], turned[1]);
    compare(&text, &operands);
    compare(&format!("[a, j, i] = {}", &text[12..]), &operands);
    compare("[i, j, k, l] = T[i, j, m] * T[m, k, l]", &operands);
    compare("[i, j, k] = T[i, j, m] * T[m, k, l] * Y[a, l]", &operands);
    compare("[a, b] = P[i, j, a] * T[i, j, k] * T[k, l, m] * P[l, m, b]", &operands);
    compare("[i, j] = sum(a, b; powi(sum(k; T[i, j, k] * Y[a, k]), 2) * W[a, b])", &operands);
}

#[test]
fn drawn_sums_with_packed_pairs() {
    let mut rng = StdRng::seed_from_u64(2372);
    for _ in 0..30 {
        sums::<f64>(&mut rng);
        sums::<Complex<f64>>(&mut rng);
    }
}
