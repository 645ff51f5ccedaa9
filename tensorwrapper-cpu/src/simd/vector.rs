//! Vectors of real numbers, one type for each width of registers: what the kernels are written in.
//!
//! Every operation is inlined into a kernel that was compiled for the instructions; knows nothing of matrices.

use num_complex::Complex;

use tensorwrapper_core::element::Element;

/// What one instruction each does for a vector in one register, which is the only field of the type.
macro_rules! one_register {
    ($T:ty; $splat:ident $load:ident $store:ident $mul:ident $add:ident) => {
        #[inline(always)]
        unsafe fn splat(x: $T) -> Self {
            // SAFETY: see `Vector`.
            unsafe { Self($splat(x)) }
        }
        #[inline(always)]
        unsafe fn load(from: *const $T) -> Self {
            // SAFETY: see `Vector`.
            unsafe { Self($load(from)) }
        }
        #[inline(always)]
        unsafe fn store(self, to: *mut $T) {
            // SAFETY: see `Vector`.
            unsafe { $store(to, self.0) }
        }
        #[inline(always)]
        unsafe fn mul(self, other: Self) -> Self {
            // SAFETY: see `Vector`.
            unsafe { Self($mul(self.0, other.0)) }
        }
        #[inline(always)]
        unsafe fn add(self, other: Self) -> Self {
            // SAFETY: see `Vector`.
            unsafe { Self($add(self.0, other.0)) }
        }
    };
}
pub(super) use one_register;

/// A vector of real numbers in registers.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: `LANES`
/// elements, without any alignment beyond the element's.
pub(crate) trait Vector: Copy {
    /// The elements.
    type Real: Element<Real = Self::Real>;
    /// The vector of half as many elements, for rows that do not fill this one; that of the narrowest vector is itself.
    type Half: Vector<Real = Self::Real>;
    /// How many elements there are.
    const LANES: usize;
    /// Rows of sums that the registers hold beside the operands, when each row is three vectors.
    const ROWS: usize;
    /// Edge of the squares that [`transpose`](Vector::transpose) takes; divides `LANES` of vectors that it is used with.
    const SQUARE: usize = 4;

    /// Whether `prefetch` is implemented: only then are short rows of matrices times vectors read in fours.
    const PREFETCHES: bool = false;

    /// An order of lanes.
    type Order: Copy;

    unsafe fn splat(x: Self::Real) -> Self;
    unsafe fn load(from: *const Self::Real) -> Self;
    unsafe fn store(self, to: *mut Self::Real);
    /// As `store`, past the caches where the processor can: to an address that is a multiple of the vector's size.
    #[inline(always)]
    unsafe fn stream(self, to: *mut Self::Real) {
        // SAFETY: the caller's promise.
        unsafe { self.store(to) }
    }
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn add(self, other: Self) -> Self;
    /// `self + a · b`, rounded once where the processor can.
    unsafe fn add_product(self, a: Self, b: Self) -> Self;
    /// `self - a · b`, rounded once where the processor can.
    unsafe fn sub_product(self, a: Self, b: Self) -> Self;
    /// `self + i · other`, where each vector holds complex numbers: a real part, then its imaginary part.
    unsafe fn add_times_i(self, other: Self) -> Self;
    /// The real part of each complex number, in both of its places.
    unsafe fn real_parts(self) -> Self;
    /// The imaginary part of each complex number, in both of its places.
    unsafe fn imaginary_parts(self) -> Self;
    /// Reads the first `count` elements, at most as many as there are lanes (fewer, where there are two); the others are zero.
    #[inline(always)]
    unsafe fn load_some(from: *const Self::Real, count: usize) -> Self {
        let mut elements = [Self::Real::ZERO; MOST_LANES];
        // SAFETY: the caller's promise for `count` elements; the array has room for the widest vector.
        unsafe {
            std::ptr::copy_nonoverlapping(from, elements.as_mut_ptr(), count);
            Self::load(elements.as_ptr())
        }
    }
    /// Writes the first `count` elements, at most as many as there are lanes (fewer, where there are two).
    #[inline(always)]
    unsafe fn store_some(self, to: *mut Self::Real, count: usize) {
        let mut elements = [Self::Real::ZERO; MOST_LANES];
        // SAFETY: as above.
        unsafe {
            self.store(elements.as_mut_ptr());
            std::ptr::copy_nonoverlapping(elements.as_ptr(), to, count);
        }
    }
    /// Reads `count` lanes from the one of number `first` on, which lies at `from`; the others stay as they are.
    #[inline(always)]
    unsafe fn load_lanes(self, from: *const Self::Real, first: usize, count: usize) -> Self {
        let mut elements = [Self::Real::ZERO; MOST_LANES];
        // SAFETY: the caller's promise for `count` elements; the array has room for the widest vector.
        unsafe {
            self.store(elements.as_mut_ptr());
            std::ptr::copy_nonoverlapping(from, elements.as_mut_ptr().add(first), count);
            Self::load(elements.as_ptr())
        }
    }
    /// Writes `count` lanes from the one of number `first` on, which goes to `to`.
    #[inline(always)]
    unsafe fn store_lanes(self, to: *mut Self::Real, first: usize, count: usize) {
        let mut elements = [Self::Real::ZERO; MOST_LANES];
        // SAFETY: as above.
        unsafe {
            self.store(elements.as_mut_ptr());
            std::ptr::copy_nonoverlapping(elements.as_ptr().add(first), to, count);
        }
    }
    /// The order in which each lane gets the element of the lane of that number.
    unsafe fn order(lanes: &[u32; MOST_LANES]) -> Self::Order;
    /// The elements in another order.
    unsafe fn permute(self, order: Self::Order) -> Self;
    /// The sum of all elements.
    #[inline(always)]
    unsafe fn sum(self) -> Self::Real {
        let mut elements = [Self::Real::ZERO; MOST_LANES];
        // SAFETY: the array has room for the widest vector.
        unsafe { self.store(elements.as_mut_ptr()) };
        let mut width = Self::LANES / 2;
        while width > 0 {
            for n in 0..width {
                let other = elements[n + width];
                elements[n] += other;
            }
            width /= 2;
        }
        elements[0]
    }
    /// Asks for the cache line of an address, which may be any.
    unsafe fn prefetch(_address: *const Self::Real) {}
    /// The same, into the second cache.
    unsafe fn prefetch_far(_address: *const Self::Real) {}

    /// Reads as many complex numbers as there are lanes: their real parts and their imaginary ones.
    #[inline(always)]
    unsafe fn load_parts(from: *const Complex<Self::Real>) -> (Self, Self) {
        let (mut re, mut im) = ([Self::Real::ZERO; MOST_LANES], [Self::Real::ZERO; MOST_LANES]);
        for (n, (re, im)) in re.iter_mut().zip(&mut im).enumerate().take(Self::LANES) {
            // SAFETY: the caller's promise.
            Complex { re: *re, im: *im } = unsafe { from.add(n).read() };
        }
        // SAFETY: the arrays have room for the widest vector.
        unsafe { (Self::load(re.as_ptr()), Self::load(im.as_ptr())) }
    }

    /// Writes as many complex numbers as there are lanes, from their real parts and their imaginary ones.
    #[inline(always)]
    unsafe fn store_parts(re: Self, im: Self, to: *mut Complex<Self::Real>) {
        let mut parts = [[Self::Real::ZERO; MOST_LANES]; 2];
        // SAFETY: the arrays have room for the widest vector; for the rest the caller's promise.
        unsafe {
            re.store(parts[0].as_mut_ptr());
            im.store(parts[1].as_mut_ptr());
            for (n, (&re, &im)) in parts[0].iter().zip(&parts[1]).enumerate().take(Self::LANES) {
                to.add(n).write(Complex { re, im });
            }
        }
    }

    /// As [`transpose`](Vector::transpose), of [`PARTS_SQUARE`] complex numbers in a row: real parts go to `at[0]` of each
    /// column's place, imaginary ones, times `sign`, to `at[1]`.
    #[inline(always)]
    unsafe fn transpose_parts(
        from: *const Complex<Self::Real>,
        rows: &[isize],
        to: &[*mut Self::Real; MOST_SQUARE],
        at: [usize; 2],
        sign: Self::Real,
    ) {
        for (n, to) in to.iter().enumerate().take(PARTS_SQUARE) {
            for (row, &offset) in rows.iter().enumerate().take(PARTS_SQUARE) {
                // SAFETY: the caller's promise.
                unsafe {
                    let x = from.offset(offset + n as isize).read();
                    to.add(at[0] + row).write(x.re);
                    to.add(at[1] + row).write(x.im * sign);
                }
            }
        }
    }

    /// Reads a square, row `n` from `from + rows[n]`, and writes its columns, column `n` to `to + n · step`.
    ///
    /// # Safety
    /// `SQUARE` rows of as many elements are valid to read, the columns to write.
    #[inline(always)]
    unsafe fn transpose(from: *const Self::Real, rows: &[isize], to: &[*mut Self::Real; MOST_SQUARE], at: usize) {
        for (n, to) in to.iter().enumerate().take(Self::SQUARE) {
            for (row, &offset) in rows.iter().enumerate().take(Self::SQUARE) {
                // SAFETY: the caller's promise.
                unsafe { to.add(at + row).write(from.offset(offset + n as isize).read()) };
            }
        }
    }
}

/// Orders of vectors that have no instruction for them.
macro_rules! order_in_memory {
    () => {
        type Order = [u32; $crate::simd::vector::MOST_LANES];

        #[inline(always)]
        unsafe fn order(lanes: &[u32; $crate::simd::vector::MOST_LANES]) -> Self::Order {
            *lanes
        }
        #[inline(always)]
        unsafe fn permute(self, order: Self::Order) -> Self {
            let mut elements = [Self::Real::ZERO; $crate::simd::vector::MOST_LANES];
            let mut permuted = elements;
            // SAFETY: the arrays have room for the widest vector.
            unsafe {
                self.store(elements.as_mut_ptr());
                for n in 0..Self::LANES {
                    permuted[n] = elements[order[n] as usize];
                }
                Self::load(permuted.as_ptr())
            }
        }
    };
}
pub(super) use order_in_memory;

/// The widest square.
pub(crate) const MOST_SQUARE: usize = 8;
/// Edge of the squares of complex numbers.
pub(crate) const PARTS_SQUARE: usize = 4;
/// The widest vector.
pub(crate) const MOST_LANES: usize = 16;
