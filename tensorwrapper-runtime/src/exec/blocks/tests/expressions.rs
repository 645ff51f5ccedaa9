//! Drawn expressions of sums, products, quotients and functions over block tensors and dense ones, against the dense equation.

use super::*;
use crate::exec::{RecordOperand, record};
use rand::seq::IndexedRandom;

/// Names, and how many axes each has.
const NAMES: [(&str, usize); 5] = [("A", 2), ("B", 2), ("S", 2), ("d", 1), ("M", 2)];

/// An operand over some of these labels.
fn operand(rng: &mut StdRng, labels: &[char]) -> String {
    let (name, rank) = *NAMES.choose(rng).unwrap();
    let indices: Vec<String> = (0..rank).map(|_| labels.choose(rng).unwrap().to_string()).collect();
    format!("{name}[{}]", indices.join(", "))
}

/// An expression over some of these labels; `next` makes labels that are summed.
fn expression(rng: &mut StdRng, labels: &[char], depth: usize, next: &mut std::ops::RangeInclusive<char>) -> String {
    if depth == 0 {
        return match rng.random_range(0..20) {
            0..3 => "0.5".to_string(),
            3 => format!("(0.1 * iota[{}])", labels.choose(rng).unwrap()),
            _ => operand(rng, labels),
        };
    }
    let mut inner = |rng: &mut StdRng| expression(rng, labels, depth - 1, next);
    match rng.random_range(0..15) {
        0..3 => format!("({} + {})", inner(rng), inner(rng)),
        3..5 => format!("({} - {})", inner(rng), inner(rng)),
        5..7 => format!("({} * {})", inner(rng), inner(rng)),
        7 => format!("({} / (3.0 + cos({})))", inner(rng), inner(rng)),
        8 => format!("{}({})", ["sin", "tanh", "cos", "conj", "re", "abs"].choose(rng).unwrap(), inner(rng)),
        9 => format!("powi({}, {})", inner(rng), rng.random_range(0..4)),
        10 => format!("(-{})", inner(rng)),
        11 => {
            let compared = [inner(rng), inner(rng)].map(|side| format!("{}({side})", ["re", "abs"].choose(rng).unwrap()));
            let other = if rng.random_bool(0.5) { "0.0".to_string() } else { compared[1].clone() };
            let comparison = ["<", "<=", ">", ">=", "==", "!="].choose(rng).unwrap();
            let condition = format!("{} {comparison} {other}", compared[0]);
            let condition = match rng.random_range(0..4) {
                0 => format!("!({condition}) || im({}) > 0.1", inner(rng)),
                1 => format!("{condition} && re({}) < 0.4", inner(rng)),
                _ => condition,
            };
            let otherwise = if rng.random_bool(0.4) { "0.0".to_string() } else { inner(rng) };
            format!("select({condition}; {}, {otherwise})", inner(rng))
        }
        12 => format!("clip(re({}), -0.4, {})", inner(rng), ["0.3", "0.0"].choose(rng).unwrap()),
        _ => {
            let Some(label) = next.next() else { return operand(rng, labels) };
            let with: Vec<char> = labels.iter().copied().chain([label]).collect();
            let one = expression(rng, &with, depth - 1, next);
            let free = *labels.choose(rng).unwrap();
            let other = operand(rng, &[label, free]);
            match rng.random_range(0..6) {
                0..2 => format!("sum({label}; ({one} * {other}))"),
                2 => format!("mean({label}; ({one} * {other}))"),
                3 => format!("prod({label}; (0.9 * {one} + {other}))"),
                _ => format!("{}({label}; ({one} * {other}))", ["max", "min"].choose(rng).unwrap()),
            }
        }
    }
}

/// Whether the expression is computed, and whether its result has a symmetry.
fn compare<T: Element>(rng: &mut StdRng) -> (bool, bool) {
    // Some tiles have no indices.
    let cut = Tiling::cuts((0..rng.random_range(1..4)).map(|_| rng.random_range(0..4)).collect::<Vec<_>>());
    let other = Tiling::whole(cut.extent());
    let a = sparse(rng, &[&cut, &cut], 0.6);
    let rows = if rng.random_bool(0.7) { &cut } else { &other };
    let b = sparse(rng, &[rows, &cut], 0.7);
    let sign = *[Sign::Plus, Sign::Minus].choose(rng).unwrap();
    let group = Symmetry::none(2).generator(&[1, 0], sign, T::DTYPE.is_complex() && rng.random_bool(0.5)).unwrap();
    let s = sparse(rng, &[&cut, &cut], 0.7).with(group).unwrap();
    let [a, b, s] = [a, b, s].map(|structure| filled::<T>(rng, &structure));
    let dense =
        |shape: &[usize]| Tensor::<T>::from_fn(shape, |i| T::from_complex((0.3 * (1 + i.iter().sum::<usize>()) as f64).into()));
    let (d, m) = (dense(&[cut.extent()]).unwrap(), dense(&[cut.extent(), cut.extent()]).unwrap());
    let inner = expression(rng, &['i', 'j'], 3, &mut ('k'..='p'));
    // A factor with both labels keeps the group one: addends may lack labels there.
    let text = format!("[i, j] = 1.0[i, j] * ({inner} {} S[i, j])", ["+", "*", "-"].choose(rng).unwrap());
    let all: [(&str, &dyn RecordOperand<T>); 5] = [("A", &a), ("B", &b), ("S", &s), ("d", &d), ("M", &m)];
    let names: Vec<(&str, &dyn RecordOperand<T>)> =
        all.into_iter().filter(|(name, _)| text.contains(&format!("{name}["))).collect();
    let found = Context::cpu().eval_blocks(&text, &names);
    let expected = record::<T>(&text, &names).and_then(|recorded| recorded.eval());
    let defined = Context::reference().eval_blocks(&text, &names);
    match (found, expected) {
        (Ok(found), Ok(expected)) => {
            same(&found, &expected, &text);
            is_as_defined(&found, &defined.unwrap(), &text);
            (true, found.structure().symmetry().elements().len() > 1)
        }
        (Err(found), Err(expected)) => {
            // Where nothing is reduced, the dense equation tells that after its other faults.
            let [found, expected] = [found, expected].map(|error| error.to_string());
            assert!(expected == found || cut.extent() == 0 && expected.starts_with(&found), "{text}: {found}, not {expected}");
            (false, false)
        }
        (Ok(_), Err(expected)) => panic!("{text} is computed, but {expected}"),
        (Err(found), Ok(_)) => panic!("{text}: {found}"),
    }
}

#[test]
fn drawn_expressions_agree_with_dense_ones() {
    let mut rng = StdRng::seed_from_u64(2303);
    let (mut computed, mut symmetric) = (0, 0);
    for _ in 0..400 {
        for (is_computed, is_symmetric) in [compare::<f64>(&mut rng), compare::<Complex<f64>>(&mut rng)] {
            computed += usize::from(is_computed);
            symmetric += usize::from(is_symmetric);
        }
    }
    assert!(computed > 600 && symmetric > 4, "{computed} are computed, {symmetric} have a symmetry");
}

#[test]
fn conditions_on_missing_blocks_are_those_on_zeros() {
    let cut = Tiling::cuts([1, 1]);
    let a = Blocks::<f32>::filled(&Structure::new([&cut]).with_blocks([[1]]).unwrap(), 2.0).unwrap();
    let given: [(&str, &dyn RecordOperand<f32>); 1] = [("A", &a)];
    for (condition, expected, blocks) in [
        ("A[i] >= 1e-50", [7.0, 7.0], 2), // which is zero in single precision
        ("A[i] > 0.0", [0.0, 7.0], 1),
        ("abs(A[i]) <= 1.0 || A[i] > 1.5", [7.0, 7.0], 2),
        ("!(A[i] == 0.0) && A[i] < 3.0", [0.0, 7.0], 1),
        ("exp(A[i]) > 1.5", [0.0, 7.0], 2), // functions are not computed before
    ] {
        let text = format!("[i] = select({condition}; 7.0, 0.0)");
        let found = Context::cpu().eval_blocks(&text, &given).unwrap();
        is_as_defined(&found, &Context::reference().eval_blocks(&text, &given).unwrap(), &text);
        same(&found, &record::<f32>(&text, &given).unwrap().eval().unwrap(), &text);
        assert_eq!((found.to_dense().unwrap().as_slice(), found.blocks().len()), (&expected[..], blocks), "{text}");
    }
}

#[test]
fn constants_are_written_as_numbers_with_labels() {
    let mut rng = StdRng::seed_from_u64(2306);
    let cut = Tiling::cuts([2, 3]);
    let b = filled::<f64>(&mut rng, &Structure::new([&cut, &cut]).with_blocks([[0, 1], [1, 1]]).unwrap());
    let d = Blocks::diagonal(filled::<f64>(&mut rng, &Structure::new([&cut]))).unwrap();
    let all: [(&str, &dyn RecordOperand<f64>); 2] = [("B", &b), ("D", &d)];
    for (text, blocks) in [
        ("[i, j] = 2.0[i, j] * B[i, j]", 2),
        ("[i, j] = 2.0[i, j] + B[i, j]", 4),
        ("[i, j] = exp(2.0[i, j]) * D[i, j]", 2),
        ("[i, j] = sum(k; 2.0[i, k] * D[k, i]) * B[i, j]", 2),
        ("[i, k] = sum(j; B[i, j] * 3.0[j, k]) * B[i, k]", 2),
    ] {
        let names: Vec<(&str, &dyn RecordOperand<f64>)> =
            all.iter().filter(|(name, _)| text.contains(&format!("{name}["))).copied().collect();
        let found = Context::cpu().eval_blocks(text, &names).unwrap_or_else(|error| panic!("{text}: {error}"));
        is_as_defined(&found, &Context::reference().eval_blocks(text, &names).unwrap(), text);
        same(&found, &record::<f64>(text, &names).unwrap().eval().unwrap(), text);
        assert_eq!(found.blocks().len(), blocks, "{text}");
    }
}

#[test]
fn tiles_without_indices_take_no_part_in_reductions() {
    let cuts = [Tiling::cuts([2, 0]), Tiling::cuts([0, 1])];
    let a = Blocks::<f64>::from_fn(&Structure::new(&cuts), |i| -1.0 - i[0] as f64).unwrap();
    let given: [(&str, &dyn RecordOperand<f64>); 1] = [("A", &a)];
    for (text, expected) in [
        ("[] = max(i, j; A[i, j])", vec![-1.0]),
        ("[] = prod(i, j; A[i, j])", vec![2.0]),
        ("[i] = max(j; A[i, j])", vec![-1.0, -2.0]),
        ("[j] = min(i; A[i, j])", vec![-2.0]),
        ("[j] = argmax(i; A[i, j])", vec![0.0]),
    ] {
        let found = Context::cpu().eval_blocks(text, &given).unwrap();
        is_as_defined(&found, &Context::reference().eval_blocks(text, &given).unwrap(), text);
        assert_eq!(found.to_dense().unwrap().as_slice(), expected, "{text}");
    }
}

#[test]
fn addends_conserve_one_charge() {
    let spin = Tiling::cuts([1, 1]).charged([-1, 1]).unwrap();
    let charged = |signs: [i64; 2], total: i64| {
        Blocks::<f64>::filled(&Structure::new([&spin, &spin]).flow(signs, [total]).unwrap(), 1.0).unwrap()
    };
    let (z, raising, turned) = (charged([1, -1], 0), charged([1, -1], 2), charged([-1, 1], 0));
    let plain = raising.tiled(&[Tiling::cuts([1, 1]), Tiling::cuts([1, 1])]).unwrap();
    let eval = |text: &str| {
        let all: [(&str, &dyn RecordOperand<f64>); 4] = [("Z", &z), ("R", &raising), ("T", &turned), ("P", &plain)];
        let given: Vec<_> = all.into_iter().filter(|(name, _)| text.contains(&format!("{name}["))).collect();
        Context::cpu().eval_blocks::<f64>(text, &given)
    };
    for (text, expected) in [
        ("[i, j] = Z[i, j] + R[i, j]", "the addend of `Z` has total charge [0], but that of `R` total charge [2]"),
        (
            "[i, j] = exp(0.5) * Z[i, j] - tanh(R[i, j])",
            "the addend of `Z` has total charge [0], but that of `R` total charge [2]",
        ),
        (
            "[i, j] = R[i, j] + T[i, j]",
            "the addend of `R` has charges of signs [1, -1] and total [2], but that of `T` charges of signs [-1, 1] and total [0]",
        ),
    ] {
        let error = eval(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    // Also where other addends conserve none, in any order, and in a choice.
    for text in ["P[i, j] + Z[i, j] + R[i, j]", "Z[i, j] + tanh(P[i, j]) + R[i, j]", "select(R[i, j] > 0.0; Z[i, j], R[i, j])"] {
        assert!(eval(&format!("[i, j] = {text}")).is_err(), "{text}");
    }
    // Turned signs conserve the same.
    for text in ["Z[i, j] + T[j, i]", "Z[i, j] + T[i, j]", "Z[i, j] - tanh(Z[j, i])"] {
        let flow = eval(&format!("[i, j] = {text}")).unwrap().structure().charge_flow().cloned().unwrap();
        assert_eq!((flow.signs(), flow.total()), (&[1, -1][..], &[0][..]), "{text}");
    }
    assert!(eval("[i, j] = Z[i, j] + P[i, j]").unwrap().structure().charge_flow().is_none());
    // Parities have no signs.
    let parity = Tiling::cuts([1, 1]).charged(Charges::modulo([2], [[0], [1]]).unwrap()).unwrap();
    let of = |signs: [i64; 2]| Blocks::<f64>::filled(&Structure::new([&parity, &parity]).flow(signs, [1]).unwrap(), 1.0).unwrap();
    let (a, b) = (of([1, 1]), of([1, -1]));
    let given: [(&str, &dyn RecordOperand<f64>); 2] = [("A", &a), ("B", &b)];
    for text in ["[i, j] = A[i, j] - B[i, j]", "[i, j] = sqrt(A[i, j]) + B[j, i]"] {
        assert!(Context::cpu().eval_blocks::<f64>(text, &given).unwrap().structure().charge_flow().is_some(), "{text}");
    }
}

/// Labels of one extent share the values of their index, so that what they exchange is symmetric.
#[test]
fn values_of_indices_keep_symmetry() {
    let mut rng = StdRng::seed_from_u64(2360);
    let cut = Tiling::cuts([2, 3, 1]);
    let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1]).unwrap()).unwrap();
    let (s, v) = (filled::<f64>(&mut rng, &symmetric), filled::<f64>(&mut rng, &Structure::new([&Tiling::cuts([4])])));
    let names: [(&str, &dyn RecordOperand<f64>); 2] = [("S", &s), ("v", &v)];
    for (equation, order, axes) in [
        ("[i, j] = S[i, j] * (iota[i] + iota[j])", 2, 1),
        ("[i, j] = S[i, j] * iota[i]", 1, 1),
        ("[i, j] = iota[i] * iota[j] * S[i, j]", 2, 1),
        ("[i, j] = S[i, j] * exp(-0.1 * abs(iota[i] - iota[j]))", 2, 1),
        ("[i, j, k] = S[i, j] * v[k] * (iota[i] + iota[j] - iota[k])", 2, 2),
        ("[i, j] = select(iota[i] >= iota[j]; S[i, j], 0.0)", 1, 1),
    ] {
        let read: Vec<_> = names.into_iter().filter(|(name, _)| equation.contains(&format!("{name}["))).collect();
        let found = Context::cpu().eval_blocks::<f64>(equation, &read).unwrap();
        assert_eq!(found.structure().symmetry().order(), order, "{equation}");
        is_as_defined(&found, &Context::reference().eval_blocks(equation, &read).unwrap(), equation);
        same(&found, &crate::exec::record::<f64>(equation, &read).unwrap().eval().unwrap(), equation);
        let text = Context::cpu().prepare_blocks::<f64>(equation, &read).unwrap().explain();
        assert_eq!(text.matches("the values of an index").count(), axes, "{text}");
    }
}

/// A constant matrix is a number that is spread: a product with it is a sum, which is computed once.
#[test]
fn constant_matrices_are_numbers() {
    let mut rng = StdRng::seed_from_u64(2361);
    let cut = Tiling::cuts([20, 30]);
    let a = filled::<f64>(&mut rng, &Structure::new([&cut, &cut]));
    let names: [(&str, &dyn RecordOperand<f64>); 1] = [("A", &a)];
    for equation in ["[i, j] = A[i, j] + 2.5 * 1[i, j]", "[i, j] = A[i, j] - 2.5 * 1[i] * A[k, j]"] {
        let prepared = Context::cpu().prepare_blocks::<f64>(equation, &names).unwrap();
        let found: Blocks<f64> = prepared.run(&[&a]).unwrap();
        is_as_defined(&found, &Context::reference().eval_blocks(equation, &names).unwrap(), equation);
        same(&found, &record::<f64>(equation, &names).unwrap().eval().unwrap(), equation);
        // A product of two matrices would take 125 000.
        assert!(prepared.multiplications() <= 3 * 2500, "{equation}: {}", prepared.explain());
    }
}
