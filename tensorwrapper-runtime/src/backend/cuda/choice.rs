//! Which of several ways computes a contraction: measured on the device where it is new, once for each structure, layout, element type
//! and device, and remembered by the process and in a file, so that it is the same from then on, for all processes where
//! the file can be written.
//!
//! Whatever goes wrong with the file costs time alone: what is not known is measured again.

use std::collections::HashMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::hash::fnv;
use super::text::Launches;
use crate::backend::Contraction;

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

/// How a contraction is computed, and why so.
#[derive(Debug)]
pub(super) struct Chosen {
    pub(super) launches: Launches,
    /// By measurement, now or before, and not by its size alone.
    pub(super) is_measured: bool,
}

/// What is measured: everything that the kernels are made of, and how the library may round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

impl Key {
    pub(super) fn new(contraction: &Contraction<'_>, tf32: bool) -> Key {
        let text = format!("{contraction:?} {tf32}");
        Key([fnv(text.bytes()), fnv(text.bytes().rev())])
    }
}

/// The ways of one kind of device.
#[derive(Debug)]
pub(super) struct Choices {
    file: Option<PathBuf>,
    /// `None` until they are asked for.
    known: Mutex<Option<HashMap<Key, Way>>>,
}

impl Choices {
    /// Those that a file has, where there is one, and those to come.
    pub(super) fn new(file: Option<PathBuf>) -> Choices {
        Choices { file, known: Mutex::new(None) }
    }

    /// Nobody else looks for a way as long as this is held: two measurements at once would disturb each other.
    pub(super) fn open(&self) -> Open<'_> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.get_or_insert_with(|| self.read());
        Open { choices: self, known }
    }

    /// Those of the file. Of two programs that measured at once, the first to write is right for all.
    fn read(&self) -> HashMap<Key, Way> {
        let bytes = self.file.as_ref().and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        let mut ways = HashMap::new();
        for (key, way) in String::from_utf8_lossy(&bytes).lines().filter_map(read) {
            ways.entry(key).or_insert(way);
        }
        ways
    }

    /// Adds a line to the file.
    fn append(&self, key: Key, way: Way) {
        let Some(file) = &self.file else { return };
        if let Some(folder) = file.parent() {
            let _ = std::fs::create_dir_all(folder);
        }
        // In one piece, behind whatever else is there by then, a line that another program could not end among it.
        if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(file) {
            let Key([first, second]) = key;
            let _ = file.write_all(format!("\n{first:016x}{second:016x} {}\n", way.name()).as_bytes());
        }
    }
}

/// The ways, to look one up and to add one.
pub(super) struct Open<'c> {
    choices: &'c Choices,
    known: MutexGuard<'c, Option<HashMap<Key, Way>>>,
}

impl Open<'_> {
    pub(super) fn find(&self, key: Key) -> Option<Way> {
        self.known.as_ref()?.get(&key).copied()
    }

    /// Remembers the way that was measured, and says which one counts: another program's, if it has measured at the same time and
    /// was the first to write.
    pub(super) fn note(&mut self, key: Key, way: Way) -> Way {
        self.choices.append(key, way);
        let written = self.choices.read();
        let known = self.known.get_or_insert_default();
        // What this program goes by already stays, whatever the file has become.
        for (key, way) in written {
            known.entry(key).or_insert(way);
        }
        *known.entry(key).or_insert(way)
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
    use super::*;

    #[test]
    fn what_was_chosen_is_read_by_the_next_program() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-choices-{}", std::process::id()));
        let file = folder.join("ways");
        let (first, second) = (Key([1, u64::MAX]), Key([0x0123, 7]));
        let choices = Choices::new(Some(file.clone()));
        assert_eq!(choices.open().find(first), None);
        assert_eq!(choices.open().note(first, Way::Permuted), Way::Permuted);
        assert_eq!(choices.open().note(second, Way::Kernels), Way::Kernels);
        assert_eq!(choices.open().find(first), Some(Way::Permuted));
        // Lines that are none, or not whole, or no text, are nothing; of two for one key the first counts.
        let whole = std::fs::read_to_string(&file).unwrap();
        let twice = whole.replace("permuted", "library");
        let lines = format!("{whole}{twice}zz library\n\n{:032x} nothing\n01 library\né{}", 5, &whole[..20]);
        std::fs::write(&file, [&b"\xff\xfe\n"[..], lines.as_bytes()].concat()).unwrap();
        let again = Choices::new(Some(file));
        assert_eq!(
            [first, second, Key([0, 5])].map(|key| again.open().find(key)),
            [Some(Way::Permuted), Some(Way::Kernels), None]
        );
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(again.open().find(second), Some(Way::Kernels));
    }

    #[test]
    fn of_two_programs_that_measure_at_once_the_first_to_write_is_right() {
        let folder = std::env::temp_dir().join(format!("tensorwrapper-choices-at-once-{}", std::process::id()));
        let [one, other] = [(); 2].map(|()| Choices::new(Some(folder.join("ways"))));
        let [first, second, third] = [1, 2, 3].map(|n| Key([n, n]));
        // Both have looked, and found nothing.
        assert_eq!([&one, &other].map(|choices| choices.open().find(first)), [None; 2]);
        assert_eq!(one.open().note(first, Way::Library), Way::Library);
        assert_eq!(one.open().note(second, Way::Kernels), Way::Kernels);
        assert_eq!(other.open().note(first, Way::Permuted), Way::Library);
        // What the one has written meanwhile is not measured by the other.
        assert_eq!(other.open().find(second), Some(Way::Kernels));
        // Without a file each goes by its own.
        std::fs::remove_dir_all(&folder).unwrap();
        let alone = Choices::new(None);
        assert_eq!(alone.open().note(third, Way::Permuted), Way::Permuted);
        assert_eq!(alone.open().find(third), Some(Way::Permuted));
    }
}
