//! Blocks of equations that become cheaper than what was written: the same numbers by every choice of passes, and from prepared blocks.

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use tensorwrapper::prelude::*;
use tensorwrapper::{Indexed, Pass};

type Result<T = (), E = Error> = std::result::Result<T, E>;

/// Labels of extent 2, and of extent 3.
const LABELS: [&str; 2] = ["ijk", "abc"];

/// A tensor of a block: its elements or its recording, and which axes are of extent 3.
enum Known<'t, T: Element> {
    Given(&'t Tensor<T>, Vec<usize>),
    Result(&'t Expr<'t, T>, Vec<usize>),
}

impl<'t, T: Element> Known<'t, T> {
    fn axes(&self) -> &[usize] {
        match self {
            Known::Given(_, axes) | Known::Result(_, axes) => axes,
        }
    }

    fn at(&self, labels: &str) -> Indexed<'t, T> {
        match self {
            Known::Given(tensor, _) => tensor.at(labels),
            Known::Result(expr, _) => expr.at(labels),
        }
    }
}

fn sources<T: Element>(rng: &mut StdRng) -> Vec<(Tensor<T>, Vec<usize>)> {
    let axes = [vec![0, 1], vec![0, 0, 1, 1], vec![1, 1], vec![0, 0], vec![0, 0, 0, 1], vec![1]];
    let tensor = |axes: Vec<usize>| {
        let extents: Vec<usize> = axes.iter().map(|axis| axis + 2).collect();
        let mut element =
            |_: &[usize]| T::from_complex(num_complex::Complex::new(rng.random_range(-1.0..1.0), rng.random_range(-1.0..1.0)));
        let len = extents.iter().product();
        let elements: Vec<T> = (0..len).map(|_| element(&[])).collect();
        (Tensor::from_vec(extents, elements).expect("small tensors"), axes)
    };
    axes.into_iter().map(tensor).collect()
}

/// A few equations, each a sum of products of what is there and of earlier results; some terms differ in one factor alone.
fn block<'t, T: Element>(rng: &mut StdRng, sources: &'t [(Tensor<T>, Vec<usize>)]) -> Result<Vec<Expr<'t, T>>> {
    let mut known: Vec<Known<'t, T>> = sources.iter().map(|(tensor, axes)| Known::Given(tensor, axes.clone())).collect();
    let mut results = Vec::new();
    for _ in 0..rng.random_range(1..4) {
        let mut terms: Vec<Vec<(usize, String)>> = Vec::new();
        for _ in 0..rng.random_range(1..6) {
            let factor = |rng: &mut StdRng| {
                let n = rng.random_range(0..known.len());
                let label = |&axis: &usize| *LABELS[axis].as_bytes().choose(rng).expect("there are labels") as char;
                (n, known[n].axes().iter().map(label).collect::<String>())
            };
            let mut term: Vec<_> = (0..rng.random_range(1..4)).map(|_| factor(rng)).collect();
            if let Some(other) = terms.choose(rng)
                && rng.random_bool(0.4)
            {
                let first = term.swap_remove(0);
                term = other.clone();
                term[0] = first;
            }
            terms.push(term);
        }
        // Labels that every term has.
        let has = |term: &[(usize, String)], label: char| term.iter().any(|(_, labels)| labels.contains(label));
        let in_all = "ijkabc".chars().filter(|&label| terms.iter().all(|term| has(term, label)));
        let mut left: Vec<char> = in_all.filter(|_| rng.random_bool(0.7)).collect();
        left.truncate(4);
        if rng.random_bool(0.5) {
            left.reverse();
        }
        let left: String = left.into_iter().collect();
        let mut sum: Option<Indexed<'_, T>> = None;
        for term in &terms {
            let mut product: Option<Indexed<'_, T>> = None;
            for (place, (n, labels)) in term.iter().enumerate() {
                let factor = known[*n].at(labels);
                let factor = if rng.random_bool(0.1) { factor.conj() } else { factor };
                // A function of what is given alone, whose elements are small, and of labels that show where they are summed.
                let elsewhere = |label: char| left.contains(label) || term[1..].iter().any(|(_, labels)| labels.contains(label));
                let is_function = place == 0 && *n < sources.len() && labels.chars().all(elsewhere) && rng.random_bool(0.3);
                let factor = if is_function { factor.exp() } else { factor };
                product = Some(match product {
                    None => factor,
                    Some(product) => product * factor,
                });
            }
            let product = product.expect("a term has a factor")
                * T::from_complex([1.0, 2.0, -0.5].choose(rng).copied().unwrap_or(1.0).into());
            sum = Some(match sum {
                None => product,
                Some(sum) => sum + product,
            });
        }
        let expr = sum.expect("an equation has a term").record(&left)?;
        let axes = left.chars().map(|label| usize::from(LABELS[1].contains(label))).collect();
        results.push(expr.clone());
        // What is indexed is borrowed as long as what is made of it; a test may leave it behind.
        known.push(Known::Result(Box::leak(Box::new(expr)), axes));
    }
    Ok(results)
}

fn assert_close<T: Element>(found: &[Tensor<T>], expected: &[Tensor<T>], what: &str) {
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.extents(), expected.extents(), "{what}");
        let scale = expected.as_slice().iter().map(|x| x.to_complex().norm()).fold(1.0, f64::max);
        for (x, y) in found.as_slice().iter().zip(expected.as_slice()) {
            assert!((x.to_complex() - y.to_complex()).norm() <= 1e-11 * scale, "{what}: {x:?} is not {y:?}");
        }
    }
}

/// The passes that do something where memory is not limited; the last one is one of prepared blocks.
const PASSES: [Pass; 8] =
    [Pass::Constants, Pass::Cse, Pass::Factorise, Pass::Fuse, Pass::ChainAccumulate, Pass::Finish, Pass::Dce, Pass::Hoist];

/// The context with those passes alone that a set names.
fn with(context: Context, set: u32) -> Context {
    let left_out = PASSES.into_iter().enumerate().filter(|(n, _)| set >> n & 1 == 0);
    left_out.fold(context, |context, (_, pass)| context.without(pass))
}

fn by_every_set<T: Element>(cases: u64) -> Result {
    for case in 0..cases {
        let mut rng = StdRng::seed_from_u64(case);
        let sources = sources::<T>(&mut rng);
        let results = block(&mut rng, &sources)?;
        let expected = with(Context::reference(), 0).eval_all(&results[..])?;
        for set in 0..1 << (PASSES.len() - 1) {
            let found = with(Context::cpu().threads(1), set).eval_all(&results[..])?;
            assert_close(&found, &expected, &format!("case {case}, passes {set:07b}"));
        }
        let found = Context::reference().eval_all(&results[..])?;
        assert_close(&found, &expected, &format!("case {case}, reference"));
    }
    Ok(())
}

#[test]
fn every_set_of_passes_computes_the_same() -> Result {
    by_every_set::<f64>(40)?;
    by_every_set::<num_complex::Complex<f64>>(20)
}

#[test]
fn blocks_take_fewer_operations_than_what_was_written() -> Result {
    let mut logarithms = 0.0;
    for case in 0..400 {
        let mut rng = StdRng::seed_from_u64(case);
        let sources = sources::<f64>(&mut rng);
        let results = block(&mut rng, &sources)?;
        let written = with(Context::cpu(), 0).explain(&results[..])?.operations();
        let made = Context::cpu().explain(&results[..])?.operations();
        // Where everything is tiny, an intermediate that is not stored may be worth some operations.
        assert!(made <= 1.3 * written, "case {case}: {made} operations in the place of {written}");
        logarithms += (made / written).ln();
    }
    let mean = (logarithms / 400.0).exp();
    assert!(mean < 0.9, "{mean} of the operations on the whole");
    Ok(())
}

#[test]
fn prepared_blocks_compute_the_same_from_tensors_that_change() -> Result {
    let mut prepared = 0;
    for case in 0..60 {
        let mut rng = StdRng::seed_from_u64(1000 + case);
        let sources = sources::<f64>(&mut rng);
        let results = block(&mut rng, &sources)?;
        let context = Context::cpu().threads(1);
        let step = match context.prepare_all(&results[..], &[&sources[0].0]) {
            Ok(step) => step,
            Err(error) => {
                assert!(error.to_string().contains("is none of those that the results were recorded over"), "{error}");
                continue;
            }
        };
        prepared += 1;
        let expected = Context::reference().eval_all(&results[..])?;
        assert_close(&step.run(&[&sources[0].0])?, &expected, "the same tensors");
        // Every set of passes for the first of them.
        for set in (0..1 << PASSES.len()).filter(|_| prepared <= 8) {
            let some = with(context.clone(), set).prepare_all(&results[..], &[&sources[0].0])?;
            assert_close(&some.run(&[&sources[0].0])?, &expected, &format!("case {case}, passes {set:08b}"));
        }
        let nothing_kept = context.without(Pass::Hoist).prepare_all(&results[..], &[&sources[0].0])?;
        assert_eq!(nothing_kept.kept_bytes(), 0);
        assert_close(&nothing_kept.run(&[&sources[0].0])?, &expected, "nothing kept");
        // Others in the place of the first: what was recorded over them by the same chance computes the same.
        let mut others: Vec<_> = sources.iter().map(|(tensor, axes)| (tensor.clone(), axes.clone())).collect();
        let doubled = others[0].0.as_slice().iter().map(|x| 2.0 * x + 1.0).collect();
        others[0].0 = Tensor::from_vec(sources[0].0.extents(), doubled)?;
        let mut rng = StdRng::seed_from_u64(1000 + case);
        let _ = self::sources::<f64>(&mut rng);
        let expected = Context::reference().eval_all(&block(&mut rng, &others)?[..])?;
        assert_close(&step.run(&[&others[0].0])?, &expected, &format!("case {case}"));
    }
    assert!(prepared > 20, "{prepared} blocks read the tensor that changes");
    Ok(())
}

#[test]
fn unchanging_parts_are_computed_once() -> Result {
    let a = Tensor::<f64>::filled([4, 4], 0.5)?;
    let x = Tensor::<f64>::filled([4], 1.0)?;
    let next = (a.at("ij") * a.at("jk") * x.at("k")).record("i")?;
    let step = Context::cpu().prepare_all((&next,), &[&x])?;
    assert_eq!((step.once().operations().len(), step.each().operations().len(), step.kept_bytes()), (1, 1, 128));
    assert_eq!(step.operations(), 16.0);
    assert_eq!(step.run(&[&x])?.0.as_slice(), [4.0; 4]);
    // In two equations it is the same: the product of what stays is worth its operations.
    let t = (a.at("ij") * x.at("j")).record("i")?;
    let next = (a.at("ki") * t.at("i")).record("k")?;
    let step = Context::cpu().prepare_all((&next,), &[&x])?;
    assert_eq!((step.operations(), step.kept_bytes()), (16.0, 128));
    Ok(())
}

#[test]
fn passes_find_equal_products_and_constants() -> Result {
    let a = Tensor::<num_complex::Complex<f64>>::filled([3, 4], num_complex::Complex::new(0.5, 1.0))?;
    let b = Tensor::<num_complex::Complex<f64>>::filled([4, 5], num_complex::Complex::new(2.0, -1.0))?;
    let steps = |explained: tensorwrapper::Explanation| -> Vec<String> {
        explained.steps().iter().map(|step| step.class.name().to_string()).collect()
    };
    // The same product transposed, conjugated and times a number.
    let r = (a.at("ik") * b.at("kj")).record("ij")?;
    let two = num_complex::Complex::new(2.0, 0.0);
    let s = (b.at("kj").conj() * a.at("ik").conj() * two).record("ji")?;
    let found = steps(Context::cpu().explain((&r, &s))?);
    assert_eq!(found.iter().filter(|class| *class == "matmul").count(), 1, "{found:?}");
    // A transpose is a way of reading.
    let t = a.at("ij").record("ji")?;
    let u = (t.at("ki") * b.at("kj")).record("ij")?;
    assert_eq!(steps(Context::cpu().explain((&u,))?), ["matmul"]);
    // Numbers are computed once.
    let graph = Graph::new();
    let scaled = tensor! {
        in &graph;
        let scaled[i, j] = 2.0 * 3.0 * a[i, j];
        scaled
    };
    assert_eq!(Context::cpu().explain((&scaled,))?.steps()[0].equation, "r[i,j] = 6 * x0[i,j]");
    // What nobody reads is nowhere, nor is a denominator.
    let unread = (a.at("ij") * b.at("jk")).record("ik")?;
    let e = Tensor::<num_complex::Complex<f64>>::filled([4], two)?;
    let over = (a.at("ij") * a.at("il") / (e.at("j") + e.at("l"))).record("ijl")?;
    let explained = Context::cpu().explain((&over,))?;
    assert_eq!((explained.steps().len(), explained.peak_bytes()), (1, 3 * 4 * 4 * 16));
    drop(unread);
    Ok(())
}

#[test]
fn functions_of_unchanging_tensors_are_computed_once() -> Result {
    let mut rng = StdRng::seed_from_u64(7);
    let mut random = |extents: &[usize]| {
        let elements = (0..extents.iter().product()).map(|_| rng.random_range(0.5..1.5)).collect();
        Tensor::<f64>::from_vec(extents, elements)
    };
    let (a, e, x) = (random(&[5, 5])?, random(&[5])?, random(&[5])?);
    // exp(a) is kept and the sum is a product with it; the denominator has more labels than any tensor, and is not kept.
    let next = (a.at("ij").exp() * x.at("j")).record("i")?;
    let other = (x.at("i") * x.at("j") / (e.at("i") + e.at("j"))).record("ij")?;
    let step = Context::cpu().prepare_all((&next, &other), &[&x])?;
    assert_eq!(step.kept_bytes(), 25 * 8);
    let explained = step.explain();
    assert_eq!(explained.once.steps()[0].equation, "k0[i,j] = exp(x0[i,j])");
    assert_eq!(explained.each.steps()[0].equation, "r0[i] = k0[i,j] * x1[j]");
    let y = random(&[5])?;
    let expected: (Tensor<f64>, Tensor<f64>) = (
        Context::reference().eval(&(a.at("ij").exp() * y.at("j")).record("i")?)?,
        Context::reference().eval(&(y.at("i") * y.at("j") / (e.at("i") + e.at("j"))).record("ij")?)?,
    );
    let found = step.run(&[&y])?;
    assert_close(&[found.0], &[expected.0], "sum");
    assert_close(&[found.1], &[expected.1], "quotient");
    Ok(())
}

#[test]
fn tensors_that_cannot_change_are_refused() -> Result {
    let a = Tensor::<f64>::filled([4, 4], 0.5)?;
    let x = Tensor::<f64>::filled([4], 1.0)?;
    let other = Tensor::<f64>::filled([4], 1.0)?;
    let next = (a.at("ij") * x.at("j")).record("i")?;
    let prepare = |changing: &[&dyn tensorwrapper::AnyOperand]| {
        Context::cpu().prepare_all((&next,), changing).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(prepare(&[&other]), "tensor 0 of those that change is none of those that the results were recorded over");
    assert_eq!(prepare(&[&x, &x]), "tensor 1 of those that change is there twice");
    assert!(prepare(&[&next]).starts_with("tensor 0 of those that change is a recorded result, which has no memory"));
    let step = Context::cpu().prepare_all((&next,), &[&x])?;
    let run = |changing: &[&dyn tensorwrapper::AnyOperand]| step.run(changing).unwrap_err().to_string();
    assert_eq!(run(&[]), "the block was prepared for 1 changing tensor, but runs with 0");
    assert_eq!(run(&[&a]), "tensor 0 that changes has extents [4, 4], but the block was prepared for extents [4]");
    let single = Tensor::<f32>::filled([4], 1.0)?;
    assert_eq!(run(&[&single]), "tensor 0 that changes is of f32, but the block was prepared for f64");
    Ok(())
}

/// Two tensors of one shape without elements lie in the same place.
#[test]
fn tensors_without_elements_may_change() -> Result {
    let [x, y] = [Tensor::<f64>::zeros([2, 0])?, Tensor::zeros([2, 0])?];
    let next = (x.at("ij") * y.at("ij") + y.at("ij")).record("ij")?;
    let step = Context::cpu().prepare_all((&next,), &[&x, &y])?;
    assert_eq!(step.run(&[&y, &x])?.0.extents(), [2, 0]);
    Ok(())
}
