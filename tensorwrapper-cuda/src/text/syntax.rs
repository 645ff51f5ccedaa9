//! Small parts of a kernel's text: names of types, constants, and the widths of integers.

use num_complex::Complex;
use tensorwrapper_core::element::{Dtype, EveryDtype};

/// How many blocks a GPU runs at once, about: fewer leave it idle. The largest there are today have 132 to 148 multiprocessors.
pub(super) const MANY_BLOCKS: usize = 264;

/// The text of an element type.
pub(super) fn type_name(dtype: Dtype) -> &'static str {
    match dtype.every() {
        EveryDtype::F32 => "float",
        EveryDtype::F64 => "double",
        EveryDtype::C32 => "tw::complex<float>",
        EveryDtype::C64 => "tw::complex<double>",
    }
}

/// A constant, exactly.
pub(super) fn number(value: Complex<f64>) -> String {
    let bits = |x: f64| format!("0x{:016x}ll", x.to_bits());
    format!("tw::number_of<T>::from({}, {})", bits(value.re), bits(value.im))
}

/// The types of indices and of positions, as narrow as these numbers of points and positions allow.
pub(super) fn integers(points: usize, reach: usize) -> String {
    // Loops go past the end by one round of all threads.
    const FAR: usize = 1 << 30;
    let index = if points <= FAR { "unsigned" } else { "unsigned long long" };
    let position = if reach <= FAR { "int" } else { "long long" };
    format!("  using I = {index};\n  using P = {position};\n")
}

/// Into how many parts of one length so many terms are cut, where `wanted` are: none is empty.
pub(super) fn cut(terms: usize, wanted: usize) -> usize {
    terms.div_ceil(terms.div_ceil(wanted))
}
