//! Which of several strategies computes a contraction: measured on the device where it is new, once for each structure, layout, element type
//! and device, and remembered by the process and in a file, so that it is the same from then on, for all processes where
//! the file can be written.
//!
//! Whatever goes wrong with the file costs time alone: what is not known is measured again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::disk;
use super::hash::Digest;
use super::once_map::OnceMap;
use tensorwrapper_core::backend::Contraction;
use tensorwrapper_core::error::Error;

/// A longer file is not read: a hundred thousand products have not so many bytes.
const MOST: u64 = 8 << 20;

/// A strategy to compute a contraction of two tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Strategy {
    /// A library's product of matrices where they lie.
    Library,
    /// The same of copies that lie as matrices.
    Permuted,
    /// Generated kernels alone.
    Kernels,
}

impl Strategy {
    pub(super) const ALL: [Strategy; 3] = [Strategy::Library, Strategy::Permuted, Strategy::Kernels];

    /// As the file has it.
    fn name(self) -> &'static str {
        match self {
            Strategy::Library => "library",
            Strategy::Permuted => "permuted",
            Strategy::Kernels => "kernels",
        }
    }
}

/// What is measured: everything that the kernels are made of, and how the library may round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ContractionKey([u64; 2]);

impl ContractionKey {
    pub(super) fn new(contraction: &Contraction<'_>, tf32: bool) -> ContractionKey {
        let text = format!("{contraction:?} {tf32}");
        ContractionKey(Digest::of_text(&text).numbers())
    }
}

/// The strategies of one kind of device.
#[derive(Debug)]
pub(super) struct Autotuner {
    file: Option<PathBuf>,
    /// Whether the file was read.
    begun: OnceLock<()>,
    known: OnceMap<ContractionKey, Strategy>,
}

impl Autotuner {
    /// Those that a file has, where there is one, and those to come.
    pub(super) fn new(file: Option<PathBuf>) -> Autotuner {
        Autotuner { file, begun: OnceLock::new(), known: OnceMap::default() }
    }

    /// What is known by now.
    fn known(&self) -> &OnceMap<ContractionKey, Strategy> {
        self.begun.get_or_init(|| self.read().into_iter().for_each(|(key, strategy)| self.known.add(key, strategy)));
        &self.known
    }

    /// The strategy, if it is known: nobody waits for a measurement.
    pub(super) fn find(&self, key: &ContractionKey) -> Option<Strategy> {
        self.known().find(key)
    }

    /// The strategy, which is measured where it is not known: by one thread, for which others that ask for it wait. It is that of another program
    /// which has measured at the same time, if that was the first to write.
    ///
    /// Whoever asks holds no turn to queue work: the thread that measures waits until nobody else does.
    ///
    /// # Errors
    /// Those of the measurement.
    pub(super) fn get(&self, key: ContractionKey, measure: impl FnOnce() -> Result<Strategy, Error>) -> Result<Strategy, Error> {
        self.known().get(key, || measure().map(|strategy| self.note(key, strategy)))
    }

    /// Writes down what was measured; the strategy that counts.
    fn note(&self, key: ContractionKey, strategy: Strategy) -> Strategy {
        self.append(key, strategy);
        let mut written = self.read();
        let first = written.remove(&key).unwrap_or(strategy);
        // What this program goes by already stays, whatever the file has become.
        written.into_iter().for_each(|(key, strategy)| self.known.add(key, strategy));
        first
    }

    /// Those of the file. Of two programs that measured at once, the first to write is right for all.
    fn read(&self) -> HashMap<ContractionKey, Strategy> {
        let bytes = self.file.as_ref().and_then(|file| disk::read(file, MOST)).unwrap_or_default();
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
        // Behind whatever else is there by then, a line that another program could not end among it.
        disk::append(file, &format!("\n{first:016x}{second:016x} {}\n", strategy.name()));
    }
}

/// One line of the file; `None` for anything else.
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
    fn what_was_chosen_is_read_by_the_next_program() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-autotune-{}", std::process::id()));
        let file = folder.join("strategies");
        let (first, second) = (ContractionKey([1, u64::MAX]), ContractionKey([0x0123, 7]));
        let autotuner = Autotuner::new(Some(file.clone()));
        assert_eq!(autotuner.find(&first), None);
        assert_eq!(autotuner.get(first, || Ok(Strategy::Permuted)), Ok(Strategy::Permuted));
        assert_eq!(autotuner.get(second, || Ok(Strategy::Kernels)), Ok(Strategy::Kernels));
        assert_eq!(autotuner.find(&first), Some(Strategy::Permuted));
        // Lines that are none, or not whole, or no text, are nothing; of two for one key the first counts.
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
    fn of_two_programs_that_measure_at_once_the_first_to_write_is_right() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-autotune-at-once-{}", std::process::id()));
        let [one, other] = [(); 2].map(|()| Autotuner::new(Some(folder.join("strategies"))));
        let [first, second, third] = [1, 2, 3].map(|n| ContractionKey([n, n]));
        // Both have looked, and found nothing.
        assert_eq!([&one, &other].map(|autotuner| autotuner.find(&first)), [None; 2]);
        assert_eq!(one.get(first, || Ok(Strategy::Library)), Ok(Strategy::Library));
        assert_eq!(one.get(second, || Ok(Strategy::Kernels)), Ok(Strategy::Kernels));
        assert_eq!(other.get(first, || Ok(Strategy::Permuted)), Ok(Strategy::Library));
        // What the one has written meanwhile is not measured by the other.
        assert_eq!(other.find(&second), Some(Strategy::Kernels));
        // Without a file each goes by its own.
        std::fs::remove_dir_all(&folder).unwrap();
        let alone = Autotuner::new(None);
        assert_eq!(alone.get(third, || Ok(Strategy::Permuted)), Ok(Strategy::Permuted));
        assert_eq!(alone.find(&third), Some(Strategy::Permuted));
    }

    #[test]
    fn one_thread_measures_and_nobody_who_asks_for_another_waits() {
        let (autotuner, [first, second]) = (&Autotuner::new(None), [1, 2].map(|n| ContractionKey([n, n])));
        assert_eq!(autotuner.get(first, || Ok(Strategy::Library)), Ok(Strategy::Library));
        let (said, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            let measured = scope.spawn(move || {
                autotuner.get(second, || {
                    said.send(()).unwrap();
                    // Until then the other thread has looked at what is known, and measured something itself.
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
            // Whoever asks for what is measured waits, and measures nothing.
            assert_eq!(autotuner.get(second, || unreachable!("another thread measures it")), Ok(Strategy::Permuted));
            assert_eq!(measured.join().unwrap(), Ok(Strategy::Permuted));
        });
    }
}
