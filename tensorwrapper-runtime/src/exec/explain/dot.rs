//! Writes a plan in Graphviz's language: the given tensors are boxes, the steps are ellipses, and the arrows are labelled with
//! the tensors that are passed.

use std::fmt::Write;

use super::explanation::{Explanation, Role};
use super::table::{bytes, operations, shortened};

impl Explanation {
    /// The plan in Graphviz's language: `dot -Tsvg` draws it.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let dot = Context::cpu().prepare("ij,jk->ik", &[&a, &a])?.explain().dot();
    /// assert!(dot.starts_with("digraph plan {"));
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn dot(&self) -> String {
        let mut text = String::from("digraph plan {\n  rankdir=BT;\n  node [fontname=\"sans-serif\"];\n");
        for (n, tensor) in self.tensors.iter().enumerate().filter(|(_, tensor)| tensor.role == Role::Given) {
            let label = quoted(&format!("{}\n{}", tensor.name, extents(&tensor.extents)));
            let _ = writeln!(text, "  x{n} [shape=box, label={label}];");
        }
        for (n, (step, links)) in self.steps.iter().zip(&self.links).enumerate() {
            let (equation, operations) = (shortened(&step.equation, 60), operations(step.operations));
            let label = quoted(&format!("{}: {equation}\n{}, {operations}", n + 1, step.kind()));
            let is_result = links.makes.iter().any(|&made| self.tensors[made].role == Role::Wanted);
            let _ = writeln!(text, "  s{n} [label={label}{}];", if is_result { ", peripheries=2" } else { "" });
            for &read in &links.reads {
                let tensor = &self.tensors[read];
                let from = match self.maker(read) {
                    Some(step) => format!("s{step}"),
                    None => format!("x{read}"),
                };
                let size = tensor.extents.iter().fold(tensor.dtype.size() as u128, |all, &n| all.saturating_mul(n as u128));
                let _ = writeln!(text, "  {from} -> s{n} [label={}];", quoted(&bytes(size)));
            }
        }
        text.push_str("}\n");
        text
    }

    /// The step that makes a tensor.
    pub(super) fn maker(&self, tensor: usize) -> Option<usize> {
        self.makers.get(tensor).copied().flatten()
    }
}

/// Extents as people write them.
pub(super) fn extents(extents: &[usize]) -> String {
    match extents {
        [] => "number".to_string(),
        _ => extents.iter().map(usize::to_string).collect::<Vec<_>>().join(" × "),
    }
}

/// A string of the language.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
