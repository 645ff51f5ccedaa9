//! Batches of small matrices: eight at once, one in each lane of vectors.
//!
//! Items are brought side by side, computed by `kernels` in the numbers of `lanes`, and written where they belong. Where one of
//! eight has no result, or is of numbers near the ends of their range, all eight are left to the algorithms on one matrix,
//! which have an answer, or a sentence, for everything.
//!
//! Items that are a fixed stride apart are found without divisions. Pivots show what is not finite; elements are searched for
//! NaN beforehand only where results would not show it.

#[allow(clippy::needless_range_loop, reason = "indices of rows and columns, as the algorithms have them")]
mod kernels;
mod lanes;
mod squares;

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use num_complex::Complex;

use self::kernels::MOST;
use self::lanes::{Complexes, LANES, Many, Reals};
use self::squares::{Kernels, Panel};
use crate::few;
use crate::multiversion::{Loops, dispatch};
use crate::simd::Simd;
use crate::sink::Sink;
use crate::tasks;
use tensorwrapper_core::backend::linear::{Along, Batch, Factorisation, Source, Space};
use tensorwrapper_core::element::{Dtype, Element};

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
        let squares = if T::DTYPE == Dtype::F64 { squares::kernels(simd) } else { None };
        let work = Work { simd, squares, kernel, order, width, extents, sources, values, matrices };
        let groups = items.div_ceil(LANES);
        tasks::split(threads, groups, items * order * order * (order + 16), &|range| {
            let mut room = Room::new(&work);
            for group in range {
                let range = group * LANES..((group + 1) * LANES).min(items);
                if !work.group(range.clone(), &mut room) {
                    left.lock().unwrap_or_else(PoisonError::into_inner).push(range);
                }
            }
        });
    }
    in_order(left.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// Ranges by where they begin. For no element type, so that it is compiled once.
fn in_order(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_unstable_by_key(|range| range.start);
    ranges
}

/// All that stays the same from item to item.
struct Work<'w, T: Lane> {
    simd: Simd,
    /// What brings dense matrices side by side, where elements and instructions are such.
    squares: Option<Kernels>,
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
    /// The largest number of the element type.
    most: f64,
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
    /// Computes eight results; whether they are there, and numbers of their type.
    #[inline(always)]
    fn of_order(self, order: usize) -> bool {
        let (a, b) = (&mut self.a[..order * order], self.b);
        match self.kernel {
            // A factor is smaller than what it is of.
            Kernel::Cholesky => kernels::cholesky(order, a),
            Kernel::Eigh => {
                let mut are = kernels::eigh(order, a, &mut b[..order * order], self.tolerance);
                for n in 0..order {
                    are &= kernels::are_within(self.most, &a[n * (order + 1)..][..1]);
                }
                are
            }
            Kernel::Solve | Kernel::Inv => {
                let b = &mut b[..order * self.width];
                kernels::solve(order, self.width, a, b) && kernels::are_within(self.most, b)
            }
        }
    }
}

impl<T: Lane> Work<'_, T> {
    /// Computes up to eight items, and writes them if all have a result.
    fn group(&self, items: Range<usize>, room: &mut Room<T::Many>) -> bool {
        let (n, width) = (self.order, self.width);
        let is_lower = matches!(self.kernel, Kernel::Cholesky | Kernel::Eigh);
        let mut finite = self.read(&self.sources[0], &items, (n, n), is_lower, &mut room.a);
        match self.kernel {
            Kernel::Solve => finite &= self.read(&self.sources[1], &items, (n, width), false, &mut room.b),
            Kernel::Inv => {
                let unit = |place: usize| if place.is_multiple_of(n + 1) { 1.0 } else { 0.0 };
                room.b.iter_mut().enumerate().for_each(|(place, x)| *x = Many::real(Reals::splat(unit(place))));
            }
            Kernel::Cholesky | Kernel::Eigh => {}
        }
        let (kernel, order, tolerance) = (self.kernel, self.order, tensorwrapper_core::backend::linear::phase_tolerance::<T>());
        let most = if T::DTYPE.real() == Dtype::F32 { f64::from(f32::MAX) } else { f64::MAX };
        let ready = Ready { kernel, order, width, tolerance, most, a: &mut room.a, b: &mut room.b };
        let is_there = finite && dispatch(self.simd, ready);
        if is_there {
            self.write_all(items, room);
        }
        is_there
    }

    /// Brings a matrix of each item side by side; whether what is left out of them is finite. The rest is the kernels' to look at.
    fn read(
        &self,
        source: &Source<'_, T>,
        items: &Range<usize>,
        (rows, columns): (usize, usize),
        is_lower: bool,
        to: &mut [T::Many],
    ) -> bool {
        let (space, data) = (&source.space, source.data);
        if let Some((kernels, panel)) = self.panel(space, items)
            && let (Some(data), Some(to)) = (f64::typed(T::erase(data)), T::Many::reals_mut(to))
        {
            // SAFETY: a panel is there only for a full group of items that exist, and operands reach no further than their memory.
            unsafe { panel.gather(kernels, data, to, is_lower) };
            return true;
        }
        // What is not there is the last one once more.
        let bases: [isize; LANES] =
            std::array::from_fn(|lane| space.base_of(self.extents, (items.start + lane).min(items.end - 1)));
        let (are_neighbours, mut nothing) = (are_neighbours(space, items), Reals::ZERO);
        let across = offsets(&space.rows, rows);
        for (column, to) in to.chunks_exact_mut(rows).enumerate().take(columns) {
            let (first, along) = (if is_lower { column } else { 0 }, space.columns.at(column));
            for (cell, row) in to[first..].iter_mut().zip(&across[first..]) {
                let place = row + along;
                if are_neighbours {
                    let lanes = &data[(bases[0] + place) as usize..][..LANES];
                    lanes.iter().enumerate().for_each(|(lane, x)| cell.set(lane, x.to_complex()));
                } else {
                    for (lane, base) in bases.iter().enumerate() {
                        cell.set(lane, data[(base + place) as usize].to_complex());
                    }
                }
                if source.conjugate {
                    *cell = cell.conj();
                }
            }
            // The diagonal of a Hermitian matrix is real, whatever stands beside that.
            if is_lower {
                nothing = nothing.add(to[column].nothing());
                to[column] = T::Many::real(to[column].re());
            }
        }
        nothing.are_at_most(Reals::ZERO)
    }

    /// How eight items lie that squares in registers bring side by side.
    fn panel<'s>(&self, space: &'s Space, items: &Range<usize>) -> Option<(Kernels, Panel<'s>)> {
        let kernels = self.squares.filter(|_| items.len() == LANES)?;
        Some((kernels, Panel::of(space, space.base_of(self.extents, items.start))?))
    }

    /// Writes the results of up to eight items.
    fn write_all(&self, items: Range<usize>, room: &Room<T::Many>) {
        let (n, (sink, space)) = (self.order, self.matrices);
        let (from, width) = match self.kernel {
            Kernel::Cholesky => (&room.a[..n * n], n),
            Kernel::Solve | Kernel::Inv => (&room.b[..n * self.width], self.width),
            // The order of eigenvalues is each item's own.
            Kernel::Eigh => return items.enumerate().for_each(|(lane, item)| self.write(lane, item, room)),
        };
        if let (Some((kernels, panel)), Some(from)) = (self.panel(space, &items), T::Many::reals(from)) {
            // SAFETY: elements are `f64` where there are squares. Outputs reach no further than their memory, no two of their indices
            // share a position, and each item is written by one task.
            return unsafe { panel.scatter(kernels, sink.base().cast(), from) };
        }
        if !are_neighbours(space, &items) {
            return items.enumerate().for_each(|(lane, item)| self.write(lane, item, room));
        }
        let (start, across) = (space.base_of(self.extents, items.start), offsets(&space.rows, n));
        for (column, cells) in from.chunks_exact(n).enumerate().take(width) {
            for (cell, row) in cells.iter().zip(&across) {
                // SAFETY: as above.
                let to = unsafe { sink.slice(start + space.columns.at(column) + row, LANES) };
                to.iter_mut().enumerate().for_each(|(lane, to)| *to = T::from_complex(cell.get(lane)));
            }
        }
    }

    /// Writes the results of one item.
    fn write(&self, lane: usize, item: usize, room: &Room<T::Many>) {
        let n = self.order;
        let (sink, space) = self.matrices;
        let base = space.base_of(self.extents, item);
        let across = offsets(&space.rows, n);
        let put = |to: usize, column: &[T::Many]| {
            let start = base + space.columns.at(to);
            for (x, offset) in column.iter().zip(&across) {
                let value = T::from_complex(x.get(lane));
                // SAFETY: outputs reach no further than their memory, no two of their indices share a position, and each item
                // is written by one task.
                unsafe { sink.write(start + offset, value) };
            }
        };
        match self.kernel {
            Kernel::Cholesky => {
                room.a.chunks_exact(n).enumerate().for_each(|(column, values)| put(column, values));
            }
            Kernel::Solve | Kernel::Inv => {
                room.b.chunks_exact(n).enumerate().take(self.width).for_each(|(column, values)| put(column, values));
            }
            Kernel::Eigh => {
                let value = |column: usize| room.a[column * (n + 1)].get(lane).re;
                let mut order: [usize; MOST] = std::array::from_fn(|n| n);
                few::sort_by(&mut order[..n], |&x, &y| value(x).total_cmp(&value(y)));
                let (values, along) = self.values.expect("eigenvalues are the first result");
                let start = along.base_of(self.extents, item);
                for (to, &from) in order[..n].iter().enumerate() {
                    let number = T::Real::from_complex(value(from).into());
                    // SAFETY: as above.
                    unsafe { values.write(start + along.rows.at(to), number) };
                    put(to, &room.b[from * n..][..n]);
                }
            }
        }
    }
}

/// The offsets of the first rows.
fn offsets(rows: &Along, count: usize) -> [isize; MOST] {
    std::array::from_fn(|n| if n < count { rows.at(n) } else { 0 })
}

/// Whether eight items lie beside each other, element by element.
fn are_neighbours(space: &Space, items: &Range<usize>) -> bool {
    items.len() == LANES && space.item() == Some(1)
}
