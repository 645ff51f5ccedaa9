//! Division of many numbers by one: a multiplication and a shift.
//!
//! Knows nothing of indices.

/// A divisor with its reciprocal.
///
/// # Exactness
///
/// For a divisor `1 ≤ d < 2⁶³` let `ℓ = ⌈log₂ d⌉` and `m = ⌈2⁶³⁺ˡ / d⌉`. Then `2⁶³⁺ˡ ≤ m·d ≤ 2⁶³⁺ˡ + 2ˡ`, which is the premise
/// of theorem 4.2 of T. Granlund and P. L. Montgomery, *Division by invariant integers using multiplication*, PLDI 1994, with
/// their `N = 63`: `⌊n/d⌋ = ⌊m·n / 2⁶³⁺ˡ⌋` for every `0 ≤ n < 2⁶³`.
///
/// `m` fits 64 bits: where `d = 2ˡ` it is 2⁶³; otherwise `d ≥ 2ˡ⁻¹ + 1`, so that
/// `2⁶³⁺ˡ/d ≤ 2⁶⁴·2ˡ⁻¹/(2ˡ⁻¹ + 1) ≤ 2⁶⁴ - 2⁶⁴/(2⁶² + 1) < 2⁶⁴ - 3`, and the next integer is below 2⁶⁴. So is `2n`, and
/// `⌊m·n / 2⁶³⁺ˡ⌋ = ⌊⌊2n·m / 2⁶⁴⌋ / 2ˡ⌋`: the upper half of a product of 64-bit numbers, shifted. Positions and extents are
/// below 2⁶³ because memory is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reciprocal {
    divisor: u64,
    multiplier: u64,
    shift: u32,
}

impl Reciprocal {
    /// The reciprocal of a number below 2⁶³. That of 0, which only 0 is divided by, is that of 1.
    pub(super) fn new(divisor: usize) -> Reciprocal {
        let divisor = divisor.max(1) as u64;
        assert!(divisor < 1 << 63, "divisors are sizes of something in memory");
        let shift = divisor.next_power_of_two().trailing_zeros();
        let multiplier = (1u128 << (63 + shift)).div_ceil(u128::from(divisor)) as u64;
        Reciprocal { divisor, multiplier, shift }
    }

    /// The quotient of a number below 2⁶³, rounded down.
    #[inline(always)]
    pub(super) fn quotient(&self, number: u64) -> u64 {
        debug_assert!(number < 1 << 63);
        let product = u128::from(number << 1) * u128::from(self.multiplier);
        ((product >> 64) as u64) >> self.shift
    }

    /// Quotient and remainder.
    #[inline(always)]
    pub(super) fn divide(&self, number: u64) -> (u64, u64) {
        let quotient = self.quotient(number);
        (quotient, number - quotient * self.divisor)
    }

    /// The number itself.
    #[inline(always)]
    pub(super) fn divisor(&self) -> u64 {
        self.divisor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    const END: u64 = 1 << 63;

    /// Around multiples of the divisor and at the ends, where a reciprocal that is too small or too large shows first.
    fn check(divisor: u64, numbers: &[u64]) {
        let reciprocal = Reciprocal::new(divisor as usize);
        let last = (END - 1) / divisor * divisor;
        let edges = [0, 1, divisor - 1, divisor, divisor + 1, last - 1, last, last.saturating_add(1), END - 2, END - 1];
        let multiples = numbers.iter().flat_map(|&n| {
            let multiple = n / divisor * divisor;
            [n, multiple, multiple.wrapping_sub(1), multiple + divisor - 1]
        });
        for n in edges.into_iter().chain(multiples).filter(|&n| n < END) {
            assert_eq!(reciprocal.divide(n), (n / divisor, n % divisor), "{n} by {divisor}");
        }
    }

    #[test]
    fn quotients_are_exact_at_the_edges() {
        let mut random = StdRng::seed_from_u64(41);
        let numbers: Vec<u64> = (0..200).map(|_| random.random::<u64>() >> random.random_range(1..64)).collect();
        (1..2000).for_each(|divisor| check(divisor, &numbers));
        for power in 1..63 {
            for divisor in [(1u64 << power) - 1, 1 << power, (1 << power) + 1] {
                check(divisor.min(END - 1), &numbers);
            }
        }
        for near in 0..100 {
            check(END - 1 - near, &numbers);
            check(END / 3 - near, &numbers);
        }
        for _ in 0..20_000 {
            let divisor = ((random.random::<u64>() >> 1) >> random.random_range(0..63)).max(1);
            check(divisor, &numbers[..8]);
        }
    }

    #[test]
    fn quotients_of_small_numbers_are_exact_without_exception() {
        for divisor in 1..300 {
            let reciprocal = Reciprocal::new(divisor);
            assert!((0..3000).all(|n| reciprocal.quotient(n) == n / divisor as u64), "by {divisor}");
        }
    }
}
