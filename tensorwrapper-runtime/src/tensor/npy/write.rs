//! Writing `.npy` files: complete or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use npyz::{AutoSerialize, WriterBuilder};

use super::in_file;
use crate::element::{Element, dispatch};
use crate::error::Error;
use crate::layout::Strided;
use crate::tensor::AnyRef;

/// Writes to a file beside the one that is meant, which then takes its place.
pub(super) fn write(path: &Path, tensor: AnyRef<'_>) -> Result<(), Error> {
    let io = |error: io::Error| in_file(path, error);
    // Through a link, so that the link stays one; a file that does not exist yet is where it is said to be.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = beside(&target).map_err(io)?;
    let file = File::options().write(true).create_new(true).open(&beside).map_err(io)?;
    let written = dispatch!(tensor.dtype(), T => match T::typed(tensor.data) {
        Some(elements) => write_elements(&file, elements, &tensor.layout),
        None => Err(io::Error::other("elements are not of their type")),
    });
    let placed = written.and_then(|()| file.sync_all()).and_then(|()| fs::rename(&beside, &target));
    placed.map_err(|error| {
        // The first fault is the one to tell; a file that cannot be removed either changes nothing about it.
        let _ = fs::remove_file(&beside);
        io(error)
    })
}

fn write_elements<T: Element + AutoSerialize>(file: &File, elements: &[T], layout: &Strided) -> io::Result<()> {
    let extents: Vec<u64> = layout.extents().iter().map(|&e| e as u64).collect();
    let buffered = BufWriter::with_capacity(1 << 16, file);
    let mut writer = npyz::WriteOptions::new().default_dtype().shape(&extents).writer(buffered).begin_nd()?;
    writer.extend(layout.positions().map(|p| elements[p]))?;
    writer.finish()
}

/// A name that nobody else uses, in the same folder, so that renaming moves no bytes.
fn beside(target: &Path) -> io::Result<PathBuf> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = target.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "this names no file"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    Ok(target.with_file_name(hidden))
}
