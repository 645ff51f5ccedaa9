//! Batches of small matrices: eight at once, one in each lane of vectors.
//!
//! Items are brought side by side, computed by `kernels` in the numbers of `lanes`, and written where they belong. Where one of
//! eight has no result, or is of numbers near the ends of their range, all eight are left to the algorithms on one matrix,
//! which have an answer, or a sentence, for everything.

#[allow(clippy::needless_range_loop, reason = "indices of rows and columns, as the algorithms have them")]
mod kernels;
mod lanes;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use num_complex::Complex;

use self::kernels::MOST;
use self::lanes::{Complexes, LANES, Many, Reals};
use crate::backend::cpu::engine::Simd;
use crate::backend::cpu::forms::{Loops, compiled};
use crate::backend::cpu::sink::Sink;
use crate::backend::cpu::tasks;
use crate::backend::linear::{Batch, Factorisation, Source, Space};
use crate::element::{Dtype, Element};

/// The most columns of right sides.
const WIDEST: usize = 32;

/// Items from which on eight at once are worth it.
const LEAST: usize = 4;

/// Element types, and what eight of them are.
pub(super) trait Lane: Element {
    type Many: Many + Send;
}
impl Lane for f32 {
    type Many = Reals;
}
impl Lane for f64 {
    type Many = Reals;
}
impl Lane for Complex<f32> {
    type Many = Complexes;
}
impl Lane for Complex<f64> {
    type Many = Complexes;
}

/// What is computed.
#[derive(Clone, Copy)]
enum Kernel {
    Cholesky,
    Eigh,
    Solve,
    Inv,
}

/// Computes the items that it can; the others are what it returns, in order.
pub(super) fn compute<T: Lane>(simd: Simd, threads: usize, batch: &mut Batch<'_, T>) -> Vec<Range<usize>> {
    let items = batch.items();
    let kernel = match (batch.call.kind, batch.sources.len()) {
        (Factorisation::Cholesky, _) => Kernel::Cholesky,
        (Factorisation::Eigh, 1) => Kernel::Eigh,
        (Factorisation::Solve, _) => Kernel::Solve,
        (Factorisation::Inv, _) => Kernel::Inv,
        _ => return std::iter::once(0..items).collect(),
    };
    let order = batch.sources[0].space.rows.len();
    let width = match kernel {
        Kernel::Solve => batch.sources[1].space.columns.len(),
        Kernel::Cholesky | Kernel::Eigh | Kernel::Inv => order,
    };
    if items < LEAST || !(1..=MOST).contains(&order) || !(1..=WIDEST).contains(&width) {
        return std::iter::once(0..items).collect();
    }
    let left = Mutex::new(Vec::new());
    {
        let Batch { extents, sources, outputs, .. } = &mut *batch;
        let mut outputs = outputs.iter_mut();
        let mut next = || outputs.next().expect("an operation has its results");
        let values = match kernel {
            Kernel::Eigh => Some(next()).map(|(output, space)| (Sink::new(output.elements::<T::Real>()), &*space)),
            Kernel::Cholesky | Kernel::Solve | Kernel::Inv => None,
        };
        let (output, space) = next();
        let matrices = (Sink::new(output.elements::<T>()), &*space);
        let work = Work { simd, kernel, order, width, extents, sources, values, matrices };
        let groups = items.div_ceil(LANES);
        tasks::split(threads, groups, items * order * order * (order + 16), |range| {
            let mut room = Room::new(&work);
            for group in range {
                let range = group * LANES..((group + 1) * LANES).min(items);
                if !work.group(range.clone(), &mut room) {
                    left.lock().unwrap_or_else(PoisonError::into_inner).push(range);
                }
            }
        });
    }
    let mut left = left.into_inner().unwrap_or_else(PoisonError::into_inner);
    left.sort_unstable_by_key(|range| range.start);
    left
}

/// All that stays the same from item to item.
struct Work<'w, T: Lane> {
    simd: Simd,
    kernel: Kernel,
    order: usize,
    /// Columns of the right side.
    width: usize,
    extents: &'w [usize],
    sources: &'w [Source<'w, T>],
    values: Option<(Sink<'w, T::Real>, &'w Space)>,
    matrices: (Sink<'w, T>, &'w Space),
}

/// Matrices side by side: those that are decomposed, and right sides or eigenvectors.
struct Room<M> {
    a: Vec<M>,
    b: Vec<M>,
}

impl<M: Many> Room<M> {
    fn new<T: Lane>(work: &Work<'_, T>) -> Room<M> {
        Room { a: vec![M::ZERO; work.order * work.order], b: vec![M::ZERO; work.order * work.width.max(work.order)] }
    }
}

/// A kernel and its matrices, to be compiled for each set of instructions.
struct Ready<'r, M> {
    kernel: Kernel,
    order: usize,
    width: usize,
    tolerance: f64,
    a: &'r mut [M],
    b: &'r mut [M],
}

impl<M: Many> Loops for Ready<'_, M> {
    type Result = bool;

    #[inline(always)]
    fn run(self) -> bool {
        // The order that the most batches have is a constant.
        let order = self.order;
        if order == 8 { self.of_order(8) } else { self.of_order(order) }
    }
}

impl<M: Many> Ready<'_, M> {
    #[inline(always)]
    fn of_order(self, order: usize) -> bool {
        let (a, b) = (&mut self.a[..order * order], self.b);
        match self.kernel {
            Kernel::Cholesky => kernels::cholesky(order, a),
            Kernel::Eigh => kernels::eigh(order, a, &mut b[..order * order], self.tolerance),
            Kernel::Solve | Kernel::Inv => kernels::solve(order, self.width, a, &mut b[..order * self.width]),
        }
    }
}

impl<T: Lane> Work<'_, T> {
    /// Computes up to eight items, and writes them if all have a result.
    fn group(&self, items: Range<usize>, room: &mut Room<T::Many>) -> bool {
        let (n, width) = (self.order, self.width);
        let is_lower = matches!(self.kernel, Kernel::Cholesky | Kernel::Eigh);
        // What is not there is the last one once more.
        let lanes: [usize; LANES] = std::array::from_fn(|lane| (items.start + lane).min(items.end - 1));
        let mut finite = self.read(&self.sources[0], &lanes, (n, n), is_lower, &mut room.a);
        match self.kernel {
            Kernel::Solve => finite &= self.read(&self.sources[1], &lanes, (n, width), false, &mut room.b),
            Kernel::Inv => {
                let unit = |place: usize| if place.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
                room.b.iter_mut().enumerate().for_each(|(place, x)| *x = Many::real(Reals::splat(unit(place))));
            }
            Kernel::Cholesky | Kernel::Eigh => {}
        }
        let (kernel, order, tolerance) = (self.kernel, self.order, crate::backend::linear::phase_tolerance::<T>());
        let ready = Ready { kernel, order, width, tolerance, a: &mut room.a, b: &mut room.b };
        if !finite || !compiled(self.simd, ready) {
            return false;
        }
        let is_written = match self.kernel {
            Kernel::Cholesky => are_numbers::<T>((0..n * n).filter(|place| place % n >= place / n).map(|place| room.a[place])),
            Kernel::Eigh => are_numbers::<T>((0..n).map(|n| room.a[n * (self.order + 1)])),
            Kernel::Solve | Kernel::Inv => are_numbers::<T>(room.b[..n * width].iter().copied()),
        };
        if is_written {
            for (lane, item) in items.enumerate() {
                self.write(lane, item, room);
            }
        }
        is_written
    }

    /// Brings a matrix of each item side by side; whether all of their elements are finite.
    fn read(
        &self,
        source: &Source<'_, T>,
        items: &[usize; LANES],
        (rows, columns): (usize, usize),
        is_lower: bool,
        to: &mut [T::Many],
    ) -> bool {
        let (space, data) = (&source.space, source.data);
        let bases = items.map(|item| space.base_of(self.extents, item));
        let mut nothing = Reals::ZERO;
        for (column, to) in to.chunks_exact_mut(rows).enumerate().take(columns) {
            let first = if is_lower { column } else { 0 };
            for (cell, row) in to[first..].iter_mut().zip(&space.rows[first..]) {
                let place = row + space.columns[column];
                for (lane, base) in bases.iter().enumerate() {
                    cell.set(lane, data[(base + place) as usize].to_complex());
                }
                if source.conjugate {
                    *cell = cell.conj();
                }
                nothing = nothing.add(cell.nothing());
            }
            // The diagonal of a Hermitian matrix is real, whatever stands beside that.
            if is_lower {
                to[column] = T::Many::real(to[column].re());
            }
        }
        nothing.are_at_most(Reals::ZERO)
    }

    /// Writes the results of one item.
    fn write(&self, lane: usize, item: usize, room: &Room<T::Many>) {
        let n = self.order;
        let (sink, space) = self.matrices;
        let base = space.base_of(self.extents, item);
        // A column of which nothing is above a row.
        let put = |to: usize, column: &[T::Many], above: usize| {
            let start = base + space.columns[to];
            for (row, (x, offset)) in column.iter().zip(&space.rows).enumerate() {
                let value = if row < above { T::ZERO } else { T::from_complex(x.get(lane)) };
                // SAFETY: outputs reach no further than their memory, no two of their indices share a position, and each item
                // is written by one task.
                unsafe { sink.write(start + offset, value) };
            }
        };
        match self.kernel {
            Kernel::Cholesky => {
                room.a.chunks_exact(n).enumerate().for_each(|(column, values)| put(column, values, column));
            }
            Kernel::Solve | Kernel::Inv => {
                room.b.chunks_exact(n).enumerate().take(self.width).for_each(|(column, values)| put(column, values, 0));
            }
            Kernel::Eigh => {
                let value = |column: usize| room.a[column * (n + 1)].get(lane).re;
                let mut order: [usize; MOST] = std::array::from_fn(|n| n);
                order[..n].sort_unstable_by(|&x, &y| value(x).total_cmp(&value(y)).then(x.cmp(&y)));
                let (values, along) = self.values.expect("eigenvalues are the first result");
                let start = along.base_of(self.extents, item);
                for (to, &from) in order[..n].iter().enumerate() {
                    let number = T::Real::from_complex(value(from).into());
                    // SAFETY: as above.
                    unsafe { values.write(start + along.rows[to], number) };
                    put(to, &room.b[from * n..][..n], 0);
                }
            }
        }
    }
}

/// Whether results are no larger than the numbers of their type.
fn are_numbers<T: Lane>(results: impl Iterator<Item = T::Many>) -> bool {
    let most = Reals::splat(if T::DTYPE.real() == Dtype::F32 { f64::from(f32::MAX) } else { f64::MAX });
    results.fold(true, |are, x| are & x.size().are_at_most(most))
}
