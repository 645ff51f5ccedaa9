//! Sums of products: which engine computes them, chosen when they are prepared, and called when they run.

use smallvec::SmallVec;

use super::axpy::Axpy;
use super::classify::{FactorSum, classify};
use super::engine::{Epilogue, GemmElement, PackedGemm, TallGemm};
use super::flat_gemm::FlatGemm;
use super::gemv::Gemv;
use super::inner_products::InnerProducts;
use super::interleaved_gemm::InterleavedGemm;
use super::lane_gemm::LaneGemm;
use super::map::{self, flat};
use super::matrix::MatrixBatch;
use super::narrow_gemm::NarrowGemm;
use super::ordered_factor::{FactorCopy, OrderedFactor, copied_side};
use super::outer::OuterProduct;
use super::plain::plain;
use super::product::{ClassifiedAxes, IN_VECTORS, LEFT, OUT, RIGHT, SMALL};
use super::product_kernel::ProductKernel;
use super::result_blocks::ResultBlocks;
use super::simd::Simd;
use super::sink::Sink;
use super::skinny_gemm::SkinnyGemm;
use super::staged_result::{Stage, StagedResult};
use super::staged_sums::StagedSums;
use super::strategy::Route;
use super::unpacked_gemm::UnpackedGemm;
use tensorwrapper_core::backend::contraction::reach;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse;
use tensorwrapper_core::backend::{
    self, Binary, Contraction, Instruction, KernelContext, LoopNest, Operand, Output, Program, Reduction, RunContraction, RunMap,
};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// Points of a space so small that preparations take longer than the arithmetic.
const FEW: usize = 256;

/// What the caller of a run has promised.
const TYPED: &str = "memory is of the element type prepared for";

/// A contraction as this device has prepared it.
#[derive(Debug)]
pub(super) struct CpuContraction<T: GemmElement> {
    threads: usize,
    strategy: Strategy<T>,
}

/// How it is computed.
#[derive(Debug)]
enum Strategy<T: GemmElement> {
    /// There is no element.
    Nothing,
    /// As a program over all factors.
    ElementWise(ElementWise),
    /// As one product of small matrices where they lie: the prepared kernel, and where the matrices start.
    UnpackedGemm(UnpackedGemm<T>, [isize; 3]),
    /// As a product of two factors, which are summed over axes of their own before.
    Product(Box<dyn ProductKernel<T>>, Box<[Option<FactorSum>; 2]>),
    /// The same, with an epilogue for each element as soon as it is stored.
    WithEpilogue(Box<(EpilogueKernel<T>, Epilogue<T>)>),
}

/// What multiplies two factors and computes the epilogue while the result is near.
#[derive(Debug)]
enum EpilogueKernel<T: GemmElement> {
    PackedGemm(Box<PackedGemm<T>>),
    UnpackedGemm(Box<MatrixBatch<T>>),
}

/// See [`Device::prepare`](tensorwrapper_core::backend::Device::prepare).
pub(super) fn prepare<T: GemmElement>(
    threads: usize,
    route: Route,
    contraction: &Contraction<'_>,
) -> Result<CpuContraction<T>, Error> {
    let Contraction { nest, factors, output, .. } = *contraction;
    let ready = |strategy: Strategy<T>| CpuContraction { threads, strategy };
    if output.is_empty() {
        return Ok(ready(Strategy::Nothing));
    }
    if let (Route::Chosen, Some((small, start))) = (route, plain::<T>(contraction)?) {
        return Ok(ready(Strategy::UnpackedGemm(small, start)));
    }
    let element_wise = || Ok(ready(Strategy::ElementWise(ElementWise::new::<T>(contraction)?)));
    let [(left, _), (right, _)] = factors else { return element_wise() };
    let (left, right) = (left.strides(), right.strides());
    // Without a sum, or where every output is multiplied by the number of terms alone, there is nothing to gain, but that
    // products are prepared down to their strides, and programs are not.
    let few =
        route == Route::Chosen && nest.extents().iter().try_fold(1, |n: usize, &e| n.checked_mul(e)).is_some_and(|n| n <= FEW);
    let sums = |n: usize| nest.extents()[n] != 1 && (left[n] != 0 || right[n] != 0);
    let injective = fuse::is_injective(output.extents(), output.strides());
    if nest.reduced_extents().contains(&0) || !injective {
        return element_wise();
    }
    let summed = (nest.kept()..nest.rank()).any(sums);
    if !summed && route != Route::Chosen {
        return element_wise();
    }
    let (sorted, sums) = classify::<T>(contraction)?;
    if !few && !summed {
        let outer = OuterProduct::new(&sorted, Simd::chosen()?);
        let outer = outer.map(|outer| Strategy::Product(Box::new(outer), Box::new(sums)));
        return outer.map_or_else(element_wise, |outer| Ok(ready(outer)));
    }
    let matrices = |sorted, most, stage| MatrixBatch::new(threads, sorted, most, stage).map(Chosen::matrices);
    let chosen = match route {
        Route::Chosen => chosen(threads, sorted)?,
        Route::Engine(simd) | Route::Sums(simd) => Chosen::kernel(PackedGemm::new(sorted, simd)),
        Route::ResultBlocks(simd) => Chosen::or_engine(ResultBlocks::forced(&sorted, simd), sorted, simd),
        Route::InOrder(simd) => Chosen::or_engine(
            Stage::forced(&sorted).map(|(in_order, stage)| StagedResult::new(Box::new(PackedGemm::new(in_order, simd)), stage)),
            sorted,
            simd,
        ),
        Route::Lanes(simd) => Chosen::or_engine(LaneGemm::new(&sorted, simd), sorted, simd),
        Route::Flat(simd) => Chosen::or_engine(FlatGemm::new(&sorted, threads, simd), sorted, simd),
        Route::Narrow(simd) => Chosen::or_engine(NarrowGemm::new(&sorted, simd, || f64::INFINITY), sorted, simd),
        Route::Axpy => Chosen::kernel(Axpy::new(sorted, Simd::chosen()?)),
        Route::Tiles => matrices(sorted, [usize::MAX, 0], false)?,
        Route::Staged => matrices(sorted, [usize::MAX; 2], false)?,
        Route::Blocked => matrices(sorted, [0; 2], false)?,
        Route::Packed => matrices(sorted, [0; 2], true)?,
    };
    Ok(ready(match (chosen, &sums) {
        (Chosen::Small(small, start), [None, None]) => Strategy::UnpackedGemm(small, start),
        (chosen, _) => Strategy::Product(chosen.boxed(), Box::new(sums)),
    }))
}

/// What was chosen for a product.
enum Chosen<T: GemmElement> {
    /// One product of small matrices where they lie, and where they start.
    Small(UnpackedGemm<T>, [isize; 3]),
    Kernel(Box<dyn ProductKernel<T>>),
}

impl<T: GemmElement> Chosen<T> {
    fn kernel(kernel: impl ProductKernel<T> + 'static) -> Chosen<T> {
        Chosen::Kernel(Box::new(kernel))
    }

    fn boxed(self) -> Box<dyn ProductKernel<T>> {
        match self {
            Chosen::Small(small, start) => Box::new((small, start)),
            Chosen::Kernel(kernel) => kernel,
        }
    }

    /// This kernel, or the engine where there is none.
    fn or_engine(kernel: Option<impl ProductKernel<T> + 'static>, sorted: ClassifiedAxes<T>, simd: Simd) -> Chosen<T> {
        kernel.map_or_else(|| Chosen::kernel(PackedGemm::new(sorted, simd)), Chosen::kernel)
    }

    fn matrices(matrices: MatrixBatch<T>) -> Chosen<T> {
        match matrices.as_small() {
            Some((small, start)) => Chosen::Small(small, start),
            None => Chosen::kernel(matrices),
        }
    }
}

/// What multiplies two factors fastest. Some results are computed in the order of a factor and then permuted, and some factors are
/// permuted before.
fn chosen<T: GemmElement>(threads: usize, sorted: ClassifiedAxes<T>) -> Result<Chosen<T>, Error> {
    if let Some((in_order, stage)) = Stage::new(&sorted) {
        return Ok(Chosen::kernel(StagedResult::new(direct(threads, in_order)?.boxed(), stage)));
    }
    if let Some((ordered, copy)) = FactorCopy::new(&sorted) {
        return Ok(Chosen::kernel(OrderedFactor::new(direct(threads, ordered)?.boxed(), copy)));
    }
    direct(threads, sorted)
}

/// What multiplies two factors fastest and writes the result as it is computed.
fn direct<T: GemmElement>(threads: usize, sorted: ClassifiedAxes<T>) -> Result<Chosen<T>, Error> {
    let simd = Simd::chosen()?;
    if sorted.has_vector() {
        // Of two vectors, both are as large, and a copy of all of one would take longer than the product.
        let is_dot = sorted.rows.is_empty() && sorted.columns.is_empty();
        if let Some(staged) = is_dot.then(|| StagedSums::new(&sorted, simd)).flatten() {
            return Ok(Chosen::kernel(staged));
        }
        return Ok(Chosen::kernel(Gemv::new(sorted, simd)));
    }
    if let Some(beside) = InterleavedGemm::new(&sorted, simd) {
        return Ok(Chosen::kernel(beside));
    }
    if let Some(products) = InnerProducts::new(&sorted, simd) {
        return Ok(Chosen::kernel(products));
    }
    if let Some(staged) = StagedSums::new(&sorted, simd) {
        return Ok(Chosen::kernel(staged));
    }
    if let Some(tall) = TallGemm::new(&sorted, simd) {
        return Ok(Chosen::kernel(tall));
    }
    if let Some(flat) = FlatGemm::new(&sorted, threads, simd) {
        return Ok(Chosen::kernel(flat));
    }
    if let Some(skinny) = SkinnyGemm::new(&sorted)? {
        return Ok(Chosen::kernel(skinny));
    }
    if let Some(lanes) = LaneGemm::new(&sorted, simd) {
        return Ok(Chosen::kernel(lanes));
    }
    // Of few multiplications, preparing blocks over several axes would take longer than they gain.
    let is_small = sorted.multiplications() <= IN_VECTORS;
    let direct = || if is_small { 0.0 } else { PackedGemm::new(sorted.clone(), simd).cost() };
    if let Some(narrow) = NarrowGemm::new(&sorted, simd, direct) {
        return Ok(Chosen::kernel(narrow));
    }
    if sorted.suits_axpy() {
        return Ok(Chosen::kernel(Axpy::new(sorted, simd)));
    }
    let suits_engine = sorted.suits_engine();
    if suits_engine && sorted.multiplications() > IN_VECTORS {
        return blocked(threads, sorted, simd);
    }
    let matrices = MatrixBatch::new(threads, sorted.clone(), [SMALL, IN_VECTORS], false)?;
    if suits_engine && !matrices.is_in_vectors()? {
        return blocked(threads, sorted, simd);
    }
    Ok(Chosen::matrices(matrices))
}

/// By the engine, which stores the result where it belongs or a block of it at a time; or in the order of the large factor, where that and
/// a copy are expected to be faster.
fn blocked<T: GemmElement>(threads: usize, sorted: ClassifiedAxes<T>, simd: Simd) -> Result<Chosen<T>, Error> {
    let engine = PackedGemm::new(sorted.clone(), simd);
    let blocks = ResultBlocks::new(&sorted, simd, engine.cost());
    let cycles = blocks.as_ref().map_or(engine.cost(), ResultBlocks::cost);
    if let Some((in_order, stage)) = Stage::instead_of_engine(&sorted, simd, cycles) {
        return Ok(Chosen::kernel(StagedResult::new(direct(threads, in_order)?.boxed(), stage)));
    }
    Ok(blocks.map_or_else(|| Chosen::kernel(engine), Chosen::kernel))
}

/// Prepares a contraction with what is computed then, where both can be done at once.
pub(super) fn prepare_with_epilogue<T: GemmElement>(
    (threads, route): (usize, Route),
    contraction: &Contraction<'_>,
    program: &Program,
) -> Result<Option<CpuContraction<T>>, Error> {
    let Contraction { nest, output, .. } = *contraction;
    let nothing = output.is_empty() || nest.reduced_extents().contains(&0);
    if nothing || !fuse::is_injective(output.extents(), output.strides()) {
        return Ok(None);
    }
    let Some(epilogue) = Epilogue::new(contraction, program, Simd::chosen()?) else { return Ok(None) };
    let (sorted, [None, None]) = classify::<T>(contraction)? else { return Ok(None) };
    let blocks = |sorted, simd| EpilogueKernel::PackedGemm(Box::new(PackedGemm::new(sorted, simd)));
    let kernel = match route {
        Route::Engine(simd) => blocks(sorted, simd),
        Route::Chosen if sorted.has_vector() || sorted.inner.is_empty() || sorted.suits_axpy() => return Ok(None),
        Route::Chosen => match in_vectors(threads, &sorted)? {
            Some(matrices) => EpilogueKernel::UnpackedGemm(Box::new(matrices)),
            None if copied_side(&sorted).is_some() => return Ok(None),
            None if sorted.suits_engine_apart() => blocks(sorted, Simd::chosen()?),
            None => return Ok(None),
        },
        Route::Axpy | Route::Tiles | Route::Staged | Route::Blocked | Route::Packed => return Ok(None),
        Route::ResultBlocks(_) | Route::InOrder(_) | Route::Lanes(_) | Route::Narrow(_) | Route::Flat(_) | Route::Sums(_) => {
            return Ok(None);
        }
    };
    Ok(Some(CpuContraction { threads, strategy: Strategy::WithEpilogue(Box::new((kernel, epilogue))) }))
}

/// Products of small matrices where they lie, if kernels in vectors can multiply them.
fn in_vectors<T: GemmElement>(threads: usize, sorted: &ClassifiedAxes<T>) -> Result<Option<MatrixBatch<T>>, Error> {
    if sorted.multiplications() > IN_VECTORS {
        return Ok(None);
    }
    let matrices = MatrixBatch::new(threads, sorted.clone(), [SMALL, IN_VECTORS], false)?;
    Ok(matrices.is_in_vectors_in_place()?.then_some(matrices))
}

impl<T: GemmElement> RunContraction for CpuContraction<T> {
    fn work_space(&self) -> usize {
        let elements = match &self.strategy {
            Strategy::Nothing | Strategy::ElementWise(_) | Strategy::UnpackedGemm(..) | Strategy::WithEpilogue(_) => 0,
            Strategy::Product(kernel, sums) => {
                sums.iter().flatten().map(FactorSum::len).fold(kernel.work_space(self.threads), usize::saturating_add)
            }
        };
        elements.saturating_mul(size_of::<T>())
    }

    fn method(&self) -> Option<&'static str> {
        Some(match &self.strategy {
            Strategy::Nothing => return None,
            Strategy::ElementWise(_) => "element by element",
            Strategy::UnpackedGemm(small, _) => small.method(),
            Strategy::WithEpilogue(fused) => match &fused.0 {
                EpilogueKernel::PackedGemm(blocks) => blocks.method(),
                EpilogueKernel::UnpackedGemm(matrices) => matrices.method(),
            },
            Strategy::Product(kernel, _) => kernel.method(),
        })
    }

    unsafe fn run(&self, _: &dyn KernelContext, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let (kernel, sums) = match &self.strategy {
            Strategy::UnpackedGemm(small, start) => {
                let [left, right] = [LEFT, RIGHT].map(|side| T::typed(factors[side]).expect(TYPED).as_ptr());
                let out = T::typed_mut(output).expect(TYPED).as_mut_ptr();
                // SAFETY: the caller keeps all positions inside, and the output is borrowed here alone.
                unsafe {
                    let factors = [left.offset(start[LEFT]), right.offset(start[RIGHT])];
                    small.run(1, factors, out.offset(start[OUT]));
                }
                return Ok(());
            }
            Strategy::Nothing => return Ok(()),
            Strategy::ElementWise(program) => return program.run::<T>(self.threads, factors, output),
            Strategy::Product(kernel, sums) => (kernel, sums),
            Strategy::WithEpilogue(fused) => {
                let (kernel, epilogue) = &**fused;
                let data: SmallVec<[&[T]; 4]> = factors.iter().map(|&data| T::typed(data).expect(TYPED)).collect();
                let out = Sink::new(T::typed_mut(output).expect(TYPED));
                let bound = epilogue.on(&data[2..]);
                let factors = [data[LEFT], data[RIGHT]];
                return match kernel {
                    EpilogueKernel::PackedGemm(blocks) => blocks.run_with_epilogue(self.threads, factors, out, Some(&bound)),
                    // SAFETY: the caller keeps all positions inside.
                    EpilogueKernel::UnpackedGemm(matrices) => unsafe {
                        matrices.run_with_epilogue(self.threads, factors, out, Some(&bound))
                    },
                };
            }
        };
        let data = [LEFT, RIGHT].map(|side| T::typed(factors[side]).expect(TYPED));
        let out = Sink::new(T::typed_mut(output).expect(TYPED));
        let sum = |side: usize| sums[side].as_ref().map(|alone| alone.sum(self.threads, data[side])).transpose();
        let summed = [sum(LEFT)?, sum(RIGHT)?];
        let data = [LEFT, RIGHT].map(|side| summed[side].as_deref().unwrap_or(data[side]));
        // SAFETY: the caller keeps all positions inside; summed factors have exactly those that their axes lead to.
        unsafe { kernel.run(self.threads, data, out) }
    }
}

/// Products in which nothing is summed, and those of another number of factors.
#[derive(Debug)]
enum ElementWise {
    /// In one loop or two over few elements.
    Flat(Box<dyn RunMap>),
    Program(Box<ProductProgram>),
}

/// A product as an element-wise program.
#[derive(Debug)]
struct ProductProgram {
    nest: LoopNest,
    program: Program,
    /// Where the factors lie, how much memory they need, and whether they are conjugated.
    factors: SmallVec<[(Strided, usize, bool); 2]>,
    output: (Strided, usize),
}

impl ElementWise {
    fn new<T: Scalar>(contraction: &Contraction<'_>) -> Result<ElementWise, Error> {
        let Contraction { nest, factors, output, .. } = *contraction;
        let program = program_of(contraction);
        let (reduction, dtype) = (Reduction::Sum, T::DTYPE);
        let work = backend::ElementWise { nest, program: &program, reduction, dtype, inputs: factors, output };
        if let Some(flat) = flat::prepare::<T>(Simd::chosen()?, &work) {
            return Ok(ElementWise::Flat(flat));
        }
        let factor = |&(layout, conjugate): &(&Strided, bool)| (layout.clone(), reach(layout), conjugate);
        Ok(ElementWise::Program(Box::new(ProductProgram {
            nest: nest.clone(),
            program,
            factors: factors.iter().map(factor).collect(),
            output: (output.clone(), reach(output)),
        })))
    }

    fn run<T: Scalar>(&self, threads: usize, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let ProductProgram { nest, program, factors: known, output: (layout, reach) } = match self {
            ElementWise::Flat(flat) => {
                flat.run(factors, output);
                return Ok(());
            }
            ElementWise::Program(program) => &**program,
        };
        let known = factors.iter().zip(known);
        let factors: SmallVec<[Operand<'_>; 4]> =
            known.map(|(&data, (layout, reach, conjugate))| Operand::reaching(data, layout, *reach, *conjugate)).collect();
        let output = Output::reaching(output, layout, *reach);
        map::map::<T>(threads, nest, (program, &[]), Reduction::Sum, &factors, output)
    }
}

/// The product of all factors and of the number, as a program.
fn program_of(contraction: &Contraction<'_>) -> Program {
    let mut instructions: Vec<Instruction> = (0..contraction.factors.len()).map(Instruction::Input).collect();
    if contraction.alpha != num_complex::Complex::ONE || contraction.factors.is_empty() {
        instructions.push(Instruction::Constant(contraction.alpha));
    }
    let values = instructions.len();
    for n in 1..values {
        let previous = if n == 1 { 0 } else { instructions.len() - 1 };
        instructions.push(Instruction::Combine(Binary::Multiply, previous, n));
    }
    Program::new(instructions)
}
