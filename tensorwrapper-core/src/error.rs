//! The one error type: a kind that programs match on, and sentences that people read.

use std::collections::HashSet;
use std::fmt;
use std::path::PathBuf;

use crate::dtype::Dtype;

/// Where an extent was seen: an operand as written, and the axis in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The operand's text, as in the equation.
    pub operand: String,
    /// Axis, counted from 0.
    pub axis: usize,
    /// The extent found there.
    pub extent: usize,
}

/// What went wrong, with everything needed to react to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The number of indices given is not the number of axes of the operand.
    Rank {
        /// The operand's text.
        operand: String,
        /// Its rank.
        rank: usize,
        /// The number of indices given.
        given: usize,
    },
    /// One label stands for two extents.
    Extent {
        /// The label.
        label: String,
        /// Where it was seen first.
        first: Place,
        /// Where it disagrees.
        second: Place,
    },
    /// An index lies outside its axis.
    Bounds {
        /// The index or slice, as text.
        index: String,
        /// The axis it should lie in.
        place: Place,
    },
    /// A shape, layout or list of extents does not fit the data it is meant for.
    Shape(String),
    /// A label is used where the language does not allow it.
    Label(String),
    /// The text is not an equation, or not a layout.
    Syntax {
        /// What is wrong.
        message: String,
        /// Byte offset in the text.
        position: usize,
    },
    /// Element types that do not fit each other.
    Element {
        /// The element type wanted.
        expected: Dtype,
        /// The element type found.
        found: Dtype,
    },
    /// Operands of one equation have elements of two types.
    Mixed {
        /// The element type of the equation.
        first: Dtype,
        /// That of another operand.
        second: Dtype,
    },
    /// Something that has no defined result, such as the maximum of nothing.
    Undefined(String),
    /// A decomposition that does not exist or did not converge.
    LinearAlgebra {
        /// What failed, in which batch item.
        message: String,
    },
    /// Part of the language that this version does not have.
    Unsupported(String),
    /// A run that was ended by a `Cancel` token, or by the function that follows its progress.
    Cancelled {
        /// The number of steps that were done.
        step: usize,
        /// The number of steps of the plan.
        steps: usize,
    },
    /// An order of products that does not fit the product.
    Order(String),
    /// More memory than the limit of the context (`Context::memory_limit`) allows.
    Limit {
        /// The program's names for the axes of the tensor that does not fit; empty if one of them has no name.
        labels: Vec<String>,
        /// Extents of the tensor that does not fit: the largest of those that are needed at once.
        extents: Vec<usize>,
        /// Whether the tensor is a result; otherwise it is an intermediate.
        is_result: bool,
        /// The bytes of the tensor.
        bytes: u128,
        /// Bytes needed at the same time, those of the tensor included.
        needed: u128,
        /// Bytes allowed.
        allowed: u128,
        /// The number of parts in which it would fit, if that is too large to be practical.
        parts: Option<f64>,
    },
    /// A library or a device that is needed but missing.
    Unavailable {
        /// What is missing.
        library: String,
        /// Names and folders that were tried; none where the program was built without it.
        tried: Vec<String>,
    },
    /// A kernel of a device that did not compile, or was refused.
    Kernel {
        /// What the compiler or the device said.
        message: String,
        /// The kernel's source.
        source: String,
    },
    /// A pass of the program that failed, or that changed what a graph computes.
    Pass {
        /// The pass.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// Operands in the memories of two devices, and no choice of where to compute.
    Placement(String),
    /// What a device reported while it ran.
    Device(String),
    /// Memory that the system refused.
    Memory {
        /// Bytes asked for.
        bytes: u128,
    },
    /// A file that could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// What the system or the format said.
        message: String,
    },
    /// Several faults of one equation or block.
    Several(Vec<Error>),
}

/// Why an equation or a tensor operation was refused.
///
/// [`kind`](Error::kind) is for programs; `Display` gives the sentences, the same ones the compiler
/// prints where extents are known at compile time.
#[derive(Clone, PartialEq)]
pub struct Error {
    kind: Box<ErrorKind>,
    help: Option<String>,
}

impl Place {
    /// The error for a range of the axis that ends before it begins or leaves the axis; none for one that lies in it. Without an end it
    /// runs to the end of the axis.
    ///
    /// The place is asked for where there is an error alone: it has a text of its own.
    pub fn range_error(start: usize, end: Option<usize>, extent: usize, place: impl FnOnce() -> Place) -> Option<Error> {
        let is_reversed = end.is_some_and(|end| end < start);
        if !is_reversed && end.unwrap_or(start) <= extent {
            return None;
        }
        let (place, range) = (place(), format!("{start}..{}", end.map_or(String::new(), |end| end.to_string())));
        Some(match is_reversed {
            true => Error::reversed(&range, &place.operand, place.axis),
            false => Error::new(ErrorKind::Bounds { index: range, place }),
        })
    }

    /// The error for a position that the axis does not have; the place is asked for there alone.
    pub fn position_error(position: usize, extent: usize, place: impl FnOnce() -> Place) -> Option<Error> {
        (position >= extent).then(|| Error::new(ErrorKind::Bounds { index: position.to_string(), place: place() }))
    }
}

impl Error {
    /// An error of this kind, without help.
    pub fn new(kind: ErrorKind) -> Error {
        Error { kind: Box::new(kind), help: None }
    }

    /// The same error with a sentence that says what to write instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    /// The same error, if the limit can be met only in this number of parts.
    pub fn in_parts(mut self, number: f64) -> Error {
        if let ErrorKind::Limit { parts, .. } = &mut *self.kind {
            *parts = Some(number);
        }
        self
    }

    /// One error for a non-empty list. A single error is returned as it is, several as [`ErrorKind::Several`], each sentence once: parts of
    /// an equation may share a fault.
    pub fn all(mut errors: Vec<Error>) -> Error {
        let mut said = HashSet::new();
        errors.retain(|error| said.insert(error.to_string()));
        if errors.len() == 1 { errors.remove(0) } else { Error::new(ErrorKind::Several(errors)) }
    }

    /// Two errors as one flat list: nested lists would become as deep as a chain is long.
    pub fn join(self, other: Error) -> Error {
        let list = |error: Error| match *error.kind {
            ErrorKind::Several(errors) => errors,
            kind => vec![Error { kind: Box::new(kind), help: error.help }],
        };
        let mut all = list(self);
        all.extend(list(other));
        Error::new(ErrorKind::Several(all))
    }

    /// The error for `max` and `min` of complex numbers.
    pub fn without_order(dtype: Dtype) -> Error {
        let message = format!("`max` and `min` need an order, which `{dtype}` has not");
        Error::new(ErrorKind::Undefined(message)).with_help("take `abs` in an equation over real elements")
    }

    /// The error for `<` and its like between complex numbers.
    pub fn orders_complex(dtype: Dtype) -> Error {
        let message = format!("`<` and its like need an order, which `{dtype}` has not");
        Error::new(ErrorKind::Undefined(message)).with_help("compare `re(X)`, `im(X)` or `abs(X)`, or real tensors")
    }

    /// The error for a range of an axis whose end is smaller than its beginning.
    pub fn reversed(range: &str, operand: &str, axis: usize) -> Error {
        Error::new(ErrorKind::Shape(tensorwrapper_notation::sentence::reversed(range, operand, axis)))
    }

    /// The error for `max` and `min` over no elements, along this label if it is known.
    pub fn over_nothing(label: Option<&str>) -> Error {
        let cause = label.map_or(String::new(), |label| format!("index `{label}` has extent 0, and "));
        Error::new(ErrorKind::Undefined(format!("{cause}`max` or `min` over nothing has no value")))
    }

    /// What went wrong, as data.
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// What the user may write instead, if that is known.
    pub fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use tensorwrapper_notation::sentence::{self, counted};
        match self {
            ErrorKind::Rank { operand, rank, given } => f.write_str(&sentence::rank(operand, rank, *given)),
            ErrorKind::Extent { label, first, second } => f.write_str(&sentence::extent(
                label,
                (&first.operand, first.axis, &first.extent),
                (&second.operand, second.axis, &second.extent),
            )),
            ErrorKind::Bounds { index, place } => f.write_str(&sentence::bounds(index, &place.operand, place.axis, place.extent)),
            ErrorKind::Element { expected, found } => write!(f, "elements are `{found}` where `{expected}` is needed"),
            ErrorKind::Mixed { first, second } => f.write_str(&sentence::elements(first, second)),
            ErrorKind::Shape(message)
            | ErrorKind::Label(message)
            | ErrorKind::Undefined(message)
            | ErrorKind::Unsupported(message)
            | ErrorKind::Order(message)
            | ErrorKind::Placement(message)
            | ErrorKind::Device(message)
            | ErrorKind::LinearAlgebra { message } => f.write_str(message),
            ErrorKind::Pass { name, message } => write!(f, "the pass `{name}`: {message}"),
            ErrorKind::Unavailable { library, tried } if tried.is_empty() => write!(f, "{library} is not there"),
            ErrorKind::Unavailable { library, tried } => write!(f, "{library} is not there; tried: {}", tried.join(", ")),
            ErrorKind::Kernel { message, source } => write!(f, "a kernel was refused: {message}\nits source:\n{source}"),
            ErrorKind::Syntax { message, position } => write!(f, "{message} (at byte {position})"),
            ErrorKind::Cancelled { step, steps } => {
                write!(f, "the run was cancelled after {step} of {}", counted(*steps, "step"))
            }
            ErrorKind::Limit { labels, extents, is_result, bytes, needed, allowed, parts } => {
                f.write_str(if *is_result { "a result" } else { "an intermediate" })?;
                if !labels.is_empty() {
                    write!(f, " `[{}]`", labels.join(", "))?;
                }
                write!(f, " of extents {extents:?} needs {}, ", counted(*bytes, "byte"))?;
                if needed != bytes {
                    write!(f, "{needed} with what is needed at the same time, ")?;
                }
                write!(f, "but the context allows {allowed}")?;
                match *parts {
                    // Beyond the whole numbers that an `f64` holds, digits would be made up.
                    Some(parts) if parts >= 1e15 => write!(f, ", in which it would be made in {parts:.1e} parts"),
                    Some(parts) => write!(f, ", in which it would be made in {parts} parts"),
                    None => Ok(()),
                }
            }
            ErrorKind::Memory { bytes } => write!(f, "the system has no {} of memory to give", counted(*bytes, "byte")),
            ErrorKind::Io { path, message } => write!(f, "{}: {message}", path.display()),
            ErrorKind::Several(errors) => {
                for (n, error) in errors.iter().enumerate() {
                    if n > 0 {
                        f.write_str("\n")?;
                    }
                    write!(f, "{error}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}

/// As `Display`: `unwrap` and a `main` that returns an error print sentences, not structures.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_parts_have_no_digits_that_are_made_up() {
        let said = |parts| {
            let kind = ErrorKind::Limit {
                labels: Vec::new(),
                extents: vec![2],
                is_result: false,
                bytes: 16,
                needed: 16,
                allowed: 8,
                parts: None,
            };
            Error::new(kind).in_parts(parts).to_string()
        };
        assert!(said(3_000_000.0).ends_with("made in 3000000 parts"), "{}", said(3_000_000.0));
        assert!(said(1.5e40).ends_with("made in 1.5e40 parts"), "{}", said(1.5e40));
    }
}
