//! Cache lines in registers, one type for each set of instructions: what kernels that copy and transpose are written in.
//!
//! A line is 64 bytes, of elements of 4, 8 or 16. Every operation is inlined into a kernel that was compiled for the
//! instructions; knows nothing of axes.

mod line;
#[cfg(target_arch = "x86_64")]
pub(crate) mod x86;

pub(crate) use self::line::{LINE, Line, WORDS, Words};

/// What a macro makes of the line for these instructions: it is given the type, what else there is, and the instructions' names, where
/// the compilation's target need not have them.
macro_rules! by_line {
    ($simd:expr, $compiled:ident $(, $more:literal)?) => {
        match $simd {
            #[cfg(target_arch = "x86_64")]
            Simd::Avx512 => $compiled!($crate::lines::x86::Whole $(, $more)?, "avx512f,avx2"),
            #[cfg(target_arch = "x86_64")]
            Simd::Avx2 => $compiled!($crate::lines::x86::Halves $(, $more)?, "avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Simd::Avx512 | Simd::Avx2 => unreachable!("{:?} is not available here", $simd),
            Simd::Neon | Simd::Portable => $compiled!($crate::lines::Words $(, $more)?),
        }
    };
}
/// The same for elements of so many bytes: the macro is given how many a line has.
macro_rules! by_line_and_size {
    ($simd:expr, $size:expr, $compiled:ident) => {
        match $size {
            4 => $crate::lines::by_line!($simd, $compiled, 16),
            8 => $crate::lines::by_line!($simd, $compiled, 8),
            16 => $crate::lines::by_line!($simd, $compiled, 4),
            other => unreachable!("elements of {other} bytes"),
        }
    };
}
pub(super) use {by_line, by_line_and_size};
