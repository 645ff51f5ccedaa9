//! How batches of matrices are staged: which operands are copied, which of their axes are inside, and which matrices are copied together.

use super::engine::GemmElement;
use super::few;
use super::packed::Packed;
use super::permute::{Pair, Permutation};
use super::product::{ClassifiedAxes, LEFT, OUT, RIGHT, Triple};
use super::product::{Place, Sizes, groups, narrowest, place};
use super::simd::Caches;
use tensorwrapper_core::backend::fuse::{self, Axis, points};
use tensorwrapper_core::storage::LINE;

/// Bytes of a factor that is packed as a whole at most: more is staged a group at a time, again for each product that reads it.
const WHOLE: usize = 4 << 20;

/// How the matrices of an operand are read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Where they are.
    InPlace(Place),
    /// Staged, since they have no single strides, or no kernel takes them as they lie.
    Staged,
    /// Staged, since neighbours in memory belong to different matrices: one at a time would use one element of each cache line.
    Across,
}

impl Access {
    pub(super) fn is_staged(self) -> bool {
        !matches!(self, Access::InPlace(_))
    }
}

/// The matrices of an operand: rows and columns.
pub(super) fn matrices<T>(product: &ClassifiedAxes<T>, operand: usize) -> [&[Triple]; 2] {
    if operand == OUT { [&product.rows, &product.columns] } else { groups(product, operand) }
}

fn access<T>(product: &ClassifiedAxes<T>, operand: usize, force: bool) -> Access {
    let axes = matrices(product, operand);
    let narrow = narrowest(axes[0], operand).min(narrowest(axes[1], operand));
    let across = narrow != usize::MAX && narrow > narrowest(&product.batch, operand);
    match place(axes, operand) {
        _ if across => Access::Across,
        Some(place) if !force => Access::InPlace(place),
        _ => Access::Staged,
    }
}

/// A staged operand: the copy of a group of its matrices.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) permutation: Permutation,
    /// That of the last group, where it is a shorter one.
    pub(super) last: Option<Permutation>,
    /// Elements of the memory.
    pub(super) len: usize,
}

/// How a batch is staged: what the constructor decides first.
pub(super) struct Plan<T> {
    pub(super) product: ClassifiedAxes<T>,
    pub(super) whole: [Option<Packed>; 2],
    pub(super) access: [Access; 3],
    pub(super) sizes: Sizes,
}

impl<T: GemmElement> Plan<T> {
    /// Operands are staged where they must be, and those of `force` in any case.
    pub(super) fn new(product: &ClassifiedAxes<T>, force: [bool; 3]) -> Plan<T> {
        let mut product = product.clone();
        let sizes = Sizes { rows: points(&product.rows), columns: points(&product.columns), inner: points(&product.inner) };
        let mut access = [LEFT, RIGHT, OUT].map(|operand| access(&product, operand, force[operand]));
        let mut whole = [None, None];
        for side in [LEFT, RIGHT] {
            let own = matrices(&product, side).into_iter().flatten().chain(&product.batch).filter(|axis| axis.strides[side] != 0);
            let bytes = own.fold(size_of::<T>(), |bytes, axis| bytes.saturating_mul(axis.extent));
            // All of them beforehand, where many products read the same ones and they are not too large for that.
            if access[side].is_staged() && bytes <= WHOLE && product.batch.iter().any(|axis| axis.strides[side] == 0) {
                whole[side] = Some(pack_all(&mut product, side));
                access[side] = Access::InPlace(place(matrices(&product, side), side).expect("packed axes lie side by side"));
            }
        }
        Plan { product, whole, access, sizes }
    }

    /// Whether the rows are neighbours in what kernels write, or else the columns: as the result lies, or as fills vectors.
    fn rows_inside(&self) -> bool {
        match self.access {
            [_, _, Access::InPlace(place)] => place.row == 1 && place.column != 1,
            // A factor that lies so need not be staged.
            [_, Access::InPlace(Place { column: 1, .. }), _] => false,
            [Access::InPlace(Place { row: 1, .. }), ..] => true,
            _ => {
                let filled = |n: usize| n as f64 / n.next_multiple_of(LINE / size_of::<T>()) as f64;
                filled(self.sizes.rows) > filled(self.sizes.columns)
            }
        }
    }

    /// Which of a staged operand's axes are inside: rows, or else columns.
    pub(super) fn is_by_rows(&self, operand: usize) -> bool {
        let rows_inside = self.rows_inside();
        let [rows, columns] = matrices(&self.product, operand).map(|axes| narrowest(axes, operand));
        match operand {
            OUT => rows_inside,
            LEFT => rows_inside || rows < columns,
            _ => rows_inside && rows < columns,
        }
    }

    /// The strides of the matrices as kernels see them.
    pub(super) fn places(&self) -> [Place; 3] {
        let Sizes { rows, columns, inner } = self.sizes;
        let extents = [[rows, inner], [inner, columns], [rows, columns]];
        [LEFT, RIGHT, OUT].map(|operand| match self.access[operand] {
            Access::InPlace(place) => place,
            _ if self.is_by_rows(operand) => Place { row: 1, column: extents[operand][0] as isize },
            _ => Place { row: extents[operand][1] as isize, column: 1 },
        })
    }

    /// Which factors a kernel has to conjugate: copies are conjugated already.
    pub(super) fn conjugate(&self) -> [bool; 2] {
        [LEFT, RIGHT].map(|side| self.product.conjugate[side] && !self.access[side].is_staged())
    }

    /// Elements of an operand's matrix.
    fn elements(&self, operand: usize) -> usize {
        let Sizes { rows, columns, inner } = self.sizes;
        [rows * inner, inner * columns, rows * columns][operand]
    }

    /// Takes those axes out of the batch whose matrices are staged together. An axis too long for that is cut: the batch keeps the groups
    /// that it makes; the number says how many matrices the last of them has.
    pub(super) fn group(&mut self, threads: usize) -> (Vec<Triple>, Option<usize>) {
        let staged = [LEFT, RIGHT, OUT].into_iter().filter(|&operand| self.access[operand].is_staged());
        let across = |operand: &usize| self.access[*operand] == Access::Across;
        let first = staged.clone().max_by_key(|operand| (across(operand), self.elements(*operand))).unwrap_or(OUT);
        let each = staged.map(|operand| self.elements(operand)).sum::<usize>().max(1);
        let needed = across(&first);
        let is_shared =
            |axis: &Triple| [LEFT, RIGHT].into_iter().any(|side| self.access[side].is_staged() && axis.strides[side] == 0);
        let batch = &mut self.product.batch;
        // In that operand's own order, so that it is read or written from one end to the other.
        fuse::sort(batch, &[first, OUT]);
        fuse::fuse(batch);
        if needed {
            few::sort_by_key(batch, |axis| axis.strides[first] != 0);
        }
        let limit = (Caches::here().second / 2 / size_of::<T>()).min(points(batch).saturating_mul(each) / (4 * threads)) / each;
        let limit = if needed { limit.max(LINE / size_of::<T>()) } else { limit.max(1) };
        let mut group: Vec<Triple> = Vec::new();
        while let Some(axis) = batch.last() {
            // Staged matrices that several products read are staged once for all of these, unless they have to be staged together.
            if is_shared(axis) && !needed {
                break;
            }
            let room = limit / points(&group);
            if axis.extent > room {
                return if room > 1 { cut::<T>(batch, group, room) } else { (group, None) };
            }
            group.insert(0, *axis);
            batch.pop();
        }
        (group, None)
    }
}

/// Cuts the last axis of the batch into groups of so many matrices, whole lines of them where there are that many.
fn cut<T>(batch: &mut [Triple], mut group: Vec<Triple>, most: usize) -> (Vec<Triple>, Option<usize>) {
    let line = LINE / size_of::<T>();
    let axis = batch.last_mut().expect("there is an axis to cut");
    let block = if most >= line { most / line * line } else { most }.min(axis.extent);
    group.insert(0, Axis { extent: block, strides: axis.strides });
    let blocks = axis.extent.div_ceil(block);
    let last = axis.extent - (blocks - 1) * block;
    *axis = Axis { extent: blocks, strides: axis.strides.map(|stride| stride * block as isize) };
    (group, Some(last))
}

/// Packs all matrices of a factor.
fn pack_all<T: GemmElement>(product: &mut ClassifiedAxes<T>, side: usize) -> Packed {
    let ClassifiedAxes { batch, rows, columns, inner, start, .. } = product;
    let outside = if side == LEFT { rows } else { columns };
    let groups =
        if narrowest(outside, side) < narrowest(inner, side) { [batch, inner, outside] } else { [batch, outside, inner] };
    Packed::new::<T>(groups.into_iter().flat_map(|axes| axes.iter_mut()), side, &mut start[side])
}

impl Stage {
    /// The copy of a group, or of the last one.
    pub(super) fn permutation(&self, is_last: bool) -> &Permutation {
        self.last.as_ref().filter(|_| is_last).unwrap_or(&self.permutation)
    }

    /// The copy of a group of matrices, with the axes that are inside last; and the strides from one matrix to the next along the axes of
    /// the group. `written`: the bytes of the whole result.
    pub(super) fn new<T>(
        axes: [&[Triple]; 2],
        operand: usize,
        rows_inside: bool,
        group: &[Triple],
        written: usize,
    ) -> (Stage, Vec<isize>) {
        let [outside, inside] = if rows_inside { [axes[1], axes[0]] } else { axes };
        let mut pairs: Vec<Pair> = Vec::new();
        let mut stride = 1;
        for axis in
            inside.iter().rev().chain(outside.iter().rev()).chain(group.iter().rev().filter(|axis| axis.strides[operand] != 0))
        {
            let strides = if operand == OUT { [stride, axis.strides[OUT]] } else { [axis.strides[operand], stride] };
            pairs.push(Axis { extent: axis.extent, strides });
            stride *= axis.extent as isize;
        }
        let own = usize::from(operand != OUT);
        let mut found = pairs.iter().rev().map(|axis| axis.strides[own]);
        let strides =
            group.iter().map(|axis| if axis.strides[operand] != 0 { found.next().expect("each has its own") } else { 0 });
        let strides = strides.collect();
        // A result is written past the caches as a whole, or not at all.
        let bytes = if operand == OUT { written } else { stride as usize * size_of::<T>() };
        let permutation = Permutation::part(pairs, size_of::<T>(), bytes).reading_far(operand != OUT);
        (Stage { permutation, last: None, len: stride as usize }, strides)
    }
}
