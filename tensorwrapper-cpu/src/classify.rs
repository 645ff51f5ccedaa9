//! The axes of a product of two factors, sorted by the parts that they play. Knows no memory: this is done once, when a product
//! is prepared.

use super::few;
use super::map;
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis};
use tensorwrapper_core::backend::{Contraction, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::zeros;
use tensorwrapper_core::layout::Strided;

/// Sorts the axes of a product. A factor that has axes of its own under the sum is summed over them first; the axes are those
/// of what comes of it.
pub(super) fn classify<T: Element>(contraction: &Contraction<'_>) -> Result<(ClassifiedAxes<T>, [Option<FactorSum>; 2]), Error> {
    let nest = contraction.nest;
    let (left, right, output) = (contraction.factors[LEFT].0, contraction.factors[RIGHT].0, contraction.output);
    let strides = |n: usize| [left.strides()[n], right.strides()[n], output.strides().get(n).copied().unwrap_or(0)];
    let mut axes: Vec<Triple> = (0..nest.rank()).map(|n| Axis { extent: nest.extents()[n], strides: strides(n) }).collect();
    let mut reduced = axes.split_off(nest.kept());
    axes.retain(|axis| axis.extent != 1);
    reduced.retain(|axis| axis.extent != 1);
    let mut start = [left.offset() as isize, right.offset() as isize, output.offset() as isize];
    let mut sums = [None, None];
    for side in [LEFT, RIGHT] {
        let own = |axis: &Triple| axis.strides[side] != 0 && axis.strides[1 - side] == 0;
        if reduced.iter().any(own) {
            let (alone, rest) = reduced.into_iter().partition(own);
            reduced = rest;
            sums[side] = Some(FactorSum::new(alone, [&mut axes, &mut reduced], side, &mut start[side])?);
        }
    }
    // Axes of neither factor only repeat the sum.
    let repeated: usize = reduced.extract_if(.., |axis| axis.strides[LEFT] == 0).map(|axis| axis.extent).product();
    let mut alpha = T::from_complex(contraction.alpha);
    if repeated != 1 {
        alpha *= T::from_complex((repeated as f64).into());
    }
    let rows = axes.extract_if(.., |axis| axis.strides[LEFT] != 0 && axis.strides[RIGHT] == 0).collect();
    let columns = axes.extract_if(.., |axis| axis.strides[RIGHT] != 0 && axis.strides[LEFT] == 0).collect();
    let conjugate = [LEFT, RIGHT].map(|side| contraction.factors[side].1 && T::DTYPE.is_complex());
    let mut sorted = ClassifiedAxes { batch: axes, rows, columns, inner: reduced, conjugate, start, alpha };
    fuse::forward(&mut sorted.batch, &mut sorted.start, OUT);
    fuse::forward(&mut sorted.rows, &mut sorted.start, OUT);
    fuse::forward(&mut sorted.columns, &mut sorted.start, OUT);
    fuse::forward(&mut sorted.inner, &mut sorted.start, LEFT);
    fuse::normalise(&mut sorted.batch, &[OUT, LEFT, RIGHT]);
    fuse::normalise(&mut sorted.rows, &[OUT, LEFT]);
    fuse::normalise(&mut sorted.columns, &[OUT, RIGHT]);
    fuse::normalise(&mut sorted.inner, &[LEFT, RIGHT]);
    Ok((sorted, sums))
}

/// The sum of a factor over axes that it alone has, into memory of its own.
#[derive(Debug)]
pub(super) struct FactorSum {
    nest: LoopNest,
    from: Strided,
    to: Strided,
    program: Program,
}

impl FactorSum {
    /// Prepares the sum of the factor that starts there; the other axes get the strides of what comes of it.
    fn new(alone: Vec<Triple>, others: [&mut Vec<Triple>; 2], side: usize, start: &mut isize) -> Result<FactorSum, Error> {
        let mut kept: Vec<&mut Triple> = others.into_iter().flatten().filter(|axis| axis.strides[side] != 0).collect();
        few::sort_by_key(&mut kept, |axis| std::cmp::Reverse(axis.strides[side].unsigned_abs()));
        let (mut extents, strides): (Vec<usize>, Vec<isize>) =
            kept.iter().map(|axis| &**axis).chain(&alone).map(|axis| (axis.extent, axis.strides[side])).unzip();
        let from = Strided::within(&extents, &strides, *start as usize, usize::MAX)?;
        let nest = LoopNest::new(extents.clone(), kept.len());
        extents.truncate(kept.len());
        let to = Strided::row_major(&extents)?;
        kept.into_iter().zip(to.strides()).for_each(|(axis, &stride)| axis.strides[side] = stride);
        *start = 0;
        Ok(FactorSum { nest, from, to, program: Program::new(vec![Instruction::Input(0)]) })
    }

    /// Number of elements of the summed factor.
    pub(super) fn len(&self) -> usize {
        self.to.len()
    }

    /// The summed factor.
    pub(super) fn sum<T: Scalar>(&self, threads: usize, data: &[T]) -> Result<Vec<T>, Error> {
        let mut summed = zeros::<T>(self.to.len())?;
        let operand = Operand::new(T::erase(data), &self.from);
        let output = Output::new(T::erase_mut(&mut summed), &self.to);
        map::map::<T>(threads, &self.nest, (&self.program, &[]), Reduction::Sum, &[operand], output)?;
        Ok(summed)
    }
}
