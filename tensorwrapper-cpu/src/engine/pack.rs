//! Packing: a block of an operand becomes panels that the kernels read from one end to the other.
//!
//! A panel holds, for each term of the sum, one number for each of its rows; complex numbers come as all real parts, then
//! all imaginary ones. Lanes that a group has not hold any numbers: nobody looks at what comes of them. Knows where elements lie, not what
//! their axes mean.

#![allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]

use std::ops::Range;

use super::format::Format;
use super::space::{Group, Groups, MOST_LANES, OWN};
use crate::simd::vector::MOST_SQUARE;
use tensorwrapper_core::element::Element;

/// Terms that are copied from each panel before the next terms are.
const TERMS: usize = 16;
/// Squares side by side that are transposed for one term after the other.
const MOST_SQUARES: usize = 4;
/// Elements ahead of which rows of squares are asked for.
const AHEAD: isize = 32;

/// A block to pack.
pub(super) struct Packing<'a, T: Element> {
    /// Where positions are counted from, and the memory that they lie in.
    pub(super) from: *const T,
    pub(super) memory: &'a [T],
    pub(super) groups: &'a Groups,
    /// How many of the groups are not packed.
    pub(super) skipped: usize,
    /// Positions of the terms.
    pub(super) inner: &'a [isize],
    /// Terms with which squares begin, and those that are in none; see `terms::Block`.
    pub(super) runs: &'a [usize],
    pub(super) singles: &'a [usize],
    pub(super) step: usize,
    pub(super) to: *mut T::Real,
    pub(super) conjugate: bool,
}

impl<T: Element> Packing<'_, T> {
    /// Asserts that everything that will be read lies inside the memory.
    pub(super) fn check(&self) {
        let first = (self.from as isize - self.memory.as_ptr() as isize) / size_of::<T>() as isize;
        let bounds = |positions: &mut dyn Iterator<Item = isize>| positions.fold((0, 0), |(a, b), x| (x.min(a), x.max(b)));
        let (low, high) = (self.inner.iter().copied().min().unwrap_or(0), self.inner.iter().copied().max().unwrap_or(0));
        for (n, group) in self.groups.groups.iter().enumerate() {
            let lanes = bounds(&mut self.groups.lanes(n).at[OWN][..group.len as usize].iter().copied());
            let (from, to) = (first + group.at[OWN] + lanes.0 + low, first + group.at[OWN] + lanes.1 + high);
            assert!(from >= 0 && (to as usize) < self.memory.len(), "{from}..={to} outside of {}", self.memory.len());
        }
    }
}

/// Where a block's panels stand: each of `PANEL` groups of `WIDTH` lanes.
struct Panels<F: Format, const WIDTH: usize, const PANEL: usize> {
    to: *mut F::Real,
    terms: usize,
}

impl<F: Format, const WIDTH: usize, const PANEL: usize> Panels<F, WIDTH, PANEL> {
    /// From real to imaginary parts.
    const APART: usize = WIDTH * PANEL;
    /// From one term to the next.
    const TERM: usize = WIDTH * PANEL * F::PARTS;

    /// Where a group's lanes of term 0 stand.
    #[inline(always)]
    unsafe fn group(&self, group: usize) -> *mut F::Real {
        // SAFETY: the caller's groups all have room.
        unsafe { self.to.add(group / PANEL * Self::TERM * self.terms + group % PANEL * WIDTH) }
    }
}

/// Packs a block. Here and below loops stand where iterators' methods could: a closure that is not inlined is not compiled
/// for the instructions.
///
/// # Safety
/// All elements of the block lie in the memory; there is room for all panels; the instructions are there.
#[inline(always)]
pub(super) unsafe fn pack<F: Format, const WIDTH: usize, const PANEL: usize>(packing: &Packing<'_, F::Element>) {
    let (groups, terms) = (&packing.groups.groups, packing.inner.len());
    let panels = Panels::<F, WIDTH, PANEL> { to: packing.to, terms };
    let mut at = packing.skipped;
    while at < groups.len() {
        let group = &groups[at];
        let lanes = packing.groups.lanes(at);
        let step = group.step as usize;
        // SAFETY: the caller's promise; groups that are taken together are all of this block.
        unsafe {
            if lanes.are_unit(OWN) {
                let whole = |n: usize| groups[n].len as usize == WIDTH && packing.groups.lanes(n).are_unit(OWN);
                let count = (at..groups.len()).take_while(|&n| whole(n)).count() / PANEL;
                if at % PANEL == 0 && count > 0 {
                    // A few terms of all panels at a time: what is read lies side by side.
                    for first in (0..terms).step_by(TERMS) {
                        let some = first..terms.min(first + TERMS);
                        for n in 0..count {
                            copy::<F, WIDTH, PANEL, PANEL>(packing, &panels, at + n * PANEL, some.clone());
                        }
                    }
                    at += count * PANEL;
                    continue;
                }
                if whole(at) {
                    copy::<F, WIDTH, PANEL, 1>(packing, &panels, at, 0..terms);
                } else {
                    elements(packing, &panels, at, None);
                }
            } else if step > 0 && is_square(packing.groups, at, step, F::SQUARE) {
                let each = step * F::SQUARE;
                let more = |n: &usize| {
                    groups.get(at + n * each).is_some_and(|later| later.len == group.len)
                        && is_square(packing.groups, at + n * each, step, F::SQUARE)
                };
                let count = 1 + (1..MOST_SQUARES).take_while(more).count();
                for first in at..at + step {
                    if group.len as usize == WIDTH {
                        across(packing, &panels, first, [step, count], WIDTH);
                    } else {
                        across(packing, &panels, first, [step, count], group.len as usize);
                    }
                }
                at += each * count;
                continue;
            } else if packing.step > 0 {
                if group.len as usize == WIDTH {
                    runs(packing, &panels, at, WIDTH);
                } else {
                    runs(packing, &panels, at, group.len as usize);
                }
                elements(packing, &panels, at, Some(packing.singles));
            } else {
                elements(packing, &panels, at, None);
            }
        }
        at += 1;
    }
}

/// Whether `step` times `square` groups from here on hold neighbours of the operand in equal lanes.
fn is_square(groups: &Groups, at: usize, step: usize, square: usize) -> bool {
    let groups = &groups.groups;
    let follows = |first: usize, n: usize| {
        let (group, later) = (&groups[first], &groups[first + n * step]);
        later.at[OWN] == group.at[OWN] + n as isize && later.len == groups[at].len && later.step == group.step
    };
    at + step * square <= groups.len() && (at..at + step).all(|first| (0..square).all(|n| follows(first, n)))
}

/// Groups side by side in a panel, whose lanes lie side by side in the operand.
#[inline(always)]
unsafe fn copy<F: Format, const WIDTH: usize, const PANEL: usize, const COUNT: usize>(
    packing: &Packing<'_, F::Element>,
    panels: &Panels<F, WIDTH, PANEL>,
    first: usize,
    terms: Range<usize>,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let mut from = [packing.from; COUNT];
        for (n, from) in from.iter_mut().enumerate() {
            *from = from.offset(packing.groups.groups[first + n].at[OWN]);
        }
        let mut to = panels.group(first).add(terms.start * Panels::<F, WIDTH, PANEL>::TERM);
        for &offset in &packing.inner[terms] {
            for (n, from) in from.iter().enumerate() {
                let apart = Panels::<F, WIDTH, PANEL>::APART;
                F::copy::<WIDTH>(from.offset(offset), to.add(n * WIDTH), apart, packing.conjugate);
            }
            to = to.add(Panels::<F, WIDTH, PANEL>::TERM);
        }
    }
}

/// Squares over a group's lanes and the same lanes of groups near by, `count` of them side by side in the operand.
/// The number of lanes is an argument so that the compiler knows it where groups are whole.
#[inline(always)]
unsafe fn across<F: Format, const WIDTH: usize, const PANEL: usize>(
    packing: &Packing<'_, F::Element>,
    panels: &Panels<F, WIDTH, PANEL>,
    first: usize,
    [step, count]: [usize; 2],
    len: usize,
) {
    let groups = &packing.groups.groups;
    let lanes = padded(&packing.groups.lanes(first).at[OWN], len);
    let (term, apart) = (Panels::<F, WIDTH, PANEL>::TERM, Panels::<F, WIDTH, PANEL>::APART);
    // SAFETY: the caller's promise.
    unsafe {
        let mut from = [packing.from; MOST_SQUARES];
        let mut to = [[packing.to; MOST_SQUARE]; MOST_SQUARES];
        for square in 0..count {
            let first = first + square * F::SQUARE * step;
            from[square] = packing.from.offset(groups[first].at[OWN]);
            for (n, to) in to[square].iter_mut().enumerate().take(F::SQUARE) {
                *to = panels.group(first + n * step);
            }
        }
        for (k, &offset) in packing.inner.iter().enumerate() {
            for (from, to) in from.iter().zip(&to).take(count) {
                for lane in (0..len).step_by(F::SQUARE) {
                    F::transpose(from.offset(offset), &lanes[lane..], to, k * term + lane, apart, packing.conjugate);
                }
            }
        }
    }
}

/// Squares over a group's `len` lanes and terms; see [`across`].
#[inline(always)]
unsafe fn runs<F: Format, const WIDTH: usize, const PANEL: usize>(
    packing: &Packing<'_, F::Element>,
    panels: &Panels<F, WIDTH, PANEL>,
    group: usize,
    len: usize,
) {
    // SAFETY: the caller's promise.
    unsafe {
        let from = packing.from.offset(packing.groups.groups[group].at[OWN]);
        let lanes = padded(&packing.groups.lanes(group).at[OWN], len);
        let start = panels.group(group);
        let (term, apart) = (Panels::<F, WIDTH, PANEL>::TERM, Panels::<F, WIDTH, PANEL>::APART);
        let mut to = [start; MOST_SQUARE];
        for (n, to) in to.iter_mut().enumerate().take(F::SQUARE) {
            *to = start.add(n * packing.step * term);
        }
        for &k in packing.runs {
            for lane in (0..len).step_by(F::SQUARE) {
                let from = from.offset(packing.inner[k]);
                for row in &lanes[lane..lane + F::SQUARE] {
                    F::prefetch(from.wrapping_offset(row + AHEAD));
                }
                F::transpose(from, &lanes[lane..], &to, k * term + lane, apart, packing.conjugate);
            }
        }
    }
}

/// Lanes for whole squares: those that a group has not read what the first one reads.
#[inline(always)]
fn padded(lanes: &[isize; MOST_LANES], len: usize) -> [isize; MOST_LANES] {
    let mut padded = *lanes;
    padded[len..].fill(lanes[0]);
    padded
}

/// Elements run by run, of all terms or some.
#[inline(always)]
unsafe fn elements<F: Format, const WIDTH: usize, const PANEL: usize>(
    packing: &Packing<'_, F::Element>,
    panels: &Panels<F, WIDTH, PANEL>,
    group: usize,
    terms: Option<&[usize]>,
) {
    let Group { at, len, .. } = packing.groups.groups[group];
    let (lanes, len) = (packing.groups.lanes(group), len as usize);
    let (at_lanes, runs) = (&lanes.at[OWN], lanes.runs(OWN, len));
    let (term, apart) = (Panels::<F, WIDTH, PANEL>::TERM, Panels::<F, WIDTH, PANEL>::APART);
    // SAFETY: the caller's promise.
    unsafe {
        let (from, to) = (packing.from.offset(at[OWN]), panels.group(group));
        // What is in runs goes as vectors; of constant length where the group is whole.
        let in_runs = 2 * runs.len() <= len + 1;
        if let Some(terms) = terms {
            for &k in terms {
                let (from, to) = (from.offset(packing.inner[k]), to.add(k * term));
                if in_runs {
                    F::copy_runs::<WIDTH>(from, (at_lanes, runs, len), to, apart, packing.conjugate);
                } else {
                    one_by_one::<F>(from, &at_lanes[..len], to, apart, packing.conjugate);
                }
            }
        } else if in_runs {
            for (k, &offset) in packing.inner.iter().enumerate() {
                F::copy_runs::<WIDTH>(from.offset(offset), (at_lanes, runs, len), to.add(k * term), apart, packing.conjugate);
            }
        } else if len == WIDTH {
            all_one_by_one::<F, WIDTH, PANEL>(packing, from, at_lanes, to, WIDTH);
        } else {
            all_one_by_one::<F, WIDTH, PANEL>(packing, from, at_lanes, to, len);
        }
    }
}

/// The first lanes of all terms, one by one.
#[inline(always)]
unsafe fn all_one_by_one<F: Format, const WIDTH: usize, const PANEL: usize>(
    packing: &Packing<'_, F::Element>,
    from: *const F::Element,
    lanes: &[isize; MOST_LANES],
    to: *mut F::Real,
    len: usize,
) {
    let (term, apart) = (Panels::<F, WIDTH, PANEL>::TERM, Panels::<F, WIDTH, PANEL>::APART);
    for (k, &offset) in packing.inner.iter().enumerate() {
        // SAFETY: the caller's promise.
        unsafe { one_by_one::<F>(from.offset(offset), &lanes[..len], to.add(k * term), apart, packing.conjugate) };
    }
}

/// The elements of a term.
#[inline(always)]
unsafe fn one_by_one<F: Format>(from: *const F::Element, lanes: &[isize], to: *mut F::Real, apart: usize, conjugate: bool) {
    for lane in 0..lanes.len() {
        // SAFETY: the caller's promise.
        unsafe { F::put(from.offset(lanes[lane]).read(), to.add(lane), apart, conjugate) };
    }
}
