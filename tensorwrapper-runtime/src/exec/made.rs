//! Plans of subscripts, kept for the whole program: what was planned once for operands of these element types, extents and
//! strides is run again, from wherever it is called.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasherDefault, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

use smallvec::SmallVec;
use tensorwrapper_notation::Equation;

use super::context::Context;
use super::doors::{checked, product, subscripts_statement};
use super::kept::Sources;
use super::plan::{Plan, plan};
use super::run::{Computed, Goes, planned_over, run_to};
use super::watch::Watch;
use crate::expr::Given;
use crate::optimize::{Choices, Plain};
use crate::tensor::Tensor;
use tensorwrapper_core::backend::Device;
use tensorwrapper_core::element::{Dtype, Element};
use tensorwrapper_core::erased::SliceRef;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// Elements and layouts of a call's operands.
pub(super) type Tensors<'t, 'a> = SmallVec<[(SliceRef<'a>, &'t Strided); 6]>;

/// What an equation over operands by their positions means; of a plain product also what it is planned by.
#[derive(Debug)]
pub(super) struct Meaning {
    equation: Equation,
    plain: Option<Plain>,
}

impl Meaning {
    pub(super) fn new(equation: Equation) -> Meaning {
        Meaning { plain: Plain::new(&equation), equation }
    }
}

/// A plan of subscripts, and what it was made for.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) text: Box<str>,
    pub(super) operands: Vec<Strided>,
    pub(super) plan: Plan,
}

impl Made {
    /// Plans what an equation says of operands by their positions; `text` is how messages call it.
    pub(super) fn new<T: Element>(
        context: &Context,
        text: &str,
        Meaning { equation, plain }: &Meaning,
        tensors: &[(SliceRef<'_>, &Strided)],
    ) -> Result<Made, Error> {
        let operands: Vec<Strided> = tensors.iter().map(|(_, layout)| layout.rebased()).collect();
        let extents = operands.iter().map(Strided::extents);
        if let Some(graph) = plain.as_ref().and_then(|plain| plain.pairs(&context.choices, T::DTYPE, extents)) {
            let plan = plan(&*context.device, graph, &operands)?.made(&*context.device)?;
            return Ok(Made { text: text.into(), operands, plan });
        }
        let lies = tensors.iter().zip(&operands);
        let values: Vec<_> =
            lies.map(|((data, layout), known)| Given::Elements(data.after(layout.start()), known).value()).collect();
        let value = product::<T>(equation, &values)?;
        let plan = planned_over(context, &values, &value)?;
        drop((value, values));
        Ok(Made { text: text.into(), operands, plan })
    }

    /// Whether it was made for operands that lie like these.
    fn fits(&self, tensors: &[(SliceRef<'_>, &Strided)]) -> bool {
        self.operands.len() == tensors.len()
            && self.operands.iter().zip(tensors).all(|(known, (_, layout))| known.steps_like(layout))
    }

    /// The memory of operands that fit from their lowest positions on, as the plan reads it.
    pub(super) fn sources<'a>(&self, tensors: &[(SliceRef<'a>, &Strided)]) -> Sources<'a> {
        let mut sources = Sources::new();
        for ((data, layout), known) in tensors.iter().zip(&self.operands) {
            sources.push(beginning(*data, layout, known));
        }
        sources
    }

    /// Computes the result from operands that fit, of which this is the memory.
    pub(super) fn run<T: Element>(
        &self,
        device: &Arc<dyn Device>,
        watch: &Watch,
        sources: &[SliceRef<'_>],
        goes: Goes,
    ) -> Result<Tensor<T>, Error> {
        Ok(self.result(run_to(&self.plan, device, watch, (sources, &[]), goes)?))
    }

    /// What a run has computed, as a tensor.
    pub(super) fn result<T: Element>(&self, mut computed: Computed) -> Tensor<T> {
        let computed = computed.pop();
        let elements = computed.and_then(|buffer| T::typed_vec(buffer).ok()).expect("the plan has one result, of this type");
        Tensor::from_parts(elements, self.plan.results[0].clone())
    }
}

/// The memory of an operand from its lowest position on, where one that steps as it does begins with its first.
pub(super) fn beginning<'a>(data: SliceRef<'a>, layout: &Strided, known: &Strided) -> SliceRef<'a> {
    data.after(layout.offset().saturating_sub(known.offset()))
}

/// How often plans of subscripts were found, in [`Context::plans`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptPlans {
    /// Calls that found a plan.
    pub hits: u64,
    /// Calls that made one, or failed to.
    pub misses: u64,
    /// Plans that are kept now.
    pub kept: usize,
}

/// Plans that are kept at most; another takes the place of that whose last use is longest ago.
const MOST: usize = 256;

/// Plans that are kept.
#[derive(Default)]
struct Known {
    /// By the hash of what they were made for.
    plans: HashMap<u64, Entry, BuildHasherDefault<Mixer>>,
    /// Those that were used longest ago when all were looked at last, and when that was; the oldest is the last. As long as one was
    /// not used since, it is older than all others, so that they are looked at again when none of these is left.
    oldest: Vec<(u64, u64)>,
}

/// Plans that are found to be the oldest at a time.
const OLDEST: usize = 32;

/// What subscripts mean for so many operands.
struct Meant {
    subscripts: Box<str>,
    operands: usize,
    meaning: Arc<Meaning>,
}

/// The plans of a program.
#[derive(Default)]
struct Plans {
    known: RwLock<Known>,
    /// What subscripts mean, for other extents: the last few that a plan was made of.
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

    /// What subscripts say of so many operands: read and checked, unless they were lately.
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

/// A plan, and what it was made for beside its operands.
struct Entry {
    dtype: Dtype,
    device: (&'static str, usize),
    choices: Choices,
    made: Arc<Made>,
    /// When it was used last.
    used: AtomicU64,
}

static PLANS: LazyLock<Plans> = LazyLock::new(Plans::default);

impl Context {
    /// How often calls of [`einsum`](Context::einsum) and [`prepare`](Context::prepare) have found a plan of an earlier call,
    /// in any context of the program. Plans are found by subscripts, element type, extents and strides of the operands, the
    /// context's device, and all that it chooses about plans. At most 256 are kept, those that were used last.
    ///
    /// ```
    /// use tensorwrapper_runtime::{Context, Tensor};
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

    /// The plan of subscripts for operands that lie like these: a known one, or a new one, which is known from then on.
    pub(super) fn made<T: Element>(&self, subscripts: &str, tensors: &[(SliceRef<'_>, &Strided)]) -> Result<Arc<Made>, Error> {
        let device = self.device.identity();
        let mut mixer = Mixer::default();
        (subscripts, T::DTYPE, device, &self.choices).hash(&mut mixer);
        for (_, layout) in tensors {
            // One word an axis: what this mixes up is told apart by comparison.
            let axes = layout.extents().iter().zip(layout.strides());
            axes.for_each(|(&extent, &stride)| mixer.mix((extent as u64).rotate_left(32) ^ stride as u64));
        }
        let hash = mixer.finish();
        if let Some(entry) = PLANS.known.read().unwrap_or_else(PoisonError::into_inner).plans.get(&hash)
            && (entry.dtype, entry.device, &entry.choices, &*entry.made.text) == (T::DTYPE, device, &self.choices, subscripts)
            && entry.made.fits(tensors)
        {
            entry.used.store(PLANS.now(), Ordering::Relaxed);
            return Ok(Arc::clone(&entry.made));
        }
        PLANS.misses.fetch_add(1, Ordering::Relaxed);
        let meaning = PLANS.meaning(subscripts, tensors.len())?;
        let made = Arc::new(Made::new::<T>(self, subscripts, &meaning, tensors)?);
        PLANS.made.fetch_add(1, Ordering::Relaxed);
        let used = AtomicU64::new(PLANS.now());
        let entry = Entry { dtype: T::DTYPE, device, choices: self.choices.clone(), made: Arc::clone(&made), used };
        let replaced = PLANS.known.write().unwrap_or_else(PoisonError::into_inner).keep(hash, entry);
        // Nobody waits for it to be taken apart.
        drop(replaced);
        Ok(made)
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

/// A quick hash of few words. What it mixes up is told apart by comparison.
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

    #[test]
    fn the_plan_used_longest_ago_goes_first() {
        let tensor = Tensor::<f64>::filled([2], 1.0).unwrap();
        let made = Context::reference().made::<f64>("i->", &[tensor.parts()]).unwrap();
        let entry = |used: u64| Entry {
            dtype: Dtype::F64,
            device: ("reference", 1),
            choices: Choices::default(),
            made: Arc::clone(&made),
            used: AtomicU64::new(used),
        };
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
