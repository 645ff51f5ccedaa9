//! Equations over block tensors: inferred, joined and computed block by block.
//!
//! `operand` takes operands, `tree` reads an equation, `layers` its semicolons, `tie` resolves diagonals, `stages` divides it into sums of
//! products and element-wise work. `definition` says what a stage is to compute, which the reference device runs. `terms` expands a sum of
//! products; `cuts` says how labels are cut, `equal` and `same` when two products and two expressions are the same by symmetry, `permuted`
//! which symmetries are tried, `infer` and `flow` which symmetry and charge a result has, `claims` what is said of it and `believed`
//! whether that holds. `pieces` lists the blocks of a factor, `join` finds which of them meet, `packed` which pairs of indices need one
//! order alone, `placed` and `lying` say where they lie, `group` multiplies what was gathered and `direct` what lies right, `tasks` runs
//! both side by side. `pair` is a product of two factors, `plan` the products of an equation, `intermediates` what they make on the way,
//! `parts` how terms are computed in parts, `order` the order of their factors; `elements` is element-wise work, `zeros` what conditions
//! say of zeros, `sectors` linear algebra. `prepared` runs a plan, `watched` reports its steps, `memory` counts what it takes, `explain`
//! prints it, `kept` keeps the last ones. `slices` has functions of slices, `composed` equations over structures alone, `composed_shapes`
//! over shapes and symmetries. This file has the entry points.

mod believed;
mod call;
mod claims;
mod composed;
mod composed_shapes;
mod cuts;
mod definition;
mod direct;
mod elements;
mod equal;
mod explain;
mod flow;
mod fold;
mod group;
mod infer;
mod intermediates;
mod join;
mod kept;
mod layers;
mod linear;
mod lying;
mod memory;
mod norms;
mod operand;
mod order;
mod packed;
mod pair;
mod parts;
mod permuted;
mod pieces;
mod placed;
mod plan;
mod prepared;
mod reader;
mod same;
mod sectors;
mod slices;
mod stages;
mod tasks;
mod tensors;
mod terms;
#[cfg(test)]
mod tests;
mod tie;
mod tree;
mod watched;
mod zeros;

use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::structure::Structure;
use tensorwrapper_notation::syntax::Hole;
use tensorwrapper_notation::{Equation, Operand, OperandId};

pub(crate) use self::call::BlockCall;
pub use self::composed::IndexedStructure;
pub use self::explain::PairProduct;
use self::kept::Key;
use self::memory::{Counted, Peak};
pub(in crate::exec) use self::operand::BlockOperand;
use self::operand::block_operands;
use self::order::Chosen;
use self::parts::{MOST_PARTS, MOST_VISITED};
use self::prepared::Believed;
pub use self::prepared::PreparedBlocks;
use self::reader::Written;
pub use self::sectors::Truncation;
use self::stages::{Stage, stages};
use self::tensors::Tensors;
use self::tree::Tree;
pub(in crate::exec) use self::tree::TreeHoles;
use super::context::Context;
use super::operands::DynOperand;
use super::record::{RecordOperand, check_different, unknown_name, unread_name};
use super::run::Observer;
use super::statements::{checked, subscripts_statement};
use crate::Accumulate;
use crate::expr::equation_of_text;
use crate::tensor::Blocks;

/// Of each operand the number of the first one that is the same tensor.
fn numbers<T: Element>(operands: &[BlockOperand<'_, T>]) -> Vec<usize> {
    (0..operands.len()).map(|n| (0..n).find(|&m| operands[m].is_same(&operands[n])).unwrap_or(n)).collect()
}

/// Evaluates subscripts over block tensors; see [`Context::einsum_blocks`].
///
/// # Errors
/// As [`Context::einsum_blocks`].
///
/// ```
/// # use tensorwrapper_runtime as tensorwrapper;
/// use tensorwrapper::{Blocks, Error, Structure, Symmetry, Tiling, einsum_blocks};
/// let cut = Tiling::cuts([2, 1]);
/// let symmetric = Structure::new([&cut, &cut]).with(Symmetry::none(2).symmetric([0, 1])?)?;
/// let f = Blocks::<f64>::from_fn(&symmetric, |i| (1 + i[0] + i[1]) as f64)?;
/// let c = Blocks::<f64>::from_fn(&Structure::new([&cut, &cut]), |i| (1 + 2 * i[0] + i[1]) as f64)?;
/// let g = einsum_blocks("ip,ij,jq->pq", &[&c, &f, &c])?;
/// assert_eq!(g.structure().symmetry(), symmetric.symmetry()); // inferred: the factors change places
/// # Ok::<(), Error>(())
/// ```
pub fn einsum_blocks<T: Element>(subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Blocks<T>, Error> {
    Context::global().einsum_blocks(subscripts, operands)
}

impl Context {
    /// Evaluates NumPy's subscripts over block tensors. The structure of the result is inferred: its cuts are those of the first operand
    /// that has the label, its blocks those that some product of blocks contributes to, its symmetry and the charge that it conserves
    /// what the operands' say. Operands that are the same tensor (not only equal) may change places.
    ///
    /// The last 64 plans are kept, and up to 256 small ones, each for a context and its clones: make one context and use it again. A
    /// [limit of memory](Context::memory_limit) has products computed in parts along one label, and refuses what does not fit even so.
    /// Products of three and more factors are made in the context's order, which for few factors is by default the one that takes fewest
    /// multiplications for the blocks that are there, as far as that can be told beforehand. Elements that follow from each other within
    /// one block are equal up to rounding.
    ///
    /// # Errors
    /// As [`einsum`](Context::einsum); [`ErrorKind::Shape`](crate::ErrorKind::Shape) when charges do not fit;
    /// [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for what is not computed over block tensors.
    pub fn einsum_blocks<T: Element>(&self, subscripts: &str, operands: &[&dyn DynOperand<T>]) -> Result<Blocks<T>, Error> {
        self.einsum_operands(subscripts, &block_operands(operands)?)
    }

    /// [`einsum_blocks`](Context::einsum_blocks) over operands that were read.
    ///
    /// # Errors
    /// As [`einsum_blocks`](Context::einsum_blocks).
    fn einsum_operands<T: Element>(&self, subscripts: &str, operands: &[BlockOperand<'_, T>]) -> Result<Blocks<T>, Error> {
        let plan = || {
            let equation = checked(&subscripts_statement(subscripts, operands.len())?)?;
            let names = (0..operands.len()).map(|n| format!("operand {n}")).collect();
            self.planned_blocks(&equation, names, operands, &|numbers| Box::new(ByPosition { numbers }))
        };
        self.kept_blocks(format!("subscripts {subscripts}"), operands, plan)?.run_on(operands, &self.observer)
    }

    /// Evaluates an equation over block tensors from its text, such as `[i, j] = 2.0 * A[i, k] * B[k, j] - C[j, i]`. Names stand for block
    /// tensors, dense tensors and numbers.
    ///
    /// # Errors
    /// As [`record`](crate::record) and [`einsum_blocks`](Context::einsum_blocks).
    pub fn eval_blocks<T: Element>(&self, equation: &str, names: &[(&str, &dyn RecordOperand<T>)]) -> Result<Blocks<T>, Error> {
        self.eval_given(equation, &Given::new(names)?)
    }

    /// The same over tensors alone.
    fn eval_tensors<T: Element>(
        &self,
        equation: &str,
        names: Vec<&str>,
        operands: Vec<BlockOperand<'_, T>>,
    ) -> Result<Blocks<T>, Error> {
        self.eval_given(equation, &Given { names: names.clone(), operands, texts: names, numbers: Vec::new() })
    }

    fn eval_given<T: Element>(&self, equation: &str, given: &Given<'_, T>) -> Result<Blocks<T>, Error> {
        self.kept_text(equation, given)?.run_on(&given.operands, &self.observer)
    }

    /// The plan of an equation in text: one that is kept, or a new one.
    fn kept_text<T: Element>(&self, equation: &str, given: &Given<'_, T>) -> Result<Arc<PreparedBlocks>, Error> {
        let spelled: Vec<String> = given.numbers.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        let key = format!("text {equation} {} {}", given.texts.join(" "), spelled.join(" "));
        self.kept_blocks(key, &given.operands, || self.planned_text(equation, given))
    }

    /// Plans an equation over tensors of these structures, to be run any number of times. Numbers are those that are given here.
    ///
    /// # Errors
    /// As [`eval_blocks`](Context::eval_blocks).
    pub fn prepare_blocks<T: Element>(
        &self,
        equation: &str,
        names: &[(&str, &dyn RecordOperand<T>)],
    ) -> Result<PreparedBlocks, Error> {
        let kept = self.kept_text(equation, &Given::new(names)?)?;
        Ok(PreparedBlocks { observer: self.observer.clone(), ..PreparedBlocks::clone(&kept) })
    }

    fn planned_text<T: Element>(&self, equation: &str, given: &Given<'_, T>) -> Result<PreparedBlocks, Error> {
        let equation = equation_of_text(equation)?;
        let Given { names: given, operands, texts, numbers } = given;
        check_different(given)?;
        let read: Vec<&Hole> = equation.holes().into_iter().map(|(hole, _)| hole).collect();
        if let Some(hole) = read.iter().find(|hole| !given.contains(&&*hole.text)) {
            return Err(unknown_name(&hole.text, given));
        }
        if let Some(name) = given.iter().find(|name| !read.iter().any(|hole| hole.text == **name)) {
            return Err(unread_name(name));
        }
        let names: Vec<String> = texts.iter().map(|name| name.to_string()).collect();
        if let Some(operand) = equation.operands().iter().find(|operand| !texts.contains(&&*operand.hole.text)) {
            let (operand, given) = (operand.hole.text.clone(), operand.indices.len());
            return Err(Error::new(ErrorKind::Rank { operand, rank: 0, given }));
        }
        let by_name = |same| -> Box<dyn TreeHoles + '_> { Box::new(ByName { same, texts, numbers }) };
        self.planned_blocks(&equation, names, operands, &by_name)
    }

    /// The plan of an equation over these operands: one that is kept, or a new one.
    ///
    /// # Errors
    /// As [`planned_blocks`](Context::planned_blocks), and [`ErrorKind::Limit`].
    pub(in crate::exec) fn kept_blocks<T: Element>(
        &self,
        equation: String,
        operands: &[BlockOperand<'_, T>],
        plan: impl FnOnce() -> Result<PreparedBlocks, Error>,
    ) -> Result<Arc<PreparedBlocks>, Error> {
        let structures = operands.iter().map(|operand| (operand.structure.clone(), operand.is_dense)).collect();
        let (numbers, backend) = (numbers(operands), Arc::clone(&self.backend));
        let key = Key { equation, numbers, structures, dtype: T::DTYPE, chosen: Chosen::of(&self.choices), backend };
        let found = match kept::find(&key) {
            Some(known) => known,
            None => {
                let new = Arc::new(plan()?);
                kept::keep(key, Arc::clone(&new));
                new
            }
        };
        found.peak.check(self.choices.memory)?;
        Ok(found)
    }

    /// Refuses sums that are to be computed in double precision of numbers in single precision.
    fn refuse_double_sums<T: Element>(&self, tree: &Tree) -> Result<(), Error> {
        let is_double = self.choices.accumulate == Accumulate::Double && T::DTYPE.real() == Dtype::F32;
        if !is_double || !tree.sums() {
            return Ok(());
        }
        let message = format!("sums in double precision over block tensors of `{}`", T::NAME);
        Err(Error::new(ErrorKind::Unsupported(message)).with_help("make the block tensors of numbers in double precision"))
    }

    /// Plans an equation; `holes` says what its holes stand for, by the numbers of operands of which some are the same tensor.
    pub(in crate::exec) fn planned_blocks<'h, T: Element>(
        &self,
        equation: &Equation,
        names: Vec<String>,
        operands: &[BlockOperand<'_, T>],
        holes: &dyn Fn(Vec<usize>) -> Box<dyn TreeHoles + 'h>,
    ) -> Result<PreparedBlocks, Error> {
        let numbers = numbers(operands);
        let holes = holes(numbers.clone());
        let mut written = Written::of(equation, &*holes, (operands.len(), T::DTYPE))?;
        self.refuse_double_sums::<T>(&written.tree)?;
        let structure = |id: OperandId, operand: &Operand| operands[holes.operand(id, operand)].structure.clone();
        layers::check(equation, &structure)?;
        // What is written keeps its cuts.
        if let Some((place, _)) = equation.place() {
            let name = &equation.operands()[place.0].hole.text;
            let tilings = operands[place.0].structure.tilings();
            if tilings.len() != written.left.len() {
                let (operand, rank, given) = (name.clone(), tilings.len(), written.left.len());
                return Err(Error::new(ErrorKind::Rank { operand, rank, given }));
            }
            let known = written.target.iter_mut().zip(tilings);
            known.for_each(|(known, tiling)| *known = known.take().or_else(|| Some((name.clone(), tiling.clone()))));
        }
        let structures: Vec<Structure> = operands.iter().map(|operand| operand.structure.clone()).collect();
        let dense = operands.iter().map(|operand| operand.is_dense).collect();
        let tensors = Tensors { structures: structures.clone(), names: names.clone(), dense };
        let prepared = |written: Written, believed: Option<Arc<Believed>>| -> Result<PreparedBlocks, Error> {
            let Staged { stages, released, result, peak } = self.within_limit::<T>((written, tensors.clone()))?;
            let (backend, observer, stages) = (Arc::clone(&self.backend), Observer::default(), stages.into());
            let (names, structures, numbers, dtype) = (names.clone(), structures.clone(), numbers.clone(), T::DTYPE);
            Ok(PreparedBlocks { backend, observer, stages, released, names, structures, result, numbers, dtype, peak, believed })
        };
        let claims = claims::believed(&written.claims);
        let mut believed = None;
        if cfg!(debug_assertions) && !claims.is_empty() {
            let proved = claims::proved(&written.claims);
            // A result that cannot be had without what is believed is not compared with it.
            let plain = prepared(Written { claims: proved, ..written.clone() }, None);
            let plain = plain.ok().filter(|plain| plain.peak.check(self.choices.memory).is_ok());
            believed = plain.map(|plain| Arc::new(Believed { plain, claims }));
        }
        prepared(written, believed)
    }

    /// The stages of an equation, with terms in about as few parts as a limit of memory asks for. If nothing fits, those in which each is
    /// computed at once; their peak knows how many parts were tried.
    ///
    /// # Errors
    /// As [`planned_blocks`](Context::planned_blocks).
    fn within_limit<T: Element>(&self, given: (Written, Tensors)) -> Result<Staged, Error> {
        let whole = self.staged::<T>(given.clone(), 1)?;
        let Some(allowed) = self.choices.memory else { return Ok(whole) };
        let mut parts = 1;
        let blocks = given.1.structures.iter().map(|structure| Ok(structure.stored()?.len()));
        let blocks = blocks.sum::<Result<usize, Error>>()?;
        let most = MOST_PARTS.min(MOST_VISITED / blocks.max(1));
        let is_cut = !self.backend.device().is_definition();
        while is_cut && whole.peak.is_too_much_between(allowed) && parts < most {
            let more = self.staged::<T>(given.clone(), 2 * parts)?;
            if !more.peak.exceeds(allowed) {
                return Ok(more);
            }
            // As many parts as there are indices are the most.
            if more.peak.parts <= parts {
                break;
            }
            parts = more.peak.parts;
        }
        Ok(Staged { peak: whole.peak.in_parts(parts), ..whole })
    }

    /// The stages of an equation, with each term in at most so many parts.
    fn staged<T: Element>(&self, (written, tensors): (Written, Tensors), parts: usize) -> Result<Staged, Error> {
        let labels = written.left.iter().map(|&label| written.names[label].clone()).collect();
        let operands = tensors.len();
        let mut resolved = tie::resolved(written, tensors)?;
        let given = (resolved.tensors.clone(), std::mem::take(&mut resolved.before));
        let chosen = Chosen::of(&self.choices);
        let stages = stages::<T>((self.backend.device(), &chosen, parts), given, &resolved.written)?;
        let result = resolved.result(stages.last().expect("an equation has a stage that makes its result").result())?;
        let device = self.backend.device();
        let (size, threads, is_definition) = (size_of::<T>(), device.threads(), device.is_definition());
        let released = memory::released(&stages, operands, is_definition);
        let peak =
            Counted { stages: &stages, released: &released, result: &result, labels, size, threads, is_definition }.peak()?;
        Ok(Staged { stages, released, result, peak })
    }
}

/// An equation as stages.
struct Staged {
    stages: Vec<Stage>,
    /// After each stage, the stages whose results no later one reads.
    released: Vec<Vec<usize>>,
    /// The structure of the result.
    result: Structure,
    peak: Peak,
}

/// Operands by their positions.
struct ByPosition {
    numbers: Vec<usize>,
}

impl TreeHoles for ByPosition {
    fn operand(&self, _: OperandId, operand: &Operand) -> usize {
        self.numbers[operand.hole.span.start]
    }
}

/// The values of names, tensors apart from numbers.
struct Given<'g, T: Element> {
    /// All names, as they are given.
    names: Vec<&'g str>,
    operands: Vec<BlockOperand<'g, T>>,
    /// The names of the operands.
    texts: Vec<&'g str>,
    numbers: Vec<(&'g str, Complex<f64>)>,
}

impl<'g, T: Element> Given<'g, T> {
    fn new(names: &[(&'g str, &'g dyn RecordOperand<T>)]) -> Result<Given<'g, T>, Error> {
        let all = names.iter().map(|(name, _)| *name).collect();
        let mut given = Given { names: all, operands: Vec::new(), texts: Vec::new(), numbers: Vec::new() };
        for (name, value) in names {
            let value = value.named();
            match (value.given(), value.number()) {
                (Some(tensor), _) => {
                    given.operands.push(BlockOperand::of(tensor)?);
                    given.texts.push(name);
                }
                (None, number) => given.numbers.push((name, number.unwrap_or_default())),
            }
        }
        Ok(given)
    }
}

/// Operands and numbers by their names.
struct ByName<'n> {
    same: Vec<usize>,
    texts: &'n [&'n str],
    numbers: &'n [(&'n str, Complex<f64>)],
}

impl TreeHoles for ByName<'_> {
    fn operand(&self, _: OperandId, operand: &Operand) -> usize {
        let number = self.texts.iter().position(|name| *name == operand.hole.text);
        self.same[number.expect("every operand was found")]
    }

    fn number(&self, hole: &Hole) -> Result<Complex<f64>, Error> {
        let known = self.numbers.iter().find(|(name, _)| *name == hole.text);
        known.map(|(_, value)| *value).ok_or_else(|| {
            let error = Error::new(ErrorKind::Label(format!("`{}` is no number", hole.text)));
            error.with_help("a tensor has indices; those of one without axes are `[]`")
        })
    }
}
