//! How large elements are, and whether they are finite. Knows no algorithm.

use crate::element::Element;

/// A real number as an element.
pub fn real<T: Element>(x: f64) -> T {
    T::from_complex(x.into())
}

/// Whether all of some elements are finite. Written without an early exit inside of a chunk, so that it is vectorised.
pub fn are_finite<T: Element>(elements: &[T]) -> bool {
    elements.chunks(256).all(|chunk| chunk.iter().fold(true, |are, &x| are & is_finite(x)))
}

/// Whether both parts of an element are finite.
#[inline(always)]
pub fn is_finite<T: Element>(x: T) -> bool {
    let x = x.to_complex();
    x.re.is_finite() && x.im.is_finite()
}

/// Running maxima that are kept side by side.
const LANES: usize = 8;

/// The larger of two numbers, without regard to NaN: one comparison.
#[inline(always)]
fn larger(x: f64, y: f64) -> f64 {
    if y > x { y } else { x }
}

/// The larger of |real part| and |imaginary part|.
#[inline(always)]
pub fn part_size<T: Element>(x: T) -> f64 {
    let x = x.to_complex();
    larger(x.re.abs(), x.im.abs())
}

/// |x|².
#[inline(always)]
pub fn square<T: Element>(x: T) -> f64 {
    x.to_complex().norm_sqr()
}

/// The largest of some sizes; 0 of none. To be inlined where vector instructions are known.
#[inline(always)]
#[allow(clippy::needless_range_loop, reason = "iterators over arrays are compiled without a kernel's instructions")]
pub fn largest_of<T: Copy>(elements: &[T], size: impl Fn(T) -> f64) -> f64 {
    let (chunks, rest) = elements.as_chunks::<LANES>();
    let mut largest = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            largest[lane] = larger(largest[lane], size(chunk[lane]));
        }
    }
    let mut all = 0.0;
    for lane in 0..LANES {
        all = larger(all, largest[lane]);
    }
    for &x in rest {
        all = larger(all, size(x));
    }
    all
}

/// √Σ|x|², without overflow on the way.
pub fn norm<T: Element>(elements: &[T]) -> T::Real {
    let largest = largest_of(elements, part_size);
    if elements.iter().any(|x| x.to_complex().re.is_nan() || x.to_complex().im.is_nan()) {
        return real::<T::Real>(f64::NAN);
    }
    if largest == 0.0 || largest.is_infinite() {
        return real::<T::Real>(largest);
    }
    let squares = |scale: f64| elements.iter().map(|x| (x.to_complex() * scale).norm_sqr()).sum::<f64>();
    let plain = squares(1.0);
    if plain.is_finite() && plain > 1e-280 {
        return real::<T::Real>(plain.sqrt());
    }
    // One factor may lie outside of the numbers where the largest is at their lower end.
    let unit = largest.max(1e-300);
    real::<T::Real>(squares(1.0 / unit).sqrt() * unit)
}
