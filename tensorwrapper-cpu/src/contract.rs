//! Sums of products: which engine computes them, chosen when they are prepared, and called when they run.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::beside::Beside;
use super::classify::{Alone, IN_VECTORS, SMALL, Sorted, classify};
use super::direct::Direct;
use super::engine::{Blocks, Finish, Finishing, Multiplied, Simd};
use super::matrix::Matrices;
use super::plain::plain;
use super::sink::Sink;
use super::small::Small;
use super::{Cpu, Route, map};
use tensorwrapper_core::backend::contraction::reach;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::fuse::{self, Axis};
use tensorwrapper_core::backend::{
    Binary, Contraction, Device, Instruction, LoopNest, Operand, Output, Program, Reduction, RunContraction,
};
use tensorwrapper_core::erased::{SliceMut, SliceRef};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Axes over the left factor, the right factor, and the output.
pub(super) type Triple = Axis<[isize; 3]>;
/// Where the left factor's strides and positions stand.
pub(super) const LEFT: usize = 0;
/// Where the right factor's strides and positions stand.
pub(super) const RIGHT: usize = 1;
/// Where the output's strides and positions stand.
pub(super) const OUT: usize = 2;

/// Points of a space so small that preparations take longer than the arithmetic.
const FEW: usize = 256;

/// What the caller of a run has promised.
const TYPED: &str = "memory is of the element type prepared for";

/// One factor: its memory, borrowed or packed.
#[derive(Clone, Debug)]
pub(super) struct Factor<'a, T: Clone> {
    pub(super) data: Cow<'a, [T]>,
    pub(super) conjugate: bool,
}

impl<T: Clone> Factor<'_, T> {
    /// The same memory.
    pub(super) fn borrowed(&self) -> Factor<'_, T> {
        Factor { data: Cow::Borrowed(&self.data), conjugate: self.conjugate }
    }
}

/// A product of two factors on memory, as the engine takes it; see [`Sorted`].
pub(super) struct Product<'a, T: Clone> {
    pub(super) batch: &'a [Triple],
    pub(super) rows: &'a [Triple],
    pub(super) columns: &'a [Triple],
    pub(super) inner: &'a [Triple],
    pub(super) factors: [Factor<'a, T>; 2],
    /// Positions of the first elements.
    pub(super) start: [isize; 3],
    pub(super) alpha: T,
    pub(super) out: Sink<'a, T>,
    /// What is computed with each element of the result then.
    pub(super) finish: Option<&'a Finishing<'a, T>>,
}

/// A contraction as this device has prepared it.
#[derive(Debug)]
pub(super) struct Ready<T: Multiplied> {
    threads: usize,
    way: Way<T>,
}

/// How it is computed.
#[derive(Debug)]
enum Way<T: Multiplied> {
    /// There is no element.
    Nothing,
    /// As a program over all factors.
    ElementWise(Box<ElementWise>),
    /// As one product of small matrices where they lie: the prepared kernel, and where the matrices start.
    Small(Small<T>, [isize; 3]),
    /// As a product of two factors, which are summed over axes of their own before.
    Product(Box<(Engine<T>, [Option<Alone>; 2])>),
    /// The same, with elements finished as soon as they are stored.
    Finished(Box<(Finisher<T>, Finish<T>)>),
}

/// What multiplies two factors and finishes what comes of it while that is near.
#[derive(Debug)]
enum Finisher<T: Multiplied> {
    Blocks(Blocks<T>),
    Small(Box<Matrices<T>>),
}

/// What multiplies two factors.
#[derive(Debug)]
enum Engine<T: Multiplied> {
    Direct(Direct<T>),
    Beside(Beside<T>),
    Matrices(Box<Matrices<T>>),
    /// Packed block by block.
    Blocks(Blocks<T>),
}

/// See [`Device::prepare`](tensorwrapper_core::backend::Device::prepare).
pub(super) fn prepare<T: Multiplied>(cpu: &Cpu, contraction: &Contraction<'_>) -> Result<Ready<T>, Error> {
    let Contraction { nest, factors, output, .. } = *contraction;
    let ready = |way: Way<T>| Ready { threads: cpu.threads, way };
    if output.is_empty() {
        return Ok(ready(Way::Nothing));
    }
    if let (Route::Chosen, Some((small, start))) = (cpu.route, plain::<T>(contraction)?) {
        return Ok(ready(Way::Small(small, start)));
    }
    let element_wise = || Ok(ready(Way::ElementWise(Box::new(ElementWise::new(contraction)))));
    let [(left, _), (right, _)] = factors else { return element_wise() };
    let (left, right) = (left.strides(), right.strides());
    // Without a sum, or where every output is multiplied by the number of terms alone, there is nothing to gain, but that
    // products are prepared down to their strides, and programs are not.
    let few = cpu.route == Route::Chosen
        && nest.extents().iter().try_fold(1, |n: usize, &e| n.checked_mul(e)).is_some_and(|n| n <= FEW);
    let sums = |n: usize| nest.extents()[n] != 1 && (left[n] != 0 || right[n] != 0);
    let injective = fuse::is_injective(output.extents(), output.strides());
    if nest.reduced_extents().contains(&0) || !injective || !few && !(nest.kept()..nest.rank()).any(sums) {
        return element_wise();
    }
    let (sorted, sums) = classify::<T>(contraction)?;
    let matrices = |sorted, small, pack| {
        Matrices::new(cpu.threads, sorted, small, pack).map(|matrices| Engine::Matrices(Box::new(matrices)))
    };
    let engine = match cpu.route {
        Route::Chosen => chosen(cpu.threads, sorted)?,
        Route::Engine(simd) => Engine::Blocks(Blocks::new(sorted, simd)),
        Route::Direct => Engine::Direct(Direct::new(sorted, Simd::chosen()?)),
        Route::Tiles => matrices(sorted, usize::MAX, false)?,
        Route::Blocked => matrices(sorted, 0, false)?,
        Route::Packed => matrices(sorted, 0, true)?,
    };
    let small = if let Engine::Matrices(matrices) = &engine { matrices.as_small() } else { None };
    Ok(ready(match (small, &sums) {
        (Some((small, start)), [None, None]) => Way::Small(small, start),
        _ => Way::Product(Box::new((engine, sums))),
    }))
}

/// What multiplies two factors fastest.
fn chosen<T: Multiplied>(threads: usize, sorted: Sorted<T>) -> Result<Engine<T>, Error> {
    if let Some(beside) = Beside::new(&sorted, Simd::chosen()?) {
        return Ok(Engine::Beside(beside));
    }
    if sorted.suits_direct() {
        return Ok(Engine::Direct(Direct::new(sorted, Simd::chosen()?)));
    }
    if let Some(matrices) = in_vectors(threads, &sorted)? {
        return Ok(Engine::Matrices(Box::new(matrices)));
    }
    if sorted.suits_engine() {
        return Ok(Engine::Blocks(Blocks::new(sorted, Simd::chosen()?)));
    }
    Ok(Engine::Matrices(Box::new(Matrices::new(threads, sorted, SMALL, false)?)))
}

/// Prepares a contraction with what is computed then, where both can be done at once.
pub(super) fn prepare_finished<T: Multiplied>(
    cpu: &Cpu,
    contraction: &Contraction<'_>,
    program: &Program,
) -> Result<Option<Ready<T>>, Error> {
    let Contraction { nest, output, .. } = *contraction;
    let nothing = output.is_empty() || nest.reduced_extents().contains(&0);
    if nothing || !fuse::is_injective(output.extents(), output.strides()) {
        return Ok(None);
    }
    let Some(finish) = Finish::new(contraction, program) else { return Ok(None) };
    let (sorted, [None, None]) = classify::<T>(contraction)? else { return Ok(None) };
    let blocks = |sorted, simd| Finisher::Blocks(Blocks::new(sorted, simd));
    let finisher = match cpu.route {
        Route::Engine(simd) => blocks(sorted, simd),
        Route::Chosen if sorted.suits_direct() => return Ok(None),
        Route::Chosen => match in_vectors(cpu.threads, &sorted)? {
            Some(matrices) => Finisher::Small(Box::new(matrices)),
            None if sorted.suits_engine_to_finish() => blocks(sorted, Simd::chosen()?),
            None => return Ok(None),
        },
        Route::Direct | Route::Tiles | Route::Blocked | Route::Packed => return Ok(None),
    };
    Ok(Some(Ready { threads: cpu.threads, way: Way::Finished(Box::new((finisher, finish))) }))
}

/// Products of small matrices where they lie, if kernels in vectors can multiply them.
fn in_vectors<T: Multiplied>(threads: usize, sorted: &Sorted<T>) -> Result<Option<Matrices<T>>, Error> {
    if sorted.multiplications() > IN_VECTORS {
        return Ok(None);
    }
    let matrices = Matrices::new(threads, sorted.clone(), IN_VECTORS, false)?;
    Ok(matrices.is_in_vectors()?.then_some(matrices))
}

impl<T: Multiplied> RunContraction for Ready<T> {
    fn work_space(&self) -> usize {
        let elements = match &self.way {
            Way::Nothing | Way::ElementWise(_) | Way::Small(..) | Way::Finished(_) => 0,
            Way::Product(product) => {
                let (engine, sums) = &**product;
                let packed = match engine {
                    Engine::Direct(direct) => direct.work_space(self.threads),
                    Engine::Matrices(matrices) => matrices.work_space(),
                    // They pack into what threads keep.
                    Engine::Beside(_) | Engine::Blocks(_) => 0,
                };
                sums.iter().flatten().map(Alone::len).fold(packed, usize::saturating_add)
            }
        };
        elements.saturating_mul(size_of::<T>())
    }

    unsafe fn run(&self, _: &dyn Device, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let (engine, sums) = match &self.way {
            Way::Small(small, start) => {
                let [left, right] = [LEFT, RIGHT].map(|side| T::typed(factors[side]).expect(TYPED).as_ptr());
                let out = T::typed_mut(output).expect(TYPED).as_mut_ptr();
                // SAFETY: the caller keeps all positions inside, and the output is borrowed here alone.
                unsafe {
                    let factors = [left.offset(start[LEFT]), right.offset(start[RIGHT])];
                    small.run(1, factors, out.offset(start[OUT]));
                }
                return Ok(());
            }
            Way::Nothing => return Ok(()),
            Way::ElementWise(program) => return program.run::<T>(self.threads, factors, output),
            Way::Product(product) => &**product,
            Way::Finished(finished) => {
                let (finisher, finish) = &**finished;
                let data: SmallVec<[&[T]; 4]> = factors.iter().map(|&data| T::typed(data).expect(TYPED)).collect();
                let out = Sink::new(T::typed_mut(output).expect(TYPED));
                let finishing = finish.on(&data[2..]);
                let factors = [data[LEFT], data[RIGHT]];
                return match finisher {
                    Finisher::Blocks(blocks) => blocks.run(self.threads, factors, out, Some(&finishing)),
                    // SAFETY: the caller keeps all positions inside.
                    Finisher::Small(matrices) => unsafe { matrices.run(self.threads, factors, out, Some(&finishing)) },
                };
            }
        };
        let data = [LEFT, RIGHT].map(|side| T::typed(factors[side]).expect(TYPED));
        let out = Sink::new(T::typed_mut(output).expect(TYPED));
        let sum = |side: usize| sums[side].as_ref().map(|alone| alone.sum(self.threads, data[side])).transpose();
        let summed = [sum(LEFT)?, sum(RIGHT)?];
        let data = [LEFT, RIGHT].map(|side| summed[side].as_deref().unwrap_or(data[side]));
        // SAFETY: the caller keeps all positions inside; summed factors have exactly those that their axes lead to.
        unsafe {
            match engine {
                Engine::Direct(direct) => direct.run(self.threads, data, out),
                Engine::Beside(beside) => beside.run(self.threads, data, out),
                Engine::Matrices(matrices) => matrices.run(self.threads, data, out, None),
                Engine::Blocks(blocks) => blocks.run(self.threads, data, out, None),
            }
        }
    }
}

/// Products in which nothing is summed, and those of another number of factors.
#[derive(Debug)]
struct ElementWise {
    nest: LoopNest,
    program: Program,
    /// Where the factors lie, how much memory they need, and whether they are conjugated.
    factors: SmallVec<[(Strided, usize, bool); 2]>,
    output: (Strided, usize),
}

impl ElementWise {
    fn new(contraction: &Contraction<'_>) -> ElementWise {
        let mut instructions: Vec<Instruction> = (0..contraction.factors.len()).map(Instruction::Input).collect();
        if contraction.alpha != num_complex::Complex::ONE || contraction.factors.is_empty() {
            instructions.push(Instruction::Constant(contraction.alpha));
        }
        let values = instructions.len();
        for n in 1..values {
            let previous = if n == 1 { 0 } else { instructions.len() - 1 };
            instructions.push(Instruction::Combine(Binary::Multiply, previous, n));
        }
        let factor = |&(layout, conjugate): &(&Strided, bool)| (layout.clone(), reach(layout), conjugate);
        ElementWise {
            nest: contraction.nest.clone(),
            program: Program::new(instructions),
            factors: contraction.factors.iter().map(factor).collect(),
            output: (contraction.output.clone(), reach(contraction.output)),
        }
    }

    fn run<T: Scalar>(&self, threads: usize, factors: &[SliceRef<'_>], output: SliceMut<'_>) -> Result<(), Error> {
        let known = factors.iter().zip(&self.factors);
        let factors: SmallVec<[Operand<'_>; 4]> =
            known.map(|(&data, (layout, reach, conjugate))| Operand::reaching(data, layout, *reach, *conjugate)).collect();
        let output = Output::reaching(output, &self.output.0, self.output.1);
        map::map::<T>(threads, &self.nest, (&self.program, &[]), Reduction::Sum, &factors, output)
    }
}
