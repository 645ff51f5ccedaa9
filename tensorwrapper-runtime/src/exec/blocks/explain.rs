//! What a plan over block tensors will do, as text: what is known of each tensor before anything is computed.

use std::fmt::Write;

use tensorwrapper_core::structure::Structure;

use super::plan::{Plan, Step, Target};
use super::prepared::PreparedBlocks;
use super::stages::Stage;

impl PreparedBlocks {
    /// The plan as text: the operands, what each stage computes, and the structure of what it makes, all known before a run.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let a = Blocks::<f64>::zeros(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?)?;
    /// let gram = Context::reference().prepare_blocks::<f64>("[i, j] = A[i, k] * A[j, k]", &[("A", &a)])?;
    /// let text = "\
    /// A: cuts [2, 3] [2, 3]; 2 of 4 blocks stored, 104 of 200 bytes
    /// 1. A · A: 2 tuples, 35 multiplications, into the result
    /// result: cuts [2, 3] [2, 3]; a symmetry of 2 permutations; 2 of 4 blocks stored, 104 of 200 bytes
    /// a run takes 176 bytes beside its operands
    /// ";
    /// assert_eq!(gram.explain(), text);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn explain(&self) -> String {
        let mut text = String::new();
        let size = self.dtype.size();
        for (n, (name, structure)) in self.names.iter().zip(&self.structures).enumerate() {
            if self.numbers[n] == n {
                let _ = writeln!(text, "{name}: {}", summary(structure, size));
            }
        }
        let mut step = 0;
        for (n, (stage, lines)) in self.stages.iter().zip(self.lines()).enumerate() {
            for line in lines {
                step += 1;
                let _ = writeln!(text, "{step}. {line}");
            }
            let is_last = n + 1 == self.stages.len();
            let structure = if is_last { self.structure() } else { stage.result() };
            let _ = writeln!(text, "{}: {}", self.made(n), summary(structure, size));
        }
        let _ = writeln!(text, "a run takes {} bytes beside its operands", self.peak_bytes());
        text
    }

    /// What a stage makes.
    fn made(&self, stage: usize) -> String {
        if stage + 1 == self.stages.len() { "result".to_string() } else { format!("intermediate {}", stage + 1) }
    }

    /// What each step does, by stages.
    pub(super) fn lines(&self) -> Vec<Vec<String>> {
        let mut names = self.names.clone();
        let mut lines: Vec<Vec<String>> = Vec::new();
        for (n, stage) in self.stages.iter().enumerate() {
            let makes = self.made(n);
            lines.push(match stage {
                Stage::Products(plan) => products(plan, &names, &makes, lines.iter().map(Vec::len).sum()),
                Stage::Iota(_) => vec![format!("the values of an index, into the {makes}")],
                Stage::Part(part) => vec![format!("a part of {}, into the {makes}", names[part.of.0])],
                Stage::Elements(elements) => {
                    vec![format!("element by element in {} boxes, into the {makes}", elements.boxes())]
                }
                Stage::Fold(fold) => {
                    vec![format!("{} reduced in {} blocks, into the {makes}", names[fold.operand], fold.parts())]
                }
                Stage::Untied { operand, .. } => {
                    vec![format!("{} with the zeros of its blocks, into the {makes}", names[*operand])]
                }
            });
            names.push(makes);
        }
        lines
    }
}

/// The steps of a sum of products, which come after so many others.
fn products(plan: &Plan, names: &[String], makes: &str, before: usize) -> Vec<String> {
    let mut made: Vec<(usize, usize)> = Vec::new();
    let line = |(n, product): (usize, &Step)| {
        let name = |number: usize| match (names.get(number), made.iter().find(|(known, _)| *known == number)) {
            (Some(name), _) => name.clone(),
            (None, Some((_, step))) => format!("({step})"),
            (None, None) => "1".to_string(),
        };
        let [one, other] = product.factors.map(name);
        let (tuples, work) = (product.pair.tuples, product.pair.multiplications);
        let into = match product.makes {
            Target::Result => format!("into the {makes}"),
            Target::Intermediate(number) => {
                made.push((number, before + n + 1));
                "into a block tensor".to_string()
            }
        };
        format!("{one} · {other}: {tuples} tuples, {work} multiplications, {into}")
    };
    plan.steps.iter().enumerate().map(line).collect()
}

/// What is known of a tensor, in a line.
fn summary(structure: &Structure, size: usize) -> String {
    let cuts: Vec<String> = structure.tilings().iter().map(|tiling| format!("[{tiling}]")).collect();
    let mut parts = vec![if cuts.is_empty() { "a number".to_string() } else { format!("cuts {}", cuts.join(" ")) }];
    let group = structure.symmetry().elements().len();
    if group > 1 {
        parts.push(format!("a symmetry of {group} permutations"));
    }
    if structure.has_equal_blocks() {
        parts.push("equal blocks".to_string());
    }
    if let Some(ties) = structure.ties() {
        parts.push(format!("axes tied as {ties:?}"));
    }
    if let Some(flow) = structure.charge_flow() {
        parts.push(format!("charges flow {:?} with total {:?}", flow.signs(), flow.total()));
    }
    if let Ok(stored) = structure.stored() {
        let all: f64 = structure.tilings().iter().map(|tiling| tiling.len() as f64).product();
        let whole: f64 = structure.tilings().iter().map(|tiling| tiling.extent() as f64).product();
        let (bytes, whole) = (stored.elements() * size, whole * size as f64);
        parts.push(format!("{} of {all} blocks stored, {bytes} of {whole} bytes", stored.len()));
    }
    parts.join("; ")
}
