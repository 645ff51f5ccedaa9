//! The largest absolute values of integers.

use std::array::from_fn;

use tensorwrapper_core::element::{Element, dispatch};
use tensorwrapper_core::storage::SliceRef;
use tensorwrapper_core::stored::IntegersRef;
use tensorwrapper_cpu::{Loops, vectorised_reads};

/// That of rounded integers.
pub(super) fn of_rounded(numbers: SliceRef<'_>) -> f64 {
    dispatch!(numbers.dtype(), T => {
        vectorised_reads(Largest(T::typed(numbers).unwrap_or_default(), |x: T| x.to_complex().re.abs()))
    })
}

/// That of integers, rounded.
pub(super) fn of_integers(numbers: IntegersRef<'_>) -> f64 {
    match numbers {
        IntegersRef::I32(numbers) => vectorised_reads(Largest(numbers, |x: i32| x.unsigned_abs())).into(),
        IntegersRef::I64(numbers) => vectorised_reads(Largest(numbers, |x: i64| x.unsigned_abs())) as f64,
        IntegersRef::U8(numbers) => vectorised_reads(Largest(numbers, |x: u8| x)).into(),
    }
}

/// The largest of these.
struct Largest<'n, T, F>(&'n [T], F);

impl<T: Copy, R: Copy + Default + PartialOrd, F: Fn(T) -> R> Loops for Largest<'_, T, F> {
    type Result = R;

    #[inline(always)]
    fn run(self) -> R {
        // So many that they are several vectors of each type: one vector would wait for itself.
        const LANES: usize = 64;
        let larger = |largest: R, number: R| if number > largest { number } else { largest };
        let (pieces, rest) = self.0.as_chunks::<LANES>();
        let lanes = pieces.iter().fold([R::default(); LANES], |lanes, piece| from_fn(|n| larger(lanes[n], (self.1)(piece[n]))));
        let rest = rest.iter().map(|&number| (self.1)(number));
        lanes.into_iter().chain(rest).fold(R::default(), larger)
    }
}
