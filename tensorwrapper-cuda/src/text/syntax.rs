//! Small parts of a kernel's text: names of types, constants, and the widths of integers.

use num_complex::Complex;
use tensorwrapper_core::element::{Dtype, EveryDtype};

/// About how many blocks a GPU runs at once: with fewer, parts of it are idle. The largest GPUs have 132 to 148 multiprocessors.
pub(super) const MANY_BLOCKS: usize = 264;

/// The name of an element type.
pub(super) fn type_name(dtype: Dtype) -> &'static str {
    match dtype.every() {
        EveryDtype::F32 => "float",
        EveryDtype::F64 => "double",
        EveryDtype::C32 => "tw::complex<float>",
        EveryDtype::C64 => "tw::complex<double>",
    }
}

/// A constant, with all its bits.
pub(super) fn number(value: Complex<f64>) -> String {
    let bits = |x: f64| format!("0x{:016x}ll", x.to_bits());
    format!("tw::number_of<T>::from({}, {})", bits(value.re), bits(value.im))
}

/// The types of indices and of positions, as narrow as the numbers of points and the largest position allow.
pub(super) fn integers(points: usize, reach: usize) -> String {
    // Loop variables go past the end by up to one stride of all threads.
    const FAR: usize = 1 << 30;
    let index = if points <= FAR { "unsigned" } else { "unsigned long long" };
    let position = if reach <= FAR { "int" } else { "long long" };
    format!("  using I = {index};\n  using P = {position};\n")
}

/// The number of parts of equal length into which terms are cut if `wanted` are asked for: none is empty.
pub(super) fn cut(terms: usize, wanted: usize) -> usize {
    terms.div_ceil(terms.div_ceil(wanted))
}
