//! Element-wise programs of few points whose operands lie in the order of the points, or are so few that they are copied into it: one loop
//! over their elements for each instruction, without any of the work that other programs need before they begin. Reduced points of one
//! result follow each other.

mod instructions;

use std::marker::PhantomData;

use smallvec::SmallVec;

use self::instructions::{BLOCK, Value, compute};
use crate::evaluate::convert;
use crate::fold::fold_all;
use crate::multiversion::{Loops, dispatch_narrow};
use crate::simd::Simd;
use crate::tasks::WORTH_A_THREAD;
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::{ElementWise, Instruction, LoopNest, Operand, Program, Reduction, RunMap};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_core::storage::{SliceMut, SliceRef};

/// The most instructions that a program may have.
const MOST: usize = 12;

/// The most points for which inputs are brought into their order one element after the other.
const MOST_GATHERED: usize = 256;

/// The most points for which inputs in their order are converted or conjugated.
const MOST_CONVERTED: usize = 4096;

/// The most points of one result.
const MOST_REDUCED: usize = 256;

/// How a program is computed so: what it reads of each input, and how many points it has.
#[derive(Clone, Copy, Debug)]
struct FlatPlan {
    inputs: [Place; MOST],
    reduction: Reduction,
    /// Where the results begin, and how many they are.
    start: usize,
    results: usize,
    /// Points of each result.
    reduced: usize,
    /// The number of the input that the program is, where it computes nothing.
    input: Option<usize>,
}

/// What is read of an input.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// The elements from there on, as many as there are points.
    Elements(usize),
    /// The element there, for every point.
    Number(usize),
    /// Elements of another type or in another order, or their conjugates, which must be copied first.
    Copied,
}

impl FlatPlan {
    /// The plan of a program whose inputs have these layouts, if it can be computed so.
    #[inline(always)]
    fn new<'l>(
        nest: &LoopNest,
        (program, reduction): (&Program, Reduction),
        layouts: impl ExactSizeIterator<Item = (&'l Strided, bool)>,
        output: &Strided,
    ) -> Option<FlatPlan> {
        let reduced: usize = nest.reduced_extents().iter().product();
        let len = output.len().saturating_mul(reduced);
        let instructions = program.instructions();
        let is_small = len < 2 * WORTH_A_THREAD && (1..=MOST_REDUCED).contains(&reduced);
        if !is_small || instructions.len() > MOST || layouts.len() > MOST || !output.is_row_major() {
            return None;
        }
        if instructions.iter().any(|one| matches!(one, Instruction::Call(..))) {
            return None;
        }
        let input = if let [Instruction::Input(n)] = instructions[..] { Some(n) } else { None };
        if input.is_none() && !instructions.last().is_some_and(computes) {
            return None;
        }
        let mut inputs = [Place::Copied; MOST];
        for (place, (layout, conjugates)) in inputs.iter_mut().zip(layouts) {
            *place = match () {
                () if conjugates => Place::Copied,
                () if layout.strides().iter().all(|&stride| stride == 0) => Place::Number(layout.offset()),
                () if layout.is_row_major() => Place::Elements(layout.offset()),
                () => Place::Copied,
            };
        }
        for one in instructions {
            if let Instruction::Converted(n) = *one {
                inputs[n] = Place::Copied;
            }
        }
        // A number is no row of elements.
        if input.is_some_and(|n| matches!(inputs[n], Place::Number(_))) {
            return None;
        }
        Some(FlatPlan { inputs, reduction, start: output.offset(), results: output.len(), reduced, input })
    }

    fn points(&self) -> usize {
        self.results * self.reduced
    }

    /// Computes a program from these inputs into memory that has as many results.
    #[inline(always)]
    fn run<T: Scalar>(&self, simd: Simd, program: &Program, inputs: &[Value<'_, T>], out: &mut [T]) {
        let FlatPlan { reduction, reduced, .. } = *self;
        if let Some(n) = self.input {
            let Value::Elements(elements) = inputs[n] else { unreachable!("the plan has elements") };
            return dispatch_narrow(simd, Rows { reduction, elements, len: reduced, out });
        }
        if reduced == 1 {
            return Flat { simd, program, inputs, out }.run();
        }
        // As many results at a time as a buffer has room for.
        let mut made = [T::ZERO; MOST_REDUCED];
        let rows = MOST_REDUCED / reduced;
        for (n, out) in out.chunks_mut(rows).enumerate() {
            let made = &mut made[..out.len() * reduced];
            let part = |value| match value {
                Value::Elements(elements) if !elements.is_empty() => {
                    Value::Elements(&elements[n * rows * reduced..][..made.len()])
                }
                other => other,
            };
            let parts: SmallVec<[Value<'_, T>; MOST]> = inputs.iter().copied().map(part).collect();
            Flat { simd, program, inputs: &parts, out: made }.run();
            dispatch_narrow(simd, Rows { reduction, elements: made, len: reduced, out });
        }
    }
}

/// Computes a program, if it is of this kind.
pub(super) fn run_if<T: Scalar>(
    simd: Simd,
    nest: &LoopNest,
    (program, reduction): (&Program, Reduction),
    inputs: &[Operand<'_>],
    (out, layout): (&mut [T], &Strided),
) -> bool {
    let layouts = inputs.iter().map(|input| (input.layout(), input.conjugate && T::DTYPE.is_complex()));
    let Some(plan) = FlatPlan::new(nest, (program, reduction), layouts, layout) else { return false };
    let len = plan.points();
    let mut gathered: Vec<T> = Vec::new();
    let mut others: SmallVec<[usize; MOST]> = SmallVec::new();
    let mut values: SmallVec<[Value<'_, T>; MOST]> = SmallVec::new();
    for (n, input) in inputs.iter().enumerate() {
        let place = plan.inputs[n];
        if let Place::Copied = place {
            others.push(n);
        }
        // What is of another type is not read, if it is not to be copied.
        let value = T::typed(input.data()).and_then(|data| read(place, data, len));
        values.push(value.unwrap_or(Value::Elements(&[])));
    }
    if !others.is_empty() {
        let is_in_order = others.iter().all(|&n| inputs[n].layout().is_row_major());
        if len > if is_in_order { MOST_CONVERTED } else { MOST_GATHERED } {
            return false;
        }
        gathered.reserve_exact(others.len() * len);
        others.iter().for_each(|&n| append(&mut gathered, &inputs[n]));
        others.iter().zip(gathered.chunks(len)).for_each(|(&n, copy)| values[n] = Value::Elements(copy));
    }
    plan.run(simd, program, &values, &mut out[plan.start..][..plan.results]);
    true
}

/// A program of this kind whose inputs need no copies, ready for any memory.
pub(crate) fn prepare<T: Scalar>(simd: Simd, work: &ElementWise<'_>) -> Option<Box<dyn RunMap>> {
    let &ElementWise { nest, program, reduction, output, .. } = work;
    reduction.check::<T>().ok()?;
    let inputs = &work.inputs[..program.inputs()];
    let layouts = inputs.iter().map(|&(layout, conjugates)| (layout, conjugates && T::DTYPE.is_complex()));
    let plan = FlatPlan::new(nest, (program, reduction), layouts, output)?;
    // Of an input that is not read, memory may have any type.
    let is_read = |n: usize| program.instructions().contains(&Instruction::Input(n));
    let is_plain = (0..inputs.len()).all(|n| is_read(n) && !matches!(plan.inputs[n], Place::Copied));
    if plan.results == 0 || !is_plain {
        return None;
    }
    Some(Box::new(PreparedFlat::<T> { simd, plan, program: program.clone(), read: inputs.len(), element: PhantomData }))
}

/// A program that is prepared.
#[derive(Debug)]
struct PreparedFlat<T> {
    simd: Simd,
    plan: FlatPlan,
    program: Program,
    /// How many inputs the program reads.
    read: usize,
    element: PhantomData<fn() -> T>,
}

impl<T: Scalar> RunMap for PreparedFlat<T> {
    fn run(&self, inputs: &[SliceRef<'_>], output: SliceMut<'_>) {
        let (plan, len) = (&self.plan, self.plan.points());
        let mut values: SmallVec<[Value<'_, T>; MOST]> = SmallVec::new();
        for (&place, &data) in plan.inputs[..self.read].iter().zip(inputs) {
            let data = T::typed(data).expect("inputs have the element type that the program was prepared for");
            values.push(read(place, data, len).expect("the program was prepared for inputs in order"));
        }
        let out = T::typed_mut(output).expect("the output has the element type that the program was prepared for");
        plan.run(self.simd, &self.program, &values, &mut out[plan.start..][..plan.results]);
    }
}

/// A program, what it reads, and where it writes.
struct Flat<'m, T> {
    simd: Simd,
    program: &'m Program,
    inputs: &'m [Value<'m, T>],
    out: &'m mut [T],
}

/// What is read of an input's memory for so many points; nothing where that must be copied first.
#[inline(always)]
fn read<T: Element>(place: Place, data: &[T], len: usize) -> Option<Value<'_, T>> {
    match place {
        Place::Elements(start) => Some(Value::Elements(&data[start..][..len])),
        Place::Number(at) => Some(Value::Number(data[at])),
        Place::Copied => None,
    }
}

impl<T: Scalar> Flat<'_, T> {
    fn run(self) {
        match self.program.instructions().iter().filter(|one| computes(one)).count() {
            0 | 1 => dispatch_narrow(self.simd, Once(self)),
            2 => self.keeping::<1>(),
            3..=5 => self.keeping::<4>(),
            _ => self.keeping::<MOST>(),
        }
    }

    /// Of a program that keeps at most so many blocks besides the result.
    fn keeping<const KEPT: usize>(self) {
        dispatch_narrow(self.simd, Run { flat: self, kept: &mut [[T::ZERO; BLOCK]; KEPT] });
    }
}

/// Appends the elements of an input in the order of the points, converted and conjugated where they are to be.
fn append<T: Scalar>(to: &mut Vec<T>, input: &Operand<'_>) {
    let conjugates = input.conjugate && T::DTYPE.is_complex();
    match (input.data(), T::typed(input.data())) {
        (_, Some(data)) if conjugates => append_each(to, data, input.layout(), T::conj),
        (_, Some(data)) => append_each(to, data, input.layout(), |x| x),
        (SliceRef::F32(data), _) => append_each(to, data, input.layout(), convert),
        (SliceRef::F64(data), _) => append_each(to, data, input.layout(), convert),
        (SliceRef::C32(data), _) if conjugates => append_each(to, data, input.layout(), |x| convert(x.conj())),
        (SliceRef::C64(data), _) if conjugates => append_each(to, data, input.layout(), |x| convert(x.conj())),
        (SliceRef::C32(data), _) => append_each(to, data, input.layout(), convert),
        (SliceRef::C64(data), _) => append_each(to, data, input.layout(), convert),
    }
}

fn append_each<U: Copy, T>(to: &mut Vec<T>, data: &[U], layout: &Strided, of: impl Fn(U) -> T) {
    match layout.is_row_major() {
        true => to.extend(data[layout.start()..][..layout.len()].iter().map(|&x| of(x))),
        false => to.extend(layout.positions().map(|place| of(data[place]))),
    }
}

/// Whether an instruction makes elements.
fn computes(one: &Instruction) -> bool {
    !matches!(one, Instruction::Input(_) | Instruction::Converted(_) | Instruction::Constant(_))
}

/// Results that are folded of as many neighbours each.
struct Rows<'m, T> {
    reduction: Reduction,
    elements: &'m [T],
    len: usize,
    out: &'m mut [T],
}

impl<T: Scalar> Loops for Rows<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        for (n, out) in self.out.iter_mut().enumerate() {
            *out = fold_all(self.reduction, &self.elements[n * self.len..][..self.len]);
        }
    }
}

/// The run of a program whose last instruction alone makes elements: all of them are one block.
struct Once<'m, T>(Flat<'m, T>);

impl<T: Scalar> Loops for Once<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Flat { simd, program, inputs, out } = self.0;
        let instructions = program.instructions();
        let [.., last] = instructions else { unreachable!("the program of a plan computes something") };
        compute(simd, last, |number| value(&instructions[number], inputs), &[], out);
    }
}

/// The value of an instruction that makes no elements.
#[inline(always)]
fn value<'m, T: Scalar>(instruction: &Instruction, inputs: &[Value<'m, T>]) -> Value<'m, T> {
    match *instruction {
        Instruction::Input(input) | Instruction::Converted(input) => inputs[input],
        Instruction::Constant(constant) => Value::Number(T::from_complex(constant)),
        _ => unreachable!("it makes elements"),
    }
}

/// The run of a program that keeps blocks besides the result.
struct Run<'m, T> {
    flat: Flat<'m, T>,
    kept: &'m mut [[T; BLOCK]],
}

impl<T: Scalar> Loops for Run<'_, T> {
    type Result = ();

    #[inline(always)]
    fn run(self) {
        let Run { flat: Flat { simd, program, inputs, out }, kept } = self;
        let instructions = program.instructions();
        for (n, out) in out.chunks_mut(BLOCK).enumerate() {
            let mut values = [Value::Number(T::ZERO); MOST];
            let mut made = 0;
            for (number, instruction) in instructions.iter().enumerate() {
                values[number] = match *instruction {
                    _ if computes(instruction) => {
                        let ((before, rest), len) = (kept.split_at_mut(made), out.len());
                        // The last instruction is the result. One call, as it is inlined where it is called.
                        let into = if number + 1 == instructions.len() { &mut *out } else { &mut rest[0][..len] };
                        compute(simd, instruction, |number| values[number], before, into);
                        made += 1;
                        Value::Made(made - 1)
                    }
                    _ => match value(instruction, inputs) {
                        Value::Elements(elements) => Value::Elements(&elements[n * BLOCK..][..out.len()]),
                        other => other,
                    },
                };
            }
        }
    }
}
