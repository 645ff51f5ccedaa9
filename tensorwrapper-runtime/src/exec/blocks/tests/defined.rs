//! Drawn equations over structures of every kind: what the processor computes is what the reference device defines.
//!
//! A few hundred are drawn; `TENSORWRAPPER_DRAWN=200000` asks for more.

use std::collections::BTreeMap;

use rand::seq::{IndexedRandom, SliceRandom};

use super::*;
use crate::exec::{RecordOperand, record};
use crate::tensor::{drawn_structure, rounds};

/// How many equations are drawn by default.
const EQUATIONS: u64 = 600;
/// Points of an equation at most, which the reference device visits one by one.
const POINTS: usize = 20_000;

/// What operands are called, in their order.
const NAMES: [&str; 4] = ["A", "B", "C", "D"];

/// Operands, each with the labels of its axes. A label often runs with several axes that have the same cuts.
struct Drawn<T: Element> {
    operands: Vec<(Blocks<T>, Vec<char>)>,
    /// Those that are given as dense tensors.
    dense: Vec<Option<Tensor<T>>>,
    extents: BTreeMap<char, usize>,
}

impl<T: Element> Drawn<T> {
    fn new(rng: &mut StdRng) -> Drawn<T> {
        let mut known: Vec<(Tiling, char)> = Vec::new();
        let mut operands: Vec<(Blocks<T>, Vec<char>)> = Vec::new();
        for _ in 0..rng.random_range(1..5) {
            let again = operands.choose(rng).filter(|_| rng.random_bool(0.4)).map(|(tensor, _)| tensor.clone());
            let tensor = again.unwrap_or_else(|| {
                let structure = drawn_structure(rng, T::DTYPE.is_complex());
                filled(rng, &structure)
            });
            let mut labels = Vec::new();
            for tiling in tensor.structure().tilings() {
                let fits = |(other, _): &&(Tiling, char)| other.extent() == tiling.extent();
                let alike: Vec<char> = known.iter().filter(fits).map(|(_, label)| *label).collect();
                let label = match alike.choose(rng).filter(|_| rng.random_bool(0.7)) {
                    Some(&label) => label,
                    None => (b'a' + known.len() as u8) as char,
                };
                known.push((tiling.clone(), label));
                labels.push(label);
            }
            operands.push((tensor, labels));
        }
        let extents = known.iter().map(|(tiling, label)| (*label, tiling.extent())).collect();
        let mut dense = |tensor: &Blocks<T>| rng.random_bool(0.2).then(|| tensor.to_dense().unwrap());
        let dense = operands.iter().map(|(tensor, _)| dense(tensor)).collect();
        Drawn { operands, dense, extents }
    }

    /// The operands by their names, to be read in text.
    fn named(&self) -> Vec<(&'static str, &dyn RecordOperand<T>)> {
        let given = |n: usize| self.dense[n].as_ref().map_or(&self.operands[n].0 as &dyn RecordOperand<T>, |dense| dense as _);
        (0..self.operands.len()).map(|n| (NAMES[n], given(n))).collect()
    }

    /// The same, to be run with.
    fn given(&self) -> Vec<&dyn DynOperand<T>> {
        let given = |n: usize| self.dense[n].as_ref().map_or(&self.operands[n].0 as &dyn DynOperand<T>, |dense| dense as _);
        (0..self.operands.len()).map(given).collect()
    }

    /// An equation over these operands.
    fn equation(&self, rng: &mut StdRng) -> String {
        let joined = |labels: &[char]| labels.iter().map(char::to_string).collect::<Vec<_>>().join(", ");
        let conjugates: Vec<bool> = self.operands.iter().map(|_| rng.random_bool(0.2)).collect();
        let factor = |n: usize, label: &dyn Fn(char) -> char| {
            let labels: Vec<char> = self.operands[n].1.iter().map(|&own| label(own)).collect();
            let read = format!("{}[{}]", NAMES[n], joined(&labels));
            if conjugates[n] { format!("conj({read})") } else { read }
        };
        let product_of =
            |label: &dyn Fn(char) -> char| (0..self.operands.len()).map(|n| factor(n, label)).collect::<Vec<_>>().join(" * ");
        let (first, last) = (factor(0, &|label| label), factor(self.operands.len() - 1, &|label| label));
        let product = product_of(&|label| label);
        let mut all: Vec<char> = self.extents.keys().copied().collect();
        all.shuffle(rng);
        match rng.random_range(0..9) {
            // A sum over what is not on the left.
            0..3 => {
                all.truncate(rng.random_range(0..4));
                format!("[{}] = {} * {product}", joined(&all), ["1.0", "-0.5", "2.0"].choose(rng).unwrap())
            }
            // The same product, and another one with its axes exchanged where they may be.
            3 => {
                all.truncate(rng.random_range(1..3));
                let exchange =
                    |label: char| all.iter().rev().zip(&all).find(|(_, own)| **own == label).map_or(label, |(other, _)| *other);
                let sign = ["+", "-"].choose(rng).unwrap();
                format!("[{}] = {product} {sign} {}", joined(&all), product_of(&exchange))
            }
            // Element by element.
            4 => format!("[{}] = sin({product}) / (3.0 + cos({first}))", joined(&all)),
            // Over what is not on the left there is a product, or a mean.
            5 => {
                let bound = all.split_off(rng.random_range(0..all.len().min(3) + 1));
                // The mean over nothing is no number where there are blocks alone.
                let is_empty = bound.iter().any(|label| self.extents[label] == 0);
                let reduction = *["prod", if is_empty { "sum" } else { "mean" }].choose(rng).unwrap();
                match bound.is_empty() {
                    true => format!("[{}] = {product}", joined(&all)),
                    false => format!("[{}] = {reduction}({}; {product})", joined(&all), joined(&bound)),
                }
            }
            // What a result is said to be, and is.
            6 if all.len() > 1 => {
                all.truncate(rng.random_range(2..5));
                let (kind, two) = (["sym", "asym"].choose(rng).unwrap(), joined(&all[..2]));
                let assume = ["", "assume "].choose(rng).unwrap();
                format!("[{}] = {kind}({two}; {product}) where {assume}{kind}({two})", joined(&all))
            }
            // Products that begin with a sum.
            7 => {
                all.truncate(rng.random_range(0..3));
                format!("[{}] = ({product} - 0.5 * {last}) * {first}", joined(&all))
            }
            _ => format!("[{}] = select(re({first}) < 0.1; {product}, 0.5 * {last})", joined(&all)),
        }
    }
}

/// The extents of the labels of a left side.
fn extents_of<'e>(text: &'e str, extents: &'e BTreeMap<char, usize>) -> impl Iterator<Item = usize> + 'e {
    let left = text.split(']').next().unwrap_or_default();
    left.chars().filter_map(|label| extents.get(&label)).copied()
}

/// Whether the equation is computed, and of how many blocks the norm is bounded, and of how many it is not.
fn compare<T: Element>(rng: &mut StdRng, bounded: &mut [usize; 2]) -> Option<bool> {
    let drawn = Drawn::<T>::new(rng);
    if drawn.extents.values().map(|&extent| extent.max(1)).product::<usize>() > POINTS {
        return None;
    }
    let text = drawn.equation(rng);
    let names = drawn.named();
    let structures: Vec<_> = drawn.operands.iter().map(|(tensor, _)| tensor.structure()).collect();
    let dense: Vec<&str> = (0..structures.len()).filter(|&n| drawn.dense[n].is_some()).map(|n| NAMES[n]).collect();
    let what = format!("{text} over {structures:?}, dense: {dense:?}");
    match (Context::cpu().eval_blocks(&text, &names), Context::reference().eval_blocks(&text, &names)) {
        (Ok(found), Ok(defined)) => {
            is_as_defined(&found, &defined, &what);
            // A dense tensor has zeros behind the end of a row. What is spread along rows has elements there, too, which a tensor with
            // ragged rows has not.
            let is_ragged = |of: &&Structure| (0..of.rank()).any(|axis| of.has_unequal_rows(axis).unwrap());
            let is_spread = (text.contains("select") || text.contains("- 0.5 *")) && structures.iter().any(is_ragged);
            if !is_spread && found.structure().tilings().iter().map(Tiling::extent).eq(extents_of(&text, &drawn.extents)) {
                let (equation, _) = text.split_once(" where ").unwrap_or((&text, ""));
                same(&found, &record::<T>(equation, &names).unwrap().eval().unwrap(), &what);
            }
            let operands = drawn.given();
            for (block, bound) in Context::cpu().prepare_blocks(&text, &names).unwrap().norm_bounds(&operands).unwrap() {
                let norm = found.norm(&block).unwrap();
                bounded[usize::from(bound.is_infinite())] += 1;
                assert!(
                    norm <= bound * (1.0 + 1e-12) + 1e-13,
                    "{what}: block {block:?} has norm {norm}, which is more than {bound}"
                );
            }
            Some(true)
        }
        (Err(found), Err(defined)) => {
            assert_eq!(found.to_string(), defined.to_string(), "{what}");
            Some(false)
        }
        (Ok(_), Err(error)) => panic!("{what} is computed, but not defined: {error}"),
        (Err(error), Ok(_)) => panic!("{what} is defined, but not computed: {error}"),
    }
}

#[test]
fn drawn_equations_are_as_defined() {
    let (mut computed, mut refused, mut bounded) = (0, 0, [0, 0]);
    for seed in 0..rounds(EQUATIONS) {
        let mut rng = StdRng::seed_from_u64(2390 + seed);
        let is_computed =
            if seed % 3 == 0 { compare::<Complex<f64>>(&mut rng, &mut bounded) } else { compare::<f64>(&mut rng, &mut bounded) };
        computed += usize::from(is_computed == Some(true));
        refused += usize::from(is_computed == Some(false));
    }
    println!("{computed} equations computed, {refused} refused; norms known and not known: {bounded:?}");
    assert!(computed > refused && bounded[0] > bounded[1], "{computed}, {refused}, {bounded:?}");
}

/// What norms say of parts, reductions, choices and functions, and where nothing is known.
#[test]
fn norms_are_bounded_before_a_run() {
    let cut = Tiling::cuts([2, 0, 3]);
    let mut rng = StdRng::seed_from_u64(2391);
    let a = filled::<f64>(&mut rng, &Structure::new([&cut, &cut]).with_blocks([[0, 0], [2, 0], [2, 2]]).unwrap());
    let d = Blocks::diagonal(filled::<f64>(&mut rng, &Structure::new([&cut]))).unwrap();
    let tiny = Blocks::<f64>::filled(a.structure(), 1e-100).unwrap();
    for equation in [
        "[j] = D[0, j]",
        "[i, k] = D[i, j] * A[j, k]",
        "[i] = A[i, j in 1..4]",
        "[] = sum(i; D[i, i])",
        "[i] = max(j; A[i, j])",
        "[i] = min(j; A[i, j]) - 2.0 * iota[i]",
        "[i, j] = powi(A[i, j], 3) + exp(A[i, j])",
        "[i, j] = select(A[i, j] > 0.2; tanh(A[i, j]), -3.0 * D[i, j]) / 7.0",
        "[i, k] = T[i, j] * T[j, k]",
        "[i, j, k] = 1[k] * T[i, j] - 1[j] * A[i, k]",
    ] {
        let all: [(&str, &Blocks<f64>); 3] = [("A", &a), ("D", &d), ("T", &tiny)];
        let read: Vec<(&str, &Blocks<f64>)> =
            all.into_iter().filter(|(name, _)| equation.contains(&format!("{name}["))).collect();
        let names: Vec<(&str, &dyn RecordOperand<f64>)> = read.iter().map(|(name, tensor)| (*name, *tensor as _)).collect();
        let operands: Vec<&dyn DynOperand<f64>> = read.iter().map(|(_, tensor)| *tensor as _).collect();
        let prepared = Context::cpu().prepare_blocks(equation, &names).unwrap();
        let result = prepared.run(&operands).unwrap();
        let bounds = prepared.norm_bounds(&operands).unwrap();
        assert_eq!(bounds.iter().map(|(block, _)| block.clone()).collect::<Vec<_>>(), result.blocks(), "{equation}");
        for (block, bound) in bounds {
            let norm = result.norm(&block).unwrap();
            assert!(bound.is_finite() && norm <= bound * (1.0 + 1e-12), "{equation}: {norm} in {block:?}, at most {bound}");
        }
        let text = prepared.explain_norms(&operands).unwrap();
        assert!(text.starts_with(&prepared.explain()) && text.contains("\nnorms: "), "{text}");
    }
    // Numbers that are none, and what nothing is known of.
    let nan = Blocks::<f64>::filled(a.structure(), f64::NAN).unwrap();
    for equation in ["[i, j] = sin(A[i, j])", "[i, k] = A[i, j] * A[j, k]", "[i, j] = 2.0 * A[i, j]"] {
        let prepared = Context::cpu().prepare_blocks::<f64>(equation, &[("A", &nan)]).unwrap();
        assert!(prepared.norm_bounds::<f64>(&[&nan]).unwrap().iter().all(|(_, bound)| bound.is_infinite()), "{equation}");
        assert!(
            prepared.explain_norms::<f64>(&[&nan]).unwrap().ends_with("norms: nothing is known of some blocks\n"),
            "{equation}"
        );
    }
}

/// What single precision does not hold is not known.
#[test]
fn large_numbers_in_single_precision_are_not_bounded() {
    let structure = Structure::new([&Tiling::cuts([2, 3])]);
    let a = Blocks::<f32>::filled(&structure, 1e30).unwrap();
    for equation in ["[i] = A[i] * A[i]", "[i] = exp(A[i])", "[i] = A[i] * A[i] / 1e35", "[i] = A[i] / 1e-46"] {
        let prepared = Context::cpu().prepare_blocks::<f32>(equation, &[("A", &a)]).unwrap();
        assert!(prepared.norm_bounds::<f32>(&[&a]).unwrap().iter().all(|(_, bound)| bound.is_infinite()), "{equation}");
    }
    let half = Context::cpu().prepare_blocks::<f32>("[i] = A[i] / 2.0", &[("A", &a)]).unwrap();
    assert!(half.norm_bounds::<f32>(&[&a]).unwrap().iter().all(|(_, bound)| *bound < 1e30));
}

/// A block that is there alone, quotients and functions are compared, too.
#[test]
fn what_is_assumed_is_compared_where_it_is_not_stored() {
    let cut = Tiling::cuts([2, 3]);
    let mut rng = StdRng::seed_from_u64(2393);
    let full = filled::<f64>(&mut rng, &Structure::new([&cut, &cut]));
    for blocks in [[[0, 1]], [[1, 0]]] {
        let a = filled::<f64>(&mut rng, &Structure::new([&cut, &cut]).with_blocks(blocks).unwrap());
        for equation in
            ["[i, j] = A[i, j] where assume sym(i, j)", "[i, j] = A[i, j] / (2.0 + cos(F[i, j])) where assume asym(i, j)"]
        {
            let all: [(&str, &dyn RecordOperand<f64>); 2] = [("A", &a), ("F", &full)];
            let names: Vec<_> = all.into_iter().filter(|(name, _)| equation.contains(&format!("{name}["))).collect();
            let found = Context::cpu().eval_blocks::<f64>(equation, &names);
            assert_eq!(found.is_err(), cfg!(debug_assertions), "{equation}, {blocks:?}");
        }
    }
    let wrong = Context::cpu().eval_blocks::<f64>("[i, j] = exp(-40.0 * F[i, j]) where assume sym(i, j)", &[("F", &full)]);
    assert_eq!(wrong.is_err(), cfg!(debug_assertions));
}

/// What is assumed is compared by the size of terms, which may cancel.
#[test]
fn rounding_is_no_asymmetry() {
    let cut = Tiling::cuts([2, 3]);
    let mut rng = StdRng::seed_from_u64(2392);
    let a = filled::<Complex<f64>>(&mut rng, &Structure::new([&cut, &cut]));
    let eval = |equation: &str| Context::cpu().eval_blocks::<Complex<f64>>(equation, &[("A", &a)]);
    let residual = "[i, j] = 0.1 * A[i, j] + 0.2 * A[i, j] - 0.3 * A[i, k] * D[k, j] where assume herm(i, j)";
    let one = Blocks::<Complex<f64>>::diagonal(Blocks::filled(&Structure::new([&cut]), Complex::ONE).unwrap()).unwrap();
    let noise = Context::cpu().eval_blocks::<Complex<f64>>(residual, &[("A", &a), ("D", &one)]).unwrap();
    assert!(noise.frobenius_norm() < 1e-14);
    eval("[i, j] = A[i, j] + conj(A[j, i]) where assume herm(i, j)").unwrap();
    let wrong = eval("[i, j] = 2.0 * A[i, j] where assume herm(i, j)");
    if cfg!(debug_assertions) {
        let told = wrong.unwrap_err().to_string();
        assert!(told.starts_with("the left side is believed to be Hermitian in `i`, `j`, but element ["), "{told}");
    } else {
        assert_eq!(wrong.unwrap().blocks().len(), 3);
    }
}
