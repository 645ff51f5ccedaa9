//! Linear algebra by the simulator's library routines against the reference: all operations, random sizes, layouts, groups of
//! axes and batches, in every element type, and matrices without a result. Another test checks that kernels which omit a
//! convention are noticed.

use num_complex::Complex;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::{DTYPES, Run, assert_faultless, can_compile, host, in_all_schedules};
use crate::text::Route;
use tensorwrapper_core::backend::reference::Reference;
use tensorwrapper_core::backend::{Decomposition, Device, Elements, Factorisation, Role};
use tensorwrapper_core::element::{Dtype, Element, EveryDtype, dispatch};
use tensorwrapper_core::error::Error;
use tensorwrapper_testing::{Placed, epsilon};

/// An operation, and the extents of the batch and of each role.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) call: Decomposition,
    pub(super) batch: Vec<usize>,
    pub(super) roles: [Vec<usize>; 6],
}

/// Results of any element type.
#[derive(Clone)]
pub(super) enum Room {
    F32(Placed<f32>),
    F64(Placed<f64>),
    C32(Placed<Complex<f32>>),
    C64(Placed<Complex<f64>>),
}

impl Room {
    fn new(rng: &mut StdRng, dtype: Dtype, extents: &[usize]) -> Room {
        match dtype.every() {
            EveryDtype::F32 => Room::F32(Placed::output(rng, extents)),
            EveryDtype::F64 => Room::F64(Placed::output(rng, extents)),
            EveryDtype::C32 => Room::C32(Placed::output(rng, extents)),
            EveryDtype::C64 => Room::C64(Placed::output(rng, extents)),
        }
    }

    fn as_output(&mut self) -> tensorwrapper_core::backend::Output<'_> {
        match self {
            Room::F32(placed) => placed.as_output(),
            Room::F64(placed) => placed.as_output(),
            Room::C32(placed) => placed.as_output(),
            Room::C64(placed) => placed.as_output(),
        }
    }

    pub(super) fn elements(&self) -> Vec<Complex<f64>> {
        match self {
            Room::F32(placed) => placed.elements(),
            Room::F64(placed) => placed.elements(),
            Room::C32(placed) => placed.elements(),
            Room::C64(placed) => placed.elements(),
        }
    }

    pub(super) fn positions(&self) -> Vec<usize> {
        match self {
            Room::F32(placed) => placed.layout.positions().collect(),
            Room::F64(placed) => placed.layout.positions().collect(),
            Room::C32(placed) => placed.layout.positions().collect(),
            Room::C64(placed) => placed.layout.positions().collect(),
        }
    }

    pub(super) fn memory(&self) -> Vec<Complex<f64>> {
        fn wide<T: Element>(placed: &Placed<T>) -> Vec<Complex<f64>> {
            placed.data.iter().map(|x| x.to_complex()).collect()
        }
        match self {
            Room::F32(placed) => wide(placed),
            Room::F64(placed) => wide(placed),
            Room::C32(placed) => wide(placed),
            Room::C64(placed) => wide(placed),
        }
    }
}

impl Case {
    pub(super) fn new(kind: Factorisation, batch: &[usize], rows: &[usize], columns: &[usize]) -> Case {
        let (m, n): (usize, usize) = (rows.iter().product(), columns.iter().product());
        let roles = [rows.to_vec(), columns.to_vec(), vec![3], vec![m.min(n)], vec![m], vec![n]];
        let call = Decomposition::plain(kind, batch.len(), roles.each_ref().map(Vec::len));
        Case { call, batch: batch.to_vec(), roles }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Decomposition)) -> Case {
        change(&mut self.call);
        if let Some(most) = self.call.max {
            self.roles[Role::New as usize] = vec![most];
        }
        self
    }

    fn extents(&self, roles: &[Role]) -> Vec<usize> {
        self.batch.iter().chain(roles.iter().flat_map(|&role| &self.roles[role as usize])).copied().collect()
    }

    /// Arguments that have a result: matrices that must be positive definite are. Of Hermitian matrices only the lower triangle
    /// is set.
    fn arguments<T: Element>(&self, rng: &mut StdRng, count: usize) -> Vec<Placed<T>> {
        let form = self.call.form();
        let lower = matches!(self.call.kind, Factorisation::Cholesky | Factorisation::Eigh);
        let mut made = Vec::new();
        for (n, roles) in form.arguments.iter().take(count).enumerate() {
            let mut placed = Placed::<T>::operand(rng, &self.extents(roles), 0.0);
            let columns: usize = roles.get(1).map_or(1, |&role| self.roles[role as usize].iter().product());
            let rows: usize = self.roles[roles[0] as usize].iter().product();
            let is_positive = self.call.kind == Factorisation::Cholesky || (self.call.kind == Factorisation::Eigh && n == 1);
            let positions: Vec<usize> = placed.layout.positions().collect();
            for (p, position) in positions.into_iter().enumerate() {
                let (row, column) = (p / columns % rows, p % columns);
                if lower && row < column {
                    // It is not read.
                    placed.data[position] = T::from_complex(f64::NAN.into());
                } else if row == column && (is_positive || self.call.kind == Factorisation::TriangularSolve) {
                    placed.data[position] += T::from_complex((2.0 * rows as f64 + 1.0).into());
                }
            }
            made.push(placed);
        }
        made
    }

    pub(super) fn run<T: Element>(
        &self,
        device: &dyn Device,
        arguments: &[Placed<T>],
        room: &[Room],
    ) -> Result<Vec<Room>, Error> {
        let operands: Vec<_> = arguments.iter().map(Placed::as_operand).collect();
        let mut room = room.to_vec();
        device.factorise(&self.call, &operands, room.iter_mut().map(Room::as_output).collect())?;
        Ok(room)
    }

    /// The rows of a square Q of a matrix that is not square.
    fn order_of_full(&self, result: usize) -> Option<usize> {
        let role = match (self.call.kind, result) {
            (Factorisation::Qr, 0) => Role::Row,
            (Factorisation::Lq, 1) => Role::Column,
            _ => return None,
        };
        self.call.full.then(|| self.roles[role as usize].iter().product())
    }

    pub(super) fn room<T: Element>(&self, rng: &mut StdRng) -> Vec<Room> {
        let dtype = |elements: Elements| self.call.dtype(elements, T::DTYPE);
        self.call
            .form()
            .results
            .iter()
            .map(|result| Room::new(rng, dtype(result.elements), &self.extents(result.roles)))
            .collect()
    }
}

impl Run<'_> {
    /// Compares whole memories, or errors, with those of the reference.
    pub(super) fn factorise<T: Element>(&mut self, case: &Case, arguments: &[Placed<T>], room: &[Room]) {
        let device = (self.device)(Route::Library);
        let layouts: Vec<_> = arguments.iter().map(|a| (&a.layout, a.conjugate)).collect();
        let what = || format!("{}, {case:?}, {layouts:?}", T::DTYPE);
        match (case.run(&*device, arguments, room), case.run(&Reference, arguments, room)) {
            (Ok(found), Ok(expected)) => {
                let order = case.roles.iter().flatten().product::<usize>().min(60) as f64;
                let tolerance = epsilon::<T>() * 50.0 * (order + 1.0);
                for (n, (found, expected)) in found.iter().zip(&expected).enumerate() {
                    if let Some(order) = case.order_of_full(n) {
                        let [found, expected] = [found, expected].map(Room::elements);
                        self.judge_full(case, order, (&found, &expected), tolerance, what);
                        continue;
                    }
                    self.judge_items(case, [found, expected, &room[n]], tolerance, || format!("result {n} of {}", what()));
                }
            }
            (Err(found), Err(expected)) if found == expected => (),
            (found, expected) => {
                let [found, expected] = [found, expected].map(|result| result.map(|_| "results").map_err(|e| e.to_string()));
                self.faults.push(format!("{found:?} instead of {expected:?}: {}", what()));
            }
        }
    }

    /// Compares a square Q: its additional vectors may be any orthonormal ones that are orthogonal to the others.
    fn judge_full(
        &mut self,
        case: &Case,
        order: usize,
        (found, expected): (&[Complex<f64>], &[Complex<f64>]),
        tolerance: f64,
        what: impl Fn() -> String,
    ) {
        let inner: usize = case.roles[Role::New as usize].iter().product();
        let by_rows = case.call.kind == Factorisation::Lq;
        let vector = |p: usize| if by_rows { p / order % order } else { p % order };
        for (n, q) in found.chunks(order * order).enumerate() {
            let at = |v: usize, k: usize| if by_rows { q[v * order + k] } else { q[k * order + v] };
            for (v, w) in (0..order).flat_map(|v| (0..order).map(move |w| (v, w))) {
                let dot: Complex<f64> = (0..order).map(|k| at(v, k).conj() * at(w, k)).sum();
                if (dot - f64::from(u8::from(v == w))).norm() > tolerance {
                    self.faults.push(format!("vectors {v} and {w} of item {n} have the product {dot}: {}", what()));
                    return;
                }
            }
        }
        let known = |all: &[Complex<f64>]| (0..all.len()).filter(|&p| vector(p) < inner).map(|p| all[p]).collect::<Vec<_>>();
        self.judge(&known(found), &known(expected), tolerance, || format!("Q of {}", what()));
    }

    pub(super) fn drawn(&mut self, rng: &mut StdRng, case: &Case, dtype: Dtype, arguments: usize) {
        // The host computes that, with other pivots than the reference.
        let dtype = if case.call.kind == Factorisation::Lu { dtype.real() } else { dtype };
        dispatch!(dtype, T => {
            let arguments = case.arguments::<T>(rng, arguments);
            let room = case.room::<T>(rng);
            self.factorise(case, &arguments, &room);
        });
    }
}

/// A random number of rows or columns, as one axis or two.
fn group(rng: &mut StdRng, n: usize) -> Vec<usize> {
    let divisors: Vec<usize> = (1..=n).filter(|d| n.is_multiple_of(*d)).collect();
    let first = *divisors.choose(rng).expect("one divides every number");
    if rng.random_bool(0.5) { vec![n] } else { vec![first, n / first] }
}

pub(super) fn cases(rng: &mut StdRng, batch: &[usize], m: usize, n: usize) -> Vec<(Case, usize)> {
    let mut square = |kind| Case::new(kind, batch, &group(rng, n), &group(rng, n));
    let mut found = vec![
        (square(Factorisation::Cholesky), 1),
        (square(Factorisation::Eigh), 1),
        (square(Factorisation::Eigh), 2),
        (square(Factorisation::Solve), 2),
        (square(Factorisation::Inv), 1),
        (square(Factorisation::Det), 1),
        (square(Factorisation::Slogdet), 1),
        (square(Factorisation::TriangularSolve), 2),
        (square(Factorisation::TriangularSolve).with(|call| call.upper = true), 2),
        (square(Factorisation::TriangularSolve).with(|call| call.unit = true), 2),
    ];
    let mut any = |kind| Case::new(kind, batch, &group(rng, m), &group(rng, n));
    found.extend([
        (any(Factorisation::Qr), 1),
        (any(Factorisation::Qr).with(|call| call.full = true), 1),
        (any(Factorisation::Lq), 1),
        (any(Factorisation::Lq).with(|call| call.full = true), 1),
        (any(Factorisation::Svd), 1),
        (any(Factorisation::Svd).with(|call| call.max = Some(m.min(n).div_ceil(2))), 1),
        (any(Factorisation::Lu), 1),
    ]);
    // The vectors of several zero values are not unique.
    if m.abs_diff(n) <= 1 {
        found.push((any(Factorisation::Svd).with(|call| call.full = true), 1));
    }
    found
}

#[test]
fn operations_of_the_library() {
    assert_faultless("linear", |run| {
        let mut rng = StdRng::seed_from_u64(11);
        let sizes: [(&[usize], usize, usize); 9] = [
            (&[2], 7, 3),
            (&[], 1, 1),
            (&[], 5, 4),
            (&[], 3, 4),
            (&[3], 4, 6),
            (&[2, 2], 6, 5),
            (&[1], 4, 4),
            (&[5], 2, 3),
            (&[], 6, 6),
        ];
        for (round, (batch, m, n)) in sizes.into_iter().enumerate() {
            for (number, (case, arguments)) in cases(&mut rng, batch, m, n).into_iter().enumerate() {
                for dtype in [DTYPES[(round + number) % 4], DTYPES[(round + number + 2) % 4]] {
                    run.drawn(&mut rng, &case, dtype, arguments);
                }
            }
        }
        // Longer than a warp, and orders above those of the Jacobi routines.
        for (batch, m, n) in [(vec![], 40, 37), (vec![2], 34, 35)] {
            for (case, arguments) in cases(&mut rng, &batch, m, n) {
                let dtype = *[Dtype::F64, Dtype::C64].choose(&mut rng).unwrap();
                run.drawn(&mut rng, &case, dtype, arguments);
            }
        }
    });
}

/// Matrices whose result depends on each barrier: longer than a warp, with the largest components anywhere.
pub(super) fn with_barriers(run: &mut Run<'_>, rng: &mut StdRng) {
    for kind in [Factorisation::Eigh, Factorisation::TriangularSolve] {
        let arguments = if kind == Factorisation::Eigh { 1 } else { 2 };
        for order in [70, 90] {
            run.drawn(rng, &Case::new(kind, &[], &[order], &[order]), Dtype::C64, arguments);
        }
    }
}

/// A batch of matrices of order 2, of which some are special.
fn special(run: &mut Run<'_>, kind: Factorisation, specials: &[(usize, [f64; 4])]) {
    let case = Case::new(kind, &[4], &[2], &[2]).with(|call| call.upper = false);
    let mut data: Vec<f64> = [2.0, 0.5, 0.5, 3.0].repeat(4);
    for (item, special) in specials {
        data[4 * item..][..4].copy_from_slice(special);
    }
    let mut arguments = vec![Placed::of(&[4, 2, 2], data)];
    if case.call.form().least_arguments > 1 {
        arguments.push(Placed::of(&[4, 2, 3], vec![1.0; 24]));
    }
    let room = case.room::<f64>(&mut StdRng::seed_from_u64(5));
    run.factorise(&case, &arguments, &room);
}

#[test]
fn missing_results_are_reported_as_by_the_reference() {
    let negative = [1.0, 2.0, 2.0, 1.0];
    let singular = [1.0, 2.0, 2.0, 4.0];
    let unknown = [1.0, 0.0, f64::NAN, 1.0];
    let infinite = [1.0, 0.0, f64::INFINITY, 1.0];
    let huge = [1e300, 0.0, 0.0, 1e300];
    let tiny = [1e-310, 0.0, 0.0, 1.0];
    assert_faultless("special", |run| {
        for kind in Factorisation::ALL.into_iter().filter(|&kind| super::super::super::linear::knows(kind)) {
            // The second vectors of a singular matrix are not unique.
            let has_one = !matches!(kind, Factorisation::Qr | Factorisation::Lq);
            for one in [negative, singular, unknown, infinite, huge, tiny, [0.0; 4]] {
                for item in [0, 3].into_iter().filter(|_| has_one || one != singular) {
                    special(run, kind, &[(item, one)]);
                }
            }
            // The first item that fails counts, for whatever reason.
            special(run, kind, &[(1, singular), (2, unknown)]);
            special(run, kind, &[(1, unknown), (2, singular)]);
            special(run, kind, &[(1, infinite), (2, unknown)]);
        }
        // The ends of the range, where squares overflow.
        let mut rng = StdRng::seed_from_u64(6);
        for scale in [1e-300, 1e-160, 1e160, 1e300] {
            for (case, count) in cases(&mut rng, &[2], 3, 3) {
                let ends = [Factorisation::Eigh, Factorisation::Qr, Factorisation::Lq, Factorisation::Svd];
                if ends.contains(&case.call.kind) && count == 1 {
                    let mut arguments = case.arguments::<f64>(&mut rng, 1);
                    arguments[0].data.iter_mut().for_each(|x| *x *= scale);
                    let room = case.room::<f64>(&mut rng);
                    run.factorise(&case, &arguments, &room);
                }
            }
        }
    });
}

/// The simulator's routines leave phases and other conventions to the kernels: kernels that omit one give wrong results.
#[test]
fn omitted_conventions_are_noticed() {
    if !can_compile("conventions") {
        return;
    }
    let changes = [
        ("sizes[0] > 0.0 ? rotation(x[pivot * stride]) : T(1)", "T(1)"),
        ("is_zero(x) ? T(1) : rotation(x)", "T(1)"),
        ("x = x * (conjugate ? conj(phase) : phase);", ""),
        ("if (upper ? i <= j : i >= j) x", "x"),
        ("if (i < j) a[n] = conj(a[item * points + i * rows + j]);", ""),
        ("a[n] = scaled(a[n], factors + 3 * (n / points));", ""),
        ("T(ones[item * rows + j] == int(i) ? 1 : 0)", "T(i == j ? 1 : 0)"),
        ("wrong[threadIdx.x] = bad;", "wrong[threadIdx.x] = 0.0;"),
        ("if (counted != ALL) {", "if (false) {"),
        ("conjugate ? conj(from[p.from]) : from[p.from]", "from[p.from]"),
    ];
    for (text, instead) in std::iter::once(("", "")).chain(changes) {
        let seen = in_all_schedules(
            "conventions",
            |whole| {
                assert!(whole.contains(text), "{text}");
                whole.replace(text, instead)
            },
            |run| {
                let mut rng = StdRng::seed_from_u64(12);
                for (case, arguments) in cases(&mut rng, &[2], 4, 5) {
                    run.drawn(&mut rng, &case, Dtype::C64, arguments);
                }
                special(run, Factorisation::Svd, &[(1, [1e200, 0.0, 0.0, 1e190])]);
                special(run, Factorisation::Eigh, &[(1, [1e200, 0.0, 0.0, 1e200])]);
                special(run, Factorisation::Eigh, &[(1, [1.0, 0.0, f64::NAN, 1.0])]);
            },
        );
        // Unchanged kernels have no faults.
        assert!(
            seen.iter().all(|faults| faults.is_empty() == text.is_empty()),
            "no test notices {instead:?} in place of {text:?}"
        );
    }
}

/// A device without the library leaves linear algebra to the host.
#[test]
fn without_a_library_the_host_computes() {
    let device = super::Collection::default().device(Route::Chosen, host());
    let case = Case::new(Factorisation::Cholesky, &[], &[3], &[3]);
    let mut rng = StdRng::seed_from_u64(7);
    let (arguments, room) = (case.arguments::<f64>(&mut rng, 1), case.room::<f64>(&mut rng));
    assert_eq!(device.factors_by(&case.call, Dtype::F64, &[&arguments[0].layout], &[]), None);
    let [found, expected] = [&*device, &Reference].map(|device| case.run(device, &arguments, &room).unwrap()[0].memory());
    assert!(found.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-13 || (a.is_nan() && b.is_nan())));
}
