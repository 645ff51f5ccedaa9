//! Several numbers in a register, for functions that look up constants: the compiler makes vectors of plain loops, but reads a
//! table one number after the other.
//!
//! Each operation has the same bits in every form, so a formula that is generic over [`Lanes`] has, too.

#[cfg(target_arch = "x86_64")]
mod x86;

/// How many numbers a table has.
pub(super) const ENTRIES: usize = 16;

/// A register of numbers; or one number, for instructions that have no form of their own here.
///
/// # Safety
/// All functions: the processor has the instructions that the type stands for, and what pointers reach is valid: `COUNT` numbers.
pub(super) trait Lanes: Copy {
    /// The numbers.
    type Real: Copy;
    /// How many there are.
    const COUNT: usize;
    /// A table in registers.
    type Table: Copy;
    /// Places of a table, one for each lane.
    type Place: Copy;

    unsafe fn splat(x: Self::Real) -> Self;
    unsafe fn load(from: *const Self::Real) -> Self;
    unsafe fn store(self, to: *mut Self::Real);
    unsafe fn add(self, other: Self) -> Self;
    unsafe fn sub(self, other: Self) -> Self;
    unsafe fn mul(self, other: Self) -> Self;
    unsafe fn div(self, other: Self) -> Self;
    /// `self · a + b`, rounded once.
    unsafe fn mul_add(self, a: Self, b: Self) -> Self;
    /// `b - self · a`, rounded once.
    unsafe fn sub_from(self, a: Self, b: Self) -> Self;
    /// The smaller number; `other`, where one is not a number.
    unsafe fn min(self, other: Self) -> Self;
    /// The larger number; `other`, where one is not a number.
    unsafe fn max(self, other: Self) -> Self;
    /// The digits that both numbers have.
    unsafe fn and(self, other: Self) -> Self;
    /// The digits that the other number has not.
    unsafe fn and_not(self, other: Self) -> Self;
    /// The digits that one of the numbers has.
    unsafe fn or(self, other: Self) -> Self;

    unsafe fn table(numbers: &[Self::Real; ENTRIES]) -> Self::Table;
    /// The quarter of a binade that a number is in: the last two digits of its exponent and the first two behind the point. Those of
    /// [2, 4) are the places 0 to 3, and so on to 15.
    unsafe fn quarter(self) -> Self::Place;
    /// The numbers at these places, of which the last four digits count alone: so any number has a place in a table, what is no number too.
    unsafe fn look_up(table: Self::Table, place: Self::Place) -> Self;
}

/// A function of each number in a register, with what it needs besides.
pub(super) trait Formula<V: Lanes>: Copy {
    /// # Safety
    /// See [`Lanes`].
    unsafe fn in_registers() -> Self;
    /// # Safety
    /// See [`Lanes`].
    unsafe fn value(self, x: V) -> V;
}

/// Two registers side by side: a processor that waits for the results of one works on the other.
#[derive(Clone, Copy)]
pub(super) struct Pair<V>(V, V);

macro_rules! both {
    ($(fn $name:ident(self $(, $other:ident)*);)*) => {
        $(
            #[inline(always)]
            unsafe fn $name(self $(, $other: Self)*) -> Self {
                // SAFETY: the caller's promise.
                unsafe { Pair(self.0.$name($($other.0),*), self.1.$name($($other.1),*)) }
            }
        )*
    };
}

impl<V: Lanes> Lanes for Pair<V> {
    type Real = V::Real;
    const COUNT: usize = 2 * V::COUNT;
    type Table = V::Table;
    type Place = Pair<V::Place>;

    both! {
        fn add(self, other);
        fn sub(self, other);
        fn mul(self, other);
        fn div(self, other);
        fn mul_add(self, a, b);
        fn sub_from(self, a, b);
        fn min(self, other);
        fn max(self, other);
        fn and(self, other);
        fn and_not(self, other);
        fn or(self, other);
    }
    #[inline(always)]
    unsafe fn splat(x: V::Real) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Pair(V::splat(x), V::splat(x)) }
    }
    #[inline(always)]
    unsafe fn load(from: *const V::Real) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Pair(V::load(from), V::load(from.add(V::COUNT))) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut V::Real) {
        // SAFETY: the caller's promise.
        unsafe {
            self.0.store(to);
            self.1.store(to.add(V::COUNT));
        }
    }
    #[inline(always)]
    unsafe fn table(numbers: &[V::Real; ENTRIES]) -> V::Table {
        // SAFETY: the caller's promise.
        unsafe { V::table(numbers) }
    }
    #[inline(always)]
    unsafe fn quarter(self) -> Self::Place {
        // SAFETY: the caller's promise.
        unsafe { Pair(self.0.quarter(), self.1.quarter()) }
    }
    #[inline(always)]
    unsafe fn look_up(table: V::Table, place: Self::Place) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Pair(V::look_up(table, place.0), V::look_up(table, place.1)) }
    }
}

macro_rules! one {
    ($R:ident, $digits:literal) => {
        impl Lanes for $R {
            type Real = $R;
            const COUNT: usize = 1;
            type Table = [$R; ENTRIES];
            type Place = usize;

            #[inline(always)]
            unsafe fn splat(x: $R) -> $R {
                x
            }
            #[inline(always)]
            unsafe fn load(from: *const $R) -> $R {
                // SAFETY: the caller's promise.
                unsafe { from.read() }
            }
            #[inline(always)]
            unsafe fn store(self, to: *mut $R) {
                // SAFETY: the caller's promise.
                unsafe { to.write(self) }
            }
            #[inline(always)]
            unsafe fn add(self, other: $R) -> $R {
                self + other
            }
            #[inline(always)]
            unsafe fn sub(self, other: $R) -> $R {
                self - other
            }
            #[inline(always)]
            unsafe fn mul(self, other: $R) -> $R {
                self * other
            }
            #[inline(always)]
            unsafe fn div(self, other: $R) -> $R {
                self / other
            }
            #[inline(always)]
            unsafe fn mul_add(self, a: $R, b: $R) -> $R {
                <$R>::mul_add(self, a, b)
            }
            #[inline(always)]
            unsafe fn sub_from(self, a: $R, b: $R) -> $R {
                <$R>::mul_add(-self, a, b)
            }
            #[inline(always)]
            unsafe fn min(self, other: $R) -> $R {
                if self < other { self } else { other }
            }
            #[inline(always)]
            unsafe fn max(self, other: $R) -> $R {
                if self > other { self } else { other }
            }
            #[inline(always)]
            unsafe fn and(self, other: $R) -> $R {
                <$R>::from_bits(self.to_bits() & other.to_bits())
            }
            #[inline(always)]
            unsafe fn and_not(self, other: $R) -> $R {
                <$R>::from_bits(self.to_bits() & !other.to_bits())
            }
            #[inline(always)]
            unsafe fn or(self, other: $R) -> $R {
                <$R>::from_bits(self.to_bits() | other.to_bits())
            }
            #[inline(always)]
            unsafe fn table(numbers: &[$R; ENTRIES]) -> [$R; ENTRIES] {
                *numbers
            }
            #[inline(always)]
            unsafe fn quarter(self) -> usize {
                (self.to_bits() >> ($digits - 2)) as usize % ENTRIES
            }
            #[inline(always)]
            unsafe fn look_up(table: [$R; ENTRIES], place: usize) -> $R {
                table[place]
            }
        }
    };
}
one!(f64, 52);
one!(f32, 23);
