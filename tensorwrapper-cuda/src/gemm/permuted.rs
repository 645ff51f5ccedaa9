//! Contractions that become products of matrices when factors are permuted: these are copied to scratch memory first. A result
//! with another order of axes is computed in scratch memory, too, and then copied to the output.

use super::multiplied::with_epilogue;
use super::strided::strided_gemm;
use crate::text::{Argument, Fold, Gemm, Input, Launch, Launches, Memory, Route, Stored, fold_launches};
use tensorwrapper_core::backend::{Contraction, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::layout::Strided;

/// The axes of a contraction, grouped as the axes of a product of matrices.
struct AxisGroups {
    batch: Vec<usize>,
    rows: Vec<usize>,
    columns: Vec<usize>,
    terms: Vec<usize>,
}

impl AxisGroups {
    /// `None` where an axis belongs to one factor only and is summed, or to no factor.
    fn of(contraction: &Contraction<'_>) -> Option<AxisGroups> {
        let &[left, right] = contraction.factors else { return None };
        let (extents, kept) = (contraction.nest.extents(), contraction.nest.kept());
        if extents.contains(&0) {
            return None;
        }
        let mut groups = AxisGroups { batch: Vec::new(), rows: Vec::new(), columns: Vec::new(), terms: Vec::new() };
        for axis in (0..extents.len()).filter(|&axis| extents[axis] > 1) {
            let has = [left.0, right.0].map(|layout| layout.strides()[axis] != 0);
            match (has, axis < kept) {
                ([true, true], true) => groups.batch.push(axis),
                ([true, false], true) => groups.rows.push(axis),
                ([false, true], true) => groups.columns.push(axis),
                ([true, true], false) => groups.terms.push(axis),
                _ => return None,
            }
        }
        Some(groups)
    }
}

/// A dense tensor with some axes of a space, the last fastest: its strides along all axes of the space, and its number of
/// elements.
fn dense<'a>(extents: &[usize], axes: impl DoubleEndedIterator<Item = &'a usize>) -> (Vec<isize>, usize) {
    let mut strides = vec![0; extents.len()];
    let len = axes.rev().fold(1, |stride, &axis| {
        strides[axis] = stride as isize;
        stride * extents[axis]
    });
    (strides, len)
}

/// A product of matrices behind copies of some factors; without `direct` it goes to scratch memory, and is copied from there.
struct Candidate {
    copied: [bool; 2],
    direct: bool,
    product: Gemm,
    /// How many elements are copied.
    elements: usize,
}

/// The tensors of a contraction as dense matrices, with the axes of a batch in front.
struct Matrices {
    left: Strided,
    right: Strided,
    result: Strided,
    /// How many products there are, if nothing but the equation makes them a batch.
    items: usize,
}

impl Matrices {
    fn of(contraction: &Contraction<'_>) -> Option<Matrices> {
        let AxisGroups { batch, rows, columns, terms } = AxisGroups::of(contraction)?;
        let (extents, kept) = (contraction.nest.extents(), contraction.nest.kept());
        let matrices = |lines: &[usize], across: &[usize], rank: usize| {
            let (strides, len) = dense(extents, batch.iter().chain(lines).chain(across));
            Strided::within(&extents[..rank], &strides[..rank], 0, len).ok()
        };
        Some(Matrices {
            left: matrices(&rows, &terms, extents.len())?,
            right: matrices(&terms, &columns, extents.len())?,
            result: matrices(&rows, &columns, kept)?,
            items: batch.iter().map(|&axis| extents[axis]).product(),
        })
    }

    fn factor(&self, n: usize) -> &Strided {
        [&self.left, &self.right][n]
    }

    /// All products that copies make of a contraction.
    fn candidates(&self, contraction: &Contraction<'_>) -> Vec<Candidate> {
        let ways = [[false, false], [true, false], [false, true], [true, true]].into_iter();
        let ways = ways.flat_map(|copied| [true, false].map(|direct| (copied, direct)));
        // An epilogue reads the product from scratch memory.
        let ways = ways.filter(|(copied, direct)| !direct || (*copied != [false; 2] && contraction.then.is_none()));
        let candidate = |(copied, direct): ([bool; 2], bool)| {
            let factor = |n: usize| if copied[n] { (self.factor(n), false) } else { contraction.factors[n] };
            let output = if direct { contraction.output } else { &self.result };
            let factors = [factor(0), factor(1)];
            let product = strided_gemm(&Contraction { factors: &factors, output, then: None, others: &[], ..*contraction })?;
            let result = if direct { 0 } else { self.result.reach()? };
            let elements = (0..2).filter(|&n| copied[n]).map(|n| self.factor(n).reach()).sum::<Option<usize>>()?;
            Some(Candidate { copied, direct, product, elements: elements + result })
        };
        ways.filter_map(candidate).collect()
    }

    /// The launches of a candidate.
    fn launches(&self, contraction: &Contraction<'_>, candidate: &Candidate, route: Route, tf32: bool) -> Option<Launches> {
        let (mut before, mut starts, mut end) = (Vec::new(), [None; 2], 0);
        for n in (0..2).filter(|&n| candidate.copied[n]) {
            before.push(copy(contraction, n, self.factor(n), end, route)?);
            starts[n] = Some(end);
            end += (self.factor(n).reach()? * contraction.dtype.size()).next_multiple_of(256);
        }
        let mut product = Gemm { tf32, ..candidate.product };
        for (_, Stored { argument, .. }) in &mut product.factors {
            if let Memory::Input(n) = argument.memory
                && let Some(start) = starts[n]
            {
                *argument = Argument { memory: Memory::Scratch, start: start + argument.start };
            }
        }
        if candidate.direct {
            return Some(Launches { before, product: Some(product), launches: Vec::new(), scratch: end });
        }
        let launches = with_epilogue(contraction, product, &self.result, end, route)?;
        Some(Launches { before, ..launches })
    }
}

/// The launches of a contraction as copies of factors, a library's product, and the epilogue or a copy of the result, in two ways:
/// with as few elements as possible copied, where it is no product of matrices without copies; and with copies that leave no batch
/// but the equation's own, where the first way, or the tensors as they are, have a larger one.
pub(crate) fn permuted_launches(contraction: &Contraction<'_>, route: Route, tf32: bool) -> [Option<Launches>; 2] {
    let Some(matrices) = Matrices::of(contraction) else { return [None, None] };
    let candidates = matrices.candidates(contraction);
    let least =
        |most: usize| candidates.iter().filter(|found| found.product.batch as usize <= most).min_by_key(|found| found.elements);
    let in_place = strided_gemm(&Contraction { then: None, others: &[], ..*contraction });
    let fewest = if in_place.is_none() { least(usize::MAX) } else { None };
    let products = in_place.or(fewest.map(|found| found.product)).map_or(0, |product| product.batch as usize);
    let whole = if products > matrices.items { least(matrices.items) } else { None };
    [fewest, whole].map(|found| matrices.launches(contraction, found?, route, tf32))
}

/// The kernel that copies a factor to scratch memory.
fn copy(contraction: &Contraction<'_>, factor: usize, to: &Strided, at: usize, route: Route) -> Option<Launch> {
    let (layout, conjugate) = contraction.factors[factor];
    let extents = contraction.nest.extents();
    // Without this, elements would be written once for each index of the axes that the factor does not have.
    let axes: Vec<usize> = (0..extents.len()).filter(|&axis| to.strides()[axis] != 0).collect();
    let pick = |layout: &Strided| -> Option<Strided> {
        let strides: Vec<isize> = axes.iter().map(|&axis| layout.strides()[axis]).collect();
        let extents: Vec<usize> = axes.iter().map(|&axis| extents[axis]).collect();
        Strided::within(&extents, &strides, layout.offset(), usize::MAX).ok()
    };
    let (from, to) = (pick(layout)?, pick(to)?);
    let program = Program::new(vec![Instruction::Input(0)]);
    let nest = LoopNest::new(to.extents().to_vec(), to.rank());
    let input = Input { layout: &from, dtype: contraction.dtype, conjugate };
    let fold = Fold::map(&nest, (&program, Reduction::Sum), vec![input], (&to, contraction.dtype));
    let mut launches = fold_launches(&fold, route)?.launches;
    let mut launch = launches.pop()?;
    for argument in &mut launch.arguments {
        *argument = match argument.memory {
            Memory::Input(_) => Argument { memory: Memory::Input(factor), ..*argument },
            Memory::Output | Memory::Scratch => Argument { memory: Memory::Scratch, start: at + argument.start },
        };
    }
    launches.is_empty().then_some(launch)
}
