//! How fast memory is read, the measure of rows that do little else. Knows nothing of what is compared with it.

/// Adds up numbers, as many at a time as hide the latency of additions.
pub fn read(numbers: &[f64]) -> f64 {
    #[inline(always)]
    fn sum(numbers: &[f64]) -> f64 {
        let mut sums = [0.0; 64];
        numbers.as_chunks::<64>().0.iter().for_each(|chunk| sums.iter_mut().zip(chunk).for_each(|(sum, x)| *sum += x));
        sums.iter().sum()
    }
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f")]
        fn wide(numbers: &[f64]) -> f64 {
            sum(numbers)
        }
        if is_x86_feature_detected!("avx512f") {
            // SAFETY: the processor has the instructions.
            return unsafe { wide(numbers) };
        }
    }
    sum(numbers)
}
