//! Which of several ways computes a contraction: measured on the device where it is new, once for each structure, layout, element type
//! and device, and remembered by the process and in a file, so that it is the same from then on, for all processes where
//! the file can be written.
//!
//! Whatever goes wrong with the file costs time alone: what is not known is measured again.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::OnceLock;

use super::disk;
use super::hash::Digest;
use super::once::Once;
use tensorwrapper_core::backend::Contraction;
use tensorwrapper_core::error::Error;

/// A longer file is not read: a hundred thousand products have not so many bytes.
const MOST: u64 = 8 << 20;

/// A way to compute a contraction of two tensors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// A library's product of matrices where they lie.
    Library,
    /// The same of copies that lie as matrices.
    Permuted,
    /// Generated kernels alone.
    Kernels,
}

impl Way {
    pub(super) const ALL: [Way; 3] = [Way::Library, Way::Permuted, Way::Kernels];

    /// As the file has it.
    fn name(self) -> &'static str {
        match self {
            Way::Library => "library",
            Way::Permuted => "permuted",
            Way::Kernels => "kernels",
        }
    }
}

/// What is measured: everything that the kernels are made of, and how the library may round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

impl Key {
    pub(super) fn new(contraction: &Contraction<'_>, tf32: bool) -> Key {
        let text = format!("{contraction:?} {tf32}");
        Key(Digest::of_text(&text).numbers())
    }
}

/// The ways of one kind of device.
#[derive(Debug)]
pub(super) struct Choices {
    file: Option<PathBuf>,
    /// Whether the file was read.
    begun: OnceLock<()>,
    known: Once<Key, Way>,
}

impl Choices {
    /// Those that a file has, where there is one, and those to come.
    pub(super) fn new(file: Option<PathBuf>) -> Choices {
        Choices { file, begun: OnceLock::new(), known: Once::default() }
    }

    /// What is known by now.
    fn known(&self) -> &Once<Key, Way> {
        self.begun.get_or_init(|| self.read().into_iter().for_each(|(key, way)| self.known.add(key, way)));
        &self.known
    }

    /// The way, if it is known: nobody waits for a measurement.
    pub(super) fn find(&self, key: &Key) -> Option<Way> {
        self.known().find(key)
    }

    /// The way, which is measured where it is not known: by one thread, for which others that ask for it wait. It is that of another program
    /// which has measured at the same time, if that was the first to write.
    ///
    /// Whoever asks holds no turn to queue work: the thread that measures waits until nobody else does.
    ///
    /// # Errors
    /// Those of the measurement.
    pub(super) fn get(&self, key: Key, measure: impl FnOnce() -> Result<Way, Error>) -> Result<Way, Error> {
        self.known().get(key, || measure().map(|way| self.note(key, way)))
    }

    /// Writes down what was measured; the way that counts.
    fn note(&self, key: Key, way: Way) -> Way {
        self.append(key, way);
        let mut written = self.read();
        let first = written.remove(&key).unwrap_or(way);
        // What this program goes by already stays, whatever the file has become.
        written.into_iter().for_each(|(key, way)| self.known.add(key, way));
        first
    }

    /// Those of the file. Of two programs that measured at once, the first to write is right for all.
    fn read(&self) -> HashMap<Key, Way> {
        let bytes = self.file.as_ref().and_then(|file| disk::read(file, MOST)).unwrap_or_default();
        let mut ways = HashMap::new();
        for (key, way) in String::from_utf8_lossy(&bytes).lines().filter_map(read) {
            ways.entry(key).or_insert(way);
        }
        ways
    }

    /// Adds a line to the file.
    fn append(&self, key: Key, way: Way) {
        let Some(file) = &self.file else { return };
        let Key([first, second]) = key;
        // Behind whatever else is there by then, a line that another program could not end among it.
        disk::append(file, &format!("\n{first:016x}{second:016x} {}\n", way.name()));
    }
}

/// One line of the file; `None` for anything else.
fn read(line: &str) -> Option<(Key, Way)> {
    let (key, name) = line.split_once(' ')?;
    let number = |range: std::ops::Range<usize>| u64::from_str_radix(key.get(range)?, 16).ok();
    let way = Way::ALL.into_iter().find(|way| way.name() == name)?;
    (key.len() == 32).then_some((Key([number(0..16)?, number(16..32)?]), way))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn what_was_chosen_is_read_by_the_next_program() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-choices-{}", std::process::id()));
        let file = folder.join("ways");
        let (first, second) = (Key([1, u64::MAX]), Key([0x0123, 7]));
        let choices = Choices::new(Some(file.clone()));
        assert_eq!(choices.find(&first), None);
        assert_eq!(choices.get(first, || Ok(Way::Permuted)), Ok(Way::Permuted));
        assert_eq!(choices.get(second, || Ok(Way::Kernels)), Ok(Way::Kernels));
        assert_eq!(choices.find(&first), Some(Way::Permuted));
        // Lines that are none, or not whole, or no text, are nothing; of two for one key the first counts.
        let whole = std::fs::read_to_string(&file).unwrap();
        let twice = whole.replace("permuted", "library");
        let lines = format!("{whole}{twice}zz library\n\n{:032x} nothing\n01 library\né{}", 5, &whole[..20]);
        std::fs::write(&file, [&b"\xff\xfe\n"[..], lines.as_bytes()].concat()).unwrap();
        let again = Choices::new(Some(file));
        assert_eq!([first, second, Key([0, 5])].map(|key| again.find(&key)), [Some(Way::Permuted), Some(Way::Kernels), None]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(again.find(&second), Some(Way::Kernels));
    }

    #[test]
    fn of_two_programs_that_measure_at_once_the_first_to_write_is_right() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-choices-at-once-{}", std::process::id()));
        let [one, other] = [(); 2].map(|()| Choices::new(Some(folder.join("ways"))));
        let [first, second, third] = [1, 2, 3].map(|n| Key([n, n]));
        // Both have looked, and found nothing.
        assert_eq!([&one, &other].map(|choices| choices.find(&first)), [None; 2]);
        assert_eq!(one.get(first, || Ok(Way::Library)), Ok(Way::Library));
        assert_eq!(one.get(second, || Ok(Way::Kernels)), Ok(Way::Kernels));
        assert_eq!(other.get(first, || Ok(Way::Permuted)), Ok(Way::Library));
        // What the one has written meanwhile is not measured by the other.
        assert_eq!(other.find(&second), Some(Way::Kernels));
        // Without a file each goes by its own.
        std::fs::remove_dir_all(&folder).unwrap();
        let alone = Choices::new(None);
        assert_eq!(alone.get(third, || Ok(Way::Permuted)), Ok(Way::Permuted));
        assert_eq!(alone.find(&third), Some(Way::Permuted));
    }

    #[test]
    fn one_thread_measures_and_nobody_who_asks_for_another_waits() {
        let (choices, [first, second]) = (&Choices::new(None), [1, 2].map(|n| Key([n, n])));
        assert_eq!(choices.get(first, || Ok(Way::Library)), Ok(Way::Library));
        let (said, heard) = mpsc::channel();
        std::thread::scope(|scope| {
            let measured = scope.spawn(move || {
                choices.get(second, || {
                    said.send(()).unwrap();
                    // Until then the other thread has looked at what is known, and measured something itself.
                    while choices.find(&Key([3, 3])).is_none() {
                        std::thread::yield_now();
                    }
                    Ok(Way::Permuted)
                })
            });
            heard.recv().unwrap();
            assert_eq!((choices.find(&first), choices.find(&second)), (Some(Way::Library), None));
            assert_eq!(choices.get(first, || unreachable!("it is known")), Ok(Way::Library));
            assert_eq!(choices.get(Key([3, 3]), || Ok(Way::Kernels)), Ok(Way::Kernels));
            // Whoever asks for what is measured waits, and measures nothing.
            assert_eq!(choices.get(second, || unreachable!("another thread measures it")), Ok(Way::Permuted));
            assert_eq!(measured.join().unwrap(), Ok(Way::Permuted));
        });
    }
}
