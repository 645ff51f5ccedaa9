//! The two drawings of the page: the tree of contractions and the memory from step to step. Both are SVG; the page gives their
//! colours with CSS classes.

use std::fmt::Write;

use super::dot::extents;
use super::explanation::{Explanation, Role};
use super::table::{bytes, operations, shortened};

/// Larger trees are not drawn, because a page cannot show them legibly.
const MOST_NODES: usize = 6000;
/// Below so many leaves each has its name beside it.
const NAMED: usize = 48;

/// A node of the tree: a step, or a tensor given where a step reads it.
struct Node {
    what: What,
    parent: Option<usize>,
    children: Vec<usize>,
    depth: usize,
    x: f64,
}

#[derive(Clone, Copy)]
enum What {
    Step(usize),
    Given(usize),
    /// Another reader of what a step makes, which is drawn elsewhere.
    Again(usize),
}

/// The tree, or `None` where it is too large to be drawn.
pub(super) fn tree(explanation: &Explanation) -> Option<String> {
    let (nodes, leaves) = laid_out(explanation)?;
    let names = leaves <= NAMED;
    let (slot, level) = if names { (92.0, 74.0) } else { (16.0, 34.0) };
    let depth = nodes.iter().map(|node| node.depth).max().unwrap_or(0);
    let (width, height) = ((leaves.max(2) as f64) * slot, (depth + 1) as f64 * level + 24.0);
    let place = |node: &Node| ((node.x + 0.5) * slot, node.depth as f64 * level + 28.0);
    let most = explanation.steps.iter().map(|step| step.operations).fold(1.0, f64::max);
    let largest = explanation.steps.iter().map(|step| step.made).max().unwrap_or(1).max(1) as f64;
    let mut edges = String::new();
    let mut marks = String::new();
    for node in &nodes {
        let (x, y) = place(node);
        if let Some(parent) = node.parent {
            let (px, py) = place(&nodes[parent]);
            let middle = (y + py) / 2.0;
            let (thick, class) = match node.what {
                What::Step(n) => (1.0 + 5.0 * (explanation.steps[n].made as f64 / largest).sqrt(), "edge"),
                What::Given(_) => (1.0, "edge given"),
                What::Again(_) => (1.0, "edge again"),
            };
            let _ = writeln!(
                edges,
                "<path class=\"{class}\" stroke-width=\"{thick:.1}\" d=\"M{x:.1} {y:.1}C{x:.1} {middle:.1} {px:.1} {middle:.1} {px:.1} {py:.1}\"/>"
            );
        }
        match node.what {
            What::Step(n) => {
                let step = &explanation.steps[n];
                let radius = (if names { 6.0 } else { 3.5 }) + (if names { 12.0 } else { 8.0 }) * (step.operations / most).sqrt();
                let equation = escaped(&step.equation);
                let words =
                    format!("{}: {equation}\n{}, {}, {}", n + 1, step.kind(), operations(step.operations), bytes(step.made));
                let class = step.class.name();
                let _ = writeln!(
                    marks,
                    "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{words}</title></circle>"
                );
                if names {
                    let (tx, ty) = (x + radius + 4.0, y - 4.0);
                    let name = &explanation.tensors[explanation.links[n].makes[0]].name;
                    let _ = writeln!(marks, "<text x=\"{tx:.1}\" y=\"{ty:.1}\">{}</text>", escaped(name));
                }
            }
            What::Given(tensor) => {
                let shown = &explanation.tensors[tensor];
                let (name, shape) = (escaped(&shown.name), extents(&shown.extents));
                let side = if names { 8.0 } else { 5.0 };
                let (left, top) = (x - side / 2.0, y - side / 2.0);
                let _ = writeln!(
                    marks,
                    "<rect class=\"given\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side}\" height=\"{side}\"><title>{name}: {shape}</title></rect>"
                );
                if names {
                    let (name, shape) = (escaped(&shortened(&shown.name, 12)), escaped(&shortened(&shape, 15)));
                    let _ = writeln!(
                        marks,
                        "<text class=\"leaf\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text><text class=\"leaf small\" x=\"{x:.1}\" y=\"{:.1}\">{shape}</text>",
                        y + 18.0,
                        y + 31.0
                    );
                }
            }
            What::Again(n) => {
                let name = escaped(&explanation.tensors[explanation.links[n].makes[0]].name);
                let _ = writeln!(
                    marks,
                    "<circle class=\"again\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\"><title>{name}, made by step {}</title></circle>",
                    n + 1
                );
                if names {
                    let _ = writeln!(marks, "<text class=\"leaf\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text>", y + 18.0);
                }
            }
        }
    }
    let height = height + if names { 28.0 } else { 0.0 };
    Some(format!(
        "<svg class=\"tree\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\" aria-label=\"tree of contractions\">\n{edges}{marks}</svg>"
    ))
}

/// The nodes with their places, and the number of leaves; `None` where there are too many.
fn laid_out(explanation: &Explanation) -> Option<(Vec<Node>, usize)> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut seen = vec![false; explanation.steps.len()];
    // Results last to first, so that the first is taken off first.
    let results = explanation.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Wanted);
    let mut waiting: Vec<(usize, Option<usize>)> = results.map(|(tensor, _)| (tensor, None)).collect();
    waiting.reverse();
    while let Some((tensor, parent)) = waiting.pop() {
        if nodes.len() >= MOST_NODES {
            return None;
        }
        let what = match explanation.maker(tensor) {
            None => What::Given(tensor),
            Some(step) => match (std::mem::replace(&mut seen[step], true), parent) {
                (false, _) => What::Step(step),
                (true, Some(_)) => What::Again(step),
                (true, None) => continue,
            },
        };
        let depth = parent.map_or(0, |parent: usize| nodes[parent].depth + 1);
        let own = nodes.len();
        nodes.push(Node { what, parent, children: Vec::new(), depth, x: 0.0 });
        if let Some(parent) = parent {
            nodes[parent].children.push(own);
        }
        if let What::Step(step) = what {
            waiting.extend(explanation.links[step].reads.iter().rev().map(|&read| (read, Some(own))));
        }
    }
    // Nodes stand in the order of a walk: leaves get their places in it, and all others stand over their children.
    let mut leaves = 0;
    for node in &mut nodes {
        let is_leaf = match node.what {
            What::Step(step) => explanation.links[step].reads.is_empty(),
            What::Given(_) | What::Again(_) => true,
        };
        if is_leaf {
            node.x = f64::from(leaves);
            leaves += 1;
        }
    }
    for n in (0..nodes.len()).rev() {
        let children = &nodes[n].children;
        if !children.is_empty() {
            let (first, last) = (nodes[children[0]].x, nodes[children[children.len() - 1]].x);
            nodes[n].x = (first + last) / 2.0;
        }
    }
    Some((nodes, leaves as usize))
}

/// Memory from step to step: a bar for each, the peak as a line.
pub(super) fn memory(explanation: &Explanation) -> String {
    let (width, height, left, below) = (960.0, 240.0, 76.0, 28.0);
    let peak = explanation.peak_bytes().max(1) as f64;
    let steps = explanation.steps.len().max(1);
    let wide = (width - left - 8.0) / steps as f64;
    let scale = (height - below - 20.0) / peak;
    let y = |value: f64| height - below - value * scale;
    let mut text = format!(
        "<svg class=\"memory\" viewBox=\"0 0 {width} {height}\" width=\"100%\" role=\"img\" aria-label=\"memory from step to step\">\n"
    );
    for part in [0.25, 0.5, 0.75, 1.0] {
        let at = y(part * peak);
        let class = if part == 1.0 { "grid peak" } else { "grid" };
        let label = bytes((part * peak) as u128);
        let _ = writeln!(
            text,
            "<path class=\"{class}\" d=\"M{left} {at:.1}H{:.1}\"/><text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
            width - 8.0,
            left - 8.0,
            at + 4.0
        );
    }
    // A gap between bars that are wide enough to have one.
    let gap = if wide > 6.0 { 1.5 } else { 0.0 };
    for (n, step) in explanation.steps.iter().enumerate() {
        let (x, top) = (left + n as f64 * wide, y(step.live as f64));
        let _ = writeln!(
            text,
            "<rect class=\"{}\" x=\"{x:.2}\" y=\"{top:.2}\" width=\"{:.2}\" height=\"{:.2}\"><title>step {}: {}\n{}</title></rect>",
            step.class.name(),
            (wide - gap).max(0.2),
            height - below - top,
            n + 1,
            bytes(step.live),
            escaped(&step.equation)
        );
    }
    let base = y(0.0);
    let _ = writeln!(text, "<path class=\"base\" d=\"M{left} {base:.1}H{:.1}\"/>", width - 8.0);
    let (first, middle, end) = (left, left + (width - left - 8.0) / 2.0, width - 8.0);
    let below_axis = height - 8.0;
    let _ = writeln!(
        text,
        "<text class=\"axis start\" x=\"{first:.1}\" y=\"{below_axis}\">step 1</text><text class=\"axis middle\" x=\"{middle:.1}\" y=\"{below_axis}\">order of running</text><text class=\"axis\" x=\"{end:.1}\" y=\"{below_axis}\">step {steps}</text>\n</svg>"
    );
    text
}

/// Text that a page shows as it is.
pub(super) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}
