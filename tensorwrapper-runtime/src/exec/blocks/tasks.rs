//! Groups as tasks: each has a range of the result's slab to itself, so that tasks run side by side without locks.
//!
//! Which tasks there are does not depend on the number of threads, nor does what one of them computes.

use std::collections::HashMap;
use std::ops::Range;

use tensorwrapper_core::backend::{Device, PreparedContraction};
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::thread_pool;

use super::direct::{Direct, SumKernels};
use super::group::{Group, GroupShape, Room};

/// Multiplications that are worth a task.
const ENOUGH: usize = 1 << 20;

/// How a group, or a part of one, is computed.
#[derive(Debug)]
pub(super) enum Work {
    Gathered(Group),
    Direct(Direct),
}

/// A work, the range of the result's slab inside of which it writes, and about how many multiplications it takes.
#[derive(Debug)]
pub(super) struct Placement {
    pub(super) work: Work,
    pub(super) range: Range<usize>,
    pub(super) cost: usize,
}

/// Works that run one after the other: nothing else writes to their range of the result's slab.
#[derive(Debug)]
pub(super) struct Task {
    range: Range<usize>,
    works: Vec<Work>,
}

/// The kernels of works.
#[derive(Debug, Default)]
pub(super) struct Kernels {
    /// The contraction of each gathered group, by its shape.
    pub(super) prepared: HashMap<GroupShape, PreparedContraction>,
    /// Those of groups that are not gathered.
    pub(super) sums: SumKernels,
}

/// A task and what it writes to.
struct Share<'s, T> {
    task: &'s Task,
    out: &'s mut [T],
    result: Result<(), Error>,
}

impl Task {
    /// The tasks that works make up: those whose ranges meet are one, and so are neighbours, until they are enough.
    pub(super) fn all(mut works: Vec<Placement>) -> Vec<Task> {
        works.sort_by_key(|placement| placement.range.start);
        let (mut tasks, mut cost): (Vec<Task>, usize) = (Vec::new(), 0);
        for Placement { mut work, range, cost: own } in works {
            match tasks.last_mut() {
                Some(last) if range.start < last.range.end || cost < ENOUGH => {
                    work.rebase(last.range.start);
                    last.range.end = last.range.end.max(range.end);
                    last.push(work);
                    cost = cost.saturating_add(own);
                }
                _ => {
                    work.rebase(range.start);
                    tasks.push(Task { range, works: vec![work] });
                    cost = own;
                }
            }
        }
        tasks
    }

    /// Adds a work. Products that are not gathered join those before them, so that their kernel computes all in one call.
    fn push(&mut self, work: Work) {
        match (self.works.last_mut(), work) {
            (Some(Work::Direct(last)), Work::Direct(direct)) => last.append(direct),
            (_, work) => self.works.push(work),
        }
    }

    /// The groups whose pieces are gathered.
    pub(super) fn gathered(&self) -> impl Iterator<Item = &Group> {
        self.works.iter().filter_map(|work| match work {
            Work::Gathered(group) => Some(group),
            Work::Direct(_) => None,
        })
    }

    fn run<T: Element>(
        &self,
        device: &dyn Device,
        kernels: &Kernels,
        slabs: [&[T]; 2],
        (out, adds): (&mut [T], bool),
        room: &mut Room<T>,
    ) -> Result<(), Error> {
        self.works.iter().try_for_each(|work| match work {
            Work::Direct(direct) => direct.run(device, &kernels.sums, slabs, (&mut *out, adds)),
            Work::Gathered(group) => group.run(device, &kernels.prepared[&group.shape], slabs, (&mut *out, adds), room),
        })
    }
}

impl Work {
    /// Counts positions of the result from there on.
    fn rebase(&mut self, begins: usize) {
        match self {
            Work::Gathered(group) => group.rebase(begins),
            Work::Direct(direct) => direct.rebase(begins),
        }
    }
}

/// Runs tasks on so many threads, each task on one; `device` computes on one thread.
///
/// # Errors
/// Memory.
pub(super) fn run<T: Element>(
    tasks: &[Task],
    (device, threads): (&dyn Device, usize),
    kernels: &Kernels,
    slabs: [&[T]; 2],
    (out, adds): (&mut [T], bool),
) -> Result<(), Error> {
    if threads < 2 || tasks.len() < 2 {
        let mut room = Room::new(tasks.iter().flat_map(Task::gathered), adds)?;
        let mut run = |task: &Task| task.run(device, kernels, slabs, (&mut out[task.range.clone()], adds), &mut room);
        return tasks.iter().try_for_each(&mut run);
    }
    let (mut rest, mut begins, mut shares) = (out, 0, Vec::with_capacity(tasks.len()));
    for task in tasks {
        let (_, from) = rest.split_at_mut(task.range.start - begins);
        let (out, after) = from.split_at_mut(task.range.len());
        (rest, begins) = (after, task.range.end);
        shares.push(Share { task, out, result: Ok(()) });
    }
    thread_pool::each_mut(threads, &mut shares, &|share| {
        let room = Room::new(share.task.gathered(), adds);
        share.result = room.and_then(|mut room| share.task.run(device, kernels, slabs, (&mut *share.out, adds), &mut room));
    });
    shares.into_iter().try_for_each(|share| share.result)
}
