//! Structs of tensors as folders of NumPy's files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::member::{HasElements, Visitor};
use super::name::Name;
use super::saved::{LIST, Saved, TITLE, entries, fault, file_of};
use crate::tensor::TensorRef;
use tensorwrapper_core::element::Element;
use tensorwrapper_core::error::Error;

/// Writes the files of a folder, and the lines of its list.
struct Writer<'f> {
    folder: &'f Path,
    lines: Vec<String>,
    result: Result<(), Error>,
}

impl<'t, E: Element> Visitor<'t, E> for Writer<'_> {
    fn tensor(&mut self, name: &str, tensor: TensorRef<'t, E>) {
        self.lines.push(name.to_string());
        if self.result.is_ok() {
            self.result = tensor.write_npy(self.folder.join(file_of(name)));
        }
    }
    fn list(&mut self, name: &str, len: usize) {
        self.lines.push(format!("{name}: {len}"));
    }
}

/// A folder that is removed unless it is kept.
struct Temporary {
    path: PathBuf,
    is_kept: bool,
}

impl Temporary {
    /// A new folder, in the same one as the other, so that it can take its place.
    fn beside(folder: &Path) -> io::Result<Temporary> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = folder.with_file_name(format!(".tensorwrapper-{}-{number}.folder", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Temporary { path, is_kept: false }),
                // An earlier process of this number has left it there.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_kept {
            // The first fault is the one to tell.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

pub(super) fn save(tensors: &impl HasElements, folder: &Path) -> Result<(), Error> {
    let in_folder = |error: io::Error| fault(folder, error);
    // Of a link, the folder is replaced to which it leads.
    let target = if folder.exists() { folder.canonicalize().map_err(in_folder)? } else { folder.to_path_buf() };
    if target.file_name().is_none() {
        return Err(fault(folder, "this names no folder"));
    }
    let exists = target.exists();
    if exists {
        is_replaceable(&target).map_err(|error| fault(folder, error))?;
    }
    let mut new = Temporary::beside(&target).map_err(in_folder)?;
    let mut writer = Writer { folder: &new.path, lines: vec![TITLE.to_string()], result: Ok(()) };
    tensors.each(&mut Name::default(), &mut writer);
    writer.result?;
    fs::write(new.path.join(LIST), writer.lines.join("\n") + "\n").map_err(in_folder)?;
    if !exists {
        fs::rename(&new.path, &target).map_err(in_folder)?;
    } else {
        // A folder with files in it is not replaced in one step.
        let old = Temporary::beside(&target).map_err(in_folder)?;
        fs::rename(&target, &old.path).map_err(in_folder)?;
        if let Err(error) = fs::rename(&new.path, &target) {
            fs::rename(&old.path, &target).map_err(in_folder)?;
            return Err(in_folder(error));
        }
    }
    new.is_kept = true;
    Ok(())
}

/// That a folder is empty, or holds what its list says.
fn is_replaceable(folder: &Path) -> io::Result<()> {
    let names: BTreeSet<String> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect::<io::Result<_>>()?;
    let listed = match fs::read_to_string(folder.join(LIST)) {
        Ok(text) => entries(&text).map(|(tensors, _)| tensors).unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => BTreeMap::new(),
        Err(error) => return Err(error),
    };
    let own: BTreeSet<String> = listed.keys().map(|name| file_of(name)).chain([LIST.to_string()]).collect();
    match names.difference(&own).next() {
        None => Ok(()),
        Some(other) => Err(io::Error::other(format!("the folder holds `{other}`, which is no tensor that was saved there"))),
    }
}

pub(super) fn load<X: HasElements>(folder: &Path) -> Result<X, Error> {
    let mut saved = Saved::new(folder)?;
    let loaded = X::read_from(&mut Name::default(), &mut saved)?;
    saved.end()?;
    Ok(loaded)
}
