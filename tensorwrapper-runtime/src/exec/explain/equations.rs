//! Recorded values as equations of the language, in the order in which they were made: what a block would have to say.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use tensorwrapper_notation::syntax::{Operator, Reduction};

use super::words::{all_trees, is_one, is_product, number, options, reads_all, reduction_name, terms_of, written_labels};
use crate::expr::{Axis, Factorised, Reach, Source, Tree, Value};
use crate::link::Link;
use crate::tensor::AnyRef;
use tensorwrapper_core::backend::Unary;
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
    /// recorded as values, parts that are written, and operations that only derivatives use. In the text a comment stands in their place, so that it computes the
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
    let names = values.iter().map(|value| writer.names[&Link::address(value).addr()].clone());
    writer.found.results = names.collect();
    writer.found
}

pub(super) struct Writer<'a> {
    /// The tensors of the program, by their elements.
    tensors: Vec<(AnyRef<'a>, String)>,
    /// By the address of a value.
    pub(super) names: HashMap<usize, String>,
    /// The names of the results of operations of linear algebra, by the address of the operation.
    results: HashMap<usize, Vec<String>>,
    /// Given tensors and intermediates so far.
    counts: [usize; 2],
    /// Whether each equation is to stand for itself: left sides have no names, and extents are told behind it.
    pub(super) is_apart: bool,
    pub(super) found: WrittenEquations,
}

/// The labels of an equation, as they are written.
struct Labels<'l> {
    extents: &'l [usize],
    names: Vec<String>,
}

impl Labels<'_> {
    /// How axes of these extents are read.
    fn read(&self, axes: &[Axis], extents: &[usize]) -> Vec<String> {
        let axis = |(axis, &extent): (&Axis, &usize)| match axis {
            Axis::Label { label, start } if *start == 0 && self.extents[*label] == extent => self.names[*label].clone(),
            Axis::Label { label, start } => format!("{} in {start}..{}", self.names[*label], start + self.extents[*label]),
            Axis::Chip(position) => position.to_string(),
            Axis::Fused(all) => {
                let all: Vec<&str> = all.iter().map(|&label| &self.names[label][..]).collect();
                format!("({})", all.join(", "))
            }
        };
        axes.iter().zip(extents).map(axis).collect()
    }
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
        Writer { tensors: Vec::new(), names: HashMap::new(), results: HashMap::new(), counts: [0; 2], is_apart: false, found }
    }

    pub(super) fn name(&self, value: &Link<Value<'_>>) -> &str {
        &self.names[&Link::address(value).addr()]
    }

    /// The name of a tensor; nothing for a number, which stands for itself.
    pub(super) fn tensor(&self, value: &Link<Value<'_>>) -> Option<&str> {
        Some(self.name(value)).filter(|name| name.starts_with(char::is_alphabetic))
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
            Source::Computed(_) | Source::Solved(..) => self.given(value),
            Source::Held(inner) => {
                let name = self.name(inner).to_string();
                self.found.statements.push(format!("// here {name} is held: derivatives take it as a constant"));
                name
            }
            Source::Equation { tree, extents, axes, names } => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.equation(&name, tree, (extents, axes, names));
                name
            }
            Source::Factorised(call, n) => self.factorised(call, *n, own),
            Source::Reshaped(inner) => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.reshaped(&name, inner, &value.extents);
                name
            }
            Source::Written { .. } => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.missing(&name, "a part written into a tensor, which in a block has to be made before it");
                name
            }
            Source::Graph(..) => {
                let name = own.unwrap_or_else(|| self.next(1));
                self.missing(&name, "a graph that was recorded as a value");
                name
            }
        };
        self.names.insert(Link::address(value).addr(), name);
    }

    fn missing(&mut self, name: &str, what: &str) {
        self.found.statements.push(format!("// {name} is {what}"));
        self.found.missing.push((name.to_string(), what.to_string()));
    }

    /// A label that no operand tells the extent of, under a name of its own.
    fn told(&mut self, label: &str, extent: usize) -> String {
        let name = format!("{label}__{}", self.found.extents.len());
        self.found.extents.push((name.clone(), extent));
        name
    }

    fn equation(&mut self, name: &str, tree: &Tree<'a>, (extents, axes, names): (&[usize], &[usize], &LabelNames)) {
        let mut labels = Labels { extents, names: written_labels((0..extents.len()).map(|n| names.get(n))) };
        let mut known = vec![false; extents.len()];
        tree.operands(&mut |value, read| {
            for (axis, extent) in read.iter().zip(&value.extents) {
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
            match self.term(term, axes, &labels) {
                Some(text) => {
                    let _ = write!(right, "{sign}{text}");
                }
                None => {
                    self.found.extents.truncate(self.found.extents.len() - told);
                    return self.missing(name, reason(tree));
                }
            }
        }
        let left: Vec<&str> = axes.iter().map(|&label| &labels.names[label][..]).collect();
        if self.is_apart {
            let told = &self.found.extents[labels_told..];
            let told: Vec<String> = told.iter().map(|(label, extent)| format!("{label}: {extent}")).collect();
            let told = if told.is_empty() { String::new() } else { format!(" where {}", told.join("; ")) };
            return self.found.statements.push(format!("[{}] = {right}{told}", left.join(", ")));
        }
        let left = if left.is_empty() { String::new() } else { format!("[{}]", left.join(", ")) };
        self.found.statements.push(format!("let {name}{left} = {right};"));
    }

    /// A term: sums over labels of factors need no word.
    fn term(&self, tree: &Tree<'a>, axes: &[usize], labels: &Labels<'_>) -> Option<String> {
        let mut own = Vec::new();
        let body = match tree {
            Tree::Reduce(Reduction::Sum, over, inner) if is_product(inner) && reads_all(inner, over) => {
                own.extend(over.iter().copied());
                inner
            }
            other => other,
        };
        own.extend(axes);
        let mut read = Vec::new();
        body.free_labels(&mut read);
        let spread: Vec<&str> =
            axes.iter().filter(|label| !read.contains(label)).map(|&label| &labels.names[label][..]).collect();
        let text = self.tree(body, labels, 2)?;
        Some(match (spread.is_empty(), body) {
            (true, _) => text,
            (false, Tree::Constant(value)) if value.im == 0.0 && value.re >= 0.0 => {
                format!("{}[{}]", number(value.re), spread.join(", "))
            }
            (false, _) => format!("{text} * 1[{}]", spread.join(", ")),
        })
    }

    /// An expression. `binds` tells what surrounds it: 1 a sum, 2 a product, 3 what is on the right of a division.
    fn tree(&self, tree: &Tree<'a>, labels: &Labels<'_>, binds: u8) -> Option<String> {
        let inner = |tree: &Tree<'a>, binds| self.tree(tree, labels, binds);
        let parenthesised = |text: String, own: u8| if own < binds { format!("({text})") } else { text };
        Some(match tree {
            Tree::Operand(value, axes) => self.operand(value, axes, labels),
            Tree::Constant(value) if value.im == 0.0 && value.re < 0.0 => format!("(-{})", number(-value.re)),
            Tree::Constant(value) if value.im == 0.0 => number(value.re),
            Tree::Constant(value) => format!("{{ Complex::new({:?}, {:?}) }}", value.re, value.im),
            Tree::Negate(of) => format!("(-{})", inner(of, 2)?),
            Tree::Binary(Operator::Add, left, right) => parenthesised(format!("{} + {}", inner(left, 1)?, inner(right, 1)?), 1),
            Tree::Binary(Operator::Subtract, left, right) => {
                parenthesised(format!("{} - {}", inner(left, 1)?, inner(right, 2)?), 1)
            }
            Tree::Binary(Operator::Multiply, left, right) if is_one(right) => inner(left, binds)?,
            Tree::Binary(Operator::Multiply, left, right) if is_one(left) => inner(right, binds)?,
            Tree::Binary(Operator::Multiply, left, right) => {
                parenthesised(format!("{} * {}", inner(left, 2)?, inner(right, 3)?), 2)
            }
            Tree::Binary(Operator::Divide, left, right) => {
                parenthesised(format!("{} / {}", inner(left, 2)?, inner(right, 3)?), 2)
            }
            Tree::Reduce(reduction, over, of) => {
                let over: Vec<&str> = over.iter().map(|&label| &labels.names[label][..]).collect();
                format!("{}({}; {})", reduction_name(*reduction), over.join(", "), inner(of, 1)?)
            }
            Tree::Apply(Unary::Sign | Unary::IsZero | Unary::IsPositive, _) | Tree::Map(..) => return None,
            Tree::Apply(function, of) => format!("{}({})", function.name(), inner(of, 1)?),
            Tree::Select(condition, values) => {
                let written = condition.try_map(&mut |side| inner(side, 1).ok_or(())).ok()?;
                let [chosen, other] = &**values;
                format!("select({}; {}, {})", written.text(&mut String::clone), inner(chosen, 1)?, inner(other, 1)?)
            }
            Tree::Cast(_, of) => format!("cast({})", inner(of, 1)?),
            Tree::PowerInteger(of, exponent) => format!("powi({}, {exponent})", inner(of, 1)?),
            Tree::PowerReal(of, exponent) => format!("powf({}, {exponent:?})", inner(of, 1)?),
        })
    }

    fn operand(&self, value: &Link<Value<'_>>, read: &[Axis], labels: &Labels<'_>) -> String {
        if read.is_empty() {
            // A number as it is, and a tensor without axes.
            let tensor = self.tensor(value).filter(|_| self.is_apart);
            return tensor.map_or_else(|| self.name(value).to_string(), |name| format!("{name}[]"));
        }
        format!("{}[{}]", self.name(value), labels.read(read, &value.extents).join(", "))
    }

    /// A call of an operation of linear algebra, once for all its results; the name of one of these.
    fn factorised(&mut self, call: &Arc<Factorised<'a>>, n: usize, own: Option<String>) -> String {
        let (form, address) = (call.call.form(), Arc::as_ptr(call).addr());
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
                .map(|(value, roles)| format!("{}[{}]", self.name(value), axes(roles)))
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
        match own {
            None => written,
            // A result has a name of its own.
            Some(own) => {
                let roles = form.results[n].roles;
                let axes: Vec<String> = (0..call.call.labels(roles).len()).map(|n| format!("l{n}")).collect();
                let axes = if axes.is_empty() { String::new() } else { format!("[{}]", axes.join(", ")) };
                self.found.statements.push(format!("let {own}{axes} = {written}{axes};"));
                own
            }
        }
    }

    /// The same elements with other extents: through one axis.
    fn reshaped(&mut self, name: &str, inner: &Link<Value<'_>>, extents: &[usize]) {
        let from: Vec<String> = (0..inner.extents.len()).map(|n| format!("l{n}")).collect();
        let (of, line) = (self.name(inner).to_string(), self.next(1));
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

/// Why a tree cannot be written.
fn reason(tree: &Tree<'_>) -> &'static str {
    let mut has_function = false;
    all_trees(tree, &mut |tree| has_function |= matches!(tree, Tree::Map(..)));
    if has_function {
        "made by a function of the program"
    } else {
        "made by the sign of a number, or by whether it is zero or positive"
    }
}
