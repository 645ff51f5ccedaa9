//! Sums of products of blocks: contractions of the same extents and strides, whose factors and results begin at different places. A device
//! prepares one when extents and strides are known, and a run says where each product begins, and which are added up.
//!
//! Kernels that keep the result while they add make it unnecessary to copy factors side by side. Devices without such kernels compute
//! each product apart and add it, which defines the result.

use std::fmt::Debug;

use num_complex::Complex;

use super::contraction::{Contraction, KernelContext, PreparedContraction, reach};
use crate::element::{Dtype, Element};
use crate::error::Error;
use crate::layout::Strided;
use crate::storage::{Buffer, SliceMut, SliceRef};

/// One product of a sum: where the layouts of its two factors and of its result begin in their memory, and what it is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumTerm {
    /// Where the layout of each factor begins.
    pub starts: [usize; 2],
    /// Where the layout of the result begins.
    pub to: usize,
    /// Whether the product is added to what the result holds, rather than written over it.
    pub adds: bool,
    /// What the product is multiplied by, beside the contraction's number.
    pub weight: f64,
}

/// A kernel that a device has chosen for a sum of products.
pub trait RunSum: Debug + Send + Sync {
    /// Whether the sum is faster than to copy factors side by side for one product: where products are added in place, and where what is
    /// computed apart is small.
    fn beats_copies(&self) -> bool {
        true
    }

    /// Computes all terms, in their order. If `output` says so, all are added to what it holds, the others too. The device is the one that
    /// it was prepared for, or another one of the same [identity](super::Device::identity).
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Safety
    /// All memory has the element type that the sum was prepared for, and every position of a layout, which begins where each term says,
    /// lies inside its memory.
    unsafe fn run(
        &self,
        device: &dyn KernelContext,
        factors: [SliceRef<'_>; 2],
        terms: &[SumTerm],
        output: (SliceMut<'_>, bool),
    ) -> Result<(), Error>;
}

/// A sum of products that a device has prepared; see [`Device::prepare_sum`](super::Device::prepare_sum).
///
/// ```
/// # use tensorwrapper_core as tensorwrapper;
/// use tensorwrapper::backend::{Contraction, Device, LoopNest, SumTerm, reference::Reference};
/// use tensorwrapper_core::{Dtype, Element, layout::Strided};
/// // Rows of two times columns of two: `out = 1 · [1, 2] · [3, 4] + 2 · [3, 4] · [1, 2]`.
/// let (row, column) = (Strided::within(&[1, 1, 2], &[0, 0, 1], 0, 2)?, Strided::row_major(&[1, 1, 2])?);
/// let out = Strided::row_major(&[1, 1])?;
/// let sum = Reference.prepare_sum(&Contraction {
///     nest: &LoopNest::new(vec![1, 1, 2], 2),
///     alpha: 1.0.into(),
///     dtype: Dtype::F64,
///     factors: &[(&row, false), (&column, false)],
///     output: &out,
///     then: None,
///     others: &[],
/// })?;
/// let (data, mut result) = ([1.0, 2.0, 3.0, 4.0], [100.0]);
/// let first = SumTerm { starts: [0, 2], to: 0, adds: false, weight: 1.0 };
/// let terms = [first, SumTerm { starts: [2, 0], adds: true, weight: 2.0, ..first }];
/// sum.run(&Reference, [f64::erase(&data); 2], &terms, (f64::erase_mut(&mut result), false))?;
/// assert_eq!(result, [33.0]);
/// sum.run(&Reference, [f64::erase(&data); 2], &terms, (f64::erase_mut(&mut result), true))?;
/// assert_eq!(result, [66.0]);
/// # Ok::<(), tensorwrapper_core::Error>(())
/// ```
#[derive(Debug)]
pub struct PreparedSum {
    kernel: Box<dyn RunSum>,
    dtype: Dtype,
    /// The number of elements that factors must have from where they begin on, and that of the output.
    factors: [usize; 2],
    output: usize,
}

impl PreparedSum {
    /// A device's kernel for a sum of products of this kind.
    ///
    /// # Panics
    /// When it has another number of factors than two, or an epilogue.
    pub fn new(contraction: &Contraction<'_>, kernel: Box<dyn RunSum>) -> PreparedSum {
        let [(left, _), (right, _)] = contraction.factors else { panic!("sums are of products of two factors") };
        assert!(contraction.then.is_none(), "sums of products have no epilogue");
        let (factors, output) = ([reach(left), reach(right)], reach(contraction.output));
        PreparedSum { kernel, dtype: contraction.dtype, factors, output }
    }

    /// Whether the sum is faster than to copy factors side by side for one product.
    pub fn beats_copies(&self) -> bool {
        self.kernel.beats_copies()
    }

    /// Computes all terms into the output, or adds all of them there if `output` says so.
    ///
    /// # Errors
    /// [`ErrorKind::Memory`](crate::error::ErrorKind::Memory) for work space.
    ///
    /// # Panics
    /// When memory has another element type than the sum was prepared for, or is too small. Kernels rely on this check.
    pub fn run(
        &self,
        device: &dyn KernelContext,
        factors: [SliceRef<'_>; 2],
        terms: &[SumTerm],
        output: (SliceMut<'_>, bool),
    ) -> Result<(), Error> {
        let fits = |begins: &dyn Fn(&SumTerm) -> usize, reach: usize, len: usize| {
            let last = terms.iter().map(begins).max().unwrap_or_default();
            last.checked_add(reach).is_some_and(|end| end <= len)
        };
        for (side, data) in factors.iter().enumerate() {
            let fits = fits(&|term| term.starts[side], self.factors[side], data.len());
            assert!(data.dtype() == self.dtype && fits, "factors lie as prepared for");
        }
        let fits = fits(&|term| term.to, self.output, output.0.len());
        assert!(output.0.dtype() == self.dtype && fits, "the output lies as prepared for");
        // SAFETY: element types and lengths were just compared with what the kernel was made for; the last of all lie inside.
        unsafe { self.kernel.run(device, factors, terms, output) }
    }
}

/// How many elements are copied in the time that it takes to write an element apart and to add it.
const APART: usize = 4;

/// Elements that a layout reads, each once.
fn points_of(layout: &Strided) -> usize {
    layout.extents().iter().zip(layout.strides()).filter(|&(_, &stride)| stride != 0).map(|(extent, _)| extent).product()
}

/// A sum of products of which each is computed into a buffer, then added.
#[derive(Debug)]
pub struct BufferedSum {
    product: PreparedContraction,
    dtype: Dtype,
    output: Strided,
    beats_copies: bool,
}

impl BufferedSum {
    /// Prepares the products of a sum by a device's [`prepare`](super::Device::prepare).
    ///
    /// # Errors
    /// Those of `prepare`.
    pub fn new(
        contraction: &Contraction<'_>,
        prepare: impl FnOnce(&Contraction<'_>) -> Result<PreparedContraction, Error>,
    ) -> Result<BufferedSum, Error> {
        let apart = Strided::row_major(contraction.output.extents())?;
        let product = prepare(&Contraction { output: &apart, ..*contraction })?;
        Ok(BufferedSum { product, dtype: contraction.dtype, output: contraction.output.clone(), beats_copies: false })
    }

    /// The same on a device that begins a product at once: if a product is much smaller than one of its factors, adding it takes less than
    /// copying that.
    #[must_use]
    pub fn begun_at_once(self, contraction: &Contraction<'_>) -> BufferedSum {
        let factors = contraction.factors.iter().map(|(factor, _)| points_of(factor));
        let beats_copies = factors.max().is_some_and(|larger| points_of(&self.output).saturating_mul(APART) <= larger);
        BufferedSum { beats_copies, ..self }
    }
}

impl RunSum for BufferedSum {
    fn beats_copies(&self) -> bool {
        self.beats_copies
    }

    unsafe fn run(
        &self,
        device: &dyn KernelContext,
        factors: [SliceRef<'_>; 2],
        terms: &[SumTerm],
        (mut output, adds): (SliceMut<'_>, bool),
    ) -> Result<(), Error> {
        let mut product = Buffer::for_results(self.dtype, self.output.len())?;
        for term in terms {
            let factors = [0, 1].map(|side| factors[side].after(term.starts[side]));
            self.product.run(device, &factors, product.as_mut())?;
            let to = (output.after(term.to), adds || term.adds);
            dispatch!(self.dtype, T => store::<T>(&self.output, (product.as_ref(), term.weight), to));
        }
        Ok(())
    }
}

/// Writes, or adds, a product times its weight.
fn store<T: Element>(layout: &Strided, (product, weight): (SliceRef<'_>, f64), (output, adds): (SliceMut<'_>, bool)) {
    let typed = "all memory of a sum is of one element type";
    let (product, output) = (T::typed(product).expect(typed), T::typed_mut(output).expect(typed));
    let weight = (weight != 1.0).then(|| T::from_complex(Complex::from(weight)));
    for (to, &x) in layout.positions().zip(product) {
        let x = weight.map_or(x, |weight| weight * x);
        output[to] = if adds { output[to] + x } else { x };
    }
}
