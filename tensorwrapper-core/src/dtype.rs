//! The element types as run-time values, and the one place where such a value chooses generic code.
//!
//! Knows nothing of what can be done with elements.

use std::fmt::{self, Display};

pub use num_complex::Complex;

/// The element type of a tensor, as a run-time value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Dtype {
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `Complex<f32>`: two 32-bit floats
    C32,
    /// `Complex<f64>`: two 64-bit floats
    C64,
}

impl Dtype {
    /// Size of one element in bytes.
    pub fn size(self) -> usize {
        crate::dispatch!(self, T => size_of::<T>())
    }

    /// The same element type, as an enum that can be matched exhaustively.
    #[doc(hidden)]
    #[inline(always)]
    pub const fn every(self) -> EveryDtype {
        match self {
            Dtype::F32 => EveryDtype::F32,
            Dtype::F64 => EveryDtype::F64,
            Dtype::C32 => EveryDtype::C32,
            Dtype::C64 => EveryDtype::C64,
        }
    }

    /// Whether elements have an imaginary part.
    pub const fn is_complex(self) -> bool {
        matches!(self, Dtype::C32 | Dtype::C64)
    }

    /// The type of an element's absolute value.
    pub fn real(self) -> Dtype {
        match self {
            Dtype::F32 | Dtype::C32 => Dtype::F32,
            Dtype::F64 | Dtype::C64 => Dtype::F64,
        }
    }

    /// The complex type of an element's precision.
    pub fn complex(self) -> Dtype {
        match self {
            Dtype::F32 | Dtype::C32 => Dtype::C32,
            Dtype::F64 | Dtype::C64 => Dtype::C64,
        }
    }
}

impl Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Dtype::F32 => "f32",
            Dtype::F64 => "f64",
            Dtype::C32 => "Complex<f32>",
            Dtype::C64 => "Complex<f64>",
        })
    }
}

/// The element types again, for exhaustive matches outside of this crate: [`Dtype`] may grow.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum EveryDtype {
    F32,
    F64,
    C32,
    C64,
}

/// Runs one generic body for the element type that a [`Dtype`] names; used only where erased meets generic.
#[doc(hidden)]
#[macro_export]
macro_rules! dispatch {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.every() {
            $crate::dtype::EveryDtype::F32 => {
                type $T = f32;
                $body
            }
            $crate::dtype::EveryDtype::F64 => {
                type $T = f64;
                $body
            }
            $crate::dtype::EveryDtype::C32 => {
                type $T = $crate::dtype::Complex<f32>;
                $body
            }
            $crate::dtype::EveryDtype::C64 => {
                type $T = $crate::dtype::Complex<f64>;
                $body
            }
        }
    };
}
pub use crate::dispatch;
