//! A product of two factors as groups of pieces: prepared from structures, run on elements.

use std::collections::{BTreeSet, hash_map};
use std::sync::Arc;

use num_complex::Complex;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::internal::memory::bytes_of_class;
use tensorwrapper_core::structure::Structure;

use super::cuts::{Cuts, Parts};
use super::group::{Group, Room, most_room};
use super::join::{Join, PlannedGroup, Roles};
use super::packed::{self, PackedPair};
use super::pieces::{labels, pieces};
use super::placed::{MOST_SUMMED, Placed, Sizes};
use super::tasks::{self, Kernels, Placement, Task, Work};
use super::terms::Factor;

/// A product of two factors, and the blocks that it writes.
pub(super) struct Pair {
    /// Gathered groups that are worth all threads, each.
    large: Vec<Group>,
    /// What is computed side by side, each task on one thread.
    tasks: Vec<Task>,
    kernels: Kernels,
    /// The device on one thread, where it has several.
    single: Option<Arc<dyn Device>>,
    /// Whether its result lacks the other order of pairs of axes.
    pub(super) is_packed: bool,
    /// Products of pieces, and their multiplications.
    pub(super) tuples: usize,
    pub(super) multiplications: u128,
    /// Elements of the result that it writes.
    pub(super) written: usize,
}

/// The structure of a result, and whether it lacks blocks that the product could write, which are not computed then.
pub(super) type Wanted<'s> = (&'s Structure, bool);

/// The numbers of the stored blocks of each factor that a product reads.
pub(super) type Reads = [BTreeSet<usize>; 2];

/// What a pair is prepared from.
pub(super) struct PairRequest<'p> {
    pub(super) cuts: &'p Cuts,
    pub(super) factors: [(&'p Factor, &'p Structure); 2],
    pub(super) left: &'p [usize],
    pub(super) scale: Complex<f64>,
    /// Exchanges of summed labels that leave the product as it is: the partner of each label.
    pub(super) exchanges: Vec<Vec<Option<usize>>>,
    /// Whether there is a limit of memory: pieces that lie right are not gathered then to make one large product.
    pub(super) spares_memory: bool,
}

impl PairRequest<'_> {
    /// The canonical blocks of the result that the product writes, and, if that `asks` for it, what it reads for them.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn blocks<T: Element>(&self, frame: &Structure, asks: bool) -> Result<(BTreeSet<Parts>, Option<Reads>), Error> {
        self.joined::<T, _>((frame, false), |_, groups| Ok((written(groups), asks.then(|| read(groups)))))
    }

    /// What is read for the blocks that the result has.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn reads<T: Element>(&self, result: Wanted<'_>) -> Result<Reads, Error> {
        self.joined::<T, _>(result, |_, groups| Ok(read(groups)))
    }

    /// Prepares the product for the blocks that the result has.
    ///
    /// # Errors
    /// Those of [`Device::prepare`], and a lack of memory.
    pub(super) fn prepare<T: Element>(&self, device: &dyn Device, result: Wanted<'_>) -> Result<Pair, Error> {
        self.joined::<T, _>(result, |join, groups| {
            let own = single(device);
            let single = own.as_deref().unwrap_or(device);
            let mut pair = Pair {
                large: Vec::new(),
                tasks: Vec::new(),
                kernels: Kernels::default(),
                single: own.clone(),
                is_packed: false,
                tuples: 0,
                multiplications: 0,
                written: 0,
            };
            let mut works = Vec::new();
            for group in groups {
                let placed = Placed { join, structure: result.0, group, packs: false };
                let whole = placed.sizes();
                let gathered = placed.cost(&whole);
                let strips = placed.in_strips(gathered);
                pair.tuples += group.places.len() * group.terms.len();
                let fastest = (&whole, strips.as_ref().map_or(gathered, |(.., cost)| *cost));
                let is_whole = !self.spares_memory && strips.is_none() && placed.is_better_whole(&whole);
                if !is_whole && let Some(direct) = placed.direct::<T>(single, self.scale, fastest, &mut pair.kernels.sums)? {
                    pair.count(&whole);
                    works.extend(direct);
                    continue;
                }
                let (placed, sizes) = strips.map_or((placed, whole), |(packed, small, _)| (packed, small));
                match sizes.are_large() {
                    true => pair.gather_large::<T>(&placed, &sizes, (device, self.scale))?,
                    false => works.extend(pair.gather::<T>(&placed, &sizes, (single, self.scale))?),
                }
            }
            pair.tasks = Task::all(works);
            Ok(pair)
        })
    }

    /// The pairs of rows, of columns and of terms that are packed.
    fn packed(&self, roles: &Roles, result: &Structure, exchanges: &[Vec<usize>], is_complex: bool) -> [Option<PackedPair>; 3] {
        let of_result = |role: &[usize]| {
            packed::axis_pairs(result.symmetry()).into_iter().find_map(|pair| {
                let [one, other] = pair.axes.map(|axis| self.left[axis]);
                let place = |label: usize| role.iter().position(|&own| own == label);
                let labels = [place(one)?, place(other)?];
                self.cuts.are_alike(one, other).then(|| PackedPair { labels, has_diagonal: pair.has_diagonal(is_complex) })
            })
        };
        let of_terms = exchanges.iter().find_map(|exchange| {
            let moved: Vec<usize> = (0..exchange.len()).filter(|&n| exchange[n] != n).collect();
            let labels: [usize; 2] = moved.try_into().ok()?;
            let vanishes = |(factor, structure): &(&Factor, &Structure)| {
                let axis = |n: usize| factor.labels.iter().position(|&own| own == roles.terms[n]);
                let axes = [axis(labels[0]), axis(labels[1])];
                matches!(axes, [Some(one), Some(other)] if packed::vanishes(structure.symmetry(), [one, other], is_complex))
            };
            Some(PackedPair { labels, has_diagonal: !self.factors.iter().any(vanishes) })
        });
        [of_result(&roles.rows), of_result(&roles.columns), of_terms]
    }

    /// Calls back with the pieces of the factors, joined into groups.
    fn joined<T: Element, R>(
        &self,
        (result, is_part): Wanted<'_>,
        with: impl FnOnce(&Join<'_>, &[PlannedGroup<'_>]) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let [left, right] = self.factors.map(|(factor, _)| labels(factor));
        let roles = Roles::new(&left, &right, self.left);
        let [own, other] = [0, 1].map(|n| pieces(self.factors[n].0, self.factors[n].1, self.cuts, T::DTYPE.is_complex()));
        let (own, other) = (own?, other?);
        let position = |label: usize| roles.terms.iter().position(|&term| term == label);
        let exchange = |pairing: &Vec<Option<usize>>| -> Option<Vec<usize>> {
            roles.terms.iter().map(|&label| pairing[label].and_then(position)).collect()
        };
        let exchanges: Vec<Vec<usize>> = self.exchanges.iter().filter_map(exchange).collect();
        let factors = [(&left[..], &own[..]), (&right[..], &other[..])];
        let packed = self.packed(&roles, result, &exchanges, T::DTYPE.is_complex());
        let join = Join { roles, cuts: self.cuts, factors, result: (self.left, result), is_part, exchanges, packed };
        let sides = join.sides();
        with(&join, &join.groups(&sides))
    }
}

/// The blocks of the result that groups write.
fn written(groups: &[PlannedGroup<'_>]) -> BTreeSet<Parts> {
    groups.iter().flat_map(|group| group.places.iter().map(|place| place.block.clone())).collect()
}

/// The blocks of the factors that groups read.
fn read(groups: &[PlannedGroup<'_>]) -> Reads {
    let mut read = Reads::default();
    for group in groups {
        for (entries, read) in [&group.rows, &group.columns].into_iter().zip(&mut read) {
            let pieces = entries.iter().flat_map(|entry| group.terms.iter().map(|term| entry.1[term].stored));
            read.extend(pieces);
        }
    }
    read
}

impl Pair {
    /// Prepares a group that is computed beside others. Nothing where it has nothing to compute: an antisymmetric pair in a tile of one
    /// index.
    fn gather<T: Element>(
        &mut self,
        placed: &Placed<'_>,
        sizes: &Sizes,
        (device, scale): (&dyn Device, Complex<f64>),
    ) -> Result<Option<Placement>, Error> {
        let Some(gathered) = self.gathered::<T>(placed, sizes, (device, scale, false))? else { return Ok(None) };
        let (range, cost) = (placed.range(&placed.group.places)?, sizes.multiplications());
        Ok(Some(Placement { range, cost, work: Work::Gathered(gathered) }))
    }

    /// Prepares a group that is computed by itself on all threads. Of many terms a few are computed at once, so that threads share rows and
    /// columns and no sums: results have the same bits on any number of threads.
    fn gather_large<T: Element>(
        &mut self,
        placed: &Placed<'_>,
        sizes: &Sizes,
        (device, scale): (&dyn Device, Complex<f64>),
    ) -> Result<(), Error> {
        let mut is_begun = false;
        for part in placed.group.in_parts(sizes.terms(), MOST_SUMMED) {
            let placed = Placed { group: &part, ..*placed };
            let sizes = placed.sizes();
            let Some(mut gathered) = self.gathered::<T>(&placed, &sizes, (device, scale, true))? else { continue };
            if std::mem::replace(&mut is_begun, true) {
                gathered.follows = true;
                self.written -= sizes.written();
            }
            self.large.push(gathered);
        }
        Ok(())
    }

    /// A group with its kernel, counted; whether it is computed by itself.
    fn gathered<T: Element>(
        &mut self,
        placed: &Placed<'_>,
        sizes: &Sizes,
        (device, scale, is_alone): (&dyn Device, Complex<f64>, bool),
    ) -> Result<Option<Group>, Error> {
        let [rows, columns, _] = placed.has_packed();
        self.is_packed |= rows || columns;
        if sizes.multiplications() == 0 {
            return Ok(None);
        }
        self.count(sizes);
        let mut gathered = placed.gathered(sizes)?;
        gathered.shape.is_alone = is_alone;
        if let hash_map::Entry::Vacant(vacant) = self.kernels.prepared.entry(gathered.shape) {
            vacant.insert(gathered.prepare::<T>(device, scale)?);
        }
        Ok(Some(gathered))
    }

    /// Counts a group with these matrices.
    fn count(&mut self, sizes: &Sizes) {
        self.written += sizes.written();
        self.multiplications += sizes.extents.iter().map(|&extent| extent as u128).product::<u128>();
    }

    /// The most bytes that a run takes for gathered matrices and for the work space of their products, with elements of `size` bytes;
    /// `adds`: its results are added to what is there.
    pub(super) fn space(&self, size: usize, threads: usize, adds: bool) -> u128 {
        let of = |groups: &mut dyn Iterator<Item = &Group>| {
            let mut work = 0;
            let groups = groups.inspect(|group| work = work.max(self.kernels.prepared[&group.shape].work_space()));
            let room: usize = most_room(groups, adds).iter().map(|elements| bytes_of_class(elements * size)).sum();
            (room + work) as u128
        };
        let large = of(&mut self.large.iter());
        // One after the other, tasks share their memory.
        let side_by_side = threads.min(self.tasks.len());
        if side_by_side < 2 {
            return large.max(of(&mut self.tasks.iter().flat_map(Task::gathered)));
        }
        let task = self.tasks.iter().map(|task| of(&mut task.gathered())).max().unwrap_or(0);
        large.max(task * side_by_side as u128)
    }

    /// Computes it from the slabs of its factors into that of the result, or adds it there.
    ///
    /// # Errors
    /// Memory.
    pub(super) fn run<T: Element>(&self, device: &dyn Device, slabs: [&[T]; 2], out: &mut [T], adds: bool) -> Result<(), Error> {
        let mut room = Room::new(self.large.iter(), adds)?;
        for group in &self.large {
            group.run(device, &self.kernels.prepared[&group.shape], slabs, (&mut *out, adds), &mut room)?;
        }
        drop(room);
        let run_on = (self.single.as_deref().unwrap_or(device), device.threads());
        tasks::run(&self.tasks, run_on, &self.kernels, slabs, (out, adds))
    }
}

/// The same device on one thread; nothing where it is that already, or does not compute on threads.
pub(super) fn single(device: &dyn Device) -> Option<Arc<dyn Device>> {
    if device.threads() == 1 { None } else { device.with_threads(1) }
}
