//! The largest absolute values of integers.

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

/// The largest of these, by several lanes at once: one would wait for itself.
struct Largest<'n, T, F>(&'n [T], F);

impl<T: Copy, R: Copy + Default + PartialOrd, F: Fn(T) -> R> Loops for Largest<'_, T, F> {
    type Result = R;

    #[inline(always)]
    fn run(self) -> R {
        const LANES: usize = 16;
        let larger = |largest: R, number: R| if number > largest { number } else { largest };
        let (pieces, rest) = self.0.as_chunks::<LANES>();
        let mut lanes = [R::default(); LANES];
        for piece in pieces {
            lanes.iter_mut().zip(piece).for_each(|(lane, &number)| *lane = larger(*lane, (self.1)(number)));
        }
        let rest = rest.iter().map(|&number| (self.1)(number));
        lanes.into_iter().chain(rest).fold(R::default(), larger)
    }
}
