//! Converts elements to and from the bytes of a file. It must not know of headers.

use std::io::{self, Write};

use num_complex::Complex;

/// A number that files hold as so many bytes, in either order.
pub(super) trait Bytes: Copy {
    /// The number in bytes of this order, as many as it has.
    fn read(bytes: &[u8], is_big_endian: bool) -> Self;
    /// Writes the number's bytes in this machine's order.
    fn write(self, file: &mut impl Write) -> io::Result<()>;
}

macro_rules! reals {
    ($($T:ident)*) => { $(
        impl Bytes for $T {
            #[inline]
            fn read(bytes: &[u8], is_big_endian: bool) -> $T {
                let bytes = bytes.try_into().expect("a number has its size");
                if is_big_endian { $T::from_be_bytes(bytes) } else { $T::from_le_bytes(bytes) }
            }
            #[inline]
            fn write(self, file: &mut impl Write) -> io::Result<()> {
                file.write_all(&self.to_ne_bytes())
            }
        }
    )* };
}
reals! { f32 f64 }

impl<R: Bytes> Bytes for Complex<R> {
    #[inline]
    fn read(bytes: &[u8], is_big_endian: bool) -> Complex<R> {
        let (re, im) = bytes.split_at(bytes.len() / 2);
        Complex::new(R::read(re, is_big_endian), R::read(im, is_big_endian))
    }
    #[inline]
    fn write(self, file: &mut impl Write) -> io::Result<()> {
        self.re.write(file)?;
        self.im.write(file)
    }
}
