//! Recorded values as equations of the language, in the order in which they were made: what a block would have to say.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use super::masks::Mask;
use super::placed::Placed;
use super::texts::{IOTA, Labels, Texts};
use super::words::{constant, options, terms_of, written_labels};
use crate::expr::{Axis, Factorised, Meaning, Reach, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyRef;
use tensorwrapper_core::backend::linear::Factorisation;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::LabelNames;

/// The equations of recorded results, with those of their intermediates.
///
/// `Display` writes the statements of a block: pasted into `tensor! { … }`, with the given tensors under the names `x0`, `x1` and so on (of
/// tensors no names are recorded) and with `num_complex::Complex` in scope if numbers are complex, they compute the same. Labels have the
/// names that the program gave them. Results are `r`, or `r0`, `r1` and so on, and intermediates `t0`, `t1` and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenEquations {
    given: Vec<(String, String)>,
    extents: Vec<(String, usize)>,
    pub(super) statements: Vec<String>,
    results: Vec<String>,
    pub(super) missing: Vec<(String, String)>,
}

impl WrittenEquations {
    /// The values that the language has no words for, by their names in the text, and what makes them: functions of the program, graphs
    /// recorded as values, and operations that only derivatives use. In the text a comment stands in their place, so that it computes the
    /// same where tensors of these names are given.
    pub fn missing(&self) -> &[(String, String)] {
        &self.missing
    }

    /// The statements, each with its semicolon.
    pub fn statements(&self) -> &[String] {
        &self.statements
    }
}

impl fmt::Display for WrittenEquations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, what) in &self.given {
            writeln!(f, "// {name}: {what}")?;
        }
        if !self.extents.is_empty() {
            let all: Vec<String> = self.extents.iter().map(|(label, extent)| format!("{label}: {extent}")).collect();
            writeln!(f, "where {};", all.join("; "))?;
        }
        for statement in &self.statements {
            writeln!(f, "{statement}")?;
        }
        match &self.results[..] {
            [one] => write!(f, "{one}"),
            all => write!(f, "({})", all.join(", ")),
        }
    }
}

/// The equations of these values.
pub(super) fn equations(values: &[Link<Value<'_>>]) -> WrittenEquations {
    let mut writer = Writer::new();
    let reach = Reach::new(values);
    let is_result = |value: &Link<Value<'_>>| values.iter().position(|result| Link::address(result) == Link::address(value));
    for value in &reach.values {
        let own = is_result(value).map(|n| if values.len() == 1 { "r".to_string() } else { format!("r{n}") });
        writer.value(value, own);
    }
    // A result that is a given tensor, or the same as another one, has the name of that.
    let names = values.iter().map(|value| writer.texts.names[&Link::address(value).addr()].clone());
    writer.found.results = names.collect();
    writer.found
}

pub(super) struct Writer<'a> {
    /// The tensors of the program, by their elements.
    tensors: Vec<(AnyRef<'a>, String)>,
    pub(super) texts: Texts,
    /// The names of the results of operations of linear algebra, by the address of the operation.
    results: HashMap<usize, Vec<String>>,
    /// Given tensors and intermediates so far.
    counts: [usize; 2],
    pub(super) found: WrittenEquations,
}

impl<'a> Writer<'a> {
    pub(super) fn new() -> Writer<'a> {
        let found = WrittenEquations {
            given: Vec::new(),
            extents: Vec::new(),
            statements: Vec::new(),
            results: Vec::new(),
            missing: Vec::new(),
        };
        Writer { tensors: Vec::new(), texts: Texts::default(), results: HashMap::new(), counts: [0; 2], found }
    }

    fn next(&mut self, kind: usize) -> String {
        let n = self.counts[kind];
        self.counts[kind] += 1;
        format!("{}{n}", ["x", "t"][kind])
    }

    /// A tensor that the program has.
    fn given(&mut self, value: &Value<'_>) -> String {
        let name = self.next(0);
        self.found.given.push((name.clone(), format!("{} {:?}", value.dtype, value.extents)));
        name
    }

    pub(super) fn value(&mut self, value: &Link<Value<'a>>, own: Option<String>) {
        let name = match &value.source {
            Source::Tensor(tensor) => {
                let is_same =
                    |(known, _): &&(AnyRef<'a>, String)| known.data.is_same(&tensor.data) && known.layout == tensor.layout;
                match self.tensors.iter().find(is_same) {
                    Some((_, name)) => name.clone(),
                    None => {
                        let name = self.given(value);
                        self.tensors.push((tensor.clone(), name.clone()));
                        name
                    }
                }
            }
            Source::Computed(_, Meaning::Index) if !self.texts.is_apart => IOTA.to_string(),
            Source::Computed(tensor, Meaning::Mask) if !self.texts.is_apart => match Mask::of(tensor) {
                Some(mask) => self.mask(mask, value, own),
                None => self.given(value),
            },
            Source::Computed(..) => self.given(value),
            Source::Solved(..) => self.given(value),
            Source::Held(inner) => {
                let name = self.texts.name(inner).to_string();
                self.found.statements.push(format!("// here {name} is held: derivatives take it as a constant"));
                name
            }
            // Numbers stand for themselves: so they are of the type of the equations that read them.
            Source::Equation { tree: Tree::Constant(number), axes, .. } if axes.is_empty() && own.is_none() => constant(*number),
            Source::Equation { tree, extents, axes, names } => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.equation((&name, value.dtype), tree, (extents, axes, names));
                name
            }
            Source::Factorised(call, n) => self.factorised(call, *n, own),
            Source::Reshaped(inner) => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.reshaped(&name, inner, &value.extents);
                name
            }
            Source::Written { base, axes, part } => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.placed(&name, &value.extents, (axes, part, base.as_ref()));
                name
            }
            Source::Graph(..) => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.missing(&name, "a graph that was recorded as a value");
                name
            }
        };
        self.texts.names.insert(Link::address(value).addr(), name);
    }

    /// A matrix whose elements depend on which index is larger.
    fn mask(&mut self, mask: Mask, value: &Value<'_>, own: Option<String>) -> String {
        let name = own.unwrap_or_else(|| self.next(1));
        let [row, column] = [0, 1].map(|axis| self.told("l", value.extents[axis]));
        let right = mask.text([&row, &column], value.dtype.is_complex());
        self.found.statements.push(format!("let {name}[{row}, {column}] = {right};"));
        name
    }

    fn missing(&mut self, name: &str, what: &str) {
        self.found.statements.push(format!("// {name} is {what}"));
        self.found.missing.push((name.to_string(), what.to_string()));
    }

    /// A part that is written into a tensor, or into zeros.
    fn placed(
        &mut self,
        name: &str,
        extents: &[usize],
        (axes, part, base): (&[Axis], &Link<Value<'a>>, Option<&Link<Value<'a>>>),
    ) {
        let placed = Placed::new(axes, [extents, &part.extents]).filter(|_| !self.texts.is_apart);
        let Some(placed) = placed else {
            return self.missing(name, "a part written into a tensor, which in a block has to be made before it");
        };
        let label = |axis: usize, writer: &mut Self| match base.is_some() || placed.tells(axis) {
            true => format!("l{axis}"),
            false => writer.told("l", extents[axis]),
        };
        let left: Vec<String> = (0..extents.len()).map(|axis| label(axis, self)).collect();
        let right = placed.text(&left, self.texts.name(part), base.map(|base| self.texts.name(base)));
        let axes = if left.is_empty() { String::new() } else { format!("[{}]", left.join(", ")) };
        self.found.statements.push(format!("let {name}{axes} = {right};"));
    }

    /// A label that no operand tells the extent of, under a name of its own.
    fn told(&mut self, label: &str, extent: usize) -> String {
        let name = format!("{label}__{}", self.found.extents.len());
        self.found.extents.push((name.clone(), extent));
        name
    }

    fn equation(
        &mut self,
        (name, dtype): (&str, Dtype),
        tree: &Tree<'a>,
        (extents, axes, names): (&[usize], &[usize], &LabelNames),
    ) {
        let names = written_labels((0..extents.len()).map(|n| names.get(n)));
        let mut labels = Labels { extents, names, dtype };
        let mut known = vec![false; extents.len()];
        tree.operands(&mut |value, read| {
            for (axis, extent) in read.iter().zip(&value.extents).filter(|_| self.texts.name(value) != IOTA) {
                if let Axis::Label { label, start } = axis {
                    known[*label] |= *start > 0 || extents[*label] <= *extent;
                }
            }
        });
        let (mut read, labels_told) = (Vec::new(), self.found.extents.len());
        tree.labels(&mut read);
        for label in (0..extents.len()).filter(|label| read.contains(label) || axes.contains(label)) {
            if !known[label] {
                labels.names[label] = self.told(&labels.names[label], extents[label]);
            }
        }
        let told = self.found.extents.len() - labels_told;
        let mut terms = Vec::new();
        terms_of(tree, false, &mut terms);
        let mut right = String::new();
        for (n, (term, is_negative)) in terms.into_iter().enumerate() {
            let sign = match (n, is_negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            };
            match self.texts.term(term, axes, &labels) {
                Some(text) => {
                    let _ = write!(right, "{sign}{text}");
                }
                None => {
                    self.found.extents.truncate(self.found.extents.len() - told);
                    return self.missing(name, "made by a function of the program");
                }
            }
        }
        let left: Vec<&str> = axes.iter().map(|&label| &labels.names[label][..]).collect();
        if self.texts.is_apart {
            let told = &self.found.extents[labels_told..];
            let told: Vec<String> = told.iter().map(|(label, extent)| format!("{label}: {extent}")).collect();
            let told = if told.is_empty() { String::new() } else { format!(" where {}", told.join(", ")) };
            return self.found.statements.push(format!("[{}] = {right}{told}", left.join(", ")));
        }
        let left = if left.is_empty() { String::new() } else { format!("[{}]", left.join(", ")) };
        self.found.statements.push(format!("let {name}{left} = {right};"));
    }

    /// A call of an operation of linear algebra, once for all its results; the name of one of these.
    fn factorised(&mut self, call: &Arc<Factorised<'a>>, n: usize, own: Option<String>) -> String {
        let (form, address) = (call.call.form(), Arc::as_ptr(call).addr());
        if call.call.kind == Factorisation::Adjugate {
            let of = self.texts.name(&call.arguments[0]).to_string();
            return self.renamed(&of, own, call.arguments[0].extents.len());
        }
        if form.usage.is_empty() {
            let name = own.unwrap_or_else(|| self.next(1));
            self.missing(&name, &format!("made by `{}`, an operation of derivatives", form.name));
            return name;
        }
        if !self.results.contains_key(&address) {
            let labels: Vec<String> = (0..call.extents.len()).map(|n| format!("l{n}")).collect();
            let axes =
                |roles: &[_]| call.call.labels(roles).iter().map(|&label| labels[label].clone()).collect::<Vec<_>>().join(", ");
            let results: Vec<String> = form.results[..form.named].iter().map(|_| self.next(1)).collect();
            let left: Vec<String> = results
                .iter()
                .zip(form.results)
                .map(|(name, result)| match axes(result.roles) {
                    axes if axes.is_empty() => name.clone(),
                    axes => format!("{name}[{axes}]"),
                })
                .collect();
            let left = if left.len() == 1 { left[0].clone() } else { format!("({})", left.join(", ")) };
            let mut given: Vec<String> = call
                .arguments
                .iter()
                .zip(form.arguments)
                .map(|(value, roles)| format!("{}[{}]", self.texts.name(value), axes(roles)))
                .collect();
            if form.has_exponent {
                given.push(call.call.exponent.to_string());
            }
            let options = options(call);
            self.found.statements.push(format!("let {left} = {}({}{options});", form.name, given.join(", ")));
            self.results.insert(address, results);
        }
        let written = self.results[&address].get(n).cloned();
        let written = written.unwrap_or_else(|| {
            let name = self.next(1);
            self.missing(&name, &format!("a result of `{}` that has no name", form.name));
            name
        });
        self.renamed(&written, own, call.call.labels(form.results[n].roles).len())
    }

    /// A value under the name of a result, if it is one.
    fn renamed(&mut self, written: &str, own: Option<String>, rank: usize) -> String {
        let Some(own) = own else { return written.to_string() };
        let axes: Vec<String> = (0..rank).map(|n| format!("l{n}")).collect();
        let axes = if axes.is_empty() { String::new() } else { format!("[{}]", axes.join(", ")) };
        self.found.statements.push(format!("let {own}{axes} = {written}{axes};"));
        own
    }

    /// The same elements with other extents: through one axis.
    fn reshaped(&mut self, name: &str, inner: &Link<Value<'_>>, extents: &[usize]) {
        let from: Vec<String> = (0..inner.extents.len()).map(|n| format!("l{n}")).collect();
        let (of, line) = (self.texts.name(inner).to_string(), self.next(1));
        let fused = |labels: &[String]| if labels.len() == 1 { labels[0].clone() } else { format!("({})", labels.join(", ")) };
        let line = match &from[..] {
            [] => {
                let one = self.told("l", 1);
                self.found.statements.push(format!("let {line}[{one}] = {of} * 1[{one}];"));
                line
            }
            [_] => of,
            _ => {
                self.found.statements.push(format!("let {line}[{}] = {of}[{}];", fused(&from), from.join(", ")));
                line
            }
        };
        if extents.is_empty() {
            return self.found.statements.push(format!("let {name} = {line}[0];"));
        }
        let to: Vec<String> = match extents {
            [_] => vec!["l0".to_string()],
            _ => extents.iter().map(|&extent| self.told("l", extent)).collect(),
        };
        self.found.statements.push(format!("let {name}[{}] = {line}[{}];", to.join(", "), fused(&to)));
    }
}
