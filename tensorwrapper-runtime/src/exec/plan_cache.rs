//! The cache of plans of subscripts, for the whole program. A plan is reused for operands of the same element types, extents
//! and strides, from any call.
//!
//! Addresses are not part of a key, so a `Prepared` accepts any operands with the same extents and strides. Each operand is a
//! source of its own.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

use tensorwrapper_notation::Equation;

use super::compile::{planned_as_is, planned_over};
use super::context::Context;
use super::plan_key::{Equations, KeptPlan, PlanKey, Tensor, hash};
use super::statements::{checked, product, subscripts_statement};
use crate::expr::OperandData;
use crate::optimize::Plain;
use tensorwrapper_core::Numeric;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// The meaning of an equation whose operands are identified by position; for a plain product also the data for planning it
/// quickly.
#[derive(Debug)]
pub(super) struct Meaning {
    equation: Equation,
    plain: Option<Plain>,
}

impl Meaning {
    pub(super) fn new(equation: Equation) -> Meaning {
        Meaning { plain: Plain::new(&equation), equation }
    }

    /// Plans the equation for operands with these layouts. `text` is the equation's name in messages.
    pub(super) fn planned<T: Numeric>(
        &self,
        context: &Context,
        text: &str,
        tensors: &[Tensor<'_, '_>],
    ) -> Result<KeptPlan, Error> {
        let operands: Vec<Strided> = tensors.iter().map(|(_, layout)| layout.rebased()).collect();
        let graph = match context.passes.is_empty() {
            true => self
                .plain
                .as_ref()
                .and_then(|plain| plain.pairs(&context.choices, T::COMPUTED, operands.iter().map(Strided::extents))),
            false => None,
        };
        let plan = match graph {
            Some(graph) => planned_as_is(context, graph, &operands)?,
            None => {
                let lies = tensors.iter().zip(&operands);
                let values: Vec<_> = lies
                    .map(|((data, layout), known)| OperandData::Elements(data.after(layout.start()), known).value())
                    .collect::<Result<_, _>>()?;
                planned_over(context, &values, &product::<T>(&self.equation, &values)?)?
            }
        };
        let equations = Equations::Subscripts(text.into(), T::COMPUTED);
        let key = PlanKey::new(context, equations, operands.into_iter().map(|layout| (T::COMPUTED, layout)));
        Ok(KeptPlan::in_order(key, plan))
    }
}

/// Statistics of the cache of plans of subscripts, from [`Context::plans`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptPlans {
    /// Calls that found a plan.
    pub hits: u64,
    /// Calls that made a plan, or failed to make one.
    pub misses: u64,
    /// Plans that are kept now.
    pub kept: usize,
}

/// Plans that are kept at most; another replaces the least recently used one.
const MOST: usize = 256;

/// Plans that are kept.
#[derive(Default)]
struct Known {
    /// By the hash of what they were made for.
    plans: HashMap<u64, Entry, BuildHasherDefault<Mixer>>,
    /// The least recently used plans at the last scan, with their times; the oldest is the last. One that was not used since is still the
    /// oldest of all, so that a new scan is needed only when none of these is left.
    oldest: Vec<(u64, u64)>,
}

/// Plans that one scan finds to be the oldest.
const OLDEST: usize = 32;

/// The meaning of subscripts for so many operands.
struct Meant {
    subscripts: Box<str>,
    operands: usize,
    meaning: Arc<Meaning>,
}

/// The plans of a program.
#[derive(Default)]
struct Plans {
    known: RwLock<Known>,
    /// The meanings of the last few subscripts that were planned, for calls with other extents.
    equations: Mutex<VecDeque<Meant>>,
    /// Counts uses: plans that were found, and those that were made.
    clock: AtomicU64,
    made: AtomicU64,
    misses: AtomicU64,
}

impl Plans {
    /// The time of a use.
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// The meaning of subscripts over this number of operands. Subscripts that were not used recently are parsed and checked.
    fn meaning(&self, subscripts: &str, operands: usize) -> Result<Arc<Meaning>, Error> {
        let lock = || self.equations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().iter().find(|known| known.operands == operands && *known.subscripts == *subscripts) {
            return Ok(Arc::clone(&known.meaning));
        }
        let meaning = Arc::new(Meaning::new(checked(&subscripts_statement(subscripts, operands)?)?));
        let mut equations = lock();
        if equations.len() == MOST_EQUATIONS {
            equations.pop_back();
        }
        equations.push_front(Meant { subscripts: subscripts.into(), operands, meaning: Arc::clone(&meaning) });
        Ok(meaning)
    }
}

/// Equations that are kept at most; they are compared one by one.
const MOST_EQUATIONS: usize = 16;

/// A plan, and when it was used.
struct Entry {
    plan: Arc<KeptPlan>,
    /// When it was used last.
    used: AtomicU64,
}

static PLANS: LazyLock<Plans> = LazyLock::new(Plans::default);

impl Context {
    /// How often calls of [`einsum`](Context::einsum) and [`prepare`](Context::prepare) have reused a plan of an earlier call,
    /// in any context of the program. A plan is reused if the subscripts, the element type, the extents and strides of the
    /// operands, the context's device, and all of its settings that affect plans are the same. The 256 most recently used plans
    /// are kept.
    ///
    /// ```
    /// # use tensorwrapper_runtime as tensorwrapper;
    /// use tensorwrapper::{Context, Tensor};
    /// let a = Tensor::<f64>::filled([2, 2], 1.0)?;
    /// let before = Context::plans();
    /// for _ in 0..3 {
    ///     Context::cpu().threads(1).einsum("ik,kj->ji", &[&a, &a])?;
    /// }
    /// assert!(Context::plans().hits >= before.hits + 2);
    /// # Ok::<(), tensorwrapper_runtime::Error>(())
    /// ```
    pub fn plans() -> KeptPlans {
        let known = PLANS.known.read().unwrap_or_else(PoisonError::into_inner);
        let [uses, made, misses] = [&PLANS.clock, &PLANS.made, &PLANS.misses].map(|count| count.load(Ordering::Relaxed));
        KeptPlans { hits: uses.saturating_sub(made), misses, kept: known.plans.len() }
    }

    /// The plan of subscripts for operands with these layouts: a kept one, or a new one, which is then kept.
    pub(super) fn kept<T: Numeric>(&self, subscripts: &str, tensors: &[Tensor<'_, '_>]) -> Result<Arc<KeptPlan>, Error> {
        let mut mixer = Mixer::default();
        hash(&mut mixer, self, (subscripts, T::COMPUTED), tensors);
        let hash = mixer.finish();
        if let Some(entry) = PLANS.known.read().unwrap_or_else(PoisonError::into_inner).plans.get(&hash)
            && entry.plan.key.is_of(self)
            && entry.plan.key.is_of_subscripts(subscripts, T::COMPUTED, tensors)
        {
            entry.used.store(PLANS.now(), Ordering::Relaxed);
            return Ok(Arc::clone(&entry.plan));
        }
        PLANS.misses.fetch_add(1, Ordering::Relaxed);
        let meaning = PLANS.meaning(subscripts, tensors.len())?;
        let plan = Arc::new(meaning.planned::<T>(self, subscripts, tensors)?);
        PLANS.made.fetch_add(1, Ordering::Relaxed);
        let entry = Entry { plan: Arc::clone(&plan), used: AtomicU64::new(PLANS.now()) };
        let replaced = PLANS.known.write().unwrap_or_else(PoisonError::into_inner).keep(hash, entry);
        // Dropped without the lock.
        drop(replaced);
        Ok(plan)
    }
}

impl Known {
    /// Keeps one more plan, in the place of the one with the same hash, if there is one, or of the one used longest ago, if there
    /// are too many. What it takes the place of is returned.
    fn keep(&mut self, hash: u64, entry: Entry) -> Option<Entry> {
        let is_full = self.plans.len() >= MOST && !self.plans.contains_key(&hash);
        let oldest = if is_full { self.take_oldest() } else { None };
        self.plans.insert(hash, entry).or(oldest)
    }

    /// The plan that was used longest ago, which is kept no longer.
    fn take_oldest(&mut self) -> Option<Entry> {
        loop {
            while let Some((hash, used)) = self.oldest.pop() {
                if self.plans.get(&hash).is_some_and(|entry| entry.used.load(Ordering::Relaxed) == used) {
                    return self.plans.remove(&hash);
                }
            }
            if self.plans.is_empty() {
                return None;
            }
            self.oldest.extend(self.plans.iter().map(|(&hash, entry)| (hash, entry.used.load(Ordering::Relaxed))));
            self.oldest.sort_unstable_by_key(|&(_, used)| used);
            self.oldest.truncate(OLDEST);
            self.oldest.reverse();
        }
    }
}

/// A quick hash of few words. Keys that collide are told apart by comparison.
#[derive(Default)]
struct Mixer(u64);

impl Mixer {
    fn mix(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let rest = rest.iter().fold(1, |word, &byte| word << 8 | u64::from(byte));
        self.mix(rest);
    }

    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::Tensor;

    #[test]
    fn least_recently_used_plan_is_evicted() {
        let tensor = Tensor::<f64>::filled([2], 1.0).unwrap();
        let plan = Context::reference().kept::<f64>("i->", &[tensor.parts()]).unwrap();
        let entry = |used: u64| Entry { plan: Arc::clone(&plan), used: AtomicU64::new(used) };
        let mut known = Known::default();
        let has = |known: &Known, hash: u64| known.plans.contains_key(&hash);
        (0..MOST as u64).for_each(|n| assert!(known.keep(n, entry(n)).is_none()));
        known.plans[&0].used.store(1000, Ordering::Relaxed);
        assert!(known.keep(2000, entry(1001)).is_some());
        assert_eq!((known.plans.len(), has(&known, 0), has(&known, 1)), (MOST, true, false));
        // One that is made anew takes its own place.
        assert!(known.keep(2000, entry(1002)).is_some());
        assert_eq!((known.plans.len(), has(&known, 2)), (MOST, true));
        // What is used after all were looked at stays, and the next one goes.
        known.plans[&2].used.store(1003, Ordering::Relaxed);
        assert_eq!(known.keep(2001, entry(1004)).unwrap().used.into_inner(), 3);
        for n in 4..200 {
            assert_eq!(known.keep(2000 + n, entry(2000 + n)).unwrap().used.into_inner(), n);
        }
        assert!(has(&known, 0) && has(&known, 2));
    }
}
