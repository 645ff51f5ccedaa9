//! What a plan over block tensors will do, as text: what is known of each tensor before anything is computed.

use std::fmt::Write;

use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::structure::{StoredBlocks, Structure};
use tensorwrapper_notation::sentence::counted;

use super::super::operands::DynOperand;

use super::plan::{Plan, Step, Target};
use super::prepared::PreparedBlocks;
use super::stages::Stage;

/// How many blocks are listed.
const NAMED: usize = 6;

/// A product of two tensors that a run of [`PreparedBlocks`] computes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PairProduct {
    /// What is computed, without a number in front: `x1[i, q] = F[i, j] * C[j, q]`. Tensors that are made on the way are called `x` and the
    /// number of the step that makes them, with `_` behind it where an operand has that name.
    pub equation: String,
    /// Whether it is a sum over labels of one tensor alone, which is multiplied by ones.
    pub is_sum: bool,
    /// How many products of pieces of blocks it takes.
    pub tuples: usize,
    /// How many multiplications of numbers these take.
    pub multiplications: u128,
}

impl PreparedBlocks {
    /// The products of pairs of tensors that a run computes, in their order.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let c = Blocks::<f64>::zeros(&Structure::new([&cut, &Tiling::whole(2)]))?;
    /// let f = Blocks::<f64>::zeros(&Structure::new([&cut, &cut]).with_blocks([[0, 1]])?)?;
    /// let prepared = Context::cpu().prepare_blocks::<f64>("[p, q] = C[i, p] * F[i, j] * C[j, q]", &[("C", &c), ("F", &f)])?;
    /// let equations: Vec<String> = prepared.products().into_iter().map(|product| product.equation).collect();
    /// assert_eq!(equations, ["x1[i, q] = F[i, j] * C[j, q]", "result[p, q] = C[i, p] * x1[i, q]"]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn products(&self) -> Vec<PairProduct> {
        let (mut names, mut before, mut all) = (self.names.clone(), 0, Vec::new());
        for (n, (stage, lines)) in self.stages.iter().zip(self.lines()).enumerate() {
            if let Stage::Products(plan) = stage {
                all.extend(products(plan, &names, &self.made(n), before));
            }
            names.push(self.made(n));
            before += lines.len();
        }
        all
    }

    /// The plan as text: the operands, what each stage computes, and the structure of what it makes, all known before a run. Where the
    /// context's device has memory of its own, it says which steps are left to the host.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Blocks, Context, Error, Structure, Tiling};
    /// let cut = Tiling::cuts([2, 3]);
    /// let a = Blocks::<f64>::zeros(&Structure::new([&cut, &cut]).with_blocks([[0, 0], [1, 1]])?)?;
    /// let gram = Context::reference().prepare_blocks::<f64>("[i, j] = A[i, k] * A[j, k]", &[("A", &a)])?;
    /// let text = "\
    /// A: cuts [2, 3] [2, 3]; 2 of 4 blocks stored: [0, 0] [1, 1]; 104 of 200 bytes
    /// 1. result[i, j] = A[i, k] * A[j, k]: 2 tuples, 35 multiplications
    /// result: cuts [2, 3] [2, 3]; symmetry [+(1, 0)]; 2 of 4 blocks stored: [0, 0] [1, 1]; 104 of 200 bytes
    /// `reference` computes these products over dense tensors, term by term
    /// a run takes 904 bytes beside its operands
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
        if self.has_own_memory() {
            let device = self.backend.device().name();
            let _ = writeln!(text, "blocks lie in memory of the host, which gathers and adds what `{device}` multiplies");
        }
        if self.backend.device().is_definition() && self.stages.iter().any(|stage| matches!(stage, Stage::Products(_))) {
            let name = self.backend.device().name();
            let _ = writeln!(text, "`{name}` computes these products over dense tensors, term by term");
        }
        let _ = writeln!(text, "a run takes {} beside its operands", counted(self.peak_bytes(), "byte"));
        text
    }

    /// The same over these operands, with what their norms say of the result's: see [`norm_bounds`](PreparedBlocks::norm_bounds).
    ///
    /// # Errors
    /// As [`run`](PreparedBlocks::run).
    pub fn explain_norms<T: Element>(&self, operands: &[&dyn DynOperand<T>]) -> Result<String, Error> {
        let bounds = self.norm_bounds(operands)?;
        let all = bounds.iter().map(|(_, bound)| *bound).fold(0.0, f64::hypot);
        let largest = bounds.iter().max_by(|one, other| one.1.total_cmp(&other.1));
        let mut text = self.explain();
        let _ = match largest {
            Some((block, bound)) if all.is_finite() => {
                writeln!(
                    text,
                    "norms: {all:.3e} at most in all blocks that are stored, {bound:.3e} in block {block:?}, the largest"
                )
            }
            Some(_) => writeln!(text, "norms: nothing is known of some blocks"),
            None => writeln!(text, "norms: no block is stored"),
        };
        Ok(text)
    }

    /// What a stage makes.
    fn made(&self, stage: usize) -> String {
        match stage + 1 == self.stages.len() {
            true => unlike(&self.names, "result".to_string()),
            false => format!("intermediate {}", stage + 1),
        }
    }

    /// Whether the device computes elsewhere than where blocks lie.
    fn has_own_memory(&self) -> bool {
        self.backend.device().resident().is_some()
    }

    /// What each step does, by stages.
    pub(super) fn lines(&self) -> Vec<Vec<String>> {
        let mut names = self.names.clone();
        let mut lines: Vec<Vec<String>> = Vec::new();
        for (n, stage) in self.stages.iter().enumerate() {
            let makes = self.made(n);
            let host = if stage.is_of_host() && self.has_own_memory() { " on the host" } else { "" };
            lines.push(match stage {
                Stage::Products(plan) => {
                    let line = |PairProduct { equation, tuples, multiplications, .. }| {
                        format!("{equation}: {}, {}", counted(tuples, "tuple"), counted(multiplications, "multiplication"))
                    };
                    products(plan, &names, &makes, lines.iter().map(Vec::len).sum()).into_iter().map(line).collect()
                }
                Stage::Iota(_) => vec![format!("the values of an index{host}, into the {makes}")],
                Stage::Part(part) => vec![format!("a part of {}{host}, into the {makes}", names[part.of.0])],
                Stage::Elements(elements) => {
                    vec![format!("element by element in {}, into the {makes}", counted(elements.boxes(), "box"))]
                }
                Stage::Fold(fold) => {
                    vec![format!("{} reduced in {}{host}, into the {makes}", names[fold.operand], counted(fold.parts(), "block"))]
                }
                Stage::Untied { operand, .. } => {
                    vec![format!("{} with the zeros of its blocks{host}, into the {makes}", names[*operand])]
                }
            });
            names.push(makes);
        }
        lines
    }
}

/// A name that none of these is.
fn unlike(names: &[String], mut name: String) -> String {
    while names.contains(&name) {
        name.push('_');
    }
    name
}

/// The products of a plan, which come after so many other steps.
fn products(plan: &Plan, names: &[String], makes: &str, before: usize) -> Vec<PairProduct> {
    let mut made: Vec<(usize, String)> = Vec::new();
    let mut is_written = false;
    let product = |(n, step): (usize, &Step)| {
        let axes = |labels: &[String]| format!("[{}]", labels.join(", "));
        let factor = |number: usize, (labels, conjugates): &(Vec<String>, bool)| {
            let known = names.get(number).or_else(|| made.iter().find(|(own, _)| *own == number).map(|(_, name)| name));
            let read = known.map_or("1", String::as_str).to_string() + &axes(labels);
            if *conjugates { format!("conj({read})") } else { read }
        };
        // Ones without axes are the number.
        let is_read = |n: &usize| !(step.is_sum && *n == 1 && step.read[*n].0.is_empty());
        let right: Vec<String> = [0, 1].into_iter().filter(is_read).map(|n| factor(step.factors[n], &step.read[n])).collect();
        let right = right.join(" * ");
        let (name, sign) = match step.makes {
            Target::Result => (makes.to_string(), if std::mem::replace(&mut is_written, true) { "+=" } else { "=" }),
            Target::Intermediate(number) => {
                let name = unlike(names, format!("x{}", before + n + 1));
                made.push((number, name.clone()));
                (name, "=")
            }
        };
        PairProduct {
            equation: format!("{name}{} {sign} {right}", axes(&step.labels)),
            is_sum: step.is_sum,
            tuples: step.pair.tuples,
            multiplications: step.pair.multiplications,
        }
    };
    plan.steps.iter().enumerate().map(product).collect()
}

/// What is known of a tensor, in a line.
fn summary(structure: &Structure, size: usize) -> String {
    let cuts: Vec<String> = structure.tilings().iter().map(|tiling| format!("[{tiling}]")).collect();
    let mut parts = vec![if cuts.is_empty() { "a number".to_string() } else { format!("cuts {}", cuts.join(" ")) }];
    if !structure.symmetry().is_none() {
        parts.push(format!("symmetry {}", structure.symmetry()));
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
        parts.push(format!("{} of {} stored{}", stored.len(), counted(all, "block"), listed(stored, all)));
        parts.push(format!("{bytes} of {}", counted(whole, "byte")));
    }
    parts.join("; ")
}

/// The first of the blocks that are stored, where not all are.
fn listed(stored: &StoredBlocks, all: f64) -> String {
    if stored.is_empty() || stored.len() as f64 == all {
        return String::new();
    }
    let named: Vec<String> = stored.iter().take(NAMED).map(|block| format!("{block:?}")).collect();
    let others = stored.len() - named.len();
    let others = if others > 0 { format!(" and {others} more") } else { String::new() };
    format!(": {}{others}", named.join(" "))
}
