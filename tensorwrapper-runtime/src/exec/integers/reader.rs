//! Integers of the program, some of them at a time.

use std::ops::Range;

use tensorwrapper_core::layout::{Positions, Strided};
use tensorwrapper_core::stored::IntegersRef;

/// What a program reads, and where each index finds it.
pub(super) struct Input<'i> {
    pub(super) numbers: IntegersRef<'i>,
    pub(super) layout: Strided,
}

/// Integers side by side.
pub(super) fn part(numbers: IntegersRef<'_>, range: Range<usize>) -> IntegersRef<'_> {
    match numbers {
        IntegersRef::I32(numbers) => IntegersRef::I32(&numbers[range]),
        IntegersRef::I64(numbers) => IntegersRef::I64(&numbers[range]),
        IntegersRef::U8(numbers) => IntegersRef::U8(&numbers[range]),
    }
}

/// Reads an input from one end to the other.
pub(super) struct Reader<'i> {
    numbers: IntegersRef<'i>,
    places: Places<'i>,
}

/// Where the next elements are.
enum Places<'i> {
    /// Side by side, from there on.
    Here(usize),
    /// In a copy, because each index has the same one.
    One(Copies),
    /// At these places.
    Apart(Positions<&'i Strided>, Copies),
}

/// Copies of integers of one type.
enum Copies {
    I32(Vec<i32>),
    I64(Vec<i64>),
    U8(Vec<u8>),
}

impl Copies {
    /// Those at these places.
    fn of(numbers: IntegersRef<'_>, places: impl Iterator<Item = usize>) -> Copies {
        match numbers {
            IntegersRef::I32(numbers) => Copies::I32(places.map(|place| numbers[place]).collect()),
            IntegersRef::I64(numbers) => Copies::I64(places.map(|place| numbers[place]).collect()),
            IntegersRef::U8(numbers) => Copies::U8(places.map(|place| numbers[place]).collect()),
        }
    }

    fn erase(&self) -> IntegersRef<'_> {
        match self {
            Copies::I32(numbers) => IntegersRef::I32(numbers),
            Copies::I64(numbers) => IntegersRef::I64(numbers),
            Copies::U8(numbers) => IntegersRef::U8(numbers),
        }
    }
}

impl<'i> Reader<'i> {
    /// Reads at most `most` at a time.
    pub(super) fn new(input: &'i Input<'_>, most: usize) -> Reader<'i> {
        let Input { numbers, layout } = input;
        let places = match layout.is_row_major() {
            true => Places::Here(layout.start()),
            false if layout.strides().iter().all(|&stride| stride == 0) => {
                Places::One(Copies::of(*numbers, std::iter::repeat_n(layout.start(), most)))
            }
            false => Places::Apart(layout.positions(), Copies::of(*numbers, std::iter::empty())),
        };
        Reader { numbers: *numbers, places }
    }

    /// The next ones.
    pub(super) fn next(&mut self, len: usize) -> IntegersRef<'_> {
        match &mut self.places {
            Places::Here(next) => {
                let start = *next;
                *next += len;
                part(self.numbers, start..start + len)
            }
            Places::One(copies) => part(copies.erase(), 0..len),
            Places::Apart(positions, copies) => {
                *copies = Copies::of(self.numbers, positions.by_ref().take(len));
                copies.erase()
            }
        }
    }
}
