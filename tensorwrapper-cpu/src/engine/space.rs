//! Index spaces of rows and columns, cut into groups that fill a vector.
//!
//! The order in which indices follow each other decides what packing reads and storing writes at once: neighbours in the
//! result go into one group; neighbours in the operand, where they are others, into the same lane of groups near by.
//! Groups are written down when they are needed, a cache's worth at a time.

use std::ops::Range;

use crate::product::{OUT, Triple, gcd};
use tensorwrapper_core::backend::fuse::{self, Axis, Odometer, points};

/// Axes over one operand and the result.
pub(super) type Pair = Axis<[isize; 2]>;
/// Where strides and positions of the operand stand.
pub(super) const OWN: usize = 0;
/// Where those of the result stand.
pub(super) const RESULT: usize = 1;
/// Columns that a tile has at most.
pub(super) const MOST_COLUMNS: usize = 8;
/// The widest group.
pub(super) const MOST_LANES: usize = 16;

/// Consecutive rows or columns, at most as many as a vector has lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// Where the first one lies, in the operand and in the result.
    pub(super) at: [isize; 2],
    pub(super) len: u32,
    /// How many groups further the operand's next element belongs, in the same lane; 0 where it is none of a group's.
    pub(super) step: u32,
}

/// Lanes that are neighbours in memory: the first of them, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Run {
    first: u8,
    len: u8,
}

impl Run {
    /// The lanes of the first `len` that belong to the run: the first of them, and how many there are.
    #[inline(always)]
    pub(super) fn within(self, len: usize) -> (usize, usize) {
        let first = self.first as usize;
        (first, (self.len as usize).min(len - first))
    }
}

/// Where the lanes of groups lie, relative to the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lanes {
    pub(super) at: [[isize; MOST_LANES]; 2],
    /// How many there are.
    lanes: u8,
    /// How many runs of neighbours they form, and these, in order.
    count: [u8; 2],
    runs: [[Run; MOST_LANES]; 2],
}

/// Groups that were written down.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) groups: Vec<Group>,
    /// Those of each group, or one for all.
    lanes: Vec<Lanes>,
}

impl Groups {
    /// The distance between an operand's lanes, where there is but one, in all groups.
    pub(super) fn single_step(&self, which: usize, width: usize) -> Option<isize> {
        let step = self.lanes.first()?.at[which][1];
        let last = self.groups.len() - 1;
        let is_even = |(n, lanes): (usize, &Lanes)| {
            let len = if n == last { self.groups[n].len as usize } else { width };
            lanes.at[which][..len].windows(2).all(|pair| pair[1] - pair[0] == step)
        };
        self.lanes.iter().enumerate().all(is_even).then_some(step)
    }

    #[inline(always)]
    pub(super) fn lanes(&self, group: usize) -> &Lanes {
        if self.lanes.len() == 1 { &self.lanes[0] } else { &self.lanes[group] }
    }
}

/// What a space is to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A tile's vectors run along them; so many groups make a panel.
    Rows { panel: usize },
    /// They are stored one by one, so that their order is the operand's business.
    Columns,
}

/// All rows, or all columns.
#[derive(Clone, Debug)]
pub(super) struct Space {
    /// Lanes of a group.
    width: usize,
    /// Number of groups.
    groups: usize,
    /// Axes around the groups, or all of them where groups run on from one axis into the next; the last one is the fastest.
    axes: Vec<Pair>,
    form: Form,
}

#[derive(Clone, Debug)]
enum Form {
    /// Groups of one axis alone, in bundles: the axis `across`, if any, runs inside of each bundle of groups.
    Along { axis: Pair, across: Pair, bundle: usize },
    /// Groups of the whole space as one sequence.
    Running { points: usize },
}

impl Space {
    /// All ways to cut axes of the operand `side` into groups; `by_result` says whose order the axes around the groups have.
    pub(super) fn candidates(axes: &[Triple], side: usize, width: usize, role: Role, by_result: bool) -> Vec<Space> {
        debug_assert!(width <= MOST_LANES);
        let mut axes: Vec<Pair> =
            axes.iter().map(|axis| Axis { extent: axis.extent, strides: [axis.strides[side], axis.strides[OUT]] }).collect();
        fuse::sort(&mut axes, &[RESULT, OWN]);
        if axes.is_empty() {
            let axis = Axis { extent: 1, strides: [1, 1] };
            return vec![Space { width, groups: 1, axes, form: Form::Along { axis, across: nowhere(), bundle: 1 } }];
        }
        let unit = |which: usize| axes.iter().position(|axis| axis.strides[which] == 1);
        let mut lanes: Vec<usize> = [unit(OWN), unit(RESULT)].into_iter().flatten().collect();
        if lanes.is_empty() {
            lanes.push(axes.len() - 1);
        }
        lanes.dedup();
        let mut found: Vec<Space> = lanes.iter().map(|&lane| Space::along(axes.clone(), lane, width, role, by_result)).collect();
        if axes.len() > 1 {
            found.extend([RESULT, OWN].map(|which| {
                let mut axes = axes.clone();
                fuse::sort(&mut axes, &[which, OWN + RESULT - which]);
                Space::running(axes, width)
            }));
            let near = axes.iter().position(|axis| axis.strides[OWN] == 1);
            if let Some(near) = near.filter(|near| near + 1 < axes.len() && role == Role::Columns && by_result) {
                // In the result's order, but that neighbours in the operand are read together.
                axes[near..].rotate_left(1);
                found.push(Space::running(axes, width));
            }
        }
        found
    }

    /// Groups that run on from one axis into the next.
    fn running(axes: Vec<Pair>, width: usize) -> Space {
        let points = points(&axes);
        Space { width, groups: points.div_ceil(width), axes, form: Form::Running { points } }
    }

    /// Groups of one axis alone.
    fn along(mut axes: Vec<Pair>, lane: usize, width: usize, role: Role, by_result: bool) -> Space {
        let points = points(&axes);
        let axis = axes.remove(lane);
        let chunks = axis.extent.div_ceil(width);
        let across = axes.iter().position(|other| other.strides[OWN] == 1).filter(|_| axis.strides[OWN] != 1);
        let (across, bundle) = match (across, role) {
            // Long pieces of what there is more of: of the result, whole panels; of the operand, many neighbours.
            (Some(n), Role::Rows { panel }) => (axes.remove(n), if by_result { divisor(chunks, panel) } else { 1 }),
            _ => (nowhere(), chunks),
        };
        if !by_result {
            fuse::sort(&mut axes, &[OWN, RESULT]);
        }
        Space { width, groups: points / axis.extent * chunks, axes, form: Form::Along { axis, across, bundle } }
    }

    /// Runs of neighbours in the operand or the result that the groups are made of, for each element.
    pub(super) fn runs(&self, which: usize) -> f64 {
        match &self.form {
            Form::Along { axis, .. } if axis.strides[which] == 1 => axis.extent.div_ceil(self.width) as f64 / axis.extent as f64,
            Form::Along { .. } => 1.0,
            Form::Running { points } => 1.0 / self.width as f64 + self.breaks(which, *points),
        }
    }

    /// The same of the groups alone that are one run.
    pub(super) fn vectors(&self, which: usize) -> f64 {
        match &self.form {
            Form::Along { axis, .. } if axis.strides[which] == 1 => self.runs(which),
            _ => (1.0 - self.broken(which, 1)) / self.width as f64,
        }
    }

    /// The part of panels of so many groups in which the lanes of some group are not one run of neighbours in the operand or the result.
    pub(super) fn broken(&self, which: usize, groups: usize) -> f64 {
        match &self.form {
            Form::Along { axis, .. } => f64::from(axis.strides[which] != 1),
            Form::Running { points } => (self.breaks(which, *points) * (self.width * groups) as f64).min(1.0),
        }
    }

    /// Ends of runs of neighbours inside of groups that run on from one axis into the next, for each element.
    fn breaks(&self, which: usize, points: usize) -> f64 {
        // Innermost axes that follow each other without a gap.
        let mut len = 1;
        for axis in self.axes.iter().rev() {
            if axis.strides[which] != len as isize {
                break;
            }
            len *= axis.extent;
        }
        // Runs and groups end together once in so many elements.
        let together = if len == points { len } else { len / gcd(len, self.width) * self.width };
        1.0 / len as f64 - 1.0 / together as f64
    }

    /// Whether lanes of the operand or the result lie side by side, in all groups.
    pub(super) fn is_unit(&self, which: usize) -> bool {
        self.broken(which, 1) == 0.0
    }

    /// Elements that are missing for groups of at least so many each.
    pub(super) fn missing(&self, least: usize) -> usize {
        match &self.form {
            Form::Along { axis, .. } => {
                let (last, chunks) = (axis.extent % self.width, axis.extent.div_ceil(self.width));
                if last == 0 { 0 } else { least.saturating_sub(last) * (self.groups / chunks) }
            }
            Form::Running { .. } => 0,
        }
    }

    /// The part of the elements that are in groups which are not whole.
    pub(super) fn ragged(&self) -> f64 {
        let extent = match &self.form {
            Form::Along { axis, .. } => axis.extent,
            Form::Running { points } => *points,
        };
        (extent % self.width) as f64 / extent as f64
    }

    /// Whether squares can be transposed from the operand into groups.
    pub(super) fn has_squares(&self) -> bool {
        matches!(&self.form, Form::Along { across, .. } if across.extent >= 4)
    }

    /// Whether all lanes of the operand have one distance.
    pub(super) fn has_single_step(&self) -> bool {
        matches!(self.form, Form::Along { .. }) || fuse::single_stride(&self.axes, OWN).is_some()
    }

    /// Number of groups.
    pub(super) fn groups(&self) -> usize {
        self.groups
    }

    /// Groups that a block had best be a multiple of, so that neighbours in the operand are packed together.
    pub(super) fn together(&self) -> usize {
        match &self.form {
            Form::Along { across, bundle, .. } if across.extent > 1 => bundle * 8,
            _ => 1,
        }
    }

    /// Writes down the groups of these numbers.
    pub(super) fn write(&self, range: Range<usize>, to: &mut Groups) {
        debug_assert!(range.end <= self.groups, "{range:?} of {} groups", self.groups);
        to.groups.clear();
        to.lanes.clear();
        match &self.form {
            Form::Along { axis, across, bundle } => {
                to.lanes.push(Lanes::along(axis));
                self.write_along(range, [axis, across], *bundle, &mut to.groups);
            }
            &Form::Running { points } => self.write_running(range, points, to),
        }
    }

    fn write_along(&self, range: Range<usize>, [axis, across]: [&Pair; 2], bundle: usize, to: &mut Vec<Group>) {
        let chunks = axis.extent.div_ceil(self.width);
        let each = chunks * across.extent;
        let mut outer = Odometer::new(&self.axes, &[0, 0], range.start / each);
        let inside = range.start % each;
        let mut first = inside / (bundle * across.extent) * bundle;
        let mut wide = bundle.min(chunks - first);
        let rest = inside - first * across.extent;
        let (mut index, mut chunk) = (rest / wide, rest % wide);
        for _ in range {
            let start = (first + chunk) * self.width;
            let at = |which: usize| {
                outer.position[which] + start as isize * axis.strides[which] + index as isize * across.strides[which]
            };
            let len = self.width.min(axis.extent - start) as u32;
            let step = if across.extent > 1 { wide as u32 } else { 0 };
            to.push(Group { at: [at(OWN), at(RESULT)], len, step });
            chunk += 1;
            if chunk == wide {
                (chunk, index) = (0, index + 1);
                if index == across.extent {
                    (index, first) = (0, first + wide);
                    if first == chunks {
                        first = 0;
                        outer.step();
                    }
                    wide = bundle.min(chunks - first);
                }
            }
        }
    }

    fn write_running(&self, range: Range<usize>, points: usize, to: &mut Groups) {
        let mut walk = Odometer::new(&self.axes, &[0, 0], range.start * self.width);
        for group in range {
            let len = self.width.min(points - group * self.width);
            let at = walk.position;
            let mut lanes = Lanes::default();
            for _ in 0..len {
                lanes.push(walk.position, at);
                walk.step();
            }
            to.groups.push(Group { at, len: len as u32, step: 0 });
            to.lanes.push(lanes);
        }
    }
}

/// The largest divisor that is no larger than `most`: bundles of equal sizes keep squares whole.
fn divisor(number: usize, most: usize) -> usize {
    (1..=most).rev().find(|&divisor| number.is_multiple_of(divisor)).unwrap_or(1)
}

/// An axis that a space without one runs along.
fn nowhere() -> Pair {
    Axis { extent: 1, strides: [0, 0] }
}

impl Lanes {
    fn along(axis: &Pair) -> Lanes {
        let mut lanes = Lanes::default();
        for lane in 0..MOST_LANES as isize {
            lanes.push(axis.strides.map(|stride| lane * stride), [0; 2]);
        }
        lanes
    }

    /// Adds a lane at this position, counted from that of the first.
    fn push(&mut self, position: [isize; 2], first: [isize; 2]) {
        let lane = self.lanes as usize;
        for which in [OWN, RESULT] {
            let offset = position[which] - first[which];
            self.at[which][lane] = offset;
            if lane > 0 && offset == self.at[which][lane - 1] + 1 {
                self.runs[which][self.count[which] as usize - 1].len += 1;
            } else {
                self.runs[which][self.count[which] as usize] = Run { first: lane as u8, len: 1 };
                self.count[which] += 1;
            }
        }
        self.lanes += 1;
    }

    /// Runs of neighbours among the first `len` lanes; the last one may go on behind them.
    #[inline(always)]
    pub(super) fn runs(&self, which: usize, len: usize) -> &[Run] {
        &self.runs[which][..(self.count[which] as usize).min(len)]
    }

    /// Whether all of them lie side by side, in the operand or in the result.
    #[inline(always)]
    pub(super) fn are_unit(&self, which: usize) -> bool {
        self.count[which] == 1
    }
}
