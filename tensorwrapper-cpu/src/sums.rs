//! Sums of products of blocks, added where the result lies: which kernel adds them, chosen when they are prepared.

use super::classify::classify;
use super::engine::{GemmElement, Item, PackedGemm};
use super::narrow_gemm::NarrowSum;
use super::product::{ClassifiedAxes, LEFT, RIGHT, SMALL};
use super::simd::Simd;
use super::sink::Sink;
use super::strategy::Route;
use super::summed_gemm::SummedGemm;
use num_complex::Complex;
use tensorwrapper_core::backend::fuse;
use tensorwrapper_core::backend::{Contraction, KernelContext, RunSum, SumTerm};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// What the caller of a run has promised.
const TYPED: &str = "memory is of the element type prepared for";

/// A sum of products as this device has prepared it. It is computed on one thread: sums of different results run side by side.
#[derive(Debug)]
pub(super) enum CpuSum<T: GemmElement> {
    /// Of large blocks with small ones.
    Narrow(NarrowSum<T>),
    /// Of matrices that stay near, in registers.
    Small(Box<SummedGemm<T>>),
    /// Of others, by the engine, and where they start.
    Engine(Box<PackedGemm<T>>, [isize; 3]),
}

/// Prepares a sum; nothing where no kernel adds such products to their result.
///
/// # Errors
/// When the environment asks for vector instructions that are not there, and of layouts that are too large.
pub(super) fn prepare<T: GemmElement>(route: Route, contraction: &Contraction<'_>) -> Result<Option<CpuSum<T>>, Error> {
    let Contraction { nest, factors, output, then, .. } = *contraction;
    let nothing = output.is_empty() || nest.reduced_extents().contains(&0);
    if nothing || factors.len() != 2 || then.is_some() || !fuse::is_injective(output.extents(), output.strides()) {
        return Ok(None);
    }
    let (sorted, [None, None]) = classify::<T>(contraction)? else { return Ok(None) };
    let engine = |simd: Simd| {
        let start = sorted.start;
        Ok(Some(CpuSum::Engine(Box::new(PackedGemm::new(sorted.clone(), simd)), start)))
    };
    match route {
        Route::Engine(simd) if !sorted.inner.is_empty() => engine(simd),
        Route::Chosen | Route::Sums(_) => {
            let simd = if let Route::Sums(simd) = route { simd } else { Simd::chosen()? };
            if let Some(narrow) = NarrowSum::new(&sorted, simd) {
                return Ok(Some(CpuSum::Narrow(narrow)));
            }
            match SummedGemm::new(&sorted, simd) {
                Some(small) => Ok(Some(CpuSum::Small(Box::new(small)))),
                None if suits_engine(&sorted) => engine(simd),
                None => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

/// Whether the engine multiplies them, in any order.
fn suits_engine<T: GemmElement>(sorted: &ClassifiedAxes<T>) -> bool {
    sorted.multiplications() > SMALL && !sorted.has_vector() && !sorted.inner.is_empty() && sorted.suits_engine_apart()
}

impl<T: GemmElement> RunSum for CpuSum<T> {
    unsafe fn run(
        &self,
        _: &dyn KernelContext,
        factors: [SliceRef<'_>; 2],
        terms: &[SumTerm],
        (output, adds): (SliceMut<'_>, bool),
    ) -> Result<(), Error> {
        let data = factors.map(|data| T::typed(data).expect(TYPED));
        let out = Sink::new(T::typed_mut(output).expect(TYPED));
        match self {
            CpuSum::Narrow(narrow) => {
                // SAFETY: the caller keeps all positions inside, and the output is borrowed here alone.
                unsafe { narrow.run(terms, data, (out, adds)) };
                Ok(())
            }
            // The products of one result, and of one weight, are added up in registers, unless a factor is brought into rows first.
            CpuSum::Small(small) => {
                let is_one = |one: &SumTerm, next: &SumTerm| one.to == next.to && one.weight == next.weight && next.adds;
                for terms in terms.chunk_by(is_one) {
                    // SAFETY: the caller keeps all positions inside, and the output is borrowed here alone.
                    unsafe { small.run(terms, data, (out, adds || terms[0].adds)) };
                }
                Ok(())
            }
            CpuSum::Engine(engine, start) => terms.chunk_by(|one, next| one.weight == next.weight).try_for_each(|terms| {
                let weight = T::from_complex(Complex::from(terms[0].weight));
                let items = terms.iter().map(|term| {
                    let begins = [term.starts[LEFT], term.starts[RIGHT], term.to];
                    let start = std::array::from_fn(|n| start[n] + begins[n] as isize);
                    Item { start, adds: adds || term.adds }
                });
                engine.run_sum(items, weight, data, out)
            }),
        }
    }
}
