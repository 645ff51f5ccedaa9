//! Which strategy computes a contraction fastest. It is measured on the device, once for each structure, layout, element type and
//! kind of device, and kept in the process and in a file: all later runs, also those of other processes, use the same strategy.
//!
//! Nothing depends on the file: without it, or where it cannot be read, contractions are measured again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::disk;
use super::hash::Digest;
use super::once_map::OnceMap;
use tensorwrapper_core::backend::Contraction;
use tensorwrapper_core::error::Error;

/// A longer file is not read. A hundred thousand contractions need less.
const MAX_BYTES: u64 = 8 << 20;

/// How a contraction of two tensors is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Strategy {
    /// By a library's product of matrices, on the tensors as they are.
    Library,
    /// By a library's product behind as few copies as possible, in the order that it needs. It may be a batch of products that
    /// the equation does not have.
    Permuted,
    /// By a library's product behind as many copies as make one product of such a batch.
    Whole,
    /// By generated kernels alone.
    Kernels,
}

impl Strategy {
    pub(crate) const ALL: [Strategy; 4] = [Strategy::Library, Strategy::Permuted, Strategy::Whole, Strategy::Kernels];

    /// Its name in the file.
    fn name(self) -> &'static str {
        match self {
            Strategy::Library => "library",
            Strategy::Permuted => "permuted",
            Strategy::Whole => "whole",
            Strategy::Kernels => "kernels",
        }
    }
}

/// A digest of everything that the time depends on: what the kernels are made of, and how the library may round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ContractionKey([u64; 2]);

impl ContractionKey {
    pub(crate) fn new(contraction: &Contraction<'_>, tf32: bool) -> ContractionKey {
        let text = format!("{contraction:?} {tf32}");
        ContractionKey(Digest::of_text(&text).numbers())
    }
}

/// The fastest strategies on one kind of device, as far as they are known.
#[derive(Debug)]
pub(crate) struct Autotuner {
    file: Option<PathBuf>,
    /// Set once the file was read.
    is_read: OnceLock<()>,
    known: OnceMap<ContractionKey, Strategy>,
}

impl Autotuner {
    /// Starts with the strategies in the file, if there is one.
    pub(crate) fn new(file: Option<PathBuf>) -> Autotuner {
        Autotuner { file, is_read: OnceLock::new(), known: OnceMap::default() }
    }

    /// The strategies that are known by now.
    fn known(&self) -> &OnceMap<ContractionKey, Strategy> {
        self.is_read.get_or_init(|| self.read().into_iter().for_each(|(key, strategy)| self.known.add(key, strategy)));
        &self.known
    }

    /// The strategy, if it is known. This does not wait for a measurement.
    pub(crate) fn find(&self, key: &ContractionKey) -> Option<Strategy> {
        self.known().find(key)
    }

    /// The strategy, measured if it is not known. One thread measures, others that ask for the same contraction wait. If another
    /// process has measured it in the meantime and was the first to write its result, that result is used.
    ///
    /// The calling thread must not hold the stream lock: the thread that measures waits until no other thread does.
    ///
    /// # Errors
    /// Those of the measurement.
    pub(crate) fn get(&self, key: ContractionKey, measure: impl FnOnce() -> Result<Strategy, Error>) -> Result<Strategy, Error> {
        self.known().get(key, || measure().map(|strategy| self.note(key, strategy)))
    }

    /// Writes a result to the file; returns the strategy that counts.
    fn note(&self, key: ContractionKey, strategy: Strategy) -> Strategy {
        self.append(key, strategy);
        let mut written = self.read();
        let first = written.remove(&key).unwrap_or(strategy);
        // Strategies that this process already uses stay, whatever the file says now.
        written.into_iter().for_each(|(key, strategy)| self.known.add(key, strategy));
        first
    }

    /// The strategies in the file. If two processes have measured the same contraction, the first line counts.
    fn read(&self) -> HashMap<ContractionKey, Strategy> {
        let bytes = self.file.as_ref().and_then(|file| disk::read(file, MAX_BYTES)).unwrap_or_default();
        let mut strategies = HashMap::new();
        for (key, strategy) in String::from_utf8_lossy(&bytes).lines().filter_map(read) {
            strategies.entry(key).or_insert(strategy);
        }
        strategies
    }

    /// Adds a line to the file.
    fn append(&self, key: ContractionKey, strategy: Strategy) {
        let Some(file) = &self.file else { return };
        let ContractionKey([first, second]) = key;
        // The line break in front ends a line that another process has left unfinished.
        disk::append(file, &format!("\n{first:016x}{second:016x} {}\n", strategy.name()));
    }
}

/// The content of one line; `None` where it is not valid.
fn read(line: &str) -> Option<(ContractionKey, Strategy)> {
    let (key, name) = line.split_once(' ')?;
    let number = |range: std::ops::Range<usize>| u64::from_str_radix(key.get(range)?, 16).ok();
    let strategy = Strategy::ALL.into_iter().find(|strategy| strategy.name() == name)?;
    (key.len() == 32).then_some((ContractionKey([number(0..16)?, number(16..32)?]), strategy))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn strategies_are_read_by_the_next_process() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-autotune-{}", std::process::id()));
        let file = folder.join("strategies");
        let (first, second) = (ContractionKey([1, u64::MAX]), ContractionKey([0x0123, 7]));
        let autotuner = Autotuner::new(Some(file.clone()));
        assert_eq!(autotuner.find(&first), None);
        assert_eq!(autotuner.get(first, || Ok(Strategy::Permuted)), Ok(Strategy::Permuted));
        assert_eq!(autotuner.get(second, || Ok(Strategy::Kernels)), Ok(Strategy::Kernels));
        assert_eq!(autotuner.find(&first), Some(Strategy::Permuted));
        // Lines that are invalid, cut short or no text are ignored; of two lines with one key the first counts.
        let whole = std::fs::read_to_string(&file).unwrap();
        let twice = whole.replace("permuted", "library");
        let lines = format!("{whole}{twice}zz library\n\n{:032x} nothing\n01 library\né{}", 5, &whole[..20]);
        std::fs::write(&file, [&b"\xff\xfe\n"[..], lines.as_bytes()].concat()).unwrap();
        let again = Autotuner::new(Some(file));
        assert_eq!(
            [first, second, ContractionKey([0, 5])].map(|key| again.find(&key)),
            [Some(Strategy::Permuted), Some(Strategy::Kernels), None]
        );
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(again.find(&second), Some(Strategy::Kernels));
    }

    #[test]
    fn first_of_two_processes_to_write_counts() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-autotune-at-once-{}", std::process::id()));
        let [one, other] = [(); 2].map(|()| Autotuner::new(Some(folder.join("strategies"))));
        let [first, second, third] = [1, 2, 3].map(|n| ContractionKey([n, n]));
        // Both have read the file, which is not there.
        assert_eq!([&one, &other].map(|autotuner| autotuner.find(&first)), [None; 2]);
        assert_eq!(one.get(first, || Ok(Strategy::Library)), Ok(Strategy::Library));
        assert_eq!(one.get(second, || Ok(Strategy::Kernels)), Ok(Strategy::Kernels));
        assert_eq!(other.get(first, || Ok(Strategy::Permuted)), Ok(Strategy::Library));
        // The other does not measure what the first has written in the meantime.
        assert_eq!(other.find(&second), Some(Strategy::Kernels));
        // Without a file a process keeps its own results.
        std::fs::remove_dir_all(&folder).unwrap();
        let alone = Autotuner::new(None);
        assert_eq!(alone.get(third, || Ok(Strategy::Permuted)), Ok(Strategy::Permuted));
        assert_eq!(alone.find(&third), Some(Strategy::Permuted));
    }

    #[test]
    fn one_thread_measures_and_other_keys_do_not_wait() {
        let (autotuner, [first, second]) = (&Autotuner::new(None), [1, 2].map(|n| ContractionKey([n, n])));
        assert_eq!(autotuner.get(first, || Ok(Strategy::Library)), Ok(Strategy::Library));
        let (said, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            let measured = scope.spawn(move || {
                autotuner.get(second, || {
                    said.send(()).unwrap();
                    // In the meantime the other thread looks up known strategies and measures another contraction.
                    while autotuner.find(&ContractionKey([3, 3])).is_none() {
                        std::thread::yield_now();
                    }
                    Ok(Strategy::Permuted)
                })
            });
            heard.recv().unwrap();
            assert_eq!((autotuner.find(&first), autotuner.find(&second)), (Some(Strategy::Library), None));
            assert_eq!(autotuner.get(first, || unreachable!("it is known")), Ok(Strategy::Library));
            assert_eq!(autotuner.get(ContractionKey([3, 3]), || Ok(Strategy::Kernels)), Ok(Strategy::Kernels));
            // A thread that asks for a contraction that is being measured waits, and does not measure.
            assert_eq!(autotuner.get(second, || unreachable!("another thread measures it")), Ok(Strategy::Permuted));
            assert_eq!(measured.join().unwrap(), Ok(Strategy::Permuted));
        });
    }
}
