//! Arrays that the compiler puts into whatever registers the target has.

use super::vector::{Vector, order_in_memory};
use tensorwrapper_core::element::Element;

/// Four numbers.
#[derive(Clone, Copy)]
pub(crate) struct Array<T>([T; 4]);

impl<T: Element<Real = T>> Array<T> {
    #[inline(always)]
    fn zip(self, other: Self, operation: impl Fn(T, T) -> T) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Array([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

impl<T: Element<Real = T>> Vector for Array<T> {
    type Real = T;
    type Half = Array<T>;
    const LANES: usize = 4;
    const ROWS: usize = 4;

    order_in_memory!();

    #[inline(always)]
    unsafe fn splat(x: T) -> Self {
        Array([x; 4])
    }
    #[inline(always)]
    unsafe fn load(from: *const T) -> Self {
        // SAFETY: the caller's promise; an array is aligned as its elements are.
        Array(unsafe { from.cast::<[T; 4]>().read() })
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut T) {
        // SAFETY: as above.
        unsafe { to.cast::<[T; 4]>().write(self.0) }
    }
    #[inline(always)]
    unsafe fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    unsafe fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    unsafe fn add_product(self, a: Self, b: Self) -> Self {
        // SAFETY: these need no instructions of their own.
        unsafe { self.add(a.mul(b)) }
    }
    #[inline(always)]
    unsafe fn add_times_i(self, other: Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Array([a - f, b + e, c - h, d + g])
    }
    #[inline(always)]
    unsafe fn real_parts(self) -> Self {
        let [a, _, c, _] = self.0;
        Array([a, a, c, c])
    }
    #[inline(always)]
    unsafe fn imaginary_parts(self) -> Self {
        let [_, b, _, d] = self.0;
        Array([b, b, d, d])
    }
    #[inline(always)]
    unsafe fn sub_product(self, a: Self, b: Self) -> Self {
        // SAFETY: as above.
        self.zip(unsafe { a.mul(b) }, |a, b| a - b)
    }
}
