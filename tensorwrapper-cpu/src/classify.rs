//! The axes of a product of two factors, sorted by the parts that they play. Knows no memory: this is done once, when a product
//! is prepared.

use super::contract::{Factor, LEFT, OUT, Product, RIGHT, Triple};
use super::map;
use super::matrix;
use super::sink::Sink;
use super::split::narrowest;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis, points};
use tensorwrapper_core::backend::{Contraction, Instruction, LoopNest, Operand, Output, Program, Reduction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::erased::zeros;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::owned::LINE;

/// Multiplications for one output matrix below which the blocked kernel's preparations cost more than its speed brings.
pub(super) const SMALL: usize = 8 * 8 * 8;

/// Multiplications for one output matrix up to which kernels in vectors multiply it where it lies: packing would take longer.
pub(super) const IN_VECTORS: usize = 32 * 32 * 32;

/// Bytes of packed matrices of a cache line at most.
const WIDE: usize = 8 << 20;

/// Rows or columns below which a matrix is narrow.
const NARROW: usize = 48;

/// A product of two factors without its memory. There is at least one element and one term.
#[derive(Clone, Debug)]
pub(super) struct Sorted<T> {
    /// In both factors and the output, or in the output alone.
    pub(super) batch: Vec<Triple>,
    /// In the left factor and the output.
    pub(super) rows: Vec<Triple>,
    /// In the right factor and the output.
    pub(super) columns: Vec<Triple>,
    /// In both factors, summed.
    pub(super) inner: Vec<Triple>,
    /// Which factors are conjugated.
    pub(super) conjugate: [bool; 2],
    /// Positions of the first elements.
    pub(super) start: [isize; 3],
    pub(super) alpha: T,
}

/// Sorts the axes of a product. A factor that has axes of its own under the sum is summed over them first; the axes are those
/// of what comes of it.
pub(super) fn classify<T: Element>(contraction: &Contraction<'_>) -> Result<(Sorted<T>, [Option<Alone>; 2]), Error> {
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
            sums[side] = Some(Alone::new(alone, [&mut axes, &mut reduced], side, &mut start[side])?);
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
    let mut sorted = Sorted { batch: axes, rows, columns, inner: reduced, conjugate, start, alpha };
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

impl<T: Element> Sorted<T> {
    /// The product on memory.
    pub(super) fn on<'a>(&'a self, data: [&'a [T]; 2], out: Sink<'a, T>) -> Product<'a, T> {
        Product {
            batch: &self.batch,
            rows: &self.rows,
            columns: &self.columns,
            inner: &self.inner,
            factors: [LEFT, RIGHT].map(|side| Factor { data: data[side].into(), conjugate: self.conjugate[side] }),
            start: self.start,
            alpha: self.alpha,
            out,
            finish: None,
        }
    }

    /// Of one output matrix.
    pub(super) fn multiplications(&self) -> usize {
        [&self.rows, &self.columns, &self.inner].into_iter().fold(1, |product, axes| product.saturating_mul(points(axes)))
    }

    /// Whether all three matrices lie as plain matrix products have them, and none is so narrow that packing it is most of
    /// the work: these the blocked kernel of the `gemm` crate computes 3 to 16 % faster than the engine (see
    /// `docs/results/contraction.md`).
    fn is_plain(&self) -> bool {
        let [rows, columns, inner] = [&self.rows, &self.columns, &self.inner].map(|axes| points(axes));
        if self.is_wide() {
            return false;
        }
        (rows.min(columns) >= NARROW || inner < NARROW && self.batch.is_empty())
            && [LEFT, RIGHT].into_iter().all(|side| matrix::place(matrix::groups(self, side), side).is_some())
            && matrix::place([&self.rows, &self.columns], OUT).is_some()
    }

    /// Whether the matrices are large enough for the engine, neighbours in memory belong to one of them, and no other is faster.
    pub(super) fn suits_engine(&self) -> bool {
        !self.is_plain() && self.suits_engine_to_finish()
    }

    /// The same where elements are finished, too, which no other does.
    pub(super) fn suits_engine_to_finish(&self) -> bool {
        let near = || {
            ![LEFT, RIGHT].into_iter().any(|side| self.is_apart(side, matrix::groups(self, side)))
                && !self.is_apart(OUT, [&self.rows, &self.columns])
        };
        self.multiplications() > SMALL && (self.is_wide() || near())
    }

    /// Whether neighbours in memory belong to different matrices.
    fn is_apart(&self, operand: usize, groups: [&[Triple]; 2]) -> bool {
        narrowest(&self.batch, operand) < narrowest(groups[0], operand).min(narrowest(groups[1], operand))
    }

    /// Whether that is so of a factor whose matrices are so large that those of a cache line would take much memory packed.
    fn is_wide(&self) -> bool {
        [LEFT, RIGHT].into_iter().any(|side| {
            let groups = matrix::groups(self, side);
            let elements = points(groups[0]).saturating_mul(points(groups[1]));
            elements.saturating_mul(LINE) > WIDE && self.is_apart(side, groups)
        })
    }

    /// Whether there is no matrix product in it worth the name: too little is read twice.
    pub(super) fn suits_direct(&self) -> bool {
        let (rows, columns, inner) = (points(&self.rows), points(&self.columns), points(&self.inner));
        if rows == 1 || columns == 1 || inner == 1 {
            return true;
        }
        // Many small products side by side: vectors run across the batch.
        let unit = |axis: &Triple| axis.strides.iter().all(|stride| stride.unsigned_abs() <= 1) && axis.extent >= 8;
        self.batch.iter().any(unit) && self.multiplications() <= 8 * SMALL
    }
}

/// The sum of a factor over axes that it alone has, into memory of its own.
#[derive(Debug)]
pub(super) struct Alone {
    nest: LoopNest,
    from: Strided,
    to: Strided,
    program: Program,
}

impl Alone {
    /// Prepares the sum of the factor that starts there; the other axes get the strides of what comes of it.
    fn new(alone: Vec<Triple>, others: [&mut Vec<Triple>; 2], side: usize, start: &mut isize) -> Result<Alone, Error> {
        let mut kept: Vec<&mut Triple> = others.into_iter().flatten().filter(|axis| axis.strides[side] != 0).collect();
        kept.sort_by_key(|axis| std::cmp::Reverse(axis.strides[side].unsigned_abs()));
        let (mut extents, strides): (Vec<usize>, Vec<isize>) =
            kept.iter().map(|axis| &**axis).chain(&alone).map(|axis| (axis.extent, axis.strides[side])).unzip();
        let from = Strided::within(&extents, &strides, *start as usize, usize::MAX)?;
        let nest = LoopNest::new(extents.clone(), kept.len());
        extents.truncate(kept.len());
        let to = Strided::row_major(&extents)?;
        kept.into_iter().zip(to.strides()).for_each(|(axis, &stride)| axis.strides[side] = stride);
        *start = 0;
        Ok(Alone { nest, from, to, program: Program::new(vec![Instruction::Input(0)]) })
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
