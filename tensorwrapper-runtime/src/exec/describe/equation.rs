//! Writes the equation of a step in the language, with the names of the program if they are known.

use std::collections::HashMap;

use num_complex::Complex;

use tensorwrapper_core::backend::{Binary, Instruction, Program, Reduction};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::graph::{Edge, EdgeAxis, Label, OpGraph, Operation, OperationId, OperationNode, TensorId};
use tensorwrapper_notation::sentence::counted;

/// Which part of the requested computation a graph is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::exec) enum Part {
    /// All of it.
    Whole,
    /// The part that is computed once; its sinks are kept.
    Once,
    /// The part that each run computes, from the `given` tensors and from those that are kept.
    Each { given: usize },
}

/// How tensors of a graph are called.
pub(in crate::exec) struct Names<'g> {
    tensors: Vec<String>,
    /// For each tensor which result it is, the first one where it is several.
    results: Vec<Option<usize>>,
    /// What the axes of tensors are called, for operations whose labels have no names of their own.
    axes: Vec<Vec<Option<&'g str>>>,
}

/// An equation that is longer than this many bytes is cut short.
const LONGEST: usize = 600;

impl<'g> Names<'g> {
    pub(in crate::exec) fn new(graph: &'g OpGraph, part: Part) -> Names<'g> {
        let mut results = vec![None; graph.tensors().len()];
        graph.sinks().iter().enumerate().rev().for_each(|(n, sink)| results[sink.0] = Some(n));
        let tensors = graph.tensor_ids().map(|id| called(graph, part, id, results[id.0])).collect();
        let mut names = Names { tensors, results, axes: vec![Vec::new(); graph.tensors().len()] };
        for (id, node) in graph.operation_ids().zip(graph.operations()) {
            for edge in &node.outputs {
                let axes = edge.labels().into_iter().map(|label| names.known(graph, id, node, label)).collect();
                names.axes[edge.tensor.0] = axes;
            }
        }
        names
    }

    /// Whether a tensor is a result.
    pub(in crate::exec) fn is_result(&self, id: TensorId) -> bool {
        self.results[id.0].is_some()
    }

    /// The names in one part of an operation that is computed in parts: its inputs and outputs have the names that they have
    /// outside.
    pub(in crate::exec) fn inside<'b>(&self, graph: &OpGraph, id: OperationId, body: &'b OpGraph) -> Names<'b> {
        let (node, mut names) = (graph.operation(id), Names::new(body, Part::Whole));
        for (source, edge) in body.sources().zip(&node.inputs) {
            names.tensors[source.0] = self.tensor(edge.tensor).to_string();
        }
        for made in body.tensor_ids() {
            if let Some(producer) = body.tensor(made).producer {
                names.tensors[made.0] = format!("t{}.{}", id.0 + 1, producer.0 + 1);
            }
        }
        names.tensors[body.sinks()[0].0] = self.tensor(node.outputs[0].tensor).to_string();
        names
    }

    pub(in crate::exec) fn tensor(&self, id: TensorId) -> &str {
        &self.tensors[id.0]
    }

    /// The name of a label: that of the equation it comes from, or of an axis that it runs with.
    fn known(&self, graph: &'g OpGraph, id: OperationId, node: &OperationNode, label: Label) -> Option<&'g str> {
        if let Some((name, _)) = graph.label_name(id, label) {
            return Some(name);
        }
        node.inputs.iter().find_map(|edge| {
            let place = edge.axes.iter().position(|axis| matches!(axis, EdgeAxis::Label { label: l, .. } if *l == label))?;
            self.axes[edge.tensor.0].get(place).copied().flatten()
        })
    }

    /// The names of the labels of an operation, all different.
    fn labels(&self, graph: &'g OpGraph, id: OperationId) -> Vec<String> {
        let node = graph.operation(id);
        let mut used: HashMap<String, usize> = HashMap::new();
        let mut letters = 'a'..='z';
        let mut found: Vec<Option<String>> = Vec::new();
        for label in 0..node.extents.len() {
            found.push(self.known(graph, id, node, label).map(|name| {
                // Labels of one name in scopes of their own.
                let times = used.entry(name.to_string()).or_insert(0);
                *times += 1;
                format!("{name}{}", "'".repeat(*times - 1))
            }));
        }
        let mut letter = |n: usize| loop {
            let next = letters.next().map_or_else(|| format!("l{n}"), String::from);
            if !used.contains_key(&next) {
                return next;
            }
        };
        found.into_iter().enumerate().map(|(n, name)| name.unwrap_or_else(|| letter(n))).collect()
    }

    /// The equation of an operation.
    pub(in crate::exec) fn equation(&self, graph: &'g OpGraph, id: OperationId) -> String {
        let node = graph.operation(id);
        let labels = self.labels(graph, id);
        let edge = |edge: &Edge| self.edge(graph, node, &labels, edge);
        let made: Vec<String> = node.outputs.iter().map(edge).collect();
        let read: Vec<String> = node.inputs.iter().map(edge).collect();
        let dtype = graph.tensor(node.outputs[0].tensor).dtype;
        let right = match &node.operation {
            Operation::Contract { alpha, then } => {
                let factors = if then.is_some() { 2 } else { read.len() };
                let product = product(*alpha, dtype, &read[..factors]);
                match then {
                    None => product.0,
                    Some(program) => written(program, dtype, &[&[product], &plain(&read[factors..])[..]].concat()).0,
                }
            }
            Operation::Map { program, reduction } => {
                let body = written(program, dtype, &plain(&read)).0;
                let kept = node.outputs[0].labels();
                let folded: Vec<&str> =
                    (0..node.extents.len()).filter(|l| !kept.contains(l)).map(|l| labels[l].as_str()).collect();
                match folded.is_empty() {
                    true => body,
                    false => format!("{}({}; {body})", name(*reduction), folded.join(", ")),
                }
            }
            Operation::Place { program, extreme } => {
                let body = written(program, dtype, &plain(&read)).0;
                let label = &labels[node.folded_labels()[0]];
                format!("arg{}({label}; {body})", name(*extreme))
            }
            Operation::Sliced { parts, body } => {
                let cut: Vec<&str> = parts.iter().map(|&(label, _)| labels[label].as_str()).collect();
                let (parts, products) = (node.parts(), body.operations().len());
                format!(
                    "{} in {} along {}, {} each",
                    read.join(" * "),
                    counted(parts, "part"),
                    cut.join(", "),
                    counted(products, "product")
                )
            }
            Operation::Factorise(call) => format!("{}({})", call.kind.name(), read.join(", ")),
            Operation::Reshape => format!("reshape({})", read.join(", ")),
            Operation::Write { part } => {
                let target = Edge { axes: part.clone(), ..node.outputs[0].clone() };
                let place = self.edge(graph, node, &labels, &target);
                match &read[..] {
                    [base, part] => format!("{base}, {place} = {part}"),
                    _ => format!("0, {place} = {}", read.join(", ")),
                }
            }
        };
        cut(format!("{} = {right}", made.join(", ")))
    }

    fn edge(&self, graph: &OpGraph, node: &OperationNode, labels: &[String], edge: &Edge) -> String {
        let extents = &graph.tensor(edge.tensor).extents;
        let axis = |(axis, &extent): (&EdgeAxis, &usize)| match *axis {
            EdgeAxis::Chip(position) => position.to_string(),
            EdgeAxis::Label { label, start: 0 } if node.extents[label] == extent => labels[label].clone(),
            EdgeAxis::Label { label, start } => {
                format!("{} in {start}..{}", labels[label], start.saturating_add(node.extents[label]))
            }
        };
        let axes: Vec<String> = edge.axes.iter().zip(extents).map(axis).collect();
        let text = format!("{}[{}]", self.tensor(edge.tensor), axes.join(","));
        if edge.conjugate { format!("conj({text})") } else { text }
    }
}

/// The name of a tensor. `result` is its number if it is a result.
fn called(graph: &OpGraph, part: Part, id: TensorId, result: Option<usize>) -> String {
    let node = graph.tensor(id);
    if let Some(slot) = node.slot {
        return match part {
            Part::Each { given } if slot >= given => format!("k{}", slot - given),
            Part::Each { .. } | Part::Whole | Part::Once => format!("x{slot}"),
        };
    }
    match result {
        Some(n) if part == Part::Once => format!("k{n}"),
        Some(_) if graph.sinks().len() == 1 => "r".to_string(),
        Some(n) => format!("r{n}"),
        None => {
            let producer = node.producer.expect("a tensor is given or computed");
            let outputs = &graph.operation(producer).outputs;
            let place = outputs.iter().position(|edge| edge.tensor == id).unwrap_or(0);
            let part = if outputs.len() > 1 { format!(".{place}") } else { String::new() };
            format!("t{}{part}", producer.0 + 1)
        }
    }
}

/// Text, and how tightly its outermost operation binds.
type Bound = (String, u8);
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const WHOLE: u8 = 3;

fn plain(texts: &[String]) -> Vec<Bound> {
    texts.iter().map(|text| (text.clone(), WHOLE)).collect()
}

/// Factors with a number in front.
fn product(alpha: Complex<f64>, dtype: Dtype, factors: &[String]) -> Bound {
    let factors_text = factors.join(" * ");
    match (alpha == Complex::new(1.0, 0.0), alpha == Complex::new(-1.0, 0.0)) {
        (true, _) if factors.len() == 1 => (factors_text, WHOLE),
        (true, _) => (factors_text, PRODUCT),
        (_, true) => (format!("-{factors_text}"), SUM),
        _ => (format!("{} * {factors_text}", number(alpha, dtype)), PRODUCT),
    }
}

/// A number of an equation over such elements, with the fewest digits that tell it from its neighbours among them.
fn number(value: Complex<f64>, dtype: Dtype) -> String {
    let is_single = dtype.real() == Dtype::F32;
    let part = |x: f64| {
        let text = if is_single { format!("{:?}", x as f32) } else { format!("{x:?}") };
        text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
    };
    if value.im == 0.0 {
        return part(value.re);
    }
    let im = part(value.im);
    format!("({}{}{im}i)", part(value.re), if im.starts_with('-') { "" } else { "+" })
}

/// The text of a program over these inputs. The text of each register is built only once.
fn written(program: &Program, dtype: Dtype, inputs: &[Bound]) -> Bound {
    let mut registers: Vec<Bound> = Vec::new();
    // A comparison is a condition where a choice reads it, and elsewhere a number.
    let mut conditions: Vec<Option<String>> = Vec::new();
    let within = |(text, binds): &Bound, least: u8| if *binds < least { format!("({text})") } else { text.clone() };
    for instruction in program.instructions() {
        let text = |register: usize| &registers[register];
        let mut condition = None;
        let (text, binds) = match instruction {
            Instruction::Input(n) => inputs[*n].clone(),
            Instruction::Converted(n) => (format!("cast({})", inputs[*n].0), WHOLE),
            Instruction::Constant(value) => (number(*value, dtype), if value.re < 0.0 { SUM } else { WHOLE }),
            Instruction::Negate(a) => (format!("-{}", within(text(*a), PRODUCT)), SUM),
            Instruction::Apply(function, a) => (format!("{}({})", function.name(), text(*a).0), WHOLE),
            Instruction::PowerInteger(a, exponent) => (format!("powi({}, {exponent})", text(*a).0), WHOLE),
            Instruction::PowerReal(a, exponent) => {
                (format!("powf({}, {})", text(*a).0, number((*exponent).into(), dtype)), WHOLE)
            }
            Instruction::Combine(operator, a, b) => {
                let (sign, binds, right) = match operator {
                    Binary::Add => ("+", SUM, SUM),
                    Binary::Subtract => ("-", SUM, PRODUCT),
                    Binary::Multiply => ("*", PRODUCT, PRODUCT),
                    Binary::Divide => ("/", PRODUCT, WHOLE),
                };
                (format!("{} {sign} {}", within(text(*a), binds), within(text(*b), right)), binds)
            }
            Instruction::Compare(comparison, a, b) => {
                let compared = format!("{} {} {}", within(text(*a), SUM), comparison.symbol(), within(text(*b), SUM));
                let number = format!("select({compared}; 1, 0)");
                condition = Some(cut(compared));
                (number, WHOLE)
            }
            Instruction::Select(chooses, a, b) => {
                let chooses = conditions[*chooses].as_ref().unwrap_or(&text(*chooses).0);
                (format!("select({chooses}; {}, {})", text(*a).0, text(*b).0), WHOLE)
            }
            Instruction::Call(slot, arguments) => {
                let arguments: Vec<&str> = arguments.registers().iter().map(|&a| text(a).0.as_str()).collect();
                (format!("map(f{slot}; {})", arguments.join(", ")), WHOLE)
            }
        };
        registers.push((cut(text), binds));
        conditions.push(condition);
    }
    registers.pop().expect("a program computes something")
}

fn name(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Sum => "sum",
        Reduction::Product => "prod",
        Reduction::Max => "max",
        Reduction::Min => "min",
    }
}

/// The beginning of a text that is too long to be read.
fn cut(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}
