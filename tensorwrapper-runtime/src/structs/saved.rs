//! What the list of a folder of tensors says, and the tensors in it.
//!
//! `tensors.txt` names every tensor, and every list with its length, one a line: `t1`, `layers: 2`, `layers.0.weight`. It says what
//! belongs to the folder, so that nothing is read in part, and nothing is replaced that was not written here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::tensor::Tensor;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::{Error, ErrorKind};
use tensorwrapper_core::shape::Extents;
use tensorwrapper_notation::sentence::counted;

pub(super) const LIST: &str = "tensors.txt";
/// The first line of the list.
pub(super) const TITLE: &str = "# The tensors of a struct, each in NAME.npy; and its lists with their lengths.";

pub(super) fn fault(path: &Path, message: impl ToString) -> Error {
    Error::new(ErrorKind::Io { path: path.to_path_buf(), message: message.to_string() })
}

pub(super) fn file_of(name: &str) -> String {
    format!("{name}.npy")
}

pub(super) type Entries = (BTreeMap<String, bool>, BTreeMap<String, usize>);

/// The tensors and the lists that a list names, or the line that is none.
pub(super) fn entries(text: &str) -> Result<Entries, String> {
    let (mut tensors, mut lists) = Entries::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.split_once(": ") {
            None => drop(tensors.insert(line.to_string(), false)),
            Some((name, len)) => {
                let len = len.parse().map_err(|_| format!("`{line}` is no line of a list of tensors"))?;
                lists.insert(name.to_string(), len);
            }
        }
    }
    Ok((tensors, lists))
}

/// A folder that is read.
#[doc(hidden)]
#[derive(Debug)]
pub struct Saved {
    folder: PathBuf,
    /// Names, and whether they were read.
    tensors: BTreeMap<String, bool>,
    lists: BTreeMap<String, usize>,
}

impl Saved {
    pub(super) fn new(folder: &Path) -> Result<Saved, Error> {
        let list = folder.join(LIST);
        let text = fs::read_to_string(&list).map_err(|error| fault(&list, error))?;
        let (tensors, lists) = entries(&text).map_err(|message| fault(&list, message))?;
        Ok(Saved { folder: folder.to_path_buf(), tensors, lists })
    }

    /// That every tensor was read.
    pub(super) fn end(self) -> Result<(), Error> {
        match self.tensors.iter().find(|(_, is_read)| !**is_read) {
            None => Ok(()),
            Some((name, _)) => {
                Err(fault(&self.folder, format!("a tensor `{name}` was saved, for which the struct has no field")))
            }
        }
    }

    pub(super) fn tensor<T: Element, S: Extents>(&mut self, name: &str) -> Result<Tensor<T, S>, Error> {
        match self.tensors.get_mut(name) {
            Some(is_read) => *is_read = true,
            None => return Err(fault(&self.folder, format!("no tensor `{name}` was saved"))),
        }
        Tensor::read_npy(self.folder.join(file_of(name)))
    }

    /// The length of a list.
    pub(super) fn len(&self, name: &str) -> Result<usize, Error> {
        self.lists.get(name).copied().ok_or_else(|| fault(&self.folder, format!("no list `{name}` was saved")))
    }

    pub(super) fn expect_len(&self, name: &str, expected: usize) -> Result<(), Error> {
        match self.len(name)? {
            found if found == expected => Ok(()),
            found => {
                let message = format!("`{name}` was saved with {}, but the struct has {expected}", counted(found, "part"));
                Err(fault(&self.folder, message))
            }
        }
    }

    /// Whether there is anything under this name.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_here = |other: &String| other.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.tensors.keys().chain(self.lists.keys()).any(is_here)
    }
}
