//! The memory that a run over block tensors takes: its result, what is made on the way for as long as it is read, and the matrices that
//! pieces are gathered into.

use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::internal::memory::bytes_of_class;
use tensorwrapper_core::structure::Structure;

use super::definition;
use super::plan::{Plan, Target};
use super::stages::Stage;

/// A tensor that a run makes.
#[derive(Clone, Debug)]
struct Made {
    bytes: u128,
    /// What the program calls its axes; empty where it has no names for them.
    labels: Vec<String>,
    extents: Vec<usize>,
}

/// The bytes of a run, operands not included.
#[derive(Clone, Debug)]
pub(super) struct Peak {
    bytes: u128,
    result: Made,
    /// The largest of the tensors that are made on the way.
    between: Option<Made>,
    /// The most parts in which a term is computed, or was tried in vain.
    pub(super) parts: usize,
}

/// What is known of a run before it begins.
pub(super) struct Counted<'c> {
    pub(super) stages: &'c [Stage],
    /// After each stage, the stages whose results no later one reads.
    pub(super) released: &'c [Vec<usize>],
    pub(super) result: &'c Structure,
    /// What the program calls the axes of the result.
    pub(super) labels: Vec<String>,
    /// Bytes of an element, and threads that compute.
    pub(super) size: usize,
    pub(super) threads: usize,
    /// Whether results are computed as they are defined.
    pub(super) is_definition: bool,
}

impl Counted<'_> {
    /// Counts a run.
    ///
    /// # Errors
    /// As [`Structure::stored`].
    pub(super) fn peak(self) -> Result<Peak, Error> {
        let result = made(self.result, self.labels, self.size)?;
        let mut peak = Peak { bytes: 0, between: None, result, parts: 1 };
        let mut now = peak.result.bytes;
        let mut kept: Vec<u128> = Vec::new();
        for (n, (stage, released)) in self.stages.iter().zip(self.released).enumerate() {
            if n + 1 < self.stages.len() {
                let own = made(stage.result(), Vec::new(), self.size)?;
                now += own.bytes;
                kept.push(own.bytes);
                peak.offer(own);
            }
            match stage {
                Stage::Products(plan) if self.is_definition => {
                    peak.bytes = peak.bytes.max(now + definition::most_bytes(&plan.written, &plan.structures, self.size));
                }
                Stage::Products(plan) => {
                    peak.parts = peak.parts.max(plan.parts);
                    peak.count_plan(plan, now, (self.size, self.threads))?;
                }
                Stage::Part(_) | Stage::Iota(_) | Stage::Elements(_) | Stage::Fold(_) | Stage::Untied { .. } => {
                    peak.bytes = peak.bytes.max(now);
                }
            }
            now -= released.iter().map(|&stage| kept[stage]).sum::<u128>();
        }
        Ok(peak)
    }
}

impl Peak {
    /// Bytes that a run takes.
    pub(super) fn bytes(&self) -> u128 {
        self.bytes
    }

    /// Whether a run takes more than is allowed.
    pub(super) fn exceeds(&self, allowed: usize) -> bool {
        self.bytes > allowed as u128
    }

    /// Whether that is because of what is made on the way: the result alone is not too large.
    pub(super) fn is_too_much_between(&self, allowed: usize) -> bool {
        self.exceeds(allowed) && self.result.bytes <= allowed as u128
    }

    /// The same, of which so many parts were tried.
    pub(super) fn in_parts(self, parts: usize) -> Peak {
        Peak { parts, ..self }
    }

    /// Whether a run takes no more than is allowed.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`].
    pub(super) fn check(&self, allowed: Option<usize>) -> Result<(), Error> {
        let Some(allowed) = allowed.map(|bytes| bytes as u128).filter(|&allowed| self.bytes > allowed) else { return Ok(()) };
        // Where the result alone is too large, nothing else is to blame.
        let between = self.between.as_ref().filter(|_| self.result.bytes <= allowed);
        let Made { bytes, labels, extents } = between.unwrap_or(&self.result).clone();
        let is_result = between.is_none();
        let needed = if self.result.bytes > allowed { self.result.bytes } else { self.bytes };
        let error = Error::new(ErrorKind::Limit { labels, extents, is_result, bytes, needed, allowed, parts: None });
        Err(match self.parts {
            1 => error,
            parts => error.with_help(format!("computed in {parts} parts it does not fit either")),
        })
    }

    fn offer(&mut self, made: Made) {
        if self.between.as_ref().is_none_or(|known| known.bytes < made.bytes) {
            self.between = Some(made);
        }
    }

    /// Counts the steps of a plan, while so many bytes are taken beside it.
    fn count_plan(&mut self, plan: &Plan, beside: u128, (size, threads): (usize, usize)) -> Result<(), Error> {
        let bytes = |number: usize| Ok(made(&plan.structures[number], Vec::new(), size)?.bytes);
        let mut now = beside + plan.ones.iter().map(|&number| bytes(number)).sum::<Result<u128, Error>>()?;
        self.bytes = self.bytes.max(now);
        let mut is_written = false;
        for step in &plan.steps {
            let adds = step.makes == Target::Result && std::mem::replace(&mut is_written, true);
            if let Target::Intermediate(number) = step.makes {
                let own = made(&plan.structures[number], step.labels.clone(), size)?;
                now += own.bytes;
                self.offer(own);
            }
            self.bytes = self.bytes.max(now + step.pair.space(size, threads, adds));
            now -= step.releases.iter().map(|&number| bytes(number)).sum::<Result<u128, Error>>()?;
        }
        Ok(())
    }
}

/// After each stage, the earlier ones and itself whose results no later stage reads, by their numbers. Stages number what they make from
/// the number of operands on.
pub(super) fn released(stages: &[Stage], operands: usize, is_definition: bool) -> Vec<Vec<usize>> {
    let reads: Vec<Vec<usize>> = stages.iter().map(|stage| stage.reads(is_definition)).collect();
    let last = |stage: usize| (stage..stages.len()).rev().find(|&later| reads[later].contains(&(operands + stage)));
    let mut released = vec![Vec::new(); stages.len()];
    // The last one makes the result, which stays.
    for stage in 0..stages.len().saturating_sub(1) {
        released[last(stage).unwrap_or(stage)].push(stage);
    }
    released
}

fn made(structure: &Structure, labels: Vec<String>, size: usize) -> Result<Made, Error> {
    let bytes = structure.stored()?.elements() as u128 * size as u128;
    // Results of medium size have memory of their class.
    let bytes = usize::try_from(bytes).map_or(bytes, |bytes| bytes_of_class(bytes) as u128);
    Ok(Made { bytes, labels, extents: structure.tilings().iter().map(|tiling| tiling.extent()).collect() })
}
