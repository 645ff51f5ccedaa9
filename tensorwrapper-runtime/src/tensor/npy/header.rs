//! The header of an `.npy` file: the type and number of the elements, and a check that the file holds exactly as many.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::fault::in_file;
use super::head::{ElementKind, Head};
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;
use tensorwrapper_notation::sentence::counted;

/// No array of numbers needs a longer description.
const LONGEST: usize = 1 << 16;

/// A file opened and checked: as many bytes follow as its elements need.
pub(in crate::tensor) struct Header<R> {
    pub(super) kind: ElementKind,
    /// How the elements lie in the file.
    pub(super) layout: Strided,
    pub(super) is_big_endian: bool,
    /// Stands at the first element.
    pub(super) reader: R,
}

impl Header<BufReader<File>> {
    /// Opens a file and reads everything before its elements.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let io = |error: io::Error| in_file(path, error);
        // Before it is opened: nobody may ever write into a pipe, and opening one waits for that.
        let found = fs::metadata(path).map_err(io)?;
        if found.is_dir() {
            return Err(in_file(path, "this is a directory, not an .npy file"));
        }
        if !found.is_file() {
            return Err(in_file(path, "this is not a regular file, so that its length says nothing about what it holds"));
        }
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        Header::read(path, BufReader::with_capacity(1 << 16, file), metadata.len())
    }
}

impl<R: Read> Header<R> {
    /// Reads everything before the elements of a file of that many bytes.
    pub(in crate::tensor) fn read(path: &Path, mut reader: R, bytes: u64) -> Result<Self, Error> {
        let refuse = |message: String| in_file(path, message);
        let io = |error: io::Error| in_file(path, error);
        let (head, length) = read_head(&mut reader).map_err(io)?.map_err(refuse)?;
        let Head { kind, is_big_endian, is_fortran, extents } = Head::parse(&head).map_err(refuse)?;
        let sizes: Result<Vec<usize>, _> = extents.iter().map(|&extent| usize::try_from(extent)).collect();
        let extents = sizes.map_err(|_| refuse(format!("extents {extents:?} are too large for this machine")))?;
        let layout = stored_layout(&extents, is_fortran).map_err(|error| in_file(path, error))?;

        let name = kind.name;
        let promised = layout.len() as u128 * kind.size as u128;
        let held = u128::from(bytes).saturating_sub(length as u128);
        if held < promised {
            return Err(refuse(format!(
                "the file is cut short: extents {extents:?} of {name} need {}, but it holds {held}",
                counted(promised, "byte")
            )));
        }
        if held > promised {
            let excess = held - promised;
            return Err(refuse(format!(
                "the file is too long: extents {extents:?} of {name} need {}, but {excess} more {}",
                counted(promised, "byte"),
                if excess == 1 { "follows" } else { "follow" }
            )));
        }
        Ok(Header { kind, layout, is_big_endian, reader })
    }
}

/// The text before the elements, and the bytes of all that stands before them. The inner error says what is wrong.
fn read_head(reader: &mut impl Read) -> io::Result<Result<(Vec<u8>, usize), String>> {
    let mut head = Vec::new();
    reader.by_ref().take(8).read_to_end(&mut head)?;
    if !head.starts_with(b"\x93NUMPY") || head.len() < 8 {
        return Ok(Err("this is not an .npy file: it does not begin like one".into()));
    }
    let width = match (head[6], head[7]) {
        (1, 0) => 2,
        (2 | 3, 0) => 4,
        (major, minor) => return Ok(Err(format!("version {major}.{minor} of the .npy format is not known"))),
    };
    let cut_short = || Ok(Err("the file is cut short: it ends within its header".into()));
    reader.by_ref().take(width).read_to_end(&mut head)?;
    if head.len() < 8 + width as usize {
        return cut_short();
    }
    let length = head[8..].iter().rev().fold(0, |length, &byte| length << 8 | usize::from(byte));
    if length > LONGEST {
        return Ok(Err(format!("the header is broken: it claims to be {length} bytes long")));
    }
    let start = head.len();
    reader.by_ref().take(length as u64).read_to_end(&mut head)?;
    if head.len() < start + length {
        return cut_short();
    }
    let whole = head.len();
    Ok(Ok((head.split_off(start), whole)))
}

/// The layout of elements that a file holds in this order.
fn stored_layout(extents: &[usize], is_fortran: bool) -> Result<Strided, Error> {
    if !is_fortran {
        return Strided::row_major(extents);
    }
    let backwards: Vec<usize> = (0..extents.len()).rev().collect();
    let reversed: Vec<usize> = extents.iter().rev().copied().collect();
    Ok(Strided::row_major(&reversed)?.permute(&backwards))
}
