//! Any text to the doors of the run time: an error or a value, never a panic, a hang, or the end of the stack.
//!
//! Ten thousand texts a door; `tests/fuzz/run.sh` reads a million.

#[path = "../fuzz/soup.rs"]
mod soup;

use soup::{Soup, run};
use tensorwrapper::{DynOperand, ErrorKind, Indexed, Layout, Layouts, Logical, RecordOperand, Tensor, contract, einsum, record};

/// Results of more elements are recorded, but not computed.
const MOST_ELEMENTS: usize = 1 << 12;

/// A tensor of that rank, of small extents.
fn tensor(soup: &mut Soup, rank: usize, extents: usize) -> Tensor<f64> {
    let shape: Vec<usize> = (0..rank.min(8)).map(|_| 1 + soup.below(extents)).collect();
    Tensor::from_fn(shape, |index| index.iter().sum::<usize>() as f64 - 0.5).expect("memory for a small tensor")
}

fn is_small(extents: &[usize]) -> bool {
    extents.iter().try_fold(1usize, |all, &extent| all.checked_mul(extent)).is_some_and(|all| all <= MOST_ELEMENTS)
}

#[test]
fn subscripts() {
    run("einsum", |soup| {
        let text = soup.subscripts();
        let letters = |text: &str| text.chars().filter(|c| c.is_alphabetic()).count();
        // Long outputs are large ones, unless there is one of everything.
        let most = if letters(&text) > 12 { 1 } else { 2 };
        let inputs = text.split("->").next().unwrap_or_default();
        let mut tensors: Vec<Tensor<f64>> = Vec::new();
        for part in inputs.split(',').take(12) {
            let more = if part.contains("...") { 1 } else { 0 } + usize::from(soup.below(16) == 0);
            tensors.push(tensor(soup, letters(part) + more, most));
        }
        let operands: Vec<&dyn DynOperand<f64>> = tensors.iter().map(|tensor| tensor as &dyn DynOperand<f64>).collect();
        einsum(&text, &operands).is_ok()
    });
}

#[test]
fn labels_of_operators() {
    run("at", |soup| {
        let (first, second) = (soup.indices(), soup.indices());
        let second = if soup.below(2) == 0 { first.clone() } else { second };
        // Most often as many axes as there are indices.
        let axes = |text: &str| match text.split(',').filter(|part| !part.trim().is_empty()).count() {
            0 | 1 if !text.contains([',', '.']) => text.trim().chars().count(),
            parts => parts,
        };
        let (more, less) = (usize::from(soup.below(16) == 0), usize::from(soup.below(16) == 0));
        let rank = |text: &str| (axes(text) + more).saturating_sub(less);
        let (a, b) = (tensor(soup, rank(&first), 2), tensor(soup, rank(&second), 2));
        let chain = match soup.below(8) {
            0 => a.at(&first) * b.at(&second),
            1 => a.at(&first) + Indexed::spread(0.5, &second),
            2 => (a.at(&first) - 1.0).sum(&soup.indices()),
            3 => -a.at(&first).max(&soup.indices()) / b.at(&second),
            4 => a.at(&first) + a.at(&first) * b.at(&second),
            _ => a.at(&first),
        };
        let left = if soup.below(4) == 0 { soup.indices() } else { soup.pick(&[&first[..], &second[..], ""]).to_string() };
        let Ok(recorded) = chain.record(&left) else { return false };
        is_small(recorded.extents()) && recorded.eval().is_ok()
    });
}

#[test]
fn texts_of_the_language() {
    run("the language", |soup| {
        let text = soup.equation();
        let tensors = ["A", "B", "C", "a", "b"].map(|name| (name, tensor(soup, if name < "a" { 2 } else { 1 }, 2)));
        let given = tensors.iter().map(|(name, tensor)| (*name, tensor as &dyn RecordOperand<f64>));
        let is_word = |name: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        // Names that the text does not have are mistakes.
        let given: Vec<_> = given.chain([("x", &2.0 as &dyn RecordOperand<f64>)]).filter(|(name, _)| is_word(name)).collect();
        let Ok(recorded) = record(&text, &given) else { return false };
        // What `where` declares may be larger than any run is long.
        is_small(recorded.extents()) && (text.contains("where") || recorded.eval().is_ok())
    });
}

#[test]
fn integer_labels() {
    run("contract", |soup| {
        let count = soup.below(4);
        let label = |soup: &mut Soup| soup.pick(&[0, 1, 2, 3, 7, usize::MAX]);
        let mut tensors = Vec::new();
        let mut labels: Vec<Vec<usize>> = Vec::new();
        for _ in 0..count {
            let rank = soup.below(4);
            let more = usize::from(soup.below(16) == 0);
            labels.push((0..rank + more).map(|_| label(soup)).collect());
            tensors.push(tensor(soup, rank, 2));
        }
        let output: Vec<usize> = (0..soup.below(4)).map(|_| label(soup)).collect();
        let operands: Vec<(&dyn DynOperand<f64>, &[usize])> =
            tensors.iter().zip(&labels).map(|(tensor, labels)| (tensor as &dyn DynOperand<f64>, labels.as_slice())).collect();
        contract(&operands, &output).is_ok()
    });
}

/// A text is a layout that is written as it was read, or has a place where it goes wrong.
#[test]
fn texts_of_layouts() {
    run("layouts", |soup| {
        let text = soup.layouts();
        let outcomes = [
            text.parse::<Layouts>().map(|read| assert_eq!(read.to_string().parse::<Layouts>().expect("what is written"), read)),
            text.parse::<Layouts<Logical>>().map(drop),
            text.parse::<Layout>().map(drop),
        ];
        for error in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
            let ErrorKind::Syntax { message, position } = error.kind() else { panic!("{text:?}: {error}") };
            assert!(!message.is_empty() && text.is_char_boundary(*position), "{text:?}: {error}");
        }
        // A layout that is read can be used: the first element has a position in it.
        for stored in text.parse::<Layouts>().iter().flat_map(Layouts::arrays).filter(|stored| stored.buffer_len() > 0) {
            assert_eq!(stored.walk_all().next().is_some(), stored.logical().element_count() > 0, "{text:?}");
            assert!(stored.index_at(stored.buffer_len() - 1).is_ok(), "{text:?}");
        }
        outcomes.iter().any(Result::is_ok)
    });
}

const TOO_LARGE: &str = "this expression has more than 1000 terms in a row, or more than 125 operations inside each other\nhelp: compute parts of it in equations of their own";

/// What a loop may write without end is refused, not walked.
#[test]
fn too_long_chains_are_refused() {
    let a = Tensor::<f64>::filled([2], 1.0).expect("memory");
    let at = || a.at("i");
    let steps: [(usize, Step<'_>); 6] = [
        (999, &|chain| chain + at()),
        (999, &|chain| chain * at()),
        (63, &|chain| at() - chain),
        (63, &|chain| at() / chain),
        (125, &|chain| chain.tanh()),
        (125, &|chain| -chain),
    ];
    for (n, (most, step)) in steps.into_iter().enumerate() {
        let chain = |length| (0..length).fold(at(), |chain, _| step(chain));
        assert!(chain(most).eval("i").is_ok(), "chain {n}");
        assert_eq!(chain(most + 1).eval("i").unwrap_err().to_string(), TOO_LARGE, "chain {n}");
        assert_eq!(chain(40_000).eval("i").unwrap_err().to_string(), TOO_LARGE, "chain {n}");
    }
    let faults = (0..40_000).fold(a.at("i,,"), |chain, _| chain + a.at("i,,"));
    assert_eq!(faults.eval("i").unwrap_err().to_string().lines().count(), 40_001);
}

type Step<'s> = &'s dyn Fn(Indexed<'s, f64>) -> Indexed<'s, f64>;

/// The same in texts.
#[test]
fn too_long_texts_are_refused() {
    let a = Tensor::<f64>::filled([2], 1.0).expect("memory");
    let record = |text: String| {
        let recorded = tensorwrapper::record(&text, &[("a", &a)]);
        recorded.and_then(|recorded| recorded.eval())
    };
    assert_eq!(record(format!("[i] = a[i]{}", " + a[i]".repeat(999))).expect("this is long enough")[[0]], 1000.0);
    let groups = "more than 64 groups inside each other (at byte ";
    for (text, sentence) in [
        (format!("[i] = a[i]{}", " + a[i]".repeat(40_000)), TOO_LARGE),
        (format!("[i] = a[i]{}", " * a[i]".repeat(40_000)), TOO_LARGE),
        (format!("[i] = {}a[i]", "-".repeat(40_000)), TOO_LARGE),
        (format!("[i] = {}a[i]{}", "(".repeat(40_000), ")".repeat(40_000)), groups),
        (format!("[i] = {}a[i]{}", "{".repeat(40_000), "}".repeat(40_000)), groups),
        (format!("[i] = {}", "exp(".repeat(40_000)), groups),
    ] {
        let message = record(text).unwrap_err().to_string();
        assert!(message.starts_with(sentence), "{message}");
    }
    let nested = format!("[i, j] = {}a[i] * a[j]{}", "sym(i, j; ".repeat(9), ")".repeat(9));
    assert_eq!(
        record(nested).unwrap_err().to_string(),
        "more than 8 of `sym`, `asym`, `clip`, `var`, `std`, `argmax` and `argmin` are inside each other\nhelp: give the inner ones an equation of their own"
    );
}

/// A network of many tensors is no deep expression: ten thousand operands, and no more.
#[test]
fn too_large_networks_are_refused() {
    let m = Tensor::<f64>::filled([1, 1], 1.0).expect("memory");
    let network = |count: usize| {
        let labels: Vec<[usize; 2]> = (0..count).map(|n| [n, n + 1]).collect();
        let operands: Vec<(&dyn DynOperand<f64>, &[usize])> =
            labels.iter().map(|labels| (&m as &dyn DynOperand<f64>, &labels[..])).collect();
        contract(&operands, &[0, count])
    };
    assert_eq!(network(3000).expect("this is a network")[[0, 0]], 1.0);
    let message = network(10_001).unwrap_err().to_string();
    assert_eq!(message, "there are more than 10000 operands\nhelp: contract parts of the network by themselves");
}
