//! Generated kernels in the simulator against the reference: random spaces, layouts, programs and element types, in every
//! schedule and by every route. Another test checks that a missing barrier is noticed.

mod bounds;
mod linear;
mod sizes;

use std::path::PathBuf;
use std::sync::Arc;

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use tensorwrapper_core::backend::Unary;

use super::{Collection, Schedule};
use crate::text::{ON_HOST, Route};
use tensorwrapper_core::backend::function::Scalar;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Binary, Comparison, Device, Instruction, LoopNest, Program, Reduction};
use tensorwrapper_core::element::{Dtype, Element, dispatch};
use tensorwrapper_core::layout::Strided;
use tensorwrapper_testing::contract_once;
use tensorwrapper_testing::{Placed, epsilon, number};

const DTYPES: [Dtype; 4] = [Dtype::F32, Dtype::F64, Dtype::C32, Dtype::C64];
const ROUTES: [Route; 5] = [Route::Chosen, Route::LargeTiles, Route::SmallTiles, Route::Parts, Route::Threads];

/// A folder for compiled kernels, which is removed behind the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        Folder(std::env::temp_dir().join(format!("tensorwrapper-simulator-{name}-{}", std::process::id())))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Whether there is a compiler. Without one a test is skipped with a message, and fails where `CI` is set.
fn can_compile(test: &str) -> bool {
    match Collection::compiler() {
        Ok(_) => true,
        Err(error) if std::env::var_os("CI").is_some() => panic!("{test}: {error}"),
        Err(error) => {
            eprintln!("SKIPPED {test}: {error}");
            false
        }
    }
}

/// The device for what is left to the host.
fn host() -> Arc<dyn Device> {
    Arc::new(Reference)
}

/// Runs cases on devices, once to collect their kernels and once to compute, and notes wrong results.
struct Run<'d> {
    device: &'d dyn Fn(Route) -> Arc<dyn Device>,
    faults: Vec<String>,
}

impl Run<'_> {
    /// Compares whole memories: elements that the layout does not reach must keep their values.
    fn judge<T: Element>(&mut self, found: &[T], expected: &[T], tolerance: f64, what: impl Fn() -> String) {
        for (n, (a, b)) in found.iter().zip(expected).enumerate() {
            let (a, b) = (a.to_complex(), b.to_complex());
            let close = a == b || (a.is_nan() && b.is_nan()) || (a - b).norm() <= tolerance * (1.0 + b.norm());
            if !close {
                self.faults.push(format!("element {n} is {a} instead of {b}: {}", what()));
                return;
            }
        }
    }

    fn contract<T: Element>(&mut self, rng: &mut StdRng, route: Route, nest: &LoopNest, factors: usize) {
        let factors: Vec<Placed<T>> = (0..factors).map(|_| Placed::operand(rng, nest.extents(), 0.35)).collect();
        let output = Placed::<T>::output(rng, &nest.extents()[..nest.kept()]);
        let alpha = *[Complex::ONE, Complex::new(-0.5, 0.0), Complex::new(0.3, 0.7)].choose(rng).unwrap();
        let operands: Vec<_> = factors.iter().map(Placed::as_operand).collect();
        let (mut found, mut expected) = (output.clone(), output);
        let device = (self.device)(route);
        if let Err(error) = contract_once(&*device, nest, alpha, &operands, found.as_output()) {
            self.faults.push(error.kind().to_string());
            return;
        }
        contract_once(&Reference, nest, alpha, &operands, expected.as_output()).unwrap();
        let terms: usize = nest.reduced_extents().iter().product();
        let layouts: Vec<_> = factors.iter().map(|factor| (&factor.layout, factor.conjugate)).collect();
        let what = || format!("{route:?}, {}, {nest:?}, {alpha}, {layouts:?}, to {:?}", T::DTYPE, found.layout);
        self.judge(&found.data, &expected.data, epsilon::<T>() * 32.0 * (terms + 1) as f64, what);
    }

    /// `[i, j, k, l] = A[i, a, k, b] * B[b, j, a, l]` with the axes of the nest in this order: a product of permuted matrices.
    fn product<T: Element>(&mut self, rng: &mut StdRng, route: Route, nest: &LoopNest) {
        let factor = |axes: [usize; 4], rng: &mut StdRng| -> Placed<T> {
            let mut strides = [0; 6];
            let len = axes.iter().rev().fold(1, |stride, &axis| {
                strides[axis] = stride as isize;
                stride * nest.extents()[axis]
            });
            let layout = Strided::within(nest.extents(), &strides, 0, len).unwrap();
            Placed { data: (0..len).map(|_| number(rng)).collect(), layout, conjugate: false }
        };
        let factors = [factor([0, 4, 2, 5], rng), factor([5, 1, 4, 3], rng)];
        let operands = factors.each_ref().map(Placed::as_operand);
        let kept = &nest.extents()[..4];
        let output = Placed::<T>::of(kept, vec![T::ZERO; kept.iter().product()]);
        let (mut found, mut expected) = (output.clone(), output);
        match contract_once(&*(self.device)(route), nest, Complex::ONE, &operands, found.as_output()) {
            Ok(()) => {
                contract_once(&Reference, nest, Complex::ONE, &operands, expected.as_output()).unwrap();
                self.judge(&found.data, &expected.data, epsilon::<T>() * 2000.0, || format!("{route:?} {}", T::DTYPE));
            }
            Err(error) => self.faults.push(error.kind().to_string()),
        }
    }

    fn map<T: Scalar>(&mut self, rng: &mut StdRng, route: Route, nest: &LoopNest) {
        let number = rng.random_range(0..4);
        let inputs: Vec<Placed<T>> = (0..number).map(|_| Placed::operand(rng, nest.extents(), 0.2)).collect();
        let program = program(rng, number);
        let reduction = *[Reduction::Sum, Reduction::Product, Reduction::Max, Reduction::Min].choose(rng).unwrap();
        let output = Placed::<T>::output(rng, &nest.extents()[..nest.kept()]);
        let operands: Vec<_> = inputs.iter().map(Placed::as_operand).collect();
        let (mut found, mut expected) = (output.clone(), output);
        let result = (self.device)(route).map(nest, &program, reduction, &[], &operands, found.as_output());
        let wanted = Reference.map(nest, &program, reduction, &[], &operands, expected.as_output());
        let layouts: Vec<_> = inputs.iter().map(|input| (&input.layout, input.conjugate)).collect();
        let what =
            || format!("{route:?}, {}, {nest:?}, {program:?}, {reduction:?}, {layouts:?}, to {:?}", T::DTYPE, found.layout);
        if result != wanted {
            self.faults.push(format!("{result:?} instead of {wanted:?}: {}", what()));
        } else if result.is_ok() {
            let terms: usize = nest.reduced_extents().iter().product();
            self.judge(&found.data, &expected.data, epsilon::<T>() * 64.0 * (terms + 1) as f64, what);
        }
    }

    /// One input of another element type.
    fn convert<U: Scalar, T: Scalar>(&mut self, rng: &mut StdRng, nest: &LoopNest) {
        let (other, own) = (Placed::<U>::operand(rng, nest.extents(), 0.2), Placed::<T>::operand(rng, nest.extents(), 0.2));
        let difference = Instruction::Combine(Binary::Subtract, 0, 1);
        let program = Program::new(vec![Instruction::Converted(0), Instruction::Input(1), difference]);
        let operands = [other.as_operand(), own.as_operand()];
        let output = Placed::<T>::output(rng, &nest.extents()[..nest.kept()]);
        let (mut found, mut expected) = (output.clone(), output);
        (self.device)(Route::Chosen).map(nest, &program, Reduction::Sum, &[], &operands, found.as_output()).unwrap();
        Reference.map(nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
        let terms: usize = nest.reduced_extents().iter().product();
        let what = || format!("{} to {}, {nest:?}", U::DTYPE, T::DTYPE);
        self.judge(&found.data, &expected.data, epsilon::<T>() * 64.0 * (terms + 1) as f64, what);
    }
}

/// A random program whose values stay small and depend continuously on its inputs.
fn program(rng: &mut StdRng, inputs: usize) -> Program {
    let mut instructions: Vec<Instruction> = (0..inputs).map(Instruction::Input).collect();
    if rng.random_bool(0.2) || instructions.is_empty() {
        instructions.push(Instruction::Constant(Complex::new(0.7, -0.2)));
    }
    const TAME: [Unary; 8] = [Unary::Sin, Unary::Cos, Unary::Tanh, Unary::Abs, Unary::Conj, Unary::Re, Unary::Im, Unary::Exp];
    for _ in 0..rng.random_range(0..5) {
        let (a, b) = (rng.random_range(0..instructions.len()), rng.random_range(0..instructions.len()));
        // What is compared has no rounding errors, so that both devices choose alike.
        let compared = instructions.iter().position(|one| matches!(one, Instruction::Compare(..)));
        instructions.push(match (rng.random_range(0..9), compared) {
            (6, _) if inputs > 0 => {
                let [left, right] = [(); 2].map(|()| rng.random_range(0..inputs));
                Instruction::Compare(*Comparison::ALL.choose(rng).unwrap(), left, right)
            }
            (7 | 8, Some(condition)) => Instruction::Select(condition, a, b),
            (which, _) => match which {
                0 => Instruction::Negate(a),
                1 => Instruction::Apply(*TAME.choose(rng).unwrap(), rng.random_range(0..inputs.max(1))),
                2 => Instruction::Combine(Binary::Multiply, a, b),
                3 => Instruction::Combine(Binary::Subtract, a, b),
                4 => Instruction::PowerInteger(rng.random_range(0..inputs.max(1)), rng.random_range(0..4)),
                _ => Instruction::Combine(Binary::Add, a, b),
            },
        });
    }
    Program::new(instructions)
}

fn nest(rng: &mut StdRng, largest: usize, smallest: usize, max_rank: usize) -> LoopNest {
    let rank = rng.random_range(0..=max_rank);
    let extents: Vec<usize> = (0..rank).map(|_| rng.random_range(smallest..=largest)).collect();
    LoopNest::new(extents, rng.random_range(0..=rank))
}

/// Collects the kernels of cases, compiles them, and runs the cases in every schedule; returns the faults of each.
fn in_all_schedules(name: &str, change: impl Fn(&str) -> String, cases: impl Fn(&mut Run<'_>)) -> [Vec<String>; 3] {
    let folder = Folder::new(name);
    let collection = Collection::default();
    cases(&mut Run { device: &|route| collection.device(route, host()), faults: Vec::new() });
    let compiled = collection.compile(&folder.0, change).unwrap_or_else(|error| panic!("{}", error.kind()));
    Schedule::ALL.map(|schedule| {
        let mut run = Run { device: &|route| compiled.device(schedule, route, host()), faults: Vec::new() };
        cases(&mut run);
        run.faults
    })
}

fn assert_faultless(name: &str, cases: impl Fn(&mut Run<'_>)) {
    if !can_compile(name) {
        return;
    }
    for (faults, schedule) in in_all_schedules(name, str::to_string, cases).iter().zip(Schedule::ALL) {
        assert!(faults.is_empty(), "{schedule:?}: {} faults\n{}", faults.len(), faults.join("\n"));
    }
}

#[test]
fn contractions() {
    assert_faultless("contractions", |run| {
        let mut rng = StdRng::seed_from_u64(1);
        for round in 0..150 {
            let route = ROUTES[round % 5];
            let nest = nest(&mut rng, 6, usize::from(round % 9 != 0), 6);
            let factors = if round % 4 == 3 { [0, 1, 3, 4][round / 4 % 4] } else { 2 };
            dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => run.contract::<T>(&mut rng, route, &nest, factors));
        }
    });
}

#[test]
fn larger_contractions() {
    assert_faultless("larger", |run| {
        let mut rng = StdRng::seed_from_u64(2);
        for round in 0..20 {
            let nest = nest(&mut rng, 17, 7, 3);
            dispatch!(DTYPES[round % 4], T => run.contract::<T>(&mut rng, ROUTES[round % 5], &nest, 2));
        }
        // Many blocks of rows, columns and terms, and edges in each; few rows, few columns.
        for extents in [[11, 9, 13, 8, 5, 4], [31, 4, 9, 3, 5, 4], [31, 4, 9, 1, 5, 4]] {
            let nest = LoopNest::new(extents.to_vec(), 4);
            for dtype in DTYPES {
                for route in [Route::LargeTiles, Route::SmallTiles, Route::Parts] {
                    dispatch!(dtype, T => run.product::<T>(&mut rng, route, &nest));
                }
            }
        }
    });
}

#[test]
fn element_wise_programs_and_reductions() {
    assert_faultless("maps", |run| {
        let mut rng = StdRng::seed_from_u64(3);
        for round in 0..120 {
            let nest = nest(&mut rng, 6, usize::from(round % 9 != 0), 5);
            dispatch!(*DTYPES.choose(&mut rng).unwrap(), T => run.map::<T>(&mut rng, ROUTES[round % 5], &nest));
        }
        for round in 0..40 {
            let nest = nest(&mut rng, 40, 9, 3);
            dispatch!(DTYPES[round % 4], T => run.map::<T>(&mut rng, ROUTES[round % 5], &nest));
        }
        // Long enough for sums in parts, and for several rounds of a block.
        for (extents, kept) in [(vec![70_000], 0), (vec![3, 9_000], 1), (vec![300, 40], 1), (vec![40, 300], 2)] {
            let nest = LoopNest::new(extents, kept);
            run.map::<f64>(&mut rng, Route::Chosen, &nest);
            run.map::<Complex<f32>>(&mut rng, Route::Chosen, &nest);
        }
        for _ in 0..30 {
            let nest = nest(&mut rng, 7, 1, 4);
            let (from, to) = (*DTYPES.choose(&mut rng).unwrap(), *DTYPES.choose(&mut rng).unwrap());
            if from != to {
                dispatch!(from, U => dispatch!(to, T => run.convert::<U, T>(&mut rng, &nest)));
            }
        }
    });
}

#[test]
fn every_function_of_every_type() {
    assert_faultless("functions", |run| {
        let mut rng = StdRng::seed_from_u64(4);
        let nest = LoopNest::new(vec![41], 1);
        let powers = [Instruction::PowerInteger(0, -3), Instruction::PowerInteger(0, 5), Instruction::PowerReal(0, -1.3)];
        let division = [Instruction::Combine(Binary::Divide, 0, 1)];
        let functions = Unary::ALL.map(|function| Instruction::Apply(function, 0));
        for instruction in functions.into_iter().chain(powers).chain(division) {
            let program = Program::new(vec![Instruction::Input(0), Instruction::Input(1), instruction]);
            for dtype in DTYPES {
                dispatch!(dtype, T => {
                    let inputs = [0, 1].map(|_| Placed::<T>::operand(&mut rng, nest.extents(), 0.0));
                    let operands = inputs.each_ref().map(Placed::as_operand);
                    let output = Placed::<T>::output(&mut rng, nest.extents());
                    let (mut found, mut expected) = (output.clone(), output);
                    let device = (run.device)(Route::Chosen);
                    device.map(&nest, &program, Reduction::Sum, &[], &operands, found.as_output()).unwrap();
                    Reference.map(&nest, &program, Reduction::Sum, &[], &operands, expected.as_output()).unwrap();
                    let what = || format!("{instruction:?} of {}", T::DTYPE);
                    run.judge(&found.data, &expected.data, epsilon::<T>() * 64.0, what);
                });
            }
        }
    });
}

/// Runs all kernels that have barriers, after `change` was applied to their text; returns the faults.
fn barriers(name: &str, change: impl Fn(&str) -> String) -> [Vec<String>; 3] {
    in_all_schedules(name, change, |run| {
        let mut rng = StdRng::seed_from_u64(5);
        let nest = LoopNest::new(vec![5, 9, 7, 8, 6, 7], 4);
        for dtype in DTYPES {
            for route in [Route::LargeTiles, Route::SmallTiles, Route::Parts] {
                dispatch!(dtype, T => run.product::<T>(&mut rng, route, &nest));
            }
        }
        let identity = Program::new(vec![Instruction::Input(0)]);
        for (extents, kept, strides) in [(vec![3, 200], 1, [200, 1]), (vec![40, 50], 1, [1, 40]), (vec![40, 50], 2, [1, 40])] {
            let layout = Strided::within(&extents, &strides, 0, 1 << 20).unwrap();
            let data = (0..layout.reach().unwrap()).map(|_| number::<f64>(&mut rng)).collect();
            let input = Placed { data, layout, conjugate: false };
            let size = extents[..kept].iter().product();
            let nest = LoopNest::new(extents.clone(), kept);
            let output = Placed::of(&extents[..kept], vec![0.0; size]);
            let (mut found, mut expected) = (output.clone(), output);
            let device = (run.device)(Route::Chosen);
            match device.map(&nest, &identity, Reduction::Sum, &[], &[input.as_operand()], found.as_output()) {
                Ok(()) => {
                    Reference.map(&nest, &identity, Reduction::Sum, &[], &[input.as_operand()], expected.as_output()).unwrap();
                    run.judge(&found.data, &expected.data, 1e-12, || format!("{nest:?}"));
                }
                Err(error) => run.faults.push(error.kind().to_string()),
            }
        }
        linear::with_barriers(run, &mut rng);
    })
}

#[test]
fn each_missing_barrier_is_noticed() {
    if !can_compile("barriers") {
        return;
    }
    const BARRIER: &str = "__syncthreads();";
    let text = ON_HOST.concat();
    let places: Vec<usize> = text.match_indices(BARRIER).map(|(place, _)| place).collect();
    assert_eq!(
        places.len(),
        7,
        "barriers of fold_in_blocks, fold_in_columns, transpose_tiles, contract, two of fold_block, and set_phases"
    );
    assert_eq!(barriers("whole", str::to_string).map(|faults| faults.len()), [0; 3]);
    for place in places {
        let seen = barriers("barriers", |text| format!("{}{}", &text[..place], &text[place + BARRIER.len()..]));
        let around = &text[place.saturating_sub(120)..place];
        assert!(seen.iter().any(|faults| !faults.is_empty()), "no schedule notices that a barrier is missing behind {around}");
    }
}

#[test]
fn waiting_for_too_few_copies_is_noticed() {
    if !can_compile("copies") {
        return;
    }
    const WAIT: &str = "tw_wait_for_groups<AHEAD - 1>();";
    assert_eq!(ON_HOST.concat().matches(WAIT).count(), 1);
    for instead in ["", "tw_wait_for_groups<AHEAD>();"] {
        let seen = barriers("copies", |text| text.replace(WAIT, instead));
        assert!(seen.iter().all(|faults| !faults.is_empty()), "no schedule notices `{instead}` instead of {WAIT}");
    }
}
