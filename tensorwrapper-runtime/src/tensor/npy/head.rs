//! The text in an `.npy` file's head, read and written: a Python dictionary with three keys.
//!
//! NumPy's "NPY format" enhancement proposal (NEP 1) describes it. Nothing here recurses, and every number is checked before it
//! is used. This file must not know of files on disk.

use num_complex::Complex;
use tensorwrapper_core::element::Dtype;
use tensorwrapper_core::stored::Stored;

/// The deepest nesting of record types that is read; deeper nesting is refused.
const DEEPEST: usize = 4;

/// A type of elements as files know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementKind {
    /// NumPy's name, without the order of bytes.
    pub(super) numpy: &'static str,
    /// The name in Rust.
    pub(super) name: &'static str,
    /// Bytes of an element.
    pub(super) size: usize,
    /// The type, if equations compute with it.
    pub(super) dtype: Option<Dtype>,
}

impl ElementKind {
    fn of<T: Stored>() -> ElementKind {
        let dtype = T::numbers(&[]).map(|none| none.dtype());
        ElementKind { numpy: T::NUMPY, name: T::NAME, size: size_of::<T>(), dtype }
    }

    /// The type with this name in NumPy, if tensors hold it.
    fn named(numpy: &str) -> Option<ElementKind> {
        let all = [
            ElementKind::of::<f32>(),
            ElementKind::of::<f64>(),
            ElementKind::of::<Complex<f32>>(),
            ElementKind::of::<Complex<f64>>(),
            ElementKind::of::<i32>(),
            ElementKind::of::<i64>(),
            ElementKind::of::<u8>(),
            ElementKind::of::<bool>(),
        ];
        all.into_iter().find(|kind| kind.numpy == numpy)
    }
}

/// What the text says of the elements.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) kind: ElementKind,
    /// Whether the most significant byte of a number comes first.
    pub(super) is_big_endian: bool,
    pub(super) is_fortran: bool,
    pub(super) extents: Vec<u64>,
}

/// The text for elements in C order and in this machine's byte order, without the spaces that end it.
pub(super) fn text<T: Stored>(extents: &[usize]) -> String {
    let order = match size_of::<T>() {
        1 => '|',
        _ if cfg!(target_endian = "big") => '>',
        _ => '<',
    };
    let extents: String = match extents {
        [extent] => format!("{extent},"),
        _ => extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    format!("{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({extents}), }}", T::NUMPY)
}

impl Head {
    /// Reads the text.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(super) fn parse(text: &[u8]) -> Result<Head, String> {
        parse(text).map_err(|fault| format!("the header is broken: {fault}")).and_then(|(descr, is_fortran, extents)| {
            let (kind, is_big_endian) = element_type(&descr)?;
            Ok(Head { kind, is_big_endian, is_fortran, extents })
        })
    }
}

/// The values of the three keys: the type as its text, the order, the extents.
fn parse(text: &[u8]) -> Result<(String, bool, Vec<u64>), String> {
    let mut cursor = Cursor { text, at: 0 };
    let (mut descr, mut is_fortran, mut extents) = (None, None, None);
    cursor.expect(b'{')?;
    while !cursor.takes(b'}') {
        let key = cursor.quoted()?;
        cursor.expect(b':')?;
        match key.as_str() {
            "'descr'" => descr = Some(cursor.literal()?),
            "'fortran_order'" => is_fortran = Some(cursor.truth()?),
            "'shape'" => extents = Some(cursor.extents()?),
            other => return Err(format!("the key {other} does not belong there")),
        }
        if !cursor.takes(b',') {
            cursor.expect(b'}')?;
            break;
        }
    }
    if let Some(&byte) = cursor.rest().first() {
        return Err(format!("`{}` follows its end", byte.escape_ascii()));
    }
    let missing = |key: &str| format!("missing key '{key}'");
    Ok((
        descr.ok_or_else(|| missing("descr"))?,
        is_fortran.ok_or_else(|| missing("fortran_order"))?,
        extents.ok_or_else(|| missing("shape"))?,
    ))
}

/// A place in the text.
struct Cursor<'t> {
    text: &'t [u8],
    at: usize,
}

impl Cursor<'_> {
    /// What follows behind spaces.
    fn rest(&mut self) -> &[u8] {
        let rest = &self.text[self.at..];
        self.at += rest.iter().take_while(|byte| b" \t\n".contains(byte)).count();
        &self.text[self.at..]
    }

    /// Goes behind a byte, if it is next.
    fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.rest().first() == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.takes(byte) {
            return Ok(());
        }
        let found = self.rest().first().map_or("its end".to_string(), |found| format!("`{}`", found.escape_ascii()));
        Err(format!("{found} stands where `{}` is needed", byte.escape_ascii()))
    }

    /// A quotation, whose marks become `'`.
    fn quoted(&mut self) -> Result<String, String> {
        let rest = self.rest();
        let mark = rest.first().copied().filter(|mark| b"'\"".contains(mark)).ok_or("a key is not in quotes")?;
        let end = rest[1..].iter().position(|&byte| byte == mark).ok_or("a quotation does not end")?;
        let inside = &rest[1..=end];
        if inside.iter().any(|&byte| b"\\'\"".contains(&byte) || !(byte == b' ' || byte.is_ascii_graphic())) {
            return Err("a quotation holds more than plain characters".into());
        }
        let quoted = format!("'{}'", String::from_utf8_lossy(inside));
        self.at += end + 2;
        Ok(quoted)
    }

    /// The text of a quotation or of nested lists of some: types of records are told by such lists.
    fn literal(&mut self) -> Result<String, String> {
        let (mut found, mut open) = (String::new(), Vec::new());
        loop {
            match self.rest().first().copied() {
                Some(b'\'' | b'"') => found.push_str(&self.quoted()?),
                Some(bracket @ (b'[' | b'(')) => {
                    open.push(if bracket == b'[' { b']' } else { b')' });
                    if open.len() > DEEPEST {
                        return Err("its brackets nest too deeply".into());
                    }
                    found.push(char::from(bracket));
                    self.at += 1;
                }
                Some(bracket @ (b']' | b')')) => {
                    if open.pop() != Some(bracket) {
                        return Err("its brackets do not match".into());
                    }
                    found.push(char::from(bracket));
                    self.at += 1;
                }
                Some(b',') if !open.is_empty() => {
                    found.push_str(", ");
                    self.at += 1;
                }
                Some(digit) if digit.is_ascii_digit() && !open.is_empty() => {
                    found.push(char::from(digit));
                    self.at += 1;
                }
                Some(byte) => return Err(format!("`{}` does not belong there", byte.escape_ascii())),
                None => return Err("its brackets do not match".into()),
            }
            if open.is_empty() {
                return Ok(found);
            }
        }
    }

    fn truth(&mut self) -> Result<bool, String> {
        let rest = self.rest();
        let (value, length) = match rest {
            _ if rest.starts_with(b"True") => (true, 4),
            _ if rest.starts_with(b"False") => (false, 5),
            _ => return Err("the order is neither True nor False".into()),
        };
        self.at += length;
        Ok(value)
    }

    /// Numbers in parentheses, whose product fits where no factor is 0.
    fn extents(&mut self) -> Result<Vec<u64>, String> {
        if self.rest().starts_with(b"((") {
            return Err("its brackets nest too deeply".into());
        }
        self.expect(b'(')?;
        let (mut extents, mut product) = (Vec::new(), 1u64);
        while !self.takes(b')') {
            let rest = self.rest();
            let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            if length == 0 {
                let found = rest.first().map_or("its end".to_string(), |found| format!("`{}`", found.escape_ascii()));
                return Err(format!("{found} stands where an extent is needed"));
            }
            let extent = String::from_utf8_lossy(&rest[..length]).parse::<u64>().ok();
            let next = extent.and_then(|extent| product.checked_mul(extent.max(1)));
            product = next.ok_or("its extents are larger than any file")?;
            extents.extend(extent);
            self.at += length;
            if !self.takes(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(extents)
    }
}

/// The element type of a description, and whether its numbers are big-endian.
fn element_type(descr: &str) -> Result<(ElementKind, bool), String> {
    let plain = descr.trim_matches('\'');
    let is_big_endian = match plain.chars().next() {
        Some('>') => true,
        Some('<') => false,
        _ => cfg!(target_endian = "big"),
    };
    match ElementKind::named(plain.trim_start_matches(['<', '>', '=', '|'])) {
        Some(kind) => Ok((kind, is_big_endian)),
        None if is_known(plain) || !descr.starts_with('\'') => Err(format!(
            "elements are of NumPy's type {descr}, but tensors hold 'f4', 'f8', 'c8', 'c16', 'i4', 'i8', 'u1' or 'b1'"
        )),
        None => Err(format!("the header is broken: {descr} is no type of NumPy's")),
    }
}

/// Whether a description has the form of NumPy's other types: a byte order, a letter, a size, perhaps a unit.
fn is_known(plain: &str) -> bool {
    let Some(rest) = plain.strip_prefix(['<', '>', '=', '|']) else { return false };
    let (size, unit) = rest.get(1..).map_or(("", ""), |rest| rest.split_at(rest.find('[').unwrap_or(rest.len())));
    let sizes: &[&str] = match rest.chars().next() {
        Some('f') => &["2", "12", "16"],
        Some('c') => &["24", "32"],
        Some('b') => &["1"],
        Some('i' | 'u') => &["1", "2", "4", "8"],
        Some('m' | 'M') => return size == "8" && (unit.is_empty() || unit.ends_with(']')),
        Some('O') => return unit.is_empty(),
        Some('S' | 'U' | 'V' | 'a') => return !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit()) && unit.is_empty(),
        _ => return false,
    };
    sizes.contains(&size) && unit.is_empty()
}
