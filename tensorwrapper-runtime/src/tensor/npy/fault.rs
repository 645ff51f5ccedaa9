//! Errors about a file that cannot be read or written.

use std::path::Path;

use tensorwrapper_core::error::{Error, ErrorKind};

/// An error about a file, with any message.
pub(super) fn in_file(path: &Path, message: impl ToString) -> Error {
    Error::new(ErrorKind::Io { path: path.to_path_buf(), message: message.to_string() })
}
