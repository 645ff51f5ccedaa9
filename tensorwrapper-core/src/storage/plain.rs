//! What memory holds: numbers of which all bytes zero are one.

use std::fmt::Debug;

use num_complex::Complex;

/// Elements as storage sees them: plain numbers, of which nothing is asked but that memory can hold them.
///
/// # Safety
/// All bytes zero are a valid value of the type, its [`Default`], and dropping a value does nothing.
pub unsafe trait Plain: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// What is written in debug builds where nobody may read before something is written.
    const UNWRITTEN: Self;
}

macro_rules! plain {
    ($($T:ty: $unwritten:expr;)*) => { $(
        // SAFETY: floating-point numbers whose bytes are all zero are 0, and have no destructor.
        unsafe impl Plain for $T {
            const UNWRITTEN: Self = $unwritten;
        }
    )* };
}
plain! {
    f32: f32::NAN;
    f64: f64::NAN;
    Complex<f32>: Complex::new(f32::NAN, f32::NAN);
    Complex<f64>: Complex::new(f64::NAN, f64::NAN);
}
