//! The head of an `.npy` file: what the elements are, how many, and whether the file holds just as many.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::Path;

use npyz::{DType, NpyHeader, TypeChar};

use super::{in_file, stored_layout};
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::error::Error;
use tensorwrapper_core::layout::Strided;

/// No array of numbers needs a longer description.
const LONGEST: usize = 1 << 16;

/// Structured types nest deeper, and are refused by their type later; what nests deeper than they is refused unread.
const DEEPEST: usize = 4;

/// A file opened and checked: as many bytes follow as its elements need.
pub(in crate::tensor) struct Header<R> {
    pub(super) dtype: Dtype,
    /// How the elements lie in the file.
    pub(super) layout: Strided,
    pub(super) npy: NpyHeader,
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
        let head = read_head(&mut reader).map_err(io)?.map_err(refuse)?;
        let npy = NpyHeader::from_reader(&head[..]).map_err(|error| refuse(broken(&error)))?;
        let dtype = dtype(&npy.dtype()).map_err(refuse)?;
        let extents: Result<Vec<usize>, _> = npy.shape().iter().map(|&e| usize::try_from(e)).collect();
        let extents = extents.map_err(|_| refuse(format!("extents {:?} are too large for this machine", npy.shape())))?;
        let layout = stored_layout(&extents, npy.order()).map_err(|error| in_file(path, error))?;

        let promised = layout.len() as u128 * dtype.size() as u128;
        let held = u128::from(bytes).saturating_sub(head.len() as u128);
        if held < promised {
            return Err(refuse(format!(
                "the file is cut short: extents {extents:?} of {dtype} need {promised} bytes, but it holds {held}"
            )));
        }
        if held > promised {
            let excess = held - promised;
            return Err(refuse(format!(
                "the file is too long: extents {extents:?} of {dtype} need {promised} bytes, but {excess} more follow"
            )));
        }
        Ok(Header { dtype, layout, npy, reader })
    }
}

/// What the parser says of a header, without its drawing of where.
fn broken(error: &io::Error) -> String {
    let text = error.to_string();
    let fault = text.split(": syntax error").next().and_then(|fault| fault.lines().next()).unwrap_or_default();
    format!("the header is broken: {fault}")
}

/// Everything before the elements, known to be safe to parse. The inner error says what is wrong with it.
fn read_head(reader: &mut impl Read) -> io::Result<Result<Vec<u8>, String>> {
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
    let screened = screen(&head[start..]).map_err(|fault| format!("the header is broken: {fault}"));
    Ok(screened.map(|()| head))
}

/// Refuses what the parser of `npyz` may overflow, recurse or panic on: anything but flat literals whose numbers have
/// a product that fits. What passes need not be right.
fn screen(text: &[u8]) -> Result<(), String> {
    let mut depth = 0usize;
    let mut product = 1u64;
    let mut rest = text;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'\'' | b'"' => {
                let end = rest.iter().position(|&b| b == byte).ok_or("a quotation does not end")?;
                if rest[..end].iter().any(|&b| b == b'\\' || !(b == b' ' || b.is_ascii_graphic())) {
                    return Err("a quotation holds more than plain characters".into());
                }
                rest = &rest[end + 1..];
            }
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > DEEPEST {
                    return Err("its brackets nest too deeply".into());
                }
            }
            b')' | b']' | b'}' => depth = depth.checked_sub(1).ok_or("its brackets do not match")?,
            b',' | b':' | b' ' | b'\t' | b'\n' => {}
            _ if byte.is_ascii_alphanumeric() => {
                let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                let word = String::from_utf8_lossy(&text[text.len() - rest.len() - 1..][..len + 1]);
                rest = &rest[len..];
                if word.bytes().all(|b| b.is_ascii_digit()) {
                    let factor = word.parse::<u64>().ok().map(|n| n.max(1));
                    let next = factor.and_then(|n| product.checked_mul(n));
                    product = next.ok_or("its extents are larger than any file")?;
                } else if word != "True" && word != "False" {
                    return Err(format!("`{word}` does not belong there"));
                }
            }
            _ => return Err(format!("`{}` does not belong there", byte.escape_ascii())),
        }
    }
    Ok(())
}

fn dtype(found: &DType) -> Result<Dtype, String> {
    if let DType::Plain(plain) = found {
        match (plain.type_char(), plain.size_field()) {
            (TypeChar::Float, 4) => return Ok(Dtype::F32),
            (TypeChar::Float, 8) => return Ok(Dtype::F64),
            (TypeChar::Complex, 8) => return Ok(Dtype::C32),
            (TypeChar::Complex, 16) => return Ok(Dtype::C64),
            _ => {}
        }
    }
    let found = found.descr();
    Err(format!("elements are of NumPy's type {found}, but tensors hold 'f4', 'f8', 'c8' or 'c16'"))
}
