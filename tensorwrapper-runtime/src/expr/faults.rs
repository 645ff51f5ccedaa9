//! Converts faults of the language to the run time's error, with help in the notation in which the equation was written.

use tensorwrapper_notation::{Diagnostic, Fault};

use tensorwrapper_core::error::{Error, ErrorKind};

/// How an equation was written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Notation {
    /// In the notation of `tensor!`.
    Text,
    /// With `at` and operators.
    Operators,
    /// As subscripts, or with integer labels.
    Subscripts,
}

/// The faults of one equation.
pub(crate) fn faults_to_error(faults: Vec<Diagnostic>, written: Notation) -> Error {
    let error = |fault: Diagnostic| {
        let help = match written {
            Notation::Text => fault.help,
            Notation::Operators => fault.operators.or(fault.help),
            // Subscripts have labels and nothing else: what the language offers beside them would mislead.
            Notation::Subscripts if fault.fault == Fault::Label => None,
            Notation::Subscripts => fault.help,
        };
        let kind = match fault.fault {
            Fault::Syntax => ErrorKind::Syntax { message: fault.message, position: fault.span.start },
            Fault::Label => ErrorKind::Label(fault.message),
            Fault::Unbuilt => ErrorKind::Unsupported(fault.message),
        };
        match help {
            Some(help) => Error::new(kind).with_help(help),
            None => Error::new(kind),
        }
    };
    Error::all(faults.into_iter().map(error).collect())
}
