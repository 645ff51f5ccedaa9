//! Reads values from text, symbol by symbol: what the texts of shapes, layouts and structures have in common.
//!
//! Knows nothing of what is read. Spaces and comments, which XLA writes into long tuples, may stand between any two symbols.

use crate::error::{Error, ErrorKind};

/// A text, and how far it has been read.
pub(crate) struct Reader<'t> {
    text: &'t str,
    /// The byte that is next.
    pub(crate) at: usize,
}

pub(crate) fn fault<T>(position: usize, message: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Syntax { message: message.into(), position }))
}

/// What is wrong with a part of the text, at its place.
pub(crate) fn placed<T>(position: usize, result: Result<T, Error>) -> Result<T, Error> {
    result.or_else(|error| fault(position, error.kind().to_string()))
}

/// The whole text as one thing.
pub(crate) fn whole<'t, T>(text: &'t str, read: impl FnOnce(&mut Reader<'t>) -> Result<T, Error>) -> Result<T, Error> {
    let mut reader = Reader { text, at: 0 };
    let result = read(&mut reader)?;
    reader.space();
    if reader.rest().is_empty() { Ok(result) } else { reader.expected("the end of the text") }
}

/// `FromStr` of types whose texts are read so.
macro_rules! from_str {
    ($($T:ty: $read:expr;)*) => { $(
        impl std::str::FromStr for $T {
            type Err = $crate::error::Error;

            /// # Errors
            /// [`ErrorKind::Syntax`](crate::error::ErrorKind::Syntax) with the place of what is wrong.
            fn from_str(text: &str) -> Result<$T, $crate::error::Error> {
                $crate::reader::whole(text, $read)
            }
        }
    )* };
}
pub(crate) use from_str;

impl<'t> Reader<'t> {
    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips spaces and comments.
    pub(crate) fn space(&mut self) {
        loop {
            self.at = self.text.len() - self.rest().trim_ascii_start().len();
            match self.rest().strip_prefix("/*").and_then(|comment| comment.find("*/")) {
                Some(end) => self.at += end + 4,
                None => return,
            }
        }
    }

    /// Where the next symbol begins.
    pub(crate) fn place(&mut self) -> usize {
        self.space();
        self.at
    }

    /// Whether a symbol is next.
    pub(crate) fn ahead(&mut self, symbol: &str) -> bool {
        self.space();
        self.rest().starts_with(symbol)
    }

    /// Whether a symbol is next, which is read.
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        let found = self.ahead(symbol);
        self.at += if found { symbol.len() } else { 0 };
        found
    }

    /// Whether these words are next, which are read.
    pub(crate) fn take_words(&mut self, words: &str) -> bool {
        let start = self.at;
        let found = words.split(' ').all(|word| self.take(word));
        if !found {
            self.at = start;
        }
        found
    }

    /// Reads a symbol, which has to be next.
    pub(crate) fn need(&mut self, symbol: &str) -> Result<(), Error> {
        if self.take(symbol) { Ok(()) } else { self.expected(&format!("`{symbol}`")) }
    }

    /// Something else is needed here.
    pub(crate) fn expected<T>(&mut self, what: &str) -> Result<T, Error> {
        self.space();
        let found = match self.rest().chars().next() {
            None => "the end of the text".to_string(),
            Some('`') => "a backtick".to_string(),
            Some(_) if !self.word().is_empty() => format!("`{}`", self.word()),
            Some(other) => format!("`{}`", other.escape_debug()),
        };
        fault(self.at, format!("expected {what}, found {found}"))
    }

    /// The letters and digits that are next, as many as anybody wants to see.
    pub(crate) fn word(&self) -> &'t str {
        let rest = self.rest();
        let end = rest.bytes().take(24).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        &rest[..end]
    }

    /// Reads the number of something that lies in memory.
    pub(crate) fn number(&mut self, what: &str) -> Result<usize, Error> {
        let start = self.place();
        match self.digits(what)?.parse() {
            Ok(number) if number <= isize::MAX as usize => Ok(number),
            _ => fault(start, "this number is larger than memory can address"),
        }
    }

    /// Reads any number from 0 on.
    pub(crate) fn index(&mut self, what: &str) -> Result<usize, Error> {
        let start = self.place();
        self.digits(what)?.parse().or_else(|_| fault(start, format!("this number is larger than {}", usize::MAX)))
    }

    /// Reads an integer, which may be negative.
    pub(crate) fn integer(&mut self, what: &str) -> Result<i64, Error> {
        let start = self.place();
        let sign = if self.take("-") { "-" } else { "" };
        let digits = self.digits(what)?;
        format!("{sign}{digits}").parse().or_else(|_| fault(start, "this integer has more than 64 bits"))
    }

    fn digits(&mut self, what: &str) -> Result<&'t str, Error> {
        self.space();
        let count = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if count == 0 {
            return self.expected(what);
        }
        let digits = &self.rest()[..count];
        self.at += count;
        Ok(digits)
    }

    /// Reads items with commas between them up to a symbol, none or more.
    pub(crate) fn list<T>(&mut self, end: &str, mut item: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.take(end) {
                return Ok(items);
            }
            if !self.take(",") {
                return self.expected(&format!("`,` or `{end}`"));
            }
        }
    }

    /// Reads numbers from 0 on, in brackets.
    pub(crate) fn indices(&mut self, what: &str) -> Result<Vec<usize>, Error> {
        self.need("[")?;
        self.list("]", |reader| reader.index(what))
    }

    /// Reads integers, in brackets.
    pub(crate) fn integers(&mut self, what: &str) -> Result<Vec<i64>, Error> {
        self.need("[")?;
        self.list("]", |reader| reader.integer(what))
    }
}
