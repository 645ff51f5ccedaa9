//! Pseudo-random numbers, the same for the same seed. The file must not know what they are for.
//!
//! Source: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA (2014).

/// SplitMix64. Searches need speed and reproducible numbers, not secrecy, so no crate is needed.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// The stream of a seed; different streams of one seed are independent.
    pub(super) fn new(seed: u64, stream: u64) -> Random {
        let mut random = Random(seed);
        random.0 = random.bits() ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03);
        random
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number between 0 and 1, neither included.
    pub(super) fn unit(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1u64 << 52) as f64
    }

    /// A number below a bound, which must not be 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number between two positive numbers, with a uniformly distributed logarithm.
    pub(super) fn scale(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
}
