//! Random equations over every construct of the language: every door on every device against an oracle of its own.
//! A failing case prints its number, which makes it again, its text and its tensors' extents.
//!
//! `generate` draws equations, `oracle` and `evaluate` know what they mean, `doors` writes them for the library, `census`
//! counts what was drawn; some of them stand in `generated.rs` as `try_tensor!` of the program, which `macros` answers for.

#![expect(deprecated, reason = "labels that occur once are summed with a warning, and here that is meant")]

mod census;
mod doors;
mod evaluate;
mod generate;
#[rustfmt::skip]
#[allow(clippy::type_complexity, reason = "shapes of many axes are long types")]
mod generated;
mod group;
mod macros;
mod oracle;
mod tree;

use std::collections::BTreeMap;

use num_complex::Complex;
use tensorwrapper::{Context, Element, Error, ErrorKind, Stored, Tensor, TensorRef};

use doors::{Door, Left};
use generate::Case;
use oracle::{Answer, Data, Numbers, Refusal, answer, answer_of_subscripts};

/// Equations that are drawn, of which some have to be refused.
const EQUATIONS: u64 = 28_800;

/// Equations with a value, through the language.
const VALUES: usize = 20_000;

/// Each construct is in so many of them.
const EACH: usize = 150;

/// The relative precision of an element type, and the largest number that leaves room for a square.
fn precision<T: Element>() -> (f64, f64) {
    if T::DTYPE.real().size() == 4 { (f64::from(f32::EPSILON), 1e15) } else { (f64::EPSILON, 1e100) }
}

/// What the cases turned out to be.
#[derive(Debug, Default)]
struct Tally {
    values: BTreeMap<Door, usize>,
    refused_labels: BTreeMap<Door, usize>,
    refused_values: BTreeMap<Door, usize>,
    elements: usize,
    /// Elements that went out of range on the way.
    beyond: usize,
    /// Of the equations with a value, how many have each construct, through the language and through operators.
    constructs: BTreeMap<(Door, &'static str), usize>,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        let Tally { values, refused_labels, refused_values, elements, beyond, constructs, failures } = other;
        let counts =
            [(&mut self.values, values), (&mut self.refused_labels, refused_labels), (&mut self.refused_values, refused_values)];
        for (mine, theirs) in counts {
            theirs.into_iter().for_each(|(door, count)| *mine.entry(door).or_default() += count);
        }
        constructs.into_iter().for_each(|(key, count)| *self.constructs.entry(key).or_default() += count);
        self.elements += elements;
        self.beyond += beyond;
        self.failures.extend(failures);
    }
}

/// An equation's tensors as it sees them.
struct Drawn<'c, T: Element> {
    views: Vec<TensorRef<'c, T>>,
    data: Vec<Data>,
    expected: Result<Answer, Refusal>,
    /// Where subscripts mean something else.
    of_subscripts: Option<Result<Answer, Refusal>>,
}

/// A tensor as the equation sees it: its axis `n` is the axis in memory whose entry in `order` is `n`.
fn in_order<'t, T: Stored>(tensor: &'t Tensor<T>, order: &[usize]) -> TensorRef<'t, T> {
    let place = |axis: usize| order.iter().position(|&own| own == axis).expect("a permutation");
    tensor.view().permute(&(0..order.len()).map(place).collect::<Vec<_>>()).expect("a permutation")
}

impl<'c, T: Element> Drawn<'c, T> {
    fn new(case: &'c Case<T>) -> Drawn<'c, T> {
        let views: Vec<TensorRef<'_, T>> = case.tensors.iter().map(|(tensor, order)| in_order(tensor, order)).collect();
        let data: Vec<Data> = views
            .iter()
            .map(|view| Data { extents: view.extents().to_vec(), elements: view.elements().map(|x| x.to_complex()).collect() })
            .collect();
        let (precision, largest) = precision::<T>();
        let numbers = Numbers { complex: T::DTYPE.is_complex(), largest, precision };
        let expected = answer(&case.equation, &data, numbers);
        let of_subscripts = (matches!(expected, Err(Refusal::Label)) && doors::is_product(&case.equation))
            .then(|| answer_of_subscripts(&case.equation, &data, numbers));
        Drawn { views, data, expected, of_subscripts }
    }
}

fn run<T: Left>(number: u64, tally: &mut Tally) {
    let case = generate::case::<T>(number);
    let Drawn { views, data, expected, of_subscripts } = Drawn::new(&case);
    for door in Door::ALL {
        // Operators write an exchange out, and cannot say one whose labels are nobody's.
        if door == Door::Operators && matches!(expected, Err(Refusal::Label)) && case.equation.right.exchanges() {
            continue;
        }
        let expected = of_subscripts.as_ref().filter(|_| door == Door::Subscripts).unwrap_or(&expected);
        let mut said = false;
        for (device, context) in [("cpu", Context::cpu()), ("reference", Context::reference())] {
            let Some(found) = door.evaluate(&case.equation, &views, &context) else { break };
            said = true;
            if let Err(message) = judge(&found, expected, tally) {
                let extents: Vec<String> = data.iter().enumerate().map(|(n, d)| format!("t{n}: {:?}", d.extents)).collect();
                let (dtype, equation, extents) = (T::DTYPE, &case.equation, extents.join("  "));
                tally
                    .failures
                    .push(format!("case {number} ({dtype}), {door:?} on {device}: {message}\n  {equation}\n  {extents}"));
            }
        }
        if !said {
            continue;
        }
        let counts = match expected {
            Ok(_) => &mut tally.values,
            Err(Refusal::Label) => &mut tally.refused_labels,
            Err(Refusal::Value | Refusal::Rank) => &mut tally.refused_values,
        };
        *counts.entry(door).or_default() += 1;
        if expected.is_ok() && matches!(door, Door::Language | Door::Operators) {
            for construct in census::constructs(&case.equation, &data) {
                *tally.constructs.entry((door, construct)).or_default() += 1;
            }
        }
    }
}

fn judge<T: Element>(
    found: &Result<Tensor<T>, Error>,
    expected: &Result<Answer, Refusal>,
    tally: &mut Tally,
) -> Result<(), String> {
    let (found, expected) = match (found, expected) {
        (Ok(found), Ok(expected)) => (found, expected),
        (Err(error), Err(refusal)) if of_kind(error, *refusal) => return Ok(()),
        (Ok(_), Err(refusal)) => return Err(format!("a value, where it had to be refused: {refusal:?}")),
        (Err(error), Err(refusal)) => return Err(format!("refused for another reason than {refusal:?}: {error}")),
        (Err(error), Ok(_)) => return Err(format!("refused: {error}")),
    };
    if found.extents() != expected.extents {
        return Err(format!("extents {:?} instead of {:?}", found.extents(), expected.extents));
    }
    let (epsilon, _) = precision::<T>();
    for (n, (element, expected)) in found.as_slice().iter().zip(&expected.elements).enumerate() {
        tally.elements += 1;
        if !expected.scale.is_finite() {
            tally.beyond += 1;
            continue;
        }
        let element = element.to_complex();
        let deviation = (element - expected.value).norm();
        if deviation.is_nan() || deviation > 100.0 * epsilon * expected.scale {
            return Err(format!("element {n} is {element} instead of {} (scale {:e})", expected.value, expected.scale));
        }
    }
    Ok(())
}

fn of_kind(error: &Error, refusal: Refusal) -> bool {
    match (error.kind(), refusal) {
        (ErrorKind::Several(errors), _) => errors.iter().all(|error| of_kind(error, refusal)),
        (ErrorKind::Label(_), Refusal::Label) => true,
        (ErrorKind::Rank { .. } | ErrorKind::Extent { .. }, Refusal::Rank) => true,
        (ErrorKind::Extent { .. } | ErrorKind::Undefined(_) | ErrorKind::Shape(_), Refusal::Value) => true,
        _ => false,
    }
}

/// Draws the equations whose numbers leave this remainder.
fn draw(remainder: u64, of: u64) -> Tally {
    let mut tally = Tally::default();
    for number in (0..EQUATIONS).filter(|number| number / 4 % of == remainder) {
        match number % 4 {
            0 => run::<f64>(number, &mut tally),
            1 => run::<f32>(number, &mut tally),
            2 => run::<Complex<f64>>(number, &mut tally),
            _ => run::<Complex<f32>>(number, &mut tally),
        }
    }
    tally
}

#[test]
fn random_equations() {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let mut tally = Tally::default();
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads).map(|n| scope.spawn(move || draw(n, threads))).collect();
        parts.into_iter().for_each(|part| tally.add(part.join().expect("no equation panics")));
    });
    let failures = std::mem::take(&mut tally.failures);
    println!("{tally:?}");
    let first = &failures[..failures.len().min(20)];
    assert!(failures.is_empty(), "{} cases failed:\n{}", failures.len(), first.join("\n"));
    // The generator does its work: there are equations of every kind for every door, and few run out of range.
    let count = |counts: &BTreeMap<Door, usize>, door| counts.get(&door).copied().unwrap_or(0);
    let enough = [
        (Door::Language, VALUES, 1000, 400),
        (Door::Operators, VALUES * 3 / 4, 800, 300),
        (Door::Subscripts, VALUES / 6, 40, 100),
        (Door::Integers, VALUES / 6, 30, 100),
    ];
    for (door, values, labels, extents) in enough {
        assert!(count(&tally.values, door) >= values, "{door:?}: {tally:?}");
        assert!(count(&tally.refused_labels, door) >= labels, "{door:?}: {tally:?}");
        assert!(count(&tally.refused_values, door) >= extents, "{door:?}: {tally:?}");
    }
    assert!(tally.beyond * 50 < tally.elements, "{tally:?}");
    for construct in census::CONSTRUCTS {
        let doors: &[Door] = if construct == "declared extent" { &[Door::Language] } else { &[Door::Language, Door::Operators] };
        for &door in doors {
            let count = tally.constructs.get(&(door, construct)).copied().unwrap_or(0);
            assert!(count >= EACH, "only {count} equations with {construct} through {door:?}: {tally:?}");
        }
    }
}
