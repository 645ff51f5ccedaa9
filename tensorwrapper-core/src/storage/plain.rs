//! The trait of the types that memory holds: all bytes zero are a valid value.

use std::fmt::Debug;

use num_complex::Complex;

/// Elements as storage sees them: plain numbers. Storage needs nothing of them but that memory can hold them.
///
/// # Safety
/// All bytes zero are a valid value of the type, its [`Default`], and dropping a value does nothing.
pub unsafe trait Plain: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// The value that debug builds write to memory that must not be read before it is written.
    const UNWRITTEN: Self;
}

macro_rules! plain {
    ($($T:ty: $unwritten:expr;)*) => { $(
        // SAFETY: numbers whose bytes are all zero are 0, a `bool` is `false`, and none has a destructor.
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
    i32: i32::MIN;
    i64: i64::MIN;
    u8: u8::MAX;
    bool: true;
}
