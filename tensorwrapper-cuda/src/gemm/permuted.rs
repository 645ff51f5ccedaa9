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

/// The launches of a contraction: copies of factors, a library's product, and the epilogue; `None` where it is no product of
/// matrices, or needs no copies.
pub(crate) fn permuted_launches(contraction: &Contraction<'_>, route: Route, tf32: bool) -> Option<Launches> {
    let groups = AxisGroups::of(contraction)?;
    if strided_gemm(&Contraction { then: None, others: &[], ..*contraction }).is_some() {
        return None;
    }
    let (extents, kept) = (contraction.nest.extents(), contraction.nest.kept());
    let left = dense(extents, groups.batch.iter().chain(&groups.rows).chain(&groups.terms));
    let right = dense(extents, groups.batch.iter().chain(&groups.terms).chain(&groups.columns));
    let factors = [left, right].map(|(strides, len)| Some((Strided::within(extents, &strides, 0, len).ok()?, len)));
    let [Some((left, left_len)), Some((right, right_len))] = factors else { return None };
    // The result in the order of the matrices, for scratch memory, if the product cannot write the output directly.
    let (strides, len) = dense(extents, groups.batch.iter().chain(&groups.rows).chain(&groups.columns));
    let sum = Strided::within(&extents[..kept], &strides[..kept], 0, len).ok()?;
    for copied in [[true, false], [false, true], [true, true]] {
        let own = [(&left, left_len), (&right, right_len)];
        let mut factors = [contraction.factors[0], contraction.factors[1]];
        let (mut before, mut starts, mut end) = (Vec::new(), [None; 2], 0);
        for n in (0..2).filter(|&n| copied[n]) {
            before.push(copy(contraction, n, own[n].0, end, route)?);
            (factors[n], starts[n]) = ((own[n].0, false), Some(end));
            end += (own[n].1 * contraction.dtype.size()).next_multiple_of(256);
        }
        let permuted = Contraction { factors: &factors, then: None, others: &[], ..*contraction };
        let direct = strided_gemm(&permuted).filter(|_| contraction.then.is_none());
        let product = direct.or_else(|| strided_gemm(&Contraction { output: &sum, ..permuted }));
        let Some(product) = product else { continue };
        let mut product = Gemm { tf32, ..product };
        for (_, Stored { argument, .. }) in &mut product.factors {
            if let Memory::Input(n) = argument.memory
                && let Some(start) = starts[n]
            {
                *argument = Argument { memory: Memory::Scratch, start: start + argument.start };
            }
        }
        if direct.is_some() {
            return Some(Launches { before, product: Some(product), launches: Vec::new(), scratch: end });
        }
        let launches = with_epilogue(contraction, product, &sum, end, route)?;
        return Some(Launches { before, ..launches });
    }
    None
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
